//! `check --stats`: the number of each form in a module, and the lowest target that accepts all of them.

use std::fmt::Write as _;
use std::io::{self, Write};

use ptxcvt::counted;
use ptxcvt_syntax::report::ModuleReport;

use crate::output;
use crate::style::{DIM, STRONG};

/// Prints a module's report for people.
pub fn print(out: &mut dyn Write, module: &ModuleReport) -> io::Result<()> {
    let mut text = String::new();
    let _ = writeln!(text, "{STRONG}{}{STRONG:#}: {}", module.file, module.contents());
    for form in module.by_use() {
        let _ =
            writeln!(text, "{:>9}  {:<44} {DIM}first in line {}{DIM:#}", form.count, form.form, form.line);
    }
    for sentence in &module.targets {
        let _ = writeln!(text, "{sentence}");
    }
    if module.strings > 0 {
        let strings = counted(module.strings as usize, "string");
        let holds = if module.strings == 1 { "mentions" } else { "mention" };
        let judged = module.judged_strings;
        let _ = writeln!(text, "{strings} {holds} a conversion; in {judged} every conversion was judged");
    }
    for sentence in module.left_out() {
        let _ = writeln!(text, "{sentence}");
    }
    let color = output::has_color();
    if color { writeln!(out, "{text}") } else { writeln!(out, "{}", anstream::adapter::strip_str(&text)) }
}
