"""Triton's interpreter with inline PTX and the casts of a GPU."""

import os

import numpy as np
import pytest

os.environ.setdefault("TRITON_INTERPRET", "1")
pytest.importorskip("torch")
pytest.importorskip("triton")

import torch
import triton
import triton.language as tl

import ptxcvt
import ptxcvt.triton

ptxcvt.triton.install()
ptxcvt.triton.install()

COUNT = 4096
X = torch.from_numpy(np.random.default_rng(5).standard_normal(COUNT).astype(np.float32) * 100)
X[:6] = torch.tensor([126.24, 0.0, -0.0, 1e9, float("inf"), 2.0**-9])


@triton.jit
def casts(x, y, n: tl.constexpr, dtype: tl.constexpr):
    at = tl.arange(0, n)
    tl.store(y + at, tl.load(x + at).to(dtype))


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2", "bfloat16", "float16"])
def test_casts_have_the_bits_of_cvt(name):
    types = {"float8_e4m3fn": tl.float8e4nv, "float8_e5m2": tl.float8e5, "bfloat16": tl.bfloat16, "float16": tl.float16}
    y = torch.empty(COUNT, dtype=getattr(torch, name))
    casts[(1,)](X, y, COUNT, types[name])
    x = X.numpy()
    expected = ptxcvt.convert(f"f32->{ptxcvt.Format(name).name}", x)
    bits = y.view(torch.uint8).numpy()
    np.testing.assert_array_equal(bits, expected.view(np.uint8))
    # And back.
    wide = torch.empty(COUNT)
    casts[(1,)](y, wide, COUNT, tl.float32)
    np.testing.assert_array_equal(wide.numpy(), expected.astype(np.float32))


@triton.jit
def both(x, y, z, n: tl.constexpr):
    at = tl.arange(0, n)
    v = tl.load(x + at)
    tl.store(y + at, v.to(tl.float8e4nv))
    packed = tl.inline_asm_elementwise(
        "cvt.rn.satfinite.e4m3x2.f32 $0, $2, $1;", "=h,f,f", [v], dtype=tl.float8e4nv, is_pure=True, pack=2
    )
    tl.store(z + at, packed)


def test_a_cast_and_inline_ptx_agree():
    y, z = (torch.empty(COUNT, dtype=torch.float8_e4m3fn) for _ in range(2))
    both[(1,)](X, y, z, COUNT)
    assert torch.equal(y.view(torch.uint8), z.view(torch.uint8))


ALL = {"fp64": tl.float64, "fp32": tl.float32, "fp16": tl.float16, "bf16": tl.bfloat16, "fp8e4nv": tl.float8e4nv, "fp8e5": tl.float8e5}
TORCH = {
    "fp64": torch.float64,
    "fp32": torch.float32,
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
    "fp8e4nv": torch.float8_e4m3fn,
    "fp8e5": torch.float8_e5m2,
}
PTX = {"fp64": "f64", "fp32": "f32", "fp16": "f16", "bf16": "bf16", "fp8e4nv": "e4m3", "fp8e5": "e5m2"}


@triton.jit
def rounded(x, y, n: tl.constexpr, dtype: tl.constexpr, rounding: tl.constexpr):
    at = tl.arange(0, n)
    tl.store(y + at, tl.load(x + at).to(dtype, fp_downcast_rounding=rounding))


def cast(x, name, rounding=None):
    y = torch.empty(COUNT, dtype=TORCH[name])
    rounded[(1,)](x, y, COUNT, ALL[name], rounding)
    return y


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("source", ALL)
@pytest.mark.parametrize("destination", ALL)
def test_every_cast_between_types_of_ptx(source, destination):
    if source == destination:
        return
    # Every exponent, with ties and what is next to them, and NaN of every kind.
    bits = np.random.default_rng(8).integers(0, 1 << 63, COUNT, np.uint64) & np.uint64(0xFFFF << 47)
    x = np.concatenate([X.numpy().astype(np.float64), (bits << np.uint64(1)).view(np.float64)])[::2]
    x = ptxcvt.convert(f"f64->{PTX[source]}", x) if PTX[source] in ("f32", "f16", "bf16") else x
    if source[:3] == "fp8":
        x = np.arange(COUNT).astype(np.uint8)
    else:
        exponent = np.array([np.inf, -np.inf], x.dtype).view(f"u{x.dtype.itemsize}")
        low = np.arange(1, 64, dtype=exponent.dtype)
        payloads = np.concatenate([low, low << (ptxcvt.Format(PTX[source]).nmant - 6), exponent.dtype.type(0) - low])
        x[:378].view(exponent.dtype)[:] = (exponent[:, None] | payloads).reshape(-1)
        assert np.isnan(x[:378].astype(np.float64)).all()
    tensor = torch.from_numpy(np.ascontiguousarray(x).view(np.uint8)).view(TORCH[source])
    if destination[:3] == "fp8" and source in ("fp64", "fp8e4nv", "fp8e5"):
        with pytest.raises(Exception, match=f"there is no cast from {source}"):
            cast(tensor, destination)
        return
    x = x.view(np.uint8) if source[:3] == "fp8" else x
    expected = ptxcvt.convert(f"{PTX[source]}->{PTX[destination]}", x)
    made = cast(tensor, destination).view(torch.uint8).numpy().view(expected.dtype)
    if (source, destination) == ("fp16", "fp64"):
        # Triton makes two casts of this one before the interpreter sees it.
        expected = ptxcvt.convert("f32->f64", ptxcvt.convert("f16->f32", x))
    np.testing.assert_array_equal(made.view(np.uint8), expected.view(np.uint8))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"])
