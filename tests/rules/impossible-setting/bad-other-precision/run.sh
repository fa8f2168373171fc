#!/bin/bash
deepspeed --num_gpus 8 train.py --deepspeed ds.json --model_name_or_path m --learning_rate 2e-5 \
    --per_device_train_batch_size 4 --gradient_accumulation_steps 2 --num_train_epochs 3 \
    --lr_scheduler_type cosine --warmup_ratio 0.03 --bf16 True --max_grad_norm 1.0 --output_dir out
