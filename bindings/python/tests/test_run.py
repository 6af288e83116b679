"""Inline PTX over arrays, and blocks."""

import ml_dtypes
import numpy as np
import pytest

import ptxcvt
from ptxcvt import Block, Error, run


def test_constraints_and_types():
    a, b = np.float32([1, 2, 3]), np.float32([[10], [20]])
    assert run("add.f32 $0, $1, $2;", "=f,f,f", a, b, dtype=np.float32).tolist() == (a + b).tolist()
    # Without dtype the block determines the result's dtype.
    assert run("mul.lo.s32 %0, %1, 3;", None, np.arange(5, dtype=np.int32)).tolist() == [0, 3, 6, 9, 12]
    assert run("add.f32 $0, $1, $2;", "=f,f,f", a, 1.5).tolist() == [2.5, 3.5, 4.5]
    assert run("add.rn.bf16 $0, $1, $2;", "=h,h,h", *[np.array([1.5, 2], ml_dtypes.bfloat16)] * 2, dtype="bf16").tolist() == [3, 4]
    # Clobbers and blanks as in LLVM.
    assert run("mov.b32 $0, $1;", "=r, r, ~{memory}", np.uint32([7])).tolist() == [7]


def test_packing_agrees_with_cvt():
    x = (np.random.default_rng(0).standard_normal(1000) * 100).astype(np.float32)
    eight = run("cvt.rn.satfinite.e4m3x2.f32 $0, $2, $1;", "=h,f,f", x, dtype="float8_e4m3fn", pack=2)
    np.testing.assert_array_equal(eight.view(np.uint8), ptxcvt.convert("f32->e4m3", x).view(np.uint8))
    asm = "{ .reg .b16 l, h; cvt.rn.satfinite.e4m3x2.f32 l, $2, $1; cvt.rn.satfinite.e4m3x2.f32 h, $4, $3; mov.b32 $0, {l, h}; }"
    four = run(asm, "=r,f,f,f,f", x, dtype="float8_e4m3fn", pack=4)
    np.testing.assert_array_equal(four.view(np.uint8), eight.view(np.uint8))
    # The last group is incomplete.
    np.testing.assert_array_equal(run(asm, "=r,f,f,f,f", x[:998], dtype=np.uint8, pack=4), eight[:998].view(np.uint8))


def test_shapes_and_orders():
    x = np.arange(24, dtype=np.uint32).reshape(2, 3, 4).transpose(2, 0, 1)
    result = run("not.b32 $0, $1;", "=r,r", x)
    assert result.shape == x.shape and result.strides == x.strides and (result == ~x).all()
    assert run("not.b32 $0, $1;", "=r,r", np.zeros((0, 3), np.uint32)).shape == (0, 3)
    assert run("not.b32 $0, $1;", "=r,r", np.uint32(0)) == 0xFFFFFFFF


def test_several_outputs():
    a, b = np.uint32([5, 9]), np.uint32([2, 4])
    less, more = run("sub.u32 $0, $2, $3; add.u32 $1, $2, $3;", "=r,=r,r,r", a, b, dtype=(np.uint32, np.uint32))
    assert less.tolist() == [3, 5] and more.tolist() == [7, 13]


def test_errors():
    x = np.zeros(4, np.float32)
    with pytest.raises(Error, match="line 1, column 1: .*memory"):
        run("ld.global.f32 $0, [$1];", "=f,l", x)
    with pytest.raises(Error, match="the block has 2 inputs, but the arrays need 1 register") as error:
        run("add.f32 $0, $1, $2;", "=f,f,f", x)
    assert error.value.code == "CVT025" and "its outputs are" in error.value.help[0]
    with pytest.raises(Error, match="f32, which elements of 16 bits are not"):
        run("add.f32 $0, $1, $1;", "=f,f", np.zeros(4, np.float16))
    with pytest.raises(TypeError, match="constraints: expected a string or None, not ndarray") as kind:
        run(ptxcvt.Form("cvt.f32.f16"), x)
    assert "run(form, None, x)" in kind.value.help[0]
    with pytest.raises(Error, match="constraints: "):
        run("add.f32 $0, $1, $1;", "=f,x", x)
    with pytest.raises(Error, match="approx"):
        run("ex2.approx.f32 $0, $1;", "=f,f", x)
    assert run("ex2.approx.f32 $0, $1;", "=f,f", x, approximate=True).tolist() == [1, 1, 1, 1]
    with pytest.raises(Error, match="dtype= is required with pack="):
        run("mov.b32 $0, $1;", "=r,r", x, pack=2)


def test_block():
    block = Block("{ .reg .b16 h; cvt.rn.f16.f32 h, %1; mov.b32 %0, {h, h}; }", "=r,f")
    assert block(0x3F800000) == [0x3C003C00]
    assert run(block, None, np.float32([1, 2])).tolist() == [0x3C003C00, 0x40004000]
    assert block.since("sm_75") and not block.approximate and "cvt.rn.f16.f32" in str(block)
    with pytest.raises(Error, match="1 input"):
        block()
