"""Codecs of Python packages as programs for `ptxcvt conform --program`: `codecs.py NAME`.

Each reads numbers from standard input and writes codes. Sources of 16 bits are widened to f32, which is exact, where a
package converts f32 only. `codecs.py --list` prints what is installed: name, conversion, package and version.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from typing import Callable, NamedTuple

import numpy as np


class Codec(NamedTuple):
    package: str
    conversion: str
    function: Callable[[np.ndarray], np.ndarray]


def f16(x: np.ndarray) -> np.ndarray:
    return x.view(np.float16).astype(np.float32)


def bf16(x: np.ndarray) -> np.ndarray:
    return (x.astype(np.uint32) << 16).view(np.float32)


def ml(name: str, widen=f16):
    def function(x):
        import ml_dtypes

        return widen(x).astype(getattr(ml_dtypes, name)).view(np.uint8)

    return function


def torch_cast(name: str, widen=f16):
    def function(x):
        import torch

        return torch.from_numpy(widen(x)).to(getattr(torch, name)).view(torch.uint8).numpy()

    return function


def jax_cast(name: str, widen=f16):
    def function(x):
        import jax
        import jax.numpy as jnp

        return np.asarray(jax.jit(lambda y: y.astype(getattr(jnp, name)))(widen(x))).view(np.uint8)

    return function


def onnx_cast(name: str, saturate: bool = True):
    def function(x):
        import onnx
        from onnx import TensorProto, helper
        from onnx.reference import ReferenceEvaluator

        to = getattr(TensorProto, name)
        node = helper.make_node("Cast", ["x"], ["y"], to=to, saturate=int(saturate))
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None])]
        outputs = [helper.make_tensor_value_info("y", to, [None])]
        model = helper.make_model(helper.make_graph([node], "g", inputs, outputs))
        return np.asarray(ReferenceEvaluator(model).run(None, {"x": f16(x)})[0]).view(np.uint8)

    return function


def numpy_half(x: np.ndarray) -> np.ndarray:
    return x.view(np.float32).astype(np.float16).view(np.uint16)


def ml_bfloat16(x: np.ndarray) -> np.ndarray:
    import ml_dtypes

    return x.view(np.float32).astype(ml_dtypes.bfloat16).view(np.uint16)


def gguf_ue4m3(x: np.ndarray) -> np.ndarray:
    from gguf.quants import NVFP4

    return np.asarray(NVFP4.fp32_to_ue4m3(f16(x))).astype(np.uint8)


def gguf_bf16(x: np.ndarray) -> np.ndarray:
    from gguf import GGMLQuantizationType, quants

    return quants.quantize(x.view(np.float32).reshape(1, -1), GGMLQuantizationType.BF16).view(np.uint16)


def numkong_cast(name: str, widen=f16):
    def function(x):
        import numkong

        return np.frombuffer(bytes(memoryview(numkong.Tensor(widen(x)).astype(name)).cast("B")), np.uint8)

    return function


def gfloat_cast(info: str, saturate: bool):
    def function(x):
        import gfloat
        from gfloat import formats

        fi = getattr(formats, info)
        values = gfloat.round_ndarray(fi, f16(x).astype(np.float64), gfloat.RoundMode.TiesToEven, saturate)
        return gfloat.encode_ndarray(fi, values).astype(np.uint8)

    return function


def tensorflow_cast(name: str):
    def function(x):
        import tensorflow as tf

        return tf.cast(tf.constant(f16(x)), getattr(tf.dtypes.experimental, name)).numpy().view(np.uint8)

    return function


CODECS: dict[str, Codec] = {
    "ml_dtypes float8_e4m3fn": Codec("ml_dtypes", "f16->e4m3", ml("float8_e4m3fn")),
    "ml_dtypes float8_e5m2": Codec("ml_dtypes", "f16->e5m2", ml("float8_e5m2")),
    "ml_dtypes float6_e2m3fn": Codec("ml_dtypes", "f16->e2m3", ml("float6_e2m3fn")),
    "ml_dtypes float6_e3m2fn": Codec("ml_dtypes", "f16->e3m2", ml("float6_e3m2fn")),
    "ml_dtypes float4_e2m1fn": Codec("ml_dtypes", "f16->e2m1", ml("float4_e2m1fn")),
    "ml_dtypes float8_e8m0fnu": Codec("ml_dtypes", "bf16->ue8m0", ml("float8_e8m0fnu", bf16)),
    "ml_dtypes bfloat16": Codec("ml_dtypes", "f32->bf16", ml_bfloat16),
    "NumPy float16": Codec("numpy", "f32->f16", numpy_half),
    "PyTorch float8_e4m3fn (CPU)": Codec("torch", "f16->e4m3", torch_cast("float8_e4m3fn")),
    "PyTorch float8_e5m2 (CPU)": Codec("torch", "f16->e5m2", torch_cast("float8_e5m2")),
    "PyTorch float8_e8m0fnu (CPU)": Codec("torch", "bf16->ue8m0", torch_cast("float8_e8m0fnu", bf16)),
    "JAX float8_e4m3fn (XLA, CPU)": Codec("jax", "f16->e4m3", jax_cast("float8_e4m3fn")),
    "JAX float8_e5m2 (XLA, CPU)": Codec("jax", "f16->e5m2", jax_cast("float8_e5m2")),
    "JAX float8_e8m0fnu (XLA, CPU)": Codec("jax", "bf16->ue8m0", jax_cast("float8_e8m0fnu", bf16)),
    "JAX float4_e2m1fn (XLA, CPU)": Codec("jax", "f16->e2m1", jax_cast("float4_e2m1fn")),
    "ONNX reference Cast, FLOAT8E4M3FN": Codec("onnx", "f16->e4m3", onnx_cast("FLOAT8E4M3FN")),
    "ONNX reference Cast, FLOAT8E4M3FN, saturate=0": Codec("onnx", "f16->e4m3", onnx_cast("FLOAT8E4M3FN", False)),
    "ONNX reference Cast, FLOAT8E5M2": Codec("onnx", "f16->e5m2", onnx_cast("FLOAT8E5M2")),
    "gguf ue4m3 (NVFP4 scales)": Codec("gguf", "f16->e4m3", gguf_ue4m3),
    "gguf BF16": Codec("gguf", "f32->bf16", gguf_bf16),
    "NumKong e4m3": Codec("numkong", "f16->e4m3", numkong_cast("e4m3")),
    "NumKong e5m2": Codec("numkong", "f16->e5m2", numkong_cast("e5m2")),
    "gfloat ocp_e4m3, saturating": Codec("gfloat", "f16->e4m3", gfloat_cast("format_info_ocp_e4m3", True)),
    "gfloat ocp_e5m2, saturating": Codec("gfloat", "f16->e5m2", gfloat_cast("format_info_ocp_e5m2", True)),
    "TensorFlow float8_e4m3fn": Codec("tensorflow_cpu", "f16->e4m3", tensorflow_cast("float8_e4m3fn")),
}


def main() -> None:
    if sys.argv[1] == "--list":
        for name, codec in CODECS.items():
            try:
                version = importlib.metadata.version(codec.package)
            except importlib.metadata.PackageNotFoundError:
                continue
            print(name, codec.conversion, f"{codec.package} {version}", sep="\t")
        return
    codec = CODECS[sys.argv[1]]
    width = np.uint32 if codec.conversion.startswith("f32") else np.uint16
    while data := sys.stdin.buffer.read(1 << 24):
        sys.stdout.buffer.write(np.ascontiguousarray(codec.function(np.frombuffer(data, width))).tobytes())


main()
