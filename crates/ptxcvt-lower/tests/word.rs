//! Words return what the form returns for each pair, on every group of targets that have the same instructions; variants
//! keep their contracts.

use std::collections::BTreeMap;

use ptxcvt::inputs::{self, SplitMix64};
use ptxcvt::{Form, Format, IsaVersion, Rounding, Target, Value};
use ptxcvt_exec::lanes::{LANES, Program};
use ptxcvt_exec::{Op, Operand, Reg};
use ptxcvt_lower::word::{
    Order, Shape, ShapeError, Variant, VariantError, Word, WordError, interleave, word, words,
};
use ptxcvt_lower::{Kind, lowerings};

/// Every target from sm_75 with its first and its newest ISA version from 7.0 on, but only one of machines with the same
/// forms and instructions.
fn machines() -> Vec<(Target, IsaVersion)> {
    let first = IsaVersion::new(7, 0);
    let all = Target::all()
        .filter(|target| target.sm() >= 75)
        .flat_map(|target| [(target, target.introduced().max(first)), (target, target.newest())]);
    let takes = |(target, isa): (Target, IsaVersion)| {
        let forms = Form::all().map(move |form| form.since(target));
        let all = forms.chain(Op::all().map(move |op| op.since(target)));
        all.map(|since| since.is_some_and(|since| since <= isa)).collect::<Vec<bool>>()
    };
    let mut different = BTreeMap::new();
    for machine in all.filter(|(target, isa)| target.exists_in(*isa)) {
        different.entry(takes(machine)).or_insert(machine);
    }
    different.into_values().collect()
}

/// The smallest number of elements that fill registers.
fn least(form: Form) -> Option<u32> {
    (1..=8).find(|elements| Shape::new(form, *elements).is_ok())
}

