//! What the libraries themselves returned (`tests/blocks/recipes.tsv` at the root) comes out byte for byte.

use ptxcvt_blocks::{Global, Matrix, Options, Recipe, quantize, quantize_reference};

const VECTORS: &str = include_str!("../../../tests/blocks/recipes.tsv");

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
}

#[test]
fn every_result_of_the_libraries() {
    let mut failures = Vec::new();
    let mut globals = std::collections::BTreeMap::new();
    let mut seen = std::collections::BTreeMap::new();
    for (number, line) in VECTORS.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let mut fields = line.split('\t');
        let mut field = || fields.next().unwrap_or("");
        let (kind, input, scales, data, global) = (field(), field(), field(), field(), field());
        let (name, shape) = kind.split_once(' ').unwrap();
        let (rows, columns) = shape.split_once('x').unwrap();
        let (rows, columns) = (rows.parse().unwrap(), columns.parse().unwrap());
        let recipe = Recipe::named(name).unwrap_or_else(|e| panic!("{e}"));
        let input: Vec<u16> = input.split(' ').map(|x| u16::from_str_radix(x, 16).unwrap()).collect();
        let matrix = Matrix::bf16(&input, rows, columns).unwrap();
        let word = (!global.is_empty()).then(|| f32::from_bits(u32::from_str_radix(global, 16).unwrap()));
        let options = Options { global: word.map_or(Global::FromData, Global::Scale), ..Options::default() };
        let quantized = quantize_reference(&recipe, &matrix, &options).unwrap();
        let fast = quantize(&recipe, &matrix, &options).unwrap();
        assert!(fast == quantized, "line {}: {kind}: the rails differ", number + 1);
        // Where nothing is given, the global scale is taken from the data. Eight lines of torchao's are one
        // array, so the largest of theirs is the one.
        if let Some(word) = word {
            let alone = quantize(&recipe, &matrix, &Options::default()).unwrap().global.unwrap();
            let most = globals.entry((recipe.name().to_owned(), word.to_bits())).or_insert(0.0_f32);
            *most = most.max(alone);
        }
        let wanted = if recipe.scale_bytes() == 0 { Vec::new() } else { bytes(scales) };
        *seen.entry(kind).or_insert(0) += 1;
        if quantized.scales != wanted {
            let at = quantized.scales.iter().zip(&wanted).position(|(a, b)| a != b);
            failures.push(format!("line {}: {kind}: scale byte {at:?}", number + 1));
        } else if quantized.data != bytes(data) {
            let wanted = bytes(data);
            let at = quantized.data.iter().zip(&wanted).position(|(a, b)| a != b);
            failures.push(format!(
                "line {}: {kind}: element byte {at:?}: {:?} {:?}",
                number + 1,
                at.map(|i| quantized.data[i]),
                at.map(|i| wanted[i])
            ));
        }
    }
    for ((name, word), most) in globals {
        if most.to_bits() != word {
            failures.push(format!("{name}: global scale {:#x}, not {word:#x}", most.to_bits()));
        }
    }
    assert_eq!(seen.len(), 28, "{seen:?}");
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        seen.values().sum::<i32>(),
        failures[..failures.len().min(60)].join("\n")
    );
}
