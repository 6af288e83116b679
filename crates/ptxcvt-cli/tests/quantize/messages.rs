//! Messages about inputs that cannot be quantised, and warnings.

use std::fs;

use safetensors::{Dtype, tensor::TensorView};

use crate::common::{Bench, bytes, finite, write_array};

#[test]
fn the_old_output_stays_where_something_is_wrong() {
    let bench = Bench::of_any_command();
    write_array(&bench.path("x.npy"), "<f4", &[2, 48], &bytes(&finite(96, 5)));
    write_array(&bench.path("half.npy"), "<u2", &[2, 32], &[0; 128]);
    write_array(&bench.path("int.npy"), "<i4", &[2, 32], &[0; 256]);
    fs::write(bench.path("y.safetensors"), "old").unwrap();
    let message = bench.fails("quantize mx-rceil/e4m3 x.npy -o y.safetensors");
    assert!(message.contains("2 rows and 48 columns is not a whole number of blocks of 1x32"), "{message}");
    let message = bench.fails("quantize mx-rceil/e4m3 half.npy -o y.safetensors");
    assert!(
        message.contains("holds <u2, not f32, bf16 or f16") && message.contains("give --dtype bf16"),
        "{message}"
    );
    let message = bench.fails("quantize mx-rceil/e4m3 int.npy -o y.safetensors");
    assert!(message.contains("holds <i4, not f32, bf16 or f16"), "{message}");
    let message = bench.fails("quantize mx-rceil/e4m3 nothing.npy -o y.safetensors");
    assert!(message.contains("nothing.npy: "), "{message}");
    write_array(&bench.path("z.npy"), "<f4", &[2, 64], &bytes(&finite(128, 5)));
    for (other, what) in
        [("mx-rceil/e5m2", "have different element formats"), ("nothing", "no recipe `nothing`")]
    {
        let message =
            bench.fails(&format!("quantize mx-rceil/e4m3 z.npy --compare {other} -o y.safetensors"));
        assert!(message.contains(what), "{message}");
    }
    let message = bench.fails("dequantize y.safetensors -o z.npy");
    assert!(message.contains("not a readable .safetensors file"), "{message}");
    let message = bench.fails("dequantize x.npy -o z.npy");
    assert!(message.contains("quantised tensors are read from a .safetensors file"), "{message}");
}

/// Declarations for raw files are refused for files whose header says the same, in both commands and for checkpoints.
#[test]
fn a_header_is_not_declared_again() {
    let bench = Bench::of_any_command();
    let numbers = bytes(&finite(64, 5));
    write_array(&bench.path("x.npy"), "<f4", &[2, 32], &numbers);
    write_array(&bench.path("bits.npy"), "<u2", &[2, 32], &numbers[..128]);
    fs::write(bench.path("x.raw"), &numbers).unwrap();
    fs::create_dir(bench.path("model")).unwrap();
    for path in ["x.safetensors", "model/model.safetensors"] {
        let view = TensorView::new(Dtype::F32, vec![2, 32], &numbers).unwrap();
        safetensors::serialize_to_file([("w", view)], None, &bench.path(path)).unwrap();
    }
    for command in ["quantize mx-rceil/e4m3", "convert f32->bf16"] {
        for (input, option) in [
            ("x.npy", "--big-endian"),
            ("x.safetensors", "--big-endian"),
            ("x.safetensors", "--dtype f32"),
            ("x.safetensors", "--dtype f32 --big-endian"),
        ] {
            let message = bench.fails(&format!("{command} {input} {option} -o y.safetensors"));
            let (name, _) = option.split_once(' ').unwrap_or((option, ""));
            assert!(message.contains(&format!("{name} is for raw files")), "{command} {input}: {message}");
        }
        let message = bench.fails(&format!("{command} x.raw -o y.safetensors"));
        assert!(message.contains("x.raw: the format of a raw file is unknown"), "{message}");
        assert!(message.contains("give --dtype f32"), "{message}");
    }
    for option in ["--dtype f32", "--big-endian"] {
        let message = bench.fails(&format!("quantize mx-rceil/e4m3 model {option} -o out"));
        assert!(message.contains("a checkpoint declares the types of its tensors"), "{message}");
    }
    let message = bench.fails("dequantize x.raw -o y.npy");
    assert!(message.contains("quantised tensors are read from a .safetensors file"), "{message}");
    // Integers of .npy may be bits of numbers.
    bench.succeeds("quantize mx-rceil/e4m3 bits.npy --dtype bf16 -o y.safetensors");
    bench.succeeds("quantize mx-rceil/e4m3 x.npy --dtype f32 -o y.safetensors");
}

