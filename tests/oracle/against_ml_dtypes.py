#!/usr/bin/env python3
"""Compares casts and codes with ml_dtypes and en_dtypes, libraries that JAX, TensorFlow and Ascend's tools use.

usage: against_ml_dtypes.py WRITE_CASTS

WRITE_CASTS is the program of tests/oracle/write_casts.cpp. All 65,536 patterns of FP16 and of BF16 are cast by way of
float32, which holds each of them, to every format that the libraries have; all codes are decoded. Differences that are
known, and why, are in KNOWN; any other fails. Without numpy or ml_dtypes it says so and ends with status 77 (skipped).
"""
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import ml_dtypes
except ImportError as missing:
    print(f"left out: {missing}")
    sys.exit(77)
try:
    import en_dtypes
except ImportError:
    en_dtypes = None

# Our name -> theirs.
OURS_TO_THEIRS = {
    "bf16": ml_dtypes.bfloat16,
    "fp16": numpy.float16,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz,
}
# Younger releases of the libraries only.
for ours, library, name in [
    ("e4m3ieee", ml_dtypes, "float8_e4m3"), ("e3m4", ml_dtypes, "float8_e3m4"), ("e8m0", ml_dtypes, "float8_e8m0fnu"),
    ("e3m2", ml_dtypes, "float6_e3m2fn"), ("e2m3", ml_dtypes, "float6_e2m3fn"), ("e2m1", ml_dtypes, "float4_e2m1fn"),
    ("hif8", en_dtypes, "hifloat8"), ("e1m2", en_dtypes, "float4_e1m2"),
]:
    if hasattr(library, name):
        OURS_TO_THEIRS[ours] = getattr(library, name)


def sources():
    """{name: all 65,536 patterns as float32}."""
    patterns = numpy.arange(65536, dtype=numpy.uint16)
    half = patterns.view(numpy.float16).astype(numpy.float32)
    brain = (patterns.astype(numpy.uint32) << 16).view(numpy.float32)
    return {"fp16": half, "bf16": brain}


# Differences that are meant: (formats, which inputs, why).
KNOWN = [
    (("e3m2", "e2m3", "e2m1", "e1m2"), lambda x: numpy.isnan(x),
     "NaN into a format without one: these libraries give 0 or -0; ONNX Cast and PTX cvt the largest number, as we do"),
    (("e8m0",), lambda x: (x > 2.0**-127) & (x < 1.5 * 2.0**-127),
     "ml_dtypes rounds float32's subnormals between 2^-127 and the middle up to 2^-126, away from the nearer power"),
]


def differences(folder, name, theirs, source, x):
    """What is wrong, as lines, and how many known differences were met."""
    codes = numpy.fromfile(folder / f"{name}.{source}", dtype="<u2")
    values = numpy.fromfile(folder / f"{name}.values", dtype="<f8")
    with numpy.errstate(all="ignore"):
        cast = x.astype(theirs)
        theirs_nan = numpy.isnan(cast.astype(numpy.float32))
    wanted = cast.view(numpy.uint16 if cast.dtype.itemsize == 2 else numpy.uint8).astype(numpy.uint16)
    # NaNs are one class: a library chooses their payload, and their sign where the format has one.
    wrong = (wanted != codes) & ~(theirs_nan & numpy.isnan(values[codes]))
    known = 0
    for formats, which, _ in KNOWN:
        if name in formats:
            known += int((wrong & which(x)).sum())
            wrong &= ~which(x)
    lines = [f"{source} to {name}: {x[i]!r} ({i:#06x}): ours {codes[i]:#x}, {theirs.__name__} {wanted[i]:#x}"
             for i in numpy.flatnonzero(wrong)[:8]]
    if wrong.sum() > 8:
        lines.append(f"{source} to {name}: {int(wrong.sum())} differences in all")
    return lines, known


def wrong_values(folder, name, theirs):
    """Codes that mean another number there."""
    ours = numpy.fromfile(folder / f"{name}.values", dtype="<f8")
    codes = numpy.arange(len(ours), dtype=numpy.uint16 if len(ours) > 256 else numpy.uint8)
    with numpy.errstate(all="ignore"):
        meant = codes.view(theirs).astype(numpy.float64)
    same = (numpy.isnan(ours) & numpy.isnan(meant)) | (ours.view(numpy.uint64) == meant.view(numpy.uint64))
    return [f"{name} {i:#x}: ours {ours[i]!r}, {theirs.__name__} {meant[i]!r}" for i in numpy.flatnonzero(~same)[:8]]


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: against_ml_dtypes.py WRITE_CASTS")
    wrong, casts, known = [], 0, 0
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        subprocess.run([sys.argv[1], folder], check=True)
        for name, theirs in OURS_TO_THEIRS.items():
            wrong += wrong_values(folder, name, theirs)
            for source, x in sources().items():
                lines, met = differences(folder, name, theirs, source, x)
                wrong += lines
                casts += len(x)
                known += met
    print("\n".join(wrong), end="\n" if wrong else "")
    print(f"{casts} casts into {len(OURS_TO_THEIRS)} formats: {known} known differences, {len(wrong)} lines of others")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
