//! Every command reads numbers in the same way, and the help says how.

mod common;

use std::fs;
use std::io::Write;
use std::process::Stdio;

use common::{Bench, finite, write_npy};

/// Spellings of a number, and the bits of the f32 that it is, which the page's test reads, too.
fn spellings() -> impl Iterator<Item = (&'static str, u32)> {
    let lines = include_str!("../../../tests/numbers.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let (text, bits) = line.split_once('\t').expect("a tab");
        (text, u32::from_str_radix(bits, 16).expect("hexadecimal digits"))
    })
}

/// Standard output of a run that must succeed, and its standard error.
fn succeeds(bench: &Bench, arguments: &[&str]) -> (String, String) {
    let output = bench.ptxcvt("").args(arguments).output().unwrap();
    let [out, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success(), "{arguments:?}: {error}");
    (out, error)
}

/// The answer of the batch form of `eval` to a line.
fn batch(bench: &Bench, line: &str) -> String {
    lines(bench, &["eval", "-"], line)
}

/// The answer of a batch form to a line.
fn lines(bench: &Bench, arguments: &[&str], line: &str) -> String {
    let mut command = bench.ptxcvt("");
    let mut child = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{line}").unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
}

#[test]
fn every_command_reads_every_spelling() {
    let bench = Bench::of_any_command();
    write_npy(&bench.path("x.npy"), &finite(64, 1), &[2, 32]);
    for (text, bits) in spellings() {
        let hex = format!("0x{bits:08x}");
        let (out, error) = succeeds(&bench, &["eval", "cvt.rn.f16.f32", text]);
        assert!(out.contains(&format!("from a = {hex} ")), "{text}: {out}");
        let mut noted = vec![out.clone() + &error];
        let (out, _) = succeeds(&bench, &["format", "f32", text]);
        assert!(out.starts_with(&format!("f32 {hex} = ")), "{text}: {out}");
        noted.push(out);
        let (out, error) = succeeds(&bench, &["run", "mov.b32 %0, %1;", "--constraints", "=f,f", text]);
        assert!(out.starts_with(&format!("%0 = {hex} ")), "{text}: {out}");
        noted.push(error);
        let constant = format!("mov.b32 %0, {hex};");
        let fix = format!("%1={text}");
        let prove = ["prove", "mov.b32 %0, %1;", &constant, "--constraints", "=f,f", "--fix", &fix];
        let (out, _) = succeeds(&bench, &prove);
        assert!(out.starts_with("proven"), "{text}: {out}");
        noted.push(out);
        // The option changes the scales.
        let quantize = |amax: &str, to: &str| {
            let arguments = ["quantize", "nvfp4-modelopt", "x.npy", "--global-amax", amax, "-o", to];
            (succeeds(&bench, &arguments).1, fs::read(bench.path(to)).unwrap())
        };
        let (error, bytes) = quantize(text, "a.safetensors");
        assert!(bytes == quantize(&hex, "b.safetensors").1, "{text}");
        assert!(bytes != quantize("3", "b.safetensors").1, "{text}");
        noted.push(error);
        // Octal may surprise, so every command notes it.
        for out in noted {
            assert_eq!(out.contains("octal"), text == "010", "{text}: {out}");
        }
    }
}

#[test]
fn every_command_reads_every_spelling_of_an_integer() {
    let bench = Bench::of_any_command();
    write_npy(&bench.path("x.npy"), &finite(64, 1), &[2, 32]);
    for (text, value) in [("010", 8), ("0b101", 5), ("0x1.8p3", 12)] {
        let (out, _) = succeeds(&bench, &["eval", "cvt.u16.u8", text]);
        assert!(out.contains(&format!("d = 0x{value:04x} ")), "{text}: {out}");
        let (out, _) = succeeds(&bench, &["format", "u8", text]);
        assert!(out.starts_with(&format!("u8 0x{value:02x} = {value}")), "{text}: {out}");
        let (out, _) = succeeds(&bench, &["run", "mov.b32 %0, %1;", "--constraints", "=r,r", text]);
        assert!(out.starts_with(&format!("%0 = 0x{value:08x} ")), "{text}: {out}");
        let hex = format!("0x{value:08x}");
        assert_eq!(converted(&bench, "--rbits", text), converted(&bench, "--rbits", &hex), "{text}");
    }
    // A scale-factor is a number, and its bits are a code.
    for (text, value) in
        [("010", "8"), ("0b10000010", "8"), ("0x1p3", "8"), ("0f41000000", "8"), ("0x82", "8")]
    {
        assert_eq!(converted(&bench, "--scale", text), converted(&bench, "--scale", value), "{text}");
    }
    for option in ["--rbits", "--scale"] {
        let arguments = convert(option, "010");
        let (_, error) = succeeds(&bench, &arguments);
        assert_eq!(error, format!("note: {option}: `010` is octal because of its leading zero, as in PTX\n"));
    }
}

