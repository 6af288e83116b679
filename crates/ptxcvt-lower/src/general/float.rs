//! The fields of a floating-point destination. PTX ISA section 5.2.3 (alternate floating-point formats).

/// The widths and the bias of a floating-point destination.
#[derive(Clone, Copy)]
pub(super) struct Float {
    pub fraction: u32,
    pub bias: i32,
}

impl Float {
    /// The bits of the f32 with the value of `code`, which is not subnormal. Codes above the largest number continue the
    /// format.
    pub fn to_f32(self, code: u64) -> u64 {
        (code << (23 - self.fraction)) + (((127 - self.bias) as u64) << 23)
    }

    /// f32's exponent field for the format's lowest binade.
    pub fn least(self) -> u64 {
        (128 - self.bias) as u64
    }
}
