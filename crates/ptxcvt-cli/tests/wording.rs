//! Wording of counts and lists in the output of every command.

mod common;

use std::fs;

use common::{Bench, MODULE};

/// Commands that count things, in a bench with inputs.
const COUNTING: &[&str] = &[
    "check module.ptx",
    "check bad.ptx",
    "check bad.ptx --stats",
    "check module.ptx bad.ptx fixable.ptx",
    "check --fix fixable.ptx",
    "check --would-need sm_80 module.ptx",
    "check kernel.cu",
    "check bad.ptx --write-baseline baseline.json",
    "conform --ptx kernels --target sm_90 --form cvt.rn.satfinite.e4m3x2.f32",
    "conform recording.tsv",
    "convert f32->f16 x.npy -o y.npy --stats",
    "diff module.ptx bad.ptx",
    "eval cvt.rn.f16.f32",
    "eval cvt.rn.f16.f32 1 2",
    "forms",
    "forms --count",
    "format u2",
    "lower cvt.rn.satfinite.e4m3x2.f32 --target sm_80 --cost",
    "prove cvt.f32.f16 cvt.f32.f16",
    "prove cvt.rni.s32.f16 cvt.rzi.s32.f16",
    "prove cvt.rn.f16.f32 cvt.rn.f16x2.f32",
    "quantize mx-rceil/e4m3 x.npy --report",
    "quantize mx-rceil/e4m3 x.npy --compare mx-floor/e4m3",
    "recipes",
    "run block.ptx 1 2",
    "where cvt.rn.satfinite.e2m1x2.f32 --target sm_80",
];

/// The plural of what they count.
const PLURALS: &[&str] = &[
    "targets",
    "errors",
    "warnings",
    "notes",
    "files",
    "conversions",
    "instructions",
    "assemblies",
    "inputs",
    "outputs",
    "operands",
    "elements",
    "blocks",
    "differences",
    "deviations",
    "kernels",
    "forms",
    "bits",
    "bytes",
    "numbers",
    "infinities",
    "rows",
    "columns",
    "tensors",
    "findings",
    "values",
    "codes",
    "registers",
];

#[test]
fn one_of_a_thing_is_singular() {
    let bench = Bench::with_inputs(4096);
    fs::write(bench.path("bad.ptx"), MODULE.replace("sm_89", "sm_80")).unwrap();
    fs::write(bench.path("recording.tsv"), "# ptxcvt-vectors: 1\ncvt.rn.f16.f32\t3f800000\t3c00\n").unwrap();
    fs::write(bench.path("kernel.cu"), "asm(\"cvt.f16.f32 %0, %1;\" : \"=h\"(d) : \"f\"(a));\n").unwrap();
    let mut counts = 0;
    for command in COUNTING {
        let output = bench.ptxcvt(command).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || ",;:()`".contains(c)).collect();
        for pair in words.windows(2) {
            let [number, noun] = [pair[0], pair[1].trim_end_matches('.')];
            if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
                continue;
            }
            let plural = PLURALS.contains(&noun);
            let singular = PLURALS.contains(&&*format!("{noun}s"));
            counts += usize::from(plural || singular);
            assert!(number != "1" || !plural, "{command}: `{number} {noun}` in\n{text}");
            assert!(number == "1" || !singular, "{command}: `{number} {noun}` in\n{text}");
        }
    }
    assert!(counts > 500, "only {counts} counts were found");
}

/// Each refusal and each note says why.
#[test]
fn messages_say_why() {
    let bench = Bench::with_inputs(4096);
    for (command, status, message) in [
        (
            "forms --target sm_100a --isa 7.0",
            2,
            "PTX ISA 7.0 does not have sm_100a, which exists from ISA 8.6 on",
        ),
        ("forms --target sm_101a --isa 9.0", 2, "whose name is sm_110a from ISA 9.0 on"),
        (
            "convert f32->f16 x.npy --fp4 packed -o y.npy",
            2,
            "neither `.f32` nor `.f16` is FP4, so --fp4 has no effect",
        ),
        (
            "convert f32->e4m3 x.npy --pad -o y.npy",
            2,
            "`.e4m3x2` results are not packed two to a byte, so --pad has no effect",
        ),
        ("eval cvt.rn.f16.f32 {1", 2, "the braces of `{1` do not match"),
        ("eval cvt.rn.f16x2.f32 1} {2", 2, "do not match"),
        ("eval CVT.RN.F16.F32 1", 2, "small letters: `cvt.rn.f16.f32`"),
        ("where CVT.RN.F16.F32 --json", 1, ""),
        ("forms --target sm_15", 2, "sm_121[a|f]; older ones are sm_10 "),
        ("quantize mx-rceil/e4m3 x.npy --tensor w -o q.safetensors", 2, "it holds one array without a name"),
    ] {
        let output = bench.ptxcvt(command).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{command}: {error}");
        assert!(error.contains(message), "{command}: {error}");
    }
}

/// Every command refuses a version that lacks the target, in the same words. `where` judges: no form is legal there.
#[test]
fn no_machine() {
    let bench = Bench::with_inputs(4096);
    fs::write(bench.path("kernel.cu"), "asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(d) : \"f\"(a));").unwrap();
    let sentence = "PTX ISA 7.0 does not have sm_90, which exists from ISA 7.8 on\n";
    for (command, status) in [
        ("where cvt.rn.f16.f32 --target sm_90", 1),
        ("forms --target sm_90", 2),
        ("lower cvt.rn.bf16.f32 --target sm_90", 2),
        ("check kernel.cu --target sm_90", 2),
        ("check module.ptx --target sm_90", 2),
        ("check --snippet block.ptx --target sm_90", 2),
        ("check --lower module.ptx --target sm_90", 2),
        ("check --would-need sm_90 module.ptx", 2),
        ("conform --ptx kernels --target sm_90", 2),
    ] {
        let output = bench.ptxcvt(&format!("{command} --isa 7.0")).output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(status), "{command}: {text}");
        assert!(text.contains(sentence), "{command}: {text}");
    }
}

/// A message that lists possible values says so if no value is possible.
#[test]
fn no_list_is_empty() {
    let bench = Bench::with_inputs(4096);
    for (command, message) in [
        (
            "convert f32->u4 x.npy -o y.npy",
            "there is no `cvt` from f32 to u4; only `cvt.pack` converts to u4, from s32\n",
        ),
        ("convert f64->e4m3 x.npy -o y.npy", "sources of e4m3: f16 bf16 f32\n"),
        ("forms --src u4", "note: no form matches\n"),
    ] {
        let output = bench.ptxcvt(command).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(message), "{command}: {error}");
        let open = error.lines().find(|line| line.trim_end().ends_with(':'));
        assert_eq!(open, None, "{command}: {error}");
    }
}
