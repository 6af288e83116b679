"""``cvt``: one instruction on registers; the general path of ``convert``: arrays that the compiled part does not answer alone."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np

from ptxcvt._dtypes import bits_dtype, dtype_of
from ptxcvt._error import Error, KindError, flag_of, text_of, whole
from ptxcvt._kinds import CODE, Back, as_it_is, broadcast, is_fp4, keep_tensors, take
from ptxcvt._layout import Layout
from ptxcvt._native import Form, Format, _Chain, _columns, _keep, _quick, _quick_tensor, _scalar, _seed_of, _set_convert, _set_types, chain
from ptxcvt._non_finite import warn_of
from ptxcvt._threads import threads_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ptxcvt._types import Number, NumpyLike, OtherArray

#: For each cached conversion, the dtype to which NumPy rounds Python's numbers like the library.
_FLOATS: dict[str, np.dtype[Any]] = {}

_set_types(np.generic, (np.uint8, np.uint16, np.uint32, np.uint64))


@overload
def cvt(opcode: str | Form, /, *operands: Number) -> np.unsignedinteger[Any]: ...  # type: ignore[overload-overlap]
@overload
def cvt(opcode: str | Form, /, *operands: NumpyLike | Number) -> NDArray[np.unsignedinteger[Any]]: ...
@overload
def cvt(opcode: str | Form, /, *operands: OtherArray | NumpyLike | Number) -> OtherArray: ...
def cvt(opcode: str | Form, /, *operands: Any) -> Any:
    """Runs one instruction on numbers or arrays, and returns the destination's bits.

    Operands are in PTX order: the first of two is the upper element. Vectors are flattened; ``rbits``, ``scale-factor``
    or ``c`` is last. A float is a number, rounded to nearest if the operand is narrower. An int is a number too, except
    for a packed register, whose bits it is. An array has elements of the operand's type (``float32`` for ``.f32``) or, unless
    that is an integer, unsigned integers of the register's width, which are its bits. Arrays are broadcast against each other.

    The result has the unsigned dtype of its register, and is an array of the same library as the operands.

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
        array, kind = take(operand, _weak(form, number), name=f"operand {form.operands[number][0]}")
        form._fits(number, array.dtype.name)
        native = array.astype(array.dtype.newbyteorder("="), copy=False)
        given.append(native.view(bits_dtype(8 * array.itemsize)))
        # The result is an array of the first library other than NumPy.
        back = kind if back is as_it_is else back
    arrays = [operand for operand in given if isinstance(operand, np.ndarray)]
    shape = broadcast(arrays)
    # Operands with equal memory layouts are read in place.
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
    """Returns the dtype of a list of plain numbers as an operand."""
    format = form._element(number)
    return dtype_of(Format(format)) if format else bits_dtype(form.operands[number][2])


def convert(
    key: Any,
    conversion: str | Form,
    x: Any,
    /,
    *,
    rounding: str | None = None,
    saturate: bool = False,
    relu: bool = False,
    rbits: Any = None,
    seed: SupportsIndex | None = None,
    scale: Any = None,
    packed: bool = False,
    pad: bool = False,
    out: Any = None,
    threads: SupportsIndex = 1,
    with_forms: bool = False,
) -> Any:
    """The general path of ``ptxcvt.convert``. If ``key`` is not None, the conversion is cached as ``key``, and a plain
    NumPy array is not answered from the cache.
    """
    if key is not None:
        if isinstance(x, np.generic):
            made = _quick(key, np.asarray(x), out, seed, threads)
            if made is not None and out is None:
                made = made[()]
        elif type(x) is float and key is conversion and type(conversion) is str and conversion in _FLOATS:
            made = _quick(key, np.asarray(x, _FLOATS[conversion]), out, seed, threads)
            if made is not None and out is None:
                made = made[()]
        else:
            made = _quick_tensor(key, x, threads) if out is None and seed is None else None
        if made is not None:
            return made
    forms = read(conversion, rounding=rounding, saturate=saturate, relu=relu)
    if key is not None:
        _remember(key, x, tuple(forms), packed)
    threads, packed, pad = threads_of(threads), flag_of("packed", packed), flag_of("pad", pad)
    with_forms = flag_of("with_forms", with_forms)
    source, destination = _ends(forms[0])[0], _ends(forms[-1])[1]
    array, back = take(x, dtype_of(source), name="x")
    tight_source = not one_each(array.dtype, source)
    tight = packed and destination.storage < 8
    layout = Layout(array)
    if (tight or tight_source) and not layout.plain:
        # Neighbours along the last axis share a byte, in any order of memory.
        array = np.ascontiguousarray(array)
        layout = Layout(array)
    if tight and (layout.innermost << tight_source) % 2:
        if not pad:
            raise Error(
                f"shape {array.shape}: two {destination} elements are packed in a byte, so the last axis, of "
                f"{layout.innermost}, must be even",
                help="pad=True fills it up with a zero",
            )
        # A single number becomes a row of two, as it has no axis.
        array = layout.padded(array) if array.ndim else Layout(array.reshape(1)).padded(array.reshape(1))
        layout = Layout(array)
    flat = layout.flat(array)
    extras = _extras(forms, rbits, seed, scale, flat.size << tight_source)
    dtype = bits_dtype(destination.storage) if packed else dtype_of(destination)
    size = (flat.size << tight_source) >> tight
    row = _row_of(out, dtype, layout, size, flat)
    made = np.empty(size, dtype) if row is None else row
    if through(forms, flat, extras, made, tight_source, tight, threads, fresh=row is None):
        # Warnings use the index in C order, which may differ from the order in memory.
        native = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
        warn_of(forms[0].source_format, native.reshape(-1).view(np.uint8))
    innermost = (layout.innermost << tight_source) >> tight if tight_source != tight else None
    result = layout.restored(made, innermost)
    answer = back(result) if out is None else _deliver(out, result, row is not None)
    return (answer, forms) if with_forms else answer


