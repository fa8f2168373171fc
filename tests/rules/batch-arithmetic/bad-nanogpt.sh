#!/bin/bash
torchrun --standalone --nproc_per_node=8 train.py config/train_gpt2.py \
    --batch_size=12 --block_size=1024 --gradient_accumulation_steps=20 \
    --max_iters=600000 --lr_decay_iters=600000 --learning_rate=6e-4 --warmup_iters=2000 --min_lr=6e-5 --grad_clip=1.0
