# RUN: check --target sm_100a --isa 8.7
"""Documentation: cvt.f16.f32 d, a; is not judged."""
import textwrap

ROUND = {"nearest": "rn", "zero": "rz", "up": "rp"}
OPCODES = {tl.float16: "cvt.rn.f16.f32", tl.bfloat16: "cvt.rp.bf16.f32"}
REGISTERS = {tl.float16: "=h", tl.bfloat16: "=r"}
HEAD = "cvt.rn.satfinite"


@triton.jit
def kernel(x, mode: tl.constexpr, dtype: tl.constexpr, fast):
    # Every rounding of the table; these types have no `.rp`.
    y = tl.inline_asm_elementwise(f"cvt.{ROUND[mode]}.f16x2.f32 $0, $1, $2;", "=r,f,f", [x, x])
    # The key chooses both: `=r` is wrong for one of them.
    y = tl.inline_asm_elementwise(f"{OPCODES[dtype]} $0, $1;", REGISTERS[dtype] + ",f", [x])
    y = tl.inline_asm_elementwise(f"{HEAD}.e4m3x2.f32 $0, $1, $2;", "=h,f,f", [x, x])
    y = tl.inline_asm_elementwise(HEAD + ".e5m2x2.f32 $0, $1, " + "$2;", "=r,f,f", [x, x])
    if dtype == tl.float16:
        half = "f16"
    else:
        half = "bf16"
    y = tl.inline_asm_elementwise(f"cvt.{half}.f32 $0, $1;", "=h,f", [x])
    if dtype == tl.float16:
        register = "h"
    elif dtype == tl.bfloat16:
        register = "h"
    else:
        register = "r"
    # Conditions with one text have one outcome. `=r` is wrong with a type that is neither, if there is one.
    y = tl.inline_asm_elementwise(f"cvt.rn.{half}.f32 $0, $1;", "=h,f" if dtype == tl.float16 else f"={register},f", [x])
    if fast:
        letter = "h"
    else:
        letter = "f"
    # Two conditions, which may exclude each other.
    y = tl.inline_asm_elementwise(f"cvt.rn.{half}.f32 $0, $1;", f"={letter},f", [x])
    y = tl.inline_asm_elementwise("cvt.f16.f32 $0, $1;" if fast else "cvt.rn.f16.f32 $0, $1;", "=h,f", [x])
    y = tl.inline_asm_elementwise("cvt.{}.{t}.f32 $0, $1;".format("rn", t="f16"), "=h,f", [x])
    y = tl.inline_asm_elementwise("cvt.{}.{t}.f32 $0, $1;".format("rn", t="f17"), "=h,f", [x])
    y = tl.inline_asm_elementwise("{{ .reg .b16 t; cvt.f16.f32 t, $1; mov.b16 $0, t; }}".format(), "=h,f", [x])
    y = tl.inline_asm_elementwise("\n".join(["{ .reg .b16 t;", "cvt.f16.f32 t, $1;", "mov.b16 $0, t; }"]), "=h,f", [x])
    asm = "{ .reg .b16 t;"
    asm += " cvt.f16.f32 t, $1;"
    asm += " mov.b16 $0, t; }"
    y = tl.inline_asm_elementwise(asm, "=h,f", [x])
    for kind in ["f16", "bf16", "f15"]:
        y = tl.inline_asm_elementwise(f"cvt.rn.{kind}.f32 $0, $1;", "=h,f", [x])
    for kind in ["f16", "f14", "f13"]:
        if kind == "f14":
            continue
        y = tl.inline_asm_elementwise(f"cvt.rn.{kind}.f32 $0, $1;", "=h,f", [x])
    for kind in ["f16", "f12"]:
        # What this excludes is not followed.
        if kind.endswith("2"):
            continue
        y = tl.inline_asm_elementwise(f"cvt.rn.{kind}.f32 $0, $1;", "=h,f", [x])
    y = tl.inline_asm_elementwise(textwrap.dedent("""
        cvt.f16.f32 $0, $1;
    """), "=h,f", [x])
    # Not known: a parameter, a format, arithmetic.
    y = tl.inline_asm_elementwise(f"cvt.{mode}.f16.f32 $0, $1;", "=h,f", [x])
    y = tl.inline_asm_elementwise(f"cvt.{HEAD!r}.f16.f32 $0, $1;", "=h,f", [x])
    y = tl.inline_asm_elementwise("cvt.%s.f16.f32 $0, $1;" % mode, "=h,f", [x])
    return y


def early(x, dtype):
    opcode = {"half": "cvt.rn.f16.f32", "none": "cvt.nothing.f32"}[dtype]
    if dtype == "none":
        return x
    assert dtype != "wide", "not here"
    y = tl.inline_asm_elementwise(f"{opcode} $0, $1;", "=h,f", [x])
    return tl.inline_asm_elementwise({"half": "cvt.f16.f32", "wide": "cvt.f11.f32"}[dtype] + " $0, $1;", "=h,f", [x])


def others(builder, a, b, width):
    ir.InlineAsm(fnty, "cvt.f16.f32 $0, $1;", "=h,f", side_effect=False)
    ir.InlineAsm.get(fnty, "cvt.rn.f16.f32 $0, $1;", "=h,f")
    llvm.InlineAsmOp(i32, [a], asm_string="cvt.rn.f16x2.e4m3x2 $0, $1;", constraints="=r,f")
    my_wrapper(i32, "cvt.f16.f32 $0, $1;", "=h,f", [a])
    cute.arch.inline_ptx("cvt.rz.f16.f32 {$w0}, {$r0};", write_only_types=[Float16], read_only_args=[Float32(a)])
    cute.arch.inline_ptx("cvt.rz.f16.f32 {$w0}, {$r0};", write_only_types=[Float16], read_only_args=[Int16(a)])
    cute.arch.inline_ptx("cvt.f16.f32 {$w0}, {$r0};", write_only_types=[cutlass.Float16], read_only_args=[a])
    emit("cvt.f16.f32 %h1, %f1;")
    emit("cvt.rn.f16.f32 ", a, ", ", b, ";")
    emit(f"cvt.s{width}.f32 %r1, %f1;")
    emit(f"cvt.f16.f32 {a}, {b};")
    raise ValueError("cvt.f16.f32 d, a; is refused")


MODULE = """
.version 8.7
.target sm_100a
.entry k() {
    .reg .b16 h; .reg .f32 f;
    cvt.rn.f16.f32 h, f;
    cvt.f16.f32 h, f;
}
"""
KERNEL = "__global__ void k(short *d, float a) {\n  asm(\"cvt.f16.f32 %0, %1;\" : \"=h\"(*d) : \"f\"(a));\n}\n"
