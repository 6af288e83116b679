//! The page docs/generated/state.md, as Markdown.

use std::fmt::Write;

use ptxcvt::Form;

use super::{Confirmed, Difference, Evidence, grouped};

impl Evidence {
    /// The page.
    pub fn page(&self) -> String {
        let forms: Vec<Form> = Form::all().collect();
        let oracles = self.oracles();
        let silent: Vec<&Form> =
            forms.iter().filter(|form| oracles.iter().all(|(.., seen)| !seen.contains_key(form))).collect();
        let mut page = String::from(
            "# What has confirmed each form\n\n\
             Written by `BLESS=1 cargo test -p ptxcvt-conform --test state` from the records under \
             `conformance/`; a test\nfails where it is out of date. Inputs are whole operand tuples, all of \
             them compared bit for bit. Those\nwhose result is not ours are counted apart and listed below.\n\n\
             | oracle | what it is | forms | equal inputs | different |\n|---|---|--:|--:|--:|\n",
        );
        // Writing to a `String` cannot fail.
        let mut line = |text: std::fmt::Arguments| _ = writeln!(page, "{text}");
        for (name, about, seen) in &oracles {
            let inputs = grouped(seen.values().sum());
            let different = self.differences.iter().filter(|difference| difference.oracle == *name).count();
            line(format_args!("| {name} | {about} | {} | {inputs} | {different} |", seen.len()));
        }
        let confirmed = forms.len() - silent.len();
        line(format_args!(
            "\n**{confirmed} of {} forms** are confirmed by at least one of them; for the other {} only the text \
             of the manual speaks.\nNo GPU has run `ptxcvt conform --device` for this page yet: the hardware \
             column is what others have published.\n",
            forms.len(),
            silent.len()
        ));
        line(format_args!(
            "## Results that are not ours\n\n| form | oracle | operands | its result | ours | reason |\n|---|---|---|---|---|---|"
        ));
        for difference in &self.differences {
            let Difference { oracle, form, theirs, ours, account, .. } = difference;
            let (operands, what) = (difference.written_operands(), account.what);
            let [theirs, ours] = [*theirs, *ours].map(|result| difference.written(result));
            line(format_args!("| `{form}` | {oracle} | {operands} | {theirs} | {ours} | {what} |"));
        }
        line(format_args!(
            "\n## Only the text\n\n| destination | source | forms | such as | first target |\n|---|---|--:|---|---|"
        ));
        let mut groups: Vec<(&Form, String, usize)> = Vec::new();
        for form in silent {
            let target = first_target(form);
            let types = |f: &Form| (f.opcode(), f.destination(), f.source());
            match groups.iter_mut().find(|(f, t, _)| types(f) == types(form) && *t == target) {
                Some((.., count)) => *count += 1,
                None => groups.push((form, target, 1)),
            }
        }
        for (form, target, count) in groups {
            let (destination, source) = (form.destination(), form.source());
            line(format_args!("| {destination} | {source} | {count} | `{form}` | {target} |"));
        }
        line(format_args!("\n## Every form\n\n| form | hardware | headers | machine | apfloat | folding |"));
        line(format_args!("|---|--:|--:|--:|--:|--:|"));
        for form in &forms {
            let cell = |seen: &Confirmed| seen.get(form).map_or(String::new(), |n| grouped(*n));
            let cells: Vec<String> = oracles.iter().map(|(.., seen)| cell(seen)).collect();
            line(format_args!("| `{form}` | {} |", cells.join(" | ")));
        }
        page
    }
}

/// The target and version that had the form first.
fn first_target(form: &Form) -> String {
    form.first().map_or(String::new(), |(isa, target)| format!("{target}, ISA {isa}"))
}
