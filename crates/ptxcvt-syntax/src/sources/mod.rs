//! PTX where people write it: in the strings of CUDA C++, HIP, Python and LLVM IR.
//!
//! Each language has a reader that finds the assemblies; what they have in common is here: the text that the pieces
//! come to, with the place of every byte (`text`); the registers that the constraints put in place of `%0`
//! (`constraint`); the targets for which the code is compiled (`guard`); and the verdict.

mod constraint;
mod cpp;
mod guard;
mod judge;
mod kernel;
mod llvm;
mod python;
mod scan;
mod text;

use std::path::Path;

use ptxcvt::Target;
use ptxcvt::targets::Machine;

use self::constraint::Constraints;
use self::guard::Guards;
use self::text::Joined;
use crate::check::{CheckOptions, Findings, check};
use crate::source::{Source, Span};

/// What a file is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// A module of PTX.
    #[default]
    Ptx,
    /// C++ with `asm` statements, as CUDA and HIP write it.
    Cpp,
    /// Python with `inline_asm_elementwise` and its kin.
    Python,
    /// LLVM IR, or MLIR.
    Llvm,
}

impl Language {
    /// Every language.
    pub const ALL: &'static [Language] = &[Language::Ptx, Language::Cpp, Language::Python, Language::Llvm];

    /// The name that chooses it.
    pub const fn name(self) -> &'static str {
        match self {
            Language::Ptx => "ptx",
            Language::Cpp => "c++",
            Language::Python => "python",
            Language::Llvm => "llvm",
        }
    }

    /// The extensions of its files.
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            Language::Ptx => &["ptx"],
            Language::Cpp => &["cu", "cuh", "cpp", "cc", "cxx", "c", "h", "hpp", "hh", "hxx", "inl", "hip"],
            Language::Python => &["py", "pyi"],
            Language::Llvm => &["ll", "mlir"],
        }
    }

    /// What a file of this name is written in, by its extension.
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

/// One inline assembly.
#[derive(Clone, Debug)]
pub struct Assembly {
    joined: Joined,
    constraints: Constraints,
    guards: Guards,
    span: Span,
    /// False where its end was not found.
    complete: bool,
}

impl Assembly {
    fn new(joined: Joined, constraints: Constraints, guards: Guards, span: Span, complete: bool) -> Self {
        Assembly { joined, constraints, guards, span, complete }
    }

    /// The same in LLVM's way of writing it: `$$` is a dollar sign.
    fn llvm(mut self) -> Self {
        if self.joined.text.contains("$$") {
            // As long as before, so that places stay.
            self.joined.text = self.joined.text.replace("$$", " $");
        }
        self
    }

    /// The PTX, strings joined and escapes resolved.
    pub fn text(&self) -> &str {
        &self.joined.text
    }

    /// Where in the PTX a byte of the source is, if it is one of its letters or follows one.
    pub fn inside(&self, byte: u32) -> Option<u32> {
        self.joined.inside(byte)
    }

    /// Where in the source a part of the PTX is, if all of it stands there as it is.
    pub fn locate(&self, span: Span) -> Option<Span> {
        self.joined.exact(span)
    }

    /// For what it is judged first: what its guards admit, or the options say.
    pub fn machine(&self, options: &CheckOptions) -> Machine {
        let (target, isa) = judge::machines(self, options).into_iter().next().unwrap_or_default();
        Machine::new(target, isa)
    }

    /// The place of the whole statement or call.
    pub const fn span(&self) -> Span {
        self.span
    }

    /// The lowest targets for which the code is compiled, as far as its guards say.
    pub fn targets(&self) -> Vec<Target> {
        self.guards.iter().filter_map(|guard| guard.target).collect()
    }
}

/// Every inline assembly of a source; none of a module.
pub fn assemblies(text: &str, language: Language) -> Vec<Assembly> {
    match language {
        Language::Ptx => Vec::new(),
        Language::Cpp => cpp::assemblies(text),
        Language::Python => python::assemblies(text),
        Language::Llvm => llvm::assemblies(text),
    }
}

/// Judges every conversion in the inline assembly of a source. `options` say for which target where no guard does; a
/// target that a guard admits counts for what it guards, too.
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
    let mut found = Findings::default();
    // Nothing to be found without these letters, which saves reading most files.
    if source.text().contains("asm") && source.text().contains("cvt") {
        for assembly in assemblies(source.text(), language) {
            judge::judge(&assembly, options, &mut found);
        }
    }
    found.diagnostics.sort_by_key(|d| d.span().start);
    found
}
