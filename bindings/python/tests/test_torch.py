"""PyTorch's operators: the results of the package's functions, fake tensors, and one graph under torch.compile."""

import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

import ptxcvt
import ptxcvt.torch
import torch._dynamo.testing
import torch.masked

X = torch.randn(64, 256, generator=torch.Generator().manual_seed(1)) * 3


def bits(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8)


@pytest.mark.parametrize(
    "conversion, options",
    [
        ("f32->e4m3", {}),
        ("f32->bf16", {"rounding": "rz"}),
        ("f32->e2m1", {}),
        ("f32->e2m1", {"packed": True}),
        ("f32->e4m3", {"packed": True}),
        ("f32->e2m3", {}),
        ("f32->tf32", {"rounding": "rna"}),
        ("f32->s8", {"saturate": True}),
        ("cvt.rs.satfinite.e4m3x4.f32", {"seed": 7}),
    ],
)
def test_convert(conversion, options):
    made = ptxcvt.torch.convert(X, conversion, **options)
    assert torch.equal(bits(made), bits(ptxcvt.convert(conversion, X, **options)))
    if not options.get("packed"):
        assert made.dtype == ptxcvt.convert(conversion, X, **options).dtype
    elif "e2m1" in conversion:
        assert made.dtype == torch.float4_e2m1fn_x2
    torch.library.opcheck(torch.ops.ptxcvt.convert.default, (X, conversion), options, test_utils=("test_schema", "test_faketensor"))


TENSORS = {
    "row": X[0],
    "matrix": X,
    "transposed": X.t(),
    "columns": X[:, 3:9],
    "without axes": X[0, 0],
    "no elements": X[:0],
    "offset": X.reshape(-1)[3:],
    "channels last": X.reshape(2, 8, 32, 32).to(memory_format=torch.channels_last),
    "parameter": torch.nn.Parameter(X.clone()),
    "requires grad": X.clone().requires_grad_(),
    "negative view": torch._neg_view(X.clone()),
    "bits": X.view(torch.int32),
}


@pytest.mark.parametrize("conversion", ["f32->f16", "f32->bf16", "f32->e4m3", "f32->e2m3", "f32->s8", "f32->f64", "f32->u16", "f32->tf32"])
@pytest.mark.parametrize("name", TENSORS)
def test_kept_conversions(monkeypatch, name, conversion):
    from ptxcvt import _convert

    def outcome(function):
        try:
            made = function()
        except ptxcvt.Error as error:
            return str(error)
        assert made.is_leaf
        return type(made), made.dtype, made.shape, made.requires_grad, bits(made.reshape(-1)).tolist()

    options = {"rounding": "rna"} if conversion == "f32->tf32" else {}
    calls = [lambda: ptxcvt.convert(conversion, TENSORS[name], **options), lambda: ptxcvt.torch.convert(TENSORS[name], conversion, **options)]
    found = [[outcome(call) for call in calls] for _ in range(2)]
    monkeypatch.setattr(_convert, "_quick_tensor", lambda *given: None)
    assert found == [[outcome(call) for call in calls]] * 2


def test_a_kept_conversion_warns_and_writes_new_memory():
    x = torch.tensor([[1.0, float("inf")], [float("nan"), 2.0]])
    for function in (lambda: ptxcvt.convert("f32->s8", x), lambda: ptxcvt.torch.convert(x, "f32->s8")):
        for _ in range(2):
            with pytest.warns(RuntimeWarning, match="the first is element 1"):
                made = function()
            made.zero_()
    assert x[0].tolist() == [1.0, float("inf")]


def test_packed_along_the_last_axis():
    x = X.reshape(4, -1).t()
    made = ptxcvt.torch.convert(x, "f32->e2m1", packed=True)
    assert torch.equal(bits(made), bits(ptxcvt.convert("f32->e2m1", x.contiguous(), packed=True)))
    checks = ("test_schema", "test_faketensor")
    torch.library.opcheck(torch.ops.ptxcvt.convert.default, (x, "f32->e2m1"), {"packed": True}, test_utils=checks)


