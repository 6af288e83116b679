//! Random conversions: legal forms with mistakes of every kind.

use ptxcvt::forms::Immediate;
use ptxcvt::inputs::SplitMix64;
use ptxcvt::{Form, IsaVersion, Modifier, Rounding, Target, Type};
use ptxcvt_conform::deviations::ptxas::{DIRECTED_PZO, EXTRA_SCALE, EXTRA_SCALE_UE5M3};

/// A generator of random lines.
pub struct Generator {
    random: SplitMix64,
    forms: Vec<Form>,
}

/// Registers of every type: first ISA version, name and type.
#[rustfmt::skip]
const REGISTERS: &[(&str, &str)] = &[
    ("u8", "u8a"), ("u16", "u16a"), ("u32", "u32a"), ("u64", "u64a"), ("s8", "s8a"), ("s16", "s16a"),
    ("s32", "s32a"), ("s64", "s64a"), ("b8", "b8a"), ("b16", "b16a"), ("b32", "b32a"), ("b64", "b64a"),
    ("f16", "f16a"), ("f32", "f32a"), ("f64", "f64a"), ("f16x2", "f16x2a"), ("pred", "pa"), ("b128", "b128a"),
];

const WIDE: IsaVersion = IsaVersion::new(8, 3);

/// The text before the random lines.
pub fn head(target: Target, isa: IsaVersion) -> String {
    let mut text = format!(
        ".version {isa}\n.target {target}\n.address_size 64\n.global .u32 g;\n.entry k(.param .u64 kp)\n{{\n"
    );
    for (ty, name) in registers(target, isa) {
        text += &format!(".reg .{ty} {name};\n");
    }
    text + ".reg .v2 .u32 v2u;\n.reg .v4 .f32 v4f;\n.reg .b32 %r<10>;\n.reg .f32 %f<10>;\n.reg .b16 %h<10>;\n"
}

/// The registers that a module for this target and version can declare.
fn registers(target: Target, isa: IsaVersion) -> impl Iterator<Item = (&'static str, &'static str)> {
    let wide = isa >= WIDE && target.sm() >= 70;
    let half = target.sm() >= 53;
    REGISTERS.iter().copied().filter(move |(ty, _)| match *ty {
        "b128" => wide,
        "f16x2" => half,
        _ => true,
    })
}

const INTEGERS: &[&str] = &[
    "5",
    "-5",
    "0x1F",
    "0X1f",
    "017",
    "0b101",
    "5U",
    "300",
    "(5+3)",
    "1<<4",
    "WARP_SZ",
    "-WARP_SZ",
    "~5",
    "!5",
    "1?2:3",
    "5 % 2",
    "(.s64)5",
    "18446744073709551615",
    "5>=3",
    "0",
    "7/2",
    "3-5",
    "5==5U",
    "+5",
    "--5",
    "(1?2:3)*4",
];
const FLOATS: &[&str] = &[
    "1.5", "-1.5", "1e5", ".5", "1.", "1.5e-3", "(1.5)", "1.5+2.5", "- 1.5", "-(1.5)", "1.0/4.0", "09.5",
    "+1.5", "0.0",
];
const BITS: &[&str] =
    &["0f3F800000", "0F3f800000", "0d3FF0000000000000", "0D3FF0000000000000", "(0f3F800000)"];
