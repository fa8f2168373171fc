#!/usr/bin/env python3
"""Writes the fixtures of the rules about the loss: runs made by formula, with fixed seeds, in formats of several frameworks.

    tests/rules/make_loss_fixtures.py
bad*.log is where the rule fires, good*.log its near twin where it must not; what is expected of bad.log stands beside it.
"""
import json
import math
import os
import random

ROOT = os.path.dirname(os.path.abspath(__file__)) + os.sep
def put(rule,name,lines,expect=None):
    d=ROOT+rule; os.makedirs(d,exist_ok=True)
    open(f'{d}/{name}','w').write('\n'.join(lines)+'\n')
    if expect is not None: json.dump(expect,open(f'{d}/{name.rsplit(".",1)[0]}.expect.json','w')); open(f'{d}/{name.rsplit(".",1)[0]}.expect.json','a').write('\n')
def line(i,l,g=None,lr=None): return f'step: {i} loss: {l:.4f}'+(f' grad_norm: {g:.4f}' if g is not None else '')+(f' lr: {lr:.3e}' if lr is not None else '')
def run(n,seed,first=10.8,floor=3.0,time=12,noise=.01,every=1):
    r=random.Random(seed); out=[]
    for i in range(n):
        l=floor+(first-floor)*(1+i/time)**-.9
        out.append([(i+1)*every,l*(1+noise*r.gauss(0,1)),.3*math.exp(.1*r.gauss(0,1))+4*math.exp(-i/8)])
    return out
# loss-spike: six records up, back; twin: one hard batch of 25 %
x=run(200,1)
for i,f in enumerate([1.1,1.5,2.2,1.9,1.5,1.2]): x[120+i][1]*=f; x[118+i][2]*=30
put('loss-spike','bad.log',[line(*v) for v in x],{"severity":"warning","steps":[121,124],"also":0})
x=run(200,1); x[120][1]*=1.25
put('loss-spike','good.log',[line(*v) for v in x])
x=run(40,2,first=3.1,floor=2.9); x=[[21000+v[0],v[1],v[2]] for v in x][30:]; x[-1][1]=7.7; x[-2][2]*=20
put('loss-spike','bad-excerpt.log',[line(*v) for v in x],{"severity":"error","steps":[21040,21040]})
# loss-divergence: jump that stays; slow rise; twin: comes back
x=run(240,3)
for i in range(150,240): x[i][1]*=1.8; x[i-1][2]*=15
put('loss-divergence','bad.log',[line(*v) for v in x],{"severity":"error","steps":[151,240]})
x=run(240,4)
for i in range(110,240): x[i][1]*=1+.7*(i-110)/130
put('loss-divergence','bad-slow.log',[line(*v) for v in x],{"severity":"error"})
x=run(240,3)
for i in range(150,190): x[i][1]*=1.8
put('loss-divergence','good.log',[line(*v) for v in x])
# initial-transient: bump at step 2; twin: none
x=run(120,5); x[1][1]=24.7; x[2][1]=15.2
put('initial-transient','bad.log',[line(*v) for v in x],{"severity":"note","steps":[2,3]})
put('initial-transient','good.log',[line(*v) for v in run(120,5)])
# loss-plateau: pre-training stuck at the unigram level; twin: learns
x=run(220,6,first=10.8,floor=7.62,time=.02,noise=.002,every=50)
put('loss-plateau','bad.log',[line(v[0],v[1],v[2],3e-4*min(1,(i+1)/10)) for i,v in enumerate(x)],{"severity":"error"})
x=run(220,6,first=10.8,floor=3.2,time=30,noise=.002,every=50)
put('loss-plateau','good.log',[line(v[0],v[1],v[2],3e-4*min(1,(i+1)/10)) for i,v in enumerate(x)])
# a counter that starts again, of unequal length: the later part goes on flat where the first one ended
x=run(300,24,first=10.8,floor=3.2,time=10,noise=.002); y=run(240,25,first=3.2,floor=3.19,time=60,noise=.002)
put('loss-plateau','good-later-part.log',[line(*v) for v in x+y])
# loss-oscillation: swings grow out of a calm loss; twin: noisy single samples all the time, falling
x=run(320,7,noise=.012); r=random.Random(8)
for i in range(192,320): x[i][1]*=math.exp((.35 if i%2 else -.1)*r.uniform(.6,1.4))*(1.05+.12*(i-192)/128)
put('loss-oscillation','bad.log',[line(*v) for v in x],{"severity":"warning"})
x=run(320,9,first=3.2,floor=2.4,noise=.15)
put('loss-oscillation','good.log',[line(*v) for v in x])
# overfit: eval turns at step 400; twin: eval follows
def two(evals,seed):
    r=random.Random(seed); out=[]
    for i in range(120):
        s=(i+1)*10; out.append(f"{{'loss': {2.4*math.exp(-i/90)*(1+.03*r.gauss(0,1)):.4f}, 'learning_rate': {2e-5*(1-i/120):.3e}, 'epoch': {s/300:.2f}, 'step': {s}}}")
        if s%100==0: out.append(f"{{'eval_loss': {evals(s)*(1+.003*r.gauss(0,1)):.4f}, 'eval_runtime': 10.2, 'epoch': {s/300:.2f}, 'step': {s}}}")
    return out
