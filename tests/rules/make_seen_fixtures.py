#!/usr/bin/env python3
"""Writes the logs of the rules that compare what was said with what was seen. Run in tests/rules; needs nothing.

All numbers are made: a healthy loss, a grad norm, a schedule, in Megatron-LM's or the Trainer's words."""
import json
import math
import os
import random


def cosine(step, peak, least, warm_up, end):
    if step < warm_up:
        return peak * step / warm_up
    x = min((step - warm_up) / (end - warm_up), 1)
    return least + (peak - least) * 0.5 * (1 + math.cos(math.pi * x))


def linear(step, peak, least, warm_up, end):
    if step < warm_up:
        return peak * step / warm_up
    return least + (peak - least) * (1 - min((step - warm_up) / (end - warm_up), 1))


def loss(step, random_):
    return 2.5 + 8 * math.exp(-step / 150) + random_.gauss(0, 0.02)


def norm(step, level, random_):
    return level * (1 + 4 * math.exp(-step / 40)) * math.exp(random_.gauss(0, 0.15))


def dump(arguments):
    lines = ["------------------------ arguments ------------------------"]
    lines += ["  %s %s %s" % (k, "." * max(46 - len(k), 3), v) for k, v in sorted(arguments.items())]
    return lines + ["-------------------- end of arguments ---------------------"]


ARGUMENTS = {"lr": 3e-4, "min_lr": 3e-5, "lr_decay_style": "cosine", "lr_warmup_iters": 100, "train_iters": 1000,
             "lr_decay_iters": 1000, "micro_batch_size": 4, "global_batch_size": 256, "seq_length": 2048,
             "clip_grad": 1.0, "bf16": True, "weight_decay": 0.1, "adam_beta2": 0.95,
             "tensor_model_parallel_size": 1, "pipeline_model_parallel_size": 1}


def megatron(path, arguments=None, rate=None, level=0.3, last=1000, total=None, every=1, batch=256, norms=None,
             scale=None, end=True, first=1):
    r = random.Random(path)
    args = dict(ARGUMENTS, **(arguments or {}))
    out = dump(args) if arguments is not None else []
    rate = rate or (lambda s: cosine(s, 3e-4, 3e-5, 100, 1000))
    total = total or args["train_iters"]
    for s in range(first, last + 1):
        value, n = loss(s, r), (norms(s, r) if norms else norm(s, level, r))
        if s % every == 0:
            out.append(" iteration %8d/%8d | consumed samples: %12d | elapsed time per iteration (ms): 1000.0 | "
                       "learning rate: %.3E | global batch size: %5d | lm loss: %.6E | loss scale: %.1f | "
                       "grad norm: %.3f | number of skipped iterations:   0 | number of nan iterations:   0 |"
                       % (s, total, s * batch, rate(s), args["global_batch_size"], value, scale(s) if scale else 1.0, n))
    if end and last >= total:
        out.append("[after training is done] datetime: 2024-05-01 10:00:00")
    write(path, "\n".join(out) + "\n")


def trainer(path, rows, **state):
    """trainer_state.json of the Hugging Face Trainer."""
    write(path, json.dumps(dict({"epoch": 1.0, "global_step": rows[-1]["step"], "log_history": rows}, **state), indent=0))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def layers(path, top, spike=None):
    """A table with a grad norm for each layer; `top`: factor of the output layer."""
    r = random.Random(path)
    names = ["layers.%d.mlp" % i for i in range(6)] + ["lm_head"]
    rows = ["step,loss,grad_norm," + ",".join("grad_norm/" + n for n in names)]
    for s in range(1, 301):
        each = [0.1 * math.exp(r.gauss(0, 0.1)) for _ in names]
        each[-1] *= top
        for i in range(len(names)):
            if spike and s >= spike + (0 if i == 2 else 4) and s < spike + 15:
                each[i] *= 20
        rows.append("%d,%.4f,%.4f,%s" % (s, loss(s, r), math.sqrt(sum(x * x for x in each)),
                                         ",".join("%.5f" % x for x in each)))
    write(path, "\n".join(rows) + "\n")


