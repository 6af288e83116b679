//! Forms that PTX does not have: a lowering returns the bits of the reference, or there is none. So a new row of the table
//! never gets a wrong sequence.

mod common;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use ptxcvt::{Form, Target, inputs};
use ptxcvt_lower::{Kind, LowerError, lower};

/// About this many inputs of a form's edge lattice are compared.
const EDGES: usize = 300;

/// What is wrong with the lowering for a target; `None` if there is no lowering.
fn fault(form: Form, target: Target) -> Option<Result<(), String>> {
    let lowering = match lower(form, target, target.newest()) {
        Ok(lowering) => lowering,
        Err(LowerError::Unsupported(_)) => return None,
        Err(error) => return Some(Err(error.to_string())),
    };
    assert_ne!(lowering.kind(), Kind::Instruction, "{form} on {target}: made-up forms are on other targets");
    // An odd step, because the operands repeat with a power of two.
    let stride = (inputs::operands(&form, 0, 1).count() / EDGES) | 1;
    let parts = format!("{form} ({:?}) by {} on {target}", form.modifiers(), lowering.name());
    Some(match common::difference(&lowering, 100 * stride, stride) {
        Some(difference) => Err(format!("{parts}: {difference}")),
        None => Ok(()),
    })
}

#[test]
fn made_up_forms_are_lowered_correctly_or_not_at_all() {
    // One in 53, because all of them take minutes.
    let forms: Vec<Form> = Form::made_up().step_by(53).collect();
    let targets = ["sm_50", "sm_90", "sm_120a"].map(|name| name.parse::<Target>().unwrap());
    let (right, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    ptxcvt_parallel::map(&forms, |form| {
        for fault in targets.iter().filter_map(|target| fault(*form, *target)) {
            match fault {
                Ok(()) => _ = right.fetch_add(1, Ordering::Relaxed),
                Err(text) => wrong.lock().unwrap().push(text),
            }
        }
    });
    let (right, wrong) = (right.into_inner(), wrong.into_inner().unwrap());
    println!("{} forms, {right} lowerings are right, {} wrong", forms.len(), wrong.len());
    assert!(wrong.is_empty(), "{:#?}", &wrong[..wrong.len().min(40)]);
    assert!(right > 300, "{right}");
}
