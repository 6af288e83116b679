//! `ptxcvt conform --program` and `ptxcvt vectors` as users run them.
#![cfg(unix)]

#[path = "../../../xtask/src/skip.rs"]
mod skip;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

fn ptxcvt(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_ptxcvt")).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().expect("an exit status"), text(output.stdout), text(output.stderr))
}

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("judge").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// bf16 to e4m3 in C. The macro MISTAKE plants one.
const CODEC: &str = r#"
#include <stdint.h>
#include <string.h>
#ifndef MISTAKE
#define MISTAKE 0
#endif
static uint8_t to_e4m3(uint16_t bf16) {
    uint32_t u = (uint32_t)bf16 << 16;
    uint8_t sign = u >> 24 & 0x80;
    u &= 0x7fffffff;
    if (u > 0x7f800000) return MISTAKE == 1 ? 0 : 0x7f;
    if (u >= 0x43e80000) return MISTAKE == 2 ? 0x7f : sign | 0x7e;
    if (u < 0x3c800000) {
        float m;
        if (MISTAKE == 3) return sign;
        memcpy(&m, &u, 4);
        m += 16384.0f;
        memcpy(&u, &m, 4);
        return (u == 0x46800000 && MISTAKE == 4 ? 0 : sign) | (uint8_t)(u - 0x46800000);
    }
    u += MISTAKE == 5 ? 0x80000 : 0x7ffff + (u >> 20 & 1);
    if (MISTAKE == 6) { volatile int *p = 0; *p = 1; }
    return sign | (uint8_t)((u >> 20) - 960);
}
"#;

/// The lines of docs/conform.md that turn a function into a program, for 16-bit numbers.
fn main_in_c() -> String {
    let page = include_str!("../../../docs/conform.md");
    let from = page.find("```c\n").expect("an example in C") + 5;
    let block = &page[from..from + page[from..].find("```").expect("its end")];
    block.replace("float x", "uint16_t x")
}

#[test]
fn a_function_in_c() {
    if Command::new("cc").arg("--version").output().is_err() {
        return skip::skip("skipped: a_function_in_c: no C compiler").unwrap();
    }
    let folder = folder("c");
    fs::write(folder.join("codec.h"), CODEC).unwrap();
    fs::write(folder.join("main.c"), main_in_c()).unwrap();
    let form = "cvt.rn.satfinite.e4m3x2.bf16x2";
    for (mistake, class) in
        [(0, ""), (1, "nan"), (2, "overflow"), (3, "subnormal"), (4, "zero_sign"), (5, "ties"), (6, "crash")]
    {
        let program = folder.join(format!("codec-{mistake}"));
        let built = Command::new("cc")
            .args(["-O1", "-Wall", "-Werror", &format!("-DMISTAKE={mistake}"), "-o"])
            .arg(&program)
            .arg(folder.join("main.c"))
            .status()
            .unwrap();
        assert!(built.success());
        let program = program.to_str().unwrap();
        let arguments =
            ["conform", "--program", program, "--conversion", "bf16->e4m3", "--form", form, "--json"];
        let (status, out, err) = ptxcvt(&arguments);
        if class == "crash" {
            assert_eq!(status, 2);
            assert!(err.contains("the program failed") && err.contains("signal 11"), "{err}");
            continue;
        }
        let json: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(
            (json["conversion"].as_str(), json["inputs"].as_u64()),
            (Some("bf16->e4m3"), Some(65_536))
        );
        assert_eq!(json["nearest"], form);
        let differences = json["differences"].as_object().unwrap();
        if mistake == 0 {
            assert_eq!((status, json["equal"][0].as_str(), differences.len()), (0, Some(form), 0));
            continue;
        }
        let most = differences.iter().max_by_key(|(_, difference)| difference["count"].as_u64()).unwrap();
        assert_eq!((status, json["equal"].as_array().unwrap().len()), (1, 0));
        assert_eq!(most.0, class, "{out}");
        for field in ["input", "got", "expected"] {
            assert!(most.1["example"][field].as_str().unwrap().starts_with("0x"), "{out}");
        }
    }
}

