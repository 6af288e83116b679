//! Facts about the bits of registers.

/// A set of input bits. The bits of the last input come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits([u64; 4]);

impl Bits {
    /// The maximum number of input bits.
    pub const CAPACITY: u32 = 256;

    pub fn of(bit: u32) -> Bits {
        let mut words = [0; 4];
        words[bit as usize / 64] = 1 << (bit % 64);
        Bits(words)
    }

    pub fn or(self, other: Bits) -> Bits {
        Bits(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    pub fn without(self, other: Bits) -> Bits {
        Bits(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    pub fn len(self) -> u32 {
        self.0.iter().map(|w| w.count_ones()).sum()
    }

    pub fn is_within(self, other: Bits) -> bool {
        self.0.iter().zip(other.0).all(|(inner, outer)| inner & !outer == 0)
    }

    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..Self::CAPACITY).filter(move |bit| self.0[*bit as usize / 64] >> (bit % 64) & 1 != 0)
    }
}

/// The possible values of a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Constant(bool),
    Depends(Bits),
}

impl Known {
    pub fn bits(self) -> Bits {
        match self {
            Known::Constant(_) => Bits::default(),
            Known::Depends(bits) => bits,
        }
    }

    pub fn join(self, other: Known) -> Known {
        if self == other { self } else { Known::Depends(self.bits().or(other.bits())) }
    }
}

/// A register's bits, the lowest first.
pub(super) type Register = Vec<Known>;

pub(super) fn constant(bits: u64, width: u32) -> Register {
    (0..width).map(|i| Known::Constant(bits >> i & 1 != 0)).collect()
}

/// The value of a register if all of its bits are constants.
pub(super) fn value(register: &[Known]) -> Option<u64> {
    register.iter().enumerate().try_fold(0, |bits, (i, known)| match known {
        Known::Constant(bit) => Some(bits | u64::from(*bit) << i),
        Known::Depends(_) => None,
    })
}

pub(super) fn union(bits: &[Known]) -> Bits {
    bits.iter().fold(Bits::default(), |all, known| all.or(known.bits()))
}
