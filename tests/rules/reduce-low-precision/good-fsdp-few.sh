#!/bin/bash
# 32 ranks: 0.42466 * 2^-8 * sqrt((32 + 528 - 1) / 32) = 0.69 %.
torchrun --nproc_per_node 8 --nnodes 4 run_clm.py --model_name_or_path meta-llama/Llama-2-7b-hf --output_dir out \
    --per_device_train_batch_size 1 --gradient_accumulation_steps 1 --learning_rate 2e-5 --warmup_steps 100 \
    --max_steps 5000 --lr_scheduler_type cosine --adam_beta2 0.95 --max_grad_norm 1.0 --logging_steps 10 \
    --bf16 True --fsdp full_shard
