//! The search of a list of forms: words that opcodes contain or lack, and the forms nearest to a text.
//!
//! [`Named`] and [`Link`] are how a text names formats, here and in the page's field for an instruction.

use ptxcvt::targets::Machine;
use ptxcvt::{Form, Spelling, Type};

use crate::place::Where;

/// The modules of Python whose types are formats.
const MODULES: [&str; 7] = ["torch", "np", "numpy", "jnp", "jax.numpy", "tf", "ml_dtypes"];

/// A format that a word names, and how many elements the word says: `e4m3x2` has two, `fp8` does not say it.
///
/// ```
/// use ptxcvt::Format;
/// use ptxcvt_report::search::Named;
/// assert_eq!(Named::new("fp8"), Some(Named { format: Format::E4m3, lanes: 1 }));
/// assert_eq!(Named::new(".e4m3x2"), Some(Named { format: Format::E4m3, lanes: 2 }));
/// assert_eq!(Named::new("torch.float8_e4m3fn"), Named::new("fp8"));
/// assert_eq!(Named::new("satfinite"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The format.
    pub format: ptxcvt::Format,
    /// The number of elements; 1 if the word does not say it.
    pub lanes: u32,
}

impl Named {
    /// The format that a word names, as PTX or another library writes it, also with its module: `torch.float8_e4m3fn`.
    /// `None` if the word names none.
    pub fn new(word: &str) -> Option<Named> {
        let word =
            MODULES.iter().find_map(|module| word.strip_prefix(module)?.strip_prefix('.')).unwrap_or(word);
        let format = Type::read_format(word).ok()?;
        Some(Named { format, lanes: word.parse().map_or(1, Type::lanes) })
    }

    /// True if a type has the format, and as many elements if the word says how many.
    pub fn is(self, ty: Type) -> bool {
        ty.format() == self.format && (self.lanes == 1 || ty.lanes() == self.lanes)
    }
}

/// What joins two formats: the destination follows, or the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// `f32 to e4m3`.
    To,
    /// `e4m3 from f32`.
    From,
}

impl Link {
    /// The link that a word is; `None` if it is none.
    pub fn new(word: &str) -> Option<Link> {
        match word.to_ascii_lowercase().as_str() {
            "to" | "in" | "into" | "as" | "→" => Some(Link::To),
            "from" | "of" => Some(Link::From),
            _ => None,
        }
    }

    /// A text with blanks around its arrows, and one kind of them.
    pub fn spaced(text: &str) -> String {
        text.replace("->", "→").replace("=>", "→").replace('→', " → ")
    }
}

/// The words of a search, such as `satfinite e2m1x2 -relu` or `f32 to fp8`. The default admits every form.
///
/// ```
/// use ptxcvt_report::search::Words;
/// let form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
/// for text in ["Satfinite, e4m3x2 -relu", "fp8", "f32 to e4m3", "fp8 from f32", "f32 -> e4m3 rn"] {
///     assert!(Words::new(text).admits(&form), "{text}");
/// }
/// assert!(!Words::new("e4m3 to f32").admits(&form));
/// # Ok::<(), ptxcvt::forms::Refusal>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    with: Vec<Wanted>,
    /// What the opcode lacks, without dots.
    without: Vec<String>,
}

/// What a word asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wanted {
    /// A text that the opcode contains.
    Text(String),
    /// A format of the destination or the source; or the text that names it.
    Either(Named, String),
    Destination(Named),
    Source(Named),
}

/// An opcode with a dot before each part.
fn dotted(form: &Form) -> String {
    format!(".{form}")
}

fn has_part(opcode: &str, part: &str) -> bool {
    opcode.split('.').any(|one| one == part)
}

/// True if the destination or the source has the format.
fn has_format(form: &Form, named: Named) -> bool {
    named.is(form.destination()) || named.is(form.source())
}

impl Wanted {
    fn admits(&self, form: &Form, opcode: &str) -> bool {
        match self {
            Wanted::Text(text) => opcode.contains(text),
            Wanted::Either(named, text) => opcode.contains(text) || has_format(form, *named),
            Wanted::Destination(named) => named.is(form.destination()),
            Wanted::Source(named) => named.is(form.source()),
        }
    }
}

impl Words {
    /// Reads words separated by blanks or commas. A word that begins with `-` excludes a part of opcodes or a format.
    pub fn new(text: &str) -> Words {
        let spaced = Link::spaced(text);
        let all: Vec<String> = separated(&spaced).collect();
        let mut words = Words::default();
        let link = |at: Option<usize>| at.and_then(|at| Link::new(all.get(at)?));
        let named = |at: Option<usize>| at.and_then(|at| Named::new(all.get(at)?));
        for (at, word) in all.iter().enumerate() {
            let (before, after) = (at.checked_sub(1), Some(at + 1));
            if let Some(part) = word.strip_prefix('-') {
                words.without.push(part.trim_start_matches('.').to_owned());
            } else if Link::new(word).is_some() && (named(before).is_some() || named(after).is_some()) {
                // The formats next to it say what they are.
            } else if let Some(format) = Named::new(word) {
                let source = link(after) == Some(Link::To) || link(before) == Some(Link::From);
                let destination = link(after) == Some(Link::From) || link(before) == Some(Link::To);
                if !source && !destination {
                    words.with.push(Wanted::Either(format, word.clone()));
                }
                words.with.extend(source.then_some(Wanted::Source(format)));
                words.with.extend(destination.then_some(Wanted::Destination(format)));
            } else {
                words.with.push(Wanted::Text(word.clone()));
            }
        }
        words
    }

