//! The menus from which a form is composed: the choices for each part that lead to a form, and the form they lead to.

use ptxcvt::targets::Machine;
use ptxcvt::{Form, Modifier, Opcode};
use serde::Serialize;

/// The menus for one form.
#[derive(Debug, Serialize)]
pub struct Menus {
    destinations: Vec<Choice>,
    sources: Vec<Choice>,
    roundings: Vec<Choice>,
    modifiers: Vec<Choice>,
}

/// An entry of a menu.
#[derive(Debug, Serialize)]
struct Choice {
    /// The name of the part; empty for "none".
    name: String,
    /// The form has this part.
    chosen: bool,
    /// The form after the choice. For a modifier that is required: the form itself.
    opcode: String,
}

impl Menus {
    /// The menus for `form`. Every choice leads to a form that `machine` accepts, or to `form` itself.
    pub fn new(form: &Form, machine: Machine) -> Self {
        let all: Vec<Form> = Form::all().filter(|other| machine.takes(other) || other == form).collect();
        let same_destination = |other: &&Form| destination(other) == destination(form);
        let same_types = |other: &&Form| same_destination(other) && other.source() == form.source();
        let same_rounding = |other: &&Form| same_types(other) && other.rounding() == form.rounding();
        Menus {
            destinations: choices(form, all.iter(), destination),
            sources: choices(form, all.iter().filter(same_destination), |f| f.source().name().to_owned()),
            roundings: choices(form, all.iter().filter(same_types), |f| {
                f.rounding().map_or(String::new(), |r| r.name().to_owned())
            }),
            modifiers: modifiers(form, &all.iter().filter(same_rounding).collect::<Vec<_>>()),
        }
    }
}

/// The destination type; `cvt.pack` has its own entries.
fn destination(form: &Form) -> String {
    match form.opcode() {
        Opcode::CvtPack => format!("{} by cvt.pack", form.destination().name()),
        _ => form.destination().name().to_owned(),
    }
}

/// How much of `form` is kept by `other`.
fn likeness(form: &Form, other: &Form) -> i32 {
    let same = |is: bool, worth| if is { worth } else { 0 };
    let shared = Modifier::ALL.iter().filter(|m| form.modifiers().has(**m) && other.modifiers().has(**m));
    same(form.opcode() == other.opcode(), 64)
        + same(form.source() == other.source(), 32)
        + same(form.rounding() == other.rounding(), 16)
        + 2 * shared.count() as i32
        - other.modifiers().len() as i32
}

/// The different names among some forms, each with the form most like the present one.
fn choices<'f>(
    form: &Form,
    all: impl Iterator<Item = &'f Form>,
    name: impl Fn(&Form) -> String,
) -> Vec<Choice> {
    let mut best: Vec<(String, &Form)> = Vec::new();
    for other in all {
        let name = name(other);
        match best.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => {
                if likeness(form, other) > likeness(form, known) {
                    *known = other;
                }
            }
            None => best.push((name, other)),
        }
    }
    let own = name(form);
    let choice =
        |(name, other): (String, &Form)| Choice { chosen: name == own, opcode: other.to_string(), name };
    best.into_iter().map(choice).collect()
}

/// The modifiers that can be added or removed alone, and those that the form has.
fn modifiers(form: &Form, all: &[&Form]) -> Vec<Choice> {
    let toggled = |m: Modifier| {
        let differs = |other: &&&Form| {
            Modifier::ALL.iter().all(|k| (other.modifiers().has(*k) != form.modifiers().has(*k)) == (*k == m))
        };
        all.iter().find(differs).map(ToString::to_string)
    };
    let choice = |m: &Modifier| {
        let (chosen, to) = (form.modifiers().has(*m), toggled(*m));
        let opcode = if chosen { to.or_else(|| Some(form.to_string())) } else { to };
        Some(Choice { name: m.name().to_owned(), chosen, opcode: opcode? })
    };
    Modifier::ALL.iter().filter_map(choice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every choice leads to a form that has the chosen part, and all forms can be reached.
    #[test]
    fn choices_lead_to_forms() {
        let mut reached = std::collections::BTreeSet::new();
        let mut next = vec!["cvt.rn.satfinite.e4m3x2.f32".to_owned()];
        while let Some(opcode) = next.pop() {
            let form: Form = opcode.parse().unwrap();
            if !reached.insert(form.to_string()) {
                continue;
            }
            let menus = Menus::new(&form, Machine::ANY);
            for menu in [&menus.destinations, &menus.sources, &menus.roundings] {
                assert_eq!(menu.iter().filter(|c| c.chosen).count(), 1, "{form}");
                let own = menu.iter().find(|c| c.chosen).unwrap();
                assert_eq!(own.opcode, form.to_string());
                next.extend(menu.iter().map(|c| c.opcode.clone()));
            }
            for choice in &menus.modifiers {
                assert_eq!(choice.chosen, form.modifiers().iter().any(|m| m.name() == choice.name));
            }
            next.extend(menus.modifiers.iter().map(|c| c.opcode.clone()));
        }
        let missing: Vec<_> = Form::all().map(|f| f.to_string()).filter(|f| !reached.contains(f)).collect();
        assert!(missing.is_empty(), "{} not reached: {:?}", missing.len(), &missing[..missing.len().min(9)]);
    }

    #[test]
    fn only_what_the_machine_accepts_is_offered() {
        let form: Form = "cvt.rn.f16.f32".parse().unwrap();
        let machine = Machine::from("sm_70".parse::<ptxcvt::Target>().unwrap());
        let offered = Menus::new(&form, machine);
        assert!(offered.destinations.len() > 5);
        for choice in offered.destinations.iter().chain(&offered.sources).chain(&offered.modifiers) {
            assert!(machine.takes(&choice.opcode.parse().unwrap()), "{}", choice.opcode);
        }
        assert!(offered.destinations.iter().all(|c| c.name != "e4m3x2"));
    }
}
