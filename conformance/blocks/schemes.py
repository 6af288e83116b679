"""Quantises arrays of f32, f16 and bf16 with every scheme of compressed-tensors on a CPU and compares the bytes with `ptxcvt quantize`.

    VENV/bin/python conformance/blocks/schemes.py PTXCVT [RECIPE…]

VENV has torch and compressed-tensors. The library computes scales as llm-compressor's observer calls it (`calculate_qparams`), and
its compressor of the scheme makes the bytes that are stored. The arrays have several kinds of numbers: zeros of both signs, subnormal
and large numbers, magnitudes that vary within a block, and arbitrary bits. NaN and infinities are 0 in them; arrays with a NaN or an
infinity in half of their blocks are compared apart, because there the library casts NaN to an integer and makes a scale of 1 of an
infinite one. Writes conformance/records/schemes.tsv; with RECIPE, nothing is recorded.
"""

import importlib.metadata
import pathlib
import subprocess
import sys
import tempfile

import torch
from compressed_tensors.compressors import BaseCompressor
from compressed_tensors.compressors.format import infer_module_format
from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme
from compressed_tensors.quantization.quant_scheme import preset_name_to_scheme
from compressed_tensors.quantization.utils import calculate_qparams, generate_gparam
from safetensors.torch import load_file, save_file

RECORD = pathlib.Path(__file__).resolve().parents[2] / "conformance/records/schemes.tsv"
SCHEMES = {
    "nvfp4-llm-compressor": "NVFP4A16",
    "mxfp4-compressed-tensors": "MXFP4A16",
    "mxfp6-compressed-tensors": "MXFP6A16",
    "mxfp8-compressed-tensors": "MXFP8A16",
    "fp8-channel": "FP8_DYNAMIC",
    "fp8-tensor": "tensor",
    "fp8-block": "FP8_BLOCK",
}
TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
KINDS = ["normal", "spread", "bits", "binades", "tiny", "large", "zeros", "negative zeros"]
#: Numbers that are compared apart.
SPECIAL = {"NaN": float("nan"), "infinity": float("inf"), "-infinity": float("-inf")}
ROWS, COLUMNS = 1024, 1024
#: The largest exponent of a type, and the smallest of a subnormal number.
EXPONENTS = {torch.float32: (127, -149), torch.bfloat16: (127, -133), torch.float16: (15, -24)}
#: The least magnitudes of a block whose scale the library computes as infinity; then it stores 1, and zeros as elements.
OVERFLOW = {4: 1.75, 6: 1.9375, 8: 1.75}


