//! Conversions of whole words: the elements of 32-bit registers in memory order, as kernels load and store them.
//!
//! [`words`] lists the ways to convert a number of elements by a form for pairs. Some are composed of lowerings of the
//! form, others are sequences for a word. All return the form's bits for every pair.
//!
//! ```
//! use ptxcvt_lower::word::{Shape, Variant, word};
//! let shape = Shape::new("cvt.rn.f16x2.e2m1x2".parse()?, 8)?;
//! let word = word(shape, Variant::default(), "sm_80".parse()?, "7.0".parse()?)?;
//! assert!(word.to_string().starts_with("// =r,=r,=r,=r,r\n"));
//! assert_eq!(word.block().eval(&[0x7654_3210])?, shape.eval(&[0x7654_3210])?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod narrow;
mod order;
mod pairs;
mod shape;
mod variant;
mod widen;

use std::fmt;

use ptxcvt::{Format, IsaVersion, Modifier, Target};
use ptxcvt_exec::read;

use crate::choice::{LowerError, lowerings};
use crate::instruction;
use crate::lowering::Lowering;
use crate::render::with_names;
use crate::sequence::{Kind, Sequence, accessors};
pub use order::interleave;
pub use shape::{Shape, ShapeError};
pub use variant::{Order, Variant, VariantError};
pub use widen::power;

/// The name of sequences that are not composed of pairs.
const OWN: &str = "word";

/// PTX that converts the elements of a [`Shape`].
#[derive(Clone, Debug)]
pub struct Word {
    shape: Shape,
    variant: Variant,
    sequence: Sequence,
}

/// The reason why no word exists.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum WordError {
    /// The form cannot be lowered for the target.
    Lower(LowerError),
    /// The options do not fit.
    Variant(VariantError),
    /// The target lacks the instructions of this variant.
    Target(Target, IsaVersion),
}

impl fmt::Display for WordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WordError::Lower(error) => error.fmt(f),
            WordError::Variant(error) => error.fmt(f),
            WordError::Target(target, isa) => {
                write!(f, "{target} at ISA {isa} lacks the instructions for this variant")
            }
        }
    }
}

impl std::error::Error for WordError {}

impl Word {
    fn read(
        shape: Shape,
        variant: Variant,
        (kind, name): (Kind, &str),
        lines: &[String],
    ) -> Result<Self, read::Error> {
        let scale = if variant.scale.is_some() { ",h" } else { "" };
        let lines = if shape.destinations() > 1 { copied(shape, lines) } else { lines.to_vec() };
        let body: String = lines.iter().map(|line| format!("  {line}\n")).collect();
        let body = format!("{{\n{body}}}");
        let sequence = Sequence::read((kind, name.to_owned()), format_args!("{shape}{scale}"), &body)?;
        Ok(Word { shape, variant, sequence })
    }

    /// The form and the number of elements.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The options.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// [`Kind::Short`] for a sequence made for words, otherwise the kind of the pairs.
    pub fn kind(&self) -> Kind {
        self.sequence.kind
    }

    /// `word` for a sequence made for words, otherwise the name of the pairs' variant.
    pub fn name(&self) -> &str {
        &self.sequence.name
    }

    /// The exponent of the power of two that [`Variant::skip_factor`] leaves out, and with which [`Variant::scale`] is
    /// multiplied; `None` for conversions of another kind.
    pub fn power(&self) -> Option<i32> {
        power(self.shape)
    }

    /// The inputs and results in words, one line for each statement; empty if the word returns the form's bits for
    /// every input.
    pub fn contract(&self) -> Vec<String> {
        let Variant { scale, skip_factor, numbers, order } = self.variant;
        let to = self.shape.form().destination().format().name();
        let mut lines = Vec::new();
        if let Some(format) = scale {
            let power = self.power().expect("only conversions with a factor have a scale");
            let then = if self.shape.form().has(Modifier::Relu) { ", and 0 if that is negative" } else { "" };
            let product = format!("the element times the {} factor, rounded once", format.name());
            lines.push(format!("each result is {product}{then}"));
            lines.push(format!("the factor times 2^{power} is 0 or a normal number of {to}"));
            if format == Format::Ue8m0 {
                lines.push("the factor's code is not 0".into());
            }
        }
        if skip_factor {
            match self.power() {
                None | Some(0) => lines.push("results are the elements".into()),
                Some(power) => {
                    lines.push(format!("results are 2^-{power} of the elements; multiply by 2^{power}"));
                }
            }
            // Infinity is a code like the others if there is no factor.
            let factor = self.power().is_some_and(|power| power != 0);
            let infinite = factor && self.shape.form().source().format().infinity().is_some();
            lines.push(if infinite { "no code is NaN or infinity" } else { "no code is NaN" }.into());
        } else if numbers {
            lines.push("no source is NaN".into());
        }
        if order == Order::Interleaved {
            lines.push("codes in interleaved order".into());
        }
        lines
    }
}

