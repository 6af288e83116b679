"""Measures conversions next to the Rust library and to other packages, and prints the tables of docs/log/python.md.

    python bindings/python/bench/speed.py [--elements 26] [--library PATH]

PATH is `target/release/libptxcvt.so` (`cargo build --release -p ptxcvt-c`), the Rust library, called on the same
memory. Installed peers are measured: ml_dtypes, NumPy, PyTorch, NumKong. Each time is the least of several runs, in
nanoseconds of processor time per element on one thread. All are measured in turns in one run. Other programs disturb
them only through the shared caches and memory.
"""

from __future__ import annotations

import argparse
import ctypes
import datetime
import importlib.metadata
import platform
import sys
import time
from typing import Any, Callable

import ml_dtypes
import numpy as np

import ptxcvt

#: Conversion, dtype of the source, dtype of the result.
CONVERSIONS = [
    ("f32->e4m3", np.float32, ml_dtypes.float8_e4m3fn),
    ("f32->e5m2", np.float32, ml_dtypes.float8_e5m2),
    ("f32->e2m3", np.float32, ml_dtypes.float6_e2m3fn),
    ("f32->e2m1", np.float32, ml_dtypes.float4_e2m1fn),
    ("f32->bf16", np.float32, ml_dtypes.bfloat16),
    ("f32->f16", np.float32, np.float16),
    ("f16->e4m3", np.float16, ml_dtypes.float8_e4m3fn),
    ("bf16->e4m3", ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn),
    ("f16->f32", np.float16, np.float32),
    ("bf16->f32", ml_dtypes.bfloat16, np.float32),
    ("e4m3->f32", ml_dtypes.float8_e4m3fn, np.float32),
    ("e5m2->f32", ml_dtypes.float8_e5m2, np.float32),
    ("e2m3->f32", ml_dtypes.float6_e2m3fn, np.float32),
    ("e3m2->f32", ml_dtypes.float6_e3m2fn, np.float32),
    ("e2m1->f32", ml_dtypes.float4_e2m1fn, np.float32),
    ("ue8m0->f32", ml_dtypes.float8_e8m0fnu, np.float32),
    ("e4m3->f16", ml_dtypes.float8_e4m3fn, np.float16),
    ("e4m3->bf16", ml_dtypes.float8_e4m3fn, ml_dtypes.bfloat16),
    ("e5m2->bf16", ml_dtypes.float8_e5m2, ml_dtypes.bfloat16),
    ("f64->f32", np.float64, np.float32),
    ("f32->f64", np.float32, np.float64),
    ("f64->f16", np.float64, np.float16),
    ("f32->s8", np.float32, np.int8),
    ("f32->s32", np.float32, np.int32),
    ("s8->f32", np.int8, np.float32),
    ("s32->f32", np.int32, np.float32),
    ("f64->bf16", np.float64, ml_dtypes.bfloat16),
    ("bf16->f64", ml_dtypes.bfloat16, np.float64),
    ("f16->bf16", np.float16, ml_dtypes.bfloat16),
    ("bf16->f16", ml_dtypes.bfloat16, np.float16),
    ("f16->f64", np.float16, np.float64),
    ("s64->f32", np.int64, np.float32),
    ("f64->s32", np.float64, np.int32),
    ("f64->s8", np.float64, np.int8),
    ("s32->bf16", np.int32, ml_dtypes.bfloat16),
    ("s16->s8", np.int16, np.int8),
    ("s32->s16", np.int32, np.int16),
    ("e4m3->s8", ml_dtypes.float8_e4m3fn, np.int8),
]


def best(*works: Callable[[], Any], seconds: float = 0.1) -> list[float]:
    """Returns the shortest time of each call; the calls are run in turns."""
    shortest = [float("inf")] * len(works)
    for _ in range(5):
        for number, work in enumerate(works):
            begun = time.process_time()
            while True:
                start = time.process_time()
                work()
                end = time.process_time()
                shortest[number] = min(shortest[number], end - start)
                if end - begun > seconds / 5:
                    break
    return shortest