@pytest.mark.parametrize("recipe", [str(recipe) for recipe in ptxcvt.recipes() if not recipe.random])
def test_quantize(recipe):
    parts = ptxcvt.torch.quantize(X, recipe)
    q = ptxcvt.quantize(X, recipe)
    assert torch.equal(bits(parts[0]), bits(q.data)) and torch.equal(bits(parts[1]), bits(q.scales))
    words = X.shape[:-1] if q.recipe.row_scaled else () if q.recipe.global_scale else (0,)
    assert parts[2].shape == words
    back = ptxcvt.torch.dequantize(*parts, recipe)
    assert torch.equal(back, ptxcvt.dequantize(q))
    # A direct call runs no operator; a rearranged tensor and a compiled function do.
    rows = ptxcvt.torch.quantize(X.t().contiguous().t(), recipe)
    assert all(torch.equal(bits(a), bits(b)) and a.dtype == b.dtype for a, b in zip(parts, rows))
    operator = torch.ops.ptxcvt.quantize(X, recipe)
    assert all(torch.equal(bits(a), bits(b)) and a.dtype == b.dtype for a, b in zip(parts, operator))
    assert torch.equal(torch.ops.ptxcvt.dequantize(*parts, recipe), back)
    with torch._subclasses.FakeTensorMode() as mode:
        fake = ptxcvt.torch.quantize(mode.from_tensor(X), recipe)
        again = ptxcvt.torch.dequantize(*fake, recipe, torch.bfloat16)
    assert [(t.dtype, t.shape) for t in fake] == [(t.dtype, t.shape) for t in parts]
    assert (again.dtype, again.shape) == (torch.bfloat16, X.shape)


@pytest.mark.parametrize("name", ["mx-rceil/e2m1", "nvfp4-te-1x16", "own"])
def test_recipes_are_given_like_elsewhere(name, tmp_path):
    """By name, as a recipe, or as a file; also of your own, and in a graph."""
    lines = ptxcvt.Recipe("mx-floor/e4m3" if name == "own" else name).to_toml()
    recipe = ptxcvt.Recipe.from_toml(lines.replace("mx-floor/e4m3", name))
    file = tmp_path / "recipe.toml"
    file.write_text(recipe.to_toml())
    expected = ptxcvt.torch.quantize(X, recipe.name if name != "own" else "mx-floor/e4m3")
    back = ptxcvt.torch.dequantize(*expected, recipe)
    torch._dynamo.reset()
    for given in (recipe, file, str(file)):
        made = ptxcvt.torch.quantize(X, given)
        # Not contiguous, so an operator runs.
        operated = ptxcvt.torch.quantize(X.t().contiguous().t(), given)
        for parts in (made, operated):
            assert all(torch.equal(bits(a), bits(b)) for a, b in zip(parts, expected))
        assert torch.equal(ptxcvt.torch.dequantize(*made, given), back)
    text = ptxcvt.torch._recipe_text(recipe)
    compiled = torch.compile(lambda x: torch.ops.ptxcvt.quantize(x, text), fullgraph=True, backend="aot_eager")
    assert all(torch.equal(bits(a), bits(b)) for a, b in zip(compiled(X), expected))


# PyTorch warns of what it does not trace.
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "function",
    [
        lambda x: ptxcvt.convert("f32->e4m3", x * 2),
        lambda x: ptxcvt.quantize(x * 2, "mx-rceil/e2m1").data,
        lambda x: ptxcvt.dequantize(ptxcvt.quantize(x, "nvfp4-te-row-scaled-1x16")) + 1,
        lambda x: ptxcvt.cvt("cvt.rn.satfinite.e4m3x2.f32", x, x),
        lambda x: ptxcvt.run("fma.rn.f32 $0, $1, $1, $1;", "=f,f", x * 2),
    ],
)
def test_functions_that_are_not_operators_interrupt_the_graph(function):
    torch._dynamo.reset()
    try:
        made = torch.compile(function, backend="aot_eager")(X)
    except ptxcvt.Error as error:
        # PyTorch 2.10 does not catch it.
        assert "torch.compile traces" in error.message and "torch.compiler.disable" in error.help[0]
        made = torch.compile(lambda x: torch.compiler.disable(function)(x), backend="aot_eager")(X)
    assert torch.equal(bits(made), bits(function(X)))


