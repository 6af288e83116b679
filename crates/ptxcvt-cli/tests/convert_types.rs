//! How `ptxcvt convert` interprets the bytes of an array: types, orders, names, FP4 in bytes, chains.

mod common;

use std::fs;

use common::{Bench, bytes, floats, write_npy};
use ptxcvt::Form;
use ptxcvt_files::npy_header;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

/// A `.npy` file with this header and data.
fn npy(descr: &str, fortran: bool, shape: &[u64], data: &[u8]) -> Vec<u8> {
    [&npy_header(&format!("'{descr}'"), fortran, shape)[..], data].concat()
}

/// The data of a `.npy` file, and its header as text.
fn parts(file: &[u8]) -> (String, Vec<u8>) {
    let length = 10 + usize::from(u16::from_le_bytes([file[8], file[9]]));
    (String::from_utf8_lossy(&file[10..length]).into_owned(), file[length..].to_vec())
}

#[test]
fn arrays_in_different_orders_are_paired_by_index() {
    let bench = Bench::new();
    let (a, b) = ([1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0], [10.0_f32, 40.0, 20.0, 50.0, 30.0, 60.0]);
    fs::write(bench.path("a.npy"), npy("<f4", false, &[2, 3], &bytes(&a))).unwrap();
    // The columns of [[10, 20, 30], [40, 50, 60]].
    fs::write(bench.path("b.npy"), npy("<f4", true, &[2, 3], &bytes(&b))).unwrap();
    bench.succeeds("cvt.rn.bf16x2.f32 a.npy b.npy -o y.npy");
    let (header, data) = parts(&fs::read(bench.path("y.npy")).unwrap());
    assert!(header.contains("'fortran_order': False"), "{header}");
    let form: Form = "cvt.rn.bf16x2.f32".parse().unwrap();
    let expected: Vec<u8> = (1..=6_u8)
        .map(|i| [f32::from(i), f32::from(i) * 10.0].map(|x| u64::from(x.to_bits())))
        .flat_map(|pair| (form.eval(&pair).unwrap() as u32).to_le_bytes())
        .collect();
    assert_eq!(data, expected);
    // If both have the same order, nothing is rearranged.
    bench.succeeds("cvt.rn.bf16x2.f32 b.npy b.npy -o z.npy");
    assert!(parts(&fs::read(bench.path("z.npy")).unwrap()).0.contains("'fortran_order': True"));
    fs::write(bench.path("c.npy"), npy("<f4", false, &[3, 2], &bytes(&a))).unwrap();
    let message = bench.fails("cvt.rn.bf16x2.f32 a.npy c.npy -o y.npy");
    assert!(message.contains("c.npy: has shape [3, 2], a.npy has [2, 3]"), "{message}");
}

#[test]
fn other_types_are_taken_only_when_asked() {
    let bench = Bench::new();
    let data = bytes(&floats(4, 1));
    for descr in ["<i4", "<u4", "|V4"] {
        fs::write(bench.path("x.npy"), npy(descr, false, &[4], &data)).unwrap();
        let message = bench.fails("cvt.rn.bf16x2.f32 x.npy -o y.npy");
        assert!(message.contains(&format!("x.npy: holds {descr}, not f32")), "{message}");
        assert!(message.contains("--reinterpret reads its bits as f32"), "{message}");
        bench.succeeds("cvt.rn.bf16x2.f32 x.npy -o y.npy --reinterpret");
        assert_eq!(fs::read(bench.path("y.npy")).unwrap().len(), 128 + 8);
        fs::remove_file(bench.path("y.npy")).unwrap();
    }
    // Types that NumPy lacks are opaque or unsigned.
    for descr in ["<u2", "<V2", "|V2"] {
        fs::write(bench.path("x.npy"), npy(descr, false, &[4], &data[..8])).unwrap();
        bench.succeeds("cvt.f32.bf16 x.npy -o z.npy");
    }
    let message = bench.fails("cvt.f32.bf16 x.npy -o y.npy --dtype bf16");
    assert!(
        message.contains("x.npy: its header declares its contents (|V2); --dtype is for raw files"),
        "{message}"
    );
    let tensors = [("w", TensorView::new(Dtype::I32, vec![4], &data).unwrap())];
    safetensors::serialize_to_file(tensors, None, &bench.path("m.safetensors")).unwrap();
    let message = bench.fails("cvt.rn.bf16x2.f32 m.safetensors -o n.safetensors --tensor w");
    assert!(message.contains("tensor `w`: holds I32, not f32"), "{message}");
    bench.succeeds("cvt.rn.bf16x2.f32 m.safetensors -o n.safetensors --tensor w --reinterpret");
}

