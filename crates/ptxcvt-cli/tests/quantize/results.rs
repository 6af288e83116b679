//! The bytes of the output equal the libraries' bytes, for every layout, shape and type of the input.

use std::fs;

use ptxcvt_blocks::{Global, Matrix, Options, Recipe, quantize, to_swizzled};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use crate::common::{Bench, bytes, finite, write_array};
use crate::vectors;

/// One vector of each recipe: the bytes that its library returned, and the numbers that dequantising returns.
#[test]
fn the_libraries_bytes_and_back() {
    let bench = Bench::of_any_command();
    let mut seen = std::collections::BTreeSet::new();
    for vector in vectors::all() {
        let (name, place) = (&vector.recipe, &vector.place);
        let (rows, columns) = vector.shape;
        let recipe = Recipe::named(name).unwrap();
        let matrix = Matrix::bf16(&vector.input, rows, columns).unwrap();
        let quantized = quantize(&recipe, &matrix, &Options::default()).unwrap();
        // torchao's lines are parts of arrays; the command cannot get their global scale.
        if seen.contains(name) || quantized.global.first().map(|global| global.to_bits()) != vector.global {
            continue;
        }
        let input: Vec<u8> = vector.input.iter().flat_map(|x| x.to_le_bytes()).collect();
        let shape = [rows as u64, columns as u64];
        write_array(&bench.path("x.npy"), "<u2", &shape, &input);
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

/// `quantize` reads raw numbers as `convert` does: in either order of bytes, from a file or a stream.
#[test]
fn raw_inputs_have_either_order_of_bytes() {
    let bench = Bench::of_any_command();
    let numbers = finite(256, 7);
    let turned: Vec<u8> = numbers.iter().flat_map(|x| x.to_be_bytes()).collect();
    fs::write(bench.path("little.raw"), bytes(&numbers)).unwrap();
    fs::write(bench.path("big.raw"), &turned).unwrap();
    let recipe = "quantize mx-rceil/e4m3";
    bench.succeeds(&format!("{recipe} little.raw --dtype f32 -o little.safetensors"));
    bench.succeeds(&format!("{recipe} big.raw --dtype f32 --big-endian -o big.safetensors"));
    let stream = bench
        .command(&format!("{recipe} - --dtype f32 --big-endian -o stream.safetensors"))
        .stdin(fs::File::open(bench.path("big.raw")).unwrap())
        .output()
        .unwrap();
    assert!(stream.status.success(), "{}", String::from_utf8_lossy(&stream.stderr));
    let parts = |name: &str| {
        let file = fs::read(bench.path(name)).unwrap();
        let file = SafeTensors::deserialize(&file).unwrap();
        ["data", "scales"].map(|part| file.tensor(part).unwrap().data().to_vec())
    };
    assert!(parts("little.safetensors") == parts("big.safetensors"));
    assert!(parts("little.safetensors") == parts("stream.safetensors"));
}

#[test]
fn types_and_shapes_of_the_tensors() {
    let bench = Bench::of_any_command();
    let numbers = finite(3 * 4 * 64, 1);
    write_array(&bench.path("x.npy"), "<f4", &[3, 4, 64], &bytes(&numbers));
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
    let bench = Bench::of_any_command();
    let numbers = finite(160 * 96, 2);
    write_array(&bench.path("x.npy"), "<f4", &[160, 96], &bytes(&numbers));
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

/// No block crosses from one matrix of an array to the next: each matrix gets the same bytes as in an array of its own.
#[test]
fn matrices_of_more_than_two_axes() {
    let bench = Bench::of_any_command();
    let numbers = finite(2 * 64 * 96, 7);
    write_array(&bench.path("x.npy"), "<f4", &[1, 2, 64, 96], &bytes(&numbers));
    for (name, axis, shape, scales) in [
        ("mx-floor/e4m3", "rows", [1, 2, 64, 96], [1, 2, 64, 3]),
        ("mx-floor/e4m3", "columns", [1, 2, 96, 64], [1, 2, 96, 2]),
        ("deepseek-128x128", "rows", [1, 2, 64, 96], [1, 2, 1, 1]),
        ("nvfp4-te-16x16", "rows", [1, 2, 64, 96], [1, 2, 4, 6]),
        ("nvfp4-te-16x16", "columns", [1, 2, 96, 64], [1, 2, 6, 4]),
        ("nvfp4-te-row-scaled-1x16", "rows", [1, 2, 64, 96], [1, 2, 64, 6]),
        ("nvfp4-te-row-scaled-1x16", "columns", [1, 2, 96, 64], [1, 2, 96, 4]),
    ] {
        let case = format!("{name} --axis {axis}");
        bench.succeeds(&format!("quantize {name} x.npy --axis {axis} -o x.safetensors"));
        let file = fs::read(bench.path("x.safetensors")).unwrap();
        let file = SafeTensors::deserialize(&file).unwrap();
        let recipe = Recipe::named(name).unwrap();
        let amax = numbers.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        let global = if recipe.has_global_scale() { Global::Amax(amax) } else { Global::FromData };
        let options = Options { global, ..Options::default() };
        let (mut data, mut expected, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for matrix in numbers.chunks(64 * 96) {
            let matrix = Matrix::f32(matrix, 64, 96).unwrap();
            let matrix = if axis == "columns" { matrix.transposed() } else { matrix };
            let quantized = quantize(&recipe, &matrix, &options).unwrap();
            data.extend(quantized.data);
            expected.extend(quantized.scales);
            rows.extend(quantized.global.iter().flat_map(|global| global.to_le_bytes()));
        }
        if recipe.is_row_scaled() {
            let global = file.tensor("global_scale").unwrap();
            assert!(global.data() == rows && global.shape() == &scales[..3], "{case}");
        }
        assert!(file.tensor("data").unwrap().data() == data, "{case}");
        assert!(file.tensor("scales").unwrap().data() == expected, "{case}");
        assert_eq!(file.tensor("data").unwrap().shape(), shape, "{case}");
        assert_eq!(file.tensor("scales").unwrap().shape(), scales, "{case}");
        bench.succeeds("dequantize x.safetensors -o back.npy");
        let back = fs::read(bench.path("back.npy")).unwrap();
        assert_eq!(npyz::NpyFile::new(&back[..]).unwrap().shape(), [1, 2, 64, 96], "{case}");
    }
    write_array(&bench.path("x.npy"), "<f4", &[2, 24, 64], &bytes(&numbers[..2 * 24 * 64]));
    for arguments in ["nvfp4-te-16x16 x.npy", "mx-floor/e4m3 x.npy --axis columns"] {
        let found = bench.fails(&format!("quantize {arguments} -o refused.safetensors"));
        assert!(found.contains("is not a whole number of blocks"), "{found}");
    }
}

#[test]
fn several_tensors_and_fortran_order() {
    let bench = Bench::of_any_command();
    let numbers = finite(64 * 64, 3);
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
    let mut file = ptxcvt_files::npy_header("'<f4'", true, &[64, 64]);
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
    let bench = Bench::of_any_command();
    let numbers = finite(4 * 64, 4);
    write_array(&bench.path("x.npy"), "<f4", &[4, 64], &bytes(&numbers));
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
fn arrays_of_every_shape_order_and_type() {
    let bench = Bench::of_any_command();
    let numbers = finite(64 * 64, 5);
    write_array(&bench.path("c.npy"), "<f4", &[64, 64], &bytes(&numbers));
    let big: Vec<u8> = numbers.iter().flat_map(|x| x.to_be_bytes()).collect();
    write_array(&bench.path("big.npy"), ">f4", &[64, 64], &big);
    bench.succeeds("quantize mx-rceil/e4m3 c.npy -o c.safetensors");
    bench.succeeds("quantize mx-rceil/e4m3 big.npy -o big.safetensors");
    assert!(
        fs::read(bench.path("c.safetensors")).unwrap() == fs::read(bench.path("big.safetensors")).unwrap()
    );
    // Shapes are restored, also empty ones.
    for (name, shape) in [("none", &[0, 32][..]), ("flat", &[4, 0]), ("one", &[64]), ("three", &[2, 3, 64])] {
        let count: u64 = shape.iter().product();
        write_array(&bench.path("x.npy"), "<f4", shape, &bytes(&numbers[..count as usize]));
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
        write_array(&bench.path("y.npy"), dtype, shape, &vec![0; count as usize * size]);
        let found = bench.fails("quantize mx-rceil/e4m3 y.npy -o y.safetensors");
        assert!(found.contains(message), "{dtype} {shape:?}: {found}");
    }
}
