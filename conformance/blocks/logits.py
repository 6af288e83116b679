"""Loads models quantised by ptxcvt and by llm-compressor with transformers and compares their logits; then applies vLLM's
rule for joined layers to both and compares the divergence from the original model.

    VENV/bin/python conformance/blocks/logits.py PTXCVT

VENV is that of exports.py. The models are small and have random weights. vLLM joins q, k, v and gate, up, whose global
scales it replaces by the largest of them, since one product has one scale; scales of blocks stay. Writes
conformance/records/logits.tsv.
"""

import importlib.metadata
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

import exports

RECORD = exports.ROOT / "conformance/records/logits.tsv"
MODELS = ["llama", "qwen3"]
CASES = [(recipe, scheme) for loader, recipe, scheme in exports.CASES if loader == "compressed-tensors"]
JOINED = [("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj")]
GLOBAL = ".weight_global_scale"


def logits(folder, **options):
    """The logits of a model for a fixed text, in f32."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16, **options).eval()
    tokens = torch.arange(256).reshape(4, 64) * 7 % exports.SIZES["vocab_size"]
    with torch.no_grad():
        return model(tokens).logits.float()


def loaded(folder):
    return logits(folder, quantization_config=transformers.CompressedTensorsConfig(dequantize=True))


def divergence(original, other):
    """The mean Kullback-Leibler divergence of the predictions."""
    p, q = original.log_softmax(-1), other.log_softmax(-1)
    return float((p.exp() * (p - q)).sum(-1).mean())


def as_vllm(folder):
    """Replaces the global scales of joined layers by the largest; returns how many changed."""
    changed = 0
    for file in folder.glob("*.safetensors"):
        tensors = load_file(file)
        for name in [name for name in tensors if name.endswith(GLOBAL)]:
            stem, layer = name.removesuffix(GLOBAL).rsplit(".", 1)
            for group in JOINED:
                if layer == group[0]:
                    names = [f"{stem}.{other}{GLOBAL}" for other in group]
                    most = torch.stack([tensors[n] for n in names]).amax(0)
                    changed += sum(int(not torch.equal(tensors[n], most)) for n in names)
                    tensors |= {n: most.clone() for n in names}
        save_file(tensors, file, {"format": "pt"})
    return changed


def main():
    command = str(pathlib.Path(sys.argv[1]).resolve())
    packages = ["torch", "transformers", "llmcompressor", "compressed-tensors"]
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    lines = [
        "# Logits of models with random bf16 weights, quantised by ptxcvt and by llm-compressor and loaded by transformers on a CPU;",
        f"# {versions}; conformance/blocks/logits.py. Model, recipe, scheme, logits, how many differ, divergence of ours and of",
        "# theirs from the original, scales that vLLM's rule for joined layers changes, the divergence with it: ours, theirs, and",
        "# ours with --no-fuse, with the number of scales that the rule changes there.",
    ]
    for kind in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            exports.make(folder / "model", kind)
            original = logits(folder / "model")
            for recipe, scheme in CASES:
                theirs, ours, apart = (folder / f"{who}-{recipe}" for who in ("theirs", "ours", "apart"))
                exports.by_llm_compressor(folder / "model", scheme, theirs)
                for out, options in [(ours, []), (apart, ["--no-fuse"])]:
                    arguments = [command, "quantize", recipe, "model", "--for", "compressed-tensors", *options]
                    subprocess.run([*arguments, "-o", out.name], cwd=folder, check=True, capture_output=True)
                found, expected = loaded(ours), loaded(theirs)
                differ = int((found != expected).sum())
                fields = [kind, recipe, scheme, found.numel(), differ]
                fields += [f"{divergence(original, x):.3e}" for x in (found, expected)]
                if recipe.startswith("nvfp4"):
                    changed = [as_vllm(x) for x in (ours, theirs, apart)]
                    served = [f"{divergence(original, loaded(x)):.3e}" for x in (ours, theirs, apart)]
                    fields += [changed[0] + changed[1], *served, changed[2]]
                lines.append("\t".join(map(str, fields)))
                print(lines[-1], flush=True)
    RECORD.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
