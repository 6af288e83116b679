//! Random files of Python, Rust and MLIR: every string with a conversion, or with an instruction whose opcode is not
//! known, is judged or counted.

use std::collections::BTreeSet;

use ptxcvt::inputs::SplitMix64;
use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Source};

use super::check;

/// Makes a file. Each conversion is in a line of its own and spelled wrongly, so that it is found if it is judged.
struct Maker {
    random: SplitMix64,
    text: String,
    /// How many conversions and unknown opcodes were written.
    expected: usize,
    functions: usize,
}

impl Maker {
    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.random.below(of.len())]
    }

    /// Adds lines in which `count` conversions or unknown opcodes are.
    fn add(&mut self, count: usize, text: &str) {
        self.expected += count;
        self.text.push_str(text);
    }

    fn wrong(&mut self) -> &'static str {
        self.pick(&["cvt.f16.f32", "cvt.rn.f32.f16", "cvt.nonsense", "cvt.rni.f16.f32"])
    }

    fn function(&mut self, language: Language) {
        match language {
            Language::Python => self.python(),
            Language::Rust => self.rust(),
            Language::Mlir => self.mlir(),
            other => unreachable!("no files of {other:?} are made"),
        }
    }

    fn python(&mut self) {
        self.functions += 1;
        let number = self.functions;
        self.add(0, &format!("def f{number}(x, op, ty, flag, other):\n"));
        if self.random.below(4) == 0 {
            self.add(1, "    \"\"\"Uses cvt.rn.f16.f32 $0, $1;\"\"\"\n");
        }
        self.add(0, "    # cvt.f16.f32 $0, $1;\n");
        let end = "\"=h,f\", [x], dtype=tl.float16, is_pure=True, pack=1)";
        let call = "tl.inline_asm_elementwise(";
        for _ in 0..=self.random.below(3) {
            let (a, b) = (self.wrong(), self.wrong());
            let unknown = self.pick(&["{op}", "c{op}", "{op}.{ty}", "{op[0]}.f32", "@p {op}", "{ty}.{op}"]);
            match self.random.below(12) {
                0 => self.add(1, &format!("    y = {call}\"{a} $0, $1;\", {end}\n")),
                1 => self.add(1, &format!("    y = {call}f\"{unknown} $0, $1;\", {end}\n")),
                2 => self.add(2, &format!("    y = {call}f\"{unknown} $0, $1; {a} $0, $1;\", {end}\n")),
                3 => self.add(1, &format!("    y = {call}f\"cvt.{{ty}}.f32 $0, $1;\", {end}\n")),
                4 => self.add(1, &format!("    y = {call}op + \" $0, $1;\", {end}\n")),
                // The text after it may be a conversion, too.
                5 => self.add(2, &format!("    y = {call}\"{a} $0, $1;\" + other, {end}\n")),
                6 => {
                    self.add(0, "    if flag:\n");
                    self.add(1, &format!("        text = \"{a} $0, $1;\"\n    else:\n"));
                    self.add(2, &format!("        text = f\"{unknown} $0, $1; {b} $0, $1;\"\n"));
                    self.add(0, &format!("    y = {call}text, {end}\n"));
                }
                7 => self.add(2, &format!("    y = {call}\"%s $0, $1; {a} $0, $1;\" % op, {end}\n")),
                8 => self.add(2, &format!("    y = {call}\"{{}} $0, $1; {a} $0, $1;\".format(op), {end}\n")),
                9 => self.add(1, &format!("    message = \"use {a}, not \" + op\n")),
                10 => {
                    self.add(1, &format!("    ops = {{\"a\": \"{a}\",\n"));
                    self.add(1, &format!("        \"b\": \"{b}\"}}\n"));
                    self.add(0, &format!("    y = {call}f\"{{ops[ty]}} $0, $1;\", {end}\n"));
                }
                _ => {
                    self.add(0, &format!("    y = {call}\n"));
                    self.add(1, &format!("        \"{a} $0, $1;\"\n"));
                    self.add(1, &format!("        f\"{unknown} $0, $1;\"\n"));
                    self.add(1, &format!("        \"{b} $0, $1;\",\n        {end}\n"));
                }
            }
        }
    }

    fn rust(&mut self) {
        self.functions += 1;
        let number = self.functions;
        self.add(0, &format!("unsafe fn f{number}(a: f32) {{\n    // cvt.f16.f32 h, f;\n"));
        let end = "out(reg16) d, in(reg32) a);\n";
        for _ in 0..=self.random.below(3) {
            let (a, b) = (self.wrong(), self.wrong());
            let unknown = self.pick(&["op!()", "concat!( \"c\", op!() )", "stringify!($op)"]);
            match self.random.below(6) {
                0 => self.add(1, &format!("    asm!(\"{a} {{0}}, {{1}};\", {end}")),
                1 => {
                    self.add(1, &format!("    asm!(\"{a} {{0}}, {{1}};\",\n"));
                    self.add(1, &format!("        \"{b} {{0}}, {{1}};\", {end}"));
                }
                2 => self.add(1, &format!("    asm!(concat!({unknown}, \" {{0}}, {{1}};\"), {end}")),
                3 => {
                    self.add(1, &format!("    asm!(concat!({unknown}, \" {{0}}, {{1}};\",\n"));
                    self.add(1, &format!("        \"{a} {{0}}, {{1}};\"), {end}"));
                }
                4 => self.add(1, &format!("    let text = r#\"{a} is \"wrong\"\"#;\n")),
                _ => self.add(1, &format!("    ptx_asm!(r\"{a} {{0}}, {{1}};\", {end}")),
            }
        }
        self.add(0, "}\n");
    }

    fn mlir(&mut self) {
        self.functions += 1;
        let number = self.functions;
        self.add(0, &format!("func.func @f{number}(%a: f32) -> i16 {{\n  // \"cvt.f16.f32\"\n"));
        for at in 0..=self.random.below(3) {
            let a = self.wrong();
            let types = "(f32) -> i16";
            match self.random.below(4) {
                0 => self.add(1, &format!("  %{at} = llvm.inline_asm \"{a} $0, $1;\", \"=h,f\" %a : {types}\n")),
                1 => self.add(1, &format!("  %{at} = nvvm.inline_ptx \"{a} {{$w0}}, {{$r0}};\" ro (%a : f32) -> i16\n")),
                2 => self.add(1, &format!("  %{at} = \"x.y\"() {{ name = \"{a} of x\" }} : () -> i16\n")),
                _ => self.add(
                    1,
                    &format!(
                        "  %{at} = tt.elementwise_inline_asm \"{a} $0, $1;\" {{constraints = \"=h,f\", packed_element = 1 : \
                         i32, pure = true}} %a : tensor<8xf32> -> tensor<8xf16>\n"
                    ),
                ),
            }
        }
        self.add(0, "}\n");
    }
}

