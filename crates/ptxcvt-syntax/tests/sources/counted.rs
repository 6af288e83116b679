//! Random files: every string with a conversion is judged or counted.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ptxcvt::inputs::SplitMix64;
use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Source};

/// Makes parts of a file. Each conversion is in a separate string on its own line and spelled wrongly, so that it is found if
/// it is judged.
struct Maker {
    random: SplitMix64,
    text: String,
    strings: usize,
}

impl Maker {
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
        let comment =
            ["", " // \"cvt.f16.f32\"", " /* cvt. */", " // a \\\n\"cvt.f16.f32\" )"][self.random.below(4)];
        let prefix = ["", "", "L", "u8", "u", "U"][self.random.below(6)];
        let _ = match self.random.below(4) {
            0 => writeln!(self.text, "  {prefix}R\"x({wrong})x\"{comment}"),
            _ => writeln!(self.text, "  {prefix}\"{wrong}\\n\"{comment}"),
        };
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

    fn items(&mut self, depth: usize) {
        for _ in 0..=self.random.below(4) {
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
                    self.items(depth - 1);
                    if self.random.below(2) == 0 {
                        self.text.push_str(["#else\n", "%: else\n"][self.random.below(2)]);
                        self.items(depth - 1);
                    }
                    self.text.push_str("#endif\n");
                }
            }
        }
    }
}

#[test]
fn every_string_with_a_conversion_is_judged_or_counted() {
    let (mut judged, mut counted) = (0, BTreeMap::new());
    for seed in 1..=1_500 {
        let random = SplitMix64::new(seed);
        let mut maker = Maker { random, text: String::new(), strings: 0 };
        maker.items(2);
        let source = Source::new("random.cu", maker.text.as_bytes());
        let report = check_source(&source, Language::Cpp, &CheckOptions::default());
        let lines: std::collections::BTreeSet<usize> =
            report.diagnostics.iter().map(|d| source.position(d.span().start).line).collect();
        let skipped: usize = report.stats.skipped.values().sum();
        // An error accounts for a string as well: text that is no instruction is not a conversion.
        assert_eq!(lines.len() + skipped, maker.strings, "{}\n{:?}", maker.text, report.diagnostics);
        assert!(report.stats.conversions as usize <= lines.len(), "{}", maker.text);
        judged += lines.len();
        for (reason, count) in report.stats.skipped {
            *counted.entry(reason).or_insert(0) += count;
        }
    }
    assert!(judged > 5_000 && counted.len() >= 5, "{judged}, {counted:?}");
}
