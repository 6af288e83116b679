//! Nested families of registers with one stem, such as `%r<9>` in a block and `%r<4>` in a block within it: which
//! family declares a given number.
//!
//! PTX ISA section 5.4.6 (parameterised names). An inner family hides the numbers that it has, and the rest of an
//! outer family stays visible. Blocks can nest ten thousand deep, so families are linked by short cuts: each family
//! links to the next outer one with more numbers (`wider`), and to one further out (`jump`). The jumps form a
//! skew-binary list, so a search takes a number of steps that is logarithmic in the depth.

/// The families of a stem that are in scope, the innermost last.
#[derive(Debug)]
pub(super) struct Families<T> {
    stack: Vec<Family<T>>,
}

#[derive(Debug)]
struct Family<T> {
    entry: T,
    /// How many numbers the family has.
    count: u64,
    /// The innermost surrounding family with more numbers.
    wider: Option<usize>,
    /// A family that can be reached through `wider`, in one step or many.
    jump: Option<usize>,
    /// How many steps of `wider` lead to the outermost family.
    depth: usize,
}

impl<T> Default for Families<T> {
    fn default() -> Self {
        Self { stack: Vec::new() }
    }
}

impl<T> Families<T> {
    /// Adds a family of `count` numbers within the others.
    pub(super) fn push(&mut self, count: u64, entry: T) {
        let wider = self.index(count);
        let depth = wider.map_or(0, |at| self.stack[at].depth + 1);
        // After two jumps of equal length the new jump covers both.
        let jump = wider.map(|at| {
            let length =
                |at: usize| self.stack[at].jump.map(|to| (to, self.stack[at].depth - self.stack[to].depth));
            match length(at) {
                Some((near, first)) => match length(near) {
                    Some((far, second)) if first == second => far,
                    _ => at,
                },
                None => at,
            }
        });
        self.stack.push(Family { entry, count, wider, jump, depth });
    }

    /// Removes the innermost family.
    pub(super) fn pop(&mut self) {
        self.stack.pop();
    }

    /// The innermost family and how many numbers it has.
    pub(super) fn last(&self) -> Option<(u64, &T)> {
        self.stack.last().map(|family| (family.count, &family.entry))
    }

    /// The innermost family that has this number.
    pub(super) fn find(&self, number: u64) -> Option<&T> {
        self.index(number).map(|at| &self.stack[at].entry)
    }

    fn index(&self, number: u64) -> Option<usize> {
        let mut at = self.stack.len().checked_sub(1)?;
        while self.stack[at].count <= number {
            let Family { wider, jump, .. } = self.stack[at];
            at = match jump {
                Some(far) if self.stack[far].count <= number => far,
                _ => wider?,
            };
        }
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with a linear search.
    #[test]
    fn same_as_searching() {
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for round in 0..50 {
            let (mut families, mut plain) = (Families::default(), Vec::new());
            for step in 0..200_u64 {
                if random(4) == 0 {
                    families.pop();
                    plain.pop();
                } else {
                    let count = if round % 2 == 0 { random(30) } else { 200 - step };
                    families.push(count, step);
                    plain.push((count, step));
                }
                let number = random(220);
                let expected = plain.iter().rev().find(|(count, _)| number < *count).map(|(_, step)| step);
                assert_eq!(families.find(number), expected);
            }
        }
    }

    #[test]
    fn deep_blocks_are_fast() {
        let start = std::time::Instant::now();
        let mut families = Families::default();
        for depth in 0..10_000_u64 {
            families.push(10_000 - depth, depth);
        }
        // A linear search would take five billion steps.
        for _ in 0..100 {
            for number in 0..10_000 {
                assert_eq!(families.find(number), Some(&(9_999 - number)));
            }
        }
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    }
}
