//! Macros of libcu++'s `<nv/target>` that choose code by target: `NV_IF_TARGET(NV_PROVIDES_SM_90, (…), (…))`.
//!
//! libcu++, "Extended API: NV_IF_TARGET". They act like an `#if` around each block, and are treated like one.

use super::scan::Scanner;
use crate::identifier::is_part_char;

/// An open use of such a macro.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dispatch {
    /// The open parentheses in the argument that is read.
    pub depth: u32,
    /// True if conditions and blocks alternate; otherwise the second block is the `else` branch of the first.
    pub alternates: bool,
}

impl Dispatch {
    /// True if a use is the last part of a text. Like a block, it needs no `;`.
    pub fn ends(text: &str) -> bool {
        let (mut scanner, mut word, mut is_use) = (Scanner::new(text), "", false);
        loop {
            scanner.c_blanks();
            if scanner.at_end() {
                return is_use;
            }
            is_use = scanner.peek() == b'(' && Dispatch::of(word).is_some();
            word = scanner.word();
            if word.is_empty() {
                scanner.pass();
            }
        }
    }

    /// The use that begins with a macro's name. `None` for other names.
    pub fn of(name: &str) -> Option<Dispatch> {
        match name {
            "NV_IF_TARGET" | "NV_IF_ELSE_TARGET" => Some(Dispatch { depth: 0, alternates: false }),
            "NV_DISPATCH_TARGET" => Some(Dispatch { depth: 0, alternates: true }),
            _ => None,
        }
    }
}

/// Translates a condition of these macros to a preprocessor condition.
pub(super) fn condition(text: &str) -> String {
    let mut condition = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if is_part_char(first) {
            rest.find(|c| !is_part_char(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (part, after) = rest.split_at(end);
        condition += &test(part).unwrap_or_else(|| part.to_owned());
        rest = after;
    }
    condition
}

/// The preprocessor test for a name of `<nv/target>`. `None` for other names.
fn test(name: &str) -> Option<String> {
    match name {
        "NV_IS_DEVICE" | "NV_ANY_TARGET" => return Some("1".to_owned()),
        "NV_IS_HOST" | "NV_NO_TARGET" => return Some("0".to_owned()),
        _ => {}
    }
    let number = |prefix: &str| name.strip_prefix(prefix)?.parse::<u16>().ok();
    if let Some(sm) = number("NV_PROVIDES_SM_") {
        return Some(format!("(__CUDA_ARCH__ >= {sm}0)"));
    }
    if let Some(sm) = number("NV_IS_EXACTLY_SM_") {
        return Some(format!("(__CUDA_ARCH__ == {sm}0)"));
    }
    let feature = name.strip_prefix("NV_HAS_FEATURE_SM_")?;
    let number = |suffix: char| feature.strip_suffix(suffix)?.parse::<u16>().ok();
    match (number('a'), number('f')) {
        (Some(sm), _) => Some(format!("defined(__CUDA_ARCH_FEAT_SM{sm}_ALL)")),
        (_, Some(sm)) => Some(format!("(__CUDA_ARCH_FAMILY_SPECIFIC__ == {sm}0)")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions() {
        for (text, expected) in [
            ("NV_PROVIDES_SM_90", "(__CUDA_ARCH__ >= 900)"),
            (" NV_IS_EXACTLY_SM_100", " (__CUDA_ARCH__ == 1000)"),
            ("NV_HAS_FEATURE_SM_100a", "defined(__CUDA_ARCH_FEAT_SM100_ALL)"),
            ("NV_HAS_FEATURE_SM_120f", "(__CUDA_ARCH_FAMILY_SPECIFIC__ == 1200)"),
            ("NV_IS_HOST", "0"),
            ("NV_PROVIDES_SM_x NV_HAS_FEATURE_SM_ é", "NV_PROVIDES_SM_x NV_HAS_FEATURE_SM_ é"),
        ] {
            assert_eq!(condition(text), expected);
        }
    }
}
