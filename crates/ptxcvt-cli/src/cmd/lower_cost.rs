//! `ptxcvt lower --cost`: the number of machine instructions that ptxas makes of a sequence.

use ptxcvt::{IsaVersion, Target, counted};
use ptxcvt_conform::assembler::Tools;
use ptxcvt_lower::{Lowering, render};

use crate::failure::Failure;
use crate::toolkit;

/// The programs that count machine instructions.
pub fn tools() -> Result<Tools, Failure> {
    let find = |name: &str| {
        toolkit::find(name).ok_or_else(|| {
            Failure::new(format!("--cost: {name} was not found in {}", toolkit::PLACES))
                .with_help("ptxas and nvdisasm come with CUDA")
        })
    };
    Ok(Tools::new(&find("ptxas")?, &find("nvdisasm")?))
}

/// A kernel with the lowering, and one without it.
pub fn kernels(lowering: &Lowering, target: Target, isa: IsaVersion) -> [String; 2] {
    [render::kernel(lowering, target, isa), render::empty_kernel(lowering.form(), target, isa)]
}

/// The number of machine instructions that ptxas makes of a kernel, less those of an empty one.
pub fn machine_instructions(
    tools: &Tools,
    [whole, empty]: [String; 2],
    target: Target,
) -> Result<usize, Failure> {
    let count = |module: String| {
        let message = |e: ptxcvt_conform::assembler::Unusable| Failure::new(e.to_string().trim().to_owned());
        tools.instructions(&module, &target.to_string()).map_err(message)
    };
    let (whole, empty) = (count(whole)?, count(empty)?);
    whole.checked_sub(empty).ok_or_else(|| {
        let counts = format!("{} and an empty kernel {empty}", counted(whole as u64, "machine instruction"));
        Failure::new(format!("--cost: the sequence has {counts} by ptxas"))
    })
}

/// The comment for `--cost`, or nothing without it.
pub fn comment(
    wanted: bool,
    kernels: impl FnOnce() -> [String; 2],
    target: Target,
) -> Result<String, Failure> {
    if !wanted {
        return Ok(String::new());
    }
    let tools = tools()?;
    let count = machine_instructions(&tools, kernels(), target)?;
    let version = tools.version().map_err(|e| Failure::new(e.to_string()))?;
    Ok(format!(
        "// {count} machine instructions for {target} by ptxas {version}, loads and stores left out\n"
    ))
}
