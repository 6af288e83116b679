//! Conversions that macros of the file make: each use is judged, and each conversion is judged or counted once.

use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Source};

use super::check;

const OPERANDS: &str = ": \"=h\"(d) : \"f\"(a), \"f\"(b)";

/// The findings of a file of lines as `line:column code`, and the reasons of the conversions that were counted.
fn outcome(lines: &[&str]) -> (Vec<String>, Vec<(&'static str, usize)>) {
    let text = lines.join("\n").replace("OPERANDS", OPERANDS) + "\n";
    let source = Source::new("k.cu", text.as_bytes());
    let found = check_source(&source, Language::Cpp, &CheckOptions::default());
    let all = found.diagnostics.iter().map(|d| {
        let at = source.position(d.span().start);
        format!("{}:{} {}", at.line, at.column, d.code())
    });
    (all.collect(), found.stats.skipped.into_iter().collect())
}

const NOTHING: [(&str, usize); 0] = [];

#[test]
fn types_that_macros_paste() {
    for (define, uses) in [
        (
            "#define CVT(T) asm(\"cvt.rn.satfinite.\" #T \".f32 %0, %1, %2;\" OPERANDS)",
            ["CVT(e4m3x2);", "CVT(e4m3x9);"],
        ),
        (
            "#define CVT(T) asm(\"cvt.rn.satfinite.\" T \".f32 %0, %1, %2;\" OPERANDS)",
            ["CVT(\"e4m3x2\");", "CVT(\"e4m3x9\");"],
        ),
        (
            "#define CVT(T, ...) asm(\"cvt.rn.satfinite.\" #T #__VA_ARGS__ \" %0, %1, %2;\" OPERANDS)",
            ["CVT(e4m3x2, .f32);", "CVT(e4m3x9, .f32);"],
        ),
        (
            "#define CVT(T) do { asm volatile (\"cvt.rn.satfinite.\" #T \".f32 %0, %1, %2;\" OPERANDS); } while (0)",
            ["CVT( e4m3x2 );", "CVT(e4m3x9);"],
        ),
        (
            "#define CVT(...) asm(#__VA_ARGS__ OPERANDS)",
            [
                "CVT(cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;);",
                "CVT(cvt.rn.satfinite.e4m3x9.f32 %0, %1, %2;);",
            ],
        ),
        (
            "#define ASM asm volatile\n#define X(N) ASM(\"cvt.rn.satfinite.e4m3x\" #N \".f32 %0, %1, %2;\" OPERANDS)\n#define CVT(N) X(N)",
            ["CVT(2);", "CVT(9);"],
        ),
        (
            "#define X(N) \"e4m3x\" #N\n#define CVT(N) asm(\"cvt.rn.satfinite.\" X(N) \".f32 %0, %1, %2;\" OPERANDS)",
            ["CVT(2);", "CVT(9);"],
        ),
    ] {
        let line = define.lines().count();
        let right = outcome(&[define, uses[0]]);
        assert_eq!(right, (vec![], NOTHING.into()), "{define}");
        let (found, counted) = outcome(&[define, uses[0], uses[1]]);
        assert!(found.len() == 1 && found[0].starts_with(&format!("{}:", line + 2)), "{define}: {found:?}");
        assert!(counted.is_empty(), "{define}: {counted:?}");
    }
}

#[test]
fn findings_name_the_macro() {
    let text = format!(
        "#define CVT(T) asm(\"cvt.rn.\" #T \".f32 %0, %1, %2;\" {OPERANDS})\nvoid f() {{ CVT(e4m3x2); CVT(e5m2x2); CVT(e4m3x2); }}\n"
    );
    let found = check(&text, Language::Cpp, &CheckOptions::default());
    let places: Vec<&str> = found.diagnostics.iter().map(|d| &text[d.span().range()]).collect();
    assert_eq!(places, ["CVT", "CVT", "CVT"]);
    for diagnostic in &found.diagnostics {
        let (defined, message) = diagnostic.related().expect("the definition");
        assert_eq!((&text[defined.range()], message), ("CVT", "`CVT` is defined here"));
        assert!(diagnostic.fix().is_none());
    }
    // A string in one place is one assembly, with a conversion for each value that its uses give it.
    assert_eq!((found.stats.conversions, found.stats.not_legal, found.stats.assemblies), (2, 2, 1));
}

#[test]
fn what_the_argument_has_keeps_its_place() {
    let text = format!(
        "#define W(op) asm(op {OPERANDS})\nvoid f() {{ W(\"cvt.rn.e4m3x2.f32 %0, %1, %2;\"); W(\"cvt.rn.e5m2x2.f32 %0, %1, %2;\"); }}\n"
    );
    let found = check(&text, Language::Cpp, &CheckOptions::default());
    let places: Vec<&str> = found.diagnostics.iter().map(|d| &text[d.span().range()]).collect();
    assert_eq!(places, ["cvt.rn.e4m3x2.f32", "cvt.rn.e5m2x2.f32"]);
    assert!(found.diagnostics.iter().all(|d| d.fix().is_some()));
    assert_eq!((found.stats.conversions, found.stats.skipped.len()), (2, 0));
    // The operands are the operands in the macro's body.
    let (found, counted) =
        outcome(&["#define W(op) asm(op OPERANDS)", "W(\"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %7;\");"]);
    assert_eq!((found, counted), (vec!["2:40 CVT117".to_owned()], NOTHING.into()));
}

#[test]
fn strings_that_a_name_stands_for() {
    let (found, counted) = outcome(&[
        "#define Q \"cvt.rn.e4m3x2.f32 %0, %1, %2;\"",
        "void f() { asm(Q OPERANDS); asm volatile(\"{\\n\" Q \"}\" OPERANDS); }",
    ]);
    assert_eq!((found, counted), (vec!["1:12 CVT008".to_owned()], NOTHING.into()));
    // Two definitions are two assemblies.
    let (found, counted) = outcome(&[
        "#ifdef FAST",
        "#define Q \"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\"",
        "#else",
        "#define Q \"cvt.rn.e4m3x2.f32 %0, %1, %2;\"",
        "#endif",
        "void f() { asm(Q OPERANDS); }",
    ]);
    assert_eq!((found, counted), (vec!["4:12 CVT008".to_owned()], NOTHING.into()));
    // Operands of a macro.
    let (found, counted) = outcome(&[
        "#define OUT \"=r\"(d)",
        "#define IN : \"f\"(a), \"f\"(b)",
        "#define OP(t) \"cvt.rn.satfinite.\" t \".f32 %0, %1, %2;\" :",
        "void f() { asm(OP(\"e4m3x2\") OUT IN); }",
    ]);
    assert_eq!(counted, NOTHING);
    assert_eq!(found.len(), 1, "{found:?}");
}

/// A macro is not replaced within its own replacement. The rest of the text is unknown.
#[test]
fn macros_that_name_themselves() {
    let macro_ = "part of it is a macro or a template's argument";
    let comment = format!("// {}", "-".repeat(500));
    for defines in [
        &["#define R1 R2", "#define R2 R1"][..],
        &["#define R1 \".rn\" R1"],
        &["#define R1 R2 \".rn\"", "#define R2 R1"],
    ] {
        let mut lines = vec![&*comment];
        lines.extend(defines);
        lines.push("void f() { asm(\"cvt\" R1 \".f16.f32 %0, %1;\" OPERANDS); }");
        assert_eq!(outcome(&lines), (vec![], vec![(macro_, 1)]), "{defines:?}");
    }
}

#[test]
fn branches_between_strings_of_macros() {
    let define = [
        "#define Q \"cvt.rn.satfinite.\"",
        "#define R \"e4m3x9.f32 %0, %1, %2;\"",
        "#define S \"e4m3x2.f32 %0, %1, %2;\"",
    ];
    let start = ["void f() { asm(Q", "#ifdef X"];
    let end = ["#endif", "OPERANDS); }"];
    for (branches, expected) in [
        (&["R", "#else", "S"][..], vec!["2:11 CVT002"]),
        (&["S", "#else", "\"e4m3x2.f32 %0, %1, %2;\""], vec![]),
        (&["S", "#elif defined(Y)", "\"e5m2x2.f32 %0, %1, %2;\"", "#else", "R"], vec!["2:11 CVT002"]),
    ] {
        let lines = [&define[..], &start, branches, &end].concat();
        let (found, counted) = outcome(&lines);
        assert_eq!((found.len(), counted), (expected.len(), NOTHING.into()), "{lines:?}: {found:?}");
    }
    // A macro that is defined between the strings is not followed.
    let lines = [
        "void f() { asm(",
        "#define Q \"cvt.rn.satfinite.\"",
        "Q \"e4m3x9.f32 %0, %1, %2;\"",
        "OPERANDS); }",
    ];
    let (found, counted) = outcome(&lines);
    assert!(found.is_empty() && !counted.is_empty(), "{found:?} {counted:?}");
}

#[test]
fn uses_that_cannot_be_expanded_are_counted() {
    let define = "#define CVT(T) asm(\"cvt.rn.\" #T \".f32 %0, %1, %2;\" OPERANDS)";
    let macro_ = "part of it is a macro or a template's argument";
    let partly = "some of its values are not known, and only the others were judged";
    for (lines, findings, reason) in [
        // Without a use.
        (vec![define], 0, macro_),
        // With another number of arguments, and with a directive in the argument.
        (vec![define, "CVT(e4m3x2, 1);"], 0, macro_),
        (vec![define, "CVT(", "#ifdef X", "e4m3x2", "#else", "e5m2x2", "#endif", ");"], 0, macro_),
        (vec![define, "CVT(e4m3x2, 1); CVT(e4m3x2);"], 1, partly),
        // A macro that another file uses.
        (vec![define, "#define OTHER CVT(e5m2x2)", "CVT(e4m3x2);"], 1, partly),
        // A name that another file may define.
        (
            vec![
                "#define S2(x) #x",
                "#define S(x) S2(x)",
                "#define CVT(T) asm(\"cvt.rn.\" S(T) \".f32 %0, %1, %2;\" OPERANDS)",
                "CVT(TYPE);",
            ],
            0,
            macro_,
        ),
        (vec!["#define CVT(T) asm(\"cvt.rn.\" T \".f32 %0, %1, %2;\" OPERANDS)", "CVT(TYPE);"], 0, macro_),
    ] {
        let (found, counted) = outcome(&lines);
        assert_eq!((found.len(), counted), (findings, vec![(reason, 1)]), "{lines:?}");
    }
}

#[test]
fn uses_are_judged_for_what_compiles_them() {
    // `ptxas` takes the form from sm_89 on.
    let define = "#define CVT(T) asm(\"cvt.rn.satfinite.\" #T \".f32 %0, %1, %2;\" OPERANDS)";
    for (guard, findings) in [("800", 1), ("890", 0)] {
        let line = format!("#if __CUDA_ARCH__ >= {guard}");
        let (found, counted) = outcome(&[define, &line, "CVT(e4m3x2);", "#endif"]);
        assert_eq!((found.len(), counted), (findings, NOTHING.into()), "{guard}: {found:?}");
        let line = format!("if (__CUDA_ARCH__ >= {guard}) {{ CVT(e4m3x2); }}");
        assert_eq!(outcome(&[define, &line]).0.len(), findings, "{guard}");
        let define = define.replace("asm(", &format!("if (__CUDA_ARCH__ >= {guard}) asm("));
        assert_eq!(outcome(&[&define, "CVT(e4m3x2);"]).0.len(), findings, "{guard}");
    }
    let (found, counted) = outcome(&[define, "#if 0", "CVT(e4m3x9);", "#endif"]);
    assert_eq!((found.len(), counted), (0, vec![("no device compiler sees it", 1)]));
}

/// A macro that is given the name of another one.
#[test]
fn macros_that_are_arguments() {
    let make = "#define DEF(r, t) asm(\"cvt.\" #r \".\" #t \".f32 %0, %1;\" : \"=h\"(d) : \"f\"(a));";
    let list = "#define LIST(X) X(rn, f16) X(rz, bf16) X(zz, f16)";
    for lines in [
        &[list, make, "void f() { LIST(DEF) }"][..],
        &[make, list, "void f() { LIST(DEF) }"],
        &[make, list, "#define ALL LIST(DEF)", "void f() { ALL }"],
        &[make, "#define LIST(n, X) X(rn, f16) X(zz, f16)", "void f() { LIST(3, DEF) }"],
    ] {
        let (found, counted) = outcome(lines);
        assert_eq!((found.len(), counted), (1, NOTHING.into()), "{lines:?}");
    }
    // Another file may use it in any way.
    let (found, counted) = outcome(&[make, "void f() { OTHER_LIST(DEF) }"]);
    assert_eq!((found, counted), (vec![], vec![("part of it is a macro or a template's argument", 1)]));
}

#[test]
fn each_wrong_statement_of_one_use_is_reported() {
    let define = "#define X(t) asm(\"cvt.\" t \".f32 %0, %1;\" OPERANDS);";
    for (list, expected) in [
        ("#define LIST(F) F(\"f16\") F(\"bf16\")", 2),
        ("#define LIST(F) F(\"f16\") F(\"f16\")", 1),
        ("#define LIST(F) F(\"f16\") F(\"rn.f16\")", 1),
        ("#define LIST(F) F(\"f16\") F(\"bf16\") F(\"e4m3\")", 3),
    ] {
        let (findings, reasons) = outcome(&[define, list, "void f() { LIST(X) }"]);
        assert_eq!((findings.len(), reasons), (expected, NOTHING.to_vec()), "{list} {findings:?}");
    }
}
