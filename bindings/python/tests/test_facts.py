"""Forms, formats, legality, findings, explanations; the stubs; the examples in the docstrings."""

import ast
import doctest
import inspect
import pathlib
import pickle
import xml.etree.ElementTree

import ml_dtypes
import numpy as np
import pytest

import ptxcvt
from ptxcvt import Error, Form, Format, _native


def test_examples_of_the_native_part():
    parser, ran = doctest.DocTestParser(), 0
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for name, thing in vars(_native).items():
        text = inspect.getdoc(thing) if not name.startswith("__") else None
        if text and ">>>" in text:
            result = runner.run(parser.get_doctest(text, {}, name, None, 0), clear_globs=True)
            assert result.failed == 0, name
            ran += result.attempted
    assert ran > 20


def test_stubs_name_what_there_is():
    stub = pathlib.Path(_native.__file__).with_name("_native.pyi")
    tree = ast.parse(stub.read_text())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    named = set(classes) | {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    constants = {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
    named |= {name for name in constants if not name.startswith("__")}
    there = {name for name in vars(_native) if not name.startswith("__")}
    assert named == there
    for name, node in classes.items():
        members = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
        members |= {one.target.id for one in node.body if isinstance(one, ast.AnnAssign)}
        own = {m for m in vars(getattr(_native, name)) if not m.startswith("__")}
        assert own == {m for m in members if not m.startswith("__")} or name == "Error", name
    assert set(ptxcvt.__all__) <= set(dir(ptxcvt))


def test_forms():
    everything = ptxcvt.forms()
    assert len(everything) > 1000 and len(set(everything)) == len(everything)
    packs = ptxcvt.forms(instruction="cvt.pack")
    assert packs and all(str(form).startswith("cvt.pack.") for form in packs)
    assert all(form.is_legal("sm_90", "8.0") for form in ptxcvt.forms(target="sm_90", isa="8.0"))
    assert all(form.rounding is None for form in ptxcvt.forms(rounding="none", src="f16"))
    relu = ptxcvt.forms(dst=".e4m3x2", having=["relu"], without=["pzo"])
    assert relu and all("relu" in form.modifiers and "pzo" not in form.modifiers for form in relu)
    for wrong in ({"target": "sm_1000"}, {"isa": "1"}, {"dst": "e4m3"}, {"having": ["x"]}, {"instruction": "mov"}):
        with pytest.raises(Error):
            ptxcvt.forms(**wrong)


def test_form():
    form = Form("cvt.rs.satfinite.e4m3x4.f32")
    assert [name for name, _, _ in form.operands] == ["a", "b", "e", "f", "rbits"]
    assert form.extra == "rbits" and form.syntax == "d, {a, b, e, f}, rbits"
    assert form.targets["sm_100a"] == form.since("sm_100a") and form.since("sm_120") is None
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        for made in (form, ptxcvt.Format("e4m3"), ptxcvt.Recipe("mx-rceil/e4m3"), ptxcvt.lower(form, target="sm_100a")):
            assert pickle.loads(pickle.dumps(made, protocol)) == made
    assert hash(form) == hash(Form(str(form)))
    assert sorted([form, Form("cvt.rn.f16.f32")])


def test_where():
    answer = ptxcvt.where("cvt.rn.satfinite.e2m1x2.f32", target="sm_120", isa="9.1")
    assert not answer and not answer.legal
    assert answer.problems[0][0] == "CVT011" and "sm_120a" in answer.problems[0][2]
    assert "illegal[CVT011]" in str(answer)
    assert ptxcvt.where("cvt.rn.satfinite.e2m1x2.f32").since["sm_120a"] == "8.7"
    assert ptxcvt.where("nonsense").problems[0][0] == "CVT001"
    # A version that lacks the target accepts no form, and no other question has an answer for it.
    sentence = "PTX ISA 7.0 does not have sm_90, which exists from ISA 7.8 on"
    answer = ptxcvt.where("cvt.rn.f16.f32", target="sm_90", isa="7.0")
    assert answer.problems == [("CVT012", sentence, "declare `.version 7.8`")]
    for ask in [
        lambda: ptxcvt.forms(target="sm_90", isa="7.0"),
        lambda: ptxcvt.check("", target="sm_90", isa="7.0"),
        lambda: ptxcvt.lower("cvt.rn.f16.f32", target="sm_90", isa="7.0"),
    ]:
        with pytest.raises(ptxcvt.Error, match=sentence):
            ask()


MODULE = """.version 9.1
.target sm_90
.entry k {
  .reg .b16 h; .reg .f32 f;
  cvt.rn.e4m3x2.f32 h, f, f;
  ret;
}
"""


def test_check():
    (found,) = ptxcvt.check(MODULE, name="k.ptx")
    assert (found.code, found.severity, found.line, found.column) == ("CVT008", "error", 5, 3)
    assert found.text == "cvt.rn.e4m3x2.f32" and MODULE.encode()[slice(*found.span)].decode() == found.text
    assert found.help == "write `cvt.rn.satfinite.e4m3x2.f32`"
    assert "k.ptx:5:3" in str(found) and "satfinite" in str(found)
    assert ptxcvt.check(MODULE.replace("rn.", "rn.satfinite.")) == []
    ignored = MODULE.replace("  cvt", "  // ptxcvt: ignore[CVT008]\n  cvt")
    assert ignored != MODULE and ptxcvt.check(ignored) == []
    codes = [found.code for found in ptxcvt.check(ignored.replace("CVT008", "CVT998"))]
    assert codes == ["CVT307", "CVT008"]


def test_explain():
    explanation = ptxcvt.explain("cvt.rn.satfinite.e4m3x2.f32", 1.55, float("nan"))
    upper, lower = explanation.elements
    assert (upper.part, upper.operand, upper.value, upper.outcome) == ("upper", "a", 1.5, "rounded-down")
    assert lower.outcome == "nan" and "canonical" in lower.nan_rule
    assert explanation.result == ptxcvt.cvt("cvt.rn.satfinite.e4m3x2.f32", 1.55, float("nan"))
    tree = xml.etree.ElementTree.fromstring(explanation._repr_html_())
    text = "".join(tree.itertext())
    assert "rounded down" in text and "1.625" in text
    with pytest.raises(Error, match="numbers, not arrays"):
        ptxcvt.explain("cvt.rn.f16.f32", np.zeros(3, np.float32))


@pytest.mark.parametrize(
    "name",
    ["float8_e4m3fn", "float8_e5m2", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn", "bfloat16", "float16", "float32"],
)
def test_formats_are_those_of_finfo(name):
    format, info = Format(name), ml_dtypes.finfo(getattr(ml_dtypes, name, None) or getattr(np, name))
    for fact in ("max", "min", "eps", "smallest_normal", "smallest_subnormal", "nmant", "nexp", "maxexp", "minexp"):
        assert float(getattr(format, fact)) == float(getattr(info, fact)), fact
    if format.bits <= 8:
        codes = np.arange(1 << format.bits, dtype=np.uint8).view(getattr(ml_dtypes, name))
        np.testing.assert_array_equal(np.array(format.values()), codes.astype(np.float64))


def test_names_are_read_as_by_the_command():
    named = ptxcvt.forms(dst=".E4M3x2", src="F32", rounding=".RN", having=["SatFinite"], instruction="CVT")
    assert named == ptxcvt.forms(dst="e4m3x2", src="f32", rounding="rn", having=["satfinite"], instruction="cvt")
    assert len(named) == 8
    assert Format(" .E4M3 ") == Format("e4m3")
    with pytest.raises(Error):
        Format("e4m3x2")
    assert len(ptxcvt.vectors("F32->.e4m3", rounding=".RZ", random=0).inputs) > 100
    with pytest.raises(Error, match="no rounding `up`; roundings are rn"):
        ptxcvt.forms(rounding="up")
    with pytest.raises(Error, match="no instruction `mov`; instructions are cvt cvt.pack"):
        ptxcvt.forms(instruction="mov")


def test_format():
    assert Format("e4m3").encode(1.55) == 0x3C and Format("e4m3").encode(1.55, rounding="rp") == 0x3D
    assert Format("e5m2").encode(1e9) == Format("e5m2").infinity
    assert Format("e5m2").encode(1e9, saturate=True) == 0x7B
    assert Format("bf16") == Format("bfloat16") and len(set(Format.all())) == len(Format.all())
    with pytest.raises(Error, match="no format `e9m9`; formats are u2"):
        Format("e9m9")
    with pytest.raises(Error, match="has 2\\^32 values"):
        Format("f32").values()
