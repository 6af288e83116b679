//! # ptxcvt-lsp: a language server for PTX number conversions
//!
//! Shows in an editor what [`ptxcvt_syntax`] finds in PTX modules, and in the inline assembly of CUDA C++, Python, Rust,
//! LLVM IR, MLIR and notebooks. Offers the fixes, explains forms, and completes opcodes. The protocol is LSP 3.17.
//!
//! [`serve_streams`] runs over standard input and output, [`serve`] over a connection. The settings of a project come
//! from [`Rules`].
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

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

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
mod transport;

pub use rules::{Overrides, Rules, Settled};
pub use server::{Ended, serve};
pub use transport::{json_of, serve_streams};
