#!/bin/bash
# 64 ranks in bf16, in trees. A rank with lowest bit b adds sums of b and of 2b - 1 terms, the root one of 64:
# (3 * 32 * 5 - 31 + 64 + 64) / 64 = 9.016; sqrt(2) * 0.42466 * 2^-8 * sqrt(9.016) = 0.00704.
export NCCL_ALGO=Tree
export CUBLAS_WORKSPACE_CONFIG=:4096:8
torchrun --nproc_per_node 8 --nnodes 8 pretrain_gpt.py \
    --num-layers 24 --hidden-size 1024 --num-attention-heads 16 \
    --seq-length 2048 --max-position-embeddings 2048 \
    --micro-batch-size 1 --global-batch-size 64 \
    --train-iters 100000 --lr 3e-4 --min-lr 3e-5 --lr-decay-style cosine --lr-warmup-iters 2000 \
    --adam-beta2 0.95 --weight-decay 0.1 --clip-grad 1.0 \
    --bf16 --deterministic-mode --grad-reduce-in-bf16
