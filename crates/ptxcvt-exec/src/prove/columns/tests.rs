//! Lanes classified together have the kinds that [`Kinds::of`] gives each of them.

use ptxcvt::inputs::{SplitMix64, edges};
use ptxcvt::{Format, mask};

use super::Columns;
use crate::block::Block;
use crate::lanes::{LANES, Program};
use crate::meaning::Meaning;
use crate::prove::compare::{Pair, Question};
use crate::prove::domain::{Domain, Interval};
use crate::prove::kinds::Kinds;
use crate::prove::options::Options;
use crate::prove::results::{Results, are_neighbours, odd_sum};
use crate::read::{self, Interface};

/// Results and an input, at random from the formats' edges, neighbours and ties.
struct Choice {
    random: SplitMix64,
    output: Meaning,
    input: Meaning,
    edges: [Vec<u64>; 2],
}

impl Choice {
    fn new(output: Meaning, input: Meaning) -> Choice {
        let edges = [output, input].map(|meaning| edges(meaning.format).take(1 << 12).collect());
        Choice { random: SplitMix64::new(1), output, input, edges }
    }

    fn below(&mut self, end: usize) -> usize {
        (self.random.next_u64() % end as u64) as usize
    }

    /// An edge of the output's format or the input's, or any bits.
    fn code(&mut self, side: usize) -> u64 {
        let at = self.below(self.edges[side].len());
        match self.below(4) {
            0 => self.random.next_u64(),
            _ => self.edges[side][at],
        }
    }

    /// Two elements of the results, and one of the input.
    fn elements(&mut self) -> [u64; 3] {
        let Choice { output, input, .. } = *self;
        let x = self.code(0);
        let y = match self.below(8) {
            0 => x,
            1 => x ^ output.format.sign_bit(),
            2 => self.code(0),
            3 => x ^ 1 << self.below(output.format.storage() as usize),
            4 | 5 => output.format.next_up(x).unwrap_or(x),
            _ => output.format.next_down(x).unwrap_or(x),
        };
        let both = [x, y].map(|code| output.format.decode(code));
        let sum = if are_neighbours(output.format, [x, y]) { odd_sum(both) } else { None };
        let tie = sum.map(|odd| {
            let odd = odd as f64 * f64::from(self.below(40) as u32 + 120).exp2() * 2_f64.powi(-140);
            input.format.encode(odd, ptxcvt::Rounding::Rn)
        });
        let z = if self.below(2) == 0 { tie } else { None };
        [x, y, z.unwrap_or_else(|| self.code(1))]
    }

    /// The bits of both results, and of the input.
    fn lane(&mut self) -> [u64; 3] {
        let mut all = [0; 3];
        for (count, side) in [(self.output.lanes, 0), (self.input.lanes, 1)] {
            for _ in 0..count {
                let [x, y, z] = self.elements();
                let join = |bits: &mut u64, meaning: Meaning, code: u64| {
                    let storage = meaning.format.storage();
                    *bits = *bits << (storage % 64) | code & mask(storage);
                };
                match side {
                    0 => {
                        join(&mut all[0], self.output, x);
                        join(&mut all[1], self.output, y);
                    }
                    _ => join(&mut all[2], self.input, z),
                }
            }
        }
        all
    }
}

/// A block that returns one of two inputs, of these widths; a third input is not used.
fn copy(of: usize, widths: [u32; 2], input: u32) -> Block {
    let letter = |width: u32| match width {
        ..=16 => "h",
        17..=32 => "r",
        _ => "l",
    };
    let [x, y] = widths.map(letter);
    let constraints = format!("={},{x},{y},{}", [x, y][of], letter(input));
    let bits = [16, 32, 64][["h", "r", "l"].iter().position(|l| *l == [x, y][of]).expect("a letter")];
    read::block(
        &format!("mov.b{bits} %0, %{};", of + 1),
        &Interface::constraints(&constraints).expect("valid"),
    )
    .expect("a valid block")
}

