"""PyTorch: operators that ``torch.compile`` supports in its graph, and inline PTX on the CPU.

``convert``, ``quantize`` and ``dequantize`` are operators of ``torch.library`` for tensors on the CPU, with fake
tensors. Results have no gradient, like those of the package's other functions:

>>> import torch, ptxcvt.torch
>>> ptxcvt.torch.convert(torch.tensor([0.1, 500.0]), "f32->e4m3").dtype
torch.float8_e4m3fn
>>> data, scales, _ = ptxcvt.torch.quantize(torch.ones(2, 64), "mx-rceil/e2m1")
>>> data.dtype, data.shape, scales.dtype
(torch.float4_e2m1fn_x2, torch.Size([2, 32]), torch.float8_e8m0fnu)

``torch._higher_order_ops.inline_asm_elementwise`` (PyTorch 2.12 and newer) rejects tensors on the CPU. After
``ptxcvt.torch.install()`` it runs there, also with several outputs and ``pack``, which otherwise need
``torch.compile`` on a GPU. On a CPU, compile with ``backend="eager"`` or ``"aot_eager"``, as Inductor compiles inline PTX
for GPUs only::

    import ptxcvt.torch

    ptxcvt.torch.install()
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable, Optional, SupportsFloat, SupportsIndex, TypeVar, cast

import numpy as np
import torch
from ptxcvt import _convert, _native, _quantize
from ptxcvt._error import Error, KindError, about, flag_of, text_of, wrong_kind
from ptxcvt._kinds import check_dense, numpy_dtype, torch_dtype
from ptxcvt._native import _WHOLE_AXIS, Format, Recipe, _is_plain_tensor
from ptxcvt._run import run
from ptxcvt._threads import threads_of

if TYPE_CHECKING:
    from ptxcvt._types import RecipeLike

__all__ = ["convert", "dequantize", "inline_asm_elementwise", "install", "quantize"]


Function = TypeVar("Function", bound=Callable[..., Any])


def convert(
    x: torch.Tensor,
    conversion: str,
    rounding: str | None = None,
    saturate: bool = False,
    relu: bool = False,
    seed: SupportsIndex | None = None,
    packed: bool = False,
    threads: SupportsIndex = 1,
) -> torch.Tensor:
    """Like ``ptxcvt.convert``, as an operator, with the tensor as the first argument. With ``packed=True``, FP4 has the
    type ``float4_e2m1fn_x2``: each byte has two neighbours along the last axis, in any memory order.
    """
    packed = flag_of("packed", packed)
    if seed is None and not packed and not torch.compiler.is_compiling():
        # Calling an operator takes longer than converting a small tensor. The short cut is not used while PyTorch
        # records operators.
        made = _convert.quick_tensor(x, conversion, rounding, saturate, relu, threads)
        if made is not None:
            return cast("torch.Tensor", made)
    return _convert_operator(
        _tensor("x", x),
        text_of("conversion", conversion),
        None if rounding is None else text_of("rounding", rounding),
        flag_of("saturate", saturate),
        flag_of("relu", relu),
        _signed(seed),
        packed,
        threads_of(threads),
    )


def quantize(
    x: torch.Tensor,
    recipe: RecipeLike,
    global_amax: SupportsFloat | None = None,
    seed: SupportsIndex | None = None,
    threads: SupportsIndex = 1,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Like ``ptxcvt.quantize`` along the last axis, as an operator: data, scales and the global scale, which has no
    elements if the recipe has none, and one for each row if the recipe is ``row_scaled``. FP4 has the type
    ``float4_e2m1fn_x2``.
    """
    amax = None if global_amax is None else _quantize.checked_amax(global_amax)
    if _is_direct(x):
        return _quantized(x, recipe, amax, seed, threads)
    return _quantize_operator(_tensor("x", x), _recipe_text(recipe), amax, _signed(seed), threads_of(threads))


def dequantize(
    data: torch.Tensor,
    scales: torch.Tensor,
    global_scale: torch.Tensor,
    recipe: RecipeLike,
    dtype: torch.dtype = torch.float32,
    threads: SupportsIndex = 1,
) -> torch.Tensor:
    """Like ``ptxcvt.dequantize``, as an operator on what ``quantize`` returns."""
    if not isinstance(dtype, torch.dtype):
        raise wrong_kind("dtype", dtype, "a dtype of PyTorch")
    parts = (_tensor("data", data), _tensor("scales", scales), _tensor("global_scale", global_scale))
    if all(map(_is_direct, parts)):
        return _dequantized(*parts, recipe, dtype, threads)
    return _dequantize_operator(*parts, _recipe_text(recipe), dtype, threads_of(threads))


