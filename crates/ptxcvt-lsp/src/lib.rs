//! # ptxcvt-lsp: a language server for PTX number conversions
//!
//! Tells an editor, as one types, what [`ptxcvt_syntax`] finds in modules of PTX and in the inline assembly of CUDA C++,
//! Python and LLVM IR; offers its fixes, explains forms, and completes opcodes. The protocol is LSP 3.17.
//!
//! [`serve`] runs over a connection. What it cannot know, such as the settings of a project, it asks of [`Rules`].
//!
//! ```
//! use lsp_server::{Connection, Message, Notification, Request};
//! let (client, server) = Connection::memory();
//! let thread = std::thread::spawn(move || ptxcvt_lsp::serve(&server, &|_, overrides| Ok(Box::new(overrides))));
//! let send = |message: Message| client.sender.send(message).unwrap();
//! send(Request::new(1.into(), "initialize".into(), serde_json::json!({ "capabilities": {} })).into());
//! let Message::Response(response) = client.receiver.recv().unwrap() else { panic!() };
//! assert_eq!(response.response_result.unwrap()["serverInfo"]["name"], "ptxcvt");
//! send(Notification::new("initialized".into(), serde_json::json!({})).into());
//! send(Request::new(2.into(), "shutdown".into(), ()).into());
//! send(Notification::new("exit".into(), ()).into());
//! assert_eq!(thread.join().unwrap(), Ok(()));
//! ```

mod actions;
mod capabilities;
mod completion;
mod diagnostics;
mod document;
mod hover;
mod lines;
mod opcode;
mod rules;
mod server;
mod words;

pub use rules::{Overrides, Rules, Settled};
pub use server::{Ended, serve};
