//! The names that a C++ file declares: constants with their values, template parameters, variables, and functions with
//! results that depend on the target.
//!
//! ISO C++, "Declarations". Types are not resolved. The value of a name that is declared in several ways is unknown.
mod bracket;
mod dependent;
mod parameters;
mod reader;

use std::collections::HashSet;

use self::reader::{Reader, read};
use super::guard::{Declared, Preprocessor};
use super::lexeme::alternative;
use super::values::Values;

/// Words that may precede a name without declaring it.
const NO_TYPES: [&str; 20] = [
    "requires",
    "return",
    "throw",
    "case",
    "goto",
    "else",
    "do",
    "delete",
    "new",
    "sizeof",
    "alignof",
    "typename",
    "operator",
    "using",
    "namespace",
    "constexpr",
    "const",
    "if",
    "while",
    "switch",
];

/// Other words that are not names.
const NO_NAMES: [&str; 4] = ["for", "asm", "__asm__", "__asm"];
/// True for a word that may be a name.
fn is_name(word: &str) -> bool {
    is_type(word) && !NO_NAMES.contains(&word)
}

/// True if a word before a name may be its type.
fn is_type(word: &str) -> bool {
    !NO_TYPES.contains(&word) && alternative(word).is_none()
}

/// The declarations of a text.
#[derive(Default)]
pub(super) struct Declarations {
    pub names: Declared,
    /// Names of constants and variables whose values depend on the configuration.
    pub dependent: HashSet<String>,
    /// All constants, and the variables whose values depend on the configuration.
    pub followed: HashSet<String>,
    /// Names that may be assigned another value, or that something else may have.
    pub changed: HashSet<String>,
}

/// Limit on the readings of a text. Another one follows if a function depends on the target that code before it calls.
const MAX_READINGS: u32 = 16;
/// Reads the declarations of a file. `all` has the macros after its last line, and the results of `functions` are known
/// to depend on the configuration.
pub(super) fn declarations(text: &str, all: &Preprocessor, functions: HashSet<String>) -> Declarations {
    let mut reader = read(text, all, Declared { functions, ..Declared::default() }, HashSet::new());
    for _ in 1..MAX_READINGS {
        if !reader.is_late {
            break;
        }
        let Reader { names: Declared { functions, objects, constraints, .. }, values, .. } = reader;
        let names = Declared { functions, objects, constraints, ..Declared::default() };
        reader = read(text, all, names, values.dependent);
    }
    let Reader { mut names, values, .. } = reader;
    names.variables.extend(values.changing().map(str::to_owned));
    let Values { dependent, followed, mut changed, hidden, returned, .. } = values;
    changed.extend(hidden.into_iter().chain(returned));
    let [dependent, followed, changed] =
        [dependent, followed, changed].map(|names| names.into_iter().map(str::to_owned).collect());
    Declarations { names, dependent, followed, changed }
}
