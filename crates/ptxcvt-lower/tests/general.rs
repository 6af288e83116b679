//! Every form on every target from sm_50 on has a lowering that the target accepts and that returns the form's bits. A form
//! that is only announced may have none, if the general lowering does not implement it.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use ptxcvt::{Form, IsaVersion, Modifier, Opcode, Target};
use ptxcvt_exec::prove::{Options, Verdict, prove};
use ptxcvt_exec::{Block, Op};
use ptxcvt_lower::{Kind, LowerError, Lowering, lower, lowerings};

/// The form of an opcode.
fn form(opcode: &str) -> Form {
    opcode.parse().unwrap()
}

/// Every target with its first and its newest ISA version, but only one of machines with the same forms and instructions.
fn machines() -> Vec<(Target, IsaVersion)> {
    let all = Target::all().flat_map(|target| [(target, target.introduced()), (target, target.newest())]);
    let takes = |(target, isa): (Target, IsaVersion)| {
        let forms = Form::all().map(move |form| form.since(target));
        let all = forms.chain(Op::all().map(move |op| op.since(target)));
        all.map(|since| since.is_some_and(|since| since <= isa)).collect::<Vec<bool>>()
    };
    let mut different = BTreeMap::new();
    for machine in all {
        different.entry(takes(machine)).or_insert(machine);
    }
    different.into_values().collect()
}

/// The distinct lowerings of every kind but the instruction itself, each with a machine that it is for.
fn distinct(form: Form, machines: &[(Target, IsaVersion)]) -> Vec<(Lowering, Target, IsaVersion)> {
    let mut found = BTreeMap::new();
    for &(target, isa) in machines {
        let all = match lowerings(form, target, isa) {
            Err(LowerError::Unsupported(_)) if form.is_announced() => continue,
            all => all.unwrap(),
        };
        for lowering in all {
            assert!(lowering.is_legal(target, isa), "{lowering} on {target} at {isa}");
            assert_eq!(
                lowering.kind() == Kind::Instruction,
                form.is_legal(target, isa) && lowering.name() == "instruction"
            );
            found.entry(lowering.to_string()).or_insert((lowering, target, isa));
        }
    }
    found.into_values().collect()
}

#[test]
fn every_form_on_every_target() {
    let (forms, machines): (Vec<Form>, _) = (Form::all().collect(), machines());
    let wrong = Mutex::new(Vec::new());
    let kinds = Mutex::new(BTreeMap::new());
    ptxcvt_parallel::map(&forms, |form| {
        for (lowering, target, isa) in distinct(*form, &machines) {
            *kinds.lock().unwrap().entry(lowering.kind()).or_insert(0) += 1;
            // The instruction's block is the form, as the runner knows it; a few inputs show that the operands are
            // passed on.
            let stride = if lowering.kind() == Kind::Instruction { 199 } else { 1 };
            if let Some(difference) = common::difference(&lowering, 2000, stride) {
                let name = lowering.name();
                wrong.lock().unwrap().push(format!("{form} by {name} on {target} at {isa}: {difference}"));
            }
        }
    });
    println!("{} machines, {:?}", machines.len(), kinds.lock().unwrap());
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    assert!(wrong.is_empty(), "{} wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(40)]);
}

/// The comparison finds wrong bits: the lowering of another rounding, or of the form without a modifier.
#[test]
fn a_wrong_lowering_is_found() {
    let others = [
        ("cvt.rn.satfinite.e4m3x2.f32", "cvt.rz.satfinite.e4m3x2.f32"),
        ("cvt.rn.satfinite.relu.e2m1x2.f32", "cvt.rn.satfinite.e2m1x2.f32"),
        ("cvt.rs.satfinite.e2m1x4.f32", "cvt.rs.satfinite.relu.e2m1x4.f32"),
        ("cvt.rp.satfinite.ue8m0x2.f32", "cvt.rp.ue8m0x2.f32"),
    ];
    let (target, isa) = ("sm_75".parse().unwrap(), IsaVersion::NEWEST);
    for (opcode, other) in others {
        let lowering = lower(form(other), target, isa).unwrap();
        let block = lowering.block();
        let differs = ptxcvt::inputs::operands(&form(opcode), 1000, 1).any(|operands| {
            let operands = &operands[..block.inputs().len()];
            block.eval(operands).unwrap()[0] != form(opcode).eval(operands).unwrap()
        });
        assert!(differs, "{opcode}");
    }
}

#[test]
fn targets_that_cannot_be() {
    let f16 = form("cvt.rn.f16.f32");
    let message = |target: &str, isa: &str| {
        lower(f16, target.parse().unwrap(), isa.parse().unwrap()).unwrap_err().to_string()
    };
    assert_eq!(message("sm_35", "6.0"), "sm_35 is too old: lowerings are written for sm_50 and later");
    assert_eq!(message("sm_80", "6.0"), "PTX ISA 6.0 does not have sm_80, which exists from ISA 7.0 on");
    assert_eq!(
        message("sm_101", "9.0"),
        "PTX ISA 9.0 does not have sm_101, whose name is sm_110 from ISA 9.0 on"
    );
}

/// Names of registers are the block's own: no two declarations of one.
#[test]
fn registers_are_declared_once() {
    for form in Form::all() {
        let lowering = match lower(form, "sm_50".parse().unwrap(), IsaVersion::NEWEST) {
            Err(LowerError::Unsupported(_)) if form.is_announced() => continue,
            lowering => lowering.unwrap(),
        };
        let names: Vec<&str> = lowering.block().registers().iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{form}");
    }
}

/// `prove` compares a byte of the form with the sign-extended 16-bit register of its lowering.
#[test]
fn lowerings_to_signed_bytes_are_proven() {
    let (target, isa) = ("sm_90".parse().unwrap(), "8.6".parse().unwrap());
    let options = Options { samples: 1 << 10, threads: 1, ..Options::default() };
    let mut seen = 0;
    let to_bytes = |form: &Form| form.opcode() == Opcode::Cvt && form.destination().name() == "s8";
    // All 2^32 inputs of 32 bits would take too long here.
    for form in Form::all().filter(|form| to_bytes(form) && form.source().width() != 32) {
        let lowering = lower(form, target, isa).unwrap();
        let answer = prove(&Block::of_form(form), lowering.block(), &options, &|_| {}).unwrap();
        let expected = match form.source().width() {
            64 if !form.source().format().is_integer() || form.has(Modifier::Sat) => Verdict::NotProven,
            _ => Verdict::Proven,
        };
        assert_eq!(answer.verdict(), expected, "{form}: {answer}");
        seen += 1;
    }
    assert!(seen >= 10, "{seen}");
}
