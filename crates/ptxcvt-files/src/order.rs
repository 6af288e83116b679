//! Several arrays, some in Fortran order and some in C order.

use crate::array::Input;
use crate::error::FileError;
use crate::source::Source;

/// Converts all inputs to C order if only some have it, so that elements are paired by index.
///
/// # Errors
///
/// Fails if an array cannot be read or does not fit in memory.
pub fn align(inputs: &mut [Input]) -> Result<(), FileError> {
    let matters = |shape: &[u64]| shape.iter().filter(|n| **n > 1).count() > 1;
    let orders = inputs.iter().flat_map(|input| &input.arrays).filter(|a| matters(&a.shape));
    let (fortran, c): (Vec<bool>, Vec<bool>) = orders.map(|a| a.fortran).partition(|fortran| *fortran);
    if fortran.is_empty() || c.is_empty() {
        return Ok(());
    }
    for input in inputs {
        let [array] = &mut input.arrays[..] else { continue };
        let Some(len) = array.len.filter(|_| array.fortran) else { continue };
        let elements: u64 = array.shape.iter().product();
        if elements == 0 {
            continue;
        }
        let mut bytes = vec![0; usize::try_from(len).map_err(|_| too_large(&input.source))?];
        input.source.read_exact(array.start, &mut bytes)?;
        let width = (len / elements) as usize;
        input.source = Source::memory(&input.source.name, to_c(&bytes, &array.shape, width));
        (array.start, array.fortran) = (0, false);
    }
    Ok(())
}

fn too_large(source: &Source) -> FileError {
    FileError::new(format!("{}: too large to be rearranged in memory", source.name))
}

/// Rearranges elements of `width` bytes from an order in which the first axis is contiguous to one in which the last
/// axis is.
fn to_c(bytes: &[u8], shape: &[u64], width: usize) -> Vec<u8> {
    let mut result = Vec::with_capacity(bytes.len());
    // The distance in bytes between neighbours along each axis.
    let strides: Vec<usize> = shape
        .iter()
        .scan(width, |stride, n| Some(std::mem::replace(stride, *stride * *n as usize)))
        .collect();
    let mut index = vec![0_u64; shape.len()];
    let mut at = 0;
    while result.len() < bytes.len() {
        result.extend_from_slice(&bytes[at..at + width]);
        // The next index in C's order: the last axis runs fastest.
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            at += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            at -= strides[axis] * shape[axis] as usize;
            index[axis] = 0;
        }
    }
    result
}

/// The index in C order of the element that is at `at` if the first axis is contiguous.
pub fn c_index(shape: &[u64], at: u64) -> u64 {
    let mut rest = at;
    let along: Vec<u64> = shape.iter().map(|n| (rest % n.max(&1), rest /= n.max(&1)).0).collect();
    shape.iter().zip(along).fold(0, |index, (n, at)| index * n + at)
}

#[cfg(test)]
mod tests {
    #[test]
    fn indices_are_those_of_c_order() {
        // Element (i, j, k) is at i + 2j + 6k.
        let index = |at| super::c_index(&[2, 3, 4], at);
        assert_eq!([0, 1, 2, 6, 23].map(index), [0, 12, 4, 1, 23]);
    }

    #[test]
    fn columns_become_rows() {
        // [[1, 2, 3], [4, 5, 6]], column after column, two bytes an element.
        let fortran = [1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6, 0];
        assert_eq!(super::to_c(&fortran, &[2, 3], 2), [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0]);
        let cube: Vec<u8> = (0..24).collect();
        let c = super::to_c(&cube, &[2, 3, 4], 1);
        // Element (i, j, k) has the index i + 2j + 6k.
        assert_eq!((c[0], c[1], c[4], c[12], c[23]), (0, 6, 2, 1, 23));
    }
}
