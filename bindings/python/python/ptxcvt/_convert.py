"""``cvt``: one instruction on registers; ``convert``: arrays, element by element."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ptxcvt._dtypes import bits_dtype, dtype_of
from ptxcvt._kinds import Back, as_it_is, is_fp4, take
from ptxcvt._layout import Layout
from ptxcvt._native import Error, Form, Format, _columns, _elements, _scalar, _seed_of, _set_types, chain

_set_types(np.generic, (np.uint8, np.uint16, np.uint32, np.uint64))


def cvt(opcode: str | Form, /, *operands: Any) -> Any:
    """Runs one instruction on numbers or arrays, and returns the destination's bits.

    Operands come in PTX order: the first of two is the upper element. Vectors are flattened; ``rbits``,
    ``scale-factor`` or ``c`` come last. A float is a number, rounded to nearest where the operand is narrower; an int
    is a number too, but bits where the operand is a packed register. An array holds elements of the operand's type
    (``float32`` for ``.f32``), or unsigned integers of the register's width, which are its bits. Arrays are broadcast
    against each other.

    The result has the unsigned dtype of its register, and is an array of the kind that went in.

    >>> import numpy as np, ptxcvt
    >>> ptxcvt.cvt("cvt.rn.f16x2.e4m3x2", 0x3cfe)
    np.uint32(1040244480)
    >>> a = np.array([1.5, 2.0], np.float32)
    >>> [hex(d) for d in ptxcvt.cvt("cvt.rn.satfinite.e4m3x2.f32", a, np.float32(-1))]
    ['0x3cb8', '0x40b8']
    """
    result = _scalar(opcode, operands)
    if result is not None:
        return result
    return _cvt_arrays(opcode if isinstance(opcode, Form) else Form(opcode), operands)


def _cvt_arrays(form: Form, operands: tuple[Any, ...]) -> Any:
    back: Back = as_it_is
    given: list[np.ndarray | int] = []
    for number, operand in enumerate(operands):
        if isinstance(operand, (int, float, np.generic)):
            given.append(form._operand(number, operand))
            continue
        array, kind = take(operand, _weak(form, number))
        form._fits(number, array.dtype.name)
        native = array.astype(array.dtype.newbyteorder("="), copy=False)
        given.append(native.view(bits_dtype(8 * array.itemsize)))
        # The result is of the first kind that is more than NumPy's.
        back = kind if back is as_it_is else back
    arrays = [operand for operand in given if isinstance(operand, np.ndarray)]
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    # Operands that lie alike are read where they lie.
    layout = Layout(next((array for array in arrays if array.shape == shape), np.broadcast_to(arrays[0], shape)))
    columns: list[Any] = []
    for operand in given:
        if isinstance(operand, int):
            columns.append(operand)
        elif operand.size == 1:
            columns.append(int(operand.reshape(())))
        else:
            columns.append(layout.flat(np.broadcast_to(operand, shape)).view(np.uint8))
    result = np.empty(int(np.prod(shape, dtype=np.intp)), bits_dtype(form.result_width))
    _columns(form, columns, result.view(np.uint8))
    return back(layout.restored(result))


def _weak(form: Form, number: int) -> np.dtype[Any] | None:
    """The dtype that a list of plain numbers takes as an operand."""
    format = form._element(number)
    return dtype_of(Format(format)) if format else bits_dtype(form.operands[number][2])


def convert(
    conversion: str | Form,
    x: Any,
    /,
    *,
    rounding: str | None = None,
    saturate: bool = False,
    relu: bool = False,
    rbits: Any = None,
    seed: int | None = None,
    scale: Any = None,
    packed: bool = False,
    pad: bool = False,
    out: Any = None,
    threads: int = 1,
    with_forms: bool = False,
) -> Any:
    """Converts an array element by element, in memory order, to one of the same shape.

    ``conversion`` is an opcode, opcodes joined by `` then ``, or formats as in ``"f32->e4m3"``, for which ``rounding``,
    ``saturate`` and ``relu`` choose, and the plainest form is taken otherwise; ``with_forms=True`` returns the forms,
    too. Of a packed form element 2i is the lower operand and 2i + 1 the upper; any number of elements will do.

    The result has the dtype that the ecosystem has settled on (``ml_dtypes``), lies in memory as ``x`` does, and is an
    array of the kind of ``x``. With ``packed=True`` it is the bytes as PTX packs them, as unsigned integers: FP4 two to
    a byte, the first in the low half, so that the innermost axis is half as long; ``pad=True`` fills odd rows up with a
    zero. An array of ``uint8`` holds FP4 so as well; other unsigned arrays hold bits.

    ``.rs`` takes ``seed`` (Philox4x32-10, instruction i takes word i) or ``rbits``, one number for all or one for each
    instruction; scaled forms take ``scale``, a power of two, a code, or an array of codes. ``threads=0`` uses every
    core; the result does not depend on it. ``out`` receives the result.

    >>> import numpy as np, ptxcvt
    >>> x = np.linspace(-1, 1, 5, dtype=np.float32)
    >>> y = ptxcvt.convert("f32->e2m1", x)
    >>> y.dtype.name, y.tolist()
    ('float4_e2m1fn', [-1.0, -0.5, 0.0, 0.5, 1.0])
    >>> ptxcvt.convert("f32->e2m1", x[1:], packed=True).tolist()
    [9, 33]
    >>> y, forms = ptxcvt.convert("f32->bf16", 1.01, rounding="rz", with_forms=True)
    >>> float(y), forms
    (1.0078125, [Form('cvt.rz.bf16.f32')])
    """
    forms = read(conversion, rounding=rounding, saturate=saturate, relu=relu)
    if type(x) is np.ndarray and x.flags.c_contiguous and out is None and not (packed or with_forms):
        plain = _plain(forms[0], x.dtype) if len(forms) == 1 else None
        if plain is not None and seed is None and rbits is None and scale is None:
            # The common case, without what it does not need.
            made = np.empty(x.shape, plain)
            elements, result = x.reshape(-1).view(np.uint8), made.reshape(-1).view(np.uint8)
            _elements(forms[0], elements, None, result, True, threads, _START, None)
            return made
    source, destination = _ends(forms[0])[0], _ends(forms[-1])[1]
    array, back = take(x, dtype_of(source))
    tight_source = not one_each(array.dtype, source)
    tight = packed and destination.storage < 8
    layout = Layout(array)
    if tight and (layout.innermost << tight_source) % 2:
        if not pad:
            raise Error(
                f"shape {array.shape}: two {destination} elements are packed in a byte, so the innermost axis, of "
                f"{layout.innermost}, must be even; pad=True fills it up with a zero"
            )
        array = layout.padded(array)
        layout = Layout(array)
    extras = _extras(forms, rbits, seed, scale)
    flat = layout.flat(array)
    dtype = bits_dtype(destination.storage) if packed else dtype_of(destination)
    size = (flat.size << tight_source) >> tight
    row = _row_of(out, dtype, layout, size, flat)
    made = np.empty(size, dtype) if row is None else row
    through(forms, flat, extras, made, tight_source, tight, threads)
    innermost = (layout.innermost << tight_source) >> tight if tight_source != tight else None
    result = layout.restored(made, innermost)
    answer = back(result) if out is None else _deliver(out, result, row is not None)
    return (answer, forms) if with_forms else answer


def read(
    conversion: str | Form, *, rounding: str | None = None, saturate: bool = False, relu: bool = False
) -> list[Form]:
    """The forms that a conversion names."""
    return list(_read(str(conversion), rounding, saturate, relu))


@functools.lru_cache(maxsize=1024)
def _read(conversion: str, rounding: str | None, saturate: bool, relu: bool) -> tuple[Form, ...]:
    # To find a form between two formats takes longer than to convert a small array.
    return tuple(chain(conversion, rounding=rounding, saturate=saturate, relu=relu))


@functools.lru_cache(maxsize=None)
def _plain(form: Form, dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """The dtype of the result, where an array of `dtype` holds an element an item, and the form needs nothing else."""
    source, destination = _ends(form)
    if form.extra is not None or dtype != dtype_of(source) or not dtype.isnative or form.instruction != "cvt":
        return None
    return dtype_of(destination)


#: An array is no part of another one.
_START = [0]


@functools.lru_cache(maxsize=None)
def _ends(form: Form) -> tuple[Format, Format]:
    """The formats of a source and a destination element."""
    return Format(form.source_format), Format(form.destination_format)


def one_each(dtype: np.dtype[Any], format: Format) -> bool:
    """True where each item of an array is an element of the format, False where it is two; an error otherwise."""
    dtype = dtype.newbyteorder("=")
    if dtype == dtype_of(format) and (format.storage >= 8 or is_fp4(dtype)):
        return True
    bits = bits_dtype(format.storage)
    if dtype == bits and not format.integer:
        return format.storage >= 8
    help = f"{format} is held as {dtype_of(format)}, or as its bits in {bits}"
    raise Error(f"the array holds {dtype}, not {format}: {help}")


#: Elements of an array that pass through all forms of a chain before the next ones; a whole number of instructions.
BLOCK = 1 << 15


def through(
    forms: list[Form],
    flat: np.ndarray,
    extras: list[Any],
    result: np.ndarray,
    tight_source: bool,
    tight: bool,
    threads: int,
    firsts: list[int] | None = None,
    first: int = 0,
) -> None:
    """Takes a row of elements through one form after the other. Between two of them each element has a byte at least.

    `firsts` are the places of the rows' first elements in an array of which these are a part; `first` that of the row.
    """
    rows = None if firsts is None else len(firsts)
    count = flat.size << tight_source
    plain = not any(isinstance(extra, np.ndarray) for extra in extras)
    if len(forms) > 1 and count > BLOCK and plain and threads == 1 and rows is None:
        # What passes between two forms stays in the cache.
        for start in range(0, count, BLOCK):
            part = flat[start >> tight_source : (start + BLOCK) >> tight_source]
            made = result[start >> tight : (start + BLOCK) >> tight]
            through(forms, part, extras, made, tight_source, tight, 1, None, first + start)
        return
    for number, (form, extra) in enumerate(zip(forms, extras)):
        last = number + 1 == len(forms)
        source, destination = _ends(form)
        made = result if last else np.empty(count, bits_dtype(destination.storage))
        spread = (source.storage < 8 and not (tight_source and number == 0)) or (
            destination.storage < 8 and not (tight and last)
        )
        _elements(form, flat.view(np.uint8), extra, made.view(np.uint8), spread, threads, firsts or [first], rows)
        flat = made


def _extras(forms: list[Form], rbits: Any, seed: int | None, scale: Any) -> list[Any]:
    """The operand beside the elements of each form, as the engine takes it."""
    names = "` then `".join(map(str, forms))
    roles = [form.extra for form in forms]
    if "rbits" not in roles and (rbits is not None or seed is not None):
        raise Error(f"`{names}` takes neither random bits nor a seed")
    if "scale-factor" not in roles and scale is not None:
        raise Error(f"`{names}` takes no scale")
    if "rbits" in roles and (rbits is None) == (seed is None):
        raise Error(f"`{names}` needs either rbits= or seed=")
    if "scale-factor" in roles and scale is None:
        raise Error(f"`{names}` needs scale=")
    extras: list[Any] = []
    for number, (form, role) in enumerate(zip(forms, roles)):
        if role == "rbits" and seed is not None:
            # Every conversion of a chain has random bits of its own, as in the command.
            extras.append((_seed_of(check_seed(seed), number), 0))
        elif role is None or role == "c":
            extras.append(None)
        else:
            extras.append(_each(form, rbits if role == "rbits" else scale, role))
    return extras


def check_seed(seed: int) -> int:
    """The seed, if it is one."""
    if not 0 <= seed < 1 << 64:
        raise Error(f"seed={seed}: a seed is a number of 64 bits")
    return seed


def _each(form: Form, given: Any, role: str) -> Any:
    """One number for all instructions, or the bytes of one for each."""
    number = next(at for at, operand in enumerate(form.operands) if operand[0] == role)
    if isinstance(given, (int, float, np.generic)):
        return form._operand(number, given)
    array, _ = take(given, bits_dtype(form.operands[number][2]))
    form._fits(number, array.dtype.name)
    return Layout(array).flat(array).view(np.uint8)


def _row_of(out: Any, dtype: np.dtype[Any], layout: Layout, size: int, flat: np.ndarray) -> np.ndarray | None:
    """The memory of `out` as a row, where results can be written there at once."""
    if out is None:
        return None
    array, _ = take(out)
    if array.dtype != dtype and array.dtype != bits_dtype(8 * dtype.itemsize):
        raise Error(f"out has dtype {array.dtype}; the result has {dtype}")
    if not array.flags.writeable:
        raise Error("out is read-only")
    if array.size != size or array.ndim != len(layout.axes) or np.may_share_memory(array, flat):
        return None
    ordered = array.transpose(layout.axes)
    return ordered.reshape(-1).view(dtype) if ordered.flags.c_contiguous else None


def _deliver(out: Any, result: np.ndarray, there: bool) -> Any:
    """`out`, with the result in it."""
    array, _ = take(out)
    if array.shape != result.shape:
        raise Error(f"out has shape {array.shape}; the result has {result.shape}")
    if not there:
        array.view(result.dtype)[...] = result
    return out
