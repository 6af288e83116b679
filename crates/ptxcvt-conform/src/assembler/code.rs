//! Counts the machine instructions of a module: ptxas generates the code, nvdisasm reads it.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::sift::Ptxas;
use super::unusable::Unusable;

/// An assembler and a disassembler.
#[derive(Clone, Debug)]
pub struct Tools {
    ptxas: PathBuf,
    nvdisasm: PathBuf,
}

impl Tools {
    /// These two programs.
    pub fn new(ptxas: &Path, nvdisasm: &Path) -> Self {
        Tools { ptxas: ptxas.to_owned(), nvdisasm: nvdisasm.to_owned() }
    }

    /// The version of the assembler.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be run.
    pub fn version(&self) -> Result<String, Unusable> {
        Ptxas::new(&self.ptxas).version()
    }

    /// The machine instructions of a module, padding left out.
    ///
    /// # Errors
    ///
    /// Fails if a tool cannot be run, or does not accept the module.
    pub fn instructions(&self, module: &str, arch: &str) -> Result<usize, Unusable> {
        let mut listing = None;
        let answer = Ptxas::new(&self.ptxas).run_then(module, &["-arch", arch], |cubin| {
            listing = Some(Command::new(&self.nvdisasm).arg("-c").arg(cubin).output());
        })?;
        let listing = match listing {
            Some(listing) if answer.accepted => listing,
            _ => return Err(Unusable(answer.messages)),
        };
        let listing = listing.map_err(|e| Unusable(format!("{}: {e}", self.nvdisasm.display())))?;
        if !listing.status.success() {
            let message = String::from_utf8_lossy(&listing.stderr).into_owned();
            return Err(Unusable(format!("{}: {message}", self.nvdisasm.display())));
        }
        Ok(machine_instructions(&String::from_utf8_lossy(&listing.stdout)))
    }
}

/// The instructions of a listing: `/*0010*/  IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;`. The text after the last
/// `EXIT` is padding.
pub fn machine_instructions(listing: &str) -> usize {
    let lines = listing.lines().filter_map(|line| line.trim_start().strip_prefix("/*"));
    let code = lines.filter_map(|line| {
        let (address, rest) = line.split_once("*/")?;
        let is_address = !address.is_empty() && address.bytes().all(|b| b.is_ascii_hexdigit());
        is_address.then(|| rest.trim_start().trim_start_matches('{').trim_start())
    });
    let code: Vec<&str> =
        code.filter(|text| text.starts_with(|c: char| c.is_ascii_uppercase() || c == '@')).collect();
    let end = code.iter().rposition(|text| text.contains("EXIT")).map_or(code.len(), |at| at + 1);
    code[..end].iter().filter(|text| !text.starts_with("NOP")).count()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_listing_is_counted() {
        let listing = "\
.text.kernel:\n        /*0000*/                   MOV R1, c[0x0][0x28] ;
        /*0010*/              @!PT  NOP ;\n        /*0020*/                   NOP ;
        /*0030*/                   EXIT ;\n.L_x_0:\n        /*0040*/                   BRA `(.L_x_0);\n";
        assert_eq!(super::machine_instructions(listing), 3);
        assert_eq!(super::machine_instructions(""), 0);
    }
}
