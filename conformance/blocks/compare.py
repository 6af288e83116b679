"""Runs the quantisers of live libraries on the CPU and compares their bytes with `ptxcvt quantize`.

    python3 conformance/blocks/compare.py PTXCVT VENV [--f32 | --special | --drift] [RECIPE...]

VENV is a folder outside the project. If it is not a virtual environment yet, one is made there and the libraries are
installed (5 GB, some minutes). PTXCVT is the command, built with --release. Writes conformance/records/blocks.tsv with
a digest of each library's bytes. `cargo test -p ptxcvt-blocks --test record` compares this library with the digests and
needs none of the libraries.

With --f32 the blocks have f32 numbers that bf16 cannot represent. With --special they have bf16 numbers including NaN,
infinities, negative zeros and subnormal numbers. The differences are written to conformance/records/blocks-f32.tsv and
blocks-special.tsv with the first place, because they are properties of the recipe rather than errors.

With --drift one array is compared, nothing is recorded, and the output is a line for each recipe that drift.py reads.

The data (see `numbers`) are bf16 numbers in blocks of several kinds, including ties of every format, which random data
rarely has. crates/ptxcvt-blocks/tests/record.rs has the same generator.
"""

import datetime
import functools
import hashlib
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

LIBRARIES = [
    "torch==2.15.0",
    "torchao==0.18.0",
    "compressed-tensors==0.20.0",
    "nvidia-modelopt==0.47.0",
    "gguf==0.19.0",
    "jax==0.10.2",
    "ml_dtypes==0.6.0",
    "safetensors==0.8.0",
]
# Sixteen arrays with rows of 1,024 numbers, which are 32 blocks of 32 or 64 of 16.
COLUMNS = 1024
ROWS = 2048
ARRAYS = 16


def main():
    command, venv, *only = sys.argv[1:]
    data = [argument[2:] for argument in only if argument in ("--f32", "--special")]
    verdicts = "--drift" in only
    only = [argument for argument in only if not argument.startswith("--")]
    python = pathlib.Path(venv) / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *LIBRARIES], check=True)
    if pathlib.Path(sys.prefix).resolve() != pathlib.Path(venv).resolve():
        os.execv(python, [str(python), __file__, *sys.argv[1:]])
    command = pathlib.Path(command).resolve()
    if verdicts:
        drift(command, only)
    else:
        compare(command, only, data[0] if data else None)


@functools.cache
def numbers(array, spread, data):
    """Returns the array as bf16 bits or, with `f32`, as f32."""
    import numpy as np

    bits = make_numbers(array, spread)
    r = mix(np.arange(bits.size, dtype=np.uint64) + np.uint64((array + 77) << 40)).reshape(bits.shape)
    if data == "f32":
        # Half of them have bits that bf16 lacks; the others are one last place off a tie.
        low = np.where(r & np.uint64(1), (r >> np.uint64(8)) & np.uint64(0xFFFF), (r >> np.uint64(8)) % np.uint64(3))
        return ((bits.astype(np.uint32) << np.uint32(16)) | low.astype(np.uint32)).view(np.float32)
    if data == "special":
        special = np.array([0x7FC0, 0xFFC0, 0x7F80, 0xFF80, 0x8000, 0x0001, 0x8001, 0x7F7F], dtype=np.uint16)
        rare = (r >> np.uint64(20)) % np.uint64(1024) == 0
        return np.where(rare, special[(r & np.uint64(7)).astype(np.int64)], bits)
    return bits


