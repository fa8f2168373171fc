#!/bin/bash
python pretrain.py --lr 1e-4 --train-iters 1000 --lr-decay-iters 500 --lr-decay-style cosine --batch-size 8
