#!/usr/bin/env python3
"""python/probe.py without torch: its numbers, and a whole probe of a device that is computed here.

usage: probe_test.py [--assay BINARY]        with a binary: what `assay unit identify` makes of that probe
"""
import argparse
import gzip
import importlib.util
import io
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
ASSAY = None


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


probe = load("probe", ROOT / "python/probe.py")
rows_of_units = load("make_rows", ROOT / "tests/data/unit/make_rows.py")


class Hopper:
    """A device with the sums of a Hopper, elementwise operations that flush subnormal numbers, and an index_add
    that differs once."""

    UNIT = {"emin": -126, "group": 16, "bits": 25, "precision": 24, "round": rows_of_units.toward_zero}

    def title(self):
        return "A device"

    def version(self):
        return "0"

    def matmuls(self):
        return [("matmul bf16 to fp32", "bf16", "fp32", 32, None), ("matmul e4m3", "e4m3", "fp32", 64, None)]

    def dots(self, rows, form, _):
        if form != "bf16":
            raise NotImplementedError("no such\nmatmul")
        return [self.dot(a, b) for a, b in rows]

    def dot(self, a, b):
        c = 0.0
        for k in range(0, len(a), self.UNIT["group"]):
            x, y = a[k:k + self.UNIT["group"]], b[k:k + self.UNIT["group"]]
            exact = c + sum(u * v for u, v in zip(x, y))
            c = exact if not math.isfinite(exact) else rows_of_units.step(x, y, c, self.UNIT)
            if abs(c) >= 2.0 ** 128:
                c = math.copysign(math.inf, c)
        return c

    def sums(self, rows, form):
        if form != "fp32":
            raise RuntimeError("not implemented")
        return [self.in_lanes(row) for row in rows]

    @staticmethod
    def in_lanes(row):
        def add(x, y):
            return struct.unpack("f", struct.pack("f", x + y))[0]
        lanes = [0.0] * 8
        for i, value in enumerate(row):
            lanes[i % 8] = add(lanes[i % 8], value)
        while len(lanes) > 1:
            lanes = [add(lanes[i], lanes[i + 1]) for i in range(0, len(lanes), 2)]
        return lanes[0]

    def apply(self, operation, pairs, form):
        if form != "bf16" or operation != "multiply":
            raise RuntimeError("not implemented")
        return [self.product(x, y) for x, y in pairs]

    @staticmethod
    def product(x, y):
        small = 2.0 ** -126
        x, y = (math.copysign(0.0, v) if abs(v) < small else v for v in (x, y))
        value = probe.FORMATS["bf16"].round(x * y)
        if abs(value) > probe.FORMATS["bf16"].largest:
            return math.copysign(math.inf, value)
        return math.copysign(0.0, value) if abs(value) < small else value

    def repeats(self, _):
        runs = iter(range(probe.RUNS))
        return {"cumsum": lambda: 7, "index_add": lambda: 8 if next(runs) == 3 else 7}


class Numbers(unittest.TestCase):
    def test_formats(self):
        formats = probe.FORMATS
        self.assertEqual(formats["fp16"].largest, 65504)
        self.assertEqual(formats["e4m3"].largest, 448)
        self.assertEqual(formats["e5m2"].largest, 57344)
        self.assertEqual(formats["bf16"].tiniest(), 2.0 ** -133)
        self.assertEqual(formats["fp16"].round(2049.0), 2048.0)  # to even
        self.assertEqual(formats["fp16"].round(2051.0), 2052.0)
        self.assertEqual(formats["fp16"].round(1.5 * 2.0 ** -24), 2.0 ** -23)
        self.assertEqual(formats["e4m3"].round(0.1), 0.1015625)

    def test_patterns(self):
        self.assertEqual(probe.pattern(1.0), "3f800000")
        self.assertEqual(probe.pattern(-math.inf), "ff800000")

    def test_rows_are_of_the_format_and_always_the_same(self):
        for name, form in probe.FORMATS.items():
            rows = probe.matmul_rows(form, 32, True)
            self.assertEqual(str(rows), str(probe.matmul_rows(form, 32, True)))
            for a, b in rows:
                self.assertEqual((len(a), len(b)), (32, 32))
                for value in a + b:
                    if math.isfinite(value):
                        self.assertEqual(form.round(value), value, name)
                        self.assertLessEqual(abs(value), form.largest)
                        struct.pack(">f", value)
                    else:
                        self.assertTrue(form.infinite or math.isnan(value))

    def test_cancelling_rows_cancel(self):
        form = probe.FORMATS["fp16"]
        for a, b in probe.cancelling_rows(random.Random(1), form, 32, 50):
            products = [x * y for x, y in zip(a, b)]
            largest = max(products, key=abs)
            self.assertIn(-largest, products)

    def test_masks(self):
        for form, masks in probe.ORDER_MASKS.items():
            large, unit = masks
            self.assertLess(1024 * unit, large * 2.0 ** -25)  # all units together are lost in FP32
            self.assertEqual(probe.FORMATS[form].round(large), large)
            self.assertEqual(math.fsum(probe.order_row(masks, 8, 2, 5)), 6 * unit)
        for form, (large, unit) in probe.WIDTH_MASKS.items():
            ratio = math.log2(large / unit)
            self.assertGreater(ratio, probe.FORMATS[form].precision)
            self.assertTrue(form == "fp32" or ratio < 24)
        self.assertEqual(len(probe.order_pairs(64)), 64 * 63 // 2)
        self.assertEqual(probe.order_pairs(100)[-1], (0, 99))


class Whole(unittest.TestCase):
    def text(self):
        out = io.StringIO()
        probe.probe(Hopper(), out, quick=True)
        return out.getvalue()

    def test_form(self):
        text = self.text()
        self.assertTrue(text.startswith("# assay-probe 1\n# device A device\n"))
        self.assertIn("#   matmul e4m3: not done here: no such matmul\n", text)
        self.assertEqual(text.count("\n[matmul]\n"), 1)
        self.assertEqual(text.count("\n[sum-order]\n"), 3)
        self.assertEqual(text.count("\n[elementwise]\n"), 1)
        self.assertEqual(text.count("\n[determinism]\n"), 2)
        self.assertTrue(text.isascii())

    def test_identify(self):
        if ASSAY is None:
            self.skipTest("no assay")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "probe.txt.gz"
            path.write_bytes(gzip.compress(self.text().encode("ascii")))
            done = subprocess.run([ASSAY, "unit", "identify", str(path)], capture_output=True, text=True, check=True,
                                  timeout=300)
        told = " ".join(done.stdout.split())
        for words in ("A device: matmul bf16 to fp32: h100/bf16, b200/bf16; index_add: not deterministic",
                      "all 200 rows are those of h100/bf16, b200/bf16: 16 products a step, addends cut to 25 bits "
                      "below the largest, FP32 accumulator rounded toward zero",
                      "subnormal inputs kept", "too large results infinite",
                      "sum of 64 fp32 64 10 8", "rounded rightly 512 subnormal become 0 too large infinite"):
            self.assertIn(words, told)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay")
    options, rest = parser.parse_known_args()
    ASSAY = options.assay
    unittest.main(argv=sys.argv[:1] + rest)
