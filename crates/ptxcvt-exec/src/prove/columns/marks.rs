//! Marks the properties of many lanes at once: what distinguishes their results, and what is special in their inputs.
//!
//! [`Results`](crate::prove::results::Results) and [`Kinds::of`] define the properties, for one lane.

use super::limits::Limits;
use crate::lanes::lane::Lane;
use crate::prove::domain::Interval;
use crate::prove::kinds::Kinds;

/// The results differ in bits that are compared.
pub(super) const DIFFERS: u8 = 1;
/// Exactly one of two elements is NaN, or an input is.
pub(super) const NAN: u8 = 1 << 1;
/// Two zeros differ.
pub(super) const ZEROS: u8 = 1 << 2;
/// Elements that are not both zeros differ.
pub(super) const NOT_ZEROS: u8 = 1 << 3;
/// A result is infinite or the largest finite number, or an input is infinite.
pub(super) const OVERFLOW: u8 = 1 << 4;
/// A result or an input is subnormal.
pub(super) const SUBNORMAL: u8 = 1 << 5;
/// Two results are neighbours.
pub(super) const NEIGHBOURS: u8 = 1 << 6;
/// An input is midway between two results that are neighbours.
pub(super) const TIE: u8 = 1 << 7;

/// An element of an operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub limits: Limits,
    /// Its lowest bit in the register.
    pub shift: u32,
    /// Its bits that are compared.
    pub compared: u64,
    /// The distance of neighbours. 0 if neighbours are not of interest.
    pub step: u64,
    /// True if all NaNs are equal.
    pub up_to_nan: bool,
}

/// A register of which all bits of an element can be computed with at once.
trait Word: Lane + Into<u64> {}
impl Word for u32 {}
impl Word for u64 {}

ptxcvt_bulk::tiered! {
    /// Adds `mark` to the lanes in which some of these bits differ. A lane has `width` bytes.
    pub(super) fn bits(bits: u64, mark: u8, width: usize, a: &[u8], b: &[u8], marks: &mut [u8]) {
        match width {
            1 => mark_bits::<u8>(bits, mark, a, b, marks),
            2 => mark_bits::<u16>(bits, mark, a, b, marks),
            4 => mark_bits::<u32>(bits, mark, a, b, marks),
            _ => mark_bits::<u64>(bits, mark, a, b, marks),
        }
    }

    /// Marks what distinguishes an element of the results. `all` receives the marks of all lanes together.
    pub(super) fn results(
        of: &Element, width: usize, a: &[u8], b: &[u8], marks: &mut [u8], all: &mut u8,
    ) {
        match width {
            1 => mark_results::<u8, u32>(of, a, b, marks, all),
            2 => mark_results::<u16, u32>(of, a, b, marks, all),
            4 => mark_results::<u32, u32>(of, a, b, marks, all),
            _ => mark_results::<u64, u64>(of, a, b, marks, all),
        }
    }

    /// For an element of the results, the odd part of the sum of two neighbours; 0 if the elements are not neighbours, or
    /// the sum has more than 32 bits.
    pub(super) fn sums(of: &Element, width: usize, a: &[u8], b: &[u8], sums: &mut [u32]) {
        match width {
            1 => sums_of::<u8, u32>(of, a, b, sums),
            2 => sums_of::<u16, u32>(of, a, b, sums),
            4 => sums_of::<u32, u32>(of, a, b, sums),
            _ => sums_of::<u64, u64>(of, a, b, sums),
        }
    }

    /// Writes bits of consecutive numbers from `first` on: bits `from` and above of each number as far as `mask` selects
    /// them, shifted to the left by `at`.
    pub(super) fn count(codes: &mut [u32], first: u32, from: u32, mask: u32, at: u32) {
        for (code, lane) in codes.iter_mut().zip(0_u32..) {
            *code = (first.wrapping_add(lane) >> from & mask) << at;
        }
    }

    /// Marks NaN, infinite and subnormal elements of an input.
    pub(super) fn inputs(of: &Element, codes: &[u32], marks: &mut [u8]) {
        let Limits { magnitude, end, infinity, unit, subnormals, .. } = of.limits;
        let (end, infinity) = (u32::from_u64(end), u32::from_u64(infinity));
        for (mark, code) in marks.iter_mut().zip(codes) {
            let x = code >> of.shift & magnitude as u32;
            let mut own = chosen::<u32>(x > end, NAN);
            own |= chosen::<u32>(x == infinity, OVERFLOW);
            own |= chosen::<u32>(x.wrapping_sub(unit as u32) < subnormals as u32, SUBNORMAL);
            *mark |= own as u8;
        }
    }

    /// Marks the lanes in which an element of an input has the odd part of the sum of two neighbours.
    pub(super) fn ties(of: &Element, codes: &[u32], sums: &[u32], marks: &mut [u8]) {
        let Limits { storage, magnitude, flip, padding, end, normal, fraction, leading, .. } = of.limits;
        let [storage, magnitude, flip, normal] = [storage, magnitude, flip, normal].map(u32::from_u64);
        let [end, fraction, leading] = [end, fraction, leading].map(u32::from_u64);
        for ((mark, code), sum) in marks.iter_mut().zip(codes).zip(sums) {
            let code = code >> of.shift & storage;
            let x = code & magnitude;
            let whole = if code & flip != 0 { x.wrapping_neg() & magnitude } else { x };
            let whole = whole >> padding;
            let number = if x >= normal { whole & fraction | leading } else { whole };
            let number = if x > end { 0 } else { number };
            let odd = number >> (number.trailing_zeros() & 31);
            let tie = (odd == *sum) & (*sum != 0);
            *mark |= chosen::<u32>(tie, TIE) as u8;
        }
    }

    /// Sets the lanes to 1 in which an element of an input is outside the domain.
    pub(super) fn outside(domain: Interval, of: &Element, codes: &[u32], lanes: &mut [u8]) {
        for (lane, code) in lanes.iter_mut().zip(codes) {
            let code = u64::from(code >> of.shift) & of.limits.storage;
            *lane |= u8::from(!domain.holds(code));
        }
    }

    /// Removes the marks of the lanes outside the domain.
    pub(super) fn remove(outside: &[u8], marks: &mut [u8]) {
        for (mark, outside) in marks.iter_mut().zip(outside) {
            *mark &= outside.wrapping_sub(1);
        }
    }

    /// Adds the number of differing lanes of each kind. A lane has the first kind that applies, in the order of
    /// [`Kinds`].
    pub(super) fn tally(marks: &[u8], counts: &mut [u64; Kinds::COUNT]) {
        const TOGETHER: usize = 64;
        // A byte counts up to 255 lanes.
        for part in marks.chunks(255 * TOGETHER) {
            let mut sums = [[0_u8; TOGETHER]; Kinds::COUNT];
            let whole = part.chunks_exact(TOGETHER);
            let rest = whole.remainder();
            for marks in whole {
                for lane in 0..TOGETHER {
                    let of_lane = kind(marks[lane]);
                    for (sum, one) in sums.iter_mut().zip(of_lane) {
                        sum[lane] += one;
                    }
                }
            }
            for (count, sums) in counts.iter_mut().zip(sums) {
                *count += sums.iter().map(|sum| u64::from(*sum)).sum::<u64>();
            }
            for mark in rest {
                counts.iter_mut().zip(kind(*mark)).for_each(|(count, one)| *count += u64::from(one));
            }
        }
    }
}

