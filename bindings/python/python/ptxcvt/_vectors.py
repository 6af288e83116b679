"""``vectors``: test vectors of a conversion, as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ptxcvt._dtypes import bits_dtype, dtype_of
from ptxcvt._error import flag_of, whole, wrong_kind
from ptxcvt._native import _MOST_RANDOM, Form, Format, _vectors


class Vectors(NamedTuple):
    """Inputs and their results, in the dtypes of their formats."""

    inputs: np.ndarray[Any, np.dtype[Any]]
    results: np.ndarray[Any, np.dtype[Any]]


def vectors(
    conversion: str | Form,
    /,
    *,
    rounding: str = "rn",
    overflow: str = "saturate",
    signed_nan: bool = False,
    random: int = 1000,
    seed: int = 1,
) -> Vectors:
    """Returns inputs on which conversions often go wrong, and their results.

    The inputs are special values, every number of a destination of up to 16 bits, every tie with its two neighbours,
    the ends of the range, and ``random`` random numbers. ``conversion`` is an opcode, or two formats as in
    ``"f32->e4m3"``; the latter are converted by ``rounding`` (``rn``, ``rna``, ``rz``, ``rm``, ``rp``) and ``overflow``
    (``saturate``, ``ieee``, ``nan``). ``signed_nan`` gives NaN results the sign of their source.

    >>> import ptxcvt
    >>> inputs, results = ptxcvt.vectors("f32->e4m3")
    >>> inputs.dtype.name, results.dtype.name, len(inputs) > 1000
    ('float32', 'float8_e4m3fn', True)
    >>> bool((ptxcvt.convert("f32->e4m3", inputs).view("u1") == results.view("u1")).all())
    True
    """
    random, seed = whole("random", random, 0, _MOST_RANDOM), whole("seed", seed)
    signed_nan = flag_of("signed_nan", signed_nan)
    if not isinstance(conversion, (str, Form)):
        raise wrong_kind("conversion", conversion, "a string or a Form")
    source, destination, columns = _vectors(str(conversion), rounding, overflow, signed_nan, random, seed)
    named = zip((Format(source), Format(destination)), columns)
    return Vectors(*(codes.astype(bits_dtype(one.storage)).view(dtype_of(one)) for one, codes in named))