def test_one_graph():
    def f(x):
        data, scales, word = ptxcvt.torch.quantize(x * 2, "nvfp4-torchao")
        return ptxcvt.torch.dequantize(data, scales, word, "nvfp4-torchao") + 1, ptxcvt.torch.convert(x, "f32->e4m3")

    compiled = torch.compile(f, fullgraph=True, backend="aot_eager")
    for found, expected in zip(compiled(X), f(X)):
        assert torch.equal(bits(found), bits(expected))


@pytest.mark.parametrize("conversion, packed", [("e2m1->f32", False), ("e2m1->f16", True)])
def test_pairs_of_fp4_become_single_numbers(conversion, packed):
    pairs = ptxcvt.torch.convert(X, "f32->e2m1", packed=True)
    whole = ptxcvt.convert(conversion, pairs, packed=packed)
    assert whole.shape == X.shape
    for x in (pairs, pairs.view(torch.uint8), pairs.view(torch.uint8).t().contiguous().t()):
        function = lambda x: ptxcvt.torch.convert(x, conversion, packed=packed)
        assert torch.equal(bits(function(x)), bits(whole))
        torch._dynamo.reset()
        made = torch.compile(function, fullgraph=True, backend="aot_eager")(x)
        assert made.shape == X.shape and torch.equal(bits(made), bits(whole))
        if x.dtype == torch.uint8:
            options = {"packed": packed}
            checks = ("test_schema", "test_faketensor")
            torch.library.opcheck(torch.ops.ptxcvt.convert.default, (x, conversion), options, test_utils=checks)


def test_fp4_that_is_given_back_is_read_as_it_was_made():
    numbers = torch.tensor([[1.0, 2.0, 3.0, 4.0], [-0.5, 0.0, 6.0, -6.0]])
    back = lambda x: ptxcvt.torch.convert(x, "e2m1->f32")
    for made in (ptxcvt.convert("f32->e2m1", numbers), ptxcvt.torch.convert(numbers, "f32->e2m1")):
        assert made.dtype == torch.int8 and made.shape == numbers.shape
        assert torch.equal(ptxcvt.convert("e2m1->f32", made), numbers) and torch.equal(back(made), numbers)
        torch._dynamo.reset()
        assert torch.equal(torch.compile(back, fullgraph=True, backend="aot_eager")(made), numbers)
        torch.library.opcheck(torch.ops.ptxcvt.convert.default, (made, "e2m1->f32"), test_utils=("test_schema", "test_faketensor"))
    assert torch.equal(ptxcvt.convert("e2m1->f32", ptxcvt.convert("f32->e2m1", numbers[0, 0])), numbers[0, 0])
    for pairs in (ptxcvt.convert("f32->e2m1", numbers, packed=True), ptxcvt.torch.convert(numbers, "f32->e2m1", packed=True)):
        assert pairs.shape == (2, 2)
        assert torch.equal(ptxcvt.convert("e2m1->f32", pairs), numbers) and torch.equal(back(pairs), numbers)
    q = ptxcvt.quantize(X, "mx-rceil/e2m1")
    assert torch.equal(ptxcvt.convert("e2m1->f32", q.codes), ptxcvt.convert("e2m1->f32", q.data))
    out = torch.zeros(2, 4, dtype=torch.int8)
    assert torch.equal(ptxcvt.convert("e2m1->f32", ptxcvt.convert("f32->e2m1", numbers, out=out)), numbers)
    # FP6 has one code in a byte, too, which no other reading can be taken for.
    six = ptxcvt.convert("f32->e2m3", numbers)
    assert six.dtype == torch.uint8 and torch.equal(ptxcvt.convert("e2m3->f32", six), numbers)


@pytest.mark.parametrize("recipe", ["mx-rceil/e4m3", "nvfp4-te-16x16", "nvfp4-te-row-scaled-1x16"])
def test_a_batch_of_unknown_size(recipe):
    class Model(torch.nn.Module):
        def forward(self, x):
            return ptxcvt.torch.dequantize(*ptxcvt.torch.quantize(x, recipe), recipe)

    batch = torch.export.Dim("batch", min=2, max=1000)
    x = X.reshape(4, 16, 256)
    exported = torch.export.export(Model(), (x,), dynamic_shapes={"x": {0: batch}}).module()
    assert torch.equal(exported(x), Model()(x))
    assert torch.equal(exported(x[:3]), Model()(x[:3]))


PARTS = ptxcvt.torch.quantize(X, "nvfp4-te-1x16")


