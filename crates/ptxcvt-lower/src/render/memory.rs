//! The functions of the header in memory order: element 0 first, as arrays and vectors hold it.
//!
//! Each form for pairs of a small format has them for 1, 2, 4 and 8 elements. Those that fill a register are whole words
//! ([`crate::word`]); the others are made of pairs or of words.

use std::fmt::Write as _;

use ptxcvt::{Form, Format, Modifier, Rounding};

use super::branches::{Branches, by_target};
use super::cuda::conditional;
use super::text::name;
use crate::word::{self, Shape, Variant, WordError};

/// True where CUDA declares `float2` and `float4`.
const FLOAT2: &str = "(defined(__CUDACC__) || defined(__VECTOR_TYPES_H__))";

/// A form between pairs of a small format and pairs of f32, f16 or bf16.
#[derive(Clone, Copy)]
pub(super) struct Memory {
    form: Form,
    narrows: bool,
    small: Format,
    wide: Format,
}

impl Memory {
    /// The form's functions in memory order, if it has any.
    pub fn new(form: Form) -> Option<Memory> {
        let [from, to] = [form.source().format(), form.destination().format()];
        let narrows = to.storage() <= 8;
        let (small, wide) = if narrows { (to, from) } else { (from, to) };
        let fits = matches!(wide, Format::F32 | Format::F16 | Format::Bf16) && !small.is_integer();
        let memory = Memory { form, narrows, small, wide };
        (fits && small.storage() <= 8 && Shape::new(form, memory.fill()).is_ok()).then_some(memory)
    }

    /// The number of elements that fill a register.
    pub fn fill(self) -> u32 {
        32 / self.small.storage()
    }

    /// The name for a number of elements: `to_e4m3x4`, `from_e2m1x8_relu`. Rounding to nearest and `.satfinite` of
    /// conversions to the small format go without saying.
    pub fn name(self, elements: u32) -> String {
        let to = if self.narrows { "to" } else { "from" };
        let mut name = format!("{to}_{}", self.small.name());
        if elements > 1 {
            let _ = write!(name, "x{elements}");
        }
        if let Some(rounding) = self.form.rounding().filter(|r| *r != Rounding::Rn) {
            let _ = write!(name, "_{}", rounding.name());
        }
        if self.narrows && !self.form.has(Modifier::Satfinite) {
            name += "_nosat";
        }
        for modifier in self.form.modifiers().iter() {
            if modifier != Modifier::Satfinite || !self.narrows {
                let _ = write!(name, "_{}", modifier.name().replace("::", "_"));
            }
        }
        name
    }

    /// True of a conversion to the small format.
    pub fn narrows(self) -> bool {
        self.narrows
    }

    /// The small format and the wide one.
    pub fn formats(self) -> (Format, Format) {
        (self.small, self.wide)
    }

    /// The type of the wide format's registers, and their number.
    pub fn registers(self, elements: u32) -> (&'static str, u32) {
        (self.register(), elements / self.per_register())
    }

    /// The name of the function whose f16 or bf16 are bits.
    pub fn bits_name(self, elements: u32) -> String {
        match self.wide {
            Format::F32 => self.name(elements),
            wide => format!("{}_{}", self.name(elements), wide.name()),
        }
    }

    /// Elements of the wide format in a register.
    fn per_register(self) -> u32 {
        if self.wide == Format::F32 { 1 } else { 2 }
    }

