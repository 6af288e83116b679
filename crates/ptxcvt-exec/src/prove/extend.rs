//! Extends a number that has a wider register in the other block. Inline assembly has no registers of 8 bits, and
//! functions return 16 bits in a register of 32.
//!
//! A signed number is sign-extended, every other one is zero-extended: that is how `cvt` writes a result into a wider
//! register, how CUDA C++ passes a `signed char` to an operand `"r"`, and how functions receive and return integers.
//! Wider registers are zero above the number by default, so only signed numbers need instructions. A result is extended
//! in the block with the narrower register, an input in the block with the wider one.

use std::borrow::Cow;

use ptxcvt::formats::Kind;
use ptxcvt::{mask, sign_extend};
use ptxcvt_syntax::Span;

use crate::block::{Block, Instruction, Port};
use crate::operand::Operand;
use crate::table::Opcode;
use crate::ty::Ty;

/// True if an operand of these widths may be compared.
///
/// There is no constraint letter for 8 bits, so blocks use wider registers for bytes. Functions return 16 bits in a wider
/// register.
pub(super) fn is_allowed(blocks: [&Block; 2], widths: [u32; 2], is_output: bool) -> bool {
    let wider = usize::from(widths[1] > widths[0]);
    widths[0] == widths[1] || widths[1 - wider] <= 8 || is_output && blocks[wider].function
}

/// Both blocks, with instructions that extend signed numbers.
pub(super) fn with_signs<'b>(a: &'b Block, b: &'b Block) -> [Cow<'b, Block>; 2] {
    let mut blocks = [Cow::Borrowed(a), Cow::Borrowed(b)];
    for (x, y) in a.inputs.iter().zip(&b.inputs) {
        let ports = [x, y];
        if let Some(Signed { narrow, wide, widths }) = Signed::of([a, b], ports, false) {
            let register = Operand::Register(ports[wide].register);
            let extension = conversion(&name(widths[wide], widths[narrow]), [register.clone(), register]);
            blocks[wide].to_mut().code.insert(0, extension);
        }
    }
    for (at, (x, y)) in a.outputs.iter().zip(&b.outputs).enumerate() {
        let ports = [x, y];
        if let Some(Signed { narrow, wide, widths }) = Signed::of([a, b], ports, true) {
            let block = blocks[narrow].to_mut();
            let ty = Ty::from_name(&format!("b{}", widths[wide])).expect("registers have 16, 32 or 64 bits");
            let extended = block.temporary("%extended", ty);
            let operands = [extended.into(), ports[narrow].register.into()];
            block.code.push(conversion(&name(widths[wide], widths[narrow]), operands));
            block.outputs[at] = Port { register: extended, meaning: None };
        }
    }
    blocks
}

/// The bits of input `n` in the registers of both blocks, from the bits in the narrower one.
///
/// ```
/// use ptxcvt_exec::{Block, prove, read};
/// let form = Block::of_form("cvt.rn.f32.s8".parse()?);
/// let word = read::block("cvt.rn.f32.s32 %0, %1;", &read::Interface::constraints("=f,r")?)?;
/// assert_eq!(prove::input_bits([&form, &word], 0, 0x80), [0x80, 0xffff_ff80]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
///
/// Panics if a block has no input `n`.
pub fn input_bits(blocks: [&Block; 2], n: usize, bits: u64) -> [u64; 2] {
    let ports = blocks.map(|block| &block.inputs[n]);
    let widths = [0, 1].map(|side| blocks[side].width(*ports[side]));
    let narrow = mask(widths[0].min(widths[1]));
    let extended = match Signed::of(blocks, ports, false) {
        Some(Signed { narrow, widths, .. }) => sign_extend(bits, widths[narrow]) as u64,
        None => bits & narrow,
    };
    widths.map(|width| extended & mask(width))
}

/// A signed number whose register is wider in one block.
struct Signed {
    narrow: usize,
    wide: usize,
    widths: [u32; 2],
}

impl Signed {
    fn of(blocks: [&Block; 2], ports: [&Port; 2], is_output: bool) -> Option<Signed> {
        let widths = [0, 1].map(|side| blocks[side].width(*ports[side]));
        let wide = usize::from(widths[1] > widths[0]);
        let narrow = 1 - wide;
        let meaning = ports[narrow].meaning?;
        let is_signed = meaning.width() == widths[narrow]
            && meaning.lanes == 1
            && matches!(meaning.format.parameters().kind, Kind::Integer { signed: true });
        let extends = widths[0] != widths[1] && is_allowed(blocks, widths, is_output);
        (is_signed && extends).then_some(Signed { narrow, wide, widths })
    }
}

/// The conversion that sign-extends.
fn name(to: u32, from: u32) -> String {
    format!("cvt.s{to}.s{from}")
}

/// A conversion between integers.
pub(super) fn conversion(opcode: &str, operands: [Operand; 2]) -> Instruction {
    let opcode: Opcode = opcode.parse().expect("a form");
    Instruction { guard: None, opcode, operands: operands.into(), span: Span::default() }
}
