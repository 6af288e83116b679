//! The conversation with an editor: requests are answered, findings are published.
//!
//! One thread does everything. An answer takes less than a millisecond. Findings wait until no further message is
//! pending, so only those of the newest version are published.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use lsp_types::notification::{self as notify, Notification as _};
use lsp_types::request::{self as ask, Request as _};
use lsp_types::{
    CodeActionParams, CompletionParams, DidChangeConfigurationParams, DidChangeTextDocumentParams,
    DidChangeWatchedFilesRegistrationOptions, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, FileSystemWatcher, GlobPattern, HoverParams, InitializeParams, MessageType,
    Position, PublishDiagnosticsParams, Registration, RegistrationParams, ShowMessageParams,
    TextDocumentIdentifier,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::document::{self, Document};
use crate::lines::Units;
use crate::rules::{Overrides, Rules, Settled};
use crate::{actions, capabilities, completion, diagnostics, hover};

/// How long findings wait for further edits.
const QUIET: Duration = Duration::from_millis(5);
/// The longest time that findings wait.
const LONGEST: Duration = Duration::from_millis(30);
/// How many different messages the user is shown.
const MAX_COMPLAINTS: usize = 50;

/// Why a conversation ended other than by `shutdown` and `exit`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// The client sent `exit` without `shutdown`, or its messages ended.
    Early,
    /// The client's messages ended after `shutdown`, without `exit`.
    NoExit,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ended::Early => "the client went away without `shutdown`",
            Ended::NoExit => "the client went away after `shutdown`, without `exit`",
        })
    }
}

impl std::error::Error for Ended {}

/// Finds the rules of a file from its path and the editor's settings.
type Settle<'s> = dyn Fn(Option<&Path>, Overrides) -> Settled + 's;

/// Serves a client until it sends `exit`.
///
/// # Errors
/// If the client sends `exit` without `shutdown`, or its messages end without `exit`.
pub fn serve(
    connection: &Connection,
    settle: &dyn Fn(Option<&Path>, Overrides) -> Settled,
) -> Result<(), Ended> {
    let (params, units) = initialize(connection)?;
    let mut server = Server {
        connection,
        settle,
        units,
        watches: capabilities::watches(&params.capabilities),
        overrides: Overrides::default(),
        documents: HashMap::new(),
        dirty: HashSet::new(),
        since: None,
        complained: HashSet::new(),
        shutdown: false,
    };
    server.configure(&params.initialization_options.unwrap_or_default());
    server.run()
}

/// Waits for a valid `initialize` and answers it. Other requests are refused until then.
fn initialize(connection: &Connection) -> Result<(InitializeParams, Units), Ended> {
    loop {
        let request = match connection.receiver.recv().map_err(|_| Ended::Early)? {
            Message::Request(request) => request,
            Message::Notification(notification) if notification.method == notify::Exit::METHOD => {
                return Err(Ended::Early);
            }
            Message::Notification(_) | Message::Response(_) => continue,
        };
        let (code, message) = if request.method == ask::Initialize::METHOD {
            match serde_json::from_value::<InitializeParams>(request.params) {
                Ok(params) => {
                    let units = capabilities::units(&params.capabilities);
                    let result = Response::new_ok(request.id, capabilities::result(units));
                    // If the client is gone, the next `recv` fails.
                    let _ = connection.sender.send(result.into());
                    return Ok((params, units));
                }
                Err(error) => {
                    (ErrorCode::InvalidParams, format!("invalid parameters of `initialize`: {error}"))
                }
            }
        } else {
            (ErrorCode::ServerNotInitialized, "the first request must be `initialize`".to_owned())
        };
        let _ = connection.sender.send(Response::new_err(request.id, code as i32, message).into());
    }
}

struct Server<'c> {
    connection: &'c Connection,
    settle: &'c Settle<'c>,
    units: Units,
    /// The client can report changes of settings files.
    watches: bool,
    overrides: Overrides,
    /// The open files by URI.
    documents: HashMap<String, Document>,
    /// The URIs of files whose findings have to be published.
    dirty: HashSet<String>,
    /// When the first of them changed.
    since: Option<Instant>,
    /// The messages shown to the user; each is shown once.
    complained: HashSet<String>,
    shutdown: bool,
}