/// Values of one element of the form's source: all codes, or the edges and some random ones.
fn elements(form: Form) -> Vec<u64> {
    let format = form.source().format();
    if format.bits() <= 8 {
        return (0..1 << format.storage()).collect();
    }
    let width = format.storage();
    let mask = u64::MAX >> (64 - width);
    let lanes = form.source().lanes();
    let operands = inputs::operands(&form, 500, 1);
    let split = |operands: [u64; 5]| (0..lanes).map(move |lane| operands[0] >> (lane * width) & mask);
    let mut all: Vec<u64> = operands.step_by(if width == 16 { 97 } else { 1 }).flat_map(split).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The sources whose element `position` takes each value in turn; the others are random ones.
fn sources(shape: Shape, values: &[u64], position: u32, random: &mut SplitMix64) -> Vec<Vec<u64>> {
    let width = shape.form().source().format().storage();
    let with = |value: u64, random: &mut SplitMix64| {
        let mut words = vec![0; shape.sources()];
        for element in 0..shape.elements() {
            let any = values[(random.next_u64() % values.len() as u64) as usize];
            let bits = if element == position { value } else { any };
            let at = element * width;
            words[at as usize / 32] |= bits << (at % 32);
        }
        words
    };
    values.iter().map(|value| with(*value, random)).collect()
}

/// The first sources on which the word's results are not the wanted ones.
fn difference(
    word: &Word,
    sources: &[Vec<u64>],
    wanted: impl Fn(&[u64]) -> Vec<u64>,
) -> Option<(Vec<u64>, Vec<u64>, Vec<u64>)> {
    let program = Program::new(word.block());
    let mut runner = program.runner();
    let bytes: Vec<usize> =
        word.block().inputs().iter().map(|port| word.block().width(*port) as usize / 8).collect();
    for chunk in sources.chunks(LANES) {
        for (n, width) in bytes.iter().enumerate() {
            for (column, given) in runner.input(n).chunks_exact_mut(*width).zip(chunk) {
                column.copy_from_slice(&given[n].to_le_bytes()[..*width]);
            }
        }
        runner.run();
        let results: Vec<Vec<u64>> = (0..word.shape().destinations())
            .map(|n| {
                runner
                    .output(n)
                    .chunks_exact(4)
                    .map(|b| u32::from_le_bytes(b.try_into().unwrap()).into())
                    .collect()
            })
            .collect();
        for (lane, given) in chunk.iter().enumerate() {
            let got: Vec<u64> = results.iter().map(|column| column[lane]).collect();
            let wanted = wanted(given);
            if got != wanted {
                return Some((given.clone(), got, wanted));
            }
        }
    }
    None
}

#[test]
fn words_return_what_the_form_returns() {
    let machines = machines();
    let mut counts = BTreeMap::new();
    let mut wrong = Vec::new();
    for form in Form::all() {
        let Some(least) = least(form) else { continue };
        let values = elements(form);
        for elements in [least, 2 * least] {
            let shape = Shape::new(form, elements).unwrap();
            let mut known = BTreeMap::new();
            for &(target, isa) in &machines {
                for word in words(shape, Variant::default(), target, isa).unwrap() {
                    assert_eq!(
                        word.kind() == Kind::Instruction,
                        form.is_legal(target, isa) && known_instruction(&word)
                    );
                    known.entry(word.to_string()).or_insert((word, target));
                }
            }
            assert!(!known.is_empty(), "{form}");
            let mut random = SplitMix64::new(u64::from(elements));
            let positions = if elements == least { 0..elements } else { elements - 1..elements };
            let sources: Vec<_> = positions.flat_map(|at| sources(shape, &values, at, &mut random)).collect();
            for (word, target) in known.values() {
                *counts.entry(word.kind()).or_insert(0) += 1;
                let given: Vec<_> = match word.kind() {
                    Kind::Instruction => sources.iter().step_by(37).cloned().collect(),
                    _ => sources.clone(),
                };
                if let Some(found) = difference(word, &given, |given| shape.eval(given).unwrap()) {
                    wrong.push(format!("{form} ×{elements} on {target}: {found:x?}\n{word}"));
                }
            }
        }
    }
    println!("{} machines, {counts:?}", machines.len());
    assert!(wrong.is_empty(), "{} wrong: {}", wrong.len(), wrong[..wrong.len().min(4)].join("\n"));
}

/// True of a word made of the instruction.
fn known_instruction(word: &Word) -> bool {
    word.body().contains(&format!("{} ", word.shape().form()))
}

/// The matrix that kernels need, from sm_75 with ISA 7.0 on.
#[test]
fn every_needed_word_is_there() {
    let small = ["e2m1x2", "e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2"];
    let mut opcodes = Vec::new();
    for format in small {
        opcodes.extend(["f16x2", "bf16x2"].map(|half| format!("cvt.rn.{half}.{format}")));
        opcodes.extend(["f32", "f16x2", "bf16x2"].map(|from| format!("cvt.rn.satfinite.{format}.{from}")));
    }
    for opcode in opcodes {
        let form: Form = opcode.parse().unwrap();
        let shape = Shape::new(form, if opcode.contains("e2m1") { 8 } else { 4 }).unwrap();
        for (target, isa) in machines() {
            let best = word(shape, Variant::default(), target, isa).unwrap();
            assert_eq!(
                best.kind() == Kind::Instruction,
                form.is_legal(target, isa),
                "{opcode} on {target} at {isa}"
            );
        }
    }
}

/// A compiler may put a result into the register of a source, so no source is read after a result is written.
#[test]
fn sources_are_read_before_results_are_written() {
    for form in Form::all() {
        let Some(least) = least(form) else { continue };
        let shape = Shape::new(form, 2 * least).unwrap();
        for target in ["sm_75", "sm_80", "sm_100a"] {
            for word in words(shape, Variant::default(), target.parse().unwrap(), IsaVersion::NEWEST).unwrap()
            {
                let block = word.block();
                let outputs: Vec<Reg> = block.outputs().iter().map(|port| port.register).collect();
                let inputs: Vec<Reg> = block.inputs().iter().map(|port| port.register).collect();
                let writes = |i: &ptxcvt_exec::Instruction| matches!(i.operands.first(), Some(Operand::Register(r)) if outputs.contains(r));
                let reads = |i: &ptxcvt_exec::Instruction| {
                    i.operands[1..].iter().any(|o| matches!(o, Operand::Register(r) if inputs.contains(r)))
                };
                let first = block.code().iter().position(writes).expect("a result");
                let last = block.code().iter().rposition(reads).expect("a source");
                assert!(last <= first, "{word}");
            }
        }
    }
}

/// Names in the blocks of pairs do not hide those of the word around them.
#[test]
fn names_of_words_are_not_those_of_pairs() {
    for form in Form::all().filter(|form| least(*form).is_some()) {
        for target in ["sm_75", "sm_80"] {
            for pair in lowerings(form, target.parse().unwrap(), IsaVersion::NEWEST).unwrap() {
                assert!(!pair.body().contains("word_"), "{pair}");
            }
        }
    }
}

#[test]
fn shapes_that_cannot_be() {
    let form = |opcode: &str| opcode.parse::<Form>().unwrap();
    let error = |opcode, elements| Shape::new(form(opcode), elements).unwrap_err().to_string();
    assert_eq!(
        error("cvt.rn.f16x2.e2m1x2", 4),
        "4 elements of `cvt.rn.f16x2.e2m1x2` do not fill registers: give a multiple of 8 up to 64"
    );
    assert_eq!(
        error("cvt.rn.satfinite.e4m3x2.f32", 0),
        "0 elements of `cvt.rn.satfinite.e4m3x2.f32` do not fill registers: give a multiple of 4 up to 64"
    );
    for opcode in ["cvt.rn.f16.f32", "cvt.rs.satfinite.e4m3x4.f32", "cvt.rn.scaled::n2::ue8m0.bf16x2.e2m1x2"]
    {
        assert_eq!(Shape::new(form(opcode), 8), Err(ShapeError::Form(form(opcode))));
    }
}

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
            let Ok(word) = word(shape, variant, target, isa) else {
                assert_eq!(shape.form().to_string(), "cvt.rn.bf16x2.e5m2x2");
                continue;
            };
            let mut random = SplitMix64::new(3);
            let mut given = Vec::new();
            for bits in (0..1 << scale.storage()).step_by(if scale.storage() == 16 { 61 } else { 1 }) {
                if Variant::accepts(scale, to, word.power(), bits) {
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
            if let Some(found) = difference(&word, &given, wanted) {
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
        let Ok(word) = word(shape, variant, "sm_75".parse().unwrap(), IsaVersion::new(7, 0)) else {
            assert_eq!(shape.form().to_string(), "cvt.rn.bf16x2.e5m2x2");
            continue;
        };
        let from = shape.form().source().format();
        let finite = |code: &u64| matches!(from.decode(*code), Value::Finite(_));
        let values: Vec<u64> = elements(shape.form()).into_iter().filter(finite).collect();
        let mut random = SplitMix64::new(4);
        let given: Vec<_> =
            (0..shape.elements()).flat_map(|at| sources(shape, &values, at, &mut random)).collect();
        let factor = 2_f64.powi(-word.power());
        if let Some(found) = difference(&word, &given, |given| scaled(shape, given, factor)) {
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
        let given: Vec<_> =
            (0..shape.elements()).flat_map(|at| sources(shape, &values, at, &mut random)).collect();
        if let Some(found) = difference(&numbers, &given, |given| shape.eval(given).unwrap()) {
            panic!("{}: {found:x?}\n{numbers}", shape.form());
        }
        let shorter = from == Format::E4m3
            || from == Format::E5m2 && shape.form().destination().format() == Format::F16;
        assert_eq!(numbers.estimate() < every.estimate(), shorter, "{}", shape.form());
    }
}

/// Interleaved words return what those in memory order do, and are shorter.
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
        let given: Vec<_> =
            (0..shape.elements()).flat_map(|at| sources(shape, &values, at, &mut random)).collect();
        let permuted = |words: &Vec<u64>| -> Vec<u64> {
            words.iter().map(|word| interleave(shape, *word as u32).unwrap().into()).collect()
        };
        let known: BTreeMap<Vec<u64>, Vec<u64>> =
            given.iter().map(|words| (permuted(words), shape.eval(words).unwrap())).collect();
        let given: Vec<Vec<u64>> = known.keys().cloned().collect();
        if let Some(found) = difference(&interleaved, &given, |given| known[given].clone()) {
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
