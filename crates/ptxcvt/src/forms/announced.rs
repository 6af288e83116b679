//! Rows for forms that are known from the manual only: no assembler takes them yet.
//!
//! They are written like those of `rows.rs` and mean the same: their forms are listed, legal and evaluated like any
//! other, but are marked ([`Form::is_announced`](super::Form::is_announced)), and that no assembler has confirmed them
//! is no failure. Once one does, the row moves to `rows.rs`; docs/add-a-form.md says how.

#![allow(unused_imports, reason = "the table may be empty")]

use super::gates::*;
use super::modifier::Modifier::*;
use super::row::Registers::{Exact, Relaxed};
use super::row::Row;
use super::row::Shape::{One, Two, TwoAndRest, Vector};
use super::sets::*;

#[rustfmt::skip]
pub(super) const ANNOUNCED: &[Row] = &[
];
