"""Memory order: arrays as one row of bytes, and results with the memory layout of their sources.

An array whose elements fill a block of memory is not copied, for any order of its axes.
"""

from __future__ import annotations

import numpy as np


class Layout:
    """The order of an array's axes in memory."""

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
        """Returns the array's elements in this order, little-endian. Copies only if they are stored differently."""
        native = array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="), order="K")
        return np.ascontiguousarray(native if self.plain else native.transpose(self.axes)).reshape(-1)

    def restored(self, flat: np.ndarray, last: int | None = None) -> np.ndarray:
        """Returns results that are in this order as an array. `last` is the length of the innermost axis, if it has
        changed.
        """
        shape = [self.shape[axis] for axis in self.axes]
        if last is not None:
            shape[-1:] = [last]
        if self.plain:
            return flat.reshape(shape)
        return flat.reshape(shape).transpose(np.argsort(self.axes, kind="stable"))

    @property
    def innermost(self) -> int:
        """The length of the axis whose elements are adjacent in memory."""
        return self.shape[self.axes[-1]] if self.axes else 1

    def padded(self, array: np.ndarray) -> np.ndarray:
        """Returns the array with a zero appended to each row of the innermost axis."""
        zeros = np.zeros([self.shape[axis] if axis != self.axes[-1] else 1 for axis in range(array.ndim)], array.dtype)
        ordered = [part.transpose(self.axes) for part in (array, zeros)]
        return np.concatenate(ordered, axis=-1).transpose(np.argsort(self.axes, kind="stable"))
