//! Two conversions that replace a missing one, through a type that holds every value of the source.
//!
//! PTX ISA section 9.7.9.21.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;

use super::form::Form;
use super::opcode::Opcode;
use super::spelling::Spelling;
use crate::round::Rounding;
use crate::targets::Machine;
use crate::types::Type;

/// Two consecutive forms. Halves of a packed value may have to be split or combined before, between and after
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    first: Form,
    second: Form,
    source: Type,
    destination: Type,
}

/// The form that does for one element what a packed form does for each.
pub(super) fn alone(form: &Form) -> Option<Form> {
    let formats = |f: &Form| (f.opcode(), f.destination().format(), f.source().format());
    let rules = |f: &Form| (f.rounding(), f.modifiers());
    let fits = |f: &Form| f.lanes() == 1 && formats(f) == formats(form) && rules(f) == rules(form);
    Form::all().find(|f| form.lanes() > 1 && fits(f))
}

impl Spelling<'_> {
    /// The two steps for types between which there is no form.
    pub(super) fn steps(&self, machine: Machine) -> Option<Steps> {
        let [Some(destination), Some(source)] = self.meant.types else { return None };
        if destination.format().is_integer() && source.format().is_integer() {
            return None;
        }
        // A form that keeps the format, such as `cvt.rni.f32.f32`, is not a step.
        let is_step = |f: &Form| f.opcode() == Opcode::Cvt && f.source().format() != f.destination().format();
        let first = |f: &Form| {
            is_step(f)
                && same_elements(f.source(), source)
                && f.destination().format().holds(source.format())
                && machine.takes(f)
        };
        let second = |f: &Form| is_step(f) && same_elements(f.destination(), destination) && machine.takes(f);
        let seconds: Vec<Form> = Form::all().filter(second).collect();
        let mut best: Option<(u32, Steps)> = None;
        for first in Form::all().filter(first) {
            let between = first.destination().format();
            for second in seconds.iter().filter(|f| f.source().format() == between) {
                let cost = self.cost(&first, second, source, destination);
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, Steps { first, second: *second, source, destination }));
                }
            }
        }
        best.map(|(_, steps)| steps)
    }

    /// Prefers few changes of packing, then few modifiers, then the written ones.
    fn cost(&self, first: &Form, second: &Form, source: Type, destination: Type) -> u32 {
        let packing = u32::from(first.source() != source)
            + u32::from(second.destination() != destination)
            + u32::from(first.destination().lanes() != second.source().lanes());
        let plain = |form: &Form| form.modifiers().len() + u32::from(form.rounding() == Some(Rounding::Rs));
        // An exact step needs no rounding. The other step has the written one.
        let exact = second.destination().format().holds(second.source().format());
        let written = match (self.meant.rounding, second.rounding()) {
            (_, None) if exact => 0,
            (a, b) if a == b && !exact => 0,
            (_, None | Some(Rounding::Rn | Rounding::Rzi)) => 1,
            _ => 2,
        };
        let needless = u32::from(!matches!(first.rounding(), None | Some(Rounding::Rn)));
        packing * 100
            + (plain(first) + needless) * 10
            + written
            + self.meant.modifiers.symmetric_difference(second.modifiers()).len() * 3
    }
}

impl Steps {
    /// True if the second step, after the first, which is exact, does everything that `form` does.
    pub(super) fn compute(&self, form: &Form) -> bool {
        let second = &self.second;
        let exact = second.destination().format().holds(second.source().format());
        second.modifiers() == form.modifiers() && (exact || second.rounding() == form.rounding())
    }
}

impl fmt::Display for Steps {
    /// "`cvt.rn.f16x2.e4m3x2`, then `cvt.f32.f16` of each half".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Steps { first, second, source, destination } = self;
        let halves = |from: u32, to: u32| match from.cmp(&to) {
            Ordering::Greater => " of each half",
            Ordering::Equal => "",
            Ordering::Less => " of two side by side",
        };
        write!(f, "`{first}`{}, ", halves(source.lanes(), first.source().lanes()))?;
        write!(f, "then `{second}`{}", halves(first.destination().lanes(), second.source().lanes()))?;
        if second.destination().lanes() < destination.lanes() {
            f.write_str(", and pack the results")?;
        }
        Ok(())
    }
}

/// True if both types have elements of the same format; their numbers may differ.
fn same_elements(a: Type, b: Type) -> bool {
    a == b || (a.format() == b.format() && !a.format().is_integer())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::mask;
    use crate::exact::{Exact, Value};

    /// Sign, odd significand and exponent. Equal numbers have equal parts.
    fn parts(x: Exact) -> (bool, u64, i32) {
        match x.significand {
            0 => (x.negative, 0, 0),
            odd => {
                let zeros = odd.trailing_zeros();
                (x.negative, odd >> zeros, x.exponent + zeros as i32)
            }
        }
    }

    /// The type between the two steps has every finite value of the source.
    #[test]
    fn the_first_step_is_exact() {
        let mut seen = 0;
        for destination in Type::ALL.iter().copied() {
            for source in Type::ALL.iter().copied().filter(|t| t.format().bits() <= 16) {
                if Form::of_types(Opcode::Cvt, destination, source).next().is_some() {
                    continue;
                }
                let text = alloc::format!("cvt.{destination}.{source}");
                let Some(Steps { first, .. }) = Spelling::new(&text).steps(Machine::ANY) else { continue };
                seen += 1;
                let (from, to) = (source.format(), first.destination().format());
                for code in 0..1_u64 << from.bits() {
                    let Value::Finite(value) = from.decode(code << from.low_padding()) else { continue };
                    let mut operands = [0; 6];
                    operands[0] = code << from.low_padding();
                    let used = &operands[..first.source_count()];
                    let result = first.eval(used).expect("the number of operands");
                    let lanes = first.destination().lanes();
                    let shift = if first.source().lanes() == 1 { (lanes - 1) * to.storage() } else { 0 };
                    let element = result >> shift & mask(to.storage());
                    let Value::Finite(result) = to.decode(element) else { panic!("{first}: {code:#x}") };
                    assert_eq!(parts(result), parts(value), "{first}: {code:#x}");
                }
            }
        }
        assert!(seen > 50, "{seen}");
    }
}
