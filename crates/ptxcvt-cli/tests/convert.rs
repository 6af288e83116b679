//! `ptxcvt convert`: files of NumPy, safetensors and raw bytes, the old output after a failure, and errors.

mod common;

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{Bench, bytes, files, floats, write_npy};
use ptxcvt::Form;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

/// The reference's results for pairs of floats in memory order: the lower element first.
fn pairs(opcode: &str, data: &[f32]) -> Vec<u64> {
    let form: Form = opcode.parse().unwrap();
    let bits = |x: Option<&f32>| u64::from(x.copied().unwrap_or(0.0).to_bits());
    data.chunks(2).map(|pair| form.eval(&[bits(pair.get(1)), bits(pair.first())]).unwrap()).collect()
}

#[test]
fn npy_keeps_the_shape_and_packs_the_lower_element_first() {
    let bench = Bench::new();
    let data = floats(6 * 35, 1);
    write_npy(&bench.path("x.npy"), &data, &[6, 35]);
    bench.succeeds("cvt.rn.satfinite.e4m3x2.f32 x.npy -o y.npy");
    let file = fs::read(bench.path("y.npy")).unwrap();
    let array = npyz::NpyFile::new(&file[..]).unwrap();
    assert_eq!(array.header().shape(), [6, 35]);
    let expected: Vec<u8> =
        pairs("cvt.rn.satfinite.e4m3x2.f32", &data).iter().flat_map(|d| (*d as u16).to_le_bytes()).collect();
    assert_eq!(array.into_vec::<u8>().unwrap(), expected);
}

#[test]
fn fp4_halves_the_contiguous_axis_and_comes_back() {
    let bench = Bench::new();
    let data = floats(4 * 10, 2);
    write_npy(&bench.path("x.npy"), &data, &[4, 10]);
    bench.succeeds("cvt.rn.satfinite.e2m1x2.f32 x.npy -o y.npy");
    bench.succeeds("cvt.rn.f16x2.e2m1x2 y.npy -o z.npy");
    let packed = fs::read(bench.path("y.npy")).unwrap();
    let packed = npyz::NpyFile::new(&packed[..]).unwrap();
    assert_eq!(packed.header().shape(), [4, 5]);
    let expected: Vec<u8> = pairs("cvt.rn.satfinite.e2m1x2.f32", &data).iter().map(|d| *d as u8).collect();
    assert_eq!(packed.into_vec::<u8>().unwrap(), expected);
    let wide = fs::read(bench.path("z.npy")).unwrap();
    let wide = npyz::NpyFile::new(&wide[..]).unwrap();
    assert_eq!(wide.header().shape(), [4, 10]);
    assert_eq!(wide.header().dtype().descr(), "'<f2'");
}

#[test]
fn an_odd_number_of_elements_is_no_loss() {
    let bench = Bench::new();
    let data = floats(7, 3);
    fs::write(bench.path("x.raw"), bytes(&data)).unwrap();
    bench.succeeds("cvt.rn.satfinite.e5m2x2.f32 x.raw --dtype f32 -o y.raw");
    let registers = pairs("cvt.rn.satfinite.e5m2x2.f32", &data);
    let expected: Vec<u8> = registers.iter().flat_map(|d| (*d as u16).to_le_bytes()).take(7).collect();
    assert_eq!(fs::read(bench.path("y.raw")).unwrap(), expected);
    let message = bench.fails("cvt.rn.satfinite.e2m1x2.f32 x.raw --dtype f32 -o z.raw");
    assert!(message.contains("must be even"), "{message}");
}

