//! Generates every spelling that could be legal, without using the library's table of forms.
//!
//! The axes are the words of the manual's syntax lines: types, rounding modes and modifiers. Most of their combinations are
//! illegal; the assembler decides.

use std::fmt::Write as _;

use ptxcvt::{Modifier, Rounding, Type};

const SCALED: [(&str, &str); 3] = [("", ""), ("scaled::n1::ue8m0", ", s8"), ("scaled::n2::ue8m0", ", s16")];
const PACKED: [&str; 8] = ["u2", "s2", "u4", "s4", "u8", "s8", "u16", "s16"];

/// A spelling with operands that fit it if it is legal.
#[derive(Debug)]
pub struct Spelling {
    /// The opcode, with its modifiers in one fixed order.
    pub opcode: String,
    /// The instruction, using the registers of [`REGISTERS`].
    pub instruction: String,
    /// A store of the result, so that the instruction is not removed.
    pub store: String,
}

/// A store of the destination register of this width.
fn store(width: u32) -> String {
    format!("st.volatile.global.b{width} [p], d{width};")
}

/// Declarations of registers of every width.
pub const REGISTERS: &str = concat!(
    ".reg .b8 d8, a8, b8, c8, e8, f8, s8; .reg .b16 d16, a16, b16, c16, e16, f16, s16; ",
    ".reg .b32 d32, a32, b32, c32, e32, f32, s32; .reg .b64 d64, a64, b64, c64, e64, f64, s64; ",
    ".reg .pred p0, p1, p2;"
);

/// Every spelling of `cvt` and `cvt.pack`.
pub fn all() -> impl Iterator<Item = Spelling> {
    // Only `cvt.pack` has narrower types.
    let types = || Type::ALL.iter().copied().filter(|ty| ty.width() >= 8);
    let pairs = types().flat_map(move |d| types().map(move |s| (d, s)));
    pairs.flat_map(|(d, s)| conversions(d, s)).chain(packs())
}

/// Every spelling of `cvt` between two types.
fn conversions(destination: Type, source: Type) -> impl Iterator<Item = Spelling> {
    let (d, s) = (destination.width(), source.width());
    let elements = match (destination.lanes(), source.lanes()) {
        (4, _) => format!("{{a{s}, b{s}, e{s}, f{s}}}"),
        (2, 1) => format!("a{s}, b{s}"),
        _ => format!("a{s}"),
    };
    let roundings = [""].into_iter().chain(Rounding::ALL.iter().map(|rounding| rounding.name()));
    let flags: Vec<_> = Modifier::ALL.iter().filter(|m| !m.is_scale()).map(|m| m.name()).collect();
    let axes = roundings.flat_map(|rounding| SCALED.into_iter().map(move |scale| (rounding, scale)));
    let axes = axes.flat_map(move |(rounding, scale)| {
        (0..1_u32 << flags.len()).map({
            let flags = flags.clone();
            move |bits| {
                let chosen =
                    flags.iter().enumerate().filter(|(i, _)| bits >> i & 1 != 0).map(|(_, name)| *name);
                (rounding, scale, chosen.collect::<Vec<_>>())
            }
        })
    });
    axes.map(move |(rounding, (scaled, scale), chosen)| {
        let mut opcode = String::from("cvt");
        for part in [rounding].into_iter().chain(chosen).chain([scaled, destination.name(), source.name()]) {
            if !part.is_empty() {
                write!(opcode, ".{part}").expect("a string takes everything");
            }
        }
        // `.rs` takes its random bits from a 32-bit register.
        let rbits = if rounding == "rs" { ", f32" } else { "" };
        let instruction = format!("{opcode} d{d}, {elements}{rbits}{scale};");
        Spelling { opcode, instruction, store: store(d) }
    })
}

/// Every spelling of `cvt.pack`, with and without the third type.
fn packs() -> impl Iterator<Item = Spelling> {
    let axes = PACKED.iter().flat_map(|d| ["", ".sat"].into_iter().map(move |sat| (*d, sat)));
    let axes = axes.flat_map(|(d, sat)| ["s32", "u32", "s16"].into_iter().map(move |ab| (d, sat, ab)));
    axes.flat_map(|(d, sat, ab)| {
        [("", ""), (".b32", ", e32"), (".u32", ", e32")].into_iter().map(move |(third, c)| {
            let opcode = format!("cvt.pack{sat}.{d}.{ab}{third}");
            Spelling { instruction: format!("{opcode} d32, a32, b32{c};"), opcode, store: store(32) }
        })
    })
}
