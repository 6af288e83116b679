"""Converts arrays of other libraries to NumPy without copying, and results back.

Every array that NumPy can read is accepted: the buffer protocol, ``__array_interface__``, ``__array__``, DLPack on the
CPU. PyTorch's tensors are passed as bits, because NumPy supports some of their types only through ml_dtypes.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from typing import Any

import ml_dtypes
import numpy as np

from ptxcvt._dtypes import bits_dtype, dtype_of, format_named, format_of
from ptxcvt._error import Error, KindError, is_traced, wrong_kind
from ptxcvt._native import Format, _Chain, _is_plain_tensor, _keep_tensor, _numbers
from ptxcvt._non_finite import warn_of

Back = Callable[[np.ndarray], Any]

#: The dtype of FP4 with one code in a byte for libraries whose own type has two. It is not ``uint8``, which has two as well.
CODE = np.dtype(np.int8)


def take(x: Any, weak: np.dtype[Any] | None = None, *, name: str) -> tuple[np.ndarray, Back]:
    """Returns an array, and a function that converts a result to the library of `x`. Numbers and lists become arrays
    of the type `weak`. Messages call the argument `name`.
    """
    if type(x) is np.ndarray and x.dtype.kind not in _NO_NUMBERS:
        return x, as_it_is
    array, back = _taken(x, weak, name)
    if array.dtype.kind in _NO_NUMBERS and (array.dtype.kind != "V" or issubclass(array.dtype.type, np.void)):
        raise KindError(f"{name}: expected an array of numbers, not of {array.dtype}")
    return array, back


#: dtype kinds that PTX cannot convert: objects, text, dates and times, complex numbers, records. Extension dtypes such
#: as ml_dtypes' also have kind V.
_NO_NUMBERS = frozenset("OSUMmVc")


def _taken(x: Any, weak: np.dtype[Any] | None, name: str) -> tuple[np.ndarray, Back]:
    if _is(x, "torch", "Tensor"):
        return _from_torch(x, name)
    if isinstance(x, np.ma.MaskedArray):
        help = "x.filled(value) gives masked elements a value, x.compressed() leaves them out"
        raise Error(f"{name} is a masked array: conversions would ignore the mask", help=help)
    if isinstance(x, np.ndarray):
        # Subclasses such as np.matrix have a fixed number of axes, and results may have another.
        return np.asarray(x), as_it_is
    if isinstance(x, np.generic):
        return np.asarray(x), scalar
    if isinstance(x, (bool, complex, str)) or x is None:
        raise _no_array(x, name)
    if isinstance(x, (int, float)):
        return _plain(x, weak, name), scalar
    if isinstance(x, (list, tuple)):
        if _has_mask(x):
            raise Error(f"{name} has masked arrays: conversions would ignore the masks")
        return _plain(x, weak, name), as_it_is
    if _is(x, "jax", "Array"):
        return _from_jax(x, name), _to_jax
    if isinstance(x, (bytes, bytearray)):
        return np.frombuffer(x, np.uint8), as_it_is
    # xarray's arrays have this method too; it returns None unless they hold Dask's arrays.
    if hasattr(x, "__dask_graph__") and x.__dask_graph__() is not None:
        help = "use ptxcvt.dask, whose functions work chunk by chunk"
        raise KindError(f"{name} is an array of Dask", help=help)
    if _is(x, "xarray", "DataArray"):
        return _from_xarray(x, name)
    if any(hasattr(x, name) for name in ("__array__", "__array_interface__")) or _has_buffer(x):
        return np.asarray(x), as_it_is
    if hasattr(x, "__dlpack__"):
        return _from_dlpack(x, name)
    raise _no_array(x, name)


def _has_mask(x: Any) -> bool:
    """Returns True if a list contains a masked array, at any depth."""
    return any(isinstance(part, np.ma.MaskedArray) or isinstance(part, (list, tuple)) and _has_mask(part) for part in x)


def _traced_in(x: Any) -> Any:
    """Returns a traced array of JAX that a list contains, at any depth, or None."""
    if isinstance(x, (list, tuple)):
        return next((found for found in map(_traced_in, x) if found is not None), None)
    return x if is_traced(x) else None


def _no_array(x: Any, name: str) -> KindError:
    if isinstance(x, (list, tuple)):
        return wrong_kind(name, x, "numbers")
    return KindError(f"{name}: expected an array of numbers, not {type(x).__name__}")


def _plain(x: Any, weak: np.dtype[Any] | None, name: str) -> np.ndarray:
    """Returns Python's numbers as an array."""
    try:
        # NumPy would convert the text "1.5" to a number, and None to NaN.
        given = np.asarray(x)
        words = given.dtype.kind == "O" and not all(isinstance(n, (int, float)) for n in given.flat)
        if words or given.dtype.kind in "SUMm":
            raise _no_array(x, name)
        if weak is not None and given.dtype.kind in "iufO" and weak not in _WIDE:
            return _read(given, weak, name)
        return np.asarray(x, dtype=weak)
    except Error:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        traced = _traced_in(x)
        if traced is not None:
            raise wrong_kind(name, traced, "numbers") from None
        numbers = "numbers" if weak is None else f"numbers of {weak}"
        raise KindError(f"{name}: expected {numbers}: {error}") from None