def clip():
    megatron("clip-always-active/bad.log", {}, level=8)
    megatron("clip-always-active/bad-after-clipping.log", {}, norms=lambda s, r: min(norm(s, 8, r), 1.0))
    megatron("clip-always-active/bad-few.log", {}, level=8, last=60)
    megatron("clip-always-active/good.log", {}, level=0.9)  # many steps are clipped, not nearly all
    megatron("clip-always-active/good-threshold.log", {"clip_grad": 20.0}, level=8)
    fairseq("clip-always-active/bad-printed.log", 0.3, 100)
    fairseq("clip-always-active/good-printed.log", 0.3, 40)
    heavy = lambda s, r: norm(s, 5, r) * (9 if r.random() < 0.03 else 1)
    megatron("clip-never-active/bad.log", {"clip_grad": 100.0}, norms=heavy)
    megatron("clip-never-active/bad-note.log", {"clip_grad": 100.0}, level=6)
    megatron("clip-never-active/good.log", {}, level=0.2)  # a threshold that has nothing to do
    megatron("clip-never-active/good-acts.log", {"clip_grad": 10.0}, norms=heavy)
    layers("clip-per-layer/bad.csv", 40)
    layers("clip-per-layer/bad-first.csv", 1.5, spike=200)
    layers("clip-per-layer/good.csv", 3)
    layers("clip-per-layer/bad-sets-clip/metrics.csv", 40)
    write("clip-per-layer/bad-sets-clip/config.yaml", "learning_rate: 3.0e-4\nmax_grad_norm: 1.0\nmax_steps: 300\n"
          "per_device_train_batch_size: 4\nwarmup_ratio: 0.03\n")


def launch(path, *options, before=""):
    head = ["#!/bin/bash", before, "torchrun --nproc_per_node 8 pretrain_gpt.py \\",
            "    --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 \\",
            "    --micro-batch-size 4 --global-batch-size 256 --lr 3e-4 \\"]
    write(path, "\n".join(head + ["    " + one + " \\" for one in options] + ["    --bf16"]) + "\n")


def schedule():
    rule = "schedule-mismatch/"
    run = "--train-iters 1000 --lr-decay-style cosine "
    launch(rule + "bad-short.sh", run + "--min-lr 3e-5 --lr-warmup-iters 20", "--lr-decay-iters 800")
    write(rule + "bad-default-minimum.sh", "#!/bin/bash\npython pretrain.py --lr 1e-4 --train-iters 1000 --lr-decay-iters 500 "
          "--lr-decay-style cosine --batch-size 8\n")
    launch(rule + "bad-idle.sh", run + "--min-lr 0 --lr-warmup-iters 20", "--lr-decay-iters 600")
    launch(rule + "bad-long.sh", run + "--min-lr 3e-5 --lr-warmup-iters 20", "--lr-decay-iters 5000")
    launch(rule + "bad-fails.sh", run + "--min-lr 3e-5", "--lr-warmup-iters 2000")
    launch(rule + "good.sh", run + "--min-lr 3e-5 --lr-warmup-iters 20", "--lr-decay-iters 1000")
    megatron(rule + "bad.log", rate=lambda s: cosine(s, 3e-4, 0, 50, 500))
    megatron(rule + "bad-unended.log", rate=lambda s: cosine(s, 3e-4, 3e-5, 50, 4000), every=10)
    megatron(rule + "bad-never-warm.log", rate=lambda s: 3e-4 * s / 5000, every=10)
    megatron(rule + "bad-climbs.log", rate=lambda s: 3e-4 * 0.5 * (1 + math.cos(math.pi * (s % 250) / 250)))
    megatron(rule + "good.log", rate=lambda s: cosine(s, 3e-4, 3e-5, 50, 1000))
    megatron(rule + "good-constant.log", rate=lambda s: min(3e-4, 3e-4 * s / 50))
    megatron(rule + "good-stopped.log", rate=lambda s: cosine(s, 3e-4, 3e-5, 50, 1000), last=400)
    megatron(rule + "good-levels.log", every=5,
             rate=lambda s: 3e-4 * s / 50 if s < 50 else 3e-4 if s < 800 else 9.48e-5 if s < 900 else 3e-5)
    # Accelerate, eight processes: the linear decay over 800 steps is over after 100.
    r = random.Random(5)
    rows = ["step,loss,learning_rate"]
    rows += ["%d,%.4f,%.6g" % (s, loss(s, r), linear(8 * s, 2e-5, 0, 40, 800)) for s in range(1, 801)]
    write(rule + "bad-each-process/metrics.csv", "\n".join(rows) + "\n")
    write(rule + "bad-each-process/accelerate.yaml",
          "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nmixed_precision: bf16\n"
          "num_machines: 1\nnum_processes: 8\nsame_network: true\n")
    write(rule + "bad-each-process/hparams.yaml",
          "learning_rate: 2.0e-05\nmax_train_steps: 800\nlr_scheduler_type: linear\nnum_warmup_steps: 40\n"
          "per_device_train_batch_size: 2\ngradient_accumulation_steps: 1\nmodel_name_or_path: model\n")


