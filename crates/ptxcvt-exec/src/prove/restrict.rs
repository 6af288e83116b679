//! Changes blocks so that more can be proven about them. The results in the domain do not change.

use ptxcvt_syntax::Span;

use super::compare::Question;
use super::domain::Domain;
use super::extend;
use crate::block::{Block, Instruction};
use crate::operand::Operand;
use crate::table::Opcode;
use crate::ty::Ty;

/// The blocks for [`Domain::Positive`], changed to clear the sign bits first. In the domain the signs are clear anyway,
/// and the analysis then sees that no output depends on them. `None` for other domains, which no single bit expresses.
pub(super) fn to_domain(question: &Question<'_>) -> Option<[Block; 2]> {
    if question.domain != Domain::Positive {
        return None;
    }
    Some(question.blocks.map(|block| {
        let mut block = block.clone();
        let ports = block.inputs.clone();
        for (port, pair) in ports.iter().zip(&question.inputs) {
            let Some(meaning) = pair.meaning.filter(|m| m.is_float()) else { continue };
            let width = block.width(*port);
            // `and` needs at least 16 bits; narrower inputs can always be tried completely.
            if width < 16 {
                continue;
            }
            let storage = meaning.format.storage();
            let signs = (0..meaning.lanes).fold(0, |all, n| all | meaning.format.sign_bit() << (n * storage));
            let register = Operand::Register(port.register);
            let code = [register.clone(), register, Operand::Constant(!signs & ptxcvt::mask(width))];
            block.code.insert(0, instruction("and", bits_of(width), code));
        }
        block
    }))
}

impl Block {
    /// Fixes input `n`: removes it from the inputs, and adds a first instruction that writes `bits` to its register.
    ///
    /// ```
    /// use ptxcvt_exec::read::{self, Interface};
    /// let mut block = read::block("add.u32 %0, %1, %2;", &Interface::constraints("=r,r,r")?)?;
    /// block.fix(1, 5);
    /// assert_eq!(block.eval(&[2])?, [7]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if the block has no input `n`.
    pub fn fix(&mut self, n: usize, bits: u64) {
        let port = self.inputs.remove(n);
        let width = self.width(port);
        let code = [Operand::Register(port.register), Operand::Constant(bits & ptxcvt::mask(width))];
        let instruction = match width {
            1 => instruction("mov", Ty::Pred, code),
            // `mov` has no 8-bit form.
            8 => extend::conversion("cvt.u8.u8", code),
            width => instruction("mov", bits_of(width), code),
        };
        self.code.insert(0, instruction);
    }
}

/// `.bN`
fn bits_of(width: u32) -> Ty {
    Ty::from_name(&format!("b{width}")).expect("registers have 8, 16, 32 or 64 bits")
}

fn instruction(name: &str, ty: Ty, operands: impl Into<Vec<Operand>>) -> Instruction {
    let opcode: Opcode = format!("{name}{ty}").parse().expect("the table has this instruction");
    Instruction { guard: None, opcode, operands: operands.into(), span: Span::default() }
}
