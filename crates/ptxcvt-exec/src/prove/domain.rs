//! Restrictions of inputs that are numbers of a format with exponents.

use std::fmt;
use std::str::FromStr;

use ptxcvt::formats::Kind;
use ptxcvt::{Format, Value};

/// A restriction of the inputs whose format has exponents: floats, and the powers of two of `.ue8m0`, which have a NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Domain {
    /// Every code.
    #[default]
    All,
    /// Every code except NaN.
    Numbers,
    /// Neither NaN nor infinity.
    Finite,
    /// Zeros and normal numbers: neither NaN, infinity, nor subnormal.
    Normal,
    /// Finite and not negative: the sign bit is clear.
    Positive,
}

impl Domain {
    /// Every domain.
    pub const ALL: [Domain; 5] =
        [Domain::All, Domain::Numbers, Domain::Finite, Domain::Normal, Domain::Positive];

    /// The name of the domain.
    pub const fn name(self) -> &'static str {
        match self {
            Domain::All => "all",
            Domain::Numbers => "numbers",
            Domain::Finite => "finite",
            Domain::Normal => "normal",
            Domain::Positive => "positive",
        }
    }

    /// True if a domain can exclude codes of the format, that is, if the format has exponents.
    pub const fn restricts(format: Format) -> bool {
        matches!(format.parameters().kind, Kind::Float { .. } | Kind::PowerOfTwo { .. })
    }

    /// True if a code of the format is in the domain. Every code of a format without exponents is.
    pub fn holds(self, format: Format, code: u64) -> bool {
        if !Self::restricts(format) {
            return true;
        }
        let value = format.decode(code);
        match self {
            Domain::All => true,
            Domain::Numbers => !value.is_nan(),
            Domain::Finite => value.finite().is_some(),
            Domain::Positive => matches!(value, Value::Finite(x) if !x.negative),
            Domain::Normal => matches!(value, Value::Finite(x) if x.is_zero() || !format.is_subnormal(code)),
        }
    }
}

/// A domain for one format, as an interval of magnitudes. Equivalent to [`Domain::holds`], but faster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    sign: u64,
    /// The bits of the magnitude. FP6 and FP4 ignore the bits of a byte above their code.
    magnitude: u64,
    padding: u32,
    /// The smallest magnitude other than zero, and the largest.
    least: u64,
    greatest: u64,
    negative: bool,
}

impl Interval {
    /// The codes of `format` in `domain`.
    pub fn new(domain: Domain, format: Format) -> Interval {
        let smallest_normal = match format.parameters().kind {
            Kind::Float { fraction, .. } => 1 << fraction,
            Kind::PowerOfTwo { .. } => 0,
            _ => {
                let (sign, magnitude) = (0, u64::MAX);
                return Interval {
                    sign,
                    magnitude,
                    padding: 0,
                    least: 0,
                    greatest: u64::MAX,
                    negative: true,
                };
            }
        };
        let (sign, padding) = (format.sign_bit(), format.low_padding());
        let code = u64::MAX >> (64 - format.bits() - padding);
        let greatest = match domain {
            Domain::All => u64::MAX,
            Domain::Numbers => format.infinity().unwrap_or(format.max_finite()),
            Domain::Finite | Domain::Normal | Domain::Positive => format.max_finite(),
        };
        Interval {
            sign,
            magnitude: code & !sign,
            padding,
            least: if domain == Domain::Normal { smallest_normal } else { 0 },
            greatest: greatest >> padding,
            negative: domain != Domain::Positive,
        }
    }

    /// True if the code is in the domain.
    #[inline(always)]
    pub fn holds(self, code: u64) -> bool {
        let magnitude = (code & self.magnitude) >> self.padding;
        ((magnitude == 0) | (magnitude >= self.least))
            & (magnitude <= self.greatest)
            & (self.negative | (code & self.sign == 0))
    }
}

impl Interval {
    /// True if the code is too small for the domain, but not zero.
    #[inline(always)]
    pub fn is_too_small(self, code: u64) -> bool {
        let magnitude = (code & self.magnitude) >> self.padding;
        (magnitude != 0) & (magnitude < self.least)
    }

    /// The lowest exponent bit outside `varying`, which makes a code that is too small large enough. 0 if there is no
    /// such bit, or if no code is too small.
    pub fn raising_bit(self, varying: u64) -> u64 {
        let exponents = self.magnitude & !((self.least << self.padding).wrapping_sub(1));
        let free = exponents & !varying;
        free & free.wrapping_neg()
    }

    /// `Some(true)` if all codes from `first` to `last` are in the domain, `Some(false)` if no code is, `None` if only
    /// some are or the answer is not simple.
    pub fn holds_between(self, first: u64, last: u64) -> Option<bool> {
        if (first ^ last) & !self.magnitude != 0 {
            return None;
        }
        let [low, high] = [first, last].map(|code| (code & self.magnitude) >> self.padding);
        let negative = first & self.sign != 0;
        match () {
            () if negative && !self.negative => Some(false),
            () if low > self.greatest || low > 0 && high < self.least => Some(false),
            () if low >= self.least && high <= self.greatest => Some(true),
            () => None,
        }
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for an unknown name of a domain. The message lists all domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownDomain;

impl fmt::Display for UnknownDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "domains are {}", Domain::ALL.map(Domain::name).join(" "))
    }
}

impl std::error::Error for UnknownDomain {}

impl FromStr for Domain {
    type Err = UnknownDomain;
    fn from_str(name: &str) -> Result<Self, UnknownDomain> {
        Self::ALL.into_iter().find(|d| d.name() == name).ok_or(UnknownDomain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_domains() {
        for domain in Domain::ALL {
            for format in Format::ALL.iter().copied() {
                let interval = Interval::new(domain, format);
                let all = format.storage() <= 16;
                let codes: Vec<u64> = match all {
                    true => (0..1 << format.storage()).collect(),
                    false => ptxcvt::inputs::edges(format).collect(),
                };
                for both in codes.windows(2).step_by(97).chain(codes.chunks(100).filter(|_| all)) {
                    let (first, last) = (both[0], both[both.len() - 1]);
                    let between = if all { both } else { &[] };
                    let holds = between.iter().filter(|code| domain.holds(format, **code)).count();
                    match interval.holds_between(first, last) {
                        Some(true) => assert_eq!(holds, between.len(), "{domain} {format} {first:x}"),
                        Some(false) => assert_eq!(holds, 0, "{domain} {format} {first:x}"),
                        None => {}
                    }
                }
                for code in codes {
                    assert_eq!(
                        interval.holds(code),
                        domain.holds(format, code),
                        "{domain} {format} {code:x}"
                    );
                }
            }
        }
    }
}
