"""Triton's inline PTX in its interpreter (``TRITON_INTERPRET=1``), so that a kernel's tests run without a GPU.

The interpreter raises ``NotImplementedError`` at ``tl.inline_asm_elementwise``. After ``ptxcvt.triton.install()`` it
runs the assembly::

    import ptxcvt.triton

    ptxcvt.triton.install()

It also fixes the interpreter's casts, so that a kernel with casts next to inline PTX returns a GPU's bits. Without the
fix, casts to FP8 round ties away from zero and lose a carry, casts from float32 to bfloat16 truncate, casts from
float64 and integers to bfloat16 return wrong numbers, casts of floats out of the range of an integer type return what the
CPU makes of them, and NaN has other bits. Fixed casts return the bits of the
instructions into which Triton compiles them for sm_90, except that NaN in a cast from float16 to float64 has the bits of
two casts, by way of float32.

Some casts are not fixed, so their bits may differ from a GPU's. The first one of each kind warns:

- casts from and to ``float8e4b8``, ``float8e5b16`` and ``float8e4b15``, for which PTX has no instructions;
- casts with ``fp_downcast_rounding="rtz"``, except from float32 to float16, bfloat16 and float8e5. Triton does not compile
  these for such GPUs either.

Casts from float64 to FP8, and between ``float8e4nv`` and ``float8e5``, are an error: Triton does not compile them, and the
interpreter fails.
"""

from __future__ import annotations

import itertools
import warnings
from typing import Any, Callable, Sequence

import numpy as np

from ptxcvt._native import convert
from ptxcvt._dtypes import dtype_of
from ptxcvt._error import Error
from ptxcvt._native import Format
from ptxcvt._run import run
from ptxcvt._warn import warn

__all__ = ["install"]


class _Results:
    """The results of an inline assembly call, in the form that the interpreter expects."""

    def __init__(self, handles: Sequence[Any]) -> None:
        self._handles = handles

    def get_result(self, number: int) -> Any:
        return self._handles[number]


def install(*, approximate: bool = True) -> None:
    """Makes the interpreter run inline PTX, and cast floats as a GPU does. A second call has no further effect.

    Instructions whose bits the manual does not define, such as ``ex2.approx``, are computed correctly rounded. With
    ``approximate=False``, they are an error.
    """
    from triton.runtime import interpreter

    def create_inline_asm(
        self: Any, asm: str, constraints: str, values: Sequence[Any], types: Sequence[Any], is_pure: bool, pack: int
    ) -> _Results:
        arrays = [value.data for value in values]
        elements = [getattr(type, "scalar", type) for type in types]
        # The interpreter stores pointers, and types that NumPy lacks, as integers.
        dtypes = tuple(interpreter._get_np_dtype(element) for element in elements)
        bits = [np.asarray(array).view(_bits(np.asarray(array).dtype)) for array in arrays]
        results = run(asm, constraints, *bits, dtype=tuple(_bits(dtype) for dtype in dtypes), pack=pack, approximate=approximate)
        shape = next((getattr(type, "shape", None) for type in types), None)
        handles = [
            interpreter.TensorHandle(_shaped(result.view(dtype), shape), element)
            for result, dtype, element in zip(results, dtypes, elements)
        ]
        return _Results(handles)

    builder = interpreter.InterpreterBuilder
    builder.create_inline_asm = create_inline_asm
    if not hasattr(interpreter._convert_float, "original"):
        interpreter._convert_float = _fixed(interpreter._convert_float, interpreter._ir.ROUNDING_MODE.RTZ)
        builder.cast_impl = _fixed_impl(builder.cast_impl, interpreter)


#: Triton's names of the types between which PTX converts.
_FORMATS = {"fp64": "f64", "fp32": "f32", "fp16": "f16", "bf16": "bf16", "fp8e4nv": "e4m3", "fp8e5": "e5m2"}
#: Triton's names of the integer types. A boolean is 0 or 1.
_INTEGERS = {"int1": "u8"} | {
    f"{kind}{width}": f"{kind[0]}{width}".replace("i", "s") for kind in ("int", "uint") for width in (8, 16, 32, 64)
}

