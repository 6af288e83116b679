//! Random files whose macros make assemblies, compared with the output of a preprocessor in each configuration.

use std::collections::HashMap;
use std::fmt::Write as _;

use ptxcvt::inputs::SplitMix64;
use ptxcvt_syntax::sources::Language;
use ptxcvt_syntax::{CheckOptions, Severity};

use super::check;

const FLAGS: [&str; 3] = ["A", "B", "C"];
const MACROS: [&str; 4] = ["M0", "M1", "M2", "M3"];

/// A part of an opcode, which is right if it has one rounding.
#[derive(Clone)]
enum Part {
    Rounding,
    Nothing,
    Macro(usize),
    /// `#ifdef`, `#else`
    If(usize, Vec<Part>, Vec<Part>),
    /// A `#define` between the strings.
    Define(usize, Option<Box<Part>>),
}

struct Maker {
    random: SplitMix64,
    text: String,
    /// The definitions of macros in order: the flag that a definition depends on, and its text with and without the
    /// flag.
    definitions: Vec<(usize, usize, [Part; 2])>,
}

impl Maker {
    fn part(&mut self, depth: usize, has_directives: bool) -> Part {
        match self.random.below(if has_directives && depth > 0 { 10 } else { 6 }) {
            0 | 1 => Part::Rounding,
            2 | 3 => Part::Nothing,
            4 | 5 => Part::Macro(self.random.below(MACROS.len())),
            6..=8 => {
                let flag = self.random.below(FLAGS.len());
                let [yes, no] = [0; 2].map(|_| self.parts(depth - 1, true));
                Part::If(flag, yes, no)
            }
            _ if self.random.below(4) == 0 => {
                let is_defined = self.random.below(2) == 0;
                let body = is_defined.then(|| Box::new(Part::Rounding));
                Part::Define(self.random.below(MACROS.len()), body)
            }
            _ => Part::Rounding,
        }
    }

    fn parts(&mut self, depth: usize, has_directives: bool) -> Vec<Part> {
        (0..=self.random.below(2)).map(|_| self.part(depth, has_directives)).collect()
    }

    fn write(&mut self, part: &Part) {
        match part {
            Part::Rounding => self.text += " \".rn\"",
            Part::Nothing => self.text += [" \"\"", " \"\" /* \".rn\" */"][self.random.below(2)],
            Part::Macro(number) => self.text += &format!(" {}", MACROS[*number]),
            Part::If(flag, yes, no) => {
                let _ = writeln!(self.text, "\n#ifdef {}", FLAGS[*flag]);
                yes.iter().for_each(|part| self.write(part));
                self.text += "\n#else\n";
                no.iter().for_each(|part| self.write(part));
                self.text += "\n#endif\n";
            }
            Part::Define(number, body) => {
                let name = MACROS[*number];
                let _ = match body {
                    Some(_) => writeln!(self.text, "\n#undef {name}\n#define {name} \".rn\""),
                    None => writeln!(self.text, "\n#undef {name}\n#define {name} \"\""),
                };
            }
        }
    }

    fn define(&mut self) {
        let (name, flag) = (self.random.below(MACROS.len()), self.random.below(FLAGS.len()));
        // A macro may use others that are defined later.
        let bodies = [0; 2].map(|_| self.part(0, false));
        let continued = ["", " \\\n "][self.random.below(2)];
        let name_of = MACROS[name];
        let line = |maker: &mut Self, body: &Part| {
            let _ = write!(maker.text, "#undef {name_of}\n# define {name_of}{continued}");
            maker.write(body);
            maker.text += "\n";
        };
        let _ = writeln!(self.text, "#ifdef {}", FLAGS[flag]);
        line(self, &bodies[0]);
        self.text += "#else\n";
        line(self, &bodies[1]);
        self.text += "#endif\n";
        self.definitions.push((name, flag, bodies));
    }
}

/// How many roundings the parts have if these flags are defined; `None` if a name is left, which no macro replaces.
fn roundings(
    parts: &[Part],
    flags: usize,
    macros: &mut HashMap<usize, Part>,
    open: &mut Vec<usize>,
) -> Option<usize> {
    let mut sum = 0;
    for part in parts {
        sum += match part {
            Part::Rounding => 1,
            Part::Nothing => 0,
            Part::Macro(number) => {
                let body = macros.get(number).filter(|_| !open.contains(number))?.clone();
                open.push(*number);
                let inner = roundings(&[body], flags, macros, open);
                open.pop();
                inner?
            }
            Part::If(flag, yes, no) => {
                let chosen = if flags >> flag & 1 == 1 { yes } else { no };
                roundings(chosen, flags, macros, open)?
            }
            Part::Define(number, body) => {
                macros.insert(*number, body.as_deref().cloned().unwrap_or(Part::Nothing));
                0
            }
        };
    }
    Some(sum)
}

#[test]
fn assemblies_of_macros_are_those_of_a_preprocessor() {
    let (mut judged, mut right) = (0, 0);
    for seed in 1..=3_000 {
        let mut maker = Maker { random: SplitMix64::new(seed), text: String::new(), definitions: Vec::new() };
        (0..2 + maker.random.below(5)).for_each(|_| maker.define());
        // A macro with the assembly may have the parts as its argument.
        let is_use = maker.random.below(3) == 0;
        let parts = maker.parts(2, !is_use);
        let operands = ".f16.f32 %0, %1;\" : \"=h\"(d) : \"f\"(a))";
        match is_use {
            true => {
                let _ = writeln!(maker.text, "#define CVT(R) \\\n  asm(\"cvt\" R \\\n \"{operands}");
                maker.text += "void f() { CVT(";
                parts.iter().for_each(|part| maker.write(part));
                maker.text += "); }\n";
            }
            false => {
                maker.text += "void f() { asm(\"cvt\"";
                parts.iter().for_each(|part| maker.write(part));
                let _ = writeln!(maker.text, " \"{operands}; }}");
            }
        }
        let configurations: Vec<Option<usize>> = (0..1 << FLAGS.len())
            .map(|flags| {
                let chosen = maker.definitions.iter().map(|(name, flag, [yes, no])| {
                    (*name, if flags >> flag & 1 == 1 { yes.clone() } else { no.clone() })
                });
                roundings(&parts, flags, &mut chosen.collect(), &mut Vec::new())
            })
            .collect();
        let found = check(&maker.text, Language::Cpp, &CheckOptions::default());
        let has_errors = found.diagnostics.iter().any(|d| d.severity() == Severity::Error);
        let is_wrong = configurations.iter().any(|count| count.is_some_and(|count| count != 1));
        let is_known = configurations.iter().all(Option::is_some);
        let text = &maker.text;
        assert!(!has_errors || is_wrong, "{text}\n{:?}\n{configurations:?}", found.diagnostics);
        if found.stats.skipped.is_empty() {
            assert!(is_known, "{text}\n{configurations:?}");
            assert_eq!(has_errors, is_wrong, "{text}\n{configurations:?}");
            judged += 1;
            right += usize::from(!is_wrong);
        }
    }
    assert!(judged > 500 && right > 30, "{judged}, {right}");
}
