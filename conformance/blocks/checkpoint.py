"""Quantises a checkpoint of three files for every loader with runs that are killed at random points and resumed. The
Python package `safetensors` reads the results: types, shapes and bytes.

    python3 conformance/blocks/checkpoint.py PTXCVT [VENV]

If this Python has no `safetensors`, a virtual environment with it (and numpy) is made in VENV, a folder outside the
project. Without VENV the script reports that it is skipped and ends with status 0.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROWS, COLUMNS = 256, 2048
INDEX = "model.safetensors.index.json"
# Loader, recipe, and for each part of a weight: suffix of the name, type, shape.
CASES = [
    (
        "compressed-tensors",
        "nvfp4-compressed-tensors",
        [
            (".weight_packed", "U8", [ROWS, COLUMNS // 2]),
            (".weight_scale", "F8_E4M3", [ROWS, COLUMNS // 16]),
            (".weight_global_scale", "F32", [1]),
        ],
    ),
    (
        "compressed-tensors",
        "mx-even/e2m1",
        [(".weight_packed", "U8", [ROWS, COLUMNS // 2]), (".weight_scale", "U8", [ROWS, COLUMNS // 32])],
    ),
    (
        "modelopt",
        "nvfp4-modelopt",
        [
            (".weight", "U8", [ROWS, COLUMNS // 2]),
            (".weight_scale", "F8_E4M3", [ROWS, COLUMNS // 16]),
            (".weight_scale_2", "F32", []),
        ],
    ),
    (
        "modelopt",
        "mxfp8-modelopt",
        [(".weight", "F8_E4M3", [ROWS, COLUMNS]), (".weight_scale", "U8", [ROWS, COLUMNS // 32])],
    ),
    (
        "deepseek",
        "deepseek-128x128",
        [
            (".weight", "F8_E4M3", [ROWS, COLUMNS]),
            (".weight_scale_inv", "F32", [ROWS // 128, COLUMNS // 128]),
        ],
    ),
    (
        "gpt-oss",
        "mx-rceil/e2m1",
        [("_blocks", "U8", [ROWS, COLUMNS // 32, 16]), ("_scales", "U8", [ROWS, COLUMNS // 32])],
    ),
]


def ready(venv):
    """Restarts in an interpreter that has the package, or ends."""
    try:
        import safetensors.numpy  # noqa: F401

        return
    except ImportError:
        pass
    python = pathlib.Path(venv or "/nowhere") / "bin" / "python"
    if venv and not python.exists():
        made = subprocess.run([sys.executable, "-m", "venv", venv]).returncode == 0
        if made:
            subprocess.run([python, "-m", "pip", "install", "-q", "safetensors", "numpy"])
    if venv and pathlib.Path(sys.prefix).resolve() != pathlib.Path(venv).resolve() and python.exists():
        os.execv(python, [str(python), __file__, *sys.argv[1:]])
    print("skipped: the Python package safetensors is not installed, and cannot be")
    sys.exit(0)


def make(folder, rng):
    """Writes three files with two weights and a norm each, bf16."""
    weights = {}
    for shard in range(3):
        name = f"model-{shard + 1:05}-of-00003.safetensors"
        header, content = {}, b""
        for part, shape in [("up.weight", [ROWS, COLUMNS]), ("down.weight", [ROWS, COLUMNS]), ("norm.weight", [COLUMNS])]:
            count = shape[0] * (shape[1] if len(shape) > 1 else 1)
            # Numbers near 1 and -1.
            data = bytes(b for _ in range(count // 64) for b in [rng.randrange(256), 0x3F | rng.randrange(2) << 7] * 64)
            place = [len(content), len(content) + len(data)]
            header[f"layers.{shard}.{part}"] = {"dtype": "BF16", "shape": shape, "data_offsets": place}
            content += data
        text = json.dumps(header).encode()
        (folder / name).write_bytes(len(text).to_bytes(8, "little") + text + content)
        weights |= dict.fromkeys(header, name)
    (folder / INDEX).write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": weights}))


def killed(command, arguments, folder, rng, length):
    """Runs the command and kills it at random points until a run completes; returns the number of kills."""
    for count in range(1000):
        child = subprocess.Popen([command, *arguments], cwd=folder, stderr=subprocess.DEVNULL)
        # Each run gets more time, so that one completes.
        try:
            child.wait(rng.random() * length * (0.2 + 0.1 * count))
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        # The folder can be complete although the process was killed just after renaming it. The checks below show
        # whether it is.
        if child.returncode == 0 or (folder / arguments[-1]).exists():
            return count
    raise AssertionError("it never ends")


def read(folder):
    """Returns every tensor in the index as the package reads it: type, shape, bytes."""
    from safetensors import deserialize, safe_open

    index = json.loads((folder / INDEX).read_text())
    tensors, total = {}, 0
    for name in sorted(set(index["weight_map"].values())):
        path = folder / name
        content = dict(deserialize(path.read_bytes()))
        with safe_open(str(path), framework="numpy") as file:
            for tensor in file.keys():
                part = file.get_slice(tensor)
                tensors[tensor] = (part.get_dtype(), list(part.get_shape()), bytes(content[tensor]["data"]))
                assert index["weight_map"][tensor] == name, tensor
                total += len(content[tensor]["data"])
    assert tensors.keys() == index["weight_map"].keys() and index["metadata"]["total_size"] == total
    return tensors


def main():
    command, *venv = sys.argv[1:]
    ready(venv[0] if venv else None)
    command, rng = str(pathlib.Path(command).resolve()), random.Random(time.time_ns())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        make(folder, rng)
        original = read_original(folder)
        for loader, recipe, parts in CASES:
            # By default GPT-OSS quantises experts, which have one more axis.
            chosen = ["--tensor", "*.up.*"] if loader == "gpt-oss" else ["--exclude", "*.down.*"]
            arguments = ["quantize", recipe, INDEX, "--for", loader, *chosen, "--memory", "16KB", "-o"]
            begun = time.monotonic()
            subprocess.run([command, *arguments, "whole"], cwd=folder, check=True, stderr=subprocess.DEVNULL)
            times = killed(command, [*arguments, "resumed"], folder, rng, time.monotonic() - begun)
            whole, resumed = read(folder / "whole"), read(folder / "resumed")
            assert whole == resumed, "the bytes do not depend on the interruptions"
            expected = {f"layers.{i}.{kept}.weight" for i in range(3) for kept in ["down", "norm"]}
            for shard in range(3):
                for part, dtype, shape in parts:
                    name = f"layers.{shard}.up{part}"
                    expected.add(name)
                    assert resumed[name][:2] == (dtype, shape), f"{loader}: {name} is {resumed[name][:2]}"
                for kept in ["down", "norm"]:
                    name = f"layers.{shard}.{kept}.weight"
                    assert resumed[name] == original[name], f"{loader}: {name} is copied"
            assert resumed.keys() == expected, f"{loader}: {sorted(resumed.keys() ^ expected)}"
            back = ["dequantize", "resumed", "--dtype", "bf16", "-o", "back"]
            subprocess.run([command, *back], cwd=folder, check=True, stderr=subprocess.DEVNULL)
            returned = read(folder / "back")
            described = lambda tensors: {name: tensor[:2] for name, tensor in tensors.items()}
            assert described(returned) == described(original), f"{loader}: names, types and shapes come back"
            print(f"{loader}, {recipe}: {len(resumed)} tensors as they should be after {times} kills")
            for name in ["whole", "resumed", "back"]:
                subprocess.run(["rm", "-r", str(folder / name)], check=True)


def read_original(folder):
    from safetensors import deserialize

    content = {}
    for path in sorted(folder.glob("model-*.safetensors")):
        content |= dict(deserialize(path.read_bytes()))
    return {name: ("BF16", list(t["shape"]), bytes(t["data"])) for name, t in content.items()}


if __name__ == "__main__":
    main()