/// The attributes of an operation of MLIR may be in any order.
#[test]
fn constraints_of_mlir_before_and_after() {
    for attributes in [
        "asm_string = \"cvt.rn.f16.f32 $0, $1;\", constraints = \"=h,h\"",
        "constraints = \"=h,h\", asm_string = \"cvt.rn.f16.f32 $0, $1;\"",
    ] {
        let text = format!("%5 = \"llvm.inline_asm\"(%a) {{{attributes}}} : (f32) -> i16\n");
        let found = super::found(&text, Language::Mlir, &CheckOptions::default());
        assert_eq!(found, ["1 error CVT105"], "{text}");
    }
}

/// Attributes before the string of an operation do not hide it.
#[test]
fn attributes_of_mlir_before_the_string() {
    for attributes in [
        "",
        "has_side_effects",
        "asm_dialect = att operand_attrs = []",
        "operand_attrs = [{elementtype = f32}, {}]",
    ] {
        let text = format!(
            "%1 = llvm.inline_asm {attributes} \"cvt.rn.f16.f64 $0, $1;\", \"=h,f\" %a : (f32) -> i16\n"
        );
        let found = super::found(&text, Language::Mlir, &CheckOptions::default());
        assert_eq!(found, ["1 error CVT105"], "{text}");
    }
}

/// The generic form of `nvvm.inline_ptx` says the types of its operands elsewhere; the opcode is judged.
#[test]
fn generic_inline_ptx() {
    for (opcode, expected) in [("cvt.rn.f16.f32", None), ("cvt.rn.f16.f33", Some("1 error CVT002"))] {
        let text = format!(
            "%1 = \"nvvm.inline_ptx\"(%a) <{{operandSegmentSizes = array<i32: 1, 0, 0>, ptxCode = \"{opcode} {{$w0}}, {{$r0}};\"}}> : (f32) -> i16\n"
        );
        let found = super::found(&text, Language::Mlir, &CheckOptions::default());
        assert_eq!(found, Vec::from_iter(expected), "{text}");
    }
}

