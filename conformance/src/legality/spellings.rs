//! Every spelling that could be legal, made without a look at the library's table.
//!
//! The axes are those of the manual's syntax lines; their product is far larger than what is legal, and
//! the assembler decides.

use std::fmt::Write as _;

const TYPES: [&str; 28] = [
    "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "bf16", "f32", "f64", "tf32", "f16x2",
    "bf16x2", "e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "e2m1x2", "ue8m0x2", "s2f6x2", "ue5m3x2", "e4m3x4",
    "e5m2x4", "e2m3x4", "e3m2x4", "e2m1x4",
];
const ROUNDING: [&str; 11] = ["", "rn", "rna", "rz", "rm", "rp", "rs", "rni", "rzi", "rmi", "rpi"];
const FLAGS: [&str; 5] = ["ftz", "sat", "satfinite", "relu", "pzo"];
const SCALED: [(&str, &str); 3] = [("", ""), ("scaled::n1::ue8m0", ", s8"), ("scaled::n2::ue8m0", ", s16")];
const PACKED: [&str; 8] = ["u2", "s2", "u4", "s4", "u8", "s8", "u16", "s16"];

/// A spelling, and the operands that fit it if it is legal.
pub struct Spelling {
    /// The opcode, modifiers in one fixed order.
    pub opcode: String,
    /// The instruction, over the registers of [`REGISTERS`].
    pub instruction: String,
    /// The width of the destination register.
    pub width: u32,
}

/// Registers of every width under the names that the instructions use.
pub const REGISTERS: &str = concat!(
    ".reg .b8 d8, a8, b8, e8, f8, s8; .reg .b16 d16, a16, b16, e16, f16, s16; ",
    ".reg .b32 d32, a32, b32, e32, f32, s32; .reg .b64 d64, a64, b64, e64, f64, s64;"
);

/// Every spelling of `cvt` and `cvt.pack`.
pub fn all() -> impl Iterator<Item = Spelling> {
    let pairs = TYPES.iter().flat_map(|d| TYPES.iter().map(move |s| (*d, *s)));
    pairs.flat_map(|(d, s)| conversions(d, s)).chain(packs())
}

/// Every spelling of `cvt` between two types.
fn conversions(destination: &'static str, source: &'static str) -> impl Iterator<Item = Spelling> {
    let (d, s) = (width(destination), width(source));
    let elements = if destination.ends_with("x4") {
        format!("{{a{s}, b{s}, e{s}, f{s}}}")
    } else if lanes(destination) == 2 && lanes(source) == 1 {
        format!("a{s}, b{s}")
    } else {
        format!("a{s}")
    };
    let axes = ROUNDING.iter().flat_map(|r| SCALED.iter().map(move |scale| (*r, *scale)));
    let axes = axes
        .flat_map(|(rounding, scale)| (0..1_u32 << FLAGS.len()).map(move |flags| (rounding, scale, flags)));
    axes.map(move |(rounding, (scaled, scale), flags)| {
        let chosen = FLAGS.iter().enumerate().filter(|(i, _)| flags >> i & 1 != 0).map(|(_, name)| *name);
        let mut opcode = String::from("cvt");
        for part in [rounding].into_iter().chain(chosen).chain([scaled, destination, source]) {
            if !part.is_empty() {
                write!(opcode, ".{part}").expect("a string takes everything");
            }
        }
        // `.rs` takes its random bits from a 32-bit register.
        let rbits = if rounding == "rs" { ", f32" } else { "" };
        let instruction = format!("{opcode} d{d}, {elements}{rbits}{scale};");
        Spelling { opcode, instruction, width: d }
    })
}

/// Every spelling of `cvt.pack`, with and without the third type.
fn packs() -> impl Iterator<Item = Spelling> {
    let axes = PACKED.iter().flat_map(|d| ["", ".sat"].into_iter().map(move |sat| (*d, sat)));
    let axes = axes.flat_map(|(d, sat)| ["s32", "u32", "s16"].into_iter().map(move |ab| (d, sat, ab)));
    axes.flat_map(|(d, sat, ab)| {
        [("", ""), (".b32", ", e32"), (".u32", ", e32")].into_iter().map(move |(third, c)| {
            let opcode = format!("cvt.pack{sat}.{d}.{ab}{third}");
            Spelling { instruction: format!("{opcode} d32, a32, b32{c};"), opcode, width: 32 }
        })
    })
}

fn lanes(name: &str) -> u32 {
    match name.rsplit_once('x') {
        Some((_, "2")) => 2,
        Some((_, "4")) => 4,
        _ => 1,
    }
}

/// The width of the register that holds a type exactly.
fn width(name: &str) -> u32 {
    match name {
        "e2m1x2" => 8,
        "e2m1x4" => 16,
        "f16x2" | "bf16x2" | "tf32" => 32,
        _ if lanes(name) > 1 => 8 * lanes(name),
        _ => name
            .trim_start_matches(|c: char| !c.is_ascii_digit())
            .parse()
            .expect("scalar types end in their width"),
    }
}
