//! Arrays of files as matrices to be quantised.

use ptxcvt::Format;
use ptxcvt_blocks::{Matrix, Recipe};

use crate::convert::array::{Array, Container, FileType, Input};
use crate::convert::source::Source;
use crate::convert::{npy, raw, safetensors};
use crate::failure::Failure;

/// Opens a file and reads its header; a stream is taken into memory.
pub fn open(path: &str, dtype: Option<Format>) -> Result<Input, Failure> {
    let source = Source::open(path)?.in_memory()?;
    let container = match Container::of(path) {
        Some(container) => container,
        None => Container::by_content(&source.peek(Container::LOOKED_AT)?).unwrap_or(Container::Raw),
    };
    let (arrays, metadata) = match container {
        Container::Npy => (vec![npy::read(&source)?], None),
        Container::Safetensors => safetensors::read(&source)?,
        Container::Raw => {
            let format = dtype.ok_or_else(|| {
                Failure::new(format!("{path}: a raw file does not say what it holds"))
                    .help("give --dtype f32, bf16 or f16")
            })?;
            (vec![raw::read(&source, format, false)], None)
        }
    };
    Ok(Input { source, container, arrays, metadata })
}

/// The bytes of an array.
pub fn bytes(file: &Input, array: &Array) -> Result<Vec<u8>, Failure> {
    let mut bytes = vec![0; array.len.unwrap_or(0) as usize];
    file.source.read_exact(array.start, &mut bytes)?;
    Ok(bytes)
}