def fairseq(path, level, clipped, clip_norm=None):
    """Without a threshold: a log without its settings."""
    r = random.Random(path)
    out = ["Namespace(adam_betas='(0.9, 0.98)', arch='transformer', clip_norm=%s, lr=[0.0005], max_update=300, "
           "optimizer='adam', update_freq=[1], warmup_updates=20)" % clip_norm] if clip_norm is not None else []
    for s in range(1, 301):
        out.append("| epoch 001:   %4d / 300 loss=%.3f, nll_loss=%.3f, ppl=8.00, wps=1262, ups=3, wpb=385.1, bsz=16.0, "
                   "num_updates=%d, lr=%.6g, gnorm=%.3f, clip=%.3f, oom=0.000, wall=71, train_wall=40"
                   % (s, loss(s, r), loss(s, r), s, 5e-4 * min(s / 20, 1), norm(s, level, r), clipped))
    write(path, "\n".join(out) + "\n")


def with_deepspeed(path, *lines):
    text = ["cat > ds.json <<EOF", "{", '  "zero_optimization": {"stage": 2},'] + list(lines)
    text += ['  "train_micro_batch_size_per_gpu": "auto"', "}", "EOF",
             "deepspeed --num_gpus 8 train.py --deepspeed ds.json --max_grad_norm 1.0 --learning_rate 2e-5 \\",
             "    --per_device_train_batch_size 4 --num_train_epochs 3 --model_name_or_path model --output_dir out --bf16"]
    write(path, "#!/bin/bash\n" + "\n".join(text) + "\n")


def mindformers(path, switch):
    write(path, "runner_config:\n  epochs: 1\n  batch_size: 2\n  sink_size: 2\nrunner_wrapper:\n"
          "  type: MFTrainOneStepCell\n  use_clip_grad: %s\n  max_grad_norm: 1.0\noptimizer:\n  type: AdamW\n"
          "lr_schedule:\n  learning_rate: 1.e-5\n  warmup_steps: 10\nparallel_config:\n  data_parallel: 8\n"
          "  model_parallel: 1\n  pipeline_stage: 1\n  micro_batch_num: 1\n" % switch)


def torchtitan(path, early):
    write(path, '[model]\nname = "llama3"\nflavor = "8B"\n\n[optimizer]\nname = "AdamW"\nlr = 3e-4\n'
          "early_step_in_backward = %s\n\n[lr_scheduler]\nwarmup_steps = 200\n\n[training]\nlocal_batch_size = 1\n"
          "seq_len = 8192\nmax_norm = 1.0\nsteps = 10000\n\n[parallelism]\ndata_parallel_shard_degree = -1\n" % early)


