"""Triton's inline PTX in its interpreter (``TRITON_INTERPRET=1``), so that a kernel's tests run without a GPU.

The interpreter raises ``NotImplementedError`` at ``tl.inline_asm_elementwise``. After ``ptxcvt.triton.install()`` it
runs the assembly::

    import ptxcvt.triton

    ptxcvt.triton.install()

It also fixes the interpreter's casts between floats: those to FP8 round ties away from zero and lose a carry, and those to
bfloat16 truncate, so that a kernel with casts next to inline PTX would not return a GPU's bits.
"""

from __future__ import annotations

import warnings
from typing import Any, Callable, Sequence

import numpy as np

from ptxcvt._convert import convert
from ptxcvt._dtypes import dtype_of
from ptxcvt._native import Format
from ptxcvt._run import run

__all__ = ["install"]


class _Results:
    """The results of a call of inline assembly in the form that the interpreter expects."""

    def __init__(self, handles: Sequence[Any]) -> None:
        self._handles = handles

    def get_result(self, number: int) -> Any:
        return self._handles[number]


def install(*, approximate: bool = True) -> None:
    """Makes the interpreter run inline PTX, and cast floats as a GPU does. A second call has no further effect.

    Instructions whose bits the manual does not fix, such as ``ex2.approx``, are computed correctly rounded;
    ``approximate=False`` refuses them.
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

    interpreter.InterpreterBuilder.create_inline_asm = create_inline_asm
    if not hasattr(interpreter._convert_float, "original"):
        interpreter._convert_float = _fixed(interpreter._convert_float, interpreter._ir.ROUNDING_MODE.RTZ)


#: Triton's names of the types whose casts PTX has instructions for.
_FORMATS = {"fp32": "f32", "fp16": "f16", "bf16": "bf16", "fp8e4nv": "e4m3", "fp8e5": "e5m2"}


def _fixed(original: Callable[..., np.ndarray], toward_zero: Any) -> Callable[..., np.ndarray]:
    """Returns the interpreter's cast between floats with the bits of `cvt`, which rounds to nearest even and saturates."""

    def cast(input: np.ndarray, source: Any, destination: Any, rounding: Any) -> np.ndarray:
        formats = [_FORMATS.get(dtype.name) for dtype in (source, destination)]
        if None in formats or rounding == toward_zero:
            return original(input, source, destination, rounding)
        numbers = np.ascontiguousarray(input).view(dtype_of(Format(str(formats[0]))))
        with warnings.catch_warnings():
            # Kernels have NaN and infinity on purpose.
            warnings.simplefilter("ignore", RuntimeWarning)
            result = convert(f"{formats[0]}->{formats[1]}", numbers)
        return result.view(_bits(result.dtype)).reshape(input.shape)

    cast.original = original  # type: ignore[attr-defined]
    return cast


def _bits(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns unsigned integers of the same width, because registers contain bits."""
    return np.dtype(f"uint{8 * dtype.itemsize}")


def _shaped(result: np.ndarray, shape: Any) -> np.ndarray:
    return result if shape is None else np.broadcast_to(result, tuple(shape)).copy()
