//! Arrays of files as matrices for quantisation.

use ptxcvt::{Format, one_of};
use ptxcvt_blocks::{BlockError, BlocksAlong, Matrices, Matrix, NonFinite, Recipe};

use crate::array::{Array, FileType, Input};
use crate::error::FileError;
use crate::order::c_index;
use crate::safetensors;

/// All bytes of an array.
pub fn bytes(file: &Input, array: &Array) -> Result<Vec<u8>, FileError> {
    let mut bytes = vec![0; array.known_len() as usize];
    file.source.read_exact(array.start, &mut bytes)?;
    Ok(bytes)
}

/// Passes the bytes of an array to `take`, at most `memory` at a time, with their offset.
pub fn copy(
    file: &Input,
    array: &Array,
    memory: u64,
    mut take: impl FnMut(usize, &[u8]) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let len = array.known_len();
    let step = memory.max(1);
    let mut buffer = Vec::new();
    for at in (0..len).step_by(step as usize) {
        buffer.resize(step.min(len - at) as usize, 0);
        file.source.read_exact(array.start + at, &mut buffer)?;
        take(at as usize, &buffer)?;
    }
    Ok(())
}

/// The array's name in messages and reports; empty if it has none.
pub fn name(array: &Array) -> &str {
    array.name.as_deref().unwrap_or("")
}

/// An array of floats.
#[derive(Clone)]
pub struct Tensor<'a> {
    pub name: String,
    /// The shape in the file.
    pub shape: Vec<u64>,
    pub input: ptxcvt_blocks::Input,
    file: &'a Input,
    array: &'a Array,
    /// Whether its last two axes are swapped, in addition to any requested transposition.
    pub turned: bool,
}

impl<'a> Tensor<'a> {
    /// The array, if its type can be quantised and its shape can be read.
    pub fn new(
        file: &'a Input,
        array: &'a Array,
        dtype: Option<Format>,
        turned: bool,
    ) -> Result<Self, FileError> {
        let place = array.label(&file.source.name);
        let input = input_type(array, dtype).ok_or_else(|| {
            let failure = FileError::new(format!("{place}: {}", not_numbers(&array.dtype)));
            match &array.dtype {
                FileType::Npy(name) if name.ends_with("u2") || name.ends_with("V2") => failure
                    .with_help("give --dtype bf16 or --dtype f16 if these are the bits of such numbers"),
                FileType::Npy(name) if name.ends_with("f8") => failure
                    .with_help("round it to f32 first: `ptxcvt convert cvt.rn.f32.f64 IN.npy -o OUT.npy`"),
                _ => failure,
            }
        })?;
        if array.fortran && array.shape.len() > 2 {
            return Err(FileError::new(format!(
                "{place}: Fortran order with more than two axes is not supported"
            ))
            .with_help("save it with numpy.ascontiguousarray"));
        }
        Ok(Tensor { name: name(array).to_owned(), shape: array.shape.clone(), input, file, array, turned })
    }

    /// The array's matrices in a recipe whose blocks run along rows, or along columns if it is to be transposed.
    pub fn matrices(&self, recipe: &Recipe, transposed: bool) -> Result<Matrices, FileError> {
        let shape: Vec<usize> = self.shape.iter().map(|n| *n as usize).collect();
        let along = if transposed { BlocksAlong::Columns } else { BlocksAlong::Rows };
        recipe.check_input(self.input.format()).map_err(|e| self.fail(&e))?;
        recipe.matrices(&shape, along).map_err(|e| self.fail(&e))
    }

    /// An error about the array.
    pub fn fail(&self, error: &BlockError) -> FileError {
        FileError::new(format!("{}: {error}", self.place()))
    }

