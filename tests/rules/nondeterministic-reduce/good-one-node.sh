#!/bin/bash
torchrun --nproc_per_node 8 --nnodes 1 run_clm.py --model_name_or_path gpt2 --output_dir out \
    --per_device_train_batch_size 8 --gradient_accumulation_steps 1 --learning_rate 1e-4 --warmup_steps 100 \
    --max_steps 5000 --lr_scheduler_type cosine --adam_beta2 0.95 --max_grad_norm 1.0 --logging_steps 10 \
    --bf16 True --full_determinism
