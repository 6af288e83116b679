//! Changes blocks so that more can be proven about them. The results in the domain do not change.

use std::borrow::Cow;

use ptxcvt::formats::Kind;
use ptxcvt_syntax::Span;

use super::compare::Question;
use super::domain::Domain;
use crate::block::{Block, Instruction};
use crate::meaning::Meaning;
use crate::operand::Operand;
use crate::table::Opcode;
use crate::ty::Ty;

/// Gives both blocks outputs of the same width if one returns a signed byte and the other a wider register, as inline
/// assembly must. A conversion to `.s8` sign-extends its result, so the byte is sign-extended as well.
pub(super) fn with_equal_outputs<'b>(a: &'b Block, b: &'b Block) -> [Cow<'b, Block>; 2] {
    let mut blocks = [Cow::Borrowed(a), Cow::Borrowed(b)];
    for at in 0..a.outputs.len().min(b.outputs.len()) {
        let widths = [a, b].map(|block| block.width(block.outputs[at]));
        for (side, block) in [a, b].into_iter().enumerate() {
            let signed = block.outputs[at].meaning.is_some_and(is_signed_byte);
            if signed && widths[side] == 8 && widths[1 - side] > 8 {
                extend(blocks[side].to_mut(), at, widths[1 - side]);
            }
        }
    }
    blocks
}

fn is_signed_byte(meaning: Meaning) -> bool {
    meaning.width() == 8 && matches!(meaning.format.parameters().kind, Kind::Integer { signed: true })
}

/// Sign-extends an 8-bit output to `width` bits.
fn extend(block: &mut Block, output: usize, width: u32) {
    let byte = block.outputs[output].register;
    // A register that is never written is zero.
    let wide = block.temporary("%extended", bits_of(width));
    let parts = width / 8;
    let zero = block.temporary("%zero", Ty::B8);
    let part = |n: u32| Operand::Register(if n == 0 { byte } else { zero });
    // `mov` packs two or four parts, so 64 bits are packed as two words.
    let word = if width == 64 { block.temporary("%word", Ty::B32) } else { wide };
    add(
        block,
        "mov",
        bits_of(width.min(32)),
        [word.into(), Operand::Vector((0..parts.min(4)).map(part).collect())],
    );
    if width == 64 {
        let above = block.temporary("%above", Ty::B32);
        add(block, "mov", Ty::B64, [wide.into(), [word, above].into()]);
    }
    let shift = || Operand::Constant(u64::from(width - 8));
    add(block, "shl", bits_of(width), [wide.into(), wide.into(), shift()]);
    add(block, "shr", signed_of(width), [wide.into(), wide.into(), shift()]);
    block.outputs[output].register = wide;
    block.outputs[output].meaning = None;
}

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
            8 => Instruction {
                guard: None,
                opcode: "cvt.u8.u8".parse().expect("a form"),
                operands: code.to_vec(),
                span: Span::default(),
            },
            width => instruction("mov", bits_of(width), code),
        };
        self.code.insert(0, instruction);
    }
}

/// `.bN`
fn bits_of(width: u32) -> Ty {
    Ty::from_name(&format!("b{width}")).expect("registers have 8, 16, 32 or 64 bits")
}

/// `.sN`
fn signed_of(width: u32) -> Ty {
    Ty::from_name(&format!("s{width}")).expect("registers have 8, 16, 32 or 64 bits")
}

fn instruction(name: &str, ty: Ty, operands: impl Into<Vec<Operand>>) -> Instruction {
    let opcode: Opcode = format!("{name}{ty}").parse().expect("the table has this instruction");
    Instruction { guard: None, opcode, operands: operands.into(), span: Span::default() }
}

fn add(block: &mut Block, name: &str, ty: Ty, operands: impl Into<Vec<Operand>>) {
    let instruction = instruction(name, ty, operands);
    block.code.push(instruction);
}
