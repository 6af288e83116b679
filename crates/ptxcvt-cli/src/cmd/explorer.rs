//! `ptxcvt explorer`: serves the explorer, a page for a browser, on a loopback port and opens it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use tiny_http::{Header, Method, Request, Response, Server};

use crate::args::whole;
use crate::failure::Failure;
use crate::output::{self, reason};

#[derive(clap::Args)]
#[command(after_help = "\
The page computes in the browser, so what you type does not leave the machine. It is two files, \
the page and, for the PTX view, ptx.js next to it: any server can serve them, and a browser can open the page from a \
folder. The command runs until Ctrl-C.

Examples:
  ptxcvt explorer
  ptxcvt explorer --port 8000 --no-open
  ptxcvt explorer --page target/web/index.html")]
pub struct Args {
    /// The port; 0 chooses a free one
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole(0..=u16::MAX))]
    port: u16,
    /// Serve the page without opening a browser
    #[arg(long)]
    no_open: bool,
    /// Serve this page, and ptx.js next to it, instead of the built-in one
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

/// The page; empty if the binary was built without it.
static PAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page.html"));
/// The page's second file.
static PART: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/ptx.js"));
/// The name of the second file, which is next to the page.
const PART_NAME: &str = "ptx.js";

/// The page must not fetch anything; it loads its second file by a tag. It makes its worker and the picture that it copies
/// as PNG itself, as blobs.
const POLICY: &str = "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:; \
                      style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'";

/// The files that are served.
struct Files {
    page: Vec<u8>,
    /// `None` if it is not next to the page, which says so when it needs the file.
    part: Option<Vec<u8>>,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let files = files(args)?;
    let server = Server::http(("127.0.0.1", args.port))
        .map_err(|e| Failure::new(format!("cannot listen on 127.0.0.1:{}: {e}", args.port)))?;
    let port = server.server_addr().to_ip().map_or(args.port, |address| address.port());
    let address = format!("http://127.0.0.1:{port}/");
    let mut out = output::stdout();
    writeln!(out, "{address}  (Ctrl-C ends)")?;
    out.flush()?;
    drop(out);
    if !args.no_open {
        open(&address);
    }
    for request in server.incoming_requests() {
        // A browser that disconnected needs no answer.
        let _ = answer(request, &files);
    }
    Ok(ExitCode::SUCCESS)
}

fn files(args: &Args) -> Result<Files, Failure> {
    let read = |path: &Path| {
        ptxcvt_files::whole::source_file(path).map_err(|e| Failure::cannot_read(path.display(), reason(&e)))
    };
    match &args.page {
        Some(path) => {
            let part = path.with_file_name(PART_NAME);
            let part = part.exists().then(|| read(&part)).transpose()?;
            Ok(Files { page: read(path)?, part })
        }
        None if PAGE.is_empty() => Err(Failure::new("this ptxcvt was built without the page").with_help(
            "`cargo xtask web` builds it; then `ptxcvt explorer --page target/web/index.html`, or build ptxcvt with \
             PTXCVT_PAGE=target/web/index.html (an absolute path) in the environment",
        )),
        None => Ok(Files { page: PAGE.to_vec(), part: Some(PART.to_vec()) }),
    }
}

fn answer(request: Request, files: &Files) -> std::io::Result<()> {
    let path = request.url().split(['?', '#']).next().expect("a split text has a first part");
    let found = match path {
        "/" | "/index.html" => Some((&files.page, "text/html; charset=utf-8")),
        _ if path.strip_prefix('/') == Some(PART_NAME) => {
            files.part.as_ref().map(|part| (part, "text/javascript; charset=utf-8"))
        }
        _ => None,
    };
    match (request.method(), found) {
        (Method::Get | Method::Head, Some((file, kind))) => {
            let headers =
                [("Content-Type", kind), ("Content-Security-Policy", POLICY), ("Cache-Control", "no-cache")];
            let header = |(name, value)| Header::from_bytes(name, value).expect("these headers are ASCII");
            let headers = headers.map(header).into_iter();
            let response = headers.fold(Response::from_data(&file[..]), Response::with_header);
            request.respond(response)
        }
        (Method::Get | Method::Head, None) => {
            request.respond(Response::from_string("there is one page: /\n").with_status_code(404))
        }
        _ => request.respond(Response::from_string("only GET\n").with_status_code(405)),
    }
}

/// Opens a browser if there is one. The address is printed anyway.
fn open(address: &str) {
    let (program, arguments): (_, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let quiet = || Stdio::null();
    let command = Command::new(program).args(arguments).arg(address).stdout(quiet()).stderr(quiet()).spawn();
    // The browser outlives this command, and a missing one is not an error.
    drop(command);
}
