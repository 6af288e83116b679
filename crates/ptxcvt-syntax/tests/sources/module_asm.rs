//! `module asm` of LLVM IR.

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

use super::found;

/// It has declarations and functions, over several lines.
#[test]
fn assembly_of_a_module() {
    let llvm = |text: &str| found(text, Language::Llvm, &CheckOptions::default());
    let body = ".visible .func f() { .reg .f32 a; .reg .b16 h; OP h, a; ret; }";
    for (opcode, expected) in [("cvt.rn.f16.f32", None), ("cvt.f16.f32", Some("1 error CVT006"))] {
        let text = format!("module asm \"{}\"\n", body.replace("OP", opcode));
        assert_eq!(llvm(&text), expected.into_iter().collect::<Vec<_>>(), "{text}");
    }
    let lines = body.replace("OP", "cvt.f16.f32").replace("; ", ";\n").replace("{ ", "{\n");
    let text: String = lines.lines().map(|line| format!("module asm \"{line}\"\n")).collect();
    assert_eq!(llvm(&text), ["4 error CVT006"]);
    // The target of the module counts.
    let text = format!(
        "module asm \"{}\"\nattributes #0 = {{ \"target-cpu\"=\"sm_80\" }}\n",
        body.replace("OP h, a", "cvt.rn.satfinite.e4m3x2.f32 h, a, a")
    );
    assert_eq!(llvm(&text), ["1 error CVT011"]);
    // An undeclared register is one.
    let text = format!("module asm \"{}\"\n", body.replace("OP h", "cvt.rn.f16.f32 g"));
    assert_eq!(llvm(&text).len(), 1);
}
