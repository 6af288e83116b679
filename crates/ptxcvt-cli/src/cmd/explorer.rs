//! `ptxcvt explorer`: the page, served on a loopback port and opened.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use tiny_http::{Header, Method, Request, Response, Server};

use crate::failure::Failure;
use crate::output::reason;

#[derive(clap::Args)]
#[command(after_help = "\
The page computes in the browser; nothing that is written into it leaves the machine. It is one file, which any other \
server can serve, and which opens from a folder.

Examples:
  ptxcvt explorer
  ptxcvt explorer --port 8000 --no-open
  ptxcvt explorer --page target/web/index.html

Exit status: 2 no page, or the port is taken. It runs until it is ended (Ctrl-C).")]
pub struct Args {
    /// The port; 0 for one that is free
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Only serve it
    #[arg(long)]
    no_open: bool,
    /// Serve this page rather than the one that was built in
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

/// Empty where the binary was built without it.
static PAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page.html"));

/// Nothing is fetched from anywhere.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; \
                      img-src data:; base-uri 'none'; form-action 'none'";

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let page = page(args)?;
    let server = Server::http(("127.0.0.1", args.port))
        .map_err(|e| Failure::new(format!("cannot listen on 127.0.0.1:{}: {e}", args.port)))?;
    let port = server.server_addr().to_ip().map_or(args.port, |address| address.port());
    let address = format!("http://127.0.0.1:{port}/");
    let mut out = anstream::stdout().lock();
    writeln!(out, "{address}  (Ctrl-C ends)")?;
    out.flush()?;
    drop(out);
    if !args.no_open {
        open(&address);
    }
    for request in server.incoming_requests() {
        // A reader that has gone is no matter of ours.
        let _ = answer(request, &page);
    }
    Ok(ExitCode::SUCCESS)
}

fn page(args: &Args) -> Result<Vec<u8>, Failure> {
    match &args.page {
        Some(path) => std::fs::read(path)
            .map_err(|e| Failure::new(format!("cannot read {}: {}", path.display(), reason(&e)))),
        None if PAGE.is_empty() => Err(Failure::new("this ptxcvt was built without the page").help(
            "`cargo xtask web` builds it; then `ptxcvt explorer --page target/web/index.html`, or build ptxcvt with \
             PTXCVT_PAGE=target/web/index.html (an absolute path) in the environment",
        )),
        None => Ok(PAGE.to_vec()),
    }
}

fn answer(request: Request, page: &[u8]) -> std::io::Result<()> {
    let path = request.url().split(['?', '#']).next().unwrap_or_default();
    let is_page = matches!(path, "/" | "/index.html");
    match request.method() {
        Method::Get | Method::Head if is_page => {
            let headers = [
                ("Content-Type", "text/html; charset=utf-8"),
                ("Content-Security-Policy", POLICY),
                ("Cache-Control", "no-cache"),
            ];
            let headers = headers.iter().filter_map(|(name, value)| Header::from_bytes(*name, *value).ok());
            let response = headers.fold(Response::from_data(page), Response::with_header);
            request.respond(response)
        }
        Method::Get | Method::Head => {
            request.respond(Response::from_string("there is one page: /\n").with_status_code(404))
        }
        _ => request.respond(Response::from_string("only GET\n").with_status_code(405)),
    }
}

/// Opens a browser, if there is one; who has none reads the address.
fn open(address: &str) {
    let (program, arguments): (_, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let quiet = || Stdio::null();
    let command = Command::new(program).args(arguments).arg(address).stdout(quiet()).stderr(quiet()).spawn();
    // What it does from here on is its own affair.
    drop(command);
}
