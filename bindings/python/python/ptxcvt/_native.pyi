"""The part of ptxcvt that is written in Rust. Names with an underscore work on bytes and are private."""

from os import PathLike
from typing import Any, Callable, Literal, Sequence, overload

import numpy as np
from numpy import dtype, uint8, uint64
from numpy.typing import NDArray
from typing_extensions import Unpack

from ptxcvt._types import ConvertOptions, HasArray, Number, NumpyLike, OtherArray

_Bytes = NDArray[uint8]
_Language = Literal["ptx", "c++", "python", "llvm", "mlir", "rust", "notebook"]
_Extra = int | _Bytes | tuple[int, int]

__version__: str

class Form:
    def __new__(cls, opcode: str) -> Form: ...
    def __lt__(self, other: Form) -> bool: ...
    def __le__(self, other: Form) -> bool: ...
    def __gt__(self, other: Form) -> bool: ...
    def __ge__(self, other: Form) -> bool: ...
    def __hash__(self) -> int: ...
    instruction: Literal["cvt", "cvt.pack"]
    rounding: str | None
    modifiers: list[str]
    destination: str
    source: str
    destination_format: str
    source_format: str
    lanes: int
    result_width: int
    operands: list[tuple[str, str, int]]
    extra: Literal["rbits", "scale-factor", "c"] | None
    limits_infinity: bool
    syntax: str
    announced: bool
    targets: dict[str, str]
    def since(self, target: str) -> str | None: ...
    def is_legal(self, target: str, isa: str) -> bool: ...
    def _operand(self, n: int, value: Any) -> int: ...
    def _fits(self, n: int, dtype: str) -> None: ...
    def _element(self, n: int) -> str | None: ...

class Format:
    def __new__(cls, name: str) -> Format: ...
    def __hash__(self) -> int: ...
    @staticmethod
    def all() -> list[Format]: ...
    name: str
    aliases: list[str]
    about: str
    bits: int
    storage: int
    signed: bool
    integer: bool
    bias: int | None
    nexp: int
    nmant: int
    max: float
    min: float
    eps: float | None
    smallest_normal: float
    smallest_subnormal: float
    maxexp: int
    minexp: int
    nan: int | None
    infinity: int | None
    types: dict[str, int]
    def decode(self, code: int) -> float: ...
    def encode(self, value: float, /, *, rounding: str = "rn", saturate: bool = False) -> int: ...
    def values(self) -> list[float]: ...

class Element:
    part: str
    operand: str
    source: int
    source_value: float
    result: int
    value: float
    outcome: Literal["exact", "rounded-up", "rounded-down", "saturated", "overflowed", "wrapped", "nan"]
    neighbours: tuple[float, float] | None
    flushed: bool
    relu: bool
    pzo: bool
    sign_dropped: bool
    scale: int | None
    random: tuple[int, int] | None
    nan_rule: str | None
    steps: list[str]

class Explanation:
    def __new__(cls, opcode: str | Form, /, *operands: Any) -> Explanation: ...
    form: Form
    result: int
    elements: list[Element]
    def svg(self) -> str: ...
    def _repr_html_(self) -> str: ...

class Where:
    opcode: str
    form: Form | None
    legal: bool
    since: dict[str, str]
    problems: list[tuple[str, str, str | None]]
    nearest: list[Form]
    def __bool__(self) -> bool: ...

class Diagnostic:
    code: str
    severity: Literal["error", "warning"]
    message: str
    help: str | None
    line: int
    column: int
    span: tuple[int, int]
    text: str
    related: tuple[int, int, str] | None
    rendered: str

class Fixed:
    text: str
    fixed: dict[str, int]
    left: list[Diagnostic]

class Lowering:
    form: Form
    name: str
    contract: str
    target: str
    isa: str
    block: Block
    def __len__(self) -> int: ...

class Block:
    @staticmethod
    def of_form(form: Form) -> Block: ...
    @staticmethod
    def _of_element_like(form: Form, other: Block) -> Block | None: ...
    def __new__(
        cls, text: str, /, constraints: str | None = None, *, approximate: bool = False, function: str | None = None
    ) -> Block: ...
    inputs: list[tuple[str, str, int]]
    outputs: list[tuple[str, str, int]]
    approximate: bool
    def since(self, target: str) -> str | None: ...
    def __call__(self, *inputs: int) -> list[int]: ...
    def _run(
        self,
        count: int,
        inputs: Sequence[_Bytes],
        input_bits: Sequence[int],
        outputs: Sequence[_Bytes],
        output_bits: Sequence[int],
        pack: int,
    ) -> None: ...

