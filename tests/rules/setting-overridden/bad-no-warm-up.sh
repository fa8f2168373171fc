#!/bin/bash
torchrun --nproc_per_node 8 train.py \
    --model_name_or_path model --output_dir out --bf16 \
    --per_device_train_batch_size 4 --learning_rate 2e-5 \
    --num_train_epochs 2 --lr_scheduler_type constant --warmup_ratio 0.03 \
    --save_total_limit 2
