//! Runs a block of inline assembly over arrays, element by element, as Triton's and PyTorch's `inline_asm_elementwise`
//! do.
//!
//! One run of the block takes `pack` elements of every array. Elements of fewer than 32 bits share registers of up to
//! 32 bits, the first one in the low bits. So an array is one operand, or several if its elements need several
//! registers.

use std::fmt;

use ptxcvt::forms::RegisterClass;

use super::program::{LANES, Program};
use super::run::Runner;
use crate::block::{Block, Port};

/// A block prepared for arrays of certain element widths.
///
/// ```
/// use ptxcvt_exec::lanes::Elementwise;
/// use ptxcvt_exec::read::{self, Interface};
/// // Four bytes at a time, in one register.
/// let block = read::block("xor.b32 $0, $1, 0x80808080;", &Interface::constraints("=r,r")?)?;
/// let ready = Elementwise::new(&block, &[8], &[8], 4)?;
/// let mut result = [0; 6];
/// ready.run(6, &[&[1, 2, 3, 4, 5, 6]], &mut [&mut result]);
/// assert_eq!(result, [0x81, 0x82, 0x83, 0x84, 0x85, 0x86]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Elementwise {
    program: Program,
    inputs: Vec<Place>,
    outputs: Vec<Place>,
    pack: usize,
}

/// The part of an array that a register holds in one run.
#[derive(Clone, Copy, Debug)]
struct Place {
    array: usize,
    /// The first byte of the part in a group of `pack` elements, and the number of bytes.
    offset: usize,
    bytes: usize,
    /// The bytes of a group.
    group: usize,
    /// The bytes of the register in the runner's column.
    width: usize,
}

/// Why arrays do not fit a block.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElementwiseError {
    /// The block has more or fewer operands than the arrays need registers.
    Registers {
        /// True for the outputs, false for the inputs.
        outputs: bool,
        /// The number of the block's operands.
        block: usize,
        /// The number of registers that the arrays need.
        needed: usize,
    },
    /// A register is too narrow for its elements.
    Narrow {
        /// Its name in the block.
        name: String,
        /// Its width in bits.
        width: u32,
        /// The bits of the elements.
        needed: u32,
    },
    /// A floating-point register would hold elements of another width.
    Float {
        /// Its name in the block.
        name: String,
        /// Its width in bits.
        width: u32,
        /// The bits of the elements.
        given: u32,
    },
    /// `pack` elements do not fill a whole number of registers, or `pack` is 0.
    Pack {
        /// The given value.
        pack: usize,
        /// The width of an element in bits.
        element: u32,
    },
    /// The width of elements is not 8, 16, 32 or 64 bits.
    Element {
        /// The given value.
        bits: u32,
    },
}

impl fmt::Display for ElementwiseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElementwiseError::Registers { outputs, block, needed } => {
                let kind = if *outputs { "output" } else { "input" };
                let (has, needed) = (ptxcvt::counted(*block, kind), ptxcvt::counted(*needed, "register"));
                write!(f, "the block has {has}, but the arrays need {needed}")
            }
            ElementwiseError::Narrow { name, width, needed } => {
                write!(f, "`{name}` has {width} bits, but its elements have {needed} bits together")
            }
            ElementwiseError::Float { name, width, given } => {
                write!(f, "`{name}` is a register of f{width}, which elements of {given} bits are not")
            }
            ElementwiseError::Pack { pack, element } => {
                write!(f, "pack={pack} elements of {element} bits are not a whole number of registers")
            }
            ElementwiseError::Element { bits } => {
                write!(f, "elements of {bits} bits: they must have 8, 16, 32 or 64")
            }
        }
    }
}

impl std::error::Error for ElementwiseError {}

impl Elementwise {
    /// Prepares a block for arrays whose elements have these numbers of bits, with `pack` elements of each array per
    /// run.
    ///
    /// # Errors
    ///
    /// Fails if the number of operands differs from the number of registers that the arrays need, or if an operand is
    /// too narrow.
    pub fn new(
        block: &Block,
        inputs: &[u32],
        outputs: &[u32],
        pack: usize,
    ) -> Result<Elementwise, ElementwiseError> {
        let places = |arrays: &[u32], ports: &[Port], outputs: bool| {
            let together: Vec<usize> =
                arrays.iter().map(|bits| together(*bits, pack)).collect::<Result<_, _>>()?;
            // Before any place is made: there may be more than fit in memory.
            let needed = together.iter().fold(0_usize, |n, together| n.saturating_add(pack / together));
            if needed != ports.len() {
                return Err(ElementwiseError::Registers { outputs, block: ports.len(), needed });
            }
            let mut all = Vec::new();
            for (array, (bits, together)) in arrays.iter().zip(together).enumerate() {
                let size = *bits as usize / 8;
                let (bytes, group) = (together * size, pack * size);
                let place = |r| Place { array, offset: r * bytes, bytes, group, width: 0 };
                all.extend((0..pack / together).map(place));
            }
            for (place, port) in all.iter_mut().zip(ports) {
                let (width, needed) = (block.width(*port), 8 * place.bytes as u32);
                let register = block.declaration(port.register);
                if register.ty.class == RegisterClass::Float && width > needed {
                    let name = register.name.clone();
                    return Err(ElementwiseError::Float { name, width, given: needed });
                }
                if width < needed && !(width == 1 && needed == 8) {
                    let name = register.name.clone();
                    return Err(ElementwiseError::Narrow { name, width, needed });
                }
                place.width = width.div_ceil(8) as usize;
            }
            Ok(all)
        };
        let (inputs, outputs) =
            (places(inputs, block.inputs(), false)?, places(outputs, block.outputs(), true)?);
        Ok(Elementwise { program: Program::new(block), inputs, outputs, pack })
    }

