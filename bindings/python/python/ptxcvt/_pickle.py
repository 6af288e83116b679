"""Pickling of objects of the compiled part: by the arguments that make them again, or an error with advice."""

from __future__ import annotations

import copyreg
from typing import Any, NoReturn

from ptxcvt._error import KindError
from ptxcvt._native import Block, Diagnostic, Element, Explanation, Fixed, Form, Format, Lowering, Where, lower

#: The function that makes objects of a class.
_MADE_BY: dict[Any, str] = {
    Block: "Block",
    Diagnostic: "check",
    Element: "explain",
    Explanation: "explain",
    Fixed: "fix",
    Where: "where",
}


def _refuse(value: Any) -> NoReturn:
    name = _MADE_BY[type(value)]
    help = f"pickle the arguments of ptxcvt.{name} instead, and call it again"
    raise KindError(f"a ptxcvt.{type(value).__name__} cannot be pickled or copied", help=help)


def _lower(form: str, target: str, isa: str, name: str) -> Lowering:
    return lower(form, target=target, isa=isa, variant=name)


def register() -> None:
    """Registers these functions with the modules `pickle` and `copy`."""
    for kind in _MADE_BY:
        copyreg.pickle(kind, _refuse)
    # Protocols 0 and 1 know no arguments of `__new__`.
    copyreg.pickle(Form, lambda form: (Form, (str(form),)))
    copyreg.pickle(Format, lambda format: (Format, (format.name,)))
    copyreg.pickle(Lowering, lambda made: (_lower, (str(made.form), made.target, made.isa, made.name)))
