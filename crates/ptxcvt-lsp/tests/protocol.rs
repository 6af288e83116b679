//! Conversations with the server over an in-memory connection.

use std::path::Path;
use std::thread::JoinHandle;
use std::time::Duration;

use lsp_server::{Connection, Message, Notification, Request};
use ptxcvt_lsp::{Ended, Overrides, Settled, serve};
use serde_json::{Value, json};

/// A client, which keeps its own copy of the text.
struct Editor {
    connection: Connection,
    server: JoinHandle<Result<(), Ended>>,
    requests: i32,
    text: String,
    utf8: bool,
    /// Notifications that arrived before they were needed.
    heard: Vec<Notification>,
}

fn rules(_: Option<&Path>, overrides: Overrides) -> Settled {
    Ok(Box::new(overrides))
}

impl Editor {
    fn new(settings: Value, utf8: bool) -> Self {
        let (connection, server) = Connection::memory();
        let server = std::thread::spawn(move || serve(&server, &rules));
        let mut editor =
            Editor { connection, server, requests: 0, text: String::new(), utf8, heard: Vec::new() };
        let encodings = if utf8 { json!(["utf-8", "utf-16"]) } else { json!(["utf-16"]) };
        let params = json!({
            "capabilities": { "general": { "positionEncodings": encodings } },
            "initializationOptions": settings,
        });
        let result = editor.ask("initialize", params).expect("an answer to initialize");
        let counted = result["capabilities"]["positionEncoding"].as_str();
        assert_eq!(counted, Some(if utf8 { "utf-8" } else { "utf-16" }));
        editor.notify("initialized", json!({}));
        editor
    }

    fn notify(&self, method: &str, params: Value) {
        let message = Notification::new(method.to_owned(), params);
        self.connection.sender.send(message.into()).expect("a server that listens");
    }

    fn receive(&self) -> Message {
        self.connection.receiver.recv_timeout(Duration::from_secs(60)).expect("a message")
    }

    /// The result, or the error's code and message.
    fn ask(&mut self, method: &str, params: Value) -> Result<Value, (i32, String)> {
        self.requests += 1;
        let id = self.requests.into();
        let request = Request::new(self.requests.into(), method.to_owned(), params);
        self.connection.sender.send(request.into()).expect("a server that listens");
        loop {
            match self.receive() {
                Message::Response(response) if response.id == id => {
                    return response.response_result.map_err(|error| (error.code, error.message));
                }
                Message::Notification(notification) => self.heard.push(notification),
                other => panic!("{other:?}"),
            }
        }
    }

    /// The findings of this version; findings of other versions are dropped.
    fn findings(&mut self, version: i32) -> Vec<Value> {
        loop {
            let notification = match self.heard.is_empty() {
                false => self.heard.remove(0),
                true => match self.receive() {
                    Message::Notification(notification) => notification,
                    other => panic!("{other:?}"),
                },
            };
            assert_eq!(notification.method, "textDocument/publishDiagnostics", "{notification:?}");
            if notification.params["version"] == version {
                return notification.params["diagnostics"].as_array().expect("a list").clone();
            }
        }
    }

    fn open(&mut self, uri: &str, language: &str, text: &str) -> Vec<Value> {
        self.text = text.to_owned();
        let file = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": file }));
        self.findings(1)
    }

    /// The position of a byte in the client's units.
    fn position(&self, byte: usize) -> Value {
        let before = &self.text[..byte];
        let line = before.matches('\n').count();
        let column = &before[before.rfind('\n').map_or(0, |n| n + 1)..];
        let column = if self.utf8 { column.len() } else { column.encode_utf16().count() };
        json!({ "line": line, "character": column })
    }

    fn place(&self, what: &str) -> Value {
        let at = self.text.find(what).unwrap_or_else(|| panic!("`{what}` in the text"));
        json!({ "start": self.position(at), "end": self.position(at + what.len()) })
    }