#[test]
fn reports() {
    let (status, out, err) = ptxcvt(&["conform", "--program", "cat", "--conversion", "e4m3->e4m3"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.starts_with("e4m3->e4m3: equal to `e4m3->e4m3, NaN to NaN with"), "{out}");
    let program = r"LC_ALL=C tr '\200' '\000'";
    let (status, out, _) = ptxcvt(&["conform", "--program", program, "--conversion", "e5m2 -> e5m2"]);
    assert_eq!(status, 1);
    assert!(
        out.ends_with(
            "zero_sign: 1 input: -0 becomes +0\n    0x80 (-0) gives 0x00 (0), expected 0x80 (-0)\n"
        ),
        "{out}"
    );
}

#[test]
fn programs_that_cannot_be_judged() {
    for (program, timeout, message) in [
        ("sleep 600", "1", "error: the program hung: in 1 s it neither read nor wrote"),
        (
            "echo why >&2; exit 9",
            "60",
            "error: the program failed: exit status 9, after it wrote 0 of 256 codes",
        ),
        ("head -c 3", "60", "error: the program wrote too little: 3 of 256 codes"),
        ("cat; cat /dev/zero", "60", "error: the program wrote too much"),
    ] {
        let arguments = ["conform", "--program", program, "--conversion", "e4m3->e4m3", "--timeout", timeout];
        let (status, out, err) = ptxcvt(&arguments);
        assert_eq!((status, out.as_str()), (2, ""), "{program}");
        assert!(err.starts_with(message), "{err}");
        assert_eq!(err.contains("why"), program.contains("why"), "{err}");
    }
}

#[test]
fn command_lines_that_contradict_themselves() {
    for (arguments, message) in [
        (&["--program", "cat"][..], "--program needs --conversion"),
        (&["--program", "cat", "--conversion", "f32"], "`f32` is not a conversion such as `f32->e4m3`"),
        (&["--program", "cat", "--conversion", "f32->fp9"], "no format `fp9`"),
        (
            &["--program", "cat", "--conversion", "f16->e4m3", "--form", "cvt.rn.satfinite.e4m3x2.f32"],
            "`cvt.rn.satfinite.e4m3x2.f32` converts f32 to e4m3, not f16 to e4m3",
        ),
        (&["--program", "cat", "--form", "cvt.rs.satfinite.e4m3x4.f32"], "also takes rbits"),
        (&["--program", "cat", "--device"], "cannot be used with"),
    ] {
        let (status, _, err) = ptxcvt(&[&["conform"], arguments].concat());
        assert_eq!(status, 2, "{arguments:?}");
        assert!(err.contains(message), "{err}");
    }
}

#[test]
fn vectors_in_every_layout() {
    let folder = folder("vectors");
    let opcode = "cvt.rn.satfinite.e2m1x2.f32";
    let write = |name: &str, more: &[&str]| {
        let path = folder.join(name);
        let arguments = [&["vectors", opcode, "-o", path.to_str().unwrap(), "--random", "10"], more].concat();
        assert_eq!(ptxcvt(&arguments), (0, String::new(), String::new()));
        fs::read(path).unwrap()
    };
    let tsv = String::from_utf8(write("v.tsv", &[])).unwrap();
    let rows: Vec<(u32, u8)> = tsv
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once('\t').unwrap())
        .map(|(input, result)| {
            (u32::from_str_radix(input, 16).unwrap(), u8::from_str_radix(result, 16).unwrap())
        })
        .collect();
    // 0.25 is the tie between 0 and 0.5; its neighbours are there, too.
    for (input, result) in
        [(0x3e80_0000, 0), (0x3e80_0001, 1), (0x3e7f_ffff, 0), (0x7fc0_0000, 7), (0xff80_0000, 0xf)]
    {
        assert!(rows.contains(&(input, result)), "{input:x}");
    }
    let hex = String::from_utf8(write("v.hex", &[])).unwrap();
    assert!(hex.lines().any(|line| line == "3e8000011"), "{hex}");
    let json: Value = serde_json::from_slice(&write("v.json", &[])).unwrap();
    assert_eq!(json["vectors"].as_array().unwrap().len(), rows.len());
    assert_eq!((&json["source"], &json["destination"]), (&"f32".into(), &"e2m1".into()));
    let header = String::from_utf8(write("v.h", &[])).unwrap();
    assert!(header.contains("    {0x3e800001u, 0x1u},\n"), "{header}");
    let npy = write("v", &["--as", "npy"]);
    let start = 10 + usize::from(u16::from_le_bytes([npy[8], npy[9]]));
    assert_eq!((start % 64, npy.len() - start), (0, 5 * rows.len()));
    // Other policies, and the digest of every result.
    let (status, out, _) = ptxcvt(&[
        "vectors",
        "f16->e4m3",
        "--rounding",
        "rna",
        "--overflow",
        "nan",
        "-o",
        "-",
        "--signed-nan",
    ]);
    assert_eq!(status, 0);
    assert!(
        out.starts_with(
            "# f16->e4m3, to nearest, ties away from zero, overflow to infinity or NaN, NaN keeps"
        ),
        "{out}"
    );
    assert!(out.contains("\nfc00\tff\n"), "{out}");
    let (status, out, _) = ptxcvt(&["vectors", "e2m1->e2m1", "--digest"]);
    assert_eq!((status, out.trim_end().len()), (0, 64));
    let (status, _, err) = ptxcvt(&["vectors", opcode, "--digest", "--rounding", "rz"]);
    let message =
        "--rounding is for two formats, such as 'f32->e4m3'; `cvt.rn.satfinite.e2m1x2.f32` has its own";
    assert!(status == 2 && err.contains(message), "{err}");
    let (status, _, err) = ptxcvt(&["vectors", "f32->e2m1", "-o", "-", "--overflow", "nan"]);
    assert!(status == 2 && err.contains("e2m1 has neither infinity nor NaN"), "{err}");
    let (status, _, err) = ptxcvt(&["vectors", "f64->e2m1", "--digest"]);
    assert!(status == 2 && err.contains("f64 has more than 2^32 codes"), "{err}");
}