@pytest.mark.parametrize(
    "function, arguments",
    [
        (ptxcvt.torch.convert, (X.double(), "f32->e4m3")),
        (ptxcvt.torch.convert, (X > 0, "f32->e4m3")),
        (ptxcvt.torch.convert, (X.to(torch.complex64), "f32->e4m3")),
        (ptxcvt.torch.convert, (X, "cvt.rs.satfinite.e4m3x4.f32")),
        (ptxcvt.torch.convert, (X, "f32->e4m3", None, False, False, 7)),
        (ptxcvt.torch.convert, (X, "f32->e4m3", None, False, False, None, False, -1)),
        (ptxcvt.torch.convert, (X[:, 1:], "f32->e2m1", None, False, False, None, True)),
        (ptxcvt.torch.convert, (X[0, 0], "f32->e2m1", None, False, False, None, True)),
        (ptxcvt.torch.convert, (X.bfloat16(), "cvt.rn.satfinite.scaled::n2::ue8m0.e4m3x2.bf16x2")),
        (ptxcvt.torch.quantize, (X.double(), "mx-rceil/e4m3")),
        (ptxcvt.torch.quantize, (X[:, 1:], "mx-rceil/e4m3")),
        (ptxcvt.torch.quantize, (X[1:], "nvfp4-te-16x16")),
        (ptxcvt.torch.quantize, (X[0, 0], "mx-rceil/e4m3")),
        (ptxcvt.torch.quantize, (X, "no-such")),
        (ptxcvt.torch.quantize, (X, "mx-rceil/e4m3", 3.0)),
        (ptxcvt.torch.quantize, (X, "nvfp4-te-1x16", -1.0)),
        (ptxcvt.torch.quantize, (X, "nvfp4-te-1x16", None, 7)),
        (ptxcvt.torch.quantize, (X, "nvfp4-te-rs-1x16")),
        (ptxcvt.torch.quantize, (X, "mx-rceil/e4m3", None, None, -1)),
        (ptxcvt.torch.dequantize, (*PARTS, "nvfp4-te-1x16", torch.float64)),
        (ptxcvt.torch.dequantize, (*PARTS, "nvfp4-te-1x16", torch.float32, -1)),
        (ptxcvt.torch.dequantize, (*PARTS, "mx-rceil/e2m1")),
        (ptxcvt.torch.dequantize, (*PARTS, "mx-rceil/e4m3")),
        (ptxcvt.torch.dequantize, (*PARTS, "gguf-mxfp4")),
        (ptxcvt.torch.dequantize, (*PARTS, "nvfp4-te-row-scaled-1x16")),
        (ptxcvt.torch.dequantize, (PARTS[0], PARTS[1][:, 1:], PARTS[2], "nvfp4-te-1x16")),
        (ptxcvt.torch.dequantize, (PARTS[0][1:], PARTS[1], PARTS[2], "nvfp4-te-1x16")),
        (ptxcvt.torch.dequantize, (PARTS[0], PARTS[1], torch.empty(0), "nvfp4-te-1x16")),
        (ptxcvt.torch.dequantize, (PARTS[0], PARTS[1], torch.ones(3), "nvfp4-te-1x16")),
        (ptxcvt.torch.dequantize, (PARTS[0], PARTS[1].float(), PARTS[2], "nvfp4-te-1x16")),
    ],
)
def test_fake_operators_refuse_what_real_ones_refuse(function, arguments):
    with pytest.raises(ptxcvt.Error) as real:
        function(*arguments)
    with torch._subclasses.FakeTensorMode(allow_non_fake_inputs=True) as mode:
        fakes = [mode.from_tensor(x) if isinstance(x, torch.Tensor) else x for x in arguments]
        with pytest.raises(ptxcvt.Error) as fake:
            function(*fakes)
    assert (fake.value.message, fake.value.code, fake.value.help) == (real.value.message, real.value.code, real.value.help)


PLAIN = [
    lambda x: ptxcvt.convert("f32->e4m3", x),
    lambda x: ptxcvt.quantize(x, "mx-rceil/e4m3").data,
    lambda x: ptxcvt.cvt("cvt.rn.f16.f32", x),
    lambda x: ptxcvt.run("mov.b32 $0, $1;", "=r,r", x),
]


