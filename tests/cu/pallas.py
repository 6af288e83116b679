# RUN: check --target sm_90 --isa 8.0
from jax.experimental.pallas import triton as plgpu
import jax.numpy as jnp


def kernel(x_ref, o_ref):
    [y] = plgpu.elementwise_inline_asm(
        "cvt.rn.bf16x2.f32 $0, $1, $2;",
        args=[x_ref[...], x_ref[...]],
        constraints="=r,f,f",
        pack=1,
        result_shape_dtypes=[o_ref],
    )
    [y] = plgpu.elementwise_inline_asm("cvt.f32.bf16 $0, $1;", args=[y], constraints="=f,h", pack=1, result_shape_dtypes=[o_ref])
    [y] = plgpu.elementwise_inline_asm("cvt.rn.bf16.s32 $0, $1;", args=[y], constraints="=h,r", pack=1, result_shape_dtypes=[o_ref])
    [y] = plgpu.elementwise_inline_asm("cvt.bf16.s32 $0, $1;", args=[y], constraints="=h,r", pack=1, result_shape_dtypes=[o_ref])
    [y] = plgpu.elementwise_inline_asm("""
      { .reg .b32 a<4>;
        cvt.u32.u8 a0, $1;
        cvt.u32.u16 a1, $2;
        add.u32 $0, a0, a1; }
    """, args=[y], constraints="=r,h,h", pack=1, result_shape_dtypes=[o_ref])
    [y] = plgpu.elementwise_inline_asm("cvt.rs.f16x2.f32 $0, $1, $2, $3;", args=[y], constraints="=r,f,f,r", pack=1, result_shape_dtypes=[o_ref])
    [y] = plgpu.elementwise_inline_asm("cvt.rni.ftz.f32.f32 $0, $1;", args=[y], constraints="=f,f", pack=1, result_shape_dtypes=[o_ref])
    o_ref[...] = y
