"""Compares `ptxcvt.convert` and `ptxcvt.cvt` on arrays of PyTorch and JAX with the conversions of these libraries."""

from __future__ import annotations

import importlib.util

import numpy as np

import ptxcvt


def pytorch() -> str:
    """Compares tensors of every type that PTX converts, with strides, with `Tensor.to`."""
    import torch

    torch.manual_seed(0)
    x = torch.randn(33, 34) * 4
    checked = 0

    def same(found: torch.Tensor, expected: torch.Tensor) -> None:
        nonlocal checked
        assert found.dtype == expected.dtype and found.shape == expected.shape, (found.dtype, expected.dtype)
        found, expected = (tensor.reshape(-1).contiguous().view(torch.uint8) for tensor in (found, expected))
        assert torch.equal(found, expected)
        checked += 1

    for view in (x, x.T, x[::2, 1::3], x.reshape(3, 11, 34).permute(2, 0, 1)):
        for name, dtype in [("e4m3", torch.float8_e4m3fn), ("e5m2", torch.float8_e5m2), ("bf16", torch.bfloat16), ("f16", torch.float16)]:
            narrow = ptxcvt.convert(f"f32->{name}", view)
            same(narrow, view.to(dtype))
            same(ptxcvt.convert(f"{name}->f32", narrow), narrow.to(torch.float32))
        assert ptxcvt.convert("f32->bf16", view).stride() == view.to(torch.bfloat16).stride() or view.stride()[-1] not in (1, 34)
    same(ptxcvt.convert("f32->f16", torch.tensor(1.55)), torch.tensor(1.55).half())
    packed = ptxcvt.convert("f32->e2m1", x, packed=True)
    codes = ptxcvt.convert("f32->e2m1", x)
    same(packed, codes[:, ::2] | codes[:, 1::2] << 4)
    same(ptxcvt.convert("e2m1->f32", packed.view(torch.float4_e2m1fn_x2)), ptxcvt.convert("e2m1->f32", packed))
    registers = ptxcvt.cvt("cvt.rn.bf16x2.f32", x, x)
    same(registers, torch.stack([x, x], -1).bfloat16().view(torch.int32).view(torch.uint32)[..., 0])
    out = torch.empty(33, 34, dtype=torch.bfloat16)
    assert ptxcvt.convert("f32->bf16", x, out=out) is out
    same(out, x.bfloat16())
    parameter = torch.nn.Parameter(x.clone())
    same(ptxcvt.convert("f32->bf16", parameter), x.bfloat16())
    try:
        ptxcvt.convert("f32->bf16", torch.empty(3, device="meta"))
        raise AssertionError("a tensor without data was accepted")
    except ptxcvt.Error as error:
        assert "meta" in str(error)
    return f"{checked} comparisons, 0 differ"


def jax() -> str:
    """Compares arrays of JAX on the CPU with `astype`."""
    import jax.numpy as jnp

    x = jnp.linspace(-9, 9, 1001, dtype=jnp.float32).reshape(7, 143)
    checked = 0
    for name, dtype in [("e4m3", jnp.float8_e4m3fn), ("e5m2", jnp.float8_e5m2), ("bf16", jnp.bfloat16), ("f16", jnp.float16)]:
        found = ptxcvt.convert(f"f32->{name}", x)
        assert type(found) is type(x) and found.dtype == dtype
        np.testing.assert_array_equal(np.asarray(found).view(np.uint8), np.asarray(x.astype(dtype)).view(np.uint8))
        checked += 1
    try:
        ptxcvt.convert("cvt.f64.f32", x)
        raise AssertionError("JAX accepted float64 without jax_enable_x64")
    except ptxcvt.Error as error:
        assert "jax_enable_x64" in str(error)
    return f"{checked + 1} comparisons, 0 differ"


PARTS = {"torch": pytorch, "jax": jax}


def there() -> dict[str, str]:
    """The result for each library that is installed."""
    return {name: part() for name, part in PARTS.items() if importlib.util.find_spec(name)}