    /// Runs `count` elements of every array. Arrays are little-endian and have that many elements. Zeros complete the
    /// last group.
    ///
    /// # Panics
    ///
    /// Panics if the number of arrays differs from that given to [`new`](Self::new), or if one is too short.
    pub fn run(&self, count: usize, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) {
        let mut runner = self.program.runner();
        let groups = count.div_ceil(self.pack);
        for first in (0..groups).step_by(LANES) {
            let range = (first, LANES.min(groups - first));
            for (n, place) in self.inputs.iter().enumerate() {
                place.read(inputs[place.array], range, count / self.pack, runner.input(n));
            }
            runner.run();
            self.write(&runner, range, outputs);
        }
    }

    fn write(&self, runner: &Runner<'_>, range: (usize, usize), outputs: &mut [&mut [u8]]) {
        for (n, place) in self.outputs.iter().enumerate() {
            place.write(runner.output(n), range, outputs[place.array]);
        }
    }
}

/// How many of the `pack` elements of an array are in one register.
fn together(bits: u32, pack: usize) -> Result<usize, ElementwiseError> {
    if !matches!(bits, 8 | 16 | 32 | 64) {
        return Err(ElementwiseError::Element { bits });
    }
    let together = pack.min((32 / bits as usize).max(1));
    match pack == 0 || pack % together != 0 {
        true => Err(ElementwiseError::Pack { pack, element: bits }),
        false => Ok(together),
    }
}

impl Place {
    /// Fills a register's column from the `count` groups that begin with `first`; the array has `whole` complete
    /// groups.
    fn read(&self, array: &[u8], (first, count): (usize, usize), whole: usize, column: &mut [u8]) {
        let Place { offset, bytes, group, width, .. } = *self;
        if offset == 0 && bytes == group && bytes == width && first + count <= whole {
            column[..count * width].copy_from_slice(&array[first * group..(first + count) * group]);
            return;
        }
        for (lane, register) in column.chunks_exact_mut(width).take(count).enumerate() {
            let at = (first + lane) * group + offset;
            let there = array.len().saturating_sub(at).min(bytes);
            register.fill(0);
            register[..there].copy_from_slice(&array[at.min(array.len())..][..there]);
        }
    }

    /// Writes a register's column to the array, except the lanes after the array's end.
    fn write(&self, column: &[u8], (first, count): (usize, usize), array: &mut [u8]) {
        let Place { offset, bytes, group, width, .. } = *self;
        for (lane, register) in column.chunks_exact(width).take(count).enumerate() {
            let at = (first + lane) * group + offset;
            let there = array.len().saturating_sub(at).min(bytes);
            if there > 0 {
                array[at..at + there].copy_from_slice(&register[..there]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{self, Interface};

    fn block(text: &str, constraints: &str) -> Block {
        read::block(text, &Interface::constraints(constraints).unwrap()).unwrap()
    }

    /// Two f32 registers to two bytes: the registers of an array are consecutive.
    #[test]
    fn arrays_of_several_registers() {
        let block = block("cvt.rn.satfinite.e4m3x2.f32 $0, $2, $1;", "=h,f,f");
        let ready = Elementwise::new(&block, &[32], &[8], 2).unwrap();
        let numbers: Vec<u8> = [1.0_f32, 1.5, -2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let mut codes = [0xff; 3];
        ready.run(3, &[&numbers], &mut [&mut codes]);
        assert_eq!(codes, [0x38, 0x3c, 0xc0]);
    }

    #[test]
    fn many_lanes() {
        let block = block("add.u32 $0, $1, $2;", "=r,r,r");
        let ready = Elementwise::new(&block, &[32, 16], &[32], 1).unwrap();
        let a: Vec<u8> = (0..3000_u32).flat_map(u32::to_le_bytes).collect();
        let b: Vec<u8> = (0..3000_u16).flat_map(u16::to_le_bytes).collect();
        let mut sum = vec![0; 12000];
        ready.run(3000, &[&a, &b], &mut [&mut sum]);
        let expected: Vec<u8> = (0..3000_u32).flat_map(|n| (2 * n).to_le_bytes()).collect();
        assert_eq!(sum, expected);
    }

    #[test]
    fn what_does_not_fit() {
        let block = block("mov.b16 $0, $1;", "=h,h");
        let error = |inputs: &[u32], outputs: &[u32], pack| {
            Elementwise::new(&block, inputs, outputs, pack).unwrap_err().to_string()
        };
        assert_eq!(error(&[32], &[16], 1), "`%1` has 16 bits, but its elements have 32 bits together");
        assert_eq!(error(&[8, 8], &[8], 1), "the block has 1 input, but the arrays need 2 registers");
        assert_eq!(error(&[8], &[8], 6), "pack=6 elements of 8 bits are not a whole number of registers");
        assert_eq!(error(&[4], &[8], 2), "elements of 4 bits: they must have 8, 16, 32 or 64");
        let float = self::block("add.f32 $0, $1, $1;", "=f,f");
        let error = Elementwise::new(&float, &[16], &[32], 1).unwrap_err().to_string();
        assert_eq!(error, "`%1` is a register of f32, which elements of 16 bits are not");
    }
}
