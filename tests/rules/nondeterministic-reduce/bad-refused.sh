#!/bin/bash
# 64 ranks in fp32: sqrt(2) * 0.42466 * 2^-24 * sqrt((64 + 64 * 65 / 2 - 1) / 64) = 2.071e-7.
export NCCL_ALGO=NVLS
torchrun --nproc_per_node 8 --nnodes 8 pretrain_gpt.py \
    --num-layers 24 --hidden-size 1024 --num-attention-heads 16 \
    --seq-length 2048 --max-position-embeddings 2048 \
    --micro-batch-size 1 --global-batch-size 64 \
    --train-iters 100000 --lr 3e-4 --min-lr 3e-5 --lr-decay-style cosine --lr-warmup-iters 2000 \
    --adam-beta2 0.95 --weight-decay 0.1 --clip-grad 1.0 \
    --bf16 --deterministic-mode
