//! The values of attributes, which a class assigns in its body (`K.OP`, `self.OP`) or `__init__` assigns to its object.
//!
//! The Python Language Reference, "Class definitions" and "The standard type hierarchy".

use std::collections::BTreeMap;

use super::super::text::Joined;
use super::classes::Class;
use super::expression::Expression;
use super::names::{Assignment, Names};
use super::place::{Here, Step};

/// Methods that set an object's attributes before its other methods run.
const FIRST: [&str; 3] = ["__init__", "__post_init__", "setup"];

/// The variable that defines an attribute's value.
#[derive(Debug)]
pub(super) struct Attribute<'s> {
    pub name: &'s str,
    /// Where the attribute has that value: the end of the class, or the end of the method that assigns it.
    pub end: Here,
    /// True if the class has subclasses, whose objects may have another value.
    pub perhaps: bool,
}

impl<'s> Names<'s> {
    /// The variables whose values an attribute of `object` may have at a place. `None` if it may have other values.
    pub fn attribute(&self, object: &str, name: &str, here: &Here) -> Option<Vec<Attribute<'s>>> {
        if self.attributes.contains_key("*") {
            return None;
        }
        let is_self = matches!(object, "self" | "cls");
        let class = if is_self { self.class_around(here)? } else { self.class_of(object)? };
        if self.attributes.contains_key(name) {
            return if is_self { Some(vec![self.of_object(class, name)?]) } else { None };
        }
        let mut all: Vec<_> = self.of_class(class, name, 0)?.into_iter().collect();
        let has_own = !all.is_empty();
        if is_self {
            for other in 1..=self.scopes.len() {
                if other != class && self.is_made_from(other, class, 0) {
                    all.extend(self.own(other, name)?);
                }
            }
            // Every object may be of a subclass with another value.
            let others = has_own && all.len() > 1;
            all.iter_mut().take(usize::from(others)).for_each(|own| own.perhaps = true);
        }
        Some(all).filter(|all| !all.is_empty())
    }

    /// True if the expression contains an unresolved name to which the file assigns one of `strings`. The conversion is
    /// then counted at the string.
    pub fn has_string(
        &self,
        expression: &Expression<'s>,
        here: &Here,
        strings: &BTreeMap<usize, Joined>,
    ) -> bool {
        let is_string = &mut |part: &Expression<'s>| match part {
            Expression::Literal(span) => strings.contains_key(&span.start),
            _ => false,
        };
        let mut has = |name: &str, containers: bool| {
            let values = self.known.get(name).into_iter().flatten().filter_map(|a| a.value.as_deref());
            values.filter(|value| !containers || value.is_container()).any(|value| value.any(is_string))
        };
        expression.any(&mut |part| match part {
            // A parameter of a `lambda`, or the variable of a comprehension.
            Expression::Name(name) if here.hidden.contains(*name) => false,
            Expression::Name(name) if self.bound(name, here).is_none() => has(name, false),
            Expression::Name(name) => self.is_changed(name) && has(name, true),
            Expression::Attribute(object, name, _) => {
                let own = matches!(*object, "self" | "cls") || self.class_of(object).is_some();
                own && (has(name, false) || has(&format!("self.{name}"), false))
            }
            _ => false,
        })
    }

    fn class(&self, number: usize) -> Option<&Class<'s>> {
        self.scopes.get(number - 1)?.class.as_ref()
    }

    /// The class whose method contains a place.
    fn class_around(&self, here: &Here) -> Option<usize> {
        let scopes: Vec<usize> = here.path.iter().filter_map(scope_of_step).collect();
        let at = scopes.iter().rposition(|number| self.class(*number).is_some())?;
        scopes.get(at + 1).map(|_| scopes[at])
    }

    /// The class with this name; `None` if the name also has another meaning in the file.
    fn class_of(&self, name: &str) -> Option<usize> {
        let own = |number: &usize| self.class(*number).is_some_and(|class| class.name == name);
        let mut all = (1..=self.scopes.len()).filter(own);
        let first = all.next()?;
        let single = all.next().is_none() && self.known.get(name).is_some_and(|all| all.len() == 1);
        Some(first).filter(|_| single)
    }

    /// The variable for an attribute that the class itself assigns, without its base classes: `Some(None)` if the class
    /// does not assign it, and `None` if the attribute may have another value.
    fn own(&self, class: usize, name: &str) -> Option<Option<Attribute<'s>>> {
        let found = self
            .known
            .get_key_value(name)
            .filter(|(_, all)| all.iter().any(|assignment| innermost(&assignment.here) == Some(class)));
        let Some((name, _)) = found else { return Some(None) };
        let plain = self.class(class).is_some_and(|class| class.plain);
        plain.then(|| Some(Attribute { name, end: self.end_of(class), perhaps: false }))
    }

    /// Like [`own`](Self::own), but also looks in the base classes.
    fn of_class(&self, class: usize, name: &str, depth: usize) -> Option<Option<Attribute<'s>>> {
        if let Some(own) = self.own(class, name)? {
            return Some(Some(own));
        }
        let bases = &self.class(class)?.bases;
        let Some(first) = bases.first().filter(|_| depth < self.scopes.len()) else { return Some(None) };
        let base = self.class_of(first)?;
        match self.own(base, name)? {
            None if bases.len() == 1 => self.of_class(base, name, depth + 1),
            None => None,
            found => Some(found),
        }
    }

    fn is_made_from(&self, class: usize, other: usize, depth: usize) -> bool {
        let bases = self.class(class).map_or(&[][..], |class| &class.bases);
        let mut found = bases.iter().filter_map(|base| self.class_of(base));
        depth < self.scopes.len()
            && found.any(|base| base == other || self.is_made_from(base, other, depth + 1))
    }

    /// The variable for an attribute that `__init__` assigns. `None` if other code assigns it as well.
    fn of_object(&self, class: usize, name: &str) -> Option<Attribute<'s>> {
        let key = format!("self.{name}");
        let (key, all) = self.known.get_key_value(key.as_str())?;
        let method = innermost(&all[0].here)?;
        let in_method = |assignment: &Assignment<'_>| innermost(&assignment.here) == Some(method);
        let around = innermost(&self.scopes[method - 1].here)?;
        let of_class = |assignment: &Assignment<'_>| {
            innermost(&assignment.here).is_some_and(|scope| self.class(scope).is_some())
        };
        let certain = all.len() == self.attributes[name]
            && all.iter().all(in_method)
            && FIRST.contains(&self.scopes[method - 1].name)
            && (around == class || self.is_made_from(class, around, 0))
            && !self.known.get(name).is_some_and(|all| all.iter().any(of_class));
        certain.then(|| Attribute { name: key, end: self.end_of(method), perhaps: false })
    }

    /// The end of a function or class.
    fn end_of(&self, scope: usize) -> Here {
        let path = self.scopes[scope - 1].here.path.iter().copied().chain([Step::Scope(scope)]).collect();
        Here { path, before: usize::MAX, statement: usize::MAX, ..Here::default() }
    }
}

fn scope_of_step(step: &Step) -> Option<usize> {
    match step {
        Step::Scope(number) => Some(*number),
        _ => None,
    }
}

/// The function or class that contains a place.
fn innermost(here: &Here) -> Option<usize> {
    here.path.iter().rev().find_map(scope_of_step)
}
