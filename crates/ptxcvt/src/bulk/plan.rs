//! The plan: kernels chosen once for a form, run over as many arrays as one likes.

use super::column::{Column, ColumnMut};
use super::engine::{self, Stores};
use super::error::BulkError;
use super::job::{Feed, Job};
use super::pipeline::Pipeline;
use super::tier::{Tier, TierError};
use crate::forms::{Form, Modifier, Opcode, Operand, Role};
use crate::inputs::MAX_OPERANDS;

/// How arrays are converted by one [`Form`] on this machine.
///
/// # Example: one scale, random bits from a seed
///
/// ```
/// use ptxcvt::Form;
/// use ptxcvt::bulk::{Column, Plan};
///
/// let form: Form = "cvt.rs.satfinite.e2m1x4.f32".parse()?;
/// let elements = [0.3_f32; 1000];
/// let (mut whole, mut split) = ([0_u8; 500], [0_u8; 500]);
/// let plan = Plan::new(form);
/// let random = |first| Some(Column::Random { seed: 7, first });
/// plan.run_packed((&elements[..]).into(), random(0), (&mut whole[..]).into())?;
/// // Four elements an instruction: the second half of the array begins with instruction 125.
/// plan.run_packed((&elements[..500]).into(), random(0), (&mut split[..250]).into())?;
/// plan.run_packed((&elements[500..]).into(), random(125), (&mut split[250..]).into())?;
/// assert_eq!(whole, split);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Plan {
    form: Form,
    tier: Tier,
    stores: Stores,
    pipeline: Option<Pipeline>,
}

impl Plan {
    /// Chooses the fastest kernels of this machine.
    pub fn new(form: Form) -> Plan {
        Self::choose(form, Tier::best())
    }

    /// Chooses kernels of that tier; where it has none for the form, the reference runs.
    ///
    /// # Errors
    ///
    /// Fails if this machine lacks the tier.
    pub fn with_tier(form: Form, tier: Tier) -> Result<Plan, TierError> {
        if tier.is_available() { Ok(Self::choose(form, tier)) } else { Err(TierError::Unavailable(tier)) }
    }

    fn choose(form: Form, tier: Tier) -> Plan {
        Plan { form, tier, stores: Stores::Auto, pipeline: Pipeline::new(&form, tier) }
    }

    /// The same plan with another way of writing results; the default is [`Stores::Auto`].
    #[must_use]
    pub fn with_stores(self, stores: Stores) -> Plan {
        Plan { stores, ..self }
    }

    /// The form.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The tier that runs.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// Bytes of one instruction's elements in the source of [`run_packed`](Self::run_packed).
    pub fn packed_source_bytes(&self) -> usize {
        let (source, sources) = (self.form.source(), self.data_operands());
        source.width() as usize / 8 * sources
    }

    /// Bytes of one instruction's result.
    pub fn result_bytes(&self) -> usize {
        self.form.result_width() as usize / 8
    }