_set_convert(convert)


def quick_tensor(
    x: Any, conversion: str, rounding: str | None, saturate: bool, relu: bool, threads: SupportsIndex
) -> Any:
    """Converts a tensor of PyTorch. Returns None if the arguments need the general path."""
    if type(conversion) is not str or type(threads) is not int:
        return None
    plain = rounding is None and saturate is False and relu is False
    return _quick_tensor(conversion if plain else (conversion, rounding, saturate, relu, False), x, threads)


def _remember(key: Any, x: Any, forms: tuple[Form, ...], packed: bool) -> None:
    """Caches a conversion for `_quick` and `_quick_tensor` if they support it."""
    if any(form.extra not in (None, "rbits") for form in forms) or forms[0].instruction != "cvt":
        return
    source, result = _ends(forms[0])[0], _ends(forms[-1])[1]
    sources = [dtype_of(source)]
    if not source.integer and source.storage >= 8:
        sources.append(bits_dtype(source.storage))
    dtype = bits_dtype(result.storage) if packed else dtype_of(result)
    if type(key) is str and sources[0] in (np.float32, np.float64):
        if len(_FLOATS) >= 1024:
            _FLOATS.clear()
        _FLOATS[key] = sources[0]
    _keep(key, _chain_of(forms), sources, dtype, packed and result.storage < 8, warn_of)
    if not packed and not any(form.extra for form in forms):
        keep_tensors(key, x, _chain_of(forms), source, dtype)


def read(
    conversion: str | Form, *, rounding: str | None = None, saturate: bool = False, relu: bool = False
) -> list[Form]:
    """The forms that a conversion names."""
    if rounding is not None:
        rounding = text_of("rounding", rounding)
    if not isinstance(conversion, Form):
        text_of("conversion", conversion)
    return list(_read(str(conversion), rounding, flag_of("saturate", saturate), flag_of("relu", relu)))


@functools.lru_cache(maxsize=1024)
def _read(conversion: str, rounding: str | None, saturate: bool, relu: bool) -> tuple[Form, ...]:
    # Finding a form between two formats takes longer than converting a small array.
    return tuple(chain(conversion, rounding=rounding, saturate=saturate, relu=relu))


@functools.lru_cache(maxsize=1024)
def _chain_of(forms: tuple[Form, ...]) -> _Chain:
    """Returns the kernels of conversions."""
    return _Chain(forms)


@functools.lru_cache(maxsize=None)
def _ends(form: Form) -> tuple[Format, Format]:
    """Returns the formats of a source and a destination element."""
    return Format(form.source_format), Format(form.destination_format)


