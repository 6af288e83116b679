"""``conform``: judges a function of arrays on every input."""

from __future__ import annotations

import dataclasses
import importlib
import json
from typing import Any, Callable

import numpy as np

from ptxcvt._dtypes import dtype_of
from ptxcvt._error import Error, KindError, flag_of, whole
from ptxcvt._kinds import _to_jax, _to_torch, take
from ptxcvt._native import _MOST_RANDOM, Format, _Comparison

_BLOCK = 1 << 22


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The result of a comparison. It is true if the function equals a form or a policy.

    ``equal`` lists the opcodes, or else the policy, that the function equals on all inputs. Otherwise ``nearest`` is
    the one with the fewest differences, and ``differences`` has a dictionary for each class (``nan``, ``infinity``,
    ``overflow``, ``zero_sign``, ``subnormal``, ``exact``, ``ties``, ``rounding``) with ``count``, ``mistake``,
    ``example`` and ``smallest``. Examples have the codes ``input``, ``got`` and ``expected`` as hexadecimal text.
    ``str`` of a verdict is the report that ``ptxcvt conform --program`` prints.
    """

    conversion: str
    inputs: int
    exhaustive: bool
    equal: list[str]
    nearest: str
    otherwise: list[str]
    differences: dict[str, dict[str, Any]]
    text: str = dataclasses.field(repr=False, compare=False)

    def __bool__(self) -> bool:
        return not self.differences

    def __str__(self) -> str:
        return self.text

    def raise_for_difference(self) -> Verdict:
        """Raises ``AssertionError`` with the report if there are differences, and returns the verdict otherwise."""
        if self.differences:
            raise AssertionError(self.text)
        return self


def conform(
    function: Callable[[Any], Any],
    conversion: str | None = None,
    *,
    form: str | None = None,
    like: str = "numpy",
    random: int = 1 << 20,
    seed: int = 1,
    quick: bool = False,
    block: int = _BLOCK,
) -> Verdict:
    """Judges a function that converts arrays of numbers, element by element.

    ``conversion`` names the formats, as in ``"f32->e4m3"``. The function is compared with every policy (rounding,
    overflow, NaN, subnormals), or with one opcode alone: ``form``, or ``conversion`` if that is an opcode. It receives
    every input of sources of up to 32 bits, ``block`` at a time; of wider sources edges, ties and ``random`` seeded
    numbers. ``quick`` tries such a selection of f32, too, for functions that are too slow for 2^32 numbers.

    ``like`` says which arrays the function takes: ``"numpy"``, ``"torch"``, ``"torch:cuda"`` (any device after the
    colon) or ``"jax"``. Its result has an element for each input, in any library and on any device: codes as
    unsigned integers, or numbers of a dtype of the destination format, in either byte order. Packed FP4 has two results
    a byte, the first in the low bits.

    Raises ``ptxcvt.Error`` if the results have another dtype or shape, or if the library of ``like`` is not installed.

    >>> import ml_dtypes, numpy as np, ptxcvt
    >>> verdict = ptxcvt.conform(lambda x: x.astype(ml_dtypes.float8_e5m2), "f16->e5m2")
    >>> print(verdict)  # doctest: +ELLIPSIS
    f16->e5m2: equal to `f16->e5m2, to nearest even, overflow to infinity, NaN to ...` on all 65,536 inputs

    In a test, one line reports what is wrong:

    >>> def truncates(x):
    ...     return (x.view(np.uint16) >> 8).astype(np.uint8)
    >>> ptxcvt.conform(truncates, form="cvt.rn.satfinite.e5m2x2.f16x2").raise_for_difference()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    AssertionError: f16->e5m2: nearest to `cvt.rn.satfinite.e5m2x2.f16x2`, but ...
    """
    if not callable(function):
        raise KindError(f"expected a function, not {type(function).__name__}")
    random, seed, block = whole("random", random, 0, _MOST_RANDOM), whole("seed", seed), whole("block", block, 1)
    comparison = _Comparison(conversion, form, random, seed, flag_of("quick", quick))
    source, destination = (Format(name) for name in comparison.formats)
    dtype, count = dtype_of(source), comparison.count
    argument = _argument(like)
    for first in range(0, count, block):
        inputs = np.empty(min(block, count - first), dtype)
        comparison.fill(first, inputs.view(np.uint8))
        wanted = len(inputs)
        if destination.bits == 4 and wanted % 2:
            # A function that packs pairs needs an even number of inputs, so the last one is repeated.
            inputs = np.concatenate([inputs, inputs[-1:]])
        # NumPy would warn of NaN and overflow, which the inputs contain on purpose.
        with np.errstate(all="ignore"):
            results = function(argument(inputs))
        results = _codes(results, len(inputs), destination)
        comparison.take(first, results[: wanted * max(destination.storage // 8, 1)])
    found, text = comparison.verdict()
    return Verdict(**json.loads(found), text=text)


def _argument(like: str) -> Callable[[np.ndarray], Any]:
    """Returns a function that converts NumPy's array to the kind that the judged function accepts."""
    if not isinstance(like, str):
        raise KindError(f"like={like!r}: expected text, such as 'numpy'")
    library, _, device = like.partition(":")
    if library == "numpy" and not device:
        return lambda inputs: inputs
    if library == "torch":
        torch = _imported("torch", like)
        try:
            torch.empty(0, device=device or "cpu")
        except (RuntimeError, AssertionError, NotImplementedError) as error:
            # Further lines of PyTorch's messages are about its source code.
            reason = str(error).partition("\n")[0]
            raise Error(f"like={like!r}: PyTorch cannot use the device {device!r}: {reason}") from None
        return lambda inputs: _to_torch(inputs).to(device or "cpu")
    if library == "jax" and not device:
        _imported("jax", like)
        return _to_jax
    raise Error(f"invalid like={like!r}", help="give 'numpy', 'torch', 'torch:DEVICE' or 'jax'")


def _imported(package: str, like: str) -> Any:
    """Returns the package whose arrays the function accepts."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        help = f"pip install {package}, or give like='numpy'"
        raise Error(f"like={like!r} needs {package}, which is not installed", help=help) from None


def _codes(results: Any, count: int, destination: Format) -> np.ndarray:
    """Returns the codes of the results as bytes."""
    if hasattr(results, "cpu"):
        results = results.cpu()
    array = take(results, name="the function's result")[0]
    # Codes may be in the other byte order.
    array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).reshape(-1)
    width = max(destination.storage // 8, 1)
    if destination.bits == 4 and array.dtype.itemsize == 1 and 2 * array.size == count:
        array = array.view(np.uint8)
        return np.stack([array & 15, array >> 4], axis=1).reshape(-1)
    if array.size != count:
        results = "1 result" if array.size == 1 else f"{array.size} results"
        raise Error(f"the function returned {results} for {count} inputs")
    fits = array.dtype == dtype_of(destination) or array.dtype.kind in "ui"
    if array.dtype.itemsize != width or not fits:
        wanted = f"{dtype_of(destination)} or uint{8 * width}"
        raise Error(f"the function returned {array.dtype}, not codes of {destination.name}", help=f"codes are {wanted}")
    return array.view(np.uint8)
