#!/bin/bash
# Inputs in bf16 have fewer bits than TF32 already.
torchrun --nproc_per_node 8 run_clm.py \
    --model_name_or_path gpt2-xl \
    --per_device_train_batch_size 4 \
    --gradient_accumulation_steps 2 \
    --learning_rate 2e-5 \
    --num_train_epochs 3 \
    --bf16 True \
    --tf32 True