def mix(x):
    """SplitMix64's output function on an array of counters."""
    import numpy as np

    z = x * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def make_numbers(array, spread):
    """Returns the bf16 bits of one array; blocks of 32 have exponents from -spread to spread."""
    import numpy as np

    count = ROWS * COLUMNS
    index = np.arange(count, dtype=np.uint64) + np.uint64((array + 1) << 32)
    r = mix(index)
    block = mix((index >> np.uint64(5)) + np.uint64(1 << 60))
    kind = block % np.uint64(6)
    exponent = (block >> np.uint64(8)) % np.uint64(2 * spread + 1)
    power = np.ldexp(np.float32(1), exponent.astype(np.int32) - np.int32(spread)).astype(np.float32)
    small = ((r >> np.uint64(8)) % np.uint64(97)).astype(np.float32)
    wide = np.ldexp(
        ((r >> np.uint64(8)) % np.uint64(256)).astype(np.float32), -((r >> np.uint64(40)) % np.uint64(12)).astype(np.int32)
    ).astype(np.float32)
    steps = np.array([0, 1, 2, 3, 4, 6, 8, 12, 448, 416, 5, 7, 10, 14, 28, 15], dtype=np.float32)
    choose = steps[((r >> np.uint64(8)) & np.uint64(15)).astype(np.int64)]
    rare = np.where((r >> np.uint64(8)) % np.uint64(8) == 0, small, np.float32(0))
    value = np.select([kind == 0, kind == 1, kind == 2, kind == 3], [small, wide, choose, rare], wide * np.float32(0.75))
    # The products are exact, and the last kind is truncated to bf16.
    bits = (value * power).astype(np.float32).view(np.uint32) >> np.uint32(16)
    sign = ((r & np.uint64(1)) << np.uint64(15)).astype(np.uint32)
    return (bits | sign).astype(np.uint16).reshape(ROWS, COLUMNS)


def ours(command, recipe, bits, folder):
    import numpy as np

    source, target = folder / "x.npy", folder / "y.safetensors"
    np.save(source, bits)
    dtype = [] if bits.dtype == np.float32 else ["--dtype", "bf16"]
    subprocess.run([command, "quantize", recipe, source, *dtype, "-o", target], check=True)
    raw = target.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + length])

    def tensor(name):
        start, end = header[name]["data_offsets"]
        return raw[8 + length + start : 8 + length + end]

    return tensor("scales") if "scales" in header else b"", tensor("data")


def bf16(bits):
    """Returns the array as a tensor."""
    import torch

    if bits.dtype == "float32":
        return torch.from_numpy(bits.copy())
    return torch.from_numpy(bits.view("int16").copy()).view(torch.bfloat16)


def raw(tensor):
    import torch

    return tensor.contiguous().view(torch.uint8).numpy().tobytes()


def torchao_mx(mode, element):
    def run(bits):
        import torch
        from torchao.prototype.mx_formats import mx_tensor as m

        from torchao.prototype.mx_formats.constants import DTYPE_FP6_E2M3, DTYPE_FP6_E3M2

        dtype = {
            "e4m3": torch.float8_e4m3fn,
            "e5m2": torch.float8_e5m2,
            "e2m3": DTYPE_FP6_E2M3,
            "e3m2": DTYPE_FP6_E3M2,
            "e2m1": torch.float4_e2m1fn_x2,
        }[element]
        scale, data = m.to_mx(bf16(bits), dtype, 32, getattr(m.ScaleCalculationMode, mode))
        return raw(scale), raw(data)

    return run


def torchao_nvfp4(two):
    def run(bits):
        import torch
        from torchao.prototype.mx_formats.nvfp4_tensor import nvfp4_quantize

        x = bf16(bits)
        scale = x.float().abs().amax() / 2688 if two else None
        scales, data = nvfp4_quantize(x, 16, scale)
        return raw(scales), raw(data)

    return run


def modelopt_nvfp4(bits):
    from modelopt.torch.quantization.qtensor.nvfp4_tensor import NVFP4QTensor

    tensor, scales, _ = NVFP4QTensor.quantize(bf16(bits), 16)
    return raw(scales), raw(tensor._quantized_data)


def modelopt_mxfp8(bits):
    from modelopt.torch.quantization.qtensor.mxfp8_tensor import MXFP8QTensor

    x = bf16(bits)
    scales = MXFP8QTensor.get_weights_scaling_factor(x)
    return raw(scales), raw(MXFP8QTensor.quantize_with_scale(x, scales))