/// An argument that is not a file is read as `eval` reads an operand.
#[test]
fn a_number_is_not_taken_for_a_file() {
    let bench = Bench::of_any_command();
    write_npy(&bench.path("x.npy"), &finite(64, 1), &[2, 32]);
    for text in ["-1", "+5", "nan", "inf", "1e3", "08", "0f40000000", "2", "1,2"] {
        // For `eval`, a comma separates random bits from another operand.
        let options = if text == "1,2" { &["--scale"][..] } else { &["--rbits", "--scale"] };
        for &option in options {
            let arguments = convert(option, text);
            let ones = if option == "--rbits" { vec!["1"; 4] } else { vec!["1"; 2] };
            let operands = [&["eval", arguments[1]], &ones[..], &[text]].concat();
            let (converted, evaluated) = (
                bench.ptxcvt("").args(arguments).output().unwrap(),
                bench.ptxcvt("").args(operands).output().unwrap(),
            );
            assert_eq!(converted.status, evaluated.status, "{option} {text}");
            let message = |error: Vec<u8>| {
                let text = String::from_utf8(error).unwrap();
                text.lines().next().and_then(|line| Some(line.split_once("`: ")?.1.to_owned()))
            };
            assert_eq!(message(converted.stderr), message(evaluated.stderr), "{option} {text}");
        }
    }
    let arguments = convert("--rbits", "nan.bin");
    let refused = bench.ptxcvt("").args(arguments).output().unwrap().stderr;
    assert!(String::from_utf8(refused).unwrap().contains("No such file"), "a name is that of a file");
}

/// Options that are whole numbers read every spelling, too.
#[test]
fn options_read_every_spelling_of_a_whole_number() {
    let bench = Bench::of_any_command();
    write_npy(&bench.path("x.npy"), &finite(64, 1), &[2, 32]);
    let with_seed = |seed: &str| {
        let opcode = "cvt.rs.satfinite.e4m3x4.f32";
        let arguments = ["convert", opcode, "x.npy", "--seed", seed, "-o", "y.npy"];
        bench.ptxcvt("").args(arguments).output().unwrap()
    };
    let bytes = |seed: &str| {
        assert!(with_seed(seed).status.success(), "{seed}");
        fs::read(bench.path("y.npy")).unwrap()
    };
    for text in ["1e3", "1000.0", "0x3e8", "0x1.f4p9", "0b1111101000", "1000U", "0f447a0000"] {
        assert_eq!(bytes(text), bytes("1000"), "{text}");
    }
    assert!(bytes("18446744073709551615") != bytes("0"));
    for text in ["08", "1.5", "-1", "1e20", "inf", "nan", "x", ""] {
        let error = String::from_utf8(with_seed(text).stderr).unwrap();
        assert_eq!(error.contains("octal"), text == "08", "{text}: {error}");
        assert!(error.contains("a whole number from 0") || text == "08", "{text}: {error}");
    }
}

/// The arguments of a conversion with random bits or a scale.
fn convert<'a>(option: &'a str, value: &'a str) -> [&'a str; 7] {
    let opcode = match option {
        "--rbits" => "cvt.rs.satfinite.e4m3x4.f32",
        _ => "cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32",
    };
    ["convert", opcode, "x.npy", option, value, "-o", "y.npy"]
}

/// The result of such a conversion.
fn converted(bench: &Bench, option: &str, value: &str) -> Vec<u8> {
    succeeds(bench, &convert(option, value));
    fs::read(bench.path("y.npy")).unwrap()
}

