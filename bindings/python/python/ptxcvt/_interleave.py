"""``interleave``: the order of codes for ``ptxcvt lower --order interleaved``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ptxcvt._error import Error
from ptxcvt._kinds import take
from ptxcvt._native import Form, _interleave

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ptxcvt._types import NumpyLike, OtherArray


@overload
def interleave(form: str | Form, codes: NumpyLike, /) -> NDArray[Any]: ...
@overload
def interleave(form: str | Form, codes: OtherArray, /) -> OtherArray: ...
def interleave(form: str | Form, codes: Any, /) -> Any:
    """Returns codes in the order that kernels with ``ptxcvt lower FORM --order interleaved`` expect.

    ``codes`` are in memory order, and the last axis has a multiple of four bytes; FP4 has two codes in a byte. Each
    32-bit word is permuted separately. The result is an array of the same library, type and shape. The function of this
    name in the header and in the module for Triton permutes the same way.

    >>> import numpy as np, ptxcvt
    >>> ptxcvt.interleave("cvt.rn.f16x2.e4m3x2", np.array([0xFF, 0, 0, 0], np.uint8)).tolist()
    [128, 191, 0, 0]
    """
    array, back = take(codes, name="codes")
    row = array.shape[-1] * array.dtype.itemsize if array.ndim else 0
    if row % 4 or not array.ndim:
        raise Error(f"codes of shape {array.shape}, {array.dtype}: expected a multiple of 4 bytes in the last axis")
    words = np.ascontiguousarray(array).reshape(-1).view("<u4").astype(np.uint32)
    permuted = np.asarray(_interleave(form, words)).astype("<u4")
    return back(permuted.view(array.dtype).reshape(array.shape))