#[test]
fn every_conversion_and_unknown_opcode_is_judged_or_counted() {
    for language in [Language::Python, Language::Rust, Language::Mlir] {
        let (mut judged, mut counted) = (0, 0);
        for seed in 1..=1_000 {
            let random = SplitMix64::new(seed);
            let mut maker = Maker { random, text: String::new(), expected: 0, functions: 0 };
            for _ in 0..=maker.random.below(3) {
                maker.function(language);
            }
            let source = Source::new("random", maker.text.as_bytes());
            let report = check_source(&source, language, &CheckOptions::default());
            let lines: BTreeSet<usize> =
                report.diagnostics.iter().map(|d| source.position(d.span().start).line).collect();
            let skipped: usize = report.stats.skipped.values().sum();
            assert_eq!(
                lines.len() + skipped,
                maker.expected,
                "{}\n{:?}\n{:?}",
                maker.text,
                report.diagnostics,
                report.stats.skipped
            );
            judged += lines.len();
            counted += skipped;
        }
        assert!(judged > 1_000 && counted > 200, "{language:?}: {judged} judged, {counted} counted");
    }
}

#[test]
fn an_unknown_opcode_is_counted() {
    let python = "def k(x, op):\n    return tl.inline_asm_elementwise(f\"{op} $0, $1;\", \"=h,f\", [x], dtype=t, is_pure=True, pack=1)\n";
    let cpp = "asm(OP \" %0, %1; cvt.rn.f16.f32 %0, %1;\" : \"=h\"(d) : \"f\"(a));\n";
    let rust = "asm!(concat!(op!(), \" {0}, {1};\"), out(reg16) d, in(reg32) a);\n";
    for (language, text, conversions) in
        [(Language::Python, python, 0), (Language::Cpp, cpp, 1), (Language::Rust, rust, 0)]
    {
        let report = super::check(text, language, &CheckOptions::default());
        assert!(report.diagnostics.is_empty(), "{text}{:?}", report.diagnostics);
        assert_eq!(report.stats.conversions, conversions, "{text}");
        let counted: Vec<_> = report.stats.skipped.into_iter().collect();
        assert_eq!(counted, [("its opcode is not known, so it may be a conversion", 1)], "{text}");
    }
}

/// Character literals may be quotes or multi-byte, and so may invalid arguments.
#[test]
fn characters_of_rust_are_passed_as_a_whole() {
    let asm = "asm!(\"cvt.f16.f32 {0}, {1};\", out(reg16) d, in(reg32) a);";
    for before in [
        "let q = ['é','\"'];",
        "let q = ['\\n','\"','\\'','\"','\\u{1f600}','\"','\\\\','\"'];",
        "fn f<'a>(x: &'a str, y: char) -> bool { y == '\"' }",
        "asm!(o!é z, \u{fffd}é, 'é' é);",
        "'é é 'é' \u{fffd}",
    ] {
        let text = format!("{before}\n{asm}\n");
        let lines = super::found(&text, Language::Rust, &CheckOptions::default());
        assert_eq!(lines, ["2 error CVT006"], "{text}");
    }
}

/// Brackets within brackets do not exhaust the stack.
#[test]
fn deep_brackets_are_read() {
    const DEPTH: usize = 200_000;
    for (language, open, inner) in [
        (Language::Rust, "asm!(\"cvt.rn.f16.f32 {0}, {1};\", ", "("),
        (Language::Rust, "asm!(", "concat!("),
        (Language::Mlir, "llvm.inline_asm \"cvt.rn.f16.f32 $0, $1;\", ", "["),
        (Language::Llvm, "call asm \"cvt.rn.f16.f32 $0, $1;\", ", "{"),
    ] {
        let text = format!("{open}{}", inner.repeat(DEPTH));
        let report = super::check(&text, language, &CheckOptions::default());
        assert!(report.stats.conversions <= 1);
    }
}

