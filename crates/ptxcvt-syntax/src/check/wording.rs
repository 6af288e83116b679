//! Parts of messages: operands and registers in words.

use ptxcvt::forms::{Operand as Wanted, RegisterClass, RegisterType, Role};
use ptxcvt::listed;

use super::slot::Slot;

/// "2 are given", "1 is given", "none is given".
pub(super) fn are_given(count: usize) -> String {
    match count {
        0 => "none is given".into(),
        1 => "1 is given".into(),
        _ => format!("{count} are given"),
    }
}

/// An operand in words: "the destination", "the source `a` (`.f32`)".
pub(super) fn role(wanted: &Wanted) -> String {
    match (wanted.role, wanted.ty) {
        (Role::Destination, Some(ty)) => format!("the destination (`.{ty}`)"),
        (Role::Destination, None) => "the destination".into(),
        (role, Some(ty)) => format!("the source `{}` (`.{ty}`)", role.name()),
        (role, None) => format!("`{}`", role.name()),
    }
}

/// The registers that an operand accepts, in words.
pub(super) fn kinds(wanted: &Wanted) -> String {
    let accepted: Vec<RegisterType> = wanted.accepted().collect();
    if accepted.len() <= 4 {
        return listed(&accepted.iter().map(|r| format!("`{r}`")).collect::<Vec<_>>(), "or");
    }
    let (mut classes, mut single) = (Vec::new(), Vec::new());
    for (class, name) in [
        (RegisterClass::Unsigned, "`.u`"),
        (RegisterClass::Signed, "`.s`"),
        (RegisterClass::Bits, "`.b`"),
        (RegisterClass::Float, "`.f`"),
    ] {
        match accepted.iter().filter(|r| r.class == class).collect::<Vec<_>>()[..] {
            [] => {}
            [only] => single.push(format!("`{only}`")),
            _ => classes.push(name.to_owned()),
        }
    }
    let wider = accepted.iter().any(|r| r.width > wanted.width);
    let width =
        if wider { format!("{} bits or more", wanted.width) } else { format!("{} bits", wanted.width) };
    let classes = (!classes.is_empty()).then(|| format!("{} of {width}", listed(&classes, "or")));
    classes.into_iter().chain(single).collect::<Vec<_>>().join(", or ")
}

/// `d, {a, b, e, f}, rbits`
pub(super) fn pattern(slots: &[Slot]) -> String {
    let slot = |slot: &Slot| match slot {
        Slot::One(wanted) => wanted.role.name().to_string(),
        Slot::Vector(elements) => pattern_of(elements),
    };
    slots.iter().map(slot).collect::<Vec<_>>().join(", ")
}

pub(super) fn pattern_of(elements: &[Wanted]) -> String {
    let names: Vec<&str> = elements.iter().map(|wanted| wanted.role.name()).collect();
    format!("{{{}}}", names.join(", "))
}