#[test]
fn safetensors_keep_metadata_and_other_tensors() {
    let bench = Bench::new();
    let (weights, ids) = (bytes(&floats(6, 4)), [1_u8, 2, 3, 4, 5, 6, 7, 8]);
    let tensors = [
        ("w1", TensorView::new(Dtype::F32, vec![2, 3], &weights).unwrap()),
        ("w2", TensorView::new(Dtype::F32, vec![6], &weights).unwrap()),
        ("ids", TensorView::new(Dtype::I64, vec![1], &ids).unwrap()),
    ];
    let metadata = Some([("format".to_string(), "pt".to_string())].into());
    safetensors::serialize_to_file(tensors, metadata, &bench.path("m.safetensors")).unwrap();

    bench.succeeds("cvt.rn.satfinite.e4m3x2.f32 m.safetensors -o all.safetensors");
    let file = fs::read(bench.path("all.safetensors")).unwrap();
    let all = SafeTensors::deserialize(&file).unwrap();
    assert_eq!(all.tensor("w1").unwrap().dtype(), Dtype::F8_E4M3);
    assert_eq!(all.tensor("w1").unwrap().shape(), [2, 3]);
    assert_eq!(all.tensor("w2").unwrap().dtype(), Dtype::F8_E4M3);
    assert_eq!(all.tensor("ids").unwrap().data(), ids);
    let (_, header) = SafeTensors::read_metadata(&file).unwrap();
    assert_eq!(header.metadata().as_ref().unwrap()["format"], "pt");

    bench.succeeds("cvt.rn.satfinite.e2m1x2.f32 m.safetensors -o one.safetensors --tensor w2");
    let file = fs::read(bench.path("one.safetensors")).unwrap();
    let one = SafeTensors::deserialize(&file).unwrap();
    assert_eq!((one.tensor("w2").unwrap().dtype(), one.tensor("w2").unwrap().shape()), (Dtype::F4, &[6][..]));
    assert_eq!(one.tensor("w1").unwrap().data(), weights);
    let message = bench.fails("cvt.rn.satfinite.e2m1x2.f32 m.safetensors -o no.safetensors --tensor w9");
    assert!(message.contains("no tensor `w9`") && message.contains("w1"), "{message}");
}

#[test]
fn results_do_not_depend_on_threads_or_memory() {
    let bench = Bench::new();
    fs::write(bench.path("x.raw"), bytes(&floats(300_001, 5))).unwrap();
    bench.succeeds("cvt.rs.bf16x2.f32 x.raw --dtype f32 --seed 9 -o a.raw --threads 1");
    bench.succeeds("cvt.rs.bf16x2.f32 x.raw --dtype f32 --seed 9 -o b.raw --threads 5 --memory 300KB");
    bench.succeeds("cvt.rs.bf16x2.f32 x.raw --dtype f32 --seed 10 -o c.raw");
    let read = |name| fs::read(bench.path(name)).unwrap();
    assert_eq!(read("a.raw").len(), 600_002);
    assert!(read("a.raw") == read("b.raw") && read("a.raw") != read("c.raw"));
}

#[test]
fn columns_one_file_an_operand() {
    let bench = Bench::new();
    let words = |values: &[i32]| -> Vec<u8> { values.iter().flat_map(|v| v.to_le_bytes()).collect() };
    fs::write(bench.path("a.raw"), words(&[300, -5, 7])).unwrap();
    fs::write(bench.path("b.raw"), words(&[1, 2, 3])).unwrap();
    fs::write(bench.path("c.raw"), words(&[0x1122, 0, -1])).unwrap();
    bench.succeeds("cvt.pack.sat.u8.s32.b32 a.raw b.raw c.raw --dtype s32 -o d.raw");
    let expected = words(&[0x1122_ff01, 0x0000_0002, -0x0000_f8fd]);
    assert_eq!(fs::read(bench.path("d.raw")).unwrap(), expected);
    let message = bench.fails("cvt.pack.sat.u8.s32.b32 a.raw b.raw --dtype s32 -o e.raw");
    assert!(message.contains("one per operand: a, b, c"), "{message}");
}