def _is_direct(x: torch.Tensor) -> bool:
    """Returns True if the function itself may be called: calling an operator takes longer than quantising a small
    tensor. While PyTorch compiles or records operators, it must see the operator.
    """
    return not torch.compiler.is_compiling() and _is_plain_tensor(x)


def _recipe_text(recipe: RecipeLike) -> str:
    """Returns what an operator's argument holds: the name of a recipe, or the lines of your own."""
    if isinstance(recipe, str):
        return recipe
    made = _quantize.recipe_of(recipe)
    return made.name if made == made.name else made.to_toml()


def _recipe(given: RecipeLike) -> Recipe:
    """Reads what `_recipe_text` returns, or what the caller gave."""
    lines = isinstance(given, str) and "\n" in given
    return Recipe.from_toml(cast("str", given)) if lines else _quantize.recipe_of(given)


def _tensor(name: str, given: torch.Tensor) -> torch.Tensor:
    """Returns a tensor detached from its gradient, or raises an error."""
    if not isinstance(given, torch.Tensor):
        help = "the functions of ptxcvt itself accept other arrays"
        raise KindError(f"{name}: expected a tensor of PyTorch, not {type(given).__name__}", help=help)
    if given.device.type not in ("cpu", "meta"):
        raise Error(f"{name} is a tensor on {given.device}: move it to the CPU first")
    check_dense(given, name)
    return given.detach() if given.requires_grad else given


def _signed(seed: SupportsIndex | None) -> int | None:
    """Returns a seed as a signed 64-bit integer, which operators accept."""
    if seed is None:
        return None
    number = _convert.check_seed(seed)
    return number - (1 << 64) if number >> 63 else number


def _unsigned(seed: int | None) -> int | None:
    """Returns the original seed of `_signed`."""
    return None if seed is None else seed % (1 << 64)


def _operator(name: str) -> Callable[[Function], Function]:
    """Makes a function an operator. For type checkers, its signature does not change."""
    made = torch.library.custom_op(f"ptxcvt::{name}", mutates_args=(), device_types="cpu")
    return cast("Callable[[Function], Function]", made)


#: The dtype of bytes with two FP4 elements. Older versions of PyTorch only have `uint8`.
_PAIR = getattr(torch, "float4_e2m1fn_x2", torch.uint8)


def _pairs(data: torch.Tensor, format: Format) -> torch.Tensor:
    """Returns bytes with two FP4 elements as PyTorch's dtype for them."""
    return data.view(_PAIR) if format.name == "e2m1" else data


