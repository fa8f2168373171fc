#!/bin/bash
# The variable switches TF32 off in all libraries, over the option.
export NVIDIA_TF32_OVERRIDE=0
torchrun --nproc_per_node 8 run_clm.py \
    --model_name_or_path gpt2-xl \
    --per_device_train_batch_size 4 \
    --gradient_accumulation_steps 2 \
    --learning_rate 2e-5 \
    --num_train_epochs 3 \
    --fp16 False --bf16 False \
    --tf32 True