def numbers(kind, dtype, seed):
    """An array of a kind. Numbers that would be infinite or NaN are 0."""
    generator = torch.Generator().manual_seed(seed)
    most, least = EXPONENTS[dtype]
    normal = torch.randn(ROWS, COLUMNS, generator=generator, dtype=torch.float64)
    chance = lambda *shape: torch.rand(*shape, generator=generator)
    whole = lambda low, high, *shape: torch.randint(low, high, shape, generator=generator)
    if kind == "spread":
        x = normal * torch.exp2(whole(-30, 30, ROWS, COLUMNS).double())
    elif kind == "bits":
        bits = torch.finfo(dtype).bits
        integers = whole(-(1 << (bits - 1)), 1 << (bits - 1), ROWS, COLUMNS)
        x = integers.to(torch.int16 if bits == 16 else torch.int32).view(dtype)
    elif kind == "binades":
        x = normal * torch.exp2(torch.linspace(least - 2, most - 2, ROWS * COLUMNS // 32).double()).reshape(ROWS, -1).repeat_interleave(32, 1)
    elif kind == "tiny":
        x = normal * 2.0 ** (least + 4)
    elif kind == "large":
        x = normal * 2.0 ** (most - 2)
    elif kind == "zeros":
        x = torch.where(chance(ROWS, COLUMNS // 32).repeat_interleave(32, 1) < 0.5, 0.0, normal)
    elif kind == "negative zeros":
        x = torch.where(chance(ROWS, COLUMNS) < 0.5, -0.0, normal)
    else:
        x = normal
    x = x.to(dtype)
    return torch.where(x.isfinite(), x, torch.zeros_like(x))


def with_special(value, dtype):
    """An array with a special number in half of its blocks of 32, at any place in them."""
    generator = torch.Generator().manual_seed(100)
    x = numbers("normal", dtype, 100).reshape(ROWS, -1, 32)
    place = torch.randint(0, 32, x.shape[:2], generator=generator)
    chosen = torch.rand(x.shape[:2], generator=generator) < 0.5
    here = (torch.arange(32) == place[..., None]) & chosen[..., None]
    return torch.where(here, torch.tensor(value, dtype=dtype), x).reshape(ROWS, COLUMNS)


def same_numbers(a, b):
    """True where scales or elements are equal or are both NaN, whatever its bits are."""
    a, b = a.reshape(-1), b.reshape(-1)
    if a.dtype == torch.uint8:
        return a == b
    a, b = a.double(), b.double()
    return (a == b) | (a.isnan() & b.isnan())


def special(command, recipe, scheme, dtype):
    """For each special number: how many scales there are, how many scales and elements (or bytes of them) differ, and NaN
    counts as equal to NaN."""
    for name, value in SPECIAL.items():
        x = with_special(value, dtype)
        with tempfile.TemporaryDirectory() as folder:
            found = ours(command, recipe, x, pathlib.Path(folder))
        expected = theirs(x, scheme)
        differ = []
        for theirs_of, ours_of in zip(expected, found[:2]):
            if theirs_of.dtype != ours_of.dtype:
                is_wide = ours_of.dtype == torch.float32
                theirs_of, ours_of = (theirs_of.float(), ours_of) if is_wide else (raw(theirs_of), raw(ours_of))
            differ.append(int((~same_numbers(theirs_of, ours_of)).sum()))
        yield name, found[0].numel(), *differ


def scheme_of(name):
    if name == "tensor":
        weights = QuantizationArgs(num_bits=8, type="float", symmetric=True, strategy="tensor", dynamic=False)
        return QuantizationScheme(targets=["Linear"], weights=weights)
    return preset_name_to_scheme(name, ["Linear"])


def theirs(x, scheme):
    """The scales and elements that the library stores, and the global scale."""
    args = scheme.weights
    given = None
    if args.strategy == "channel":
        groups = [x.amin(-1, keepdim=True), x.amax(-1, keepdim=True)]
    elif args.strategy == "tensor":
        groups = [x.amin().reshape(1), x.amax().reshape(1)]
    elif args.strategy == "block":
        rows, columns = args.block_structure
        blocks = x.reshape(ROWS // rows, rows, COLUMNS // columns, columns)
        groups = [blocks.amin((1, 3)), blocks.amax((1, 3))]
    else:
        blocks = x.unflatten(-1, (-1, args.group_size))
        groups = [blocks.amin(-1), blocks.amax(-1)]
    if args.strategy == "tensor_group":
        given = generate_gparam(x.amin().reshape(1), x.amax().reshape(1))
    scale, zero = calculate_qparams(*groups, args, given)
    state = {"weight": x, "weight_scale": scale.to(x.dtype), "weight_zero_point": zero}
    if given is not None:
        state["weight_global_scale"] = given
    compressor = BaseCompressor.get_value_from_registry(infer_module_format(torch.nn.Linear, scheme).value)
    made = compressor.compress(state, scheme)
    return made["weight_scale"], made.get("weight_packed", made.get("weight")), given


def ours(command, recipe, x, folder):
    save_file({"x": x.contiguous()}, folder / "x.safetensors")
    subprocess.run([command, "quantize", recipe, "x.safetensors", "-o", "y.safetensors"], cwd=folder, check=True)
    made = load_file(folder / "y.safetensors")
    return made["scales"], made["data"], made.get("global_scale")


def raw(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8)


def overflows(x, scheme):
    """The blocks of 32 whose scale the library computes as infinity."""
    bound = OVERFLOW[scheme.weights.num_bits] * 2.0 ** EXPONENTS[x.dtype][0]
    return x.double().abs().unflatten(-1, (-1, 32)).amax(-1) >= bound


def main():
    command, *recipes = sys.argv[1:]
    command = str(pathlib.Path(command).resolve())
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ["torch", "compressed-tensors"])
    lines = [
        "# Bytes of every scheme of compressed-tensors on a CPU, compared with ptxcvt quantize, for each type of numbers;",
        f"# {versions}; conformance/blocks/schemes.py. The recipe, the type, blocks (of MX: those whose scale the library does not",
        "# compute as infinity), scales that differ, bytes of elements that differ, the first kind of numbers where one does.",
    ]
    apart = [
        "# Arrays with one NaN or infinity in half of their blocks of 32: the recipe, the type, the special number, scales, scales that",
        "# differ, elements (FP4 and FP6: bytes of them) that differ. Tensors of f32 and e4m3 are compared as numbers (all NaNs are equal, and",
        "# so are zeros), others byte by byte.",
    ]
    for recipe in recipes or SCHEMES:
        scheme = scheme_of(SCHEMES[recipe])
        for name, dtype in TYPES.items():
            blocks, scales, elements, first = 0, 0, 0, ""
            for seed, kind in enumerate(KINDS):
                x = numbers(kind, dtype, seed)
                with tempfile.TemporaryDirectory() as folder:
                    found = ours(command, recipe, x, pathlib.Path(folder))
                expected = theirs(x, scheme)
                if expected[2] is not None:
                    assert torch.equal(raw(expected[2]), raw(found[2])), (recipe, name, kind, expected[2], found[2])
                if found[0].dtype == torch.float32:
                    expected = (expected[0].float(), expected[1])
                differ = [raw(expected[part]) != raw(found[part]) for part in (0, 1)]
                if recipe.startswith("mx"):
                    kept = ~overflows(x, scheme).reshape(-1)
                    blocks += int(kept.sum())
                    differ = [part.reshape(len(kept), -1)[kept] for part in differ]
                else:
                    blocks += found[0].numel()
                    size = 4 if found[0].dtype == torch.float32 else 1
                    differ[0] = differ[0].reshape(-1, size).any(1)
                counts = [int(part.sum()) for part in differ]
                scales, elements = scales + counts[0], elements + counts[1]
                if any(counts):
                    print(f"{recipe} {name} {kind}: {counts[0]} scales, {counts[1]} bytes of elements", flush=True)
                    first = first or kind
            lines.append("\t".join(map(str, [recipe, name, blocks, scales, elements, first])).rstrip())
            print(lines[-1], flush=True)
            for counts in special(command, recipe, scheme, dtype):
                apart.append("\t".join(map(str, [recipe, name, *counts])))
                print(apart[-1], flush=True)
    if not recipes:
        RECORD.write_text("\n".join(lines + apart) + "\n")


if __name__ == "__main__":
    main()
