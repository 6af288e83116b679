"""Dask arrays, chunk by chunk. The results do not depend on the chunks.

>>> import dask.array as da, numpy as np, ptxcvt, ptxcvt.dask
>>> x = np.linspace(-4, 4, 1000, dtype=np.float32).reshape(20, 50)
>>> whole = ptxcvt.convert("cvt.rs.satfinite.e4m3x4.f32", x, seed=7)
>>> parts = ptxcvt.dask.convert("cvt.rs.satfinite.e4m3x4.f32", da.from_array(x, chunks=(7, 13)), seed=7)
>>> bool((parts.compute().view(np.uint8) == whole.view(np.uint8)).all())
True
"""

from __future__ import annotations

import dataclasses
from typing import Any, SupportsFloat, SupportsIndex

import numpy as np

import dask
import dask.array as da
from dask.delayed import Delayed
from ptxcvt import _convert, _error, _quantize
from ptxcvt._dtypes import bits_dtype, dtype_of
from ptxcvt._error import Error, KindError, about
from ptxcvt._kinds import take
from ptxcvt._layout import Layout
from ptxcvt._native import _WHOLE_AXIS, Form, Format, Recipe, _non_finite
from ptxcvt._types import RecipeLike
from ptxcvt._warn import warn

#: The warning for a chunk. The text is always the same, so Python shows it once for a whole array.
WARNING = "NaN or infinity in the input"

#: The sizes of chunks along each axis.
Chunks = tuple[tuple[int, ...], ...]

__all__ = ["compare", "convert", "dequantize", "quantize"]


