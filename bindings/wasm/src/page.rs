//! What the page's first file calls: every view but that of PTX.

use ptxcvt::IsaVersion;
use ptxcvt_report::forms::Filter;
use ptxcvt_report::step::{self, Step};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::{blocks, json, operand, reply};

/// Returns targets, versions, formats, recipes and the pages of the error codes, for the menus.
#[wasm_bindgen]
pub fn tables() -> String {
    json(&crate::tables::Tables::new())
}

/// Returns every form with the first version of each target that accepts it.
#[wasm_bindgen]
pub fn legality() -> String {
    json(&crate::tables::Legality::new())
}

/// Returns for each form of `legality`, in its order, 1 if it is legal on a target at a version, which may be empty, and 0
/// if not; nothing if the target or the version does not exist.
#[wasm_bindgen]
pub fn legal(target: &str, isa: &str) -> Vec<u8> {
    let Ok(machine) = operand::machine(target, isa) else { return Vec::new() };
    let filter = Filter { machine, ..Filter::default() };
    crate::tables::forms().iter().map(|form| filter.admits(form).into()).collect()
}

/// Returns for each form of `legality`, in its order, 1 if its opcode has the words of a search, its types are the
/// given ones, and it has this rounding or modifier, and 0 if not. Each text may be empty. No form has a type or part
/// of another name.
#[wasm_bindgen]
pub fn matching(words: &str, to: &str, from: &str, part: &str) -> Vec<u8> {
    let filter = crate::tables::filter(words, to, from, part);
    let admits = |form| filter.as_ref().is_some_and(|filter| filter.admits(form));
    crate::tables::forms().iter().map(|form| admits(form).into()).collect()
}

/// Returns the indices in `legality` of the forms nearest to the words of a search.
#[wasm_bindgen]
pub fn nearest(words: &str) -> Vec<usize> {
    ptxcvt_report::search::nearest(words, crate::tables::forms())
}

/// Returns what is wrong with a target and a version, either of which may be empty; empty if both exist.
#[wasm_bindgen]
pub fn machine(target: &str, isa: &str) -> String {
    operand::machine(target, isa).err().unwrap_or_default()
}

/// Returns the usual spelling of a version: `8.7` for `08.7`. A text that is not a version is returned unchanged.
#[wasm_bindgen]
pub fn version(text: &str) -> String {
    text.parse::<IsaVersion>().map_or_else(|_| text.to_owned(), |isa| isa.to_string())
}

/// Returns the names of the source operands of a form, as PTX has them, with blanks between; empty if it is not a form.
#[wasm_bindgen]
pub fn operand_names(opcode: &str) -> String {
    let Ok(form) = opcode.parse::<ptxcvt::Form>() else { return String::new() };
    form.operands().skip(1).map(|operand| operand.role.name()).collect::<Vec<_>>().join(" ")
}

/// Returns the possible continuations of an opcode on a target at a version, either of which may be empty.
#[wasm_bindgen]
pub fn complete(opcode: &str, target: &str, isa: &str) -> String {
    let offered = operand::machine(target, isa).map(|machine| ptxcvt_syntax::complete(opcode, machine));
    json(&offered.unwrap_or_default())
}

/// Judges and evaluates a conversion. `operands` is a JSON array of texts; missing ones and `null` are replaced by examples.
#[wasm_bindgen]
pub fn convert(opcode: &str, operands: &str, target: &str, isa: &str) -> String {
    let operands = operand::texts(operands);
    reply(operand::machine(target, isa).map(|machine| crate::convert::answer(opcode, &operands, machine)))
}

/// Returns the bits of operand `at` of a form after a step: to twice or half the magnitude if `exponent` is true,
/// otherwise to the next number. `lane` is the element, counted from the upper end. Texts that cannot be read are left
/// unchanged.
#[wasm_bindgen]
pub fn step(opcode: &str, at: usize, bits: &str, lane: u32, exponent: bool, up: bool) -> String {
    let step = if exponent { Step::Exponent } else { Step::Next };
    let read = || {
        let form: ptxcvt::Form = opcode.parse().ok()?;
        let wanted = form.operands().skip(1).nth(at)?;
        let bits = operand::read(&form, &wanted, bits).ok()?.bits;
        let next = step::operand(&form, at, bits, lane, step, up);
        Some(ptxcvt::literal::hex(next, wanted.width))
    };
    read().unwrap_or_else(|| bits.to_owned())
}

