//! # ptxcvt-site: a page for every form
//!
//! Static pages that are made from the tables: forms, pairs of types, formats, targets, ISA versions, recipes, error codes,
//! and the guides of `docs/`. They need no server; the search is a script over a list of titles. Every fact on them is the
//! answer of the library that the command asks, too.

#![forbid(unsafe_code)]

mod example;
mod form;
mod guide;
mod html;
mod number;
mod page;
mod place;
mod recipe;
mod search;
mod start;

use std::path::Path;

pub use page::{File, Page};
use ptxcvt_conform::state::Evidence;

/// Builds all files of the site from the repository at `root`.
///
/// # Errors
///
/// Fails if a guide or a record cannot be read.
pub fn build(root: &Path) -> Result<Vec<File>, String> {
    let evidence = Evidence::read(root)?;
    let mut pages = Vec::new();
    pages.extend(ptxcvt::Form::all().map(|form| form::page(&form, &evidence)));
    pages.extend(number::pages());
    pages.extend(place::pages());
    pages.extend(recipe::pages());
    pages.extend(guide::pages(root)?);
    pages.push(start::page(&pages));
    let mut files: Vec<File> = pages.iter().map(Page::file).collect();
    files.push(search::script(&pages));
    files.push(page::style());
    Ok(files)
}
