//! Parses texts in every supported notation, and refuses unsupported ones.

use ptxcvt_exec::read::{self, Interface};
use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Source};

fn run(text: &str, inputs: &[u64]) -> Vec<u64> {
    match read::block(text, &Interface::default()) {
        Ok(block) => block.eval(inputs).unwrap(),
        Err(e) => panic!("{text}: {e} at {:?}, {:?}", e.span, e.help()),
    }
}

fn error(text: &str) -> String {
    match read::block(text, &Interface::default()) {
        Ok(block) => panic!("{text} reads as {block}"),
        Err(e) => format!("{}: {}", &text[e.span.range()], e.message),
    }
}

#[test]
fn placeholders_of_both_kinds_without_types() {
    assert_eq!(run("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;", &[0x3f80_0000, 0]), [0x3800]);
    assert_eq!(run("cvt.rn.satfinite.e4m3x2.f32 $0, $1, ${2:r}", &[0, 0x3f80_0000]), [0x0038]);
    assert_eq!(
        run("{ .reg.b16 lo, hi; mov.b32 {lo, hi}, %1; mov.b32 %0, {hi, lo}; }", &[0x1234_5678]),
        [0x5678_1234]
    );
}

#[test]
fn constraints_in_a_comment_and_a_string() {
    let text = "// =h,f,f\n cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;";
    assert_eq!(run(text, &[0x3f80_0000, 0]), [0x3800]);
    let interface = Interface::constraints("=r,+r,r").unwrap();
    let block = read::block("add.u32 %1, %1, %2; mov.u32 %0, 7;", &interface).unwrap();
    assert_eq!(block.eval(&[5, 6]).unwrap(), [7, 11]);
}

/// The list is read as in LLVM IR: `check` and `run` accept the same lists, apart from operands that cannot run.
#[test]
fn lists_of_constraints() {
    for list in ["=h,f,~{memory}", "=h,f,~{memory},~{cc}", " =h , f ", "=h,f,~{}"] {
        let interface = Interface::constraints(list).unwrap();
        let block = read::block("cvt.rn.f16.f32 %0, %1;", &interface).unwrap();
        assert_eq!(block.eval(&[0x3f80_0000]).unwrap(), [0x3c00], "{list}");
    }
    for (list, message) in [
        ("=h,rf", "`run` does not support the constraint `rf`"),
        ("=h,X", "`run` does not support the constraint `X`"),
        ("=h,m", "`run` does not support the constraint `m`"),
        ("=h,q", "constraint `q`: `run` does not support operands of 128 bits"),
        ("=h,z", "invalid constraint `z`"),
        ("=h,,f", "invalid constraint ``"),
        ("=h,f,~{eax}", "`~{eax}`: the assembly of NVIDIA's GPUs cannot name a register here"),
    ] {
        assert_eq!(Interface::constraints(list).unwrap_err().to_string(), message, "{list}");
    }
    let tied = Interface::constraints("=r,r,1").unwrap();
    let error = read::block("add.u32 %0, %1, %2;", &tied).unwrap_err();
    assert_eq!(error.to_string(), "constraint `1` ties operand 2 to an output that does not exist");
}

/// The command has options for what is missing, Python has arguments, the page has neither.
#[test]
fn advice_names_no_options_of_the_command() {
    let function = ".func (.reg .b32 d) f (.reg .b32 a) { mov.b32 d, a; ret; }";
    for (text, constraints, help) in [
        (".reg .b32 a; mov.b32 a, 1;", None, "declare the constraints, or the outputs and inputs"),
        ("not.b32 %0, %2;", None, "declare the constraints, or the outputs and inputs"),
        ("not.b32 {$w0}, {$r0};", None, "declare the constraints: the operands in order, outputs first"),
        (function, Some("=r,r"), "leave out the constraints, or the outputs and inputs"),
    ] {
        let interface = constraints.map_or(Ok(Interface::default()), Interface::constraints).unwrap();
        let error = read::block(text, &interface).unwrap_err();
        assert_eq!(error.help(), Some(help), "{text}: {error}");
    }
}

#[test]
fn lists_of_ports_bind_names_numbers_and_order() {
    for (text, outputs, inputs) in [
        ("cvt.rn.f16x2.f32 d, a, b;", "d:.b32", "a:.f32,b:.f32"),
        ("cvt.rn.f16x2.f32 %0, %1, %2;", ".b32", ".f32,.f32"),
        ("cvt.rn.f16x2.f32 %0, %1, %2;", "0:.f16x2", "1:.f32,2:.f32"),
        ("cvt.rn.f16x2.f32 $0, $1, $2;", "d:.b32", "a:.f32, b:.f32"),
    ] {
        let block = read::block(text, &Interface::ports(outputs, inputs).unwrap()).unwrap();
        assert_eq!(block.eval(&[0x3f80_0000, 0x4000_0000]).unwrap(), [0x3c00_4000], "{text}");
    }
}

