//! The kernels: loops over whole columns, without branches inside.
//!
//! A test compares them with the reference on every instruction. The functions here are inlined into one function for each
//! set of CPU features ([`super::tier`]).

use super::floats::{self, FloatOp};
use super::lane::{Lane, Source, map1, map2, map3, map4, update2};

/// The most sources of a kernel.
pub(super) const SOURCES: usize = 4;

/// An operation over columns whose lanes have `width` bytes. Packed types are twice as many lanes of half the width.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kernel {
    Not,
    And,
    Or,
    Xor,
    Add,
    /// `a + b + c`
    Sum,
    Sub,
    Mul,
    /// The smaller or larger of two integers.
    Extreme {
        greatest: bool,
        signed: bool,
    },
    /// `-a`
    Negate,
    Magnitude {
        signed: bool,
    },
    /// A shift by the same amount in every lane.
    ShiftLeft(u32),
    ShiftRight {
        by: u32,
        signed: bool,
    },
    /// A shift by a column of 32-bit amounts.
    ShiftLeftBy,
    ShiftRightBy {
        signed: bool,
    },
    /// `lop3` with this truth table.
    Lop3(u8),
    /// Moves bytes of `a` and `b`. For each group: whether it is from `b`, the rotation to the left, the mask.
    Permute(Vec<(bool, u32, u32)>),
    /// Picks bytes by the selectors in `c`.
    PermuteBy,
    /// p ? a : b, where p is a byte.
    Select,
    /// a and b compare so ? c : d
    SelectBy {
        relation: Relation,
        signed: bool,
    },
    /// A comparison of integers; the result is a byte, 1 if it holds.
    Compare {
        relation: Relation,
        signed: bool,
    },
    /// A comparison of floats whose infinity has these bits; `unordered` is the result if one is NaN.
    CompareFloats {
        relation: Relation,
        infinity: u64,
        unordered: bool,
    },
    /// The smaller or larger of two floats; `nan_wins` for `.NaN`.
    ExtremeFloat {
        greatest: bool,
        infinity: u64,
        nan_wins: bool,
    },
    /// One f32 or f64 operation, rounded to nearest.
    Float(FloatOp),
    /// Replaces each NaN of f32, f16 or bf16 by the canonical one.
    CanonicalNan {
        infinity: u64,
    },
    /// a · b + c for f16, in f32, rounded to odd ([`super::floats`]).
    FusedOdd,
    /// a · b + c for bf16, in f64, rounded to odd at few enough bits for f32.
    FusedOddBf16,
    /// An operation on f32 with an f64 result, rounded to odd. With `down`, numbers that cancel give −0.
    Odd {
        op: FloatOp,
        down: bool,
    },
    /// Replaces magnitudes below this one by zero.
    Flush {
        least: u64,
    },
    /// The number of leading zeros, in 32 bits.
    LeadingZeros,
    Ones,
    Reverse,
    /// Extends or truncates lanes of `from` bytes.
    Resize {
        from: usize,
        signed: bool,
    },
    /// Part `at` of wider lanes.
    Part {
        whole: usize,
        at: usize,
    },
    /// Joins the lanes of two columns of half the width, the lower one first.
    Join,
}

