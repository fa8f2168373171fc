#!/usr/bin/env python3
"""Writes the fixtures of the rules on grad norm, loss scale, skipped steps, speed, the life of a run and the reading.

Each log is made by formula in the print format of a framework, with a fixed seed, so that it can be made again:
    tests/rules/make_gradient_fixtures.py
bad.log is where the rule fires, good.log its near twin where it must not. What is expected of bad.log stands in
bad.expect.json, written by hand.
"""
import math
import os
import random

HERE = os.path.dirname(os.path.abspath(__file__))


def write(rule, name, lines, end="\n"):
    folder = os.path.join(HERE, rule)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as out:
        out.write("\n".join(lines) + end)


def falling(step, rng, start=9.0, floor=2.6, time=60.0):
    return floor + (start - floor) * (1 + step / time) ** -0.8 + 0.02 * rng.gauss(0, 1)


def wild(rng, sigma=0.12):
    return math.exp(sigma * rng.gauss(0, 1))


def megatron(step, total, loss, scale=None, norm=None, skipped=0, ms=1000.0, tflops=None, batch=512):
    out = " iteration %8d/%8d | consumed samples: %12d | elapsed time per iteration (ms): %.1f |" % (step, total, step * batch, ms)
    if tflops:
        out += " throughput per GPU (TFLOP/s/GPU): %.1f |" % tflops
    out += " learning rate: 1.500E-04 | global batch size: %5d |" % batch
    if loss is not None:
        out += " lm loss: %.6E |" % loss
    if scale is not None:
        out += " loss scale: %.1f |" % scale
    if norm is not None:
        out += " grad norm: %.3f |" % norm
    return out + " number of skipped iterations: %3d | number of nan iterations:   0 |" % skipped


def grad_norm_spike():
    for name in ("bad.log", "good.log"):
        rng = random.Random(1)
        lines = []
        for step in range(240):
            loss, norm = falling(step, rng), 0.31 * wild(rng)
            if name == "bad.log" and 150 <= step < 156:
                norm *= 40
                loss += 1.4 if step > 151 else 0
            if name == "good.log" and step in (150, 190):
                norm *= 3.5
            lines.append("s:%d trl:%.4f lr:0.000600 norm:%.2f" % (step, loss, norm))
        write("grad-norm-spike", name, lines)


def grad_norm_high():
    for name, factor in (("bad.log", 18.0), ("good.log", 2.5)):
        rng = random.Random(2)
        lines = []
        for step in range(1, 201):
            grown = factor ** min(1.0, max(0.0, (step - 100) / 20))
            lines.append("{'loss': %.4f, 'grad_norm': %.6f, 'learning_rate': %.3e, 'epoch': %.2f}" % (
                falling(step, rng, 2.4, 1.6), 0.42 * grown * wild(rng), 2e-5 * (1 - step / 400), step / 100))
        write("grad-norm-high", name, lines)


