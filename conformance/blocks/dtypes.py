"""Quantises small random models of f32, f16 and bf16 for compressed-tensors and runs them with transformers on a CPU.

    VENV/bin/python conformance/blocks/dtypes.py PTXCVT

VENV is that of exports.py. For each type of the model and each scheme, the folder of ptxcvt and that of llm-compressor are
compared, and both are loaded in each type: as they are, where layers are decompressed in the first pass, and with
`dequantize=True`. The weights must equal those that `ptxcvt dequantize` restores, in the type of the model or rounded to
bf16. Writes conformance/records/dtypes.tsv.
"""

import importlib.metadata
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers
from transformers import AutoModelForCausalLM

import exports

RECORD = exports.ROOT / "conformance/records/dtypes.tsv"
CASES = [(recipe, scheme) for loader, recipe, scheme in exports.CASES if loader == "compressed-tensors"]
TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
#: The type that transformers chooses by itself is that of `config.json`.
DEFAULT = "default"


def make(folder, dtype):
    """Makes a model with blocks of zeros, a row of zeros, and blocks of small numbers."""
    torch.manual_seed(1)
    config = exports.MODELS["llama"]()
    config.dtype = dtype
    model = AutoModelForCausalLM.from_config(config).to(dtype)
    for number, parameter in enumerate(model.parameters()):
        with torch.no_grad():
            parameter.normal_(std=0.02 * (1 + number % 5))
            if parameter.ndim == 2:
                parameter[1] = 0
                parameter[:, :32] = 0
                parameter[2] *= 2**-10
                parameter[3] *= 2**-16
                parameter[4, ::3] *= 2**-16
    model.save_pretrained(folder)


def run(model):
    """The logits for a fixed text."""
    tokens = torch.arange(64).reshape(2, 32) * 7 % exports.SIZES["vocab_size"]
    with torch.no_grad():
        return model(tokens).logits.float()


def is_same(found, expected):
    """Whether all tensors are equal, after they are rounded to the same type."""
    same = lambda a, b: a.shape == b.shape and torch.equal(a.float(), b.to(a.dtype).float())
    return all(name in found and same(found[name], tensor) for name, tensor in expected.items())


def is_close(found, expected):
    """Whether all tensors are equal but for a rounding or two of bf16."""
    near = lambda a, b: bool(((a.double() - b.double()).abs() <= b.double().abs() * 2**-7 + 2**-24).all())
    return all(name in found and near(found[name], tensor) for name, tensor in expected.items())


def attempt(folder, backs, dtype, decompressed):
    """What transformers makes of a folder in a type: the type of the restored weights that it has, or an error."""
    options = {"quantization_config": transformers.CompressedTensorsConfig(dequantize=True)} if decompressed else {}
    if dtype != DEFAULT:
        options["dtype"] = TYPES[dtype]
    try:
        model = AutoModelForCausalLM.from_pretrained(folder, **options).eval()
        logits = run(model)
    except Exception as error:
        return "refused", f"{type(error).__name__}: {error}".splitlines()[0]
    for module in model.modules():
        # FP8 is kept until here, since its first pass needs only activations to be rounded.
        if not decompressed and getattr(module, "quantization_scheme", None) and module.weight.dtype == torch.float8_e4m3fn:
            from compressed_tensors.compressors import decompress_module

            decompress_module(module)
    if not bool(logits.isfinite().all()):
        return "not finite", ""
    found = dict(model.named_parameters())
    equal = [name for name, expected in backs.items() if is_same(found, expected)]
    other = "rounded" if is_close(found, next(iter(backs.values()))) else "differs"
    return "/".join(equal) if equal else other, ""


def main():
    (command,) = sys.argv[1:]
    command = str(pathlib.Path(command).resolve())
    packages = ["torch", "transformers", "llmcompressor", "compressed-tensors"]
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    lines = [
        "# A small Llama of random weights in each type, quantised for compressed-tensors by ptxcvt and by llm-compressor, and run",
        f"# by transformers on a CPU; {versions}; conformance/blocks/dtypes.py.",
        "# The model's type, the recipe, how many tensors of both folders are equal; then for the type that transformers chooses by",
        "# itself and for each type that the user may choose: what it makes of ptxcvt's folder as it is, and with",
        "# dequantize=True: the weights that `ptxcvt dequantize --dtype` restores in these types, `rounded` if they differ in the",
        "# last place of bf16 because scales are rounded to the chosen type, too, or `refused`, an error in the first pass.",
        "# The last column says whether llm-compressor's folder fares alike in all of them, and the error.",
        "# type\trecipe\tequal\t" + "\t".join([DEFAULT, *TYPES]) + "\tllm-compressor's",
    ]
    for own, dtype in TYPES.items():
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            make(folder / "model", dtype)
            stored = json.loads((folder / "model/config.json").read_text())["dtype"]
            assert stored == str(dtype).removeprefix("torch."), stored
            for recipe, scheme in CASES:
                ours, theirs = folder / f"ours-{recipe}", folder / f"theirs-{recipe}"
                invoke = lambda *arguments: subprocess.run([command, *arguments], cwd=folder, check=True, capture_output=True)
                invoke("quantize", recipe, "model", "--for", "compressed-tensors", "-o", ours.name)
                backs = {}
                for name in dict.fromkeys([own, "bf16"]):
                    invoke("dequantize", ours.name, "--dtype", name, "-o", f"back-{name}-{recipe}")
                    backs[name] = exports.tensors(folder / f"back-{name}-{recipe}")
                exports.by_llm_compressor(folder / "model", scheme, theirs)
                equal, count, different = exports.compare(ours, theirs)
                fields, errors = [], []
                for wanted in [DEFAULT, *TYPES]:
                    tried = [[attempt(who, backs, wanted, whether) for whether in (False, True)] for who in (ours, theirs)]
                    fields.append(",".join(verdict for verdict, _ in tried[0]))
                    errors += [error for _, error in tried[0] if error]
                    fares = [[verdict for verdict, _ in who] for who in tried]
                    if fares[0] != fares[1]:
                        errors.append(f"others in {wanted}: {','.join(fares[1])}")
                seen = "; ".join(["alike" if not any("others" in e for e in errors) else "", *dict.fromkeys(errors)]).strip("; ")
                lines.append("\t".join([own, recipe, f"{equal} of {count}", *fields, seen]))
                print(lines[-1], flush=True)
                for name, what in list(different.items())[:4]:
                    print("   ", name, what)
    RECORD.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
