//! The metadata of a quantised file, under keys that begin with `ptxcvt.`.
//!
//! They have everything that [`dequantize`](super::dequantize) needs: the recipe's text with its digest, not
//! only its name, because a user's recipe may change or disappear, and one of the table may differ in another
//! version.

mod keys;
mod read;
mod write;

pub(super) use self::keys::{PREFIX, digest, digests};
pub(super) use self::read::Description;
pub(super) use self::write::{describe, seal};