def compressed_tensors(bits):
    import torch
    from compressed_tensors.compressors.nvfp4.helpers import pack_fp4_to_uint8
    from compressed_tensors.quantization import QuantizationArgs
    from compressed_tensors.quantization.lifecycle.forward import quantize
    from compressed_tensors.quantization.utils import calculate_qparams, generate_gparam

    # In f32, as in the library's observers.
    x = bf16(bits).float()
    args = QuantizationArgs(
        num_bits=4, type="float", strategy="tensor_group", group_size=16, symmetric=True, scale_dtype=torch.float8_e4m3fn
    )
    low, high = x.amin(), x.amax()
    given = generate_gparam(low, high)
    groups = x.view(x.shape[0], -1, 16)
    scales, _ = calculate_qparams(groups.amin(-1), groups.amax(-1), args, given)
    data = quantize(x, scales.float(), None, args, global_scale=given)
    return raw(scales.to(torch.float8_e4m3fn)), raw(pack_fp4_to_uint8(data))


def modelopt_mxfp4(bits):
    from modelopt.torch.quantization.qtensor.mxfp4_tensor import MXFP4QTensor

    tensor, scales = MXFP4QTensor.quantize(bf16(bits), 32)
    return raw(scales), raw(tensor._quantized_data)


def floats(bits):
    import numpy as np

    return bits if bits.dtype == np.float32 else (bits.astype(np.uint32) << 16).view(np.float32)


def gguf(bits):
    from gguf import GGMLQuantizationType
    from gguf.quants import quantize

    return b"", quantize(floats(bits), GGMLQuantizationType.MXFP4).tobytes()


def gguf_nvfp4(bits):
    """Returns the library's scales. It has no quantiser of elements, so elements are the nearest values of its
    dequantiser for the sixteen codes; of equally near ones, the first.
    """
    import numpy as np
    from gguf.quants import NVFP4

    x = floats(bits).reshape(-1, 16)
    scales = NVFP4.fp32_to_ue4m3(np.abs(x).max(axis=1) / np.float32(6))
    values = np.array(NVFP4.kvalues, np.float32)[None, :] * NVFP4.ue4m3_to_fp32(scales).astype(np.float32)[:, None]
    best, least = np.zeros(x.shape, np.uint8), np.abs(values[:, :1] - x)
    for code in range(1, 16):
        distance = np.abs(values[:, code : code + 1] - x)
        best[distance < least], least = code, np.minimum(distance, least)
    packed = best[:, :8] | best[:, 8:] << 4
    return b"", np.concatenate([scales.reshape(-1, 4), packed.reshape(-1, 32)], axis=1).tobytes()


def jax_mxfp8(element):
    def run(bits):
        import types

        import jax
        import jax.numpy as jnp
        import ml_dtypes
        import numpy as np
        from jax._src.cudnn.scaled_matmul_stablehlo import quantize

        x = jnp.asarray(bits)
        x = x if bits.dtype == np.float32 else jax.lax.bitcast_convert_type(x, jnp.bfloat16)
        config = types.SimpleNamespace(
            mode="mxfp8",
            block_size=32,
            data_type={"e4m3": jnp.float8_e4m3fn, "e5m2": jnp.float8_e5m2}[element],
            scale_type=jnp.float8_e8m0fnu,
            global_scale=None,
        )
        data, scales = quantize(x, config)
        return np.asarray(scales).view(np.uint8).tobytes(), np.asarray(data).view(np.uint8).tobytes()

    return run


def cases():
    """Yields recipe, library, spread of exponents, and a function that runs it."""
    for mode in ["rceil", "floor", "ceil", "even"]:
        for element in ["e4m3", "e5m2", "e2m3", "e3m2", "e2m1"]:
            yield f"mx-{mode}/{element}", "torchao", 100, torchao_mx(mode.upper(), element)
    yield "nvfp4-torchao", "torchao", 5, torchao_nvfp4(True)
    yield "nvfp4-torchao-single", "torchao", 5, torchao_nvfp4(False)
    yield "nvfp4-modelopt", "nvidia-modelopt", 5, modelopt_nvfp4
    yield "mxfp8-modelopt", "nvidia-modelopt", 100, modelopt_mxfp8
    yield "nvfp4-compressed-tensors", "compressed-tensors", 5, compressed_tensors
    yield "mxfp4-modelopt", "nvidia-modelopt", 100, modelopt_mxfp4
    yield "gguf-mxfp4", "gguf", 100, gguf
    yield "gguf-nvfp4", "gguf", 5, gguf_nvfp4
    yield "jax-mxfp8/e4m3", "jax", 100, jax_mxfp8("e4m3")
    yield "jax-mxfp8/e5m2", "jax", 100, jax_mxfp8("e5m2")