    /// The byte at a position.
    fn byte(&self, position: &Value) -> usize {
        let all = (0..=self.text.len()).filter(|byte| self.text.is_char_boundary(*byte));
        let mut all = all.filter(|byte| self.position(*byte) == *position);
        all.next().unwrap_or_else(|| panic!("{position} in the text"))
    }

    /// Replaces a text in the client and in the server; returns the findings.
    fn replace(&mut self, uri: &str, version: i32, what: &str, new: &str) -> Vec<Value> {
        self.edit(uri, version, what, new);
        self.findings(version)
    }

    /// Replaces a text in the client and in the server, without waiting for findings.
    fn edit(&mut self, uri: &str, version: i32, what: &str, new: &str) {
        let change = json!({ "range": self.place(what), "text": new });
        self.text = self.text.replacen(what, new, 1);
        let file = json!({ "uri": uri, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": file, "contentChanges": [change] }));
    }

    fn actions(&mut self, uri: &str, at: &str, only: &[&str]) -> Vec<Value> {
        let context = json!({ "diagnostics": [], "only": only });
        let params = json!({ "textDocument": { "uri": uri }, "range": self.place(at), "context": context });
        self.ask("textDocument/codeAction", params).expect("actions").as_array().expect("a list").clone()
    }

    /// Makes an action's edits in the client and in the server.
    fn apply(&mut self, uri: &str, version: i32, action: &Value) -> Vec<Value> {
        let mut edits = action["edit"]["changes"][uri].as_array().expect("edits").clone();
        edits.sort_by_key(|edit| std::cmp::Reverse(self.byte(&edit["range"]["start"])));
        for edit in &edits {
            let range = self.byte(&edit["range"]["start"])..self.byte(&edit["range"]["end"]);
            self.text.replace_range(range, edit["newText"].as_str().expect("a text"));
        }
        // Send the whole text, as some editors do.
        let params = json!({
            "textDocument": { "uri": uri, "version": version },
            "contentChanges": [{ "text": self.text }],
        });
        self.notify("textDocument/didChange", params);
        self.findings(version)
    }

    fn hover(&mut self, uri: &str, at: &str) -> Value {
        let position = self.place(at)["start"].clone();
        self.ask("textDocument/hover", json!({ "textDocument": { "uri": uri }, "position": position }))
            .expect("a hover")
    }

    fn complete(&mut self, uri: &str, after: &str) -> Vec<Value> {
        let position = self.place(after)["end"].clone();
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        let items = self.ask("textDocument/completion", params).expect("completions");
        items.as_array().expect("a list").clone()
    }

    fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Ok(Value::Null));
        assert_eq!(self.ask("textDocument/hover", json!({})).map_err(|(code, _)| code), Err(-32600));
        self.notify("exit", Value::Null);
        assert_eq!(self.server.join().expect("no panic"), Ok(()));
    }
}

/// A hover names the halves, the range and the value of constants; on a register it has the declaration.
#[test]
fn hovers_say_what_the_operands_are() {
    let mut editor = Editor::new(Value::Null, true);
    let text = ".version 9.1\n.target sm_90\n.entry k {\n  .reg .b16 %h<3>; .reg .f32 %f<9>;\n  \
                cvt.rn.satfinite.e4m3x2.f32 %h2, %f8, 0f3FC00000;\n}\n";
    editor.open(MODULE, "ptx", text);
    let hover = editor.hover(MODULE, "cvt.rn")["contents"]["value"].as_str().unwrap().to_owned();
    for part in
        ["upper ← a, lower ← b", "`e4m3`: -448 to 448, smallest above zero", "`b` = `0f3FC00000` is 1.5"]
    {
        assert!(hover.contains(part), "{part}: {hover}");
    }
    let register = editor.hover(MODULE, "%f8")["contents"]["value"].as_str().unwrap().to_owned();
    assert!(register.contains(".reg .f32 %f<9>;") && register.contains("line 4"), "{register}");
    let constant = editor.hover(MODULE, "0f3FC00000");
    let text = constant["contents"]["value"].as_str().unwrap();
    assert!(text.contains("operand `b`") && text.contains("`.f32`: 1.5 (0x3fc00000)"), "{text}");
    assert_eq!(constant["range"], editor.place("0f3FC00000"));
    editor.end();
}

