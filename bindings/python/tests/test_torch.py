"""PyTorch's operators: the results of the package's functions, fake tensors, and one graph under torch.compile."""

import pytest

torch = pytest.importorskip("torch")

import ptxcvt
import ptxcvt.torch

X = torch.randn(64, 256, generator=torch.Generator().manual_seed(1)) * 3


def bits(tensor):
    return tensor.contiguous().view(torch.uint8)


@pytest.mark.parametrize(
    "conversion, options",
    [
        ("f32->e4m3", {}),
        ("f32->bf16", {"rounding": "rz"}),
        ("f32->e2m1", {}),
        ("f32->e2m1", {"packed": True}),
        ("f32->e4m3", {"packed": True}),
        ("f32->e2m3", {}),
        ("f32->s8", {"saturate": True}),
        ("cvt.rs.satfinite.e4m3x4.f32", {"seed": 7}),
    ],
)
def test_convert(conversion, options):
    made = ptxcvt.torch.convert(X, conversion, **options)
    assert torch.equal(bits(made), bits(ptxcvt.convert(conversion, X, **options)))
    if options.get("packed") and "e2m1" in conversion:
        assert made.dtype == torch.float4_e2m1fn_x2
    torch.library.opcheck(ptxcvt.torch.convert, (X, conversion), options, test_utils=("test_schema", "test_faketensor"))


@pytest.mark.parametrize("recipe", [str(recipe) for recipe in ptxcvt.recipes() if not recipe.random])
def test_quantize(recipe):
    parts = ptxcvt.torch.quantize(X, recipe)
    q = ptxcvt.quantize(X, recipe)
    assert torch.equal(bits(parts[0]), bits(q.data)) and torch.equal(bits(parts[1]), bits(q.scales))
    assert (parts[2].numel() == 1) == (q.global_scale is not None)
    back = ptxcvt.torch.dequantize(*parts, recipe)
    assert torch.equal(back, ptxcvt.dequantize(q))
    with torch._subclasses.FakeTensorMode() as mode:
        fake = ptxcvt.torch.quantize(mode.from_tensor(X), recipe)
        again = ptxcvt.torch.dequantize(*fake, recipe, torch.bfloat16)
    assert [(t.dtype, t.shape) for t in fake] == [(t.dtype, t.shape) for t in parts]
    assert (again.dtype, again.shape) == (torch.bfloat16, X.shape)


def test_one_graph():
    def f(x):
        data, scales, word = ptxcvt.torch.quantize(x * 2, "nvfp4-torchao")
        return ptxcvt.torch.dequantize(data, scales, word, "nvfp4-torchao") + 1, ptxcvt.torch.convert(x, "f32->e4m3")

    compiled = torch.compile(f, fullgraph=True, backend="aot_eager")
    for ours, theirs in zip(compiled(X), f(X)):
        assert torch.equal(bits(ours), bits(theirs))
