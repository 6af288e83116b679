"""Casts of array libraries and frameworks: a whole array of f32 to another type."""

from __future__ import annotations

import functools
import os

import numpy as np
from shared import Function, bits_of


def ml(name: str) -> Function:
    def function(x):
        import ml_dtypes

        return bits_of(x.astype(getattr(ml_dtypes, name)))

    return function


def torch_cast(name: str) -> Function:
    def function(x):
        import torch

        found = torch.from_numpy(x).to(getattr(torch, name))
        return found.view(torch.uint8 if found.dtype.itemsize == 1 else torch.uint16).numpy()

    return function


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
        return bits_of(found)

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
            return bits_of(found)
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
        return bits_of(found)

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
        return bits_of(found)

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


def numkong_cast(name: str) -> Function:
    def function(x):
        import numkong

        kind = np.uint16 if name in ("f16", "bf16") else np.uint8
        return np.frombuffer(bytes(memoryview(numkong.Tensor(x).astype(name)).cast("B")), kind)

    return function


def gguf_bf16(x: np.ndarray) -> np.ndarray:
    from gguf import GGMLQuantizationType, quants

    return quants.quantize(x.reshape(1, -1), GGMLQuantizationType.BF16).view(np.uint16)
