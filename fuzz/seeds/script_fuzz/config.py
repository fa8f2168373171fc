"""Settings."""
from base import *
learning_rate = 6e-4
gradient_accumulation_steps = 5 * 8
max_iters = 2 ** 17 // 3
betas = (0.9, 0.95)
out_dir = f'out/{name}'
optim_wrapper = dict(type='OptimWrapper', optimizer=dict(type='AdamW', lr=1e-3 / 2, betas=(0.9, 0.99)),
                     clip_grad=dict(max_norm=1.0))
train = [dict(a=1), dict(a=Foo(b=2))]
