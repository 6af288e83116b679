//! Register types and special registers that older targets and ISA versions lack.
//!
//! PTX ISA section 5.2 (types) and chapter 10 (special registers), and ptxas for what each target and version accepts.

use ptxcvt::forms::{RegisterClass, RegisterType};
use ptxcvt::{IsaVersion, Target};

use super::checker::Checker;
use super::special::Special;
use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::source::{Span, Word};

/// The first target and ISA version with something.
#[derive(Clone, Copy, Debug)]
struct Since {
    sm: u16,
    isa: IsaVersion,
}

/// The first target and version that accept a declaration of this type; `None` if all do.
fn since(ty: RegisterType) -> Option<Since> {
    match (ty.class, ty.width) {
        (RegisterClass::Bits, 128) => Some(Since { sm: 70, isa: IsaVersion::new(8, 3) }),
        (RegisterClass::F16x2, _) => Some(Since { sm: 53, isa: IsaVersion::new(4, 2) }),
        _ => None,
    }
}

impl Since {
    /// The requirements that a target and version do not meet, as the end of a sentence. `None` if they meet all of
    /// them.
    fn missing(self, target: Option<Target>, isa: IsaVersion) -> Option<String> {
        let target = target.is_some_and(|target| target.sm() < self.sm);
        match (target, isa < self.isa) {
            (true, true) => Some(format!("sm_{} or higher and PTX ISA {}", self.sm, self.isa)),
            (true, false) => Some(format!("sm_{} or higher", self.sm)),
            (false, true) => Some(format!("PTX ISA {}", self.isa)),
            (false, false) => None,
        }
    }
}

impl Special {
    /// Why a module of that target and version may not use it, as the end of a sentence; `None` if it may.
    ///
    /// ```
    /// use ptxcvt::IsaVersion;
    /// use ptxcvt_syntax::check::Special;
    /// let cluster = Special::find("%is_explicit_cluster").unwrap();
    /// let refused = cluster.refused("sm_80".parse().ok(), IsaVersion::new(7, 8));
    /// assert_eq!(refused.as_deref(), Some("needs sm_90 or higher"));
    /// assert_eq!(cluster.refused("sm_90".parse().ok(), IsaVersion::new(7, 8)), None);
    /// ```
    pub fn refused(&self, target: Option<Target>, isa: IsaVersion) -> Option<String> {
        let since = Since { sm: self.target, isa: self.isa };
        since.missing(target, isa).map(|missing| format!("needs {missing}"))
    }
}

impl<'s> Checker<'s> {
    /// Reports a register type that this module's target or version lacks.
    pub(super) fn register_type_gate(&mut self, ty: RegisterType, at: Span) {
        let missing = since(ty).and_then(|since| since.missing(self.built_for, self.isa));
        if let Some(missing) = missing {
            let message = format!("`{ty}` registers need {missing}");
            self.report(Diagnostic::new(PtxCode::Declaration, at, message));
        }
    }

    /// Reports a special register that this module's target or version lacks; true if it was reported.
    pub(super) fn special_gate(&mut self, special: &Special, name: Word<'s>) -> bool {
        let Some(reason) = special.refused(self.built_for, self.isa) else { return false };
        let message = format!("`{}` {reason}", name.text);
        self.report(Diagnostic::new(PtxCode::SpecialRegister, name.span, message));
        true
    }
}
