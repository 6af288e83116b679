//! The conversation: messages in, answers and findings out.
//!
//! One thread does all: an answer takes less than a millisecond, and findings wait until nothing more is on its way, so
//! that only those of the newest version are ever published.

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

/// How long findings wait for more that is being typed.
const QUIET: Duration = Duration::from_millis(5);
/// And how long at most.
const LONGEST: Duration = Duration::from_millis(30);

/// Why a conversation ended otherwise than by `shutdown` and `exit`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// `exit` came without `shutdown`, or the other side is gone.
    Early,
    /// The other side did not keep to the protocol.
    Protocol(String),
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Early => f.write_str("the client went away without `shutdown`"),
            Ended::Protocol(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Ended {}

/// Finds the rules of a file by its path and the editor's settings.
type Settle<'s> = dyn Fn(Option<&Path>, Overrides) -> Settled + 's;

/// Serves a client until it says `exit`.
///
/// # Errors
/// If the conversation ends without `shutdown`, or the other side does not keep to the protocol.
pub fn serve(
    connection: &Connection,
    settle: &dyn Fn(Option<&Path>, Overrides) -> Settled,
) -> Result<(), Ended> {
    let protocol = |error: lsp_server::ProtocolError| Ended::Protocol(error.to_string());
    let (id, params) = connection.initialize_start().map_err(protocol)?;
    let params: InitializeParams = match serde_json::from_value(params) {
        Ok(params) => params,
        Err(error) => {
            let what = format!("`initialize` cannot be read: {error}");
            let answer = Response::new_err(id, ErrorCode::InvalidParams as i32, what.clone());
            let _ = connection.sender.send(answer.into());
            return Err(Ended::Protocol(what));
        }
    };
    let units = capabilities::units(&params.capabilities);
    let result = serde_json::to_value(capabilities::result(units)).unwrap_or_default();
    connection.initialize_finish(id, result).map_err(protocol)?;
    let mut server = Server {
        connection,
        settle,
        units,
        overrides: Overrides::default(),
        documents: HashMap::new(),
        dirty: HashSet::new(),
        since: None,
        complained: HashSet::new(),
        shutdown: false,
    };
    server.configure(&params.initialization_options.unwrap_or_default());
    if capabilities::watches(&params.capabilities) {
        server.watch();
    }
    server.run()
}

struct Server<'c> {
    connection: &'c Connection,
    settle: &'c Settle<'c>,
    units: Units,
    overrides: Overrides,
    /// The open files, by URI.
    documents: HashMap<String, Document>,
    /// Those whose findings are to be published.
    dirty: HashSet<String>,
    /// Since when some are.
    since: Option<Instant>,
    /// What was said to the user once need not be said again.
    complained: HashSet<String>,
    shutdown: bool,
}