#[test]
fn stats_count_what_became_of_the_elements() {
    let bench = Bench::new();
    let data = [1.0, 1e9, f32::NAN, -1e9, 1.01, f32::INFINITY, 0.0];
    fs::write(bench.path("x.raw"), bytes(&data)).unwrap();
    let printed = bench.succeeds("cvt.rn.satfinite.e4m3x2.f32 x.raw --dtype f32 -o y.raw --stats");
    let count = |name: &str| -> u64 {
        let line = printed.lines().find(|l| l.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let counts = ["elements", "exact", "rounded", "nan", "saturated"].map(count);
    assert_eq!(counts, [7, 2, 1, 1, 3]);
}

#[test]
fn stats_and_verbose_print_the_phases() {
    let bench = Bench::new();
    fs::write(bench.path("x.raw"), bytes(&[1.0; 1000])).unwrap();
    let phases = |options: &str| -> Vec<String> {
        let arguments = format!("cvt.rn.bf16.f32 x.raw --dtype f32 -o y.raw {options}");
        let output = bench.command(&arguments).output().unwrap();
        let line = String::from_utf8(output.stderr).unwrap();
        line.split([' ', ',']).filter(|word| word.ends_with("ing")).map(str::to_owned).collect()
    };
    assert_eq!(phases("--stats"), ["reading", "converting", "counting", "writing"]);
    assert_eq!(phases("--verbose"), ["reading", "converting", "writing"]);
    assert!(phases("").is_empty());
}

/// A run of a second or more over an old output, interrupted after it has started to write.
fn caught_in_the_middle(bench: &Bench) -> Child {
    // A sparse file suffices: 4 GiB of zeros are read quickly.
    fs::File::create(bench.path("x.raw")).unwrap().set_len(1 << 32).unwrap();
    fs::write(bench.path("y.raw"), OLD).unwrap();
    let arguments = "cvt.rn.satfinite.e4m3x2.f32 x.raw --dtype f32 -o y.raw --memory 1MB --threads 1";
    let child = bench.command(arguments).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    let has_begun = || {
        let partial =
            files(bench.folder.path()).into_iter().find(|p| p.extension().is_some_and(|e| e == "part"));
        partial.and_then(|p| p.metadata().ok()).is_some_and(|m| m.len() > 0)
    };
    while !has_begun() {
        assert!(started.elapsed() < Duration::from_secs(60), "the run never began to write");
        std::thread::yield_now();
    }
    child
}

const OLD: &str = "what was there";

#[test]
fn a_kill_in_the_middle_leaves_the_old_output() {
    let bench = Bench::new();
    let mut child = caught_in_the_middle(&bench);
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "it was killed before it ended");
    assert_eq!(fs::read_to_string(bench.path("y.raw")).unwrap(), OLD);
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_the_old_output_and_nothing_else() {
    let bench = Bench::new();
    let child = caught_in_the_middle(&bench);
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted"));
    assert_eq!(files(bench.folder.path()).len(), 2, "the temporary file is gone");
    assert_eq!(fs::read_to_string(bench.path("y.raw")).unwrap(), OLD);
}

#[test]
fn errors_name_the_file_and_what_would_be_right() {
    let bench = Bench::new();
    write_npy(&bench.path("x.npy"), &[1.0, 2.0], &[2]);
    fs::write(bench.path("bad.npy"), b"\x93NUMPY\x01\x00\xff\xff{'descr'").unwrap();
    fs::write(bench.path("bad.safetensors"), [255_u8; 40]).unwrap();
    fs::write(bench.path("x.raw"), [0_u8; 7]).unwrap();
    fs::write(bench.path("empty.npy"), b"").unwrap();
    for (arguments, needed) in [
        ("cvt.rn.satfinite.e4m3x2.f32 none.npy -o y.npy", "none.npy"),
        ("cvt.rn.satfinite.e4m3x2.f32 bad.npy -o y.npy", "bad.npy"),
        ("cvt.rn.satfinite.e4m3x2.f32 empty.npy -o y.npy", "empty.npy"),
        ("cvt.rn.satfinite.e4m3x2.f32 bad.safetensors -o y.npy", "bad.safetensors"),
        ("cvt.rn.satfinite.e4m3x2.f16x2 x.npy -o y.npy", "f16 is stored as <f2"),
        ("cvt.rn.satfinite.e4m3x2.f32 x.raw -o y.raw", "--dtype f32"),
        ("cvt.rn.satfinite.e4m3x2.f32 x.raw --dtype f32 -o y.raw", "not a whole number"),
        ("cvt.rn.satfinite.e4m3x2.f32 x.npy -o nowhere/y.npy", "nowhere"),
        ("cvt.rn.satfinite.e4m3x2.f32 x.npy x.npy x.npy -o y.npy", "one per operand: a, b"),
        ("cvt.rs.bf16x2.f32 x.npy -o y.npy", "--seed"),
        ("cvt.rn.bf16x2.f32 x.npy --seed 1 -o y.npy", "uses no random bits"),
        ("cvt.rn.f8.f32 x.npy -o y.npy", "no such modifier"),
    ] {
        let message = bench.fails(arguments);
        assert!(message.starts_with("error") && message.contains(needed), "{arguments}: {message}");
    }
}
