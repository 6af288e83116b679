// RUN: check --target sm_89 --isa 8.1
// Inline assembly of Rust for nvptx: register classes, implicit, numbered and named operands, doubled braces.
use core::arch::asm;

pub unsafe fn pack(a: f32, b: f32) -> u16 {
    let d: u16;
    asm!("cvt.rn.satfinite.e4m3x2.f32 {}, {}, {};", out(reg16) d, in(reg32) a, in(reg32) b);
    d
}

pub unsafe fn all<'a>(a: f32, b: u32, c: u64) -> u32 {
    let (d, h, l, w): (u32, u16, u64, u32);
    asm!("cvt.rna.tf32.f32 {0}, {1};", out(reg32) d, in(reg32) a, options(pure, nomem));
    asm!("cvt.rn.e4m3x2.f32 {0}, {1}, {1};", out(reg16) h, in(reg32) a);
    asm!("cvt.u64.u32 {d}, {s};", s = in(reg32) b, d = lateout(reg64) l);
    asm!("cvt.u64.u32 {d}, {s};", s = in(reg32) b, d = out(reg32) w);
    asm!(
        "{{",
        ".reg .b16 t;",
        "cvt.f16.f32 t, {1};",
        "mov.b32 {0}, {{t, t}};",
        "}}",
        inlateout(reg32) w, in(reg32) a,
    );
    asm!(r#"cvt.u32.u64 {0}, {1};"#, out(reg32) w, in(reg64) c);
    asm!(concat!("cvt.rn.", $round, ".f32 {0}, {1};"), out(reg32) w, in(reg32) a);
    let c = '"';
    /* asm!("cvt.f16.f32"); /* nested */ "cvt.f16.f32" */
    w
}

fn written() -> String {
    let module = "
.version 8.1
.target sm_89
.entry k() {
    .reg .b16 h; .reg .f32 f;
    cvt.rn.f16.f32 h, f;
    cvt.f16.f32 h, f;
}";
    let text = format!("cvt.f16.f32 {}, {};", d, s);
    let opcode = "cvt.rn.f16.f32";
    ptx_asm!("cvt.rn.f16.f32 {0}, {1};", out(reg16) d, in(reg32) s);
    ptx_asm!("cvt.rn.f16.f32 %0, %1;", "=h"(d), "r"(s));
    ptx_asm!("cvt.f16.f32 %0, %1;", "=h"(d), "f"(s));
    format!("expected cvt.f16.f32 d, a; found {text} {opcode} {module}")
}