class Recipe:
    def __new__(cls, name: str | PathLike[str]) -> Recipe: ...
    name: str
    about: str
    source: str
    confirmed: str
    element: str
    scale: str
    block: tuple[int, int]
    global_scale: bool
    row_scaled: bool
    random: bool
    inline_scales: bool
    layout: Literal["rows", "rows-high-first", "packed", "gguf", "gguf-nvfp4"]
    lines: list[str]
    back: list[str]
    def __hash__(self) -> int: ...
    @staticmethod
    def from_toml(text: str) -> Recipe: ...
    def to_toml(self) -> str: ...
    def row_bytes(self, columns: int) -> int: ...
    def row_columns(self, bytes: int) -> int: ...
    def matrices(self, shape: Sequence[int], columns: bool) -> tuple[int, int, int]: ...
    def part_shapes(self, shape: Sequence[int], columns: bool) -> tuple[list[int], list[int]]: ...
    def scale_shape(self, rows: int, columns: int) -> tuple[int, int]: ...

@overload
def convert(
    conversion: str | Form, x: NumpyLike, /, *, with_forms: Literal[False] = False, **options: Unpack[ConvertOptions]
) -> NDArray[Any]: ...
@overload
def convert(
    conversion: str | Form, x: Number, /, *, with_forms: Literal[False] = False, **options: Unpack[ConvertOptions]
) -> np.generic: ...
@overload
def convert(
    conversion: str | Form, x: OtherArray, /, *, with_forms: Literal[False] = False, **options: Unpack[ConvertOptions]
) -> OtherArray: ...
@overload
def convert(
    conversion: str | Form, x: NumpyLike | OtherArray, /, *, with_forms: Literal[False] = False, **options: Unpack[ConvertOptions]
) -> NDArray[Any] | OtherArray: ...
@overload
def convert(
    conversion: str | Form, x: HasArray, /, *, with_forms: Literal[False] = False, **options: Unpack[ConvertOptions]
) -> NDArray[Any]: ...
@overload
def convert(
    conversion: str | Form, x: NumpyLike, /, *, with_forms: Literal[True], **options: Unpack[ConvertOptions]
) -> tuple[NDArray[Any], list[Form]]: ...
@overload
def convert(
    conversion: str | Form, x: Number, /, *, with_forms: Literal[True], **options: Unpack[ConvertOptions]
) -> tuple[np.generic, list[Form]]: ...
@overload
def convert(
    conversion: str | Form, x: OtherArray, /, *, with_forms: Literal[True], **options: Unpack[ConvertOptions]
) -> tuple[OtherArray, list[Form]]: ...
@overload
def convert(
    conversion: str | Form, x: NumpyLike | OtherArray, /, *, with_forms: Literal[True], **options: Unpack[ConvertOptions]
) -> tuple[NDArray[Any] | OtherArray, list[Form]]: ...
@overload
def convert(
    conversion: str | Form, x: HasArray, /, *, with_forms: Literal[True], **options: Unpack[ConvertOptions]
) -> tuple[NDArray[Any], list[Form]]: ...
def chain(
    conversion: str, /, *, rounding: str | None = None, saturate: bool = False, relu: bool = False
) -> list[Form]: ...
def forms(
    *,
    target: str | None = None,
    isa: str | None = None,
    dst: str | None = None,
    src: str | None = None,
    rounding: str | None = None,
    having: Sequence[str] = (),
    without: Sequence[str] = (),
    instruction: str | None = None,
) -> list[Form]: ...
def targets() -> list[str]: ...
def versions() -> list[str]: ...
def where(opcode: str, /, *, target: str | None = None, isa: str | None = None) -> Where: ...
def check(
    text: str,
    /,
    *,
    target: str | None = None,
    isa: str | None = None,
    snippet: bool = False,
    name: str | PathLike[str] | None = None,
    language: _Language | None = None,
) -> list[Diagnostic]: ...
def fix(
    text: str,
    /,
    *,
    target: str | None = None,
    isa: str | None = None,
    snippet: bool = False,
    name: str | PathLike[str] | None = None,
    language: _Language | None = None,
    unsafe_fixes: bool = False,
) -> Fixed: ...
def lower(form: str | Form, *, target: str, isa: str | None = None, variant: str | None = None) -> Lowering: ...
def _interleave(form: str | Form, codes: NDArray[np.uint32]) -> NDArray[np.uint32]: ...
def recipes() -> list[Recipe]: ...
def _codes(recipe: Recipe, data: _Bytes) -> _Bytes: ...
def _numbers(name: str, format: Format, numbers: list[Any], /) -> bytes: ...
def _set_part_dtypes(function: Callable[[Recipe], tuple[dtype[Any], dtype[Any] | None]], /) -> None: ...
def _set_types(generic: type, unsigned: Sequence[type]) -> None: ...
def _scalar(opcode: str | Form, operands: tuple[Any, ...], /) -> Any: ...
def _columns(form: Form, operands: Sequence[_Extra], result: _Bytes, /) -> None: ...
class _Chain:
    def __new__(cls, forms: Sequence[Form]) -> _Chain: ...
    def run(
        self,
        elements: _Bytes,
        extras: Sequence[_Extra | None],
        result: _Bytes,
        fresh: bool,
        spread: tuple[bool, bool],
        threads: int,
        firsts: Sequence[int] | None,
        /,
    ) -> bool: ...

