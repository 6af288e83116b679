"""Runs parts of libraries on a CPU whose whole needs a GPU or a compiler, and compares them with `ptxcvt quantize`:
TransformerEngine's `reference_nvfp4.py`, auto-round's NVFP4 with UE5M3 scales, and Quark's `even_round`. They need torch
only, once some imports are replaced.

    VENV/bin/python conformance/blocks/references.py PTXCVT TRANSFORMER_ENGINE AUTO_ROUND

VENV has torch, numpy and amd-quark (`--no-deps`); the others are checkouts of NVIDIA/TransformerEngine and
intel/auto-round. Writes conformance/records/references.tsv.
"""

import ast
import importlib.util
import itertools
import pathlib
import subprocess
import sys
import tempfile
import types

import numpy as np
import torch
from safetensors.torch import load_file

import compare

RECORD = pathlib.Path(__file__).parents[1] / "records/references.tsv"
#: Arrays of 2,048 by 1,024 numbers: a million blocks of 16.
ARRAYS = 8
#: Recipe, rows of a block, and the options of the reference.
CASES = [
    ("nvfp4-te-1x16", 1, {}),
    ("nvfp4-te-16x16", 16, {}),
    ("nvfp4-te-4over6-mae", 1, {"nvfp4_use_4over6": True, "nvfp4_e4m3_max": 256, "nvfp4_4over6_err_mode": "MAE"}),
    ("nvfp4-te-4over6-mse", 1, {"nvfp4_use_4over6": True, "nvfp4_e4m3_max": 256, "nvfp4_4over6_err_mode": "MSE"}),
]
ROWS = {"row_scaled_nvfp4": True}
CASES += [(name.replace("te-", "te-row-scaled-"), 1, options | ROWS) for name, rows, options in CASES if rows == 1]


