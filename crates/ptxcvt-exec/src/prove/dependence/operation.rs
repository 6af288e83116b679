//! The bits of the result of an instruction that is not a conversion.
//!
//! The instruction's row has its kind. Three kinds are analysed in more detail:
//!
//! - bitwise operations, whose truth table is found by evaluating the instruction;
//! - operations that move bits by constant amounts, found by evaluating the instruction for single bits;
//! - sums, in which a bit depends only on lower bits.

use ptxcvt::mask;

use super::bits::{Bits, Known, Register, constant, union, value};
use crate::modifier::Modifier;
use crate::table::{Dependence, Kind, Op};

/// The result of an instruction that is not a conversion.
pub(super) fn result(op: &Op, sources: &[Register], width: u32) -> Register {
    let values: Option<Vec<u64>> = sources.iter().map(|s| value(s)).collect();
    if let Some(values) = values {
        return constant(op.eval(&values), width);
    }
    match op.row().dependence {
        Dependence::Bitwise => bitwise(op, sources, width),
        Dependence::Moved(count) if sources.iter().skip(count).all(|s| value(s).is_some()) => {
            moved(op, count, sources, width)
        }
        Dependence::Sum => sum(sources, width, false),
        Dependence::Difference => sum(sources, width, true),
        Dependence::Product if op.modifiers().has(Modifier::Lo) => {
            (1..=width as usize).map(|n| prefix(sources, n)).collect()
        }
        Dependence::Everything | Dependence::Moved(_) | Dependence::Product => {
            by_parts(op.parts(), sources, width)
        }
    }
}

/// Every bit depends on all bits in the same one of `lanes` parts.
fn by_parts(lanes: u32, sources: &[Register], width: u32) -> Register {
    let part = (width / lanes) as usize;
    let one = |lane: u32| {
        let own = sources.iter().map(|s| match s.len() {
            1 => union(s),
            n => {
                let size = n / lanes as usize;
                union(&s[lane as usize * size..(lane as usize + 1) * size])
            }
        });
        Known::Depends(own.fold(Bits::default(), Bits::or))
    };
    (0..lanes).flat_map(|lane| std::iter::repeat_n(one(lane), part)).collect()
}

/// Evaluates each bit with the instruction's truth table. Sources that are constant or make no difference are dropped.
/// A one-bit source, such as the predicate of `selp`, applies to every bit.
fn bitwise(op: &Op, sources: &[Register], width: u32) -> Register {
    // The table of `lop3` applies to all bits.
    let tables: Vec<Option<u64>> = sources
        .iter()
        .zip(op.row().operands.iter().skip(1))
        .map(|(s, o)| if o.kind == Kind::Constant { value(s) } else { None })
        .collect();
    let single: Vec<bool> =
        op.row().operands.iter().skip(1).map(|o| op.operand_type(o).width() == 1).collect();
    (0..width as usize)
        .map(|i| {
            let bits: Vec<Known> = sources
                .iter()
                .zip(&single)
                .map(|(s, single)| {
                    *s.get(if *single { 0 } else { i }).expect("a source has the bits of the result")
                })
                .collect();
            let free: Vec<usize> = (0..bits.len())
                .filter(|n| tables[*n].is_none() && matches!(bits[*n], Known::Depends(_)))
                .collect();
            // The bit of the result for each setting of the free sources.
            let outcome = |setting: u32| {
                let word = |(n, known): (usize, &Known)| {
                    let bit = match (free.iter().position(|f| *f == n), known) {
                        (Some(at), _) => setting >> at & 1 != 0,
                        (None, Known::Constant(bit)) => *bit,
                        (None, Known::Depends(_)) => false,
                    };
                    tables[n].unwrap_or(match bit {
                        true if single[n] => 1,
                        true => mask(width),
                        false => 0,
                    })
                };
                let words: Vec<u64> = bits.iter().enumerate().map(word).collect();
                op.eval(&words) >> i & 1 != 0
            };
            let outcomes: Vec<bool> = (0..1 << free.len()).map(outcome).collect();
            let matters = |at: usize| (0..outcomes.len()).any(|s| outcomes[s] != outcomes[s ^ 1 << at]);
            let needed: Vec<Bits> =
                (0..free.len()).filter(|at| matters(*at)).map(|at| bits[free[at]].bits()).collect();
            match needed.is_empty() {
                true => Known::Constant(outcomes[0]),
                false => Known::Depends(needed.into_iter().fold(Bits::default(), Bits::or)),
            }
        })
        .collect()
}

/// The first `moving` sources have bits that move; the other sources, the amounts, are constants. Each bit of the
/// result is a constant or the XOR of source bits (in fact, one source bit). Evaluating the instruction for single bits
/// shows which.
fn moved(op: &Op, moving: usize, sources: &[Register], width: u32) -> Register {
    let with = |n: usize, bits: u64| -> u64 {
        let words = sources.iter().enumerate();
        let words: Vec<u64> = words
            .map(|(at, s)| {
                if at == n {
                    bits
                } else if at < moving {
                    0
                } else {
                    value(s).expect("the amounts are constants")
                }
            })
            .collect();
        op.eval(&words)
    };
    let none = with(usize::MAX, 0);
    let mut result = constant(none, width);
    for (n, source) in sources.iter().enumerate().take(moving) {
        for (at, known) in source.iter().enumerate() {
            let changed = with(n, 1 << at) ^ none;
            for (_, bit) in result.iter_mut().enumerate().filter(|(i, _)| changed >> i & 1 != 0) {
                *bit = match (*bit, known) {
                    (Known::Constant(old), Known::Constant(new)) => Known::Constant(old ^ new),
                    (Known::Constant(_), Known::Depends(_)) => *known,
                    (Known::Depends(old), known) => Known::Depends(old.or(known.bits())),
                };
            }
        }
    }
    result
}

/// Depends on all of the lowest `n` bits.
fn prefix(sources: &[Register], n: usize) -> Known {
    let low = sources.iter().map(|s| union(&s[..n.min(s.len())]));
    Known::Depends(low.fold(Bits::default(), Bits::or))
}

/// A sum or difference, with the carry flag if there is a third source. Each bit depends on the source bits in its
/// place and on the carry.
fn sum(sources: &[Register], width: u32, subtract: bool) -> Register {
    let mut carry = sources.get(2).filter(|flag| flag[0] != Known::Constant(false)).map(|flag| union(flag));
    let mut result = Vec::new();
    for (&a, &b) in sources[0].iter().zip(&sources[1]).take(width as usize) {
        let zero = [a, b].map(|known| known == Known::Constant(false));
        let here = a.bits().or(b.bits()).or(carry.unwrap_or_default());
        result.push(match (zero, carry) {
            ([true, true], None) => Known::Constant(false),
            _ => Known::Depends(here),
        });
        // A carry may start where both bits may be 1. A borrow may start where a 1 is subtracted, and passes through
        // zeros.
        let ends = match (subtract, carry) {
            (true, carry) => zero[1] && carry.is_none(),
            (false, None) => zero[0] || zero[1],
            (false, Some(_)) => zero[0] && zero[1],
        };
        carry = if ends { None } else { Some(here) };
    }
    result
}