/// A relation of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Kernel {
    /// Runs over columns with lanes of `width` bytes. `d` and the sources have the same number of lanes.
    #[inline(always)]
    pub fn run(&self, width: usize, d: &mut [u8], sources: [Source<'_>; SOURCES]) {
        match width {
            1 => self.run_wide::<u8>(d, sources),
            2 if *self == Kernel::Join => {
                map2(d, sources[0], sources[1], |a: u8, b: u8| u16::from(b) << 8 | u16::from(a));
            }
            2 => self.run_wide::<u16>(d, sources),
            4 => self.run_32(d, sources),
            8 => self.run_64(d, sources),
            other => unreachable!("no lane has {other} bytes"),
        }
    }

    /// The operations that every width has.
    #[inline(always)]
    fn run_wide<T: Lane>(&self, d: &mut [u8], sources: [Source<'_>; SOURCES]) {
        let [a, b, c, _] = sources;
        match *self {
            Kernel::Not => map1(d, a, |a: T| !a),
            Kernel::And => map2(d, a, b, |a: T, b: T| a & b),
            Kernel::Or => map2(d, a, b, |a: T, b: T| a | b),
            Kernel::Xor => map2(d, a, b, |a: T, b: T| a ^ b),
            Kernel::Add => map2(d, a, b, T::add),
            Kernel::Sum => map3(d, [a, b, c], |a: T, b: T, c: T| a.add(b).add(c)),
            Kernel::Sub => map2(d, a, b, T::sub),
            Kernel::Mul => map2(d, a, b, T::mul),
            Kernel::Extreme { greatest, signed } => {
                // Signed numbers have the order of unsigned ones with the sign flipped.
                let flip = if signed { T::SIGN } else { T::ZERO };
                match greatest {
                    true => map2(d, a, b, |a: T, b: T| (a ^ flip).max(b ^ flip) ^ flip),
                    false => map2(d, a, b, |a: T, b: T| (a ^ flip).min(b ^ flip) ^ flip),
                }
            }
            Kernel::Negate => map1(d, a, |a: T| T::ZERO.sub(a)),
            Kernel::Magnitude { signed: true } => {
                map1(d, a, |a: T| if a.less_signed(T::ZERO) { T::ZERO.sub(a) } else { a });
            }
            Kernel::Magnitude { signed: false } => map1(d, a, |a: T| a & !T::SIGN),
            Kernel::ShiftLeft(by) => map1(d, a, |a: T| a.shl(by)),
            Kernel::ShiftRight { by, signed: false } => map1(d, a, |a: T| a.shr(by)),
            Kernel::ShiftRight { by, signed: true } => map1(d, a, |a: T| a.sar(by)),
            Kernel::ShiftLeftBy => map2(d, a, b, |a: T, b: u32| a.shl(b)),
            Kernel::ShiftRightBy { signed: false } => map2(d, a, b, |a: T, b: u32| a.shr(b)),
            Kernel::ShiftRightBy { signed: true } => map2(d, a, b, |a: T, b: u32| a.sar(b)),
            Kernel::Select => map3(d, [a, b, c], |p: u8, a: T, b: T| if p != 0 { a } else { b }),
            Kernel::SelectBy { relation, signed } => {
                let flip = if signed { T::SIGN } else { T::ZERO };
                select_by(relation, d, sources, flip);
            }
            Kernel::Compare { relation, signed } => {
                let flip = if signed { T::SIGN } else { T::ZERO };
                compare(relation, d, a, b, |a: T| a ^ flip);
            }
            Kernel::CompareFloats { relation, infinity, unordered } => {
                let infinity = T::from_u64(infinity);
                compare(relation, d, a, b, |a: T| key(if a & !T::SIGN == T::ZERO { T::ZERO } else { a }));
                let nan = |x: T| x & !T::SIGN > infinity;
                // A second pass keeps the comparison simple enough for vector code.
                update2(d, a, b, |d: u8, a: T, b: T| if nan(a) | nan(b) { u8::from(unordered) } else { d });
            }
            Kernel::ExtremeFloat { greatest, infinity, nan_wins } => {
                let infinity = T::from_u64(infinity);
                match greatest {
                    true => map2(d, a, b, |a: T, b: T| {
                        extreme(a, b, number(key(a).max(key(b))), infinity, nan_wins)
                    }),
                    false => map2(d, a, b, |a: T, b: T| {
                        extreme(a, b, number(key(a).min(key(b))), infinity, nan_wins)
                    }),
                }
            }
            Kernel::Flush { least } => {
                let least = T::from_u64(least);
                map1(d, a, |a: T| if a & !T::SIGN < least { a & T::SIGN } else { a });
            }
            Kernel::LeadingZeros => map1(d, a, |a: T| a.leading_zeros()),
            Kernel::Ones => map1(d, a, |a: T| a.ones()),
            Kernel::Reverse => map1(d, a, |a: T| a.reverse()),
            Kernel::CanonicalNan { infinity } => {
                let infinity = T::from_u64(infinity);
                map1(d, a, |a: T| if a & !T::SIGN > infinity { !T::SIGN } else { a });
            }
            Kernel::Resize { from, signed } => resize::<T>(d, a, from, signed),
            Kernel::Part { whole, at } => part::<T>(d, a, whole, at),
            // These have other widths, in `run`, `run_32` and `run_64`.
            Kernel::Lop3(_)
            | Kernel::Permute(_)
            | Kernel::PermuteBy
            | Kernel::Float(_)
            | Kernel::FusedOdd
            | Kernel::FusedOddBf16
            | Kernel::Odd { .. }
            | Kernel::Join => unreachable!("{self:?} does not work on lanes of this width"),
        }
    }

    #[inline(always)]
    fn run_32(&self, d: &mut [u8], sources: [Source<'_>; SOURCES]) {
        let [a, b, c, _] = sources;
        match self {
            Kernel::Lop3(table) => lop3(*table, d, sources),
            Kernel::Permute(groups) => {
                let word = |second: bool| if second { b } else { a };
                match groups[..] {
                    [] => d.fill(0),
                    [(p, r, m)] => map1(d, word(p), |x: u32| x.rotate(r) & m),
                    [(p, r, m), (q, s, n)] => {
                        map2(d, word(p), word(q), |x: u32, y: u32| x.rotate(r) & m | y.rotate(s) & n);
                    }
                    [(p, r, m), (q, s, n), ref rest @ ..] => {
                        map2(d, word(p), word(q), |x: u32, y: u32| x.rotate(r) & m | y.rotate(s) & n);
                        for &(t, u, o) in rest {
                            update2(d, word(t), word(t), |d: u32, x: u32, _: u32| d | x.rotate(u) & o);
                        }
                    }
                }
            }
            Kernel::PermuteBy => map3(d, [a, b, c], |a: u32, b: u32, c: u32| {
                let words = u64::from(b) << 32 | u64::from(a);
                let pick = |i: u32| {
                    let selector = c >> (4 * i);
                    let byte = (words >> (8 * (selector & 7))) as u32 & 0xff;
                    let sign = (byte >> 7).wrapping_neg() & 0xff;
                    (if selector & 8 != 0 { sign } else { byte }) << (8 * i)
                };
                pick(0) | pick(1) | pick(2) | pick(3)
            }),
            Kernel::Float(op) => floats::single(*op, d, [a, b, c]),
            Kernel::FusedOdd => floats::fused_odd(d, [a, b, c]),
            Kernel::FusedOddBf16 => floats::fused_odd_bf16(d, [a, b, c]),
            Kernel::Join => map2(d, a, b, |a: u16, b: u16| u32::from(b) << 16 | u32::from(a)),
            _ => self.run_wide::<u32>(d, sources),
        }
    }

    #[inline(always)]
    fn run_64(&self, d: &mut [u8], sources: [Source<'_>; SOURCES]) {
        let [a, b, c, _] = sources;
        match self {
            Kernel::Join => map2(d, a, b, |a: u32, b: u32| u64::from(b) << 32 | u64::from(a)),
            Kernel::Float(op) => floats::double(*op, d, [a, b, c]),
            Kernel::Odd { op, down } => floats::odd(*op, *down, d, [a, b, c]),
            _ => self.run_wide::<u64>(d, sources),
        }
    }
}

/// A key with the order of the numbers, −0 just below +0: a negative number with all bits flipped, another with its sign
/// set.
#[inline(always)]
fn key<T: Lane>(bits: T) -> T {
    bits ^ (bits.sar(u64::BITS) | T::SIGN)
}

/// The number with this key.
#[inline(always)]
fn number<T: Lane>(key: T) -> T {
    key ^ (!key.sar(u64::BITS) | T::SIGN)
}

/// The smaller or larger of two floats, which `number` is unless one of them is NaN.
#[inline(always)]
fn extreme<T: Lane>(a: T, b: T, number: T, infinity: T, nan_wins: bool) -> T {
    let nan = |x: T| x & !T::SIGN > infinity;
    let (na, nb) = (nan(a), nan(b));
    let one = if na { b } else { a };
    let chosen = if na | nb { one } else { number };
    if (na & nb) | (nan_wins & (na | nb)) { !T::SIGN } else { chosen }
}

#[inline(always)]
fn compare<T: Lane>(relation: Relation, d: &mut [u8], a: Source<'_>, b: Source<'_>, order: impl Fn(T) -> T) {
    match relation {
        Relation::Eq => map2(d, a, b, |a: T, b: T| u8::from(order(a) == order(b))),
        Relation::Ne => map2(d, a, b, |a: T, b: T| u8::from(order(a) != order(b))),
        Relation::Lt => map2(d, a, b, |a: T, b: T| u8::from(order(a) < order(b))),
        Relation::Le => map2(d, a, b, |a: T, b: T| u8::from(order(a) <= order(b))),
        Relation::Gt => map2(d, a, b, |a: T, b: T| u8::from(order(a) > order(b))),
        Relation::Ge => map2(d, a, b, |a: T, b: T| u8::from(order(a) >= order(b))),
    }
}

/// The third or the fourth source, as the first two compare with the bits of `flip` flipped. Each loop flips them itself: a
/// closure that the loops share is not inlined.
#[inline(always)]
fn select_by<T: Lane>(relation: Relation, d: &mut [u8], s: [Source<'_>; SOURCES], flip: T) {
    match relation {
        Relation::Eq => map4(d, s, |a: T, b: T, c: T, e: T| if a ^ flip == b ^ flip { c } else { e }),
        Relation::Ne => map4(d, s, |a: T, b: T, c: T, e: T| if a ^ flip != b ^ flip { c } else { e }),
        Relation::Lt => map4(d, s, |a: T, b: T, c: T, e: T| if a ^ flip < b ^ flip { c } else { e }),
        Relation::Le => map4(d, s, |a: T, b: T, c: T, e: T| if a ^ flip <= b ^ flip { c } else { e }),
        Relation::Gt => map4(d, s, |a: T, b: T, c: T, e: T| if a ^ flip > b ^ flip { c } else { e }),
        Relation::Ge => map4(d, s, |a: T, b: T, c: T, e: T| if a ^ flip >= b ^ flip { c } else { e }),
    }
}

/// `lop3`: frequent tables by their operators, others by their algebraic normal form, with a term for each set of
/// operands.
#[inline(always)]
fn lop3(table: u8, d: &mut [u8], sources: [Source<'_>; SOURCES]) {
    let [a, b, c, _] = sources;
    let sources = [a, b, c];
    match table {
        0xc0 => map3(d, sources, |a: u32, b: u32, _: u32| a & b),
        0xea => map3(d, sources, |a: u32, b: u32, c: u32| a & b | c),
        0xf8 => map3(d, sources, |a: u32, b: u32, c: u32| a | b & c),
        0x6a => map3(d, sources, |a: u32, b: u32, c: u32| a & b ^ c),
        0xfe => map3(d, sources, |a: u32, b: u32, c: u32| a | b | c),
        0x96 => map3(d, sources, |a: u32, b: u32, c: u32| a ^ b ^ c),
        0x80 => map3(d, sources, |a: u32, b: u32, c: u32| a & b & c),
        0xca => map3(d, sources, |a: u32, b: u32, c: u32| a & b | !a & c),
        _ => {
            let mut terms = [0_u8; 8];
            for (set, term) in terms.iter_mut().enumerate() {
                // The exclusive or of the table over all subsets of the set.
                *term = (0..8).filter(|sub| sub & !set == 0).fold(0, |t, sub| t ^ table >> sub & 1);
            }
            let [one, c, b, bc, a, ac, ab, abc] = terms.map(|t| u32::from(t).wrapping_neg());
            map3(d, sources, |x: u32, y: u32, z: u32| {
                (one ^ z & c) ^ (y & (b ^ z & bc)) ^ (x & ((a ^ z & ac) ^ y & (ab ^ z & abc)))
            });
        }
    }
}

/// Lanes of `from` bytes, truncated or extended.
#[inline(always)]
fn resize<T: Lane>(d: &mut [u8], a: Source<'_>, from: usize, signed: bool) {
    match (from, signed) {
        (1, false) => map1(d, a, |a: u8| T::from_u64(a.into())),
        (2, false) => map1(d, a, |a: u16| T::from_u64(a.into())),
        (4, false) => map1(d, a, |a: u32| T::from_u64(a.into())),
        (1, true) => map1(d, a, |a: u8| T::from_u64(a as i8 as u64)),
        (2, true) => map1(d, a, |a: u16| T::from_u64(a as i16 as u64)),
        (4, true) => map1(d, a, |a: u32| T::from_u64(a as i32 as u64)),
        (8, _) => map1(d, a, |a: u64| T::from_u64(a)),
        (other, _) => unreachable!("no lane has {other} bytes"),
    }
}

/// Part `at`, counted from the lowest, of lanes of `whole` bytes.
#[inline(always)]
fn part<T: Lane>(d: &mut [u8], a: Source<'_>, whole: usize, at: usize) {
    let by = 8 * (at * T::BYTES) as u32;
    match whole {
        2 => map1(d, a, |a: u16| T::from_u64((a >> (by & 15)).into())),
        4 => map1(d, a, |a: u32| T::from_u64((a >> (by & 31)).into())),
        8 => map1(d, a, |a: u64| T::from_u64(a >> by)),
        other => unreachable!("no lane of {other} bytes has parts"),
    }
}
