//! After every edit of a live module, its findings equal those of a check of the whole text.

use std::path::Path;

use ptxcvt::inputs::SplitMix64;
use ptxcvt_syntax::{CheckOptions, LiveModule, Source, check};

/// Insertions: complete and incomplete statements, and texts that are hard to parse.
const TYPED: &[&str] = &[
    "",
    "x",
    " ",
    "\n",
    ";",
    ",",
    "{",
    "}",
    "{ .reg .f32 %f<3>; }",
    "/*",
    "*/",
    "//",
    "\"",
    "@%p1 ",
    ".reg .b16 h;\n",
    ".reg .b32 %r<9>;\n",
    "cvt.rn.satfinite.e4m3x2.f32 h, %f1, %f2;\n",
    "cvt.rn.e4m3x2.f32 %rs1, %f1, %f2;\n",
    "cvt.u32.u16 %r1, %rs1;",
    "L1:\n",
    ".target sm_80\n",
    ".version 7.0\n",
    ".func f(.reg .b32 %r1) {\n",
    "# 12 \"file\"",
    "\0",
    "é",
    "(",
    ")",
    "<4>",
    "0f3F800000",
    "::",
    ".",
];

fn modules() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ptx");
    let mut all: Vec<_> = std::fs::read_dir(folder)
        .expect("the modules of the tests")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "ptx"))
        .collect();
    all.sort();
    let text = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).expect("a module")).into_owned();
    all.iter()
        .map(|path| (path.display().to_string(), text(path)))
        .filter(|(_, t)| t.len() < 20_000)
        .collect()
}

/// A place between two characters.
fn place(text: &str, random: &mut SplitMix64) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[test]
fn every_edit_is_judged_as_the_whole() {
    let mut random = SplitMix64::new(20261121);
    let mut edits = 0;
    for (name, text) in modules() {
        for round in 0..3 {
            let length = [1, 40, 400][round];
            let options = CheckOptions::default();
            let mut module = LiveModule::with_stretches(text.clone(), options, length);
            let mut history = Vec::new();
            for _ in 0..25 {
                // Sometimes make several edits before a check.
                for _ in 0..1 + random.below(3) / 2 {
                    let from = place(module.text(), &mut random);
                    let mut to = (from + random.below(12) * random.below(2)).min(module.text().len());
                    while !module.text().is_char_boundary(to) {
                        to += 1;
                    }
                    let new = TYPED[random.below(TYPED.len())];
                    history.push((from..to, new));
                    module.edit(from..to, new);
                }
                edits += 1;
                let found = module.diagnostics();
                let whole = check(&Source::new("", module.text().as_bytes()), &options).diagnostics;
                if found != whole {
                    let differs = found.iter().zip(&whole).find(|(a, b)| a != b);
                    panic!(
                        "{name}, stretches of {length}, after {history:?}\n{} and {} findings; {differs:#?}",
                        found.len(),
                        whole.len()
                    );
                }
                // Begin again if most of the text is wrong.
                if whole.len() > 200 {
                    break;
                }
            }
        }
    }
    assert!(edits > 1_000, "{edits}");
}

/// Undoing an edit restores the findings, also letter by letter.
#[test]
fn typing_and_deleting() {
    let (_, text) = modules().into_iter().max_by_key(|(_, text)| text.len()).expect("a module");
    let mut module = LiveModule::with_stretches(text.clone(), CheckOptions::default(), 200);
    let before = module.diagnostics();
    let line = "\tcvt.rn.satfinite.e4m3x2.f32 %rs1, %f1, %f2; // π ≈ 3\n";
    let at = text.rfind("\n\t").expect("an instruction") + 1;
    for (n, letter) in line.char_indices() {
        module.edit(at + n..at + n, letter.encode_utf8(&mut [0; 4]));
        let whole = check(&Source::new("", module.text().as_bytes()), &CheckOptions::default());
        assert_eq!(module.diagnostics(), whole.diagnostics);
    }
    module.edit(at..at + line.len(), "");
    assert_eq!(module.text(), text);
    assert_eq!(module.diagnostics(), before);
}
