"""Every error has a code, a message and help, whichever part raises it; what would be wrong silently is refused."""

import dataclasses
import math
import pickle

import ml_dtypes
import numpy as np
import pytest

import ptxcvt
from ptxcvt import Error

X = np.ones((4, 64), np.float32)
E4M3 = np.zeros(4, ml_dtypes.float8_e4m3fn)
MASKED = np.ma.masked_array(X, mask=X > 2)

#: Calls that fail, each with a part of the message.
WRONG = [
    (lambda: ptxcvt.Form("cvt.rn.f17.f32"), "f17"),
    (lambda: ptxcvt.Format("e9m9"), "no format"),
    (lambda: ptxcvt.Format("e4m3").decode(-1), "expected a whole number from 0"),
    (lambda: ptxcvt.Format("e4m3").decode(1 << 70), "expected a whole number from 0"),
    (lambda: ptxcvt.Block("mov.b32 %0, %1;", "=r,r")(-1), "expected a whole number from 0"),
    (lambda: ptxcvt.Recipe("no-such"), "no recipe"),
    (lambda: ptxcvt.Recipe("no-such.toml"), "no-such.toml"),
    (lambda: ptxcvt.Recipe.from_toml("name = 1"), "name"),
    (lambda: ptxcvt.Recipe("mx-rceil/e4m3").row_bytes(-1), "expected a whole number from 0"),
    (lambda: ptxcvt.Recipe("mx-rceil/e4m3").matrices((4, -1), False), "expected a whole number from 0"),
    (lambda: ptxcvt.convert("f32->e4m3", "text"), "expected an array"),
    (lambda: ptxcvt.convert("f32->e4m3", None), "expected an array"),
    (lambda: ptxcvt.convert("f32->e4m3", object()), "expected an array"),
    (lambda: ptxcvt.convert("f32->e4m3", [[1], [2, 3]]), "expected numbers"),
    (lambda: ptxcvt.convert("f32->e4m3", X.astype(np.float64)), "holds float64"),
    (lambda: ptxcvt.convert("f32->e4m3", X, threads=-1), "threads=-1"),
    (lambda: ptxcvt.convert("f32->e4m3", X, threads=65536), "threads=65536: expected a whole number from 0 to 65535"),
    (lambda: ptxcvt.convert("f32->e4m3", X, threads=1.5), "threads=1.5"),
    (lambda: ptxcvt.convert("f32->e4m3", X[:, ::2], threads="2"), "threads='2'"),
    (lambda: ptxcvt.convert("cvt.rs.satfinite.e4m3x4.f32", X, seed=-1), "seed=-1"),
    (lambda: ptxcvt.convert("f32->e4m3", MASKED), "masked"),
    (lambda: ptxcvt.convert("f32->e4m3", [MASKED[0]]), "masked"),
    (lambda: ptxcvt.convert("f32->e4m3", X, out=X), "out"),
    (lambda: ptxcvt.cvt("cvt.rn.f16.f32", MASKED), "masked"),
    (lambda: ptxcvt.cvt("cvt.rn.satfinite.e4m3x2.f32", X, X[:, :3]), "broadcast"),
    (lambda: ptxcvt.run("add.f32 $0, $1, $2;", "=f,f,f", X, X[:, :3]), "broadcast"),
    (lambda: ptxcvt.run("mov.b32 $0, $1;", "=r,r", X, dtype="no-such"), "no dtype"),
    (lambda: ptxcvt.run("mov.b32 $0, $1;", "=r,r", X, pack=0), "pack=0"),
    (lambda: ptxcvt.run(7, "=r,r", X), "expected PTX"),
    (lambda: ptxcvt.quantize(MASKED, "mx-rceil/e4m3"), "masked"),
    (lambda: ptxcvt.quantize(X, "mx-rceil/e4m3", threads=-1), "threads=-1"),
    (lambda: ptxcvt.quantize(X, "mx-rceil/e4m3", axis=1), "axis=1"),
    (lambda: ptxcvt.quantize(X[:, :33], "mx-rceil/e4m3"), "^x: an array of 4 rows and 33 columns"),
    (lambda: ptxcvt.quantize(np.float32(1), "mx-rceil/e4m3"), "^x: cannot quantise a single number"),
    (lambda: ptxcvt.quantize(X.astype(np.float16), "jax-mxfp8/e4m3"), "^x: .*does not accept f16"),
    (lambda: ptxcvt.quantize(X, "nvfp4-te-rs-1x16"), "^seed: .*needs a seed"),
    (lambda: ptxcvt.quantize(X, "mx-rceil/e4m3", seed=1), "^seed: .*accepts no seed"),
    (lambda: ptxcvt.quantize(X, "mx-rceil/e4m3", global_amax=1), "^global_amax: .*has no global scale"),
    (lambda: ptxcvt.quantize(X, "mx-rceil/e4m3", global_scale=1), "^global_scale: .*has no global scale"),
    (lambda: ptxcvt.compare(X[:, :33], "mx-rceil/e4m3", "mx-floor/e4m3"), "^x: an array of 4 rows"),
    (lambda: ptxcvt.compare(X[None, :1, :33], "mx-rceil/e4m3", "mx-floor/e4m3"), "^x: an array of 1 row "),
    (lambda: ptxcvt.dequantize(dataclasses.replace(Q, shape=(4, 33))), "^quantized: "),
    (lambda: ptxcvt.dequantize(dataclasses.replace(Q, data=Q.data[:2])), "^quantized: "),
    (lambda: ptxcvt.dequantize(dataclasses.replace(Q, scales=Q.scales[:2])), "^quantized: "),
    *[
        (lambda amax=amax: ptxcvt.quantize(X, "nvfp4-modelopt", global_amax=amax), "global_amax|magnitude")
        for amax in (-1, 0, 0.0, float("nan"), float("inf"), 1e300, "3")
    ],
    (lambda: ptxcvt.compare(X, "nvfp4-modelopt", "nvfp4-torchao", global_amax=-3.0), "global_amax=-3"),
    (lambda: ptxcvt.compare(X, "mx-rceil/e4m3", "mx-floor/e4m3", global_amax=3.0), "global_amax: neither"),
    (lambda: ptxcvt.compare(X, "mx-rceil/e4m3", "mx-floor/e4m3", threads=-1), "threads=-1"),
    (lambda: ptxcvt.quantize(X, "nvfp4-modelopt", global_scale=-1.0), "global scale"),
    (lambda: ptxcvt.dequantize(ptxcvt.quantize(X, "mx-rceil/e4m3"), threads=-1), "threads=-1"),
    (lambda: ptxcvt.dequantize(ptxcvt.quantize(X, "mx-rceil/e4m3"), "e4m3"), "f32, bf16 or f16"),
    (lambda: ptxcvt.dequantize(Q, np.dtype(np.float32).newbyteorder()), "^dtype=.*byte order"),
    (lambda: ptxcvt.run("mov.b32 $0, $1;", "=r,r", X, dtype=np.dtype(np.uint32).newbyteorder()), "^dtype=.*byte order"),
    (lambda: ptxcvt.conform(lambda x: x, "f32->e4m3", random=-1), "random=-1"),
    (lambda: ptxcvt.conform(lambda x: x, "f16->e5m2", block=0), "block=0"),
    (lambda: ptxcvt.conform(lambda x: x, "f16->e5m2", like="cupy"), "like="),
    (lambda: ptxcvt.check("", target="sm_1"), "sm_1"),
    (lambda: ptxcvt.check("", language="cobol"), "no language"),
    (lambda: ptxcvt.lower("cvt.rn.f16.f32", target="sm_1"), "sm_1"),
    (lambda: ptxcvt.lower("cvt.rn.f16.f32", target="sm_80", variant="x"), "no variant"),
    (lambda: ptxcvt.prove("cvt.rn.f16.f32", "cvt.rn.f16.f32", domain="x"), "no domain"),
    (lambda: ptxcvt.prove("cvt.rn.f16.f32", "cvt.rn.f16.f32", threads=-1), "threads=-1"),
    (lambda: ptxcvt.prove("cvt.rn.f16.f32", "cvt.rn.f16x2.f32"), "input"),
    (lambda: ptxcvt.vectors("f32->e4m3", rounding="up"), "no rounding"),
    (lambda: ptxcvt.vectors("f32->e4m3", random=-1), "random=-1"),
    (lambda: ptxcvt.swizzle(X), "float32"),
    (lambda: ptxcvt.swizzle(np.zeros(4, np.uint8)), "rows and columns"),
    (lambda: ptxcvt.unswizzle(np.zeros(4, np.uint8), (4, 4)), "scales"),
    (lambda: ptxcvt.unswizzle(np.zeros(3, np.uint8), (2, 4, 4)), "3 scales cannot be split into 2 equal matrices"),
    (lambda: ptxcvt.unswizzle(np.zeros(4, np.uint8), (2**63, 8)), "more than memory can address"),
    (lambda: ptxcvt.unswizzle(np.zeros(4, np.uint8), (2**64 - 1, 2**64 - 1)), "more than memory can address"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_every_error_says_what_is_wrong(number):
    call, part = WRONG[number]
    with pytest.raises(Error, match=part) as caught:
        call()
    error = caught.value
    assert isinstance(error, ValueError)
    assert error.code is None or error.code.startswith("CVT")
    assert isinstance(error.message, str) and error.message and error.message in str(error)
    assert isinstance(error.help, tuple) and all(isinstance(line, str) and line in str(error) for line in error.help)
    # Errors of a cluster's workers are pickled.
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.code, again.help) == (type(error), str(error), error.code, error.help)


def test_a_wrong_kind_is_a_type_error_too():
    with pytest.raises(TypeError):
        ptxcvt.convert("f32->e4m3", None)
    with pytest.raises(TypeError):
        ptxcvt.quantize(X, "nvfp4-modelopt", global_amax="3")


def test_errors_of_both_parts_look_alike():
    for call in (lambda: ptxcvt.Form("nonsense"), lambda: ptxcvt.convert("f32->e4m3", X.astype("f8"))):
        with pytest.raises(Error) as caught:
            call()
        assert type(caught.value) is Error and caught.value.help
        assert str(caught.value).endswith("\nhelp: " + caught.value.help[-1])


def test_dequantize_refuses_parts_of_another_recipe():
    q = ptxcvt.quantize(X, "mx-rceil/e4m3")
    for change, part in [
        ({"data": q.data.astype(np.float32)}, "data holds float32"),
        ({"data": q.data.view(ml_dtypes.float8_e5m2)}, "data holds float8_e5m2"),
        ({"scales": q.scales.astype(np.float32)}, "scales holds float32"),
        ({"scales": q.scales.reshape(2, 4)}, r"the scales have shape \[2, 4\], not \[4, 2\]"),
        ({"scales": q.scales[:2]}, "scales"),
        ({"shape": (8, 64)}, "the data has shape"),
        ({"global_scale": 1.0}, "has no global scale"),
    ]:
        with pytest.raises(Error, match=part):
            ptxcvt.dequantize(dataclasses.replace(q, **change))
    # Bytes may hold any format, and scales without axes are in the same order.
    plain = dataclasses.replace(q, data=q.data.view(np.uint8), scales=q.scales.view(np.uint8).reshape(-1))
    np.testing.assert_array_equal(ptxcvt.dequantize(plain), ptxcvt.dequantize(q))


Q = ptxcvt.quantize(X, "mx-rceil/e4m3")


QUANTIZED = ptxcvt.Quantized
FP4 = ptxcvt.quantize(X, "nvfp4-te-1x16")


@pytest.mark.parametrize(
    "argument, call",
    [
        ("threads", lambda: ptxcvt.quantize(X, "mx-rceil/e4m3", threads=1.0)),
        ("threads", lambda: ptxcvt.quantize(X, "mx-rceil/e4m3", threads="2")),
        ("global_amax", lambda: ptxcvt.quantize(X, "nvfp4-te-1x16", global_amax="3")),
        ("global_scale", lambda: ptxcvt.quantize(X, "nvfp4-te-1x16", global_scale="3")),
        ("recipe", lambda: ptxcvt.quantize(X, 7)),
        ("recipe", lambda: ptxcvt.quantize(X, ["mx-rceil/e4m3"])),
        ("x", lambda: ptxcvt.quantize(None, "mx-rceil/e4m3")),
        ("quantized", lambda: ptxcvt.dequantize(X)),
        ("dtype", lambda: ptxcvt.dequantize(Q, [1])),
        ("global_scale", lambda: ptxcvt.dequantize(dataclasses.replace(FP4, global_scale="x"))),
        ("shape", lambda: QUANTIZED("mx-rceil/e4m3", Q.data, Q.scales, None, "ab")),
        ("shape", lambda: QUANTIZED("mx-rceil/e4m3", Q.data, Q.scales, None, (4, 64.0))),
        ("opcode", lambda: ptxcvt.cvt(1, 1.0)),
        ("opcode", lambda: ptxcvt.explain(1, 1.0)),
        ("opcode", lambda: ptxcvt.Form(3)),
        ("target", lambda: ptxcvt.Form("cvt.rn.f16.f32").since(3)),
        ("isa", lambda: ptxcvt.Form("cvt.rn.f16.f32").is_legal("sm_80", 7.0)),
        ("name", lambda: ptxcvt.Format(3)),
        ("code", lambda: ptxcvt.Format("e4m3").decode("a")),
        ("name", lambda: ptxcvt.Recipe(3)),
        ("text", lambda: ptxcvt.Recipe.from_toml(3)),
        ("columns", lambda: ptxcvt.Recipe("mx-rceil/e4m3").row_bytes("a")),
        ("shape", lambda: ptxcvt.Recipe("mx-rceil/e4m3").matrices((4, "a"), False)),
        ("form", lambda: ptxcvt.lower(3, target="sm_80")),
        ("target", lambda: ptxcvt.lower("cvt.rn.f16x2.e5m2x2", target=3)),
        ("variant", lambda: ptxcvt.lower("cvt.rn.f16x2.e5m2x2", target="sm_80", variant=3)),
        ("text", lambda: ptxcvt.check(3)),
        ("name", lambda: ptxcvt.check("", name=3)),
        ("language", lambda: ptxcvt.check("", language=3)),
        ("text", lambda: ptxcvt.fix(None)),
        ("target", lambda: ptxcvt.forms(target=90)),
        ("opcode", lambda: ptxcvt.where(3)),
        ("conversion", lambda: ptxcvt.chain(3)),
        ("rounding", lambda: ptxcvt.chain("f32->e4m3", rounding=3)),
        ("text", lambda: ptxcvt.Block(3)),
        ("inputs", lambda: ptxcvt.Block("mov.b32 %0, %1;", "=r,r")("a")),
        ("rounding", lambda: ptxcvt.vectors("f32->e4m3", rounding=3)),
        ("form", lambda: ptxcvt.conform(lambda x: x, form=3)),
        ("", lambda: ptxcvt.conform(3, "f32->e4m3")),
        ("", lambda: ptxcvt.prove("cvt.rn.f16.f32", 3)),
        ("", lambda: ptxcvt.run(3, "=f,f", X)),
        ("shape", lambda: ptxcvt.unswizzle(np.zeros(512, np.uint8), 3)),
        ("shape", lambda: ptxcvt.unswizzle(np.zeros(512, np.uint8), X)),
        ("axis", lambda: ptxcvt.quantize(X, "mx-rceil/e4m3", axis=None)),
        ("axis", lambda: ptxcvt.quantize(X, "mx-rceil/e4m3", axis=X)),
        ("axis", lambda: QUANTIZED("mx-rceil/e4m3", Q.data, Q.scales, None, (4, 64), "last")),
        ("threads", lambda: ptxcvt.convert("f32->e4m3", X, threads=X)),
        ("seed", lambda: ptxcvt.convert("cvt.rs.satfinite.e4m3x4.f32", X, seed=X)),
        ("conversion", lambda: ptxcvt.convert(None, X)),
        ("conversion", lambda: ptxcvt.convert(b"f32->e4m3", X)),
        ("rounding", lambda: ptxcvt.convert("f32->e4m3", X, rounding=["rn"])),
        ("saturate", lambda: ptxcvt.convert("f32->e4m3", X, saturate=X)),
        ("relu", lambda: ptxcvt.convert("f32->e4m3", X, relu="no")),
        ("packed", lambda: ptxcvt.convert("f32->e2m1", X, packed="no")),
        ("pad", lambda: ptxcvt.convert("f32->e2m1", X, packed=True, pad=X)),
        ("with_forms", lambda: ptxcvt.convert("f32->e2m1", X, with_forms=X)),
        ("dtype", lambda: ptxcvt.dequantize(Q, memoryview(bytearray(4)))),
        ("domain", lambda: ptxcvt.prove("cvt.rn.f16.f32", "cvt.rn.f16.f32", domain=None)),
        ("first", lambda: ptxcvt.prove("cvt.rn.f16.f32", "cvt.rn.f16.f32", first="no")),
        ("constraints", lambda: ptxcvt.prove("mov.b32 %0, %1;", "mov.b32 %0, %1;", constraints=["=r,r"])),
        ("approximate", lambda: ptxcvt.run("mov.b32 $0, $1;", "=r,r", X, approximate=X)),
        ("signed_nan", lambda: ptxcvt.vectors("f32->e4m3", signed_nan=X)),
        ("quick", lambda: ptxcvt.conform(lambda x: x, "f16->e5m2", quick=X)),
        ("value", lambda: ptxcvt.Format("e4m3").encode("1")),
        ("rounding", lambda: ptxcvt.Format("e4m3").encode(1.0, rounding=3)),
    ],
)
def test_arguments_of_another_kind(argument, call):
    """They are errors of the package and `TypeError`, too, and name the argument."""
    with pytest.raises(Error) as caught:
        call()
    assert isinstance(caught.value, TypeError)
    assert caught.value.message.count("expected") + caught.value.message.count("no dtype") == 1
    assert argument in caught.value.message
    assert caught.value.code is None and isinstance(caught.value.help, tuple)


OUT = np.empty(X.shape, np.float16)

#: Arguments that are arrays, and calls with them.
ARRAYS = [
    ("x", lambda a: ptxcvt.convert("f32->e4m3", a)),
    ("operand a", lambda a: ptxcvt.cvt("cvt.rn.f16.f32", a)),
    ("operand b", lambda a: ptxcvt.cvt("cvt.rn.satfinite.e4m3x2.f32", X, a)),
    ("rbits", lambda a: ptxcvt.convert("cvt.rs.satfinite.e4m3x4.f32", X, rbits=a)),
    ("out", lambda a: ptxcvt.convert("f32->f16", X, out=a)),
    ("x", lambda a: ptxcvt.quantize(a, "mx-rceil/e4m3")),
    ("x", lambda a: ptxcvt.compare(a, "mx-rceil/e4m3", "mx-floor/e4m3")),
    ("data", lambda a: ptxcvt.dequantize(dataclasses.replace(Q, data=a))),
    ("scales", lambda a: ptxcvt.dequantize(dataclasses.replace(Q, scales=a))),
    ("global_scale", lambda a: ptxcvt.dequantize(dataclasses.replace(FP4, global_scale=a))),
    ("global_scale", lambda a: ptxcvt.dequantize(dataclasses.replace(BY_ROWS, global_scale=a))),
    ("scales", lambda a: ptxcvt.swizzle(a)),
    ("scales", lambda a: ptxcvt.unswizzle(a, (4, 2))),
    ("codes", lambda a: ptxcvt.interleave("cvt.rn.f16x2.e4m3x2", a)),
    ("input 0", lambda a: ptxcvt.run("add.f32 $0, $1, $1;", "=f,f", a)),
]
BY_ROWS = ptxcvt.quantize(X, "nvfp4-te-row-scaled-1x16")

#: What is not an array of numbers.
NO_ARRAYS = [
    "text",
    object(),
    {},
    {1},
    len,
    int,
    1j,
    (n for n in range(3)),
    ["a"],
    [None],
    [[1], [2, 3]],
    np.array(["a"]),
    np.array([1, "a"], object),
    np.array([1, 2], object),
    X.astype(complex),
    MASKED,
    np.zeros(4, "V4"),
    np.zeros(4, [("a", "f4")]),
    np.array(["2026-11-26"], "M8[D]"),
    ["1.5"],
]


@pytest.mark.parametrize("number", range(len(ARRAYS)))
@pytest.mark.parametrize("wrong", range(len(NO_ARRAYS)))
def test_what_is_no_array_of_numbers(number, wrong):
    """Every function names the argument, whatever is given instead of an array."""
    name, call = ARRAYS[number]
    with pytest.raises(Error) as caught:
        call(NO_ARRAYS[wrong])
    assert name in caught.value.message, caught.value.message


def test_out_is_an_array_that_can_be_written():
    for given in ([0.0] * 4, (1, 2), 1.0, np.float16(1)):
        with pytest.raises(TypeError, match="^out: expected an array to write to, not "):
            ptxcvt.convert("f32->f16", X[0, :4], out=given)
    OUT.flags.writeable = False
    with pytest.raises(Error, match="^out is read-only"):
        ptxcvt.convert("f32->f16", X, out=OUT)


def test_numbers_that_f32_cannot_hold():
    for call in (
        lambda: ptxcvt.quantize(X, "nvfp4-te-1x16", global_scale=1e300),
        lambda: ptxcvt.dequantize(dataclasses.replace(FP4, global_scale=-1e300)),
        lambda: ptxcvt.dequantize(dataclasses.replace(FP4, global_scale=10**400)),
        # Python does not write the digits of this one.
        lambda: ptxcvt.dequantize(dataclasses.replace(FP4, global_scale=10**5000)),
    ):
        with pytest.raises(Error, match=r"^global_\w+=.*expected a number that f32 can hold"):
            call()


def test_text_that_has_no_bytes():
    for call in (lambda: ptxcvt.Format("\ud800"), lambda: ptxcvt.check("\ud800", snippet=True), lambda: ptxcvt.where("\ud800")):
        with pytest.raises(Error, match=r"='\\ud800': expected text without single surrogates$"):
            call()


@pytest.mark.parametrize("made", [FP4, BY_ROWS])
def test_global_scales_are_not_negative(made):
    def scaled(scale):
        of_rows = np.full(X.shape[:1], scale, np.float32)
        return dataclasses.replace(made, global_scale=of_rows if made.recipe.row_scaled else scale)

    for negative in (-1.5, -math.inf):
        with pytest.raises(Error, match="^global_scale: .*expected a number that is not negative"):
            ptxcvt.dequantize(scaled(negative))
    # The numbers that were quantised may have been zero, NaN and infinity.
    for scale in (0.0, math.inf, math.nan):
        assert ptxcvt.dequantize(scaled(scale)).shape == X.shape


def test_paths_are_names(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(ptxcvt.Recipe("mx-rceil/e4m3").to_toml())
    assert ptxcvt.Recipe(own).to_toml() == own.read_text()
    made = ptxcvt.quantize(X, own)
    assert (made.data == Q.data).all() and ptxcvt.compare(X, own, str(own)).equal
    found = ptxcvt.check("cvt.rn.e4m3x2.f32 %0, %1, %2;", target="sm_90", snippet=True, name=tmp_path / "a.ptx")
    assert str(tmp_path / "a.ptx") in found[0].rendered
    with pytest.raises(Error, match="missing.toml"):
        ptxcvt.Recipe(tmp_path / "missing.toml")


def test_numbers_out_of_range():
    with pytest.raises(Error, match="shape=-64: expected a whole number from 0"):
        ptxcvt.Quantized("mx-rceil/e4m3", Q.data, Q.scales, None, (4, -64))
    with pytest.raises(Error, match="axis=1: expected -1"):
        ptxcvt.Quantized("mx-rceil/e4m3", Q.data, Q.scales, None, (4, 64), 1)
    for given in (0, -1, np.nan, np.inf):
        with pytest.raises(Error, match="expected a positive finite number"):
            ptxcvt.quantize(X, "nvfp4-te-1x16", global_amax=given)


def test_options_of_the_command_are_arguments() -> None:
    with pytest.raises(ptxcvt.Error) as refused:
        ptxcvt.run("ex2.approx.f32 $0, $1;", "=f,f", X)
    assert refused.value.help == ("`approximate` computes the correctly rounded result",)


def test_masks_at_any_depth_of_a_list():
    masked = np.ma.masked_greater(np.ones(4, np.float32), 0)
    for given in ([masked], [[masked, masked]], ([[masked]],)):
        with pytest.raises(ptxcvt.Error, match="masked arrays"):
            ptxcvt.convert("f32->e4m3", given)


def test_sizes_beyond_all_memory():
    for name in ("mx-rceil/e4m3", "mx-rceil/e2m1", "mxfp6-compressed-tensors"):
        recipe = ptxcvt.Recipe(name)
        for columns in (2**63, 2**64 - 1):
            bits = {"mx-rceil/e4m3": 8, "mx-rceil/e2m1": 4, "mxfp6-compressed-tensors": 6}[name]
            assert recipe.row_bytes(columns) == -(-columns * bits // 8)
    for pack in (2**31, 2**62, 2**63):
        with pytest.raises(ptxcvt.Error, match="the arrays need"):
            ptxcvt.run("abs.f32 $0, $1;", "=f,f", np.ones(4, np.float32), dtype="f32", pack=pack)


def test_a_magnitude_that_f32_cannot_hold():
    for given, why in (
        (1e-50, "=1e-50: f32 rounds it to 0"),
        (2.0**-150, "=7.006492321624085e-46: f32 rounds it to 0"),
        (1e39, "=1e39: larger than every f32"),
        (-1e39, "=-1e39: expected a positive finite number"),
        (10**400, ": expected a number that f32 can hold"),
    ):
        with pytest.raises(ptxcvt.Error, match=f"^global_amax{why}$"):
            ptxcvt.quantize(np.ones((2, 32), np.float32), "nvfp4-modelopt", global_amax=given)
