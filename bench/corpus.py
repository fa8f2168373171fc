#!/usr/bin/env python3
"""Times `assay corpus check` as a whole command, on corpora that it makes: speed by rules and input, threads, memory.

    bench/corpus.py build/release/assay [--size MB] [--memory GB]

  MB/s a core    bytes of the unpacked files over processor time (user and system); the best of three
  of the limit   that speed as a share of what has to be done anyway: reading the file (cat), or unpacking it (zstd)
  x by 2         wall time with one thread over wall time with two; the best of three each
  memory         the greatest resident set; over 100 MB, and over --memory GB (0: left out) of the same text as many
                 files, which need as much disk, and as one .zst

Prose is words by chance with the frequencies of a real vocabulary, in documents of 0.5 to 8 kB with the fields of a web
corpus; Chinese likewise. A Parquet file is written where the Python of build/venv has pyarrow.
"""

import argparse
import bisect
import itertools
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENGLISH = (
    "the of and to in is that it for was on are with as his they at be this from have or by one had not but what all "
    "were when we there can an your "
    "which their said if do will each about how up out them then she many some these would "
    "other into has more two like him see time could make than first been its who people water harbour lamp evening "
    "written between nothing several bridge morning country question against letter number following language reason "
    "weather perhaps village machine company history science mountain picture another because window always garden "
    "problem measure strong thought government children remember different together example important until station"
).split()
CHINESE = list(
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民"
    "得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社"
    "义事平形相全表间样与关各重新线内数正心反你明看原又"
)


def zipf(words, random):
    """Draws words with the n-th as often as 1/n."""
    sums = list(itertools.accumulate(1 / n for n in range(1, len(words) + 1)))
    return lambda: words[bisect.bisect(sums, random.random() * sums[-1])]


def prose(draw, random, size, is_chinese):
    out, left, length = [], 0, 0
    while length < size:
        if left == 0:
            left = random.randint(6, 22)
            if out:
                out.append("。" if is_chinese else random.choice((". ", ". ", ". ", ".\n")))
        word = draw()
        out.append(word if is_chinese or not out or out[-1][0] != "." else word.capitalize())
        if not is_chinese and left > 1:
            out.append(random.choice((" ", " ", " ", " ", " ", " ", " ", ", ")))
        left -= 1
        length += 3 if is_chinese else len(word) + 1
    return "".join(out)