/// For each kind, 1 if it is that of a lane. All are 0 if the lane does not differ.
#[inline(always)]
fn kind(mark: u8) -> [u8; Kinds::COUNT] {
    let has = |bit: u8| mark >> bit.trailing_zeros() & 1;
    let properties =
        [has(NAN), has(ZEROS) & !has(NOT_ZEROS), has(OVERFLOW), has(SUBNORMAL), has(TIE), has(NEIGHBOURS), 1];
    let mut rest = has(DIFFERS);
    properties.map(|property| {
        let one = rest & property;
        rest ^= one;
        one
    })
}

/// A mark if a condition holds.
#[inline(always)]
fn chosen<T: Lane>(condition: bool, mark: u8) -> T {
    if condition { T::from_u64(mark.into()) } else { T::ZERO }
}

#[inline(always)]
fn mark_bits<T: Lane>(bits: u64, mark: u8, a: &[u8], b: &[u8], marks: &mut [u8]) {
    let bits = T::from_u64(bits);
    let lanes = a.chunks_exact(T::BYTES).zip(b.chunks_exact(T::BYTES));
    for (own, (a, b)) in marks.iter_mut().zip(lanes) {
        *own |= if (T::load(a) ^ T::load(b)) & bits != T::ZERO { mark } else { 0 };
    }
}

/// The limits of an element in words of one width.
#[derive(Clone, Copy)]
struct Numbers<T> {
    shift: u32,
    compared: T,
    meant: T,
    magnitude: T,
    sign: T,
    flip: T,
    unit: T,
    step: T,
}

