//! Files of LLVM's NVPTX backend and a test of it: the audit reads any text and reports what it cannot read.

use ptxcvt_audit::audit;

/// Valid files.
pub const SEEDS: &[&str] =
    &[include_str!("../corpus/audit/backend.txt"), include_str!("../corpus/audit/words.txt")];

/// Begins a line with a file's name; the file is what follows.
const FILE: &str = "=== ";

/// Audits the files in the bytes.
///
/// # Panics
///
/// Panics if the audit does, or if its report cannot be printed.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        match (line.strip_prefix(FILE), files.last_mut()) {
            (Some(name), _) => files.push((name.trim().to_owned(), String::new())),
            (None, Some((_, text))) => text.push_str(line),
            // Text without a name is the main file.
            (None, None) => files.push(("NVPTXInstrInfo.td".to_owned(), line.to_owned())),
        }
    }
    let tests: Vec<(String, String)> =
        files.iter().filter(|(name, _)| name.ends_with(".ll")).cloned().collect();
    let file = |name: &str| files.iter().find(|(own, _)| own == name).map(|(_, text)| text.clone());
    let report = audit(&file, &tests);
    assert!(!serde_json::to_string(&report).expect("a report is JSON").is_empty());
}