#[test]
fn big_endian_arrays() {
    let bench = Bench::new();
    let data = floats(5, 2);
    let turned: Vec<u8> = data.iter().flat_map(|x| x.to_be_bytes()).collect();
    fs::write(bench.path("x.npy"), npy(">f4", false, &[5], &turned)).unwrap();
    fs::write(bench.path("x.raw"), &turned).unwrap();
    write_npy(&bench.path("little.npy"), &data, &[5]);
    for arguments in [
        "cvt.rn.f16x2.f32 little.npy -o 0.raw",
        "cvt.rn.f16x2.f32 x.npy -o 1.raw",
        "cvt.rn.f16x2.f32 x.raw --dtype f32 --big-endian -o 2.raw",
    ] {
        bench.succeeds(arguments);
    }
    let read = |name| fs::read(bench.path(name)).unwrap();
    assert_eq!((read("1.raw"), read("2.raw")), (read("0.raw"), read("0.raw")));
}

#[test]
fn tensors_have_random_bits_by_their_names() {
    let bench = Bench::new();
    let data = bytes(&floats(40, 3));
    let write = |file: &str, names: [&str; 2]| {
        let view = || TensorView::new(Dtype::F32, vec![40], &data).unwrap();
        safetensors::serialize_to_file(names.map(|name| (name, view())), None, &bench.path(file)).unwrap();
    };
    write("m.safetensors", ["a", "b"]);
    write("n.safetensors", ["0", "b"]);
    bench.succeeds("cvt.rs.bf16x2.f32 m.safetensors --seed 9 -o m2.safetensors --threads 1");
    bench.succeeds("cvt.rs.bf16x2.f32 n.safetensors --seed 9 -o n2.safetensors --threads 3");
    let tensor = |file: &str, name: &str| {
        let file = fs::read(bench.path(file)).unwrap();
        SafeTensors::deserialize(&file).unwrap().tensor(name).unwrap().data().to_vec()
    };
    assert_ne!(tensor("m2.safetensors", "a"), tensor("m2.safetensors", "b"));
    assert_eq!(tensor("m2.safetensors", "b"), tensor("n2.safetensors", "b"));
}

#[test]
fn a_tensor_may_have_no_name() {
    let bench = Bench::new();
    let data = bytes(&floats(4, 4));
    let view = || TensorView::new(Dtype::F32, vec![4], &data).unwrap();
    safetensors::serialize_to_file([("", view()), ("tensor", view())], None, &bench.path("m.safetensors"))
        .unwrap();
    bench.succeeds("cvt.rn.bf16x2.f32 m.safetensors -o n.safetensors");
    let file = fs::read(bench.path("n.safetensors")).unwrap();
    let mut names: Vec<String> =
        SafeTensors::deserialize(&file).unwrap().names().into_iter().map(Into::into).collect();
    names.sort();
    assert_eq!(names, ["", "tensor"]);
    // Only one of several tensors.
    bench.succeeds("cvt.rn.bf16x2.f32 m.safetensors -o one.NPY --tensor tensor");
    assert_eq!(parts(&fs::read(bench.path("one.NPY")).unwrap()).1.len(), 8);
    bench.succeeds("cvt.rn.bf16x2.f32 m.safetensors -o one.safetensors --tensor tensor --only");
    let file = fs::read(bench.path("one.safetensors")).unwrap();
    assert_eq!(SafeTensors::deserialize(&file).unwrap().names(), ["tensor"]);
    safetensors::serialize_to_file::<&str, TensorView, _>([], None, &bench.path("none.safetensors")).unwrap();
    let message = bench.fails("cvt.rn.bf16x2.f32 none.safetensors -o x.npy --tensor w");
    assert!(message.contains("it holds no tensors"), "{message}");
}

