"""Block quantisation with recipes, byte for byte as libraries do it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

import numpy as np

from ptxcvt._convert import check_seed
from ptxcvt._dtypes import dtype_of, format_of
from ptxcvt._kinds import Back, take
from ptxcvt._warn import warn_of
from ptxcvt._error import Error, KindError, threads_of
from ptxcvt._native import (
    Format,
    Recipe,
    _check_amax,
    _compare,
    _dequantize,
    _largest_magnitude,
    _quantize,
)


if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ptxcvt._types import HasArray, NumpyLike, OtherArray

#: The kind of array: that of the array that was quantised.
Array = TypeVar("Array")


@dataclasses.dataclass(frozen=True, eq=False)
class Quantized(Generic[Array]):
    """A quantised array: its elements in the recipe's layout, and its scales.

    ``data`` has the elements of a row as bytes, two FP4 elements per byte, the first in the low half. ``scales`` has
    one element for each block, row by row. ``global_scale`` is the whole tensor's scale as the recipe stores it, or
    None. ``shape`` is the shape of the array in elements. Blocks are along its last axis, or along the last but one if
    ``axis`` is -2; then data and scales are those of the transposed array.

    ``recipe`` may be given by its name. Two are equal if all their bits are.
    """

    recipe: Recipe
    data: Array
    scales: Array
    global_scale: float | None
    shape: tuple[int, ...]
    axis: int = -1

    def __post_init__(self) -> None:
        object.__setattr__(self, "recipe", recipe_of(self.recipe))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Quantized):
            return NotImplemented
        facts = [(q.recipe, _global_bits(q.global_scale), tuple(q.shape), q.axis) for q in (self, other)]
        return facts[0] == facts[1] and _same(self.data, other.data) and _same(self.scales, other.scales)

    #: It has arrays, whose elements may change.
    __hash__ = None  # type: ignore[assignment]

    @property
    def codes(self) -> Array:
        """Returns the elements one by one, in the dtype of their format."""
        recipe = self.recipe
        if recipe.inline_scales:
            raise Error(f"`{recipe}` stores scales among its elements")
        data, back = take(self.data)
        dtype = dtype_of(Format(recipe.element))
        if recipe.layout == "packed":
            low, middle, high = (data.reshape(*data.shape[:-1], -1, 3)[..., n].astype(np.uint32) for n in range(3))
            word = low | middle << 8 | high << 16
            data = np.stack([(word >> shift & 63).astype(np.uint8) for shift in (0, 6, 12, 18)], axis=-1)
            data = data.reshape(*data.shape[:-2], -1)
        elif Format(recipe.element).storage < 8:
            pair = [data & 0xF, data >> 4]
            data = np.stack(pair[::-1] if recipe.layout == "rows-high-first" else pair, axis=-1)
            data = data.reshape(*data.shape[:-2], -1)
        return cast("Array", back(data.view(dtype)))


def recipe_of(given: str | Recipe) -> Recipe:
    """Returns a recipe that may be given by its name."""
    return given if isinstance(given, Recipe) else Recipe(given)


def _global_bits(scale: Any) -> Any:
    """Returns the bits of a global scale, so that NaN equals itself; those of Dask are compared as what they are."""
    return np.float32(scale).tobytes() if isinstance(scale, (int, float, np.generic)) else scale


def _same(a: Any, b: Any) -> bool:
    """Returns True for arrays of equal types, shapes and bits."""
    a, b = take(a)[0], take(b)[0]
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()


def data_dtype(recipe: Recipe) -> np.dtype[Any]:
    """Returns the dtype of a recipe's data: that of its elements if each has bytes of its own, otherwise bytes."""
    element = Format(recipe.element)
    return dtype_of(element) if element.storage == 8 and recipe.layout == "rows" else np.dtype(np.uint8)


def checked_amax(given: Any) -> float:
    """Returns a largest magnitude given by the user, or raises an error."""
    try:
        number = float("nothing" if isinstance(given, (str, bytes)) else given)
    except (TypeError, ValueError, OverflowError):
        raise KindError(f"global_amax={given!r}: expected a number") from None
    _check_amax(number)
    return number


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


