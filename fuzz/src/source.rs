//! Inline assembly in CUDA C++, Python and LLVM IR: findings are inside the source, whatever its text.

use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Source};

/// Valid sources. The first byte selects the language.
pub const SEEDS: &[&str] = &[
    "0#if __CUDA_ARCH__ >= 890 && !defined(X)\nasm volatile(\"{cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;}\\n\"\n#else\n\
     asm(R\"(mov.b16 %0, 0;)\"\n#endif\n : \"=h\"(d) : \"f\"(a), \"f\"(b));",
    "1op = 'cvt.rn.f16.f32 $0, $1;'\ny = tl.inline_asm_elementwise(f'{op}', '=h,f', [x], dtype=tl.float16, is_pure=True, pack=1)",
    "2%1 = call i16 asm \"cvt.rn.bf16.f32 $0, $1;\", \"=h,f\"(float %0)",
];

/// Checks the bytes as a source.
///
/// # Panics
///
/// Panics if a finding is outside the text.
pub fn run(bytes: &[u8]) {
    let Some((first, text)) = bytes.split_first() else { return };
    let languages = [Language::Cpp, Language::Python, Language::Llvm];
    let language = languages[usize::from(*first) % languages.len()];
    let source = Source::new("fuzz", text);
    let found = check_source(&source, language, &CheckOptions::default());
    for d in &found.diagnostics {
        assert!(source.text().get(d.span().range()).is_some(), "{d:?}");
    }
}