#[test]
fn fp4_in_bytes_is_told_from_fp4_packed() {
    let bench = Bench::new();
    let (codes, packed) = ([1_u8, 2, 3, 15], [0x21_u8, 0xf3]);
    let files: [(&str, Vec<u8>); 4] = [
        ("opaque.npy", npy("|V1", false, &[4], &codes)),
        ("packed.npy", npy("|u1", false, &[2], &packed)),
        ("unknown.npy", npy("|u1", false, &[2], &[1, 2])),
        ("raw.raw", packed.to_vec()),
    ];
    for (name, data) in files {
        fs::write(bench.path(name), data).unwrap();
    }
    let out = |arguments: &str| {
        bench.succeeds(&format!("cvt.rn.f16x2.e2m1x2 {arguments} -o y.npy"));
        let (header, data) = parts(&fs::read(bench.path("y.npy")).unwrap());
        fs::remove_file(bench.path("y.npy")).unwrap();
        (header.contains("(4,"), data)
    };
    // 0.5, 1, 1.5, -6.
    let halves: Vec<u8> = [0x3800_u16, 0x3c00, 0x3e00, 0xc600].iter().flat_map(|x| x.to_le_bytes()).collect();
    for arguments in ["opaque.npy", "packed.npy", "raw.raw --dtype e2m1", "packed.npy --fp4 packed"] {
        assert_eq!(out(arguments).1, halves, "{arguments}");
    }
    assert!(out("opaque.npy").0 && out("packed.npy").0);
    let message = bench.fails("cvt.rn.f16x2.e2m1x2 unknown.npy -o y.npy");
    assert!(
        message.contains("a byte may be one e2m1 element or two") && message.contains("--fp4 packed"),
        "{message}"
    );
    assert_eq!(out("unknown.npy --fp4 bytes").1.len(), 4);
    assert_eq!(out("unknown.npy --fp4 packed").1.len(), 8);
    let message = bench.fails("cvt.rn.f16x2.e2m1x2 packed.npy -o y.npy --fp4 bytes");
    assert!(message.contains("is not a code of 4 bits"), "{message}");
    // And in the output.
    fs::write(bench.path("x.raw"), bytes(&[0.5, 1.0, 1.5, -6.0])).unwrap();
    bench.succeeds("cvt.rn.satfinite.e2m1x2.f32 x.raw --dtype f32 --fp4 bytes -o y.raw");
    assert_eq!(fs::read(bench.path("y.raw")).unwrap(), codes);
    // Packed in U8 tensors, as in checkpoints; only named tensors are converted.
    let view = || TensorView::new(Dtype::U8, vec![1, 2], &packed).unwrap();
    safetensors::serialize_to_file(
        [("blocks", view()), ("scales", view())],
        None,
        &bench.path("m.safetensors"),
    )
    .unwrap();
    bench.succeeds("cvt.rn.f16x2.e2m1x2 m.safetensors -o n.safetensors --tensor blocks");
    let file = fs::read(bench.path("n.safetensors")).unwrap();
    let tensors = SafeTensors::deserialize(&file).unwrap();
    let blocks = tensors.tensor("blocks").unwrap();
    assert_eq!((blocks.dtype(), blocks.shape(), blocks.data()), (Dtype::F16, &[1, 4][..], &halves[..]));
    assert_eq!(tensors.tensor("scales").unwrap().data(), packed);
}

#[test]
fn chains_are_the_same_as_one_after_the_other() {
    let bench = Bench::new();
    fs::write(bench.path("x.raw"), bytes(&floats(70_001, 5))).unwrap();
    bench.succeeds("cvt.rn.satfinite.e4m3x2.f32 x.raw --dtype f32 -o 1.raw");
    bench.succeeds("cvt.rn.f16x2.e4m3x2 1.raw --dtype e4m3 -o 2.raw");
    bench.succeeds("cvt.f32.f16 2.raw --dtype f16 -o 3.raw");
    bench.succeeds("f32->e4m3->f32 x.raw --dtype f32 -o chain.raw --threads 3 --memory 300KB");
    bench.succeeds(
        "cvt.rn.satfinite.e4m3x2.f32 then cvt.rn.f16x2.e4m3x2 then cvt.f32.f16 x.raw --dtype f32 -o then.raw",
    );
    let read = |name| fs::read(bench.path(name)).unwrap();
    assert!(read("chain.raw") == read("3.raw") && read("then.raw") == read("3.raw"));
    let printed = bench.succeeds("f32->e4m3->f32 x.raw --dtype f32 -o chain.raw --stats");
    for name in ["max error", "mean sq.", "SNR dB"] {
        assert!(printed.contains(name), "{printed}");
    }
    // FP4 as an intermediate format, with an odd number of elements.
    bench.succeeds("f32->e2m1->f32 x.raw --dtype f32 -o fp4.raw");
    assert_eq!(read("fp4.raw").len(), read("x.raw").len());
}