/// A constant that is changed when it is read has the note of `ptxcvt eval`.
#[test]
fn hovers_say_how_constants_are_changed() {
    let mut editor = Editor::new(Value::Null, true);
    let text = ".version 9.1\n.target sm_90\n.entry k {\n  .reg .b16 %h;\n  cvt.u16.s8 %h, 200;\n  \
                cvt.rn.f16.f32 %h, 0.5;\n}\n";
    editor.open(MODULE, "ptx", text);
    let mut value = |at: &str| editor.hover(MODULE, at)["contents"]["value"].as_str().unwrap().to_owned();
    let note = "`200` is out of range for `.s8`, and its low bits were read: -56";
    let of_form = value("cvt.u16");
    assert!(of_form.contains(&format!("- `a` = `200` is -56; {note}\n")), "{of_form}");
    let constant = value("200");
    assert!(constant.ends_with(&format!("-56 (0xc8)\n\n{note}")), "{constant}");
    assert!(value("0.5").ends_with("0.5 (0x3f000000)"));
    editor.end();
}

/// Operands without a type have values, too: random bits, scale factors and the rest of `cvt.pack`.
#[test]
fn hovers_say_the_values_of_plain_bits_and_scales() {
    let mut editor = Editor::new(Value::Null, true);
    let text = ".version 9.4\n.target sm_107a\n.entry k {\n  .reg .b16 h; .reg .f32 f<9>; .reg .b32 r<9>;\n  \
                cvt.rs.f16x2.f32 r0, f1, f2, 0x12345678;\n  cvt.pack.sat.s8.s32.b32 r1, r2, r3, 0x80;\n  \
                cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32 h, f1, f2, 0x7e;\n}\n";
    editor.open(MODULE, "ptx", text);
    let mut value = |at: &str| editor.hover(MODULE, at)["contents"]["value"].as_str().unwrap().to_owned();
    for (written, operand, says, form) in [
        ("0x12345678", "rbits", "not accepted: `rbits` takes a register, not an immediate", "cvt.rs"),
        ("0x80", "c", "128 (0x00000080)", "cvt.pack"),
        (
            "0x7e",
            "scale-factor",
            "not accepted: `scale-factor` takes a register, not an immediate",
            "cvt.rn.satfinite.scaled",
        ),
    ] {
        let constant = value(written).replace("\n\n", ": ");
        assert!(constant.contains(&format!("operand `{operand}`")) && constant.ends_with(says), "{constant}");
        let (number, of_form) = (says.split(" (").next().expect("a value"), value(form));
        assert!(of_form.contains(&format!("- `{operand}` = `{written}` is {number}")), "{of_form}");
    }
    editor.end();
}

/// A constant that `check` refuses has no value.
#[test]
fn hovers_say_which_constants_are_refused() {
    let mut editor = Editor::new(Value::Null, true);
    let text = ".version 9.1\n.target sm_90\n.entry k {\n  .reg .f64 %d;\n  cvt.f64.f32 %d, 0x3f800000;\n}\n";
    editor.open(MODULE, "ptx", text);
    let mut value = |at: &str| editor.hover(MODULE, at)["contents"]["value"].as_str().unwrap().to_owned();
    let wrong = "the source `a` (`.f32`) takes a floating-point number, not an integer";
    let of_form = value("cvt.f64");
    assert!(of_form.contains(&format!("- `a` = `0x3f800000` is not accepted: {wrong}\n")), "{of_form}");
    let constant = value("0x3f800000");
    assert!(constant.ends_with(&format!("`.f32`: not accepted\n\n{wrong}")), "{constant}");
    editor.end();
}