/// A recipe that makes NaN of finite numbers, and numbers that are too large for their type when they are read back.
#[test]
fn nan_and_infinity_in_the_output_alone_are_reported() {
    let bench = Bench::of_any_command();
    write_array(&bench.path("zeros.npy"), "<f4", &[16, 64], &[0; 4096]);
    write_array(&bench.path("large.npy"), "<f4", &[16, 64], &bytes(&vec![65_000.0; 1024]));
    for recipe in ["nvfp4-modelopt", "nvfp4-torchao"] {
        for axis in ["rows", "columns"] {
            let mode = format!("quantize {recipe} zeros.npy -o q.safetensors --memory 1KB --axis {axis}");
            let output = bench.run(&mode);
            let warning =
                "warning: zeros.npy: 1024 NaN in the output, from finite numbers; the first is element 0\n";
            assert!(output.status.success(), "{mode}");
            assert_eq!(String::from_utf8(output.stderr).unwrap(), warning, "{mode}");
            let output = bench.run(&format!("{mode} --quiet"));
            assert!(output.status.success() && output.stderr.is_empty(), "{mode}");
        }
        let output = bench.run("dequantize q.safetensors -o back.npy");
        let warning =
            "warning: q.safetensors: 1024 NaN in the output; the first is element 0 of tensor `tensor`\n";
        assert_eq!(String::from_utf8(output.stderr).unwrap(), warning);
    }
    // 65000 is 65536 in FP4, which f16 does not have.
    let output = bench.run("quantize mx-even/e2m1 large.npy -o q.safetensors");
    assert!(output.status.success() && output.stderr.is_empty());
    let output = bench.run("dequantize q.safetensors -o back.npy");
    assert!(output.status.success() && output.stderr.is_empty());
    let output = bench.run("dequantize q.safetensors -o back.npy --dtype f16");
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && message.contains(": 1024 infinities in the output"), "{message}");
    let output = bench.run("dequantize q.safetensors -o back.npy --dtype f16 --quiet");
    assert!(output.status.success() && output.stderr.is_empty());
}

