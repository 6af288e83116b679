//! Targets and ISA versions: what `.target` and `.version` of a module can say.
//!
//! PTX ISA sections 11.1.1 and 11.1.2.

mod machine;
mod target;
mod version;

pub use machine::Machine;
pub use target::{Suffix, Target, TargetError};
pub use version::{IsaVersion, IsaVersionError};