# PyTorch imports a part of itself that is deprecated.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore:`torch.jit:FutureWarning")
@pytest.mark.parametrize("function", PLAIN)
def test_plain_functions_refuse_tensors_without_numbers(function):
    with torch._subclasses.FakeTensorMode() as mode:
        fake = mode.from_tensor(X)
        with pytest.raises(ptxcvt.Error, match="is a fake tensor: it has no numbers\nhelp: the functions of ptxcvt.torch"):
            function(fake)
    for transform in (torch.vmap(function), torch.func.grad(lambda x: function(x).float().sum())):
        with pytest.raises(ptxcvt.Error, match="is a tensor that torch.func traces") as error:
            transform(X)
        assert "call the function outside of vmap, grad and jvp" in error.value.help
    with pytest.raises(ptxcvt.Error, match="is a tensor that torch.func traces"):
        torch.func.jvp(function, (X,), (X,))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_operators_under_vmap():
    made = torch.vmap(lambda x: ptxcvt.torch.convert(x, "f32->e4m3"))(X)
    assert torch.equal(bits(made), bits(ptxcvt.convert("f32->e4m3", X)))


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
@pytest.mark.filterwarnings("ignore:`torch.jit:FutureWarning")
@pytest.mark.parametrize("function", PLAIN)
def test_plain_functions_are_no_constants_of_a_trace(function):
    make_fx = torch.fx.experimental.proxy_tensor.make_fx
    for trace in (lambda: make_fx(function)(X), lambda: torch.jit.trace(function, (X,))):
        with pytest.raises(ptxcvt.Error, match="is a tensor that PyTorch traces: the result would be a constant of the trace"):
            trace()
    traced = make_fx(lambda x: ptxcvt.torch.convert(x, "f32->bf16"))(X)
    assert torch.equal(traced(2 * X), ptxcvt.convert("f32->bf16", 2 * X))


@pytest.mark.parametrize("seed", [0, 7, 2**63 - 1, 2**63, 2**64 - 1])
def test_seeds_of_64_bits(seed):
    conversion, recipe = "cvt.rs.satfinite.e4m3x4.f32", "nvfp4-te-rs-1x16"
    function = lambda x: (ptxcvt.torch.convert(x, conversion, seed=seed), *ptxcvt.torch.quantize(x, recipe, seed=seed))
    q = ptxcvt.quantize(X, recipe, seed=seed)
    expected = (ptxcvt.convert(conversion, X, seed=seed), q.data, q.scales)
    torch._dynamo.reset()
    for made in (function(X), torch.compile(function, fullgraph=True, backend="aot_eager")(X)):
        assert all(torch.equal(bits(one), bits(other)) for one, other in zip(made, expected))
    for wrong in (-1, 2**64):
        with pytest.raises(ptxcvt.Error, match="seed=.*: expected a whole number"):
            ptxcvt.torch.convert(X, conversion, seed=wrong)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: ptxcvt.torch.quantize(X, 5), "recipe: expected a string or a path, not int"),
        (lambda: ptxcvt.torch.quantize(X.numpy(), "mx-rceil/e4m3"), "x: expected a tensor of PyTorch, not ndarray"),
        (lambda: ptxcvt.torch.convert([1.0], "f32->e4m3"), "x: expected a tensor of PyTorch, not list"),
        (lambda: ptxcvt.torch.convert(X, ptxcvt.Form("cvt.rn.bf16.f32")), "conversion=.*: expected a string"),
        (lambda: ptxcvt.torch.convert(X, "f32->e4m3", packed=""), "packed='': expected True or False"),
        (lambda: ptxcvt.dequantize(ptxcvt.quantize(X, "mx-rceil/e4m3"), X), "no dtype"),
        (lambda: ptxcvt.torch.convert(X, "f32->e4m3", seed="7"), "seed='7': expected a whole number"),
        (lambda: ptxcvt.torch.dequantize(*PARTS, "nvfp4-te-1x16", "bf16"), "dtype='bf16': expected a dtype of PyTorch"),
        (lambda: ptxcvt.torch.dequantize(PARTS[0], PARTS[1], None, "nvfp4-te-1x16"), "global_scale: expected a tensor"),
    ],
)
def test_arguments_of_wrong_kinds(call, message):
    with pytest.raises(ptxcvt.Error, match=message):
        call()


