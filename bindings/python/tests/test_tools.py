"""Lowering, proofs, vectors, findings and fixes in sources, swizzled scales, recipes of one's own."""

import copy
import pathlib
import pickle
import signal
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import ptxcvt
from ptxcvt import Error, Recipe


def test_version():
    root = pathlib.Path(ptxcvt.__file__)
    assert ptxcvt.__version__.count(".") == 2 and root.exists()


def test_a_lowering_runs_and_is_proven():
    form = "cvt.rn.satfinite.e4m3x2.f32"
    lowering = ptxcvt.lower(form, target="sm_80", isa="7.0")
    assert str(ptxcvt.lower(form=form, target="sm_80", isa="7.0")) == str(lowering)
    text = str(lowering).splitlines()
    assert text[:2] == ["// =h,f,f", f"// {form} for sm_80, PTX ISA 7.0"]
    assert len(lowering) > 3 and lowering.contract == "every input" and str(lowering.form) == form
    x = np.random.default_rng(3).standard_normal((2, 100)).astype(np.float32) * 100
    expected = ptxcvt.cvt(form, *x)
    np.testing.assert_array_equal(ptxcvt.run(lowering, None, *x), expected)
    np.testing.assert_array_equal(ptxcvt.run(ptxcvt.Form(form), None, *x), expected)
    # The block is text that runs by itself.
    np.testing.assert_array_equal(ptxcvt.run(str(lowering), None, *x), expected)
    small = ptxcvt.lower("cvt.rn.f16x2.e5m2x2", target="sm_75")
    assert ptxcvt.prove(small, "cvt.rn.f16x2.e5m2x2") and ptxcvt.prove(small, small.block)
    # A target that has the instruction gets it.
    assert len(ptxcvt.lower(form, target="sm_90")) == 1


