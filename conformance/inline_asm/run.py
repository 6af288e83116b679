"""Runs public kernels with inline PTX, and their own tests, on a CPU; and converts arrays of PyTorch and JAX.

Needs torch, triton and the package ptxcvt; torchao and nvidia-modelopt are used if they are installed:

    python conformance/inline_asm/run.py --triton CHECKOUT --pytorch CHECKOUT [--record]

A checkout is the library's source, for its tests; without one, that part is omitted. `--record` writes record.md.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import datetime
import importlib
import importlib.metadata
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest.mock
import xml.etree.ElementTree

import kinds

HERE = pathlib.Path(__file__).parent

#: Tests that do not compare results, and why they are omitted.
LEFT_OUT = {
    "test_inline_asm_with_pointers": "loads and stores by address: a block has no memory",
    "test_error_cpu_tensor": "expects that CPU tensors are refused",
    "test_error_mixed_dtypes": "expects that inputs of different types are refused, a limit of the eager path on GPUs",
}

TRITON_CONFTEST = """
import os
os.environ["TRITON_INTERPRET"] = "1"
import pytest
import triton._internal_testing
import ptxcvt.triton

ptxcvt.triton.install()
# The tests require a GPU when they use inline assembly.
triton._internal_testing.is_cuda = lambda: True

@pytest.fixture
def device():
    return "cpu"
"""

TORCH_CONFTEST = """
import torch
import torch.testing._internal.common_cuda as cuda
import torch.testing._internal.common_utils as utils
import torch.utils._triton
import ptxcvt.torch

ptxcvt.torch.install()
# The tests look for a GPU before they run, and compile for it. Here the operator itself is called.
cuda.SM70OrLater = utils.TEST_CUDA = True
utils.xfailIfNoAcceleratorTriton = lambda test: test
torch.cuda.get_device_capability = lambda *_: (10, 0)
torch.utils._triton.has_triton = lambda: True
torch.compile = lambda function, **_: function
"""


def functions(path: pathlib.Path, prefix: str) -> str:
    """The functions of a file whose names begin with `prefix`, with its imports and the names of their parameters."""
    source = path.read_text()
    tree = ast.parse(source)
    kept = []
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            text = ast.get_source_segment(source, node)
            # Imports of other tests may be missing here.
            kept.append(f"try:\n    {text.replace(chr(10), chr(10) + '    ')}\nexcept ImportError:\n    pass")
        elif isinstance(node, ast.Assign) and any(getattr(t, "id", "") == "num_ctas_list" for t in node.targets):
            kept.append("num_ctas_list = [1]")
        elif isinstance(node, ast.FunctionDef) and node.name.startswith(prefix):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            kept.append("\n".join(source.splitlines()[first - 1 : node.end_lineno]))
    return "\n\n".join(kept) + "\n"


def run_tests(test: str, conftest: str) -> dict[str, str]:
    """The outcome of each test."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "conftest.py").write_text(conftest)
        (pathlib.Path(folder) / "test_public.py").write_text(test)
        report = pathlib.Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", folder]
        environment = {**os.environ, "TRITON_INTERPRET": "1"}
        subprocess.run(command, env=environment, check=False)
        outcomes = {}
        for case in xml.etree.ElementTree.parse(report).iter("testcase"):
            kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
            outcomes[case.get("name", "")] = kinds[0] if kinds else "passed"
        return outcomes


def triton_tests(checkout: pathlib.Path) -> dict[str, str]:
    """Runs Triton's tests of inline assembly in its interpreter."""
    return run_tests(functions(checkout / "python/test/unit/language/test_core.py", "test_inline_asm"), TRITON_CONFTEST)


def pytorch_tests(checkout: pathlib.Path) -> dict[str, str]:
    """Runs PyTorch's tests of its operator on CPU tensors, without tests of generated code."""
    source = (checkout / "test/higher_order_ops/test_inline_asm_elementwise.py").read_text()
    tree = ast.parse(source)
    generated = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "TestInlineAsmPackPadding"]
    lines = source.splitlines()
    for node in generated:
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        lines[first - 1 : node.end_lineno] = [""] * (node.end_lineno - first + 1)
    return run_tests("\n".join(lines).replace('device="cuda"', 'device="cpu"') + "\n", TORCH_CONFTEST)


