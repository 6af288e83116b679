//! Targets and ISA versions: the operands of `.target` and `.version` in a module.
//!
//! PTX ISA sections 11.1.1 and 11.1.2.

mod group;
mod machine;
mod target;
mod version;

pub use group::Targets;
pub use machine::{Machine, MachineError};
pub use target::{Suffix, Target, TargetError};
pub use version::{IsaVersion, IsaVersionError};