@overload
def quantize(
    x: NumpyLike,
    recipe: str | Recipe,
    *,
    axis: int = -1,
    global_amax: float | None = None,
    global_scale: float | None = None,
    seed: int | None = None,
    threads: int = 1,
) -> Quantized[NDArray[Any]]: ...
@overload
def quantize(
    x: OtherArray,
    recipe: str | Recipe,
    *,
    axis: int = -1,
    global_amax: float | None = None,
    global_scale: float | None = None,
    seed: int | None = None,
    threads: int = 1,
) -> Quantized[OtherArray]: ...
@overload
def quantize(
    x: HasArray,
    recipe: str | Recipe,
    *,
    axis: int = -1,
    global_amax: float | None = None,
    global_scale: float | None = None,
    seed: int | None = None,
    threads: int = 1,
) -> Quantized[NDArray[Any]]: ...
def quantize(
    x: Any,
    recipe: str | Recipe,
    *,
    axis: int = -1,
    global_amax: float | None = None,
    global_scale: float | None = None,
    seed: int | None = None,
    threads: int = 1,
) -> Quantized[Any]:
    """Quantises an array of f32, bf16 or f16 in blocks along its last axis or, with ``axis=-2``, along the one before.

    Of an array with more than two axes, the last two are a matrix, and no block crosses from one matrix to the next.
    NaN and infinity in the array are reported as one ``RuntimeWarning``, with their number and the index of the first.

    ``recipe`` is a name of ``ptxcvt.recipes()``, or your own from ``Recipe``. If it has a scale of the whole tensor, that is computed from the
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
    recipe, threads = recipe_of(recipe), threads_of(threads)
    elements, format, shape, back = _elements(x)
    transposed = _transposed(axis)
    matrices = recipe.matrices(shape, transposed)
    seed = None if seed is None else check_seed(seed)
    if global_amax is not None and global_scale is not None:
        raise Error("global_amax= and global_scale= exclude each other", help="give one of them")
    if global_amax is not None:
        global_amax = checked_amax(global_amax)
    data, scales, stored, found = _quantize(
        recipe, elements, format, matrices, global_amax, global_scale, seed, 0, threads, transposed
    )
    if found:
        warn_of(format, elements)
    data = data.view(data_dtype(recipe))
    _, rows, columns = matrices
    rows, columns = (columns, rows) if transposed else (rows, columns)
    data = data.reshape(_shape(recipe, shape, transposed, rows, recipe.row_bytes(columns)))
    if not recipe.inline_scales:
        scales = scales.view(dtype_of(Format(recipe.scale)))
        scales = scales.reshape(_shape(recipe, shape, transposed, *recipe.scale_shape(rows, columns)))
    return Quantized(
        recipe=recipe,
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
    if len(shape) == 1 and not transposed:
        return (columns,)
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


def dequantize(quantized: Quantized[Array], dtype: Any = np.float32, *, threads: int = 1) -> Array:
    """Returns the values of a quantised array as f32, bf16 or f16."""
    from ptxcvt._run import named_dtype

    recipe, threads = quantized.recipe, threads_of(threads)
    dtype = named_dtype(dtype)
    format = format_of(dtype)
    data, back = take(quantized.data)
    scales, _ = take(quantized.scales)
    _holds("data", data, Format(recipe.element))
    if not recipe.inline_scales:
        _holds("scales", scales, Format(recipe.scale))
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
        (*shape[:-2], rows, columns) if transposed else shape,
        scales.shape,
        result.view(np.uint8),
        format.name if format else str(dtype),
        threads,
    )
    result = result.reshape(count, rows, columns)
    return cast("Array", back((result.swapaxes(1, 2) if transposed else result).reshape(shape)))


def _holds(part: str, array: np.ndarray, format: Format) -> None:
    """Refuses a part whose type says that it holds another format; bytes may hold any."""
    if array.dtype not in (np.dtype(np.uint8), np.dtype(np.int8), dtype_of(format)):
        raise Error(f"{part} holds {array.dtype}, not the {format} of the recipe", help=f"expected {dtype_of(format)} or uint8")


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
    both, threads = (recipe_of(recipe), recipe_of(other)), threads_of(threads)
    seed = None if seed is None else check_seed(seed)
    if global_amax is not None:
        global_amax = checked_amax(global_amax)
    elements, format, shape, _ = _elements(x)
    matrices = [one.matrices(shape, False) for one in both]
    if any(count > 1 for count, _, _ in matrices):
        raise Error(f"cannot compare an array of shape {shape}: expected one matrix")
    amaxes = (global_amax, global_amax)
    return Comparison(**_compare(both, elements, format, matrices[0][1:], amaxes, seed, 0, threads))


def largest_magnitude(x: Any, recipe: str | Recipe) -> float:
    """Returns the largest magnitude of an array by the recipe's rule for NaN, for use as ``global_amax``."""
    recipe = recipe_of(recipe)
    elements, format, shape, _ = _elements(x)
    return _largest_magnitude(recipe, elements, format, (1, int(np.prod(shape, dtype=np.intp))))
