//! Gates: the targets on which a row or a choice is legal, each with its first ISA version. The gates of rows and
//! choices have names: `SM80_70` is sm_80 and later from ISA 7.0 on.
//!
//! The "Target ISA Notes" of PTX ISA section 9.7.9.21, and what ptxas accepts
//! (`conformance/records/legality.tsv`).

use crate::targets::{IsaVersion, Target, Targets};

/// The targets on which a row or a choice is legal. The first entry with the target gives the ISA version. Other
/// targets do not have the row or choice.
pub(super) type Gate = &'static [(Targets, IsaVersion)];

/// The first ISA version at which `gate` admits `target`, never before the target itself existed.
pub(super) fn first_version(gate: Gate, target: Target) -> Option<IsaVersion> {
    let (targets, since) = gate.iter().find(|(targets, _)| targets.contains(target))?;
    targets.since(*since, target)
}

/// Checks that a gate has entries whose targets and versions exist.
// Rust 1.85 does not count the use in a constant.
#[allow(dead_code)]
pub(super) const fn check(gate: Gate) {
    assert!(!gate.is_empty(), "a gate has targets");
    let mut at = 0;
    while at < gate.len() {
        assert!(gate[at].0.exist(), "the targets of a gate exist");
        assert!(gate[at].1.exists(), "the version of a gate exists");
        at += 1;
    }
}

const fn isa(major: u8, minor: u8) -> IsaVersion {
    IsaVersion::new(major, minor)
}
pub const ALWAYS: Gate = &[(Targets::From(0), isa(1, 0))];
/// `.ftz` exists from ISA 1.4 on, but only from 1.5 on for 8-bit types to f32 and for f32 to 64-bit types.
pub const FTZ_14: Gate = &[(Targets::From(0), isa(1, 4))];
pub const FTZ_15: Gate = &[(Targets::From(0), isa(1, 5))];
pub const SM70_81: Gate = &[(Targets::From(70), isa(8, 1))];
pub const SM72_65: Gate = &[(Targets::From(72), isa(6, 5))];
pub const SM75_65: Gate = &[(Targets::From(75), isa(6, 5))];
pub const SM80_70: Gate = &[(Targets::From(80), isa(7, 0))];
pub const SM80_71: Gate = &[(Targets::From(80), isa(7, 1))];
pub const SM80_81: Gate = &[(Targets::From(80), isa(8, 1))];
pub const SM90_78: Gate = &[(Targets::From(90), isa(7, 8))];
pub const FP8: Gate = &[(Targets::Only(89), isa(8, 1)), (Targets::From(90), isa(7, 8))];
pub const SM100_86: Gate = &[(Targets::From(100), isa(8, 6))];
/// The architectures with block formats; `f` targets exist from ISA 8.8 on.
pub const BLOCK: &[u16] = &[100, 101, 103, 107, 110, 120, 121];
pub const BLOCK_86: Gate = &[(Targets::Specific(BLOCK), isa(8, 6))];
pub const BLOCK_91: Gate = &[(Targets::Specific(BLOCK), isa(9, 1))];
pub const BLOCK_92: Gate = &[(Targets::Specific(BLOCK), isa(9, 2))];
pub const RS_87: Gate = &[(Targets::Architecture(&[100, 103, 107]), isa(8, 7))];
pub const S2F6_91: Gate = &[(Targets::Architecture(&[100, 103, 107, 110, 120, 121]), isa(9, 1))];
pub const RUBIN_94: Gate = &[(Targets::Specific(&[107]), isa(9, 4))];
pub const RUBIN_A_94: Gate = &[(Targets::Architecture(&[107]), isa(9, 4))];
