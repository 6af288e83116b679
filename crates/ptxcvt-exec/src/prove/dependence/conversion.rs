//! The bits of a conversion's result.

use ptxcvt::{Form, Opcode as Conversion};

use super::bits::{Known, Register, union};

/// `cvt`: each element of the result depends on the same element of the sources, and on scale and random bits.
pub(super) fn result(form: &Form, sources: &[Register], width: u32) -> Register {
    if let Some(result) = truncated(form, sources, width) {
        return result;
    }
    let elements = form.lanes();
    let packed = form.opcode() == Conversion::CvtPack;
    let data = sources.len() - usize::from(form.source_count() > data_operands(form));
    let extra = union(&sources[data..].concat());
    let storage = if packed { form.destination().width() } else { form.destination().format().storage() };
    let mut result = Vec::new();
    for element in (0..elements).rev() {
        let own = if form.source().lanes() > 1 {
            let part = form.source().format().storage();
            let first = ((elements - 1 - element) * part) as usize;
            union(&sources[0][first..first + part as usize])
        } else {
            let bits = form.source().width() as usize;
            union(&sources[element as usize][..bits.min(sources[element as usize].len())])
        };
        let known = Known::Depends(if packed { own } else { own.or(extra) });
        result.extend(std::iter::repeat_n(known, storage as usize));
    }
    // The bits above the elements are the low bits of c for `cvt.pack`, and the extension of the result for `cvt`.
    if packed {
        let rest = sources.get(2).cloned().unwrap_or_default();
        result.extend(
            rest.into_iter().chain(std::iter::repeat(Known::Constant(false))).take(32 - result.len()),
        );
    }
    let signed =
        form.destination().format().is_signed() && form.destination().format().is_integer() && !packed;
    let fill = match signed {
        true => *result.last().expect("a form has an element"),
        false => Known::Constant(false),
    };
    result.resize(width as usize, fill);
    result
}

/// `cvt` between integers without `.sat` keeps the low bits, extends them according to the source's type, and then
/// according to the destination's type.
fn truncated(form: &Form, sources: &[Register], width: u32) -> Option<Register> {
    let (to, from) = (form.destination(), form.source());
    let wraps = form.opcode() == Conversion::Cvt && !form.has(ptxcvt::Modifier::Sat);
    let whole = |ty: ptxcvt::Type| ty.lanes() == 1 && ty.format().is_integer() && ty.format().storage() >= 8;
    if !wraps || !whole(to) || !whole(from) {
        return None;
    }
    let mut result = sources[0].get(..from.format().storage() as usize)?.to_vec();
    for (ty, width) in [(from, to.format().storage()), (to, width)] {
        let fill = if ty.format().is_signed() { result.last().copied()? } else { Known::Constant(false) };
        result.resize(width as usize, fill);
    }
    Some(result)
}

/// The number of operands that contain elements.
fn data_operands(form: &Form) -> usize {
    let extra = |o: &ptxcvt::forms::Operand| {
        matches!(
            o.role,
            ptxcvt::forms::Role::RandomBits | ptxcvt::forms::Role::ScaleFactor | ptxcvt::forms::Role::Rest
        )
    };
    form.operands().skip(1).filter(|o| !extra(o)).count()
}
