//! Plans on arrays whose elements are in memory order: checks the lengths, and handles an array that ends within an
//! instruction.

use super::column::{Column, ColumnMut};
use super::engine::{Feed, Job, Source};
use super::error::BulkError;
use super::plan::{Plan, column_feed, whole};
use super::widths::{Widths, divided};
use ptxcvt::Type;
use ptxcvt::forms::{Opcode, Role};

/// The maximum number of bytes that an instruction reads or writes: four elements of 64 bits.
pub(crate) const MOST_BYTES: usize = 32;

/// Elements in memory order and their result, with checked lengths.
struct Packed<'a> {
    source: &'a [u8],
    source_little_endian: bool,
    result: &'a mut [u8],
    little_endian: bool,
}

/// The bytes of one element, or of two FP4 elements.
fn storage(ty: Type) -> usize {
    (ty.format().storage() as usize).div_ceil(8)
}

impl Plan {
    /// Converts elements in memory order. The [crate's documentation](crate) says which element is which
    /// operand. `extra` is `rbits` or the scale of each instruction, for forms that have one.
    ///
    /// Typed slices have elements as wide as the format's storage; FP4 has two elements per byte.
    ///
    /// # Errors
    ///
    /// Fails before anything is written
    ///
    /// - for `cvt.pack`,
    /// - if the elements do not fill whole instructions,
    /// - if the result does not have the required length,
    /// - if `extra` is missing, or given for a form without such an operand.
    pub fn run_packed(
        &self,
        elements: Column<'_>,
        extra: Option<Column<'_>>,
        result: ColumnMut<'_>,
    ) -> Result<(), BulkError> {
        let (from, to) = (self.widths.source, self.widths.result);
        let mut packed = self.packed(elements, result, from, to)?;
        let extra = self.extra_feed(extra, divided(packed.result.len(), to))?;
        self.run_elements(&mut packed, extra);
        Ok(())
    }

    /// Like [`run_packed`](Self::run_packed), but for any number of elements. The last instruction is padded with
    /// zeros, whose results are not written. The result has [`result_len`](Self::result_len) bytes.
    ///
    /// ```
    /// use ptxcvt_bulk::Plan;
    /// let plan = Plan::new("cvt.rn.satfinite.e4m3x2.f32".parse()?);
    /// let mut result = [0_u8; 3];
    /// plan.run_padded((&[1.0_f32, 1.5, -500.0]).into(), None, (&mut result).into())?;
    /// assert_eq!(result, [0x38, 0x3c, 0xfe]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`run_packed`](Self::run_packed), except that the elements may end within an instruction. An odd
    /// number of elements that become FP4 is an error, because the last one would end within a byte.
    pub fn run_padded(
        &self,
        elements: Column<'_>,
        extra: Option<Column<'_>>,
        result: ColumnMut<'_>,
    ) -> Result<(), BulkError> {
        let (from, to) = (storage(self.form().source()), storage(self.form().destination()));
        let mut packed = self.packed(elements, result, from, to)?;
        let Widths { source: source_bytes, result: width, .. } = self.widths;
        let whole = divided(packed.source.len(), source_bytes);
        let (source, source_rest) = packed.source.split_at(whole * source_bytes);
        let (result, result_rest) = packed.result.split_at_mut(whole * width);
        let mut extra = self.extra_feed(extra, whole + usize::from(!source_rest.is_empty()))?;
        packed = Packed { source, result, ..packed };
        self.run_elements(&mut packed, extra);
        if !source_rest.is_empty() {
            let (mut last, mut made) = ([0; MOST_BYTES], [0; MOST_BYTES]);
            last[..source_rest.len()].copy_from_slice(source_rest);
            extra = extra.skip(whole);
            let mut packed = Packed { source: &last[..source_bytes], result: &mut made[..width], ..packed };
            self.run_elements(&mut packed, extra);
            result_rest.copy_from_slice(&made[..result_rest.len()]);
        }
        Ok(())
    }

    /// Checks elements in memory order and their result, whose bytes must be multiples of `from` and `to`.
    fn packed<'a>(
        &self,
        elements: Column<'a>,
        result: ColumnMut<'a>,
        from: usize,
        to: usize,
    ) -> Result<Packed<'a>, BulkError> {
        let form = self.form();
        if form.opcode() == Opcode::CvtPack {
            return Err(BulkError::NotPacked { form });
        }
        let (source, source_element) = elements.raw().ok_or(BulkError::NotAData { role: Role::A })?;
        whole(Role::A, source, source_element, storage(form.source()), from)?;
        let (result, result_element) = result.raw();
        whole(Role::Destination, result, result_element, storage(form.destination()), to)?;
        let count = divided(source.len() * 8, self.widths.bits[0]);
        if count * self.widths.bits[1] != result.len() * 8 {
            let expected = self.result_len(count).ok_or(BulkError::OddElements { form, given: count })?;
            return Err(BulkError::Length { role: Role::Destination, expected, given: result.len() });
        }
        let (source_little_endian, little_endian) = (source_element == 0, result_element == 0);
        Ok(Packed { source, source_little_endian, result, little_endian })
    }

    /// The operand other than the elements, for `count` instructions; 0 if the form has no such operand.
    fn extra_feed<'a>(&self, extra: Option<Column<'a>>, count: usize) -> Result<Feed<'a>, BulkError> {
        match (self.widths.extra, extra) {
            (None, None) => Ok(Feed::Value(0)),
            (Some(operand), Some(column)) => column_feed(column, operand, count),
            (wanted, _) => Err(BulkError::Extra { needed: wanted.map(|(role, _)| role) }),
        }
    }

    /// Runs whole instructions.
    fn run_elements(&self, packed: &mut Packed<'_>, extra: Feed<'_>) {
        let Widths { source, result: width, operands: sources, .. } = self.widths;
        let (bytes, little_endian) = (packed.source, packed.source_little_endian);
        self.execute(Job {
            source: Source::Packed { bytes, width: divided(source, sources), little_endian },
            sources,
            extra,
            result: &mut *packed.result,
            width,
            little_endian: packed.little_endian,
        });
    }
}
