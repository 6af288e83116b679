//! A text that was edited is judged as it is when it is opened: in its own language, as a module or as inline assembly.

use ptxcvt_wasm::{edit, open};

/// Texts of all languages, an empty one, a module and pieces of assembly.
const TEXTS: [&str; 13] = [
    "",
    "cvt.rn.f16.f32 %0, %1;\n",
    "cvt.rn.e4m3x2.f32 %0, %1; // \u{e4}\n",
    ".version 8.0\n",
    ".version 9.1\n.target sm_90\n.entry k() {\n .reg .b16 h; .reg .f32 f; // \u{e4}\n cvt.rna.f16.f32 h, f;\n}\n",
    "const char *ptx = R\"(\n.version 8.7\n.target sm_90\n.entry k() {}\n)\";\nvoid f() { asm(\"cvt.f16.f32 %0, %1;\"); }\n",
    include_str!("../../../tests/ptx/snippet-asm.ptx"),
    include_str!("../../../tests/cu/fp8.cu"),
    include_str!("../../../tests/cu/built.py"),
    include_str!("../../../tests/cu/call.ll"),
    include_str!("../../../tests/cu/inline.mlir"),
    include_str!("../../../tests/cu/kernel.rs"),
    include_str!("../../../tests/cu/kernel.ipynb"),
];

/// Pseudo-random numbers below a limit.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }

    /// A place in a text, often its beginning or end.
    fn place(&mut self, text: &str) -> usize {
        match self.below(4) {
            0 => 0,
            1 => text.len(),
            _ => (0..=self.below(text.len() + 1)).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0),
        }
    }

    fn range(&mut self, text: &str) -> std::ops::Range<usize> {
        let (one, other) = (self.place(text), self.place(text));
        one.min(other)..one.max(other)
    }
}

/// Replaces a part of `text`, and checks that the answer is that of opening it. The edited text is open afterwards.
fn replace(text: &mut String, range: std::ops::Range<usize>, new: &str, language: &str) {
    let edited = edit(range.start, range.end, new);
    text.replace_range(range, new);
    assert_eq!(edited, open(text.clone(), language, "", ""), "{language}: {text}");
}

#[test]
fn pastes_over_a_text() {
    for language in ["", "ptx", "c++", "python"] {
        for before in TEXTS {
            for after in TEXTS {
                let mut text = before.to_owned();
                open(text.clone(), language, "", "");
                replace(&mut text, 0..before.len(), after, language);
            }
        }
    }
}

/// Also for texts whose language only the beginning shows.
#[test]
fn long_pastes() {
    for after in [TEXTS[2], TEXTS[7], TEXTS[8], TEXTS[9]] {
        let long = after.repeat(70_000 / after.len() + 1);
        let mut text = TEXTS[4].to_owned();
        open(text.clone(), "", "", "");
        replace(&mut text, 0..TEXTS[4].len(), &long, "");
        let end = text.len();
        replace(&mut text, end..end, TEXTS[5], "");
        replace(&mut text, 0..0, TEXTS[4], "");
    }
}

#[test]
fn random_edits() {
    let mut random = Random(1);
    for language in ["", "", "", "ptx", "python"] {
        let mut text = TEXTS[random.below(TEXTS.len())].to_owned();
        open(text.clone(), language, "", "");
        for _ in 0..40 {
            let new = TEXTS[random.below(TEXTS.len())];
            let part = if random.below(2) == 0 { 0..new.len() } else { random.range(new) };
            let range = random.range(&text);
            replace(&mut text, range, &new[part], language);
            // Several edits of what stays open, without opening the text in between.
            for typed in ["#", ".version 8.0\n", "import x\n"] {
                let at = random.place(&text);
                edit(at, at, typed);
                text.insert_str(at, typed);
            }
            if text.len() > 20_000 {
                let half = (0..=10_000).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
                edit(half, text.len(), "");
                text.truncate(half);
            }
        }
    }
}

/// A text that could not be opened is not edited, and the one before it is not either.
#[test]
fn edits_after_a_failure() {
    open(TEXTS[4].to_owned(), "", "", "");
    assert!(open(TEXTS[1].to_owned(), "", "sm_999", "").contains("sm_999"));
    assert!(edit(0, 1, "x").contains("no text is open"));
}
