//! The code of a WebAssembly module as streams of one kind of number each, which LZMA packs 7 % more tightly than the
//! code as it is: an opcode says little about the bytes of an address, and much about the next opcode.
//!
//! WebAssembly Core Specification 2.0, 5.4 (instructions) and 5.5.13 (the section of code).
//!
//! A split module is the length of the module, the number of its functions, and the lengths of eight parts, each as 32
//! bits, little-endian; then the parts: the bytes before the first function, those after the last one, and the streams
//! of [`Stream`]. The lengths of functions are not kept, because a function ends where its blocks do.

/// The streams. A byte of code belongs to one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Stream {
    /// An opcode, or one of its rarer immediates, such as an alignment.
    Opcode,
    /// The index of a local variable.
    Local,
    /// The index of a called function.
    Function,
    /// The offset of a load or store.
    Offset,
    /// A constant of 32 bits in at most two bytes.
    Small,
    /// A longer one, which is most often an address.
    Address,
}

/// The number of streams, and of parts.
const STREAMS: usize = 6;
const PARTS: usize = 2 + STREAMS;
/// The bytes of the lengths.
const HEAD: usize = 4 * (2 + PARTS);

const I32_CONST: u8 = 0x41;
/// `i32.const` in [`Stream::Opcode`] if its number is in [`Stream::Address`]. WebAssembly has no such opcode.
const ADDRESS_CONST: u8 = 0xff;

/// Moves code from the module into the streams, or back.
trait Transfer {
    /// The next byte, which is part of a stream.
    fn byte(&mut self, stream: Stream) -> Option<u8>;
    /// The next opcode, or [`ADDRESS_CONST`].
    fn opcode(&mut self) -> Option<u8>;
}

/// Moves a number in LEB128. Only those of 32 bits have a meaning here.
fn number(code: &mut impl Transfer, stream: Stream) -> Option<u32> {
    let mut value = 0;
    for at in 0..10 {
        let byte = code.byte(stream)?;
        value |= u32::from(byte & 0x7f).checked_shl(7 * at).unwrap_or(0);
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Moves a function without its length; `None` if an opcode is unknown or the code ends too soon.
fn function(code: &mut impl Transfer) -> Option<()> {
    use Stream::*;
    for _ in 0..number(code, Opcode)? {
        number(code, Opcode)?;
        code.byte(Opcode)?;
    }
    let mut blocks = 1;
    while blocks > 0 {
        match code.opcode()? {
            // block, loop, if; end
            0x02..=0x04 => {
                blocks += 1;
                number(code, Opcode)?;
            }
            0x0b => blocks -= 1,
            // br, br_if, global, table, a function's reference
            0x0c | 0x0d | 0x23..=0x26 | 0xd2 => {
                number(code, Opcode)?;
            }
            // br_table, select with types
            opcode @ (0x0e | 0x1c) => {
                let more = u32::from(opcode == 0x0e);
                for _ in 0..number(code, Opcode)?.checked_add(more)? {
                    number(code, Opcode)?;
                }
            }
            0x10 => {
                number(code, Function)?;
            }
            // call_indirect
            0x11 => {
                number(code, Opcode)?;
                number(code, Opcode)?;
            }
            0x20..=0x22 => {
                number(code, Local)?;
            }
            // loads and stores: alignment and offset
            0x28..=0x3e => {
                number(code, Opcode)?;
                number(code, Offset)?;
            }
            // the memory's size; a null reference
            0x3f | 0x40 | 0xd0 => {
                code.byte(Opcode)?;
            }
            I32_CONST => {
                number(code, Small)?;
            }
            ADDRESS_CONST => {
                number(code, Address)?;
            }
            // i64.const
            0x42 => {
                number(code, Opcode)?;
            }
            opcode @ (0x43 | 0x44) => {
                for _ in 0..if opcode == 0x43 { 4 } else { 8 } {
                    code.byte(Opcode)?;
                }
            }
            // saturating conversions; memory.init, .copy, .fill, and of tables
            0xfc => {
                let operands = match number(code, Opcode)? {
                    0..=7 => 0,
                    8 | 10 | 12 | 14 => 2,
                    9 | 11 | 13 | 15..=17 => 1,
                    _ => return None,
                };
                for _ in 0..operands {
                    number(code, Opcode)?;
                }
            }
            // control without operands, drop, select, arithmetic, ref.is_null
            0x00 | 0x01 | 0x05 | 0x0f | 0x1a | 0x1b | 0x45..=0xc4 | 0xd1 => {}
            _ => return None,
        }
    }
    Some(())
}

/// Puts the parts together.
struct Join<'j> {
    streams: [&'j [u8]; STREAMS],
    output: &'j mut [u8],
    at: usize,
}

impl Join<'_> {
    fn next(&mut self, stream: Stream) -> Option<u8> {
        let stream = self.streams.get_mut(stream as usize)?;
        let (byte, rest) = stream.split_first()?;
        *stream = rest;
        Some(*byte)
    }

    fn put(&mut self, byte: u8) -> Option<()> {
        *self.output.get_mut(self.at)? = byte;
        self.at += 1;
        Some(())
    }

    fn put_all(&mut self, bytes: &[u8]) -> Option<()> {
        bytes.iter().try_for_each(|byte| self.put(*byte))
    }

    /// A function with its length, which is known only after it.
    fn function(&mut self) -> Option<()> {
        let begin = self.at;
        function(self)?;
        let mut length = self.at - begin;
        let bytes = (1..).find(|bytes| length >> (7 * bytes) == 0)?;
        self.at += bytes;
        // Moves the function up by as many bytes as its length needs.
        for at in (begin..self.at - bytes).rev() {
            *self.output.get_mut(at + bytes)? = *self.output.get(at)?;
        }
        for at in begin..begin + bytes {
            let more = if at + 1 < begin + bytes { 0x80 } else { 0 };
            *self.output.get_mut(at)? = (length & 0x7f) as u8 | more;
            length >>= 7;
        }
        Some(())
    }
}

impl Transfer for Join<'_> {
    fn byte(&mut self, stream: Stream) -> Option<u8> {
        let byte = self.next(stream)?;
        self.put(byte)?;
        Some(byte)
    }

    fn opcode(&mut self) -> Option<u8> {
        let code = self.next(Stream::Opcode)?;
        self.put(if code == ADDRESS_CONST { I32_CONST } else { code })?;
        Some(code)
    }
}

