"""Triton's inline PTX in its interpreter (``TRITON_INTERPRET=1``), so that a kernel's tests run without a GPU.

The interpreter raises ``NotImplementedError`` at ``tl.inline_asm_elementwise``. After ``ptxcvt.triton.install()`` it
runs the assembly::

    import ptxcvt.triton

    ptxcvt.triton.install()
"""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ptxcvt._run import run

__all__ = ["install"]


class _Results:
    """The results of a call of inline assembly in the form that the interpreter expects."""

    def __init__(self, handles: Sequence[Any]) -> None:
        self._handles = handles

    def get_result(self, number: int) -> Any:
        return self._handles[number]


def install(*, approximate: bool = True) -> None:
    """Makes the interpreter run inline PTX.

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


def _bits(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns unsigned integers of the same width, because registers contain bits."""
    return np.dtype(f"uint{8 * dtype.itemsize}")


def _shaped(result: np.ndarray, shape: Any) -> np.ndarray:
    return result if shape is None else np.broadcast_to(result, tuple(shape)).copy()
