// RUN: check
// Inline assembly of functions and macros by their arguments, and PTX that a compiler writes.
#include "wrappers.h"

__device__ void device(unsigned d, float a) {
    asm_i32("cvt.rna.tf32.f32 %0, %1;" : "=r"(d) : "f"(a));
    asm_i32("cvt.f16.f32 %0, %1;" : "=h"(d) : "f"(a));
#if __CUDA_ARCH__ >= 800
    _asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h"(d) : "f"(a));
#endif
    other("cvt.f16.f32 %0, %1", d, a);
}

// Host code writes for every target, so the target is not judged.
const char *narrow = "{                      \n"
                     ".reg .b16 t;           \n"
                     "cvt.f16.f32 t, $1;     \n"
                     "mov.b16 $0, t;         \n"
                     "}";
const std::string Fp8 = "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;";
void compile(Builder &b, int bits) {
    b.create<LLVM::InlineAsmOp>(loc, i32, operands, "cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h", false);
    b.create<LLVM::InlineAsmOp>(loc, i32, operands, "cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,f", false);
    b.create<PTXInstr>("cvt.rn.bf16.f32");
    out << "cvt.f16.f32 %h1, %f1;\n";
    out << "cvt.rn.f16.f32 " << d << ", " << a << ";\n";
    fmt("    cvt.rn.$t.$t $v, $v;\n", to, from);
    fmt("    cvt.f16.f32 $v, $v;\n", to, from);
    printf("cvt.f16.f32 %%h%d, %%f%d;\n", 1, 2);
    printf("cvt.rn.%s.f32 %%h1, %%f1;\n", "f16");
    throw std::runtime_error("cvt.f16.f32 d, a; is refused");
    prefix + "cvt.f16.f32 a, b;";
}
#ifdef USE_ROCM
const char *amd = "cvt.f16.f32 $0, $1;";
#endif
