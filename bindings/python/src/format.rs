//! Number formats: parameters, limits, values.

use std::collections::BTreeMap;

use pyo3::prelude::*;

use ptxcvt::formats::Encoding;
use ptxcvt::{Format as Inner, Type};
use ptxcvt_report::format::Description;

use crate::error::{Number, Text, Whole, named, plain, unknown_name};

/// A number format, by its name in PTX, NumPy, ml_dtypes, PyTorch, JAX or safetensors. Packed types such as `e4m3x2`
/// are not formats; pass their values as integers.
///
/// >>> from ptxcvt import Format
/// >>> e4m3 = Format("float8_e4m3fn")
/// >>> e4m3.name, e4m3.bits, e4m3.max, e4m3.eps, e4m3.smallest_subnormal
/// ('e4m3', 8, 448.0, 0.125, 0.001953125)
/// >>> Format("e2m1").values()[:8]
/// [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
#[pyclass(frozen, eq, hash, from_py_object, module = "ptxcvt")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Format(pub Inner);

/// Formats up to this width list every value.
const SMALL: u32 = 16;

#[pymethods]
impl Format {
    #[new]
    fn new(name: Text) -> PyResult<Self> {
        named!(name);
        name.parse().map(Format).map_err(unknown_name)
    }

    /// Every format.
    #[staticmethod]
    fn all() -> Vec<Format> {
        Inner::ALL.iter().copied().map(Format).collect()
    }

    fn __str__(&self) -> &'static str {
        self.0.name()
    }

    fn __repr__(&self) -> String {
        format!("Format('{}')", self.0)
    }

    fn __getnewargs__(&self) -> (&'static str,) {
        (self.0.name(),)
    }

    /// The name in PTX.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// Its names in other libraries.
    #[getter]
    fn aliases(&self) -> Vec<&'static str> {
        self.0.parameters().aliases.to_vec()
    }

    /// A one-line description.
    #[getter]
    fn about(&self) -> &'static str {
        self.0.parameters().about
    }

    /// The significant bits of a code.
    #[getter]
    fn bits(&self) -> u32 {
        self.0.bits()
    }

    /// The bits that one element occupies in a register: 8 for FP6, 32 for tf32.
    #[getter]
    fn storage(&self) -> u32 {
        self.0.storage()
    }

    /// True if the format has negative numbers.
    #[getter]
    fn signed(&self) -> bool {
        self.0.is_signed()
    }

    /// True for integer formats.
    #[getter]
    fn integer(&self) -> bool {
        self.0.is_integer()
    }

    /// The exponent bias, or None.
    #[getter]
    fn bias(&self) -> Option<i32> {
        Description::parameters(self.0).bias
    }

    /// The width of the exponent field.
    #[getter]
    fn nexp(&self) -> u32 {
        self.0.exponent_bits()
    }

    /// The width of the fraction, without the hidden bit.
    #[getter]
    fn nmant(&self) -> u32 {
        self.0.fraction_bits()
    }

    /// The largest finite number.
    #[getter]
    fn max(&self) -> f64 {
        self.value(self.0.max_finite())
    }

    /// The least finite number.
    #[getter]
    fn min(&self) -> f64 {
        self.value(self.0.min_finite())
    }

    /// The distance from 1 to the next larger number, or None for integers.
    #[getter]
    fn eps(&self) -> Option<f64> {
        self.0.epsilon().map(|code| self.value(code))
    }

    /// The smallest positive number with full precision.
    #[getter]
    fn smallest_normal(&self) -> f64 {
        self.value(self.0.min_normal())
    }

    /// The smallest positive number.
    #[getter]
    fn smallest_subnormal(&self) -> f64 {
        self.value(self.0.min_positive())
    }

    /// The exponent of the smallest power of two above the largest finite number.
    #[getter]
    fn maxexp(&self) -> i32 {
        self.0.max_exponent()
    }

    /// The exponent of `smallest_normal`.
    #[getter]
    fn minexp(&self) -> i32 {
        self.0.min_exponent()
    }

    /// The code of the canonical NaN, or None.
    #[getter]
    fn nan(&self) -> Option<u64> {
        self.0.nan()
    }

    /// The code of infinity, or None.
    #[getter]
    fn infinity(&self) -> Option<u64> {
        self.0.infinity()
    }

    /// The types that hold this format, with their widths in bits.
    #[getter]
    fn types(&self) -> BTreeMap<&'static str, u32> {
        let own = Type::ALL.iter().filter(|ty| ty.format() == self.0);
        own.map(|ty| (ty.name(), ty.width())).collect()
    }

    /// The value of a code.
    fn decode(&self, code: Whole) -> PyResult<f64> {
        named!(code);
        let storage = self.0.storage();
        if storage < 64 && code >> storage != 0 {
            return Err(plain(format!("{code:#x} is not a code of {storage} bits")));
        }
        Ok(self.value(code))
    }

    /// The code of a number: `rounding` is one of PTX's, without the dot.
    #[pyo3(
        signature = (value, /, *, rounding=None, saturate=false),
        text_signature = "($self, value, /, *, rounding='rn', saturate=False)"
    )]
    fn encode(&self, value: Number, rounding: Option<Text>, saturate: bool) -> PyResult<u64> {
        named!(value, rounding);
        let rounding = rounding.as_deref().unwrap_or("rn");
        let how = rounding.parse().map(Encoding::new).map_err(unknown_name)?;
        Ok(self.0.encode(value, if saturate { how.satfinite() } else { how }))
    }

    /// All values in code order, for formats of up to 16 bits.
    fn values(&self) -> PyResult<Vec<f64>> {
        if self.0.bits() > SMALL {
            return Err(plain(format!(
                "{} has 2^{} values; use decode(code) for single ones",
                self.0,
                self.0.bits()
            )));
        }
        Ok((0..1_u64 << self.0.bits()).map(|code| self.value(code)).collect())
    }
}

impl Format {
    fn value(&self, code: u64) -> f64 {
        self.0.decode(code).to_f64()
    }
}
