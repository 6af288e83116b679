//! Constants that several classes or namespaces have.
//!
//! ISO C++, "Unqualified name lookup": a member function sees all members of its class and of the bases, and a namespace
//! what its other blocks have, whatever is before the use in the text.

use std::collections::{HashMap, HashSet};

use super::super::guard::Homonyms;
use super::state::{Home, Reader};
use crate::identifier::names;

impl<'s> Reader<'s> {
    /// Records that a name is a constant in the innermost block, unless that is the block of a function.
    pub(super) fn home(&mut self, name: &'s str, value: Option<&str>) {
        if self.is_in_function() {
            return;
        }
        let is_class = self.inside().is_some_and(|inside| inside.is_class);
        let (start, value) = (self.starts.last().copied(), value.unwrap_or_default().to_owned());
        self.homes.entry(name).or_default().push(Home { start, is_class, value });
    }
}

/// The names that have different values in several blocks. `followed` are names that may have several values themselves.
pub(super) fn homonyms(
    homes: HashMap<&str, Vec<Home>>,
    followed: &HashSet<&str>,
) -> HashMap<String, Homonyms> {
    let several = homes.into_iter().filter(|(_, all)| {
        let is_other = |home: &Home| {
            home.value != all[0].value || names(&home.value).any(|name| followed.contains(name))
        };
        all.iter().any(|home| home.start != all[0].start) && all.iter().any(is_other)
    });
    let all = several.map(|(name, all)| {
        let blocks = |is_class| {
            let of_kind = all.iter().filter(move |home: &&Home| home.is_class == is_class);
            let starts: HashSet<usize> = of_kind.filter_map(|home| home.start).collect();
            starts
        };
        let homonyms =
            Homonyms { classes: blocks(true).into_iter().collect(), namespaces: blocks(false).len() };
        (name.to_owned(), homonyms)
    });
    all.collect()
}