def applied():
    rule = "clip-not-applied/"
    fairseq(rule + "bad.log", 6, 0, 1.0)
    fairseq(rule + "good.log", 6, 100, 1.0)
    fairseq(rule + "good-calm.log", 0.2, 0, 1.0)
    fairseq(rule + "good-off.log", 6, 0, 0.0)
    with_deepspeed(rule + "bad-deepspeed.sh")
    with_deepspeed(rule + "bad-deepspeed-off.sh", '  "gradient_clipping": 0.0,')
    with_deepspeed(rule + "good-deepspeed.sh", '  "gradient_clipping": "auto",')
    write(rule + "bad-megatron-deepspeed.sh", "#!/bin/bash\ncat > ds.json <<EOF\n{\n"
          '  "train_micro_batch_size_per_gpu": 4,\n  "zero_optimization": {"stage": 1}\n}\nEOF\n'
          "deepspeed --num_gpus 8 pretrain_gpt.py --deepspeed --deepspeed_config ds.json --num-layers 24 \\\n"
          "    --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 --micro-batch-size 4 \\\n"
          "    --global-batch-size 256 --train-iters 1000 --lr 3e-4 --lr-warmup-iters 20 --min-lr 3e-5 \\\n"
          "    --clip-grad 1.0 --bf16\n")
    mindformers(rule + "bad-mindformers.yaml", "False")
    mindformers(rule + "good-mindformers.yaml", "True")
    torchtitan(rule + "bad-in-backward.toml", "true")
    torchtitan(rule + "good-in-backward.toml", "false")


def trainer_script(path, *options):
    write(path, "#!/bin/bash\ntorchrun --nproc_per_node 8 train.py \\\n    --model_name_or_path model --output_dir out "
          "--bf16 \\\n    --per_device_train_batch_size 4 --learning_rate 2e-5 \\\n"
          + "".join("    %s \\\n" % one for one in options) + "    --save_total_limit 2\n")


def parallel(path, accumulation, stages, micro):
    write(path, "runner_config:\n  epochs: 1\n  batch_size: 2\n  sink_size: 2\n"
          "  gradient_accumulation_steps: %d\noptimizer:\n  type: AdamW\n"
          "lr_schedule:\n  learning_rate: 1.e-5\n  warmup_steps: 10\nparallel_config:\n  data_parallel: 2\n"
          "  model_parallel: 1\n  pipeline_stage: %d\n  micro_batch_num: %d\n" % (accumulation, stages, micro))


def overridden():
    rule = "setting-overridden/"
    usual = "--train-iters 1000 --lr-warmup-iters 20 --min-lr 3e-5"
    launch(rule + "bad.sh", usual, before="export HCCL_DETERMINISITIC=true")
    launch(rule + "good.sh", usual, before="export HCCL_DETERMINISTIC=true\nexport HCCL_CONNECT_TIMEOUT=1800")
    launch(rule + "bad-precisions.sh", usual, "--fp16")
    launch(rule + "bad-warm-ups.sh", usual, "--lr-warmup-fraction 0.01")
    launch(rule + "bad-units.sh", "--train-samples 256000 --min-lr 3e-5", "--lr-warmup-iters 20")
    launch(rule + "good-units.sh", "--train-samples 256000 --min-lr 3e-5", "--lr-warmup-samples 5120")
    launch(rule + "bad-twice.sh", usual, "--clip-grad 1.0 --clip-grad 0.5 --adam-beta1 0.9 --adam-beta2 0.95")
    launch(rule + "good-scale.sh", usual, "--initial-loss-scale 4096")  # usual, and harmless
    # Three problems that have nothing to do with each other are three findings.
    three = [usual, "--lr-warmup-fraction 0.01", "--clip-grad 1.0 --clip-grad 0.5 --adam-beta1 0.9 --adam-beta2 0.95"]
    for name in ("refused", "twice", "misspelt"):
        launch(rule + "bad-three-%s.sh" % name, *three, before="export HCCL_DETERMINISITIC=true")
    launch(rule + "bad-checkpoint.sh", usual, "--load old --use-checkpoint-opt-param-scheduler")
    # Two launches, each with its own numbers.
    both = "torchrun --nproc_per_node 8 train.py --model_name_or_path %s --learning_rate %s --output_dir out " \
           "--num_train_epochs %d --per_device_train_batch_size 4\n"
    write(rule + "good-two-launches.sh", "#!/bin/bash\n" + both % ("a", "1e-5", 1) + both % ("b", "2e-5", 3))
    with_deepspeed(rule + "bad-engine.sh", '  "gradient_clipping": 0.5,')
    with_deepspeed(rule + "good-engine.sh", '  "gradient_clipping": 1.0,')
    for name, micro in (("bad", 2), ("good", 1)):  # the Trainer's own file beside DeepSpeed's
        write(rule + name + "-two-files/train.yaml", "model_name_or_path: model\nlearning_rate: 2.0e-5\n"
              "per_device_train_batch_size: 1\nnum_train_epochs: 3\nbf16: true\ndeepspeed: ds.json\n")
        write(rule + name + "-two-files/ds.json", '{"zero_optimization": {"stage": 2},\n "gradient_clipping": "auto",\n'
              ' "train_micro_batch_size_per_gpu": %d}\n' % micro)
    trainer_script(rule + "bad-max-steps.sh", "--max_steps 1000 --num_train_epochs 2")
    trainer_script(rule + "bad-no-warm-up.sh", "--num_train_epochs 2 --lr_scheduler_type constant --warmup_ratio 0.03")
    trainer_script(rule + "good-trainer.sh", "--num_train_epochs 2 --lr_scheduler_type cosine --warmup_ratio 0.03")
    launch(rule + "bad-ramp-up.sh", usual, "--rampup-batch-size 16 16 100000")
    launch(rule + "bad-alone.sh", usual, "--sequence-parallel --tensor-model-parallel-size 1")
    launch(rule + "good-alone.sh", usual, "--sequence-parallel --tensor-model-parallel-size 2")
    write(rule + "bad-constant.py", "learning_rate = 1e-4\nmax_iters = 5000\ndecay_lr = False\nwarmup_iters = 200\n"
          "batch_size = 12\nblock_size = 1024\ngradient_accumulation_steps = 40\nn_layer = 12\nn_head = 12\n")
    parallel(rule + "bad-pipeline.yaml", 4, 2, 8)
    parallel(rule + "good-pipeline.yaml", 1, 2, 8)
    # A dump holds defaults: none of them is a saying.
    megatron(rule + "good.log", {"lr_warmup_fraction": 0.01, "lr_warmup_iters": 0, "initial_loss_scale": 4294967296,
                                 "start_weight_decay": 0.1, "end_weight_decay": 0.1}, last=200)