def grad_norm_vanished():
    for name in ("bad.log", "good.log"):
        rng = random.Random(3)
        lines = []
        for step in range(1, 161):
            dead = step > 80
            loss = falling(80, random.Random(4)) + 0.02 * rng.gauss(0, 1) if dead and name == "bad.log" else falling(step, rng, time=30)
            norm = 0.0 if dead else 0.8 * wild(rng)
            lines.append("[titan] 2026-01-02 03:%02d:%02d,000 - root - INFO - step: %2d  loss: %8.5f  grad_norm: %7.4f  "
                         "memory:  9.46GiB(64.99%%)  tps: 7,084  tflops: 0.51  mfu: 0.16%%" % (step // 60, step % 60, step, loss, norm))
        write("grad-norm-vanished", name, lines)


def loss_scale_collapse():
    for name, lowest in (("bad.log", 0.0625), ("good.log", 512.0)):
        rng = random.Random(5)
        lines, scale = [], 32768.0
        for step in range(2000, 2600, 5):
            skipped = 0
            if step >= 2100 and scale > lowest:
                scale, skipped = scale / 2, 1
            lines.append(megatron(step, 9000, 3.1 + 0.02 * rng.gauss(0, 1), scale, 0.6 * wild(rng), skipped))
        write("loss-scale-collapse", name, lines)


def loss_scale_drop():
    for name, first in (("bad.log", 4001), ("good.log", 1)):
        rng = random.Random(6)
        lines, scale = [], 65536.0
        for step in range(60):
            skipped = 0
            if (name == "bad.log" and 30 <= step < 36) or (name == "good.log" and step < 6):
                scale, skipped = scale / 2, 1
            lines.append(megatron(first + step, 9000, falling(step + 300, rng), scale, None, skipped))
        write("loss-scale-drop", name, lines)


def overflow_skips():
    for name in ("bad.log", "good.log"):
        rng = random.Random(7)
        lines, scale = [], 16384.0
        for step in range(5001, 5101):
            if name == "bad.log" and 5041 <= step <= 5048:
                lines.append("[2026-01-02 03:04:05,678] [INFO] [loss_scaler.py:183:update_scale] [deepspeed] OVERFLOW! Rank 0 "
                             "Skipping step. Attempted loss scale: %d, reducing to %d" % (scale, scale / 2))
                scale /= 2
            if name == "good.log" and step == 5045:
                lines.append("train_inner | moe_gate_loss=6.0, overflow_expert1=4.4, overflow_expert2=3.9")
                scale *= 2
            lines.append(megatron(step, 9000, falling(step - 4700, rng), scale))
        write("overflow-skips", name, lines)


def throughput_drop():
    for name in ("bad.log", "good.log"):
        rng = random.Random(8)
        lines = []
        for step in range(1, 161):
            slow = step >= 90 if name == "bad.log" else step in (90, 91, 120)
            ms = 1000.0 * math.exp(0.005 * rng.gauss(0, 1)) * (1.15 if slow else 1.0) * (8.0 if step == 1 else 1.0)
            lines.append(megatron(step, 9000, falling(step, rng), ms=ms, tflops=150e3 / ms))
        write("throughput-drop", name, lines)


def run_restarted():
    rng = random.Random(9)
    losses = [falling(step, rng) for step in range(400)]
    line = lambda step: "iter %d: loss %.4f, time 412.55ms, mfu 41.20%%" % (step, losses[step])
    write("run-restarted", "bad.log", [line(s) for s in range(200, 300)] + [line(s) for s in range(260, 400)])
    write("run-restarted", "good.log", [line(s) for s in range(200, 400) for _ in range(2)])


def run_aborted():
    rng = random.Random(10)
    body = [megatron(step, 500, falling(step, rng)) for step in range(1, 121)]
    killed = ["srun: Job step aborted: Waiting up to 62 seconds for job step to finish.", "Killing subprocess 4711",
              "slurmstepd: error: *** STEP 18.0 ON node0 CANCELLED AT 2026-01-02T03:04:05 ***", "Main process received SIGTERM, exiting"]
    write("run-aborted", "bad.log", body + killed)
    write("run-aborted", "good.log", body + ["[exiting program after 1190.03 minutes] datetime: 2026-01-02 03:04:05"] + killed[1:2])


def rerun_fault():
    rng = random.Random(11)
    body = [megatron(step, 500, falling(step, rng), None, 0.5 * wild(rng)) for step in range(1, 31)]
    hello = ["WARNING:megatron.core.rerun_state_machine:RerunStateMachine initialized in mode validate_results",
             "WARNING:megatron.core.rerun_state_machine:Result validation enabled"]
    fault = ["ERROR:megatron.core.rerun_state_machine:Unexpected result nan on rank 2 at iteration #31 invocation #2 "
             "(message='found NaN in local grad norm for bucket #0')",
             "ERROR:megatron.core.rerun_state_machine:Rank 2, node node1, device 2, iteration #31: First rerun: unexpected result "
             "is reproducible within the tolerance (nan = nan). Need to rerun on a different GPU to verify correctness.!"]
    write("rerun-fault", "bad.log", hello + body + fault)
    write("rerun-fault", "good.log", hello + body)


def in_bf16(value):
    """The nearest number of bf16, of positive numbers."""
    exponent = math.floor(math.log2(value)) - 7
    return round(value / 2.0 ** exponent) * 2.0 ** exponent


def grad_norm_low_precision():
    rng = random.Random(13)
    wide = [(step, falling(step, rng), 0.9 * wild(rng, 0.4)) for step in range(1, 201)]
    line = "{'loss': %.4f, 'grad_norm': %s, 'learning_rate': 2e-05, 'epoch': %.3f}"
    write("grad-norm-low-precision", "bad.log",
          [line % (loss, repr(in_bf16(norm)), step / 1000) for step, loss, norm in wide])
    write("grad-norm-low-precision", "good.log",
          [line % (loss, repr(norm), step / 1000) for step, loss, norm in wide])


def reading():
    rng = random.Random(12)
    body = ["step=%d loss=%.4f" % (step, falling(step, rng)) for step in range(1, 61)]
    write("unreadable-input", "bad.log", ["Dear all,", "the log of last night is on the other machine.", "Best wishes"])
    write("unreadable-input", "good.log", ["Dear all,", "here is the log of last night.", ""] + body)
    rows = ['{"step": %d, "loss": %.4f}' % (step, falling(step, rng)) for step in range(1, 61)]
    write("truncated-input", "bad.log", rows + ['{"step": 61, "lo'], end="")
    write("truncated-input", "good.log", rows)
    spike = [("s:%d trl:%.4f lr:0.000600 norm:%.2f" % (s, falling(s, rng), 0.3 * wild(rng) * (50 if 90 <= s < 96 else 1))) for s in range(150)]
    calm = [("s:%d trl:%.4f lr:0.000600 norm:%.2f" % (s, falling(s, rng), 0.3 * wild(rng))) for s in range(150)]
    write("unused-ignore", "bad.log", calm)
    write("unused-ignore", "good.log", spike)


for make in (grad_norm_spike, grad_norm_high, grad_norm_vanished, loss_scale_collapse, loss_scale_drop, overflow_skips,
             throughput_drop, run_restarted, run_aborted, rerun_fault,
             grad_norm_low_precision, reading):
    make()
