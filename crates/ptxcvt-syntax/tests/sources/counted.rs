//! Random files: every string with a conversion is judged or counted.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use ptxcvt::inputs::SplitMix64;
use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Source};

/// Makes parts of a file. Each conversion is in a separate string on its own line and spelled wrongly, so that it is
/// found if it is judged.
struct Maker {
    random: SplitMix64,
    text: String,
    strings: usize,
    /// The lines of strings in definitions of macros, by the macro, and the macros that others use.
    bodies: HashMap<String, BTreeSet<usize>>,
    uses: HashMap<String, BTreeSet<String>>,
    /// The macro that the definition in each line defines.
    defined: HashMap<usize, String>,
}

impl Maker {
    fn new(seed: u64) -> Self {
        let (random, text) = (SplitMix64::new(seed), String::new());
        let (bodies, uses, defined) = (HashMap::new(), HashMap::new(), HashMap::new());
        Maker { random, text, strings: 0, bodies, uses, defined }
    }

    fn string(&mut self) {
        self.strings += 1;
        let wrong = [
            "cvt.f16.f32 t, %1;",
            "cvt.rn.f32.f16 t, %1;",
            "cvt.nonsense t, %1;",
            "cvt.rn.f16.f32;",
            "cvt.rn.f32.f16 t;",
            "{cvt.nonsense;}",
        ][self.random.below(6)];
        let raw = self.random.below(4) == 0;
        let wrong = self.spaced(wrong, raw);
        let comment =
            ["", " // \"cvt.f16.f32\"", " /* cvt. */", " // a \\\n\"cvt.f16.f32\" )"][self.random.below(4)];
        let prefix = ["", "", "L", "u8", "u", "U"][self.random.below(6)];
        let _ = match raw {
            true => writeln!(self.text, "  {prefix}R\"x({wrong})x\"{comment}"),
            false => writeln!(self.text, "  {prefix}\"{wrong}\\n\"{comment}"),
        };
    }

    /// A conversion, perhaps with blanks, comments, a line end, a joint of two strings or characters that no opcode has
    /// before its modifiers.
    fn spaced(&mut self, text: &str, raw: bool) -> String {
        let gaps = [
            "",
            "",
            "",
            "",
            "",
            " ",
            "\t",
            "/* . */ ",
            "  /**/",
            "\u{a0}",
            "\u{3000}",
            "::",
            ",",
            "-",
            "\\n",
            "\" \"",
            "\"/**/ \"",
            "\\v",
            "\\f",
            "\\x1a",
            "\\x7f",
            "\\xff",
            "\\\\",
        ];
        let gap = gaps[self.random.below(if raw { 14 } else { gaps.len() })];
        text.replacen("cvt", &format!("cvt{gap}"), 1)
    }

    fn pieces(&mut self, depth: usize) {
        for _ in 0..=self.random.below(2) {
            self.string();
            if depth > 0 && self.random.below(2) == 0 {
                let flag = ["A", "B", "C"][self.random.below(3)];
                let _ = writeln!(self.text, "#ifdef {flag}");
                self.pieces(depth - 1);
                if self.random.below(2) == 0 {
                    let _ = writeln!(self.text, " # elif (defined {flag}2)");
                    self.pieces(depth - 1);
                }
                if self.random.below(2) == 0 {
                    self.text.push_str("#else\n");
                    self.pieces(depth - 1);
                }
                self.text.push_str("#endif\n");
            }
        }
    }

    /// The name of a macro that makes an assembly, or a string.
    fn name(&mut self, kind: &str) -> String {
        format!("{kind}{}", self.random.below(3))
    }

    fn line(&self) -> usize {
        self.text.lines().count() + usize::from(self.text.is_empty() || self.text.ends_with('\n'))
    }

