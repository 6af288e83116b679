//! Rust: `asm!("…", out(reg32) d, in(reg32) a)` for nvptx, and `ptx_asm!` of cuda-oxide.
//!
//! The Rust Reference, "Inline assembly", "String literals", "Raw string literals" and "Conditional compilation".

use ptxcvt::floor_char_boundary;

use super::attribute;
use super::escape::Escapes;
use super::guard::Guards;
use super::scan::Scanner;
use super::syntax::{Opener, Reader, Style, Syntax};

pub(super) const RUST: Syntax = Syntax {
    comments: &["//"],
    blocks: true,
    escapes: Escapes::Rust,
    rust: true,
    openers: &[
        Opener { word: "asm", operands: Style::Arguments },
        Opener { word: "ptx_asm", operands: Style::Arguments },
    ],
    module: None,
    guards: |_| Guards::none(),
};

/// Limit on the length of a condition in bytes.
const LONGEST: usize = 2_000;

/// The end of the code after `#[cfg(…)]` or `#![cfg(…)]`, if a compiler for NVIDIA's GPUs skips that code.
pub(super) fn left_out(scanner: &Scanner<'_>) -> Option<usize> {
    let rest = scanner.text.get(scanner.at..)?.strip_prefix('#')?;
    let inner = rest.strip_prefix('!');
    let condition = inner.unwrap_or(rest).strip_prefix('[')?.trim_start().strip_prefix("cfg")?.trim_start();
    // Longer conditions are not read, so that text without an end takes little time.
    let mut reader = Reader::new(&RUST, &condition[..floor_char_boundary(condition, LONGEST)]);
    let group = condition.starts_with('(').then(|| reader.group_here())?;
    if holds(group, 0)? {
        return None;
    }
    let open = scanner.at + 1;
    Some(match inner {
        Some(_) => attribute::end_of_inner(&RUST, scanner.text, open),
        None => attribute::end(&RUST, scanner.text, open),
    })
}

/// Whether a condition holds for NVIDIA's GPUs. `None` if that is unknown.
fn holds(condition: &str, depth: u32) -> Option<bool> {
    /// Limit on the nesting of conditions.
    const DEEPEST: u32 = 32;
    let condition = condition.trim();
    if let Some((name, arguments)) = condition.split_once('(') {
        let arguments = arguments.strip_suffix(')').filter(|_| depth < DEEPEST)?;
        let all: Vec<Option<bool>> =
            parts(arguments).into_iter().map(|part| holds(part, depth + 1)).collect();
        let decided = |by: bool| match () {
            () if all.contains(&Some(by)) => Some(by),
            () if all.contains(&None) => None,
            () => Some(!by),
        };
        return match name.trim() {
            "any" => decided(true),
            "all" => decided(false),
            "not" => all.first()?.map(|holds| !holds),
            _ => None,
        };
    }
    let (name, value) = condition.split_once('=').unwrap_or((condition, ""));
    match (name.trim(), value.trim().trim_matches('"')) {
        ("true", "") => Some(true),
        ("false" | "unix" | "windows", "") => Some(false),
        ("target_arch", arch) => Some(arch.starts_with("nvptx")),
        ("target_os", os) => Some(os == "cuda"),
        ("target_vendor", vendor) => Some(vendor == "nvidia"),
        _ => None,
    }
}

/// The items of a comma-separated list; commas in parentheses do not separate.
fn parts(list: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let split = list.split(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    split.filter(|part| !part.trim().is_empty()).collect()
}
