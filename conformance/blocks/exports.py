"""Exports small models with random weights by llm-compressor and ModelOpt on a CPU, quantises the same models with ptxcvt,
and compares every tensor and the configuration. Writes conformance/records/exports.tsv.

    VENV/bin/python conformance/blocks/exports.py PTXCVT [MODEL…]

With MODEL, only the lines of these models are written. VENV has torch, transformers, accelerate, llmcompressor, compressed-tensors and nvidia-modelopt.
"""

import importlib.metadata
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

ROOT = pathlib.Path(__file__).parents[2]
RECORD = ROOT / "conformance/records/exports.tsv"
#: Loader, recipe, and the name of the scheme in the library.
CASES = [
    ("compressed-tensors", "nvfp4-llm-compressor", "NVFP4A16"),
    ("compressed-tensors", "mxfp4-compressed-tensors", "MXFP4A16"),
    ("compressed-tensors", "mxfp6-compressed-tensors", "MXFP6A16"),
    ("compressed-tensors", "mxfp8-compressed-tensors", "MXFP8A16"),
    ("compressed-tensors", "fp8-channel", "FP8_DYNAMIC"),
    ("compressed-tensors", "fp8-tensor", "tensor"),
    ("compressed-tensors", "fp8-block", "FP8_BLOCK"),
    ("modelopt", "nvfp4-modelopt", "W4A16_NVFP4_CFG"),
    ("modelopt", "mxfp8-modelopt", "MXFP8_DEFAULT_CFG"),
    ("modelopt", "fp8-channel-modelopt", "FP8_PER_CHANNEL_PER_TOKEN_CFG"),
    ("modelopt", "fp8-block-modelopt", "FP8_2D_BLOCKWISE_WEIGHT_ONLY_CFG"),
]
SIZES = {
    # Two squares of 128 or more in every matrix: ModelOpt lets q, k and v of one square share its scale.
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 512,
    "head_dim": 64,
}
LATENT = {
    "num_key_value_heads": 4,
    # Positions turn this part of a head; with the number above the model cannot run.
    "head_dim": 16,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 128,
    "q_lora_rank": 64,
    "kv_lora_rank": 64,
    "qk_rope_head_dim": 16,
    "qk_nope_head_dim": 16,
    "v_head_dim": 32,
    "n_group": 1,
    "topk_group": 1,
    "first_k_dense_replace": 1,
    "n_shared_experts": 1,
}
MODELS = {
    "llama": lambda: transformers.LlamaConfig(**SIZES),
    "qwen3": lambda: transformers.Qwen3Config(**SIZES),
    "mixtral": lambda: transformers.MixtralConfig(**SIZES, num_local_experts=4, num_experts_per_tok=2),
    "deepseek": lambda: transformers.DeepseekV3Config(**SIZES | LATENT),
    "gpt-oss": lambda: transformers.GptOssConfig(**SIZES, num_local_experts=4, num_experts_per_tok=2),
}
#: llm-compressor writes Mixtral's experts under the names of other models, and so does ModelOpt for fp8_pb_wo.
RENAMED = {".w1.": ".gate_proj.", ".w2.": ".down_proj.", ".w3.": ".up_proj."}
#: ModelOpt then keeps the name that transformers has for the module.
RENAMED_TOO = {".block_sparse_moe.": ".mlp."}


def make(folder, kind):
    """Makes a model in bf16 whose weights have several magnitudes."""
    torch.manual_seed(1)
    model = AutoModelForCausalLM.from_config(MODELS[kind]()).to(torch.bfloat16)
    for number, parameter in enumerate(model.parameters()):
        torch.nn.init.normal_(parameter, std=0.02 * (1 + number % 5))
    model.save_pretrained(folder)


def by_llm_compressor(source, scheme, out):
    from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme
    from llmcompressor import oneshot
    from llmcompressor.modifiers.quantization import QuantizationModifier

    ignore = ["lm_head", "re:.*mlp.gate$", "re:.*block_sparse_moe.gate$"]
    if scheme == "tensor":
        # The library has no name for a scale of each matrix with scales of tokens.
        fp8 = {"num_bits": 8, "type": "float", "symmetric": True}
        weights = QuantizationArgs(**fp8, strategy="tensor", dynamic=False)
        tokens = QuantizationArgs(**fp8, strategy="token", dynamic=True, observer=None)
        groups = {"group_0": QuantizationScheme(targets=["Linear"], weights=weights, input_activations=tokens)}
        recipe = QuantizationModifier(config_groups=groups, ignore=ignore)
    else:
        recipe = QuantizationModifier(targets="Linear", scheme=scheme, ignore=ignore)
    model = AutoModelForCausalLM.from_pretrained(source, dtype="auto")
    oneshot(model=model, recipe=recipe)
    model.save_pretrained(out, save_compressed=True)