def one_each(dtype: np.dtype[Any], format: Format) -> bool:
    """Returns True if each item of an array is one element of the format, and False if it is two."""
    dtype = dtype.newbyteorder("=")
    if dtype == dtype_of(format) and (format.storage >= 8 or is_fp4(dtype)):
        return True
    bits = bits_dtype(format.storage)
    if dtype == bits and not format.integer:
        return format.storage >= 8
    if format.storage < 8 and dtype == CODE:
        return True
    if format.storage < 8:
        others = f", {CODE} for one code in a byte, or {bits} for two"
    else:
        others = "" if format.integer else f", or {bits} for bits"
    help = [f"arrays of {format} have the dtype {dtype_of(format)}{others}"]
    if format.integer:
        help.append("x.astype(...) converts numbers, x.view(...) keeps their bits")
    raise Error(f"x holds {dtype}, not {format}", help=tuple(help))


def through(
    forms: list[Form],
    flat: np.ndarray,
    extras: list[Any],
    result: np.ndarray,
    tight_source: bool,
    tight: bool,
    threads: int,
    firsts: list[int] | None = None,
    fresh: bool = True,
) -> bool:
    """Converts a row of elements with several forms in turn, and returns whether to warn of NaN and infinity.

    `fresh` says that the result has just been allocated. `firsts` has, for each row, the index of its first element in
    the whole array; without it, there is one row.
    """
    bits, made = flat.view(np.uint8), result.view(np.uint8)
    return _chain_of(tuple(forms)).run(bits, extras, made, fresh, (not tight_source, not tight), threads, firsts)


def _extras(
    forms: list[Form], rbits: Any, seed: SupportsIndex | None, scale: Any, elements: int | None = None
) -> list[Any]:
    """Returns each form's extra operand (random bits, scale or c) in the engine's representation. Their numbers are checked
    if the number of elements is known.
    """
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
            # Each conversion of a chain has separate random bits, as in the command.
            extras.append((_seed_of(check_seed(seed), number), 0))
        elif role is None or role == "c":
            extras.append(None)
        else:
            extras.append(_each(form, rbits if role == "rbits" else scale, role, elements))
    return extras


def check_seed(seed: Any) -> int:
    """Returns the seed, or raises an error."""
    return whole("seed", seed)


def _each(form: Form, given: Any, role: str, elements: int | None) -> Any:
    """Returns one number for all instructions, or the bytes of an array with one number for each."""
    number = next(at for at, operand in enumerate(form.operands) if operand[0] == role)
    if isinstance(given, (int, float, np.generic)):
        return form._operand(number, given)
    name = "rbits" if role == "rbits" else "scale"
    array, _ = take(given, bits_dtype(form.operands[number][2]), name=name)
    form._fits(number, array.dtype.name)
    instructions = array.size if elements is None else -(-elements // form.lanes)
    if array.size != instructions:
        wanted = "1 instruction" if instructions == 1 else f"each of {instructions} instructions"
        help = f"`{form}` converts {form.lanes} of {elements} elements at a time"
        raise Error(f"{name} has {array.size}: expected one for {wanted}", code="CVT025", help=help)
    return Layout(array).flat(array).view(np.uint8)


def _writable(out: Any) -> np.ndarray:
    """Returns the memory of an array to write to."""
    if isinstance(out, (list, tuple, int, float, np.generic)):
        raise KindError(f"out: expected an array to write to, not {type(out).__name__}")
    array, _ = take(out, name="out")
    if not array.flags.writeable:
        raise Error("out is read-only")
    return array


def _row_of(out: Any, dtype: np.dtype[Any], layout: Layout, size: int, flat: np.ndarray) -> np.ndarray | None:
    """Returns the memory of `out` as a row if results can be written there directly."""
    if out is None:
        return None
    array = _writable(out)
    if array.dtype not in (dtype, bits_dtype(8 * dtype.itemsize)) and not (is_fp4(dtype) and array.dtype == CODE):
        raise Error(f"out has dtype {array.dtype}; the result has {dtype}")
    if array.size != size or array.ndim != len(layout.axes) or np.may_share_memory(array, flat):
        return None
    ordered = array.transpose(layout.axes)
    return ordered.reshape(-1).view(dtype) if ordered.flags.c_contiguous else None


def _deliver(out: Any, result: np.ndarray, there: bool) -> Any:
    """Returns `out` after writing the result to it."""
    array = _writable(out)
    if array.shape != result.shape:
        raise Error(f"out has shape {array.shape}; the result has {result.shape}")
    if not there:
        array.view(result.dtype)[...] = result
    return out