/// Marks lanes together and one by one.
fn compare(choice: &mut Choice, widths: [u32; 2], options: &Options, compared: u64) -> Kinds {
    let Choice { output, input, .. } = *choice;
    let [a, b] = [0, 1].map(|of| copy(of, widths, input.width()));
    let pair = |width, meaning| Pair { width, meaning, fixed: false };
    let question = Question {
        blocks: [&a, &b],
        inputs: vec![pair(widths[0], None), pair(widths[1], None), pair(input.width(), Some(input))],
        outputs: vec![pair(output.width(), Some(output))],
        up_to_nan: options.up_to_nan,
        domain: options.domain,
    };
    let program = Program::of_both(&a, &b);
    let mut runner = program.runner();
    let lanes: Vec<[u64; 3]> = (0..LANES)
        .map(|_| {
            let [x, y, z] = choice.lane();
            // Bits above the numbers, rarely.
            let above = |n: usize| if n % 16 == 0 { 1 << (widths[0].max(8) - 1) } else { 0 };
            [x ^ above(choice.below(64)), y ^ above(choice.below(64)), z]
        })
        .map(|[x, y, z]| [x & mask(widths[0].max(16)), y & mask(widths[1].max(16)), z])
        .collect();
    (0..3).for_each(|n| runner.set(n, |lane| lanes[lane][n]));
    runner.run();
    // The first two inputs are wider than other questions allow, but no number is read in them.
    let narrow = Question { inputs: vec![question.inputs[2]], outputs: question.outputs.clone(), ..question };
    let mut columns =
        Columns::new(&narrow, &runner, &[compared], &[u64::MAX]).expect("lanes can be judged together");
    if let Some(codes) = columns.input(0) {
        codes.iter_mut().zip(&lanes).for_each(|(code, [_, _, z])| *code = *z as u32);
    }
    columns.mark(&runner);
    columns.restrict();
    let domain = Interval::new(options.domain, input.format);
    let mut all = Kinds::default();
    for (lane, [x, y, z]) in lanes.into_iter().enumerate() {
        let inside = input.elements(z).all(|code| domain.holds(code));
        let differs = !narrow.agree(0, x, y, compared);
        let expected = match inside && differs {
            true => Kinds::of(&narrow, &[z], &Results::new(&narrow, &[x], &[y], &[compared])),
            false => Kinds::default(),
        };
        let found = columns.kinds(lane..lane + 1);
        let skipped = columns.skipped(lane + 1) - columns.skipped(lane);
        assert_eq!(
            (found, skipped),
            (expected, u64::from(!inside)),
            "{output} {x:#x} {y:#x}, {input} {z:#x}, {options:?}, compared {compared:#x}"
        );
        all.add(expected);
    }
    assert_eq!(columns.kinds(0..LANES), all, "{output} {input}");
    all
}

/// Every format as the results, and every format of at most 32 bits as the input.
#[test]
fn lanes_have_the_kinds_of_single_ones() {
    let mut all = Kinds::default();
    for format in Format::ALL.iter().copied() {
        for (n, other) in Format::ALL.iter().copied().filter(|other| other.storage() <= 32).enumerate() {
            let lanes = |format: Format, most: u32| (1 << (n % 3)).min(most / format.storage()).max(1);
            let output = Meaning { format, lanes: lanes(format, 64) };
            let input = Meaning { format: other, lanes: if n % 2 == 0 { 1 } else { lanes(other, 32) } };
            let mut choice = Choice::new(output, input);
            // One of the registers may be wider.
            let width = output.width();
            let wider = if width <= 16 { 32 } else { width };
            let widths = [[width, width], [wider, width], [width, wider]][n % 3];
            let domain = Domain::ALL[n % Domain::ALL.len()];
            for up_to_nan in [false, true] {
                let options = Options { up_to_nan, domain, ..Options::default() };
                all.add(compare(&mut choice, widths, &options, u64::MAX));
            }
            let some = 0x3c3c_5a5a_ff0f_fff7;
            all.add(compare(&mut choice, [width, width], &Options::default(), some));
        }
    }
    let rows: Vec<_> = all.rows().collect();
    assert!(rows.len() == Kinds::COUNT && rows.iter().all(|(_, count)| *count > 1000), "{rows:?}");
}
