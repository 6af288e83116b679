//! Words with options keep their contracts, and every combination of options either works or is refused.

use std::collections::BTreeSet;

use ptxcvt::inputs::SplitMix64;
use ptxcvt::{Form, Format, IsaVersion, Rounding, Target, Value};
use ptxcvt_lower::word::{Order, Shape, Variant, VariantError, WordError, interleave, since, word, words};

#[path = "common/words.rs"]
mod common;

use common::{Case, cases, difference, elements, least, sources};

/// The element times a factor, rounded once.
fn scaled(shape: Shape, values: &[u64], factor: f64) -> Vec<u64> {
    let [from, to] = [shape.form().source(), shape.form().destination()].map(|ty| ty.format());
    let mut results = vec![0; shape.destinations()];
    for element in 0..shape.elements() {
        let at = element * from.storage();
        let code = values[at as usize / 32] >> (at % 32) & ((1 << from.storage()) - 1);
        let bits = match from.decode(code) {
            Value::Nan { .. } => to.encode(f64::NAN, Rounding::Rn),
            value => to.encode(value.to_f64() * factor, Rounding::Rn),
        };
        let at = element * to.storage();
        results[at as usize / 32] |= bits << (at % 32);
    }
    results
}

/// The plain forms from codes to f16 and bf16 with their least numbers of elements.
fn widening() -> Vec<Shape> {
    let mut shapes = Vec::new();
    for from in ["e2m1x2", "e4m3x2", "e2m3x2", "e3m2x2", "e5m2x2"] {
        for to in ["f16x2", "bf16x2"] {
            let form: Form = format!("cvt.rn.{to}.{from}").parse().unwrap();
            shapes.push(Shape::new(form, least(form).unwrap()).unwrap());
        }
    }
    shapes
}

/// Each result is the element times the factor, for every factor that the contract admits.
#[test]
fn scaled_words_keep_their_contract() {
    let (target, isa) = ("sm_80".parse().unwrap(), IsaVersion::new(7, 0));
    let mut tried = 0;
    for shape in widening() {
        let to = shape.form().destination().format();
        let values = elements(shape.form());
        for scale in Variant::SCALES {
            let variant = Variant { scale: Some(scale), ..Variant::default() };
            let word = word(shape, variant, target, isa).unwrap();
            let mut random = SplitMix64::new(3);
            let mut given = Vec::new();
            for bits in (0..1 << scale.storage()).step_by(if scale.storage() == 16 { 61 } else { 1 }) {
                if Variant::accepts(scale, to, word.power().unwrap(), bits) {
                    let position = (bits % u64::from(shape.elements())) as u32;
                    let some: Vec<u64> =
                        (0..16).map(|n| values[(bits as usize * 16 + n) % values.len()]).collect();
                    for mut words in sources(shape, &some, position, &mut random) {
                        // The upper byte of a factor of eight bits does not matter.
                        let above = if scale.storage() == 8 { random.next_u64() & 0xff00 } else { 0 };
                        words.push(bits | above);
                        given.push(words);
                    }
                }
            }
            assert!(given.len() > 100, "{} {}", shape.form(), scale.name());
            tried += given.len();
            let wanted = |given: &[u64]| {
                let (factor, codes) = given.split_last().unwrap();
                scaled(shape, codes, scale.decode(factor & ((1 << scale.storage()) - 1)).to_f64())
            };
            if let Some(found) = difference(&word, &cases(given, wanted)) {
                panic!("{} times {}: {found:x?}\n{word}", shape.form(), scale.name());
            }
        }
    }
    println!("{tried} scaled words");
}

/// Without the factor, results times 2^power are the elements, for all codes but NaN and infinity.
#[test]
fn words_without_factor_keep_their_contract() {
    for shape in widening() {
        let variant = Variant { skip_factor: true, ..Variant::default() };
        let word = word(shape, variant, "sm_75".parse().unwrap(), IsaVersion::new(7, 0)).unwrap();
        let from = shape.form().source().format();
        let finite = |code: &u64| matches!(from.decode(*code), Value::Finite(_));
        let values: Vec<u64> = elements(shape.form()).into_iter().filter(finite).collect();
        let mut random = SplitMix64::new(4);
        let given = (0..shape.elements()).flat_map(|at| sources(shape, &values, at, &mut random));
        let factor = 2_f64.powi(-word.power().unwrap());
        if let Some(found) = difference(&word, &cases(given, |given| scaled(shape, given, factor))) {
            panic!("{}: {found:x?}\n{word}", shape.form());
        }
    }
}

