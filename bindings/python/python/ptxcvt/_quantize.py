"""Block quantisation with recipes, byte for byte as libraries do it."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, SupportsFloat, SupportsIndex, TypeVar, cast, overload

import numpy as np

from ptxcvt._convert import check_seed
from ptxcvt._dtypes import dtype_of, format_of
from ptxcvt._kinds import Back, as_it_is, take
from ptxcvt._error import Error, KindError, about, shape_of, wrong_kind
from ptxcvt._native import (
    Format,
    Recipe,
    _check_amax,
    _codes,
    _compare,
    _dequantize,
    _largest_magnitude,
    _quantize,
    _recipe_of,
    _set_part_dtypes,
)
from ptxcvt._non_finite import warn_of
from ptxcvt._threads import threads_of


if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from ptxcvt._types import HasArray, NumpyLike, OtherArray, QuantizeOptions, RecipeLike

recipe_of = _recipe_of

#: NumPy has one object for each of its built-in dtypes.
_BYTE = np.dtype(np.uint8)
_F32 = np.dtype(np.float32)

#: The kind of the array that was quantised.
Array = TypeVar("Array")


@dataclasses.dataclass(frozen=True, eq=False)
class Quantized(Generic[Array]):
    """A quantised array: its elements in the recipe's layout, and its scales.

    ``data`` has the elements of a row as bytes, two FP4 elements per byte, the first in the low half. ``scales`` has
    one element for each block, row by row. ``global_scale`` is the whole tensor's scale as the recipe stores it, an
    array with one for each row if the recipe is ``row_scaled``, or None. ``shape`` is the shape of the array in
    elements. Blocks are along its last axis, or along the last but one if ``axis`` is -2; then data and scales are
    those of the transposed array.

    ``recipe`` may be given by its name. Two quantised arrays are equal if all their bits are equal.
    """

    recipe: Recipe
    data: Array
    scales: Array
    global_scale: float | Array | None
    shape: tuple[int, ...]
    axis: int = -1

    if TYPE_CHECKING:
        # The constructor accepts more types than the attributes have.
        def __init__(
            self,
            recipe: RecipeLike,
            data: Array,
            scales: Array,
            global_scale: SupportsFloat | Array | None,
            shape: Sequence[SupportsIndex],
            axis: SupportsIndex = -1,
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "recipe", recipe_of(self.recipe))
        object.__setattr__(self, "shape", shape_of(self.shape))
        object.__setattr__(self, "axis", -2 if _transposed(self.axis) else -1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Quantized):
            return NotImplemented
        facts = [(q.recipe, _global_bits(q.global_scale), tuple(q.shape), q.axis) for q in (self, other)]
        return facts[0] == facts[1] and _same(self.data, other.data) and _same(self.scales, other.scales)

    #: Not hashable, because the elements of its arrays may change.
    __hash__ = None  # type: ignore[assignment]

    @property
    def codes(self) -> Array:
        """Returns the elements with one element per item, in the dtype of their format."""
        recipe = self.recipe
        if recipe.inline_scales:
            raise Error(f"`{recipe}` stores scales among its elements")
        data, back = take(self.data, name="data")
        _holds("data", data, Format(recipe.element))
        dtype = dtype_of(Format(recipe.element))
        if not data.ndim:
            raise Error("data is a single number: expected an array")
        if recipe.layout == "packed" or Format(recipe.element).storage < 8:
            bytes = np.ascontiguousarray(data).view(np.uint8)
            # Without elements, the last axis cannot be computed from the data.
            axis = bytes.shape[-1] * 4 // 3 if recipe.layout == "packed" else bytes.shape[-1] * 2
            data = _codes(recipe, bytes.reshape(-1)).reshape(*bytes.shape[:-1], axis)
        return cast("Array", back(data.view(dtype)))


def _made(
    recipe: Recipe, data: Any, scales: Any, global_scale: Any, shape: tuple[int, ...], axis: int
) -> Quantized[Any]:
    """Returns a result without the checks and calls of the constructor."""
    made = _new(Quantized)
    parts = made.__dict__
    parts["recipe"], parts["data"], parts["scales"] = recipe, data, scales
    parts["global_scale"], parts["shape"], parts["axis"] = global_scale, shape, axis
    return made


# Names of this module are found faster than those of other modules.
_new, _array = object.__new__, np.ndarray


def _global_bits(scale: Any) -> Any:
    """Returns the bits of a global scale, so that NaN equals itself. Returns a lazy scale of Dask unchanged."""
    if scale is None or isinstance(scale, (int, float, np.generic)):
        return None if scale is None else np.float32(scale).tobytes()
    return scale if hasattr(scale, "dask") else _row_scales(scale).tobytes()


def _row_scales(scales: Any) -> np.ndarray:
    """Returns the global scales of rows as a contiguous array of f32, or raises an error if f32 cannot hold one."""
    given = take(scales, name="global_scale")[0]
    with np.errstate(over="ignore"):
        rounded = np.ascontiguousarray(given, np.float32)
    if given.dtype != rounded.dtype and (np.isinf(rounded) & np.isfinite(given)).any():
        raise Error("global_scale holds a number that f32 cannot hold")
    return rounded


def _same(a: Any, b: Any) -> bool:
    """Returns True for arrays of equal types, shapes and bits."""
    a, b = (take(part, name="a part")[0] for part in (a, b))
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()


@functools.lru_cache(maxsize=256)
def part_dtypes(recipe: Recipe) -> tuple[np.dtype[Any], np.dtype[Any] | None]:
    """Returns the dtypes of data and scales. Data are bytes unless each element has a separate byte. The dtype of
    scales is None if they are stored among the data.
    """
    element = Format(recipe.element)
    data = dtype_of(element) if element.storage == 8 and recipe.layout == "rows" else _BYTE
    return data, None if recipe.inline_scales else dtype_of(Format(recipe.scale))


_set_part_dtypes(part_dtypes)


def checked_amax(given: Any) -> float:
    """Returns a largest magnitude given by the user, or raises an error."""
    try:
        number = float("nothing" if isinstance(given, (str, bytes)) else given)
    except (TypeError, ValueError):
        raise wrong_kind("global_amax", given, "a number") from None
    except OverflowError:
        raise Error("global_amax: expected a number that f32 can hold") from None
    _check_amax(number)
    return number


def _check_scale(given: Any) -> None:
    """Raises an error if a plain number is given as a global scale that f32 rounds to 0 or cannot hold."""
    if not isinstance(given, (int, float)):
        return
    try:
        number = float(given)
    except OverflowError:
        raise Error("global_scale: expected a number that f32 can hold") from None
    if 0 < abs(number) <= 2.0**-150:
        raise Error(f"global_scale={number}: f32 rounds it to 0")


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
    #: The first block that differs, and the place in the matrix of its first differing element, or None.
    first: tuple[tuple[int, int], tuple[int, int] | None] | None


@overload
def quantize(x: NumpyLike, recipe: RecipeLike, **options: Unpack[QuantizeOptions]) -> Quantized[NDArray[Any]]: ...
@overload
def quantize(x: OtherArray, recipe: RecipeLike, **options: Unpack[QuantizeOptions]) -> Quantized[OtherArray]: ...
@overload
def quantize(
    x: NumpyLike | OtherArray, recipe: RecipeLike, **options: Unpack[QuantizeOptions]
) -> Quantized[NDArray[Any]] | Quantized[OtherArray]: ...
@overload
def quantize(x: HasArray, recipe: RecipeLike, **options: Unpack[QuantizeOptions]) -> Quantized[NDArray[Any]]: ...
def quantize(
    x: Any,
    recipe: RecipeLike,
    *,
    axis: SupportsIndex = -1,
    global_amax: SupportsFloat | None = None,
    global_scale: SupportsFloat | None = None,
    seed: SupportsIndex | None = None,
    threads: SupportsIndex = 1,
) -> Quantized[Any]:
    """Quantises an array of f32, bf16 or f16 in blocks along its last axis or, with ``axis=-2``, along the one before.

    In an array with more than two axes, the last two are a matrix, and blocks do not cross from one matrix to the next.
    NaN and infinity in the array are reported as one ``RuntimeWarning``, with their number and the index of the first.

    ``recipe`` is a name of ``ptxcvt.recipes()``, a path that ends in ``.toml``, or a ``Recipe``. If it has a scale for
    the whole tensor, that scale is ``global_scale``, or is computed from ``global_amax`` or the array's largest
    magnitude. A recipe that is ``row_scaled`` computes a scale for each row from that row. Recipes that round with
    random bits need ``seed``.

    >>> import numpy as np, ptxcvt
    >>> x = np.arange(64, dtype=np.float32).reshape(2, 32)
    >>> q = ptxcvt.quantize(x, "mx-rceil/e4m3")
    >>> q.data.shape, q.scales.dtype.name, q.scales.tolist()
    ((2, 32), 'float8_e8m0fnu', [[0.125], [0.25]])
    >>> bool((abs(ptxcvt.dequantize(q) - x) <= 2).all())
    True
    """
    recipe = recipe_of(recipe)
    if type(x) is _array and x.dtype is _F32 and x.flags.c_contiguous:
        elements, format, shape, back = x, "f32", x.shape, as_it_is
    else:
        elements, format, shape, back = _elements(x)
    transposed = (type(axis) is not int or axis != -1) and _transposed(axis)
    if seed is not None:
        seed = check_seed(seed)
    if type(threads) is not int or threads != 1:
        threads = threads_of(threads)
    if global_amax is not None:
        if global_scale is not None:
            raise Error("global_amax= and global_scale= exclude each other", help="give one of them")
        global_amax = checked_amax(global_amax)
    if global_scale is not None:
        _check_scale(global_scale)
    data, scales, stored, found = _quantize(
        recipe, elements, format, transposed, global_amax, global_scale, seed, 0, threads
    )
    if found:
        warn_of(format, elements.reshape(-1).view(_BYTE))
    if back is not as_it_is:
        data, scales = back(data), back(scales)
        if recipe.row_scaled:
            stored = back(stored)
    return _made(recipe, data, scales, stored, shape, -2 if transposed else -1)


@functools.lru_cache(maxsize=None)
def _input(dtype: np.dtype[Any]) -> tuple[str, bool]:
    """Returns the name of the format, and whether the bytes are in native order. Fails if it cannot be quantised."""
    format = format_of(dtype)
    if format is None or format.name not in ("f32", "bf16", "f16"):
        raise Error(f"x holds {dtype}, which cannot be quantised: expected float32, bfloat16 or float16")
    return format.name, dtype.isnative


def _elements(x: Any) -> tuple[np.ndarray, str, tuple[int, ...], Back]:
    """Returns a C-contiguous array in native byte order, its format and shape, and a function that converts back."""
    array, back = take(x, _F32, name="x")
    shape = array.shape
    format, native = _input(array.dtype)
    if not native or not array.flags.c_contiguous:
        # `ascontiguousarray` would add an axis to a scalar.
        array = np.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")
    return array, format, shape, back


def _transposed(axis: Any) -> bool:
    try:
        axis = operator.index(axis)
    except TypeError:
        raise wrong_kind("axis", axis, "-1, the last axis, or -2, the one before") from None
    if axis not in (-1, -2):
        raise Error(f"axis={axis}: expected -1, the last axis, or -2, the one before")
    return axis == -2


@functools.lru_cache(maxsize=None)
def _output(dtype: Any) -> tuple[np.dtype[Any], str]:
    """Returns a dtype given by the user and the name of its format."""
    from ptxcvt._run import named_dtype

    dtype = named_dtype(dtype)
    format = format_of(dtype)
    return dtype, format.name if format else str(dtype)


@functools.lru_cache(maxsize=1024)
def _facts(recipe: Recipe, dtype: Any) -> tuple[np.dtype[Any], np.dtype[Any] | None, bool, np.dtype[Any], str]:
    """Returns the dtypes of data and scales, whether each row has a global scale, and the dtype and format of numbers.
    """
    return *part_dtypes(recipe), recipe.row_scaled, *_output(dtype)


def dequantize(quantized: Quantized[Array], dtype: Any = np.float32, *, threads: SupportsIndex = 1) -> Array:
    """Returns the values of a quantised array as f32, bf16 or f16."""
    if not isinstance(quantized, Quantized):
        raise KindError(f"quantized: expected what quantize returns, not {type(quantized).__name__}")
    recipe, shape = quantized.recipe, quantized.shape
    if type(threads) is not int or threads != 1:
        threads = threads_of(threads)
    try:
        facts = _facts(recipe, dtype)
    except (TypeError, ValueError) as error:
        if isinstance(error, Error):
            raise
        # The dtype is not hashable.
        facts = *part_dtypes(recipe), recipe.row_scaled, *_output.__wrapped__(dtype)
    data_dtype, scale_dtype, of_rows, dtype, format = facts
    data: Any = quantized.data
    scales: Any = quantized.scales
    back: Back = as_it_is
    if type(data) is not _array:
        data, back = take(data, name="data")
    if type(scales) is not _array:
        scales, _ = take(scales, name="scales")
    if data.dtype is not data_dtype:
        _holds("data", data, Format(recipe.element))
    if scale_dtype is not None and scales.dtype is not scale_dtype:
        _holds("scales", scales, Format(recipe.scale))
    if not data.flags.c_contiguous:
        data = np.ascontiguousarray(data)
    if not scales.flags.c_contiguous:
        scales = np.ascontiguousarray(scales)
    stored = _row_scales(quantized.global_scale) if of_rows else quantized.global_scale
    transposed = quantized.axis == -2
    result = _dequantize(recipe, data, scales, stored, shape, transposed, dtype, format, threads)
    if transposed and len(shape) > 1:
        result = result.swapaxes(-1, -2)
    values: Array = result if back is as_it_is else back(result)
    return values


def _holds(part: str, array: np.ndarray, format: Format) -> None:
    """Raises an error if the dtype of a part belongs to another format. Byte dtypes are accepted for any format."""
    if array.dtype not in (np.dtype(np.uint8), np.dtype(np.int8), dtype_of(format)):
        raise Error(f"{part} holds {array.dtype}, not the {format} of the recipe", help=f"expected {dtype_of(format)} or uint8")


def compare(
    x: Any,
    recipe: RecipeLike,
    other: RecipeLike,
    *,
    global_amax: SupportsFloat | None = None,
    seed: SupportsIndex | None = None,
    threads: SupportsIndex = 1,
) -> Comparison:
    """Compares the bytes that two recipes make of an array. NaN and infinity in it are reported as by ``quantize``.

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
        if not any(one.global_scale for one in both):
            raise Error(f"global_amax: neither `{both[0].name}` nor `{both[1].name}` has a global scale")
    elements, format, shape, _ = _elements(x)
    with about("x"):
        matrices = [one.matrices(shape, False) for one in both]
    if any(count > 1 for count, _, _ in matrices):
        raise Error(f"x: cannot compare an array of shape {shape}: expected one matrix")
    amaxes = (global_amax, global_amax)
    found = _compare(both, elements, format, matrices[0][1:], amaxes, seed, 0, threads)
    warn_of(format, elements.reshape(-1).view(_BYTE))
    return Comparison(**found)


def largest_magnitude(x: Any, recipe: RecipeLike) -> float:
    """Returns the largest magnitude of an array by the recipe's rule for NaN, for use as ``global_amax``."""
    recipe = recipe_of(recipe)
    elements, format, shape, _ = _elements(x)
    return _largest_magnitude(recipe, elements, format, (1, int(np.prod(shape, dtype=np.intp))))
