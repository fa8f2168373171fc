#!/usr/bin/env python3
"""Runs the transcripts of the README: what it shows is what assay prints.

usage: readme.py --assay BINARY [--update]

Every block ```console of README.md is a golden test as in tests/cli/run.py, run in the root of the project; exit
statuses are not shown there.
"""
import argparse
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "cli"))
import run  # noqa: E402  (found by the line above)


def main():
    parser = argparse.ArgumentParser(description="Runs the transcripts of the README.")
    parser.add_argument("--assay", required=True, type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    run.DATA = ROOT
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    differences = []

    def check(block):
        with tempfile.TemporaryDirectory() as folder:
            test = pathlib.Path(folder) / "README.md"
            test.write_text(block[1], encoding="utf-8")
            differences.append(run.run_test(test, options.assay.resolve(), options.update, status=False))
            return "```console\n" + test.read_text(encoding="utf-8") + "```"

    updated = re.sub(r"```console\n(.*?)```", check, text, flags=re.DOTALL)
    if options.update and updated != text:
        readme.write_text(updated, encoding="utf-8")
    print("".join(differences), end="")
    if not differences:
        print("no transcript in README.md")
    return 1 if any(differences) or not differences else 0


if __name__ == "__main__":
    sys.exit(main())
