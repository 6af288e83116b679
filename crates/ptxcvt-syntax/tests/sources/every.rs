//! Strings with conversions in unusual places: each is judged or counted.

use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Source};

use super::check;

/// How many findings there are, and how many conversions were counted with this reason.
fn judged_and_counted(text: &str, language: Language, reason: &str) -> (usize, usize) {
    let all = check(text, language, &CheckOptions::default());
    let counted = all.stats.skipped.iter().filter(|(other, _)| other.contains(reason));
    (all.diagnostics.len(), counted.map(|(_, count)| count).sum())
}

#[test]
fn quotes_within_quotes() {
    let call = |asm: &str| format!("a = tl.inline_asm_elementwise({asm}, \"=h,f\", [x])\n");
    let after = call("'cvt.rni.f16.f32 $0, $1;'");
    for (asm, findings) in [
        (r#"f"{"cvt.f16.f32"} $0, $1;""#, 1),
        (r#"f'{'cvt.rn.f16.f32' if x else 'cvt.f16.f32'} $0, $1;'"#, 1),
        (r#"f"{f"{"cvt.f16.f32"}"} $0, $1;""#, 1),
        (r#"f"""{"cvt.f16.f32"} $0, $1;""""#, 1),
        (r#"f"{"cvt.rn.f16.f32":>{"20"}} $0, $1;""#, 0),
    ] {
        let text = call(asm) + &after;
        let all = check(&text, Language::Python, &CheckOptions::default());
        let counted: usize = all.stats.skipped.values().sum();
        // The formatted width makes the value unknown.
        let expected = if findings == 0 { (1, true) } else { (1 + findings, false) };
        assert_eq!((all.diagnostics.len(), counted > 0), expected, "{text}");
    }
    let text = call("f'{d['op']} $0, $1;'") + &after;
    assert_eq!(judged_and_counted(&text, Language::Python, "its opcode is not known"), (1, 1));
}

#[test]
fn calls_without_the_usual_letters() {
    for call in [
        "b.call(ir.InlineAsm(fty, f\"{OPS[rnd]} $0, $1;\", \"=h,f\"), [x])",
        "nvvm.inline_ptx(op, write_only_types=[f16], read_only_args=[x])",
        "nvvm.inline_asm(op, write_only_types=[f16], read_only_args=[x])",
    ] {
        let text = format!("def f(b, op, x, rnd):\n    return {call}\n");
        assert_eq!(judged_and_counted(&text, Language::Python, "its opcode is not known"), (0, 1), "{call}");
    }
}

fn notebook(cell: &str) -> String {
    let lines: Vec<String> = cell.split_inclusive('\n').map(|line| format!("{line:?}")).collect();
    format!(r#"{{"nbformat": 4, "cells": [{{"cell_type": "code", "source": [{}]}}]}}"#, lines.join(", "))
}

#[test]
fn cells_of_every_language() {
    let kernel = "__global__ void k() { asm(\"cvt.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(a)); }\n";
    let python = "x = tl.inline_asm_elementwise(\"cvt.f16.f32 $0, $1;\", \"=h,f\", [y])\n";
    for magic in [
        "cu",
        "cuda --name k.cu",
        "nvcc",
        "cuda_group_save --name k.cu --group g",
        "cudaq",
        "cpp",
        "script nvcc -x cu -",
        "script --bg hipcc -x hip -",
        "writefile k.cu",
        "writefile -a src/k.cuh",
        "file k.cpp",
    ] {
        let text = notebook(&format!("%%{magic}\n{kernel}"));
        assert_eq!(judged_and_counted(&text, Language::Notebook, ""), (1, 0), "{magic}");
    }
    for magic in ["time", "python3", "script python", "capture out", "writefile k.py", "px --block"] {
        let text = notebook(&format!("%%{magic}\n{python}"));
        assert_eq!(judged_and_counted(&text, Language::Notebook, ""), (1, 0), "{magic}");
    }
    for magic in ["bash", "script perl", "writefile k.txt", "writefile Makefile", "ruby", "unknown", "script"]
    {
        let text = notebook(&format!("%%{magic}\n{kernel}"));
        assert_eq!(judged_and_counted(&text, Language::Notebook, "language around it"), (0, 1), "{magic}");
    }
    // The line of the magic may have code.
    let text = notebook("%%timeit x = f(\"cvt.f16.f32 $0, $1;\")\npass\n");
    assert_eq!(judged_and_counted(&text, Language::Notebook, "language around it"), (0, 1));
}

#[test]
fn an_older_format_of_notebooks() {
    let text = r#"{"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "collapsed": false, "input": [
        "import triton.language as tl\n", "x = tl.inline_asm_elementwise(\"cvt.f16.f32 $0, $1;\", \"=h,f\", [y])\n"
    ], "language": "python", "metadata": {}, "outputs": []}]}]}"#;
    assert_eq!(judged_and_counted(text, Language::Notebook, ""), (1, 0));
}

#[test]
fn every_encoding() {
    let text = "asm(\"cvt.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(a)); // \u{1f600}\n";
    let units: Vec<u16> = text.encode_utf16().collect();
    let sixteen =
        |mark: bool| units.iter().copied().rev().chain(mark.then_some(0xfeff)).collect::<Vec<u16>>();
    let characters: Vec<u32> = text.chars().map(u32::from).collect();
    let mut all: Vec<Vec<u8>> = vec![text.into(), format!("\u{feff}{text}").into()];
    for mark in [true, false] {
        let units: Vec<u16> = sixteen(mark).into_iter().rev().collect();
        all.push(units.iter().flat_map(|unit| unit.to_le_bytes()).collect());
        all.push(units.iter().flat_map(|unit| unit.to_be_bytes()).collect());
        let characters: Vec<u32> = mark.then_some(0xfeff).into_iter().chain(characters.clone()).collect();
        all.push(characters.iter().flat_map(|c| c.to_le_bytes()).collect());
        all.push(characters.iter().flat_map(|c| c.to_be_bytes()).collect());
    }
    for bytes in all {
        for source in [Source::new("k.cu", &bytes), Source::owned("k.cu", bytes.clone())] {
            let found = check_source(&source, Language::Cpp, &CheckOptions::default());
            assert_eq!(found.diagnostics.len(), 1, "{bytes:?}");
            assert_eq!(source.slice(found.diagnostics[0].span()), "cvt.f16.f32");
        }
    }
}