    /// True if the opcode has what each word asks for, and nothing that is excluded.
    pub fn admits(&self, form: &Form) -> bool {
        if *self == Words::default() {
            return true;
        }
        let opcode = dotted(form);
        // `-f16` excludes a type, `-fp8` all types of a format.
        let excluded = |part: &String| {
            let format = Named::new(part).filter(|_| Type::from_name(part).is_none());
            has_part(&opcode, part) || format.is_some_and(|named| has_format(form, named))
        };
        self.with.iter().all(|word| word.admits(form, &opcode)) && !self.without.iter().any(excluded)
    }

    /// How many of the words a form has; formats count more than all others together.
    fn score(&self, form: &Form) -> usize {
        let opcode = dotted(form);
        let points = |word: &Wanted| match word {
            Wanted::Text(text) => text.split('.').filter(|word| has_part(&opcode, word)).count(),
            _ => usize::from(word.admits(form, &opcode)) * 1000,
        };
        self.with.iter().map(points).sum()
    }
}

/// The indices of the forms nearest to a text: those nearest to the opcode with which it begins, otherwise up to three that
/// have the most of its words.
///
/// ```
/// use ptxcvt::Form;
/// use ptxcvt_report::search::nearest;
/// let forms: Vec<Form> = Form::all().collect();
/// let found = nearest("cvt.rn.satfinit.e4m3x2.f32", &forms);
/// assert!(found.iter().any(|at| forms[*at].to_string() == "cvt.rn.satfinite.e4m3x2.f32"));
/// ```
pub fn nearest(text: &str, forms: &[Form]) -> Vec<usize> {
    let opcode = text.split_whitespace().next().filter(|word| word.starts_with("cvt"));
    if let Some(opcode) = opcode {
        let near = Where::new(&Spelling::new(opcode), Ok(Machine::ANY)).nearest;
        if !near.is_empty() {
            return (0..forms.len()).filter(|at| near.contains(&forms[*at])).collect();
        }
    }
    let words = Words::new(text);
    let scores: Vec<usize> = forms.iter().map(|form| words.score(form)).collect();
    let best = scores.iter().copied().max().filter(|best| *best > 0);
    (0..forms.len()).filter(|at| Some(scores[*at]) == best).take(3).collect()
}

/// The words in small letters.
fn separated(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        let words = Words::new(text);
        Form::all().filter(|form| words.admits(form)).count()
    }

    #[test]
    fn words_narrow_the_list() {
        let all = Form::all().count();
        assert_eq!([count(""), count(" , ")], [all; 2]);
        assert_eq!(count("relu") + count("-relu"), all);
        assert_eq!(count("-.relu"), count("-relu"));
        assert_eq!(count(".relu"), count("RELU"));
        // A word may be a part of a part; `-f16` excludes `.f16` and not `.bf16` or `.f16x2`.
        assert!(count("f16") > count(".f16."));
        assert!(count("bf16 -f16") > 0);
        assert_eq!(count("satf"), count("satfinite"));
        assert_eq!(count("nothing"), 0);
    }

    /// What the page's field for an instruction understands as a conversion between two formats, a search finds.
    #[test]
    fn formats_have_their_names() {
        use ptxcvt::Format;
        let all: Vec<Form> = Form::all().collect();
        let number = |is: &dyn Fn(&Form) -> bool| all.iter().filter(|form| is(form)).count();
        let (e4m3, f32) = (Format::E4m3, Format::F32);
        let [from, to] = [|form: &Form| form.source().format(), |form: &Form| form.destination().format()];
        let there = number(&|form| from(form) == f32 && to(form) == e4m3);
        assert!(there > 10);
        for text in [
            "f32 to e4m3",
            "e4m3 from f32",
            "F32 -> FP8",
            "f32→float8_e4m3fn",
            "fp8 of float",
            ".f32 into .e4m3",
        ] {
            assert_eq!(count(text), there, "{text}");
        }
        let back = number(&|form| from(form) == e4m3 && to(form) == f32);
        assert_eq!(count("e4m3 to f32"), back);
        let either = number(&|form| from(form) == e4m3 || to(form) == e4m3);
        assert_eq!(
            [count("fp8"), count("e4m3"), all.len() - count("-fp8"), all.len() - count("-e4m3")],
            [either; 4]
        );
        assert_eq!(count("to fp8"), number(&|form| to(form) == e4m3));
        assert_eq!(count("fp8 to"), number(&|form| from(form) == e4m3));
        let packed = number(&|form| from(form) == f32 && form.destination().to_string() == "e4m3x4");
        assert_eq!(count("f32 to e4m3x4"), packed);
        assert!(packed < there && packed > 0);
        assert_eq!(count("half"), count("f16 -bf16 -bf16x2") + count("half bf16"));
        // Every format is found by each of its names.
        for format in Format::ALL.iter().copied() {
            let there = number(&|form| from(form) == format || to(form) == format);
            for name in [&[format.name()], format.parameters().aliases].concat() {
                assert!(count(name) >= there, "{name}");
            }
        }
        let nearest: Vec<String> =
            nearest("f32 to e4m3 bogus", &all).iter().map(|at| all[*at].to_string()).collect();
        assert!(nearest.len() == 3 && nearest.iter().all(|opcode| opcode.contains(".e4m3x")), "{nearest:?}");
    }

    #[test]
    fn the_nearest_have_the_most_words() {
        let forms: Vec<Form> = Form::all().collect();
        let found = nearest("e2m1x2 bogus relu", &forms);
        assert_eq!(found.len(), 3);
        for at in found {
            let opcode = forms[at].to_string();
            assert!(opcode.contains("e2m1x2") && opcode.contains("relu"), "{opcode}");
        }
        assert_eq!(nearest("bogus -relu", &forms), [0; 0]);
    }
}