/// The errors of a conversion with NaN or infinity in its input are undefined.
#[test]
fn errors_over_nan_and_infinity_are_undefined() {
    let bench = Bench::new();
    for (special, code) in [(f32::NAN, 0), (f32::INFINITY, 0), (448.0, 1)] {
        fs::write(bench.path("x.raw"), bytes(&[1.1, special, 3.0, 4.0])).unwrap();
        let printed = bench.succeeds("f32->e4m3 x.raw --dtype f32 -o y.raw --stats");
        for name in ["max error", "mean sq.", "SNR dB"] {
            let row = printed.lines().find(|line| line.starts_with(name)).unwrap();
            assert_eq!(row.ends_with(" undefined"), code == 0, "{printed}");
        }
    }
}

/// A number that became an infinity has no finite error. Without any error the ratio is infinite, even for 0 to 0.
#[test]
fn errors_of_overflows_are_undefined_and_those_of_zeros_none() {
    let bench = Bench::new();
    for (number, ratio) in [(1e6_f32, "undefined"), (0.0, "inf"), (1.5, "inf")] {
        fs::write(bench.path("x.raw"), bytes(&[number; 4])).unwrap();
        let printed = bench.succeeds("f32->f16 x.raw --dtype f32 -o y.raw --stats");
        let row = printed.lines().find(|line| line.starts_with("SNR dB")).unwrap();
        assert!(row.ends_with(ratio), "{printed}");
    }
}

/// Formats of a byte with NaN or infinity are searched as wider ones are.
#[test]
fn nan_and_infinity_in_bytes_are_reported() {
    let bench = Bench::new();
    for (chain, format, code, found) in [
        ("e5m2->f16->e4m3", "e5m2", 0x7c, "2 infinities"),
        ("e5m2->f16->e4m3", "e5m2", 0xfe, "2 NaN"),
        ("e4m3->f16->e4m3", "e4m3", 0x7f, "2 NaN"),
    ] {
        let mut data = [0x38; 64];
        (data[5], data[60]) = (code, code);
        fs::write(bench.path("x.raw"), data).unwrap();
        let output = bench.run(&format!("{chain} x.raw --dtype {format} -o y.raw"));
        let warning = format!("warning: x.raw: {found} in the input; the first is element 5\n");
        assert_eq!(String::from_utf8_lossy(&output.stderr), warning, "{chain}");
    }
}

/// An element has one index, in C order, whatever the order in memory.
#[test]
fn the_first_nan_has_the_same_index_in_both_orders() {
    let bench = Bench::new();
    let at = |i: usize, j: usize| if (i, j) == (1, 2) || (i, j) == (2, 0) { f32::NAN } else { 1.0 };
    let c: Vec<f32> = (0..64 * 32).map(|n| at(n / 32, n % 32)).collect();
    let fortran: Vec<f32> = (0..64 * 32).map(|n| at(n % 64, n / 64)).collect();
    fs::write(bench.path("c.npy"), npy("<f4", false, &[64, 32], &bytes(&c))).unwrap();
    fs::write(bench.path("f.npy"), npy("<f4", true, &[64, 32], &bytes(&fortran))).unwrap();
    for command in ["convert f32->e4m3 {}.npy -o y.npy", "quantize mx-rceil/e4m3 {}.npy -o y.safetensors"] {
        for name in ["c", "f"] {
            let output = bench.ptxcvt(&command.replace("{}", name)).output().unwrap();
            let warning = format!("warning: {name}.npy: 2 NaN in the input; the first is element 34\n");
            assert_eq!(String::from_utf8_lossy(&output.stderr), warning, "{command}");
        }
    }
}

