"""Quantisation in blocks, byte for byte as libraries do it: recipes over arrays."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ptxcvt._convert import check_seed
from ptxcvt._dtypes import dtype_of, format_of
from ptxcvt._kinds import Back, take
from ptxcvt._native import (
    Error,
    Format,
    Recipe,
    _compare,
    _dequantize,
    _largest_magnitude,
    _quantize,
)


@dataclasses.dataclass(frozen=True)
class Quantized:
    """An array in blocks: its elements as the recipe lays them out, and its scales.

    ``data`` has the elements of a row in bytes; FP4 is two to a byte, the first in the low half. ``scales`` has one
    element for each block, row by row. ``global_scale`` is that of the whole tensor as the recipe stores it, or None.
    ``shape`` is that of the array, in elements; blocks run along its last axis, or along the last but one where
    ``axis`` is -2, in which case data and scales are those of the transposed array.
    """

    recipe: str
    data: Any
    scales: Any
    global_scale: float | None
    shape: tuple[int, ...]
    axis: int = -1

    @property
    def codes(self) -> Any:
        """The elements one by one, in the dtype of their format."""
        recipe = Recipe(self.recipe)
        if recipe.inline_scales:
            raise Error(f"`{self.recipe}` keeps scales among its elements")
        data, back = take(self.data)
        dtype = dtype_of(Format(recipe.element))
        if Format(recipe.element).storage < 8:
            data = np.stack([data & 0xF, data >> 4], axis=-1).reshape(*data.shape[:-1], -1)
        return back(data.view(dtype))


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Where the bytes of two recipes differ."""

    scales: int
    scales_differ: int
    codes: int
    codes_differ: int
    zero_signs: int
    bytes: int
    bytes_differ: int
    equal: bool
    #: The first block that differs, among blocks, and its first element that does, in the matrix, or None.
    first: tuple[tuple[int, int], tuple[int, int] | None] | None


def quantize(
    x: Any,
    recipe: str | Recipe,
    *,
    axis: int = -1,
    global_amax: float | None = None,
    global_scale: float | None = None,
    seed: int | None = None,
    threads: int = 1,
) -> Quantized:
    """Quantises an array of f32, bf16 or f16 in blocks, along its last axis or, with ``axis=-2``, along the one before.

    ``recipe`` is a name of ``ptxcvt.recipes()``. Where it has a scale of the whole tensor, this comes from the array's
    largest magnitude, or from ``global_amax``, or is ``global_scale``. Recipes that round with random bits take
    ``seed``.

    >>> import numpy as np, ptxcvt
    >>> x = np.arange(64, dtype=np.float32).reshape(2, 32)
    >>> q = ptxcvt.quantize(x, "mx-rceil/e4m3")
    >>> q.data.shape, q.scales.dtype.name, q.scales.tolist()
    ((2, 32), 'float8_e8m0fnu', [[0.125], [0.25]])
    >>> bool((abs(ptxcvt.dequantize(q) - x) <= 2).all())
    True
    """
    recipe = recipe if isinstance(recipe, Recipe) else Recipe(recipe)
    matrix, format, shape, back = _matrix(x)
    transposed = _transposed(axis, shape)
    rows, columns = (shape[1], shape[0]) if transposed else shape
    seed = None if seed is None else check_seed(seed)
    if global_amax is not None and global_scale is not None:
        raise Error("global_amax= and global_scale= say the same thing twice")
    data, scales, stored = _quantize(
        recipe, matrix, format, shape, global_amax, global_scale, seed, 0, threads, transposed
    )
    whole = np.shape(x)
    return Quantized(
        recipe=recipe.name,
        data=back(_data(recipe, data, rows, columns, whole, transposed)),
        scales=back(_scales(recipe, scales, rows, columns, whole, transposed)),
        global_scale=stored,
        shape=tuple(whole),
        axis=-2 if transposed else -1,
    )


