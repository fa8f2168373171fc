#!/bin/bash
# Rate 3e-5, updates of deviation 6.9e-6. Only weights below 2^-7 = 0.0078 have half steps under 3e-5 (2^-9 … at
# [2^-8, 2^-7): 1.5e-5), so at full rate P(|w| > 0.0078) = P(|z| > 0.39) = 69.6 % are lost; of noise 92.0 %.
torchrun --nproc_per_node 8 run_clm.py \
    --model_name_or_path gpt2-xl \
    --torch_dtype bfloat16 \
    --per_device_train_batch_size 4 \
    --gradient_accumulation_steps 2 \
    --learning_rate 3e-5 \
    --num_train_epochs 3 \
    --bf16 True
