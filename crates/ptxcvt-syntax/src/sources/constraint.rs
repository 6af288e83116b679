//! The constraints of inline assembly: which registers the compiler puts in place of `%0` and `$0`.
//!
//! The CUDA guide "Inline PTX Assembly in CUDA" and LLVM's NVPTX target: `h r l q f d` are registers of 16, 32, 64 and
//! 128 bits and the two floats, `b` a predicate, `n` an immediate.

use ptxcvt::forms::RegisterClass;

use super::text::Joined;
use crate::check::Filler;
use crate::source::Span;

/// The operands of one assembly.
#[derive(Clone, Debug, Default)]
pub(super) struct Constraints {
    pub operands: Vec<Filler>,
    /// Something of them could not be read, so that none is judged.
    pub unknown: bool,
    /// They belong to another machine than NVIDIA's.
    pub foreign: bool,
}

impl Constraints {
    /// Adds an operand by its letters, as they stand at `at`.
    pub fn push(&mut self, letters: &str, name: Option<&str>, at: Span, joined: &mut Joined) {
        let bare = letters.trim_start_matches(['=', '+', '&', '%']);
        let filler = match bare {
            "b" => Filler::register(RegisterClass::Predicate, 1),
            "h" | "c" => Filler::register(RegisterClass::Bits, 16),
            "r" => Filler::register(RegisterClass::Bits, 32),
            "l" | "N" => Filler::register(RegisterClass::Bits, 64),
            "q" => Filler::register(RegisterClass::Bits, 128),
            "f" => Filler::register(RegisterClass::Float, 32),
            "d" => Filler::register(RegisterClass::Float, 64),
            "n" | "i" => Filler::immediate(),
            // The same register as an output.
            _ if !bare.is_empty() && bare.bytes().all(|b| b.is_ascii_digit()) => {
                let first = bare.parse().ok().and_then(|n: usize| self.operands.get(n));
                first.cloned().unwrap_or_else(Filler::unknown)
            }
            "a" | "v" | "s" | "x" | "w" | "A" | "D" | "S" | "Q" => {
                self.foreign = true;
                Filler::unknown()
            }
            _ => Filler::unknown(),
        };
        self.operands.push(filler.named(letters, name, joined.outside(at)));
    }

    /// Adds those of a list `=r,f,~{memory}`, as LLVM writes them; `from` is where it begins in the source.
    pub fn push_list(&mut self, list: &str, from: usize, joined: &mut Joined) {
        let mut at = from;
        for item in list.split(',') {
            let letters = item.trim();
            if !letters.is_empty() && !letters.starts_with('~') {
                let start = at + (item.len() - item.trim_start().len());
                let span = Span::new(start as u32, (start + letters.len()) as u32);
                self.push(letters, None, span, joined);
            }
            at += item.len() + 1;
        }
    }
}
