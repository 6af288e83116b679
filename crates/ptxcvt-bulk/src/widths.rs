//! The sizes of elements, operands and results in a run.

use ptxcvt::forms::{Form, Role};

/// Sizes that runs use repeatedly, computed once from the form. All are powers of two, as [`divided`]
/// requires.
#[derive(Clone, Copy)]
pub(crate) struct Widths {
    /// The bytes of one instruction's elements in memory order, and of its result.
    pub source: usize,
    pub result: usize,
    /// The number of operands with elements: all except `c`, `rbits` and `scale-factor`.
    pub operands: usize,
    /// The bits of an element in the source and in the result.
    pub bits: [usize; 2],
    /// The operand other than the elements (`rbits` or scales), and its bytes.
    pub extra: Option<(Role, usize)>,
}

impl Widths {
    pub fn new(form: &Form) -> Widths {
        let operands = form.data_operands().len();
        let (source, destination) = (form.source(), form.destination());
        let widths = Widths {
            source: source.width() as usize / 8 * operands,
            result: form.result_width() as usize / 8,
            operands,
            bits: [source, destination].map(|ty| ty.format().storage() as usize),
            extra: form.extra().map(|operand| (operand.role, operand.width as usize / 8)),
        };
        let sizes = [widths.source, widths.result, widths.bits[0], widths.bits[1]];
        assert!(sizes.iter().all(|size| size.is_power_of_two()), "the sizes of {form} are powers of two");
        widths
    }
}

/// `n / power` by a shift. `power` is a power of two, which the compiler cannot know.
#[inline]
pub(crate) fn divided(n: usize, power: usize) -> usize {
    n >> power.trailing_zeros()
}