/// Words for numbers alone are right for all codes but NaN, and shorter where the format has NaN.
#[test]
fn words_of_numbers_keep_their_contract() {
    let (target, isa) = ("sm_80".parse().unwrap(), IsaVersion::new(7, 0));
    for shape in widening() {
        let numbers = word(shape, Variant { numbers: true, ..Variant::default() }, target, isa).unwrap();
        let every = word(shape, Variant::default(), target, isa).unwrap();
        let from = shape.form().source().format();
        let values: Vec<u64> = elements(shape.form())
            .into_iter()
            .filter(|code| !matches!(from.decode(*code), Value::Nan { .. }))
            .collect();
        let mut random = SplitMix64::new(5);
        let given = (0..shape.elements()).flat_map(|at| sources(shape, &values, at, &mut random));
        if let Some(found) = difference(&numbers, &cases(given, |given| shape.eval(given).unwrap())) {
            panic!("{}: {found:x?}\n{numbers}", shape.form());
        }
        let shorter = from == Format::E4m3
            || from == Format::E5m2 && shape.form().destination().format() == Format::F16;
        assert_eq!(numbers.estimate() < every.estimate(), shorter, "{}", shape.form());
    }
}

/// Interleaved words return the results of words in memory order, and are shorter.
#[test]
fn interleaved_words_keep_their_contract() {
    let (target, isa) = ("sm_80".parse().unwrap(), IsaVersion::new(7, 0));
    let mut seen = 0;
    for shape in widening() {
        let variant = Variant { order: Order::Interleaved, ..Variant::default() };
        let Ok(interleaved) = word(shape, variant, target, isa) else {
            assert_eq!(interleave(shape, 0), None, "{}", shape.form());
            continue;
        };
        let every = word(shape, Variant::default(), target, isa).unwrap();
        assert!(interleaved.estimate() < every.estimate(), "{interleaved}{every}");
        let values = elements(shape.form());
        let mut random = SplitMix64::new(6);
        let given = (0..shape.elements()).flat_map(|at| sources(shape, &values, at, &mut random));
        let permuted = |words: &[u64]| -> Vec<u64> {
            words.iter().map(|word| interleave(shape, *word as u32).unwrap().into()).collect()
        };
        let given: Vec<Case> = given.map(|words| (permuted(&words), shape.eval(&words).unwrap())).collect();
        if let Some(found) = difference(&interleaved, &given) {
            panic!("{}: {found:x?}\n{interleaved}", shape.form());
        }
        seen += 1;
    }
    assert_eq!(seen, 7);
}

