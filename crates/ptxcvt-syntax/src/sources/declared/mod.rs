//! The names that a C++ file declares: constants with their values, template parameters, variables, and functions with
//! results that depend on the target.
//!
//! ISO C++, "Declarations". Types are not resolved. The value of a name that is declared in several ways is unknown.
mod bracket;
mod branched;
mod dependent;
mod groups;
mod homes;
mod macros;
mod parameters;
mod reader;
mod state;
mod words;

use std::collections::HashSet;

use self::homes::homonyms;
use self::reader::read;
use self::state::{Context, Reader};
use super::guard::{Declared, Preprocessor, Regions};
use super::scan::Scanner;
use super::values::Values;

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
/// Reads the declarations of a text. `all` has the macros after the last line of its file, `regions` the configurations
/// that read each part of the text, and the results of `functions` are known to depend on the configuration.
pub(super) fn declarations(
    text: Scanner<'_>,
    all: &Preprocessor,
    regions: &Regions,
    functions: HashSet<String>,
) -> Declarations {
    let all = Context { all, regions };
    let mut reader = read(text, all, Declared { functions, ..Declared::default() }, HashSet::new());
    for _ in 1..MAX_READINGS {
        if !reader.is_late {
            break;
        }
        let Reader { names: Declared { functions, objects, constraints, branched, .. }, values, .. } = reader;
        let names = Declared { functions, objects, constraints, branched, ..Declared::default() };
        reader = read(text, all, names, values.dependent);
    }
    let Reader { mut names, values, homes, .. } = reader;
    names.homonyms = homonyms(homes, &values.followed);
    names.variables.extend(values.changing().map(str::to_owned));
    names.assigned = values.assigned.iter().map(|name| (*name).to_owned()).collect();
    names.flags = all.all.flags().clone();
    let Values { dependent, followed, mut changed, hidden, returned, .. } = values;
    changed.extend(hidden.into_iter().chain(returned));
    let [dependent, followed, changed] =
        [dependent, followed, changed].map(|names| names.into_iter().map(str::to_owned).collect());
    Declarations { names, dependent, followed, changed }
}
