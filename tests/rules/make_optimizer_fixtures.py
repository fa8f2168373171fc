#!/usr/bin/env python3
"""Writes the fixtures of the rules about the optimizer: launch scripts, configurations and logs made by formula.

    tests/rules/make_optimizer_fixtures.py
bad* is where the rule fires, good* its near twin where it must not; what is expected of bad* stands beside it.
"""
import json
import math
import pathlib
import random

ROOT = pathlib.Path(__file__).resolve().parent


def put(rule, name, text, expect=None):
    folder = ROOT / rule
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    if expect is not None:
        (folder / name).with_suffix(".expect.json").write_text(json.dumps(expect) + "\n")


# A GPT of about 0.5 B parameters for 20 B tokens: within StepLaw's grid, whose rate for it is 1.6e-3.
MEGATRON = {
    "num-layers": 16, "hidden-size": 1536, "num-attention-heads": 16, "ffn-hidden-size": 6144, "seq-length": 2048,
    "max-position-embeddings": 2048, "micro-batch-size": 8, "global-batch-size": 256, "train-iters": 38147, "lr": 1e-3,
    "min-lr": 1e-4, "lr-decay-style": "cosine", "lr-warmup-iters": 500, "weight-decay": 0.1, "adam-beta1": 0.9,
    "adam-beta2": 0.95, "clip-grad": 1.0, "padded-vocab-size": 50304, "save": "checkpoints"}


def script(**changes):
    options = dict(MEGATRON, **{key.replace("_", "-"): value for key, value in changes.items()})
    lines = ["    --%s %s \\" % (key, value) for key, value in options.items() if value is not None]
    return "\n".join(["#!/bin/bash", "torchrun --nproc_per_node 8 --nnodes 1 pretrain_gpt.py \\", *lines,
                      "    --bf16 --data-path data/text_document", ""])


def trainer(**changes):
    options = dict({"learning_rate": 2e-5, "per_device_train_batch_size": 4, "gradient_accumulation_steps": 4,
                    "num_train_epochs": 3, "lr_scheduler_type": "cosine", "max_grad_norm": 1.0}, **changes)
    return "".join("%s: %s\n" % item for item in options.items())


def record(step, loss, norm, rate):
    return "step: %d loss: %.4f grad_norm: %.4f lr: %.3e" % (step, loss, norm, rate)


def curve(count, seed, first=10.8, floor=3.0):
    """[loss, grad norm] of a healthy run."""
    chance = random.Random(seed)
    return [[(floor + (first - floor) * (1 + i / 12) ** -0.9) * (1 + 0.01 * chance.gauss(0, 1)),
             0.3 * math.exp(0.1 * chance.gauss(0, 1)) + 4 * math.exp(-i / 8)] for i in range(count)]


def log(values, rate):
    return "\n".join(record(i + 1, loss, norm, rate(i + 1)) for i, (loss, norm) in enumerate(values)) + "\n"


def warm(peak, steps):
    return lambda step: peak * min(1.0, step / steps)


def learning_rate_high():
    # Breaks half-way up, after wild norms, and does not come back; its twin breaks when the rate has long decayed.
    values = curve(300, 1)
    chance = random.Random(2)
    for i in range(40, 300):
        values[i][1] *= math.exp(abs(chance.gauss(0, 2)))
    for i in range(120, 300):
        values[i][0] *= 1.8
    put("learning-rate-high", "bad.log", log(values, warm(4e-3, 200)), {"severity": "warning", "steps": [121, 121]})
    values = curve(300, 3)
    for i in range(200, 300):
        values[i][0] *= 1.8
    put("learning-rate-high", "good.log", log(values, lambda step: 3e-4 * max(0.1, 1 - step / 150)))
    name = "learning-rate-high"
    put(name, "bad-absurd.sh", script(lr=1e9), {
        "severity": "error", "message": "the learning rate is 1.0e+9 (--lr): no optimizer trains with that"})
    put(name, "bad-one.sh", script(lr=1.0), {"severity": "error"})
    put(name, "bad-step-law.sh", script(lr=1e-2), {"severity": "warning"})
    put(name, "good-step-law.sh", script(lr=3e-3))
    put(name, "bad-recipes.sh", script(num_layers=32, hidden_size=4096, ffn_hidden_size=16384, num_attention_heads=32,
                                       lr=1e-2), {"severity": "warning"})
    put(name, "good-recipe.sh", script(num_layers=32, hidden_size=4096, ffn_hidden_size=16384, num_attention_heads=32,
                                       lr=6e-4))
    put(name, "good-sgd.sh", script(lr=0.5, optimizer="sgd"))
    policy = {"model_name_or_path": "Qwen/Qwen2.5-7B", "rlhf_type": "grpo", "optim": "adamw_torch"}
    put(name, "bad-policy.yaml", trainer(learning_rate=3e-4, **policy), {"severity": "warning"})
    put(name, "good-policy.yaml", trainer(learning_rate=1e-6, **policy))
    put(name, "good-game.yaml", trainer(learning_rate=3e-4, rlhf_type="ppo", optim="adamw_torch"))
    put(name, "bad-lora.yaml", trainer(learning_rate=0.05, use_lora="true", lora_r=16, optim="adamw_torch"),
        {"severity": "warning"})
    put(name, "good-lora.yaml", trainer(learning_rate=2e-4, use_lora="true", lora_r=16, optim="adamw_torch"))
    # A detector with SGD: nothing of a language model's rates holds for it, and one sign is no proof.
    put(name, "good-detector.log", "".join(
        "2024-12-25 09:58:%02d,125 [WARNING] overflow, still update, loss scale adjust to 1024.0\n"
        "2024-12-25 09:58:%02d,787 [INFO] Epoch 1/200, Step %d/3995, imgsize (640, 640), loss: %.4f, lbox: 3.6, lcls: 4.1, "
        "dfl: 2.1, cur_lr: %.5f\n" % (i, i, 100 * i + 100, loss, 0.1 - 0.00075 * i)
        for i, loss in enumerate([11.6, 9.9, 9.2, 8.9, 8.7, 8.6, 8.5, 8.4, 8712.6, 15806.4])))
    put(name, "good-adafactor.yaml", trainer(learning_rate=1e-2, optim="adafactor"))


