//! # ptxcvt-files: arrays and checkpoints in files
//!
//! Reads `.npy`, `.safetensors`, raw files and pipes, converts and quantises their arrays, and writes the
//! result. One [`Writer`] writes every file: the file appears under its name when it is complete; otherwise
//! the old file is unchanged. Devices, pipes and open descriptors are written at their current position.
//!
//! - [`open`] reads a file's header; [`mod@array`] describes the arrays in it; [`reading`] finds out how an
//!   array stores elements of a format.
//! - [`convert`] runs a chain of conversions over arrays, in pieces, on all cores.
//! - [`quantize`] quantises and dequantises the tensors of a file or of a checkpoint.
//!
//! ```
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("out.bin");
//! let mut writer = ptxcvt_files::Writer::create(&path)?;
//! writer.write(b"all or nothing")?;
//! assert!(!path.exists()); // it appears when it is complete
//! writer.finish()?;
//! assert_eq!(std::fs::read(&path)?, b"all or nothing");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

#[cfg(feature = "arrays")]
pub mod array;
#[cfg(feature = "arrays")]
pub mod convert;
mod descriptor;
mod error;
mod folder;
#[cfg(all(test, feature = "arrays"))]
mod fuzz;
pub mod inputs;
pub mod interrupt;
mod leftover;
#[cfg(feature = "arrays")]
pub mod npy;
mod npy_header;
#[cfg(feature = "arrays")]
pub mod open;
#[cfg(feature = "arrays")]
pub mod order;
mod patient;
mod progress;
#[cfg(feature = "arrays")]
pub mod quantize;
#[cfg(feature = "arrays")]
pub mod raw;
#[cfg(feature = "arrays")]
pub mod reading;
mod replaced;
#[cfg(feature = "arrays")]
pub mod safetensors;
#[cfg(feature = "arrays")]
pub mod source;
#[cfg(feature = "arrays")]
mod specials;
pub mod standard;
pub mod whole;
mod writer;

pub use descriptor::is_standard_output;
pub use error::{FileError, reason, without_numbers};
pub use folder::{Folder, create_folder};
pub use npy_header::npy_header;
pub use patient::Patient;
pub use progress::Progress;
pub use ptxcvt::clip;
pub use replaced::{refuse_replacing, refuse_sharing};
#[cfg(feature = "arrays")]
pub use source::Source;
#[cfg(feature = "arrays")]
pub use specials::Specials;
pub use writer::{Writer, is_stream, rewrite, write};
