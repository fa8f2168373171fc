#!/usr/bin/env python3
"""Golden tests of the command line.

usage: run.py --assay BINARY [--update] [TEST...]        (default: every *.test beside this file)

A test is a transcript, one or more of:

    # what this shows                         (lines before the first command are comments)
    $ assay check sick.log                    a shell command; runs in tests/data with this assay first on PATH
    1 error in 1 run                          standard output, exactly; a line `...` stands for any number of lines
    2> assay: no-such.log: no such file       a line of standard error
    ? 1                                       exit status, where it is not 0

$TMP is an empty folder that goes away after the test; its name is written $TMP in the output too. A line of output that
begins like one of the marks has a backslash before it. --update writes what was printed into the tests that differ.
"""
import argparse
import difflib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "data"
MARKS = ("$ ", "? ", "2>", "\\", "...")
NO_NEWLINE = "\n\\ no newline at the end\n"
TIMEOUT = 120  # seconds for one command


def parse(text):
    """Returns the comment lines and a list of [command, transcript lines]."""
    comments, steps = [], []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append([line[2:], []])
        elif steps:
            steps[-1][1].append(line)
        else:
            comments.append(line)
    return comments, steps


def lines_of(output, temporary):
    """Output as lines; a missing newline at the end shows."""
    text = output.decode("utf-8", "backslashreplace").replace(temporary, "$TMP")
    return (text + NO_NEWLINE if text and not text.endswith("\n") else text).split("\n")[:-1]


def execute(command, binary, temporary):
    """Runs one command; returns its transcript: output, errors, status."""
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "CLICOLOR_FORCE", "LANG")}
    environment.update(PATH=f"{binary.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8", TERM="dumb", COLUMNS="80",
                       TMP=temporary)
    done = subprocess.run(["bash", "-c", command], cwd=DATA, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIMEOUT, check=False)
    transcript = ["\\" + line if line.startswith(MARKS) else line for line in lines_of(done.stdout, temporary)]
    transcript += [f"2> {line}".rstrip() for line in lines_of(done.stderr, temporary)]
    return without_blank_end(transcript + ([f"? {done.returncode}"] if done.returncode else []))


def without_blank_end(lines):
    """Blank lines before the next command are layout."""
    while lines and not lines[-1]:
        lines.pop()
    return lines


def matches(expected, actual):
    """Whether actual is expected, where `...` stands for any number of lines."""
    if "..." not in expected:
        return expected == actual
    at = expected.index("...")
    head, rest = expected[:at], expected[at + 1:]
    if actual[:at] != head:
        return False
    return any(matches(rest, actual[i:]) for i in range(at, len(actual) + 1))


def with_gaps(expected, actual):
    """What was printed, with the first `...` of the transcript where its neighbours stand now; all of it where they are
    gone."""
    if "..." not in expected:
        return actual
    at = expected.index("...")
    before = next((line for line in reversed(expected[:at]) if line), None)
    after = next((line for line in expected[at + 1:] if line), None)
    if before not in actual or (after is not None and after not in actual):
        return actual
    head = actual[:actual.index(before) + 1]
    tail = [] if after is None else actual[len(actual) - 1 - actual[::-1].index(after):]
    blank = [""] if at > 0 and not expected[at - 1] else []
    return head + blank + ["..."] + tail


def run_test(path, binary, update, status=True):
    """Returns the differences of one test, as text; empty when there are none. status: exit statuses are told."""
    comments, steps = parse(path.read_text(encoding="utf-8"))
    if not steps:
        return f"{path}: no command: a test needs a line that begins with '$ '\n"
    temporary = tempfile.mkdtemp(prefix="assay-cli-")
    differences, written = [], list(comments)
    try:
        for command, expected in steps:
            actual = execute(command, binary, temporary)
            if not status:
                actual = without_blank_end([line for line in actual if not line.startswith("? ")])
            same = matches(without_blank_end(list(expected)), actual)
            if not same:
                differences.append(f"{path}: $ {command}\n" + "\n".join(
                    difflib.unified_diff(expected, actual, "expected", "printed", lineterm="")) + "\n")
            written += [f"$ {command}"] + (expected if same else with_gaps(expected, actual) + [""])
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    if differences and update:
        path.write_text("\n".join(without_blank_end(written)) + "\n", encoding="utf-8")
        print(f"updated {path}")
        return ""
    return "\n".join(differences)


def main():
    parser = argparse.ArgumentParser(description="Golden tests of the command line.")
    parser.add_argument("--assay", required=True, type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("tests", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    tests = options.tests or sorted(HERE.glob("*.test"))
    failed = [text for text in (run_test(test, options.assay.resolve(), options.update) for test in tests) if text]
    print("\n".join(failed), end="")
    if not tests:
        print("no test to run")
    return 1 if failed or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