impl<T: Word> Numbers<T> {
    #[inline(always)]
    fn new(of: &Element) -> Self {
        let Limits { storage, meant, magnitude, sign, flip, unit, .. } = of.limits;
        let [compared, meant, magnitude] = [of.compared & storage, meant, magnitude].map(T::from_u64);
        let [sign, flip, unit, step] = [sign, flip, unit, of.step].map(T::from_u64);
        Numbers { shift: of.shift, compared, meant, magnitude, sign, flip, unit, step }
    }

    /// The compared bits of both elements, from columns with lanes of the type `R`.
    #[inline(always)]
    fn elements<'c, R: Lane + Into<T>>(self, a: &'c [u8], b: &'c [u8]) -> impl Iterator<Item = [T; 2]> + 'c
    where
        T: 'c,
    {
        let lanes = a.chunks_exact(R::BYTES).zip(b.chunks_exact(R::BYTES));
        lanes.map(move |(a, b)| {
            [a, b].map(|bits| {
                let bits: T = R::load(bits).into();
                bits.shr(self.shift) & self.compared
            })
        })
    }

    /// Whether the elements are neighbours, and the lower magnitude. In two's complement, it is the lower number.
    #[inline(always)]
    fn neighbours(self, x: T, y: T) -> (bool, T) {
        let (p, q) = (x & self.magnitude, y & self.magnitude);
        // In two's complement, the order is that of unsigned numbers with the sign flipped.
        let (low, high) = ((p ^ self.flip).min(q ^ self.flip), (p ^ self.flip).max(q ^ self.flip));
        // Both zeros have the same neighbours.
        let on_one_side = ((x ^ y) & self.sign == T::ZERO) | (p | q == self.unit);
        let is_code = (x & self.meant == x) | (y & self.meant == y);
        ((x != y) & (high.sub(low) == self.step) & on_one_side & is_code, low ^ self.flip)
    }
}

#[inline(always)]
fn mark_results<R: Lane + Into<T>, T: Word>(
    of: &Element,
    a: &[u8],
    b: &[u8],
    marks: &mut [u8],
    all: &mut u8,
) {
    let Limits { end, subnormals, compared_to_largest, largest, .. } = of.limits;
    let [end, subnormals] = [end, subnormals].map(T::from_u64);
    let [compared_to_largest, largest] = [compared_to_largest, largest].map(T::from_u64);
    let numbers = Numbers::<T>::new(of);
    let mut together = T::ZERO;
    for (mark, [x, y]) in marks.iter_mut().zip(numbers.elements::<R>(a, b)) {
        let (p, q) = (x & numbers.magnitude, y & numbers.magnitude);
        let (left, right) = (p > end, q > end);
        let equal_up_to_nan = of.up_to_nan & left & right;
        let mut own = chosen::<T>(!equal_up_to_nan, DIFFERS);
        own = own | chosen(left != right, NAN);
        own = own | if p | q == T::ZERO { chosen(true, ZEROS) } else { chosen(true, NOT_ZEROS) };
        own = own | chosen((x & compared_to_largest).max(y & compared_to_largest) >= largest, OVERFLOW);
        let subnormal = (p.sub(numbers.unit) < subnormals) | (q.sub(numbers.unit) < subnormals);
        own = own | chosen(subnormal, SUBNORMAL);
        own = own | chosen(numbers.neighbours(x, y).0, NEIGHBOURS);
        let own = if x == y { T::ZERO } else { own };
        together = together | own;
        let bits: u64 = own.into();
        *mark |= bits as u8;
    }
    let bits: u64 = together.into();
    *all |= bits as u8;
}

#[inline(always)]
fn sums_of<R: Lane + Into<T>, T: Word>(of: &Element, a: &[u8], b: &[u8], sums: &mut [u32]) {
    let Limits { padding, normal, fraction, leading, .. } = of.limits;
    let normal = T::from_u64(normal);
    // The sum of two neighbours has one more bit, which is set.
    let [fraction, leading] = [fraction << 1 | 1, leading << 1 | 1].map(T::from_u64);
    let one = T::from_u64(1);
    let numbers = Numbers::<T>::new(of);
    for (sum, [x, y]) in sums.iter_mut().zip(numbers.elements::<R>(a, b)) {
        let (neighbours, low) = numbers.neighbours(x, y);
        // The magnitudes differ by 1. Of two negative numbers in two's complement, the upper one is smaller.
        let lower = if low & numbers.flip != T::ZERO { !low & numbers.magnitude } else { low };
        let code = lower.shr(padding);
        let double = code.shl(1) | one;
        let odd = if lower >= normal { double & fraction | leading } else { double };
        let fits = neighbours & (double.shr(1) == code);
        let odd: u64 = if fits { odd.into() } else { 0 };
        *sum = if odd > u64::from(u32::MAX) { 0 } else { odd as u32 };
    }
}
