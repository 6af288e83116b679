//! Pasted texts of each language, and texts that look like another one.

use super::*;

#[test]
fn pasted_texts() {
    let guessed = [
        ("import triton.language as tl\nx = tl.inline_asm_elementwise(\"cvt…\")", Language::Python),
        ("def f(x):\n    return x\nimport os", Language::Python),
        ("x = tl.inline_asm_elementwise(\"cvt.f16.f32 $0, $1;\", \"=h,f\", [x])", Language::Python),
        (
            "# nothing\nfrom triton.language import inline_asm_elementwise as e\ny = e(\"cvt\")",
            Language::Python,
        ),
        ("import torch\nptx = \"\"\"\n.version 8.7\n.target sm_90\n\"\"\"\nprint(ptx)\n", Language::Python),
        ("# if we\n# include the header\n@triton.jit\ndef k(x):\n    pass\n", Language::Python),
        ("%1 = call i16 asm sideeffect \"cvt.rn.f16.f32 $0, $1;\", \"=h,f\"(float %0)", Language::Llvm),
        (
            "define i16 @f(float %0) {\n  %2 = tail call i16 asm \"cvt\", \"=h,f\"(float %0)\n}\n",
            Language::Llvm,
        ),
        ("; CHECK: cvt.rn.f16.f32 %rs2, %r1;\n", Language::Llvm),
        ("%0 = llvm.inline_asm \"cvt.f16.f32 $0, $1;\", \"=h,f\" %a : (f32) -> i16", Language::Mlir),
        ("module {\n  llvm.func @f() {\n    llvm.return\n  }\n}", Language::Mlir),
        ("use core::arch::asm;\npub unsafe fn f(x: f32) -> u16 {\n  let h: u16;\n", Language::Rust),
        ("asm!(\"cvt.f16.f32 {}, {};\", out(reg16) h, in(reg32) x);", Language::Rust),
        ("const PTX: &str = r#\"\n.version 8.0\n#include <a.h>\n\"#;\n", Language::Rust),
        (
            "const A: &str = \"\\\n#include <a.h>\n#include <b.h>\n\";\nlet b = \"\n#include <c.h>\n\";",
            Language::Rust,
        ),
        ("{\n \"cells\": [{\"cell_type\": \"code\", \"source\": [\"import torch\"]}]\n}", Language::Notebook),
        ("#include <cuda_fp8.h>\n", Language::Cpp),
        ("# include <cuda_fp8.h>\n", Language::Cpp),
        (
            "import Foo; // a module\n__global__ void k() { asm volatile(R\"(cvt.f16.f32 %0, %1;)\"); }",
            Language::Cpp,
        ),
        ("// Helpers that\n// import packed weights.\n__global__ void k() { asm(\"cvt\"); }", Language::Cpp),
        ("/* import \"weights */\n// r = call the helper\nvoid f() { asm(\"cvt\"); }", Language::Cpp),
        ("const char *ptx = R\"x(\n.version 8.7\nimport torch\n)x\";\nint main() {}\n", Language::Cpp),
        (".version 8.0\n.target sm_90\n// from #include <a.h>", Language::Ptx),
        ("// numbers that we\n// import\n{ .reg .b16 h; @p mov.b16 %0, h;\n@p bra end; }", Language::Ptx),
        ("{ .reg .f32 f; mov.f32 f, %1; }", Language::Ptx),
        ("", Language::Ptx),
    ];
    for (text, language) in guessed {
        assert_eq!(Language::guess(text), language, "{text}");
    }
}

/// Texts that end anywhere, and multi-byte characters.
#[test]
fn cut_texts() {
    let text = "// ä\n'ö' \"ü\\\"\" R\"x(é)x\" r#\"ß\"# \"\"\"→\"\"\" /* ∞ */ # π\n; λ\n#é @ü %ö = ä\n1'000 &'a <'b ^c(";
    for (at, _) in text.char_indices() {
        Language::guess(&text[..at]);
        Language::guess(&text[at..]);
    }
    assert_eq!(Language::guess(&format!("#include <x>\n{}", "é".repeat(HEAD))), Language::Cpp);
}