/// Findings in strings have places and lines of the whole source.
#[test]
fn hovers_inside_inline_assembly() {
    let mut editor = Editor::new(Value::Null, false);
    let text = "// é\n__device__ void f(short& d, float x) {\n  /* 𝄞 */ asm(\"{ .reg .f32 t; // é\\n\\t\"\n    \
                \"mov.b32 t, 0f3F000000;\\n\\t\" \"cvt.rn.bf16x2.f32 %0, 0f40200000, %1; }\" : \"=r\"(d) : \"f\"(x));\n}\n";
    let uri = "file:///home/me/f.cu";
    editor.open(uri, "cuda-cpp", text);
    for (at, range, parts) in [
        ("0f3F000000", "0f3F000000", &["`.f32`: 0.5"][..]),
        ("0f40200000", "0f40200000", &["operand `a`", "`cvt.rn.bf16x2.f32`", "2.5 (0x40200000)"]),
        ("t, 0f", "t", &[".reg .f32 t;", "declared in line 3"]),
        ("%0", "%0", &["`.b32` register, written for `d`", "constraint `=r`"]),
        ("%1", "%1", &["`.f32` register, read for `x`", "constraint `f`"]),
    ] {
        let hover = editor.hover(uri, at);
        let text = hover["contents"]["value"].as_str().unwrap_or_else(|| panic!("no hover at {at}"));
        for part in parts {
            assert!(text.contains(part), "{part}: {text}");
        }
        let start = editor.place(at)["start"].clone();
        let end = editor.position(editor.text.find(at).unwrap() + range.len());
        assert_eq!(hover["range"], json!({ "start": start, "end": end }), "{at}");
    }
    editor.end();
}

const MODULE: &str = "file:///home/me/k%20%CF%80.ptx";
const TEXT: &str = "// π und 𝄞: \u{1F600}\n.version 9.1\n.target sm_90\n.entry k {\n  .reg .b16 h; .reg .f32 f;\n  \
                    /* 𝄞𝄞 */ cvt.rn.e4m3x2.f32 h, f, f; // 𝄞\n  cvt.rn.f16.f32 h, f;\n}\n";

