//! docs/run.md lists the instructions of the table.
//!
//! `BLESS=1 cargo test -p ptxcvt-exec --test instructions` writes the list.

use std::path::Path;

use ptxcvt_exec::{Op, Opcode};

const BEGIN: &str = "<!-- instructions: begin -->\n";
const END: &str = "<!-- instructions: end -->\n";

/// The names of some ops, once each and in the order of the table.
fn names(ops: impl Iterator<Item = Op>) -> Vec<&'static str> {
    let mut names = Vec::new();
    ops.map(|op| op.name()).for_each(|name| {
        if !names.contains(&name) {
            names.push(name)
        }
    });
    names
}

fn line(head: &str, names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let pieces = head.split(' ').map(str::to_owned).chain(names.iter().enumerate().map(|(at, name)| {
        let after = if at + 1 < names.len() { "," } else { "" };
        format!("{name}{after}")
    }));
    let pieces: Vec<String> = pieces.collect();
    ptxcvt::fill(pieces.iter().map(String::as_str), 118).join("\n  ") + "\n"
}

#[test]
fn the_page_lists_them() {
    let is_approximate = |op: &Op| Opcode::Op(*op).is_approximate();
    let exact = names(Op::all().filter(|op| !is_approximate(op)));
    let approximate = names(Op::all().filter(is_approximate));
    let list = line("-", &exact) + &line("- with `--approximate`, some modifiers or all:", &approximate);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/run.md");
    let old = std::fs::read_to_string(&path).expect("the page");
    let (before, rest) = old.split_once(BEGIN).expect("where the list begins");
    let (_, after) = rest.split_once(END).expect("where the list ends");
    let new = format!("{before}{BEGIN}\n{list}\n{END}{after}");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, new).expect("to write the page");
    } else {
        assert!(old == new, "docs/run.md is stale: cargo xtask bless");
    }
}
