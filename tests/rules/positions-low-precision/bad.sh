#!/bin/bash
# bf16 has all integers to 256, then 128 in each of [256, 512), [512, 1024), [1024, 2048), and 2,047 rounds to 2,048:
# 256 + 3 * 128 + 1 = 641. In the last of them they are 8 apart.
deepspeed --num_gpus 8 pretrain_gpt.py \
    --tensor-model-parallel-size 2 \
    --num-layers 24 --hidden-size 1024 --num-attention-heads 16 \
    --seq-length 2048 --max-position-embeddings 2048 --position-embedding-type alibi \
    --micro-batch-size 4 --global-batch-size 256 \
    --train-iters 100000 --lr 3e-4 --min-lr 3e-5 --lr-decay-style cosine --lr-warmup-iters 2000 \
    --adam-beta2 0.95 --weight-decay 0.1 --clip-grad 1.0 \
    --bf16