fn in_a_module(utf8: bool) {
    let mut editor = Editor::new(Value::Null, utf8);
    let found = editor.open(MODULE, "ptx", TEXT);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0]["code"], &found[0]["source"]), (&json!("CVT008"), &json!("ptxcvt")));
    assert_eq!(found[0]["severity"], 1);
    assert_eq!(found[0]["range"], editor.place("cvt.rn.e4m3x2.f32"));
    assert!(found[0]["message"].as_str().unwrap().ends_with("help: write `cvt.rn.satfinite.e4m3x2.f32`"));
    // The fix alone, and in the action for all fixes.
    let quick = editor.actions(MODULE, "e4m3x2", &["quickfix"]);
    assert_eq!((quick.len(), &quick[0]["isPreferred"]), (1, &json!(true)), "{quick:?}");
    assert_eq!(quick[0]["title"], "Write `cvt.rn.satfinite.e4m3x2.f32`");
    assert_eq!(quick[0]["diagnostics"][0]["code"], "CVT008");
    assert!(editor.actions(MODULE, "cvt.rn.f16.f32", &["quickfix"]).is_empty());
    assert!(editor.actions(MODULE, "e4m3x2", &["refactor"]).is_empty());
    let all = editor.actions(MODULE, ".version", &["source.fixAll"]);
    assert_eq!((all.len(), &all[0]["kind"]), (1, &json!("source.fixAll.ptxcvt")));
    assert_eq!(editor.apply(MODULE, 2, &quick[0]), [Value::Null; 0]);
    assert!(editor.text.contains("/* 𝄞𝄞 */ cvt.rn.satfinite.e4m3x2.f32 h"));
    // An edit that causes a finding with a related place.
    let found = editor.replace(MODULE, 3, "cvt.rn.f16.f32 h, f;", "cvt.rn.f16.f32 f, f;");
    assert_eq!(found[0]["code"], "CVT105");
    assert_eq!(found[0]["range"]["start"], editor.place("f, f;\n")["start"]);
    let declared = &found[0]["relatedInformation"][0]["location"];
    assert_eq!(
        (&declared["uri"], &declared["range"]["start"]),
        (&json!(MODULE), &editor.place("f;")["start"])
    );
    let found = editor.replace(MODULE, 4, "cvt.rn.f16.f32 f, f;", "cvt.rn.f16.f32 h, f;");
    assert!(found.is_empty());
    // An edit of `.target` changes all findings.
    let found = editor.replace(MODULE, 5, "sm_90", "sm_80");
    assert_eq!(found.len(), 1, "{found:?}");
    let unsafe_fixes = editor.actions(MODULE, "cvt.rn.satfinite", &[]);
    assert!(unsafe_fixes.iter().all(|action| action["isPreferred"] != true), "{unsafe_fixes:?}");
    // Hover and completion.
    let hover = editor.hover(MODULE, "satfinite");
    let text = hover["contents"]["value"].as_str().expect("a text");
    for part in
        ["d, a, b;", "`.rn` rounded to nearest", "`.b16`", "not here (sm_80 at ISA 9.1)", "ISA 8.1: sm_89"]
    {
        assert!(text.contains(part), "`{part}` in {text}");
    }
    assert_eq!(hover["range"], editor.place("cvt.rn.satfinite.e4m3x2.f32"));
    assert_eq!(editor.hover(MODULE, ".entry"), Value::Null);
    editor.replace(MODULE, 6, "cvt.rn.f16.f32 h, f;", "cvt.rn.sat");
    let offered = editor.complete(MODULE, "  cvt.rn.sat");
    let labels: Vec<_> = offered.iter().map(|item| item["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["sat", "satfinite"]);
    assert_eq!(offered[0]["textEdit"]["range"]["end"], editor.place("  cvt.rn.sat")["end"]);
    assert_eq!(offered[1]["textEdit"]["newText"], "satfinite");
    assert!(editor.complete(MODULE, ".target sm").is_empty());
    // A closed file has no findings.
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": MODULE } }));
    assert_eq!(editor.hover(MODULE, "satfinite"), Value::Null);
    assert_eq!(editor.heard.pop().expect("nothing found").params["diagnostics"], json!([]));
    editor.end();
}

#[test]
fn a_module_in_utf_16() {
    in_a_module(false);
}

#[test]
fn a_module_in_utf_8() {
    in_a_module(true);
}

/// Findings, fixes, hover and completion in the strings of a source.
fn in_a_source(uri: &str, language: &str, text: &str) {
    let mut editor = Editor::new(json!({ "target": "sm_90", "isa": "8.7" }), false);
    let found = editor.open(uri, language, text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["code"], "CVT008");
    assert_eq!(found[0]["range"], editor.place("cvt.rn.e4m3x2.f32"));
    let quick = editor.actions(uri, "e4m3x2", &["quickfix"]);
    assert!(editor.apply(uri, 2, &quick[0]).is_empty());
    let hover = editor.hover(uri, "e4m3x2");
    assert!(hover["contents"]["value"].as_str().unwrap().contains("here (sm_90 at ISA 8.7)"), "{hover}");
    assert_eq!(hover["range"], editor.place("cvt.rn.satfinite.e4m3x2.f32"));
    editor.replace(uri, 3, "satfinite.e4m3x2.f32", "satfinite.e");
    let offered = editor.complete(uri, "satfinite.e");
    assert!(offered.iter().any(|item| item["label"] == "e4m3x2"), "{offered:?}");
    let elsewhere = offered.iter().find(|item| item["label"] == "e2m1x2").expect("FP4");
    assert_eq!(elsewhere["tags"], json!([1]), "sm_90 has no FP4");
    assert!(editor.complete(uri, "volatile").is_empty());
    editor.end();
}

#[test]
fn in_cuda() {
    let text = "// 𝄞 volatile\n__device__ void f(short& d, float a) {\n  /* 𝄞 */ asm volatile(\"// 𝄞\\n\\t\"\n    \
                \"/* é */ cvt.rn.e4m3x2.f32 %0, %1, %1;\" : \"=h\"(d) : \"f\"(a));\n}\n";
    in_a_source("file:///home/me/f.cuh", "cuda-cpp", text);
    // The editor's language counts if the name has no known extension.
    in_a_source("untitled:Untitled-1", "cpp", text);
}

#[test]
fn in_python() {
    let text = "# 𝄞 volatile\ny = tl.inline_asm_elementwise(\n    asm=\"\"\"\n    // 𝄞 é\n    cvt.rn.e4m3x2.f32 $0, \
                $1, $2;\n    \"\"\", constraints=(\"=h,f,f\"), args=[a, b], dtype=tl.int16, is_pure=True, pack=1)\n";
    in_a_source("file:///home/me/f.py", "python", text);
}

/// A hover or completion directly after an edit of the first lines is about the new target, before new findings are
/// published.
#[test]
fn answers_directly_after_an_edit_of_the_target() {
    let mut editor = Editor::new(Value::Null, false);
    let opcode = "cvt.rn.satfinite.e4m3x2.f32";
    editor.open(MODULE, "ptx", &format!(".version 8.1\n.target sm_80\n{opcode} h, a, a;\n"));
    let legal = |editor: &mut Editor| {
        let hover = editor.hover(MODULE, opcode);
        let text = hover["contents"]["value"].as_str().expect("a text").to_owned();
        text.lines().find(|line| line.contains("**Legal**")).expect("a line").to_owned()
    };
    assert!(legal(&mut editor).contains("not here (sm_80 at ISA 8.1)"));
    let mut versions = 2..;
    for (what, new, expected) in [
        ("sm_80", "sm_90", "here (sm_90 at ISA 8.1)"),
        ("8.1", "7.8", "here (sm_90 at ISA 7.8)"),
        (".version 7.8\n.target sm_90\n", ".version 8.1\n.target sm_89\n", "here (sm_89 at ISA 8.1)"),
    ] {
        editor.edit(MODULE, versions.next().unwrap(), what, new);
        let line = legal(&mut editor);
        assert!(line.contains(expected), "{expected}: {line}");
    }
    editor.edit(MODULE, 10, ".version 8.1\n.target sm_89\n", "");
    let line = legal(&mut editor);
    assert!(!line.contains("here ("), "{line}");
    editor.end();
}

#[test]
fn many_edits_and_one_answer() {
    let mut editor = Editor::new(Value::Null, false);
    editor.open(MODULE, "ptx", TEXT);
    for version in 2..=40 {
        let at = editor.place("f, f; //");
        let change = json!({ "range": { "start": at["start"], "end": at["start"] }, "text": "f" });
        editor.text = editor.text.replacen("f, f; //", "ff, f; //", 1);
        let file = json!({ "uri": MODULE, "version": version });
        editor.notify("textDocument/didChange", json!({ "textDocument": file, "contentChanges": [change] }));
    }
    let found = editor.findings(40);
    assert!(found.iter().any(|finding| finding["code"] == "CVT008"));
    // Fixes apply to the newest version of the text.
    editor.replace(MODULE, 41, "cvt.rn.e4m3x2.f32", "cvt.rn.satfinite.e4m3x2.f32");
    editor.end();
}

#[test]
fn invalid_requests_are_refused() {
    let mut editor = Editor::new(json!({ "target": "sm_9000" }), false);
    let notification = editor.receive();
    let Message::Notification(notification) = notification else { panic!("{notification:?}") };
    assert!(notification.params["message"].as_str().unwrap().contains("sm_9000"), "{notification:?}");
    editor.open(MODULE, "ptx", TEXT);
    let mut refused = |method: &str, params: Value| editor.ask(method, params).expect_err("an error");
    let file = json!({ "uri": MODULE });
    assert_eq!(refused("textDocument/rename", json!({})).0, -32601);
    assert_eq!(refused("textDocument/hover", json!({ "textDocument": file })).0, -32602);
    assert_eq!(refused("initialize", json!({ "capabilities": {} })).0, -32600);
    // Files of other languages are ignored.
    let notes = json!({ "uri": "file:///notes.txt", "languageId": "text", "version": 1, "text": "cvt.x" });
    editor.notify("textDocument/didOpen", json!({ "textDocument": notes }));
    editor.notify("textDocument/didChange", json!("nonsense"));
    editor.notify("$/whatever", json!(null));
    assert_eq!(editor.hover(MODULE, "satfinite".get(..0).unwrap()), Value::Null);
    editor.end();
}

#[test]
fn an_early_end_is_reported() {
    let editor = Editor::new(Value::Null, false);
    editor.notify("exit", Value::Null);
    assert_eq!(editor.server.join().expect("no panic"), Err(Ended::Early));
}

/// Each request at each position of texts with characters of two, three and four bytes next to names and opcodes.
#[test]
fn wide_characters_anywhere() {
    let module = ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k() { .reg .f32 a; .reg .b16 h;\n\
                  \u{e9}cvt.rn.f16.f32\u{1f600}h\u{1f600}, \u{e9}a\u{2260}; /*\u{1f600}*/cvt\u{1f600}cv\u{e9} }\u{1f600}";
    let cuda = "\u{1f600}asm(\"\u{e9}cvt.rn.f16.f32\u{2260}%0\u{1f600}, \u{e9}%1; \u{1f600}cv\u{e9}\" : \"=h\"(d) : \"f\"(\u{e9}a));\u{1f600}";
    let python = "a = inline_asm(\"\u{e9}cvt.rn.f16.f32\u{2260}$0\u{1f600}, \u{e9}$1; \u{1f600}cv\u{e9}\", \"=h,f\")\u{1f600}";
    for utf8 in [false, true] {
        let mut editor = Editor::new(Value::Null, utf8);
        let files =
            [(MODULE, "ptx", module), ("file:///k.cu", "cuda-cpp", cuda), ("file:///k.py", "python", python)];
        let mut named = 0;
        for (uri, language, text) in files {
            editor.open(uri, language, text);
            for byte in (0..=text.len()).filter(|byte| text.is_char_boundary(*byte)) {
                let position = editor.position(byte);
                let document = json!({ "uri": uri });
                let at = json!({ "textDocument": document, "position": position });
                let hover = editor.ask("textDocument/hover", at.clone()).expect("a hover, or none");
                named += usize::from(!hover.is_null());
                editor.ask("textDocument/completion", at).expect("completions, or none");
                let range = json!({ "start": position, "end": position });
                let actions =
                    json!({ "textDocument": document, "range": range, "context": { "diagnostics": [] } });
                editor.ask("textDocument/codeAction", actions).expect("actions, or none");
            }
        }
        assert!(named > 40, "{named}");
        editor.end();
    }
}

/// Positions and ranges outside of the text are clamped to it.
#[test]
fn positions_are_clamped() {
    let mut editor = Editor::new(Value::Null, false);
    editor.open(MODULE, "ptx", TEXT);
    let at = |line: u32, character: u32| json!({ "line": line, "character": character });
    for position in [at(99, 0), at(u32::MAX, u32::MAX), at(1, 5_000), at(5, 6)] {
        let params = json!({ "textDocument": { "uri": MODULE }, "position": position });
        assert_eq!(editor.ask("textDocument/hover", params), Ok(Value::Null));
    }
    let range = json!({ "start": at(99, 3), "end": at(1, 0) });
    let params =
        json!({ "textDocument": { "uri": MODULE }, "range": range, "context": { "diagnostics": [] } });
    assert!(!editor.ask("textDocument/codeAction", params).expect("actions").as_array().unwrap().is_empty());
    // A file keeps its findings after an edit beyond its last line.
    let change = json!({ "range": { "start": at(99, 7), "end": at(1_000, 0) }, "text": "// end\n" });
    let params = json!({ "textDocument": { "uri": MODULE, "version": 2 }, "contentChanges": [change] });
    editor.notify("textDocument/didChange", params);
    assert_eq!(editor.findings(2)[0]["code"], "CVT008");
    editor.end();
}
