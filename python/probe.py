#!/usr/bin/env python3
"""Asks a device how it computes, and writes what it was given and what came out, bit for bit.

usage: probe.py [--device cuda|npu|cpu] [-o FILE] [--quick]        then: assay unit identify FILE

Needs torch (on Ascend torch_npu, too) and nothing else. What a device or a version of torch cannot do is left out, with
a remark in the file. Takes seconds; the file has a few MB, less with a name that ends in .gz.

The tests:
  matmul       dot products of random numbers, of numbers that cancel, of masks (one large number, its negative, small
               ones between: what is lost tells how products are aligned), of subnormal numbers, overflow, infinities
  sum-order    sums of masks: which elements meet before others (the idea of FPRev, USENIX ATC 2025)
  elementwise  + - * / and square root of random numbers and of special ones
  determinism  the same input twenty times

All numbers are written as FP32 patterns in hexadecimal; narrower formats are the FP32 numbers that they are.
"""
import argparse
import gzip
import math
import random
import struct
import sys

TILE = 128  # dot products are the diagonal of a product of TILE x TILE
RUNS = 20  # of the same input


# --- numbers: nothing here needs torch ---

class Format:
    """A floating-point format: significand bits, exponents of the smallest and the largest normal number."""

    def __init__(self, name, precision, emin, emax, largest=None):
        self.name = name
        self.precision = precision
        self.emin = emin
        self.emax = emax
        self.largest = largest or math.ldexp(2 ** precision - 1, emax - precision + 1)
        self.infinite = name != "e4m3"

    def round(self, value):
        """To nearest even, subnormal numbers included. Finite values that do not overflow."""
        if value == 0 or not math.isfinite(value):
            return value
        exponent = max(math.frexp(value)[1] - 1, self.emin)
        quantum = math.ldexp(1.0, exponent - self.precision + 1)
        return round(value / quantum) * quantum

    def tiniest(self):
        return math.ldexp(1.0, self.emin - self.precision + 1)


FORMATS = {f.name: f for f in (
    Format("fp32", 24, -126, 127), Format("tf32", 11, -126, 127), Format("hf32", 12, -126, 127),
    Format("fp16", 11, -14, 15), Format("bf16", 8, -126, 127), Format("e4m3", 4, -6, 8, 448.0),
    Format("e5m2", 3, -14, 15))}


def pattern(value):
    """The FP32 pattern of a number that is one."""
    return struct.pack(">f", value).hex()


def random_number(generator, form, least, most):
    """Random bits, sign and exponent, the exponent from least to most."""
    whole = generator.getrandbits(form.precision - 1) | 1 << (form.precision - 1)
    value = math.ldexp(whole, generator.randint(least, most) - form.precision + 1)
    return form.round(-value if generator.getrandbits(1) else value)


def random_rows(generator, form, length, count):
    """Exponents near 0, as activations and weights have them."""
    rows = []
    for _ in range(count):
        rows.append(([random_number(generator, form, -5, 0) for _ in range(length)],
                     [random_number(generator, form, -5, 0) for _ in range(length)]))
    return rows


def cancelling_rows(generator, form, length, count):
    """The largest product has its negative in the row: what is left is small, and shows what alignment cut off even
    where results have few bits."""
    low, high = max(form.emin, -12), min(form.emax - 1, 6)
    rows = []
    for _ in range(count):
        a = [random_number(generator, form, low, 0) for _ in range(length)]
        b = [random_number(generator, form, low, 0) for _ in range(length)]
        i, j = generator.sample(range(length), 2)
        a[i] = random_number(generator, form, high - 2, high)
        b[i] = random_number(generator, form, high - 2, high)
        a[j], b[j] = a[i], -b[i]
        keep = generator.randint(2, length)  # few others, so that the result has few bits
        for k in generator.sample(range(length), length - keep):
            if k not in (i, j):
                a[k] = 0.0
        rows.append((a, b))
    return rows


def mask_rows(generator, form, length, count):
    """M and -M, ones between: ones that are counted met neither. M is so far above that every one is lost beside it."""
    power = min(form.emax - 1, 14)
    unit = max(form.emin, -6)
    rows = []
    for _ in range(count):
        a, b = [math.ldexp(1.0, unit)] * length, [math.ldexp(1.0, unit)] * length
        i, j = generator.sample(range(length), 2)
        a[i] = b[i] = a[j] = math.ldexp(1.0, power)
        b[j] = -b[i]
        rows.append((a, b))
    return rows


