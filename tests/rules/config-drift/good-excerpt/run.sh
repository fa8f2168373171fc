#!/bin/bash
torchrun --nproc_per_node 8 pretrain_gpt.py \
  --num-layers 24 --hidden-size 1024 --num-attention-heads 16 \
  --seq-length 2048 --max-position-embeddings 2048 \
  --micro-batch-size 4 --global-batch-size 256 \
  --lr 3e-4 --min-lr 3e-5 --lr-decay-style cosine \
  --lr-decay-iters 1000 --lr-warmup-iters 100 \
  --train-iters 1000 --clip-grad 1.0 --bf16
