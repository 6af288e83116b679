//! The kernels that every tier has: the lane algorithms over slices.
//!
//! A conversion consists of at most five stages: widen to f32 or f64 lanes, adjust them, narrow, apply the
//! modifiers that work on codes, pack two FP4 codes in a byte. Each kernel declares the lanes that it reads
//! and writes ([`Lane`](crate::lane::Lane)).

pub mod codes;
pub mod direct;
pub mod integer;
pub mod narrow;
pub mod random;
pub mod widen;
