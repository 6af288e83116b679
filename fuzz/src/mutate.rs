//! Mutates texts: bytes, words, and pieces of other texts.

use fastrand::Rng;

/// Words that the lexers react to.
const WORDS: &[&str] = &[
    "cvt",
    "cvt.pack",
    ".reg",
    ".b32",
    ".f32",
    ".rn",
    ".satfinite",
    ".e4m3x2",
    ".e4m3x4",
    ".scaled::n2::ue8m0",
    ".pack",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    "@",
    "!",
    "|",
    "+",
    "-",
    "<",
    ">",
    "=",
    "?",
    "%",
    "$",
    "_",
    ".",
    "::",
    "/*",
    "*/",
    "//",
    "\"",
    "\\",
    "#",
    "# 1",
    "@@DWARF",
    "0f3F800000",
    "0d",
    "0x",
    "0b",
    "08",
    "1e",
    "1.5",
    "18446744073709551615",
    "WARP_SZ",
    "%r<4294967295>",
    "%r",
    "%tid.x",
    "%0",
    "$0",
    "%%r",
    "${0:x}",
    ".version",
    ".target",
    "sm_100a",
    ".entry",
    ".func",
    ".param",
    ".loc 1 2 3",
    ".section",
    ".pragma",
    ".file",
    "\0",
    "\u{feff}",
    "\u{fffd}",
    "\r\n",
    "\n",
    "\t",
    "é",
    "((((((((",
    "{{{{{{{{",
];

/// Changes `text` in one to eight ways, using pieces of `other`.
pub fn mutate(random: &mut Rng, text: &mut Vec<u8>, other: &[u8]) {
    for _ in 0..random.u32(1..=8) {
        let at = random.usize(..=text.len());
        let longest = 1 << random.u32(..9);
        let end = (at + random.usize(..longest)).min(text.len());
        match random.u32(..10) {
            0 => drop(text.drain(at..end)),
            1 => {
                let piece = text[at..end].to_vec();
                let to = random.usize(..=text.len());
                text.splice(to..to, piece);
            }
            2 | 3 if !text.is_empty() => {
                let last = text.len() - 1;
                text[at.min(last)] = random.u8(..);
            }
            4 => {
                let from = random.usize(..=other.len());
                let to = (from + random.usize(..200)).min(other.len());
                text.splice(at..end, other[from..to].iter().copied());
            }
            5 => text.truncate(at),
            6 => {
                // Repeat one word, for nesting and long lists.
                let word = WORDS[random.usize(..WORDS.len())].repeat(1 << random.u32(..11));
                text.splice(at..at, word.bytes());
            }
            _ => {
                let word = WORDS[random.usize(..WORDS.len())];
                text.splice(at..end, word.bytes());
            }
        }
    }
}