#: NumPy rounds Python's numbers to these dtypes like the library.
_WIDE = (np.dtype(np.float32), np.dtype(np.float64))


def _read(given: np.ndarray, dtype: np.dtype[Any], name: str) -> np.ndarray:
    """Converts plain numbers like the command. NumPy would drop fractions, and ml_dtypes would convert 1000 to NaN."""
    if given.dtype.kind in "iu" and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if given.size == 0 or (limits.min <= given.min() and given.max() <= limits.max):
            return given.astype(dtype)
    format = format_of(dtype)
    if format is None or given.size == 0:
        return np.asarray(given, dtype=dtype)
    numbers: list[Any] = given.reshape(-1).tolist()
    return np.frombuffer(bytearray(_numbers(name, format, numbers)), dtype).reshape(given.shape)


def broadcast(arrays: Iterable[np.ndarray]) -> tuple[int, ...]:
    """Returns the shape of arrays that are broadcast against each other."""
    shapes = [array.shape for array in arrays]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        listed = ", ".join(map(str, shapes))
        raise Error(f"arrays of shapes {listed} cannot be broadcast against each other", code="CVT025") from None


def _is(x: Any, module: str, name: str) -> bool:
    """Returns True for an instance of a class of a module that is loaded; never loads the module."""
    loaded = sys.modules.get(module)
    return bool(loaded is not None and isinstance(x, getattr(loaded, name, ())))


def _has_buffer(x: Any) -> bool:
    try:
        memoryview(x)
    except TypeError:
        return False
    return True


def as_it_is(result: np.ndarray) -> Any:
    """Returns the NumPy result unchanged."""
    return result


def scalar(result: np.ndarray) -> Any:
    """Returns a result without axes as a NumPy scalar."""
    return result[()] if result.ndim == 0 else result


def _from_xarray(x: Any, name: str) -> tuple[np.ndarray, Back]:
    array, back = take(x.data, name=name)
    if back is not as_it_is:
        raise KindError(f"{name} is an array of xarray that holds a {type(x.data).__name__}", help="convert x.data")
    # Results of the same shape keep the names of axes and the coordinates.
    return array, lambda result: x.copy(data=result) if result.shape == array.shape else result


def _from_dlpack(x: Any, name: str) -> tuple[np.ndarray, Back]:
    if x.__dlpack_device__()[0] not in (1, 3):  # kDLCPU, kDLCUDAHost
        raise Error(f"{name} is a {type(x).__name__} that is not on the CPU: move it there first")
    array = np.from_dlpack(x)
    namespace = getattr(x, "__array_namespace__", lambda: None)()

    def back(result: np.ndarray) -> Any:
        # DLPack does not support the types of ml_dtypes.
        if namespace is None or not hasattr(namespace, "from_dlpack") or result.dtype.kind not in "uif":
            return result
        return namespace.from_dlpack(result)

    return array, back