#: The conversion for each cast to an integer type. Triton compiles those to 8 bits as casts to 16 bits, of which it keeps the
#: low half.
_TO_INTEGERS = {
    (source, destination): f"{_FORMATS[source]}->{integer[0]}{max(int(integer[1:]), 16)}"
    for source, (destination, integer) in itertools.product(("fp64", "fp32", "fp16", "bf16"), _INTEGERS.items())
    if destination != "int1"
}

#: Casts that Triton does not compile for NVIDIA's GPUs. The interpreter also fails.
_NONE = {("fp64", name) for name in ("fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16", "fp8e4b15")}
_NONE |= {("fp8e4nv", "fp8e5"), ("fp8e5", "fp8e4nv")}

#: The conversion and its rounding for each cast, by whether the cast rounds toward zero.
_CASTS: dict[tuple[str, str, bool], tuple[str, str | None]] = {
    (source, destination, False): (f"{_FORMATS[source]}->{_FORMATS[destination]}", None)
    for source, destination in itertools.permutations(_FORMATS, 2)
    if (source, destination) not in _NONE
}
_CASTS["fp32", "fp16", True] = ("f32->f16", "rz")
_CASTS["fp32", "bf16", True] = ("f32->bf16", "rz")


def _fixed(original: Callable[..., np.ndarray], toward_zero: Any) -> Callable[..., np.ndarray]:
    """Returns the interpreter's cast between floats with the bits of `cvt`, which rounds to nearest even and saturates.
    """

    # Python's filter would warn again after each change of the filters.
    warned: set[tuple[str, str, bool]] = set()

    def cast(input: np.ndarray, source: Any, destination: Any, rounding: Any) -> np.ndarray:
        kind = (source.name, destination.name, rounding == toward_zero)
        if kind == ("fp32", "fp8e5", True):
            # The GPU uses the upper byte of an f16 that was also rounded toward zero.
            return (_cast(input, "f32->f16", "rz") >> 8).astype(np.uint8)
        if kind in _CASTS:
            return _cast(input, *_CASTS[kind])
        if kind[:2] in _NONE:
            raise Error(f"there is no cast from {source} to {destination}", help="cast to float32 first")
        if kind not in warned:
            warned.add(kind)
            toward = ' with fp_downcast_rounding="rtz"' if kind[2] else ""
            warn(f"the interpreter's cast from {source} to {destination}{toward} may have other bits than a GPU's")
        return original(input, source, destination, rounding)

    cast.original = original  # type: ignore[attr-defined]
    return cast


def _fixed_impl(original: Callable[..., Any], interpreter: Any) -> Callable[..., Any]:
    """Returns the interpreter's other casts with the casts between floats of PTX, those to bfloat16, and those from floats
    to integers, corrected. The original uses NumPy, whose NaN has other bits and whose casts to integers are undefined out of
    range; as bfloat16, it stores the number in place of its bits.
    """

    def cast(self: Any, src: Any, dst_type: Any) -> Any:
        source, destination = src.dtype.scalar, dst_type.scalar
        known = _CASTS.get((source.name, destination.name, False))
        if known is None and destination.name == "bf16" and source.name in _INTEGERS:
            known = (f"{_INTEGERS[source.name]}->bf16", None)
        if (source.name, destination.name) in _TO_INTEGERS:
            known = (_TO_INTEGERS[source.name, destination.name], "rzi")
        if known is None:
            return original(self, src, dst_type)
        bits, dtype = _cast(np.asarray(src.data), *known), interpreter._get_np_dtype(destination)
        return interpreter.TensorHandle(bits.astype(_bits(dtype), copy=False).view(dtype), destination)

    return cast


def _cast(input: np.ndarray, conversion: str, rounding: str | None) -> np.ndarray:
    """Returns the bits of a conversion."""
    numbers = np.ascontiguousarray(input).view(dtype_of(Format(conversion.partition("->")[0])))
    with warnings.catch_warnings():
        # Kernels use NaN and infinity on purpose.
        warnings.simplefilter("ignore", RuntimeWarning)
        result = convert(conversion, numbers, rounding=rounding)
    return result.view(_bits(result.dtype)).reshape(input.shape)


def _bits(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns unsigned integers of the same width, because registers contain bits."""
    return np.dtype(f"uint{8 * dtype.itemsize}")


def _shaped(result: np.ndarray, shape: Any) -> np.ndarray:
    return result if shape is None else np.broadcast_to(result, tuple(shape)).copy()