def test_integers_to_bfloat16(dtype):
    numbers = np.random.default_rng(9).integers(0, 256, 8 * COUNT, np.uint8)
    numbers = (numbers.view(dtype) if dtype != "bool" else numbers > 127)[:COUNT]
    expected = ptxcvt.convert(f"{'u8' if dtype == 'bool' else dtype[0].replace('i', 's') + dtype.strip('uint')}->bf16", numbers.view("u1") if dtype == "bool" else numbers)
    made = cast(torch.from_numpy(numbers.copy()), "bf16")
    np.testing.assert_array_equal(made.view(torch.int16).numpy(), expected.view(np.int16))


@pytest.mark.parametrize("source", ["fp64", "fp32", "fp16", "bf16"])
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_floats_to_integers(source, dtype):
    # The ends of every integer type, what is next to them and beyond, NaN of both signs, infinities, and fractions.
    ends = [sign * np.float64(1 << n) for n in (7, 8, 15, 16, 31, 32, 63, 64) for sign in (1, -1)]
    wide = [y for x in ends for y in (x, np.nextafter(x, 0), np.nextafter(x, 2 * x), x - 1, x + 1, x - 0.5, 3 * x)]
    wide += [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 300.7, -300.7, 1e300, -1e300]
    x = np.concatenate([np.array(wide), X.numpy().astype(np.float64)])[:COUNT]
    with np.errstate(all="ignore"):
        x = ptxcvt.convert(f"f64->{PTX[source]}", x) if source != "fp64" else x
    y = torch.empty(COUNT, dtype=getattr(torch, dtype))
    casts[(1,)](torch.from_numpy(x.view(np.uint8)).view(TORCH[source]), y, COUNT, getattr(tl, dtype))
    # As Triton compiles it: to 16 bits at least, of which a narrower type has the low ones.
    width, letter = int(dtype.strip("uint")), "u" if dtype[0] == "u" else "s"
    expected = ptxcvt.convert(f"cvt.rzi.{letter}{max(width, 16)}.{PTX[source]}", x).astype(dtype)
    np.testing.assert_array_equal(y.numpy(), expected)
    if (source, dtype) == ("fp32", "int32"):
        four = torch.tensor([1e10, -1e10, float("nan"), 3.7] + [0.0] * (COUNT - 4))
        casts[(1,)](four, y, COUNT, tl.int32)
        assert y[:4].tolist() == [2147483647, -2147483648, 0, 3]


def test_casts_toward_zero():
    for name in ("fp16", "bf16"):
        expected = ptxcvt.convert(f"f32->{PTX[name]}", X.numpy()[:4], rounding="rz")
        made = cast(X.repeat(1), name, "rtz")[:4]
        np.testing.assert_array_equal(made.view(torch.uint8).numpy(), expected.view(np.uint8))
    # As the GPU: the upper byte of an f16 that is rounded toward zero.
    x = torch.tensor([1.24, -1.24, 1e9, float("inf"), 1e-30] + [0.0] * (COUNT - 5))
    made = cast(x, "fp8e5", "rtz")[:5]
    assert made.float().tolist() == [1.0, -1.0, 57344.0, float("inf"), 0.0]


@triton.jit
def as_bytes(x, y, n: tl.constexpr, dtype: tl.constexpr):
    at = tl.arange(0, n)
    tl.store(y + at, tl.load(x + at).to(dtype).to(tl.uint8, bitcast=True))


def test_other_casts_warn_once():
    y = torch.empty(COUNT, dtype=torch.uint8)
    for dtype, name in [(tl.float8e4b8, "fp8e4b8"), (tl.float8e5b16, "fp8e5b16"), (tl.float8e4b15, "fp8e4b15")]:
        with pytest.warns(RuntimeWarning, match=f"cast from fp32 to {name} may have other bits") as caught:
            as_bytes[(1,)](X, y, COUNT, dtype)
            as_bytes[(1,)](X, y, COUNT, dtype)
        assert len([one for one in caught if "other bits" in str(one.message)]) == 1