    /// The definition of a macro with an assembly or a string, in the style of headers.
    fn define(&mut self) {
        let (kind, guard) = (self.random.below(6), self.random.below(3));
        if guard == 0 {
            let _ = writeln!(self.text, "#ifdef {}", ["A", "B", "C"][self.random.below(3)]);
        }
        let name = self.name(if kind < 4 { "MAKE" } else { "TEXT" });
        self.defined.insert(self.line() + 1, name.clone());
        let _ = write!(self.text, "#undef {name}\n#define {name}");
        let operands = "\"}\" : \"=h\"(d) : \"f\"(a))";
        let string = match kind {
            0 => Some("(T) asm volatile(\"{ .reg .f32 t; \" \\\n \"cvt.f16.\" #T \" t, %1; \" \\\n  "),
            1 => Some("(T) \\\n do { \\\n asm(\"{ .reg .f32 t; \" \"cvt.f16.\" T \" t, %1; \" "),
            4 => Some(" \\\n \"cvt.f16.f32 t, %1; \""),
            _ => None,
        };
        match string {
            Some(string) => {
                self.strings += 1;
                let line = self.line() + string[..string.find("cvt").unwrap()].matches('\n').count();
                self.bodies.entry(name).or_default().insert(line);
                let end = ["", "; } while (0)"][usize::from(kind == 1)];
                let _ = writeln!(self.text, "{string}{}{end}", if kind < 4 { operands } else { "" });
            }
            None => {
                let other = self.name(if kind == 3 { "MAKE" } else { "TEXT" });
                let _ = match kind {
                    2 => writeln!(self.text, "(T) asm(\"{{ .reg .f32 t; \" {other} \\\n {operands}"),
                    3 => writeln!(self.text, "(T) do {{ {other}(T); }} while (0)"),
                    _ => writeln!(self.text, " {other}"),
                };
                self.uses.entry(name).or_default().insert(other);
            }
        }
        if guard == 0 {
            self.text.push_str("#endif\n");
        }
    }

    /// Uses of macros: an assembly, or a statement whose strings come from macros.
    fn made(&mut self) {
        if self.random.below(2) == 0 {
            let (name, argument) = (self.name("MAKE"), ["f32", "\"f32\"", "TEXT0"][self.random.below(3)]);
            let _ = writeln!(self.text, "{name}({argument});");
            return;
        }
        let text = self.name("TEXT");
        let _ = writeln!(self.text, "asm(\"{{ .reg .f32 t; \" {text}");
        if self.random.below(2) == 0 {
            self.pieces(1);
        }
        if self.random.below(2) == 0 {
            let (flag, text) = (["A", "B"][self.random.below(2)], self.name("TEXT"));
            let _ = writeln!(self.text, "#ifdef {flag}\n {text}\n#endif");
        }
        self.text.push_str("  \"}\" : \"=h\"(d) : \"f\"(a));\n");
    }

    /// The lines of the strings of a macro, and of the macros that it uses.
    fn strings_of(&self, name: &str) -> BTreeSet<usize> {
        let (mut known, mut work) = (BTreeSet::from([name.to_owned()]), vec![name.to_owned()]);
        let mut lines = BTreeSet::new();
        while let Some(name) = work.pop() {
            lines.extend(self.bodies.get(&name).into_iter().flatten());
            let uses = self.uses.get(&name).into_iter().flatten();
            work.extend(uses.filter(|other| known.insert((*other).clone())).cloned());
        }
        lines
    }

    fn items(&mut self, depth: usize, has_macros: bool) {
        for _ in 0..=self.random.below(4) {
            if has_macros && self.random.below(2) == 0 {
                match self.random.below(2) {
                    0 => self.define(),
                    _ => self.made(),
                }
                continue;
            }
            match self.random.below(if depth == 0 { 8 } else { 11 }) {
                0..=2 => {
                    self.text.push_str("asm volatile(\"{ .reg .f32 t; \"\n");
                    self.pieces(2);
                    self.text.push_str("  \"}\" : \"=h\"(d) : \"f\"(a) : \"memory\");\n");
                }
                3 => {
                    // A sum is not whole.
                    let sum = ["", "prefix +"][self.random.below(2)];
                    let _ = writeln!(self.text, "const char *text = {sum}");
                    self.string();
                    self.text.push_str(";\n");
                }
                4 => {
                    self.text.push_str("asm(PREFIX(1)\n");
                    self.string();
                    self.text.push_str(": \"=h\"(d) : OPERANDS(a));\n");
                }
                5 => {
                    self.text.push_str("asm(\n");
                    self.string();
                    self.text.push_str(": \"=v\"(d) : \"v\"(a));\n");
                }
                6 => {
                    // No statement.
                    self.text.push_str("asm(\n");
                    self.string();
                    self.text.push_str("+ 1);\n");
                }
                7 => {
                    // Without operands, in a macro; its last line is joined to no other.
                    self.strings += 1;
                    let name = self.strings;
                    let _ = writeln!(
                        self.text,
                        "#define M{name}() \\\n  asm VOLATILE(\"cvt.f16.f32 h, f;\")\n#define ASM{name} asm"
                    );
                }
                n => {
                    let guard =
                        ["#if __CUDA_ARCH__ >= 800", "%:ifndef __CUDA_ARCH__", "#ifdef D /* a\n b */"][n - 8];
                    let _ = writeln!(self.text, "{guard}");
                    self.items(depth - 1, has_macros);
                    if self.random.below(2) == 0 {
                        self.text.push_str(["#else\n", "%: else\n"][self.random.below(2)]);
                        self.items(depth - 1, has_macros);
                    }
                    self.text.push_str("#endif\n");
                }
            }
        }
    }
}

