//! Texts of the search box, and the conversions that they mean.

mod every;

use ptxcvt::Format;

use super::*;

fn opcode(text: &str) -> String {
    answer(text).opcode
}

/// Any two formats.
fn pairs() -> impl Iterator<Item = (Format, Format)> {
    Format::ALL.iter().flat_map(|from| Format::ALL.iter().map(|to| (*from, *to)))
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
        // Only one rounding is legal.
        ("f32 to e4m3x4", "cvt.rs.satfinite.e4m3x4.f32"),
        ("f32 to e4m3 scaled", "cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32"),
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
        ("f32 to s32 rz", "from f32 to s32, this rounding is not legal; legal: .rni .rzi .rmi .rpi"),
        ("f32 to e4m3 relu nvfp4", "`nvfp4` is a recipe for blocks, and no part of a conversion"),
        ("f16x2 to f32", "from f16 to f32, one instruction converts another number of elements: 1"),
        ("s32 to u4", "there is no `cvt` from s32 to u4; only `cvt.pack` converts to u4, from s32"),
        ("f32 to e4m3 ftz", "from f32 to e4m3, not every modifier chosen is legal"),
    ] {
        let problem = answer(text).problem.unwrap_or_default();
        assert!(problem.starts_with(expected), "{text}: {problem}");
    }
}

/// What the text does not decide is offered, the most similar form first, and its numbers stay.
#[test]
fn choices_are_offered() {
    for (text, first, numbers) in [
        ("1.5 to ue8m0", "cvt.rz.ue8m0x2.f32", &["1.5", "0"][..]),
        ("f32 to s32 rz 1.5", "cvt.rzi.s32.f32", &["1.5"]),
        ("1.5 to u16 rp", "cvt.rpi.u16.f32", &["1.5"]),
        ("f16x2 to f32", "cvt.f32.f16", &[]),
        ("f32 to e4m3 ftz 1", "cvt.rn.satfinite.e4m3x2.f32", &["1", "0"]),
    ] {
        let found = answer(text);
        assert!(found.problem.is_some() && found.opcode.is_empty(), "{text}: {found:?}");
        assert_eq!((found.steps[0].as_str(), given(&found)), (first, numbers.to_vec()), "{text}");
    }
    // For every pair of formats with forms, each rounding leads to a form or to choices.
    for (from, to) in pairs() {
        if !Form::all().any(|form| (form.source().format(), form.destination().format()) == (from, to)) {
            continue;
        }
        for rounding in ptxcvt::Rounding::ALL {
            let text = format!("{from} to {to} {}", rounding.name());
            let found = answer(&text);
            assert!(
                !found.opcode.is_empty() || !found.steps.is_empty() || to.bits() <= 4,
                "{text}: {found:?}"
            );
        }
    }
}

/// A number that the destination could hold is not changed on its way there, or the answer says how.
#[test]
fn numbers_are_not_changed_in_silence() {
    for (text, opcode, meaning) in [
        ("16777217 to s32", "cvt.rni.s32.f64", "f64 to s32"),
        ("123456789012 to s64", "cvt.rni.s64.f64", "f64 to s64"),
        ("2147483647 to u32", "cvt.rni.u32.f64", "f64 to u32"),
        ("2147483647 to s32", "cvt.rni.s32.f64", "f64 to s32"),
        ("4294967295 to u32", "cvt.rni.u32.f64", "f64 to u32"),
        ("round 1.5 to e4m3", "cvt.rn.satfinite.e4m3x2.f32", "f32 to e4m3; the other element is 0"),
        ("0x7e as e4m3", "cvt.rn.f16x2.e4m3x2", "e4m3 to f16; the other element is 0"),
        ("1.5 to s32", "cvt.rni.s32.f32", "f32 to s32"),
        ("0.1 to f16", "cvt.rn.f16.f32", "f32 to f16"),
        ("0.1 to f64", "cvt.f64.f32", "f32 to f64; 0.1 is 0.10000000149011612 as f32"),
        ("f32 to s32 16777217", "cvt.rni.s32.f32", "f32 to s32; 16777217 is 16777216 as f32"),
        (
            "9007199254740995 to s64",
            "cvt.rni.s64.f64",
            "f64 to s64; 9007199254740995 is 9007199254740996 as f64",
        ),
    ] {
        let found = answer(text);
        assert_eq!((&*found.opcode, found.meaning.as_deref()), (opcode, Some(meaning)), "{text}");
    }
    // Integers of every width near powers of two.
    for to in [Format::S32, Format::U32, Format::S64, Format::U64, Format::F64] {
        for number in (20..63).flat_map(|bits| [(1_u64 << bits) - 1, 1 << bits, (1 << bits) + 1]) {
            let text = number.to_string();
            let Ok(wanted) = Reader::number(to).read(&text) else { continue };
            if !wanted.is_exact() || wanted.is_out_of_range() {
                continue;
            }
            let found = answer(&format!("{number} to {to}"));
            let form: Form = found.opcode.parse().unwrap();
            let read = Reader::number(form.source().format()).read(&text).unwrap().bits;
            let result = form.eval(&[read]).unwrap();
            let says = found.meaning.unwrap().contains(&format!("; {number} is "));
            assert_eq!(result != wanted.bits, says, "{number} to {to}: {form}");
        }
    }
}

