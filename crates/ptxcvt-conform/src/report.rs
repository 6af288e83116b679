//! The result of a comparison of values: a table for people, and JSON by `serde`.

use std::fmt;

use ptxcvt::Form;
use serde::Serialize;

use crate::compare::Tally;
use crate::deviations::values::Deviation;
use crate::device::Subject;

/// The comparison, form by form.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The GPU, if there is one.
    pub subject: Option<Subject>,
    /// The forms, in the order in which they were compared.
    pub forms: Vec<FormComparison>,
}

/// One form.
#[derive(Clone, Debug, Serialize)]
pub struct FormComparison {
    /// The form.
    pub form: Form,
    /// The result of the comparison.
    #[serde(flatten)]
    pub tally: Tally,
    /// Other problems: a kernel that the driver rejected, a digest that differs.
    pub problems: Vec<String>,
}

impl Comparison {
    /// The number of compared results.
    pub fn inputs(&self) -> u64 {
        self.forms.iter().map(|f| f.tally.inputs).sum()
    }

    /// The number of results that differ, and of problems.
    pub fn differences(&self) -> u64 {
        self.forms.iter().map(|f| f.tally.differences + f.problems.len() as u64).sum()
    }

    /// The number of results with a documented difference.
    pub fn deviations(&self) -> u64 {
        self.forms.iter().map(|f| f.tally.deviations).sum()
    }

    /// Adds the forms of another report.
    pub fn add(&mut self, other: Comparison) {
        for form in other.forms {
            let entry = self.entry(form.form);
            entry.tally.add(form.tally);
            entry.problems.extend(form.problems);
        }
    }

    /// The entry of `form`, which is created if it is missing.
    pub(crate) fn entry(&mut self, form: Form) -> &mut FormComparison {
        let at = self.forms.iter().position(|f| f.form == form).unwrap_or_else(|| {
            self.forms.push(FormComparison { form, tally: Tally::default(), problems: Vec::new() });
            self.forms.len() - 1
        });
        &mut self.forms[at]
    }
}

impl fmt::Display for Comparison {
    /// The table, the differences explained, and a summary line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(subject) = &self.subject {
            writeln!(f, "{subject}\n")?;
        }
        let width = self.forms.iter().map(|r| r.form.to_string().len()).max().unwrap_or(4);
        writeln!(f, "{:<width$}  {:>12}  {:>11}  {:>10}", "form", "inputs", "differences", "deviations")?;
        for report in &self.forms {
            let (form, tally) = (report.form.to_string(), &report.tally);
            let differences = tally.differences + report.problems.len() as u64;
            let deviations = tally.deviations;
            writeln!(f, "{form:<width$}  {:>12}  {differences:>11}  {deviations:>10}", tally.inputs)?;
        }
        let hex = |operands: &[u64]| operands.iter().map(|o| format!("{o:x}")).collect::<Vec<_>>().join(" ");
        for report in &self.forms {
            for problem in &report.problems {
                write!(f, "\n{}: {problem}\n", report.form)?;
            }
            for example in &report.tally.examples {
                let operands = hex(&example.operands);
                write!(f, "\n{} {operands}\n", report.form)?;
                writeln!(f, "    reference {:x}, found {:x}", example.reference, example.found)?;
                example.explanation.iter().try_for_each(|line| writeln!(f, "    {line}"))?;
            }
            let kept = report.tally.examples.len() as u64;
            if report.tally.differences > kept {
                writeln!(f, "    and {} more", report.tally.differences - kept)?;
            }
        }
        let kinds = self.kinds();
        if !kinds.is_empty() {
            writeln!(f, "\nDeviations that are documented, not counted as differences:")?;
            kinds.iter().try_for_each(|kind| writeln!(f, "    {}", kind.describe()))?;
        }
        let (forms, inputs) = (self.forms.len(), self.inputs());
        let (differences, deviations) = (self.differences(), self.deviations());
        write!(
            f,
            "\n{}, {}: {}, {}",
            ptxcvt::counted(forms, "form"),
            ptxcvt::counted(inputs, "input"),
            ptxcvt::counted(differences, "difference"),
            ptxcvt::counted(deviations, "deviation")
        )
    }
}

impl Comparison {
    fn kinds(&self) -> Vec<Deviation> {
        let met = |kind: &Deviation| self.forms.iter().any(|f| f.tally.kinds.contains(kind));
        Deviation::ALL.into_iter().filter(met).collect()
    }
}

/// The progress of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Steps done.
    pub done: u64,
    /// Steps in all.
    pub total: u64,
}