/// The registers of forms with `rbits` or a scale-factor, one column each.
#[test]
fn vectors_of_registers() {
    let rs = "cvt.rs.satfinite.e4m3x4.f32";
    let (status, out, err) = ptxcvt(&["vectors", rs, "-o", "-", "--random", "0"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.starts_with(&format!("# {rs}\n# a\tb\te\tf\trbits\td\n")), "{out}");
    // 1.0625 is half-way from 1 to the next number: half of the random field carries, one less does not. The bits of `a`'s
    // field are in the other order.
    let row = |rbits: &str| {
        let is = |line: &&str| {
            line.split('\t').next() == Some("3f880000") && line.split('\t').nth(4) == Some(rbits)
        };
        let line = out.lines().find(is).unwrap_or_else(|| panic!("{rbits}: {out}"));
        line.split('\t').nth(5).unwrap()[..2].to_owned()
    };
    assert_eq!((row("00010000"), row("fffeffff")), ("39".to_owned(), "38".to_owned()));
    let scaled = "cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2";
    let (status, out, _) = ptxcvt(&["vectors", scaled, "-o", "-", "--as", "c"]);
    assert_eq!(status, 0);
    assert!(
        out.contains("    uint16_t a;\n    uint16_t scale_factor;\n    uint32_t d;\n} cvt_rn_scaled"),
        "{out}"
    );
    let (status, _, err) = ptxcvt(&["vectors", rs, "--digest"]);
    let message = format!("--digest is for elements alone; `{rs}` takes another operand");
    assert!(status == 2 && err.contains(&message), "{err}");
    for opcode in [rs, "cvt.rn.satfinite.e4m3x2.f16x2"] {
        let (status, _, err) = ptxcvt(&["vectors", opcode, "-o", "-", "--signed-nan"]);
        let message = format!("--signed-nan is for two formats, such as 'f32->e4m3'; `{opcode}` has its own");
        assert!(status == 2 && err.contains(&message), "{err}");
    }
    for formats in ["f32->e2m1", "f32->ue8m0", "f32->s8"] {
        let (status, _, err) = ptxcvt(&["vectors", formats, "-o", "-", "--signed-nan"]);
        assert!(status == 2 && err.contains("has no NaN with a sign"), "{err}");
    }
}
