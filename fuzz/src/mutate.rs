//! A mutator of PTX texts: bytes, words, lines, and pieces of other texts.

/// Random numbers from a seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// A number of 64 bits.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which may be 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.number() % n.max(1) as u64) as usize
    }
}

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
pub fn mutate(random: &mut Random, text: &mut Vec<u8>, other: &[u8]) {
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
                text[at.min(last)] = random.number() as u8;
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
