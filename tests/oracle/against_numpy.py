#!/usr/bin/env python3
"""Reads files that numpy has written, of every dtype, order and version, and compares each number; numpy reads ours.

usage: against_numpy.py PRINT_NPY

PRINT_NPY is the program of tests/oracle/print_npy.cpp. Without numpy it says so and ends with status 77 (skipped);
without ml_dtypes, BF16 and FP8 are left out.
"""
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError as missing:
    print(f"left out: {missing}")
    sys.exit(77)
try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

SHAPES = [(), (1,), (7,), (0,), (3, 5), (5, 0, 2), (2, 3, 4), (1, 1, 3, 2)]
DTYPES = [order + kind for order in "<>" for kind in ("f2", "f4", "f8", "i2", "i4", "i8", "u2", "u4", "u8")]
DTYPES += ["|i1", "|u1", "|b1"]
REFUSED = ["<c8", "<c16", "<U3", "|S3", "<M8[s]", "|O", "<f16"]
# Their dtype -> our format.
RAW = {"bfloat16": "bf16", "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2", "float8_e4m3fnuz": "e4m3fnuz",
       "float8_e5m2fnuz": "e5m2fnuz", "float8_e8m0fnu": "e8m0", "float4_e2m1fn": "e2m1", "float6_e2m3fn": "e2m3"}


def printed(program, path, *more):
    """(shape, values) or the message of an error."""
    run = subprocess.run([program, str(path), *more], capture_output=True, text=True, check=True)
    lines = run.stdout.splitlines()
    if lines[0].startswith("error "):
        return lines[0]
    rank = int(lines[0])
    return tuple(map(int, lines[1:1 + rank])), [float.fromhex(line) for line in lines[1 + rank:]]


def numbers(shape, dtype, random):
    """Numbers of the whole range of a dtype, as it rounds them."""
    kind = numpy.dtype(dtype).kind
    if kind == "f":
        values = numpy.array(random.standard_normal(shape) * 10.0 ** random.integers(-6, 4, shape))
        if values.size > 2:
            values.flat[:3] = numpy.inf, -numpy.inf, numpy.nan
        return values.astype(dtype)
    if kind == "b":
        return numpy.array(random.integers(0, 2, shape)).astype(dtype)
    limits = numpy.iinfo(dtype)
    return numpy.array(random.integers(limits.min, limits.max, shape, dtype=numpy.dtype(dtype).newbyteorder("="),
                                       endpoint=True)).astype(dtype)


def differs(got, array):
    """What is wrong, or nothing."""
    if isinstance(got, str):
        return got
    if got[0] != array.shape:
        return f"shape {got[0]}"
    expected = [float(value) for value in array.astype(object).ravel(order="C")]
    if len(got[1]) != len(expected):
        return f"{len(got[1])} numbers"
    for place, (ours, theirs) in enumerate(zip(got[1], expected)):
        if ours != theirs and not (ours != ours and theirs != theirs):
            return f"element {place}: {ours}, not {theirs}"
    return None


def save(path, array, version):
    with open(path, "wb") as file:
        numpy.lib.format.write_array(file, array, version=version)


def check_plain(program, path, random):
    faults, files = [], 0
    for dtype in DTYPES:
        for shape in SHAPES:
            for order in "CF":
                for version in [(1, 0), (2, 0), (3, 0)]:
                    array = numpy.asarray(numbers(shape, dtype, random), order=order)
                    save(path, array, version)
                    files += 1
                    copy = path.with_name("copy.npy")
                    wrong = differs(printed(program, path, "-", copy), array)
                    if not wrong and not numpy.array_equal(numpy.load(copy), array.astype("f8"), equal_nan=True):
                        wrong = "numpy reads something else in what we wrote"
                    if wrong:
                        faults.append(f"{dtype} {shape} {order} {version}: {wrong}")
    for dtype in REFUSED:
        numpy.save(path, numpy.zeros(2, dtype), allow_pickle=True)
        files += 1
        if not isinstance(printed(program, path), str):
            faults.append(f"{dtype} is not refused")
    numpy.save(path, numpy.zeros(2, [("a", "<f4")]))
    if not isinstance(printed(program, path), str):
        faults.append("records are not refused")
    return faults, files + 1


def check_raw(program, path):
    faults, files = [], 0
    for theirs, ours in RAW.items():
        dtype = getattr(ml_dtypes, theirs, None)
        if dtype is None:
            continue
        size = numpy.dtype(dtype).itemsize
        codes = numpy.arange(1 << 8 * size, dtype=f"u{size}")
        if theirs.startswith(("float4", "float6")):
            codes = codes[:1 << int(theirs[5])]
        array = codes.view(dtype)
        numpy.save(path, array)
        files += 1
        wrong = differs(printed(program, path, ours), array.astype(numpy.float64))
        if wrong:
            faults.append(f"{theirs}: {wrong}")
        if not isinstance(printed(program, path), str):
            faults.append(f"{theirs} is read without its format")
    return faults, files


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "x.npy"
        faults, files = check_plain(program, path, numpy.random.default_rng(1))
        if ml_dtypes is not None:
            more, raw = check_raw(program, path)
            faults, files = faults + more, files + raw
    print("\n".join(faults + [f"{files} files of numpy {numpy.__version__}, {len(faults)} read wrong"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