def compare(command, only, data):
    import importlib.metadata as metadata

    record = pathlib.Path(__file__).parents[1] / "records" / f"blocks{'-' + data if data else ''}.tsv"
    arrays = 1 if data else ARRAYS
    versions = ", ".join(f"{n} {metadata.version(n)}" for n in ["torch", "ml_dtypes", "jaxlib", "numpy"])
    header = (
        f"# Bytes of block quantisation by libraries on a CPU, {datetime.date.today()}, with {versions}; made by\n"
        "# conformance/blocks/compare.py. Recipe, library, spread of exponents, blocks, bytes, bytes in which ptxcvt differs,\n"
        "# SHA-256 of the library's bytes (scales, then elements, of each of 16 arrays).\n"
    )
    if data:
        header = header.rsplit("# SHA-256", 1)[0] + f"# which differ first: theirs, not ours. Data: {data}.\n"
    # Recipes that are not run keep their lines.
    kept = [l for l in record.read_text().splitlines(True) if not l.startswith("#")] if only and record.exists() else []
    names = [case[0] for case in cases()]
    lines = {l.split("\t")[0]: l for l in kept}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for recipe, library, spread, run in cases():
            if only and recipe not in only:
                continue
            digest, differ, total, first = hashlib.sha256(), 0, 0, ""
            for array in range(arrays):
                bits = numbers(array, spread, data)
                expected = run(bits)
                found = ours(command, recipe, bits, folder)
                for part in expected:
                    digest.update(part)
                total += sum(map(len, expected))
                for name, a, b in zip(["scales", "elements"], expected, found):
                    if a != b:
                        import numpy as np

                        a, b = np.frombuffer(a, np.uint8), np.frombuffer(b, np.uint8)
                        at = np.nonzero(a != b)[0] if len(a) == len(b) else [-1]
                        differ += len(at)
                        if len(at):
                            place = f"{len(at)} {name}, first {at[0]}: {a[at[0]]:#04x}, not {b[at[0]]:#04x}"
                            print(f"{recipe}: array {array}: {place}")
                            first = f"{first}; {place}" if first else place
            block = 16 if "nvfp4" in recipe else 32
            blocks = arrays * ROWS * COLUMNS // block
            version = metadata.version(library)
            print(f"{recipe}: {library} {version}: {blocks} blocks, {differ} of {total} bytes differ", flush=True)
            last = first if data else digest.hexdigest()
            lines[recipe] = (f"{recipe}\t{library} {version}\t{spread}\t{blocks}\t{total}\t{differ}\t{last}\n")
            record.write_text(header + "".join(lines[name] for name in names if name in lines))


def drift(command, only):
    """Prints recipe, library with its version, and how its bytes compare, separated by tabs. A recipe whose library no longer
    has what is called here is one of the verdicts.
    """
    import importlib.metadata as metadata

    with tempfile.TemporaryDirectory() as folder:
        for recipe, library, spread, run in cases():
            if only and recipe not in only:
                continue
            bits = numbers(0, spread, None)
            found = b"".join(ours(command, recipe, bits, pathlib.Path(folder)))
            try:
                expected = b"".join(run(bits))
            except Exception as error:
                verdict = f"the library cannot be called: {type(error).__name__}: {error}".splitlines()[0]
            else:
                if len(expected) == len(found):
                    differ = sum(a != b for a, b in zip(expected, found)) if expected != found else 0
                    verdict = f"{differ} of {len(expected)} bytes differ"
                else:
                    verdict = f"{len(expected)} bytes, ours {len(found)}"
                verdict += f"; {hashlib.sha256(expected).hexdigest()[:16]}"
            print(f"{recipe}\t{library} {metadata.version(library)}\t{verdict}", flush=True)


if __name__ == "__main__":
    main()