/// The length of the module that was split.
pub fn length(split: &[u8]) -> Option<usize> {
    split.first_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize)
}

/// Puts a split module together; `None` if it is damaged or the output is not as long as the module.
pub fn join(split: &[u8], output: &mut [u8]) -> Option<()> {
    let (head, mut rest) = split.split_at_checked(HEAD)?;
    let number = |at: usize| Some(u32::from_le_bytes(*head.get(4 * at..)?.first_chunk()?) as usize);
    let mut parts = [&[][..]; PARTS];
    for (at, part) in parts.iter_mut().enumerate() {
        (*part, rest) = rest.split_at_checked(number(2 + at)?)?;
    }
    let [before, after, streams @ ..] = parts;
    let length = output.len();
    let mut join = Join { streams, output, at: 0 };
    join.put_all(before)?;
    for _ in 0..number(1)? {
        join.function()?;
    }
    join.put_all(after)?;
    (number(0)? == length && join.at == length && rest.is_empty()).then_some(())
}

/// Takes a module apart.
#[cfg(not(target_arch = "wasm32"))]
struct Split<'s> {
    code: &'s [u8],
    streams: [Vec<u8>; STREAMS],
}

#[cfg(not(target_arch = "wasm32"))]
impl Split<'_> {
    fn next(&mut self) -> Option<u8> {
        let (byte, rest) = self.code.split_first()?;
        self.code = rest;
        Some(*byte)
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Transfer for Split<'_> {
    fn byte(&mut self, stream: Stream) -> Option<u8> {
        let byte = self.next()?;
        self.streams[stream as usize].push(byte);
        Some(byte)
    }

    fn opcode(&mut self) -> Option<u8> {
        let code = self.next()?;
        let is_long = self.code.iter().take(2).all(|byte| *byte >= 0x80);
        let code = match code {
            ADDRESS_CONST => return None,
            I32_CONST if is_long => ADDRESS_CONST,
            code => code,
        };
        self.streams[Stream::Opcode as usize].push(code);
        Some(code)
    }
}

/// Splits a module whose functions begin at `first`, after their number, and end at `end`. `None` if it has an opcode
/// that is not known here, or if [`join`] would not return the same bytes.
#[cfg(not(target_arch = "wasm32"))]
pub fn split(module: &[u8], first: usize, end: usize) -> Option<Vec<u8>> {
    let mut split = Split { code: module.get(first..end)?, streams: Default::default() };
    let mut functions = 0;
    while !split.code.is_empty() {
        while split.next()? >= 0x80 {} // the length
        function(&mut split)?;
        functions += 1;
    }
    let [before, after] = [module.get(..first)?, module.get(end..)?];
    let parts = || [before, after].into_iter().chain(split.streams.iter().map(Vec::as_slice));
    let mut made = Vec::new();
    for number in [module.len(), functions].into_iter().chain(parts().map(<[u8]>::len)) {
        made.extend(u32::try_from(number).ok()?.to_le_bytes());
    }
    parts().for_each(|part| made.extend(part));
    let mut again = vec![0; module.len()];
    join(&made, &mut again)?;
    (again == module).then_some(made)
}
