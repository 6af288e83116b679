//! Text that all renderings share: names of functions and operands, and operands in place of placeholders.

use ptxcvt::Form;
use ptxcvt::forms::Operand;

/// The name of a form's function: the opcode with underscores.
///
/// ```
/// let form = "cvt.rn.scaled::n2::ue8m0.bf16x2.e2m1x2".parse().unwrap();
/// assert_eq!(ptxcvt_lower::render::name(form), "cvt_rn_scaled_n2_ue8m0_bf16x2_e2m1x2");
/// ```
pub fn name(form: Form) -> String {
    form.to_string().replace("::", "_").replace('.', "_")
}

/// The name of an operand with underscores instead of hyphens.
pub(super) fn operand_name(operand: &Operand) -> String {
    operand.role.name().replace('-', "_")
}

/// The text with each placeholder `%0`, `%1`… replaced by its name.
pub(crate) fn with_names(text: &str, names: &[String]) -> String {
    let Some((first, rest)) = text.split_once('%') else { return text.to_owned() };
    let mut all = first.to_owned();
    for piece in rest.split('%') {
        let digits = piece.find(|c: char| !c.is_ascii_digit()).unwrap_or(piece.len());
        match piece[..digits].parse::<usize>().ok().and_then(|n| names.get(n)) {
            Some(name) => all += name,
            None => all = all + "%" + &piece[..digits],
        }
        all += &piece[digits..];
    }
    all
}

/// The order of the elements, in words.
pub(super) fn order(form: Form) -> &'static str {
    match (form.lanes(), form.source().lanes()) {
        (1, _) => "",
        (2, 1) => "; a goes to the upper part, b to the lower",
        (4, _) => "; a is the uppermost part, then b, e, f",
        _ => "; upper part to upper part",
    }
}