#[test]
fn variants_that_cannot_be() {
    let (target, isa) = ("sm_80".parse().unwrap(), IsaVersion::new(7, 0));
    let error = |opcode: &str, variant| {
        let form: Form = opcode.parse().unwrap();
        match words(Shape::new(form, 8).unwrap(), variant, target, isa) {
            Err(WordError::Variant(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    let scale = |format| Variant { scale: Some(format), ..Variant::default() };
    assert_eq!(error("cvt.rn.satfinite.e4m3x2.f32", scale(Format::F16)), VariantError::OnlyWiden("--scale"));
    assert_eq!(error("cvt.rn.f16x2.e2m1x2", scale(Format::E5m2)), VariantError::Scale(Format::E5m2));
    let both = Variant { skip_factor: true, ..scale(Format::F16) };
    assert_eq!(error("cvt.rn.f16x2.e2m1x2", both), VariantError::Both("--scale", "--skip-factor"));
    let order = Variant { order: Order::Interleaved, ..Variant::default() };
    assert_eq!(error("cvt.rn.bf16x2.f32", order), VariantError::OnlyWiden("--order interleaved"));
    let form: Form = "cvt.rn.bf16x2.e4m3x2".parse().unwrap();
    assert_eq!(error("cvt.rn.bf16x2.e4m3x2", order), VariantError::Order(form));
}

/// A number below `end`.
fn below(random: &mut SplitMix64, end: usize) -> usize {
    (random.next_u64() % end as u64) as usize
}

/// The sources of a word for these sources in memory order, and the results that its contract promises.
fn promised(
    shape: Shape,
    variant: Variant,
    power: Option<i32>,
    given: &[u64],
    random: &mut SplitMix64,
) -> Option<(Vec<u64>, Vec<u64>)> {
    let mut sources = given.to_vec();
    if variant.order == Order::Interleaved {
        for word in &mut sources {
            *word = interleave(shape, *word as u32)?.into();
        }
    }
    let wanted = match variant.scale {
        Some(format) => {
            let to = shape.form().destination().format();
            let mask = (1 << format.storage()) - 1;
            let factor = std::iter::repeat_with(|| random.next_u64() & mask)
                .take(1000)
                .find(|bits| Variant::accepts(format, to, power.unwrap(), *bits))?;
            sources.push(factor);
            let mut results = scaled(shape, given, format.decode(factor).to_f64());
            relu(shape, &mut results);
            results
        }
        None if variant.skip_factor => scaled(shape, given, 2_f64.powi(-power.unwrap())),
        None => shape.eval(given).unwrap(),
    };
    Some((sources, wanted))
}

/// Negative numbers become 0 if the form has `.relu`.
fn relu(shape: Shape, results: &mut [u64]) {
    let to = shape.form().destination().format();
    if !shape.form().has(ptxcvt::Modifier::Relu) {
        return;
    }
    for word in results {
        for half in [0, 16] {
            if !matches!(to.decode(*word >> half & 0xffff), Value::Nan { .. }) && *word >> half & 0x8000 != 0
            {
                *word &= !(0xffff << half);
            }
        }
    }
}

/// Any form, number of elements, options, target and version: the result is a word that keeps its contract, or a
/// refusal that names its reason.
#[test]
fn every_combination_of_options_works_or_is_refused() {
    let mut random = SplitMix64::new(24);
    let all: Vec<Form> = Form::all().collect();
    let (narrow, wide): (Vec<Form>, Vec<Form>) = all
        .iter()
        .copied()
        .filter(|form| least(*form).is_some())
        .partition(|form| form.source().format().bits() > 8);
    let targets: Vec<Target> = Target::all().filter(|target| target.sm() >= 50).collect();
    let scales = [Format::Ue8m0, Format::E4m3, Format::F16, Format::Bf16, Format::F32, Format::E5m2];
    let (mut worked, mut refused) = (0, BTreeSet::new());
    for n in 0..1500 {
        // Most forms have no words, and most words no options, so these come more often.
        let forms = [&all, &narrow, &wide, &wide, &wide][n % 5];
        let form = forms[below(&mut random, forms.len())];
        let elements_of_form = match below(&mut random, 4) {
            0 => below(&mut random, 70) as u32,
            _ => least(form).unwrap_or(4) * (1 + below(&mut random, 2) as u32),
        };
        let target = targets[below(&mut random, targets.len())];
        let isas = [IsaVersion::new(7, 0), target.introduced(), target.newest(), IsaVersion::new(8, 6)];
        let isa = isas[below(&mut random, isas.len())];
        let variant = Variant {
            scale: (below(&mut random, 3) == 0).then(|| scales[below(&mut random, scales.len())]),
            skip_factor: below(&mut random, 4) == 0,
            order: if below(&mut random, 4) == 0 { Order::Interleaved } else { Order::Memory },
            numbers: below(&mut random, 3) == 0,
        };
        let what = format!("{form} ×{elements_of_form} {variant:?} on {target} at {isa}");
        let shape = match Shape::new(form, elements_of_form) {
            Ok(shape) => shape,
            Err(error) => {
                assert!(error.to_string().contains(&format!("`{form}`")), "{what}: {error}");
                refused.insert("shape");
                continue;
            }
        };
        let made = match word(shape, variant, target, isa) {
            Ok(made) => made,
            Err(error) => {
                let (kind, named) = match &error {
                    WordError::Variant(VariantError::OnlyWiden(option)) => {
                        ("only widening", vec![(*option).to_owned()])
                    }
                    WordError::Variant(VariantError::Both(one, other)) => {
                        ("both", vec![(*one).to_owned(), (*other).to_owned()])
                    }
                    WordError::Variant(VariantError::Scale(format)) => {
                        ("scale", vec![format.name().to_owned()])
                    }
                    WordError::Variant(VariantError::Order(form)) => ("order", vec![form.to_string()]),
                    WordError::Target(target, isa) => {
                        // Options that no machine has are refused for their own reason.
                        let has_it = |target| since(shape, variant, target).is_some();
                        assert!(Target::all().any(has_it), "{what}: no target has it");
                        ("target", vec![target.to_string(), isa.to_string()])
                    }
                    WordError::Lower(_) => ("lowering", vec![target.to_string()]),
                    other => panic!("{what}: {other:?}"),
                };
                let text = error.to_string();
                assert!(named.iter().all(|name| text.contains(name)), "{what}: {text}");
                refused.insert(kind);
                continue;
            }
        };
        assert!(made.is_legal(target, isa), "{what}");
        let from = form.source().format();
        let values: Vec<u64> = elements(form)
            .into_iter()
            .filter(|code| match from.decode(*code) {
                Value::Nan { .. } => !variant.numbers && !variant.skip_factor,
                Value::Finite(_) => true,
                _ => !variant.skip_factor,
            })
            .collect();
        let some: Vec<u64> = (0..40).map(|_| values[below(&mut random, values.len())]).collect();
        let position = below(&mut random, elements_of_form as usize) as u32;
        // The others must also be sources of the contract.
        let drawn = sources(shape, &some, position, &mut random);
        let some: Vec<Case> = drawn
            .iter()
            .filter_map(|given| promised(shape, variant, made.power(), given, &mut random))
            .collect();
        assert!(!some.is_empty(), "{what}");
        if let Some(found) = difference(&made, &some) {
            panic!("{what}: {found:x?}\n{made}");
        }
        worked += 1;
    }
    println!("{worked} words, refused: {refused:?}");
    assert!(worked >= 300, "{worked} words");
    let kinds = ["both", "lowering", "only widening", "order", "scale", "shape", "target"];
    assert_eq!(refused.into_iter().collect::<Vec<_>>(), kinds);
}
