"""Codecs of Python packages as programs for `ptxcvt conform --program`: `codecs.py NAME`.

Each reads numbers from standard input and writes codes. A codec takes an array of f32; sources of 16 bits are widened,
which is exact. Codecs of single numbers take f64, of which edges and ties are few enough. Where a package returns values
instead of codes, the values are looked up. `codecs.py --list` prints what is installed: name, conversion, package and version.
"""

from __future__ import annotations

import importlib.metadata
import sys
from typing import NamedTuple

import numpy as np
from casts import (
    gguf_bf16,
    halide_cast,
    hdf5_half,
    jax_cast,
    ml,
    mlx_cast,
    ncnn_cast,
    numkong_cast,
    numpy_half,
    onnx_cast,
    onnxruntime_cast,
    opencv_half,
    openvino_cast,
    paddle_cast,
    pocl_half,
    polars_half,
    pyarrow_half,
    tensorflow_cast,
    tensorstore_cast,
    torch_cast,
    triton_cast,
    warp_half,
)
from quantizers import (
    apytypes_cast,
    auto_round_element,
    auto_round_fp4,
    bitstring_cast,
    brevitas_cast,
    compressed_tensors_fp4,
    gfloat_cast,
    gguf_ue4m3,
    modelopt_fp4,
    mpfr_half,
    of_torch,
    pychop_cast,
    struct_half,
    tinygrad_fp8,
    torchao_fp4,
    torchao_fp6,
)
from shared import Function, each


class Codec(NamedTuple):
    package: str
    conversion: str
    function: Function


