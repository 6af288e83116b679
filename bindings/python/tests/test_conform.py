"""`ptxcvt.conform`: functions of arrays as codecs."""

import sys

import ml_dtypes
import numpy as np
import pytest

import ptxcvt

FORM = "cvt.rn.satfinite.e4m3x2.f16x2"


def right(x):
    return ptxcvt.convert(FORM, x).view(np.uint8)


def test_the_package_itself_is_equal():
    verdict = ptxcvt.conform(right, "f16->e4m3")
    assert verdict and verdict.equal == [FORM] and verdict.inputs == 65_536 and verdict.exhaustive
    assert verdict.raise_for_difference() is verdict
    assert str(verdict) == f"f16->e4m3: equal to `{FORM}` on all 65,536 inputs"


def test_ml_dtypes_is_a_policy():
    verdict = ptxcvt.conform(lambda x: x.astype(ml_dtypes.float8_e4m3fn), "f16->e4m3")
    name = "f16->e4m3, to nearest even, overflow to NaN with the source's sign, NaN to NaN with the source's sign"
    assert verdict.equal == [name]


def test_a_mistake_is_an_assertion_that_names_its_class():
    def zero(x):
        codes = right(x)
        codes[np.isnan(x)] = 0
        return codes

    with pytest.raises(AssertionError, match="nan: 2,046 inputs: NaN becomes zero"):
        ptxcvt.conform(zero, "f16->e4m3", form=FORM, block=1000).raise_for_difference()
    verdict = ptxcvt.conform(zero, "f16->e4m3")
    assert not verdict and verdict.nearest == FORM and list(verdict.differences) == ["nan"]
    assert verdict.differences["nan"]["example"]["got"] == "0x00"


def test_packed_fp4():
    def packed(x):
        codes = ptxcvt.convert("f16->e2m1", x).view(np.uint8)
        return codes[0::2] | codes[1::2] << 4 if codes.size == x.size else codes

    assert ptxcvt.conform(packed, "f16->e2m1")


def test_packed_fp4_of_an_odd_number_of_inputs():
    def packed(x):
        codes = ptxcvt.convert("f16->e2m1", x).view(np.uint8)
        return codes[0::2] | codes[1::2] << 4

    # 65,536 = 65 * 1001 + 471: every block and the rest have an odd length.
    verdict = ptxcvt.conform(packed, "f16->e2m1", block=1001)
    assert verdict and verdict.inputs == 65_536


def test_results_of_another_kind_are_refused():
    with pytest.raises(ptxcvt.Error, match="returned float16, not codes of e4m3\nhelp: codes are float8_e4m3fn or uint8"):
        ptxcvt.conform(lambda x: x, "f16->e4m3")
    with pytest.raises(ptxcvt.Error, match="returned 1 result for 65536 inputs"):
        ptxcvt.conform(lambda x: right(x[:1]), "f16->e4m3")
    with pytest.raises(ptxcvt.Error, match="invalid like='pandas'"):
        ptxcvt.conform(right, "f16->e4m3", like="pandas")
    with pytest.raises(ptxcvt.Error, match="a conversion is needed"):
        ptxcvt.conform(right)
    with pytest.raises(ptxcvt.Error, match="expected a whole number from 0 to 268435456"):
        ptxcvt.conform(right, "f64->e4m3", random=1 << 62)
    with pytest.raises(ptxcvt.Error, match="converts f16 to e4m3, not f32 to e4m3"):
        ptxcvt.conform(right, "f32->e4m3", form=FORM)
    with pytest.raises(TypeError, match="like=3: expected text"):
        ptxcvt.conform(right, "f16->e4m3", like=3)


def test_an_opcode_may_come_first_as_for_vectors():
    first, named = ptxcvt.conform(right, FORM), ptxcvt.conform(right, form=FORM)
    assert first == named and first.equal == [FORM]
    with pytest.raises(TypeError, match="conversion=None: expected a string or a Form"):
        ptxcvt.vectors(None)


def test_a_selection_for_slow_functions():
    cast = lambda x: ptxcvt.convert("f32->e4m3", x).view(np.uint8)
    verdict = ptxcvt.conform(cast, "f32->e4m3", quick=True, random=1000)
    assert verdict.equal == ["cvt.rn.satfinite.e4m3x2.f32"]
    assert not verdict.exhaustive and 60_000 < verdict.inputs < 80_000
    assert "edges, ties and random inputs" in str(verdict)


@pytest.mark.parametrize("dtype", ["f2", "u2", "i2", "f4", "u4"])
@pytest.mark.parametrize("order", ["<", ">"])
def test_results_in_either_byte_order(dtype, order):
    destination = {"2": "f16", "4": "f32"}[dtype[-1]]
    codes = lambda x: ptxcvt.convert(f"bf16->{destination}", x).view(dtype)
    verdict = ptxcvt.conform(lambda x: codes(x).astype(order + dtype), f"bf16->{destination}")
    assert any(name.startswith(f"cvt.{destination}") for name in verdict.equal), str(verdict)
    # Codes that are stored in one order and declared as the other are wrong.
    swapped = lambda x: codes(x).astype(order + dtype).view(dtype).byteswap().view(order + dtype)
    assert not ptxcvt.conform(swapped, f"bf16->{destination}")


@pytest.mark.parametrize("like", ["torch", "torch:cuda", "jax"])
def test_a_missing_library_is_named(monkeypatch, like):
    package = like.partition(":")[0]
    # None in sys.modules makes the import fail as if the package were not there.
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ptxcvt.Error, match=f"^like='{like}' needs {package}, which is not installed\nhelp: pip install"):
        ptxcvt.conform(right, "f16->e4m3", like=like)


def test_a_device_that_pytorch_cannot_use():
    pytest.importorskip("torch")
    with pytest.raises(ptxcvt.Error, match="like='torch:nowhere': PyTorch cannot use the device 'nowhere': [^\n]*$"):
        ptxcvt.conform(right, "f16->e4m3", like="torch:nowhere")


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_other_libraries(library):
    pytest.importorskip(library)
    like = {"torch": "torch", "jax": "jax"}[library]

    def cast(x):
        if library == "torch":
            import torch

            assert isinstance(x, torch.Tensor)
            return x.to(torch.float8_e5m2)
        return x.astype(ml_dtypes.float8_e5m2)

    verdict = ptxcvt.conform(cast, "bf16->e5m2", like=like)
    assert verdict.inputs == 65_536 and "to nearest even" in verdict.nearest
