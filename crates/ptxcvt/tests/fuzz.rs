//! Seeded mutations of opcodes and operands: no function that parses text panics.

use ptxcvt::inputs::SplitMix64;
use ptxcvt::literal::Reader;
use ptxcvt::targets::Machine;
use ptxcvt::{Form, Spelling};

const ROUNDS: usize = 300_000;
const FRAGMENTS: &[&str] = &[
    "cvt",
    "cvt.pack",
    ".",
    "..",
    ".rn",
    ".rz",
    ".rs",
    ".rni",
    ".sat",
    ".satfinite",
    ".relu",
    ".ftz",
    ".pzo",
    ".scaled::n1::ue8m0",
    ".scaled::n2::ue8m0",
    ".f32",
    ".f16",
    ".bf16x2",
    ".e4m3x2",
    ".e2m1x4",
    ".s32",
    ".u8",
    ".b32",
    "::",
    " ",
    "\u{e9}",
    "\u{1f980}",
    "",
    "0x",
    "0f",
    "0d",
    "1.5",
    "-",
    "inf",
    "nan",
    ",",
    "ffffffffffffffff",
    "1e999",
    "9",
    "u",
    "_",
    "\0",
    "\n",
];

fn text(random: &mut SplitMix64) -> String {
    let count = random.next_u64() % 9;
    (0..count).map(|_| FRAGMENTS[random.next_u64() as usize % FRAGMENTS.len()]).collect()
}

#[test]
fn opcodes_never_panic_and_problems_lie_in_the_text() {
    let mut random = SplitMix64::new(2);
    let (mut legal, mut illegal) = (0, 0);
    for round in 0..ROUNDS {
        let mut opcode = text(&mut random);
        if round % 4 == 0 {
            opcode.insert_str(0, "cvt.rn");
        }
        let spelling = Spelling::new(&opcode);
        match spelling.form() {
            Some(form) => {
                legal += 1;
                assert_eq!(form.to_string().parse(), Ok(form), "{opcode:?}");
            }
            None => {
                illegal += 1;
                // The messages list the legal choices, which is slow.
                if round % 60 == 0 {
                    let problems = spelling.problems(Machine::ANY);
                    for problem in &problems {
                        assert!(opcode.get(problem.range()).is_some(), "{opcode:?} {problem:?}");
                    }
                    // Parsing ignores blanks around an opcode.
                    if opcode.trim_ascii() == opcode {
                        let refusal = opcode.parse::<Form>().unwrap_err();
                        let first = problems.first().map(|problem| problem.code());
                        assert_eq!(Some(refusal.code()), first, "{opcode:?}");
                    }
                }
            }
        }
    }
    assert!(legal > 20 && illegal > ROUNDS / 2, "{legal} legal, {illegal} illegal");
}

#[test]
fn an_illegal_opcode_always_has_a_problem() {
    let mut random = SplitMix64::new(3);
    for _ in 0..ROUNDS / 60 {
        let opcode = text(&mut random);
        let spelling = Spelling::new(&opcode);
        assert_eq!(spelling.form().is_none(), !spelling.problems(Machine::ANY).is_empty(), "{opcode:?}");
    }
}

#[test]
fn operands_never_panic_and_fit_their_register() {
    let mut random = SplitMix64::new(4);
    let forms: Vec<Form> = Form::all().collect();
    let mut read = 0;
    for _ in 0..ROUNDS {
        let form = &forms[random.next_u64() as usize % forms.len()];
        let operand = form.operands().nth(1).unwrap();
        if let Ok(parsed) = Reader::operand(form, &operand).read(&text(&mut random)) {
            assert!(operand.width == 64 || parsed.bits >> operand.width == 0);
            read += 1;
        }
    }
    assert!(read > 1000, "{read}");
}

#[test]
fn every_form_evaluates_any_bits() {
    let mut random = SplitMix64::new(5);
    for form in Form::all() {
        for _ in 0..200 {
            let operands: [u64; 5] = std::array::from_fn(|_| random.next_u64());
            let d = form.eval(&operands[..form.source_count()]).unwrap();
            assert!(form.result_width() == 64 || d >> form.result_width() == 0, "{form} {operands:x?} {d:x}");
        }
        assert!(form.eval(&[]).is_err());
    }
}
