//! Messages over a stream of bytes: `Content-Length` headers and JSON.
//!
//! LSP 3.17, "Base Protocol". No input ends the server. It answers these with an error, and continues at the next
//! header:
//!
//! - a length that is invalid or too large, and two different lengths;
//! - a body that is not JSON;
//! - JSON that is not a message.

use std::borrow::Cow;
use std::io::{self, BufRead, Read as _, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crossbeam_channel::{Sender, bounded};
use lsp_server::{Connection, ErrorCode, Message, Notification};
use lsp_types::notification::{Exit, Notification as _};
use serde_json::{Value, json};

use crate::rules::{Overrides, Settled};
use crate::server::{Ended, serve};

/// The longest message in bytes. An editor sends a file as one message, so this also limits the files.
const MAX_BODY: u64 = 256 << 20;
/// The most bytes of a header line that are read at once. A longer line is read in several pieces.
const MAX_HEADER: u64 = 4096;
/// How many messages may wait in each direction before the sender has to wait.
const QUEUE: usize = 64;

/// Serves a client over two streams, as [`serve`] does over a connection.
///
/// ```
/// let message = br#"{"jsonrpc":"2.0","method":"exit"}"#;
/// let input = [format!("Content-Length: {}\r\n\r\n", message.len()).as_bytes(), message].concat();
/// let ended = ptxcvt_lsp::serve_streams(&input[..], Vec::new(), &|_, overrides| Ok(Box::new(overrides)));
/// assert_eq!(ended, Err(ptxcvt_lsp::Ended::Early), "`exit` without `shutdown`");
/// ```
///
/// # Errors
/// If the client sends `exit` without `shutdown`, or the input ends without `exit`.
pub fn serve_streams(
    input: impl BufRead + Send,
    output: impl Write + Send,
    settle: &dyn Fn(Option<&Path>, Overrides) -> Settled,
) -> Result<(), Ended> {
    let output = Mutex::new(output);
    let (to_server, receiver) = bounded(QUEUE);
    let (sender, to_client) = bounded::<Message>(QUEUE);
    let connection = Connection { sender, receiver };
    std::thread::scope(|scope| {
        let output = &output;
        scope.spawn(move || read_all(input, &to_server, output));
        scope.spawn(move || {
            for message in to_client {
                if send(output, |out| message.write(out)).is_err() {
                    break;
                }
            }
        });
        let ended = serve(&connection, settle);
        drop(connection);
        ended
    })
}

/// Passes messages on until `exit`, the end of the input, or the end of the server.
fn read_all(input: impl BufRead, server: &Sender<Message>, output: &Mutex<impl Write>) {
    let mut frames = Frames { input };
    while let Ok(Some(frame)) = frames.next() {
        match frame {
            Frame::Message(message) => {
                let exit = matches!(&message, Message::Notification(Notification { method, .. }) if method == Exit::METHOD);
                if server.send(message).is_err() || exit {
                    return;
                }
            }
            Frame::Invalid { code, id, message } => {
                let error = json!({ "code": code as i32, "message": message });
                let answer = json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string();
                let written =
                    send(output, |out| write!(out, "Content-Length: {}\r\n\r\n{answer}", answer.len()));
                if written.is_err() {
                    return;
                }
            }
        }
    }
}

fn send<W: Write>(output: &Mutex<W>, write: impl FnOnce(&mut W) -> io::Result<()>) -> io::Result<()> {
    let mut out = output.lock().unwrap_or_else(PoisonError::into_inner);
    write(&mut out)?;
    out.flush()
}

/// An item of the input.
enum Frame {
    Message(Message),
    /// Anything else, with the error that answers it; `id` is null unless the request's id is known.
    Invalid {
        code: ErrorCode,
        id: Value,
        message: String,
    },
}

impl Frame {
    fn parse_error(message: String) -> Self {
        Frame::Invalid { code: ErrorCode::ParseError, id: Value::Null, message }
    }

    /// The message in a body.
    fn from_body(body: &[u8]) -> Self {
        let value = match json_of(body) {
            Ok(value) => value,
            Err(error) => return Frame::parse_error(format!("the message is not valid JSON: {error}")),
        };
        let id = value.get("id").cloned();
        match (serde_json::from_value(value), id) {
            // A message with an id is not a notification, even if the id is not one that requests can have.
            (Ok(message), None) => Frame::Message(message),
            (Ok(message @ (Message::Request(_) | Message::Response(_))), _) => Frame::Message(message),
            (_, id) => Frame::Invalid {
                code: ErrorCode::InvalidRequest,
                id: id.filter(|id| id.is_i64() || id.is_string()).unwrap_or_default(),
                message: "the JSON is not a request, response or notification".to_owned(),
            },
        }
    }
}

/// The JSON in the body of a message. Half of a character, which an editor may send, is U+FFFD.
///
/// # Errors
///
/// Fails if the body is not JSON.
pub fn json_of(body: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(&whole_characters(body))
}

/// The body with U+FFFD in place of every half of a character. JavaScript's texts may have single halves of UTF-16's
/// pairs, and its JSON has them as escapes; a reader that refuses the whole message would lose an edit.
fn whole_characters(body: &[u8]) -> Cow<'_, [u8]> {
    const REPLACEMENT: &[u8; 6] = b"\\ufffd";
    let mut whole = Cow::Borrowed(body);
    let mut at = 0;
    while at + 1 < body.len() {
        at += match (half(&body[at..]), half(body.get(at + 6..).unwrap_or_default())) {
            (Some(Half::First), Some(Half::Second)) => 12,
            (Some(_), _) => {
                whole.to_mut()[at..at + 6].copy_from_slice(REPLACEMENT);
                6
            }
            // Another escape, such as that of a backslash.
            (None, _) if body[at] == b'\\' => 2,
            (None, _) => 1,
        };
    }
    whole
}

