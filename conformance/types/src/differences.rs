//! On how many of all 2^32 f32 another crate's type rounds differently from ours.

use ptxcvt::Format;
use ptxcvt::types::Number;

use crate::peers::{Task, largest};

/// The kinds of inputs in which differences are counted.
#[derive(Clone, Copy)]
enum Class {
    Nan,
    Infinity,
    /// Finite, with a magnitude above the largest number.
    Beyond,
    /// The result is zero, or differs from ours in the sign of zero alone.
    InRange,
}

const CLASSES: usize = 4;

/// Differences of one class.
#[derive(Clone, Copy, Default)]
struct Differences {
    count: u64,
    /// The first one: input, their code, our code.
    first: Option<(u32, u32, u32)>,
}

/// Prints a line for each pair: type, our type, and for each class the number of differences and the first one.
pub struct Count;

impl Task for Count {
    fn run<N: Number>(
        &mut self,
        name: &'static str,
        peer: impl Fn(f32) -> u32 + Copy,
        ours: impl Fn(f32) -> u32 + Copy,
    ) {
        let mut found = [Differences::default(); CLASSES];
        let limit = largest(N::FORMAT);
        for bits in 0..=u32::MAX {
            let x = f32::from_bits(bits);
            let (peer_code, our_code) = (peer(x), ours(x));
            if peer_code == our_code {
                continue;
            }
            let differences = &mut found[class(x, limit) as usize];
            differences.count += 1;
            differences.first.get_or_insert((bits, peer_code, our_code));
        }
        println!(
            "{name}\t{}\t{}",
            N::FORMAT,
            found.map(|differences| differences.text(N::FORMAT)).join("\t")
        );
    }
}

fn class(x: f32, largest: f64) -> Class {
    match x {
        x if x.is_nan() => Class::Nan,
        x if x.is_infinite() => Class::Infinity,
        x if f64::from(x.abs()) > largest => Class::Beyond,
        _ => Class::InRange,
    }
}

impl Differences {
    /// The number, and the first input with both results.
    fn text(&self, format: Format) -> String {
        let Some((bits, peer, ours)) = self.first else { return "0".into() };
        let value = |code: u32| format.decode(code.into());
        let input = f32::from_bits(bits);
        format!("{} ({bits:#010x} = {input:e}: {} instead of {})", self.count, value(peer), value(ours))
    }
}
