//! Texts of the search box, and the conversions that they mean.

use super::*;

fn opcode(text: &str) -> String {
    answer(text).opcode
}

#[test]
fn formats_are_understood() {
    for text in ["e4m3", "f32 to e4m3", "f32->e4m3", "e4m3 from f32", "float8_e4m3fn", "e4m3x2", ".e4m3x2"] {
        assert_eq!(opcode(text), "cvt.rn.satfinite.e4m3x2.f32", "{text}");
    }
    assert_eq!(opcode("e4m3 to f16"), "cvt.rn.f16x2.e4m3x2");
    assert_eq!(opcode("bf16 → f32"), "cvt.f32.bf16");
    assert_eq!(opcode("f32"), "cvt.f32.f16");
    assert_eq!(answer("f32 to e4m3").meaning.as_deref(), Some("f32 to e4m3"));
}

#[test]
fn numbers_of_elements_roundings_and_modifiers_are_understood() {
    for (text, expected) in [
        ("f32 to f16x2", "cvt.rn.f16x2.f32"),
        ("f32 to f16x2 1 2", "cvt.rn.f16x2.f32"),
        ("f32 to e4m3x4 rs", "cvt.rs.satfinite.e4m3x4.f32"),
        ("f32 to ue8m0 rp", "cvt.rp.ue8m0x2.f32"),
        ("ue8m0 .rz 2", "cvt.rz.ue8m0x2.f32"),
        ("f32 to e4m3 relu 1", "cvt.rn.satfinite.relu.e4m3x2.f32"),
        ("f16 .rz", "cvt.rz.f16.f32"),
    ] {
        let found = answer(text);
        assert_eq!((found.problem.as_deref(), &*found.opcode), (None, expected), "{text}");
    }
    // Only with the rounding is there a way, and it takes two steps.
    let two = answer("e4m3 to ue8m0 rp");
    assert_eq!(two.problem.as_deref(), Some("e4m3 to ue8m0 takes 2 conversions"));
    assert!(two.steps.len() == 2 && two.steps[1].starts_with("cvt.rp."), "{:?}", two.steps);
    for (text, expected) in [
        ("f32 to ue8m0", "from f32 to ue8m0, a rounding must be chosen: .rz .rp"),
        ("f32 to e4m3x4", "from f32 to e4m3, a rounding must be chosen: .rs"),
        ("f16x2 to f32", "from f16 to f32, one instruction converts another number of elements: 1"),
        ("s32 to u4", "there is no `cvt` from s32 to u4; only `cvt.pack` converts to u4, from s32"),
        ("f32 to e4m3 ftz", "from f32 to e4m3, not every modifier chosen is legal"),
    ] {
        let problem = answer(text).problem.unwrap_or_default();
        assert!(problem.starts_with(expected), "{text}: {problem}");
    }
}

#[test]
fn lines_of_ptx_are_understood() {
    let line = answer("  @!%p1 cvt.rn.f16x2.f32 %r1, 0f3F800000, %f2; // two");
    assert_eq!(
        (&*line.opcode, &line.operands[..]),
        ("cvt.rn.f16x2.f32", &[Some("0f3F800000".into()), None][..])
    );
    assert_eq!(line.at, Some(8));
    let vector = answer("cvt.rs.satfinite.e4m3x4.f32 %r0, {%f1, %f2, 0f40000000, %f4}, %r9;");
    assert_eq!(given(&vector), ["", "", "0f40000000", "", ""]);
    assert_eq!(opcode(".reg .f32 f; cvt.u32.f32 d, f;"), "cvt.u32.f32");
}

/// The operands of a text; empty for registers.
fn given(answer: &Answer) -> Vec<&str> {
    answer.operands.iter().map(|operand| operand.as_deref().unwrap_or_default()).collect()
}

#[test]
fn operands_follow_as_in_the_command() {
    for (text, expected) in [
        ("cvt.rn.f16x2.f32 1 -2", &["1", "-2"][..]),
        ("cvt.rn.f16x2.f32 1,-2", &["1", "-2"]),
        ("cvt.rn.f16x2.f32 {1, -2};", &["1", "-2"]),
        ("cvt.rn.f16x2.f32 nan, -inf", &["nan", "-inf"]),
        ("cvt.rn.f16.f32 nan", &["nan"]),
        ("cvt.rn.f16.f32 abc", &["abc"]),
        ("cvt.rs.satfinite.e4m3x4.f32 {1,2,3,4} 5", &["1", "2", "3", "4", "5"]),
        ("cvt.rn.bf16x2.e4m3x2 1.5,-448;", &["1.5,-448"]),
        // Registers keep the operands that are there.
        ("cvt.rn.f16x2.f32 d, a, 2", &["", "2"]),
        ("cvt.rn.f16.f32 %h", &[]),
        ("cvt .rn.f16.f32", &[]),
    ] {
        let found = answer(text);
        assert_eq!(given(&found), expected, "{text}");
        assert_eq!(found.problem, None, "{text}");
    }
    for text in ["ptxcvt eval cvt.rn.f16x2.f32 1 -2", "  $ ptxcvt eval  cvt.rn.f16x2.f32 1 -2"] {
        let found = answer(text);
        assert_eq!((&*found.opcode, given(&found)), ("cvt.rn.f16x2.f32", vec!["1", "-2"]), "{text}");
        assert_eq!(found.at, text.find("cvt."), "{text}");
    }
    let two = answer("cvt.rn.f16.f32 %h1, 1.5; cvt.rn.f16.f32 %h2, 2.5;");
    assert_eq!(two.meaning.as_deref(), Some("the first conversion of this PTX"));
    for text in ["cvt.rn", "cvt.rn.satfinit.e4m3x2.f32", "", "1/3", "add.f32 a, b, c;"] {
        assert!(answer(text).meaning.is_none(), "{text}");
    }
}