def torchao_scale() -> str:
    """Compares torchao's Triton scale of mxfp8 (`cvt.rp.satfinite.ue8m0x2.f32`) with its PyTorch code for CPUs."""
    # The interpreter looks up names in the module.
    global scale_of, tl

    import torch
    import triton
    import triton.language as tl
    import torchao.utils

    # The module defines the kernels only if it finds a GPU; in the interpreter they need none.
    answers = {
        (torch.cuda, "is_available"): True,
        (torchao.utils, "is_sm_at_least_100"): True,
        (torchao.utils, "is_cuda_version_at_least"): True,
        (importlib.import_module("torch.utils._triton"), "has_triton"): True,
    }
    with contextlib.ExitStack() as patched:
        for (module, name), answer in answers.items():
            patched.enter_context(unittest.mock.patch.object(module, name, lambda *_, answer=answer: answer))
        from torchao.prototype.mx_formats import kernels
    from torchao.prototype.mx_formats.mx_tensor import ScaleCalculationMode, to_mx

    scale_of = kernels._triton_calculate_scale_rceil

    @triton.jit
    def kernel(X, S, ROWS: tl.constexpr):
        at = tl.arange(0, ROWS)[:, None] * 32 + tl.arange(0, 32)[None, :]
        _, scale = scale_of(tl.abs(tl.load(X + at)), axis=1, USE_PTX=True)
        tl.store(S + tl.arange(0, ROWS), scale)

    torch.manual_seed(0)
    rows = 4096
    x = torch.randn(rows, 32) * torch.exp2(torch.randint(-60, 60, (rows, 1)).float())
    scales = torch.empty(rows, dtype=torch.uint8)
    kernel[(1,)](x, scales, ROWS=rows)
    expected, _ = to_mx(x, torch.float8_e4m3fn, 32, ScaleCalculationMode.RCEIL)
    differ = int((scales != expected.view(torch.uint8).reshape(-1)).sum())
    return f"{rows} blocks, {differ} scales differ"


def modelopt_dequantize() -> str:
    """Compares ModelOpt's Triton kernel that widens NVFP4 (`cvt.rn.f16x2.e2m1x2`) with the table of FP4's values."""
    import torch
    from modelopt.torch.kernels.quantization.gemm import fp4_kernel

    kernel = fp4_kernel.fp4_dequantize_kernel
    torch.manual_seed(0)
    rows, columns, block = 64, 512, 16
    packed = torch.randint(0, 256, (rows, columns // 2), dtype=torch.uint8)
    scales = torch.rand(rows, columns // block)
    scale = torch.tensor([0.37])
    result = torch.empty(rows, columns)
    tile = 1024
    kernel[(rows * columns // 2 // tile,)](packed, scales, scale, result, columns, BLOCK_SIZE=block, TILE_SIZE=tile)
    values = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    values = torch.cat([values, -values])
    codes = torch.stack([packed & 15, packed >> 4], dim=-1).reshape(rows, columns).int()
    expected = values[codes] * scales.repeat_interleave(block, dim=1) * scale
    return f"{rows * columns} numbers, {int((result != expected).sum())} differ"


def kernels() -> dict[str, str]:
    """Runs public kernels from wheels in the interpreter."""
    os.environ["TRITON_INTERPRET"] = "1"
    import ptxcvt.triton

    ptxcvt.triton.install()
    outcomes = {}
    for package, part in (("torchao", torchao_scale), ("nvidia-modelopt", modelopt_dequantize)):
        try:
            version = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
        outcomes[f"{package} {version}: {part.__doc__.split(', ')[0]}"] = part()
    return outcomes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--triton", type=pathlib.Path)
    parser.add_argument("--pytorch", type=pathlib.Path)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    versions = {name: importlib.metadata.version(name) for name in ("ptxcvt", "torch", "triton", "numpy")}
    lines = [
        "# Public kernels with inline PTX on a CPU",
        "",
        f"Run on {datetime.date.today()} with " + ", ".join(f"{n} {v}" for n, v in versions.items()) + ".",
        "",
    ]
    failed = 0
    suites = (("Triton's own tests", options.triton, triton_tests), ("PyTorch's own tests", options.pytorch, pytorch_tests))
    for title, checkout, run in suites:
        if checkout is None:
            continue
        outcomes = run(checkout)
        left = {name.split("[")[0] for name in outcomes} & set(LEFT_OUT)
        judged = {name: outcome for name, outcome in outcomes.items() if name.split("[")[0] not in left}
        passed = [name for name, outcome in judged.items() if outcome == "passed"]
        wrong = [f"{name}: {outcome}" for name, outcome in judged.items() if outcome != "passed"]
        failed += len(wrong) + (not passed)
        lines += [f"## {title}", "", f"{len(passed)} passed, {len(wrong)} did not."]
        lines += [f"- {line}" for line in wrong]
        lines += [f"- left out: `{name}`, which {LEFT_OUT[name]}" for name in sorted(left)] + [""]
    lines += ["## Kernels from wheels", ""]
    for name, outcome in kernels().items():
        failed += " 0 " not in f" {outcome.split(', ')[1]}"
        lines.append(f"- {name}: {outcome}")
    lines += ["", "## Arrays of other libraries", ""]
    for name, outcome in kinds.there().items():
        lines.append(f"- {name} {importlib.metadata.version(name)}: {outcome}")
    text = "\n".join(lines) + "\n"
    print(text)
    if options.record:
        (HERE / "record.md").write_text(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