impl Server<'_> {
    fn run(&mut self) -> Result<(), Ended> {
        loop {
            let message = match self.since {
                None => self.connection.receiver.recv().map_err(|_| self.ended())?,
                Some(since) => {
                    let wait = QUIET.min(LONGEST.saturating_sub(since.elapsed()));
                    match self.connection.receiver.recv_timeout(wait) {
                        Ok(message) => message,
                        Err(error) if error.is_timeout() => {
                            self.publish();
                            continue;
                        }
                        Err(_) => return Err(self.ended()),
                    }
                }
            };
            match message {
                Message::Request(request) => self.request(request),
                Message::Notification(notification) if notification.method == notify::Exit::METHOD => {
                    return if self.shutdown { Ok(()) } else { Err(Ended::Early) };
                }
                Message::Notification(notification) => self.notification(notification),
                // The server needs no answer to its own requests.
                Message::Response(_) => {}
            }
        }
    }

    /// Why the conversation ended if there is no further message.
    fn ended(&self) -> Ended {
        if self.shutdown { Ended::NoExit } else { Ended::Early }
    }

    fn send(&self, message: impl Into<Message>) {
        // If the client is gone, the next `recv` fails.
        let _ = self.connection.sender.send(message.into());
    }

    fn notify<N: notify::Notification>(&self, params: N::Params)
    where
        N::Params: Serialize,
    {
        self.send(Notification::new(N::METHOD.to_owned(), params));
    }

    /// Shows the user a message, once.
    fn complain(&mut self, message: String) {
        if self.complained.len() < MAX_COMPLAINTS && self.complained.insert(message.clone()) {
            self.notify::<notify::ShowMessage>(ShowMessageParams { typ: MessageType::ERROR, message });
        }
    }

    // Requests.

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        if self.shutdown {
            let what = "no request is valid after `shutdown`".to_owned();
            return self.send(Response::new_err(id, ErrorCode::InvalidRequest as i32, what));
        }
        let answer = match request.method.as_str() {
            ask::Initialize::METHOD => {
                let what = "`initialize` was sent before".to_owned();
                return self.send(Response::new_err(id, ErrorCode::InvalidRequest as i32, what));
            }
            ask::Shutdown::METHOD => {
                self.shutdown = true;
                Ok(serde_json::Value::Null)
            }
            ask::HoverRequest::METHOD => self.answer(request, |server, params: HoverParams| {
                let at = params.text_document_position_params;
                Ok(server.at(&at.text_document, at.position, hover::hover))
            }),
            ask::Completion::METHOD => self.answer(request, |server, params: CompletionParams| {
                let at = params.text_document_position;
                Ok(server.at(&at.text_document, at.position, completion::items))
            }),
            ask::CodeActionRequest::METHOD => self.answer(request, |server, params: CodeActionParams| {
                server.judge(params.text_document.uri.as_str());
                let Some(document) = server.documents.get(params.text_document.uri.as_str()) else {
                    return Ok(Vec::new());
                };
                let range = document.bytes(params.range);
                Ok(actions::actions(document, &range, &params.context))
            }),
            other => {
                let what = format!("unsupported request `{other}`");
                return self.send(Response::new_err(id, ErrorCode::MethodNotFound as i32, what));
            }
        };
        self.send(match answer {
            Ok(value) => Response::new_ok(id, value),
            Err(what) => Response::new_err(id, ErrorCode::InvalidParams as i32, what),
        });
    }

    fn answer<P: DeserializeOwned, R: Serialize>(
        &mut self,
        request: Request,
        with: impl FnOnce(&mut Self, P) -> Result<R, String>,
    ) -> Result<serde_json::Value, String> {
        let params = serde_json::from_value(request.params)
            .map_err(|error| format!("invalid parameters of `{}`: {error}", request.method))?;
        let result = with(self, params)?;
        serde_json::to_value(result).map_err(|error| error.to_string())
    }

    /// Calls `ask` with a file and the byte at a position. The default if the file is not open or its language is not
    /// read.
    fn at<T: Default>(
        &mut self,
        document: &TextDocumentIdentifier,
        position: Position,
        ask: impl FnOnce(&Document, usize) -> T,
    ) -> T {
        let Some(document) = self.documents.get_mut(document.uri.as_str()) else { return T::default() };
        document.refresh();
        ask(document, document.byte(position))
    }

    // Notifications.

    fn notification(&mut self, notification: Notification) {
        let method = notification.method.clone();
        let outcome = match method.as_str() {
            notify::Initialized::METHOD => {
                if std::mem::take(&mut self.watches) {
                    self.watch();
                }
                Ok(())
            }
            notify::DidOpenTextDocument::METHOD => self.read(notification, Self::open),
            notify::DidChangeTextDocument::METHOD => self.read(notification, Self::change),
            notify::DidCloseTextDocument::METHOD => self.read(notification, Self::close),
            notify::DidSaveTextDocument::METHOD => {
                self.read(notification, |server, params: DidSaveTextDocumentParams| {
                    server.settle_again(Some(params.text_document.uri.as_str()));
                })
            }
            notify::DidChangeWatchedFiles::METHOD => {
                self.settle_again(None);
                Ok(())
            }
            notify::DidChangeConfiguration::METHOD => {
                self.read(notification, |server, params: DidChangeConfigurationParams| {
                    // Some editors send the settings of all servers, some send none.
                    if params.settings.get(diagnostics::SOURCE).is_some() {
                        server.configure(&params.settings);
                    }
                    server.settle_again(None);
                })
            }
            // The protocol allows to ignore other notifications. `$/cancelRequest` comes after the answer.
            _ => Ok(()),
        };
        if let Err(what) = outcome {
            self.complain(format!("ptxcvt: {method}: {what}"));
        }
    }

    fn read<P: DeserializeOwned>(
        &mut self,
        notification: Notification,
        with: impl FnOnce(&mut Self, P),
    ) -> Result<(), String> {
        let params = serde_json::from_value(notification.params).map_err(|error| error.to_string())?;
        with(self, params);
        Ok(())
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) {
        let file = params.text_document;
        let path = document::path(&file.uri);
        let Some(language) = document::language(path.as_deref(), &file.language_id) else { return };
        let Some((rules, options)) = self.rules(path) else { return };
        let key = file.uri.as_str().to_owned();
        let about = (file.version, language);
        let document = Document::new(file.uri, about, file.text, (rules, options), self.units);
        self.documents.insert(key.clone(), document);
        self.mark(key);
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let key = params.text_document.uri.as_str().to_owned();
        let Some(document) = self.documents.get_mut(&key) else { return };
        for change in &params.content_changes {
            if let Err(what) = document.change(change) {
                self.forget(&key);
                return self.complain(format!("ptxcvt: {key}: {what}"));
            }
        }
        document.version = params.text_document.version;
        self.mark(key);
    }

    fn close(&mut self, params: DidCloseTextDocumentParams) {
        self.forget(params.text_document.uri.as_str());
    }

    /// Closes a file and removes its findings.
    fn forget(&mut self, key: &str) {
        self.dirty.remove(key);
        if let Some(document) = self.documents.remove(key) {
            let params =
                PublishDiagnosticsParams { uri: document.uri, diagnostics: Vec::new(), version: None };
            self.notify::<notify::PublishDiagnostics>(params);
        }
    }

    // Settings.

    /// Applies the editor's settings.
    fn configure(&mut self, value: &serde_json::Value) {
        match capabilities::overrides(value) {
            Ok(overrides) => self.overrides = overrides,
            Err(what) => self.complain(format!("ptxcvt: {what}")),
        }
    }

    /// The rules of a file, or `None` if it is excluded. If the settings cannot be read, every finding counts.
    fn rules(&mut self, path: Option<PathBuf>) -> Option<(Box<dyn Rules>, ptxcvt_syntax::CheckOptions)> {
        let rules = (self.settle)(path.as_deref(), self.overrides).unwrap_or_else(|what| {
            self.complain(format!("ptxcvt: {what}"));
            Box::new(self.overrides)
        });
        if path.is_some_and(|path| rules.excludes(&path)) {
            return None;
        }
        let options = rules.options();
        Some((rules, options))
    }

    /// Reads the settings of one file, or of all files, again.
    fn settle_again(&mut self, only: Option<&str>) {
        let keys: Vec<String> = match only {
            Some(key) => vec![key.to_owned()],
            None => self.documents.keys().cloned().collect(),
        };
        for key in keys {
            let Some(path) = self.documents.get(&key).map(|document| document::path(&document.uri)) else {
                continue;
            };
            match self.rules(path) {
                None => self.forget(&key),
                Some((rules, options)) => {
                    if let Some(document) = self.documents.get_mut(&key) {
                        document.rule(rules, options);
                    }
                    self.mark(key);
                }
            }
        }
    }

    /// Asks the client to report changes of settings files.
    fn watch(&self) {
        let watcher =
            FileSystemWatcher { glob_pattern: GlobPattern::String("**/ptxcvt.toml".to_owned()), kind: None };
        let options = DidChangeWatchedFilesRegistrationOptions { watchers: vec![watcher] };
        let registration = Registration {
            id: "ptxcvt.toml".to_owned(),
            method: notify::DidChangeWatchedFiles::METHOD.to_owned(),
            register_options: Some(serde_json::to_value(options).expect("the options are text")),
        };
        let params = RegistrationParams { registrations: vec![registration] };
        let id = "ptxcvt.toml".to_owned().into();
        self.send(Request::new(id, ask::RegisterCapability::METHOD.to_owned(), params));
    }

    // Findings.

    /// Marks a file whose findings have to be published.
    fn mark(&mut self, key: String) {
        self.dirty.insert(key);
        self.since.get_or_insert_with(Instant::now);
    }

    /// Checks and publishes a file if it was marked.
    fn judge(&mut self, key: &str) {
        if self.dirty.remove(key) {
            if let Some(document) = self.documents.get_mut(key) {
                document.judge();
                let params = diagnostics::published(document);
                self.notify::<notify::PublishDiagnostics>(params);
            }
        }
    }

    fn publish(&mut self) {
        self.since = None;
        let keys: Vec<String> = self.dirty.iter().cloned().collect();
        keys.iter().for_each(|key| self.judge(key));
    }
}
