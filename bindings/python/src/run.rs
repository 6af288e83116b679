//! Straight-line PTX over arrays.

use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;

use ptxcvt_exec::lanes::Elementwise;
use ptxcvt_exec::read::{self, Interface};
use ptxcvt_exec::{Block as Inner, Port};
use ptxcvt_syntax::Source;

use crate::arrays::unlocked;
use crate::error::{Text, Whole, error, named, plain};
use crate::form::{Form, read_target};

/// True if a text is the opcode of a conversion and not PTX.
#[pyfunction]
#[pyo3(name = "_is_opcode", signature = (text, /))]
pub fn is_opcode(text: Text) -> PyResult<bool> {
    named!(text);
    Ok(read::opcode_alone(&text).is_some())
}

/// Straight-line PTX: instructions with %0 or $0 placeholders, outputs first; a block in braces; a `.func` with
/// register parameters; a function of compiled PTX, by its name in PTX or C++ if there are several; or an `asm`
/// statement of CUDA C++. `constraints` declares the operands, as in inline assembly.
///
/// >>> from ptxcvt import Block
/// >>> block = Block("lop3.b32 %0, %1, 0x000f000f, 0x64006400, 0xea;")
/// >>> [hex(bits) for bits in block(0x87654321)]
/// ['0x64056401']
/// >>> block.inputs, block.outputs, block.since("sm_75")
/// ([('%1', '.b32', 32)], [('%0', '.b32', 32)], '6.3')
#[pyclass(frozen, module = "ptxcvt")]
#[derive(Debug)]
pub struct Block(pub Inner);

#[pymethods]
impl Block {
    #[new]
    #[pyo3(signature = (text, /, constraints=None, *, approximate=false, function=None))]
    fn new(
        text: Text,
        constraints: Option<Text>,
        approximate: bool,
        function: Option<Text>,
    ) -> PyResult<Self> {
        named!(text, constraints, function);
        let (text, constraints) = (&*text, constraints.as_deref());
        let interface = match constraints {
            None => Ok(Interface::default()),
            Some(list) => {
                // Clobbers are ignored.
                let operands: Vec<_> = list.split(',').filter(|c| !c.trim().starts_with('~')).collect();
                Interface::constraints(&operands.join(","))
            }
        };
        let failed = |at: &str, e: read::Error| {
            error(
                None,
                format!("{at}{}", e.message),
                &e.help().map(str::to_owned).into_iter().collect::<Vec<_>>(),
            )
        };
        let interface = interface.map_err(|e| failed("constraints: ", e))?;
        let named = function.clone();
        let interface = Interface { approximate, function, ..interface };
        let block = read::block(text, &interface).map_err(|e| {
            let at = Source::new("<block>", text.as_bytes()).position(e.span.start);
            failed(&format!("line {}, column {}: ", at.line, at.column), e)
        })?;
        match named.filter(|_| !block.is_function()) {
            Some(name) => Err(error(
                None,
                format!("function {name}: the text has no functions"),
                &["leave it out, or give a module of PTX".to_owned()],
            )),
            None => Ok(Block(block)),
        }
    }

    /// The block of one conversion.
    #[staticmethod]
    fn of_form(form: &Form) -> Self {
        Block(Inner::of_form(form.0))
    }

    /// A block that converts one element of a form of pairs, or None unless `other` is a function that converts one
    /// element.
    #[staticmethod]
    fn _of_element_like(form: &Form, other: &Block) -> Option<Self> {
        Inner::of_element_like(form.0, &other.0).map(Block)
    }

    /// The inputs in order: (name, type, width in bits).
    #[getter]
    fn inputs(&self) -> Vec<(String, String, u32)> {
        self.ports(self.0.inputs())
    }

    /// The outputs in order: (name, type, width in bits).
    #[getter]
    fn outputs(&self) -> Vec<(String, String, u32)> {
        self.ports(self.0.outputs())
    }

    /// True if the manual does not define the bits of an instruction's result.
    #[getter]
    fn approximate(&self) -> bool {
        self.0.is_approximate()
    }

    /// The first ISA version at which `target` accepts every instruction, or None.
    fn since(&self, target: Text) -> PyResult<Option<String>> {
        named!(target);
        Ok(self.0.since(read_target(&target)?).map(|version| version.to_string()))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    /// Runs the block once, on bits.
    #[pyo3(signature = (*inputs))]
    fn __call__(&self, inputs: Vec<Whole>) -> PyResult<Vec<u64>> {
        named!(inputs);
        self.0.eval(&inputs).map_err(|e| plain(e.to_string()))
    }

    /// Runs the block on `count` elements of each array. Widths are the widths of elements in bits.
    #[allow(clippy::too_many_arguments)] // One caller, in Python.
    fn _run(
        &self,
        py: Python<'_>,
        count: usize,
        inputs: Vec<PyReadonlyArray1<'_, u8>>,
        input_bits: Vec<u32>,
        mut outputs: Vec<PyReadwriteArray1<'_, u8>>,
        output_bits: Vec<u32>,
        pack: usize,
    ) -> PyResult<()> {
        let ready = Elementwise::new(&self.0, &input_bits, &output_bits, pack)
            .map_err(|e| error(Some(ptxcvt::Code::ArrayShape), e.to_string(), &[self.expected()]))?;
        let contiguous = |_| plain("expected contiguous arrays");
        let inputs: Vec<&[u8]> =
            inputs.iter().map(|bytes| bytes.as_slice().map_err(contiguous)).collect::<PyResult<_>>()?;
        let mut outputs: Vec<&mut [u8]> = outputs
            .iter_mut()
            .map(|bytes| bytes.as_slice_mut().map_err(contiguous))
            .collect::<PyResult<_>>()?;
        unlocked(py, count * 8, move || ready.run(count, &inputs, &mut outputs));
        Ok(())
    }
}

impl Block {
    fn ports(&self, ports: &[Port]) -> Vec<(String, String, u32)> {
        let name = |port: &Port| self.0.declaration(port.register).name.clone();
        ports.iter().map(|port| (name(port), self.0.kind(*port), self.0.width(*port))).collect()
    }

    fn expected(&self) -> String {
        let list = |ports: &[Port]| {
            let all = self.ports(ports).into_iter().map(|(name, kind, _)| format!("{name} {kind}"));
            all.collect::<Vec<_>>().join(", ")
        };
        format!("its outputs are {}; its inputs {}", list(self.0.outputs()), list(self.0.inputs()))
    }
}
