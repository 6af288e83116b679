//! The language of a text without a name, such as one that was pasted.

use super::language::Language;

/// Words that identify a language: one is enough. They do not occur in the other languages outside of comments.
const WORDS: [(Language, &[&str]); 3] = [
    (Language::Llvm, &["target triple", " asm sideeffect \"", "define void @", "llvm.inline_asm", "= call "]),
    (
        Language::Python,
        &["inline_asm_elementwise", "import triton", "import torch", "import numpy", "\ndef ", "import "],
    ),
    (
        Language::Cpp,
        &["#include", "__device__", "__global__", "asm volatile", "asm(", "asm (", "__asm__", "namespace "],
    ),
];

impl Language {
    /// The language that a text seems to be in: [`Language::Ptx`] if nothing else is likely.
    ///
    /// ```
    /// use ptxcvt_syntax::sources::Language;
    /// assert_eq!(Language::guess("cvt.rn.f16.f32 %0, %1;"), Language::Ptx);
    /// assert_eq!(Language::guess("asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(d) : \"f\"(a));"), Language::Cpp);
    /// ```
    pub fn guess(text: &str) -> Language {
        // A module names its version before anything else but comments.
        let module = text.lines().any(|line| line.trim_start().starts_with(".version"));
        let found = |words: &[&str]| words.iter().any(|word| text.contains(word));
        let named = WORDS.into_iter().find(|(_, words)| found(words));
        named.filter(|_| !module).map_or(Language::Ptx, |(language, _)| language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_texts() {
        let guessed = [
            ("import triton.language as tl\nx = tl.inline_asm_elementwise(\"cvt…\")", Language::Python),
            ("def f(x):\n    return x\nimport os", Language::Python),
            ("%1 = call i16 asm sideeffect \"cvt.rn.f16.f32 $0, $1;\", \"=h,f\"(float %0)", Language::Llvm),
            ("#include <cuda_fp8.h>\n", Language::Cpp),
            (".version 8.0\n.target sm_90\n// from #include <a.h>", Language::Ptx),
            ("{ .reg .f32 f; mov.f32 f, %1; }", Language::Ptx),
            ("", Language::Ptx),
        ];
        for (text, language) in guessed {
            assert_eq!(Language::guess(text), language, "{text}");
        }
    }
}
