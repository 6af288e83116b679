//! The operand list of a form, written as in PTX.
//!
//! The syntax lines of PTX ISA sections 9.7.9.21 and 9.7.9.22.

use core::fmt;

use super::form::Form;
use super::operand::Operand;

impl Form {
    /// The operand list with the manual's names.
    ///
    /// ```
    /// use ptxcvt::Form;
    /// let form: Form = "cvt.rs.satfinite.e4m3x4.f32".parse()?;
    /// assert_eq!(form.syntax().to_string(), "d, {a, b, e, f}, rbits");
    /// # Ok::<(), ptxcvt::forms::Refusal>(())
    /// ```
    pub fn syntax(&self) -> impl fmt::Display + use<> {
        self.syntax_with(|_, operand| operand.role.name())
    }

    /// The syntax line of the manual that the form belongs to, with the modifiers that later versions added.
    ///
    /// ```
    /// use ptxcvt::Form;
    /// let form: Form = "cvt.rs.satfinite.e4m3x4.f32".parse()?;
    /// assert_eq!(form.manual_line(), "cvt.rs{.relu}.satfinite.f8x4type.f32 d, {a, b, e, f}, rbits;");
    /// # Ok::<(), ptxcvt::forms::Refusal>(())
    /// ```
    pub fn manual_line(&self) -> &'static str {
        self.row().line
    }

    /// The operand list with names from `name`, which is called with the operand and its place in
    /// [`operands`](Self::operands).
    ///
    /// ```
    /// use ptxcvt::Form;
    /// let form: Form = "cvt.rs.satfinite.e4m3x4.f32".parse()?;
    /// let line = form.syntax_with(|at, _| format!("%r{at}"));
    /// assert_eq!(line.to_string(), "%r0, {%r1, %r2, %r3, %r4}, %r5");
    /// # Ok::<(), ptxcvt::forms::Refusal>(())
    /// ```
    pub fn syntax_with<N, T>(&self, name: N) -> impl fmt::Display + use<N, T>
    where
        N: Fn(usize, &Operand) -> T,
        T: fmt::Display,
    {
        Syntax { form: *self, name }
    }
}

/// A form's operands with their names, as [`Form::syntax_with`] writes them.
struct Syntax<N> {
    form: Form,
    name: N,
}

impl<N, T> fmt::Display for Syntax<N>
where
    N: Fn(usize, &Operand) -> T,
    T: fmt::Display,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut inside = false;
        for (at, operand) in self.form.operands().enumerate() {
            match (inside, operand.in_vector) {
                (true, false) => f.write_str("}, ")?,
                (false, true) => f.write_str(", {")?,
                _ if at > 0 => f.write_str(", ")?,
                _ => {}
            }
            inside = operand.in_vector;
            write!(f, "{}", (self.name)(at, &operand))?;
        }
        if inside { f.write_str("}") } else { Ok(()) }
    }
}
