//! A visitor that needs no operands receives the same instructions and problems as one that reads them.

use ptxcvt::inputs::SplitMix64;
use ptxcvt_syntax::parse::{Instruction, Visitor, parse_with};
use ptxcvt_syntax::{Diagnostic, Span};

/// Pieces of operands, plain and others.
const PIECES: &[&str] = &[
    "%r1",
    "%tid",
    ".x",
    "$L__BB0_1",
    "p",
    "_",
    "WARP_SZ",
    "16",
    "08",
    "0x1F",
    "0xG",
    "0f3F800000",
    "0f3F8",
    "0d",
    "1.5",
    "1e5",
    "-",
    "+",
    "!",
    "~",
    "|",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ",",
    ",",
    ",",
    ", ",
    " ",
    "\t",
    "\n",
    "// c\n",
    "/* c */",
    "\"s\"",
    ":",
    "::",
    ";",
    "@",
    "%",
    "$",
    ".",
    "é",
    "\0",
    "cvt.u32.u16 %r1, %r2;\n",
    "99999999999999999999",
    "?",
    "=",
    "*",
];

/// Statements whose operands are plain.
const PLAIN: &[&str] = &[
    "add.s32 %r1, %r2, -1;",
    "st.shared.v2.b32 [%r1+128], {%r2, %r3};",
    "mov.u32 %r1, %tid.x;",
    "bra $L__BB0_1 ;",
    "fma.rn.f32 %f1, %f2,%f3\n, 0f3F800000;",
    "ld.param.u64 %rd1, [ k_param_0 + 8 ];",
    "setp.lt.f32 p, %f1, 1.5e3;",
];

#[derive(Default)]
struct Record<'s> {
    all: bool,
    /// The places of instructions and of their operands, and whether they are complete.
    instructions: Vec<(Span, usize, bool)>,
    operands: usize,
    problems: Vec<Diagnostic>,
    names: Vec<&'s str>,
}

impl<'s> Visitor<'s> for Record<'s> {
    fn reads_all_operands(&self) -> bool {
        self.all
    }
    fn instruction(&mut self, instruction: &Instruction<'s>) {
        let read = if instruction.opcode.name() == "cvt" { instruction.operands.len() } else { 0 };
        self.instructions.push((instruction.span, read, instruction.complete));
        self.operands += instruction.operands.len();
        self.names.push(instruction.opcode.name());
    }
    fn problem(&mut self, diagnostic: Diagnostic) {
        self.problems.push(diagnostic);
    }
}

fn read(text: &str, all: bool) -> Record<'_> {
    let mut record = Record { all, ..Record::default() };
    parse_with(text, false, &mut record);
    record
}

/// The numbers of operands, all and those that are delivered to who needs only a conversion's.
fn compare(text: &str) -> (usize, usize) {
    let (all, some) = (read(text, true), read(text, false));
    assert_eq!(all.instructions, some.instructions, "{text:?}");
    assert_eq!(all.names, some.names, "{text:?}");
    assert_eq!(all.problems, some.problems, "{text:?}");
    (all.operands, some.operands)
}

#[test]
fn plain_operands_are_skipped() {
    for statement in PLAIN {
        let (all, some) = compare(&format!(".entry k() {{\n{statement}\n}}\n"));
        assert!(all > 0 && some == 0, "{statement}: {some} of {all}");
    }
}

#[test]
fn what_is_skipped_has_no_problem() {
    let mut random = SplitMix64::new(20261130);
    let mut skipped = 0;
    for _ in 0..100_000 {
        let mut text = String::from(".entry k() {\n");
        for _ in 0..1 + random.below(3) {
            let mut statement = match random.below(3) {
                0 => String::from("add.s32 "),
                _ => String::from(PLAIN[random.below(PLAIN.len())]),
            };
            for _ in 0..random.below(5) {
                let mut at = random.below(statement.len() + 1);
                while !statement.is_char_boundary(at) {
                    at -= 1;
                }
                if random.below(4) == 0 {
                    let _ = (at < statement.len()).then(|| statement.remove(at));
                } else {
                    statement.insert_str(at, PIECES[random.below(PIECES.len())]);
                }
            }
            text += &statement;
            text.push('\n');
        }
        text += "}\n";
        let (all, some) = compare(&text);
        skipped += usize::from(some < all);
    }
    assert!(skipped > 10_000, "{skipped}");
}
