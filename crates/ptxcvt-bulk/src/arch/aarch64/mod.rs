//! Kernels written in intrinsics of 64-bit Arm.

mod neon;

use crate::arch::need::Need;
use crate::stage::Stage;
use crate::tier::Tier;

/// The kernel of a tier.
pub fn hand_written(tier: Tier, need: Need) -> Option<Stage> {
    match (tier, need) {
        (Tier::Neon, Need::Convert(need)) => neon::hand_written(&need),
        _ => None,
    }
}