def jsonl(path, size, is_chinese=False):
    """Text that was made once fills the file: no rule compares documents."""
    chance = random.Random(1)
    draw = zipf(CHINESE if is_chinese else ENGLISH, chance)
    texts, made = [], 0
    while made < min(size, 16e6):
        texts.append(prose(draw, chance, chance.randint(500, 8000), is_chinese))
        made += len(texts[-1].encode())
    with open(path, "w", encoding="utf-8") as out:
        for i in itertools.count():
            row = {
                "text": texts[i % len(texts)],
                "id": f"<urn:uuid:{i:08x}-91a3>",
                "url": f"https://example.com/{i * 7919}",
                "date": "2024-02-20T19:40:11Z",
                "language_score": 0.9712,
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            if i % 64 == 0 and out.tell() >= size:
                return


def run(command):
    """Seconds of the clock and of the processor, bytes of memory."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    told = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))}: {told.decode()}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def best(command):
    runs = [run(command) for _ in range(3)]
    return tuple(min(figures) for figures in zip(*runs))


class Bench:
    def __init__(self, assay, folder, size):
        self.assay, self.folder, self.size = assay, folder, size

    def check(self, path, *options):
        return [self.assay, "corpus", "check", *options, path]

    def speed(self, name, path, size, limit, *options):
        _, seconds, memory = best(self.check(path, "--jobs", "1", *options))
        share = best(limit)[1] / seconds
        print(f"{name:34} {size / 1e6 / seconds:7.0f} MB/s a core {100 * share:5.1f} % of the limit"
              f" {memory / 1e6:6.0f} MB of memory", flush=True)

    def speeds(self):
        english = self.folder / "english.jsonl"
        jsonl(english, self.size)
        size = english.stat().st_size
        cat = ["cat", english]
        self.speed("English, rules of garbage alone", english, size, cat, "--select", "data")
        self.speed("English, all that is told", english, size, cat)
        self.speed("English, a sample of 1 %", english, size, cat, "--sample", "1%")
        self.packed(english, size)
        self.threads(english)
        english.unlink()
        chinese = self.folder / "chinese.jsonl"
        jsonl(chinese, self.size, is_chinese=True)
        size = chinese.stat().st_size
        self.speed("Chinese, rules of garbage alone", chinese, size, ["cat", chinese], "--select", "data")
        self.speed("Chinese, all that is told", chinese, size, ["cat", chinese])
        chinese.unlink()

    def packed(self, english, size):
        for name, tool, ending in (("zstd", ["zstd", "-q"], ".zst"), ("gzip", ["gzip"], ".gz")):
            if shutil.which(name) is None:
                print(f"{name} is not there: left out")
                continue
            path = pathlib.Path(f"{english}{ending}")
            with open(path, "wb") as out:
                subprocess.run([*tool, "-c", english], check=True, stdout=out)
            self.speed(f"English, {ending}", path, size, [name, "-dcq", path])
            path.unlink()
        path = self.folder / "english.parquet"
        python = ROOT / "build/venv/bin/python"
        program = (
            "import json, sys, pyarrow, pyarrow.parquet as p\n"
            "p.write_table(pyarrow.table({'text': [json.loads(l)['text'] for l in open(sys.argv[1])]}), sys.argv[2],"
            " compression='zstd', row_group_size=1000)"
        )
        made = python.exists() and subprocess.run([python, "-c", program, english, path], stderr=subprocess.DEVNULL)
        if not made or made.returncode:
            print("pyarrow is not there: Parquet is left out")
            return
        self.speed("English, .parquet", path, size, ["cat", path])
        path.unlink()

    def threads(self, path):
        if os.cpu_count() < 2:
            print("one processor: threads are left out")
            return
        one, two = (best(self.check(path, "--jobs", jobs))[0] for jobs in ("1", "2"))
        print(f"{'English, threads':34} {one / two:7.2f} x by 2", flush=True)

    def memory(self, gigabytes):
        small = self.folder / "small.jsonl"
        jsonl(small, 100e6)
        print(f"{'memory, 100 MB in a file':34} {run(self.check(small))[2] / 1e6:7.0f} MB", flush=True)
        folder = self.folder / "many"
        folder.mkdir()
        copies = int(gigabytes * 10)
        for i in range(copies):
            shutil.copyfile(small, folder / f"{i:05}.jsonl")  # a link to a file is the same file
        seconds, _, memory = run(self.check(folder))
        shutil.rmtree(folder)
        name = f"memory, {copies / 10:.0f} GB in {copies} files"
        print(f"{name:34} {memory / 1e6:7.0f} MB {seconds:6.0f} s", flush=True)
        if shutil.which("zstd") is None:
            print("zstd is not there: one large file is left out")
            return
        frame = subprocess.run(["zstd", "-qc", small], check=True, stdout=subprocess.PIPE).stdout
        large = self.folder / "large.jsonl.zst"
        with open(large, "wb") as out:
            for _ in range(copies):
                out.write(frame)
        seconds, _, memory = run(self.check(large))
        print(f"{f'memory, {copies / 10:.0f} GB in one .zst':34} {memory / 1e6:7.0f} MB {seconds:6.0f} s", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("assay", type=pathlib.Path)
    arguments.add_argument("--size", type=float, default=200, help="MB of each corpus")
    arguments.add_argument("--memory", type=float, default=0, help="GB of the large corpus; 0: left out")
    asked = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as name:
        bench = Bench(asked.assay.resolve(), pathlib.Path(name), asked.size * 1e6)
        bench.speeds()
        if asked.memory > 0:
            bench.memory(asked.memory)


if __name__ == "__main__":
    main()
