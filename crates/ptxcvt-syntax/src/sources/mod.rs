//! Inline assembly in CUDA C++, HIP, Python, LLVM IR, MLIR, Rust and notebooks, and PTX in other strings of programs.
//!
//! `rows` has a row for each language. Its reader finds the assemblies. The readers share the text of the joined
//! strings with the place of every byte (`text`, `escape`), the registers that constraints put in place of `%0`
//! (`constraint`), the configurations that compile the code (`guard`), unknown parts (`hole`), and the verdict
//! (`judge`).

mod ahead;
mod alternatives;
mod arguments;
mod asm_label;
mod assembly;
mod assertion;
mod assigned;
mod attribute;
mod blocks;
mod branch;
mod choices;
mod choose;
mod constants;
mod constraint;
mod control;
mod cpp;
mod dead;
mod declared;
mod definitions;
mod dispatch;
mod endless;
mod ends;
mod escape;
mod exit;
mod expansion;
mod facts;
mod flow;
mod foreign;
mod functions;
mod guard;
mod guess;
mod hidden;
mod hole;
mod inside;
mod json;
mod judge;
mod jumping;
mod jumps;
mod kernel;
mod keywords;
mod labels;
mod lambda;
mod language;
mod leaving;
#[doc(hidden)]
pub mod lexeme;
mod literal;
mod live;
mod llvm;
mod made;
mod mention;
mod module;
mod notebook;
mod passing;
mod paths;
mod plan;
mod program;
mod python;
mod reached;
mod reader;
mod reading;
mod replacement;
mod reported;
mod rows;
mod rust;
mod scan;
mod seen;
mod snippet;
mod statement;
mod steps;
mod switch;
mod syntax;
mod template;
mod text;
mod typed;
mod unknown;
mod uses;
mod values;
mod verdict;
mod written;

use std::path::Path;

pub use self::assembly::Assembly;
use self::assembly::Kind;
pub use self::constraint::{
    AsmOperand, CONSTRAINTS, Constraint, ConstraintKind, ListItem, constraint_list, is_clobber,
    is_possible_constraint,
};
#[cfg(feature = "build")]
pub(crate) use self::escape::json_text;
pub use self::language::{Language, UnknownLanguage};
pub use self::live::LiveSource;
pub use self::reading::Wrappers;
use self::verdict::{Outer, judged};
use crate::check::{CheckOptions, Findings, check};
use crate::source::Source;

/// The findings in a source in the given language. If `given` is `None`, the source's name determines the language,
/// which is PTX for unknown names. With [`CheckOptions::snippet`], the text is PTX, or C++ if it begins with `asm` or a
/// string.
///
/// ```
/// use ptxcvt_syntax::sources::check_named;
/// use ptxcvt_syntax::{CheckOptions, Source};
/// let source = Source::new("kernel.py", b"x = 'cvt is not an instruction here'");
/// assert!(check_named(&source, None, &CheckOptions::default()).diagnostics.is_empty());
/// ```
pub fn check_named(source: &Source<'_>, given: Option<Language>, options: &CheckOptions) -> Findings {
    check_source(source, language_of(source, given, options), options)
}

/// The language in which a source is checked: PTX for a snippet (also of C++), otherwise the given one, otherwise that
/// of the source's name, otherwise PTX.
pub fn language_of(source: &Source<'_>, given: Option<Language>, options: &CheckOptions) -> Language {
    match options.snippet {
        true => Language::Ptx,
        false => given.or_else(|| Language::of(Path::new(source.name()))).unwrap_or_default(),
    }
}

/// Every inline assembly of a source. A PTX module has none.
pub fn assemblies(text: &str, language: Language) -> Vec<Assembly> {
    let mut found = rows::read(text, language, &Wrappers::default()).assemblies;
    found.retain(|assembly| assembly.kind != Kind::Written && assembly.expansion.is_none());
    found
}

/// Every `asm` statement of a C++ text, with or without conversions.
///
/// ```
/// use ptxcvt_syntax::sources::statements;
/// let found = statements(r#"asm("add.u32 %0, " "%1, 1;" : "=r"(d) : "r"(a));"#);
/// assert_eq!(found[0].text(), "add.u32 %0, %1, 1;");
/// assert_eq!(found[0].operands()[1].expression, "a");
/// ```
pub fn statements(text: &str) -> Vec<Assembly> {
    assemblies(text, Language::Cpp)
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
    check_source_with(source, language, options, &Wrappers::default())
}

/// Like [`check_source`], but also reads the first string of each call of a wrapper as inline assembly.
pub fn check_source_with(
    source: &Source<'_>,
    language: Language,
    options: &CheckOptions,
    wrappers: &Wrappers,
) -> Findings {
    let snippet = options.snippet.then(|| snippet::check(source.text(), options)).flatten();
    if let Some(found) = snippet {
        return found;
    }
    if language == Language::Ptx {
        return check(source, options);
    }
    judged(source.text(), language, options, wrappers, &Outer::default()).findings()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_that_takes_assembly_has_a_mark() {
        let syntaxes = [&llvm::LLVM, &llvm::MLIR, &rust::RUST];
        let openers = syntaxes.iter().flat_map(|syntax| syntax.openers).map(|opener| opener.word);
        for name in openers.chain(python::KNOWN) {
            assert!(verdict::MARKS.iter().any(|mark| name.contains(mark)), "{name}");
        }
    }
}
