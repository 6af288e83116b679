//! The legal forms nearest to a spelling.

use super::form::Form;
use super::spelling::Spelling;
use crate::round::Rounding;

impl Spelling<'_> {
    /// The form that differs least from what was written, among those for which `wanted` returns true: fewest changes
    /// of type first, then of rounding and modifiers.
    pub fn nearest(&self, mut wanted: impl FnMut(&Form) -> bool) -> Option<Form> {
        // A wrong type outweighs everything else: a wanted form of the written types is the nearest.
        let same_types = match (self.opcode(), self.meant.types) {
            (Some(opcode), [Some(d), Some(s)]) => {
                Form::of_types(opcode, d, s).filter(&mut wanted).min_by_key(|f| self.distance(f))
            }
            _ => None,
        };
        same_types.or_else(|| self.nearest_few::<1>(wanted).next())
    }

    /// The `N` forms that differ least from what was written, the nearest first, among those for which `wanted`
    /// returns true.
    ///
    /// ```
    /// use ptxcvt::Spelling;
    /// let near: Vec<String> =
    ///     Spelling::new("cvt.rn.e4m3x2.f32").nearest_few::<2>(|_| true).map(|f| f.to_string()).collect();
    /// assert_eq!(near, ["cvt.rn.satfinite.e4m3x2.f32", "cvt.rn.satfinite.relu.e4m3x2.f32"]);
    /// ```
    pub fn nearest_few<const N: usize>(
        &self,
        mut wanted: impl FnMut(&Form) -> bool,
    ) -> impl Iterator<Item = Form> {
        let mut nearest: [Option<((u32, usize), Form)>; N] = [None; N];
        for form in Form::all().filter(|f| self.opcode().is_none_or(|o| o == f.opcode())) {
            let distance = self.distance(&form);
            if nearest[N - 1].is_some_and(|((furthest, _), _)| distance > furthest) {
                continue;
            }
            // Among equally near forms, those that programs use most come first, then the order of the table.
            let distance = (distance, self.rarity(&form));
            let at = nearest.iter().position(|slot| slot.is_none_or(|(d, _)| distance < d));
            if let Some(at) = at.filter(|_| wanted(&form)) {
                nearest[at..].rotate_right(1);
                nearest[at] = Some((distance, form));
            }
        }
        nearest.into_iter().flatten().map(|(_, form)| form)
    }

    /// How rarely programs use the types of `form` that are not written; a type converted to itself is rarest.
    fn rarity(&self, form: &Form) -> usize {
        let types = [(self.meant.types[0], form.destination()), (self.meant.types[1], form.source())];
        let missing =
            types.into_iter().filter(|(written, _)| written.is_none()).map(|(_, ty)| use_rank(ty.name()));
        let same = form.destination() == form.source() && self.meant.types.contains(&None);
        missing.sum::<usize>() + if same { 100 } else { 0 }
    }

    /// The distance of `form` from the spelling.
    pub fn distance(&self, form: &Form) -> u32 {
        // A wrong type outweighs every modifier; a type of the same format or width is a smaller change.
        let types = [(self.meant.types[0], form.destination()), (self.meant.types[1], form.source())];
        let types: u32 = types
            .into_iter()
            .map(|(written, legal)| match written {
                Some(t) if t == legal => 0,
                Some(t) if t.format() == legal.format() => 20,
                Some(t) if t.lanes() == legal.lanes() => 30 + u32::from(t.width() != legal.width()),
                Some(_) => 40,
                None => 10,
            })
            .sum();
        let rounding = match (self.meant.rounding, form.rounding()) {
            (a, b) if a == b => 0,
            // An integer destination truncates like a cast in C.
            (None, Some(Rounding::Rn | Rounding::Rzi)) | (Some(_), None) => 2,
            // One direction under two names, such as `.rz` and `.rzi`.
            (Some(a), Some(b)) if a.is_integer() != b.is_integer() && a.mode(None) == b.mode(None) => 2,
            _ => 3,
        };
        types + rounding + 2 * self.meant.modifiers.symmetric_difference(form.modifiers()).len()
    }
}

/// The place of a rounding or a type among those that programs use most. All others share the last place, so that a stable
/// sort keeps their order.
pub fn use_rank(name: &str) -> usize {
    const USED: [&str; 9] = ["rn", "rz", "rna", "f32", "f16", "bf16", "f16x2", "bf16x2", "e4m3x2"];
    USED.iter().position(|used| *used == name).unwrap_or(USED.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Missing parts are completed with those that programs use most.
    #[test]
    fn unwritten_types_are_common_ones() {
        let nearest = |text| Spelling::new(text).nearest(|_| true).unwrap();
        for (text, form) in
            [("cvt", "cvt.f32.f16"), ("cvt.rn", "cvt.rn.f16.f32"), ("cvt.rz", "cvt.rz.f16.f32")]
        {
            assert_eq!(nearest(text), form.parse().unwrap(), "{text}");
        }
    }
}
