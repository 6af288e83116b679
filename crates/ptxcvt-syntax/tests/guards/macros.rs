//! Macros with parameters that the files define, each in several ways.

/// The arguments of a macro.
#[derive(Clone, Copy)]
pub enum Shape {
    /// A number with which `__CUDA_ARCH__` is compared.
    Bound,
    /// This many conditions.
    Conditions(usize),
}

/// A macro with parameters.
pub struct Macro {
    pub name: &'static str,
    pub shape: Shape,
    /// Its definitions: the text after the name, and the meaning. Only one of them is in effect at a time.
    pub definitions: [(&'static str, Meaning); 2],
}

/// The value of a call from its arguments.
#[derive(Clone, Copy)]
pub enum Meaning {
    /// `__CUDA_ARCH__` is at least the number.
    AtLeast,
    /// `__CUDA_ARCH__` is above the number.
    Above,
    Both,
    Either,
    /// The second argument if the first one is true, otherwise the third.
    Choice,
    /// The third argument if the first one is true, otherwise the second.
    Opposite,
}

pub const MACROS: [Macro; 3] = [
    Macro {
        name: "AT_LEAST",
        shape: Shape::Bound,
        definitions: [
            ("(n) (__CUDA_ARCH__ >= (n))", Meaning::AtLeast),
            ("( n ) (__CUDA_ARCH__ - n > 0)", Meaning::Above),
        ],
    },
    Macro {
        name: "JOIN",
        shape: Shape::Conditions(2),
        definitions: [
            ("(a, b) ((a) && (b))", Meaning::Both),
            ("(x, ...) ((x) ? 1 : (__VA_ARGS__))", Meaning::Either),
        ],
    },
    Macro {
        name: "PICK",
        shape: Shape::Conditions(3),
        definitions: [
            ("(c, yes, no) ((c) ? (yes) : (no))", Meaning::Choice),
            ("(c, no, yes) ((c) ? (yes) : (no)) /* the other way */", Meaning::Opposite),
        ],
    },
];

impl Meaning {
    /// The value of a call, by the values of the arguments and of `__CUDA_ARCH__`.
    pub fn value<T>(self, arguments: &[T], arch: i64, eval: impl Fn(&T) -> i64) -> i64 {
        let truth = |n: usize| eval(&arguments[n]) != 0;
        match self {
            Meaning::AtLeast => (arch >= eval(&arguments[0])).into(),
            Meaning::Above => (arch > eval(&arguments[0])).into(),
            Meaning::Both => (truth(0) && truth(1)).into(),
            Meaning::Either => i64::from(truth(0) || truth(1)),
            Meaning::Choice => eval(&arguments[if truth(0) { 1 } else { 2 }]),
            Meaning::Opposite => eval(&arguments[if truth(0) { 2 } else { 1 }]),
        }
    }
}