put('overfit','bad.log',two(lambda s: 1.2+.9*math.exp(-s/120)+max(0,s-400)*.0006,10),{"severity":"warning"})
put('overfit','good.log',two(lambda s: 1.2+.9*math.exp(-s/300),11))
# memorization: 12 epochs to .05; twin: two epochs
def passes(n,drop,seed):
    r=random.Random(seed); out=[]
    for i in range(n*40):
        e=i/40; l=2.1*math.exp(-drop*int(e))*(1+.05*r.gauss(0,1))
        out.append(f"{{'loss': {l:.4f}, 'learning_rate': 1.0e-04, 'epoch': {e:.3f}}}")
    return out
put('memorization','bad.log',passes(12,.33,12),{"severity":"warning"})
put('memorization','good.log',passes(3,.25,13))
# non-finite-loss: NaN from a clean line on; twin: skipped by the scaler
x=run(80,14); 
put('non-finite-loss','bad.log',[line(*v) if v[0]<61 else f'step: {v[0]} loss: nan grad_norm: nan' for v in x],{"severity":"error","steps":[61,80]})
out=[]
for v in run(80,15):
    if v[0]==61: out.append('[2024-05-01 10:00:00,000] [INFO] [loss_scaler.py:183:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768')
    out.append(line(*v) if v[0]!=61 else 'step: 61 loss: nan grad_norm: inf')
put('non-finite-loss','good.log',out)
# hidden-nan: Megatron leaves out the loss; twin: skipped iteration, scale halved
def mega(v,loss=True,scale=65536.0,skipped=0,norm=True):
    return (f" iteration {v[0]:8d}/    5000 | consumed samples: {v[0]*64:12d} | elapsed time per iteration (ms): 812.4 | learning rate: 1.500E-04 | global batch size:    64 |"
     +(f" lm loss: {v[1]:.6E} |" if loss else "")+f" loss scale: {scale:.1f} |"+(f" grad norm: {v[2]:.3f} |" if norm else " grad norm: nan |")+f" number of skipped iterations: {skipped:3d} | number of nan iterations:   0 |")
x=run(60,16)
put('hidden-nan','bad.log',[mega(v,v[0]<41,1.0,0,v[0]<41) for v in x],{"severity":"error","steps":[41,60]})
put('hidden-nan','good.log',[mega(v,v[0] not in (41,),65536.0 if v[0]<41 else 32768.0,1 if v[0]==41 else 0) for v in x])
x=run(30,17,first=1.9,floor=1.2)
put('hidden-nan','bad-filter.log',["{'loss': %.4f, 'grad_norm': %s, 'learning_rate': 2.0e-05, 'epoch': %.2f}"%(v[1] if v[0]<21 else 0.0,'%.4f'%v[2] if v[0]<21 else 'nan',v[0]/30) for v in x],{"severity":"error","steps":[21,30]})
put('hidden-nan','good-grpo.log',["{'loss': 0.0, 'grad_norm': %.4f, 'learning_rate': 1.0e-06, 'reward': %.3f, 'kl': 0.0004, 'epoch': %.2f}"%(v[2],.4+.01*v[0],v[0]/30) for v in x])
# non-finite-grad: Inf for ten records without a scaler; twin: one, skipped
x=run(120,18)
put('non-finite-grad','bad.log',[line(*v) if not 71<=v[0]<=80 else f'step: {v[0]} loss: {v[1]:.4f} grad_norm: inf' for v in x],{"severity":"error","steps":[71,80]})
out=[]
for v in run(120,19):
    if v[0]==71: out.append('[2024-05-01 10:00:00,000] [INFO] [loss_scaler.py:183:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768')
    out.append(line(*v) if v[0]!=71 else f'step: 71 loss: {v[1]:.4f} grad_norm: inf')
put('non-finite-grad','good.log',out)
# run-restarted: optimizer state lost at the resume; twins: data in another order (good at the level of warnings)
x=run(700,20,first=10.8,floor=2.6,time=20,noise=.008)
y=run(700,21,first=10.8,floor=2.6,time=20,noise=.008)
for i in range(300,700): y[i][1]*=1+.4*math.exp(-(i-300)/100)
put('run-restarted','bad-optimizer-lost.log',[line(*v) for v in x[:400]+y[300:]],{"severity":"warning","steps":[301,400]})
y=run(520,22,first=10.8,floor=2.6,time=20,noise=.008)
for i in range(300,520): y[i][1]*=1.5
put('run-restarted','bad-never-back.log',[line(*v) for v in x[:400]+y[300:]],{"severity":"error","steps":[301,400]})
y=run(400,23,first=10.8,floor=2.6,time=20,noise=.008)
put('run-restarted','bad-weights-not-loaded.log',[line(*v) for v in x[:400]]+[line(v[0]+300,v[1],v[2]) for v in y],{"severity":"error","steps":[301,400]})
