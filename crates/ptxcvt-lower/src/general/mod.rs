//! The systematic lowering: any form by the stages that the bulk engine has, written as PTX that every target takes.
//!
//! The exact number in the middle is an f32, which holds every source of these forms: widen (`widen.rs`), flush, scale
//! and round to an integral value (`adjust.rs`), round once to the destination (`narrow.rs`, and `stochastic.rs` for
//! `.rs`), then what `.relu`, `.pzo` and NaN ask (`finish.rs`), and the elements into one register (`pack.rs`). An f64
//! and integers beyond 24 bits do not fit; they are cut off to odd, so that the one rounding that follows sees on which
//! side of its boundaries they lay. Formats enter by the fields of their rows alone.
//!
//! Where the machine has an instruction for a part (the conversion to the destination from f32, say), it is used.

mod adjust;
mod finish;
mod narrow;
mod pack;
mod stochastic;
mod widen;
mod writer;

use ptxcvt::forms::Role;
use ptxcvt::{Form, IsaVersion, Opcode, Target};

use crate::contract::Contract;
use crate::lowering::{Kind, Lowering};
use writer::Writer;

/// The systematic lowering of a form for a machine.
///
/// # Errors
///
/// Fails where what is written is no block, which the tests exclude.
pub(crate) fn lowering(
    form: Form,
    target: Target,
    isa: IsaVersion,
) -> Result<Lowering, ptxcvt_exec::read::Error> {
    Lowering::read(form, Kind::General, "general", Contract::EVERY, &body(form, target, isa))
}

/// The block's text, without the line of constraints.
fn body(form: Form, target: Target, isa: IsaVersion) -> String {
    let mut out = Writer::new(target, isa);
    if form.opcode() == Opcode::CvtPack {
        pack::integers(&mut out, form);
        return out.finish();
    }
    let mut elements = widen::elements(&mut out, form);
    adjust::elements(&mut out, form, &mut elements);
    if !narrow::whole(&mut out, form, &elements) {
        let codes: Vec<finish::Code> = elements
            .iter()
            .enumerate()
            .map(|(lane, x)| {
                out.lane(form, lane);
                narrow::element(&mut out, form, lane, x)
            })
            .collect();
        pack::codes(&mut out, form, &codes);
    }
    out.finish()
}

/// The placeholder of an operand.
fn placeholder(form: Form, role: Role) -> String {
    let at = form.operands().position(|operand| operand.role == role);
    format!("%{}", at.unwrap_or(0))
}
