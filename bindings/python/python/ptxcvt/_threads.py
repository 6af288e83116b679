"""The argument `threads`."""

from __future__ import annotations

from typing import Any

from ptxcvt._error import whole
from ptxcvt._native import _MOST_THREADS


def threads_of(given: Any) -> int:
    """Returns the number of threads; 0 means every core."""
    return whole("threads", given, 0, _MOST_THREADS)