/// Code that Rust leaves out for NVIDIA's GPUs is counted.
#[test]
fn rust_leaves_out_what_is_for_other_machines() {
    const ASM: &str = r#"asm!("cvt.rn.f17.f32 {0}, {1};", out(reg16) d, in(reg32) a)"#;
    let function = format!("unsafe fn f<A, B>(a: f32) -> u16 {{ let d: u16; {ASM}; d }}");
    for (condition, out) in [
        ("any()", true),
        ("not(all())", true),
        ("false", true),
        ("target_arch = \"x86_64\"", true),
        ("not(target_arch = \"nvptx64\")", true),
        ("all(feature = \"x\", unix)", true),
        ("any(target_os = \"linux\", windows)", true),
        ("target_arch = \"nvptx64\"", false),
        ("all()", false),
        ("target_os = \"cuda\"", false),
        ("feature = \"x\"", false),
        ("not(feature = \"x\")", false),
        ("any(feature = \"x\", unix)", false),
        ("test", false),
        ("panic = \"abort\"", false),
    ] {
        for (text, places) in [
            (format!("#[cfg({condition})]\n#[inline]\n{function}\n"), 1),
            (format!("#[ cfg ( {condition} ) ]\nmod m {{ {function} fn g() {{ {ASM}; }} }}\n"), 2),
            (format!("fn g() {{\n#[cfg({condition})]\n{ASM};\n}}\n"), 1),
            (format!("#![cfg({condition})]\n{function}\n"), 1),
        ] {
            let report = check(&text, Language::Rust, &CheckOptions::default());
            let dead = report.stats.skipped.get("no device compiler sees it").copied().unwrap_or(0);
            let expected = if out { (0, places) } else { (places, 0) };
            assert_eq!((report.diagnostics.len(), dead), expected, "{text}");
            // It ends with the item.
            if !text.starts_with("#!") {
                let report = check(&format!("{text}{function}"), Language::Rust, &CheckOptions::default());
                assert_eq!(report.diagnostics.len(), expected.0 + 1, "{text}");
            }
        }
    }
}

