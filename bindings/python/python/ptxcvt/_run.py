"""``run``: straight-line PTX over arrays, with the signature of Triton's and PyTorch's ``inline_asm_elementwise``."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Sequence, overload

import numpy as np

from ptxcvt._dtypes import bits_dtype, dtype_of
from ptxcvt._error import Error, KindError, flag_of, whole, wrong_kind
from ptxcvt._kinds import Back, as_it_is, broadcast, take
from ptxcvt._layout import Layout
from ptxcvt._native import Block, Form, Format, Lowering, _is_opcode


if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from ptxcvt._types import Number, NumpyLike, OtherArray, RunOptions

    _Asm = str | Block | Lowering | Form
    _Dtypes = tuple[Any, ...] | list[Any]


@functools.lru_cache(maxsize=256)
def _block(asm: str, constraints: str | None, approximate: bool, function: str | None) -> Block:
    return Block(asm, constraints, approximate=approximate, function=function)


def form_of(conversion: str | Block | Lowering | Form) -> Form | None:
    """Returns the form that a conversion names."""
    if isinstance(conversion, Form):
        return conversion
    return Form(conversion) if isinstance(conversion, str) and _is_opcode(conversion) else None


def block_of(
    conversion: str | Block | Lowering | Form, constraints: str | None, approximate: bool, function: str | None = None
) -> Block:
    """Returns the block of PTX, an opcode, a form or a lowering."""
    if constraints is not None and not isinstance(constraints, str):
        help = "arrays follow the constraints, which a form and a lowering have themselves: run(form, None, x)"
        raise KindError(f"constraints: expected a string or None, not {type(constraints).__name__}", help=help)
    approximate = flag_of("approximate", approximate)
    if function is not None and not isinstance(function, str):
        raise wrong_kind("function", function, "a name or None")
    if function is not None and (not isinstance(conversion, str) or form_of(conversion) is not None):
        raise Error("function= chooses a function of PTX text", help="leave it out, or give the text of a module")
    if isinstance(conversion, Block):
        return conversion
    if isinstance(conversion, Lowering):
        return conversion.block
    form = form_of(conversion)
    if form is not None:
        return Block.of_form(form)
    if not isinstance(conversion, str):
        raise KindError(f"expected PTX or a form, not {type(conversion).__name__}")
    return _block(conversion, constraints, approximate, function)


@overload
def run(
    asm: _Asm, constraints: str | None, *arrays: NumpyLike | Number, dtype: _Dtypes, **options: Unpack[RunOptions]
) -> tuple[NDArray[Any], ...]: ...
@overload
def run(
    asm: _Asm, constraints: str | None, *arrays: NumpyLike | Number, dtype: Any = None, **options: Unpack[RunOptions]
) -> NDArray[Any]: ...
@overload
def run(
    asm: _Asm, constraints: str | None, *arrays: OtherArray | NumpyLike | Number, dtype: _Dtypes, **options: Unpack[RunOptions]
) -> tuple[OtherArray, ...]: ...
@overload
def run(
    asm: _Asm, constraints: str | None, *arrays: OtherArray | NumpyLike | Number, dtype: Any = None, **options: Unpack[RunOptions]
) -> OtherArray: ...
def run(
    asm: str | Block | Lowering | Form,
    constraints: str | None = None,
    *arrays: Any,
    dtype: Any = None,
    pack: int = 1,
    approximate: bool = False,
    function: str | None = None,
) -> Any:
    """Runs inline PTX on arrays, element by element, on the CPU.

    ``constraints`` are those of inline assembly, outputs first: ``"=r,r,r"``. One run of the block processes ``pack``
    elements of every array. Elements of fewer than 32 bits share registers of up to 32 bits, the first in the low bits.
    ``dtype`` is the result's dtype, or a tuple if there are several results. Arrays are broadcast against each other.
    Forms and lowerings need no constraints. ``approximate=True`` computes instructions such as ``ex2.approx``, whose
    bits the manual does not define, correctly rounded. ``function`` names one of several functions of compiled PTX, as
    PTX or C++ does.

    >>> import numpy as np, ptxcvt
    >>> x = np.array([1.0, 1.5, -2.0, 500.0], np.float32)
    >>> asm = "cvt.rn.satfinite.e4m3x2.f32 $0, $2, $1;"
    >>> ptxcvt.run(asm, "=h,f,f", x, dtype="float8_e4m3fn", pack=2).tolist()
    [1.0, 1.5, -2.0, 448.0]
    """
    pack = whole("pack", pack, 1)
    block = block_of(asm, constraints, approximate, function)
    several = isinstance(dtype, (tuple, list))
    wanted: Sequence[Any] = dtype if several else [dtype]
    dtypes = [_result_dtype(block, number, given, pack) for number, given in enumerate(wanted)]
    back: Back = as_it_is
    taken: list[np.ndarray] = []
    for number, array in enumerate(arrays):
        seen, kind = take(array, _weak(block, number), name=f"input {number}")
        taken.append(seen)
        back = kind if back is as_it_is else back
    shape = broadcast(taken)
    same = next((array for array in taken if array.shape == shape), None)
    layout = Layout(same if same is not None else np.empty(shape, np.uint8))
    rows = [layout.flat(np.broadcast_to(array, shape)) for array in taken]
    count = int(np.prod(shape, dtype=np.intp))
    # A predicate is stored as a byte. Only its lowest bit counts.
    results = [np.empty(count, np.uint8 if result == np.bool_ else result) for result in dtypes]
    block._run(
        count,
        [row.view(np.uint8) for row in rows],
        [8 * row.itemsize for row in rows],
        [result.view(np.uint8) for result in results],
        [8 * result.itemsize for result in results],
        pack,
    )
    results = [row & 1 != 0 if result == np.bool_ else row for row, result in zip(results, dtypes)]
    answers = tuple(back(layout.restored(result)) for result in results)
    return answers if several else answers[0]


def _weak(block: Block, number: int) -> np.dtype[Any] | None:
    """Returns the dtype of a plain number as an input."""
    if number >= len(block.inputs):
        return None
    _, kind, width = block.inputs[number]
    return _of_kind(kind, width)


def _of_kind(kind: str, width: int) -> np.dtype[Any]:
    try:
        return dtype_of(Format(kind))
    except Error:
        return bits_dtype(width)


def _result_dtype(block: Block, number: int, given: Any, pack: int) -> np.dtype[Any]:
    """Returns the dtype of a result: the requested one, otherwise the block's type with one element per run."""
    if given is not None:
        return named_dtype(given)
    if number >= len(block.outputs):
        raise Error("the block has no outputs")
    _, kind, width = block.outputs[number]
    if pack != 1:
        raise Error("dtype= is required with pack=: the width of a result element is unknown without it")
    return _of_kind(kind, width)


def named_dtype(given: Any) -> np.dtype[Any]:
    """Returns a NumPy dtype for a dtype of NumPy, torch or JAX, or for a name.

    >>> named_dtype("e4m3").name, named_dtype("bfloat16").name, named_dtype(np.uint8).name
    ('float8_e4m3fn', 'bfloat16', 'uint8')
    """
    name = given if isinstance(given, str) else str(given)
    if name == "torch.bool":
        return np.dtype(np.bool_)
    if isinstance(given, str) or name.startswith("torch."):
        try:
            return dtype_of(Format(name.removeprefix("torch.")))
        except Error:
            if not isinstance(given, str):
                raise
    try:
        dtype = np.dtype(given)
    except (TypeError, ValueError):
        raise KindError(f"no dtype {given!r}", help="give a dtype, or a name such as \"e4m3\" or \"bfloat16\"") from None
    if not dtype.isnative:
        raise Error(f"dtype={given!r}: expected the machine's byte order", help="astype swaps the bytes of the result")
    return dtype
