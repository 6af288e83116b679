//! A mutator of PTX texts: bytes, words, lines, and pieces of other texts.

use ptxcvt::inputs::SplitMix64;

/// What a lexer of PTX reacts to.
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

/// Changes `text` in one to eight ways.
pub fn mutate(random: &mut SplitMix64, text: &mut Vec<u8>, other: &[u8]) {
    for _ in 0..=random.below(8) {
        let at = random.below(text.len() + 1);
        let longest = 1 << random.below(9);
        let end = (at + random.below(longest)).min(text.len());
        match random.below(10) {
            0 => drop(text.drain(at..end)),
            1 => {
                let piece = text[at..end].to_vec();
                let to = random.below(text.len() + 1);
                text.splice(to..to, piece);
            }
            2 | 3 if !text.is_empty() => {
                let last = text.len() - 1;
                text[at.min(last)] = random.next_u64() as u8;
            }
            4 => {
                let from = random.below(other.len() + 1);
                let to = (from + random.below(200)).min(other.len());
                text.splice(at..end, other[from..to].iter().copied());
            }
            5 => text.truncate(at),
            6 => {
                // One piece many times: nesting and lists.
                let times = 1 << random.below(11);
                let word = WORDS[random.below(WORDS.len())].repeat(times);
                text.splice(at..at, word.bytes());
            }
            _ => {
                let word = WORDS[random.below(WORDS.len())];
                text.splice(at..end, word.bytes());
            }
        }
    }
}
