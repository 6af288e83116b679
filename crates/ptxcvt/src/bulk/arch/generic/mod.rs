//! The kernels that every tier has: the lane algorithms over slices.
//!
//! A conversion is at most: widen to f32 or f64 lanes, adjust there, narrow, then the modifiers that only look at
//! the code, then two FP4 codes to a byte.

pub mod codes;
pub mod direct;
pub mod integer;
pub mod narrow;
pub mod random;
pub mod widen;
