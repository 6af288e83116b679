//! Modules that are split and put together again, whole and damaged.

use ptxcvt_unpack::code::{join, length, split};

/// A function of each kind of instruction that has immediates, with its locals: `(2 i32) (1 f64)`.
const FUNCTIONS: [&[u8]; 4] = [
    // i32.const of one, two, three and five bytes; i64.const; f32.const; f64.const.
    &[
        0, 0x41, 1, 0x1a, 0x41, 0xff, 0, 0x1a, 0x41, 0x80, 0x80, 4, 0x1a, 0x41, 0xff, 0xff, 0xff, 0xff, 0xf,
        0x1a, //
        0x42, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x1a, 0x43, 1, 2, 0x0b, 4, 0x1a, //
        0x44, 1, 2, 3, 4, 5, 6, 0x0b, 8, 0x1a, 0x0b,
    ],
    // Blocks, branches and a table of them.
    &[
        2, 2, 0x7f, 1, 0x7c, 0x02, 0x40, 0x03, 0x40, 0x20, 0, 0x0d, 0, 0x20, 1, 0x0e, 2, 0, 1, 1, 0x0b, 0x0b,
        0x20, 0, 0x04, 0x40, 0x0c, 0, 0x05, 0x01, 0x0b, 0x0b,
    ],
    // Loads and stores with long offsets, the memory's size and growth, copies, saturating conversions.
    &[
        1, 1, 0x7f, 0x20, 0, 0x28, 2, 0x80, 0x80, 1, 0x21, 0, 0x20, 0, 0x41, 0, 0x36, 2, 4, 0x3f, 0, 0x40, 0,
        0x22, 0, 0x1a, 0x20, 0, 0x20, 0, 0x20, 0, 0xfc, 10, 0, 0, 0x20, 0, 0x20, 0, 0x20, 0, 0xfc, 11,
        0, //
        0x43, 0, 0, 0, 0, 0xfc, 0, 0x1a, 0x0b,
    ],
    // Calls, direct and through a table; globals; select with a type; references.
    &[
        0, 0x10, 0x80, 1, 0x23, 0, 0x24, 0, 0x41, 0, 0x11, 3, 0, 0x41, 1, 0x41, 2, 0x41, 0, 0x1c, 1, 0x7f,
        0x1a, //
        0xd0, 0x70, 0xd1, 0x1a, 0xd2, 1, 0x1a, 0x0b,
    ],
];

/// A module with these functions, and where they begin and end.
fn module(functions: &[&[u8]]) -> (Vec<u8>, usize, usize) {
    let mut module = b"\0asm\x01\0\0\0 some sections".to_vec();
    let first = module.len();
    for function in functions {
        match u8::try_from(function.len()) {
            Ok(short @ 0..0x80) => module.push(short),
            _ => module.extend([function.len() as u8 | 0x80, (function.len() >> 7) as u8]),
        }
        module.extend(*function);
    }
    let end = module.len();
    module.extend(b"data");
    (module, first, end)
}

#[test]
fn whole_modules() {
    let long = [&[0][..], &[0x41, 0, 0x1a].repeat(100), &[0x0b]].concat();
    let mut sets: Vec<Vec<&[u8]>> = FUNCTIONS.iter().map(|function| vec![*function]).collect();
    sets.extend([vec![], FUNCTIONS.to_vec(), vec![&long, FUNCTIONS[0], &long]]);
    for functions in sets {
        let (module, first, end) = module(&functions);
        let made = split(&module, first, end).unwrap();
        assert_eq!(length(&made), Some(module.len()));
        let mut again = vec![0; module.len()];
        assert_eq!(join(&made, &mut again), Some(()));
        assert_eq!(again, module);
    }
}

/// An unknown opcode, code that ends too soon, and a length of more bytes than it needs cannot be split.
#[test]
fn what_cannot_be_split() {
    for function in [&[0, 0xff, 0x0b][..], &[0, 0xfd, 0, 0x0b], &[0, 0x41, 0], &[0, 0x02, 0x40, 0x0b]] {
        let (module, first, end) = module(&[function]);
        assert_eq!(split(&module, first, end), None, "{function:x?}");
    }
    assert_eq!(split(b"\0asm\x01\0\0\0\x82\0\0\x0b", 8, 12), None);
}

/// Damaged bytes end without a panic, and a shorter file or output is refused.
#[test]
fn damaged_modules() {
    let (module, first, end) = module(&FUNCTIONS);
    let made = split(&module, first, end).unwrap();
    let mut output = vec![0; module.len()];
    assert_eq!(join(&made, &mut output[1..]), None);
    for at in 0..made.len() {
        assert_eq!(join(&made[..at], &mut output), None, "{at} bytes");
        for flip in [1, 0x80, 0xff] {
            let mut other = made.clone();
            other[at] ^= flip;
            let _ = join(&other, &mut output);
        }
    }
}
