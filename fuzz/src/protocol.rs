//! The language server: every input is read to its end, every request has one answer, and the output is well-formed.

use ptxcvt_lsp::{json_of, serve_streams};
use serde_json::{Value, json};

/// Valid conversations, one message a line.
pub const SEEDS: &[&str] = &[
    r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///k.ptx","languageId":"ptx","version":1,"text":".version 9.1\n.target sm_90\n.entry k {\n.reg .b16 h; .reg .f32 f;\ncvt.rn.e4m3x2.f32 h, f, f; // \ud834\udd1e\n}\n"}}}
{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///k.ptx","version":2},"contentChanges":[{"range":{"start":{"line":4,"character":7},"end":{"line":4,"character":9}},"text":"x\r\n"},{"text":"cvt.rn"}]}}
{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///k.ptx"},"position":{"line":0,"character":5}}}
{"jsonrpc":"2.0","id":"8","method":"textDocument/completion","params":{"textDocument":{"uri":"file:///k.ptx"},"position":{"line":0,"character":6}}}
{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///k.ptx"}}}"#,
    r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///k.cu","languageId":"cuda","version":1,"text":"asm(\"cvt.f16.f32 %0, %1;\" : \"=h\"(d) : \"f\"(a));"}}}
{"jsonrpc":"2.0","id":3,"method":"textDocument/codeAction","params":{"textDocument":{"uri":"file:///k.cu"},"range":{"start":{"line":0,"character":0},"end":{"line":9,"character":0}},"context":{"diagnostics":[]}}}
{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":{"ptxcvt":{"target":"sm_90"}}}}
{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"capabilities":{}}}
{"jsonrpc":"2.0","id":5,"method":"shutdown"}
{"jsonrpc":"2.0","method":"exit"}"#,
    r#"{"jsonrpc":"2.0","id":"\ud800","method":"textDocument/hover","params":{"textDocument":{"uri":"file:///\udfff"}}}"#,
    "Content-Length: 9999999999\r\n\r\nContent-Length: 2\r\n\r\n{}",
];

/// Sends the bytes as a stream, and each of their lines as a message.
///
/// # Panics
///
/// Panics if the output is not a sequence of messages, or if a request has no answer or two.
pub fn run(bytes: &[u8]) {
    conversation(bytes);
    let lines = || bytes.split(|byte| *byte == b'\n');
    let mut input =
        frame(br#"{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"capabilities":{}}}"#);
    let (mut requests, mut invalid) = (vec![json!("first")], Vec::new());
    for line in lines() {
        input.extend(frame(line));
        let Ok(message) = json_of(line) else {
            requests.push(Value::Null);
            continue;
        };
        let id = message.get("id").cloned();
        match (id, message["method"].as_str()) {
            (Some(id), Some(_)) if id.is_i64() || id.is_string() => requests.push(id),
            (None, Some("exit")) => break,
            // A response has no answer, an invalid message has one.
            (Some(id), _) => invalid.push(id),
            _ => {}
        }
    }
    let answers = conversation(&input);
    for id in &requests {
        let count = |all: &[Value]| all.iter().filter(|other| *other == id).count();
        let (found, wanted) = (count(&answers), count(&requests));
        // Invalid messages without an id are answered with null.
        let most = if id.is_null() { usize::MAX } else { wanted + count(&invalid) };
        assert!((wanted..=most).contains(&found), "{found} answers to {wanted} requests {id}");
    }
}

fn frame(body: &[u8]) -> Vec<u8> {
    [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

/// The ids of the answers to an input.
fn conversation(input: &[u8]) -> Vec<Value> {
    let mut output = Vec::new();
    // An input without `exit` ends early.
    let _ = serve_streams(input, &mut output, &|_, overrides| Ok(Box::new(overrides)));
    let mut text = std::str::from_utf8(&output).expect("the output is UTF-8");
    let mut answers = Vec::new();
    while !text.is_empty() {
        let (head, rest) = text.split_once("\r\n\r\n").expect("a header");
        let length = head.strip_prefix("Content-Length: ").and_then(|length| length.parse::<usize>().ok());
        let (body, rest) = rest.split_at(length.expect("a length"));
        let message: Value = serde_json::from_str(body).expect("JSON");
        if message.get("method").is_none() {
            answers.push(message["id"].clone());
        }
        text = rest;
    }
    answers
}
