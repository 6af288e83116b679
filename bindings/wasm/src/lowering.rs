//! The sequence of `ptxcvt lower` for a form that a machine lacks, and how far it is proven.

use ptxcvt::Form;
use ptxcvt::targets::Machine;
use ptxcvt_lower::{Kind, lower};
use ptxcvt_report::proof::Proof;
use serde::Serialize;

/// A sequence of instructions that computes a form.
#[derive(Serialize)]
pub struct Lowered {
    target: String,
    isa: String,
    /// The block as `ptxcvt lower` prints it, without the lines of comment.
    text: String,
    /// How many PTX instructions it has.
    instructions: usize,
    /// The name of the variant.
    variant: String,
    /// It was tried on enough inputs to prove it for all.
    proven: bool,
    /// How far it is proven, in words.
    proof: String,
    /// The commands that make it and prove it.
    commands: String,
}

/// The verdicts of `ptxcvt-conformance prove-lowering` on short sequences.
const PROOFS: &str = include_str!("../../../conformance/records/proofs.tsv");

/// The best sequence for every input; `None` without a target, or if there is no sequence.
pub fn of(form: Form, machine: Machine) -> Option<Lowered> {
    let target = machine.target()?;
    let isa = machine.isa().unwrap_or(target.newest());
    let lowering = lower(form, target, isa).ok().filter(|lowering| lowering.kind() != Kind::Instruction)?;
    let proof = Proof::of(&form, lowering.name(), PROOFS);
    let version = machine.isa().map_or(String::new(), |isa| format!(" --isa {isa}"));
    Some(Lowered {
        target: target.to_string(),
        isa: isa.to_string(),
        text: lowering.body().to_owned(),
        instructions: lowering.block().code().len(),
        variant: lowering.name().to_owned(),
        proven: proof.proven,
        proof: proof.text,
        commands: format!(
            "ptxcvt lower {form} --target {target}{version} -o sequence.ptx\nptxcvt prove {form} sequence.ptx"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(opcode: &str, target: &str) -> Option<Lowered> {
        of(opcode.parse().unwrap(), Machine::new(target.parse().ok(), None).unwrap())
    }

    #[test]
    fn sequences_have_their_proofs() {
        assert!(on("cvt.rn.f16.f32", "sm_90").is_none(), "the target has the form");
        let short = on("cvt.rn.bf16.f32", "sm_75").unwrap();
        assert!(short.proven && short.proof.contains("4294967296 inputs"), "{}", short.proof);
        assert_eq!(short.instructions, short.text.matches(';').count() - short.text.matches(".reg").count());
        let sm_75 = Machine::new("sm_75".parse().ok(), None).unwrap();
        let all = Form::all().filter_map(|form| of(form, sm_75));
        let (proven, open): (Vec<_>, Vec<_>) = all.partition(|lowered| lowered.proven);
        assert!(proven.len() > 20 && open.len() > 20, "{} {}", proven.len(), open.len());
    }
}
