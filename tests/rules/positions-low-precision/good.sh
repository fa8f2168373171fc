#!/bin/bash
# fp16 has all integers to 2,048.
deepspeed --num_gpus 8 pretrain_gpt.py \
    --tensor-model-parallel-size 2 \
    --num-layers 24 --hidden-size 1024 --num-attention-heads 16 \
    --seq-length 2048 --max-position-embeddings 2048 --position-embedding-type alibi \
    --micro-batch-size 4 --global-batch-size 256 \
    --train-iters 100000 --lr 3e-4 --min-lr 3e-5 --lr-decay-style cosine --lr-warmup-iters 2000 \
    --adam-beta2 0.95 --weight-decay 0.1 --clip-grad 1.0 \
    --fp16
