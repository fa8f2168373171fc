#!/bin/bash
# DeepSpeed keeps fp32 copies of its own, whatever the weights were loaded in.
torchrun --nproc_per_node 8 run_clm.py \
    --deepspeed ds.json \
    --model_name_or_path gpt2-xl \
    --torch_dtype bfloat16 \
    --per_device_train_batch_size 4 \
    --gradient_accumulation_steps 2 \
    --learning_rate 3e-5 \
    --num_train_epochs 3 \
    --bf16 True