def learning_rate_low():
    chance = random.Random(4)
    still = [[8.2 + 0.02 * chance.gauss(0, 1), 0.5] for _ in range(120)]
    put("learning-rate-low", "bad.log", log(still, lambda step: 0.0), {"severity": "error", "steps": [1, 120]})
    put("learning-rate-low", "good.log", log(curve(120, 5), lambda step: 0.0))  # printed with too few decimals
    put("learning-rate-low", "bad-zero.sh", script(lr=0), {"severity": "warning"})
    put("learning-rate-low", "bad-nothing.sh", script(lr=1e-12), {"severity": "warning"})
    put("learning-rate-low", "bad-recipes.sh", script(lr=1.25e-6), {"severity": "note"})
    put("learning-rate-low", "good-recipes.sh", script(lr=1e-5))
    put("learning-rate-low", "good-continued.sh", script(lr=1.25e-6, load="/models/llama"))


def no_warmup():
    values = curve(60, 6)
    put("no-warmup", "bad-calm.log", log(values, lambda step: 3e-4), {"severity": "note", "steps": [1, 1]})
    values[2][0], values[3][0] = 24.7, 15.2
    put("no-warmup", "bad.log", log(values, lambda step: 3e-4), {"severity": "warning", "steps": [1, 1]})
    put("no-warmup", "good.log", log(curve(60, 6), warm(3e-4, 40)))
    trained = curve(60, 6, first=2.4, floor=1.2)
    # A log outranks what is set and what a framework takes: its rate rises, to another peak than the excerpt of
    # arguments says, and llm.c's default is no warm-up.
    excerpt = "arguments:\n  lr ............... 0.0003\n  train_iters ...... 38147\n  adam_beta2 ....... 0.95\n"
    put("no-warmup", "good-risen.log", excerpt + megatron_records(0.3))
    put("no-warmup", "good-llmc.log", llmc_log(curve(300, 8), warm(6e-4, 200)))
    put("no-warmup", "good-llmc-silent.log", llmc_log(curve(300, 8), None))
    put("no-warmup", "good-tuned.log", log(trained, lambda step: 3e-4))
    put("no-warmup", "bad-zero.sh", script(lr_warmup_iters=0), {"severity": "warning"})
    put("no-warmup", "bad-default.sh", script(lr_warmup_iters=None), {"severity": "note"})
    put("no-warmup", "bad-own-folder.sh", script(lr_warmup_iters=0, load="checkpoints"), {"severity": "note"})
    put("no-warmup", "bad-brief.sh", script(lr_warmup_iters=16), {"severity": "note"})
    put("no-warmup", "good-fraction.sh", script(lr_warmup_iters=None, lr_warmup_fraction=0.01))
    put("no-warmup", "good-low-rate.sh", script(lr_warmup_iters=0, lr=1e-5))
    put("no-warmup", "good-continued.sh", script(lr_warmup_iters=0, load="/models/llama"))
    put("no-warmup", "good-sgd.sh", script(lr_warmup_iters=0, optimizer="sgd"))


def optimizer_choice():
    put("optimizer-choice", "bad.sh", script(optimizer="sgd"), {"severity": "warning"})
    put("optimizer-choice", "good.sh", script(optimizer="adam"))
    torch = "hidden_size: 1024\nnum_layers: 24\nnum_attention_heads: 16\noptimizer: %s\nweight_decay: 0.1\nlr: 3e-4\n"
    put("optimizer-choice", "bad-coupled.yaml", torch % "torch.optim.Adam", {"severity": "note"})
    put("optimizer-choice", "good-coupled.yaml", torch % "torch.optim.AdamW")


def beta2_stale():
    put("beta2-stale", "bad.sh", script(adam_beta2=0.999), {"severity": "note"})
    put("beta2-stale", "good.sh", script(adam_beta2=0.98))
    put("beta2-stale", "bad-outside.sh", script(adam_beta2=1.0), {"severity": "error"})
    put("beta2-stale", "bad-small-batch.sh", script(micro_batch_size=1, global_batch_size=1,
                                                    **{"context-parallel-size": 8}), {"severity": "note"})
    put("beta2-stale", "good-continued.sh", script(adam_beta2=0.999, load="/models/llama"))