    /// The type of a register of the wide format.
    fn register(self) -> &'static str {
        if self.wide == Format::F32 { "float" } else { "unsigned int" }
    }

    /// The type of the codes of `elements` elements.
    fn codes(self, elements: u32) -> &'static str {
        match elements * self.small.storage() {
            4 | 8 => "unsigned char",
            16 => "unsigned short",
            32 => "unsigned int",
            _ => "unsigned long long",
        }
    }

    /// The form whose functions widen f16 or bf16 to f32, if the functions of this one have f32 results: of the forms
    /// that differ in the wide format only, the one to f16 has them.
    pub fn widening(self) -> Option<Form> {
        let to_f16 = || self.form.to_string().replace(".bf16x2.", ".f16x2.").parse::<Form>();
        let exact = match self.wide {
            _ if self.narrows => return None,
            Format::F16 => "cvt.f32.f16",
            Format::Bf16 if to_f16().is_err() => "cvt.f32.bf16",
            _ => return None,
        };
        Some(exact.parse().expect("a form of the table"))
    }

    /// All functions, each group with its guard.
    pub fn definitions(self) -> Result<String, WordError> {
        let mut text = String::new();
        let sizes = [2, 4, 8];
        for elements in sizes {
            text += &if self.narrows { self.narrow(elements)? } else { self.widen(elements)? };
        }
        if self.narrows && self.wide == Format::F32 {
            let _ = writeln!(
                text,
                "PTXCVT_FUNCTION unsigned char {}(float x) {{ return static_cast<unsigned char>({}(0.0f, x)); }}",
                self.name(1),
                name(self.form)
            );
        }
        if let Some(widening) = self.widening() {
            text += &self.floats(&sizes, widening);
        }
        let guard = format!("PTXCVT_{}_MEMORY", name(self.form).to_uppercase());
        let text =
            format!("#ifndef {guard}\n#define {guard}\n// {} in memory order.\n{text}#endif\n", self.form);
        Ok(text + &self.overloads())
    }

    /// Registers in a list: `x[0], x[1]`.
    fn list(count: u32, element: impl Fn(u32) -> String) -> String {
        (0..count).map(element).collect::<Vec<_>>().join(", ")
    }

    /// The call of the form for pair `n` of registers `x`.
    fn pair(self, n: u32) -> String {
        let form = name(self.form);
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

    /// The body for elements that fill a register.
    fn word(self) -> Result<String, WordError> {
        let elements = self.fill();
        let registers = elements / self.per_register();
        let letter = if self.wide == Format::F32 { "f" } else { "r" };
        let wide = |out: &str| Self::list(registers, |n| format!("\"{out}{letter}\"(x[{n}])"));
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

    /// The function to codes.
    fn narrow(self, elements: u32) -> Result<String, WordError> {
        let (codes, register) = (self.codes(elements), self.register());
        let registers = elements / self.per_register();
        let bits = self.bits_name(elements);
        if registers == 1 {
            let call = format!("{}(x)", name(self.form));
            return Ok(format!("PTXCVT_FUNCTION {codes} {bits}({register} x) {{ return {call}; }}\n"));
        }
        let fill = self.fill();
        let body = match elements {
            n if n == fill => self.word()?,
            n if n < fill => self.pairs(n),
            _ => {
                let (half, part) = (registers / 2, self.bits_name(elements / 2));
                let array = |from: u32| Self::list(half, |n| format!("x[{}]", from + n));
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

    /// The function from codes.
    fn widen(self, elements: u32) -> Result<String, WordError> {
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
    fn floats(self, sizes: &[u32], widening: Form) -> String {
        let widening = name(widening);
        let half = |register: &str, n: u32| match n % 2 {
            0 => format!("{widening}(static_cast<unsigned short>({register}))"),
            _ => format!("{widening}(static_cast<unsigned short>({register} >> 16))"),
        };
        let mut text = format!(
            "PTXCVT_FUNCTION float {}(unsigned char code) {{ return {}; }}\n",
            self.name(1),
            half(&format!("{}(code)", self.bits_name(2)), 0)
        );
        for elements in sizes {
            let (codes, bits) = (self.codes(*elements), self.bits_name(*elements));
            let registers = elements / 2;
            let call = match registers {
                1 => format!("    const unsigned int bits[1] = {{{bits}(codes)}};\n"),
                _ => format!("    unsigned int bits[{registers}];\n    {bits}(codes, bits);\n"),
            };
            let results: String = (0..*elements)
                .map(|n| format!("    x[{n}] = {};\n", half(&format!("bits[{}]", n / 2), n)))
                .collect();
            let _ = write!(
                text,
                "PTXCVT_FUNCTION void {}({codes} codes, float (&x)[{elements}])\n{{\n{call}{results}}}\n",
                self.name(*elements)
            );
        }
        text
    }

    /// The type of CUDA's headers for a pair, and the condition under which it is declared.
    pub fn cuda_type(self) -> (&'static str, &'static str) {
        match self.wide {
            Format::F32 => (FLOAT2, "float2"),
            Format::F16 => ("defined(__CUDA_FP16_TYPES_EXIST__)", "__half2"),
            _ => ("defined(__CUDA_BF16_TYPES_EXIST__)", "__nv_bfloat162"),
        }
    }

    /// Functions for the types of CUDA's headers, where those are included.
    fn overloads(self) -> String {
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
        let guard = format!("PTXCVT_{}_{guard}", name(self.form).to_uppercase());
        format!("#if {condition} && !defined({guard})\n#define {guard}\n{text}#endif\n")
    }

    /// Functions for `float2` and `float4`.
    fn float_vectors(self, narrows: bool) -> String {
        let mut text = String::new();
        for (elements, letters) in [(2, &["x", "y"][..]), (4, &["x", "y", "z", "w"])] {
            let (codes, name) = (self.codes(elements), self.name(elements));
            let fields = Self::list(elements, |n| format!("x.{}", letters[n as usize]));
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
        for elements in [2, 4, 8] {
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
                    Self::list(registers, of)
                ),
                (false, _) => format!(
                    "PTXCVT_FUNCTION void {name}({codes} codes, {ty} (&x)[{registers}])\n{{\n    unsigned int all[{registers}];\n    {bits}(codes, all);\n{copies}}}\n"
                ),
            };
        }
        text
    }
}

/// The blocks of a word for all architectures.
pub(super) fn branches(shape: Shape, variant: Variant) -> Result<Branches, WordError> {
    // Words with other options are never the instruction.
    let has_instruction = variant == Variant { numbers: variant.numbers, ..Variant::default() };
    let instruction = word::reference(shape).map_err(WordError::Lower)?;
    by_target(
        instruction.body(),
        |target| if has_instruction { shape.form().since(target) } else { None },
        |target, isa| match word::word(shape, variant, target, isa) {
            Ok(word) => Ok(Some(word)),
            Err(WordError::Target(..)) => Ok(None),
            Err(error) => Err(error),
        },
    )
}