/// Which code unit of a pair an escape is.
enum Half {
    First,
    Second,
}

/// The half that the text begins with: `\ud800` to `\udfff`.
fn half(text: &[u8]) -> Option<Half> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    let unit = u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    match unit {
        0xd800..0xdc00 => Some(Half::First),
        0xdc00..0xe000 => Some(Half::Second),
        _ => None,
    }
}

struct Frames<R> {
    input: R,
}

impl<R: BufRead> Frames<R> {
    /// The next message or error; `None` at the end of the input.
    fn next(&mut self) -> io::Result<Option<Frame>> {
        let mut length = None;
        loop {
            let mut line = Vec::new();
            if self.input.by_ref().take(MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
                return Ok(None);
            }
            if let Some(value) = content_length(&line) {
                match length_in(value, length) {
                    Ok(number) => length = Some(number),
                    Err(message) => return Ok(Some(Frame::parse_error(message))),
                }
            } else if let (true, Some(length)) = (line.trim_ascii().is_empty(), length) {
                let mut body = Vec::new();
                self.input.by_ref().take(length).read_to_end(&mut body)?;
                let whole = body.len() as u64 == length;
                return Ok(whole.then(|| Frame::from_body(&body)));
            }
            // Other headers are skipped, and so is the text after an invalid one.
        }
    }
}

/// The length in a header's value. It has to equal the length in the message's `earlier` header, if any.
fn length_in(value: &[u8], earlier: Option<u64>) -> Result<u64, String> {
    let text = String::from_utf8_lossy(value.trim_ascii());
    let Ok(number) = text.parse() else {
        return Err(format!("invalid `Content-Length: {text}`: expected a number of bytes"));
    };
    if number > MAX_BODY {
        return Err(format!("`Content-Length: {text}` is too long: expected at most {MAX_BODY} bytes"));
    }
    match earlier {
        // Neither length can be trusted: the wrong one would swallow the next message.
        Some(other) if other != number => Err(format!(
            "contradictory `Content-Length: {other}` and `Content-Length: {number}`: expected one"
        )),
        _ => Ok(number),
    }
}

/// The value of `Content-Length` in a line. After an invalid message the header may follow a body on the same line.
fn content_length(line: &[u8]) -> Option<&[u8]> {
    const NAME: &[u8] = b"content-length:";
    let at = line.windows(NAME.len()).rposition(|window| window.eq_ignore_ascii_case(NAME))?;
    Some(&line[at + NAME.len()..])
}