def _from_torch(x: Any, name: str) -> tuple[np.ndarray, Back]:
    import torch

    if torch.compiler.is_compiling():
        # With this error, PyTorch 2.15 runs the function outside of its graph; 2.10 does not catch the error.
        help = ("torch.compiler.disable(function) runs a function outside of the graph", _OPERATORS)
        raise Error(f"{name} is a tensor that torch.compile traces: its numbers are not known yet", help=help)
    if _is_plain_tensor(x) and x.dim():
        # The other checks take longer than converting a small tensor.
        bits, dtype = _views(x.dtype)
        if bits is not None:
            return x.detach().view(bits).numpy().view(dtype), _to_torch
    if _is_recorded():
        help = "the functions of ptxcvt.torch are operators, which make_fx records"
        raise Error(f"{name} is a tensor that PyTorch traces: the result would be a constant of the trace", help=help)
    if _is(x, "torch._subclasses.fake_tensor", "FakeTensor"):
        raise Error(f"{name} is a fake tensor: it has no numbers", help=_OPERATORS)
    if torch._C._functorch.is_functorch_wrapped_tensor(x):
        help = ("call the function outside of vmap, grad and jvp", "the functions of ptxcvt.torch are operators, which vmap accepts")
        raise Error(f"{name} is a tensor that torch.func traces: its numbers are not known yet", help=help)
    if x.device.type != "cpu":
        raise Error(f"{name} is a tensor on {x.device}: move it to the CPU first")
    check_dense(x, name)
    dtype = numpy_dtype(x, name)
    x = x.detach()
    if x.is_conj() or x.is_neg():
        x = x.resolve_conj().resolve_neg()
    if x.dtype == torch.bool:
        return x.numpy(), _to_torch
    bits, _ = _views(x.dtype)
    try:
        # A tensor without axes cannot be viewed as another type.
        array = (x.view(bits) if x.dim() else x.reshape(1).view(bits)[0]).numpy()
    except RuntimeError as error:
        if type(x) in (torch.Tensor, torch.nn.Parameter):
            raise
        # Subclasses may have any contents.
        raise Error(f"{name} is a {type(x).__name__}: {error}", help="convert it to an ordinary tensor first") from None
    return array.view(dtype), _to_torch


def check_dense(x: Any, name: str) -> None:
    """Raises an error for a tensor that is not one array of numbers: nested, sparse, or quantised by PyTorch."""
    import torch

    if x.is_nested:
        raise Error(f"{name} is a nested tensor", help=f"{name}.unbind() has its parts")
    if _is(x, "torch.masked", "MaskedTensor"):
        help = "to_tensor(value) gives masked elements a value"
        raise Error(f"{name} is a masked tensor: conversions would ignore the mask", help=help)
    if x.layout != torch.strided:
        raise Error(f"{name}: expected a dense tensor, not {x.layout}", help=f"{name}.to_dense() is one")
    if x.is_quantized:
        raise Error(f"{name} holds {x.dtype}, not a type that PTX converts", help=f"{name}.dequantize() has numbers")


_OPERATORS = "the functions of ptxcvt.torch are operators, which accept it"


def _is_recorded() -> bool:
    """Returns True while `make_fx` or `torch.jit.trace` records operators. Tensors then have numbers, but functions
    that are not operators would not be recorded.
    """
    import torch

    if torch._C._get_tracing_state() is not None:
        return True
    mode = torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.PROXY)
    return mode is not None


def numpy_dtype(x: Any, name: str) -> np.dtype[Any]:
    """Returns the NumPy dtype of a tensor's elements, or of bytes if each byte has two elements, as PTX packs them."""
    dtype = _numpy_dtype(x.dtype)
    if dtype is None:
        raise Error(f"{name} holds {x.dtype}, not a type that PTX converts")
    return dtype


@functools.lru_cache(maxsize=None)
def _numpy_dtype(dtype: Any) -> np.dtype[Any] | None:
    """Returns the NumPy dtype for a dtype of PyTorch, or None if PTX does not convert it."""
    name = str(dtype).removeprefix("torch.")
    if name.endswith("_x2"):
        return np.dtype(np.uint8)
    if name == "bool":
        return np.dtype(np.bool_)
    format = format_named(name)
    return None if format is None or dtype.itemsize * 8 != format.storage else dtype_of(format)


