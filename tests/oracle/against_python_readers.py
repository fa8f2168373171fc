#!/usr/bin/env python3
"""Holds assay's readers of documents against Python's json and csv modules, and against pyarrow where it is installed.

usage: against_python_readers.py PRINT_DOCUMENTS
"""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

ALPHABET = ["a", "b c", "\n", "\r\n", '"', '""', ",", "\t", ";", "\\", "/", "中文", "é", "\u2028", "😀", "\x00", "\x1f", "x" * 50, "'", "{", "}"]


def text(rng):
    return "".join(rng.choice(ALPHABET) for _ in range(rng.randrange(12)))


def read(program, path, *field):
    done = subprocess.run([program, path, *field], capture_output=True, check=False)
    rows = [json.loads(line) for line in done.stdout.decode().splitlines()]
    return done.returncode, done.stderr.decode(), rows


class Checks:
    def __init__(self, program, folder):
        self.program, self.folder, self.failures, self.count = program, folder, [], 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def documents(self, name, want, *field):
        """want: [(text, id)]; no fault may be told."""
        self.count += 1
        status, error, rows = read(self.program, self.path(name), *field)
        got = [(row.get("text"), row.get("id")) for row in rows if "text" in row]
        faults = [row for row in rows if "fault" in row]
        if status or faults or got != want:
            first = next((i for i, pair in enumerate(zip(got, want)) if pair[0] != pair[1]), min(len(got), len(want)))
            self.failures.append(f"{name}: status {status} {error!r}, {len(got)} of {len(want)} documents, faults {faults[:3]}, "
                                 f"first difference at {first}: {got[first:first + 1]} instead of {want[first:first + 1]}")


def check_json(checks, rng):
    for ascii_only in (True, False):
        rows = [{"id": i, "text": text(rng), "meta": {"text": text(rng), "n": [1.5, None, True, {"a": []}]}} for i in range(500)]
        rng.shuffle(rows)
        rows = [dict(sorted(row.items(), key=lambda _: rng.random())) for row in rows]
        with open(checks.path("rows.jsonl"), "w", encoding="utf-8", newline="") as out:
            for row in rows:
                out.write(json.dumps(row, ensure_ascii=ascii_only) + rng.choice(["\n", "\r\n", "\n\n"]))
        checks.documents("rows.jsonl", [(row["text"], row["id"]) for row in rows])
        with open(checks.path("rows.json"), "w", encoding="utf-8", newline="") as out:
            json.dump(rows, out, ensure_ascii=ascii_only, indent=rng.choice([None, 1]))
        checks.documents("rows.json", [(row["text"], row["id"]) for row in rows])
    chats = [{"id": f"c{i}", "messages": [{"role": "user", "content": text(rng)} for _ in range(rng.randrange(1, 4))]} for i in range(100)]
    with open(checks.path("chats.jsonl"), "w", encoding="utf-8") as out:
        out.writelines(json.dumps(chat) + "\n" for chat in chats)
    checks.documents("chats.jsonl", [("\n".join(m["content"] for m in chat["messages"]), chat["id"]) for chat in chats])


def mutated_lines(rng):
    """Objects with a byte or two changed."""
    for _ in range(4000):
        line = bytearray(json.dumps({"id": 1, "text": text(rng), "n": [1, -2.5e3, None, True], "o": {"k": "v"}}).encode())
        for _ in range(rng.randrange(1, 3)):
            at = rng.randrange(len(line))
            if rng.random() < 0.5:
                line[at] = rng.choice(b'{}[]",:\\ue0123456789.-+ntfNaI \t\x01')
            else:
                del line[at]
        yield bytes(line)


def check_broken_json(checks, rng):
    """A line gives a document exactly where Python's json gives an object with a text that UTF-8 can hold."""
    checks.count += 1
    lines = [line for line in mutated_lines(rng) if b"\n" not in line and line.strip()]
    with open(checks.path("broken.jsonl"), "wb") as out:
        out.write(b'{"text": "first"}\n' * 200)  # they decide what the file is
        out.write(b"\n".join(lines) + b"\n")
    _, _, rows = read(checks.program, checks.path("broken.jsonl"))
    got = {row["line"]: row["text"] for row in rows if "text" in row}
    for number, line in enumerate(lines, 201):
        try:
            row = json.loads(line)
            want = row.get("text") if isinstance(row, dict) else None
            if isinstance(want, list) and want and all(isinstance(one, str) for one in want):
                want = "\n".join(want)
            if isinstance(want, str):
                want.encode()
        except (ValueError, RecursionError):
            want = None
        if not isinstance(want, str) and not (isinstance(want, list) and not want):
            want = None
        if want == []:
            want = ""
        if got.get(number) != want:
            checks.failures.append(f"broken line {line!r}: read {got.get(number)!r}, Python {want!r}")


