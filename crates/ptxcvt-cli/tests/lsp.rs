//! `ptxcvt lsp` as a process: messages with their headers, the project's settings, the exit status.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

fn server(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
    command.arg("lsp").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the command")
}

fn send(server: &mut Child, message: Value) {
    let text = message.to_string();
    let pipe = server.stdin.as_mut().expect("a pipe");
    write!(pipe, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("a server that reads");
    pipe.flush().expect("a server that reads");
}

fn receive(out: &mut impl BufRead) -> Value {
    let mut length = 0;
    loop {
        let mut line = String::new();
        out.read_line(&mut line).expect("a header");
        match line.trim() {
            "" => break,
            header => length = header.strip_prefix("Content-Length: ").map_or(length, |n| n.parse().unwrap()),
        }
    }
    let mut bytes = vec![0; length];
    out.read_exact(&mut bytes).expect("a message");
    serde_json::from_slice(&bytes).expect("JSON")
}

fn initialize(server: &mut Child, out: &mut impl BufRead) {
    let params = json!({ "capabilities": {} });
    send(server, json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }));
    assert_eq!(receive(out)["result"]["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    send(server, json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));
}

#[test]
fn the_settings_of_the_project_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = "target = \"sm_80\"\nexclude = [\"old/*\"]\nseverity = { CVT008 = \"warning\" }\n";
    std::fs::write(folder.path().join("ptxcvt.toml"), settings).expect("a file");
    let mut server = server(&["--stdio"]);
    let mut out = BufReader::new(server.stdout.take().expect("a pipe"));
    initialize(&mut server, &mut out);
    let uri = |name: &str| format!("file://{}", folder.path().join(name).display());
    let open = |server: &mut Child, name: &str| {
        let text = "void f() { asm(\"cvt.rn.e4m3x2.f32 %0, %1, %2;\" : \"=h\"(d) : \"f\"(a), \"f\"(b)); }";
        let file = json!({ "uri": uri(name), "languageId": "cuda", "version": 1, "text": text });
        let params = json!({ "textDocument": file });
        send(server, json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params }));
    };
    open(&mut server, "old/k.cu");
    open(&mut server, "new/k.cu");
    let found = receive(&mut out);
    assert_eq!(found["params"]["uri"], uri("new/k.cu"), "excluded files are not checked");
    let found = &found["params"]["diagnostics"];
    assert_eq!((&found[0]["code"], &found[0]["severity"]), (&json!("CVT008"), &json!(2)), "{found}");
    // The hover names the target of the settings.
    let params =
        json!({ "textDocument": { "uri": uri("new/k.cu") }, "position": { "line": 0, "character": 20 } });
    send(&mut server, json!({ "jsonrpc": "2.0", "id": 2, "method": "textDocument/hover", "params": params }));
    assert!(receive(&mut out)["result"]["contents"]["value"].as_str().unwrap().contains("is not a form"));
    // Unreadable settings are reported.
    std::fs::write(folder.path().join("ptxcvt.toml"), "target = \"sm_1\"\n").expect("a file");
    let params = json!({ "textDocument": { "uri": uri("new/k.cu") } });
    send(&mut server, json!({ "jsonrpc": "2.0", "method": "textDocument/didSave", "params": params }));
    let message = receive(&mut out);
    assert_eq!(message["method"], "window/showMessage");
    assert!(message["params"]["message"].as_str().unwrap().contains("ptxcvt.toml"), "{message}");
    assert_eq!(receive(&mut out)["params"]["diagnostics"][0]["severity"], 1);
    send(&mut server, json!({ "jsonrpc": "2.0", "id": 3, "method": "shutdown" }));
    assert_eq!(receive(&mut out)["result"], Value::Null);
    send(&mut server, json!({ "jsonrpc": "2.0", "method": "exit" }));
    assert_eq!(server.wait().expect("an end").code(), Some(0));
}