def transformer_engine(checkout):
    """Imports the reference. Of its imports, only the base classes have a use here."""
    package = "transformer_engine.pytorch"
    base = types.SimpleNamespace(QuantizedTensorStorage=object, Quantizer=object)
    recipes = f"{package}.custom_recipes"
    stubs = {name: types.ModuleType(name) for name in ("transformer_engine", package, recipes, f"{recipes}.gemm")}
    stubs[recipes].gemm = stubs[f"{recipes}.gemm"]
    stubs[f"{recipes}.gemm"].MMParams = object
    stubs[f"{recipes}.gemm"].GEMMType = types.SimpleNamespace(FPROP=None)
    sys.modules |= stubs | {f"{package}.quantized_tensor": base}
    folder = pathlib.Path(checkout) / "transformer_engine/pytorch/custom_recipes"
    for name in ("reference_utils", "reference_nvfp4"):
        spec = importlib.util.spec_from_file_location(f"{recipes}.{name}", folder / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[f"{recipes}.{name}"] = module
        setattr(stubs[recipes], name, module)
        spec.loader.exec_module(module)
    return module.NVFP4QuantizerRef._quantize_blockwise_reference


def fp4(command, recipe, reference, run, spread, folder):
    """Returns the line of a recipe with FP4 elements; `run` returns a library's scales and packed codes."""
    scales_differ = codes_differ = zeros = scales = codes = 0
    for array in range(ARRAYS):
        bits = compare.numbers(array, spread, None)
        with torch.no_grad():
            expected_scales, expected = run(compare.bf16(bits))
        found_scales, found = (np.frombuffer(b, np.uint8) for b in compare.ours(command, recipe, bits, folder))
        scales_differ += int((expected_scales != found_scales).sum())
        scales += expected_scales.size
        expected_codes, mine = (np.stack([b & 15, b >> 4], 1).reshape(-1) for b in (expected, found))
        zero = (expected_codes & 7 == 0) & (mine & 7 == 0)
        zeros += int((zero & (expected_codes != mine)).sum())
        codes_differ += int((~zero & (expected_codes != mine)).sum())
        codes += expected_codes.size
    return f"{recipe}\t{reference}\t{scales}\t{scales_differ}\t{codes}\t{codes_differ}\t{zeros}"


def nvfp4(command, reference, folder):
    """Yields a line for each recipe of TransformerEngine."""
    for recipe, rows, options in CASES:

        globals = []

        def run(x, rows=rows, options=options, globals=globals):
            amax = (x.abs().amax(1) if "row_scaled_nvfp4" in options else x.abs().max()).float().view(-1)
            globals.append(amax)
            codes, scales = reference(x, amax, 16, rows, pow_2_scales=False, eps=0.0, **options)
            # Squares have one scale, which the library repeats.
            return scales.view(torch.uint8).numpy()[::rows].reshape(-1), codes.numpy().reshape(-1)

        line = fp4(command, recipe, "reference_nvfp4.py", run, 5, folder)
        # The command's last output is still there.
        made = load_file(folder / "y.safetensors")["global_scale"].view(-1)
        assert torch.equal(made, globals[-1]), recipe
        yield line


def functions(path, wanted, names):
    """Returns the functions and constants with these names of a file, without running the rest of it."""
    tree = ast.parse(path.read_text())
    named = lambda node: getattr(node, "name", None) or getattr(getattr(node, "targets", [None])[0], "id", None)
    tree.body = [node for node in tree.body if named(node) in wanted]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = []
    exec(compile(ast.fix_missing_locations(tree), str(path), "exec"), names)
    return types.SimpleNamespace(**{name: names[name] for name in wanted})


def auto_round(command, checkout, folder):
    """Yields the line of auto-round's recipe."""
    checkout = pathlib.Path(checkout) / "auto_round"
    wanted = ["cast_to_fp4", "get_reciprocal", "float_to_e5m3_frexp", "e5m3_to_float_tensor", "cast_to_ue5m3"]
    wanted += ["cast_to_ue5m3_ste", "ref_fp4_quant", "FLOAT8_UE5M3_MAX", "FLOAT4_E2M1_MAX"]
    quantise = functions(checkout / "data_type/nvfp.py", wanted, {"torch": torch, "round_ste": torch.round})
    wanted = ["_pack_fp4_to_uint8", "FLOAT_TO_E2M1"]
    pack = functions(checkout / "export/export_to_autoround/qlinear_fp.py", wanted, {"torch": torch})

    def run(x):
        blocks = x.view(-1, 16)
        _, scales = quantise.ref_fp4_quant(blocks, 1.0, 16)
        # `QuantLinear.pack` scales and clamps in the same way.
        scaled = (blocks / scales.reshape(blocks.shape[0], -1)).clamp_(-6.0, 6.0)
        codes = pack._pack_fp4_to_uint8(quantise.cast_to_fp4(scaled))
        return quantise.float_to_e5m3_frexp(scales.float()).numpy().reshape(-1), codes.numpy().reshape(-1)

    yield fp4(command, "nvfp4-ue5m3-auto-round", "nvfp.py, qlinear_fp.py", run, 20, folder)


def quark():
    """Returns Quark's function without importing the package, whose other parts need a compiler."""
    folder = pathlib.Path(importlib.util.find_spec("quark").submodule_search_locations[0])
    formats = {"e4m3": (4, 3, 8), "e5m2": (5, 2, 15), "e2m3": (2, 3, 2), "e3m2": (3, 2, 4), "e2m1": (2, 1, 2)}
    names = {"torch": torch, "Dtype": object, "get_dtype_params": formats.__getitem__}
    return functions(folder / "torch/quantization/utils.py", ["even_round"], names).even_round, formats


def even(command, folder):
    """Yields a line for each element: the scales of all positive bf16 numbers, each the largest of its block."""
    even_round, formats = quark()
    bits = np.zeros((0x7F7F, 32), np.uint16)
    bits[:, 0] = np.arange(1, 0x7F80)
    for element, (_, fraction, emax) in formats.items():
        scale = even_round(compare.bf16(bits[:, 0]).float(), element)
        expected = (scale.double().log2() + 127).to(torch.uint8).numpy()
        found, _ = compare.ours(command, f"mx-even/{element}", bits, folder)
        mine = np.frombuffer(found, np.uint8)
        # The largest magnitudes, which round to 2^128.
        overflow = (bits[:, 0].astype(np.uint32) << 16) + (1 << (22 - fraction)) >= 0x7F800000
        assert (expected[overflow] == 254).all() and (mine[overflow] == 255 - emax).all(), element
        other = int((expected != mine)[~overflow].sum())
        yield f"mx-even/{element}\tQuark even_round\t{len(mine)}\t{other}\t\t\t{int(overflow.sum())} round to 2^128"


def main():
    import importlib.metadata as metadata

    command, *checkouts = sys.argv[1:]
    command = str(pathlib.Path(command).resolve())
    log = ["log", "-1", "--format=%h of %cs"]
    run = lambda checkout: subprocess.run(["git", "-C", checkout, *log], check=True, capture_output=True, text=True)
    te, ar = (run(checkout).stdout.strip() for checkout in checkouts)
    lines = [
        "# References that run on a CPU, compared with ptxcvt quantize; made by conformance/blocks/references.py.",
        f"# TransformerEngine {te}, auto-round {ar}, amd-quark {metadata.version('amd-quark')}, torch {metadata.version('torch')}.",
        "# Recipe, reference, scales, scales that differ, codes, codes that differ, and codes that differ in the sign of 0 only.",
        "# Quark has scales only; the last column has the largest magnitudes for which its scale is 2^127.",
    ]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        reference = transformer_engine(checkouts[0])
        for line in itertools.chain(
            even(command, folder), auto_round(command, checkouts[1], folder), nvfp4(command, reference, folder)
        ):
            print(line, flush=True)
            lines.append(line)
    RECORD.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
