//! The uses of a form in a module: their number, and the places of the first ones.

/// Limit on the places of a form that are kept for messages about forms that a target lacks.
pub(crate) const PLACES: usize = 3;

/// The uses of a form in a text; there is at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uses {
    count: u64,
    /// The first bytes of the first uses, in the order of the text. The rest of the array is not used.
    places: [u32; PLACES],
}

impl Uses {
    /// One use, at a place.
    pub(crate) const fn one(place: u32) -> Self {
        Uses { count: 1, places: [place; PLACES] }
    }

    /// How many uses there are.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The first byte of the first use.
    pub const fn first(&self) -> u32 {
        self.places[0]
    }

    /// The first bytes of the first three uses.
    pub fn places(&self) -> &[u32] {
        &self.places[..PLACES.min(self.count as usize)]
    }

    /// Adds other uses.
    pub(crate) fn join(&mut self, other: Uses) {
        let last = self.places[PLACES - 1];
        // Conversions are read in the order of the text, so this is almost always true.
        if self.count < PLACES as u64 || other.first() < last {
            let mut all = [self.places(), other.places()].concat();
            all.sort_unstable();
            self.places.iter_mut().zip(all).for_each(|(kept, place)| *kept = place);
        }
        self.count += other.count;
    }

    /// These uses at other places, for a text that is part of a larger one.
    pub(crate) fn moved(mut self, place: impl Fn(u32) -> u32) -> Self {
        self.places = self.places.map(place);
        self.places[..PLACES.min(self.count as usize)].sort_unstable();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_uses_are_kept_in_the_order_of_the_text() {
        let mut uses = Uses::one(40);
        assert_eq!((uses.count(), uses.first(), uses.places()), (1, 40, &[40][..]));
        for (place, kept) in
            [(50, &[40, 50][..]), (10, &[10, 40, 50]), (20, &[10, 20, 40]), (60, &[10, 20, 40])]
        {
            uses.join(Uses::one(place));
            assert_eq!(uses.places(), kept);
        }
        assert_eq!((uses.count(), uses.first()), (5, 10));
        let moved = uses.moved(|place| 100 - place);
        assert_eq!((moved.count(), moved.places()), (5, &[60, 80, 90][..]));
    }
}
