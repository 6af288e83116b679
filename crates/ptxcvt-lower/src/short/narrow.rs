//! Short sequences from f32, f16 and bf16 to FP8, FP6 and FP4; `words.rs` says how they round.
//!
//! PTX ISA section 9.7.9.21. In the templates, `$X` and `$Y` are the elements as f32: `$X` is the first operand or the
//! upper half. `$ELEMENTS` makes them from a pair.

use super::row::Row;
use crate::contract::Contract;

const EVERY: Contract = Contract::EVERY;

/// The forms with these modifiers, to nearest and towards zero, to these formats, from each source.
macro_rules! forms {
    ($modifiers:literal, $($to:literal),*) => {
        &[$(
            concat!("cvt.rn.", $modifiers, ".", $to, ".f32"),
            concat!("cvt.rz.", $modifiers, ".", $to, ".f32"),
            concat!("cvt.rn.", $modifiers, ".", $to, ".f16x2"),
            concat!("cvt.rz.", $modifiers, ".", $to, ".f16x2"),
            concat!("cvt.rn.", $modifiers, ".", $to, ".bf16x2"),
            concat!("cvt.rz.", $modifiers, ".", $to, ".bf16x2"),
        )*]
    };
}

const EIGHT: &[&str] = forms!("satfinite", "e4m3x2", "e5m2x2");
const EIGHT_RELU: &[&str] = forms!("satfinite.relu", "e4m3x2", "e5m2x2");
const SIX: &[&str] = forms!("satfinite", "e2m3x2", "e3m2x2");
const SIX_RELU: &[&str] = forms!("satfinite.relu", "e2m3x2", "e3m2x2");
const FOUR: &[&str] = forms!("satfinite", "e2m1x2");
const FOUR_RELU: &[&str] = forms!("satfinite.relu", "e2m1x2");

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "fma", serves: EIGHT, contract: EVERY,
        idea: "One fma for each element rounds at the right place. NaN becomes all ones.",
        text: include_str!("narrow/fma-8.ptx"),
    },
    Row {
        name: "fma-select", serves: EIGHT, contract: EVERY,
        idea: "Like the variant `fma`, with a comparison instead of `min.NaN`, which came with sm_80.",
        text: include_str!("narrow/fma-select-8.ptx"),
    },
    Row {
        name: "fma", serves: EIGHT_RELU, contract: EVERY,
        idea: "Like the sequence without `.relu`. The maximum and the minimum keep NaN.",
        text: include_str!("narrow/fma-relu-8.ptx"),
    },
    Row {
        name: "fma-select", serves: EIGHT_RELU, contract: EVERY,
        idea: "Like the variant `fma`, with comparisons instead of `min.NaN` and `max.NaN`, which came with sm_80.",
        text: include_str!("narrow/fma-select-relu-8.ptx"),
    },
    Row {
        name: "fma", serves: SIX, contract: EVERY,
        idea: "Like the sequence to FP8. The sign is repeated through its byte, so that no shift moves it to \
               where FP6 has it.",
        text: include_str!("narrow/fma-6.ptx"),
    },
    Row {
        name: "fma-min", serves: SIX, contract: EVERY,
        idea: "Like the variant `fma`. The first min turns NaN into the largest number, as the forms to FP6 do.",
        text: include_str!("narrow/fma-min-6.ptx"),
    },
    Row {
        name: "fma", serves: SIX_RELU, contract: EVERY,
        idea: "Like the sequence without `.relu`. The min turns NaN into the largest number.",
        text: include_str!("narrow/fma-relu-6.ptx"),
    },
    Row {
        name: "fma", serves: FOUR, contract: EVERY,
        idea: "Like the sequence to FP8. Each code is made at the top of its word, and a funnel shift appends one \
               to the other.",
        text: include_str!("narrow/fma-4.ptx"),
    },
    Row {
        name: "fma-min", serves: FOUR, contract: EVERY,
        idea: "Like the variant `fma`. The first min turns NaN into 6, as the forms to FP4 do. Without NaN, one \
               multiplication and one addition put both codes into a byte.",
        text: include_str!("narrow/fma-min-4.ptx"),
    },
    Row {
        name: "fma", serves: FOUR_RELU, contract: EVERY,
        idea: "Like the sequence without `.relu`. The min turns NaN into 6.",
        text: include_str!("narrow/fma-relu-4.ptx"),
    },
];