#[test]
fn formats_take_numbers() {
    for (text, opcode, numbers, meaning) in [
        (
            "f32 to e4m3 1.5",
            "cvt.rn.satfinite.e4m3x2.f32",
            &["1.5", "0"][..],
            "f32 to e4m3; the other element is 0",
        ),
        ("f32 to e4m3 1.5 -2", "cvt.rn.satfinite.e4m3x2.f32", &["1.5", "-2"], "f32 to e4m3"),
        ("f32->e4m3 1.5, -2", "cvt.rn.satfinite.e4m3x2.f32", &["1.5", "-2"], "f32 to e4m3"),
        ("f32 -> e4m3 {1.5,-2}", "cvt.rn.satfinite.e4m3x2.f32", &["1.5", "-2"], "f32 to e4m3"),
        ("f16 from f32 1.5", "cvt.rn.f16.f32", &["1.5"], "f32 to f16"),
        ("f16 1.5", "cvt.rn.f16.f32", &["1.5"], "f32 to f16"),
        ("e4m3 to f16 1.5", "cvt.rn.f16x2.e4m3x2", &["1.5,0"], "e4m3 to f16; the other element is 0"),
        ("e4m3 to f16 1.5 2 // both", "cvt.rn.f16x2.e4m3x2", &["1.5,2"], "e4m3 to f16"),
        ("f32 to f16 abc", "cvt.rn.f16.f32", &["abc"], "f32 to f16"),
    ] {
        let found = answer(text);
        assert_eq!((&*found.opcode, given(&found)), (opcode, numbers.to_vec()), "{text}");
        assert_eq!((found.meaning.as_deref(), found.problem), (Some(meaning), None), "{text}");
    }
    assert_eq!(
        answer("f32 to f16 1 2").problem.as_deref(),
        Some("cvt.rn.f16.f32 converts 1 number, 2 given")
    );
}

