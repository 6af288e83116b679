//! Text that all renderings share: operands in place of placeholders, and the order of elements.

use ptxcvt::Form;

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
