"""Codecs of Python packages as programs for `ptxcvt conform --program`: `codecs.py NAME`.

Each reads numbers from standard input and writes codes. A codec takes an array of f32; sources of 16 bits are widened,
which is exact. Codecs of single numbers take f64, of which edges and ties are few enough. Where a package returns values
instead of codes, the values are looked up. `codecs.py --list` prints what is installed: name, conversion, package and version.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import os
import struct
import sys
from typing import Callable, NamedTuple

import numpy as np

Function = Callable[[np.ndarray], np.ndarray]


class Codec(NamedTuple):
    package: str
    conversion: str
    function: Function


def codes(destination: str, values: np.ndarray) -> np.ndarray:
    """The codes of values that the format has. Others, NaN among them, become a code of all ones."""
    import ml_dtypes

    kinds = {"e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "e2m3": "float6_e2m3fn", "e3m2": "float6_e3m2fn"}
    kinds |= {"e2m1": "float4_e2m1fn", "bf16": "bfloat16"}
    kind = np.dtype(np.float16 if destination == "f16" else getattr(ml_dtypes, kinds[destination]))
    unsigned = np.uint8 if kind.itemsize == 1 else np.uint16
    values = np.asarray(values, np.float64)
    with np.errstate(all="ignore"):
        found = values.astype(kind)
        there = (found.astype(np.float64) == values) | np.isnan(values) & (destination not in ("e2m3", "e3m2", "e2m1"))
    return np.where(there, found.view(unsigned), np.iinfo(unsigned).max)


def each(function: Callable[[float], int]) -> Function:
    """A function of one number for arrays."""
    return lambda x: np.fromiter(map(function, x.tolist()), np.uint16, len(x))


def ml(name: str) -> Function:
    def function(x):
        import ml_dtypes

        found = x.astype(getattr(ml_dtypes, name))
        return found.view(np.uint8 if found.dtype.itemsize == 1 else np.uint16)

    return function


def torch_cast(name: str) -> Function:
    def function(x):
        import torch

        found = torch.from_numpy(x).to(getattr(torch, name))
        return found.view(torch.uint8 if found.dtype.itemsize == 1 else torch.uint16).numpy()

    return function


def of_torch(function: Callable) -> Function:
    """A function of tensors that is given the module `torch` and a tensor of that module."""

    def wrapped(x):
        import torch

        torch.set_num_threads(1)
        return function(torch, torch.from_numpy(x.copy())).numpy()

    return wrapped


def torchao_fp4(torch, x):
    from torchao.prototype.mx_formats.kernels import f32_to_f4_unpacked

    return f32_to_f4_unpacked(x)


def torchao_fp6(name: str):
    def function(torch, x):
        from torchao.prototype.mx_formats import kernels

        return getattr(kernels, name)(x)

    return of_torch(function)


def modelopt_fp4(torch, x):
    from modelopt.torch.quantization.qtensor.nvfp4_tensor import NVFP4QTensor

    return NVFP4QTensor._cast_fp4(x)


def compressed_tensors_fp4(torch, x):
    from compressed_tensors.quantization.utils import cast_to_fp4

    return torch.from_numpy(codes("e2m1", cast_to_fp4(x).numpy()))


def auto_round_fp4(torch, x):
    from auto_round.data_type.nvfp import cast_to_fp4

    return torch.from_numpy(codes("e2m1", cast_to_fp4(x).numpy()))


def auto_round_element(destination: str, exponent: int, bits: int, largest: float) -> Function:
    def function(torch, x):
        from auto_round.data_type.mxfp import quant_element

        return torch.from_numpy(codes(destination, quant_element(x, exponent, bits, largest).numpy()))

    return of_torch(function)


def triton_cast(name: str) -> Function:
    def function(x):
        # The interpreter wants the module among the globals of the kernel.
        global tl
        os.environ["TRITON_INTERPRET"] = "1"
        import torch
        import triton
        import triton.language as tl

        to = getattr(tl, name)

        @triton.jit
        def kernel(x, y, n, BLOCK: tl.constexpr, TO: tl.constexpr, BITS: tl.constexpr):
            at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(y + at, tl.load(x + at, at < n).to(TO).to(BITS, bitcast=True), at < n)

        bits, kind = (tl.uint8, torch.uint8) if to.primitive_bitwidth == 8 else (tl.uint16, torch.uint16)
        y = torch.empty(len(x), dtype=kind)
        block = 1 << 16
        kernel[(triton.cdiv(len(x), block),)](torch.from_numpy(x.copy()), y, len(x), BLOCK=block, TO=to, BITS=bits)
        return y.numpy()

    return function


def jax_cast(name: str) -> Function:
    def function(x):
        import jax
        import jax.numpy as jnp

        found = np.asarray(jax.jit(lambda y: y.astype(getattr(jnp, name)))(x))
        return found.view(np.uint8 if found.dtype.itemsize == 1 else np.uint16)

    return function


def onnx_model(name: str, saturate: bool):
    from onnx import TensorProto, helper

    to = getattr(TensorProto, name)
    node = helper.make_node("Cast", ["x"], ["y"], to=to, **({"saturate": int(saturate)} if "FLOAT8" in name else {}))
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None])]
    outputs = [helper.make_tensor_value_info("y", to, [None])]
    graph = helper.make_graph([node], "g", inputs, outputs)
    return to, helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)


def onnx_cast(name: str, saturate: bool = True) -> Function:
    def function(x):
        from onnx.reference import ReferenceEvaluator

        _, model = onnx_model(name, saturate)
        return np.asarray(ReferenceEvaluator(model).run(None, {"x": x})[0]).view(np.uint8)

    return function


def onnxruntime_cast(name: str, saturate: bool = True) -> Function:
    @functools.cache
    def session():
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 3
        to, model = onnx_model(name, saturate)
        return to, onnxruntime.InferenceSession(model.SerializeToString(), options)

    def function(x):
        import onnxruntime

        to, inference = session()
        y = np.empty(len(x), np.uint8 if "FLOAT8" in name else np.uint16)
        binding = inference.io_binding()
        binding.bind_ortvalue_input("x", onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(x)))
        binding.bind_output("y", "cpu", 0, to, [len(y)], y.ctypes.data)
        inference.run_with_iobinding(binding)
        return y

    return function


def openvino_cast(name: str) -> Function:
    @functools.cache
    def request():
        import openvino
        from openvino import opset13

        parameter = opset13.parameter([-1], openvino.Type.f32)
        model = openvino.Model([opset13.convert(parameter, getattr(openvino.Type, name))], [parameter])
        options = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
        return openvino.Core().compile_model(model, "CPU", options).create_infer_request()

    def function(x):
        request().infer([x])
        found = np.array(request().get_output_tensor(0).data)
        if name != "f4e2m1":
            return found.view(np.uint8 if found.dtype.itemsize == 1 else np.uint16)
        # Two codes to a byte, the first in the low bits.
        packed = found.view(np.uint8)
        return np.stack([packed & 15, packed >> 4], axis=-1).reshape(-1)[: len(x)]

    return function


def mlx_cast(name: str) -> Function:
    def function(x):
        import mlx.core as mx

        mx.set_default_device(mx.cpu)
        y = mx.array(x)
        return np.array(mx.to_fp8(y) if name == "fp8" else y.astype(getattr(mx, name)).view(mx.uint16))

    return function


def paddle_cast(name: str) -> Function:
    def function(x):
        import paddle

        bits = "int8" if "8" in name else "int16"
        return paddle.to_tensor(x, place="cpu").astype(name).view(bits).numpy().view("u" + bits)

    return function


def tensorflow_cast(name: str) -> Function:
    def function(x):
        import tensorflow as tf

        to = getattr(tf, name, None) or getattr(tf.dtypes.experimental, name)
        found = tf.cast(tf.constant(x), to).numpy()
        return found.view(np.uint8 if found.dtype.itemsize == 1 else np.uint16)

    return function


def numpy_half(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float16).view(np.uint16)


def pyarrow_half(x: np.ndarray) -> np.ndarray:
    import pyarrow

    found = pyarrow.array(x).cast(pyarrow.float16(), safe=False)
    return np.frombuffer(found.buffers()[1], np.uint16, len(x))


def opencv_half(x: np.ndarray) -> np.ndarray:
    import cv2

    return cv2.convertFp16(x.reshape(1, -1)).view(np.uint16)


def warp_half(x: np.ndarray) -> np.ndarray:
    import warp

    warp.config.quiet = True

    @warp.kernel
    def convert(x: warp.array(dtype=warp.float32), y: warp.array(dtype=warp.float16)):
        i = warp.tid()
        y[i] = warp.float16(x[i])

    with warp.ScopedDevice("cpu"):
        y = warp.empty(len(x), dtype=warp.float16)
        warp.launch(convert, len(x), [warp.from_numpy(x, dtype=warp.float32)], [y])
        return y.numpy().view(np.uint16)


def hdf5_half(x: np.ndarray) -> np.ndarray:
    import h5py

    with h5py.File("x", "w", driver="core", backing_store=False) as file:
        data = file.create_dataset("x", x.shape, np.float16)
        data.id.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(x))
        return data[...].view(np.uint16)


def tensorstore_cast(name: str) -> Function:
    def function(x):
        import tensorstore

        found = np.asarray(tensorstore.cast(tensorstore.array(x), getattr(tensorstore, name)).read().result())
        return found.view(np.uint8 if found.dtype.itemsize == 1 else np.uint16)

    return function


def polars_half(x: np.ndarray) -> np.ndarray:
    import polars

    return polars.Series(x).cast(polars.Float16).to_numpy().view(np.uint16)


def ncnn_cast(name: str) -> Function:
    def function(x):
        import ncnn

        # A Mat does not own the memory that it is made of.
        numbers = x.copy()
        converted = getattr(ncnn, f"cast_float32_to_{name}")(ncnn.Mat(numbers))
        return np.array(converted).view(np.uint16).copy()

    return function


def halide_cast(name: str) -> Function:
    @functools.cache
    def pipeline():
        import halide

        source, at, convert = halide.ImageParam(halide.Float(32), 1), halide.Var("at"), halide.Func("convert")
        to = halide.Float(16) if name == "float16" else halide.BFloat(16)
        convert[at] = halide.reinterpret(halide.UInt(16), halide.cast(to, source[at]))
        return source, convert

    def function(x):
        import halide

        source, convert = pipeline()
        numbers, results = halide.Buffer(np.array(x)), halide.Buffer(halide.UInt(16), [len(x)])
        source.set(numbers)
        convert.realize(results)
        return np.array(results)

    return function


def pocl_half(x: np.ndarray) -> np.ndarray:
    import pyopencl
    import pyopencl.array

    context = pyopencl.create_some_context(interactive=False)
    queue = pyopencl.CommandQueue(context)
    text = "kernel void f(global const float *x, global half *y) { size_t i = get_global_id(0); vstore_half_rte(x[i], i, y); }"
    source = pyopencl.array.to_device(queue, x.copy())
    results = pyopencl.array.zeros(queue, len(x), np.uint16)
    pyopencl.Program(context, text).build().f(queue, (len(x),), None, source.data, results.data)
    return results.get()


def brevitas_cast(destination: str, exponent: int, fraction: int, bias: int, largest: float) -> Function:
    def function(torch, x):
        from brevitas.core.bit_width import BitWidthConst
        from brevitas.core.bit_width.float import ComputeMaxMantissa
        from brevitas.core.function_wrapper import FloatClamp, Identity, TensorClamp
        from brevitas.core.quant.float import FloatQuant
        from brevitas.core.utils import StatelessBuffer

        clamp = FloatClamp(TensorClamp(), True, max_available_float=torch.tensor(largest))
        quantize = FloatQuant(
            True,
            BitWidthConst(exponent),
            BitWidthConst(fraction),
            StatelessBuffer(torch.tensor(float(bias))),
            clamp,
            Identity(),
            ComputeMaxMantissa(),
        )
        return torch.from_numpy(codes(destination, quantize(x)[0].numpy()))

    return of_torch(function)


def apytypes_cast(destination: str, exponent: int, fraction: int) -> Function:
    def function(x):
        import apytypes

        found = apytypes.APyFloatArray.from_array(x.astype(np.float64), exponent, fraction)
        return found.to_bits(True).astype(np.uint8 if destination == "e5m2" else np.uint16)

    return function


def gguf_ue4m3(x: np.ndarray) -> np.ndarray:
    from gguf.quants import NVFP4

    return np.asarray(NVFP4.fp32_to_ue4m3(x)).astype(np.uint8)


def gguf_bf16(x: np.ndarray) -> np.ndarray:
    from gguf import GGMLQuantizationType, quants

    return quants.quantize(x.reshape(1, -1), GGMLQuantizationType.BF16).view(np.uint16)


def numkong_cast(name: str) -> Function:
    def function(x):
        import numkong

        kind = np.uint16 if name in ("f16", "bf16") else np.uint8
        return np.frombuffer(bytes(memoryview(numkong.Tensor(x).astype(name)).cast("B")), kind)

    return function


def gfloat_cast(info: str, saturate: bool) -> Function:
    def function(x):
        import gfloat
        from gfloat import formats

        fi = getattr(formats, info)
        values = gfloat.round_ndarray(fi, x.astype(np.float64), gfloat.RoundMode.TiesToEven, saturate)
        return gfloat.encode_ndarray(fi, values).astype(np.uint8)

    return function


def tinygrad_fp8(name: str) -> Function:
    def one(x):
        from tinygrad.dtype import dtypes, float_to_fp8

        return float_to_fp8(x, getattr(dtypes, name))

    return each(one)


def struct_half(x: float) -> int:
    try:
        return struct.unpack("<H", struct.pack("<e", x))[0]
    except OverflowError:
        return 0xFC00 if x < 0 else 0x7C00


def bitstring_cast(name: str) -> Function:
    def one(x):
        import bitstring

        try:
            return bitstring.Bits(f"{name}={x!r}").uint
        except ValueError:
            # No code, of NaN in FP4.
            return 0xFF

    return each(one)


def mpfr_half(x: np.ndarray) -> np.ndarray:
    import gmpy2

    with gmpy2.context(gmpy2.ieee(16)):
        return codes("f16", np.array([float(gmpy2.mpfr(y)) for y in x.tolist()]))


def pychop_cast(destination: str, exponent: int, fraction: int) -> Function:
    def function(x):
        import pychop

        chop = pychop.Chop(exp_bits=exponent, sig_bits=fraction, rmode=1, subnormal=True)
        return codes(destination, chop(x.astype(np.float64)))

    return function


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