class _Ends:
    """The format of a conversion's result, and which side has two elements in a byte."""

    def __init__(
        self, x: torch.Tensor, conversion: str, rounding: Optional[str], saturate: bool, relu: bool, packed: bool
    ) -> None:
        forms = _convert.read(conversion, rounding=rounding, saturate=saturate, relu=relu)
        source, self.result = Format(forms[0].source_format), Format(forms[-1].destination_format)
        self.tight_source = source.storage < 8 and x.dtype in (torch.uint8, _PAIR)
        self.tight = packed and self.result.storage < 8

    @property
    def changes(self) -> bool:
        """True if either side has two elements in a byte, which are neighbours along the last axis."""
        return self.tight_source or self.tight

    def shape(self, x: torch.Tensor) -> tuple[int, ...]:
        """Returns the shape of the result if it differs from that of `x`. Raises an error if elements have no
        neighbours.
        """
        if not x.dim():
            raise Error("x is a single number: expected an array whose last axis has pairs")
        last = x.shape[-1] * (2 if self.tight_source else 1)
        # A symbolic size is checked when the operator runs.
        if self.tight and isinstance(last, int) and last % 2:
            raise Error(
                f"shape {tuple(x.shape)}: two {self.result} elements are packed in a byte, so the last axis, of {last}, must be even",
                help="give it an even number of elements",
            )
        return (*x.shape[:-1], last // 2 if self.tight else last)


def _stand_in(x: torch.Tensor, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Returns an empty NumPy array with the dtype of a tensor's elements, with which the functions check all arguments.
    `shape` has an axis of length 0.
    """
    if x.device.type not in ("cpu", "meta"):
        raise Error(f"{name} is a tensor on {x.device}: move it to the CPU first")
    return np.empty(shape, numpy_dtype(x, name))


# The annotations are read when the operators are made, so they use the module `typing`.
@_operator("convert")
def _convert_operator(
    x: torch.Tensor,
    conversion: str,
    rounding: Optional[str] = None,
    saturate: bool = False,
    relu: bool = False,
    seed: Optional[int] = None,
    packed: bool = False,
    threads: int = 1,
) -> torch.Tensor:
    ends = _Ends(x, conversion, rounding, saturate, relu, packed)
    if ends.changes:
        ends.shape(x)
        # PyTorch cannot copy tensors of FP4 pairs.
        x = (x.view(torch.uint8) if ends.tight_source else x).contiguous()
    made: torch.Tensor = _native.convert(
        conversion, x, rounding=rounding, saturate=saturate, relu=relu, seed=_unsigned(seed), packed=packed, threads=threads
    )
    if packed:
        return _pairs(made, ends.result) if ends.tight else made
    return made.view(torch_dtype(ends.result))


@torch.library.register_fake("ptxcvt::convert")
def _(
    x: torch.Tensor,
    conversion: str,
    rounding: Optional[str] = None,
    saturate: bool = False,
    relu: bool = False,
    seed: Optional[int] = None,
    packed: bool = False,
    threads: int = 1,
) -> torch.Tensor:
    ends = _Ends(x, conversion, rounding, saturate, relu, packed)
    _native.convert(
        conversion,
        _stand_in(x, "x", (0,)),
        rounding=rounding, saturate=saturate, relu=relu, seed=_unsigned(seed), packed=packed, threads=threads,
    )
    dtype = getattr(torch, f"uint{max(ends.result.storage, 8)}") if packed else torch_dtype(ends.result)
    if not ends.changes:
        return torch.empty_like(x, dtype=dtype)
    made = x.new_empty(ends.shape(x), dtype=dtype)
    return _pairs(made, ends.result) if ends.tight else made


def _quantized(
    x: torch.Tensor, recipe: RecipeLike, global_amax: float | None, seed: SupportsIndex | None, threads: SupportsIndex
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    q = _quantize.quantize(x, _recipe(recipe), global_amax=global_amax, seed=seed, threads=threads)
    word = torch.empty(0) if q.global_scale is None else torch.as_tensor(q.global_scale)
    element = Format(q.recipe.element)
    data = _pairs(q.data, element) if q.recipe.layout == "rows" and element.storage < 8 else q.data
    return data, q.scales, word


@_operator("quantize")
def _quantize_operator(
    x: torch.Tensor, recipe: str, global_amax: Optional[float] = None, seed: Optional[int] = None, threads: int = 1
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return _quantized(x, recipe, global_amax, _unsigned(seed), threads)


@torch.library.register_fake("ptxcvt::quantize")
def _(
    x: torch.Tensor, recipe: str, global_amax: Optional[float] = None, seed: Optional[int] = None, threads: int = 1
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    rule = _recipe(recipe)
    with about("x"):
        of_data, of_scales = _part_shapes(rule, x.shape)
    stand_in = _stand_in(x, "x", _no_rows(_example(rule, x.shape)))
    _quantize.quantize(stand_in, rule, global_amax=global_amax, seed=_unsigned(seed), threads=threads)
    element = Format(rule.element)
    data = x.new_empty(of_data, dtype=torch.uint8)
    if rule.layout == "rows":
        data = _pairs(data, element) if element.storage < 8 else data.view(torch_dtype(element))
    scales = x.new_empty(0, dtype=torch.uint8)
    if not rule.inline_scales:
        scales = x.new_empty(of_scales, dtype=torch_dtype(Format(rule.scale)))
    words = x.shape[:-1] if rule.row_scaled else () if rule.global_scale else (0,)
    return data, scales, x.new_empty(words, dtype=torch.float32)


def _dequantized(
    data: torch.Tensor,
    scales: torch.Tensor,
    global_scale: torch.Tensor,
    recipe: RecipeLike,
    dtype: torch.dtype,
    threads: SupportsIndex,
) -> torch.Tensor:
    rule = _recipe(recipe)
    _check_parts(rule, data, scales, global_scale)
    word = global_scale if rule.row_scaled else float(global_scale) if global_scale.numel() else None
    q = _quantize.Quantized(rule, data, scales, word, _elements(rule, data))
    made: torch.Tensor = _quantize.dequantize(q, dtype, threads=threads)
    return made


@_operator("dequantize")
def _dequantize_operator(
    data: torch.Tensor,
    scales: torch.Tensor,
    global_scale: torch.Tensor,
    recipe: str,
    dtype: torch.dtype = torch.float32,
    threads: int = 1,
) -> torch.Tensor:
    return _dequantized(data, scales, global_scale, recipe, dtype, threads)


@torch.library.register_fake("ptxcvt::dequantize")
def _(
    data: torch.Tensor,
    scales: torch.Tensor,
    global_scale: torch.Tensor,
    recipe: str,
    dtype: torch.dtype = torch.float32,
    threads: int = 1,
) -> torch.Tensor:
    rule = _recipe(recipe)
    shape = _elements(rule, data)
    _check_parts(rule, data, scales, global_scale)
    # Calling the functions checks the types and the other arguments.
    elements = _no_rows(_example(rule, shape))
    of_data, of_scales = (_stand_in(part, name, of) for part, name, of in zip(
        (data, scales), ("data", "scales"), rule.part_shapes(elements, False)
    ))
    word = _stand_in(global_scale, "global_scale", elements[:-1]) if rule.row_scaled else 1.0 if global_scale.numel() else None
    _quantize.dequantize(_quantize.Quantized(rule, of_data, of_scales, word, elements), dtype, threads=threads)
    return data.new_empty(shape, dtype=dtype)


def _no_rows(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the shape of an array with no rows and the same columns."""
    return (0, *sizes[-1:]) if sizes else ()


def _known(*shapes: Sequence[int]) -> bool:
    """Returns True if no size is symbolic, that is, known only when the operator runs."""
    return all(type(n) is int for shape in shapes for n in shape)


def _blocked(recipe: Recipe, shape: Sequence[int]) -> int:
    """Returns the number of axes with blocks."""
    return min(2 if recipe.block[0] > 1 else 1, len(shape))


def _unit(recipe: Recipe, axis: int) -> int:
    """Returns the size of the blocks along the last axis (-1) or the one before it, or 1 if a block covers the whole
    axis. Along the last axis, the smallest number of blocks counts that fills whole bytes and groups: four for GGUF's
    NVFP4.
    """
    size = recipe.block[axis]
    size = 1 if size >= _WHOLE_AXIS else size
    return _of_whole_bytes(recipe, size) if axis == -1 else size


@functools.lru_cache(maxsize=None)
def _of_whole_bytes(recipe: Recipe, size: int) -> int:
    """Returns the smallest multiple of a number of columns whose multiples all take whole bytes and groups."""
    for columns in (size, 2 * size, 4 * size):
        try:
            of_one, of_two = recipe.row_bytes(columns), recipe.row_bytes(2 * columns)
            if of_two == 2 * of_one and recipe.row_columns(of_one) == columns:
                return columns
        except Error:
            continue
    raise AssertionError(f"`{recipe}` stores four blocks in whole bytes")


def _example(recipe: Recipe, shape: Sequence[int]) -> tuple[int, ...]:
    """Returns the sizes of the axes with blocks. A symbolic size becomes the size of a block if it is a multiple of it;
    then the graph is valid for all multiples. Other symbolic sizes become numbers, and the graph is valid only for
    these.
    """
    axes = range(-_blocked(recipe, shape), 0)
    is_free = [type(shape[axis]) is not int and shape[axis] % _unit(recipe, axis) == 0 for axis in axes]
    return tuple(_unit(recipe, axis) if free else int(shape[axis]) for axis, free in zip(axes, is_free))


def _part_shapes(recipe: Recipe, shape: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns the shapes of data and scales. Symbolic sizes stay symbolic if they are multiples of a block."""
    example = _example(recipe, shape)
    others = tuple(shape[: len(shape) - len(example)])
    before = others if _known(others) else tuple(1 for _ in others)
    parts = [list(part[len(others) :]) for part in recipe.part_shapes((*before, *example), False)]
    of_one = [list(part) for part in parts]
    for axis in range(-len(example), 0):
        if type(shape[axis]) is int or shape[axis] % _unit(recipe, axis) != 0:
            continue
        twice = [*before, *example]
        twice[axis] *= 2
        blocks = shape[axis] // _unit(recipe, axis)
        for part, one, two in zip(parts, of_one, recipe.part_shapes(twice, False)):
            for place in range(-len(part), 0):
                if two[place] != one[place]:
                    part[place] = one[place] + (blocks - 1) * (two[place] - one[place])
    return (*others, *parts[0]), (*others, *parts[1])


def _check_parts(recipe: Recipe, data: torch.Tensor, scales: torch.Tensor, global_scale: torch.Tensor) -> None:
    """Raises an error unless the shapes of the parts match. Symbolic sizes are checked when the operator runs.
    """
    shape = _elements(recipe, data)
    of_data, of_scales = _part_shapes(recipe, shape)
    if shape and _known(shape[-1:]) and of_data[-1] != data.shape[-1] * data.element_size():
        raise Error(f"data: rows of {data.shape[-1]} bytes are not those of `{recipe}`")
    expected = (0,) if recipe.inline_scales else of_scales
    axes = [[n for n in of if type(n) is not int or n != 1] for of in (scales.shape, expected)]
    # Axes of length 1 may be missing, and scales may be one row.
    if _known(*axes) and (axes[0] != axes[1] if len(axes[0]) > 1 else math.prod(axes[0]) != math.prod(axes[1])):
        raise Error(f"scales of shape {tuple(scales.shape)}: data of shape {tuple(data.shape)} has scales of shape {expected}")
    words = shape[:-1] if recipe.row_scaled else () if recipe.global_scale else (0,)
    if _known(words, global_scale.shape) and math.prod(words) != global_scale.numel():
        raise Error(
            f"global_scale of shape {tuple(global_scale.shape)}: `{recipe}` has "
            + (f"one of shape {tuple(words)}" if recipe.row_scaled else "one number" if recipe.global_scale else "none, so no elements")
        )


def _elements(recipe: Recipe, data: torch.Tensor) -> tuple[int, ...]:
    """Returns the shape in elements. Symbolic sizes stay symbolic if they are multiples of a block."""
    columns, row = _unit(recipe, -1), data.shape[-1] * data.element_size()
    of_block = recipe.row_bytes(columns)
    if type(row) is int or row % of_block != 0:
        return (*data.shape[:-1], recipe.row_columns(int(row)))
    return (*data.shape[:-1], row // of_block * columns)


def inline_asm_elementwise(
    *inputs: torch.Tensor,
    asm_str: str,
    constraints: str,
    dtype: torch.dtype | tuple[torch.dtype, ...],
    is_pure: bool = True,
    pack: int = 1,
    approximate: bool = True,
) -> Any:
    """Runs inline PTX on CPU tensors, with the signature of PyTorch's operator.

    Instructions whose bits the manual does not define, such as ``ex2.approx``, are computed correctly rounded. With
    ``approximate=False``, they are an error.
    """
    if not inputs:
        raise Error("inline_asm_elementwise requires at least one input tensor")
    return run(asm_str, constraints, *_widened(inputs, constraints), dtype=dtype, pack=pack, approximate=approximate)


def _widened(inputs: tuple[torch.Tensor, ...], constraints: str) -> list[torch.Tensor]:
    """Returns the inputs, with halves converted to f32 if the constraint is `f`, as PyTorch's compiler does."""
    letters = [part.strip() for part in constraints.split(",") if not part.strip().startswith(("=", "~"))]
    narrow = (torch.float16, torch.bfloat16)
    if len(letters) != len(inputs):
        # If an input has several registers, two halves share a register.
        return list(inputs)
    return [x.float() if letter == "f" and x.dtype in narrow else x for x, letter in zip(inputs, letters)]


def install() -> None:
    """Makes this the operator's implementation for CPU tensors. A second call has no effect."""
    try:
        from torch._higher_order_ops import inline_asm_elementwise as module
    except ImportError:
        raise Error(f"PyTorch {torch.__version__} has no inline_asm_elementwise: install 2.12 or newer") from None
    # The package exports the function under the module's name.
    operator = getattr(module, "inline_asm_elementwise", module)
    key = torch._C.DispatchKey.CPU
    if key in operator.py_kernels:
        return
    operator.py_impl(key)(inline_asm_elementwise)
    # The cache would repeat the failure of earlier calls.
    operator._dispatch_cache.clear()