/// The first `count` seeds; with `PTXCVT_MORE_SEEDS=N`, the N after them instead.
fn seeds(count: u64) -> std::ops::RangeInclusive<u64> {
    let more = std::env::var("PTXCVT_MORE_SEEDS").ok().map(|more| more.parse::<u64>().expect("a number"));
    more.map_or(1..=count, |more| count + 1..=count + more)
}

#[test]
fn every_string_with_a_conversion_is_judged_or_counted() {
    let (mut judged, mut counted) = (0, BTreeMap::new());
    for seed in seeds(1_500) {
        let mut maker = Maker::new(seed);
        maker.items(2, false);
        let source = Source::new("random.cu", maker.text.as_bytes());
        let report = check_source(&source, Language::Cpp, &CheckOptions::default());
        let lines: BTreeSet<usize> =
            report.diagnostics.iter().map(|d| source.position(d.span().start).line).collect();
        let skipped: usize = report.stats.skipped.values().sum();
        // A string with an error is also accounted for: text that is not an instruction is not a conversion.
        assert_eq!(lines.len() + skipped, maker.strings, "{}\n{:?}", maker.text, report.diagnostics);
        assert!(report.stats.conversions as usize <= lines.len(), "{}", maker.text);
        judged += lines.len();
        for (reason, count) in report.stats.skipped {
            *counted.entry(reason).or_insert(0) += count;
        }
    }
    assert!(judged > 5_000 && counted.len() >= 5, "{judged}, {counted:?}");
}

/// Macros make assemblies of their arguments and of each other, and are defined before and after. A string that is
/// judged has a finding: in its place, or in the place of a use, which names the macro.
#[test]
fn every_string_that_macros_use_is_judged_or_counted() {
    const PARTLY: &str = "some of its values are not known, and only the others were judged";
    let (mut judged, mut counted, mut in_uses) = (0, 0, 0);
    for seed in seeds(3_000) {
        let mut maker = Maker::new(seed);
        maker.items(2, true);
        let source = Source::new("random.cu", maker.text.as_bytes());
        let report = check_source(&source, Language::Cpp, &CheckOptions::default());
        let (text, stats) = (&maker.text, &report.stats);
        assert_eq!(stats.strings as usize, maker.strings, "{text}");
        let line = |at: u32| source.position(at).line;
        let mut lines: BTreeSet<usize> = report.diagnostics.iter().map(|d| line(d.span().start)).collect();
        let macros = report.diagnostics.iter().filter_map(|d| d.related());
        let defined: Vec<&String> = macros.filter_map(|(at, _)| maker.defined.get(&line(at.start))).collect();
        in_uses += defined.len();
        lines.extend(defined.into_iter().flat_map(|name| maker.strings_of(name)));
        let strings: BTreeSet<usize> = (1..)
            .zip(text.lines())
            .filter(|(_, line)| line.contains("\"cvt") || line.contains("(cvt") || line.contains("{cvt"))
            .map(|(number, _)| number)
            .collect();
        let found = lines.intersection(&strings).count();
        let skipped: usize =
            stats.skipped.iter().filter(|(reason, _)| **reason != PARTLY).map(|(_, n)| n).sum();
        let all = stats.judged_strings as usize;
        assert!(
            found >= all,
            "{all} judged strings, findings for {found}\n{text}\n{:?}\n{:?}",
            report.diagnostics,
            stats.skipped
        );
        assert!(found + skipped >= maker.strings, "{text}\n{:?}\n{:?}", report.diagnostics, stats.skipped);
        judged += all;
        counted += skipped;
    }
    assert!(judged > 2_000 && counted > 1_000 && in_uses > 40, "{judged}, {counted}, {in_uses}");
}
