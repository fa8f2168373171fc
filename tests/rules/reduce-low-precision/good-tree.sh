#!/bin/bash
# 1,024 ranks, bf16, in trees: (3 * 512 * 9 - 511 + 1024 + 1024) / 1024 = 15; 0.42466 * 2^-8 * sqrt(15) = 0.64 %.
export NCCL_ALGO=Tree
torchrun --nproc_per_node 8 --nnodes 128 pretrain_gpt.py \
    --num-layers 24 --hidden-size 1024 --num-attention-heads 16 \
    --seq-length 2048 --max-position-embeddings 2048 \
    --micro-batch-size 1 --global-batch-size 1024 \
    --train-iters 100000 --lr 3e-4 --min-lr 3e-5 --lr-decay-style cosine --lr-warmup-iters 2000 \
    --adam-beta2 0.95 --weight-decay 0.1 --clip-grad 1.0 \
    --bf16 --grad-reduce-in-bf16
