"""NaN and infinity in an input."""

from __future__ import annotations

import numpy as np

from ptxcvt._native import _non_finite
from ptxcvt._warn import warn


def warn_of(format: str, elements: np.ndarray) -> None:
    """Warns if elements, given as bytes in C order, contain NaN or infinity."""
    found = _non_finite(format, elements)
    if found is not None:
        warn(f"{found[0]} in the input; the first is element {found[1]}")
