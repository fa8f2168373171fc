#!/usr/bin/env python3
"""Writes the tables of this folder: results of matrix units that are known, because they are computed here.

usage: make_rows.py            (in this folder; the same files each time)

The model is written down once more, with whole numbers and fractions, so that the tables test the emulation, too.
"""
import fractions
import math
import random
import struct

Fraction = fractions.Fraction


def pattern(value):
    return struct.pack(">f", float(value)).hex()


def exponent(value, least):
    """Of a float that is not zero; subnormal numbers of the format have the least one."""
    return max(math.frexp(value)[1] - 1, least)


def toward_zero(x):
    return int(x)


def nearest_even(x):
    return round(x)  # Python rounds halves of fractions to even


def rounded(x, precision, least, how):
    """The multiple of a power of two that has so many bits."""
    if x == 0:
        return Fraction(0)
    top = math.floor(math.log2(abs(x)))
    while Fraction(2) ** top > abs(x):
        top -= 1
    while Fraction(2) ** (top + 1) <= abs(x):
        top += 1
    quantum = Fraction(2) ** (max(top, least) - precision + 1)
    return how(x / quantum) * quantum


def step(a, b, c, unit):
    """One group of products and c."""
    products = [Fraction(x) * Fraction(y) for x, y in zip(a, b)]
    if unit["bits"] is None:
        total = sum(products, Fraction(c))
    else:
        exponents = [exponent(x, unit["emin"]) + exponent(y, unit["emin"]) for x, y in zip(a, b) if x * y != 0]
        top = max(exponents + [exponent(c, -126) if c != 0 else -126])
        quantum = Fraction(2) ** (top - unit["bits"])
        total = sum(int(p / quantum) for p in products + [Fraction(c)]) * quantum
    return float(rounded(total, unit["precision"], -126, unit["round"]))


def dot(a, b, c, unit):
    for first in range(0, len(a), unit["group"]):
        c = step(a[first:first + unit["group"]], b[first:first + unit["group"]], c, unit)
    return c


def number(generator, precision, spread):
    """A random number of so many bits, of both signs and of several magnitudes."""
    whole = generator.randrange(2 ** (precision - 1), 2 ** precision)
    return generator.choice((-1, 1)) * math.ldexp(whole, generator.randrange(-spread, 2) - precision + 1)


def write(name, unit, rows, length, seed):
    generator = random.Random(seed)
    with open(name, "w", encoding="ascii") as out:
        out.write("a\tb\tc\td\n")
        for _ in range(rows):
            a = [number(generator, unit["inputs"], unit["spread"]) for _ in range(length)]
            b = [number(generator, unit["inputs"], unit["spread"]) for _ in range(length)]
            c = number(generator, 24, 3) if unit["c"] else 0.0
            d = dot(a, b, c, unit)
            cells = (" ".join(map(pattern, a)), " ".join(map(pattern, b)), pattern(c), pattern(d))
            out.write("\t".join(cells) + "\n")


AMPERE = {"inputs": 8, "emin": -126, "group": 8, "bits": 24, "precision": 24, "round": toward_zero, "spread": 3,
          "c": True}
HOPPER_FP8 = {"inputs": 4, "emin": -6, "group": 32, "bits": 13, "precision": 14, "round": toward_zero, "spread": 5,
              "c": False}
NOBODY = {"inputs": 11, "emin": -14, "group": 4, "bits": 24, "precision": 24, "round": nearest_even, "spread": 3,
          "c": True}
EXACT = {"inputs": 11, "emin": -14, "group": 16, "bits": None, "precision": 24, "round": nearest_even, "spread": 3,
         "c": True}

if __name__ == "__main__":
    write("ampere_bf16.tsv", AMPERE, 150, 16, 1)
    write("hopper_e4m3.tsv", HOPPER_FP8, 80, 64, 2)
    write("nobody_fp16.tsv", NOBODY, 150, 8, 3)
    write("exact_fp16.tsv", EXACT, 60, 16, 4)
