#!/bin/bash
torchrun --nnodes 2 --nproc_per_node 8 train.py \
    --model_name_or_path huggyllama/llama-7b \
    --per_device_train_batch_size 4 \
    --gradient_accumulation_steps 2 \
    --learning_rate 2e-5 \
    --num_train_epochs 3 \
    --warmup_ratio 0.03 \
    --bf16 True \
    --deepspeed ds_config.json
