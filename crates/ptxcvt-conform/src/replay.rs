//! Compares recorded vectors with the reference, without a GPU.

use std::collections::BTreeMap;

use ptxcvt::Form;

use crate::cases::{Block, Cases, Set};
use crate::compare;
use crate::report::{Comparison, Progress};
use crate::vectors::{Digest, Digester, File, Outcome};

/// The number of rows that are evaluated at a time.
const ROWS: usize = 1 << 20;

/// Compares every line of a file with the reference.
pub fn run(file: &File, progress: &mut dyn FnMut(Progress)) -> Comparison {
    let mut report = Comparison { subject: None, forms: Vec::new() };
    let mut single: BTreeMap<Form, (Block, Vec<u64>)> = BTreeMap::new();
    let mut order = Vec::new();
    for entry in &file.entries {
        if !order.contains(&entry.form) {
            order.push(entry.form);
        }
        if let Outcome::Result { operands, result } = &entry.outcome {
            let (block, results) =
                single.entry(entry.form).or_insert_with(|| (Block::new(entry.form), Vec::new()));
            block.push(operands);
            results.push(*result);
        }
    }
    for form in order {
        let entry = report.entry(form);
        if let Some((block, results)) = single.get(&form) {
            entry.tally.add(compare::compare(block, results));
        }
    }
    let total = file.entries.len() as u64;
    for (entry, done) in file.entries.iter().zip(1..) {
        if let Outcome::Digest { set, digest } = &entry.outcome {
            let (rows, computed) = reference_digest(entry.form, *set, digest);
            let place = report.entry(entry.form);
            place.tally.inputs += rows;
            if computed != *digest {
                let set = set.text(entry.form.source_count());
                let text = format!(
                    "{}:{}: the results of operands {set} have the digest {}, recorded is {}",
                    file.name, entry.line, computed.sha256, digest.sha256
                );
                place.problems.push(text);
            }
            progress(Progress { done, total });
        }
    }
    report
}

/// The digest of the reference's results for a set.
fn reference_digest(form: Form, set: Set, like: &Digest) -> (u64, Digest) {
    let mut digester = Digester::like(form, like);
    let mut rows = 0;
    for block in Cases::of_set(form, set).blocks(ROWS) {
        let results = compare::reference(&block);
        results.iter().enumerate().for_each(|(row, result)| digester.push(block.row(row), *result));
        rows += results.len() as u64;
    }
    (rows, digester.finish())
}
