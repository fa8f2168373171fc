#!/usr/bin/env python3
"""docs/operator-errors.md: runs the commands of its tables and looks for the numbers that stand beside them.

usage: operator_errors.py --assay ASSAY [--long]      --long: those with many seeds, too
"""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "operator-errors.md"
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")


def rows(text):
    """(line, command, numbers) of each row of a table that has a command: the numbers to its right."""
    for line, row in enumerate(text.splitlines(), 1):
        if not row.startswith("|"):
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
        place = next((i for i, cell in enumerate(cells) if cell.startswith(("`assay error ", "`assay allreduce "))), None)
        if place is None:
            continue
        last = len(cells) if len(cells) != 5 or "seeds" in cells[place] else place + 2  # of five cells the last is advice
        yield line, cells[place].strip("`"), NUMBER.findall(" ".join(cells[place + 1:last]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--assay", required=True)
    parser.add_argument("--long", action="store_true")
    arguments = parser.parse_args()
    wrong, done, outputs = 0, 0, {}
    for line, command, numbers in rows(PAGE.read_text(encoding="utf-8")):
        if "--seeds" in command and not arguments.long:
            continue
        done += 1
        run = outputs.get(command) or subprocess.run([arguments.assay] + shlex.split(command)[1:], capture_output=True,
                                                     text=True, check=False)
        outputs[command] = run
        printed = set(NUMBER.findall(run.stdout))
        missing = [number for number in numbers if number not in printed]
        if run.returncode != 0 or missing or not numbers:
            wrong += 1
            print(f"{PAGE.name}:{line}: {command}: exit {run.returncode}, not printed: {missing or 'no numbers told'}")
    print(f"{done} commands, {wrong} wrong")
    return 1 if wrong or done == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