def sample(count: int, dtype: Any) -> np.ndarray:
    numbers = np.random.default_rng(1).standard_normal(min(count, 1 << 20), np.float32)
    whole = np.resize(numbers, count)
    if np.dtype(dtype) == np.float32:
        return whole
    if np.dtype(dtype).kind == "i":
        return (whole * 32).astype(dtype)
    # Narrow sources come from the library itself: their values are exact either way.
    name = ptxcvt._dtypes.format_of(np.dtype(dtype)).name
    rounding = "rz" if name == "ue8m0" else None
    return whole.astype(dtype) if name in ("f64", "f16") else ptxcvt.convert(f"f32->{name}", whole, rounding=rounding)


def peers(source: np.ndarray, dtype: Any) -> dict[str, Callable[[], Any]]:
    """Returns functions that make the same conversion with other packages, each into new memory."""
    found: dict[str, Callable[[], Any]] = {}
    narrow = {np.dtype(t) for t in (source.dtype, dtype)} - {np.dtype(t) for t in (np.float16, np.float32, np.float64, np.int8, np.int16, np.int32, np.int64)}
    found["ml_dtypes" if narrow else "NumPy"] = lambda: source.astype(dtype)
    try:
        import torch
    except ImportError:
        pass
    else:
        torch.set_num_threads(1)
        names = [np.dtype(t).name for t in (source.dtype, dtype)]
        if all(hasattr(torch, name) for name in names):
            bits = {1: np.uint8, 2: np.int16, 4: np.int32, 8: np.int64}[source.itemsize]
            tensor = torch.from_numpy(source.view(bits)).view(getattr(torch, names[0]))
            to = getattr(torch, names[1])
            found["PyTorch"] = lambda: tensor.to(to)
    try:
        import numkong
    except ImportError:
        pass
    else:
        names = {"float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2", "float6_e2m3fn": "e2m3", "float6_e3m2fn": "e3m2"}
        pair = [names.get(np.dtype(t).name, np.dtype(t).name) for t in (source.dtype, dtype)]
        try:
            wide = source if source.dtype.kind == "f" else source.astype(np.float32)
            foreign = numkong.astype(wide, pair[0])
            numkong.astype(wide[:4], pair[1])
        except (TypeError, ValueError):
            # The package lacks one of the two types.
            pass
        else:
            found["NumKong"] = lambda: foreign.astype(pair[1])
    return found


