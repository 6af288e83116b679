"""The warning about NaN and infinity in an input."""

from __future__ import annotations

import os
import warnings

import numpy as np

from ptxcvt._native import _non_finite


def warn_of(format: str, elements: np.ndarray) -> None:
    """Warns of the NaN and infinities among elements, which are bytes in C order."""
    found = _non_finite(format, elements)
    if found is not None:
        warn(f"{found[0]} in the input; the first is element {found[1]}")


def warn(message: str) -> None:
    """Warns at the line that called this package."""
    import sys

    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and _is_own(frame.f_code.co_filename):
        frame = frame.f_back
        level += 1
    warnings.warn(message, RuntimeWarning, stacklevel=level)


def _is_own(path: str) -> bool:
    return os.path.dirname(path) == os.path.dirname(__file__)