def _keep(
    conversion: Any,
    chain: _Chain,
    sources: list[dtype[Any]],
    result: dtype[Any],
    tight: bool,
    warn: Callable[[str, NDArray[Any]], None],
    /,
) -> None: ...
def _quick(conversion: Any, x: Any, out: Any = None, seed: Any = None, threads: Any = None, /) -> NDArray[Any] | None: ...
def _set_convert(general: Callable[..., Any], /) -> None: ...
def _keep_tensor(
    conversion: Any, chain: _Chain, source: Any, array: dtype[Any], result: Any, warn: Callable[[str, Any], None], /
) -> None: ...
def _is_opcode(text: str, /) -> bool: ...
def _is_plain_tensor(x: Any, /) -> bool: ...
def _quick_tensor(conversion: Any, x: Any, threads: Any, /) -> Any: ...
def _non_finite(format: str, elements: _Bytes, /) -> tuple[str, int] | None: ...
def _seed_of(seed: int, stage: int) -> int: ...
def _quantize(
    recipe: Recipe,
    numbers: NDArray[Any],
    format: str,
    transposed: bool,
    amax: float | None,
    scale: float | None,
    seed: int | None,
    first: int,
    threads: int,
    /,
) -> tuple[NDArray[Any], NDArray[Any], float | NDArray[np.float32] | None, bool]: ...
def _recipe_of(given: str | PathLike[str] | Recipe) -> Recipe: ...
def _check_amax(amax: float) -> None: ...
def _largest_magnitude(recipe: Recipe, numbers: NDArray[Any], format: str, shape: tuple[int, int]) -> float: ...
def _dequantize(
    recipe: Recipe,
    data: NDArray[Any],
    scales: NDArray[Any],
    global_: float | NDArray[np.float32] | None,
    shape: Sequence[int],
    transposed: bool,
    dtype: np.dtype[Any],
    format: str,
    threads: int,
    /,
) -> NDArray[Any]: ...
def _swizzle(scales: _Bytes, rows: int, columns: int, back: bool) -> _Bytes: ...
def _swizzled_len(rows: int, columns: int) -> int: ...
def _prove(
    a: Block, b: Block, domain: str, up_to_nan: bool, samples: int, first: bool, threads: int
) -> str: ...
def _vectors(
    what: str, rounding: str, overflow: str, signed_nan: bool, random: int, seed: int
) -> tuple[str, str, tuple[NDArray[uint64], NDArray[uint64]]]: ...
def _compare(
    recipes: tuple[Recipe, Recipe],
    numbers: NDArray[Any],
    format: str,
    shape: tuple[int, int],
    amaxes: tuple[float | None, float | None],
    seed: int | None,
    first: int,
    threads: int,
) -> dict[str, Any]: ...

_MOST_RANDOM: int
_MOST_THREADS: int
#: The size of a block along an axis that it covers whole.
_WHOLE_AXIS: int

class _Comparison:
    def __init__(
        self, conversion: str | None, form: str | None, random: int, seed: int, quick: bool, /
    ) -> None: ...
    @property
    def formats(self) -> tuple[str, str]: ...
    @property
    def count(self) -> int: ...
    def fill(self, first: int, inputs: _Bytes) -> None: ...
    def take(self, first: int, results: _Bytes) -> None: ...
    def verdict(self) -> tuple[str, str]: ...
