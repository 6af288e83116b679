//! The server over streams. It answers every input and continues.

use ptxcvt_lsp::{Ended, serve_streams};
use serde_json::{Value, json};

fn frame(message: &Value) -> Vec<u8> {
    let text = message.to_string();
    format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
}

fn request(id: i32, method: &str, params: Value) -> Vec<u8> {
    frame(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
}

fn request_with(id: &Value) -> Vec<u8> {
    frame(&json!({ "jsonrpc": "2.0", "id": id, "method": "shutdown" }))
}

fn notification(method: &str, params: Value) -> Vec<u8> {
    frame(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
}

/// The messages in the server's output.
fn messages(mut output: &[u8]) -> Vec<Value> {
    let mut found = Vec::new();
    while !output.is_empty() {
        let text = std::str::from_utf8(output).expect("UTF-8");
        let (head, rest) = text.split_once("\r\n\r\n").expect("a header");
        let length: usize =
            head.strip_prefix("Content-Length: ").expect("a length").parse().expect("a number");
        found.push(serde_json::from_str(&rest[..length]).expect("JSON"));
        output = &output[head.len() + 4 + length..];
    }
    found
}

/// The answers to these bytes, between a valid beginning and a valid end.
fn answers(bytes: &[u8]) -> Vec<Value> {
    let input = [
        request(1, "initialize", json!({ "capabilities": {} })),
        notification("initialized", json!({})),
        bytes.to_vec(),
        request(2, "shutdown", Value::Null),
        notification("exit", Value::Null),
    ]
    .concat();
    let mut output = Vec::new();
    let ended = serve_streams(&input[..], &mut output, &|_, overrides| Ok(Box::new(overrides)));
    assert_eq!(ended, Ok(()), "{}", String::from_utf8_lossy(bytes));
    let mut all = messages(&output);
    // Errors of the transport may arrive before earlier answers.
    for id in [1, 2] {
        let at = all.iter().position(|message| message["id"] == id && message.get("result").is_some());
        all.remove(at.unwrap_or_else(|| panic!("no answer to request {id} in {all:?}")));
    }
    all
}

#[test]
fn invalid_lengths_are_refused() {
    for length in ["99999999999999", "9999999999", "18446744073709551615", "1e9", "-5", "", "0x10", "5 5"] {
        let all = answers(format!("Content-Length: {length}\r\n\r\n").as_bytes());
        assert_eq!((all.len(), &all[0]["error"]["code"]), (1, &json!(-32700)), "{length}: {all:?}");
        let message = all[0]["error"]["message"].as_str().expect("a text");
        assert!(message.contains(length), "{message}");
        assert_eq!(all[0]["id"], Value::Null);
    }
}

#[test]
fn two_different_lengths_are_refused() {
    let hover = json!({ "jsonrpc": "2.0", "id": 3, "method": "textDocument/hover", "params": 0 }).to_string();
    let right = hover.len();
    let with = |first: usize, second: usize| {
        answers(format!("Content-Length: {first}\r\nContent-Length: {second}\r\n\r\n{hover}").as_bytes())
    };
    for wrong in [0, 1, right - 1, right + 1, 5 * right] {
        for (first, second) in [(right, wrong), (wrong, right)] {
            let all = with(first, second);
            assert_eq!((all.len(), &all[0]["error"]["code"]), (1, &json!(-32700)), "{all:?}");
            let message = all[0]["error"]["message"].as_str().expect("a text");
            for length in [first, second] {
                assert!(message.contains(&format!("`Content-Length: {length}`")), "{message}");
            }
        }
    }
    // A length that is repeated is one length: the message is read.
    let all = with(right, right);
    assert_eq!(
        (all.len(), &all[0]["id"], &all[0]["error"]["code"]),
        (1, &json!(3), &json!(-32602)),
        "{all:?}"
    );
}

#[test]
fn invalid_messages_are_answered() {
    let deep = "[".repeat(100_000);
    for (body, code) in [
        ("{", -32700),
        ("", -32700),
        ("\u{0}", -32700),
        (&*deep, -32700),
        ("[]", -32600),
        ("17", -32600),
        ("{\"jsonrpc\":\"2.0\"}", -32600),
    ] {
        let all = answers(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        assert_eq!((all.len(), &all[0]["error"]["code"]), (1, &json!(code)), "{all:?}");
    }
    let all = answers(b"Content-Length: 2\r\n\r\n\xff\xfe");
    assert_eq!(all[0]["error"]["code"], -32700);
    // The answer has the id of the message.
    let all = answers(&frame(&json!({ "jsonrpc": "2.0", "id": "x", "method": 5 })));
    assert_eq!((&all[0]["id"], &all[0]["error"]["code"]), (&json!("x"), &json!(-32600)));
    for (id, answered) in
        [(json!(1_u64 << 40), json!(1_u64 << 40)), (json!(0.5), Value::Null), (json!([]), Value::Null)]
    {
        let all = answers(&request_with(&id));
        assert_eq!((&all[0]["id"], &all[0]["error"]["code"]), (&answered, &json!(-32600)), "{id}");
    }
}

#[test]
fn other_bytes_are_skipped() {
    let flood = vec![b'x'; 100_000];
    for junk in [&b"\r\n\r\n"[..], b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\0\0\n\xff\n", &flood] {
        let found = answers(junk);
        assert!(found.is_empty(), "{found:?}");
    }
    // Header names in any case, and other headers.
    let hover = json!({ "jsonrpc": "2.0", "id": 3, "method": "textDocument/hover", "params": 0 }).to_string();
    let text = format!("Content-Type: x\r\ncontent-length:{}\r\nX: y\r\n\r\n{hover}", hover.len());
    assert_eq!(answers(text.as_bytes())[0]["error"]["code"], -32602);
}

/// A message with half of a character is read, as JavaScript may write one: the half becomes U+FFFD, which has one
/// UTF-16 unit, too.
#[test]
fn halves_of_characters() {
    for (given, read) in [
        (r"\ud83d\ude00", "\u{1f600}"),
        (r"a\ud800", "a\u{fffd}"),
        (r"\uDFFF\ud800b", "\u{fffd}\u{fffd}b"),
        (r"\ud800\ud83d\ude00", "\u{fffd}\u{1f600}"),
        (r"\\ud800", r"\ud800"),
        (r"\\\ud800", "\\\u{fffd}"),
    ] {
        let body = format!(
            r#"{{ "jsonrpc": "2.0", "id": "{given}", "method": "textDocument/hover", "params": 0 }}"#
        );
        let found = answers(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        assert_eq!((&found[0]["id"], &found[0]["error"]["code"]), (&json!(read), &json!(-32602)), "{given}");
    }
}

#[test]
fn requests_before_initialize_are_refused() {
    let hover = request(7, "textDocument/hover", json!({}));
    let bad = request(8, "initialize", json!(5));
    let input = [hover, bad, request(9, "initialize", json!({ "capabilities": {} }))].concat();
    let mut output = Vec::new();
    let ended = serve_streams(&input[..], &mut output, &|_, overrides| Ok(Box::new(overrides)));
    assert_eq!(ended, Err(Ended::Early));
    let codes: Vec<_> = messages(&output).iter().map(|message| message["error"]["code"].clone()).collect();
    assert_eq!(codes, [json!(-32002), json!(-32602), Value::Null]);
}

/// Thousands of documents, edits and requests: each request has one answer, and the last findings are current.
#[test]
fn floods_are_answered() {
    let mut input = Vec::new();
    for n in 0..300 {
        let uri = format!("file:///{}.ptx", n % 7);
        let file =
            json!({ "uri": uri, "languageId": "ptx", "version": n, "text": "cvt.u32 a;\n".repeat(20) });
        input.extend(notification("textDocument/didOpen", json!({ "textDocument": file })));
        for _ in 0..5 {
            let at = json!({ "line": n, "character": n });
            let change = json!({ "range": { "start": at, "end": at }, "text": "{ cvt.f32.f64 " });
            let file = json!({ "uri": uri, "version": n });
            input.extend(notification(
                "textDocument/didChange",
                json!({ "textDocument": file, "contentChanges": [change] }),
            ));
        }
        let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": 3 } });
        input.extend(request(100 + n, "textDocument/hover", at));
        input.extend(notification(&format!("unknown/{n}"), json!([n])));
        input.extend(notification("textDocument/didChange", json!(n)));
    }
    let all = answers(&input);
    for id in 100..400 {
        assert_eq!(all.iter().filter(|message| message["id"] == id).count(), 1);
    }
    let shown = all.iter().filter(|message| message["method"] == "window/showMessage").count();
    assert!(shown <= 50, "{shown} messages to the user");
}
