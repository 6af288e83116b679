//! Sorts lists of any type by a number, with one sorting function: each type's own would be kilobytes of WebAssembly.

use alloc::vec::Vec;

/// Sorts a list by a number. Elements of one number keep their order.
///
/// ```
/// let mut words = ["of", "a", "list", "in", "b"];
/// ptxcvt::order_by(&mut words, |word| word.len() as u64);
/// assert_eq!(words, ["a", "b", "of", "in", "list"]);
/// ```
pub fn order_by<T>(list: &mut [T], number: impl Fn(&T) -> u64) {
    let mut places = places(list.iter().map(number).collect());
    for at in 0..list.len() {
        while places[at] != at {
            let to = places[at];
            list.swap(at, to);
            places.swap(at, to);
        }
    }
}

/// The place of each number in the sorted list.
fn places(numbers: Vec<u64>) -> Vec<usize> {
    let mut order: Vec<(u64, usize)> = Vec::with_capacity(numbers.len());
    order.extend(numbers.into_iter().enumerate().map(|(from, number)| (number, from)));
    order.sort_unstable();
    let mut places = alloc::vec![0; order.len()];
    for (to, (_, from)) in order.into_iter().enumerate() {
        places[from] = to;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::SplitMix64;

    /// The order is that of the standard library's stable sort.
    #[test]
    fn order_is_that_of_a_stable_sort() {
        let mut generator = SplitMix64::new(1);
        for length in 0..200 {
            for span in [1, 3, 50, u64::MAX] {
                let list: Vec<(u64, usize)> =
                    (0..length).map(|at| (generator.next_u64() % span, at)).collect();
                let (mut ours, mut theirs) = (list.clone(), list);
                order_by(&mut ours, |(number, _)| *number);
                theirs.sort_by_key(|(number, _)| *number);
                assert_eq!(ours, theirs);
            }
        }
    }
}