/// Returns the text of operand `at` of a form from a field for its bits: hexadecimal digits get the prefix that may be left
/// out. Other texts, and operands that the form lacks, are left unchanged.
#[wasm_bindgen]
pub fn digits(opcode: &str, at: usize, text: &str) -> String {
    let is_bits = opcode.parse().is_ok_and(|form: ptxcvt::Form| {
        let operand = form.operands().skip(1).nth(at);
        operand.is_some_and(|operand| ptxcvt::literal::Reader::operand(&form, &operand).is_bits(text))
    });
    if is_bits { format!("0x{text}") } else { text.to_owned() }
}

/// Returns the conversion as PTX, C++, Rust and Python.
#[wasm_bindgen]
pub fn copy(opcode: &str, operands: &str, target: &str, isa: &str) -> String {
    let operands = operand::texts(operands);
    reply(operand::machine(target, isa).map(|machine| crate::copy::snippets(opcode, &operands, machine)))
}

/// Returns a number in at most `digits` digits, with `≈` if that rounds it, as the pictures show numbers.
#[wasm_bindgen]
pub fn rounded(value: f64, digits: usize) -> String {
    ptxcvt_picture::rounded(value, digits)
}

/// Draws a conversion as `ptxcvt eval --svg` does; empty if the texts cannot be read.
#[wasm_bindgen]
pub fn picture(opcode: &str, operands: &str) -> String {
    crate::convert::picture(opcode, &operand::texts(operands)).unwrap_or_default()
}

/// Describes a format: its facts, the codes of a narrow one, and the spacing of its numbers.
#[wasm_bindgen]
pub fn format(name: &str) -> String {
    json(&crate::format::Answer::read(name))
}

/// Draws the positive numbers of some narrow formats on one axis. Unknown names are left out.
#[wasm_bindgen]
pub fn lines(names: &str) -> String {
    let formats: Vec<_> =
        names.split_whitespace().filter_map(|name| name.parse::<ptxcvt::Format>().ok()).collect();
    ptxcvt_picture::format_lines_svg(&formats)
}

/// Draws the distance between neighbouring numbers of some formats, which are named with blanks between them, as SVG.
/// Unknown names are left out.
#[wasm_bindgen]
pub fn spacing(names: &str) -> String {
    let formats: Vec<_> =
        names.split_whitespace().filter_map(|name| name.parse::<ptxcvt::Format>().ok()).collect();
    ptxcvt_picture::spacing_svg(&formats)
}

/// Returns the tokens of some lines of PTX: for each its first byte, its length and its kind, an index into the kinds of
/// `tables`.
#[wasm_bindgen]
pub fn tokens(lines: &str) -> Vec<u32> {
    crate::tokens::of(lines)
}

/// Quantises numbers with a recipe, and shows element `at` and its block step by step.
#[wasm_bindgen]
pub fn quantize(recipe: &str, numbers: &str, at: usize) -> String {
    json(&blocks::answer(recipe, numbers, at))
}

/// Returns the names of the tensors in a `.npy` or `.safetensors` file.
#[wasm_bindgen]
pub fn tensors(bytes: &[u8]) -> String {
    json(&crate::tensors::names(bytes))
}

/// Returns the first numbers of a tensor.
#[wasm_bindgen]
pub fn tensor_numbers(bytes: &[u8], name: &str) -> String {
    json(&crate::tensors::numbers(bytes, name))
}

/// The path on the site of the page of a form, a format, a recipe or a code; empty for other names.
#[wasm_bindgen]
pub fn site_path(name: &str) -> String {
    use ptxcvt_syntax::site::{code_path, form_path, format_path, recipe_path};
    let code = || name.parse().ok().map(code_path);
    let form = || name.parse().ok().map(|form| form_path(&form));
    let format = || name.parse::<ptxcvt::Format>().ok().map(format_path);
    let recipe = || ptxcvt_blocks::Recipe::named(name).ok().map(|recipe| recipe_path(recipe.name()));
    code().or_else(form).or_else(format).or_else(recipe).unwrap_or_default()
}
