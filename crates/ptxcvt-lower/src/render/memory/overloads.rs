//! The functions for the types of CUDA's headers: `float2`, `float4`, `__half2`, `__nv_bfloat162` and arrays of them.

use ptxcvt::Format;

use super::shape::{Memory, SIZES, list};

/// True where CUDA declares `float2` and `float4`.
const FLOAT2: &str = "(defined(__CUDACC__) || defined(__VECTOR_TYPES_H__))";

impl Memory {
    /// The type of CUDA's headers for a pair, and the condition under which it is declared.
    pub fn cuda_type(self) -> (&'static str, &'static str) {
        match self.wide {
            Format::F32 => (FLOAT2, "float2"),
            Format::F16 => ("defined(__CUDA_FP16_TYPES_EXIST__)", "__half2"),
            _ => ("defined(__CUDA_BF16_TYPES_EXIST__)", "__nv_bfloat162"),
        }
    }

    /// Functions for the types of CUDA's headers, where those are included.
    pub(super) fn overloads(self) -> String {
        let (condition, ty) = self.cuda_type();
        let (guard, text) = match self.wide {
            Format::F32 => ("FLOAT2", self.float_vectors(true)),
            _ => ("PAIRS", self.pairs_of(ty)),
        };
        let mut text = self.guarded(condition, guard, &text);
        if self.widening().is_some() {
            text += &self.guarded(FLOAT2, "FLOAT2", &self.float_vectors(false));
        }
        text
    }

    fn guarded(self, condition: &str, guard: &str, text: &str) -> String {
        let guard = format!("PTXCVT_{}_{guard}", self.form.identifier().to_uppercase());
        format!("#if {condition} && !defined({guard})\n#define {guard}\n{text}#endif\n")
    }

    /// Functions for `float2` and `float4`.
    fn float_vectors(self, narrows: bool) -> String {
        let mut text = String::new();
        for (elements, letters) in [(2, &["x", "y"][..]), (4, &["x", "y", "z", "w"])] {
            let (codes, name) = (self.codes(elements), self.name(elements));
            let fields = list(elements, |n| format!("x.{}", letters[n as usize]));
            let copies: String =
                letters.iter().enumerate().map(|(n, letter)| format!(" x.{letter} = all[{n}];")).collect();
            text += &match narrows {
                true => format!(
                    "PTXCVT_FUNCTION {codes} {name}(float{elements} x)\n{{\n    const float all[{elements}] = {{{fields}}};\n    return {name}(all);\n}}\n"
                ),
                false => format!(
                    "PTXCVT_FUNCTION void {name}({codes} codes, float{elements}& x)\n{{\n    float all[{elements}];\n    {name}(codes, all);\n   {copies}\n}}\n"
                ),
            };
        }
        text
    }

    /// Functions for `__half2` or `__nv_bfloat162`, and arrays of them.
    fn pairs_of(self, ty: &str) -> String {
        let mut text = String::new();
        for elements in SIZES {
            let (codes, name, bits) = (self.codes(elements), self.name(elements), self.bits_name(elements));
            let registers = elements / 2;
            let of = |n: u32| format!("detail::bits_as<unsigned int>(x[{n}])");
            let copies: String =
                (0..registers).map(|n| format!("    x[{n}] = detail::bits_as<{ty}>(all[{n}]);\n")).collect();
            text += &match (self.narrows, registers) {
                (true, 1) => format!(
                    "PTXCVT_FUNCTION {codes} {name}({ty} x) {{ return {bits}(detail::bits_as<unsigned int>(x)); }}\n"
                ),
                (false, 1) => format!(
                    "PTXCVT_FUNCTION void {name}({codes} codes, {ty}& x) {{ x = detail::bits_as<{ty}>({bits}(codes)); }}\n"
                ),
                (true, _) => format!(
                    "PTXCVT_FUNCTION {codes} {name}(const {ty} (&x)[{registers}])\n{{\n    const unsigned int all[{registers}] = {{{}}};\n    return {bits}(all);\n}}\n",
                    list(registers, of)
                ),
                (false, _) => format!(
                    "PTXCVT_FUNCTION void {name}({codes} codes, {ty} (&x)[{registers}])\n{{\n    unsigned int all[{registers}];\n    {bits}(codes, all);\n{copies}}}\n"
                ),
            };
        }
        text
    }
}