def table(count: int, only: list[str]) -> list[str]:
    """A row for each conversion."""
    rows = []
    columns = ["NumPy", "ml_dtypes", "PyTorch", "NumKong"]
    for conversion, source_dtype, dtype in CONVERSIONS:
        if only and conversion not in only:
            continue
        source = sample(count, source_dtype)
        # A call on a small array is too short for the clock.
        repeat = max(1, (1 << 18) // count)
        found = {"ptxcvt": lambda: ptxcvt.convert(conversion, source), **peers(source, dtype)}
        times = best(*(many(work, repeat) for work in found.values()))
        others = {name: taken / repeat for name, taken in zip(found, times)}
        ours = others.pop("ptxcvt")
        cells = [f"{others[name] / count * 1e9:.3f}" if name in others else "" for name in columns]
        slower = min(others.values()) / ours
        rows.append(f"| {conversion.replace('->', ' to ')} | {ours / count * 1e9:.3f} | " + " | ".join(cells) + f" | {slower:.1f} |")
    return ["| conversion | ptxcvt | " + " | ".join(columns) + " | nearest peer / ptxcvt |", "|" + "---|" * 7, *rows]


def many(work: Callable[[], Any], repeat: int) -> Callable[[], Any]:
    """Runs a call `repeat` times."""

    def all_of_them() -> None:
        for _ in range(repeat):
            work()

    return all_of_them


def short() -> list[str]:
    """Calls whose work takes less time than the call itself."""
    x, few = sample(128, np.float32), sample(16, np.float32)
    small = ptxcvt.convert("f32->e4m3", few)
    calls: dict[str, Callable[[], Any]] = {
        'convert("f32->e4m3", x), 1 element': lambda x=few[:1]: ptxcvt.convert("f32->e4m3", x),
        'convert("f32->e4m3", x), 16 elements': lambda: ptxcvt.convert("f32->e4m3", few),
        'convert("f32->f16", x), 16 elements': lambda: ptxcvt.convert("f32->f16", few),
        'convert("e4m3->f32", x), 16 elements': lambda: ptxcvt.convert("e4m3->f32", small),
        "x.astype(np.float16), NumPy, 16 elements": lambda: few.astype(np.float16),
        'cvt("cvt.rn.f16.f32", 1.5)': lambda: ptxcvt.cvt("cvt.rn.f16.f32", 1.5),
        'cvt("cvt.rn.satfinite.e4m3x2.f32", 1.5, -2.0)': lambda: ptxcvt.cvt("cvt.rn.satfinite.e4m3x2.f32", 1.5, -2.0),
        'cvt("cvt.rn.f16.f32", np.float32(1.5))': lambda x=np.float32(1.5): ptxcvt.cvt("cvt.rn.f16.f32", x),
    }
    for recipe in ("mx-rceil/e4m3", "nvfp4-te-1x16"):
        quantized = ptxcvt.quantize(x, recipe)
        calls[f'quantize(x, "{recipe}"), 128 elements'] = lambda r=recipe: ptxcvt.quantize(x, r)
        calls[f"dequantize(q) of {recipe}, 128 elements"] = lambda q=quantized: ptxcvt.dequantize(q)

    times = best(*(many(call, 1000) for call in calls.values()))
    return [f"| `{name}` | {taken * 1e3:.2f} µs |" for name, taken in zip(calls, times)]


def library(path: str, count: int) -> list[str]:
    """Compares one call with the Rust library, from and to the same memory."""
    rust = ctypes.CDLL(path)
    rust.ptxcvt_form.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint32), ctypes.c_void_p]
    rust.ptxcvt_elements.argtypes = [ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
    rows = []
    for conversion in ("cvt.rn.satfinite.e4m3x2.f32", "cvt.rn.bf16.f32", "cvt.rn.satfinite.e2m1x2.f32"):
        x = sample(count, np.float32)
        out = ptxcvt.convert(conversion, x, packed=True)
        expected, form = out.copy(), ctypes.c_uint32()
        assert rust.ptxcvt_form(conversion.encode(), ctypes.byref(form), None) == 0

        def by_library() -> None:
            rust.ptxcvt_elements(form, x.ctypes.data, x.size, None, out.ctypes.data)

        out[:] = 0
        by_library()
        np.testing.assert_array_equal(out, expected)
        python, direct = best(lambda: ptxcvt.convert(conversion, x, packed=True, out=out), by_library, seconds=2)
        rows.append(f"| `{conversion}` | {python / count * 1e9:.3f} | {direct / count * 1e9:.3f} | {python / direct:.3f} |")
    return ["| form | from Python | Rust library | ratio |", "|---|---|---|---|", *rows]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elements", type=int, default=26, help="of the comparison with the library: a power of two; default 2^26")
    parser.add_argument("--library", metavar="PATH", help="compare with the Rust library at PATH, target/release/libptxcvt.so")
    parser.add_argument("only", metavar="CONVERSION", nargs="*", help="measure only these, such as `e4m3->f32`")
    options = parser.parse_args()
    versions = []
    for name in ("ptxcvt", "numpy", "ml_dtypes", "torch", "numkong"):
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            pass
    print(f"{datetime.date.today()}, {', '.join(versions)}, Python {platform.python_version()}\n")
    print(*short(), sep="\n", end="\n\n")
    if options.library:
        print(*library(options.library, 1 << options.elements), sep="\n", end="\n\n")
    for count in (1 << 16, 1 << 24):
        print(f"{count} elements:\n", *table(count, options.only), sep="\n", end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
