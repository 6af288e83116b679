"""Quantises a small random model of every kind that transformers knows, and loads the folder with transformers on a CPU.

    VENV/bin/python conformance/blocks/architectures.py PTXCVT [TYPE…]

VENV has torch, transformers and compressed-tensors. A kind of model (`model_type`) is made from its configuration, with sizes
reduced by the tables below, saved, quantised with the recipes of RECIPES for compressed-tensors, and loaded: as it is, where layers stay compressed until the
first pass, and, if that fails, with `dequantize=True`. Every parameter and
buffer, and the logits of models that read tokens alone, must equal those of the model that `ptxcvt dequantize` restores.
Writes conformance/records/architectures.tsv; with TYPE, only the lines of these kinds.
"""

import copy
import importlib.metadata
import inspect
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import warnings

import torch
import transformers
from transformers.models.auto import modeling_auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = ROOT / "conformance/records/architectures.tsv"
#: One recipe of each kind of folder: elements that stay `weight`, with scales of rows and of blocks; packed ones without and
#: with a global scale.
RECIPES = ["fp8-channel", "fp8-block", "mxfp4-compressed-tensors", "nvfp4-llm-compressor"]
#: The classes of a kind of model: the first list that has it counts.
LISTS = [
    "IMAGE_TEXT_TO_TEXT",
    "MULTIMODAL_LM",
    "CAUSAL_LM",
    "SEQ_TO_SEQ_CAUSAL_LM",
    "SPEECH_SEQ_2_SEQ",
    "MASKED_LM",
    "PRETRAINING",
    "TEXT_ENCODING",
    "",
]
#: Seconds of a processor for one kind of model.
LIMIT = 60
#: The largest number of parameters.
LARGEST = 130_000_000

