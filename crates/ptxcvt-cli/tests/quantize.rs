//! `ptxcvt quantize` and `dequantize` on files: the libraries' bytes, layouts, and the old output after
//! failures.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ptxcvt_blocks::{Global, Matrix, Options, Recipe, quantize, to_swizzled};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use tempfile::TempDir;

#[path = "../../../tests/blocks/vectors.rs"]
mod vectors;

/// A folder for one test, in which `ptxcvt` runs.
struct Bench(TempDir);

impl Bench {
    fn new() -> Self {
        Bench(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, arguments: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
        command.current_dir(self.0.path()).args(arguments.split_whitespace()).output().unwrap()
    }

    fn succeeds(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The message of a run that must fail with status 2 without changing files.
    fn fails(&self, arguments: &str) -> String {
        let before = files(self.0.path());
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(files(self.0.path()) == before, "{arguments}: no file may change");
        String::from_utf8(output.stderr).unwrap()
    }
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn write_npy(path: &Path, dtype: &str, shape: &[u64], bytes: &[u8]) {
    use npyz::WriterBuilder;
    let mut file = Vec::new();
    let dtype = npyz::DType::Plain(dtype.parse().unwrap());
    npyz::WriteOptions::new_header_only()
        .dtype(dtype)
        .shape(shape)
        .writer(&mut file)
        .write_header_only()
        .unwrap();
    file.extend_from_slice(bytes);
    fs::write(path, file).unwrap();
}

fn floats(count: usize, seed: u64) -> Vec<f32> {
    let mut random = ptxcvt::inputs::SplitMix64::new(seed);
    (0..count).map(|_| (random.next_u64() as i32 as f32) / 3e8).collect()
}

fn bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// One vector of each recipe: the bytes that its library returned, and the numbers that dequantising returns.
#[test]
fn the_libraries_bytes_and_back() {
    let bench = Bench::new();
    let mut seen = std::collections::BTreeSet::new();
    for vector in vectors::all() {
        let (name, place) = (&vector.recipe, &vector.place);
        let (rows, columns) = vector.shape;
        let recipe = Recipe::named(name).unwrap();
        let matrix = Matrix::bf16(&vector.input, rows, columns).unwrap();
        let quantized = quantize(&recipe, &matrix, &Options::default()).unwrap();
        // torchao's lines are parts of arrays; the command cannot get their global scale.
        if seen.contains(name) || quantized.global.map(f32::to_bits) != vector.global {
            continue;
        }
        let input: Vec<u8> = vector.input.iter().flat_map(|x| x.to_le_bytes()).collect();
        let shape = [rows as u64, columns as u64];
        write_npy(&bench.path("x.npy"), "<u2", &shape, &input);
        bench.succeeds(&format!("quantize {name} x.npy --dtype bf16 -o y.safetensors"));
        let file = fs::read(bench.path("y.safetensors")).unwrap();
        let file = SafeTensors::deserialize(&file).unwrap();
        let tensor = |name: &str| file.tensor(name).map(|t| t.data().to_vec());
        assert!(tensor("data").unwrap() == vector.data, "{place}");
        if recipe.scale_bytes() > 0 {
            assert!(tensor("scales").unwrap() == vector.scales, "{place}");
        }
        if let Some(bits) = vector.global {
            assert_eq!(tensor("global_scale").unwrap(), bits.to_le_bytes(), "{place}");
        }
        bench.succeeds("dequantize y.safetensors -o z.npy");
        bench.succeeds(&format!("dequantize {name} y.safetensors -o z2.npy"));
        let back = fs::read(bench.path("z.npy")).unwrap();
        assert!(back == fs::read(bench.path("z2.npy")).unwrap(), "{place}");
        let array = npyz::NpyFile::new(&back[..]).unwrap();
        assert_eq!(array.shape(), shape, "{place}");
        let expected = vector.back.map_or_else(
            || ptxcvt_blocks::dequantize_reference(&recipe, &quantized).unwrap(),
            |back| back.into_iter().map(f32::from_bits).collect(),
        );
        assert!(bytes(&array.into_vec::<f32>().unwrap()) == bytes(&expected), "{place}");
        seen.insert(vector.recipe);
    }
    assert!(seen.len() >= 28, "{seen:?}");
}

#[test]
fn types_and_shapes_of_the_tensors() {
    let bench = Bench::new();
    let numbers = floats(3 * 4 * 64, 1);
    write_npy(&bench.path("x.npy"), "<f4", &[3, 4, 64], &bytes(&numbers));
    for (recipe, data, scales) in [
        ("mx-rceil/e4m3", (Dtype::F8_E4M3, vec![3, 4, 64]), (Dtype::F8_E8M0, vec![3, 4, 2])),
        ("mx-rceil/e5m2", (Dtype::F8_E5M2, vec![3, 4, 64]), (Dtype::F8_E8M0, vec![3, 4, 2])),
        ("mx-rceil/e3m2", (Dtype::U8, vec![3, 4, 64]), (Dtype::F8_E8M0, vec![3, 4, 2])),
        ("nvfp4-te-1x16", (Dtype::F4, vec![3, 4, 64]), (Dtype::F8_E4M3, vec![3, 4, 4])),
        ("deepseek-1x128", (Dtype::F8_E4M3, vec![3, 4, 64]), (Dtype::F32, vec![3, 4, 1])),
        // Blocks of several rows: three matrices.
        ("deepseek-128x128", (Dtype::F8_E4M3, vec![3, 4, 64]), (Dtype::F32, vec![3, 1, 1])),
    ] {
        bench.succeeds(&format!("quantize {recipe} x.npy -o y.safetensors --threads 2 --memory 1KB"));
        let file = fs::read(bench.path("y.safetensors")).unwrap();
        let file = SafeTensors::deserialize(&file).unwrap();
        let described = |name: &str| file.tensor(name).map(|t| (t.dtype(), t.shape().to_vec())).unwrap();
        assert_eq!((described("data"), described("scales")), (data, scales), "{recipe}");
        // Every tensor is aligned to its type.
        let start = file.tensors().iter().map(|(_, t)| t.data().as_ptr() as usize).min().unwrap();
        for (name, tensor) in file.tensors() {
            let at = tensor.data().as_ptr() as usize - start;
            assert_eq!(at % tensor.dtype().bitsize().div_ceil(8), 0, "{recipe}: {name}");
        }
        // In pieces or at once, the bytes are the library's.
        let recipe = Recipe::named(recipe).unwrap();
        let (matrices, rows) = if recipe.block().rows == 1 { (1, 12) } else { (3, 4) };
        let whole: Vec<u8> = (0..matrices)
            .flat_map(|m| {
                let part = &numbers[m * rows * 64..(m + 1) * rows * 64];
                quantize(&recipe, &Matrix::f32(part, rows, 64).unwrap(), &Options::default()).unwrap().data
            })
            .collect();
        assert!(file.tensor("data").unwrap().data() == whole, "{}", recipe.name());
    }
}

#[test]
fn axes_and_swizzle() {
    let bench = Bench::new();
    let numbers = floats(160 * 96, 2);
    write_npy(&bench.path("x.npy"), "<f4", &[160, 96], &bytes(&numbers));
    let recipe = Recipe::named("mx-floor/e4m3").unwrap();
    let matrix = Matrix::f32(&numbers, 160, 96).unwrap();
    let rows = quantize(&recipe, &matrix, &Options::default()).unwrap();
    let columns = quantize(&recipe, &matrix.transposed(), &Options::default()).unwrap();
    bench.succeeds("quantize mx-floor/e4m3 x.npy --axis both -o both.safetensors");
    bench.succeeds("quantize mx-floor/e4m3 x.npy --axis columns -o columns.safetensors");
    bench.succeeds("quantize mx-floor/e4m3 x.npy --swizzle -o swizzled.safetensors");
    let read = |name: &str| fs::read(bench.path(name)).unwrap();
    let file = read("both.safetensors");
    let file = SafeTensors::deserialize(&file).unwrap();
    let data = |name: &str| file.tensor(name).unwrap().data().to_vec();
    assert!(data("data") == rows.data && data("scales") == rows.scales);
    assert!(data("data_columns") == columns.data && data("scales_columns") == columns.scales);
    assert_eq!(file.tensor("data_columns").unwrap().shape(), [96, 160]);
    let file = read("swizzled.safetensors");
    let file = SafeTensors::deserialize(&file).unwrap();
    assert!(file.tensor("scales").unwrap().data() == to_swizzled(&rows.scales, 160, 3));
    assert_eq!(file.tensor("scales").unwrap().shape(), [256, 4]);
    // All of them dequantise to the same array.
    for name in ["both", "columns", "swizzled"] {
        bench.succeeds(&format!("dequantize {name}.safetensors -o {name}.npy"));
        let file = read(&format!("{name}.npy"));
        assert_eq!(npyz::NpyFile::new(&file[..]).unwrap().shape(), [160, 96], "{name}");
    }
    assert!(read("both.npy") == read("swizzled.npy"));
    for (recipe, why) in [("gguf-nvfp4", "among the elements"), ("deepseek-1x128", "more than one byte each")]
    {
        let found = bench.fails(&format!("quantize {recipe} x.npy --swizzle -o refused.safetensors"));
        assert!(found.contains(why), "{found}");
    }
}

/// No block crosses from one matrix of an array to the next: each matrix has the bytes that it has by itself.
#[test]
fn matrices_of_more_than_two_axes() {
    let bench = Bench::new();
    let numbers = floats(2 * 64 * 96, 7);
    write_npy(&bench.path("x.npy"), "<f4", &[1, 2, 64, 96], &bytes(&numbers));
    for (name, axis, shape, scales) in [
        ("mx-floor/e4m3", "rows", [1, 2, 64, 96], [1, 2, 64, 3]),
        ("mx-floor/e4m3", "columns", [1, 2, 96, 64], [1, 2, 96, 2]),
        ("deepseek-128x128", "rows", [1, 2, 64, 96], [1, 2, 1, 1]),
        ("nvfp4-te-16x16", "rows", [1, 2, 64, 96], [1, 2, 4, 6]),
        ("nvfp4-te-16x16", "columns", [1, 2, 96, 64], [1, 2, 6, 4]),
    ] {
        let case = format!("{name} --axis {axis}");
        bench.succeeds(&format!("quantize {name} x.npy --axis {axis} -o x.safetensors"));
        let file = fs::read(bench.path("x.safetensors")).unwrap();
        let file = SafeTensors::deserialize(&file).unwrap();
        let recipe = Recipe::named(name).unwrap();
        let amax = numbers.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        let global = if recipe.has_global_scale() { Global::Amax(amax) } else { Global::FromData };
        let options = Options { global, ..Options::default() };
        let (mut data, mut expected) = (Vec::new(), Vec::new());
        for matrix in numbers.chunks(64 * 96) {
            let matrix = Matrix::f32(matrix, 64, 96).unwrap();
            let matrix = if axis == "columns" { matrix.transposed() } else { matrix };
            let quantized = quantize(&recipe, &matrix, &options).unwrap();
            data.extend(quantized.data);
            expected.extend(quantized.scales);
        }
        assert!(file.tensor("data").unwrap().data() == data, "{case}");
        assert!(file.tensor("scales").unwrap().data() == expected, "{case}");
        assert_eq!(file.tensor("data").unwrap().shape(), shape, "{case}");
        assert_eq!(file.tensor("scales").unwrap().shape(), scales, "{case}");
        bench.succeeds("dequantize x.safetensors -o back.npy");
        let back = fs::read(bench.path("back.npy")).unwrap();
        assert_eq!(npyz::NpyFile::new(&back[..]).unwrap().shape(), [1, 2, 64, 96], "{case}");
    }
    write_npy(&bench.path("x.npy"), "<f4", &[2, 24, 64], &bytes(&numbers[..2 * 24 * 64]));
    for arguments in ["nvfp4-te-16x16 x.npy", "mx-floor/e4m3 x.npy --axis columns"] {
        let found = bench.fails(&format!("quantize {arguments} -o refused.safetensors"));
        assert!(found.contains("is not a whole number of blocks"), "{found}");
    }
}

#[test]
fn several_tensors_and_fortran_order() {
    let bench = Bench::new();
    let numbers = floats(64 * 64, 3);
    let raw = bytes(&numbers);
    let view = |dtype, shape: &[usize], length: usize| {
        TensorView::new(dtype, shape.to_vec(), &raw[..length]).unwrap()
    };
    let tensors = [
        ("a.weight", view(Dtype::F32, &[64, 64], 64 * 64 * 4)),
        ("b.weight", view(Dtype::BF16, &[32, 64], 32 * 64 * 2)),
        ("norm", view(Dtype::F32, &[64], 256)),
        ("ids", view(Dtype::I32, &[8, 8], 256)),
    ];
    safetensors::serialize_to_file(tensors, None, &bench.path("m.safetensors")).unwrap();
    bench.succeeds("quantize nvfp4-te-1x16 m.safetensors -o q.safetensors --exclude b.*");
    let file = fs::read(bench.path("q.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&file).unwrap();
    let mut names = file.names();
    names.sort_unstable();
    assert_eq!(
        names,
        ["a.weight.data", "a.weight.global_scale", "a.weight.scales", "b.weight", "ids", "norm"]
    );
    assert!(file.tensor("norm").unwrap().data() == &raw[..256]);
    bench.succeeds("dequantize q.safetensors -o back.safetensors --dtype bf16");
    let file = fs::read(bench.path("back.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&file).unwrap();
    let weight = file.tensor("a.weight").unwrap();
    assert_eq!((weight.dtype(), weight.shape()), (Dtype::BF16, &[64, 64][..]));
    // Fortran order: the same array.
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    let header = format!("{:<117}\n", "{'descr': '<f4', 'fortran_order': True, 'shape': (64, 64), }");
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(
        (0..64)
            .flat_map(|c| (0..64).map(move |r| (r, c)))
            .flat_map(|(r, c)| numbers[r * 64 + c].to_le_bytes()),
    );
    fs::write(bench.path("f.npy"), file).unwrap();
    bench.succeeds("quantize nvfp4-te-1x16 f.npy -o f.safetensors");
    let fortran = fs::read(bench.path("f.safetensors")).unwrap();
    let fortran = SafeTensors::deserialize(&fortran).unwrap();
    let recipe = Recipe::named("nvfp4-te-1x16").unwrap();
    let whole = quantize(&recipe, &Matrix::f32(&numbers, 64, 64).unwrap(), &Options::default()).unwrap();
    assert!(fortran.tensor("data").unwrap().data() == whole.data);
}

#[test]
fn a_given_amax_a_seed_and_a_recipe_of_ones_own() {
    let bench = Bench::new();
    let numbers = floats(4 * 64, 4);
    write_npy(&bench.path("x.npy"), "<f4", &[4, 64], &bytes(&numbers));
    let matrix = Matrix::f32(&numbers, 4, 64).unwrap();
    bench
        .succeeds("quantize nvfp4-te-rs-1x16 x.npy --seed 5 --global-amax 20.5 -o y.safetensors --memory 1B");
    let file = fs::read(bench.path("y.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&file).unwrap();
    let recipe = Recipe::named("nvfp4-te-rs-1x16").unwrap();
    let options = Options { global: Global::Amax(20.5), seed: Some(5), ..Options::default() };
    let whole = quantize(&recipe, &matrix, &options).unwrap();
    assert!(file.tensor("data").unwrap().data() == whole.data);
    assert_eq!(file.tensor("global_scale").unwrap().data(), 20.5_f32.to_le_bytes());
    let own = "name = \"own\"\nelement = \"e5m2\"\nblock = [1, 64]\nscale = \"f32\"\n\
               quantize = [\"s = amax / max\", \"y = x / s\", \"q = cvt.rn.satfinite.elementx2.f32(y)\"]\n\
               dequantize = [\"v = q * s\"]\n";
    fs::write(bench.path("own.toml"), own).unwrap();
    bench.succeeds("quantize own.toml x.npy -o own.safetensors");
    bench.succeeds("dequantize own.safetensors -o own.npy");
    assert!(bench.succeeds("recipes own.toml").contains("s = amax / max"));
}

#[test]
fn the_old_output_stays_where_something_is_wrong() {
    let bench = Bench::new();
    write_npy(&bench.path("x.npy"), "<f4", &[2, 48], &bytes(&floats(96, 5)));
    write_npy(&bench.path("half.npy"), "<u2", &[2, 32], &[0; 128]);
    write_npy(&bench.path("int.npy"), "<i4", &[2, 32], &[0; 256]);
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
    let message = bench.fails("dequantize y.safetensors -o z.npy");
    assert!(message.contains("not a readable .safetensors file"), "{message}");
    let message = bench.fails("dequantize x.npy -o z.npy");
    assert!(message.contains("quantised tensors are read from a .safetensors file"), "{message}");
}

#[test]
fn arrays_of_every_shape_order_and_type() {
    let bench = Bench::new();
    let numbers = floats(64 * 64, 5);
    write_npy(&bench.path("c.npy"), "<f4", &[64, 64], &bytes(&numbers));
    let big: Vec<u8> = numbers.iter().flat_map(|x| x.to_be_bytes()).collect();
    write_npy(&bench.path("big.npy"), ">f4", &[64, 64], &big);
    bench.succeeds("quantize mx-rceil/e4m3 c.npy -o c.safetensors");
    bench.succeeds("quantize mx-rceil/e4m3 big.npy -o big.safetensors");
    assert!(
        fs::read(bench.path("c.safetensors")).unwrap() == fs::read(bench.path("big.safetensors")).unwrap()
    );
    // Shapes are restored, also empty ones.
    for (name, shape) in [("none", &[0, 32][..]), ("flat", &[4, 0]), ("one", &[64]), ("three", &[2, 3, 64])] {
        let count: u64 = shape.iter().product();
        write_npy(&bench.path("x.npy"), "<f4", shape, &bytes(&numbers[..count as usize]));
        bench.succeeds("quantize mx-rceil/e4m3 x.npy -o x.safetensors");
        bench.succeeds("dequantize x.safetensors -o x.back.npy");
        let back = fs::read(bench.path("x.back.npy")).unwrap();
        let header = npyz::NpyFile::new(&back[..]).unwrap();
        assert_eq!(header.shape(), shape, "{name}");
    }
    let message = bench.fails("dequantize c.safetensors -o c.safetensors");
    assert!(message.contains("c.safetensors: is the input; the output would replace it"), "{message}");
    for (dtype, size, shape, message) in [
        ("<f8", 8, &[2, 32][..], "holds <f8, not f32, bf16 or f16\nhelp: round it to f32 first"),
        ("<i4", 4, &[2, 32], "holds <i4, not f32, bf16 or f16"),
        ("<f4", 4, &[], "cannot quantise a single number: expected an array"),
        ("<f4", 4, &[3, 33], "3 rows and 33 columns is not a whole number of blocks of 1x32"),
    ] {
        let count: u64 = shape.iter().product();
        write_npy(&bench.path("y.npy"), dtype, shape, &vec![0; count as usize * size]);
        let found = bench.fails("quantize mx-rceil/e4m3 y.npy -o y.safetensors");
        assert!(found.contains(message), "{dtype} {shape:?}: {found}");
    }
}

const OWN: &str = r#"
name = "own"
element = "e4m3"
block = [1, 32]
scale = "ue8m0"
quantize = [
    "t = amax / max",
    "s = cvt.rp.satfinite.ue8m0x2.f32(t)",
    "r = 1 / s",
    "y = x * r",
    "q = cvt.rn.satfinite.elementx2.f32(y)",
]
dequantize = ["w = q * s", "v = w * 2"]
"#;

/// A file contains the recipe with which it is dequantised: the recipe's own file may change or disappear.
#[test]
fn a_quantised_file_is_read_by_the_lines_in_it() {
    let bench = Bench::new();
    let data: Vec<u8> = (0..64).flat_map(|i| (i as f32).to_le_bytes()).collect();
    write_npy(&bench.path("x.npy"), "<f4", &[2, 32], &data);
    fs::write(bench.path("own.toml"), OWN).unwrap();
    bench.succeeds("quantize own.toml x.npy -o q.safetensors");
    bench.succeeds("dequantize q.safetensors -o first.npy");
    fs::write(bench.path("own.toml"), OWN.replace("w * 2", "w * 4")).unwrap();
    bench.succeeds("dequantize q.safetensors -o edited.npy");
    fs::remove_file(bench.path("own.toml")).unwrap();
    bench.succeeds("dequantize q.safetensors -o gone.npy");
    let read = |name: &str| fs::read(bench.path(name)).unwrap();
    assert!(read("first.npy") == read("edited.npy") && read("first.npy") == read("gone.npy"));
    let file = read("q.safetensors");
    let metadata = SafeTensors::read_metadata(&file).unwrap().1.metadata().clone().unwrap();
    for key in ["metadata", "version", "recipe", "recipe.toml", "recipe.sha256", "axis", "swizzle"] {
        assert!(metadata.contains_key(&format!("ptxcvt.{key}")), "{key}: {metadata:?}");
    }
    assert!(metadata["ptxcvt.recipe.toml"].contains("v = w * 2"));
}

/// `dequantize` refuses metadata that it cannot follow.
#[test]
fn metadata_that_cannot_be_followed_are_refused() {
    let bench = Bench::new();
    let data: Vec<u8> = (0..64).flat_map(|i| (i as f32).to_le_bytes()).collect();
    write_npy(&bench.path("x.npy"), "<f4", &[2, 32], &data);
    bench.succeeds("quantize mx-rceil/e4m3 x.npy -o q.safetensors");
    let file = fs::read(bench.path("q.safetensors")).unwrap();
    let metadata = SafeTensors::read_metadata(&file).unwrap().1.metadata().clone().unwrap();
    let tensors = SafeTensors::deserialize(&file).unwrap();
    let with = |changes: &[(&str, Option<&str>)]| {
        let mut metadata = metadata.clone();
        for (key, value) in changes {
            match value {
                Some(value) => drop(metadata.insert((*key).to_owned(), (*value).to_owned())),
                None => drop(metadata.remove(*key)),
            }
        }
        safetensors::serialize_to_file(tensors.tensors(), Some(metadata), &bench.path("z.safetensors"))
            .unwrap();
    };
    let without_text = [("ptxcvt.recipe.toml", None), ("ptxcvt.recipe.sha256", None)];
    let edited = metadata["ptxcvt.recipe.toml"].replace("q * s", "q * s ");
    for (changes, message) in [
        (&[("ptxcvt.metadata", Some("2"))][..], "`ptxcvt.metadata` to `2`, which is unknown"),
        (&[("ptxcvt.swizzle", Some("64x8"))], "`ptxcvt.swizzle` to `64x8`, which is unknown"),
        (&[("ptxcvt.axis", Some("diagonal"))], "`ptxcvt.axis` to `diagonal`, which is unknown"),
        (&[("ptxcvt.for", Some("unheard-of"))], "`ptxcvt.for` to `unheard-of`, which is unknown"),
        (&[("ptxcvt.recipe.toml", Some(&edited))], "does not have the digest given there"),
        (&[("ptxcvt.recipe.sha256", None)], "does not have the digest given there"),
        (
            &[
                ("ptxcvt.metadata", None),
                ("ptxcvt.recipe", Some("own.toml")),
                without_text[0],
                without_text[1],
            ],
            "made by the recipe in own.toml, and does not hold it",
        ),
        (
            &[
                ("ptxcvt.metadata", None),
                ("ptxcvt.recipe", Some("mx-nothing")),
                without_text[0],
                without_text[1],
            ],
            "no recipe `mx-nothing`",
        ),
        (&without_text, "lack `ptxcvt.recipe.toml`"),
        (&[("ptxcvt.axis", None)], "lack `ptxcvt.axis`"),
        (&[("ptxcvt.swizzle", None)], "lack `ptxcvt.swizzle`"),
        (&[("ptxcvt.input.array", Some("data f32 -1 2"))], "`ptxcvt.input.array` to `data f32 -1 2`"),
        (&[("ptxcvt.input.array", Some("data"))], "`ptxcvt.input.array` to `data`"),
        (
            &[("ptxcvt.input.array", Some("data f32 32 2"))],
            "those of shape [2, 32], and its metadata say [32, 2]",
        ),
    ] {
        with(changes);
        let found = bench.fails("dequantize z.safetensors -o back.npy");
        assert!(found.contains(message), "{found}");
    }
    // As written by an older version.
    with(&[("ptxcvt.metadata", None), without_text[0], without_text[1]]);
    bench.succeeds("dequantize z.safetensors -o back.npy");
}

/// Elements and scales of another type or shape than the recipe's are refused; bytes may hold any format.
#[test]
fn tensors_of_another_recipe_are_refused() {
    let bench = Bench::new();
    let data: Vec<u8> = (0..4096).flat_map(|i| (i as f32).to_le_bytes()).collect();
    write_npy(&bench.path("x.npy"), "<f4", &[64, 64], &data);
    bench.succeeds("quantize mx-rceil/e4m3 x.npy -o q.safetensors");
    let found = bench.fails("dequantize mx-rceil/e5m2 q.safetensors -o back.npy");
    assert!(found.contains("`data` holds F8_E4M3, not the e5m2 of the recipe"), "{found}");
    let file = fs::read(bench.path("q.safetensors")).unwrap();
    let metadata = SafeTensors::read_metadata(&file).unwrap().1.metadata().clone();
    let tensors = SafeTensors::deserialize(&file).unwrap();
    let written = |ty: Dtype, scales: Dtype, shape: &[usize]| {
        let [data, old] = ["data", "scales"].map(|name| tensors.tensor(name).unwrap());
        let data = TensorView::new(ty, vec![64, 64], data.data()).unwrap();
        let scales = TensorView::new(scales, shape.to_vec(), old.data()).unwrap();
        let all = [("data", data), ("scales", scales)];
        safetensors::serialize_to_file(all, metadata.clone(), &bench.path("z.safetensors")).unwrap();
    };
    for (ty, scales, shape, message) in [
        (Dtype::F8_E5M2, Dtype::F8_E8M0, &[64, 2][..], "`data` holds F8_E5M2, not the e4m3 of the recipe"),
        (Dtype::F8_E4M3, Dtype::F8_E4M3, &[64, 2], "`scales` holds F8_E4M3, not the ue8m0 of the recipe"),
        (Dtype::F8_E4M3, Dtype::F8_E8M0, &[2, 64], "the scales have shape [2, 64], not [64, 2]"),
    ] {
        written(ty, scales, shape);
        let found = bench.fails("dequantize z.safetensors -o back.npy");
        assert!(found.contains(message), "{found}");
    }
    for (ty, shape) in [(Dtype::F8_E4M3, &[64, 2][..]), (Dtype::U8, &[128]), (Dtype::I8, &[1, 64, 2])] {
        written(ty, Dtype::U8, shape);
        bench.succeeds("dequantize z.safetensors -o back.npy");
    }
    written(Dtype::U8, Dtype::U8, &[64, 2]);
    bench.succeeds("dequantize mx-rceil/e5m2 z.safetensors -o back.npy");
}

/// In every mode there is one warning, with the count and the first place.
#[test]
fn nan_and_infinity_in_the_input_are_reported() {
    let bench = Bench::new();
    let mut numbers: Vec<f32> = (0..1 << 20).map(|i| i as f32).collect();
    (numbers[700_000], numbers[800_001], numbers[900_000]) = (f32::NAN, f32::INFINITY, f32::NAN);
    let data: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    write_npy(&bench.path("x.npy"), "<f4", &[1024, 1024], &data);
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

#[test]
fn what_is_wrong_is_named() {
    let bench = Bench::new();
    let data: Vec<u8> = (0..64).flat_map(|i| (i as f32).to_le_bytes()).collect();
    write_npy(&bench.path("x.npy"), "<f4", &[2, 32], &data);
    let view = || TensorView::new(Dtype::F32, vec![2, 32], &data).unwrap();
    let small = TensorView::new(Dtype::F32, vec![1], &data[..4]).unwrap();
    let tensors = [("a", view()), ("a.data", small)];
    safetensors::serialize_to_file(tensors, None, &bench.path("m.safetensors")).unwrap();
    let found = bench.fails("quantize mx-rceil/e4m3 m.safetensors -o out.safetensors");
    assert!(found.contains("out.safetensors: two tensors would have the name `a.data`"), "{found}");
    for command in ["quantize mx-rceil/e4m3 x.npy -o q.safetensors", "convert f32->f16 x.npy -o y.npy"] {
        let found = bench.fails(&format!("{command} --memory 0"));
        assert!(found.contains("expected at least 1 byte"), "{found}");
    }
}
