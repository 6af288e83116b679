//! Shapes of tensors, and transposed matrices.

/// A shape without its axes of one element.
pub fn squeezed(shape: &[u64]) -> Vec<u64> {
    shape.iter().copied().filter(|n| *n != 1).collect()
}

/// The shape with the last two axes swapped.
pub fn exchanged<T: Copy>(shape: &[T]) -> Vec<T> {
    let mut shape = shape.to_vec();
    if let [.., rows, columns] = shape.as_mut_slice() {
        std::mem::swap(rows, columns);
    }
    shape
}

/// The matrices transposed; an array of one axis is one row.
pub fn turn(shape: &[u64], bytes: Vec<u8>, width: usize) -> Vec<u8> {
    let [.., rows, columns] = *shape else { return bytes };
    let (rows, columns) = (rows as usize, columns as usize);
    let mut out = Vec::with_capacity(bytes.len());
    for matrix in bytes.chunks_exact((rows * columns * width).max(1)) {
        for c in 0..columns {
            for r in 0..rows {
                let at = (r * columns + c) * width;
                out.extend_from_slice(&matrix[at..at + width]);
            }
        }
    }
    out
}
