#!/bin/bash
# 64 ranks in fp32: sqrt(2) * 0.42466 * 2^-24 * sqrt((64 + 64 * 65 / 2 - 1) / 64) = 2.071e-7.
torchrun --nproc_per_node 8 --nnodes 8 run_clm.py --model_name_or_path gpt2 --output_dir out \
    --per_device_train_batch_size 8 --gradient_accumulation_steps 1 --learning_rate 1e-4 --warmup_steps 100 \
    --max_steps 5000 --lr_scheduler_type cosine --adam_beta2 0.95 --max_grad_norm 1.0 --logging_steps 10 \
    --bf16 True --full_determinism