def check_csv(checks, rng):
    for name, delimiter in (("rows.csv", ","), ("rows.tsv", "\t"), ("semicolons.csv", ";")):
        rows = [(str(i), text(rng).replace("\x00", ""), rng.choice(["x", ""])) for i in range(400)]
        with open(checks.path(name), "w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, delimiter=delimiter, quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
            writer.writerow(["id", "text", "label"])
            writer.writerows(rows)
        checks.documents(name, [(row[1], int(row[0])) for row in rows])


def check_arrow(checks, rng):
    try:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError:
        return False
    texts = [text(rng) for _ in range(3000)]
    ids = list(range(3000))
    chats = [[{"role": "user", "content": one}, {"role": "assistant", "content": None}] for one in texts]
    columns = {
        "text": pyarrow.array(texts),
        "large": pyarrow.array(texts, pyarrow.large_string()),
        "view": pyarrow.array(texts, pyarrow.string_view()),
        "coded": pyarrow.array(texts).dictionary_encode(),
        "messages": pyarrow.array(chats),
        "meta": pyarrow.array([{"body": one, "n": 1} for one in texts]),
    }
    table = pyarrow.table({"id": ids, **columns})
    for codec in ("none", "snappy", "zstd", "gzip"):
        rows = rng.choice([100, 1000, 5000])
        pyarrow.parquet.write_table(table.drop_columns(["view"]), checks.path(codec + ".parquet"), compression=codec, row_group_size=rows)
    with pyarrow.OSFile(checks.path("file.arrow"), "wb") as out, pyarrow.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=700)
    whole = table.drop_columns(["coded"])  # a stream has one dictionary for a column unless deltas are allowed
    with pyarrow.OSFile(checks.path("stream.arrow"), "wb") as out, pyarrow.ipc.new_stream(out, whole.schema) as writer:
        writer.write_table(whole, max_chunksize=700)
    want = list(zip(texts, ids))
    for name in ("none.parquet", "snappy.parquet", "zstd.parquet", "gzip.parquet", "file.arrow", "stream.arrow"):
        checks.documents(name, want)
        for field in ("large", "view", "coded", "messages", "meta.body"):
            if (field == "view" and name.endswith("parquet")) or (field == "coded" and name == "stream.arrow"):
                continue
            checks.documents(name, want, field)
    check_arrow_faults(checks, pyarrow)
    return True


def reads_arrow(program, folder):
    """Whether the program came with the module of Arrow."""
    path = os.path.join(folder, "magic.parquet")
    with open(path, "wb") as out:
        out.write(b"PAR1")
    return "without Apache Arrow" not in read(program, path)[1]


def check_arrow_faults(checks, pyarrow):
    checks.count += 3
    table = pyarrow.table({"text": ["a", None, ""], "n": [1, 2, 3]})
    pyarrow.parquet.write_table(table, checks.path("nulls.parquet"))
    _, _, rows = read(checks.program, checks.path("nulls.parquet"))
    if [row.get("text", "fault") for row in rows] != ["a", "fault", ""]:
        checks.failures.append(f"nulls.parquet: {rows}")
    with open(checks.path("zstd.parquet"), "rb") as whole, open(checks.path("cut.parquet"), "wb") as cut:
        cut.write(whole.read()[:-100])
    status, error, rows = read(checks.program, checks.path("cut.parquet"))
    if status != 1 or rows or "cut" not in error:
        checks.failures.append(f"cut.parquet: {status} {error!r}")
    for name in ("file.arrow", "stream.arrow"):  # a file without its end is read like a stream
        with open(checks.path(name), "rb") as whole, open(checks.path("cut.arrow"), "wb") as cut:
            data = whole.read()
            cut.write(data[: len(data) // 2])
        status, error, rows = read(checks.program, checks.path("cut.arrow"))
        if status != 1 or not 500 < len(rows) < 2900 or "middle" not in error:
            checks.failures.append(f"cut {name}: {status} {error!r} {len(rows)}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(os.path.abspath(sys.argv[1]), folder)
        for seed in range(3):
            check_json(checks, random.Random(seed))
            check_broken_json(checks, random.Random(seed))
            check_csv(checks, random.Random(seed))
        with_arrow = reads_arrow(checks.program, folder) and check_arrow(checks, random.Random(5))
    for failure in checks.failures[:20]:
        print(failure)
    print(f"{checks.count} files{'' if with_arrow else ' (without Arrow, which is not there)'}, {len(checks.failures)} failures")
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
