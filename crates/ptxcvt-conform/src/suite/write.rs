//! Files of test vectors.

use std::fmt::Write;

use ptxcvt::Format;
use ptxcvt::literal::hex;

use super::list::Suite;
use crate::judge::inputs::bytes;

/// The layout of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// Two columns of hexadecimal codes with a tab between them; lines with `#` are comments.
    Tsv,
    /// A word a line for `$readmemh` of Verilog: the input above the result.
    Hex,
    /// An object with the formats, the conversion in words, and a list of pairs of codes.
    Json,
    /// A C header with an array of structures.
    C,
    /// NumPy's format: an array of structures with the fields `input` and `result`.
    Npy,
}

impl Suite {
    /// The bytes of a file.
    ///
    /// ```
    /// use ptxcvt::{Conversion, Format};
    /// use ptxcvt_conform::suite::{Layout, Suite};
    /// let suite = Suite::new(Conversion::new(Format::E2m1, Format::E4m3), 0, 1);
    /// let text = String::from_utf8(suite.write(Layout::Hex)).unwrap();
    /// assert!(text.lines().any(|line| line == "74c")); // 6 is 0x7 in e2m1 and 0x4c in e4m3
    /// ```
    pub fn write(&self, layout: Layout) -> Vec<u8> {
        match layout {
            Layout::Tsv => self.tsv().into_bytes(),
            Layout::Hex => self.readmemh().into_bytes(),
            Layout::Json => self.json().into_bytes(),
            Layout::C => self.c().into_bytes(),
            Layout::Npy => self.npy(),
        }
    }

    fn formats(&self) -> (Format, Format) {
        (self.conversion().source(), self.conversion().destination())
    }

    /// The digits of a source and of a result.
    fn digits(&self) -> (usize, usize) {
        let (source, destination) = self.formats();
        (source.storage().div_ceil(4) as usize, destination.storage().div_ceil(4) as usize)
    }

    fn tsv(&self) -> String {
        let (source, result) = self.digits();
        let mut text = format!("# {}\n# input\tresult\n", self.title());
        for vector in self.vectors() {
            push(&mut text, format_args!("{:0source$x}\t{:0result$x}\n", vector.input, vector.result));
        }
        text
    }

    fn readmemh(&self) -> String {
        let (source, result) = self.digits();
        let count = self.vectors().len();
        let mut text = format!("// {}\n", self.title());
        push(
            &mut text,
            format_args!(
                "// {count} words of {} bits: the input above the {} bits of the result.\n",
                4 * (source + result),
                4 * result
            ),
        );
        for vector in self.vectors() {
            push(&mut text, format_args!("{:0source$x}{:0result$x}\n", vector.input, vector.result));
        }
        text
    }

    fn json(&self) -> String {
        let (source, destination) = self.formats();
        let mut text = format!(
            "{{\n  \"conversion\": \"{}\",\n  \"source\": \"{source}\",\n  \"destination\": \"{destination}\",\n  \
             \"vectors\": [",
            self.title()
        );
        for (n, vector) in self.vectors().iter().enumerate() {
            let comma = if n == 0 { "" } else { "," };
            let (input, result) =
                (hex(vector.input, source.storage()), hex(vector.result, destination.storage()));
            push(&mut text, format_args!("{comma}\n    [\"{input}\", \"{result}\"]"));
        }
        text + "\n  ]\n}\n"
    }

    fn c(&self) -> String {
        let (source, destination) = self.formats();
        let name = format!("{source}_to_{destination}");
        let types = [source, destination].map(|format| format!("uint{}_t", 8 * bytes(format)));
        let mut text = format!(
            "/* {} */\n#include <stddef.h>\n#include <stdint.h>\n\nstatic const struct {{\n    {} input;\n    {} result;\n}} \
             {name}[] = {{\n",
            self.title(),
            types[0],
            types[1]
        );
        let suffix = if source.storage() > 32 || destination.storage() > 32 { "ull" } else { "u" };
        for vector in self.vectors() {
            let (input, result) =
                (hex(vector.input, source.storage()), hex(vector.result, destination.storage()));
            push(&mut text, format_args!("    {{{input}{suffix}, {result}{suffix}}},\n"));
        }
        push(
            &mut text,
            format_args!("}};\nstatic const size_t {name}_count = sizeof {name} / sizeof *{name};\n"),
        );
        text
    }

    /// Version 1.0 of the format: magic, version, the length of the header, the header, and the rows without padding.
    fn npy(&self) -> Vec<u8> {
        let (source, destination) = self.formats();
        let kind = |format: Format| match bytes(format) {
            1 => "|u1".to_owned(),
            width => format!("<u{width}"),
        };
        let mut header = format!(
            "{{'descr': [('input', '{}'), ('result', '{}')], 'fortran_order': False, 'shape': ({},), }}",
            kind(source),
            kind(destination),
            self.vectors().len()
        );
        // What comes before the rows, the final line feed included, is a multiple of 64 bytes.
        let padding = 63 - (10 + header.len()) % 64;
        header.extend(std::iter::repeat_n(' ', padding));
        header.push('\n');
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        for vector in self.vectors() {
            file.extend(&vector.input.to_le_bytes()[..bytes(source)]);
            file.extend(&vector.result.to_le_bytes()[..bytes(destination)]);
        }
        file
    }
}

fn push(text: &mut String, line: std::fmt::Arguments<'_>) {
    text.write_fmt(line).expect("a String grows");
}
