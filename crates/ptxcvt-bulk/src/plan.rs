//! The plan: kernels chosen once for a form and run over any number of arrays.

use super::choose::Pipeline;
use super::column::{Column, ColumnMut};
use super::engine::{self, Feed, Job, Source, Stores};
use super::error::BulkError;
use super::tier::{Tier, TierError};
use super::widths::{Widths, divided};
use ptxcvt::forms::{Form, Role};
use ptxcvt::inputs::MAX_OPERANDS;

/// The kernels that convert arrays by one [`Form`] on this machine.
///
/// # Example: one scale, random bits from a seed
///
/// ```
/// use ptxcvt::Form;
/// use ptxcvt_bulk::{Column, Plan};
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
    pub(crate) widths: Widths,
    pipeline: Option<Pipeline>,
}

impl Plan {
    /// Chooses the kernels of the [current tier](Tier::current): the fastest of this machine unless `PTXCVT_TIER` is
    /// set.
    pub fn new(form: Form) -> Plan {
        Self::choose(form, Tier::current())
    }

    /// Chooses the kernels of a tier. If there are none for the form, the reference evaluates every
    /// instruction.
    ///
    /// # Errors
    ///
    /// Fails if this machine lacks the tier.
    pub fn with_tier(form: Form, tier: Tier) -> Result<Plan, TierError> {
        if tier.is_available() { Ok(Self::choose(form, tier)) } else { Err(TierError::Unavailable(tier)) }
    }

    fn choose(form: Form, tier: Tier) -> Plan {
        let pipeline = Pipeline::new(&form, tier);
        Plan { form, tier, stores: Stores::Auto, widths: Widths::new(&form), pipeline }
    }

    /// Returns this plan with another setting for writing results. The default is [`Stores::Auto`].
    #[must_use]
    pub fn with_stores(self, stores: Stores) -> Plan {
        Plan { stores, ..self }
    }

    /// How results are written.
    #[cfg(feature = "alloc")]
    pub(crate) fn stores(&self) -> Stores {
        self.stores
    }

    /// The form.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The names of the kernels in the order in which they run; none for a plain copy. They are for tables of
    /// timings and may change.
    ///
    /// ```
    /// use ptxcvt_bulk::{Plan, Tier};
    /// let form = "cvt.rn.ftz.bf16.f32".parse()?;
    /// let plan = Plan::with_tier(form, Tier::available().nth(1).unwrap())?;
    /// assert!(plan.kernels().count() >= 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn kernels(&self) -> impl Iterator<Item = &'static str> + '_ {
        let reference = self.pipeline.is_none().then_some("reference");
        reference.into_iter().chain(self.pipeline.iter().flat_map(Pipeline::names))
    }

    /// The tier whose kernels run.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// Converts operand columns. Instruction `i` reads element `i` of each column and writes element `i` of `result`,
    /// with the bits that [`Form::eval`](ptxcvt::Form::eval) returns.
    ///
    /// # Errors
    ///
    /// Fails before anything is written if the number of columns is not the form's, if the width of an
    /// element is not the operand's, or if the lengths differ.
    pub fn run(&self, operands: &[Column<'_>], result: ColumnMut<'_>) -> Result<(), BulkError> {
        let expected = self.form.source_count();
        if operands.len() != expected {
            return Err(BulkError::ColumnCount { expected, given: operands.len() });
        }
        let (result, element) = result.raw();
        let width = self.widths.result;
        let count = whole(Role::Destination, result, element, width, width)?;
        let mut feeds = [Feed::Value(0); MAX_OPERANDS];
        for ((feed, column), operand) in feeds.iter_mut().zip(operands).zip(self.form.operands().skip(1)) {
            *feed = column_feed(*column, (operand.role, operand.width as usize / 8), count)?;
        }
        let sources = self.widths.operands;
        let source = match feeds[0] {
            Feed::Slice { bytes, width, little_endian, .. } if sources == 1 => {
                Source::Packed { bytes, width, little_endian }
            }
            _ => Source::Operands(&feeds),
        };
        self.execute(Job {
            source,
            sources,
            extra: feeds[sources],
            result,
            width,
            little_endian: element == 0,
        });
        Ok(())
    }

    /// Converts elements in memory order by a kernel that reports whether they may include NaN or infinity, and returns
    /// that report. Returns `None` without writing anything if there is no such kernel, or if the lengths do not match.
    #[cfg(feature = "std")]
    pub(crate) fn run_reporting(&self, elements: &[u8], result: &mut [u8], cold: bool) -> Option<bool> {
        let pipeline = self.pipeline.as_ref()?;
        let [from, to] = self.widths.bits;
        let (instruction, streams) =
            (self.widths.source, self.stores.are_streamed(elements.len() + result.len()));
        let fits = elements.len() % instruction == 0 && elements.len() * to == result.len() * from;
        if fits && !streams { engine::run_reporting(pipeline, elements, result, cold) } else { None }
    }

    pub(super) fn execute(&self, job: Job<'_>) {
        match &self.pipeline {
            Some(pipeline) => engine::run(pipeline, self.stores, job),
            None => engine::run_reference(&self.form, job),
        }
    }
}

impl core::fmt::Debug for Plan {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Plan({}, {})", self.form, self.tier)
    }
}

/// The number of instructions whose bytes `data` holds. Fails if an instruction is incomplete or the elements do not
/// have `width` bytes.
pub(super) fn whole(
    role: Role,
    data: &[u8],
    element: u32,
    width: usize,
    per_instruction: usize,
) -> Result<usize, BulkError> {
    if element != 0 && element as usize != 8 * width {
        return Err(BulkError::ElementWidth { role, expected: 8 * width as u32, given: element });
    }
    if data.len() & (per_instruction - 1) != 0 {
        return Err(BulkError::Partial { role, given: data.len(), multiple_of: per_instruction });
    }
    Ok(divided(data.len(), per_instruction))
}

/// The feed of an operand from a column, which must have an element for each of `count` instructions.
pub(super) fn column_feed<'a>(
    column: Column<'a>,
    (role, width): (Role, usize),
    count: usize,
) -> Result<Feed<'a>, BulkError> {
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
