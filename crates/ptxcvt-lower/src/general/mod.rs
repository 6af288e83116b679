//! The systematic lowering: computes any form by the stages of the bulk engine, as PTX that every target accepts.
//!
//! The stages:
//!
//! 1. widen the source to f32 (`widen.rs`);
//! 2. flush, scale, round to an integral value (`adjust.rs`);
//! 3. round once to the destination (`narrow.rs`, and `stochastic.rs` for `.rs`);
//! 4. apply `.relu`, `.pzo` and NaN (`finish.rs`);
//! 5. pack the elements into one register (`pack.rs`).
//!
//! An f64 and integers beyond 24 bits do not fit into f32. They are truncated and rounded to odd, so the one rounding
//! that follows sees on which side of its boundaries they were. Formats are known only by the fields of their rows.
//!
//! Each stage returns `None` for what it does not implement, such as a rounding or a modifier with these formats. The
//! form then has no lowering. A test compares made-up forms that have one with the reference.
//!
//! If the machine has an instruction for a part, such as the conversion from f32 to the destination, it is used.

mod adjust;
mod finish;
mod float;
mod narrow;
mod pack;
mod stochastic;
mod widen;
mod writer;

use ptxcvt::formats::{Kind as FormatKind, Parameters, Specials};
use ptxcvt::{Form, IsaVersion, Opcode, Target};

use crate::contract::Contract;
use crate::lowering::Lowering;
use crate::sequence::Kind;
pub(crate) use stochastic::sources as random_bits;
use writer::Writer;

/// The systematic lowering of a form for a machine; `None` if a stage does not implement the form.
///
/// # Errors
///
/// Fails if the text is not a valid block, which the tests exclude.
pub(crate) fn lowering(
    form: Form,
    target: Target,
    isa: IsaVersion,
) -> Result<Option<Lowering>, ptxcvt_exec::read::Error> {
    let body = body(form, target, isa);
    body.map(|body| Lowering::read(form, Kind::General, "general", Contract::EVERY, &body)).transpose()
}

/// The block's text, without the line of constraints; `None` if a stage does not implement the form.
fn body(form: Form, target: Target, isa: IsaVersion) -> Option<String> {
    let mut out = Writer::new(target, isa);
    if form.opcode() == Opcode::CvtPack {
        pack::integers(&mut out, form)?;
        return Some(out.finish());
    }
    if ![form.source(), form.destination()].iter().all(|ty| is_read(ty.format().parameters())) {
        return None;
    }
    let mut elements = widen::elements(&mut out, form)?;
    adjust::elements(&mut out, form, &mut elements)?;
    if !narrow::whole(&mut out, form, &elements) {
        let codes: Option<Vec<finish::Code>> = elements
            .iter()
            .enumerate()
            .map(|(lane, x)| {
                out.lane(form, lane);
                narrow::element(&mut out, form, lane, x)
            })
            .collect();
        pack::codes(&mut out, form, &codes?);
    }
    Some(out.finish())
}

/// True if the stages implement a format with this row. The bits above a narrower code are not cleared before it is
/// decoded nor after it is rounded, which matters for a sign, NaN and infinity.
fn is_read(row: &Parameters) -> bool {
    let fills = row.bits + row.low_padding == row.storage;
    fills || matches!(row.kind, FormatKind::Float { signed: true, specials: Specials::None, .. })
}

#[cfg(test)]
mod tests {
    use ptxcvt::Format;

    use super::*;

    /// Every format of the table is implemented. Other formats are not, if their codes do not fill their storage and
    /// they have a sign elsewhere, NaN or infinity.
    #[test]
    fn formats_that_the_stages_would_misread_have_no_lowering() {
        assert!(Format::ALL.iter().all(|format| is_read(format.parameters())));
        for format in [Format::E4m3, Format::E5m2, Format::Ue5m3, Format::Ue8m0, Format::S2f6] {
            let mut row = *format.parameters();
            row.bits = 7;
            assert!(!is_read(&row), "{format}");
        }
    }
}
