//! Words return what the form returns for each pair, on every group of targets that have the same instructions.

use std::collections::BTreeMap;
use std::sync::Mutex;

use ptxcvt::inputs::SplitMix64;
use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_exec::{Op, Operand, Reg};
use ptxcvt_lower::word::{Shape, ShapeError, Variant, Word, word, words};
use ptxcvt_lower::{Kind, lowerings};

#[path = "common/words.rs"]
mod common;

use common::{cases, difference, elements, least, sources};

/// Every target from sm_75 with its first and its newest ISA version from 7.0 on, but only one of machines with the
/// same forms and instructions.
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

#[test]
fn words_return_what_the_form_returns() {
    let machines = machines();
    let counts = Mutex::new(BTreeMap::new());
    let wrong = Mutex::new(Vec::new());
    let forms: Vec<(Form, u32)> = Form::all().filter_map(|form| Some((form, least(form)?))).collect();
    ptxcvt_parallel::map(&forms, |(form, least)| {
        let (form, least) = (*form, *least);
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
            let sources = positions.flat_map(|at| sources(shape, &values, at, &mut random));
            let cases = cases(sources, |given| shape.eval(given).unwrap());
            for (word, target) in known.values() {
                *counts.lock().unwrap().entry(word.kind()).or_insert(0) += 1;
                let stride = if word.kind() == Kind::Instruction { 37 } else { 1 };
                if let Some(found) = difference(word, cases.iter().step_by(stride)) {
                    wrong.lock().unwrap().push(format!("{form} ×{elements} on {target}: {found:x?}\n{word}"));
                }
            }
        }
    });
    let (counts, wrong) = (counts.into_inner().unwrap(), wrong.into_inner().unwrap());
    println!("{} machines, {counts:?}", machines.len());
    assert!(wrong.is_empty(), "{} wrong: {}", wrong.len(), wrong[..wrong.len().min(4)].join("\n"));
}

/// True if the word is made of the instruction.
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
        "4 elements cannot fill registers of `cvt.rn.f16x2.e2m1x2`: give a multiple of 8 up to 64"
    );
    assert_eq!(
        error("cvt.rn.satfinite.e4m3x2.f32", 0),
        "0 elements cannot fill registers of `cvt.rn.satfinite.e4m3x2.f32`: give a multiple of 4 up to 64"
    );
    for opcode in ["cvt.rn.f16.f32", "cvt.rs.satfinite.e4m3x4.f32", "cvt.rn.scaled::n2::ue8m0.bf16x2.e2m1x2"]
    {
        assert_eq!(Shape::new(form(opcode), 8), Err(ShapeError::Form(form(opcode))));
    }
}