/// An integer of 64 bits is exact, whether or not it is written with a point or an exponent.
#[test]
fn integers_are_exact() {
    let bench = Bench::of_any_command();
    for (text, value) in [
        ("144115188075855873.0", "144115188075855873"),
        ("1.44115188075855873e17", "144115188075855873"),
        ("18446744073709551615.0", "18446744073709551615"),
        ("0xfedcba9876543211p0", "18364758544493064721"),
    ] {
        let (out, _) = succeeds(&bench, &["format", "u64", text]);
        assert!(out.lines().next().unwrap().ends_with(&format!(" = {value}")), "{text}: {out}");
        // The largest number has no next one.
        assert!(out.ends_with("  spacing  1\n") || value == "18446744073709551615", "{text}: {out}");
        let (out, _) = succeeds(&bench, &["run", "mov.b64 %0, %1;", "--constraints", "=l,l", text]);
        assert!(out.contains(&format!("({value})")), "{text}: {out}");
    }
    for text in ["1152921504606846977.5", "18446744073709551614.5", "0x1.8p0", "0xfedcba987654321.08p0"] {
        let output = bench.ptxcvt("").args(["eval", "cvt.rn.f32.u64", text]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("not an integer"), "{text}");
    }
}

/// `eval -` and `run -` read the words of a line in the same way.
#[test]
fn batches_read_the_same_words() {
    let bench = Bench::of_any_command();
    let run = |line: &str| {
        let mut command = bench.ptxcvt("");
        command.args(["run", "cvt.rn.f32.f64 %0, %1;", "-"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        writeln!(child.stdin.take().unwrap(), "{line}").unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
    };
    for word in [
        "0f3F800000",
        "0d3FF0000000000000",
        "3ff0000000000000",
        "2e3",
        "2e3f",
        "-2e3f",
        "1.5",
        "1.5f",
        "{1.5};",
        "-2,",
        "inf",
        "x",
        "1 2",
    ] {
        let (one, other) = (batch(&bench, &format!("cvt.rn.f32.f64 {word}")), run(word));
        assert!(
            one == other || one.starts_with("error") && other.starts_with("error"),
            "{word}: {one} {other}"
        );
    }
    assert_eq!(batch(&bench, "cvt.rn.f32.f64 0f3F800000"), "3f800000");
    assert_eq!(batch(&bench, "cvt.u32.u64 2e3f"), "00002e3f");
    assert_eq!(batch(&bench, "cvt.rn.f32.f64 -2e3f"), "c4fa0000");
    assert_eq!(batch(&bench, "cvt.rn.f32.f64 1.5f"), "3fc00000");
    // Integers have no such literals: these are hexadecimal digits.
    assert_eq!(batch(&bench, "cvt.u32.u64 0f3fc00000"), "3fc00000");
    assert!(batch(&bench, "cvt.u64.u64 0d3ff0000000000000").starts_with("error"));
}

/// Options without notes refuse octal numbers.
#[test]
fn octal_numbers_are_noted_or_refused() {
    let bench = Bench::of_any_command();
    write_npy(&bench.path("x.npy"), &finite(64, 1), &[2, 32]);
    for option in ["--memory", "--threads"] {
        let arguments = ["convert", "cvt.rn.f16.f32", "x.npy", option, "010", "-o", "y.npy"];
        let error = bench.ptxcvt("").args(arguments).output().unwrap().stderr;
        assert!(
            String::from_utf8(error).unwrap().contains("a leading zero makes it octal (8): leave it out"),
            "{option}"
        );
    }
    succeeds(&bench, &["convert", "cvt.rn.f16.f32", "x.npy", "--memory", "0x100000", "-o", "y.npy"]);
    for size in ["010MiB", "08MiB", "0x10MiB"] {
        let arguments = ["convert", "cvt.rn.f16.f32", "x.npy", "--memory", size, "-o", "y.npy"];
        let error = bench.ptxcvt("").args(arguments).output().unwrap().stderr;
        assert!(String::from_utf8(error).unwrap().contains("without leading zeros"), "{size}");
    }
    // With a sign, a word of batch input is read as anywhere. JSON has the note.
    for (word, result) in [("-010", "c800"), ("+010", "4800")] {
        assert_eq!(batch(&bench, &format!("cvt.rn.f16.f32 {word}")), result, "{word}");
    }
    for arguments in
        [["eval", "cvt.rn.f16.f32", "010", "--svg", "x.svg"], ["format", "e4m3", "010", "--svg", "x.svg"]]
    {
        assert!(succeeds(&bench, &arguments).1.contains("`010` is octal"), "{arguments:?}");
    }
    assert!(succeeds(&bench, &["format", "f32", "010", "--json"]).0.contains("\"octal\": true"));
    for text in ["0x1p+-3", "1e+-3", "07777777777777777777777"] {
        let output = bench.ptxcvt("").args(["format", "f32", text]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
    }
}

/// The help of `eval` says which words of the batch form are bits and which are decimal numbers.
#[test]
fn the_help_of_the_batch_form_is_right() {
    let bench = Bench::of_any_command();
    let help = bench.ptxcvt("eval --help").env("COLUMNS", "1000").output().unwrap().stdout;
    let help = String::from_utf8(help).unwrap();
    let words = |before: &str, after: &str| -> Vec<String> {
        let list = help.split_once(before).and_then(|(_, rest)| rest.split_once(after));
        let list = list.unwrap_or_else(|| panic!("the help has no `{before}`: {help}")).0;
        list.split([',', ' '])
            .filter(|word| !matches!(*word, "" | "and" | "also"))
            .map(str::to_owned)
            .collect()
    };
    let bits = words("digits is bits: ", ". ");
    assert!(bits.iter().any(|word| word == "2e3"), "{bits:?}");
    for word in bits {
        let plain = batch(&bench, &format!("cvt.f64.f32 {word}"));
        assert_eq!(plain, batch(&bench, &format!("cvt.f64.f32 0x{word}")), "{word}");
    }
    let decimals = words("needs a sign or a point: ", ". ");
    assert!(decimals.len() > 1, "{decimals:?}");
    for word in decimals {
        let (out, _) = succeeds(&bench, &["eval", "cvt.f64.f32", &word]);
        let answer = batch(&bench, &format!("cvt.f64.f32 {word}"));
        assert!(out.contains(&format!("d = 0x{answer} ")), "{word}: {answer}, {out}");
        assert!(answer.len() == 16 && answer != batch(&bench, "cvt.f64.f32 2e3"), "{word}: {answer}");
    }
}

/// The help of both commands says that a sign makes a number of bits, and it does: on the command line and in lines.
#[test]
fn a_sign_turns_bits_into_a_number() {
    let bench = Bench::of_any_command();
    for (command, sentence) in [
        ("eval", "integers, because of their sign"),
        ("eval", "and +0x10 is 16"),
        ("format", "unless it has a sign: +0x10 is 16"),
    ] {
        let help = bench.ptxcvt(&format!("{command} --help")).env("COLUMNS", "1000").output().unwrap().stdout;
        let help = String::from_utf8(help).unwrap();
        assert!(help.contains(sentence), "{command}: {help}");
    }
    for (word, number) in [("+0x10", 16.0_f64), ("-0x10", -16.0), ("+0b101", 5.0), ("16", 16.0)] {
        let expected = format!("{:016x}", number.to_bits());
        let (out, _) = succeeds(&bench, &["eval", "cvt.f64.f32", word]);
        assert!(out.contains(&format!("d = 0x{expected} ")), "{word}: {out}");
        if word != "16" {
            assert_eq!(batch(&bench, &format!("cvt.f64.f32 {word}")), expected, "{word}");
        }
    }
    assert_eq!(
        batch(&bench, "cvt.f64.f32 0x10"),
        format!("{:016x}", f64::from(f32::from_bits(16)).to_bits())
    );
}

/// Operands on the command line and in lines of batch input are split by the same rules, for forms and blocks.
#[test]
fn every_command_splits_operands_alike() {
    let bench = Bench::of_any_command();
    // A form and a block with two single operands, and with one packed operand.
    let single = ("cvt.rn.f16x2.f32", "cvt.rn.f16x2.f32 %0, %1, %2;", "0x3e00c000");
    let packed = ("cvt.rn.f16x2.e4m3x2", "cvt.rn.f16x2.e4m3x2 %0, %1;", "0x3e00c000");
    let both = |line: &'static str, is_read: bool| [(single, line, is_read), (packed, line, is_read)];
    let mut cases = Vec::new();
    for line in ["1.5,-2.0", "{1.5,-2.0}", "1.5,-2.0,", "{1.5,-2.0};"] {
        cases.extend(both(line, true));
    }
    for line in [
        "1.5,,-2.0",
        ",1.5,-2.0",
        "1.5,-2.0,,",
        ",,1.5,,-2.0,,",
        "{1.5,-2.0",
        "1.5,-2.0}",
        "1.5",
        "1.5,-2.0,3.0",
    ] {
        cases.extend(both(line, false));
    }
    for (line, is_read) in [
        ("1.5 -2.0", true),
        ("1.5, -2.0", true),
        ("{1.5, -2.0};", true),
        ("{ 1.5 , -2.0 }", true),
        ("1.5 , , -2.0", false),
        ("1.5,, -2.0", false),
        ("1.5, ,-2.0", false),
        (", 1.5 -2.0", false),
    ] {
        cases.push((single, line, is_read));
    }
    for ((form, block, result), line, is_read) in cases {
        let words: Vec<&str> = line.split_whitespace().collect();
        let out = |arguments: &[&str]| {
            let output = bench.ptxcvt("").args(arguments).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            assert_eq!(output.status.success(), is_read, "{arguments:?}: {text}");
            assert_eq!(text.contains(result), is_read, "{arguments:?}: {text}");
        };
        out(&[&["eval", form], &words[..]].concat());
        out(&[&["run", block], &words[..]].concat());
        let digits = result.trim_start_matches("0x");
        for answer in [
            lines(&bench, &["eval", "-"], &format!("{form} {line}")),
            lines(&bench, &["run", block, "-"], line),
        ] {
            assert_eq!(answer == digits, is_read, "{form} {line}: {answer}");
            assert_eq!(answer.starts_with("error["), !is_read, "{form} {line}: {answer}");
        }
    }
}

#[test]
fn a_fixed_input_may_be_in_braces() {
    let bench = Bench::of_any_command();
    let block = "cvt.rn.f16x2.e4m3x2 %0, %1;";
    for (value, is_read) in
        [("{1.5,-2}", true), ("1.5,-2,", true), ("1.5,,-2", false), ("{1.5,-2", false), ("1.5,-2,3", false)]
    {
        let fix = format!("%1={value}");
        let output = bench.ptxcvt("").args(["prove", block, block, "--fix", &fix]).output().unwrap();
        assert_eq!(output.status.success(), is_read, "{value}: {output:?}");
    }
}

/// A fixed byte is read as the narrower register has it, and extended in the wider one, which an example shows.
#[test]
fn a_fixed_byte_is_extended() {
    let bench = Bench::of_any_command();
    let prove = |blocks: [&str; 2], fix: &str| {
        let args = ["prove", blocks[0], blocks[1], "--constraints", "=r,r", "--fix", fix];
        let output = bench.ptxcvt("").args(args).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (byte, word) = ("cvt.s32.s8", "mov.b32 %0, %1;");
    for blocks in [[byte, word], [word, byte]] {
        for value in ["%1=-128", "%1=0x80", "%1=127"] {
            assert_eq!(prove(blocks, value).0, Some(0), "{value}");
        }
        assert_eq!(prove(blocks, "%1=300").0, Some(2));
    }
    let zeros = "{ .reg .b32 t; xor.b32 t, %1, 0x80; sub.u32 %0, t, 0x80; }";
    let output = bench.ptxcvt("").args(["prove", byte, zeros, "--constraints", "=r,r"]).output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.contains("a = 0x80  .s8 -128  in B 0xffffff80"), "{out}");
    assert!(out.contains("xor.b32 t, %1, 0x80 → 0xffffff00"), "{out}");
}

#[test]
fn blanks_around_an_opcode_are_ignored() {
    let bench = Bench::of_any_command();
    for opcode in [" cvt.rn.f16.f32", "cvt.rn.f16.f32\n", "\tcvt.rn.f16.f32 "] {
        let (out, _) = succeeds(&bench, &["eval", opcode, "1.5"]);
        assert!(out.contains("d = 0x3e00"), "{opcode:?}: {out}");
        succeeds(&bench, &["where", opcode]);
        succeeds(&bench, &["run", opcode, "1.5"]);
        succeeds(&bench, &["prove", opcode, "cvt.rn.f16.f32"]);
    }
}
