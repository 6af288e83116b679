"""The package's exception. The Rust part raises it as well, so this file must not import the Rust part."""

from __future__ import annotations

import contextlib
import operator
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np


class Error(ValueError):
    """An error with the command's text: ``code`` (such as ``"CVT006"``, or None), ``message``, and ``help``, a tuple of
    sentences.

    >>> from ptxcvt import Error
    >>> error = Error("no format `x`", help="formats are u2 …")
    >>> error.code, error.message, error.help
    (None, 'no format `x`', ('formats are u2 …',))
    >>> print(error)
    no format `x`
    help: formats are u2 …
    """

    def __init__(self, message: str, code: str | None = None, help: str | Sequence[str] = ()) -> None:
        super().__init__(message, code, help)
        self.message = message
        self.code = code
        self.help: tuple[str, ...] = (help,) if isinstance(help, str) else tuple(help)

    def __str__(self) -> str:
        code = "" if self.code is None else f"[{self.code}] "
        return code + self.message + "".join(f"\nhelp: {line}" for line in self.help)


class KindError(Error, TypeError):
    """An argument of a type that a function does not accept. It is also a ``TypeError``."""


# Shown to users as `ptxcvt.Error`.
Error.__module__ = "ptxcvt"


def wrong_kind(name: str, given: Any, expected: str, help: str | Sequence[str] = ()) -> KindError:
    """Returns the error for an argument of a wrong type. The message shows the value, or the type if the value is long.
    """
    if is_traced(given):
        return traced(name)
    shown = repr(given)
    if len(shown) > 60 or "\n" in shown:
        return KindError(f"{name}: expected {expected}, not {type(given).__name__}", help=help)
    return KindError(f"{name}={shown}: expected {expected}", help=help)


def traced(name: str) -> KindError:
    """Returns the error for a traced JAX array."""
    help = "call the function outside of jit, vmap and grad, or pass it to jax.pure_callback"
    return KindError(f"{name} is an array of JAX that is traced: its numbers are not known yet", help=help)


def is_traced(given: Any) -> bool:
    """Returns True for a traced JAX array, which has no values yet."""
    core = getattr(sys.modules.get("jax"), "core", None)
    return core is not None and isinstance(given, core.Tracer)


@contextlib.contextmanager
def about(name: str) -> Iterator[None]:
    """Adds the name of an argument to errors that the block raises."""
    try:
        yield
    except Error as error:
        raise type(error)(f"{name}: {error.message}", error.code, error.help) from None


def text_of(name: str, given: Any) -> str:
    """Returns text given by the user, or raises an error."""
    if not isinstance(given, str):
        raise wrong_kind(name, given, "a string")
    return given


def flag_of(name: str, given: Any) -> bool:
    """Returns a flag given by the user, or raises an error. Arrays and text are not accepted as flags."""
    if not isinstance(given, (bool, int, np.bool_)):
        raise wrong_kind(name, given, "True or False")
    return bool(given)


def whole(name: str, given: Any, least: int = 0, most: int = (1 << 64) - 1) -> int:
    """Returns a whole number given by the user, or raises an error."""
    try:
        number = operator.index(given)
    except TypeError:
        raise wrong_kind(name, given, "a whole number") from None
    if not least <= number <= most:
        limit = "2^64 - 1" if most == (1 << 64) - 1 else str(most)
        raise Error(f"{name}={number}: expected a whole number from {least} to {limit}")
    return number


def shape_of(given: Any) -> tuple[int, ...]:
    """Returns a shape given by the user, or raises an error."""
    if not isinstance(given, (tuple, list)):
        raise wrong_kind("shape", given, "a tuple of whole numbers")
    return tuple(whole("shape", n) for n in given)
