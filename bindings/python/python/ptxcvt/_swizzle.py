"""``swizzle`` and ``unswizzle``: the order of block scales that tensor cores read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ptxcvt._error import Error, shape_of
from ptxcvt._kinds import Back, take
from ptxcvt._native import _swizzle, _swizzled_len

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ptxcvt._types import NumpyLike, OtherArray


@overload
def swizzle(scales: NumpyLike, /) -> NDArray[Any]: ...
@overload
def swizzle(scales: OtherArray, /) -> OtherArray: ...
def swizzle(scales: Any, /) -> Any:
    """Returns one-byte scales in the 128x4 order of cuBLAS (PyTorch's ``SWIZZLE_32_4_4``), as one row.

    ``scales`` has two axes, or more if there are several matrices, each of which is swizzled. Rows are padded with
    zeros to a multiple of 128, and columns to a multiple of 4. The result is an array of the same library.

    >>> import numpy as np, ptxcvt
    >>> scales = np.arange(130 * 5, dtype=np.uint16).astype(np.uint8).reshape(130, 5)
    >>> swizzled = ptxcvt.swizzle(scales)
    >>> swizzled.shape, int(swizzled[16]) == int(scales[1, 0])
    ((2048,), True)
    >>> bool((ptxcvt.unswizzle(swizzled, scales.shape) == scales).all())
    True
    """
    array, back = _bytes(scales)
    if array.ndim < 2:
        raise Error(f"scales of shape {array.shape}: expected rows and columns")
    rows, columns = array.shape[-2:]
    made = [_swizzle(_flat(one), rows, columns, False) for one in array.reshape(_count(array.shape), rows, columns)]
    return back(np.array(made, np.uint8).view(array.dtype).reshape(*array.shape[:-2], _swizzled_len(rows, columns)))


@overload
def unswizzle(scales: NumpyLike, shape: Sequence[int], /) -> NDArray[Any]: ...
@overload
def unswizzle(scales: OtherArray, shape: Sequence[int], /) -> OtherArray: ...
def unswizzle(scales: Any, shape: Sequence[int], /) -> Any:
    """Returns swizzled scales in rows; ``shape`` is the shape of the result."""
    array, back = _bytes(scales)
    sizes = shape_of(shape)
    if len(sizes) < 2:
        raise Error(f"shape {sizes}: expected rows and columns")
    rows, columns = sizes[-2:]
    count = _count(sizes)
    if array.size % count if count else array.size:
        raise Error(f"{array.size} scales cannot be split into {count} equal matrices")
    made = [_swizzle(_flat(one), rows, columns, True) for one in array.reshape(count, array.size // max(count, 1))]
    return back(np.array(made, np.uint8).view(array.dtype).reshape(sizes))


def _count(shape: tuple[int, ...]) -> int:
    """The number of matrices in an array."""
    return int(np.prod(shape[:-2], dtype=np.intp))


def _bytes(scales: Any) -> tuple[np.ndarray, Back]:
    array, back = take(scales, name="scales")
    if array.dtype.itemsize != 1:
        raise Error(f"scales of {array.dtype} cannot be swizzled", help="tensor cores read scales of one byte")
    return array, back


def _flat(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
