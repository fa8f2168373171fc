#!/bin/bash
torchrun --nproc_per_node 8 run_clm.py --model_name_or_path m --learning_rate 2e-5 \
    --per_device_train_batch_size 4 --gradient_accumulation_steps 2 --num_train_epochs 3 \
    --lr_scheduler_type Cosine --warmup_ratio 0.03 --bf16 True
