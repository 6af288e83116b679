//! Traits of other crates, each behind a feature of that crate's name.
//!
//! `bytemuck` and `zerocopy` are derived with the types themselves.

#[cfg(feature = "half")]
mod half;
#[cfg(feature = "num-traits")]
mod num_traits;
#[cfg(feature = "rand_distr")]
mod rand_distr;
#[cfg(feature = "serde")]
mod serde;
