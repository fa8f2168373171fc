#!/bin/bash
cat > ds.json <<EOF
{
  "train_micro_batch_size_per_gpu": 4,
  "zero_optimization": {"stage": 1}
}
EOF
deepspeed --num_gpus 8 pretrain_gpt.py --deepspeed --deepspeed_config ds.json --num-layers 24 \
    --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 --micro-batch-size 4 \
    --global-batch-size 256 --train-iters 1000 --lr 3e-4 --lr-warmup-iters 20 --min-lr 3e-5 \
    --clip-grad 1.0 --bf16
