"""Functions of quantisation libraries, of emulators of number formats, and of libraries that convert one number."""

from __future__ import annotations

import struct
from typing import Callable

import numpy as np
from shared import Function, codes, each


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
