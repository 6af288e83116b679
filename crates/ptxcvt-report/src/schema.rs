//! The texts that reports consist of, with the pattern of each in the JSON Schema: a version, a target, a code.
//!
//! A pattern describes how a kind of text is written, not which texts exist, so that a file of a later version with
//! another target is still valid.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// Declares kinds of text: name, pattern, and description.
macro_rules! texts {
    ($($name:ident $pattern:literal $description:literal;)*) => {$(
        #[doc = $description]
        pub(crate) enum $name {}

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "description": $description, "type": "string", "pattern": $pattern })
            }
        }
    )*};
}

texts! {
    Isa r"^[1-9][0-9]*\.[0-9]+$" "A version of the PTX ISA, such as `9.1`.";
    TargetName "^sm_[1-9][0-9]+[a-z]?$" "A target, such as `sm_100a`.";
    Name "^[a-z][a-z0-9]*$" "The name of a format or a type, such as `e4m3` or `e4m3x2`.";
    Modifier "^[a-z][a-z0-9]*(::[a-z0-9]+)*$" "A modifier without its dot, such as `satfinite`.";
    Register r"^\.[a-z][a-z0-9]*$" "A type of registers, such as `.b16`.";
    Opcode r"^[a-z]+(\.[a-z][a-z0-9]*(::[a-z0-9]+)*)+$" "An opcode, such as `cvt.rn.satfinite.e4m3x2.f32`.";
    Code "^0x[0-9a-f]+$" "The bits of a code, such as `0x3c`.";
    Number r"^(nan|-?inf|-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?)$" "A value in decimal, such as `-1.5` or `3.4e38`; `inf`, `-inf` or `nan`.";
    Intrinsic r"^llvm\.[a-z0-9_.]+$" "An intrinsic of LLVM, such as `llvm.nvvm.f2bf16.rn`.";
    Operation r"^nvvm\.[a-z0-9_.]+$" "An operation of MLIR's dialect NVVM, such as `nvvm.convert.f32x2.to.f8x2`.";
    Instruction r"^[a-z]+(\.[a-z]+)?$" "An instruction, such as `cvt.pack`.";
    Call r"^[A-Za-z_][A-Za-z0-9_]*\(.*\)$" "A call of a function of CUDA's headers, such as `__float2half_rn(a)`.";
    RecipeName "^[a-z0-9][a-z0-9.-]*(/[a-z0-9]+)?$" "The name of a recipe, such as `mx-rceil/e4m3`.";
    Program r"^ptxcvt [0-9]+\.[0-9]+\.[0-9]+" "The name of a program and its version.";
}
