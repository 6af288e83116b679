"""Block quantisation with recipes, byte for byte as libraries do it."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ptxcvt._convert import check_seed
from ptxcvt._dtypes import dtype_of, format_of
from ptxcvt._kinds import Back, take
from ptxcvt._warn import warn_of
from ptxcvt._native import (
    Error,
    Format,
    Recipe,
    _check_amax,
    _compare,
    _dequantize,
    _largest_magnitude,
    _quantize,
)


@dataclasses.dataclass(frozen=True)
class Quantized:
    """A quantised array: its elements in the recipe's layout, and its scales.

    ``data`` has the elements of a row as bytes, two FP4 elements per byte, the first in the low half. ``scales`` has
    one element for each block, row by row. ``global_scale`` is the whole tensor's scale as the recipe stores it, or
    None. ``shape`` is the shape of the array in elements. Blocks are along its last axis, or along the last but one if
    ``axis`` is -2; then data and scales are those of the transposed array.
    """

    recipe: str
    data: Any
    scales: Any
    global_scale: float | None
    shape: tuple[int, ...]
    axis: int = -1

    @property
    def codes(self) -> Any:
        """Returns the elements one by one, in the dtype of their format."""
        recipe = Recipe(self.recipe)
        if recipe.inline_scales:
            raise Error(f"`{self.recipe}` stores scales among its elements")
        data, back = take(self.data)
        dtype = dtype_of(Format(recipe.element))
        if Format(recipe.element).storage < 8:
            data = np.stack([data & 0xF, data >> 4], axis=-1).reshape(*data.shape[:-1], -1)
        return back(data.view(dtype))


@dataclasses.dataclass(frozen=True)
class Comparison:
    """The difference between the bytes of two recipes."""

    scales: int
    scales_differ: int
    codes: int
    codes_differ: int
    zero_signs: int
    bytes: int
    bytes_differ: int
    equal: bool
    #: The first block that differs, and the place in the matrix of its first element that differs, or None.
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
    """Quantises an array of f32, bf16 or f16 in blocks along its last axis or, with ``axis=-2``, along the one before.

    Of an array with more than two axes, the last two are a matrix, and no block crosses from one matrix to the next.
    NaN and infinity in the array are reported as one ``RuntimeWarning``, with their number and the index of the first.

    ``recipe`` is a name of ``ptxcvt.recipes()``. If it has a scale of the whole tensor, that is computed from the
    array's largest magnitude or from ``global_amax``, or is ``global_scale``. Recipes that round with random bits need
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
    elements, format, shape, back = _elements(x)
    transposed = _transposed(axis)
    matrices = recipe.matrices(shape, transposed)
    seed = None if seed is None else check_seed(seed)
    if global_amax is not None and global_scale is not None:
        raise Error("global_amax= and global_scale= exclude each other: give one of them")
    if global_amax is not None:
        _check_amax(global_amax)
    data, scales, stored, found = _quantize(
        recipe, elements, format, matrices, global_amax, global_scale, seed, 0, threads, transposed
    )
    if found:
        warn_of(format, elements)
    element = Format(recipe.element)
    if element.storage == 8 and not recipe.inline_scales:
        data = data.view(dtype_of(element))
    _, rows, columns = matrices
    rows, columns = (columns, rows) if transposed else (rows, columns)
    data = data.reshape(_shape(recipe, shape, transposed, rows, recipe.row_bytes(columns)))
    if not recipe.inline_scales:
        scales = scales.view(dtype_of(Format(recipe.scale)))
        scales = scales.reshape(_shape(recipe, shape, transposed, *recipe.scale_shape(rows, columns)))
    return Quantized(
        recipe=recipe.name,
        data=back(data),
        scales=back(scales),
        global_scale=stored,
        shape=shape,
        axis=-2 if transposed else -1,
    )


def _shape(
    recipe: Recipe, shape: tuple[int, ...], transposed: bool, rows: int, columns: int
) -> tuple[int, ...]:
    """The shape of a part of which each matrix has these rows and columns."""
    if len(shape) < 3:
        return rows, columns
    if recipe.block[0] == 1 and not transposed:
        # All axes but the last are rows.
        return *shape[:-1], columns
    return *shape[:-2], rows, columns


def _elements(x: Any) -> tuple[np.ndarray, str, tuple[int, ...], Back]:
    """Returns the bytes of an array in C order, its format and its shape."""
    array, back = take(x, np.dtype(np.float32))
    format = format_of(array.dtype)
    if format is None or format.name not in ("f32", "bf16", "f16"):
        raise Error(f"cannot quantise {array.dtype}: expected float32, bfloat16 or float16")
    native = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    return native.reshape(-1).view(np.uint8), format.name, array.shape, back


def _transposed(axis: int) -> bool:
    if axis not in (-1, -2):
        raise Error(f"axis={axis}: expected -1, the last axis, or -2, the one before")
    return axis == -2


def dequantize(quantized: Quantized, dtype: Any = np.float32, *, threads: int = 1) -> Any:
    """Returns the values of a quantised array as f32, bf16 or f16."""
    from ptxcvt._run import named_dtype

    recipe = Recipe(quantized.recipe)
    dtype = named_dtype(dtype)
    format = format_of(dtype)
    data, back = take(quantized.data)
    scales, _ = take(quantized.scales)
    shape = quantized.shape
    transposed = quantized.axis == -2
    count, rows, columns = recipe.matrices(shape, transposed)
    rows, columns = (columns, rows) if transposed else (rows, columns)
    result = np.empty(count * rows * columns, dtype)
    _dequantize(
        recipe,
        np.ascontiguousarray(data).reshape(-1).view(np.uint8),
        np.ascontiguousarray(scales).reshape(-1).view(np.uint8),
        quantized.global_scale,
        (count, rows, columns),
        result.view(np.uint8),
        format.name if format else str(dtype),
        threads,
    )
    result = result.reshape(count, rows, columns)
    return back((result.swapaxes(1, 2) if transposed else result).reshape(shape))


def compare(
    x: Any,
    recipe: str | Recipe,
    other: str | Recipe,
    *,
    global_amax: float | None = None,
    seed: int | None = None,
    threads: int = 1,
) -> Comparison:
    """Compares the bytes that two recipes make of an array.

    >>> import numpy as np, ptxcvt
    >>> x = np.arange(64, dtype=np.float32).reshape(2, 32)
    >>> c = ptxcvt.compare(x, "mx-rceil/e2m1", "mx-floor/e2m1")
    >>> c.equal, c.scales, c.scales_differ, c.first[0]
    (False, 2, 2, (0, 0))
    """
    both = tuple(r if isinstance(r, Recipe) else Recipe(r) for r in (recipe, other))
    if global_amax is not None:
        _check_amax(global_amax)
    elements, format, shape, _ = _elements(x)
    matrices = [one.matrices(shape, False) for one in both]
    if any(count > 1 for count, _, _ in matrices):
        raise Error(f"cannot compare an array of shape {shape}: expected one matrix")
    amaxes = (global_amax, global_amax)
    return Comparison(**_compare(both, elements, format, matrices[0][1:], amaxes, seed, 0, threads))


def largest_magnitude(x: Any, recipe: str | Recipe) -> float:
    """Returns the largest magnitude of an array by the recipe's rule for NaN, for use as ``global_amax``."""
    recipe = recipe if isinstance(recipe, Recipe) else Recipe(recipe)
    elements, format, shape, _ = _elements(x)
    return _largest_magnitude(recipe, elements, format, (1, int(np.prod(shape, dtype=np.intp))))