/// A format without zero is filled with 1.
#[test]
fn missing_elements_are_numbers_of_the_format() {
    let found = answer("ue8m0 0xff");
    assert_eq!(given(&found), ["0xff,1"]);
    assert_eq!(found.meaning.as_deref(), Some("ue8m0 to bf16; the other element is 1"));
    for format in Format::ALL {
        let found = answer(&format!("{format} 0x1"));
        for (operand, text) in
            found.opcode.parse::<Form>().iter().flat_map(Form::operands).skip(1).zip(&found.operands)
        {
            let form = found.opcode.parse().unwrap();
            let read = Reader::operand(&form, &operand).read(text.as_deref().unwrap()).unwrap();
            assert!(read.is_exact(), "{format}: {found:?}");
        }
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
        ("f32 to f16 1/3", "cvt.rn.f16.f32", &["1/3"], "f32 to f16"),
        // The number before the formats, or between them; without a source it is an f32.
        ("1.5 to e4m3", "cvt.rn.satfinite.e4m3x2.f32", &["1.5", "0"], "f32 to e4m3; the other element is 0"),
        ("{1.5, -2} → e4m3;", "cvt.rn.satfinite.e4m3x2.f32", &["1.5", "-2"], "f32 to e4m3"),
        ("1.5f to half", "cvt.rn.f16.f32", &["1.5f"], "f32 to f16"),
        ("1.5 to f32", "cvt.rn.f32.f64", &["1.5"], "f64 to f32"),
        ("1.5 f32 to f16", "cvt.rn.f16.f32", &["1.5"], "f32 to f16"),
        ("f32 1.5 to f16", "cvt.rn.f16.f32", &["1.5"], "f32 to f16"),
        ("cvt f32 to f16 1.5", "cvt.rn.f16.f32", &["1.5"], "f32 to f16"),
        // Bits are those of the format that is named.
        ("e4m3 0x7e", "cvt.rn.f16x2.e4m3x2", &["0x7e,0"], "e4m3 to f16; the other element is 0"),
        ("0x7e e4m3", "cvt.rn.f16x2.e4m3x2", &["0x7e,0"], "e4m3 to f16; the other element is 0"),
        ("0x7e e4m3 to f16", "cvt.rn.f16x2.e4m3x2", &["0x7e,0"], "e4m3 to f16; the other element is 0"),
        ("e4m3x2 0x7e38", "cvt.rn.f16x2.e4m3x2", &["0x7e38"], "e4m3 to f16"),
        ("f16 0x3c00", "cvt.f32.f16", &["0x3c00"], "f16 to f32"),
        // As many numbers as a larger form has elements.
        ("f32 to f16 1 2", "cvt.rn.f16x2.f32", &["1", "2"], "f32 to f16"),
        ("1,2,3,4 to e4m3", "cvt.rs.satfinite.e4m3x4.f32", &["1", "2", "3", "4"], "f32 to e4m3"),
        // The random bits are not an element.
        (
            "f32 to e4m3x4 rs 1 2 3",
            "cvt.rs.satfinite.e4m3x4.f32",
            &["1", "2", "3", "0"],
            "f32 to e4m3; the other element is 0",
        ),
    ] {
        let found = answer(text);
        assert_eq!((&*found.opcode, given(&found)), (opcode, numbers.to_vec()), "{text}");
        assert_eq!((found.meaning.as_deref(), found.problem), (Some(meaning), None), "{text}");
    }
    assert_eq!(
        answer("f32 to f16 1 2 3").problem.as_deref(),
        Some("cvt.rn.f16.f32 converts 1 number, 3 given")
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

#[test]
fn words_that_contradict_are_named() {
    for (text, named) in [
        ("f32 to e9m9", "e9m9"),
        ("e9m9 from f32", "e9m9"),
        ("1.5 to e9m9", "e9m9"),
        ("f32 to", "after `to`"),
        ("f32 to to f16", "before `to`"),
        ("f32 f16", "`f32 to f16` or `f16 to f32`"),
        ("f32 to f16 from f64", "`to` and `from`"),
        ("f32 to f16 rn rz", "`rz` is a second rounding"),
        ("e4m3x4 to f16x2", "different numbers of elements"),
        ("f32 to f16 {1.5", "braces"),
        ("f32 to f16 1 2 3", "converts 1 number, 3 given"),
        ("bf16 to nvfp4", "`bf16` has no meaning"),
        ("nvfp4 rn", "`rn` has no meaning"),
    ] {
        let problem = answer(text).problem.unwrap_or_default();
        assert!(problem.contains(named), "{text}: {problem}");
    }
}

#[test]
fn recipes_are_understood() {
    for (text, recipe, count, numbers) in [
        ("nvfp4", "nvfp4-te-1x16", 15, ""),
        ("NVFP4 1, -2.5f", "nvfp4-te-1x16", 15, "1 -2.5f"),
        ("mxfp8", "mx-rceil/e4m3", 14, ""),
        ("f32 to mxfp8 1 2", "mx-rceil/e4m3", 14, "1 2"),
        ("quantize 1 2 to mx-floor/e2m1", "mx-floor/e2m1", 1, "1 2"),
        ("deepseek-1x128", "deepseek-1x128", 1, ""),
    ] {
        let found = answer(text);
        assert_eq!((&found.problem, &*found.opcode, &*found.numbers), (&None, "", numbers), "{text}");
        assert_eq!(
            (found.recipes.len(), found.recipes[0].as_str()),
            (count, recipe),
            "{text}: {:?}",
            found.recipes
        );
        assert!(found.meaning.is_some(), "{text}");
    }
}

/// Without the readers of other languages every text has the same meaning, or is left to a build that has them.
#[test]
fn other_languages_are_left_to_the_readers() {
    let asm = r#"asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));"#;
    let rust = r#"fn half(a: f32) -> u16 { let d: u16; unsafe { asm!("cvt.rn.f16.f32 {}, {};", out(reg16) d, in(reg32) a) }; d }"#;
    for (text, language) in [(asm, "CUDA C++"), (rust, "Rust"), (r#"asm("add.f32 %0, %1;" : "#, "CUDA C++")] {
        let left = answer_with(text, None);
        assert_eq!((left.unread, left.opcode.as_str()), (Some(language), ""), "{text}");
        assert!(left.problem.is_some(), "{text}");
        assert_eq!(answer(text).unread, None, "{text}");
    }
    let texts = [
        "e4m3",
        "f32 -> e4m3",
        "p->h",
        "f32 -> x",
        "nvfp4 1 2",
        "cvt.rn",
        "import x",
        "#include <x>",
        "{cvt.rn.f16.f32 h, f;}",
        r#""cvt.rn.f16.f32 %0, %1;""#,
        "cvt.rn.f16x2.f32 %0, 0f3F800000, f;",
        ".version 8.0",
        "",
    ];
    for text in texts {
        assert_eq!(format!("{:?}", answer_with(text, None)), format!("{:?}", answer(text)), "{text}");
    }
}
