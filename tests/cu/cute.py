# RUN: check --target sm_100a --isa 8.7
from cutlass import cute
from cutlass._mlir.dialects import llvm
from cutlass.cutlass_dsl import T, dsl_user_op


@dsl_user_op
def cvt_f32x2_e2m1x2(a, b, *, loc=None, ip=None):
    return llvm.inline_asm(
        T.i32(),
        [a, b],
        "{ .reg .b8 byte0; .reg .b16 pair; cvt.rn.satfinite.e2m1x2.f32 byte0, $1, $2; "
        "mov.b16 pair, {byte0, 0}; cvt.u32.u16 $0, pair; }",
        "=r,f,f",
        has_side_effects=False,
        is_align_stack=False,
        asm_dialect=llvm.AsmDialect.AD_ATT,
    )


def others(a, b, loc=None, ip=None):
    x = llvm.inline_asm(T.i16(), [a, b], "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f", has_side_effects=False)
    x = llvm.inline_asm(T.i32(), [a], "cvt.rn.f16x2.e2m1x2 $0, $1;", "=r,h", has_side_effects=False)
    x = llvm.inline_asm(T.i32(), [a], "{ .reg .b8 b, c; mov.b16 {b, c}, $1; cvt.rn.f16x2.e2m1x2 $0, b; }", "=r,h")
    x = llvm.inline_asm(T.i16(), [a], "cvt.rp.satfinite.ue8m0x2.f32 $0, 0f00000000, $1;", "=h,f")
    x = llvm.inline_asm(T.i32(), [a], "cvt.rn.bf16x2.ue8m0x2 $0, $1;", "=r,h")
    x = llvm.inline_asm(T.f32(), [a], "cvt.f32.bf16 $0, $1;", "=f,h")
    x = llvm.inline_asm(T.f32(), [a], "cvt.f32.bf16 $0, $1;", "=f,f")
    x = llvm.inline_asm(T.i32(), [a, b], "cvt.rn.f16x2.f32 $0, $2, $1;", "=r,f,f")
    x = llvm.inline_asm(T.i32(), [a, b], "cvt.f16x2.f32 $0, $2, $1;", "=r,f,f")
    x = llvm.inline_asm(None, [a, b], "cvt.rzi.s32.f32 $0, $1;", "=r,f,~{memory}")
    x = llvm.inline_asm(T.i64(), [a], "cvt.s64.s32 $0, $1;", "=l,r")
    x = llvm.inline_asm(T.i64(), [a], "cvt.s64.s32 $0, $1;", "=r,r")
    return x
