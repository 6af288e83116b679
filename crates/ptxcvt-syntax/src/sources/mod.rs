//! Inline assembly in CUDA C++, HIP, Python and LLVM IR.
//!
//! A reader for each language finds the assemblies. They share: the text of the joined strings with the place of every
//! byte (`text`, `escape`), the registers that constraints put in place of `%0` (`constraint`), the configurations
//! that compile the code (`guard`), unknown parts (`hole`), and the verdict (`judge`).

mod assembly;
mod constraint;
mod cpp;
mod dispatch;
mod escape;
mod guard;
mod guess;
mod hole;
mod judge;
mod kernel;
mod llvm;
mod plan;
mod python;
mod rust;
mod scan;
mod statement;
mod text;
mod uses;

use std::path::Path;

pub use self::assembly::Assembly;
pub use self::constraint::{AsmOperand, Constraint, ConstraintKind};
use self::judge::{Judge, OUTSIDE, RUST, UNREADABLE};
use self::text::Joined;
use crate::check::{CheckOptions, Findings, check};
use crate::source::Source;

/// The language of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// A module of PTX.
    #[default]
    Ptx,
    /// C++ with `asm` statements: CUDA and HIP.
    Cpp,
    /// Python with calls such as `inline_asm_elementwise`.
    Python,
    /// LLVM IR, or MLIR.
    Llvm,
    /// Rust, whose inline assembly is counted and not judged.
    Rust,
}

impl Language {
    /// Every language.
    pub const ALL: &'static [Language] =
        &[Language::Ptx, Language::Cpp, Language::Python, Language::Llvm, Language::Rust];

    /// The name by which options choose it.
    pub const fn name(self) -> &'static str {
        match self {
            Language::Ptx => "ptx",
            Language::Cpp => "c++",
            Language::Python => "python",
            Language::Llvm => "llvm",
            Language::Rust => "rust",
        }
    }

    /// The extensions of its files.
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            Language::Ptx => &["ptx"],
            Language::Cpp => &["cu", "cuh", "cpp", "cc", "cxx", "c", "h", "hpp", "hh", "hxx", "inl", "hip"],
            Language::Python => &["py", "pyi"],
            Language::Llvm => &["ll", "mlir"],
            Language::Rust => &["rs"],
        }
    }

    /// The language of a file, by its extension; `None` if the extension is unknown.
    ///
    /// ```
    /// use ptxcvt_syntax::sources::Language;
    /// assert_eq!(Language::of("include/fp8.cuh".as_ref()), Some(Language::Cpp));
    /// assert_eq!(Language::of("notes.txt".as_ref()), None);
    /// ```
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::ALL.iter().copied().find(|language| language.extensions().contains(&&*extension))
    }
}

/// The findings in a source of the given language or, without one, of the language that its name says; PTX if the name
/// says none. With [`CheckOptions::snippet`], the text is PTX whatever its name.
///
/// ```
/// use ptxcvt_syntax::sources::check_named;
/// use ptxcvt_syntax::{CheckOptions, Source};
/// let source = Source::new("kernel.py", b"x = 'cvt is not an instruction here'");
/// assert!(check_named(&source, None, &CheckOptions::default()).diagnostics.is_empty());
/// ```
pub fn check_named(source: &Source<'_>, given: Option<Language>, options: &CheckOptions) -> Findings {
    let named = given.or_else(|| Language::of(Path::new(source.name()))).unwrap_or_default();
    check_source(source, if options.snippet { Language::Ptx } else { named }, options)
}

/// Every inline assembly of a source; none of a PTX module.
pub fn assemblies(text: &str, language: Language) -> Vec<Assembly> {
    match language {
        Language::Ptx | Language::Rust => Vec::new(),
        Language::Cpp => cpp::assemblies(text),
        Language::Python => python::assemblies(text),
        Language::Llvm => llvm::assemblies(text),
    }
}

/// Every `asm` statement of a C++ text, whatever it holds.
///
/// ```
/// use ptxcvt_syntax::sources::statements;
/// let found = statements(r#"asm("add.u32 %0, " "%1, 1;" : "=r"(d) : "r"(a));"#);
/// assert_eq!(found[0].text(), "add.u32 %0, %1, 1;");
/// assert_eq!(found[0].operands()[1].expression, "a");
/// ```
pub fn statements(text: &str) -> Vec<Assembly> {
    cpp::assemblies(text)
}

/// The strings of a source that mention conversions.
fn strings(text: &str, language: Language) -> Vec<Joined> {
    match language {
        Language::Ptx => Vec::new(),
        Language::Cpp => cpp::strings(text),
        Language::Python => python::strings(text),
        Language::Llvm => llvm::strings(text),
        Language::Rust => rust::strings(text),
    }
}

/// Judges every conversion in the inline assembly of a source, for the configurations that its guards admit, or for
/// the machine of `options`. Conversions in strings that were not judged are counted in `stats.skipped`.
///
/// ```
/// use ptxcvt_syntax::sources::{Language, check_source};
/// use ptxcvt_syntax::{CheckOptions, Source};
/// let text = r#"
/// __device__ unsigned short pack(float a, float b) {
///     unsigned short d;
///     asm volatile("cvt.rn.e4m3x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
///     return d;
/// }"#;
/// let source = Source::new("pack.cuh", text.as_bytes());
/// let found = check_source(&source, Language::Cpp, &CheckOptions::default());
/// assert_eq!(found.diagnostics[0].code().as_str(), "CVT008");
/// let at = source.position(found.diagnostics[0].span().start);
/// assert_eq!((at.line, at.column), (4, 19));
/// ```
pub fn check_source(source: &Source<'_>, language: Language, options: &CheckOptions) -> Findings {
    if language == Language::Ptx {
        return check(source, options);
    }
    let text = source.text();
    // Without these letters there is no conversion, which saves reading most files. Those of `cvt` may be spelled by
    // escapes, by several strings or wrongly.
    if !text.contains("cvt") && !text.contains("asm") {
        return Findings::default();
    }
    let mut judge = Judge::default();
    let assemblies = assemblies(text, language);
    assemblies.iter().for_each(|assembly| judge.judge(assembly, options));
    for string in strings(text, language) {
        for (_, place) in string.mentions() {
            // In a branch of a statement that has too many of them.
            let within =
                |a: &Assembly| language == Language::Cpp && a.span().range().contains(&(place as usize));
            let reason = match language {
                Language::Rust => RUST,
                _ if !judge.account.knows(place) && assemblies.iter().any(within) => UNREADABLE,
                _ => OUTSIDE,
            };
            judge.account.skipped(place, reason);
        }
    }
    let mut found = judge.found;
    found.stats.skipped = judge.account.reasons();
    found.diagnostics.sort_by_key(|d| d.span().start);
    found
}
