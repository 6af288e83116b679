//! Rows for forms that are known from the manual only: no assembler accepts them yet.
//!
//! They have the columns of `rows.rs`, and their forms are listed, legal and evaluated like any other. They
//! are marked by [`Form::is_announced`](super::Form::is_announced), and checks against assemblers skip them.
//! Once an assembler accepts a form, its row moves to `rows.rs`; docs/add-a-form.md describes how.

#![allow(unused_imports, reason = "the table may be empty")]

use super::gates::*;
use super::modifier::Modifier::*;
use super::row::Registers::{Exact, Relaxed};
use super::row::Shape::{One, Two, TwoAndRest, Vector};
use super::row::{Row, rows};
use super::sets::*;

#[rustfmt::skip]
pub(super) const ANNOUNCED: &[Row] = rows! {
};
