# RUN: check --target sm_89 --isa 8.1
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, y_ptr, N: tl.constexpr):
    x = tl.load(x_ptr)
    y = tl.inline_asm_elementwise("cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f", [x, x], dtype=tl.uint16, is_pure=True, pack=1)
    y = tl.inline_asm_elementwise(
        asm="""
        {
            .reg .b16 lo, hi;
            cvt.rn.satfinite.e4m3x2.f32 lo, $2, $1;
            cvt.rn.satfinite.e4m3x2.f32 hi, $4, $3;
            mov.b32 $0, {lo, hi};
        }
        """,
        constraints=("=r,f,f,f,f"),
        args=[x],
        dtype=tl.float32,
        is_pure=True,
        pack=4,
    )
    z = tl.inline_asm_elementwise(asm="cvt.rna.tf32.f32 $0, $1;", constraints="=r, r", args=[x], dtype=tl.float32, is_pure=True, pack=1)
    z = tl.inline_asm_elementwise("cvt.rn.e4m3x2.f32 $0, $1, $2;", "=h,f,f", [x, x], dtype=tl.uint16, is_pure=True, pack=1)
    z = tl.inline_asm_elementwise("cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,r", [x], dtype=tl.uint16, is_pure=True, pack=2)
    z = tl.inline_asm_elementwise('cvt.u16.u32 $0, $1;', '=h,r', [x], dtype=tl.uint16, is_pure=True, pack=2)
    z = tl.inline_asm_elementwise("""{ .reg .b32 t; cvt.u32.u16 t, $1; shl.b32 $0, t, 16; }""", "=r,h", [x], dtype=tl.uint16, is_pure=True, pack=2)
    z = tl.inline_asm_elementwise(
        "cvt.rn.f16.f32 $0, "  # the destination
        "$1;",
        "=h,f", [x], dtype=tl.float16, is_pure=True, pack=1)
    z = tl.inline_asm_elementwise("cvt.rn.bf16x2.e4m3x2 $0, $1;", "=r,h", [x], dtype=tl.bfloat16, is_pure=True, pack=2)
    z = tl.inline_asm_elementwise(f"cvt.{ROUND}.f16.f32 $0, $1;", "=h,f", [x], dtype=tl.float16, is_pure=True, pack=1)
    z = tl.inline_asm_elementwise(f"cvt.rn.f16.f32 $0, {source};", "=h,f", [x], dtype=tl.float16, is_pure=True, pack=1)
    z = tl.inline_asm_elementwise(f"{{ .reg .b16 t; cvt.f16.f32 t, $1; mov.b16 $0, t; }}", "=h,f", [x], dtype=tl.float16, is_pure=True, pack=1)
    z = tl.inline_asm_elementwise("cvt.rn.f16.f32 $0, $1;", ",".join(["=h", "r"]), [x], dtype=tl.float16, is_pure=True, pack=1)
    tl.store(y_ptr, y)
