//! The opcodes of a batch: each is parsed once, and the last one is found without a look-up.

use std::collections::HashMap;
use std::rc::Rc;

use ptxcvt::Form;
use ptxcvt::forms::Operand;
use ptxcvt::literal::Reader;

use crate::failure;
use crate::operand::Unreadable;

/// A form and its source operands.
pub struct Known {
    pub form: Form,
    pub operands: Vec<Operand>,
    pub readers: Vec<Reader>,
}

/// A parsed opcode, or why parsing failed.
pub type Found = Result<Known, Unreadable>;

/// The maximum number of cached bytes of opcodes and messages: many times the size of all legal opcodes, but
/// bounded for invalid input.
const REMEMBERED: usize = 4 << 20;

/// Opcodes that were seen, legal or not.
pub struct Opcodes {
    /// Whether bits may be wider than the type.
    wide: bool,
    seen: Vec<(Rc<[u8]>, Found)>,
    /// The index of each opcode in `seen`.
    places: HashMap<Rc<[u8]>, usize>,
    last: usize,
    remembered: usize,
}

impl Opcodes {
    /// None yet; with `wide`, operands may have the bits of wider registers.
    pub fn new(wide: bool) -> Self {
        Opcodes { wide, seen: Vec::new(), places: HashMap::new(), last: 0, remembered: 0 }
    }

    /// Finds an opcode, for the first time or again.
    pub fn look_up(&mut self, opcode: &[u8]) -> &Found {
        if self.seen.get(self.last).is_none_or(|(last, _)| **last != *opcode) {
            self.last = match self.places.get(opcode) {
                Some(place) => *place,
                None => self.remember(opcode),
            };
        }
        &self.seen[self.last].1
    }

    fn remember(&mut self, opcode: &[u8]) -> usize {
        let found = known(&String::from_utf8_lossy(opcode), self.wide);
        let message = found.as_ref().err().map_or(0, |bad| bad.message.len());
        // The key, the value, and the overhead of the map.
        self.remembered += opcode.len() + message + 200;
        if self.remembered > REMEMBERED {
            *self = Opcodes::new(self.wide);
        }
        let opcode: Rc<[u8]> = opcode.into();
        self.seen.push((opcode.clone(), found));
        self.places.insert(opcode, self.seen.len() - 1);
        self.seen.len() - 1
    }
}

fn known(opcode: &str, wide: bool) -> Found {
    let form = failure::form(opcode).map_err(|failure| {
        let message = failure.to_string();
        Unreadable { code: failure.code.expect("every rejected opcode has a code"), message }
    })?;
    let operands: Vec<Operand> = form.operands().skip(1).collect();
    let readers = operands.iter().map(|operand| Reader::operand(&form, operand).wide(wide)).collect();
    Ok(Known { form, operands, readers })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_by_bytes() {
        let mut opcodes = Opcodes::new(false);
        for n in 0..10_000 {
            let opcode = format!("cvt.{n}{}", "x".repeat(900));
            assert!(opcodes.look_up(opcode.as_bytes()).is_err());
            assert!(opcodes.remembered <= REMEMBERED && opcodes.seen.len() == opcodes.places.len());
        }
        assert!(opcodes.look_up(b"cvt.rn.f16.f32").is_ok());
    }

    /// The result for an opcode does not depend on the opcodes before it.
    #[test]
    fn opcodes_do_not_take_each_others_place() {
        let forms: Vec<Form> = Form::all().step_by(7).collect();
        let mut opcodes = Opcodes::new(false);
        let mut check = |form: &Form| {
            let known = opcodes.look_up(form.to_string().as_bytes());
            assert_eq!(known.as_ref().map(|known| known.form).ok(), Some(*form));
        };
        for pair in forms.windows(2) {
            [0, 0, 1, 0, 1, 1].iter().for_each(|at: &usize| check(&pair[*at]));
        }
        forms.iter().for_each(check);
    }
}
