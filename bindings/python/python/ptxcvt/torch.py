"""PyTorch's inline PTX on the CPU.

``torch._higher_order_ops.inline_asm_elementwise`` (PyTorch 2.12 and newer) refuses tensors on the CPU. After
``ptxcvt.torch.install()`` it runs there, also with several outputs and ``pack``, which otherwise need
``torch.compile``::

    import ptxcvt.torch

    ptxcvt.torch.install()
"""

from __future__ import annotations

from typing import Any

import torch
from ptxcvt._native import Error
from ptxcvt._run import run

__all__ = ["inline_asm_elementwise", "install"]


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

    Instructions whose bits the manual does not fix, such as ``ex2.approx``, are computed correctly rounded;
    ``approximate=False`` refuses them.
    """
    if not inputs:
        raise ValueError("inline_asm_elementwise requires at least one input tensor")
    return run(asm_str, constraints, *_widened(inputs, constraints), dtype=dtype, pack=pack, approximate=approximate)


def _widened(inputs: tuple[torch.Tensor, ...], constraints: str) -> list[torch.Tensor]:
    """Returns the inputs, with halves converted to f32 if the constraint is `f`, as PyTorch's compiler does."""
    letters = [part.strip() for part in constraints.split(",") if not part.strip().startswith(("=", "~"))]
    narrow = (torch.float16, torch.bfloat16)
    if len(letters) != len(inputs):
        # With several registers per input, halves share them.
        return list(inputs)
    return [x.float() if letter == "f" and x.dtype in narrow else x for x, letter in zip(inputs, letters)]


def install() -> None:
    """Makes this the operator's implementation for CPU tensors. A second call has no effect."""
    try:
        from torch._higher_order_ops import inline_asm_elementwise as module
    except ImportError:
        raise Error(f"PyTorch {torch.__version__} has no inline_asm_elementwise: install 2.12 or newer") from None
    # The package exports its function under the module's name.
    operator = getattr(module, "inline_asm_elementwise", module)
    key = torch._C.DispatchKey.CPU
    if key in operator.py_kernels:
        return
    operator.py_impl(key)(inline_asm_elementwise)
    # The cache would lead calls that failed before to the same failure.
    operator._dispatch_cache.clear()
