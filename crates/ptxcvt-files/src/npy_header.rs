//! Writes the header of `.npy` files, NumPy's format for one array.

/// The first bytes of every `.npy` file.
pub(crate) const SIGNATURE: &[u8] = b"\x93NUMPY";

/// The header of a `.npy` file, up to the first element. `descr` is the type of an element as a Python literal:
/// `'<f4'`, or a list of fields for records. `fortran` is true if the first axis is the contiguous one.
///
/// ```
/// let header = ptxcvt_files::npy_header("'<f4'", false, &[2, 3]);
/// assert!(header.starts_with(b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"));
/// assert_eq!(header.len(), 128);
/// ```
pub fn npy_header(descr: &str, fortran: bool, shape: &[u64]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let shape = match shape {
        // Python writes a tuple of one element with a comma.
        [one] => format!("{one},"),
        axes => axes.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
    };
    let mut text = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': ({shape}), }}");
    // Version 1 has a length of 16 bits, version 2 one of 32.
    let is_long = text.len() > usize::from(u16::MAX) - ALIGNMENT;
    let before = SIGNATURE.len() + 2 + if is_long { 4 } else { 2 };
    let padding = ALIGNMENT - 1 - (before + text.len()) % ALIGNMENT;
    text.extend(std::iter::repeat_n(' ', padding));
    text.push('\n');
    let mut header = SIGNATURE.to_vec();
    match is_long {
        false => {
            header.extend([1, 0]);
            header.extend((text.len() as u16).to_le_bytes());
        }
        true => {
            header.extend([2, 0]);
            header.extend((text.len() as u32).to_le_bytes());
        }
    }
    header.extend(text.as_bytes());
    header
}

/// The first element is at a multiple of this many bytes.
const ALIGNMENT: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_python_tuples() {
        let text =
            |shape: &[u64]| String::from_utf8_lossy(&npy_header("'|u1'", true, shape)[10..]).into_owned();
        for (shape, expected) in [(&[][..], "()"), (&[5], "(5,)"), (&[7, 451], "(7, 451)")] {
            let text = text(shape);
            assert!(text.contains(&format!("'fortran_order': True, 'shape': {expected}, }}")), "{text}");
        }
    }

    #[test]
    fn the_length_fits_its_field() {
        for axes in [1, 20_000, 21_804, 21_825, 22_000, 100_000] {
            let header = npy_header("'|u1'", false, &vec![1; axes]);
            let (length, at) = match header[6] {
                1 => (u32::from(u16::from_le_bytes([header[8], header[9]])), 10),
                _ => (u32::from_le_bytes([header[8], header[9], header[10], header[11]]), 12),
            };
            assert_eq!((header.len() % ALIGNMENT, header.len() - at), (0, length as usize), "{axes}");
        }
    }
}