#[test]
fn other_languages_and_strings_are_understood() {
    for text in [
        r#"asm volatile("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));"#,
        r#"    asm("{ .reg .b16 t; cvt.rn.f16.f32 t, %1; mov.b16 %0, t; }" : "=h"(h) : "f"(x)); // half"#,
        r#"%1 = call i16 asm sideeffect "cvt.rn.f16.f32 $0, $1;", "=h,f"(float %0)"#,
        r#"asm volatile("CVT.RN.F16.F32 %0, %1;" : "=h"(h) : "f"(x));"#,
        r#""cvt.rn.f16.f32 %0, %1;\n""#,
        // Arrows of other languages.
        r#"asm("cvt.rn.f16.f32 %0, %1;" : "=h"(p->h) : "f"(a));"#,
        r#"asm("cvt.rn.f16.f32 %0, %1;" : "=h"(dst->x) : "f"(src->x));"#,
        r#"fn half(a: f32) -> u16 { let d: u16; unsafe { asm!("cvt.rn.f16.f32 {}, {};", out(reg16) d, in(reg32) a) }; d }"#,
        r#"%0 = nvvm.inline_ptx "cvt.rn.f16.f32 {$w0}, {$r0};" ro (%a : f32) -> i16"#,
    ] {
        let found = answer(text);
        assert_eq!((&*found.opcode, &*given(&found)), ("cvt.rn.f16.f32", &[""][..]), "{text}");
        assert!(found.meaning.is_some() && found.problem.is_none(), "{text}");
        assert!(found.at.is_none_or(|at| at == text.find("cvt.").unwrap()), "{text}");
    }
    let constant = answer(r#"asm("cvt.rn.f16x2.f32 %0, %1, 0f3F800000;" : "=r"(d) : "f"(x));"#);
    assert_eq!(given(&constant), ["", "0f3F800000"]);
    let arrow = answer(r#"asm("add.f32 %0, %1, %1;" : "=f"(p->d) : "f"(x));"#);
    assert_eq!(arrow.problem.as_deref(), Some("this inline assembly has no conversion"));
    assert!(answer("f32 -> half -> e9m9").problem.unwrap().contains("e9m9"));
    let none = answer(r#"asm("add.f32 %0, %1, %2;" : "=f"(d) : "f"(x), "f"(y));"#);
    assert_eq!(none.problem.as_deref(), Some("this inline assembly has no conversion"));
}

/// A line that `check` refuses for its operands has no result.
#[test]
fn operands_of_lines_are_checked() {
    for (text, problem) in [
        ("cvt.rn.f16.f32 %h1;", "cvt.rn.f16.f32 takes 2 operands, but 1 is given"),
        ("CVT.RN.F16.F32 %h1;", "cvt.rn.f16.f32 takes 2 operands, but 1 is given"),
        ("cvt.rn.f16.f32 d, -a;", "cvt does not accept a negated operand"),
        (
            "cvt.rn.satfinite.e4m3x2.f32 d, a;",
            "cvt.rn.satfinite.e4m3x2.f32 takes 3 operands, but 2 are given",
        ),
        (
            r#"asm("cvt.rn.f16.f32 %0;" : "=h"(h) : "f"(x));"#,
            "cvt.rn.f16.f32 takes 2 operands, but 1 is given",
        ),
    ] {
        assert_eq!(answer(text).problem.as_deref(), Some(problem), "{text}");
    }
    for text in ["cvt.rn.f16.f32 %h1, %f1;", "cvt.rn.f16.f32 d, a;", "@p cvt.rn.f16.f32 d, 1.5; add.f32 a;"] {
        assert_eq!(answer(text).problem, None, "{text}");
    }
}

#[test]
fn comments_capitals_and_misspelt_names() {
    for text in
        ["cvt.rn.f16.f32 1.5 // half", "/* to half */ cvt.rn.f16.f32 1.5", "cvt.rn.f16.f32 %h, 1.5; // ä"]
    {
        let found = answer(text);
        assert_eq!((&*found.opcode, given(&found)), ("cvt.rn.f16.f32", vec!["1.5"]), "{text}");
        assert_eq!(found.problem, None, "{text}");
        assert_eq!(found.at, text.find("cvt."), "{text}");
    }
    for text in ["CVT.RN.F16.F32 1.5", "CVT.RN.F16.F32 %H, 1.5;", "Cvt.rn.f16.f32 1.5", "cvt.RN.f16.f32 1.5"]
    {
        let found = answer(text);
        assert_eq!((&*found.opcode, given(&found)), ("cvt.rn.f16.f32", vec!["1.5"]), "{text}");
        assert_eq!(found.meaning.as_deref(), Some("PTX in small letters"), "{text}");
    }
    // The operands stay when the opcode is corrected.
    for text in [
        "cvtt.rn.f16.f32 1.5",
        "cvtt.rn.f16.f32 %h, 1.5;",
        "cvt.rn.f16.f31 1.5",
        "cvt.rn.satfinit.e4m3x2.f32 1.5",
    ] {
        let found = answer(text);
        assert_eq!((&*found.opcode, given(&found)), (text.split(' ').next().unwrap(), vec!["1.5"]), "{text}");
    }
    assert!(given(&answer("cvt.rn.satfinit.e4m3x2.f32 1 2 3")).is_empty());
}

#[test]
fn braces_have_to_match_as_in_the_command() {
    for text in ["cvt.rn.f16x2.f32 {1, 2", "cvt.rn.f16.f32 1}", "cvt.rn.f16x2.f32 {1} {2"] {
        let found = answer(text);
        let problem = found.problem.as_deref().unwrap_or_default();
        assert!(problem.starts_with("the braces of ") && found.operands.is_empty(), "{text}: {problem}");
    }
}

#[test]
fn too_many_operands_are_an_error() {
    for text in ["cvt.rn.f16.f32 1 2 3", "cvt.rn.f16.f32 1,5", "cvt.rn.f16.f32 d, 1, 2"] {
        assert!(
            answer(text).problem.is_some_and(|problem| problem.starts_with("1 source operand needed")),
            "{text}"
        );
    }
}

/// While the names of formats are typed, no word of them is an operand.
#[test]
fn names_of_formats_are_no_operands() {
    for text in ["f32 to e4m3", "e4m3 from f32", "bf16 -> f32", "cvt f32 to e4m3"] {
        for end in 0..=text.len() {
            assert!(answer(&text[..end]).operands.iter().all(Option::is_none), "{}", &text[..end]);
        }
    }
}

#[test]
fn formats_between_which_one_conversion_is_not_enough() {
    let found = answer("e4m3 to e5m2");
    assert_eq!(found.problem.as_deref(), Some("e4m3 to e5m2 takes 2 conversions"));
    assert!(found.steps.iter().all(|step| step.parse::<Form>().is_ok()) && found.steps.len() == 2);
    assert!(found.opcode.is_empty());
}