/// In every mode there is one warning, with the count and the first place.
#[test]
fn nan_and_infinity_in_the_input_are_reported() {
    let bench = Bench::of_any_command();
    let mut numbers: Vec<f32> = (0..1 << 20).map(|i| i as f32).collect();
    (numbers[700_000], numbers[800_001], numbers[900_000]) = (f32::NAN, f32::INFINITY, f32::NAN);
    let data: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    write_array(&bench.path("x.npy"), "<f4", &[1024, 1024], &data);
    let warning = "warning: x.npy: 2 NaN and 1 infinity in the input; the first is element 700000\n";
    for mode in [
        "quantize nvfp4-modelopt x.npy -o q.safetensors",
        "quantize nvfp4-modelopt x.npy --report",
        "quantize mx-rceil/e4m3 x.npy --report --memory 1MB --axis columns",
        "quantize nvfp4-modelopt x.npy --compare nvfp4-modelopt",
        "convert cvt.rn.satfinite.e4m3x2.f32 x.npy -o y.npy",
        "convert cvt.rzi.s32.f32 x.npy -o y.npy",
    ] {
        let output = bench.run(mode);
        assert!(output.status.success(), "{mode}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), warning, "{mode}");
        let output = bench.run(&format!("{mode} --quiet"));
        assert!(output.status.success() && output.stderr.is_empty(), "{mode}");
    }
    // An infinity that stays infinite loses nothing.
    let output = bench.run("convert cvt.rn.f16.f32 x.npy -o y.npy");
    assert!(output.status.success() && output.stderr.is_empty());
    let report = bench.succeeds("quantize nvfp4-modelopt x.npy --report");
    assert!(
        report.contains("SNR                undefined") && !report.contains("nothing was lost"),
        "{report}"
    );
}

/// An array without elements has no errors, neither 0 nor others.
#[test]
fn errors_of_an_empty_array_are_undefined() {
    let bench = Bench::of_any_command();
    write_array(&bench.path("x.npy"), "<f4", &[0, 32], &[]);
    let report = bench.succeeds("quantize mx-rceil/e4m3 x.npy --report");
    for row in [
        "mean square error  undefined",
        "largest error      undefined",
        "SNR                undefined: no elements",
        "exact blocks       undefined: no blocks",
    ] {
        assert!(report.contains(row), "{report}");
    }
    let json = bench.succeeds("quantize mx-rceil/e4m3 x.npy --report --json");
    for field in ["mean_square_error", "largest_error", "snr_db", "exact_blocks"] {
        assert!(json.contains(&format!("\"{field}\": null")), "{json}");
    }
    let stats = bench.succeeds("convert f32->e4m3 x.npy -o y.npy --stats");
    assert_eq!(stats.matches("undefined").count(), 3, "{stats}");
}

/// A block with NaN or infinity has no errors, so it is not exact either.
#[test]
fn exact_blocks_are_finite() {
    let bench = Bench::of_any_command();
    let numbers = |special: usize| -> Vec<u8> {
        (0..64).flat_map(|i| if i < special { f32::NAN } else { 1.0 }.to_le_bytes()).collect()
    };
    for (special, row) in [
        (0, "exact blocks       2 (100.000 %) of 2"),
        (1, "exact blocks       1 (50.000 %) of 2"),
        (64, "exact blocks       undefined: no block has only finite numbers"),
    ] {
        write_array(&bench.path("x.npy"), "<f4", &[2, 32], &numbers(special));
        let report = bench.succeeds("quantize mx-rceil/e4m3 x.npy --report --quiet");
        assert!(report.contains(row), "{report}");
    }
}

#[test]
fn what_is_wrong_is_named() {
    let bench = Bench::of_any_command();
    let data: Vec<u8> = (0..64).flat_map(|i| (i as f32).to_le_bytes()).collect();
    write_array(&bench.path("x.npy"), "<f4", &[2, 32], &data);
    let view = || TensorView::new(Dtype::F32, vec![2, 32], &data).unwrap();
    let small = TensorView::new(Dtype::F32, vec![1], &data[..4]).unwrap();
    let tensors = [("a", view()), ("a.data", small)];
    safetensors::serialize_to_file(tensors, None, &bench.path("m.safetensors")).unwrap();
    let found = bench.fails("quantize mx-rceil/e4m3 m.safetensors -o out.safetensors");
    assert!(found.contains("out.safetensors: two tensors would have the name `a.data`"), "{found}");
    for command in ["quantize mx-rceil/e4m3 x.npy -o q.safetensors", "convert f32->f16 x.npy -o y.npy"] {
        let found = bench.fails(&format!("{command} --memory 0"));
        assert!(found.contains("expected a size of at least 1 byte"), "{found}");
    }
    // A comparison reads each tensor at once.
    let found = bench.fails("quantize mx-rceil/e4m3 x.npy --compare mx-floor/e4m3 --memory 1KB");
    assert!(found.contains("cannot be used with") && found.contains("--memory"), "{found}");
    let found = bench.fails("quantize gguf-nvfp4 x.npy --swizzle -o q.safetensors");
    assert!(found.contains("the scales of `gguf-nvfp4` cannot be swizzled"), "{found}");
    for (amax, code, why) in [
        ("-3", "", "expected a positive finite number"),
        ("nan", "", "expected a positive finite number"),
        ("0", "", "expected a positive finite number"),
        ("inf", "", "expected a positive finite number"),
        ("1e39", "", "larger than every f32"),
        ("1e999", "", "larger than every f32"),
        ("1e-46", "", "f32 rounds it to 0"),
        ("1e-60", "", "f32 rounds it to 0"),
        ("09", "[CVT021]", "a leading zero makes the number octal"),
        ("0x1ffffffff", "[CVT022]", "does not fit in 32 bits"),
        ("1/3", "[CVT021]", "not a number for `.f32`"),
    ] {
        let found =
            bench.fails(&format!("quantize nvfp4-modelopt x.npy --global-amax {amax} -o q.safetensors"));
        let begin = format!("error{code}: --global-amax: `{amax}`: {why}");
        assert!(found.starts_with(&begin), "{amax}: {found}");
    }
    let found = bench.fails("quantize nvfp4-modelopt x.npy --global-amax 1e-45 -o q.safetensors");
    assert!(found.contains("the global scale of `nvfp4-modelopt` would be 0"), "{found}");
}
