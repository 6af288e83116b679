//! Classifies the differing lanes of a run together, by loops over columns.

mod limits;
mod marks;
#[cfg(test)]
mod tests;

use std::ops::Range;

use ptxcvt::mask;

use super::compare::{Pair, Question};
use super::domain::{Domain, Interval};
use super::kinds::Kinds;
use super::plan::Piece;
use crate::lanes::{LANES, Runner};
use crate::meaning::Meaning;
use limits::Limits;
use marks::Element;

/// The columns of a thread, and how to read the operands in them.
pub(super) struct Columns {
    outputs: Vec<Output>,
    inputs: Vec<Input>,
    /// The properties of each lane. See [`marks`].
    marks: Vec<u8>,
    /// 1 for a lane outside the domain.
    outside: Vec<u8>,
    /// For each lane, the odd part of the sum of two neighbours.
    sums: Vec<u32>,
}

struct Output {
    /// The bytes of a lane.
    width: usize,
    /// Bits that are compared without regard to numbers, with the marks of lanes in which they differ.
    plain: Vec<(u64, u8)>,
    elements: Vec<Element>,
}

struct Input {
    codes: Vec<u32>,
    /// The elements that matter, with their domains. `None` if an element does not vary.
    elements: Vec<(Element, Option<Interval>)>,
}

impl Columns {
    /// Columns for a comparison of these bits of the outputs. `None` if its lanes must be judged one by one.
    pub fn new(
        question: &Question<'_>,
        runner: &Runner<'_>,
        compared: &[u64],
        varying: &[u64],
    ) -> Option<Columns> {
        let output = |(n, compared): (usize, &u64)| Output::new(question, n, runner.width(n), *compared);
        let outputs = compared.iter().enumerate().map(output).collect::<Vec<Output>>();
        let has_neighbours =
            outputs.iter().any(|output| output.elements.iter().any(|element| element.step != 0));
        let inputs = question.inputs.iter().zip(varying);
        let inputs = inputs.map(|(pair, varying)| Input::new(question, pair, *varying, has_neighbours));
        Some(Columns {
            outputs,
            inputs: inputs.collect::<Option<Vec<Input>>>()?,
            marks: vec![0; LANES],
            outside: vec![0; LANES],
            sums: vec![0; LANES],
        })
    }

    /// The column of an input, to be filled before lanes are marked or tested.
    pub fn input(&mut self, n: usize) -> Option<&mut [u32]> {
        let input = &mut self.inputs[n];
        (!input.elements.is_empty()).then_some(&mut input.codes[..])
    }

    /// Fills the column of an input that has one piece of the numbers of trials.
    pub fn count(&mut self, n: usize, first: u32, piece: Piece) {
        let Piece { at, width, from, .. } = piece;
        marks::count(&mut self.inputs[n].codes, first, from, mask(width) as u32, at);
    }

    /// Marks all lanes.
    pub fn mark(&mut self, runner: &Runner<'_>) {
        self.marks.fill(0);
        let marks = &mut self.marks[..];
        for (n, output) in self.outputs.iter().enumerate() {
            let Output { width, ref plain, ref elements } = *output;
            let [a, b] = [n, self.outputs.len() + n].map(|output| runner.output(output));
            for (bits, mark) in plain {
                marks::bits(*bits, *mark, width, a, b, marks);
            }
            for element in elements {
                let mut all = 0;
                marks::results(element, width, a, b, marks, &mut all);
                if all & marks::NEIGHBOURS == 0 {
                    continue;
                }
                marks::sums(element, width, a, b, &mut self.sums);
                for input in &self.inputs {
                    for (of, _) in &input.elements {
                        marks::ties(of, &input.codes, &self.sums, marks);
                    }
                }
            }
        }
        for input in &self.inputs {
            for (of, _) in input.elements.iter().filter(|(of, _)| of.limits.is_float) {
                marks::inputs(of, &input.codes, marks);
            }
        }
    }

    /// Finds the lanes outside the domain, and removes their marks.
    pub fn restrict(&mut self) {
        self.outside.fill(0);
        for input in &self.inputs {
            for (of, domain) in &input.elements {
                if let Some(domain) = domain {
                    marks::outside(*domain, of, &input.codes, &mut self.outside);
                }
            }
        }
        marks::remove(&self.outside, &mut self.marks);
    }

    /// The number of the first lanes that are outside the domain.
    pub fn skipped(&self, lanes: usize) -> u64 {
        self.outside[..lanes].iter().map(|lane| u64::from(*lane)).sum()
    }

    /// The first of these lanes that differs.
    pub fn first(&self, lanes: Range<usize>) -> Option<usize> {
        lanes.into_iter().find(|lane| self.marks[*lane] & marks::DIFFERS != 0)
    }

    /// The differing lanes by kind.
    pub fn kinds(&self, lanes: Range<usize>) -> Kinds {
        let mut counts = [0; Kinds::COUNT];
        marks::tally(&self.marks[lanes], &mut counts);
        Kinds::from_counts(counts)
    }
}

impl Output {
    /// Output `n` of which these bits are compared.
    fn new(question: &Question<'_>, n: usize, width: usize, compared: u64) -> Output {
        let pair = &question.outputs[n];
        let compared = compared & mask(8 * width as u32);
        let whole = marks::DIFFERS | marks::NOT_ZEROS;
        let Some(meaning) = pair.meaning else {
            return Output { width, plain: vec![(compared, whole)], elements: Vec::new() };
        };
        let mut plain = vec![(compared & !mask(pair.width), marks::DIFFERS)];
        let has_floats = question.inputs.iter().any(|pair| pair.meaning.is_some_and(Meaning::is_float));
        let mut parts = elements(meaning, compared);
        // Integer results are rounded only if an input is a float. Others have no other property.
        if meaning.format.is_integer() && !has_floats {
            plain.push((compared & mask(pair.width), whole));
            parts.clear();
        }
        plain.retain(|(bits, _)| *bits != 0);
        parts.retain(|element| element.compared != 0);
        for element in &mut parts {
            element.step = element.limits.unit;
            // Whether an element is NaN depends on all its bits.
            element.up_to_nan = question.up_to_nan && element.compared == element.limits.storage;
        }
        Output { width, plain, elements: parts }
    }
}

impl Input {
    /// An input of which these bits vary. `None` if it is too wide.
    fn new(question: &Question<'_>, pair: &Pair, varying: u64, has_neighbours: bool) -> Option<Input> {
        let is_restricted = |format| question.domain != Domain::All && Domain::restricts(format);
        let matters =
            |meaning: &Meaning| has_neighbours || meaning.is_float() || is_restricted(meaning.format);
        let of = |meaning: Meaning| {
            let domain = Interval::new(question.domain, meaning.format);
            let restricted = move |element: Element| (element, (element.compared != 0).then_some(domain));
            elements(meaning, varying).into_iter().map(restricted)
        };
        let elements = pair.meaning.filter(matters).into_iter().flat_map(of).collect();
        (pair.width <= u32::BITS).then(|| Input { codes: vec![0; LANES], elements })
    }
}

/// The elements of an operand of which these bits are compared or vary.
fn elements(meaning: Meaning, bits: u64) -> Vec<Element> {
    let limits = Limits::new(meaning.format);
    let storage = meaning.format.storage();
    let element = |lane: u32| {
        let shift = lane * storage;
        Element { limits, shift, compared: bits >> shift & limits.storage, step: 0, up_to_nan: false }
    };
    (0..meaning.lanes).map(element).collect()
}