def convert(
    conversion: str | Form,
    x: da.Array,
    /,
    *,
    rounding: str | None = None,
    saturate: bool = False,
    relu: bool = False,
    rbits: int | None = None,
    seed: SupportsIndex | None = None,
    scale: float | int | None = None,
    packed: bool = False,
) -> da.Array:
    """Like ``ptxcvt.convert``, but lazy. The chunks do not change. Random bits depend on an element's place in the
    whole array.
    """
    _check(x)
    forms = _convert.read(conversion, rounding=rounding, saturate=saturate, relu=relu)
    destination = Format(forms[-1].destination_format)
    # Errors are raised here, not on a worker.
    extras = _convert._extras(forms, rbits, seed, scale)
    if any(isinstance(extra, np.ndarray) for extra in extras):
        name = "scale" if rbits is None else "rbits"
        help = "give one number for all elements" + ("" if rbits is None else ", or seed=")
        raise Error(f"{name} is an array: each chunk would begin with its first element", help=help)
    if not _convert.one_each(x.dtype, Format(forms[0].source_format)):
        raise Error("packed FP4 has two elements in a byte", help="unpack it first")
    dtype = bits_dtype(destination.storage) if packed else dtype_of(destination)
    tight = _error.flag_of("packed", packed) and destination.storage < 8
    if tight or seed is not None:
        _check_known(x)
    chunks = x.chunks
    if tight:
        odd = [n for n in x.chunks[-1] if n % 2] if x.ndim else [1]
        if odd:
            raise Error(f"two {destination} elements are packed in a byte, so chunks along the last axis must be even")
        chunks = (*x.chunks[:-1], tuple(n // 2 for n in x.chunks[-1]))
    return x.map_blocks(
        _block,
        [str(form) for form in forms],
        extras,
        x.shape,
        tight,
        dtype,
        dtype=dtype,
        chunks=chunks,
        meta=np.empty((0,) * x.ndim, dtype),
        name=None,
    )


def _block(
    block: np.ndarray,
    opcodes: list[str],
    extras: list[Any],
    shape: tuple[int, ...],
    tight: bool,
    dtype: Any,
    block_info: Any = None,
) -> np.ndarray:
    """Converts one chunk, given its position in the array."""
    block, _ = take(block, name="x")
    forms = [Form(opcode) for opcode in opcodes]
    layout = Layout(block)
    random = any(isinstance(extra, tuple) for extra in extras)
    if (random or tight) and layout.axes != tuple(range(block.ndim)):
        # Random bits depend on the index in C order, and neighbours along the last axis share a byte.
        block = np.ascontiguousarray(block)
        layout = Layout(block)
    flat = layout.flat(block)
    result = np.empty(flat.size >> tight, dtype)
    firsts = row_starts(block.shape, shape, _start(block_info)) if random and flat.size else None
    if _convert.through(forms, flat, extras, result, False, tight, 1, firsts):
        warn(WARNING)
    return layout.restored(result, layout.innermost // 2 if tight else None)


def _check(x: Any, name: str = "x") -> None:
    """Raises an error unless this is a Dask array without a mask."""
    if not isinstance(x, da.Array):
        help = "dask.array.from_array makes one; the functions of ptxcvt itself accept other arrays"
        raise KindError(f"{name}: expected an array of Dask, not {type(x).__name__}", help=help)
    if isinstance(x._meta, np.ma.MaskedArray):
        help = "dask.array.ma.filled(x, value) gives masked elements a value"
        raise Error(f"{name} is a masked array: conversions would ignore the mask", help=help)


def _check_known(x: da.Array, name: str = "x") -> None:
    """Raises an error unless the sizes of all chunks are known."""
    if any(np.isnan(n) for axis in x.chunks for n in axis):
        raise Error(f"{name} has chunks of unknown sizes", help=f"{name}.compute_chunk_sizes() computes them")


def _start(block_info: Any) -> list[int]:
    """Returns the place of a chunk's first element in the whole array."""
    return [low for low, _ in block_info[0]["array-location"]]


def row_starts(block: tuple[int, ...], shape: tuple[int, ...], start: list[int]) -> list[int]:
    """Returns the indices of a chunk's rows in the whole array. Trailing axes that the chunk contains completely belong
    to a row.

    >>> row_starts((2, 3), (4, 6), [1, 2])
    [8, 14]
    >>> row_starts((2, 6), (4, 6), [1, 0])
    [6]
    """
    # The chunk contains all further axes completely, so a row covers them and the axis before.
    inner = len(shape)
    while inner > 0 and block[inner - 1] == shape[inner - 1]:
        inner -= 1
    outer = max(inner - 1, 0)
    places = np.zeros(1, np.uint64)
    for axis in range(outer):
        along = np.arange(start[axis], start[axis] + block[axis], dtype=np.uint64)
        places = (places[:, None] * np.uint64(shape[axis]) + along[None, :]).reshape(-1)
    for axis in range(outer, len(shape)):
        places = places * np.uint64(shape[axis]) + np.uint64(start[axis])
    return [int(place) for place in places]


def quantize(
    x: da.Array,
    recipe: RecipeLike,
    *,
    global_amax: SupportsFloat | None = None,
    seed: SupportsIndex | None = None,
    bits: bool = False,
) -> _quantize.Quantized[da.Array]:
    """Like ``ptxcvt.quantize`` along the last axis, but lazy: ``data``, ``scales`` and ``global_scale`` are Dask
    arrays.

    The scale of the whole tensor is computed from its largest magnitude, a reduction over all chunks. Chunks must
    contain whole blocks. With ``bits``, numbers of a type that NumPy itself lacks are returned as unsigned integers,
    which Zarr can store; ``dequantize`` also accepts these.

    >>> import dask.array as da, numpy as np, ptxcvt, ptxcvt.dask
    >>> x = da.ones((2, 4, 64), chunks=(1, 2, 32), dtype=np.float32)
    >>> q = ptxcvt.dask.quantize(x, "mx-rceil/e4m3", bits=True)
    >>> q.data.dtype.name, q.scales.shape
    ('uint8', (2, 4, 2))
    """
    recipe = _quantize.recipe_of(recipe)
    _check(x)
    _check_blocks(x, recipe)
    seed = None if seed is None else _convert.check_seed(seed)
    _try(recipe, x.dtype, seed)
    amax = _global(x, recipe, global_amax)
    if amax is None and global_amax is not None:
        raise Error(f"global_amax: `{recipe.name}` has no global scale")
    data_dtype, scale_dtype = (_stored_as(dtype, bits) for dtype in _quantize.part_dtypes(recipe))
    # A chunk is quantised once, and its two parts are taken from the result.
    both = x.map_blocks(
        _parts,
        recipe,
        amax,
        seed,
        x.shape,
        dtype=object,
        chunks=tuple((1,) * len(axis) for axis in x.chunks),
        meta=np.empty((0,) * x.ndim, object),
    )
    with about("x"):
        chunks = _chunks_of_parts(recipe, x.chunks)
    data, scales = (
        None if dtype is None else both.map_blocks(
            _taken,
            part,
            dtype,
            dtype=dtype,
            chunks=chunks[part],
            meta=np.empty((0,) * x.ndim, dtype),
        )
        for part, dtype in enumerate((data_dtype, scale_dtype))
    )
    stored = None if amax is None else _stored(recipe, x.dtype, amax)
    if recipe.row_scaled:
        stored = both.map_blocks(
            _taken,
            2,
            np.float32,
            dtype=np.float32,
            drop_axis=x.ndim - 1,
            chunks=x.chunks[:-1],
            meta=np.empty((0,) * (x.ndim - 1), np.float32),
        )
    return _quantize.Quantized(recipe, data, scales, stored, x.shape)


def _chunks_of_parts(recipe: Recipe, chunks: Chunks) -> tuple[Chunks, Chunks]:
    """Returns the chunks of data and scales for chunks of elements."""
    # The size of each part along an axis depends only on the chunk's size along this axis.
    first = tuple(axis[0] for axis in chunks)
    shapes = [
        [recipe.part_shapes((*first[:axis], n, *first[axis + 1 :]), False) for n in along] for axis, along in enumerate(chunks)
    ]
    data, scales = (
        tuple(tuple(of_chunk[part][axis] for of_chunk in along) for axis, along in enumerate(shapes)) for part in (0, 1)
    )
    return data, scales


def _stored_as(dtype: Any, bits: bool) -> Any:
    """Returns the dtype of a part: with `bits`, integers instead of a type that NumPy itself lacks."""
    return bits_dtype(8 * dtype.itemsize) if bits and dtype is not None and dtype.isbuiltin != 1 else dtype


def _check_blocks(x: da.Array, recipe: Recipe) -> None:
    """Raises an error unless the chunks contain whole blocks."""
    if not x.ndim:
        raise Error("x: cannot quantise a single number: expected an array")
    _check_known(x)
    rows, columns = recipe.block
    along = x.chunks if rows > 1 else x.chunks[-1:]
    # The last chunk may end with an incomplete block.
    parts = [n % size for size, axis in zip((columns, rows), along[::-1]) for n in axis[:-1]]
    if any(parts):
        raise Error(f"x: chunks {x.chunks} do not contain {_needed(recipe)}, as `{recipe.name}` requires")
    if len(x.chunks[-1]) > 1:
        if recipe.inline_scales:
            raise Error(f"x: `{recipe.name}` stores scales in the rows, so chunks must contain whole rows")
        if recipe.row_scaled:
            raise Error(f"x: `{recipe.name}` has a global scale for each row, so chunks must contain whole rows")


def _check_rows(block: np.ndarray, columns: int, seed: int | None) -> None:
    """Raises an error unless a chunk contains whole rows of `columns` elements, on which random bits depend."""
    if seed is not None and block.shape[-1] != columns:
        raise Error("x: random bits depend on the place in a row: chunks must contain whole rows")


def _global(x: da.Array, recipe: Recipe, given: SupportsFloat | None) -> Any:
    """Returns the largest magnitude of the whole array if the recipe needs it."""
    if not recipe.global_scale:
        return None
    if given is None:
        return _amax(x, recipe)
    return _quantize.checked_amax(given)


def _needed(recipe: Recipe) -> str:
    """Names the blocks that chunks must contain. A block of the maximum size contains all rows or columns."""
    rows, columns = recipe.block
    if rows >= _WHOLE_AXIS:
        return "the whole matrix"
    return "whole rows" if columns >= _WHOLE_AXIS else f"whole blocks of {rows}x{columns}"


def _amax(x: da.Array, recipe: Recipe) -> da.Array:
    """Computes the largest magnitude, chunk by chunk and then pair by pair."""

    def of_chunk(chunk: np.ndarray, axis: Any, keepdims: bool) -> np.ndarray:
        return np.full((1,) * chunk.ndim, _quantize.largest_magnitude(chunk, recipe), np.float32)

    def of_parts(parts: np.ndarray, axis: Any, keepdims: bool) -> np.ndarray:
        # The recipe decides whether NaN counts; if so, the magnitude of a part with NaN is NaN.
        return np.max(parts, axis=axis, keepdims=keepdims)

    return da.reduction(x, of_chunk, of_parts, dtype=np.float32, meta=np.empty((), np.float32))


def _zeros(recipe: Recipe, dtype: np.dtype[Any]) -> np.ndarray:
    """Returns some whole blocks of zeros, or part of a block if blocks are as large as the array."""
    rows, columns = recipe.block
    if rows * columns > _LARGE:
        rows, columns = min(rows, 256), min(columns, 256)
    elif columns < _LARGE // rows // _COLUMNS:
        columns *= _COLUMNS
    return np.zeros((rows, columns), dtype.newbyteorder("="))


#: Blocks with at least this many elements are tried only in part.
_LARGE = 1 << 20
#: Every layout stores this many columns in whole bytes and groups.
_COLUMNS = 64


def _try(recipe: Recipe, dtype: np.dtype[Any], seed: int | None, amax: float = 1.0) -> Any:
    """Quantises one block of zeros, and returns the global scale. This raises errors in the arguments here and not on a
    worker.
    """
    format, _ = _quantize._input(dtype)
    zeros = _zeros(recipe, dtype)
    given = amax if recipe.global_scale else None
    return _quantize._quantize(recipe, zeros, format, False, given, None, seed, 0, 1)[2]


def _try_back(recipe: Recipe, bytes: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Dequantises zero rows of this many bytes, so that an error in the dtype is raised here and not on a worker."""
    shape = (0, *(recipe.row_columns(n) for n in bytes))
    parts = zip(recipe.part_shapes(shape, False), _quantize.part_dtypes(recipe))
    data, scales = (np.empty(of, dtype) for of, dtype in parts)
    stored = np.empty(shape[:-1], np.float32) if recipe.row_scaled else 1.0 if recipe.global_scale else None
    _quantize.dequantize(_quantize.Quantized(recipe, data, scales, stored, shape), dtype)


def _stored(recipe: Recipe, dtype: np.dtype[Any], amax: Any) -> Any:
    """Returns the global scale as the recipe stores it. It may depend on the array's dtype, in which some recipes
    compute.
    """

    def of(amax: Any) -> np.ndarray:
        return np.float32(_try(recipe, dtype, 0 if recipe.random else None, float(amax)))

    if not isinstance(amax, da.Array):
        return of(amax)
    return amax.map_blocks(of, dtype=np.float32, meta=np.empty((), np.float32))


def _parts(
    block: np.ndarray,
    recipe: Recipe,
    amax: Any,
    seed: int | None,
    whole: tuple[int, ...],
    block_info: Any = None,
) -> np.ndarray:
    """Returns the data, the scales and the global scales of a chunk, as the only element of an array."""
    _check_rows(block, whole[-1], seed)
    amax = None if amax is None else float(amax)
    start = _start(block_info)
    # Random bits depend on the index in the whole array, so each run of adjacent rows is quantised separately.
    firsts = row_starts(block.shape, whole, start) if seed is not None and block.size else [0]
    runs = [block] if len(firsts) == 1 else block.reshape(len(firsts), -1, block.shape[-1])
    made = []
    for run, first in zip(runs, firsts):
        elements, format, _, _ = _quantize._elements(run)
        *parts, found = _quantize._quantize(recipe, elements, format, False, amax, None, seed, first, 1)
        made.append(parts)
        if found:
            warn(WARNING)
    # All runs have the same known global scale.
    shapes = recipe.part_shapes(block.shape, False)
    result = np.empty((1,) * block.ndim, object)
    result[(0,) * block.ndim] = made[0] if len(made) == 1 else [
        np.stack(parts).reshape(*shape[:-1], -1) for parts, shape in zip(zip(*made), shapes)
    ]
    return result


def _taken(block: np.ndarray, part: int, dtype: Any) -> np.ndarray:
    """Returns one of the parts."""
    taken: np.ndarray = block.flat[0][part]
    return taken.view(dtype)


def dequantize(quantized: _quantize.Quantized[da.Array], dtype: Any = np.float32) -> da.Array:
    """Like ``ptxcvt.dequantize``, but lazy and for arrays that this module quantised.

    The result has the chunks of ``data``, and the scales are rechunked to match. Along an axis where the chunks of
    ``data`` do not contain whole blocks, it has the chunks of ``scales``.
    """
    if not isinstance(quantized, _quantize.Quantized):
        raise KindError(f"quantized: expected what quantize returns, not {type(quantized).__name__}")
    recipe = quantized.recipe
    if recipe.inline_scales:
        help = "ptxcvt.dequantize restores the computed parts: Quantized(recipe, data.compute(), None, None, shape)"
        raise Error(f"`{recipe}` stores scales among its elements, which ptxcvt.dask does not dequantise", help=help)
    if quantized.axis != -1:
        help = "transpose the array, and quantise along its last axis"
        raise Error("axis=-2: ptxcvt.dask has blocks along the last axis only", help=help)
    data, scales = quantized.data, quantized.scales
    _check(data, "data")
    _check(scales, "scales")
    _check_known(data, "data")
    dtype, _ = _quantize._output(dtype)
    _try_back(recipe, data.shape[-1:], dtype)
    _check_known(scales, "scales")
    shapes = recipe.part_shapes(quantized.shape, False)
    for name, part, shape in zip(("data", "scales"), (data, scales), shapes):
        if part.shape != tuple(shape):
            raise Error(f"{name} of shape {part.shape}: an array of shape {quantized.shape} has {name} of shape {tuple(shape)}")
    chunks = tuple(_elements_along(quantized, axis) for axis in range(data.ndim))
    of_data, of_scales = _chunks_of_parts(recipe, chunks)
    stored = quantized.global_scale
    if recipe.row_scaled:
        # Chunks of all parts must have the same number of axes.
        stored = da.asarray(stored).rechunk(chunks[:-1])[..., None]
    return da.map_blocks(
        _whole,
        data.rechunk(of_data),
        scales.rechunk(of_scales),
        recipe,
        stored,
        dtype,
        dtype=dtype,
        chunks=chunks,
        meta=np.empty((0,) * data.ndim, dtype),
    )


def _elements_along(quantized: _quantize.Quantized[da.Array], axis: int) -> tuple[int, ...]:
    """Returns chunks of elements along an axis that contain whole blocks: the chunks of the data if possible, otherwise
    those of the scales.
    """
    recipe, whole = quantized.recipe, quantized.shape[axis]
    last = axis == len(quantized.shape) - 1
    block = recipe.block[1] if last else recipe.block[0] if axis == len(quantized.shape) - 2 else 1
    # A chunk of data contains whole blocks if its size is a multiple of a block's bytes. The last chunk may be
    # incomplete.
    bytes = recipe.row_bytes(block) if last else block
    sizes = [n // bytes * block for n in quantized.data.chunks[axis][:-1]]
    if any(n % bytes for n in quantized.data.chunks[axis][:-1]):
        sizes = [n * block for n in quantized.scales.chunks[axis][:-1]]
    return (*sizes, whole - sum(sizes))


def _whole(
    data: np.ndarray, scales: np.ndarray, recipe: Recipe, stored: Any, result: Any
) -> np.ndarray:
    shape = (*data.shape[:-1], recipe.row_columns(data.shape[-1]))
    if recipe.row_scaled:
        stored = stored[..., 0]
    elif stored is not None:
        stored = float(stored)
    return _quantize.dequantize(_quantize.Quantized(recipe, data, scales, stored, shape), result)


#: The number of chunk comparisons that are added in one step.
FAN_IN = 16


def compare(
    x: da.Array,
    recipe: RecipeLike,
    other: RecipeLike,
    *,
    global_amax: SupportsFloat | None = None,
    seed: SupportsIndex | None = None,
) -> Delayed:
    """Like ``ptxcvt.compare``, but lazy: a ``dask.delayed`` object that computes to the ``Comparison`` of the whole
    array.

    >>> import dask.array as da, numpy as np, ptxcvt, ptxcvt.dask
    >>> x = da.from_array(np.arange(64, dtype=np.float32).reshape(2, 32), chunks=(1, 32))
    >>> c = ptxcvt.dask.compare(x, "mx-rceil/e2m1", "mx-floor/e2m1").compute()
    >>> c.equal, c.scales, c.scales_differ, c.first[0]
    (False, 2, 2, (0, 0))
    """
    both = (_quantize.recipe_of(recipe), _quantize.recipe_of(other))
    _check(x)
    if x.ndim != 2:
        raise Error(f"the array has {x.ndim} axes", help="reshape it to 2, rows and columns")
    for one in both:
        _check_blocks(x, one)
    if global_amax is not None and not any(one.global_scale for one in both):
        raise Error(f"neither `{both[0].name}` nor `{both[1].name}` has a global scale")
    seed = None if seed is None else _convert.check_seed(seed)
    # Errors are raised here, not on a worker.
    format, _ = _quantize._input(x.dtype)
    zeros, ones = _zeros(both[0], x.dtype), [1.0 if one.global_scale else None for one in both]
    _quantize._compare(both, zeros, format, zeros.shape, (ones[0], ones[1]), seed, 0, 1)
    amaxes = tuple(_global(x, one, global_amax) for one in both)
    of_chunk, added = dask.delayed(_compared, pure=True), dask.delayed(_added, pure=True)
    starts = [np.cumsum([0, *axis[:-1]]).tolist() for axis in x.chunks]
    parts = [
        of_chunk(chunk, both, amaxes, seed, (row, column), x.shape[1])
        for row, chunks in zip(starts[0], x.to_delayed().tolist())
        for column, chunk in zip(starts[1], chunks)
    ]
    while len(parts) > 1:
        parts = [added(parts[at : at + FAN_IN]) for at in range(0, len(parts), FAN_IN)]
    whole: Delayed = parts[0]
    return whole


def _compared(
    block: np.ndarray, both: tuple[Recipe, Recipe], amaxes: Any, seed: int | None, start: tuple[int, int], columns: int
) -> _quantize.Comparison:
    """Compares one chunk. Places refer to the whole array."""
    _check_rows(block, columns, seed)
    elements, format, shape, _ = _quantize._elements(block)
    given = tuple(None if amax is None else float(amax) for amax in amaxes)
    found = _quantize._compare(both, elements, format, shape, given, seed, start[0] * columns + start[1], 1)
    if _non_finite(format, elements.reshape(-1).view(np.uint8)) is not None:
        warn(WARNING)
    if found["first"] is not None:
        (r, c), element = found["first"]
        rows, width = both[0].block
        place = None if element is None else (element[0] + start[0], element[1] + start[1])
        found["first"] = ((r + start[0] // rows, c + start[1] // width), place)
    return _quantize.Comparison(**found)


def _added(parts: list[_quantize.Comparison]) -> _quantize.Comparison:
    """Adds comparisons of chunks. The first difference is the first one in the whole array."""
    names = [field.name for field in dataclasses.fields(_quantize.Comparison)]
    counts = [name for name in names if name not in ("equal", "first")]
    firsts = [part.first for part in parts if part.first is not None]
    return _quantize.Comparison(
        **{name: sum(getattr(part, name) for part in parts) for name in counts},
        equal=all(part.equal for part in parts),
        first=min(firsts, key=lambda first: first[0], default=None),
    )