#[test]
fn odd_rows_are_padded_when_asked() {
    let bench = Bench::new();
    write_npy(&bench.path("x.npy"), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]);
    let message = bench.fails("cvt.rn.satfinite.e2m1x2.f32 x.npy -o y.npy");
    assert!(message.contains("contiguous axis must be even") && message.contains("--pad"), "{message}");
    bench.succeeds("cvt.rn.satfinite.e2m1x2.f32 x.npy -o y.npy --pad");
    let (header, data) = parts(&fs::read(bench.path("y.npy")).unwrap());
    assert!(header.contains("(2, 2)"), "{header}");
    assert_eq!(data, [0x42, 0x05, 0x66, 0x07]);
    fs::write(bench.path("x.raw"), bytes(&[1.0, 2.0, 3.0])).unwrap();
    bench.succeeds("cvt.rn.satfinite.e2m1x2.f32 x.raw --dtype f32 -o y.raw --pad");
    assert_eq!(fs::read(bench.path("y.raw")).unwrap(), [0x42, 0x05]);
}

#[test]
fn a_dry_run_writes_nothing() {
    let bench = Bench::new();
    write_npy(&bench.path("x.npy"), &[1.0, 2.0], &[2]);
    let printed = bench.succeeds("cvt.rn.satfinite.e4m3x2.f32 x.npy -o y.npy --dry-run");
    assert_eq!(printed, "x.npy: cvt.rn.satfinite.e4m3x2.f32: e4m3 [2], 2 B\n");
    assert!(!bench.path("y.npy").exists());
}

#[test]
fn scales_by_value_and_from_npy() {
    let bench = Bench::new();
    fs::write(bench.path("x.raw"), bytes(&[2.0, 4.0])).unwrap();
    let opcode = "cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32 x.raw --dtype f32";
    fs::write(bench.path("s.npy"), npy("|u1", false, &[1], &[0x80])).unwrap();
    for (scale, file) in [("2", "a.raw"), ("0x80", "b.raw"), ("s.npy", "c.raw")] {
        bench.succeeds(&format!("{opcode} --scale {scale} -o {file}"));
        assert_eq!(fs::read(bench.path(file)).unwrap(), [0x38, 0x40], "{scale}");
    }
    let message = bench.fails(&format!("{opcode} --scale 3 -o d.raw"));
    assert!(message.contains("a scale-factor is a power of two"), "{message}");
    fs::write(bench.path("s.raw"), [1, 2, 3]).unwrap();
    let message = bench.fails(&format!("{opcode} --scale s.raw -o d.raw"));
    assert!(message.contains("s.raw: has 3 values, expected 1"), "{message}");
}

/// The time to read a header does not depend on how deep its brackets are nested.
#[test]
fn a_header_of_brackets_is_refused_at_once() {
    let bench = Bench::new();
    for bracket in ["[", "(", "{", "{'descr': ["] {
        let header = bracket.repeat(60);
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.bytes());
        fs::write(bench.path("x.npy"), file).unwrap();
        let begun = std::time::Instant::now();
        let message = bench.fails("cvt.rn.bf16x2.f32 x.npy -o y.npy");
        assert!(begun.elapsed().as_secs() < 20);
        let why = match bracket {
            "{'descr': [" => "its elements are records, not plain numbers",
            _ => {
                "its header is not a dictionary of descr (a type with its byte order, such as '<f4'), fortran_order and shape"
            }
        };
        assert_eq!(message, format!("error: x.npy: not a readable .npy file: {why}\n"));
    }
}

/// As in NumPy, a type without a byte order has that of the machine.
#[test]
fn a_type_of_the_machine_s_byte_order() {
    let bench = Bench::new();
    let data: Vec<u8> = [1.0_f32, -2.5].iter().flat_map(|value| value.to_ne_bytes()).collect();
    let own = if cfg!(target_endian = "big") { ">f4" } else { "<f4" };
    let converted = |descr: &str| {
        fs::write(bench.path("x.npy"), npy(descr, false, &[2], &data)).unwrap();
        bench.succeeds("f32->f16 x.npy -o y.npy");
        fs::read(bench.path("y.npy")).unwrap()
    };
    let expected = converted(own);
    for descr in ["=f4", "f4"] {
        assert_eq!(converted(descr), expected, "{descr}");
    }
    for descr in ["=u1", "u1", "=i1", "i1", "|u1"] {
        fs::write(bench.path("b.npy"), npy(descr, false, &[2], &[1, 2])).unwrap();
        let format = if descr.contains('i') { "s8" } else { "u8" };
        bench.succeeds(&format!("{format}->f32 b.npy -o y.npy"));
    }
    for descr in ["@f4", "==f4", "=<f4", "", "="] {
        fs::write(bench.path("x.npy"), npy(descr, false, &[2], &data)).unwrap();
        let message = bench.fails("f32->f16 x.npy -o y.npy");
        assert!(message.contains("its header is not a dictionary"), "{descr}: {message}");
    }
}

