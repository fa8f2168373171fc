#!/bin/bash
#SBATCH --nodes=8
NNODES=8
GPUS_PER_NODE=8

torchrun --nnodes $NNODES --nproc_per_node $GPUS_PER_NODE pretrain_gpt.py \
    --tensor-model-parallel-size 1 \
    --pipeline-model-parallel-size 1 \
    --num-layers 48 \
    --hidden-size 8192 \
    --num-attention-heads 64 \
    --seq-length 2048 \
    --max-position-embeddings 2048 \
    --vocab-size 50257 \
    --micro-batch-size 4 \
    --global-batch-size 1024 \
    --train-iters 20000 \
    --lr 2.0e-4 \
    --min-lr 2.0e-5 \
    --lr-decay-style cosine \
    --lr-warmup-iters 2000 \
    --weight-decay 0.1 \
    --adam-beta2 0.95 \
    --clip-grad 1.0 \
    --pretrained-checkpoint /models/llama \
    --bf16
