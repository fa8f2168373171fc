#!/usr/bin/env python3
"""Writes the logs of rank-disagreement: what several ranks tell of each step. Run in tests/rules; needs nothing.

All numbers are made: a healthy loss and grad norm in Megatron-LM's words, with the mark that a launcher puts before the
lines of a rank."""
import math
import os
import random

FOLDER = "rank-disagreement"
STEPS = 60


def line(step, loss, norm):
    return (" iteration %8d/%8d | consumed samples: %12d | elapsed time per iteration (ms): 1000.0 | learning rate: "
            "1.500E-04 | global batch size:   512 | lm loss: %s | grad norm: %s | number of skipped iterations:   0 | "
            "number of nan iterations:   0 |" % (step, 9000, step * 512, loss, norm))


def shared(seed):
    made = random.Random(seed)
    return [(4 + 4 * math.exp(-step / 40) + made.gauss(0, 0.02), 1.2 * math.exp(made.gauss(0, 0.15)))
            for step in range(1, STEPS + 1)]


def write(name, lines):
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


def expect(name, text):
    with open(os.path.join(FOLDER, name + ".expect.json"), "w", encoding="utf-8") as out:
        out.write(text + "\n")


def told(values, digits="%.6E", norm_digits="%.3f"):
    return [line(i + 1, digits % a, norm_digits % b) for i, (a, b) in enumerate(values)]


def marked(logs):
    """Lines of all ranks, step by step, each with the mark of its rank."""
    return ["[rank%d]: %s" % (rank, log[i]) for i in range(STEPS) for rank, log in enumerate(logs)]


def drifting(values, begin, share):
    """What a rank tells whose weights go another way from that step on, first a little."""
    return [(a, b) if i + 1 < begin else (a * (1 + share * 1e-3 * (i + 2 - begin)), b * (1 + share * (i + 2 - begin)))
            for i, (a, b) in enumerate(values)]


def main():
    os.makedirs(FOLDER, exist_ok=True)
    values = shared(1)
    same = told(values)
    # Rank 2 leaves at step 41: its norm is 1 % larger there and 20 % at the end; its loss shows it in the sixth digit.
    away = told(drifting(values, 41, 0.01))
    write("bad.log", marked([same, same, away]))
    expect("bad", '{"severity": "warning", "steps": [41, 41], "message": "step 41: rank 0 has grad norm = 0.997, rank 2 '
           '1.007 (1 % apart); until there they agreed to the last digit for 40 steps"}')
    write("good.log", marked([same, same]))
    # Each rank tells the loss of its own data, beside the norm of all.
    made = random.Random(2)
    own = [told([(a * (1 + made.gauss(0, 0.02)), b) for a, b in values]) for _ in range(2)]
    write("good-local-loss.log", marked(own))
    # Added up in another order on each rank: the last of few digits falls on either side now and then.
    near = [told([(a * (1 + made.gauss(0, 2e-4)), b * (1 + made.gauss(0, 2e-3))) for a, b in values], "%.2f", "%.1f")
            for _ in range(2)]
    write("good-rounded.log", marked(near))
    # One step alone differs: a value that was read while it was written, no drift.
    once = told([(a, b * 1.01) if i == 40 else (a, b) for i, (a, b) in enumerate(values)])
    write("good-once.log", marked([same, once]))
    # A file a rank.
    for name, other in (("bad-files", away), ("good-files", same)):
        os.makedirs(os.path.join(FOLDER, name), exist_ok=True)
        write(os.path.join(name, "rank_0.log"), same)
        write(os.path.join(name, "rank_1.log"), other)
    expect("bad-files", '{"severity": "warning", "steps": [41, 41]}')
    # The framework compares: after every 20 steps, and stops at step 40.
    checked = same[:20] + [">>> Weight hashes match after 20 iterations..."] + same[20:40]
    write("bad-hashes.log", checked + [
        "[rank5]: Traceback (most recent call last):",
        '[rank5]:   File "pretrain_gpt.py", line 264, in <module>',
        "[rank5]: AssertionError: Parameter hashes not matching across DP replicas"])
    expect("bad-hashes", '{"severity": "error", "steps": [40, 41]}')
    write("good-hashes.log", checked + [">>> Weight hashes match after 40 iterations..."] + same[40:])
    write("bad-collectives.log", same[:30] + [
        "[rank1]: Traceback (most recent call last):",
        "[rank1]: RuntimeError: Detected mismatch between collectives on ranks. Rank 1 is running collective: "
        "CollectiveFingerPrint(SequenceNumber=210, OpType=ALLREDUCE, TensorShape=[1024]), but Rank 0 is running "
        "collective: CollectiveFingerPrint(SequenceNumber=210, OpType=BARRIER)."])
    expect("bad-collectives", '{"severity": "error", "steps": [30, 31]}')


if __name__ == "__main__":
    main()