/// Shapes that NumPy refuses, too.
#[test]
fn a_shape_that_overflows_is_refused() {
    let bench = Bench::new();
    let shapes: [&[u64]; 5] =
        [&[1 << 32, 1 << 32], &[u64::MAX], &[0, u64::MAX], &[99_999_999_999; 2], &[1 << 62, 0, 2]];
    for shape in shapes {
        fs::write(bench.path("x.npy"), npy("<f4", false, shape, &[])).unwrap();
        for command in ["cvt.rn.f16.f32 x.npy -o y.npy", "f32->f16 x.npy -o y.npy"] {
            let message = bench.fails(command);
            assert!(message.contains("its shape overflows"), "{shape:?}: {message}");
        }
    }
}

/// The warning names the file of each number.
#[test]
fn nan_in_a_second_input_is_reported_there() {
    let bench = Bench::new();
    let opcode = "cvt.rn.satfinite.e4m3x2.f32";
    let mut values = [1.0; 64];
    write_npy(&bench.path("a.npy"), &values, &[64]);
    (values[7], values[9]) = (f32::NAN, f32::INFINITY);
    write_npy(&bench.path("n.npy"), &values, &[64]);
    for (inputs, expected) in [
        ("a.npy n.npy", "n.npy: 1 NaN and 1 infinity in the input; the first is element 7"),
        ("n.npy a.npy", "n.npy: 1 NaN and 1 infinity in the input; the first is element 7"),
        ("n.npy n.npy", "n.npy: 2 NaN and 2 infinities in the input; the first is element 7"),
    ] {
        let output = bench.run(&format!("{opcode} {inputs} -o q.npy"));
        assert_eq!(String::from_utf8_lossy(&output.stderr), format!("warning: {expected}\n"), "{inputs}");
    }
    fs::copy(bench.path("n.npy"), bench.path("m.npy")).unwrap();
    let output = bench.run(&format!("{opcode} n.npy m.npy -o q.npy"));
    let expected =
        "n.npy and other files: 2 NaN and 2 infinities in the input; the first is element 7 of n.npy";
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("warning: {expected}\n"));
}

/// A header is not read as numbers, whatever the name of its file and the options are.
#[test]
fn headers_are_not_numbers() {
    let bench = Bench::new();
    write_npy(&bench.path("x.npy"), &[1.0; 64], &[64]);
    bench.succeeds("f32->bf16 x.npy -o x.safetensors");
    for (file, format) in [("x.npy", "f32"), ("x.safetensors", "bf16")] {
        for name in ["x.bin", "x.f32", "x"] {
            fs::copy(bench.path(file), bench.path(name)).unwrap();
            let message = bench.fails(&format!("{format}->e4m3 {name} --dtype {format} -o y.raw"));
            assert!(message.contains("its header declares its contents"), "{file} as {name}: {message}");
            bench.succeeds(&format!("{format}->e4m3 {name} -o y.raw"));
        }
    }
    // Random bits with a header are those after it.
    let words: Vec<u8> = (0..32_u32).flat_map(u32::to_le_bytes).collect();
    fs::write(bench.path("r.npy"), npy("<u4", false, &[32], &words)).unwrap();
    fs::copy(bench.path("r.npy"), bench.path("r.bin")).unwrap();
    for name in ["r.npy", "r.bin"] {
        bench.succeeds(&format!("cvt.rs.bf16x2.f32 x.npy --rbits {name} -o {name}.out"));
    }
    assert_eq!(fs::read(bench.path("r.npy.out")).unwrap(), fs::read(bench.path("r.bin.out")).unwrap());
    // Numbers that look like the beginning of one.
    let integers: Vec<u8> = [5_i32, 0, 123, 0].into_iter().flat_map(i32::to_le_bytes).collect();
    fs::write(bench.path("i.bin"), integers).unwrap();
    bench.succeeds("s32->f16 i.bin --dtype s32 -o i.raw");
}