/// The server and `check` judge a file for the same targets.
#[test]
fn the_build_files_of_the_project_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = |list: &str| {
        let text = format!("set(CMAKE_CUDA_ARCHITECTURES {list})\n");
        std::fs::write(folder.path().join("CMakeLists.txt"), text).expect("a file");
    };
    std::fs::create_dir_all(folder.path().join(".git")).expect("a folder");
    std::fs::create_dir_all(folder.path().join("src")).expect("a folder");
    list("100a");
    let text = "#if __CUDA_ARCH__ >= 1000\nvoid f() { asm(\"{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, %0, %1; }\" \
                :: \"f\"(a), \"f\"(b)); }\n#endif\n";
    for (arguments, expected) in [(&[][..], [0, 1]), (&["--target", "sm_100"][..], [1, 1])] {
        list("100a");
        let mut server = server(arguments);
        let mut out = BufReader::new(server.stdout.take().expect("a pipe"));
        initialize(&mut server, &mut out);
        let uri = format!("file://{}", folder.path().join("src/k.cu").display());
        let file = json!({ "uri": uri, "languageId": "cuda", "version": 1, "text": text });
        let params = json!({ "textDocument": file });
        send(&mut server, json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params }));
        let found =
            |out: &mut BufReader<_>| receive(out)["params"]["diagnostics"].as_array().expect("a list").len();
        let opened = found(&mut out);
        // They are read again when the file is saved.
        list("100");
        let params = json!({ "textDocument": { "uri": uri } });
        send(&mut server, json!({ "jsonrpc": "2.0", "method": "textDocument/didSave", "params": params }));
        assert_eq!([opened, found(&mut out)], expected, "{arguments:?}");
        send(&mut server, json!({ "jsonrpc": "2.0", "id": 3, "method": "shutdown" }));
        assert_eq!(receive(&mut out)["result"], Value::Null);
        send(&mut server, json!({ "jsonrpc": "2.0", "method": "exit" }));
        assert_eq!(server.wait().expect("an end").code(), Some(0));
    }
}

#[test]
fn exit_status() {
    // An editor that disconnects without `exit`.
    let mut gone = server(&[]);
    let mut out = BufReader::new(gone.stdout.take().expect("a pipe"));
    initialize(&mut gone, &mut out);
    drop(gone.stdin.take());
    assert_eq!(gone.wait().expect("an end").code(), Some(1));
    // One that sends `shutdown`, but not `exit`.
    let mut half = server(&[]);
    let mut out = BufReader::new(half.stdout.take().expect("a pipe"));
    initialize(&mut half, &mut out);
    send(&mut half, json!({ "jsonrpc": "2.0", "id": 2, "method": "shutdown" }));
    assert_eq!(receive(&mut out)["id"], 2);
    drop(half.stdin.take());
    let output = half.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("after `shutdown`, without `exit`"), "{stderr}");
    // `exit` without `initialize` and `shutdown`.
    let mut other = server(&[]);
    send(&mut other, json!({ "jsonrpc": "2.0", "method": "exit" }));
    let output = other.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: "));
}

/// Invalid lengths end neither the process nor the connection.
#[test]
fn invalid_input_is_answered() {
    let mut server = server(&[]);
    let mut out = BufReader::new(server.stdout.take().expect("a pipe"));
    initialize(&mut server, &mut out);
    for junk in [
        "Content-Length: 99999999999999\r\n\r\n",
        "Content-Length: 9999999999\r\n\r\n",
        "Content-Length: 1\r\n\r\n{",
    ] {
        server.stdin.as_mut().expect("a pipe").write_all(junk.as_bytes()).expect("a server that reads");
        let answer = receive(&mut out);
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32700)), "{junk}");
    }
    send(&mut server, json!({ "jsonrpc": "2.0", "id": 2, "method": "shutdown" }));
    assert_eq!(receive(&mut out)["id"], 2);
    send(&mut server, json!({ "jsonrpc": "2.0", "method": "exit" }));
    assert_eq!(server.wait().expect("an end").code(), Some(0));
}
