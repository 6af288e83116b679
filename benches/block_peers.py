#!/usr/bin/env python3
"""Compares libraries that quantise in blocks with ptxcvt-blocks, in one run, on one CPU thread.

Prints nanoseconds per element from bf16 for each recipe whose library is installed. Times are the least of several
repetitions, in which this library (its own benchmark, run as a command) and the peer take turns. Libraries that are not
installed are named and skipped.

    cargo bench -p ptxcvt-blocks --no-run        # prints the benchmark's path
    pip install numpy ml_dtypes gguf torch torchao nvidia-modelopt compressed-tensors jax
    python3 benches/block_peers.py BENCHMARK
"""

import importlib.metadata
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "conformance" / "blocks"))

ROWS, COLUMNS, ROUNDS = 512, 4096, 5


def ours(benchmark, recipe):
    """Returns the first figures of the row: copy and quantiser out of cache."""
    text = subprocess.run(
        [benchmark, "--bench", "--out-of-cache", recipe], check=True, capture_output=True, text=True
    ).stdout
    row = next(line for line in text.splitlines() if line.startswith(f"| {recipe} |"))
    cells = [cell.split()[0] for cell in row.strip("| ").split("|")]
    return float(cells[1]), float(cells[2])


def best(work):
    """Returns the least time of one call, in nanoseconds per element."""
    least = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - start)
    return least / (ROWS * COLUMNS) * 1e9


def ml_dtypes_mx(bits):
    """OCP's floor rule written with NumPy, with casts of ml_dtypes, as their users write it."""
    import ml_dtypes
    import numpy as np

    def run():
        x = bits.view(ml_dtypes.bfloat16).astype(np.float32).reshape(-1, 32)
        amax = np.abs(x).max(axis=1)
        exponent = np.clip(((amax.view(np.uint32) >> 23).astype(np.int32) - 127) - 8, -127, 127)
        q = (x * np.ldexp(np.float32(1), -exponent)[:, None]).clip(-448, 448).astype(ml_dtypes.float8_e4m3fn)
        return (exponent + 127).astype(np.uint8), q

    return run


def main():
    benchmark = str(pathlib.Path(sys.argv[1]).resolve())
    import numpy as np

    import compare

    try:
        import torch

        torch.set_num_threads(1)
    except ImportError:
        print("skipped: torch is not installed")
    # The same numbers as in the benchmark.
    index = np.arange(ROWS * COLUMNS, dtype=np.uint64)
    r = (index * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
    numbers = (r.astype(np.uint32).view(np.int32).astype(np.float32) / np.float32(1e9)).view(np.uint32)
    bits = (numbers >> np.uint32(16)).astype(np.uint16).reshape(ROWS, COLUMNS)
    wanted = {"mx-rceil/e4m3", "mx-floor/e4m3", "mx-even/e2m1", "mx-rceil/e2m1", "mx-rceil/e3m2", "mxfp8-modelopt"}
    wanted |= {"nvfp4-modelopt", "nvfp4-compressed-tensors", "gguf-mxfp4"}
    cases = [(recipe, library, lambda run=run: run(bits)) for recipe, library, _, run in compare.cases() if recipe in wanted]
    cases.append(("mx-floor/e4m3", "ml_dtypes", ml_dtypes_mx(bits)))
    print(f"{ROWS} x {COLUMNS} bf16 numbers (of ptxcvt 32 Mi, out of cache), one thread, nanoseconds an element\n")
    print("| recipe | copy | ptxcvt | peer | | times as fast |\n|---|---:|---:|---|---:|---:|")
    for recipe, library, work in cases:
        try:
            work()
        except ImportError as error:
            print(f"skipped: {library}: {error}")
            continue
        (copy, mine), theirs = ours(benchmark, recipe), best(work)
        version = importlib.metadata.version(library)
        print(f"| `{recipe}` | {copy:.2f} | {mine:.2f} | {library} {version} | {theirs:.1f} | {theirs / mine:.0f} |", flush=True)


if __name__ == "__main__":
    main()