def test_ctrl_c_ends_a_proof():
    """Every input of 48 bits would take days."""
    # A program in the background begins with the signal ignored.
    ask = "import signal, ptxcvt; signal.signal(signal.SIGINT, signal.default_int_handler); print('ready', flush=True); ptxcvt.prove('fma.rn.f32 $0, $1, $2, $3;', 'fma.rn.f32 $0, $2, $1, $3;', constraints='=f,f,f,f', samples=1 << 48)"
    with subprocess.Popen([sys.executable, "-c", ask], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as proof:
        assert proof.stdout.readline() == "ready\n"
        with pytest.raises(subprocess.TimeoutExpired):
            proof.wait(0.3)
        proof.send_signal(signal.SIGINT)
        try:
            assert proof.communicate(timeout=60)[1].endswith("KeyboardInterrupt\n")
        finally:
            proof.kill()


@pytest.mark.parametrize("text", ["cvt.rn.bf16.f16", " cvt.rn.bf16.f16", "cvt.rn.bf16.f16\n", "\tcvt.rn.bf16.f16 "])
def test_blanks_around_an_opcode_are_ignored(text):
    x = np.arange(5, dtype=np.float16)
    expected = ptxcvt.convert("cvt.rn.bf16.f16", x)
    assert ptxcvt.Form(text) == ptxcvt.Form("cvt.rn.bf16.f16") and ptxcvt.prove(text, "cvt.rn.bf16.f16")
    assert (ptxcvt.run(text, None, x) == expected).all() and (ptxcvt.convert(text, x) == expected).all()


def test_only_a_proof_is_true():
    different = ptxcvt.prove("cvt.rn.bf16.f16", "cvt.rz.bf16.f16")
    with pytest.raises(TypeError, match="unhashable type: 'Proof'"):
        hash(different)
    assert not different and different.verdict == "different" and "different" in str(different)
    inputs = [int(port["bits"], 16) for port in different.difference["inputs"]]
    a, b = (ptxcvt.cvt(f"cvt.{r}.bf16.f16", np.uint16(inputs[0])) for r in ("rn", "rz"))
    assert (int(different.difference["a"][0]["bits"], 16), int(different.difference["b"][0]["bits"], 16)) == (a, b)
    # A signed byte is sign-extended in a wider register.
    assert ptxcvt.prove("cvt.rn.f32.s8", "cvt.rn.f32.s32 %0, %1;", constraints="=f,r")
    zeros = "{ .reg .b32 t; xor.b32 t, %1, 0x80; sub.u32 %0, t, 0x80; }"
    assert ptxcvt.prove("cvt.s32.s8", zeros, constraints="=r,r").verdict == "different"
    # 96 bits cannot be tried; equal on what was tried proves nothing.
    unknown = ptxcvt.prove("fma.rn.f32 %0, %1, %2, %3;", "fma.rn.f32 %0, %2, %1, %3;", constraints="=f,f,f,f", samples=1000)
    assert not unknown and unknown.verdict == "not proven" and unknown.obstacle["bits"] == 96
    nan = ("cvt.rn.f16x2.e5m2x2", "cvt.u32.u16 %0, %1; prmt.b32 %0, 0, %0, 0x5140;")
    assert not ptxcvt.prove(*nan) and ptxcvt.prove(*nan, up_to_nan=True) and ptxcvt.prove(*nan, domain="numbers")


@pytest.mark.parametrize("conversion", ["f32->e4m3", "f16->e5m2", "f32->bf16", "e4m3->f16", "cvt.rn.satfinite.e2m1x2.f32"])
def test_vectors_are_what_convert_returns(conversion):
    # `cvt.rn.bf16.f32` does not saturate.
    overflow = "ieee" if conversion == "f32->bf16" else "saturate"
    inputs, results = ptxcvt.vectors(conversion, overflow=overflow, random=500)
    assert len(inputs) == len(results) and (conversion == "e4m3->f16" or len(inputs) > 500)
    if conversion == "f16->e5m2":
        conversion = "cvt.rn.satfinite.e5m2x2.f16x2"
    made = ptxcvt.convert(conversion, inputs)
    assert made.dtype == results.dtype
    np.testing.assert_array_equal(made.view(np.uint8), results.view(np.uint8))
    for options in ({"rounding": ".RZ"}, {"overflow": "ieee"}, {"signed_nan": True}):
        with pytest.raises(ptxcvt.Error, match="is for two formats"):
            ptxcvt.vectors("cvt.rn.satfinite.e4m3x2.f32", **options)
    inputs, results = ptxcvt.vectors("f32->e4m3", rounding="rz", overflow="nan", signed_nan=True, random=0)
    assert {0x7F, 0xFF} <= set(results.view(np.uint8).tolist())


PYTHON = '''
import triton.language as tl

def f(x, y):
    return tl.inline_asm_elementwise("cvt.rn.e4m3x2.f32 $0, $1, $2;", "=h,f,f", [x, y], tl.uint16, True, 1)
'''
CPP = 'void f(unsigned short& d, float a) { asm("cvt.rn.e4m3x2.f32 %0, %1, %1;" : "=h"(d) : "f"(a)); }\n'


@pytest.mark.parametrize("name, text, line", [("kernel.py", PYTHON, 5), ("kernel.cuh", CPP, 1)])
def test_sources_are_judged_by_their_language(name, text, line):
    (found,) = ptxcvt.check(text, name=name, target="sm_90")
    assert (found.code, found.line) == ("CVT008", line) and text.encode()[slice(*found.span)] == b"cvt.rn.e4m3x2.f32"
    language = {"kernel.py": "python", "kernel.cuh": "c++"}[name]
    (same,) = ptxcvt.check(text, language=language, target="sm_90")
    assert same.span == found.span
    # Read as PTX, the text has no valid statement.
    assert any(one.code != "CVT008" for one in ptxcvt.check(text, name=name, language="ptx"))
    fixed = ptxcvt.fix(text, name=name, target="sm_90")
    assert fixed.text == str(fixed) == text.replace("cvt.rn.", "cvt.rn.satfinite.")
    assert fixed.fixed == {"CVT008": 1} and fixed.left == []
    assert ptxcvt.check(fixed.text, name=name, target="sm_90") == []


def test_texts_of_unknown_names_are_refused_as_by_the_command():
    module = "// notes\n.version 9.0\n.target sm_90\n"
    for call in (ptxcvt.check, ptxcvt.fix):
        for name in ("k.txt", "k.md", "Makefile", "k.pyx", "k"):
            with pytest.raises(ptxcvt.Error, match="its name is that of no language that is checked") as caught:
                call(CPP, name=name)
            assert caught.value.message.startswith(f"{name}: ") and "language=" in caught.value.help[0]
            call(module, name=name)
            call(CPP, name=name, language="c++")
            call("cvt.rn.f16.f32 %0, %1;", name=name, snippet=True)
        call(module)


def test_unsafe_fixes_are_made_on_request():
    module = ".version 7.0\n.target sm_80\n.func f() { .reg .b16 h; .reg .f32 x; cvt.rn.satfinite.e4m3x2.f32 h, x, x; }\n"
    assert ptxcvt.fix(module).text == module
    changed = ptxcvt.fix(module, unsafe_fixes=True)
    assert changed.text != module and changed.left == []


def test_swizzled_scales():
    """The formula of cuBLAS's documentation: tiles of 128 by 4, in which quarters of 32 rows are side by side."""
    rng = np.random.default_rng(0)
    for rows, columns in [(128, 4), (130, 5), (1, 1), (256, 9)]:
        scales = rng.integers(0, 256, (rows, columns), np.uint8)
        expected = np.zeros(-(-rows // 128) * 128 * -(-columns // 4) * 4, np.uint8)
        for r in range(rows):
            for c in range(columns):
                tile = (r // 128) * -(-columns // 4) + c // 4
                expected[tile * 512 + (r % 32) * 16 + (r % 128) // 32 * 4 + c % 4] = scales[r, c]
        np.testing.assert_array_equal(ptxcvt.swizzle(scales), expected)
        np.testing.assert_array_equal(ptxcvt.unswizzle(expected, scales.shape), scales)
    several = rng.integers(0, 255, (2, 3, 130, 5), np.uint8).view(ml_dtypes.float8_e8m0fnu)
    made = ptxcvt.swizzle(several)
    assert made.dtype == several.dtype and made.shape == (2, 3, 2048)
    np.testing.assert_array_equal(made[1, 2].view(np.uint8), ptxcvt.swizzle(several[1, 2]).view(np.uint8))
    np.testing.assert_array_equal(ptxcvt.unswizzle(made, several.shape).view(np.uint8), several.view(np.uint8))
    assert ptxcvt.swizzle(np.zeros((0, 4), np.uint8)).shape == (0,)
    none = ptxcvt.swizzle(np.zeros((0, 130, 5), np.uint8))
    assert none.shape == (0, 2048) and ptxcvt.unswizzle(none, (0, 130, 5)).shape == (0, 130, 5)


def test_recipes_of_ones_own(tmp_path):
    text = Recipe("mx-rceil/e2m1").to_toml().replace('name = "mx-rceil/e2m1"', 'name = "own"').replace("32,", "16,")
    own = Recipe.from_toml(text)
    assert own.name == "own" and own.block == (1, 16) and own != Recipe("mx-rceil/e2m1") and own != "own"
    (tmp_path / "own.toml").write_text(text)
    file = Recipe(str(tmp_path / "own.toml"))
    assert file == own and hash(file) == hash(own) and pickle.loads(pickle.dumps(own)) == own
    x = np.random.default_rng(1).standard_normal((4, 64)).astype(np.float32)
    q = ptxcvt.quantize(x, file)
    assert q.recipe == own and q.scales.shape == (4, 4) and q.codes.shape == (4, 64)
    np.testing.assert_array_equal(ptxcvt.dequantize(pickle.loads(pickle.dumps(q))), ptxcvt.dequantize(q))
    assert ptxcvt.compare(x, own, file).equal
    # A recipe of the table can be given by its name.
    assert Recipe("mx-rceil/e4m3") == "mx-rceil/e4m3" and Recipe("mx-rceil/e4m3") != "mx-floor/e4m3"
    with pytest.raises(Error):
        Recipe("own")


def test_codes_are_interleaved_as_kernels_take_them():
    words = np.random.default_rng(1).integers(0, 1 << 32, 1000, dtype=np.uint32)
    bytes_of = [words >> 8 * n & 0xFF for n in range(4)]
    # Elements 0 and 1 have fraction and exponent from bit 7 and the sign in bit 15 of the halves, 2 and 3 from bit 0 and bit 14.
    expected = sum(
        (code & 0x7F) << (7, 23, 0, 16)[n] | (code >> 7) << (15, 31, 14, 30)[n] for n, code in enumerate(bytes_of)
    )
    found = ptxcvt.interleave("cvt.rn.f16x2.e4m3x2", words)
    assert found.dtype == np.uint32 and (found == expected).all()
    codes = words.view(np.uint8).reshape(10, 400)
    found = ptxcvt.interleave(ptxcvt.Form("cvt.rn.f16x2.e4m3x2"), codes)
    assert found.shape == codes.shape and (found.reshape(-1).view(np.uint32) == expected).all()
    for wrong in [np.zeros(6, np.uint8), np.uint32(1)]:
        with pytest.raises(ptxcvt.Error, match="multiple of 4 bytes"):
            ptxcvt.interleave("cvt.rn.f16x2.e2m1x2", wrong)
    with pytest.raises(ptxcvt.Error, match="has no interleaved order"):
        ptxcvt.interleave("cvt.rn.bf16x2.e4m3x2", words[:0])
    with pytest.raises(ptxcvt.Error, match="forms for pairs"):
        ptxcvt.interleave("cvt.rn.f16.f32", words)


MODULE = """.version 8.1
.target sm_89
.address_size 64
.visible .func (.param .b32 r) _Z5ownerh(.param .b32 x)
{ .reg .b16 %c, %low, %high; .reg .b32 %r<3>;
  ld.param.u8 %c, [x]; cvt.rn.f16x2.e4m3x2 %r1, %c; mov.b32 {%low, %high}, %r1;
  cvt.u32.u16 %r2, %low; st.param.b32 [r], %r2; ret; }
.visible .func (.param .b32 r) other(.param .b32 x)
{ .reg .b32 %r<3>; ld.param.b32 %r1, [x]; not.b32 %r2, %r1; st.param.b32 [r], %r2; ret; }
"""


def test_a_function_of_compiled_ptx_is_chosen():
    assert ptxcvt.run(MODULE, None, np.uint32([0, 5]), function="other", dtype=np.uint32).tolist() == [0xFFFFFFFF, 0xFFFFFFFA]
    assert ptxcvt.run(MODULE, None, np.uint8([0x38]), function="owner").tolist() == [0x3C00]
    # The function converts one element, the form two.
    assert ptxcvt.prove(MODULE, "cvt.rn.f16x2.e4m3x2", function="owner")
    assert ptxcvt.prove(MODULE, ptxcvt.Form("cvt.rn.f16x2.e5m2x2"), function="owner").verdict == "different"
    assert ptxcvt.prove(MODULE, "not.b32 %0, %1;", function="other")
    with pytest.raises(ptxcvt.Error, match="the module has 2 functions") as refused:
        ptxcvt.run(MODULE, None, np.uint32([0]))
    assert refused.value.help[0].startswith("choose one function; the functions are ")
    with pytest.raises(ptxcvt.Error, match="the text has no functions"):
        ptxcvt.run("not.b32 %0, %1;", None, np.uint32([0]), function="f")
    with pytest.raises(ptxcvt.Error, match="function of PTX text"):
        ptxcvt.prove("cvt.rn.f16.f32", "cvt.rn.f16.f32", function="f")


def test_pickling():
    for target in ("sm_70", "sm_80"):
        made = ptxcvt.lower("cvt.rn.f16x2.e5m2x2", target=target)
        again = pickle.loads(pickle.dumps(made))
        assert (str(again), again.form, again.target, again.isa) == (str(made), made.form, made.target, made.isa)
        assert again == made and hash(again) == hash(made) and copy.deepcopy(made) == made
        assert made != ptxcvt.lower(made.form, target="sm_90") and made != str(made)
    text = ".version 8.0\n.target sm_80\n.entry a() { .reg .b32 a; cvt.rn.e4m3x2.f32 a, a, a; }"
    explained = ptxcvt.explain("cvt.rn.f16.f32", 1.5)
    for value, function in [
        (explained, "explain"),
        (explained.elements[0], "explain"),
        (ptxcvt.where("cvt.rn.f16.f32"), "where"),
        (ptxcvt.check(text)[0], "check"),
        (ptxcvt.fix(text), "fix"),
        (ptxcvt.Block("mov.b32 %0, %1;", "=r,r"), "Block"),
    ]:
        for action in (pickle.dumps, copy.deepcopy):
            with pytest.raises(ptxcvt.Error, match=f"a ptxcvt.{type(value).__name__} cannot be pickled or copied") as error:
                action(value)
            assert isinstance(error.value, TypeError)
            assert error.value.help == (f"pickle the arguments of ptxcvt.{function} instead, and call it again",)
