//! Random programs in Rust with `#[cfg(…)]` on items, statements, arms, fields, arguments and parameters: exactly the
//! assemblies that no attribute leaves out are judged, and the others are counted.

use std::collections::BTreeSet;

use ptxcvt::inputs::SplitMix64;
use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Source};

const OUT: &str = "#[cfg(not(target_arch = \"nvptx64\"))]";
const ASM: &str = r#"asm!("cvt.rn.f17.f32 {0}, {1};", out(reg16) d, in(reg32) a)"#;

/// Types, expressions and patterns without assembly.
const TYPES: [&str; 12] = [
    "u32",
    "Vec<A, B>",
    "Foo<{ N }, A>",
    "[u8; { 3 }]",
    "&'a dyn Fn(A) -> B<C, D>",
    "HashMap<A, Vec<B>>",
    "<A as B<C>>::D",
    "a::b::<C, D>::E",
    "impl Iterator<Item = (A, B)>",
    "Box<dyn for<'a> Fn(&'a A, B)>",
    "*const Foo<-1, true>",
    "Option<fn(A<B, C>) -> D>",
];
const EXPRESSIONS: [&str; 20] = [
    "a",
    "a < b",
    "a > b",
    "a < b && c > d",
    "(a < b) | (c > d)",
    "a << 3 | b >> 2",
    "Vec::<A, B>::new()",
    "<A as B<C>>::new(a, b)",
    "x as Foo<A, B>",
    "S { a: b < c, d }",
    "[a < b, c]",
    "g(a < b, c > d)",
    "|x, y| x < y",
    "move |x: Vec<A, B>| { x }",
    "|| a < b",
    "if a < b { 1 } else { 2 }",
    "match a { 0 => b, ..=5 | 7 => c, _ => d }",
    "unsafe { a }",
    "'<'",
    "a <= b || a >= c",
];
const PATTERNS: [&str; 12] = [
    "0",
    "0 | 1",
    "..=5",
    "1..=2",
    "'a'..='z'",
    "S { a, .. }",
    "| 1 | 2",
    "(a, b)",
    "X::<A, B>(c)",
    "[a, .., b]",
    "S { a: 1..=3, b } | T { a, b }",
    "&(ref a, _)",
];
const GUARDS: [&str; 5] = ["", " if a < b", " if a < b && c > d", " if let S { a } = b", " if g(a, b)"];
/// Beginnings of functions and other items with braces, up to their bodies.
const HEADS: [&str; 9] = [
    "fn f<A: B<{ N }>, const M: usize = { 3 }>(a: u32) -> Foo<{ N }>",
    "fn f() where A: B<{ 3 }>, C: D<E, F>",
    "pub(crate) unsafe extern \"C\" fn f(a: [u8; { 3 }], b: B<C, D>)",
    "impl Foo<{ 3 }> for Bar<{ N + 1 }, A>",
    "impl<A: B<C>, D> E<A, D>",
    "mod m",
    "pub unsafe trait T: A<{ 3 }> + B<C, D>",
    "pub const fn f<'a, A>(a: &'a A) -> Option<&'a A>",
    "async fn f(a: impl Fn(A) -> B<{ 1 }>)",
];

struct Generator {
    random: SplitMix64,
    text: String,
    /// The lines of assemblies that are judged, and the lines of assemblies that are left out.
    lines: [BTreeSet<usize>; 2],
}

