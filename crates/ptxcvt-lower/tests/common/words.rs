//! Operands of words, and a word's comparison with the results that are wanted.

use ptxcvt::Form;
use ptxcvt::inputs::{self, SplitMix64};
use ptxcvt_exec::lanes::{LANES, Program};
use ptxcvt_lower::word::{Shape, Word};

/// The smallest number of elements that fill registers.
pub fn least(form: Form) -> Option<u32> {
    (1..=8).find(|elements| Shape::new(form, *elements).is_ok())
}

/// Values of one element of the form's source: all codes, or the edges and some random ones.
pub fn elements(form: Form) -> Vec<u64> {
    let format = form.source().format();
    if format.bits() <= 8 {
        return (0..1 << format.storage()).collect();
    }
    let width = format.storage();
    let mask = u64::MAX >> (64 - width);
    let lanes = form.source().lanes();
    let operands = inputs::operands(&form, 500, 1);
    let split = |operands: [u64; 5]| (0..lanes).map(move |lane| operands[0] >> (lane * width) & mask);
    let mut all: Vec<u64> = operands.step_by(if width == 16 { 97 } else { 1 }).flat_map(split).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The sources whose element `position` takes each value in turn; the others are random ones.
pub fn sources(shape: Shape, values: &[u64], position: u32, random: &mut SplitMix64) -> Vec<Vec<u64>> {
    let width = shape.form().source().format().storage();
    let with = |value: u64, random: &mut SplitMix64| {
        let mut words = vec![0; shape.sources()];
        for element in 0..shape.elements() {
            let any = values[(random.next_u64() % values.len() as u64) as usize];
            let bits = if element == position { value } else { any };
            let at = element * width;
            words[at as usize / 32] |= bits << (at % 32);
        }
        words
    };
    values.iter().map(|value| with(*value, random)).collect()
}

/// A word's sources, and the results that are wanted.
pub type Case = (Vec<u64>, Vec<u64>);

/// Each of these sources with its wanted results.
pub fn cases(sources: impl IntoIterator<Item = Vec<u64>>, wanted: impl Fn(&[u64]) -> Vec<u64>) -> Vec<Case> {
    let case = |given: Vec<u64>| {
        let wanted = wanted(&given);
        (given, wanted)
    };
    sources.into_iter().map(case).collect()
}

/// The first sources on which the word's results are not the wanted ones, with both.
pub fn difference<'c>(
    word: &Word,
    cases: impl IntoIterator<Item = &'c Case>,
) -> Option<(Vec<u64>, Vec<u64>, Vec<u64>)> {
    let mut cases = cases.into_iter().peekable();
    let program = Program::new(word.block());
    let mut runner = program.runner();
    let inputs = word.block().inputs().len();
    while cases.peek().is_some() {
        let chunk: Vec<&Case> = cases.by_ref().take(LANES).collect();
        for n in 0..inputs {
            runner.set(n, |lane| chunk.get(lane).map_or(0, |(given, _)| given[n]));
        }
        runner.run();
        for (lane, (given, wanted)) in chunk.iter().copied().enumerate() {
            if wanted.iter().enumerate().any(|(n, wanted)| runner.get(n, lane) != *wanted) {
                let got = (0..wanted.len()).map(|n| runner.get(n, lane)).collect();
                return Some((given.clone(), got, wanted.clone()));
            }
        }
    }
    None
}
