//! Assembly of other machines is counted, and neither judged nor fixed.

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

use crate::{check, cpp};

const OTHER: &str = "it is another machine's assembly";
const HOST: &str = "no device compiler sees it";

#[test]
fn other_machines() {
    let operands = ": \"=r\"(d) : \"r\"(a)";
    for (statement, reason) in [
        // ARM, by its instruction and its registers.
        (format!("asm(\"vcvt.f32.s32 q0, q0\" {operands})"), OTHER),
        (format!("asm(\"cvt.f32.s32 q0, q1;\" {operands})"), OTHER),
        // Recognised by its clobbers and by its constraints.
        (format!("asm(\"cvt.f32.s32 %0, %1;\" {operands} : \"memory\", \"q0\")"), OTHER),
        ("asm(\"cvt.s32.f32 %0, %1;\" : \"=r\"(d) : \"t\"(a))".to_owned(), OTHER),
        // MIPS.
        ("asm(\"cvt.l.d %0, %1\" : \"=f\"(d) : \"f\"(a))".to_owned(), OTHER),
        ("asm(\"mtc1 %1, $f0\\n\\tcvt.d.w %0, $f0\" : \"=f\"(d) : \"r\"(a))".to_owned(), OTHER),
        (format!("\n#ifdef __mips__\nasm(\"cvt.f32.s32 %0, %1;\" {operands})\n#endif\n"), HOST),
        (
            format!("\n#if defined(_M_ARM) || __arm__\nasm(\"cvt.f32.s32 %0, %1;\" {operands})\n#endif\n"),
            HOST,
        ),
    ] {
        let text = format!("void f() {{ {statement}; }}");
        assert_eq!(cpp(&text), Vec::<String>::new(), "{text}");
        let stats = check(&text, Language::Cpp, &CheckOptions::default()).stats;
        assert_eq!((stats.conversions, stats.skipped.get(reason)), (0, Some(&1)), "{text}");
    }
}

/// What NVIDIA's compilers accept is judged.
#[test]
fn this_machine() {
    let operands = ": \"=h\"(d) : \"f\"(a)";
    for statement in [
        format!("asm(\"cvt.f16.f32 %0, %1;\" {operands} : \"memory\", \"cc\")"),
        format!("asm(\"{{ .reg .b16 d0; cvt.f16.f32 d0, %1; mov.b16 %0, d0; }}\" {operands})"),
        format!("\n#ifndef __mips__\nasm(\"cvt.f16.f32 %0, %1;\" {operands})\n#endif\n"),
        format!("\n#ifdef __aarch64__\nasm(\"cvt.f16.f32 %0, %1;\" {operands})\n#endif\n"),
    ] {
        let text = format!("void f() {{ {statement}; }}");
        assert_eq!(cpp(&text).len(), 1, "{text}");
    }
}

/// A string of a compiler for several machines.
#[test]
fn strings_of_programs() {
    let text = "emit(\"cvt.l.d $f0, $f2;\");";
    assert_eq!(cpp(text), Vec::<String>::new());
    assert_eq!(check(text, Language::Cpp, &CheckOptions::default()).stats.skipped.get(OTHER), Some(&1));
}