impl Generator {
    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.random.below(of.len())]
    }

    fn push(&mut self, text: &str) {
        self.text += text;
    }

    /// Perhaps writes an attribute. Returns true if it leaves out the following item.
    fn attribute(&mut self, out: bool) -> bool {
        let writes = self.random.below(3) == 0;
        if writes {
            self.push(OUT);
            let after = self.one(&[" ", "\n", " #[inline] ", " /* { */ "]);
            self.push(after);
        }
        out || writes
    }

    fn assembly(&mut self, out: bool) {
        let line = self.text.lines().count() + usize::from(self.text.ends_with('\n'));
        self.lines[usize::from(out)].insert(line);
        self.push(ASM);
        self.push("\n");
    }

    fn item(&mut self, depth: usize, out: bool) {
        let out = self.attribute(out);
        match self.random.below(5) {
            0 if depth > 0 => {
                let end =
                    self.one(&["struct S { ", "pub struct S<A: B<{ 1 }>> where A: C<D, E> { ", "union U { "]);
                self.push(end);
                for _ in 0..self.random.below(3) {
                    self.attribute(out);
                    let (name, ty) = (self.one(&["a: ", "pub b: "]), self.one(&TYPES));
                    self.push(&format!("{name}{ty}, "));
                }
                self.push("}\n");
            }
            1 => {
                let expression = self.one(&EXPRESSIONS);
                let item = self.one(&["const X: A<B, C> = ", "pub static Y: [u8; { 3 }] = "]);
                self.push(&format!("{item}{expression};\n"));
            }
            _ => {
                let head = self.one(&HEADS);
                self.push(&format!("{head} {{ "));
                match (head.contains("fn "), depth) {
                    (false, 1..) => (0..1 + self.random.below(2)).for_each(|_| self.item(depth - 1, out)),
                    (false, 0) => {}
                    (true, _) => self.statements(depth, out),
                }
                self.push("}\n");
            }
        }
    }

    fn statements(&mut self, depth: usize, out: bool) {
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth, out);
        }
    }

    fn statement(&mut self, depth: usize, out: bool) {
        let out = self.attribute(out);
        match self.random.below(if depth == 0 { 2 } else { 11 }) {
            0 => {
                self.assembly(out);
                self.push(";\n");
            }
            1 => {
                let (ty, value) = (self.one(&TYPES), self.one(&EXPRESSIONS));
                self.push(&format!("let x: {ty} = {value};\n"));
            }
            2 => {
                let head = self.one(&[
                    "if a < b",
                    "if let S { a } | T { a } = b",
                    "if unsafe { a } < b",
                    "if match a { 0 => b, _ => c }",
                    "if a as u32 == b",
                ]);
                self.push(&format!("{head} {{ "));
                self.statements(depth - 1, out);
                if self.random.below(2) == 0 {
                    self.push("} else { ");
                    self.statements(depth - 1, out);
                }
                self.push("}\n");
            }
            3 => {
                let head = self.one(&[
                    "loop",
                    "'a: loop",
                    "while a < b",
                    "while let Some(S { a }) = b",
                    "for S { a } in b",
                    "for i in unsafe { a }",
                    "unsafe",
                    "",
                ]);
                self.push(&format!("{head} {{ "));
                self.statements(depth - 1, out);
                self.push("}\n");
            }
            4 | 5 => self.arms(depth, out),
            6 => {
                self.push("let s = S { ");
                for _ in 0..1 + self.random.below(3) {
                    let out = self.attribute(out);
                    self.push("a: ");
                    self.value(out);
                    self.push(", ");
                }
                self.push("b };\n");
            }
            7 => {
                let (open, close) =
                    [("g(", ");\n"), ("let v = [", "];\n"), ("let t = (", ");\n")][self.random.below(3)];
                self.push(open);
                for _ in 0..1 + self.random.below(3) {
                    let out = self.attribute(out);
                    self.value(out);
                    self.push(", ");
                }
                self.push("b");
                self.push(close);
            }
            8 => {
                self.push("let c = |");
                self.attribute(out);
                let ty = self.one(&TYPES);
                self.push(&format!("a: {ty}, b| {{ "));
                self.statements(depth - 1, out);
                self.push("};\n");
            }
            9 => self.item(depth - 1, out),
            _ => {
                self.push("return ");
                self.value(out);
                self.push(";\n");
            }
        }
    }

    fn arms(&mut self, depth: usize, out: bool) {
        self.push("match k { ");
        for _ in 0..1 + self.random.below(4) {
            let out = self.attribute(out);
            let (pattern, guard) = (self.one(&PATTERNS), self.one(&GUARDS));
            self.push(&format!("{pattern}{guard} => "));
            match self.random.below(3) {
                0 => {
                    let head = self.one(&["", "unsafe ", "if let S { a } = b ", "loop "]);
                    self.push(&format!("{head}{{ "));
                    self.statements(depth - 1, out);
                    let end = self.one(&["} ", "}, ", "}\n"]);
                    self.push(end);
                }
                _ => {
                    self.value(out);
                    self.push(", ");
                }
            }
        }
        self.push("_ => { } }\n");
    }

    /// An expression before a comma or a semicolon, with an assembly or without.
    fn value(&mut self, out: bool) {
        match self.random.below(4) {
            0 => self.assembly(out),
            1 => {
                self.push("unsafe { ");
                self.assembly(out);
                self.push("; d }");
            }
            2 => {
                self.push("g(a < b, ");
                self.assembly(out);
                self.push(") + 1");
            }
            _ => {
                let expression = self.one(&EXPRESSIONS);
                self.push(expression);
            }
        }
    }
}

#[test]
fn random_attributes() {
    let mut all = [0, 0];
    for seed in 1..=3_000 {
        let (text, lines) = (String::new(), Default::default());
        let mut generator = Generator { random: SplitMix64::new(seed), text, lines };
        for _ in 0..1 + generator.random.below(3) {
            generator.item(3, false);
        }
        generator.push("fn last() { ");
        generator.assembly(false);
        generator.push("}\n");
        let Generator { text, lines: [live, out], .. } = generator;
        let source = Source::new("random.rs", text.as_bytes());
        let found = check_source(&source, Language::Rust, &CheckOptions::default());
        let line = |at: u32| source.position(at).line;
        let judged: BTreeSet<usize> = found.diagnostics.iter().map(|d| line(d.span().start)).collect();
        assert_eq!(judged, live, "seed {seed}:\n{text}");
        let counted = found.stats.skipped.get("no device compiler sees it").copied().unwrap_or(0);
        assert_eq!(counted, out.len(), "seed {seed}:\n{text}");
        all = [all[0] + live.len(), all[1] + out.len()];
    }
    assert!(all[0] > 3_000 && all[1] > 2_000, "{all:?}");
}
