"""Which format a dtype holds, and which dtype holds a format. The names are the library's."""

from __future__ import annotations

import functools
from typing import Any

import ml_dtypes
import numpy as np

from ptxcvt._native import Error, Format


@functools.lru_cache(maxsize=None)
def format_named(name: str) -> Format | None:
    """The format that NumPy, ml_dtypes, torch or JAX call so, or None."""
    try:
        return Format(name)
    except Error:
        return None


def format_of(dtype: np.dtype[Any]) -> Format | None:
    """The format of a dtype's elements."""
    # `str` and `void` dtypes have names with their length; booleans are no numbers.
    return format_named(dtype.name)


@functools.lru_cache(maxsize=None)
def dtype_of(format: Format) -> np.dtype[Any]:
    """The dtype that the ecosystem has settled on, or unsigned integers of the width where there is none.

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
    """Unsigned integers of so many bits, a byte at least."""
    return np.dtype(f"uint{max(width, 8)}")
