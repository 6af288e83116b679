"""The exception of the package. The Rust part raises it, too, so this file imports nothing from there."""

from __future__ import annotations

import contextlib
import operator
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np


class Error(ValueError):
    """An error in the words of the command: ``code`` (such as ``"CVT006"``, or None), ``message``, and ``help``, a tuple
    of sentences.

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
    """An argument of a kind that a function does not accept. It is a ``TypeError``, too."""


# Users know it by the name of the package.
Error.__module__ = "ptxcvt"


def wrong_kind(name: str, given: Any, expected: str, help: str | Sequence[str] = ()) -> KindError:
    """Returns the error for an argument of a kind that is not accepted: with its value, or its type if the value is long."""
    if is_traced(given):
        help = "call the function outside of jit, vmap and grad, or pass it to jax.pure_callback"
        return KindError(f"{name} is an array of JAX that is traced: its numbers are not known yet", help=help)
    shown = repr(given)
    if len(shown) > 60 or "\n" in shown:
        return KindError(f"{name}: expected {expected}, not {type(given).__name__}", help=help)
    return KindError(f"{name}={shown}: expected {expected}", help=help)


def is_traced(given: Any) -> bool:
    """Returns True for an array of JAX that stands for one that comes later."""
    core = getattr(sys.modules.get("jax"), "core", None)
    return core is not None and isinstance(given, core.Tracer)


@contextlib.contextmanager
def about(name: str) -> Iterator[None]:
    """Names the argument that an error in the block is about."""
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
    """Returns a choice given by the user, or raises an error: of an array or a text it is not clear what is meant."""
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
