//! Tests that this machine cannot run: named in one line, or errors where everything must be tested. The tests of crates
//! include this file.

use std::io::{self, Write};

/// The variable that makes a skipped test an error. The workflows set it, because `.ci/prepare` installs what the tests
/// need.
const NO_SKIP: &str = "PTXCVT_NO_SKIP";

/// Prints `line`, which says what is skipped and why, also where the output of tests is captured. Returns it as an error if
/// `PTXCVT_NO_SKIP` is set and not empty.
pub fn skip(line: &str) -> Result<(), String> {
    verdict(line, std::env::var_os(NO_SKIP).is_some_and(|value| !value.is_empty()))?;
    // Only macros are captured. If nothing can be printed, nothing is lost but the line.
    let _ = writeln!(io::stderr(), "{line}");
    Ok(())
}

fn verdict(line: &str, is_required: bool) -> Result<(), String> {
    if is_required {
        return Err(format!("{line} ({NO_SKIP} is set: nothing may be skipped)"));
    }
    Ok(())
}

#[test]
fn what_is_skipped_is_an_error_where_nothing_may_be() {
    assert_eq!(verdict("skipped: no browser", false), Ok(()));
    let error = verdict("skipped: no browser", true).unwrap_err();
    assert!(error.starts_with("skipped: no browser ("), "{error}");
}
