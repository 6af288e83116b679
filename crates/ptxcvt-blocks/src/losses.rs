//! What numbers lose on their way to other numbers: the errors of elements, their sums, and the statistics that follow.

use std::ops::AddAssign;

/// The error of one number that became another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// The number that came back less the number that was given; both are finite.
    Error(f64),
    /// A finite number became NaN or infinity.
    Lost,
    /// The given number was NaN or infinity, which has no error.
    Undefined,
}

impl Loss {
    /// The error of `x`, which became `back` after both conversions.
    pub fn of(x: f64, back: f64) -> Loss {
        match (x.is_finite(), back.is_finite()) {
            (true, true) => Loss::Error(back - x),
            (true, false) => Loss::Lost,
            (false, _) => Loss::Undefined,
        }
    }
}

/// Sums over the elements of an array, or of several that are joined with `+=`, from which their [`Errors`] follow.
///
/// ```
/// use ptxcvt_blocks::Losses;
///
/// let mut losses = Losses::default();
/// losses.add(1.5, 1.0);
/// losses.add(4.0, 4.0);
/// let errors = losses.errors().unwrap();
/// assert_eq!((errors.mean_square, errors.largest), (0.125, 0.5));
/// // One number that became infinite, and the statistics are undefined.
/// losses.add(1e6, f64::INFINITY);
/// assert_eq!(losses.errors(), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    elements: u64,
    finite: u64,
    lost: u64,
    square_error: f64,
    square: f64,
    largest_error: f64,
}

impl Losses {
    /// Counts an element `x` that came back as `back`.
    pub fn add(&mut self, x: f64, back: f64) {
        self.elements += 1;
        match Loss::of(x, back) {
            Loss::Error(error) => {
                self.finite += 1;
                self.square += x * x;
                self.square_error += error * error;
                self.largest_error = self.largest_error.max(error.abs());
            }
            Loss::Lost => self.lost += 1,
            Loss::Undefined => {}
        }
    }

    /// The number of elements.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// The number of elements that were finite before and after.
    pub fn finite(&self) -> u64 {
        self.finite
    }

    /// The number of finite elements that became NaN or infinity.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// The errors of the elements. `None` if there are none, or if one was or became NaN or infinity: the errors are then
    /// undefined.
    pub fn errors(&self) -> Option<Errors> {
        (self.elements > 0 && self.finite == self.elements).then(|| Errors {
            mean_square: self.square_error / self.elements as f64,
            largest: self.largest_error,
            // Without any error the ratio is infinite, even for 0 to 0.
            snr_db: match self.square_error {
                0.0 => f64::INFINITY,
                error => 10.0 * (self.square / error).log10(),
            },
        })
    }
}

impl AddAssign for Losses {
    fn add_assign(&mut self, other: Losses) {
        self.elements += other.elements;
        self.finite += other.finite;
        self.lost += other.lost;
        self.square_error += other.square_error;
        self.square += other.square;
        self.largest_error = self.largest_error.max(other.largest_error);
    }
}

/// Errors of an array whose elements were finite and stayed finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// The mean of the squares of the errors.
    pub mean_square: f64,
    /// The largest magnitude of an error.
    pub largest: f64,
    /// The ratio of signal to error in decibels; infinite if there is no error.
    pub snr_db: f64,
}
