//! A benchmark: the time from an edit in a module of 5 MB to its findings.
//!
//! `cargo run --release -p ptxcvt-lsp --example large_edit`

use std::fmt::Write as _;
use std::time::Instant;

use lsp_server::{Connection, Message, Notification, Request};
use ptxcvt_lsp::serve;
use serde_json::json;

const BYTES: usize = 5_000_000;
const URI: &str = "file:///large.ptx";

/// A module of `functions` of equal length, with one mistake in a hundred conversions.
fn module(functions: usize) -> String {
    let mut text = String::from(".version 9.1\n.target sm_100a\n.address_size 64\n");
    for function in 0..functions {
        let _ = writeln!(text, "\n.visible .entry k{function}(\n\t.param .u64 p\n)\n{{");
        text += "\t.reg .b16 \t%rs<500>;\n\t.reg .f32 \t%f<500>;\n\t.reg .b32 \t%r<500>;\n\n";
        let (end, mut i) = (BYTES * (function + 1) / functions, 0);
        while text.len() < end {
            let (a, b) = (i % 500, (i * 7 + 1) % 500);
            let _ = match i % 4 {
                0 if i % 400 == 0 && i < 40_000 => {
                    writeln!(text, "\tcvt.rn.e4m3x2.f32 \t%rs{a}, %f{b}, %f{a};")
                }
                0 => writeln!(text, "\tcvt.rn.satfinite.e4m3x2.f32 \t%rs{a}, %f{b}, %f{a};"),
                1 => writeln!(text, "\tfma.rn.ftz.f32 \t%f{a}, %f{b}, %f{a}, 0f3F800000;"),
                2 => writeln!(text, "\tst.shared.v2.b32 \t[%r{a}+128], {{%r{b}, %r{a}}};"),
                _ => writeln!(text, "\tadd.s32 \t%r{a}, %r{b}, {i}; // {function}"),
            };
            i += 1;
        }
        text += "\tret;\n}\n";
    }
    text
}

fn main() {
    for (functions, name) in [(200, "200 functions"), (1, "one function")] {
        let text = module(functions);
        let (client, server) = Connection::memory();
        let thread = std::thread::spawn(move || serve(&server, &|_, overrides| Ok(Box::new(overrides))));
        let send = |message: Message| client.sender.send(message).expect("a server");
        let notify = |method: &str, params| send(Notification::new(method.to_owned(), params).into());
        send(Request::new(1.into(), "initialize".to_owned(), json!({ "capabilities": {} })).into());
        let _ = client.receiver.recv();
        notify("initialized", json!({}));
        let findings = || loop {
            if let Ok(Message::Notification(found)) = client.receiver.recv() {
                return found.params["diagnostics"].as_array().expect("diagnostics are a list").len();
            }
        };
        let file = json!({ "uri": URI, "languageId": "ptx", "version": 1, "text": text });
        let start = Instant::now();
        notify("textDocument/didOpen", json!({ "textDocument": file }));
        let found = findings();
        let opened = start.elapsed().as_secs_f64() * 1e3;
        println!("{} bytes, {name}, {found} findings: opened in {opened:.1} ms", text.len());
        let lines: Vec<&str> = text.lines().collect();
        let declaration =
            lines.iter().position(|l| l.contains("%f<500>")).expect("the module declares %f<500>");
        let instruction = |from: usize| {
            let at = lines[from..].iter().position(|l| l.starts_with("\tadd"));
            from + at.expect("every function adds")
        };
        let (middle, last) = (instruction(lines.len() / 2), lines.len() - 3);
        let edits = [
            ("an instruction", middle),
            ("the last", last),
            ("a declaration", declaration),
            ("`.target`", 1),
        ];
        let mut version = 1;
        for (what, line) in edits {
            // Insert a letter and remove it, ten times. Print the median and the maximum.
            let mut times = Vec::new();
            for round in 0..20 {
                version += 1;
                let at = |character: usize| json!({ "line": line, "character": character });
                // The edit changes a number in a declaration, the suffix of the target, or a word.
                let column = if line == 1 {
                    lines[1].len() - 1
                } else {
                    lines[line].find(['<', 'd', 'v', 'f']).unwrap_or(2) + 1
                };
                let (end, new) = match (line == 1, round % 2 == 0) {
                    (true, true) => (column + 1, ""),
                    (true, false) => (column, "a"),
                    (false, true) => (column, "1"),
                    (false, false) => (column + 1, ""),
                };
                let change = json!({ "range": { "start": at(column), "end": at(end) }, "text": new });
                let file = json!({ "uri": URI, "version": version });
                let start = Instant::now();
                notify("textDocument/didChange", json!({ "textDocument": file, "contentChanges": [change] }));
                findings();
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
            times.sort_by(f64::total_cmp);
            println!("  {what:16} median {:6.1} ms, worst {:6.1} ms", times[10], times[19]);
        }
        send(Request::new(2.into(), "shutdown".to_owned(), ()).into());
        let _ = client.receiver.recv();
        notify("exit", json!(null));
        let _ = thread.join();
    }
}
