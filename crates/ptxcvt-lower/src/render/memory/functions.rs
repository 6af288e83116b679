//! The C++ functions that convert registers and arrays of f32 to codes and back.

use std::fmt::Write as _;

use ptxcvt::{Form, Format};

use super::shape::{Memory, SIZES, branches, list};
use crate::render::cuda::conditional;
use crate::word::{Shape, Variant, WordError};

impl Memory {
    /// The call that converts pair `n` of the registers `x`.
    fn pair(self, n: u32) -> String {
        let form = self.form.identifier();
        match (self.narrows, self.wide) {
            (true, Format::F32) => format!("{form}(x[{}], x[{}])", 2 * n + 1, 2 * n),
            (true, _) => format!("{form}(x[{n}])"),
            (false, _) => {
                let shift = 2 * self.small.storage() * n;
                let codes = if shift == 0 { "codes".to_owned() } else { format!("codes >> {shift}") };
                format!("{form}(static_cast<{}>({codes}))", self.codes(2))
            }
        }
    }

    /// Statements that convert pair by pair.
    fn pairs(self, elements: u32) -> String {
        if !self.narrows {
            return (0..elements / 2).map(|n| format!("    x[{n}] = {};\n", self.pair(n))).collect();
        }
        let codes = self.codes(elements);
        let part = |n: u32| match n {
            0 => format!("static_cast<{codes}>({})", self.pair(n)),
            _ => format!("static_cast<{codes}>({}) << {}", self.pair(n), 2 * self.small.storage() * n),
        };
        let all: Vec<String> = (0..elements / 2).map(part).collect();
        format!("    return static_cast<{codes}>({});\n", all.join(" | "))
    }

    /// Writes the body of a function for elements that fill a register.
    fn word(self) -> Result<String, WordError> {
        let elements = self.fill();
        let registers = elements / self.per_register();
        let letter = if self.wide == Format::F32 { "f" } else { "r" };
        let wide = |out: &str| list(registers, |n| format!("\"{out}{letter}\"(x[{n}])"));
        let shape = Shape::new(self.form, elements).expect("`new` has checked it");
        let branches = branches(shape, Variant::default())?;
        let host = self.pairs(elements);
        Ok(match self.narrows {
            true => format!(
                "#if PTXCVT_TARGET == 0\n{host}#else\n    unsigned int d;\n{}    return d;\n#endif\n",
                conditional(&branches, &format!("\"=r\"(d) : {}", wide("")))
            ),
            false => format!(
                "#if PTXCVT_TARGET == 0\n{host}#else\n{}#endif\n",
                conditional(&branches, &format!("{} : \"r\"(codes)", wide("=")))
            ),
        })
    }

    /// Writes the function that converts to codes.
    pub(super) fn narrow(self, elements: u32) -> Result<String, WordError> {
        let (codes, register) = (self.codes(elements), self.register());
        let registers = elements / self.per_register();
        let bits = self.bits_name(elements);
        if registers == 1 {
            let call = format!("{}(x)", self.form.identifier());
            return Ok(format!("PTXCVT_FUNCTION {codes} {bits}({register} x) {{ return {call}; }}\n"));
        }
        let fill = self.fill();
        let body = match elements {
            n if n == fill => self.word()?,
            n if n < fill => self.pairs(n),
            _ => {
                let (half, part) = (registers / 2, self.bits_name(elements / 2));
                let array = |from: u32| list(half, |n| format!("x[{}]", from + n));
                format!(
                    "    const {register} low[{half}] = {{{}}}, high[{half}] = {{{}}};\n    \
                     return static_cast<{codes}>({part}(low)) | static_cast<{codes}>({part}(high)) << 32;\n",
                    array(0),
                    array(half)
                )
            }
        };
        Ok(format!("PTXCVT_FUNCTION {codes} {bits}(const {register} (&x)[{registers}])\n{{\n{body}}}\n"))
    }

    /// Writes the function that converts from codes.
    pub(super) fn widen(self, elements: u32) -> Result<String, WordError> {
        let (codes, bits) = (self.codes(elements), self.bits_name(elements));
        let registers = elements / 2;
        if registers == 1 {
            let call = self.pair(0);
            return Ok(format!("PTXCVT_FUNCTION unsigned int {bits}({codes} codes) {{ return {call}; }}\n"));
        }
        let fill = self.fill();
        let body = match elements {
            n if n == fill => self.word()?,
            n if n < fill => self.pairs(n),
            _ => {
                let (half, part) = (registers / 2, self.bits_name(elements / 2));
                let copies: String = (0..half)
                    .map(|n| format!("    x[{n}] = low[{n}];\n    x[{}] = high[{n}];\n", half + n))
                    .collect();
                format!(
                    "    unsigned int low[{half}], high[{half}];\n    {part}(static_cast<unsigned int>(codes), low);\n    \
                     {part}(static_cast<unsigned int>(codes >> 32), high);\n{copies}"
                )
            }
        };
        Ok(format!(
            "PTXCVT_FUNCTION void {bits}({codes} codes, unsigned int (&x)[{registers}])\n{{\n{body}}}\n"
        ))
    }

    /// The functions from codes to f32, through f16 or bf16, which hold every code.
    pub(super) fn floats(self, widening: Form) -> String {
        let widening = widening.identifier();
        let half = |register: &str, n: u32| match n % 2 {
            0 => format!("{widening}(static_cast<unsigned short>({register}))"),
            _ => format!("{widening}(static_cast<unsigned short>({register} >> 16))"),
        };
        let mut text = format!(
            "PTXCVT_FUNCTION float {}(unsigned char code) {{ return {}; }}\n",
            self.name(1),
            half(&format!("{}(code)", self.bits_name(2)), 0)
        );
        for elements in SIZES {
            let (codes, bits) = (self.codes(elements), self.bits_name(elements));
            let registers = elements / 2;
            let call = match registers {
                1 => format!("    const unsigned int bits[1] = {{{bits}(codes)}};\n"),
                _ => format!("    unsigned int bits[{registers}];\n    {bits}(codes, bits);\n"),
            };
            let results: String = (0..elements)
                .map(|n| format!("    x[{n}] = {};\n", half(&format!("bits[{}]", n / 2), n)))
                .collect();
            let _ = write!(
                text,
                "PTXCVT_FUNCTION void {}({codes} codes, float (&x)[{elements}])\n{{\n{call}{results}}}\n",
                self.name(elements)
            );
        }
        text
    }
}
