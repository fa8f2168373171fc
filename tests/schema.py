#!/usr/bin/env python3
"""Holds reports against docs/schema/report.schema.json.

usage: schema.py [--self-test] [FILE.json...]        (- reads standard input)

Strict JSON is demanded: NaN and Infinity are errors. Knows the keywords that our schema uses and refuses a schema with
any other, so that a constraint is never passed over in silence.
"""
import argparse
import json
import pathlib
import re
import sys

SCHEMA = pathlib.Path(__file__).resolve().parent.parent / "docs" / "schema" / "report.schema.json"
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
}
ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description"}


def strict(token):
    raise ValueError(f"{token} is not JSON")


class Validator:
    def __init__(self, schema):
        self.root = schema

    def errors(self, value):
        return list(self.check(value, self.root, "report"))

    def resolve(self, reference):
        node = self.root
        for part in re.sub(r"^#/", "", reference).split("/"):
            node = node[part]
        return node

    def check(self, value, schema, path):
        """Yields what is wrong, one line each."""
        for keyword, wanted in schema.items():
            if keyword in ANNOTATIONS:
                continue
            method = getattr(self, "check_" + keyword.strip("$"), None)
            if method is None:
                raise NotImplementedError(f"the schema uses {keyword}, which this validator does not know")
            yield from method(value, wanted, schema, path)

    def check_ref(self, value, wanted, schema, path):
        yield from self.check(value, self.resolve(wanted), path)

    def check_type(self, value, wanted, schema, path):
        names = wanted if isinstance(wanted, list) else [wanted]
        if not any(TYPES[name](value) for name in names):
            yield f"{path} is {json.dumps(value)[:60]}, not {' or '.join(names)}"

    def check_const(self, value, wanted, schema, path):
        if value != wanted or type(value) is not type(wanted):
            yield f"{path} is not {wanted!r}"

    def check_enum(self, value, wanted, schema, path):
        if value not in wanted:
            yield f"{path} is {value!r}, not one of {wanted}"

    def check_required(self, value, wanted, schema, path):
        if isinstance(value, dict):
            yield from (f"{path}.{name} is missing" for name in wanted if name not in value)

    def check_properties(self, value, wanted, schema, path):
        if isinstance(value, dict):
            for name, item in value.items():
                if name in wanted:
                    yield from self.check(item, wanted[name], f"{path}.{name}")

    def check_additionalProperties(self, value, wanted, schema, path):
        if isinstance(value, dict):
            for name in value.keys() - schema.get("properties", {}).keys():
                if wanted is False:
                    yield f"{path}.{name} is not in the schema"
                else:
                    yield from self.check(value[name], wanted, f"{path}.{name}")

    def check_items(self, value, wanted, schema, path):
        if isinstance(value, list):
            for i, item in enumerate(value):
                yield from self.check(item, wanted, f"{path}[{i}]")

    def check_prefixItems(self, value, wanted, schema, path):
        if isinstance(value, list):
            for i, (item, one) in enumerate(zip(value, wanted)):
                yield from self.check(item, one, f"{path}[{i}]")

    def check_minItems(self, value, wanted, schema, path):
        if isinstance(value, list) and len(value) < wanted:
            yield f"{path} has {len(value)} items, fewer than {wanted}"

    def check_maxItems(self, value, wanted, schema, path):
        if isinstance(value, list) and len(value) > wanted:
            yield f"{path} has {len(value)} items, more than {wanted}"

    def check_minLength(self, value, wanted, schema, path):
        if isinstance(value, str) and len(value) < wanted:
            yield f"{path} is shorter than {wanted}"

    def check_minimum(self, value, wanted, schema, path):
        if TYPES["number"](value) and value < wanted:
            yield f"{path} is {value}, less than {wanted}"

    def check_maximum(self, value, wanted, schema, path):
        if TYPES["number"](value) and value > wanted:
            yield f"{path} is {value}, more than {wanted}"

    def check_exclusiveMinimum(self, value, wanted, schema, path):
        if TYPES["number"](value) and value <= wanted:
            yield f"{path} is {value}, not more than {wanted}"

    def check_anyOf(self, value, wanted, schema, path):
        tries = [list(self.check(value, one, path)) for one in wanted]
        if all(tries):
            yield tries[0][0]

    def check_oneOf(self, value, wanted, schema, path):
        right = sum(not list(self.check(value, one, path)) for one in wanted)
        if right != 1:
            yield f"{path} matches {right} of the alternatives, not one"


def self_test(validator):
    """The validator finds what is wrong: a good report, damaged in each of several ways."""
    sample = (SCHEMA.parent.parent.parent / "tests" / "data" / "report" / "sample.json").read_text(encoding="utf-8")
    damages = [
        lambda r: r.pop("verdict"),
        lambda r: r.update(schema=2),
        lambda r: r.update(more=1),
        lambda r: r["findings"][0].update(confidence=0),
        lambda r: r["findings"][0].update(severity="fatal"),
        lambda r: r["findings"][0]["where"].update(steps=[1]),
        lambda r: r["findings"][0]["where"].update(steps=[1, 2.5]),
        lambda r: r["findings"][0]["where"].update(line=0),
        lambda r: r["findings"][0]["phrase"]["values"].update(x={"number": 1, "word": "y"}),
        lambda r: r["runs"][0]["series"][0].update(points=-1),
        lambda r: r["runs"][0]["series"][0]["curve"]["buckets"][0].append(1),
        lambda r: r["runs"][0].update(kind=None),
        lambda r: r["files"][0].update(named=1),
    ]
    wrong = validator.errors(json.loads(sample, parse_constant=strict))
    for number, damage in enumerate(damages):
        report = json.loads(sample)
        damage(report)
        if not validator.errors(report):
            wrong.append(f"damage {number} was not found")
    return wrong


def main():
    parser = argparse.ArgumentParser(description="Holds reports against their schema.")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    validator = Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    wrong = self_test(validator) if options.self_test else []
    for file in options.files:
        text = sys.stdin.read() if file == "-" else pathlib.Path(file).read_text(encoding="utf-8")
        wrong += [f"{file}: {line}" for line in validator.errors(json.loads(text, parse_constant=strict))]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
