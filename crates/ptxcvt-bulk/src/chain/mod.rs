//! Chains: several conversions, one after the other, in one pass over an array.
//!
//! A few thousand elements at a time pass through all conversions, so that intermediate results stay in the first-level
//! cache. Two conversions that one kernel implements are one link.

mod run;

#[cfg(feature = "std")]
pub(crate) use run::MOST_LANES;

use alloc::vec::Vec;

use super::arch::{Conversion, hand_written};
use super::column::Column;
use super::engine::Stores;
use super::lanes::mode;
use super::plan::Plan;
use super::stage::Stage;
use super::tier::{Tier, TierError};
use ptxcvt::formats::Format;
use ptxcvt::forms::{Form, Modifiers};

/// Conversions in sequence; each reads the previous result.
///
/// ```
/// use ptxcvt_bulk::{Chain, ChainArray, Spread};
/// // From e4m3 to f32 by way of f16.
/// let chain = Chain::new(&["cvt.rn.f16x2.e4m3x2".parse()?, "cvt.f32.f16".parse()?]);
/// let mut result = [0; 12];
/// let (elements, spread) = (&[0x38, 0x3c, 0xfe][..], Spread::default());
/// chain.run(ChainArray { elements, extras: &[], result: &mut result, spread, first: 0 })?;
/// assert_eq!(result, *[1.0_f32, 1.5, -448.0].map(f32::to_le_bytes).as_flattened());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chain {
    links: Vec<Link>,
    stores: Stores,
    source: Form,
    destination: Form,
}

/// Elements in memory order and the place of their results; see [`Chain::run`].
#[derive(Debug)]
pub struct ChainArray<'a> {
    /// The elements, little-endian, at any alignment.
    pub elements: &'a [u8],
    /// `rbits` or the scales of each conversion, as in [`Array::extra`](crate::Array::extra); those that are missing
    /// are `None`.
    pub extras: &'a [Option<Column<'a>>],
    /// The results, little-endian.
    pub result: &'a mut [u8],
    /// Which 4-bit numbers occupy a byte each.
    pub spread: Spread,
    /// The index of the first element in the whole array.
    pub first: u64,
}

/// Whether 4-bit numbers occupy a byte each, in its low half, instead of sharing it with another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// Those of the source.
    pub source: bool,
    /// Those of the result.
    pub result: bool,
}

/// One pass over a block.
#[derive(Clone, Debug)]
struct Link {
    work: Work,
    /// The index of the conversion in the chain, and so of its operand in `extras`.
    number: usize,
    /// The formats of its elements.
    from: Format,
    to: Format,
}

#[derive(Clone)]
#[allow(clippy::large_enum_variant)] // A box would be one more place to read for every block of the common variant.
enum Work {
    /// One conversion.
    Single(Plan),
    /// Two conversions in one kernel: from packed 4-bit numbers, or other elements, and from spread ones.
    Joined { packed: Stage, spread: Option<Stage> },
}

impl From<Plan> for Chain {
    /// The chain of one conversion.
    fn from(plan: Plan) -> Chain {
        let form = plan.form();
        let (from, to) = (form.source().format(), form.destination().format());
        let links = alloc::vec![Link { work: Work::Single(plan), number: 0, from, to }];
        Chain { links, stores: plan.stores(), source: form, destination: form }
    }
}

impl Chain {
    /// Chooses the kernels of the [current tier](Tier::current).
    ///
    /// # Panics
    ///
    /// Panics if there is no form, or if one does not read the format that the form before it writes.
    pub fn new(forms: &[Form]) -> Chain {
        Chain::choose(forms, Tier::current())
    }

    /// Chooses the kernels of a tier.
    ///
    /// # Errors
    ///
    /// Fails if this machine lacks the tier.
    ///
    /// # Panics
    ///
    /// Like [`new`](Self::new).
    pub fn with_tier(forms: &[Form], tier: Tier) -> Result<Chain, TierError> {
        if tier.is_available() { Ok(Chain::choose(forms, tier)) } else { Err(TierError::Unavailable(tier)) }
    }

    fn choose(forms: &[Form], tier: Tier) -> Chain {
        let [source, destination] =
            [forms.first(), forms.last()].map(|form| *form.expect("a chain has forms"));
        let ends = |form: &Form| (form.source().format(), form.destination().format());
        assert!(
            forms.windows(2).all(|pair| ends(&pair[0]).1 == ends(&pair[1]).0),
            "a conversion reads what the one before it wrote"
        );
        let mut links = Vec::new();
        let mut number = 0;
        while let Some(form) = forms.get(number) {
            let joined = forms.get(number + 1).and_then(|next| Some((joined(form, next, tier)?, next)));
            let (work, last, step) = match joined {
                Some((work, next)) => (work, next, 2),
                None => {
                    let plan = Plan::with_tier(*form, tier).expect("the caller has checked the tier");
                    (Work::Single(plan), form, 1)
                }
            };
            links.push(Link { work, number, from: ends(form).0, to: ends(last).1 });
            number += step;
        }
        Chain { links, stores: Stores::Auto, source, destination }
    }

    /// Returns this chain with another setting for writing results; see [`Plan::with_stores`].
    ///
    /// For memory that the system has just provided, [`Stores::Cached`] is faster: clearing it has brought it into the
    /// cache.
    #[must_use]
    pub fn with_stores(mut self, stores: Stores) -> Chain {
        self.stores = stores;
        for link in &mut self.links {
            if let Work::Single(plan) = &mut link.work {
                *plan = plan.with_stores(stores);
            }
        }
        self
    }

    /// The first and the last form.
    pub fn ends(&self) -> (Form, Form) {
        (self.source, self.destination)
    }

    /// The names of the kernels, in order; see [`Plan::kernels`].
    pub fn kernels(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.links.iter().flat_map(|link| {
            let (plan, stage) = match &link.work {
                Work::Single(plan) => (Some(plan), None),
                Work::Joined { packed, .. } => (None, Some(packed.name)),
            };
            plan.into_iter().flat_map(Plan::kernels).chain(stage)
        })
    }
}

/// The kernel that makes both conversions, if there is one: exact ones from FP8, FP6, FP4 and ue8m0 to f32.
fn joined(first: &Form, second: &Form, tier: Tier) -> Option<Work> {
    let (from, between) = (first.source().format(), first.destination().format());
    let plain = |form: &Form| form.modifiers().is_empty() && form.extra().is_none();
    let way = if from == Format::Ue8m0 { Format::Bf16 } else { Format::F16 };
    // Wider sources are rounded on the way: f32 to f16 and back changes numbers, and so does `.rni` from f16 to f16.
    let exact = from.storage() <= 8
        && between == way
        && second.destination().format() == Format::F32
        && second.rounding().is_none();
    if !exact || !plain(first) || !plain(second) {
        return None;
    }
    let of = |packed| {
        let modifiers = Modifiers::NONE;
        let need = Conversion { from, to: Format::F32, rounding: mode::NONE, modifiers, packed };
        Some(hand_written(tier, need)?.stage)
    };
    let spread = if from.storage() == 4 { Some(of(false)?) } else { None };
    Some(Work::Joined { packed: of(true)?, spread })
}

impl core::fmt::Debug for Work {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Work::Single(plan) => plan.fmt(f),
            Work::Joined { packed, .. } => f.write_str(packed.name),
        }
    }
}
