//! `ptxcvt explorer` serves only the files of its page, on the loopback port that it prints.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
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

/// Serves a page and returns the server and its port.
fn serve(page: &Path) -> (Server, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
    command.args(["explorer", "--no-open", "--page"]).arg(page).stdout(Stdio::piped());
    let mut server = Server(command.spawn().unwrap());
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port = line.strip_prefix("http://127.0.0.1:").and_then(|rest| rest.split('/').next()).unwrap();
    (server, port.to_owned())
}

#[test]
fn the_page_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    std::fs::write(&page, "<p>a page</p>").unwrap();
    let (_server, port) = serve(&page);
    let answer = ask(&port, "GET /?x");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("<p>a page</p>"), "{answer}");
    assert!(answer.contains("Content-Security-Policy: default-src 'none'"), "{answer}");
    for other in ["GET /other", "GET /ptx.js"] {
        assert!(ask(&port, other).starts_with("HTTP/1.1 404"), "{other}");
    }
    assert!(ask(&port, "POST /").starts_with("HTTP/1.1 405"));
}

#[test]
fn its_second_file_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    std::fs::write(&page, "<p>a page</p>").unwrap();
    std::fs::write(folder.path().join("ptx.js"), "let second;").unwrap();
    let (_server, port) = serve(&page);
    let answer = ask(&port, "GET /ptx.js?0123");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("let second;"), "{answer}");
    assert!(answer.contains("Content-Type: text/javascript"), "{answer}");
    assert!(ask(&port, "GET /other").starts_with("HTTP/1.1 404"));
}
