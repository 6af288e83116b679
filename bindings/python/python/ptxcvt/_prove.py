"""``prove``: whether two pieces of PTX return the same bits."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from ptxcvt._error import flag_of, text_of, whole
from ptxcvt._native import Block, Form, Lowering, _prove
from ptxcvt._run import block_of, form_of
from ptxcvt._threads import threads_of

if TYPE_CHECKING:
    from ptxcvt._types import Domain


@dataclasses.dataclass(frozen=True)
class Proof:
    """The result of ``prove``. It is true only if the two are equal on every input.

    ``verdict`` is ``"proven"``, ``"different"``, or ``"not proven"`` if no difference was found although not every
    input was tried. ``difference`` has the smallest inputs on which they differ (``inputs``, with the results ``a`` and
    ``b``), the number of such inputs (``count``; ``None`` if it is unknown) and the kinds of differences (``kinds``).
    ``obstacle`` says why there is no proof, and which restrictions would make a proof possible. ``undefined`` lists
    registers that may be read before they are written.
    """

    verdict: str
    method: str
    summary: str
    compared: int
    skipped: int
    difference: dict[str, Any] | None
    obstacle: dict[str, Any] | None
    undefined: list[dict[str, Any]]
    approximate: bool

    #: Not hashable, because its lists and dictionaries may change.
    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return self.verdict == "proven"

    def __str__(self) -> str:
        return self.summary if self.verdict == "different" else f"{self.verdict}: {self.summary}"


def prove(
    a: str | Block | Lowering | Form,
    b: str | Block | Lowering | Form,
    *,
    constraints: str | None = None,
    domain: Domain = "all",
    up_to_nan: bool = False,
    samples: int = 1 << 24,
    first: bool = False,
    approximate: bool = False,
    threads: int = 0,
    function: str | None = None,
) -> Proof:
    """Decides whether two conversions return the same bits on every input.

    Each is an opcode or a form, PTX with placeholders (whose operands ``constraints`` declare), a ``Block``, or what
    ``lower`` returns. ``domain`` restricts floating-point inputs to ``numbers`` (no NaN), ``finite`` (no infinity
    either), ``normal`` (zeros and normal numbers) or ``positive`` (finite with a clear sign: +0 is one, +inf is none);
    with ``up_to_nan`` all NaNs are equal. If there are too many inputs to try all of them, ``samples`` of them are
    tried, and equality is not proven. ``first=True`` stops at the first difference. ``threads=0`` uses every core.
    A byte of one may be in a wider register of the other: ``.s8`` is sign-extended there, other bytes are zero-extended.
    ``function`` names the function of ``a``, compiled PTX. A function that converts one element is compared with one
    element of a form.

    >>> import ptxcvt
    >>> proof = ptxcvt.prove("abs.f16x2 %0, %1;", "and.b32 %0, %1, 0x7fff7fff;", constraints="=r,r")
    >>> bool(proof), proof.method
    (True, 'by parts')
    >>> wrong = ptxcvt.prove("cvt.rn.bf16.f16", "cvt.rz.bf16.f16")
    >>> bool(wrong), wrong.verdict, wrong.difference["inputs"][0]["bits"]
    (False, 'different', '0x0103')
    """
    one, other = block_of(a, constraints, approximate, function), block_of(b, constraints, approximate)
    one, other = _element(a, one, other), _element(b, other, one)
    samples, threads, domain = whole("samples", samples, 1), threads_of(threads), text_of("domain", domain)
    up_to_nan, first = flag_of("up_to_nan", up_to_nan), flag_of("first", first)
    return Proof(**json.loads(_prove(one, other, domain, up_to_nan, samples, first, threads)))


def _element(conversion: str | Block | Lowering | Form, block: Block, other: Block) -> Block:
    """Returns a block for one element of a form of pairs, if the other block is a function that converts one element.
    """
    form = form_of(conversion)
    element = None if form is None else Block._of_element_like(form, other)
    return block if element is None else element
