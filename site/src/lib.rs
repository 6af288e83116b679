//! # ptxcvt-site: a page for every form
//!
//! Static pages made from the tables: forms, pairs of types, formats, targets, ISA versions, recipes, error codes, and
//! the guides of `docs/`. They need no server; the search is a script over titles and text. Every fact comes from the
//! library behind the command.

#![forbid(unsafe_code)]

mod example;
mod form;
mod gpu;
mod guide;
mod html;
mod number;
mod page;
mod pair;
mod path;
mod place;
mod recipe;
mod search;
mod start;

use std::path::Path;

pub use page::{EXPLORER_PART, File, Page, previews};
use ptxcvt_conform::state::Evidence;

/// Builds all files of the site from the repository at `root`. With the explorer's page, the site contains it, and
/// pages of forms lead to it.
///
/// # Errors
///
/// Fails if a guide or a record cannot be read.
pub fn build(root: &Path, explorer: Option<String>) -> Result<Vec<File>, String> {
    let evidence = Evidence::read(root).map_err(|error| error.to_string())?;
    let mut pages = Vec::new();
    let has_explorer = explorer.is_some();
    pages.extend(ptxcvt::Form::all().map(|form| form::page(&form, &evidence, has_explorer)));
    pages.extend(number::pages());
    let pairs = pair::pairs();
    pages.extend(pair::pages(&pairs));
    pages.extend(place::pages(&pairs));
    pages.extend(recipe::pages());
    let (guides, sections) = guide::pages(root)?;
    pages.extend(guides);
    pages.push(start::page(&pages));
    let mut files: Vec<File> = pages.iter().map(|page| page.file(has_explorer)).collect();
    files.push(search::script(&pages, &sections, has_explorer));
    files.push(page::style());
    let explorer = explorer.map(|page| linked(&page)).transpose()?;
    files.extend(explorer.map(|contents| File { path: page::EXPLORER.to_owned(), contents }));
    Ok(files)
}

/// The explorer's page as a page of the site: it links to its neighbours. A page that is alone has no such links.
fn linked(explorer: &str) -> Result<String, String> {
    let attribute = " data-site=\"";
    let rest =
        explorer.split_once(attribute).and_then(|(before, rest)| Some((before, rest.split_once('"')?.1)));
    let (before, after) = rest.ok_or("the explorer's page does not say where the site is")?;
    Ok(format!("{before}{attribute}.\"{after}"))
}
