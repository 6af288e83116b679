"""One instruction on numbers and arrays."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import ml_dtypes
import ptxcvt
from ptxcvt import Error, cvt

E4M3 = "cvt.rn.satfinite.e4m3x2.f32"


def test_numbers():
    assert cvt(E4M3, 1.55, -999.0) == 0x3CFE
    assert type(cvt(E4M3, 1.55, -999.0)) is np.uint16
    assert cvt(E4M3, 1, -999) == cvt(E4M3, 1.0, -999.0)
    assert cvt(E4M3, np.float32(1.5), np.uint32(0x3F800000)) == 0x3C38
    assert cvt("cvt.rn.f16x2.e4m3x2", 0x3CFE) == 0x3E00DF00
    assert cvt("cvt.rn.f16x2.e4m3x2", np.uint16(0x3CFE)) == 0x3E00DF00
    assert cvt("cvt.s32.s8", -3) == 0xFFFFFFFD
    assert type(cvt("cvt.rn.f64.s32", 3)) is np.uint64
    assert cvt("cvt.rn.f32.f64", np.float64(0.1)) == np.float32(0.1).view(np.uint32)
    # A NaN's payload does not survive a double.
    assert cvt("cvt.f32.bf16", ml_dtypes.bfloat16(1.5)) == 0x3FC00000
    assert cvt("cvt.f32.f16", np.uint16(0x3C00).view(np.float16)) == 0x3F800000


def test_scales_are_values_or_codes():
    scaled = "cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32"
    by_value = cvt(scaled, 3.0, 5.0, 2.0)
    assert by_value == cvt(scaled, 3.0, 5.0, 0x80) == cvt(scaled, 3.0, 5.0, np.uint8(0x80))
    assert by_value == cvt(scaled, 3.0, 5.0, ml_dtypes.float8_e8m0fnu(2.0))
    with pytest.raises(Error, match="power of two") as error:
        cvt(scaled, 3.0, 5.0, 3.0)
    assert error.value.code == "CVT022"


def test_a_wrong_opcode_says_everything():
    with pytest.raises(Error) as error:
        cvt("cvt.e4m3x2.f32", 1.0, 2.0)
    assert error.value.code == "CVT006"
    assert error.value.message.startswith("`cvt.e4m3x2.f32`: a rounding modifier is required")
    assert error.value.help == ("write `cvt.rn.satfinite.e4m3x2.f32`",)
    assert str(error.value).endswith("\nhelp: write `cvt.rn.satfinite.e4m3x2.f32`")
    assert isinstance(error.value, ValueError)


@pytest.mark.parametrize(
    ("operands", "code", "message"),
    [
        ((1.0,), "CVT020", "2 source operands needed, 1 given"),
        ((1.0, np.zeros(2)), "CVT021", "operand b of .* accepts f32 numbers, or their bits as uint32, not float64"),
        ((1.0, np.zeros(2, np.int32)), "CVT021", "not int32"),
        ((1.0, True), "CVT021", "not a bool"),
    ],
)
def test_wrong_operands(operands, code, message):
    with pytest.raises(Error, match=message) as error:
        cvt(E4M3, *operands)
    assert error.value.code == code


def test_what_is_no_number():
    for thing in ("1.0", None, 1j, object()):
        with pytest.raises(TypeError, match="numbers"):
            cvt(E4M3, 1.0, thing)
    with pytest.raises(Error, match="does not fit") as error:
        cvt("cvt.rn.f16x2.e4m3x2", 1 << 16)
    assert error.value.code == "CVT022"
    with pytest.raises(Error, match="operand a = `256` of `cvt.u32.u8`: does not fit in 8 bits"):
        cvt("cvt.u32.u8", 256)


@pytest.mark.parametrize(
    ("opcode", "number", "result", "warning"),
    [
        ("cvt.u16.s8", 200, 0xFFC8, "is out of range for `.s8`, and its low bits were read: -56"),
        ("cvt.u32.u8", -1, 255, "is out of range for `.u8`, and its low bits were read: 255"),
        ("cvt.f32.f16", 1e9, 0x7F800000, "is out of range for `.f16`, and became infinity when it was read"),
    ],
)
def test_numbers_out_of_range(opcode, number, result, warning):
    message = f"= `{re.escape(str(number))}`.* {warning}"
    with pytest.warns(RuntimeWarning, match=message):
        bits = cvt(opcode, number)
    with pytest.warns(RuntimeWarning, match=message):
        converted = ptxcvt.convert(opcode, [number])
    assert bits == converted.view(bits.dtype)[0] == result


def test_whole_floats_are_integers():
    assert cvt("cvt.u16.u8", 10.0) == ptxcvt.convert("cvt.u16.u8", 10.0) == 10
    assert ptxcvt.convert("u8->u16", [[1, 2.0], [3.0, 0]]).tolist() == [[1, 2], [3, 0]]


def test_plain_numbers_are_rounded_as_the_command_rounds():
    assert ptxcvt.convert("e4m3->f32", [1.55, -3]).tolist() == [1.5, -3.0]
    with pytest.warns(RuntimeWarning, match="x = `1000.0` is out of range for `.e4m3`, and was saturated"):
        assert ptxcvt.convert("e4m3->f32", [1000.0, 1.55]).tolist() == [448.0, 1.5]


def test_fractions_are_no_integers():
    for of in (lambda: cvt("cvt.u16.u8", 10.5), lambda: ptxcvt.convert("u8->u16", 10.5)):
        with pytest.raises(Error, match="`10.5`.*: not an integer for `.u8`") as error:
            of()
        assert error.value.code == "CVT021"


SHAPES = hnp.mutually_broadcastable_shapes(num_shapes=2, min_dims=0, max_dims=4, min_side=0, max_side=5)


@given(SHAPES, st.randoms(use_true_random=False))
def test_broadcasting(shapes, random):
    def array(shape):
        size = int(np.prod(shape))
        made = np.array([random.getrandbits(32) for _ in range(size)], np.uint32).reshape(shape)
        # Any order of axes, any strides.
        made = made.transpose()[..., ::-1] if random.random() < 0.5 and made.ndim else made
        made = made if random.random() < 0.5 else np.repeat(made, 2, axis=0)[::2] if made.ndim else made
        return made

    a, b = (array(shape) for shape in shapes.input_shapes)
    try:
        shape = np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        with pytest.raises(ValueError):
            cvt(E4M3, a, b)
        return
    a.flags.writeable = b.flags.writeable = False
    result = cvt(E4M3, a, b)
    assert np.shape(result) == shape and result.dtype == np.uint16
    big_a, big_b = np.broadcast_to(a, shape), np.broadcast_to(b, shape)
    expected = [cvt(E4M3, np.uint32(x), np.uint32(y)) for x, y in zip(big_a.flat, big_b.flat)]
    assert list(np.asarray(result).flat) == expected


def test_operands_that_are_vectors_or_registers():
    a = np.linspace(-2, 2, 7, dtype=np.float32)
    result = cvt("cvt.rs.satfinite.e4m3x4.f32", a, 0.5, 1.0, a[::-1], np.arange(7, dtype=np.uint32))
    assert result.dtype == np.uint32 and result.shape == (7,)
    for i in range(7):
        one = cvt("cvt.rs.satfinite.e4m3x4.f32", a[i], 0.5, 1.0, a[::-1][i], i)
        assert result[i] == one
    pack = cvt("cvt.pack.sat.s8.s32.b32", np.arange(-300, 300, 100, dtype=np.int32), 5, 0)
    assert [hex(x) for x in pack[:2]] == ["0x8005", "0x8005"]


def test_a_form_for_an_opcode():
    form = ptxcvt.Form(E4M3)
    assert cvt(form, 1.5, 2.0) == cvt(E4M3, 1.5, 2.0)
    with pytest.raises(TypeError):
        cvt(3, 1.5)


def test_an_int_is_rounded_once():
    # Rounded to an f64 first, it would be half-way between two f32.
    assert cvt("cvt.f64.f32", 1152921573326323713) == np.float64(np.uint32(0x5D800001).view(np.float32)).view(np.uint64)
    with pytest.warns(RuntimeWarning, match="= `10{99}…` of `cvt.f64.f32` is out of range for `.f32`, and became infinity"):
        assert cvt("cvt.f64.f32", 10**400) == np.float64("inf").view(np.uint64)
    with pytest.raises(Error, match="too many digits"):
        cvt("cvt.f64.f32", 10**5000)
