//! Inline assembly in every language: findings are inside the source, whatever its text.

use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Source};

/// Valid sources. The first byte is the digit of the language among all.
pub const SEEDS: &[&str] = &[
    "1#if __CUDA_ARCH__ >= 890 && !defined(X)\nasm volatile(\"{cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;}\\n\"\n#else\n\
     asm(R\"(mov.b16 %0, 0;)\"\n#endif\n : \"=h\"(d) : \"f\"(a), \"f\"(b));",
    // Macros that make assemblies, of arguments, of each other and of themselves, and branches between their strings.
    "1#define T(n) \"f\" #n\n#define CVT(a, ...) do { asm(\"cvt\" a \".\" T(16) #__VA_ARGS__ \" %0, %1;\" \\\n : \"=h\"(d) : \"f\"(a)); } while (0)\n\
     #pragma push_macro(\"Q\")\n#define Q R \".rn\"\n#define R Q\n#pragma pop_macro(\"Q\")\nvoid f() { CVT(\".rn\", .f32); asm(\"cvt\" Q\n\
     #if defined(A)\n R ##x\n#else\n T(1)\n#endif\n \".f32 %0, %1;\" : \"=h\"(d) : \"f\"(a)); }",
    "1#if !defined(H)\n#define H\nvoid f() { if ((unsigned)(__CUDA_ARCH__ - 801) < 9u) return; goto low; low: asm(\"cvt.f16.f32 %0, %1;\" : : ); }\n\
     namespace a { void g() { if (x) goto low; low: ; } }\n#endif",
    "2op = 'cvt.rn.f16.f32 $0, $1;'\ny = tl.inline_asm_elementwise(f'{op}', '=h,f', [x], dtype=tl.float16, is_pure=True, pack=1)",
    "3%1 = call i16 asm \"cvt.rn.bf16.f32 $0, $1;\", \"=h,f\"(float %0)",
    "4%r = llvm.inline_asm has_side_effects \"cvt.rn.bf16.f32 $0, $1;\", \"=h,f\" %a : (f32) -> i16\n\
     %s = nvvm.inline_ptx \"cvt.rn.f16.f32 {$w0}, {$r0};\" ro(%a : f32) -> i16",
    "5asm!(r#\"cvt.rn.f16.f32 {}, {x};\"#, out(reg16) d, x = in(reg32) a);\nptx_asm!(\"cvt.rn.f32.s32 %0, \\u{25}1;\");",
    "6{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"%%cu\\n\",\"asm(\\\"cvt.f16.f32 %0, %1;\\\" : \\\"=h\\\"(d) : \\\"f\\\"(a));\"]}],\"metadata\":{}}",
];

/// Checks the bytes as a source.
///
/// # Panics
///
/// Panics if a finding is outside the text.
pub fn run(bytes: &[u8]) {
    let Some((first, text)) = bytes.split_first() else { return };
    let language = Language::ALL[usize::from(first.wrapping_sub(b'0')) % Language::ALL.len()];
    let source = Source::new("fuzz", text);
    let found = check_source(&source, language, &CheckOptions::default());
    for d in &found.diagnostics {
        assert!(source.text().get(d.span().range()).is_some(), "{d:?}");
    }
}
