#!/bin/bash
#SBATCH --nodes=1
NNODES=1
GPUS_PER_NODE=8

torchrun --nnodes $NNODES --nproc_per_node $GPUS_PER_NODE pretrain_gpt.py \
    --tensor-model-parallel-size 8 \
    --pipeline-model-parallel-size 4 \
    --num-layers 30 \
    --hidden-size 2048 \
    --num-attention-heads 16 \
    --seq-length 2048 \
    --max-position-embeddings 2048 \
    --vocab-size 50257 \
    --micro-batch-size 4 \
    --global-batch-size 768 \
    --train-iters 100000 \
    --lr 2.0e-4 \
    --min-lr 2.0e-5 \
    --lr-decay-style cosine \
    --lr-warmup-iters 2000 \
    --weight-decay 0.1 \
    --adam-beta2 0.95 \
    --clip-grad 1.0 \
    --bf16
