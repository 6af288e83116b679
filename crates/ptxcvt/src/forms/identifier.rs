//! Names of forms and operands as identifiers of programming languages.

use super::form::Form;
use super::operand::Role;

impl Role {
    /// The manual's name with `_` for `-`, an identifier in every language: `scale_factor`.
    pub const fn identifier(self) -> &'static str {
        match self {
            Role::ScaleFactor => "scale_factor",
            // The other names have letters only.
            _ => self.name(),
        }
    }
}

impl Form {
    /// The opcode with `_` for `.` and `::`, an identifier in every language.
    ///
    /// ```
    /// let form: ptxcvt::Form = "cvt.rn.scaled::n2::ue8m0.bf16x2.e2m1x2".parse()?;
    /// assert_eq!(form.identifier(), "cvt_rn_scaled_n2_ue8m0_bf16x2_e2m1x2");
    /// # Ok::<(), ptxcvt::forms::Refusal>(())
    /// ```
    #[cfg(feature = "alloc")]
    pub fn identifier(&self) -> alloc::string::String {
        alloc::string::ToString::to_string(self).replace("::", "_").replace('.', "_")
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, Role};

    #[test]
    fn identifiers_are_names_with_underscores() {
        for form in Form::all() {
            for operand in form.operands() {
                let role: Role = operand.role;
                let of = |c: char| c.is_ascii_alphanumeric() || c == '_';
                assert!(role.identifier().chars().all(of));
                assert!(
                    role.name()
                        .bytes()
                        .zip(role.identifier().bytes())
                        .all(|(a, b)| a == b || (a, b) == (b'-', b'_'))
                );
                assert_eq!(role.name().len(), role.identifier().len());
                #[cfg(feature = "alloc")]
                assert!(form.identifier().chars().all(of), "{form}");
            }
        }
    }
}