#[test]
fn functions_tell_their_operands() {
    let text = ".visible .func (.reg .b32 d) f (.reg .b32 a, .reg .b32 b)\n{ .reg .pred p;\n setp.lt.u32 p, a, b;\n \
                @p mov.b32 d, a;\n @!p mov.b32 d, b;\n ret;\n}";
    assert_eq!(run(text, &[3, 2]), [2]);
    assert_eq!(run(text, &[1, 2]), [1]);
    let nothing = "}: the function has no result: it returns and stores nothing";
    assert_eq!(error(".func (.param .b32 d) f () { ret; }"), nothing);
}

#[test]
fn asm_statements_of_cuda() {
    let text = r#"
        // Saturating.
        __asm__ volatile ("{\n\t"
            ".reg .b16 %%lo<2>; // local\n"
            "mov.b32 {%%lo0, %%lo1}, %1;\n\t" /* unpack */
            "mov.b32 %0, {%%lo1, %%lo0};\n}"
            : "=r"(*reinterpret_cast<unsigned *>(&x[0])) : "r"(y), "n"((0xf0 & 0xcc) | 0xaa) : "memory");"#;
    assert_eq!(run(text, &[0x1234_5678]), [0x5678_1234]);
    let lop = r#"asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(x) : "r"(a), "n"(0x000f000f), "n"(0x64006400), "n"((0xf0 & 0xcc) | 0xaa));"#;
    assert_eq!(run(lop, &[0x1234_5678]), [0x6404_6408]);
    let unknown = r#"asm("lop3.b32 %0, %1, %1, %1, %2;" : "=r"(x) : "r"(a), "n"(lut));"#;
    assert_eq!(error(unknown), "%2: operand 2 is a constant whose value is not in the text");
    let tied = r#"asm("add.u32 %0, %1, %2;" : "=r"(x) : "0"(a), "r"(b));"#;
    assert_eq!(run(tied, &[1, 2]), [3]);
}

#[test]
fn errors_name_the_place_and_the_reason() {
    assert_eq!(error("ld.global.b32 %0, [%1];"), "ld.global.b32: `ld` cannot run here: it works on memory");
    assert_eq!(
        error("{ ex2.approx.f32 %0, %1; }"),
        "ex2.approx.f32: `ex2.approx.f32`: the manual bounds its error and does not fix its bits"
    );
    assert_eq!(
        error("frobnicate.b32 %0;"),
        "frobnicate.b32: `frobnicate` is not among the instructions that run here"
    );
    assert_eq!(error("ADD.u32 %0, %1, 1;"), "ADD.u32: `ADD.u32`: capital and small letters differ in PTX");
    assert_eq!(
        error("add.f16x4 %0, %1, %2;"),
        "add.f16x4: `add.f16x4`: `.f16x4` is not a modifier or type of `add`"
    );
    assert_eq!(error("add.relu.f16 %0, %1, %2;"), "add.relu.f16: `add.f16` does not take `.relu`");
    assert_eq!(
        error("{ .reg .f32 f; mov.b32 f, %1; add.s32 %0, f, 1; }"),
        "f: a `.f32` register does not fit here: `add.s32` takes `.s32`"
    );
    assert_eq!(
        error("{ .reg .b32 f; add.s32 %0, f, 1; }"),
        "add.s32 %0, f, 1: `f` is read before it is written"
    );
    assert_eq!(
        error("mov.b32 %0, {%1, %2, %3};"),
        "{%1, %2, %3}: the type of `%1` is unknown here".replace("{%1, %2, %3}", "%1")
    );
    assert_eq!(error("setp.lt.f16x2 p, %0, %1;"), "p: a packed comparison has two results: write `p|q`");
    assert_eq!(
        error("@p bra L;"),
        "bra: `bra` cannot run here: it is control flow; a block is a straight line"
    );
    assert_eq!(
        error("mov.u32 %0, %tid.x;"),
        "%tid.x: `%tid` is a special register: its value depends on the machine, not on the operands"
    );
    assert_eq!(error("add.u32 %0, %1"), "add.u32: `add.u32` takes 3 operands, not 2");
    assert_eq!(
        error("cvt.rn.e4m3x2.f32 %0, %1, %2;"),
        "cvt.rn.e4m3x2.f32: `.satfinite` is required for `.e4m3x2` from `.f32`"
            .replace(": `.s", ": `cvt.rn.e4m3x2.f32`: `.s")
            .as_str()
    );
}

#[test]
fn statements_that_check_accepts_are_read() {
    let raw = r##"asm(u8R"x(cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;)x" : "=c"(d) : "f"(a), "f"(b));"##;
    assert_eq!(run(raw, &[0x3f80_0000, 0]), [0x3800]);
    let family = r#"asm("{.reg .b32 r<4>; mov.b32 r01, %1; add.u32 %0, r1, 1;}" : "=r"(d) : "r"(a));"#;
    assert_eq!(run(family, &[1]), [2]);
    let escapes = r#"asm("cvt.rn.f16.\x66\x33\062 %0, %1;" : "=h"(d) : "f"(a));"#;
    assert_eq!(run(escapes, &[0x3f80_0000]), [0x3c00]);
    assert_eq!(error("asm(TEXT(1) : \"=r\"(x));"), "TEXT(1): a macro: its text is unknown");
    let branches = "asm(\"mov.b32 %0, \"\n#if A\n\"%1;\"\n#else\n\"1;\"\n#endif\n: \"=r\"(x) : \"r\"(y));";
    assert!(error(branches).ends_with("this `asm` statement has `#if` within it: give one branch"));
    assert!(error("asm(\"ret;\" : \"=r\"(x);").contains("expected a string, `:` or `)`"));
}