    /// Converts operand columns: instruction `i` reads element `i` of each column and writes element `i` of
    /// `result`, as [`Form::eval`](crate::Form::eval) would.
    ///
    /// # Errors
    ///
    /// Fails, before anything is written, if the number of columns is not the form's, if an element has
    /// another width than the operand, or if the lengths differ.
    pub fn run(&self, operands: &[Column<'_>], result: ColumnMut<'_>) -> Result<(), BulkError> {
        let expected = self.form.source_count();
        if operands.len() != expected {
            return Err(BulkError::ColumnCount { expected, given: operands.len() });
        }
        let (result, element) = result.raw();
        let width = self.result_bytes();
        let count = whole(Role::Destination, result, element, width, width)?;
        let mut feeds = [Feed::Value(0); MAX_OPERANDS];
        for ((feed, column), operand) in feeds.iter_mut().zip(operands).zip(self.form.operands().skip(1)) {
            *feed = column_feed(*column, operand, count)?;
        }
        let sources = self.data_operands();
        let packed = match feeds[0] {
            Feed::Slice { bytes, .. } if sources == 1 => Some(bytes),
            _ => None,
        };
        self.execute(Job { operands: feeds, packed, sources, result, width, little_endian: element == 0 });
        Ok(())
    }

    /// Converts elements in memory order; see the [module](super) for which element is which operand.
    /// `extra` is `rbits` or the scale of each instruction, for the forms that take one.
    ///
    /// Forms that convert one element take and return one element an instruction. Typed slices have
    /// elements as wide as the format's storage, two to a byte for FP4.
    ///
    /// # Errors
    ///
    /// Fails, before anything is written, for `cvt.pack`; if the elements are no whole number of
    /// instructions; if the result has not the length that they need; if `extra` is missing or unwanted.
    pub fn run_packed(
        &self,
        elements: Column<'_>,
        extra: Option<Column<'_>>,
        result: ColumnMut<'_>,
    ) -> Result<(), BulkError> {
        let form = self.form;
        if form.opcode() == Opcode::CvtPack {
            return Err(BulkError::NotPacked { form });
        }
        let (source, given) = elements.raw().ok_or(BulkError::NotAData { role: Role::A })?;
        let storage = |ty: crate::types::Type| (ty.format().storage() as usize).div_ceil(8);
        let per_instruction = self.packed_source_bytes();
        let count = whole(Role::A, source, given, storage(form.source()), per_instruction)?;
        let (result, element) = result.raw();
        let width = self.result_bytes();
        whole(Role::Destination, result, element, storage(form.destination()), width)?;
        if result.len() != count * width {
            let (expected, given) = (count * width, result.len());
            return Err(BulkError::Length { role: Role::Destination, expected, given });
        }
        let mut feeds = [Feed::Value(0); MAX_OPERANDS];
        let sources = self.data_operands();
        let bytes = per_instruction / sources;
        for (k, feed) in feeds[..sources].iter_mut().enumerate() {
            // The first operand is the uppermost, so it comes last in memory.
            let offset = bytes * (sources - 1 - k);
            let little_endian = given == 0;
            *feed =
                Feed::Slice { bytes: source, offset, stride: per_instruction, width: bytes, little_endian };
        }
        let wanted = form.operands().find(|o| matches!(o.role, Role::RandomBits | Role::ScaleFactor));
        match (wanted, extra) {
            (None, None) => {}
            (Some(operand), Some(column)) => feeds[sources] = column_feed(column, operand, count)?,
            (wanted, _) => return Err(BulkError::Extra { needed: wanted.map(|o| o.role) }),
        }
        let packed = Some(source);
        self.execute(Job { operands: feeds, packed, sources, result, width, little_endian: element == 0 });
        Ok(())
    }

    /// How many operands hold elements: all but `c`, `rbits` and `scale-factor`.
    fn data_operands(&self) -> usize {
        let scaled = self.form.modifiers().iter().any(Modifier::is_scale);
        let random = self.form.rounding() == Some(crate::Rounding::Rs);
        let rest = self.form.opcode() == Opcode::CvtPack && self.form.source_count() == 3;
        self.form.source_count() - usize::from(scaled) - usize::from(random) - usize::from(rest)
    }

    fn execute(&self, job: Job<'_>) {
        match &self.pipeline {
            Some(pipeline) => engine::run(pipeline, &self.form, self.stores, job),
            None => engine::run_reference(&self.form, job),
        }
    }
}

impl core::fmt::Debug for Plan {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Plan({}, {})", self.form, self.tier)
    }
}

/// The number of instructions whose bytes `data` holds, if it is whole and has elements of `width` bytes.
fn whole(
    role: Role,
    data: &[u8],
    element: u32,
    width: usize,
    per_instruction: usize,
) -> Result<usize, BulkError> {
    if element != 0 && element as usize != 8 * width {
        return Err(BulkError::ElementWidth { role, expected: 8 * width as u32, given: element });
    }
    if data.len() % per_instruction != 0 {
        return Err(BulkError::Partial { role, given: data.len(), multiple_of: per_instruction });
    }
    Ok(data.len() / per_instruction)
}

/// One operand's column, which must serve `count` instructions.
fn column_feed<'a>(column: Column<'a>, operand: Operand, count: usize) -> Result<Feed<'a>, BulkError> {
    let (role, width) = (operand.role, operand.width as usize / 8);
    match column {
        Column::Random { seed, first } if role == Role::RandomBits => Ok(Feed::Random { seed, first }),
        Column::Random { .. } => Err(BulkError::NotAData { role: Role::RandomBits }),
        Column::Value(value) => Ok(Feed::Value(value)),
        _ => {
            let (bytes, element) = column.raw().ok_or(BulkError::NotAData { role })?;
            whole(role, bytes, element, width, width)?;
            if bytes.len() != count * width {
                return Err(BulkError::Length { role, expected: count * width, given: bytes.len() });
            }
            Ok(Feed::Slice { bytes, offset: 0, stride: width, width, little_endian: element == 0 })
        }
    }
}