/// Operands that no conversion accepts, or only some. Without overflowing literals: after one, ptxas reports overflow for
/// valid literals, too. Without predicates for `.bf16x2` sources: ptxas does not check their kind and crashes on some.
const ODD: &[&str] = &[
    "-u32a",
    "!pa",
    "[u64a]",
    "g",
    "kp",
    "nope",
    "v2u",
    "v4f",
    "v2u.x",
    "v4f.w",
    "v4f.r",
    "v4f.q",
    "u32a.x",
    "%r10",
    "%r09",
    "%tid.x",
    "%tid",
    "%laneid",
    "%clock64",
    "%clock",
    "%gridid",
    "%envreg3",
    "%pm0",
    "%pm9",
    "%tid.q",
    "%laneid.x",
    "1/0",
    "1.5*2",
    "1e400",
    "!1.5",
    "1?1.5:2.5",
    "(.s32)5",
    "{u32a}",
    "{f32a,f32a}",
    "u32a|pa",
    "%ctaid.z",
    "-(0f3F800000)",
    "%rx",
    "%f3",
    "%r1",
    "%h2",
];
/// Operands that make the assembler stop reading. They are rare, because each costs a run.
const FATAL: &[&str] = &[
    "_",
    "-0f3F800000",
    "5%2",
    "08",
    "5u",
    "1.5U",
    "0f3F8",
    "(u32a)",
    "~u32a",
    "\"a\"",
    "5 5",
    "{}",
    "{{f32a},f32a}",
];