/// Every statement of the sources that `check` is tested with is read, whether it can run or not.
#[test]
fn statements_of_sources_are_read_as_check_reads_them() {
    use ptxcvt_syntax::sources::statements;
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cu");
    let mut count = 0;
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        if path.extension().is_none_or(|extension| extension != "cu") {
            continue;
        }
        for statement in statements(&text).iter().filter(|s| s.is_complete() && s.unknown_part().is_none()) {
            let alone = &text[statement.span().range()];
            // The statement of a wrapper is recognised by the call around it.
            if alone.starts_with('"') {
                continue;
            }
            let again = statements(alone);
            assert_eq!(again.iter().map(|s| s.text()).collect::<Vec<_>>(), [statement.text()]);
            count += 1;
            let Err(error) = read::block(alone, &Interface::default()) else { continue };
            let misread = ["expected a string", "a second", "a macro", "this `asm`"];
            assert!(!misread.iter().any(|begin| error.message.starts_with(begin)), "{alone}: {error}");
            // Other machines' letters, and those that `check` reports or leaves unjudged.
            let others = ["x", "v", "=a", "q", "=v", "=z", "5", "hn", "m", "?h#m"];
            let known = others.iter().any(|letters| alone.contains(&format!("\"{letters}\"")));
            assert!(!error.message.contains("constraint") || known, "{alone}: {error}");
        }
    }
    assert!(count >= 200, "{count}");
}

/// `run` reads a statement exactly where `check` has no error in it.
#[test]
fn check_and_run_accept_the_same_statements() {
    let template = "cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;";
    let statements = [
        (r#"asm("%{ TEMPLATE %}" : "=h"(h) : "f"(a));"#, true),
        (r#"asm("TEMPLATE // %= %|" : "=h"(h) : "f"(a));"#, true),
        (
            r#"asm("{ .reg .b16 %%x%=; cvt.rn.satfinite.e4m3x2.f32 %%x%=, %1, %1; mov.b16 %0, %%x%=; }" : "=h"(h) : "f"(a));"#,
            true,
        ),
        (r#"asm("TEMPLATE" : R"(=h)"(h) : u8"f" ""(a));"#, true),
        (r#"asm("TEMPLATE" : "=" "h"(h) : LR"x(f)x"(a));"#, true),
        (r#"asm("TEMPLATE" : " = h "(h) : " f "(a));"#, true),
        (r#"asm("TEMPLATE" : "=h"(h) : "f"(a)"#, false),
        (r#"asm("TEMPLATE" : "=z"(h) : "f"(a));"#, false),
        (r#"asm("TEMPLATE" : "=h"(h) : "5"(a));"#, false),
        (r#"asm("TEMPLATE" : "=f"(h) : "f"(a));"#, false),
        (r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1" : "=h"(h) : "f"(a));"#, false),
        (r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %7;" : "=h"(h) : "f"(a));"#, false),
        (r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %[b];" : "=h"(h) : [a] "f"(a));"#, false),
        (r#"asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %[a];" : "=h"(h) : [a] "f"(a));"#, true),
    ];
    for (statement, accepted) in statements {
        let statement = statement.replace("TEMPLATE", template);
        let ran = read::block(&statement, &Interface::default());
        assert_eq!(ran.is_ok(), accepted, "run: {statement}: {ran:?}");
        let source = format!("__device__ void f(float a, unsigned short &h) {{ {statement} }}");
        let found =
            check_source(&Source::new("x.cu", source.as_bytes()), Language::Cpp, &CheckOptions::default());
        let clean = found.errors() == 0 && found.stats.skipped.is_empty();
        assert_eq!(clean, accepted, "check: {statement}: {found:?}");
    }
}

/// The operand of `n` is an expression of C++, whose `int` has 32 bits; a constant of PTX has 64.
#[test]
fn constant_operands_have_the_types_of_their_language() {
    for (text, expected) in
        [("-8>>1", -4_i64), ("1<<31", -0x8000_0000), ("7U/-2", 0), ("-1 < 1U", 0), ("'a'", 97)]
    {
        let statement = format!("asm(\"mov.b64 %0, %1;\" : \"=l\"(x) : \"n\"({text}));");
        assert_eq!(run(&statement, &[]), [expected as u64], "{text}");
    }
    let block =
        read::block("mov.b64 %0, -8>>1;", &Interface::constraints("=l").expect("a list")).expect("PTX");
    assert_eq!(block.eval(&[]).expect("no input"), [-4_i64 as u64]);
}
