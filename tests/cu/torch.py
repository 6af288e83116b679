# RUN: check --target sm_100a --isa 8.7
import torch
from torch._higher_order_ops import inline_asm_elementwise

ASM_E8M0 = "cvt.rp.satfinite.ue8m0x2.f32 $0, 0.0, $1;"
ASM_FP4 = (
    "{ .reg .b8 b0, b1, b2, b3; "
    "cvt.rn.satfinite.e2m1x2.f32 b0, $2, $1; "
    "cvt.rn.e2m1x2.f32 b1, $4, $3; "
    "mov.b32 $0, {b0, b1, b0, b1}; }"
)


def to_e8m0(x: torch.Tensor) -> torch.Tensor:
    return inline_asm_elementwise(x, asm_str=ASM_E8M0, constraints="=h,f", dtype=torch.uint16, is_pure=True, pack=1)


def to_e8m0_bits(x):
    return inline_asm_elementwise(x, asm_str="cvt.rp.ue8m0x2.f32 $0, 0.0, $1;", constraints="=h,r", dtype=torch.uint16, is_pure=True, pack=1)


def to_fp4(a, b, c, d):
    return inline_asm_elementwise(a, b, c, d, asm_str=ASM_FP4, constraints="=r,f,f,f,f", dtype=torch.int32)


def others(x, r):
    y = inline_asm_elementwise(x, asm_str="cvt.rs.f16x2.f32 $0, $1, $2, $3;", constraints="=r,f,f,r", dtype=torch.int32)
    y = inline_asm_elementwise(x, asm_str="cvt.rs.satfinite.e2m1x4.f32 $0, {$1, $2, $3, $4}, $5;", constraints="=h,f,f,f,f,r", dtype=torch.int32)
    y = inline_asm_elementwise(x, asm_str="cvt.rn.bf16x2.ue8m0x2 $0, $1;", constraints="=r,h", dtype=torch.int32)
    y = inline_asm_elementwise(x, asm_str="cvt.rn.bf16x2.e2m1x2 $0, $1;", constraints="=r,h", dtype=torch.int32)
    y = inline_asm_elementwise(x, asm_str=make_asm(x), constraints="=r,h", dtype=torch.int32)
    y = inline_asm_elementwise(x, asm_str="cvt.{}.f16.f32 $0, $1;".format("rn"), constraints="=h,f", dtype=torch.int32)
    y = inline_asm_elementwise(x, asm_str="cvt.rn.f16.f32 $0, $1, $2;", constraints="=h,f,f", dtype=torch.int32)
    y = inline_asm_elementwise(x, asm_str=r"cvt.rzi.s32.f32 $0, $1;", constraints=r"=r,f", dtype=torch.int32)
    y = inline_asm_elementwise(x, asm_str="cvt.rni.s32.f32 $0, $1;", constraints="=r,0", dtype=torch.int32)
    return y
