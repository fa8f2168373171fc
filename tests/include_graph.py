#!/usr/bin/env python3
"""Who may include whom: fails on an #include of the project's own that the layering forbids.

usage: include_graph.py [--self-test] [ROOT]

A layer is include/assay or a folder of src/. Each names the layers that it may include; it may include what those may,
too. Also fails on an include that names no file, on a cycle between headers and on a header without #pragma once.
"""
import argparse
import pathlib
import re
import sys
import tempfile

# Layer -> the layers right below it. format/ and rules/ never see each other; report/ never sees a rule.
BELOW = {
    "assay": [],
    "base": ["assay"],
    "num": ["base"],
    "stat": ["base"],
    "core": ["base"],
    "sim": ["num"],
    "facts": ["core"],
    "format": ["core"],
    "measure": ["core", "num", "stat"],
    "rules": ["measure", "facts", "sim"],
    "advice": ["rules"],
    "engine": ["format", "advice"],
    "study": ["engine"],
    "lab": ["study", "sim"],
    "report": ["core", "stat"],
    "watch": ["engine", "report"],
    "mpi": ["cli"],
    "cli": ["study", "lab", "report", "watch"],
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def reachable(layer):
    """The layer and all that it may include."""
    found, waiting = set(), [layer]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += BELOW[current]
    return found


def read_includes(root):
    """{file: (layer, [(line, included text)])} for every source of the project, in order of names."""
    files = {}
    for top in ("include", "src"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                text = path.read_text(encoding="utf-8")
                includes = [(text.count("\n", 0, m.start(1)) + 1, m.group(1)) for m in INCLUDE.finditer(text)]
                files[path] = (path.relative_to(root / top).parts[0], includes)
    return files


def find_cycle(graph):
    """A list of files that include each other in a ring, or None."""
    state = {}

    def visit(file, trail):
        state[file] = "open"
        for target in graph.get(file, []):
            if state.get(target) == "open":
                return trail[trail.index(target):] + [target]
            if target not in state:
                cycle = visit(target, trail + [target])
                if cycle:
                    return cycle
        state[file] = "closed"
        return None

    for file in graph:
        if file not in state:
            cycle = visit(file, [file])
            if cycle:
                return cycle
    return None


def check(root):
    """Returns the list of faults, each as `file:line: what`."""
    files = read_includes(root)
    faults, graph = [], {}
    for path, (layer, includes) in files.items():
        name = path.relative_to(root)
        if layer not in BELOW:
            faults.append(f"{name}:1: {layer} is no layer (tests/include_graph.py lists them)")
            continue
        if path.suffix == ".h" and "#pragma once" not in path.read_text(encoding="utf-8"):
            faults.append(f"{name}:1: a header without #pragma once")
        allowed = reachable(layer)
        for line, included in includes:
            target = next((top / included for top in (root / "src", root / "include") if (top / included) in files), None)
            if target is None:
                faults.append(f'{name}:{line}: "{included}" is no file below src/ or include/')
                continue
            graph.setdefault(path, []).append(target)
            if files[target][0] not in allowed:
                faults.append(f'{name}:{line}: {layer} may not include {files[target][0]} ("{included}")')
    cycle = find_cycle(graph)
    if cycle:
        faults.append("headers include each other: " + " -> ".join(str(file.relative_to(root)) for file in cycle))
    return faults


def self_test():
    """Plants each kind of fault and demands that exactly it is reported."""
    good = {
        "include/assay/run.h": "#pragma once\n",
        "src/core/trace.h": '#pragma once\n#include "assay/run.h"\n',
        "src/format/lines.cpp": '#include <vector>\n#include "core/trace.h"\n#include "base/text.h"\n',
        "src/base/text.h": "#pragma once\n",
        "src/rules/spike.h": "#pragma once\n",
        "src/engine/run.cpp": '#include "rules/spike.h"\n#include "core/trace.h"\n',
    }
    planted = [
        ({}, None),
        ({"src/format/a.cpp": '#include "rules/spike.h"\n'}, "format may not include rules"),
        ({"src/rules/a.cpp": '\n#  include "format/a.h"\n', "src/format/a.h": "#pragma once\n"},
         "a.cpp:2: rules may not include format"),
        ({"src/report/a.cpp": '#include "rules/spike.h"\n'}, "report may not include rules"),
        ({"include/assay/a.h": '#pragma once\n#include "base/text.h"\n'}, "assay may not include base"),
        ({"src/core/a.cpp": '#include "stat/a.h"\n', "src/stat/a.h": "#pragma once\n"}, "core may not include stat"),
        ({"src/core/a.cpp": '#include "core/none.h"\n'}, "is no file"),
        ({"src/odd/a.cpp": ""}, "odd is no layer"),
        ({"src/core/a.h": ""}, "without #pragma once"),
        ({"src/core/a.h": '#pragma once\n#include "core/b.h"\n', "src/core/b.h": '#pragma once\n#include "core/a.h"\n'},
         "include each other"),
    ]
    for extra, expected in planted:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**good, **extra}.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            faults = check(pathlib.Path(folder))
        if len(faults) != (expected is not None) or (expected and expected not in faults[0]):
            return [f"self-test: {extra} gave {faults}, expected {expected}"]
    return []


def main():
    parser = argparse.ArgumentParser(description="Fails on an #include that the layering forbids.")
    parser.add_argument("--self-test", action="store_true", help="plant faults and see that they are found")
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    faults = self_test() if options.self_test else check(options.root)
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