LITGPT = """model_name: pythia-160m
out_dir: out
precision: %s
train:
  global_batch_size: 512
  micro_batch_size: 4
  max_tokens: 3000000000
  max_norm: 1.0
  min_lr: 4.0e-05
  lr_warmup_steps: 2000
optimizer:
  class_path: torch.optim.AdamW
  init_args:
    lr: 4.0e-4
    eps: %s
devices: 8
"""


def adam_epsilon_lost():
    put("adam-epsilon-lost", "bad.yaml", LITGPT % ("16-true", "1e-8"), {"severity": "error"})
    put("adam-epsilon-lost", "good.yaml", LITGPT % ("16-mixed", "1e-8"))
    put("adam-epsilon-lost", "good-epsilon.yaml", LITGPT % ("16-true", "1e-6"))
    put("adam-epsilon-lost", "good-bf16.yaml", LITGPT % ("bf16-true", "1e-8"))


def llmc_log(values, rate):
    return "".join("s:%d trl:%.4f%s\n" % (i, loss, " lr:%.6f norm:%.2f" % (rate(i + 1), norm) if rate else "")
                   for i, (loss, norm) in enumerate(values))


def megatron_records(norm):
    lines = []
    for i, (loss, _) in enumerate(curve(60, 7)):
        lines.append(" iteration %8d/   38147 | consumed samples: %12d | elapsed time per iteration (ms): 500.0 | "
                     "learning rate: %.6E | global batch size:   256 | lm loss: %.6E | loss scale: 1.0 | grad norm: %.3f "
                     "| number of skipped iterations:   0 | number of nan iterations:   0 |"
                     % (10 * i + 10, 2560 * (i + 1), 1e-3 * min(1, (10 * i + 10) / 500), loss, norm))
    return "\n".join(lines) + "\n"


def megatron_log(epsilon, norm):
    """A dump of arguments and a run of 60 records."""
    dump = ["------------------------ arguments ------------------------"]
    for key, value in dict(MEGATRON, adam_eps=epsilon, swiglu=False, bf16=True).items():
        name = "  " + key.replace("-", "_") + " "
        dump.append(name.ljust(48, ".") + " " + str(value))
    dump.append("-------------------- end of arguments ---------------------")
    return "\n".join(dump) + "\n" + megatron_records(norm)


def adam_epsilon_setting():
    put("adam-epsilon-setting", "bad.log", megatron_log(1e-3, 0.3), {"severity": "warning"})
    put("adam-epsilon-setting", "bad-note.log", megatron_log(2e-5, 0.3), {"severity": "note"})
    put("adam-epsilon-setting", "good.log", megatron_log(1e-8, 0.3))
    put("adam-epsilon-setting", "bad-large.sh", script(adam_eps=1e-3), {"severity": "warning"})
    put("adam-epsilon-setting", "bad-comparable.sh", script(adam_eps=1e-4), {"severity": "warning"})
    put("adam-epsilon-setting", "good-llama2.sh", script(adam_eps=1e-5))
    put("adam-epsilon-setting", "bad-negative.sh", script(adam_eps=-1e-8), {"severity": "error"})


FOUNDRY = """max_seq_len: 2048
global_train_batch_size: 1024
device_train_microbatch_size: 8
max_duration: 63900ba
precision: amp_bf16
model:
  name: mpt_causal_lm
  d_model: 4096
  n_heads: 32
  n_layers: 32
  expansion_ratio: 4
  vocab_size: 50432
optimizer:
  name: decoupled_adamw
  lr: 1.2e-4
  betas:
  - 0.9
  - 0.95
  eps: 1.0e-08
  weight_decay: %s
scheduler:
  name: cosine_with_warmup
  t_warmup: 100ba
  alpha_f: 0.1
"""


def weight_decay_setting():
    name = "weight-decay-setting"
    put(name, "bad.yaml", FOUNDRY % "0.1", {"severity": "warning"})
    put(name, "good.yaml", FOUNDRY % "1.2e-5")
    put(name, "bad-all.sh", script(weight_decay=1000), {"severity": "error"})
    put(name, "bad-strong.sh", script(weight_decay=20), {"severity": "warning"})
    put(name, "bad-weak.sh", script(weight_decay=0.003), {"severity": "note"})
    put(name, "bad-none.sh", script(weight_decay=0), {"severity": "note"})
    put(name, "bad-scheduled.sh", script(start_weight_decay=0.033, end_weight_decay=0.033), {"severity": "note"})
    put(name, "good.sh", script())
    put(name, "good-continued.sh", script(weight_decay=0, load="/models/llama"))


if __name__ == "__main__":
    for make in (learning_rate_high, learning_rate_low, no_warmup, optimizer_choice, beta2_stale, adam_epsilon_lost,
                 adam_epsilon_setting, weight_decay_setting):
        make()
