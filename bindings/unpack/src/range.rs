//! The range decoder. The probability of each bit adapts to the bits that were read.

/// The probability that a bit is 0, in 2,048ths.
#[derive(Clone, Copy)]
pub struct Prob(u16);

impl Prob {
    /// Nothing is known.
    pub const NEW: Prob = Prob(1024);
}

/// The coded bits, and the interval that contains the code.
pub struct Range<'f> {
    data: &'f [u8],
    at: usize,
    width: u32,
    code: u32,
}

impl<'f> Range<'f> {
    /// The bits of some data, which begins with a zero byte.
    pub fn new(data: &'f [u8]) -> Option<Self> {
        let [_, code @ ..] = *data.first_chunk::<5>()?;
        let code = u32::from_be_bytes(code);
        Some(Range { data, at: 5, width: u32::MAX, code })
    }

    /// True if more was read than there is.
    pub fn is_short(&self) -> bool {
        self.at > self.data.len()
    }

    fn fill(&mut self) {
        if self.width < 1 << 24 {
            let next = self.data.get(self.at).copied().unwrap_or(0);
            self.at += 1;
            self.width <<= 8;
            self.code = self.code << 8 | u32::from(next);
        }
    }

    /// A bit of the probability at a place, which is adapted.
    pub fn bit(&mut self, probs: &mut [Prob], at: usize) -> bool {
        let prob = item(probs, at);
        let bound = (self.width >> 11) * u32::from(prob.0);
        let bit = self.code >= bound;
        if bit {
            self.width -= bound;
            self.code -= bound;
            prob.0 -= prob.0 >> 5;
        } else {
            self.width = bound;
            prob.0 += (2048 - prob.0) >> 5;
        }
        self.fill();
        bit
    }

    /// Some bits that are 0 and 1 equally often, the highest first.
    pub fn even(&mut self, count: usize) -> usize {
        let mut read = 0;
        for _ in 0..count {
            self.width >>= 1;
            let bit = self.code >= self.width;
            if bit {
                self.code -= self.width;
            }
            read = read << 1 | usize::from(bit);
            self.fill();
        }
        read
    }
}

/// A number of some bits, the highest first; each depends on those before it.
pub fn tree(range: &mut Range<'_>, probs: &mut [Prob], bits: usize) -> usize {
    let mut symbol = 1;
    while symbol >> bits == 0 {
        symbol = symbol << 1 | usize::from(range.bit(probs, symbol));
    }
    symbol - (1 << bits)
}

/// A number of some bits, the lowest first.
pub fn reverse(range: &mut Range<'_>, probs: &mut [Prob], from: usize, bits: usize) -> usize {
    let (mut symbol, mut read) = (1, 0);
    for at in 0..bits {
        let bit = usize::from(range.bit(probs, from + symbol));
        symbol = symbol << 1 | bit;
        read |= bit << at;
    }
    read
}

/// The item at a place. The places are in range for every file; messages about others would take more room in the page
/// than the decoder.
pub fn item<T>(items: &mut [T], at: usize) -> &mut T {
    match items.get_mut(at) {
        Some(item) => item,
        #[cfg(target_arch = "wasm32")]
        None => core::arch::wasm32::unreachable(),
        #[cfg(not(target_arch = "wasm32"))]
        None => panic!("no item {at}"),
    }
}