def drift():
    rule = "config-drift/"
    own = lambda s: cosine(s, 3e-4, 3e-5, 100, 1000)
    megatron(rule + "bad.log", {"world_size": 8}, rate=lambda s: 8 * own(s))
    megatron(rule + "bad-rate-note.log", {"lr": 3.3e-4})
    megatron(rule + "good.log", {})
    megatron(rule + "good-every-90.log", {}, every=90)  # the peak lies between two records
    megatron(rule + "bad-warm-up.log", {}, rate=lambda s: cosine(s, 3e-4, 3e-5, 400, 1000))
    megatron(rule + "bad-no-warm-up.log", {}, rate=lambda s: cosine(s + 100, 3e-4, 3e-5, 100, 1100))
    # Twenty skipped steps before the warm-up: it is as long as it was asked to be.
    megatron(rule + "good-skipped.log", {}, rate=lambda s: own(max(s - 20, 0)), last=600)
    megatron(rule + "bad-batch.log", {}, batch=32)
    megatron(rule + "bad-scale.log", {}, scale=lambda s: 65536.0 if s < 300 else 32768.0)
    megatron(rule + "good-scale.log", {"bf16": False, "fp16": True}, scale=lambda s: 65536.0 if s < 300 else 32768.0)
    megatron(rule + "bad-clip.log", {}, norms=lambda s, r: min(norm(s, 0.5, r), 0.5))
    megatron(rule + "bad-beyond.log", {"train_iters": 500, "lr_decay_iters": 1000}, total=500)
    two = "--train-iters 1000 --lr-warmup-iters 100 --min-lr 3e-5 --lr-decay-style cosine --adam-beta2 %s"
    megatron(rule + "bad-two/train.log", {})
    launch(rule + "bad-two/run.sh", two % "0.999")
    megatron(rule + "good-two/train.log", {})
    launch(rule + "good-two/run.sh", two % "0.95")


if __name__ == "__main__":
    clip()
    drift()
    overridden()
    applied()
    schedule()
