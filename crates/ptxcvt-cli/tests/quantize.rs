//! `ptxcvt quantize` and `dequantize` on files: the libraries' bytes, layouts, and what must not happen to old output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ptxcvt_blocks::{Global, Input, Matrix, Options, Recipe, quantize, to_swizzled};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use tempfile::TempDir;

const VECTORS: &str = include_str!("../../../tests/blocks/recipes.tsv");

/// A folder for one test, and `ptxcvt` run in it.
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

    /// The message of a run that must fail with status 2 and change no file.
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

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}

fn floats(count: usize, seed: u64) -> Vec<f32> {
    let mut random = ptxcvt::inputs::SplitMix64::new(seed);
    (0..count).map(|_| (random.next_u64() as i32 as f32) / 3e8).collect()
}

fn bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

#[test]
fn the_libraries_bytes_and_back() {
    let bench = Bench::new();
    let mut seen = std::collections::BTreeSet::new();
    for line in VECTORS.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let (name, shape) = fields[0].split_once(' ').unwrap();
        // torchao's lines are parts of arrays whose global scale the command does not take.
        if name == "nvfp4-torchao" || !seen.insert(name) {
            continue;
        }
        let (rows, columns) = shape.split_once('x').unwrap();
        let input: Vec<u8> =
            fields[1].split(' ').flat_map(|x| u16::from_str_radix(x, 16).unwrap().to_le_bytes()).collect();
        let shape = [rows.parse().unwrap(), columns.parse().unwrap()];
        write_npy(&bench.path("x.npy"), "<u2", &shape, &input);
        bench.succeeds(&format!("quantize {name} x.npy --dtype bf16 -o y.safetensors"));
        let file = fs::read(bench.path("y.safetensors")).unwrap();
        let file = SafeTensors::deserialize(&file).unwrap();
        let tensor = |name: &str| file.tensor(name).map(|t| t.data().to_vec());
        assert!(tensor("data").unwrap() == hex(fields[3]), "{name}");
        if name != "gguf-mxfp4" {
            assert!(tensor("scales").unwrap() == hex(fields[2]), "{name}");
        }
        if let Some(word) = fields.get(4) {
            let mut word = hex(word);
            word.reverse();
            assert_eq!(tensor("global_scale").unwrap(), word, "{name}");
        }
        bench.succeeds("dequantize y.safetensors -o z.npy");
        bench.succeeds(&format!("dequantize {name} y.safetensors -o z2.npy"));
        let back = fs::read(bench.path("z.npy")).unwrap();
        assert!(back == fs::read(bench.path("z2.npy")).unwrap());
        let array = npyz::NpyFile::new(&back[..]).unwrap();
        assert_eq!(array.shape(), shape, "{name}");
        let recipe = Recipe::named(name).unwrap();
        let matrix = Matrix::bytes(Input::Bf16, &input, shape[0] as usize, shape[1] as usize).unwrap();
        let quantized = quantize(&recipe, &matrix, &Options::default()).unwrap();
        let expected = ptxcvt_blocks::dequantize_reference(&recipe, &quantized).unwrap();
        assert!(bytes(&array.into_vec::<f32>().unwrap()) == bytes(&expected), "{name}");
    }
    assert_eq!(seen.len(), 27);
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
        // Every tensor begins where its type may.
        let start = file.tensors().iter().map(|(_, t)| t.data().as_ptr() as usize).min().unwrap();
        for (name, tensor) in file.tensors() {
            let at = tensor.data().as_ptr() as usize - start;
            assert_eq!(at % tensor.dtype().bitsize().div_ceil(8), 0, "{recipe}: {name}");
        }
        // In pieces or at once: the library's bytes.
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
    // All of them go back to the same array.
    for name in ["both", "columns", "swizzled"] {
        bench.succeeds(&format!("dequantize {name}.safetensors -o {name}.npy"));
        let file = read(&format!("{name}.npy"));
        assert_eq!(npyz::NpyFile::new(&file[..]).unwrap().shape(), [160, 96], "{name}");
    }
    assert!(read("both.npy") == read("swizzled.npy"));
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
    assert!(message.contains("2 rows of 48 columns are no whole number of blocks of 1x32"), "{message}");
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
    // Shapes come back, nothing among them.
    for (name, shape) in [("none", &[0, 32][..]), ("flat", &[4, 0]), ("one", &[64]), ("three", &[2, 3, 64])] {
        let count: u64 = shape.iter().product();
        write_npy(&bench.path("x.npy"), "<f4", shape, &bytes(&numbers[..count as usize]));
        bench.succeeds("quantize mx-rceil/e4m3 x.npy -o x.safetensors");
        bench.succeeds("dequantize x.safetensors -o x.back.npy");
        let back = fs::read(bench.path("x.back.npy")).unwrap();
        let header = npyz::NpyFile::new(&back[..]).unwrap();
        assert_eq!(header.shape(), shape, "{name}");
    }
    // A file that becomes its own output: read as a whole before it is replaced.
    fs::copy(bench.path("c.safetensors"), bench.path("same.safetensors")).unwrap();
    bench.succeeds("dequantize same.safetensors -o same.safetensors");
    bench.succeeds("dequantize c.safetensors -o other.safetensors");
    assert!(
        fs::read(bench.path("same.safetensors")).unwrap()
            == fs::read(bench.path("other.safetensors")).unwrap()
    );
    for (dtype, size, shape, message) in [
        ("<f8", 8, &[2, 32][..], "holds <f8, not f32, bf16 or f16\nhelp: round it to f32 first"),
        ("<i4", 4, &[2, 32], "holds <i4, not f32, bf16 or f16"),
        ("<f4", 4, &[], "a single number cannot be quantised in blocks"),
        ("<f4", 4, &[3, 33], "3 rows of 33 columns are no whole number of blocks of 1x32"),
    ] {
        let count: u64 = shape.iter().product();
        write_npy(&bench.path("y.npy"), dtype, shape, &vec![0; count as usize * size]);
        let found = bench.fails("quantize mx-rceil/e4m3 y.npy -o y.safetensors");
        assert!(found.contains(message), "{dtype} {shape:?}: {found}");
    }
}