def test_results_have_no_gradient():
    x = X.clone().requires_grad_()
    function = lambda x: ptxcvt.torch.dequantize(*ptxcvt.torch.quantize(x, "mx-rceil/e4m3"), "mx-rceil/e4m3")
    torch._dynamo.reset()
    for made in (function(x), torch.compile(function, fullgraph=True, backend="aot_eager")(x)):
        assert not made.requires_grad and torch.equal(made, function(X))


@pytest.mark.parametrize("recipe", ["mx-rceil/e4m3", "mx-rceil/e2m1", "fp8-channel", "fp8-tensor", "deepseek-128x128", "nvfp4-te-1x16", "gguf-mxfp4", "gguf-nvfp4"])
def test_other_sizes_keep_the_graph(recipe):
    """A graph for sizes that are not known holds for all numbers of whole blocks, along each axis."""
    counter = torch._dynamo.testing.CompileCounter()

    def f(x):
        return ptxcvt.torch.dequantize(*ptxcvt.torch.quantize(x, recipe), recipe)

    torch._dynamo.reset()
    compiled = torch.compile(f, backend=counter, fullgraph=True, dynamic=True)
    for n in range(2, 14):
        x = torch.randn(128 * n, 128 * (n % 5 + 2))
        assert torch.equal(compiled(x), f(x))
    assert counter.frame_count <= 2


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
@pytest.mark.filterwarnings("ignore:The PyTorch API of MaskedTensors:UserWarning")
@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support:UserWarning")
@pytest.mark.filterwarnings("ignore:.*quantize_per_tensor.*")
@pytest.mark.parametrize(
    "made, message",
    [
        (lambda: torch.nested.nested_tensor([X, X]), "is a nested tensor"),
        (lambda: torch.nested.nested_tensor([X[0], X[1, :8]], layout=torch.jagged), "is a nested tensor"),
        (lambda: torch.masked.masked_tensor(X, X > 0), "is a masked tensor: conversions would ignore the mask"),
        (lambda: X.to_sparse(), "expected a dense tensor"),
        (lambda: X.to_sparse_csr(), "expected a dense tensor"),
        (lambda: X.to_mkldnn(), "expected a dense tensor"),
        (lambda: torch.quantize_per_tensor(X, 0.1, 0, torch.qint8), "holds torch.qint8, not a type that PTX converts"),
        (lambda: X.to(torch.complex64), "holds torch.complex64, not a type that PTX converts"),
    ],
)
def test_other_tensors_are_refused_alike(made, message):
    """The error does not depend on the function, nor on what was converted before."""
    x = made()
    for _ in range(2):
        for call in (
            lambda: ptxcvt.convert("f32->bf16", x),
            lambda: ptxcvt.quantize(x, "mx-rceil/e4m3"),
            lambda: ptxcvt.torch.convert(x, "f32->bf16"),
            lambda: ptxcvt.torch.convert(x, "f32->bf16", packed=True),
            lambda: ptxcvt.torch.quantize(x, "mx-rceil/e4m3"),
        ):
            with pytest.raises(ptxcvt.Error, match=message):
                call()
        for convert in (ptxcvt.convert, lambda conversion, x: ptxcvt.torch.convert(x, conversion)):
            convert("f32->bf16", X)


#: Conversions whose results have each kind of dtype: PyTorch's own, one that only ml_dtypes has, and integers.
COLD = ["f32->e4m3", "f32->e5m2", "f32->bf16", "f32->f16", "f32->f64", "f32->e2m1", "f32->e2m3", "f32->s8", "f32->u16", "f32->tf32"]


def test_the_first_call_may_be_compiled():
    """Functions that no call has prepared are traced, too, so each conversion's first call is in a process of its own."""
    code = f"""
import torch, ptxcvt
torch.manual_seed(0)
x = torch.randn(2, 32)
for conversion in {COLD!r}:
    options = {{"rounding": "rna"}} if conversion.endswith("tf32") else {{}}
    f = lambda x: ptxcvt.convert(conversion, x, **options)
    torch._dynamo.reset()
    made = torch.compile(f, backend="aot_eager")(x)
    assert torch.equal(made.view(torch.uint8), f(x).view(torch.uint8)), conversion
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    # PyTorch 2.10 does not catch the package's error.
    if "torch.compile traces" not in done.stderr:
        assert done.returncode == 0, done.stderr
