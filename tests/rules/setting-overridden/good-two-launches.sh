#!/bin/bash
torchrun --nproc_per_node 8 train.py --model_name_or_path a --learning_rate 1e-5 --output_dir out --num_train_epochs 1 --per_device_train_batch_size 4
torchrun --nproc_per_node 8 train.py --model_name_or_path b --learning_rate 2e-5 --output_dir out --num_train_epochs 3 --per_device_train_batch_size 4
