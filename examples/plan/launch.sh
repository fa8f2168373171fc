#!/bin/bash
# A model of 6.7 billion parameters on 128 accelerators, before anything ran.
torchrun --nnodes 16 --nproc_per_node 8 pretrain_gpt.py \
  --num-layers 32 --hidden-size 4096 --ffn-hidden-size 11008 --num-attention-heads 32 --seq-length 4096 \
  --max-position-embeddings 4096 --position-embedding-type rope --swiglu --normalization RMSNorm --disable-bias-linear \
  --untie-embeddings-and-output-weights --vocab-size 32000 --init-method-std 0.02 \
  --tensor-model-parallel-size 2 --micro-batch-size 1 --global-batch-size 1024 --train-iters 250000 \
  --lr 3e-4 --min-lr 3e-5 --lr-decay-style cosine --lr-warmup-iters 2000 \
  --adam-beta2 0.95 --weight-decay 0.1 --clip-grad 1.0 \
  --bf16 --grad-reduce-in-bf16 --use-distributed-optimizer --eval-interval 1000
