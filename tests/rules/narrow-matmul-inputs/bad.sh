#!/bin/bash
# TF32 keeps 11 bits: u = 2^-11 = 4.883e-4. Two factors: 0.42466 * sqrt(2) * 4.883e-4 = 2.932e-4. fp32 has u = 2^-24:
# 2^13 = 8,192 times less.
torchrun --nproc_per_node 8 run_clm.py \
    --model_name_or_path gpt2-xl \
    --per_device_train_batch_size 4 \
    --gradient_accumulation_steps 2 \
    --learning_rate 2e-5 \
    --num_train_epochs 3 \
    --fp16 False --bf16 False \
    --tf32 True