def special_rows(generator, form, length):
    """Subnormal numbers, overflow, infinities, NaN, zeros of both signs."""
    tiny, small = form.tiniest(), math.ldexp(1.0, form.emin)
    below = form.round(small - tiny)
    large, one = form.largest, 1.0
    pairs = [([tiny], [one]), ([below], [one]), ([below, small], [one, one]), ([small], [0.5]), ([-small], [0.5]),
             ([below, below], [one, -0.5]), ([tiny], [large]), ([large], [one]), ([large, large], [one, one]),
             ([large, large, large], [one, one, -one]), ([-large, -large], [one, one]), ([large], [large]),
             ([large, large], [large, -large]), ([-0.0], [one]), ([0.0], [-one]), ([math.nan], [one])]
    if form.infinite:
        pairs += [([math.inf], [one]), ([-math.inf], [one]), ([math.inf], [0.0]), ([math.inf, math.inf], [one, -one])]
    rows = []
    for first, second in pairs:
        for place in (0, generator.randrange(length - len(first))):
            a, b = [0.0] * length, [0.0] * length
            a[place:place + len(first)] = first
            b[place:place + len(second)] = second
            rows.append((a, b))
    return rows


def matmul_rows(form, length, quick):
    generator = random.Random(f"{form.name} {length}")
    part = 4 if quick else 1
    return (random_rows(generator, form, length, 256 // part) + cancelling_rows(generator, form, length, 256 // part)
            + mask_rows(generator, form, length, 128 // part) + special_rows(generator, form, length))


def order_pairs(count):
    """All pairs of up to 64 elements; of more the first with all others, and neighbours."""
    if count <= 64:
        return [(i, j) for i in range(count) for j in range(i + 1, count)]
    return [(0, j) for j in range(1, count)]


# For each format: M and the unit, so that even all units together are lost beside M in FP32.
ORDER_MASKS = {"fp32": (2.0 ** 60, 1.0), "bf16": (2.0 ** 60, 1.0), "fp16": (2.0 ** 15, 2.0 ** -24)}
# Units that FP32 keeps beside M, and the format itself does not.
WIDTH_MASKS = {"fp32": (2.0 ** 30, 1.0), "bf16": (2.0 ** 12, 1.0), "fp16": (2.0 ** 13, 1.0)}


def order_row(masks, count, i, j):
    large, unit = masks
    row = [unit] * count
    row[i], row[j] = large, -large
    return row


def element_pairs(form, operation):
    """Operands of an elementwise operation: special ones, then random ones."""
    generator = random.Random(f"{form.name} {operation}")
    tiny, small, large = form.tiniest(), math.ldexp(1.0, form.emin), form.largest
    below = form.round(small - tiny)
    special = {
        "add": [(tiny, tiny), (below, tiny), (small, -below), (-small, below), (tiny, -tiny), (large, large),
                (-large, -large), (math.inf, -math.inf), (math.inf, 1.0), (math.nan, 1.0), (0.0, -0.0), (-0.0, -0.0)],
        "multiply": [(tiny, 1.0), (below, 2.0), (small, 0.5), (-small, 0.5), (small, 0.75), (tiny, 0.5), (large, 2.0),
                     (-large, 2.0), (math.inf, 0.0), (math.inf, -1.0), (math.nan, 1.0), (-0.0, 1.0)],
        "divide": [(tiny, 1.0), (below, 0.5), (small, 2.0), (-small, 2.0), (1.0, below), (tiny, tiny), (large, 0.5),
                   (-large, 0.5), (1.0, 0.0), (-1.0, 0.0), (0.0, 0.0), (math.inf, math.inf), (1.0, math.inf),
                   (math.nan, 1.0)],
        "sqrt": [(tiny, 0.0), (below, 0.0), (small, 0.0), (large, 0.0), (-1.0, 0.0), (-0.0, 0.0), (0.0, 0.0),
                 (math.inf, 0.0), (math.nan, 0.0)],
    }[operation]
    spread = min(form.emax // 3, 20)
    pairs = list(special)
    for _ in range(500):
        x = random_number(generator, form, -spread, spread)
        y = random_number(generator, form, -spread, spread)
        pairs.append((abs(x) if operation == "sqrt" else x, y))
    return pairs


class Writer:
    """The text of the file."""

    def __init__(self, out):
        self.out = out

    def key(self, name, value):
        self.out.write(f"# {name} {value}\n")

    def remark(self, text):
        self.out.write("#   " + " ".join(str(text).split())[:300] + "\n")

    def section(self, kind, keys, columns):
        self.out.write(f"\n[{kind}]\n")
        for name, value in keys.items():
            self.key(name, value)
        self.out.write("\t".join(columns) + "\n")

    def row(self, *cells):
        self.out.write("\t".join(" ".join(map(pattern, cell)) for cell in cells) + "\n")

    def bits_row(self, run, bits):
        self.out.write(f"{pattern(run)}\t{bits:08x}\n")


# --- the device: nothing else knows torch ---

# What torch raises where a device or a version has no such operation.
NOT_DONE = (RuntimeError, TypeError, NotImplementedError, AttributeError)


class Device:
    """Runs operations on lists of numbers and gives lists back."""

    def __init__(self, torch, name):
        self.torch = torch
        self.name = name
        self.types = {"fp32": torch.float32, "tf32": torch.float32, "hf32": torch.float32, "fp16": torch.float16,
                      "bf16": torch.bfloat16, "e4m3": getattr(torch, "float8_e4m3fn", None),
                      "e5m2": getattr(torch, "float8_e5m2", None)}

    def title(self):
        if self.name == "cuda":
            return self.torch.cuda.get_device_name()
        if self.name == "npu":
            return self.torch.npu.get_device_name()
        return cpu_title()

    def version(self):
        return self.torch.__version__

    def tensor(self, values, form):
        """Of numbers of the format. The conversion is the CPU's, and exact."""
        return self.torch.tensor(values, dtype=self.torch.float32).to(self.types[form]).to(self.name)

    @staticmethod
    def numbers(tensor):
        return tensor.float().cpu().tolist()

    def matmuls(self):
        """(name, input format, output format, length, function) of what there may be."""
        torch = self.torch
        cases = []
        for form in ("fp16", "bf16"):
            cases.append((f"matmul {form}", form, form, 32, torch.mm))
            cases.append((f"matmul {form} to fp32", form, "fp32", 32,
                          lambda a, b: torch.mm(a, b, out_dtype=torch.float32)))
        cases.append(("matmul fp32", "fp32", "fp32", 32, torch.mm))
        if self.name in ("cuda", "npu"):
            form = "tf32" if self.name == "cuda" else "hf32"
            cases.append((f"matmul {form}", form, "fp32", 32, torch.mm))
        for form in ("e4m3", "e5m2") if hasattr(torch, "_scaled_mm") else ():
            for fast in (True, False):
                for output, out in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
                    words = "fast" if fast else "split"
                    cases.append((f"matmul {form} to {output}, {words} accumulation", form, output, 64,
                                  self.scaled_matmul(out, fast)))
        return cases

    def scaled_matmul(self, out, fast):
        one = self.torch.ones((), dtype=self.torch.float32, device=self.name)
        return lambda a, b: self.torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=out, use_fast_accum=fast)

    def dots(self, rows, form, multiply):
        """The dot products of (a, b) rows, TILE at a time as the diagonal of a product."""
        if self.name == "cuda":  # whether FP32 is cut to TF32 or HF32
            self.torch.backends.cuda.matmul.allow_tf32 = form == "tf32"
        if self.name == "npu":
            self.torch.npu.matmul.allow_hf32 = form == "hf32"
        results = []
        for first in range(0, len(rows), TILE):
            some = rows[first:first + TILE]
            some = some + [([0.0] * len(some[0][0]),) * 2] * (TILE - len(some))
            product = multiply(self.tensor([a for a, _ in some], form), self.tensor([b for _, b in some], form).t())
            results += self.numbers(product.diagonal())
        return results[:len(rows)]

    def sums(self, rows, form):
        return self.numbers(self.tensor(rows, form).sum(dim=1))

    def apply(self, operation, pairs, form):
        function = {"add": self.torch.add, "multiply": self.torch.mul, "divide": self.torch.div,
                    "sqrt": lambda x, _: self.torch.sqrt(x)}[operation]
        return self.numbers(function(self.tensor([x for x, _ in pairs], form),
                                     self.tensor([y for _, y in pairs], form)))

    def repeats(self, quick):
        """Operations by name, whose results may depend on chance."""
        torch = self.torch
        torch.manual_seed(1)
        size = 128 if quick else 512
        many = 1 << (14 if quick else 18)
        x = torch.randn(size, size).to(self.name)
        long = torch.randn(many).to(self.name)
        places = torch.randint(0, 100, (many,)).to(self.name)
        return {
            "matmul fp32": lambda: self.digest(x @ x),
            "matmul bf16": lambda: self.digest(x.bfloat16() @ x.bfloat16()),
            "sum fp32": lambda: self.digest(long.sum().reshape(1)),
            "softmax fp32": lambda: self.digest(torch.softmax(x, 1)),
            "cumsum fp32": lambda: self.digest(torch.cumsum(long, 0)),
            "index_add fp32": lambda: self.digest(torch.zeros(100, device=self.name).index_add(0, places, long)),
        }

    def digest(self, tensor):
        """32 bits that depend on every bit of the result and on its place."""
        torch = self.torch
        bits = tensor.float().cpu().contiguous().view(torch.int32).flatten().to(torch.int64) & 0xFFFFFFFF
        places = torch.arange(1, bits.numel() + 1, dtype=torch.int64) * 0x9E3779B1 & 0x7FFFFFFF
        return int((bits * (places | 1) & 0xFFFFFFFF).sum().item()) & 0xFFFFFFFF


def cpu_title():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            for line in info:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return "CPU"


def choose_device(torch, wanted):
    if wanted in (None, "npu"):
        try:
            import torch_npu  # noqa: F401  pylint: disable=unused-import
            if torch.npu.is_available():
                return "npu"
        except ImportError:
            pass
    if wanted in (None, "cuda") and torch.cuda.is_available():
        return "cuda"
    if wanted in (None, "cpu"):
        return "cpu"
    raise SystemExit(f"probe: there is no device '{wanted}' here")


# --- tests ---

def test_matmul(device, writer, quick):
    for name, form, output, length, multiply in device.matmuls():
        rows = matmul_rows(FORMATS[form], length, quick)
        try:
            results = device.dots(rows, form, multiply)
        except NOT_DONE as error:
            writer.remark(f"{name}: not done here: {error}")
            continue
        writer.section("matmul", {"name": name, "input": form, "output": output}, ("a", "b", "d"))
        for (a, b), d in zip(rows, results):
            writer.row(a, b, [d])


def test_order(device, writer, quick):
    for form in ("fp32", "bf16", "fp16"):
        # The number of units has to be a number of the format.
        counts = [n for n in (64, 256) + (() if quick else (1024,)) if n <= 2 ** FORMATS[form].precision]
        tests = [(f"sum of {count} {form}", count, order_pairs(count), ORDER_MASKS[form]) for count in counts]
        tests.append((f"accumulator of the sum of {form}", 64, [(0, j) for j in range(1, 64)], WIDTH_MASKS[form]))
        for name, count, pairs, masks in tests:
            try:
                sums = device.sums([order_row(masks, count, i, j) for i, j in pairs], form)
            except NOT_DONE as error:
                writer.remark(f"{name}: not done here: {error}")
                continue
            keys = {"name": name, "input": form, "count": count, "mask": masks[0], "unit": masks[1]}
            writer.section("sum-order", keys, ("i", "j", "d"))
            for (i, j), d in zip(pairs, sums):
                writer.row([i], [j], [d])


def test_elements(device, writer):
    for form in ("fp32", "fp16", "bf16"):
        for operation in ("add", "multiply", "divide", "sqrt"):
            pairs = element_pairs(FORMATS[form], operation)
            try:
                results = device.apply(operation, pairs, form)
            except NOT_DONE as error:
                writer.remark(f"{operation} in {form}: not done here: {error}")
                continue
            writer.section("elementwise", {"name": f"{operation} {form}", "input": form, "operation": operation},
                           ("x", "y", "d"))
            for (x, y), d in zip(pairs, results):
                writer.row([x], [y], [d])


def test_determinism(device, writer, quick):
    for name, function in device.repeats(quick).items():
        try:
            digests = [function() for _ in range(RUNS)]
        except NOT_DONE as error:
            writer.remark(f"{name}: not done here: {error}")
            continue
        writer.section("determinism", {"name": name}, ("run", "digest"))
        for run, bits in enumerate(digests):
            writer.bits_row(run, bits)


def probe(device, out, quick=False):
    """Writes all that the device tells."""
    writer = Writer(out)
    writer.key("assay-probe", 1)
    writer.key("device", device.title())
    writer.key("torch", device.version())
    test_matmul(device, writer, quick)
    test_order(device, writer, quick)
    test_elements(device, writer)
    test_determinism(device, writer, quick)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=("cuda", "npu", "cpu"), help="the first that is there where not given")
    parser.add_argument("-o", metavar="FILE", default="probe.txt.gz", help="- is standard output; default %(default)s")
    parser.add_argument("--quick", action="store_true", help="fewer and smaller tests")
    options = parser.parse_args()
    try:
        import torch
    except ImportError:
        sys.exit("probe: torch is not installed for this Python")
    device = Device(torch, choose_device(torch, options.device))
    opener = gzip.open if options.o.endswith(".gz") else open
    with sys.stdout if options.o == "-" else opener(options.o, "wt", encoding="ascii", errors="replace") as out:
        probe(device, out, options.quick)
    if options.o != "-":
        print(f"wrote {options.o}; assay unit identify {options.o}")


if __name__ == "__main__":
    main()
