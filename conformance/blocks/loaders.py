"""Quantises small models with random weights for every loader and loads them on a CPU: transformers with
compressed-tensors, with its FP8 of DeepSeek and its MXFP4 of GPT-OSS, and ModelOpt's tensors. Weights must equal the
output of `ptxcvt dequantize`, and the configuration what the library would have written.

    VENV/bin/python conformance/blocks/loaders.py PTXCVT [--drift]

VENV has torch, transformers, accelerate, compressed-tensors and nvidia-modelopt. With --drift a failure is one of the
verdicts, and the output is a line for each folder that drift.py reads.
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

# Recipe and loader.
CASES = [
    ("nvfp4-compressed-tensors", "compressed-tensors"),
    ("mx-even/e2m1", "compressed-tensors"),
    ("nvfp4-modelopt", "modelopt"),
    ("mxfp8-modelopt", "modelopt"),
    ("fp8-channel-modelopt", "modelopt"),
    ("fp8-block-modelopt", "modelopt"),
    ("deepseek-128x128", "deepseek"),
    ("deepseek-128x128-ue8m0", "deepseek"),
    ("mx-rceil/e2m1", "gpt-oss"),
]


def make(folder, loader):
    """Makes a model of two layers with random weights, bf16."""
    torch.manual_seed(1)
    sizes = {"hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4}
    sizes |= {"num_key_value_heads": 2, "vocab_size": 512, "head_dim": 32}
    if loader == "gpt-oss":
        config = transformers.GptOssConfig(**sizes, num_local_experts=4, num_experts_per_tok=2)
    else:
        config = transformers.LlamaConfig(**sizes, tie_word_embeddings=loader == "modelopt")
    model = AutoModelForCausalLM.from_config(config).to(torch.bfloat16)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.05)
    # Several files, so that there is an index.
    model.save_pretrained(folder, max_shard_size="400KB")
    (folder / "tokenizer.json").write_text("{}")
    (folder / "pytorch_model.bin").write_text("weights of another format")


def tensors(folder):
    return {name: tensor for file in sorted(folder.glob("*.safetensors")) for name, tensor in load_file(file).items()}


def compare(loaded, expected):
    """Returns the number of tensors with equal bits; tied tensors are stored once."""
    for name, tensor in expected.items():
        found = loaded[name]
        assert found.shape == tensor.shape, f"{name}: {found.shape}, not {tensor.shape}"
        assert torch.equal(found.to(torch.float32), tensor.to(torch.float32)), f"{name} differs"
    return len(expected)


def load(folder, **options):
    """Loads the model with transformers, and fails if it reports missing or unexpected tensors."""
    model, info = AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True, dtype=torch.bfloat16, **options)
    wrong = {what: names for what, names in info.items() if names}
    assert not wrong, wrong
    return model.state_dict()


def modelopt(folder, expected):
    """Checks with ModelOpt's own conversion of configurations, and its tensors."""
    from modelopt.torch.export.convert_hf_config import convert_hf_quant_config_format
    from modelopt.torch.quantization.qtensor import FP8QTensor, MXFP8QTensor, NVFP4QTensor

    config = json.loads((folder / "config.json").read_text())["quantization_config"]
    quant = json.loads((folder / "hf_quant_config.json").read_text())
    assert config == convert_hf_quant_config_format(quant), config
    stored = tensors(folder)
    loaded = {}
    for name, tensor in expected.items():
        scale = name + "_scale"
        if scale not in stored:
            loaded[name] = stored[name]
        elif name + "_scale_2" in stored:
            q = NVFP4QTensor(tensor.shape, torch.float32, stored[name])
            double = stored[name + "_scale_2"]
            loaded[name] = q.dequantize(scale=stored[scale], double_scale=double, block_sizes={-1: 16}).bfloat16()
        elif stored[scale].dtype == torch.uint8:
            q = MXFP8QTensor(tensor.shape, torch.bfloat16, stored[name])
            loaded[name] = q.dequantize(scale=stored[scale], block_sizes={-1: 32})
        elif stored[scale].ndim == 1:
            loaded[name] = (stored[name].float() * stored[scale][:, None]).bfloat16()
        else:
            rows, columns = (-(-n // 128) for n in tensor.shape)
            q = FP8QTensor(tensor.shape, torch.float32, stored[name])
            blocks = {-1: 128, -2: 128}
            loaded[name] = q.dequantize(scale=stored[scale].reshape(rows, columns), block_sizes=blocks).bfloat16()
        if tensor.ndim > 1:
            assert (scale in stored) == (name.removesuffix(".weight") not in config["ignore"]), name
    return loaded


def without_none(value):
    if isinstance(value, dict):
        return {key: without_none(part) for key, part in value.items() if part is not None}
    return value


def check(command, recipe, loader, folder):
    """Returns how many tensors are loaded as they should be; fails if one is not."""
    make(folder / "model", loader)
    run = lambda *arguments: subprocess.run([command, *arguments], cwd=folder, check=True, capture_output=True)
    stderr = run("quantize", recipe, "model", "--for", loader, "-o", "quantised").stderr.decode()
    run("dequantize", "quantised", "--dtype", "bf16", "-o", "back")
    expected, original = tensors(folder / "back"), tensors(folder / "model")
    assert expected.keys() == original.keys()
    changed = [name for name in expected if not torch.equal(expected[name], original[name])]
    linear = ["experts.gate_up_proj", "experts.down_proj"] if loader == "gpt-oss" else ["_proj.weight"]
    wanted = [name for name in original if any(name.endswith(end) for end in linear)]
    assert sorted(changed) == sorted(wanted), sorted({*changed} ^ {*wanted})
    assert (folder / "quantised" / "tokenizer.json").exists()
    assert not (folder / "quantised" / "pytorch_model.bin").exists()
    # Tensors that are not quantised are loaded unchanged.
    compare(load(folder / "back"), expected)
    if loader == "modelopt":
        loaded = modelopt(folder / "quantised", expected)
        # transformers ignores the scales of FP8 without an error, which the command warns of.
        misread = not recipe.startswith("nvfp4")
        assert misread == ("computes garbage" in stderr), stderr
        try:
            garbage = AutoModelForCausalLM.from_pretrained(folder / "quantised", dtype=torch.bfloat16).state_dict()
        except Exception:
            assert not misread
        else:
            assert misread and not torch.equal(garbage[changed[0]], expected[changed[0]])
    elif loader == "compressed-tensors":
        from compressed_tensors.quantization import QuantizationConfig

        entry = json.loads((folder / "quantised" / "config.json").read_text())["quantization_config"]
        ours = QuantizationConfig.model_validate(entry).model_dump(mode="json", exclude_none=True)
        # The library ignores the other keys that llm-compressor writes; exports.py compares all of them.
        assert ours == without_none({key: value for key, value in entry.items() if key in ours}), ours
        option = transformers.CompressedTensorsConfig(dequantize=True)
        loaded = load(folder / "quantised", quantization_config=option)
    else:
        loaded = load(folder / "quantised")
    count = compare(loaded, expected)
    return f"{count} tensors as they should be, {len(changed)} of them quantised"


def main():
    command, *drift = sys.argv[1:]
    command = str(pathlib.Path(command).resolve())
    packages = ["torch", "transformers", "compressed-tensors", "nvidia-modelopt"]
    versions = {name: importlib.metadata.version(name) for name in packages}
    if not drift:
        print(", ".join(f"{name} {version}" for name, version in versions.items()))
    for recipe, loader in CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                verdict = check(command, recipe, loader, pathlib.Path(folder))
            except Exception as error:
                if not drift:
                    raise
                verdict = f"fails: {type(error).__name__}: {error}".splitlines()[0]
            if not drift:
                print(f"{loader}, {recipe}: {verdict}", flush=True)
                continue
            reader = {"modelopt": "nvidia-modelopt", "compressed-tensors": "compressed-tensors"}.get(loader)
            readers = ["transformers", *([reader] if reader else [])]
            named = ", ".join(f"{name} {versions[name]}" for name in readers)
            print(f"{loader} {recipe}\t{named}\t{verdict}", flush=True)


if __name__ == "__main__":
    main()
