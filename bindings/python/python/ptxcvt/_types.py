"""Types of array arguments, for type checkers only. The result of an array is an array of the same library."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Protocol, SupportsFloat, SupportsIndex, TypedDict, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

from ptxcvt._native import Recipe

if TYPE_CHECKING:
    import jax
    import torch

#: An array of a library other than NumPy.
OtherArray = TypeVar("OtherArray", bound="torch.Tensor | jax.Array")


class HasArray(Protocol):
    """An object that NumPy converts by ``__array__``."""

    def __array__(self) -> NDArray[Any]: ...


#: Arguments that become NumPy arrays. Overloads with this type come first: if another library is missing, a type
#: checker treats its arrays as `Any`, which would match everything.
NumpyLike = NDArray[Any] | list[Any] | tuple[Any, ...] | bytes | bytearray | memoryview

#: A recipe, its name, or the path of a recipe file.
RecipeLike = Union[str, "PathLike[str]", Recipe]

#: A number; functions return a number for a number.
Number = float | np.generic


class ConvertOptions(TypedDict, total=False):
    """The options of ``convert`` except ``with_forms``."""

    rounding: str | None
    saturate: bool
    relu: bool
    rbits: Any
    seed: SupportsIndex | None
    scale: Any
    packed: bool
    pad: bool
    out: Any
    threads: SupportsIndex


class QuantizeOptions(TypedDict, total=False):
    """The options of ``quantize``."""

    axis: SupportsIndex
    global_amax: SupportsFloat | None
    global_scale: SupportsFloat | None
    seed: SupportsIndex | None
    threads: SupportsIndex


class RunOptions(TypedDict, total=False):
    """The options of ``run`` except ``dtype``."""

    pack: SupportsIndex
    approximate: bool
    function: str | None


Domain = Literal["all", "numbers", "finite", "normal", "positive"]
