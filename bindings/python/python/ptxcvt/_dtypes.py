"""The format of a dtype's elements, and the dtype for a format. The names are those of the Rust library."""

from __future__ import annotations

import functools
from typing import Any

import ml_dtypes
import numpy as np

from ptxcvt._error import Error
from ptxcvt._native import Format


@functools.lru_cache(maxsize=None)
def format_named(name: str) -> Format | None:
    """Returns the format with this name in NumPy, ml_dtypes, torch or JAX, or None."""
    try:
        return Format(name)
    except Error:
        return None


def format_of(dtype: np.dtype[Any]) -> Format | None:
    """Returns the format of a dtype's elements."""
    # Names of `str` and `void` dtypes include their length; booleans are not numbers.
    return format_named(dtype.name)


@functools.lru_cache(maxsize=None)
def dtype_of(format: Format) -> np.dtype[Any]:
    """Returns the dtype of ml_dtypes or NumPy for a format, or unsigned integers of its width if there is none.

    >>> [dtype_of(Format(name)).name for name in ("e2m1", "tf32", "s2f6")]
    ['float4_e2m1fn', 'float32', 'uint8']
    """
    if format.name == "tf32":
        return np.dtype(np.float32)
    for name in format.aliases:
        scalar = getattr(ml_dtypes, name, None) or getattr(np, name, None)
        if isinstance(scalar, type) and issubclass(scalar, np.generic):
            return np.dtype(scalar)
    return bits_dtype(format.storage)


def bits_dtype(width: int) -> np.dtype[Any]:
    """Returns the dtype of unsigned integers with this many bits, at least 8."""
    return np.dtype(f"uint{max(width, 8)}")