/// Hands the bytes of an array to `take`, so many at a time, each with its place.
pub fn copy(
    file: &Input,
    array: &Array,
    memory: u64,
    mut take: impl FnMut(usize, &[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let len = array.len.unwrap_or(0);
    let step = memory.max(1);
    let mut buffer = Vec::new();
    for at in (0..len).step_by(step as usize) {
        buffer.resize(step.min(len - at) as usize, 0);
        file.source.read_exact(array.start + at, &mut buffer)?;
        take(at as usize, &buffer)?;
    }
    Ok(())
}

/// What to call an array in a message or a report: its name, if it has one.
pub fn name(array: &Array) -> &str {
    array.name.as_deref().unwrap_or("")
}

/// An array of floats: one matrix, or several of the same size one after the other.
#[derive(Clone)]
pub struct Tensor<'a> {
    pub name: String,
    /// As the file has it.
    pub shape: Vec<u64>,
    pub input: ptxcvt_blocks::Input,
    file: &'a Input,
    array: &'a Array,
    /// How many matrices, of how many rows and columns.
    pub matrices: usize,
    pub rows: usize,
    pub columns: usize,
    /// Its last two axes change places, whatever else is asked.
    pub turned: bool,
}

impl<'a> Tensor<'a> {
    /// The array as matrices for a recipe: where blocks have one row, all axes but the last are rows; else, and where it is
    /// to be turned, the last two are a matrix, and those before count matrices.
    pub fn new(
        file: &'a Input,
        array: &'a Array,
        recipe: &Recipe,
        dtype: Option<Format>,
        turned: bool,
    ) -> Result<Self, Failure> {
        let path = &file.source.name;
        let place = match name(array) {
            "" => path.clone(),
            name => format!("{path}: tensor `{name}`"),
        };
        let input = input_type(array, dtype).ok_or_else(|| {
            let failure = Failure::new(format!("{place}: holds {}, not f32, bf16 or f16", array.dtype));
            match &array.dtype {
                FileType::Npy(name) if name.ends_with("u2") || name.ends_with("V2") => {
                    failure.help("give --dtype bf16 or --dtype f16 if these are the bits of such numbers")
                }
                FileType::Npy(name) if name.ends_with("f8") => {
                    failure.help("round it to f32 first: `ptxcvt convert cvt.rn.f32.f64 IN.npy -o OUT.npy`")
                }
                _ => failure,
            }
        })?;
        let (last, before) = array
            .shape
            .split_last()
            .ok_or_else(|| Failure::new(format!("{place}: a single number cannot be quantised in blocks")))?;
        if array.fortran && array.shape.len() > 2 {
            return Err(Failure::new(format!(
                "{place}: Fortran order with more than two axes is not supported"
            ))
            .help("save it with numpy.ascontiguousarray"));
        }
        let (matrices, rows) = match before {
            [] => (1, 1),
            _ if recipe.block().rows == 1 && !turned => (1, before.iter().product()),
            [more @ .., rows] => (more.iter().product(), *rows),
        };
        Ok(Tensor {
            name: name(array).to_owned(),
            shape: array.shape.clone(),
            input,
            file,
            array,
            matrices: matrices as usize,
            rows: rows as usize,
            columns: *last as usize,
            turned,
        })
    }

    /// Hands the rows of every matrix to `take`, as many at a time as `step` says, with the number of the matrix and of
    /// the first row; where they do not lie one after the other, or `transposed` is wanted, from the whole matrix in
    /// memory.
    pub fn each(
        &self,
        transposed: bool,
        step: usize,
        mut take: impl FnMut(&Matrix<'_>, usize, usize) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let fail = |e: ptxcvt_blocks::BlockError| Failure::new(format!("{}: {e}", self.place()));
        let (fortran, width) = (self.array.fortran && self.array.shape.len() == 2, self.input.bytes());
        let row = self.columns * width;
        for number in 0..self.matrices {
            let start = self.array.start + (number * self.rows * row) as u64;
            if fortran || transposed {
                let whole = self.read(start, self.rows * row)?;
                let strides = if fortran { (1, self.rows) } else { (self.columns, 1) };
                let matrix =
                    Matrix::strided(self.input, &whole, (self.rows, self.columns), strides).map_err(fail)?;
                let matrix = if transposed { matrix.transposed() } else { matrix };
                let rows = matrix.rows();
                for first in (0..rows.max(1)).step_by(step) {
                    take(&matrix.part(first.min(rows), rows.min(first.saturating_add(step))), number, first)?;
                }
                continue;
            }
            for first in (0..self.rows.max(1)).step_by(step) {
                let rows = self.rows.min(first.saturating_add(step)) - first;
                let bytes = self.read(start + (first * row) as u64, rows * row)?;
                take(&Matrix::bytes(self.input, &bytes, rows, self.columns).map_err(fail)?, number, first)?;
            }
        }
        Ok(())
    }

    /// So many bytes of the array, little-endian.
    fn read(&self, start: u64, len: usize) -> Result<Vec<u8>, Failure> {
        let mut bytes = vec![0; len];
        self.file.source.read_exact(start, &mut bytes)?;
        if self.array.big_endian {
            bytes.chunks_exact_mut(self.input.bytes()).for_each(<[u8]>::reverse);
        }
        Ok(bytes)
    }

    /// What to call it in a message.
    pub fn place(&self) -> String {
        if self.name.is_empty() { "the array".into() } else { format!("tensor `{}`", self.name) }
    }

    /// Its bytes.
    pub fn len(&self) -> u64 {
        self.array.len.unwrap_or(0)
    }
}

/// The type of an array's numbers, as the file or the user says; 16-bit integers of .npy may be halves.
pub fn input_type(array: &Array, dtype: Option<Format>) -> Option<ptxcvt_blocks::Input> {
    let all = [ptxcvt_blocks::Input::F32, ptxcvt_blocks::Input::Bf16, ptxcvt_blocks::Input::F16];
    all.into_iter().find(|input| match (&array.dtype, dtype) {
        (FileType::Npy(name), dtype) => {
            let own = match input.format() {
                Format::F32 => "f4",
                Format::F16 => "f2",
                _ => "",
            };
            let bits =
                [format!("u{}", input.bytes()), format!("i{}", input.bytes()), format!("V{}", input.bytes())];
            let name = name.trim_start_matches(['<', '>', '|', '=']);
            match dtype {
                None => name == own,
                Some(dtype) => dtype == input.format() && (name == own || bits.iter().any(|b| b == name)),
            }
        }
        (FileType::Safetensors(given), _) => safetensors::dtype(input.format()) == *given,
        (FileType::Raw(format), _) => *format == input.format(),
    })
}