impl Generator {
    pub fn new(seed: u64) -> Self {
        Self { random: SplitMix64::new(seed), forms: Form::all().collect() }
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    /// True with probability 1/n.
    fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// A line of a kernel's body for a module with this target and version.
    pub fn line(&mut self, target: Target, isa: IsaVersion) -> String {
        // Mostly forms that the target has, so that the operands decide.
        let form = loop {
            let at = self.below(self.forms.len());
            let form = self.forms[at];
            if form.is_legal(target, isa) || self.once_in(12) {
                break form;
            }
        };
        // No mistakes where ptxas versions are inconsistent.
        let opcode = loop {
            let opcode = match (EXTRA_SCALE_UE5M3.concerns)(&form.to_string()) {
                true => form.to_string(),
                false => self.opcode(form),
            };
            if !(DIRECTED_PZO.concerns)(&opcode) || form.to_string() == opcode {
                break opcode;
            }
        };
        let operands = self.operands(form, target, isa);
        let guard = match self.below(40) {
            0 => "@pa ",
            1 => "@!pa ",
            2 if self.once_in(4) => "@u32a ",
            3 if self.once_in(4) => "@nope ",
            _ => "",
        };
        format!("{guard}{opcode} {};", operands.join(", "))
    }

    fn opcode(&mut self, form: Form) -> String {
        let text = form.to_string();
        let name = form.opcode().name();
        let mut parts: Vec<String> = text[name.len()..].split('.').skip(1).map(str::to_owned).collect();
        let slips = match self.below(10) {
            0..=5 => 0,
            6..=8 => 1,
            _ => 2,
        };
        for _ in 0..slips {
            let at = self.below(parts.len());
            match self.below(7) {
                0 if !parts.is_empty() => {
                    parts.remove(at);
                }
                1 => parts.insert(at, self.pick(Rounding::ALL).name().into()),
                2 | 3 => parts.insert(at, self.pick(Modifier::ALL).name().into()),
                4 if !parts.is_empty() => parts[at] = self.pick(Type::ALL).name().into(),
                5 if !parts.is_empty() => parts[at] = self.pick(Rounding::ALL).name().into(),
                _ if self.once_in(3) => {
                    let word = self.pick(&[
                        "b32",
                        "b16",
                        "e4m3",
                        "rnd",
                        "tf32x2",
                        "s4",
                        "ue8m0x4",
                        "scaled::n2",
                        "wide",
                    ]);
                    parts.insert(at, word.into());
                }
                _ => {}
            }
        }
        // Modifiers in any order, also after types.
        if self.once_in(3) {
            let is_type = |part: &String| Type::from_name(part).is_some() || part == "b32";
            let types: Vec<String> = parts.iter().filter(|p| is_type(p)).cloned().collect();
            for i in (1..parts.len()).rev() {
                let j = self.below(i + 1);
                parts.swap(i, j);
            }
            let mut types = types.into_iter();
            for part in parts.iter_mut().filter(|p| is_type(p)) {
                *part = types.next().expect("the parts were only reordered");
            }
        }
        let separator = match self.below(60) {
            0 => " ",
            1 => " /* - */ ",
            2 => "\t",
            _ => "",
        };
        let name = if self.once_in(200) { "cvt" } else { name };
        parts.iter().fold(name.to_owned(), |text, part| text + separator + "." + part)
    }

    fn operands(&mut self, form: Form, target: Target, isa: IsaVersion) -> Vec<String> {
        let mut written: Vec<String> = Vec::new();
        let mut vector: Vec<String> = Vec::new();
        for wanted in form.operands() {
            let fitting: Vec<&str> = registers(target, isa)
                .filter(|(ty, _)| {
                    ptxcvt::forms::RegisterType::from_name(ty).is_some_and(|r| wanted.accepts(r))
                })
                .map(|(_, name)| name)
                .collect();
            let text = match self.below(24) {
                // Any register, an immediate of any kind, or something else.
                0 | 1 => {
                    let predicate = form.source() != Type::BF16X2;
                    let all: Vec<&str> = registers(target, isa)
                        .map(|(_, name)| name)
                        .filter(|n| predicate || *n != "pa")
                        .collect();
                    self.pick(&all).to_owned()
                }
                2 => self.pick(INTEGERS).to_owned(),
                3 => self.pick(FLOATS).to_owned(),
                4 if self.once_in(2) => self.pick(BITS).to_owned(),
                4 | 5 if self.once_in(3) => {
                    let odd = self.pick(ODD);
                    // Some versions accept vectors for sources whose kind they do not check.
                    let vector = odd.starts_with('{') || matches!(odd, "v2u" | "v4f");
                    if vector && form.source() == Type::BF16X2 { "nope" } else { odd }.to_owned()
                }
                6 if self.once_in(60) => self.pick(FATAL).to_owned(),
                7 | 8 => match wanted.immediate() {
                    Immediate::Integer => self.pick(INTEGERS).to_owned(),
                    Immediate::Float => self.pick(FLOATS).to_owned(),
                    Immediate::None => self.pick(&fitting).to_owned(),
                    _ => self.pick(BITS).to_owned(),
                },
                _ => self.pick(&fitting).to_owned(),
            };
            // In a vector, only registers can be replaced without making the assembler stop reading.
            let mixed = [
                "f32a",
                "b32a",
                "u32a",
                "s32a",
                "1.5",
                "0f3F800000",
                "%tid.x",
                "v4f.x",
                "5",
                "f16x2a",
                "%f1",
            ];
            if wanted.in_vector {
                let plain = self.pick(&["f32a", "b32a", "%f2", "v4f.y", "1.5"]);
                vector.push(if self.once_in(3) { self.pick(&mixed) } else { plain }.to_owned());
                continue;
            }
            if !vector.is_empty() {
                self.close(&mut vector, &mut written);
            }
            written.push(text);
        }
        if !vector.is_empty() {
            self.close(&mut vector, &mut written);
        }
        match self.below(30) {
            0 => {
                written.pop();
            }
            1 if ![&EXTRA_SCALE, &EXTRA_SCALE_UE5M3].into_iter().any(|k| (k.concerns)(&form.to_string())) => {
                written.push(self.pick(&["b32a", "b16a", "f32a", "b8a", "5", "1.5"]).to_owned())
            }
            2 if written.len() > 2 => written.swap(1, 2),
            _ => {}
        }
        written
    }

    fn close(&mut self, vector: &mut Vec<String>, written: &mut Vec<String>) {
        match self.below(16) {
            0 => {
                vector.pop();
            }
            1 => vector.push("f32a".into()),
            2 => return written.append(vector),
            3 => {
                vector.clear();
                return written.push("v4f".into());
            }
            _ => {}
        }
        written.push(format!("{{{}}}", vector.join(",")));
        vector.clear();
    }
}