def by_modelopt(source, scheme, out):
    import modelopt.torch.quantization as mtq
    from modelopt.torch.export import export_hf_checkpoint

    model = AutoModelForCausalLM.from_pretrained(source, dtype="auto")
    mtq.quantize(model, getattr(mtq, scheme), forward_loop=lambda m: m(torch.arange(64).reshape(4, 16)))
    export_hf_checkpoint(model, dtype=torch.bfloat16, export_dir=out)


def tensors(folder):
    return {name: tensor for file in sorted(folder.glob("*.safetensors")) for name, tensor in load_file(file).items()}


def same(a, b):
    bits = lambda t: t.contiguous().reshape(-1).view(torch.uint8)
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(bits(a), bits(b))


#: A library stores the same numbers in another type than the model.
TYPE_ONLY = "type only"


def bytes_that_differ(a, b):
    if a.shape == b.shape and a.dtype != b.dtype and torch.equal(a.double(), b.double()):
        return TYPE_ONLY
    if a.dtype != b.dtype or a.shape != b.shape:
        return "type or shape"
    a, b = (t.contiguous().reshape(-1).view(torch.uint8) for t in (a, b))
    return int((a != b).sum())


def compare(ours, theirs):
    """The number of equal tensors, that of all, and the others, each with the number of its bytes that differ."""
    found = tensors(ours)
    expected = tensors(theirs)
    for names in (RENAMED, RENAMED_TOO):
        if not expected.keys() <= found.keys():
            for old, new in names.items():
                found = {name.replace(old, new): tensor for name, tensor in found.items()}
    different = {
        name: bytes_that_differ(found[name], expected[name]) if name in found and name in expected else "missing"
        for name in sorted(found.keys() | expected.keys())
        if name not in found or name not in expected or not same(found[name], expected[name])
    }
    return len(found.keys() | expected.keys()) - len(different), len(found.keys() | expected.keys()), different


def entry(folder):
    value = json.loads((folder / "config.json").read_text())["quantization_config"]
    return value | {"ignore": sorted(value["ignore"])}


def kept(record, kinds):
    """The lines of a record about other models than `kinds`; none if all models are compared."""
    lines = record.read_text().splitlines() if kinds else []
    return [line for line in lines if not line.startswith("#") and line.split("\t")[0] not in kinds]


def write(record, lines):
    """Writes a record: its head, and lines in the order of the models."""
    order = lambda line: -1 if line.startswith("#") else list(MODELS).index(line.split("\t")[0])
    record.write_text("\n".join(sorted(lines, key=order)) + "\n")


def main():
    command, *kinds = sys.argv[1:]
    command = str(pathlib.Path(command).resolve())
    packages = ["torch", "transformers", "llmcompressor", "compressed-tensors", "nvidia-modelopt"]
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    lines = [
        "# Models with random bf16 weights: the tensors that a library exports and ptxcvt quantises, and how many are equal.",
        f"# {versions}; conformance/blocks/exports.py",
        "# deepseek: both libraries store the router (`gate.weight`, `e_score_correction_bias`) in f32, in which transformers loads it;",
        "# ptxcvt copies it in the model's type.",
        "# gpt-oss: one tensor has all experts of a layer. llm-compressor splits it, ModelOpt quantises it whole; ptxcvt copies it and warns,",
        "# except with --for gpt-oss. All other tensors are equal; the last column has the differing tensors that are not of experts.",
        "# mixtral, fp8-block-modelopt: ModelOpt names the routers after transformers' modules in the list of modules left out.",
        "# model\tloader\trecipe\tscheme\ttensors\tequal\tconfiguration\tothers that differ",
    ]
    lines += kept(RECORD, kinds)
    for kind in kinds or MODELS:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            make(folder / "model", kind)
            for loader, recipe, scheme in CASES:
                theirs, ours = folder / f"theirs-{scheme}", folder / f"ours-{recipe}"
                try:
                    (by_modelopt if loader == "modelopt" else by_llm_compressor)(folder / "model", scheme, theirs)
                except Exception as error:  # what a library cannot export is said, not hidden
                    print(f"{kind}\t{loader}\t{recipe}\t{scheme}\tnot exported: {type(error).__name__}: {error}"[:300])
                    continue
                arguments = [command, "quantize", recipe, "model", "--for", loader, "-o", ours.name]
                subprocess.run(arguments, cwd=folder, check=True, capture_output=True)
                equal, count, different = compare(ours, theirs)
                configuration = "equal" if entry(ours) == entry(theirs) else "differs"
                others = [what for name, what in different.items() if ".experts." not in name]
                only = ", in type only" if others and set(others) == {TYPE_ONLY} else ""
                others = f"{len(others)}{only}"
                lines.append(f"{kind}\t{loader}\t{recipe}\t{scheme}\t{count}\t{equal}\t{configuration}\t{others}")
                print(lines[-1], flush=True)
                for name, what in list(different.items())[:6]:
                    print("   ", name, what)
                if configuration != "equal":
                    print("    ours:  ", json.dumps(entry(ours), sort_keys=True))
                    print("    theirs:", json.dumps(entry(theirs), sort_keys=True))
    write(RECORD, lines)


if __name__ == "__main__":
    main()
