//! The input for which a trial of a part is an example.
//!
//! A trial sets the bits on which a part depends; the others are zero and may have any value. With zeros, a number of
//! which only bits of the fraction are set is subnormal, but an exponent bit that the part does not depend on makes it
//! normal. So the trial counts in [`Domain::Normal`](super::domain::Domain::Normal), and the example has that bit. The
//! other domains need no such bit: if a number with zeros is outside, no other bits bring it inside.

use super::compare::Question;
use super::domain::Interval;

/// How an element of an input is completed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Completion {
    pub input: usize,
    /// The lowest bit of the element.
    shift: u32,
    interval: Interval,
    /// The bit of the element that makes a subnormal number normal.
    bit: u64,
}

impl Completion {
    /// The elements of which some bits vary, but not all exponent bits.
    pub fn all(question: &Question<'_>, varying: &[u64]) -> Vec<Completion> {
        let mut found = Vec::new();
        for (input, (pair, varying)) in question.inputs.iter().zip(varying).enumerate() {
            let Some(meaning) = pair.meaning else { continue };
            let storage = meaning.format.storage();
            let interval = Interval::new(question.domain, meaning.format);
            for shift in (0..meaning.lanes).map(|lane| lane * storage) {
                let varying = varying >> shift & ptxcvt::mask(storage);
                let bit = interval.raising_bit(varying);
                if varying != 0 && bit != 0 {
                    found.push(Completion { input, shift, interval, bit });
                }
            }
        }
        found
    }

    /// The input with the bit set, if the element is subnormal without it.
    #[inline]
    pub fn of(self, bits: u64) -> u64 {
        if self.interval.is_too_small(bits >> self.shift) { bits | self.bit << self.shift } else { bits }
    }
}

#[cfg(test)]
mod tests {
    use ptxcvt::Format;
    use ptxcvt::inputs::SplitMix64;

    use crate::block::Block;
    use crate::meaning::{Meaning, PortType};
    use crate::prove::Options;
    use crate::prove::compare::Question;
    use crate::prove::complete::Completion;
    use crate::prove::domain::Domain;

    /// Some bits of a code can be completed to a code in the domain exactly if the completed one is in the domain.
    #[test]
    fn some_bits_are_in_a_domain_if_others_can_be_added() {
        let mut random = SplitMix64::new(7);
        let formats = Format::ALL.iter().copied().filter(|f| f.storage() <= 16 && Domain::restricts(*f));
        let mut completed_codes = 0;
        for format in formats {
            let meaning = Meaning { format, lanes: 1 };
            let ty = PortType::read(&format.to_string()).filter(|ty| ty.meaning == Some(meaning));
            let Some(ty) = ty else { continue };
            let mut block = Block::new();
            block.input("x", ty);
            for domain in Domain::ALL {
                let options = Options { domain, ..Options::default() };
                let question = Question::new(&block, &block, &options).unwrap();
                for _ in 0..24 {
                    let all = ptxcvt::mask(format.storage());
                    // Many bits in a row, and any bits.
                    let varying = random.next_u64() & all & if random.below(2) == 0 { all } else { all >> 3 };
                    let completions = Completion::all(&question, &[varying]);
                    let mut possible = vec![varying == 0; 1 << format.storage()];
                    (0..=all)
                        .filter(|x| domain.holds(format, *x))
                        .for_each(|x| possible[(x & varying) as usize] = true);
                    for bits in (0..=all).filter(|bits| bits & varying == *bits) {
                        let completed = completions.iter().fold(bits, |bits, completion| completion.of(bits));
                        assert_eq!(completed & varying, bits);
                        completed_codes += u32::from(completed != bits);
                        let inside = domain.holds(format, completed);
                        assert_eq!(
                            inside, possible[bits as usize],
                            "{domain} {format} {bits:x} of {varying:x}"
                        );
                    }
                }
            }
        }
        assert!(completed_codes > 1000, "{completed_codes}");
    }
}
