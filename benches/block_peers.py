#!/usr/bin/env python3
"""Compares libraries that quantise in blocks with this package, in one run, on one CPU thread.

Prints nanoseconds of processor time per element from bf16 for each recipe whose library is installed. Both sides are called
from Python on the same array and allocate their results; they take turns, and the least time of several counts. torchao is
measured compiled (`torch.compile`), too. Libraries that are not installed are named and skipped.

    pip install WHEEL numpy ml_dtypes gguf torch torchao nvidia-modelopt compressed-tensors
    python3 benches/block_peers.py
"""

import importlib.metadata
import pathlib
import sys
import time

import ml_dtypes
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "conformance" / "blocks"))

import compare
import ptxcvt

ROWS, COLUMNS, ROUNDS = 1024, 4096, 5
WANTED = ["mx-rceil/e4m3", "mx-floor/e4m3", "mx-even/e2m1", "mx-rceil/e2m1", "mx-rceil/e3m2", "mxfp8-modelopt"]
WANTED += ["nvfp4-modelopt", "nvfp4-compressed-tensors", "gguf-mxfp4"]


def times(*works):
    """Returns the least processor time of one call of each, in nanoseconds per element; the calls take turns."""
    least = [float("inf")] * len(works)
    for _ in range(ROUNDS):
        for number, work in enumerate(works):
            start = time.process_time()
            work()
            least[number] = min(least[number], time.process_time() - start)
    return [shortest / (ROWS * COLUMNS) * 1e9 for shortest in least]


def ml_dtypes_mx(bits):
    """OCP's floor rule written with NumPy, with casts of ml_dtypes, as their users write it."""
    x = bits.view(ml_dtypes.bfloat16).astype(np.float32).reshape(-1, 32)
    amax = np.abs(x).max(axis=1)
    exponent = np.clip(((amax.view(np.uint32) >> 23).astype(np.int32) - 127) - 8, -127, 127)
    q = (x * np.ldexp(np.float32(1), -exponent)[:, None]).clip(-448, 448).astype(ml_dtypes.float8_e4m3fn)
    return (exponent + 127).astype(np.uint8), q


def compiled(element):
    """torchao's function, compiled; without the conversion of its results to bytes."""
    import torch
    from torchao.prototype.mx_formats import mx_tensor as m

    dtype = {"e4m3": torch.float8_e4m3fn, "e2m1": torch.float4_e2m1fn_x2}[element]
    function = torch.compile(lambda x: m.to_mx(x, dtype, 32, m.ScaleCalculationMode.RCEIL), fullgraph=True)
    return lambda bits: function(compare.bf16(bits))


class Once:
    """A function that is made at its first call."""

    def __init__(self, make, *given):
        self.make, self.given, self.made = make, given, None

    def __call__(self, bits):
        self.made = self.made or self.make(*self.given)
        return self.made(bits)


def cases():
    """Yields recipe, library, what is said of it, and a function of the bits."""
    for recipe, library, _, run in compare.cases():
        if recipe in WANTED:
            yield recipe, library, "", run
    for element in ("e4m3", "e2m1"):
        yield f"mx-rceil/{element}", "torchao", ", compiled", Once(compiled, element)
    yield "mx-floor/e4m3", "ml_dtypes", ", NumPy", ml_dtypes_mx


def main():
    try:
        import torch

        torch.set_num_threads(1)
    except ImportError:
        print("skipped: torch is not installed")
    index = np.arange(ROWS * COLUMNS, dtype=np.uint64)
    r = (index * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
    numbers = (r.astype(np.uint32).view(np.int32).astype(np.float32) / np.float32(1e9)).view(np.uint32)
    bits = (numbers >> np.uint32(16)).astype(np.uint16).reshape(ROWS, COLUMNS)
    x = bits.view(ml_dtypes.bfloat16)
    print(f"{ROWS} x {COLUMNS} bf16 numbers, both from Python on one thread, nanoseconds of processor time an element\n")
    print("| recipe | ptxcvt | peer | | times as fast |\n|---|---:|---|---:|---:|")
    for recipe, library, how, run in cases():
        try:
            run(bits)
            version = importlib.metadata.version(library)
        except Exception as error:  # a library that is missing or fails is named
            print(f"skipped: {library}{how}: {type(error).__name__}: {error}".splitlines()[0][:200])
            continue
        mine, other = times(lambda: ptxcvt.quantize(x, recipe), lambda: run(bits))
        print(f"| `{recipe}` | {mine:.2f} | {library} {version}{how} | {other:.1f} | {other / mine:.0f} |", flush=True)


if __name__ == "__main__":
    main()
