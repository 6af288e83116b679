#!/usr/bin/env python3
"""The Python peers of the bulk engine: NumPy, ml_dtypes, PyTorch and NumKong on one CPU thread.

Prints nanoseconds per element for the conversions that each of them has, for the sizes of `cargo xtask bench`.
Libraries that are not installed are named and skipped.

    pip install numpy ml_dtypes torch numkong
    python3 benches/peers.py [--quick]
"""

import argparse
import importlib
import time


def load(name):
    """Imports a module; returns None, and prints a line, if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"skipped: {name} is not installed")
        return None


def measure(work, elements, quick):
    """Returns the least time of one call, in nanoseconds per element."""
    large = elements > 1 << 20
    rounds = (3 if quick else 7) if large else (30 if quick else 200)
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best / elements * 1e9


def inputs(np, elements):
    """Returns numbers in about ±4; one in sixteen is arbitrary bits, including NaN and subnormals."""
    random = np.random.default_rng(0)
    x = (random.standard_normal(elements, dtype=np.float32)) * np.float32(4)
    x.view(np.uint32)[::16] = random.integers(0, 2**32, len(x[::16]), dtype=np.uint32)
    return x


def numpy_cases(np, x):
    """Casts into existing arrays, because allocating would cost more than converting."""
    pairs = [("f32 to f16", x, np.float16), ("f16 to f32", x.astype(np.float16), np.float32)]
    pairs += [("f32 to s8", x, np.int8), ("s8 to f32", x.view(np.int8)[: len(x)].copy(), np.float32)]
    pairs += [("f64 to f32", x.astype(np.float64), np.float32), ("f32 to f64", x, np.float64)]
    pairs += [("s32 to f32", x.view(np.int32), np.float32), ("f32 to s32", x, np.int32)]
    for name, source, to in pairs:
        out = np.empty(len(source), to)
        yield name, lambda source=source, out=out: np.copyto(out, source, casting="unsafe")


def ml_dtypes_cases(np, ml, x):
    names = ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float6_e2m3fn", "float6_e3m2fn"]
    names += ["float4_e2m1fn", "float8_e8m0fnu"]
    for name in names:
        if not hasattr(ml, name):
            continue
        small = np.dtype(getattr(ml, name))
        out, back = np.empty(len(x), small), np.empty(len(x), np.float32)
        yield f"f32 to {name}", lambda out=out: np.copyto(out, x, casting="unsafe")
        yield f"{name} to f32", lambda out=out, back=back: np.copyto(back, out, casting="unsafe")


def torch_cases(torch, x):
    source = torch.from_numpy(x)
    names = ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "int8"]
    for name in names:
        if not hasattr(torch, name):
            continue
        out, back = torch.empty(len(x), dtype=getattr(torch, name)), torch.empty(len(x))
        yield f"f32 to {name}", lambda out=out: out.copy_(source)
        yield f"{name} to f32", lambda out=out, back=back: back.copy_(out)
    for wide in ["float16", "bfloat16"]:
        half = source.to(getattr(torch, wide))
        for name in ["float8_e4m3fn", "float8_e5m2"]:
            out, back = torch.empty(len(x), dtype=getattr(torch, name)), torch.empty_like(half)
            yield f"{wide} to {name}", lambda half=half, out=out: out.copy_(half)
            yield f"{name} to {wide}", lambda out=out, back=back: back.copy_(out)


def numkong_cases(nk, x):
    for name in ["float16", "bfloat16", "e4m3", "e5m2", "e2m3", "e3m2", "int8"]:
        out, back = nk.empty(x.shape, dtype=name), nk.empty(x.shape, dtype="float32")
        yield f"f32 to {name}", lambda name=name, out=out: nk.astype(x, name, out=out)
        yield f"{name} to f32", lambda out=out, back=back: nk.astype(out, "float32", out=back)
    for wide in ["float16", "bfloat16"]:
        half = nk.astype(x, wide)
        for name in ["e4m3", "e5m2"]:
            out, back = nk.empty(x.shape, dtype=name), nk.empty(x.shape, dtype=wide)
            yield f"{wide} to {name}", lambda name=name, half=half, out=out: nk.astype(half, name, out=out)
            yield f"{name} to {wide}", lambda wide=wide, out=out, back=back: nk.astype(out, wide, out=back)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions, and only in cache")
    quick = parser.parse_args().quick
    np = load("numpy")
    ml, torch, nk = load("ml_dtypes"), load("torch"), load("numkong")
    if np is None:
        return
    np.seterr(all="ignore")
    if torch is not None:
        torch.set_num_threads(1)
    for elements in [64 << 10] if quick else [64 << 10, 64 << 20]:
        x = inputs(np, elements)
        cases = [("NumPy", numpy_cases(np, x))]
        cases += [("ml_dtypes", ml_dtypes_cases(np, ml, x))] if ml is not None else []
        cases += [("PyTorch", torch_cases(torch, x))] if torch is not None else []
        cases += [("NumKong", numkong_cases(nk, x))] if nk is not None else []
        print(f"\n{elements} elements, 1 thread, nanoseconds an element\n")
        print("| peer | conversion | ns |\n|---|---|---:|")
        for peer, works in cases:
            for name, work in works:
                print(f"| {peer} | {name} | {measure(work, elements, quick):.4f} |")


if __name__ == "__main__":
    main()