/// An attribute applies only to its own item, and to nothing after it.
#[test]
fn an_attribute_of_rust_covers_one_thing() {
    const OUT: &str = "#[cfg(not(target_arch = \"nvptx64\"))]";
    const ASM: &str = r#"asm!("cvt.rn.f17.f32 {0}, {1};", out(reg16) d, in(reg32) a)"#;
    // ASM is for the GPU, HOST is left out.
    for text in [
        // Arms.
        "fn f() { match k { OUT 0 => HOST, _ => ASM, } }",
        "fn f() { match k { OUT 0 | 1 if a < b => { HOST } _ => ASM, } }",
        "fn f() { match k { OUT Foo { x, .. } => unsafe { HOST } Bar(y) => { ASM } } }",
        "fn f() { match k { OUT Foo { x } | Bar { x } if x > 1 => if x { HOST } else { HOST }, _ => ASM } }",
        "fn f() { match k { OUT A => Foo { y: HOST }, OUT B => g(HOST, 1), C => ASM } }",
        "fn f() { match k { OUT A => g::<B, C>(HOST), C => ASM } }",
        "fn f() { match k { OUT A => |x, y| HOST, C => ASM } }",
        "fn f() { match k { OUT 0 => {} ..=5 => ASM, _ => ASM } }",
        "fn f() { match k { OUT 0 => { HOST } | 1 => ASM, _ => ASM } }",
        "fn f() { match k { OUT 0 => if let S { a } | T { a } = b { HOST } | 1 => ASM, _ => ASM } }",
        // Parameters, arguments, elements.
        "fn f(OUT a: HashMap<u32, u32>, b: u32) { ASM }",
        "fn f(a: u32, OUT b: fn(A) -> B<C, D>) { ASM }",
        "fn f() { g(OUT HOST, ASM); }",
        "fn f() { g(1, OUT if a { HOST } else { HOST }, ASM); }",
        "fn f() { g(OUT a < HOST, ASM); }",
        "fn f() { g(OUT Foo { x: HOST }.y(1), ASM); }",
        "fn f() { let x = [OUT HOST, ASM]; }",
        "fn f() { let x = |OUT a, b| ASM; }",
        // Fields and variants.
        "fn f() { let c = Config { OUT threads: HOST, code: ASM }; }",
        "fn f() { let c = Config { OUT threads: unsafe { HOST }, code: ASM, ..d }; }",
        "fn f() { let c = Config { OUT threads: a < b, code: ASM }; }",
        "fn f() { let c = Config { OUT threads: a < b && c > d, code: ASM, more: e > f }; }",
        "fn f() { let c = Config { OUT threads: HOST < b, code: ASM }; }",
        "struct S { OUT pub a: HashMap<A, B>, b: u32 } fn f() { ASM }",
        "struct S(OUT pub(crate) u32, u8); fn f() { ASM }",
        "enum E { OUT A, B { c: u32 }, OUT C { d: u8 }, OUT D = 3, F } fn f() { ASM }",
        "struct S { OUT a: u32 } fn f() { ASM }",
        // Generic parameters.
        "fn f<OUT T: Into<A>>(a: u32) { ASM }",
        "fn f<OUT 'a, T>(a: u32) { ASM }",
        "fn f<OUT const N: usize>(a: u32) { ASM }",
        // Statements.
        "fn f() { OUT let x: Vec<A, B> = if a { HOST } else { HOST }; ASM }",
        "fn f() { OUT { HOST } ASM }",
        "fn f() { OUT if a { HOST } else if b { HOST } else { HOST } ASM }",
        "fn f() { OUT if let Foo { x } = y { HOST } ASM }",
        "fn f() { OUT 'a: loop { HOST } ASM }",
        "fn f() { OUT for Foo { x } in y { HOST } ASM }",
        "fn f() { OUT unsafe { HOST } ASM }",
        "fn f() { OUT match x { A => HOST, B => {} } ASM }",
        "fn f() { OUT g! { HOST } ASM }",
        "fn f() { OUT g(HOST); ASM }",
        "fn f() { OUT HOST; ASM }",
        "fn f() { OUT return HOST; ASM }",
        "fn f() { ASM; OUT HOST }  fn g() { ASM }",
        // Items.
        "OUT fn f<A, B>(a: A, b: B) -> C where A: D, B: E { HOST } fn g() { ASM }",
        "OUT #[inline] pub(crate) unsafe extern \"C\" fn f(a: A, b: B) { HOST } fn g() { ASM }",
        "OUT pub const X: [A; 2] = { HOST }; fn g() { ASM }",
        "OUT static X: A = A { x: HOST, y: 1 }; fn g() { ASM }",
        "OUT pub const fn f() { HOST } fn g() { ASM }",
        "OUT impl Foo<{ 3 }> for Bar { fn f() { HOST } } fn g() { ASM }",
        "OUT fn f() where A: B<{ 3 }> { HOST } fn g() { ASM }",
        "OUT fn f() -> Foo<{ N }, A> { HOST } fn g() { ASM }",
        "fn f() { OUT if unsafe { a } { HOST } ASM }",
        "OUT use a::{b, c}; fn g() { ASM }",
        "OUT impl<A, B> C<A, B> for D { fn f() { HOST } } fn g() { ASM }",
        "OUT mod a; fn g() { ASM }",
        "OUT struct S(A, B); fn g() { ASM }",
        "OUT macro_rules! m { () => { HOST }; } fn g() { ASM }",
        "OUT type A = B<C, D>; fn g() { ASM }",
        "OUT m!(HOST, 1); fn g() { ASM }",
        "trait T { OUT fn f(a: A, b: B); fn g() { ASM } }",
        // Branches of `cfg_if!`.
        "cfg_if! { if #[cfg(windows)] { HOST } else { ASM } }",
        // Inner attributes.
        "mod host { INNER fn f() { HOST } } fn g() { ASM }",
        "mod host { mod a { INNER fn f() { HOST } } fn g() { ASM } }",
        "fn f() { INNER HOST } fn g() { ASM }",
    ] {
        let inner = OUT.replacen('#', "#!", 1);
        let (device, host) = (text.matches("ASM").count(), text.matches("HOST").count());
        let text = text.replace("OUT", OUT).replace("INNER", &inner).replace("ASM", ASM).replace("HOST", ASM);
        let report = check(&text, Language::Rust, &CheckOptions::default());
        let dead = report.stats.skipped.get("no device compiler sees it").copied().unwrap_or(0);
        assert_eq!((report.diagnostics.len(), dead), (device, host), "{text}");
    }
}

/// MLIR numbers operands that are read and written first, then results, then operands that are only read.
#[test]
fn numbers_of_inline_ptx() {
    let judged = |text: &str| {
        let text = format!("%1 = nvvm.inline_ptx {text}\n");
        check(&text, Language::Mlir, &CheckOptions::default()).diagnostics.len()
    };
    assert_eq!(judged("\"cvt.rn.bf16.f32 $0, $1;\" ro(%a : f32) -> bf16"), 0);
    assert_eq!(judged("\"cvt.rn.f64.s32 %0, %1;\" ro(%a : i32) -> f64"), 0);
    assert_eq!(judged("\"cvt.rn.bf16.f32 $1, $2; mov.b32 $0, $0;\" ro(%a : f32) rw(%b : i32) -> bf16"), 0);
    assert_eq!(judged("\"cvt.rn.bf16.f32 $1, $0;\" ro(%a : f32) -> bf16"), 2);
}
