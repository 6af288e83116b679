//! `ptxcvt explorer` serves only its page, on the loopback port that it prints.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A server that ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn ask(port: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    write!(stream, "{request} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_page_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    std::fs::write(&page, "<p>a page</p>").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
    command.args(["explorer", "--no-open", "--page"]).arg(&page).stdout(Stdio::piped());
    let mut server = Server(command.spawn().unwrap());
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port = line.strip_prefix("http://127.0.0.1:").and_then(|rest| rest.split('/').next()).unwrap();
    let answer = ask(port, "GET /?x");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("<p>a page</p>"), "{answer}");
    assert!(answer.contains("Content-Security-Policy: default-src 'none'"), "{answer}");
    assert!(ask(port, "GET /other").starts_with("HTTP/1.1 404"));
    assert!(ask(port, "POST /").starts_with("HTTP/1.1 405"));
}
