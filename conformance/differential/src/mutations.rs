//! Mutated lines: a block that declares registers of every kind and converts between them, with one edit of a
//! character or a token.

use ptxcvt::forms::RegisterType;
use ptxcvt::inputs::SplitMix64;
use ptxcvt::{Form, IsaVersion, Target};

/// Words and marks that replace others. Some exist only for newer targets.
const TOKENS: &[&str] = &[
    ".b128",
    ".f16x2",
    ".b8",
    ".b16",
    ".b32",
    ".u64",
    ".s8",
    ".f16",
    ".f32",
    ".f64",
    ".pred",
    ".bf16",
    ".v2",
    ".v4",
    ".reg",
    ".local",
    "%is_explicit_cluster",
    "%laneid",
    "%tid",
    "%clock64",
    "%current_graph_exec",
    "cvt",
    "CVT",
    "cvt.pack",
    "cvta",
    "<4>",
    "_",
    "a",
    "d",
    "p",
    "1.5",
    "7",
    "0f3F800000",
    "{",
    "}",
    ",",
    ";",
    "@",
    "!",
    "+",
    "-",
    "[",
    "]",
    ".x",
    ".rn",
    ".rz",
    ".sat",
    ".satfinite",
    ".relu",
    ".ftz",
];

/// A generator of mutated lines.
pub struct Mutations {
    random: SplitMix64,
    forms: Vec<Form>,
}

/// The text before the lines.
pub fn head(target: Target, isa: IsaVersion) -> String {
    format!(".version {isa}\n.target {target}\n.address_size 64\n.entry k\n{{\n")
}

impl Mutations {
    pub fn new(seed: u64) -> Self {
        Self { random: SplitMix64::new(seed), forms: Form::all().collect() }
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// A block with one mutation, on one line.
    pub fn line(&mut self, target: Target, isa: IsaVersion) -> String {
        let valid = self.valid(target, isa);
        let mut tokens = tokens(&valid);
        // The outer braces are kept, so that the line stays a block.
        let at = 1 + self.below(tokens.len() - 2);
        match self.below(8) {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, tokens[at].clone()),
            2 => tokens.insert(at, self.pick(TOKENS).to_owned()),
            3 | 4 => tokens[at] = self.pick(TOKENS).to_owned(),
            _ => tokens[at] = self.character(&tokens[at]),
        }
        tokens.join(" ").replace(" .", ".").replace("{.", "{ .").replace(";.", "; .")
    }

    /// A token with one character removed, repeated, exchanged, replaced or in upper case.
    fn character(&mut self, token: &str) -> String {
        let mut bytes = token.as_bytes().to_vec();
        let at = self.below(bytes.len());
        match self.below(5) {
            0 => drop(bytes.remove(at)),
            1 => bytes.insert(at, bytes[at]),
            2 if at + 1 < bytes.len() => bytes.swap(at, at + 1),
            3 => return token.to_ascii_uppercase(),
            _ => bytes[at] = self.pick(b"abcdefu0189x._%$"),
        }
        String::from_utf8(bytes).expect("tokens are ASCII")
    }

    /// A valid block for the target, all of its operands registers.
    fn valid(&mut self, target: Target, isa: IsaVersion) -> String {
        let form = loop {
            let form = self.pick(&self.forms.clone());
            if form.is_legal(target, isa) {
                break form;
            }
        };
        let mut declared = String::new();
        let (mut written, mut vector) = (Vec::new(), Vec::new());
        for (wanted, name) in form.operands().zip(["d", "a", "b", "e", "f", "g"]) {
            let has = |ty: &RegisterType| match ty.name() {
                "b128" => isa >= IsaVersion::new(8, 3) && target.sm() >= 70,
                "f16x2" => target.sm() >= 53,
                _ => true,
            };
            let accepted: Vec<RegisterType> = wanted.accepted().filter(has).collect();
            let ty = if wanted.in_vector { RegisterType::from_name("f32") } else { None };
            declared += &format!(" .reg {} {name};", ty.unwrap_or_else(|| self.pick(&accepted)));
            if wanted.in_vector { &mut vector } else { &mut written }.push(name.to_owned());
            if vector.len() == 4 {
                written.push(format!("{{{}}}", std::mem::take(&mut vector).join(", ")));
            }
        }
        let guard = match self.below(4) {
            0 => "@p ",
            1 => "@!p ",
            2 if target.sm() >= 90 => "@%is_explicit_cluster ",
            _ => "",
        };
        format!("{{ .reg .pred p;{declared} {guard}{form} {}; }}", written.join(", "))
    }
}

/// Words with their dot or percent sign, and marks.
fn tokens(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for c in text.chars() {
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | ':');
        match all.last_mut() {
            Some(last) if word(c) && last.chars().all(|c| word(c) || c == '.') && !last.is_empty() => {
                last.push(c)
            }
            _ if c == ' ' => all.push(String::new()),
            _ => all.push(c.to_string()),
        }
    }
    all.retain(|token| !token.is_empty());
    all
}