def _data(
    recipe: Recipe, data: np.ndarray, rows: int, columns: int, shape: tuple[int, ...], transposed: bool
) -> np.ndarray:
    element = Format(recipe.element)
    if element.storage == 8 and not recipe.inline_scales:
        data = data.view(dtype_of(element))
    data = data.reshape(rows, recipe.row_bytes(columns) if rows else -1)
    return data if transposed or len(shape) < 2 else data.reshape(*shape[:-1], -1) if rows else data


def _scales(
    recipe: Recipe, scales: np.ndarray, rows: int, columns: int, shape: tuple[int, ...], transposed: bool
) -> np.ndarray:
    if recipe.inline_scales:
        return scales
    scales = scales.view(dtype_of(Format(recipe.scale))).reshape(recipe.scale_shape(rows, columns))
    leading = int(np.prod(shape[:-1], dtype=np.intp)) if len(shape) > 1 else 1
    if transposed or len(shape) < 3 or scales.shape[0] != leading:
        return scales
    return scales.reshape(*shape[:-1], -1)


def _matrix(x: Any) -> tuple[np.ndarray, str, tuple[int, int], Back]:
    """The bytes of an array, its format, its rows and columns."""
    array, back = take(x, np.dtype(np.float32))
    format = format_of(array.dtype)
    if format is None or format.name not in ("f32", "bf16", "f16"):
        raise Error(f"{array.dtype} numbers are not quantised: they must be float32, bfloat16 or float16")
    columns = array.shape[-1] if array.ndim else 1
    rows = array.size // columns if columns else 0
    native = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    return native.reshape(-1).view(np.uint8), format.name, (rows, columns), back


def _transposed(axis: int, shape: tuple[int, int]) -> bool:
    if axis not in (-1, -2):
        raise Error(f"axis={axis}: blocks lie along the last axis, -1, or the one before, -2")
    return axis == -2


def dequantize(quantized: Quantized, dtype: Any = np.float32, *, threads: int = 1) -> Any:
    """What a quantised array stands for, as f32, bf16 or f16."""
    from ptxcvt._run import named_dtype

    recipe = Recipe(quantized.recipe)
    dtype = named_dtype(dtype)
    format = format_of(dtype)
    data, back = take(quantized.data)
    scales, _ = take(quantized.scales)
    shape = quantized.shape
    columns = shape[-1] if shape else 1
    rows = int(np.prod(shape[:-1], dtype=np.intp))
    transposed = quantized.axis == -2
    matrix = (columns, rows) if transposed else (rows, columns)
    result = np.empty(rows * columns, dtype)
    _dequantize(
        recipe,
        np.ascontiguousarray(data).reshape(-1).view(np.uint8),
        np.ascontiguousarray(scales).reshape(-1).view(np.uint8),
        quantized.global_scale,
        matrix,
        result.view(np.uint8),
        format.name if format else str(dtype),
        threads,
    )
    result = result.reshape(matrix)
    return back((result.T if transposed else result).reshape(shape))


def compare(
    x: Any,
    recipe: str | Recipe,
    other: str | Recipe,
    *,
    global_amax: float | None = None,
    seed: int | None = None,
    threads: int = 1,
) -> Comparison:
    """Where two recipes make different bytes of an array.

    >>> import numpy as np, ptxcvt
    >>> x = np.arange(64, dtype=np.float32).reshape(2, 32)
    >>> c = ptxcvt.compare(x, "mx-rceil/e2m1", "mx-floor/e2m1")
    >>> c.equal, c.scales, c.scales_differ, c.first[0]
    (False, 2, 2, (0, 0))
    """
    both = tuple(r if isinstance(r, Recipe) else Recipe(r) for r in (recipe, other))
    matrix, format, shape, _ = _matrix(x)
    return Comparison(**_compare(both, matrix, format, shape, (global_amax, global_amax), seed, 0, threads))


def largest_magnitude(x: Any, recipe: str | Recipe) -> float:
    """The largest magnitude of an array, by the recipe's rule for NaN: what ``global_amax`` takes."""
    recipe = recipe if isinstance(recipe, Recipe) else Recipe(recipe)
    matrix, format, shape, _ = _matrix(x)
    return _largest_magnitude(recipe, matrix, format, shape)
