"""Loads models quantised by ptxcvt and by llm-compressor and compares their logits; then applies vLLM's rule for joined
layers to both and compares the divergence from the original model.

    VENV/bin/python conformance/blocks/logits.py PTXCVT [MODEL…]

VENV is that of exports.py. The models are small and have random weights. compressed-tensors decompresses the weights, and
transformers runs the model; whether transformers by itself loads the same weights from our folder is recorded, too. vLLM
joins q, k, v and gate, up, whose global scales it replaces by the largest of them, since one product has one scale; scales
of blocks stay. Writes conformance/records/logits.tsv; with MODEL, only the lines of these models.
"""

import importlib.metadata
import pathlib
import shutil
import subprocess
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

import exports

RECORD = exports.ROOT / "conformance/records/logits.tsv"
CASES = [(recipe, scheme) for loader, recipe, scheme in exports.CASES if loader == "compressed-tensors"]
JOINED = [("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj"), ("w1", "w3"), ("q_a_proj", "kv_a_proj_with_mqa")]
GLOBAL = ".weight_global_scale"
#: The tensors of a quantised layer.
PARTS = ["weight", "weight_packed", "weight_scale", "weight_global_scale", "weight_shape"]


def logits(folder, **options):
    """The logits of a model for a fixed text, in f32."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16, **options).eval()
    tokens = torch.arange(256).reshape(4, 64) * 7 % exports.SIZES["vocab_size"]
    with torch.no_grad():
        return model(tokens).logits.float()


def loaded(folder, model):
    """The logits with the weights that compressed-tensors decompresses."""
    from compressed_tensors.compressors import BaseCompressor
    from compressed_tensors.quantization import QuantizationConfig

    entry = QuantizationConfig.model_validate(exports.entry(folder))
    scheme = entry.config_groups["group_0"]
    compressor = BaseCompressor.get_value_from_registry(scheme.format or entry.format)
    stored, original = exports.tensors(folder), exports.tensors(model)
    dense = {}
    for name in stored:
        stem, _, part = name.rpartition(".")
        if part == "weight_scale":
            parts = {other: stored[f"{stem}.{other}"] for other in PARTS if f"{stem}.{other}" in stored}
            dense[f"{stem}.weight"] = compressor.decompress(parts, scheme)["weight"].to(torch.bfloat16)
        elif f"{stem}.weight_scale" not in stored or part not in PARTS:
            dense[name] = stored[name]
    for old, new in exports.RENAMED.items():
        dense = {n if n in original else n.replace(new, old): tensor for n, tensor in dense.items()}
    # llm-compressor splits the experts of GPT-OSS. We leave them unchanged, so here they are those of the model.
    split = [name for name in original if name not in dense]
    assert all(".experts." in name for name in split), split
    dense = {name: dense.get(name, original[name]) for name in original}
    out = folder.parent / "dense"
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(model, out)
    for file in out.glob("*.safetensors"):
        file.unlink()
    (out / "model.safetensors.index.json").unlink(missing_ok=True)
    save_file({name: tensor.contiguous() for name, tensor in dense.items()}, out / "model.safetensors", {"format": "pt"})
    return logits(out)


def by_transformers(folder, expected):
    """What transformers makes of a folder by itself: the same logits, others, or an error."""
    try:
        found = logits(folder, quantization_config=transformers.CompressedTensorsConfig(dequantize=True))
    except Exception as error:
        return type(error).__name__
    return "same" if torch.equal(found, expected) else "others"


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
    command, *kinds = sys.argv[1:]
    command = str(pathlib.Path(command).resolve())
    packages = ["torch", "transformers", "llmcompressor", "compressed-tensors"]
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    lines = [
        "# Logits of models with random bf16 weights, quantised by ptxcvt and by llm-compressor, decompressed by compressed-tensors",
        f"# and run by transformers on a CPU; {versions};",
        "# conformance/blocks/logits.py. Model, recipe, scheme, logits, how many differ, what transformers by itself makes of our",
        "# folder (the same logits, others, or an error), divergence of ours and of theirs from the original, scales that vLLM's",
        "# rule for joined layers changes, the divergence with it: ours, theirs, and ours with --no-fuse, with the number of scales",
        "# that the rule changes there. gpt-oss: the experts are those of the model in both.",
    ]
    lines += exports.kept(RECORD, kinds)
    for kind in kinds or exports.MODELS:
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
                found, expected = (loaded(who, folder / "model") for who in (ours, theirs))
                differ = int((found != expected).sum())
                fields = [kind, recipe, scheme, found.numel(), differ, by_transformers(ours, found)]
                fields += [f"{divergence(original, x):.3e}" for x in (found, expected)]
                if recipe.startswith("nvfp4"):
                    changed = [as_vllm(x) for x in (ours, theirs, apart)]
                    served = [f"{divergence(original, loaded(x, folder / 'model')):.3e}" for x in (ours, theirs, apart)]
                    fields += [changed[0] + changed[1], *served, changed[2]]
                lines.append("\t".join(map(str, fields)))
                print(lines[-1], flush=True)
    exports.write(RECORD, lines)


if __name__ == "__main__":
    main()
