//! An open bracket of a text, and what its statement says so far.

/// An open bracket.
pub(super) struct Bracket<'s> {
    pub(super) byte: u8,
    /// The token before it.
    pub(super) before: &'s str,
    /// True for the block of a class.
    pub(super) is_class: bool,
    /// True for the names of `auto [a, b] = …`.
    pub(super) is_binding: bool,
    /// True if the brackets are part of a declaration or an expression, not a block of statements.
    pub(super) is_value: bool,
    /// The names in the brackets to which the statement may give a value.
    pub(super) given: Vec<&'s str>,
    /// The last name that `[` follows.
    pub(super) last: &'s str,
    /// True after the `[…]` of a lambda, whose block follows.
    pub(super) is_lambda: bool,
}

impl<'s> Bracket<'s> {
    /// Ends a statement in the brackets.
    pub(super) fn end(&mut self) {
        (self.given, self.last, self.is_lambda) = (Vec::new(), "", false);
    }

    pub(super) fn new(byte: u8, before: &'s str) -> Bracket<'s> {
        let (is_class, is_binding, is_value) = (false, false, false);
        Bracket {
            byte,
            before,
            is_class,
            is_binding,
            is_value,
            given: Vec::new(),
            last: "",
            is_lambda: false,
        }
    }
}