LAYERS, HEADS, HIDDEN, INNER, VOCABULARY = 2, 4, 128, 256, 1000
#: Sizes by patterns of names; the first that matches counts.
SIZES = [
    (r"mamba_n_heads|mamba_num_heads", 8),
    (r"mamba_d_head|mamba_head_dim|time_step_rank|gated_norm_rank", 32),
    (r"mamba_d_ssm", INNER),
    (r"o_groups", 2),
    (r"vocab_size_per_layer_input", 1000),
    (r"hidden_size_per_layer_input", 64),
    (r"laurel_rank", 32),
    (r"(.*_)?vocab_size|(audio|text|image|vision)_vocab_size|num_embeddings_text|entity_vocab_size", VOCABULARY),
    (r"num_hidden_layers|num_layers|n_layers?|(en|de)coder_layers|num_(en|de)coder_layers|depth|layers|num_blocks", LAYERS),
    (r"(en|de)coder_num_(hidden_)?layers|.*_(num_hidden_layers|num_layers|n_layers)|num_hidden_layers_.*|n_block", LAYERS),
    (r"num_hidden_groups|num_kv_shared_layers|n_shared_experts|num_nextn_predict_layers|first_k_dense_replace", 1),
    (r"num_key_value_heads|n_kv_heads|num_kv_heads|.*_key_value_heads|num_global_key_value_heads", HEADS // 2),
    (r"(.*_)?num_attention_heads|(.*_)?n_heads?|(en|de)coder_attention_heads|num_heads|attention_heads|(.*_)?num_heads", HEADS),
    (r"num_(en|de)coder_attention_heads|linear_num_(key|value)_heads|index_n_heads", HEADS),
    (r"linear_(key|value)_head_dim|head_dim|attention_head_dim|d_kv|global_head_dim|swa_head_dim|kv_channels", HIDDEN // HEADS),
    (r"qk_nope_head_dim|v_head_dim|qk_rope_head_dim|index_head_dim|qk_head_dim", 32),
    (r"q_lora_rank|kv_lora_rank|o_lora_rank", 64),
    (r"index_topk", 16),
    (r"(.*_)?hidden_size|d_model|n_embd|embed_dim|hidden_dim|emb_dim|embedding_size|dim|width|model_dim|(.*_)?embed_dim", HIDDEN),
    (r"projection_dim|out_hidden_size|out_dim|output_dim|lm_hidden_dim|emb_size|decoder_hidden|.*_embed_size|d_embed", HIDDEN),
    (r"(.*_)?intermediate_size(_.*)?|ffn_dim|d_ff|n_inner|(en|de)coder_ffn_dim|ffn_hidden_size|mlp_dim|d_inner|dim_ff", INNER),
    (r"num_(local_|routed_)?experts|n_routed_experts|moe_num_experts|num_moe_experts", 4),
    (r"num_experts_per_tok(en)?|moe_topk|moe_k|top_k_experts|num_selected_experts|experts_per_token|top_k", 2),
    (r"n_group|topk_group|num_expert_group|n_groups", 1),
    (r"max_position_embeddings|n_positions|max_source_positions|max_target_positions|n_ctx|max_seq_len|context_length", 512),
    (r"num_query_tokens|query_length|num_latents|num_queries|max_num_tiles", 8),
]
#: Entries that have no size by default.
MISSING = {"head_dim": HIDDEN // HEADS, "num_key_value_heads": HEADS}
#: Entries of kinds of models that need others, wherever they are in the configuration.
OTHERS = {
    "dory": {"num_hidden_layers": 3, "n_input_layers": 1, "n_recurrent_layers": 1, "n_output_layers": 1},
    "dots1": {"n_routed_experts": 4, "num_experts_per_tok": 2, "n_shared_experts": 1},
    "esm": {"vocab_size": VOCABULARY, "mask_token_id": 32, "pad_token_id": 1},
    "gemma3n": {"num_kv_shared_layers": 0},
    "gemma3n_text": {"num_kv_shared_layers": 0},
    "granitemoehybrid": {"layer_types": ["linear_attention", "full_attention"]},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"], "num_dense_layers": 1},
    "mamba2": {"num_heads": 8},
    "reformer": {"is_decoder": True},
    "xlnet": {"d_head": HIDDEN // HEADS},
}


def replace(config, others):
    """A configuration with other entries."""
    parts = {key: replace(value, others) if isinstance(value, dict) else value for key, value in config.items()}
    return {**parts, **{key: value for key, value in others.items() if key in parts}}


def shrink(config, only_layers=False):
    """Reduces the sizes in a configuration and its parts."""
    layers = next((config[k] for k in ("num_hidden_layers", "num_layers", "n_layer", "n_layers") if k in config), None)
    smallest = {}
    for key, value in config.items():
        if key in ("out_features", "out_indices", "stage_names", "_out_features", "_out_indices"):
            continue
        if key == "per_layer_config" and value:
            smallest[key] = {LAYERS - 1: shrink(next(iter(value.values())), only_layers)}
        elif not isinstance(key, str):
            smallest[key] = value
        elif isinstance(value, dict):
            smallest[key] = shrink(value, only_layers)
        elif isinstance(value, list) and key == "mrope_section" and not only_layers:
            smallest[key] = [6, 5, 5] if len(value) == 3 else value
        elif isinstance(value, list) and layers and len(value) == layers and layers > LAYERS:
            # A layer of each of two kinds if there are several.
            other = next((x for x in value if x != value[0]), value[1])
            smallest[key] = [value[0], other]
        elif value is None and key in MISSING and "num_attention_heads" in config:
            smallest[key] = MISSING[key]
        elif key == "num_key_value_heads" and value == config.get("num_attention_heads") and not only_layers:
            smallest[key] = HEADS
        elif isinstance(value, bool) or not isinstance(value, int):
            smallest[key] = value
        elif re.fullmatch(r".*(token|tok)_(id|index)|(bos|eos|pad|image|audio|video)_?.*_(id|index)", key) and value >= VOCABULARY:
            smallest[key] = 100 + sum(map(ord, key)) % 800
        else:
            size = next((size for pattern, size in SIZES if re.fullmatch(pattern, key)), None)
            is_kept = size is None or value <= size or only_layers and size not in (LAYERS, 4, VOCABULARY)
            smallest[key] = value if is_kept else size
    return smallest


def class_of(kind):
    """The class of a kind of model, or none."""
    for name in LISTS:
        mapping = getattr(modeling_auto, f"MODEL_FOR_{name}_MAPPING_NAMES" if name else "MODEL_MAPPING_NAMES")
        found = mapping.get(kind)
        if found:
            return getattr(transformers, found if isinstance(found, str) else found[0], None)
    return None


def make(kind):
    """Makes a model of random weights."""
    model_class = class_of(kind)
    config_class = model_class.config_class
    if config_class.model_type != kind:
        config_class = getattr(transformers, CONFIG_MAPPING_NAMES[kind])
    full = config_class().to_dict()
    first = None
    for only_layers in (False, True):
        try:
            config = config_class.from_dict(replace(shrink(copy.deepcopy(full), only_layers), OTHERS.get(kind, {})))
            with torch.device("meta"):
                count = sum(p.numel() for p in model_class._from_config(copy.deepcopy(config)).parameters())
            assert count <= LARGEST, f"{count // 1_000_000} million parameters"
            torch.manual_seed(1)
            model = model_class._from_config(config, dtype=torch.bfloat16)
            break
        except Exception as error:
            if only_layers:
                raise first from error
            first = error
    for name, tensor in model.named_parameters():
        if tensor.dtype.is_floating_point:
            with torch.no_grad():
                tensor.normal_(std=0.05) if tensor.ndim > 1 else tensor.add_(torch.randn_like(tensor) * 0.05)
    model.tie_weights()
    return model.eval()


def state(model):
    """Every parameter and buffer of a model."""
    return {**dict(model.named_parameters(remove_duplicate=False)), **dict(model.named_buffers(remove_duplicate=False))}


def outputs(model):
    """The logits, or the last hidden state, for a fixed text; none if the model needs more than tokens."""
    tokens = torch.arange(16).reshape(2, 8) * 7 % 90
    arguments = {"input_ids": tokens}
    if "decoder_input_ids" in inspect.signature(model.forward).parameters:
        arguments["decoder_input_ids"] = tokens
    try:
        with torch.no_grad():
            found = model(**arguments)
        found = getattr(found, "logits", None) if getattr(found, "logits", None) is not None else found[0]
        return found.float() if torch.is_tensor(found) and bool(found.isfinite().all()) else None
    except Exception:
        return None


def load(model_class, folder, **options):
    torch.manual_seed(2)
    return model_class.from_pretrained(folder, dtype=torch.bfloat16, **options).eval()


def equal(a, b):
    """Whether tensors are equal when rounded to the type of the second: some layers are dequantised to f32."""
    return a.shape == b.shape and torch.equal(a.to(b.dtype).float().nan_to_num(7), b.float().nan_to_num(7))


def differing(found, expected):
    return [n for n, t in expected.items() if n not in found or found[n].is_meta or not equal(found[n], t)]


def decompress(model):
    """Decompresses what is still compressed, as the first pass through the model does."""
    from compressed_tensors.compressors import decompress_module

    for module in model.modules():
        if getattr(module, "quantization_scheme", None) is not None and not hasattr(module, "weight"):
            decompress_module(module)
        elif getattr(module, "quantization_scheme", None) is not None and module.weight.dtype == torch.float8_e4m3fn:
            decompress_module(module)


def judge(model_class, folder, dense, logits, options, compare_logits):
    """What transformers makes of a folder: a verdict and a detail."""
    try:
        model = load(model_class, folder, **options)
        found = outputs(model) if compare_logits and logits is not None else None
        decompress(model)
    except Exception as error:
        return "refused", f"{type(error).__name__}: {error}".strip().splitlines()[0][:120]
    wrong = differing(state(model), dense)
    if wrong:
        return "differs", f"{len(wrong)} of {len(dense)} tensors: {wrong[0]}"
    if found is not None and not equal(found, logits):
        return "differs", "logits"
    return "same", "logits, too" if found is not None else ""


def attempt(command, kind, folder):
    """A line of the record."""
    try:
        model = make(kind)
    except Exception as error:
        return [kind, "unmade", f"{type(error).__name__}: {error}".strip().splitlines()[0][:120]]
    model_class, made = type(model), {n: t.clone() for n, t in state(model).items()}
    try:
        model.save_pretrained(folder / "model")
        loaded = state(load(model_class, folder / "model"))
    except Exception as error:
        return [kind, "unmade", f"not restored: {type(error).__name__}: {error}".strip().splitlines()[0][:120]]
    lost = [n for n in differing(loaded, made) if made[n].dtype.is_floating_point and n in dict(model.named_parameters())]
    if lost:
        return [kind, "unmade", f"transformers does not restore what it saved: {len(lost)} tensors: {lost[0]}"]
    logits_of_model = outputs(model)
    stored = json.loads((folder / "model/config.json").read_text())
    if stored.get("model_type") != kind:
        return [kind, "unmade", f"its config.json has the model_type {stored.get('model_type')}"]
    parts = {part["model_type"] for part in stored.values() if isinstance(part, dict) and part.get("model_type")}
    fields, details = [], []
    for recipe in RECIPES:
        out = folder / recipe
        run = lambda *arguments: subprocess.run([command, *arguments], cwd=folder, capture_output=True, text=True)
        done = run("quantize", recipe, "model", "--for", "compressed-tensors", "-o", recipe)
        if done.returncode:
            fields.append("none")
            details.append(f"{recipe}: {done.stderr.strip().splitlines()[0][:160]}")
            continue
        done = run("dequantize", recipe, "--dtype", "bf16", "-o", "back-" + recipe)
        assert done.returncode == 0, done.stderr
        reference = load(model_class, folder / ("back-" + recipe))
        dense, logits = state(reference), outputs(reference) if logits_of_model is not None else None
        changed = len(differing(loaded, dense))
        # Loaded as it is, FP8 rounds activations, too.
        verdicts = [judge(model_class, out, dense, logits, {}, not recipe.startswith("fp8"))]
        if verdicts[0][0] != "same":
            option = {"quantization_config": transformers.CompressedTensorsConfig(dequantize=True)}
            verdicts.append(judge(model_class, out, dense, logits, option, True))
        fields.append("/".join(verdict for verdict, _ in verdicts))
        details += [f"{recipe}: {detail}" for verdict, detail in verdicts if verdict != "same"]
        if recipe == RECIPES[0]:
            compared = "logits" if logits is not None else "weights"
            details.append(f"{changed} of {len(dense)} tensors quantised, {compared} compared")
    return [kind, model_class.__name__, ",".join(sorted(parts)), *fields, "; ".join(dict.fromkeys(details))]


def apart(command, kind):
    """The line of a kind of model, made in a process of its own, whose time is limited."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        child = os.fork()
        if not child:
            resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
            try:
                line = attempt(command, kind, folder)
            except BaseException as error:
                line = [kind, "unmade", f"{type(error).__name__}: {error}".strip().splitlines()[0][:160]]
            (folder / "line").write_text("\t".join(re.sub(r"\s+", " ", part) for part in line))
            os._exit(0)
        os.waitpid(child, 0)
        line = folder / "line"
        text = line.read_text() if line.exists() else f"{kind}\tunmade\tits process was ended"
        return re.sub(r"https?:\S*", "ADDRESS", text.replace(str(folder), "FOLDER"))


def main():
    command, *kinds = sys.argv[1:]
    command = str(pathlib.Path(command).resolve())
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    versions = ", ".join(f"{n} {importlib.metadata.version(n)}" for n in ["torch", "transformers", "compressed-tensors"])
    head = [
        "# Models with random weights of each model_type, quantised for compressed-tensors and loaded by transformers on a CPU;",
        f"# {versions}; conformance/blocks/architectures.py. The type, the class, the types of its parts, then for each recipe",
        f"# ({', '.join(RECIPES)}) what transformers makes of the",
        "# folder as it is, and, if not the same, with dequantize=True: the same weights (and logits, where tokens are the only",
        "# input), others, or an error; `none` if ptxcvt refuses the model; the rest is what was seen. `unmade`: no small model",
        "# could be made.",
    ]
    lines = {}
    if kinds and RECORD.exists():
        found = (line for line in RECORD.read_text().splitlines() if not line.startswith("#"))
        lines = {line.split("\t")[0]: line for line in found}
    # What libraries import at first use is imported here, not in each process.
    with tempfile.TemporaryDirectory() as folder:
        attempt(command, "llama", pathlib.Path(folder))
    for kind in kinds or [kind for kind in CONFIG_MAPPING_NAMES if class_of(kind)]:
        lines[kind] = apart(command, kind)
        print(lines[kind], flush=True)
        RECORD.write_text("\n".join([*head, *(lines[kind] for kind in sorted(lines))]) + "\n")


if __name__ == "__main__":
    main()
