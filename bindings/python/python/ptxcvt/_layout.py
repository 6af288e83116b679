"""Memory order: arrays as one row of bytes, and results that lie as their sources do.

Nothing is copied where an array's elements fill a block of memory, in whatever order its axes are.
"""

from __future__ import annotations

import numpy as np


class Layout:
    """The order in which an array's axes lie in memory."""

    def __init__(self, array: np.ndarray) -> None:
        self.shape = array.shape
        if array.flags.c_contiguous or 0 in array.strides:
            self.axes = tuple(range(array.ndim))
            self.plain = True
        else:
            order = np.argsort([-abs(stride) for stride in array.strides], kind="stable")
            self.axes = tuple(int(axis) for axis in order)
            self.plain = False

    def flat(self, array: np.ndarray) -> np.ndarray:
        """The array's elements in this order, without a copy where they already lie so; little-endian."""
        native = array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="), order="K")
        return np.ascontiguousarray(native if self.plain else native.transpose(self.axes)).reshape(-1)

    def restored(self, flat: np.ndarray, last: int | None = None) -> np.ndarray:
        """Results in this order as an array; `last` is the length of the innermost axis, if it has changed."""
        shape = [self.shape[axis] for axis in self.axes]
        if last is not None:
            shape[-1:] = [last]
        if self.plain:
            return flat.reshape(shape)
        return flat.reshape(shape).transpose(np.argsort(self.axes, kind="stable"))

    @property
    def innermost(self) -> int:
        """The length of the axis whose elements are neighbours."""
        return self.shape[self.axes[-1]] if self.axes else 1

    def padded(self, array: np.ndarray) -> np.ndarray:
        """The array with a zero at the end of each row of the innermost axis."""
        zeros = np.zeros([self.shape[axis] if axis != self.axes[-1] else 1 for axis in range(array.ndim)], array.dtype)
        ordered = [part.transpose(self.axes) for part in (array, zeros)]
        return np.concatenate(ordered, axis=-1).transpose(np.argsort(self.axes, kind="stable"))