impl Server<'_> {
    fn run(&mut self) -> Result<(), Ended> {
        loop {
            let message = match self.since {
                None => self.connection.receiver.recv().map_err(|_| Ended::Early)?,
                Some(since) => {
                    let wait = QUIET.min(LONGEST.saturating_sub(since.elapsed()));
                    match self.connection.receiver.recv_timeout(wait) {
                        Ok(message) => message,
                        Err(error) if error.is_timeout() => {
                            self.publish();
                            continue;
                        }
                        Err(_) => return Err(Ended::Early),
                    }
                }
            };
            match message {
                Message::Request(request) => self.request(request),
                Message::Notification(notification) if notification.method == notify::Exit::METHOD => {
                    return if self.shutdown { Ok(()) } else { Err(Ended::Early) };
                }
                Message::Notification(notification) => self.notification(notification),
                // To what the server asked there is nothing to be done about.
                Message::Response(_) => {}
            }
        }
    }

    fn send(&self, message: impl Into<Message>) {
        // Where nobody listens any more, the next message says so.
        let _ = self.connection.sender.send(message.into());
    }

    fn notify<N: notify::Notification>(&self, params: N::Params)
    where
        N::Params: Serialize,
    {
        self.send(Notification::new(N::METHOD.to_owned(), params));
    }

    /// Tells the user, once.
    fn complain(&mut self, message: String) {
        if self.complained.insert(message.clone()) {
            self.notify::<notify::ShowMessage>(ShowMessageParams { typ: MessageType::ERROR, message });
        }
    }

    // Requests.

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        if self.shutdown {
            let what = "the server was told to shut down".to_owned();
            return self.send(Response::new_err(id, ErrorCode::InvalidRequest as i32, what));
        }
        let answer = match request.method.as_str() {
            ask::Shutdown::METHOD => {
                self.shutdown = true;
                Ok(serde_json::Value::Null)
            }
            ask::HoverRequest::METHOD => self.answer(request, |server, params: HoverParams| {
                let at = params.text_document_position_params;
                server.at(&at.text_document, at.position, hover::hover)
            }),
            ask::Completion::METHOD => self.answer(request, |server, params: CompletionParams| {
                let at = params.text_document_position;
                server.at(&at.text_document, at.position, completion::items)
            }),
            ask::CodeActionRequest::METHOD => self.answer(request, |server, params: CodeActionParams| {
                server.judge(params.text_document.uri.as_str());
                let Some(document) = server.documents.get(params.text_document.uri.as_str()) else {
                    return Ok(Vec::new());
                };
                let range = document.bytes(params.range)?;
                Ok(actions::actions(document, &range, &params.context))
            }),
            other => {
                let what = format!("`{other}` is not among what this server can do");
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
            .map_err(|error| format!("the parameters of `{}` cannot be read: {error}", request.method))?;
        let result = with(self, params)?;
        serde_json::to_value(result).map_err(|error| error.to_string())
    }

    /// Asks a file about a position. Of files that are not open, or of no language that is read, nothing is known.
    fn at<T: Default>(
        &self,
        document: &TextDocumentIdentifier,
        position: Position,
        ask: impl FnOnce(&Document, usize) -> T,
    ) -> Result<T, String> {
        let Some(document) = self.documents.get(document.uri.as_str()) else { return Ok(T::default()) };
        let byte = document.byte(position)?;
        Ok(ask(document, byte))
    }

    // Notifications.

    fn notification(&mut self, notification: Notification) {
        let method = notification.method.clone();
        let outcome = match method.as_str() {
            notify::DidOpenTextDocument::METHOD => self.told(notification, Self::open),
            notify::DidChangeTextDocument::METHOD => self.told(notification, Self::change),
            notify::DidCloseTextDocument::METHOD => self.told(notification, Self::close),
            notify::DidSaveTextDocument::METHOD => {
                self.told(notification, |server, params: DidSaveTextDocumentParams| {
                    server.settle_again(Some(params.text_document.uri.as_str()));
                })
            }
            notify::DidChangeWatchedFiles::METHOD => {
                self.settle_again(None);
                Ok(())
            }
            notify::DidChangeConfiguration::METHOD => {
                self.told(notification, |server, params: DidChangeConfigurationParams| {
                    // Others send the settings of everybody, or nothing at all.
                    if params.settings.get(diagnostics::SOURCE).is_some() {
                        server.configure(&params.settings);
                    }
                    server.settle_again(None);
                })
            }
            // What could be cancelled is answered already. What begins with `$/` may be passed over, and so may what
            // nobody asked for.
            _ => Ok(()),
        };
        if let Err(what) = outcome {
            self.complain(format!("ptxcvt: {method}: {what}"));
        }
    }

    fn told<P: DeserializeOwned>(
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
        self.soil(key);
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let key = params.text_document.uri.as_str().to_owned();
        let Some(document) = self.documents.get_mut(&key) else { return };
        for change in &params.content_changes {
            if let Err(what) = document.change(change) {
                // From here on the text is not the editor's.
                self.forget(&key);
                let what = format!("ptxcvt: an edit could not be followed, for {what}; open the file again");
                self.complained.remove(&what);
                return self.complain(what);
            }
        }
        document.version = params.text_document.version;
        self.soil(key);
    }

    fn close(&mut self, params: DidCloseTextDocumentParams) {
        self.forget(params.text_document.uri.as_str());
    }

    /// Takes a file and its findings away.
    fn forget(&mut self, key: &str) {
        self.dirty.remove(key);
        if let Some(document) = self.documents.remove(key) {
            let params =
                PublishDiagnosticsParams { uri: document.uri, diagnostics: Vec::new(), version: None };
            self.notify::<notify::PublishDiagnostics>(params);
        }
    }

    // Settings.

    /// Takes over what the editor's settings say.
    fn configure(&mut self, value: &serde_json::Value) {
        match capabilities::overrides(value) {
            Ok(overrides) => self.overrides = overrides,
            Err(what) => self.complain(format!("ptxcvt: {what}")),
        }
    }

    /// The rules of a file; none of one that is excluded. Where they cannot be read, everything counts.
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

    /// Reads the settings of one file, or of all, again.
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
                    self.soil(key);
                }
            }
        }
    }

    /// Asks to be told when settings change.
    fn watch(&self) {
        let watcher =
            FileSystemWatcher { glob_pattern: GlobPattern::String("**/ptxcvt.toml".to_owned()), kind: None };
        let options = DidChangeWatchedFilesRegistrationOptions { watchers: vec![watcher] };
        let registration = Registration {
            id: "ptxcvt.toml".to_owned(),
            method: notify::DidChangeWatchedFiles::METHOD.to_owned(),
            register_options: serde_json::to_value(options).ok(),
        };
        let params = RegistrationParams { registrations: vec![registration] };
        let id = "ptxcvt.toml".to_owned().into();
        self.send(Request::new(id, ask::RegisterCapability::METHOD.to_owned(), params));
    }

    // Findings.

    /// What is found in a file is to be published anew.
    fn soil(&mut self, key: String) {
        self.dirty.insert(key);
        self.since.get_or_insert_with(Instant::now);
    }

    /// Brings what is found in a file up to date.
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
