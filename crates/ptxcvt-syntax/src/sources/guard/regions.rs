//! The configurations that read each part of a file, and the names that have a value only in some of them.

use std::ops::Range;

use super::reach::Reach;

/// The configurations that read each part of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Regions {
    /// Where each part begins; all configurations read what is before the first one.
    parts: Vec<(usize, Reach)>,
}

impl Regions {
    /// Begins a part at a place after those of all other parts.
    pub fn begin(&mut self, at: usize, reach: Reach) {
        self.parts.push((at, reach));
    }

    /// The configurations that read a place.
    pub fn at(&self, place: usize) -> Reach {
        let number = self.parts.partition_point(|(at, _)| *at <= place);
        number.checked_sub(1).map_or_else(Reach::all, |number| self.parts[number].1.clone())
    }
}

/// A place that gives a name a value, or a function, for some configurations only.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// The block or the function that knows the value. `None` outside of functions.
    pub within: Option<Range<usize>>,
    pub is_function: bool,
    /// The configurations that compile the place.
    pub reach: Reach,
}

impl Given {
    /// True if the name has the value in some of the configurations `here`, which compile a place, but not in all.
    pub fn differs(&self, place: Option<usize>, here: &Reach) -> bool {
        let is_seen =
            self.within.as_ref().is_none_or(|within| place.is_some_and(|place| within.contains(&place)));
        is_seen && !here.and(&self.reach).is_none() && !here.and(&self.reach.not()).is_none()
    }
}
