//! The lines for an assembler: spellings, and operands of every kind.

use std::collections::BTreeSet;

use ptxcvt::forms::{Immediate, Operand, RegisterClass, RegisterType};
use ptxcvt::{Form, IsaVersion, Modifier, Modifiers, Opcode, Rounding, Spelling, Target, Type};

use crate::assembler::Depth;

/// A line and its subject.
pub struct Line {
    pub text: String,
    /// The form, if the spelling is legal.
    pub form: Option<Form>,
    /// The operands are also correct.
    pub operands: bool,
    pub depth: Depth,
}

impl Line {
    /// The form with the registers that fit exactly.
    pub fn of(form: Form) -> Line {
        let registers: Vec<String> = form.operands().map(|o| register(o.register())).collect();
        let text = write(&form, &registers);
        Line { text, form: Some(form), operands: true, depth: Depth::Check }
    }
}

/// One register of each type.
fn register(ty: RegisterType) -> String {
    format!("%{}", ty.name())
}

/// An instruction with these operands, the elements of `{a, b, e, f}` in braces.
fn write(form: &Form, operands: &[String]) -> String {
    format!("{form} {};", form.syntax_with(|at, _| &operands[at]))
}

/// Every spelling of `cvt` and `cvt.pack`, with operands of the shape of its types.
pub fn spellings(quick: bool) -> Vec<Line> {
    let types: Vec<Type> = Type::ALL.iter().copied().filter(|t| t.width() >= 8).collect();
    let roundings: Vec<Option<Rounding>> =
        std::iter::once(None).chain(Rounding::ALL.iter().copied().map(Some)).collect();
    let pairs: BTreeSet<(Type, Type)> = Form::all().map(|f| (f.destination(), f.source())).collect();
    let sets: Vec<Modifiers> = (0..1_u32 << Modifier::ALL.len())
        .map(|bits| (0..).zip(Modifier::ALL).filter(|(i, _)| bits >> i & 1 != 0).map(|(_, m)| *m).collect())
        .filter(|set: &Modifiers| !(set.has(Modifier::ScaledN1) && set.has(Modifier::ScaledN2)))
        .filter(|set: &Modifiers| !quick || set.len() <= 2)
        .collect();
    let mut lines = Vec::new();
    for destination in &types {
        for source in &types {
            if quick && !pairs.contains(&(*destination, *source)) {
                continue;
            }
            for rounding in &roundings {
                for modifiers in &sets {
                    lines.push(spelling(*rounding, *modifiers, *destination, *source));
                }
            }
        }
    }
    for destination in Type::ALL {
        for source in Type::ALL {
            for sat in ["", ".sat"] {
                for rest in ["", ".b32"] {
                    let opcode = format!("cvt.pack{sat}.{destination}.{source}{rest}");
                    let c = if rest.is_empty() { "" } else { ", %b32" };
                    let form = Spelling::new(&opcode).form();
                    let text = format!("{opcode} %b32, %b32, %b32{c};");
                    lines.push(Line { text, form, operands: true, depth: Depth::Check });
                }
            }
        }
    }
    lines
}

/// One spelling of `cvt`.
fn spelling(rounding: Option<Rounding>, modifiers: Modifiers, destination: Type, source: Type) -> Line {
    let bits = |width: u32| format!("%b{}", width.max(8));
    let (d, a) = (bits(destination.width()), bits(source.width()));
    let mut text = "cvt".to_owned();
    rounding.iter().for_each(|r| text.push_str(&format!(".{}", r.name())));
    modifiers.iter().for_each(|m| text.push_str(&format!(".{}", m.name())));
    text.push_str(&format!(".{destination}.{source} {d}, "));
    text.push_str(&match (destination.lanes(), source.lanes()) {
        (4, 1) => format!("{{{a}, {a}, {a}, {a}}}"),
        (2, 1) => format!("{a}, {a}"),
        _ => a,
    });
    if rounding == Some(Rounding::Rs) {
        text.push_str(", %b32");
    }
    for (scale, register) in [(Modifier::ScaledN1, ", %b8"), (Modifier::ScaledN2, ", %b16")] {
        text.push_str(if modifiers.has(scale) { register } else { "" });
    }
    text.push(';');
    let form = Form::new(Opcode::Cvt, rounding, modifiers, destination, source);
    Line { text, form, operands: true, depth: Depth::Check }
}

/// A legal form with every register type and immediate in every place, and with a wrong number of operands.
pub fn operand_lines(form: &Form, target: Target, isa: IsaVersion) -> Vec<Line> {
    let operands: Vec<Operand> = form.operands().collect();
    let exact: Vec<String> = operands.iter().map(|o| register(o.register())).collect();
    let mut lines = Vec::new();
    let mut push = |text: String, legal: bool| {
        lines.push(Line { text, form: Some(*form), operands: legal, depth: Depth::Code });
    };
    for (at, operand) in operands.iter().enumerate() {
        let mut with = |text: String, legal: bool| {
            let mut operands = exact.clone();
            operands[at] = text;
            push(write(form, &operands), legal);
        };
        for ty in registers(target, isa) {
            with(register(ty), operand.accepts(ty));
        }
        for (literal, kinds) in IMMEDIATES {
            with((*literal).to_owned(), kinds.contains(&operand.immediate()));
        }
    }
    // One too few, one too many; the last operand never is an element of the vector.
    let whole = write(form, &exact);
    if let Some((shorter, last)) = whole.trim_end_matches(';').rsplit_once(", ") {
        push(format!("{shorter};"), false);
        push(format!("{shorter}, {last}, {last};"), false);
    }
    lines
}

/// Literals, and the operands that accept them.
const IMMEDIATES: &[(&str, &[Immediate])] = {
    use Immediate::{Float, FloatBits, Integer};
    &[
        ("1", &[Integer]),
        ("-1", &[Integer]),
        ("0x1F", &[Integer]),
        ("017", &[Integer]),
        ("0b101", &[Integer]),
        ("1U", &[Integer]),
        ("1.5", &[Float]),
        ("0f3F800000", &[Float, FloatBits]),
        ("0d3FF0000000000000", &[Float]),
    ]
};

/// The register types that the module can declare: `.b128` and `.f16x2` are recent.
pub fn registers(target: Target, isa: IsaVersion) -> impl Iterator<Item = RegisterType> {
    let recent = |ty: &RegisterType| ty.width > 64 || ty.class == RegisterClass::F16x2;
    let has_recent = target.sm() >= 70 && isa >= IsaVersion::new(8, 3);
    RegisterType::all().filter(move |ty| has_recent || !recent(ty))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_among_the_spellings() {
        for (quick, least) in [(true, 60_000), (false, 827_904)] {
            let lines = spellings(quick);
            assert!(lines.len() > least);
            let forms: BTreeSet<Form> = lines.iter().filter_map(|line| line.form).collect();
            let missing = Form::all().filter(|f| !forms.contains(f) && (!quick || f.modifiers().len() <= 2));
            assert_eq!(missing.count(), 0);
        }
    }
}
