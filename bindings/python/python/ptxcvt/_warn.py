"""Warnings. The Rust part also warns, so this file must not import the Rust part."""

from __future__ import annotations

import os
import warnings


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
