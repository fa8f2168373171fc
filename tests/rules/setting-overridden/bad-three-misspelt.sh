#!/bin/bash
export HCCL_DETERMINISITIC=true
torchrun --nproc_per_node 8 pretrain_gpt.py \
    --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 \
    --micro-batch-size 4 --global-batch-size 256 --lr 3e-4 \
    --train-iters 1000 --lr-warmup-iters 20 --min-lr 3e-5 \
    --lr-warmup-fraction 0.01 \
    --clip-grad 1.0 --clip-grad 0.5 --adam-beta1 0.9 --adam-beta2 0.95 \
    --bf16