@functools.lru_cache(maxsize=None)
def _views(dtype: Any) -> tuple[Any, np.dtype[Any] | None]:
    """Returns the dtype of PyTorch as which NumPy reads elements of a dtype, and the NumPy dtype as which it views them.
    The first is None for booleans and for elements that PTX does not convert.
    """
    import torch

    made = _numpy_dtype(dtype)
    if made is None or dtype == torch.bool:
        return None, made
    return {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[dtype.itemsize], made


@functools.lru_cache(maxsize=None)
def torch_dtype(format: Format) -> Any:
    """Returns PyTorch's dtype with one element of a format per item. It is `CODE` for FP4, and unsigned integers for other
    formats that PyTorch lacks.
    """
    import torch

    if format.storage < 8:
        return getattr(torch, CODE.name)
    found = getattr(torch, dtype_of(format).name, None)
    if isinstance(found, torch.dtype) and found.itemsize * 8 == format.storage:
        return found
    return getattr(torch, bits_dtype(format.storage).name)


def _to_torch(result: np.ndarray) -> Any:
    import torch

    bits, dtype = _torch_dtypes(result.dtype)
    if result.ndim == 0:
        # A single element needs an axis to be viewed as another type.
        return _to_torch(result.reshape(1)).reshape(())
    # Results are writable.
    made = torch.from_numpy(result.view(bits))
    return made if made.dtype is dtype else made.view(dtype)


@functools.lru_cache(maxsize=None)
def _torch_dtypes(dtype: np.dtype[Any]) -> tuple[np.dtype[Any], Any]:
    """Returns a NumPy dtype of the same size that PyTorch reads, and PyTorch's dtype of the elements."""
    import torch

    if dtype == np.bool_:
        return dtype, torch.bool
    format = format_of(dtype)
    assert format is not None, dtype
    made = torch_dtype(format)
    # PyTorch reads NumPy's built-in dtypes and has a dtype of the same name for each.
    if dtype.isbuiltin == 1 and str(made) == f"torch.{dtype.name}":
        return dtype, made
    return np.dtype(f"i{dtype.itemsize}" if dtype.itemsize > 1 else "u1"), made


def keep_tensors(key: Any, x: Any, chain: _Chain, source: Format, result: np.dtype[Any]) -> None:
    """Caches a conversion of PyTorch's tensors, if `x` is a tensor with one element per item."""
    dtype = getattr(x, "dtype", None)
    if not _is(x, "torch", "Tensor") or source.storage < 8 or str(dtype) != f"torch.{dtype_of(source).name}":
        return
    # torch.compile may trace this function, and cannot make arrays of ml_dtypes' types.
    bits, made = _torch_dtypes(result)
    _keep_tensor(key, chain, dtype, bits, None if bits == result else made, _warn_of_tensor)


def _warn_of_tensor(format: str, x: Any) -> None:
    array, _ = _from_torch(x, "x")
    warn_of(format, np.ascontiguousarray(array).reshape(-1).view(np.uint8))


def _from_jax(x: Any, name: str) -> np.ndarray:
    if is_traced(x):
        raise wrong_kind(name, x, "numbers")
    try:
        return np.asarray(x)
    except (TypeError, RuntimeError) as error:
        # Random-number keys, and arrays that were deleted or donated.
        raise KindError(f"{name}: {str(error).partition(chr(10))[0]}") from None


#: Types of ml_dtypes that XLA lacks.
_NOT_IN_XLA = frozenset({"float6_e2m3fn", "float6_e3m2fn"})


def _to_jax(result: np.ndarray) -> Any:
    import jax

    if result.dtype.name in _NOT_IN_XLA:
        # One code per byte, as for PyTorch.
        result = result.view(np.uint8)
    made = jax.numpy.asarray(result)
    if made.dtype != result.dtype:
        raise Error(f"JAX keeps {result.dtype} only after jax.config.update('jax_enable_x64', True)")
    return made


def is_fp4(dtype: np.dtype[Any]) -> bool:
    """Returns True for the type that stores each 4-bit number in a separate byte."""
    return dtype == np.dtype(ml_dtypes.float4_e2m1fn)
