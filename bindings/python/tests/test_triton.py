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


# NumPy casts to f16, here and in the interpreter, and warns of 1e9.
@pytest.mark.filterwarnings("ignore:overflow encountered in cast:RuntimeWarning")
@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2", "bfloat16", "float16"])
def test_casts_have_the_bits_of_cvt(name):
    types = {"float8_e4m3fn": tl.float8e4nv, "float8_e5m2": tl.float8e5, "bfloat16": tl.bfloat16, "float16": tl.float16}
    y = torch.empty(COUNT, dtype=getattr(torch, name))
    casts[(1,)](X, y, COUNT, types[name])
    x = X.numpy()
    if name == "float16":
        expected = x.astype(np.float16)
    else:
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
