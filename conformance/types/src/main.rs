//! Compares the number types of `ptxcvt` with those of the crates half, float8, float4 and microfloat.
//!
//! ```text
//! cargo run --release -p ptxcvt-types-comparison -- differences [PART]   # all 2^32 f32: minutes
//! cargo run --release -p ptxcvt-types-comparison -- speed [PART]
//! ```
//!
//! PART selects the types whose name contains it. docs/log/types.md has the results.

mod differences;
mod peers;
mod speed;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let part = arguments.get(1).map_or("", String::as_str);
    match arguments.first().map(String::as_str) {
        Some("differences") => peers::each(part, &mut differences::Count),
        Some("speed") => peers::each(part, &mut speed::Speed::new()),
        _ => {
            eprintln!("error: expected `differences` or `speed`");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