accessors!(Word);

/// The word made of the form's instruction, whether or not the target has it. Other words are compared with it.
///
/// ```
/// use ptxcvt_exec::prove::{Options, prove};
/// use ptxcvt_lower::word::{self, Shape, Variant};
/// let shape = Shape::new("cvt.rn.f16x2.e2m1x2".parse()?, 8)?;
/// let word = word::word(shape, Variant::default(), "sm_80".parse()?, "7.0".parse()?)?;
/// let answer = prove(word::reference(shape)?.block(), word.block(), &Options::default(), &|_| {})?;
/// assert!(answer.is_proof());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails if the text is not a valid block, which the tests exclude.
pub fn reference(shape: Shape) -> Result<Word, LowerError> {
    let internal = |e| LowerError::Internal(shape.form(), e);
    let pair = instruction::lowering(shape.form()).map_err(internal)?;
    let lines = pairs::lines(shape, &pair);
    Word::read(shape, Variant::default(), (pair.kind(), pair.name()), &lines).map_err(internal)
}

/// The lines with copies of the sources. A compiler may put a result into the register of a source, as the constraints
/// allow, so all sources are read before the first result is written.
fn copied(shape: Shape, lines: &[String]) -> Vec<String> {
    let first = shape.destinations();
    let copy = |source: usize| format!("word_i{source}");
    let names: Vec<String> =
        (0..first).map(|n| format!("%{n}")).chain((0..shape.sources()).map(copy)).collect();
    let mut all = vec![format!(".reg .b32 {};", names[first..].join(", "))];
    all.extend((0..shape.sources()).map(|n| format!("mov.b32 {}, %{};", copy(n), first + n)));
    all.extend(lines.iter().map(|line| with_names(line, &names)));
    all
}

/// Every way to convert a word in a module of that target and version, the best first: the instruction, then by
/// expected cost.
///
/// # Errors
///
/// Fails if the target cannot be lowered for, or if the options do not fit the form or each other.
pub fn words(
    shape: Shape,
    variant: Variant,
    target: Target,
    isa: IsaVersion,
) -> Result<Vec<Word>, WordError> {
    variant.check(shape).map_err(WordError::Variant)?;
    let pairs = lowerings(shape.form(), target, isa).map_err(WordError::Lower)?;
    let internal = |e| WordError::Lower(LowerError::Internal(shape.form(), e));
    let mut all = Vec::new();
    // Only the words of `widen` implement the other options.
    let plain = variant == (Variant { numbers: variant.numbers, ..Variant::default() });
    let narrow = if plain { narrow::lines(shape) } else { None };
    for lines in [widen::lines(shape, variant), narrow].into_iter().flatten() {
        all.push(Word::read(shape, variant, (Kind::Short, OWN), &lines).map_err(internal)?);
    }
    if plain {
        let fits = |pair: &&Lowering| {
            pair.contract().is_every() || variant.numbers && pair.contract() == crate::Contract::NUMBERS
        };
        for pair in pairs.iter().filter(fits) {
            all.push(
                Word::read(shape, variant, (pair.kind(), pair.name()), &pairs::lines(shape, pair))
                    .map_err(internal)?,
            );
        }
    }
    all.retain(|word| word.is_legal(target, isa));
    ptxcvt::order_by(&mut all, |word| {
        u64::from(word.kind() != Kind::Instruction) << 32 | u64::from(word.estimate())
    });
    Ok(all)
}

/// The best way to convert a word in a module of that target and version.
///
/// # Errors
///
/// Fails as [`words`] does, or if the target lacks instructions of the variant.
pub fn word(shape: Shape, variant: Variant, target: Target, isa: IsaVersion) -> Result<Word, WordError> {
    words(shape, variant, target, isa)?.into_iter().next().ok_or(WordError::Target(target, isa))
}

/// The first version of PTX ISA in which a module of that target may contain the word, or `None` if the target lacks
/// instructions of the variant in every version.
///
/// ```
/// use ptxcvt::Format;
/// use ptxcvt_lower::word::{Shape, Variant, since};
/// let shape = Shape::new("cvt.rn.bf16x2.e4m3x2".parse()?, 4)?;
/// let scaled = Variant { scale: Some(Format::F16), ..Variant::default() };
/// assert_eq!(since(shape, scaled, "sm_80".parse()?), Some("7.0".parse()?));
/// assert_eq!(since(shape, scaled, "sm_75".parse()?), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn since(shape: Shape, variant: Variant, target: Target) -> Option<IsaVersion> {
    IsaVersion::all()
        .filter(|isa| target.exists_in(*isa))
        .find(|isa| word(shape, variant, target, *isa).is_ok())
}
