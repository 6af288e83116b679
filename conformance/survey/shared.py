"""What the codecs of several packages need."""

from __future__ import annotations

from typing import Callable

import numpy as np

Function = Callable[[np.ndarray], np.ndarray]


def bits_of(found: np.ndarray) -> np.ndarray:
    """The bits of numbers of 8 or 16 bits."""
    return found.view(np.uint8 if found.dtype.itemsize == 1 else np.uint16)


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