CODECS: dict[str, Codec] = {
    "ml_dtypes float8_e4m3fn": Codec("ml_dtypes", "f32->e4m3", ml("float8_e4m3fn")),
    "ml_dtypes float8_e5m2": Codec("ml_dtypes", "f32->e5m2", ml("float8_e5m2")),
    "ml_dtypes float6_e2m3fn": Codec("ml_dtypes", "f32->e2m3", ml("float6_e2m3fn")),
    "ml_dtypes float6_e3m2fn": Codec("ml_dtypes", "f32->e3m2", ml("float6_e3m2fn")),
    "ml_dtypes float4_e2m1fn": Codec("ml_dtypes", "f32->e2m1", ml("float4_e2m1fn")),
    "ml_dtypes float8_e8m0fnu": Codec("ml_dtypes", "f32->ue8m0", ml("float8_e8m0fnu")),
    "ml_dtypes bfloat16": Codec("ml_dtypes", "f32->bf16", ml("bfloat16")),
    "NumPy float16": Codec("numpy", "f32->f16", numpy_half),
    "PyTorch float8_e4m3fn (CPU)": Codec("torch", "f32->e4m3", torch_cast("float8_e4m3fn")),
    "PyTorch float8_e5m2 (CPU)": Codec("torch", "f32->e5m2", torch_cast("float8_e5m2")),
    "PyTorch float8_e8m0fnu (CPU)": Codec("torch", "f32->ue8m0", torch_cast("float8_e8m0fnu")),
    "PyTorch float16 (CPU)": Codec("torch", "f32->f16", torch_cast("float16")),
    "PyTorch bfloat16 (CPU)": Codec("torch", "f32->bf16", torch_cast("bfloat16")),
    "torchao f32_to_f4_unpacked": Codec("torchao", "f32->e2m1", of_torch(torchao_fp4)),
    "torchao f32_to_f6_e2m3_unpacked": Codec("torchao", "f32->e2m3", torchao_fp6("f32_to_f6_e2m3_unpacked")),
    "torchao f32_to_f6_e3m2_unpacked": Codec("torchao", "f32->e3m2", torchao_fp6("f32_to_f6_e3m2_unpacked")),
    "ModelOpt NVFP4QTensor._cast_fp4": Codec("nvidia-modelopt", "f32->e2m1", of_torch(modelopt_fp4)),
    "compressed-tensors cast_to_fp4": Codec("compressed-tensors", "f32->e2m1", of_torch(compressed_tensors_fp4)),
    "AutoRound cast_to_fp4": Codec("auto-round", "f32->e2m1", of_torch(auto_round_fp4)),
    "AutoRound quant_element, FP4": Codec("auto-round", "f32->e2m1", auto_round_element("e2m1", 2, 3, 6.0)),
    "AutoRound quant_element, FP8 E4M3": Codec("auto-round", "f32->e4m3", auto_round_element("e4m3", 4, 5, 448.0)),
    "Triton float8e4nv (interpreter)": Codec("triton", "f32->e4m3", triton_cast("float8e4nv")),
    "Triton float8e5 (interpreter)": Codec("triton", "f32->e5m2", triton_cast("float8e5")),
    "Triton bfloat16 (interpreter)": Codec("triton", "f32->bf16", triton_cast("bfloat16")),
    "JAX float8_e4m3fn (XLA, CPU)": Codec("jax", "f32->e4m3", jax_cast("float8_e4m3fn")),
    "JAX float8_e5m2 (XLA, CPU)": Codec("jax", "f32->e5m2", jax_cast("float8_e5m2")),
    "JAX float8_e8m0fnu (XLA, CPU)": Codec("jax", "f32->ue8m0", jax_cast("float8_e8m0fnu")),
    "JAX float4_e2m1fn (XLA, CPU)": Codec("jax", "f32->e2m1", jax_cast("float4_e2m1fn")),
    "JAX float16 (XLA, CPU)": Codec("jax", "f32->f16", jax_cast("float16")),
    "JAX bfloat16 (XLA, CPU)": Codec("jax", "f32->bf16", jax_cast("bfloat16")),
    "ONNX reference Cast, FLOAT8E4M3FN": Codec("onnx", "f32->e4m3", onnx_cast("FLOAT8E4M3FN")),
    "ONNX reference Cast, FLOAT8E4M3FN, saturate=0": Codec("onnx", "f32->e4m3", onnx_cast("FLOAT8E4M3FN", False)),
    "ONNX reference Cast, FLOAT8E5M2": Codec("onnx", "f32->e5m2", onnx_cast("FLOAT8E5M2")),
    "ONNX Runtime Cast, FLOAT8E4M3FN": Codec("onnxruntime", "f32->e4m3", onnxruntime_cast("FLOAT8E4M3FN")),
    "ONNX Runtime Cast, FLOAT8E4M3FN, saturate=0": Codec("onnxruntime", "f32->e4m3", onnxruntime_cast("FLOAT8E4M3FN", False)),
    "ONNX Runtime Cast, FLOAT8E5M2": Codec("onnxruntime", "f32->e5m2", onnxruntime_cast("FLOAT8E5M2")),
    "ONNX Runtime Cast, FLOAT16": Codec("onnxruntime", "f32->f16", onnxruntime_cast("FLOAT16")),
    "ONNX Runtime Cast, BFLOAT16": Codec("onnxruntime", "f32->bf16", onnxruntime_cast("BFLOAT16")),
    "OpenVINO Convert, f8e4m3 (CPU)": Codec("openvino", "f32->e4m3", openvino_cast("f8e4m3")),
    "OpenVINO Convert, f8e5m2 (CPU)": Codec("openvino", "f32->e5m2", openvino_cast("f8e5m2")),
    "OpenVINO Convert, f8e8m0 (CPU)": Codec("openvino", "f32->ue8m0", openvino_cast("f8e8m0")),
    "OpenVINO Convert, f4e2m1 (CPU)": Codec("openvino", "f32->e2m1", openvino_cast("f4e2m1")),
    "MLX to_fp8 (CPU)": Codec("mlx", "f32->e4m3", mlx_cast("fp8")),
    "MLX float16 (CPU)": Codec("mlx", "f32->f16", mlx_cast("float16")),
    "MLX bfloat16 (CPU)": Codec("mlx", "f32->bf16", mlx_cast("bfloat16")),
    "PaddlePaddle float8_e4m3fn (CPU)": Codec("paddlepaddle", "f32->e4m3", paddle_cast("float8_e4m3fn")),
    "PaddlePaddle float8_e5m2 (CPU)": Codec("paddlepaddle", "f32->e5m2", paddle_cast("float8_e5m2")),
    "PaddlePaddle float16 (CPU)": Codec("paddlepaddle", "f32->f16", paddle_cast("float16")),
    "PaddlePaddle bfloat16 (CPU)": Codec("paddlepaddle", "f32->bf16", paddle_cast("bfloat16")),
    "TensorFlow float8_e4m3fn": Codec("tensorflow_cpu", "f32->e4m3", tensorflow_cast("float8_e4m3fn")),
    "TensorFlow float8_e5m2": Codec("tensorflow_cpu", "f32->e5m2", tensorflow_cast("float8_e5m2")),
    "TensorFlow bfloat16": Codec("tensorflow_cpu", "f32->bf16", tensorflow_cast("bfloat16")),
    "gguf ue4m3 (NVFP4 scales)": Codec("gguf", "f32->e4m3", gguf_ue4m3),
    "gguf BF16": Codec("gguf", "f32->bf16", gguf_bf16),
    "NumKong e4m3": Codec("numkong", "f32->e4m3", numkong_cast("e4m3")),
    "NumKong e5m2": Codec("numkong", "f32->e5m2", numkong_cast("e5m2")),
    "NumKong e2m3": Codec("numkong", "f32->e2m3", numkong_cast("e2m3")),
    "NumKong e3m2": Codec("numkong", "f32->e3m2", numkong_cast("e3m2")),
    "NumKong f16": Codec("numkong", "f32->f16", numkong_cast("f16")),
    "NumKong bf16": Codec("numkong", "f32->bf16", numkong_cast("bf16")),
    "Arrow cast to float16 (C++)": Codec("pyarrow", "f32->f16", pyarrow_half),
    "OpenCV convertFp16": Codec("opencv-python-headless", "f32->f16", opencv_half),
    "Warp float16 (CPU)": Codec("warp-lang", "f32->f16", warp_half),
    "HDF5 float to float16": Codec("h5py", "f32->f16", hdf5_half),
    "TensorStore float8_e4m3fn": Codec("tensorstore", "f32->e4m3", tensorstore_cast("float8_e4m3fn")),
    "TensorStore float8_e5m2": Codec("tensorstore", "f32->e5m2", tensorstore_cast("float8_e5m2")),
    "TensorStore float4_e2m1fn": Codec("tensorstore", "f32->e2m1", tensorstore_cast("float4_e2m1fn")),
    "TensorStore float16": Codec("tensorstore", "f32->f16", tensorstore_cast("float16")),
    "TensorStore bfloat16": Codec("tensorstore", "f32->bf16", tensorstore_cast("bfloat16")),
    "Polars Float16": Codec("polars", "f32->f16", polars_half),
    "ncnn cast_float32_to_float16": Codec("ncnn", "f32->f16", ncnn_cast("float16")),
    "ncnn cast_float32_to_bfloat16": Codec("ncnn", "f32->bf16", ncnn_cast("bfloat16")),
    "Halide float16 (CPU)": Codec("halide", "f32->f16", halide_cast("float16")),
    "Halide bfloat16 (CPU)": Codec("halide", "f32->bf16", halide_cast("bfloat16")),
    "PoCL vstore_half_rte (CPU)": Codec("pocl-binary-distribution", "f32->f16", pocl_half),
    "Brevitas FloatQuant, FP8 E4M3": Codec("brevitas", "f32->e4m3", brevitas_cast("e4m3", 4, 3, 7, 448.0)),
    "Brevitas FloatQuant, FP4 E2M1": Codec("brevitas", "f32->e2m1", brevitas_cast("e2m1", 2, 1, 1, 6.0)),
    "APyTypes e5m2": Codec("apytypes", "f32->e5m2", apytypes_cast("e5m2", 5, 2)),
    "APyTypes half": Codec("apytypes", "f32->f16", apytypes_cast("f16", 5, 10)),
    "gfloat ocp_e4m3, saturating": Codec("gfloat", "f64->e4m3", gfloat_cast("format_info_ocp_e4m3", True)),
    "gfloat ocp_e5m2, saturating": Codec("gfloat", "f64->e5m2", gfloat_cast("format_info_ocp_e5m2", True)),
    "tinygrad fp8e4m3": Codec("tinygrad", "f64->e4m3", tinygrad_fp8("fp8e4m3")),
    "tinygrad fp8e5m2": Codec("tinygrad", "f64->e5m2", tinygrad_fp8("fp8e5m2")),
    "bitstring e4m3mxfp_saturate": Codec("bitstring", "f64->e4m3", bitstring_cast("e4m3mxfp_saturate")),
    "bitstring e5m2mxfp_overflow": Codec("bitstring", "f64->e5m2", bitstring_cast("e5m2mxfp_overflow")),
    "bitstring e2m1mxfp": Codec("bitstring", "f64->e2m1", bitstring_cast("e2m1mxfp")),
    "CPython struct, 'e'; OverflowError as infinity": Codec("CPython", "f64->f16", each(struct_half)),
    "MPFR ieee(16)": Codec("gmpy2", "f64->f16", mpfr_half),
    "Pychop e5m2": Codec("pychop", "f64->e5m2", pychop_cast("e5m2", 5, 2)),
    "Pychop half": Codec("pychop", "f64->f16", pychop_cast("f16", 5, 10)),
}


def version(package: str) -> str | None:
    """The version of a package; `None` if it is not installed."""
    if package == "CPython":
        return sys.version.split()[0]
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def widened(source: str, data: bytes) -> np.ndarray:
    """The numbers of a source; of 16 bits as f32."""
    if source == "f16":
        return np.frombuffer(data, np.float16).astype(np.float32)
    if source == "bf16":
        return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(data, {"f32": np.float32, "f64": np.float64}[source])


def main() -> None:
    if sys.argv[1] == "--list":
        for name, codec in CODECS.items():
            if found := version(codec.package):
                print(name, codec.conversion, f"{codec.package} {found}", sep="\t")
        return
    codec = CODECS[sys.argv[1]]
    source, destination = codec.conversion.split("->")
    width = np.uint16 if destination in ("f16", "bf16") else np.uint8
    np.seterr(all="ignore")
    # The results alone may be on standard output, which some packages print on.
    output, sys.stdout = sys.stdout.buffer, sys.stderr
    while data := sys.stdin.buffer.read(1 << 24):
        output.write(np.ascontiguousarray(codec.function(widened(source, data))).astype(width).tobytes())


main()