    /// Passes the rows of every matrix to `take`, at most `step` at a time, with the number of the matrix and
    /// of the first row. Matrices in Fortran order, or to be transposed, are read into memory first. Counts
    /// NaN and infinities in `special`.
    pub fn each(
        &self,
        matrices: Matrices,
        transposed: bool,
        step: usize,
        mut special: Option<&mut NonFinite>,
        mut take: impl FnMut(&Matrix<'_>, usize, usize) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let Matrices { count, rows: matrix_rows, columns } = matrices;
        let fail = |e: BlockError| self.fail(&e);
        let (fortran, width) = (self.array.fortran && self.array.shape.len() == 2, self.input.bytes());
        let row = columns * width;
        for number in 0..count {
            let start = self.array.start + (number * matrix_rows * row) as u64;
            if fortran || transposed {
                let whole = self.read(start, matrix_rows * row, special.as_deref_mut())?;
                let strides = if fortran { (1, matrix_rows) } else { (columns, 1) };
                let matrix =
                    Matrix::strided(self.input, &whole, (matrix_rows, columns), strides).map_err(fail)?;
                let matrix = if transposed { matrix.transposed() } else { matrix };
                let rows = matrix.rows();
                for first in (0..rows.max(1)).step_by(step) {
                    take(&matrix.part(first.min(rows), rows.min(first.saturating_add(step))), number, first)?;
                }
                continue;
            }
            for first in (0..matrix_rows.max(1)).step_by(step) {
                let rows = matrix_rows.min(first.saturating_add(step)) - first;
                let bytes = self.read(start + (first * row) as u64, rows * row, special.as_deref_mut())?;
                take(&Matrix::bytes(self.input, &bytes, rows, columns).map_err(fail)?, number, first)?;
            }
        }
        Ok(())
    }

    /// Reads `len` bytes of the array from position `start`, little-endian; counts NaN and infinities in `special`.
    fn read(
        &self,
        start: u64,
        len: usize,
        mut special: Option<&mut NonFinite>,
    ) -> Result<Vec<u8>, FileError> {
        /// The number of bytes that are read and then searched: few enough to stay in a core's cache.
        const STEP: usize = 1 << 18;
        let mut bytes = vec![0; len];
        let mut at = start;
        for part in bytes.chunks_mut(STEP) {
            self.file.source.read_exact(at, part)?;
            if self.array.big_endian {
                part.chunks_exact_mut(self.input.bytes()).for_each(<[u8]>::reverse);
            }
            if let Some(special) = special.as_deref_mut() {
                let first = (at - self.array.start) / self.input.bytes() as u64;
                *special += NonFinite::count_by(self.input.format(), part, |n| match self.array.fortran {
                    true => c_index(&self.shape, first + n),
                    false => first + n,
                });
            }
            at += part.len() as u64;
        }
        Ok(bytes)
    }

    /// Its file and its name, in messages.
    pub fn place(&self) -> String {
        self.array.label(&self.file.source.name)
    }

    /// Its length in bytes.
    pub fn len(&self) -> u64 {
        self.array.known_len()
    }
}

/// Why elements of this type cannot be quantised.
pub fn not_numbers(dtype: &FileType) -> String {
    format!("holds {dtype}, not {}", one_of(ptxcvt_blocks::Input::ALL))
}

/// The type of an array's numbers, by the file or, for raw files and for integers of .npy, by the user; `None` if they
/// are not of a type that can be quantised.
pub fn input_type(array: &Array, dtype: Option<Format>) -> Option<ptxcvt_blocks::Input> {
    ptxcvt_blocks::Input::ALL.iter().copied().find(|input| match (&array.dtype, dtype) {
        (FileType::Npy(name), dtype) => {
            let own = match input {
                ptxcvt_blocks::Input::F32 => Some("f4"),
                ptxcvt_blocks::Input::F16 => Some("f2"),
                // .npy has no name for it.
                ptxcvt_blocks::Input::Bf16 => None,
            };
            let bits =
                [format!("u{}", input.bytes()), format!("i{}", input.bytes()), format!("V{}", input.bytes())];
            let name = name.trim_start_matches(['<', '>', '|', '=']);
            match dtype {
                None => own == Some(name),
                Some(dtype) => {
                    dtype == input.format() && (own == Some(name) || bits.iter().any(|b| b == name))
                }
            }
        }
        (FileType::Safetensors(given), _) => safetensors::dtype(input.format()) == *given,
        (FileType::Raw(format), _) => *format == input.format(),
    })
}
