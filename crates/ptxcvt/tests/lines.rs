//! Each form fits the syntax line of the manual above its row: instruction, rounding, modifiers, types and operands.

use ptxcvt::forms::Role;
use ptxcvt::{Form, Type};

/// The words of an opcode without the braces of optional ones, and whether each is optional: `.satfinite`,
/// `.scaled::n2::ue8m0`.
fn words(opcode: &str) -> Vec<(String, bool)> {
    let mut words = Vec::new();
    for piece in opcode.split_inclusive(['{', '}']) {
        let optional = piece.ends_with('}');
        let text = piece.trim_end_matches(['{', '}']);
        words.extend(text.split('.').filter(|word| !word.is_empty()).map(|word| (word.to_owned(), optional)));
    }
    words
}

/// True if a word of a line names the type, or a class of types that has it.
fn names(word: &str, ty: Type) -> bool {
    let name = ty.to_string();
    let (bits, lanes) = (ty.format().bits(), ty.lanes());
    match word {
        "dtype" | "atype" | "convertType" | "abType" => lanes == 1,
        "fp16x2type" => matches!(&*name, "f16x2" | "bf16x2"),
        class if class.ends_with("type") => class == format!("f{bits}x{lanes}type"),
        own => own == name,
    }
}

#[test]
fn forms_fit_their_lines() {
    for form in Form::all() {
        let line = form.manual_line();
        let (opcode, operands) = line.strip_suffix(';').unwrap().split_once(' ').unwrap();
        let scaled = form.operands().any(|operand| operand.role == Role::ScaleFactor);
        let operands = operands.replace("{, scale-factor}", if scaled { ", scale-factor" } else { "" });
        assert_eq!(operands, form.syntax().to_string(), "{form}: {line}");

        let rest = opcode.strip_prefix(form.opcode().name()).unwrap_or_else(|| panic!("{form}: {line}"));
        let mut words = words(rest);
        let modifiers: Vec<&str> = form.modifiers().iter().map(|modifier| modifier.name()).collect();
        for modifier in &modifiers {
            assert!(words.iter().any(|(word, _)| word == modifier), "{form}: {line} has no .{modifier}");
        }
        let kind = form.rounding().map(|rounding| rounding.name());
        let rounds = |word: &str| match word {
            "irnd" => kind.is_some_and(|name| name.ends_with('i')),
            "frnd" => matches!(kind, Some("rn" | "rz" | "rm" | "rp")),
            "frnd2" => matches!(kind, Some("rn" | "rz")),
            "frnd3" => matches!(kind, Some("rz" | "rp")),
            "frnd4" => matches!(kind, Some("rn" | "rz" | "rp")),
            word => kind == Some(word),
        };
        assert!(
            kind.is_none() || words.iter().any(|(word, _)| rounds(word)),
            "{form}: {line} has no rounding"
        );
        let types = [form.destination(), form.source()];
        // Required modifiers are in the opcode; only the types remain.
        words.retain(|(word, optional)| !optional && !modifiers.contains(&&**word) && !rounds(word));
        words.retain(|(word, _)| word != "cType");
        assert_eq!(words.len(), 2, "{form}: {line}: {words:?}");
        for ((word, _), ty) in words.iter().zip(types) {
            assert!(names(word, ty) || word == "dtype", "{form}: {line}: {word} does not name {ty}");
        }
    }
}
