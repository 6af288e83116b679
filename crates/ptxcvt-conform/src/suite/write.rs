//! Files of test vectors.

use std::fmt::Write;

use ptxcvt::literal::hex;

use super::table::{Column, Table};

/// The layout of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// Columns of hexadecimal codes with a tab between them; lines with `#` are comments.
    Tsv,
    /// A word a line for `$readmemh` of Verilog: the result is lowest.
    Hex,
    /// An object with the conversion and a list of lists of codes.
    Json,
    /// A C header with an array of structures.
    C,
    /// NumPy's format: an array of structures with a field for each column.
    Npy,
}

impl Table {
    /// The bytes of a file.
    pub fn write(&self, layout: Layout) -> Vec<u8> {
        match layout {
            Layout::Tsv => self.tsv().into_bytes(),
            Layout::Hex => self.readmemh().into_bytes(),
            Layout::Json => self.json().into_bytes(),
            Layout::C => self.c().into_bytes(),
            Layout::Npy => self.npy(),
        }
    }

    /// The codes of each row with their columns.
    fn cells(&self) -> impl Iterator<Item = impl Iterator<Item = (&Column, u64)>> {
        self.rows().map(|row| self.columns().iter().zip(row.iter().copied()))
    }

    fn names(&self, separator: &str) -> String {
        self.columns().iter().map(|column| column.name).collect::<Vec<_>>().join(separator)
    }

    fn tsv(&self) -> String {
        let mut text = format!("# {}\n# {}\n", self.title, self.names("\t"));
        for row in self.cells() {
            for (n, (column, code)) in row.enumerate() {
                let tab = if n == 0 { "" } else { "\t" };
                push(&mut text, format_args!("{tab}{code:0digits$x}", digits = column.digits()));
            }
            text.push('\n');
        }
        text
    }

    fn readmemh(&self) -> String {
        let bits = |column: &Column| 4 * column.digits();
        let width: usize = self.columns().iter().map(bits).sum();
        let parts: Vec<String> =
            self.columns().iter().map(|column| format!("{} {}", bits(column), column.name)).collect();
        let (count, parts) = (self.rows().len(), parts.join(", "));
        let mut text =
            format!("// {}\n// {count} words of {width} bits, the highest first: {parts}\n", self.title);
        for row in self.cells() {
            for (column, code) in row {
                push(&mut text, format_args!("{code:0digits$x}", digits = column.digits()));
            }
            text.push('\n');
        }
        text
    }

    fn json(&self) -> String {
        let mut text = "{\n".to_owned();
        for (key, value) in &self.head {
            push(&mut text, format_args!("  \"{key}\": \"{value}\",\n"));
        }
        push(&mut text, format_args!("  \"columns\": [\"{}\"],\n  \"vectors\": [", self.names("\", \"")));
        for (n, row) in self.cells().enumerate() {
            let codes: Vec<String> =
                row.map(|(column, code)| format!("\"{}\"", hex(code, column.bits))).collect();
            let comma = if n == 0 { "" } else { "," };
            push(&mut text, format_args!("{comma}\n    [{}]", codes.join(", ")));
        }
        text + "\n  ]\n}\n"
    }

    fn c(&self) -> String {
        let name = &self.name;
        let mut text = format!(
            "/* {} */\n#include <stddef.h>\n#include <stdint.h>\n\nstatic const struct {{\n",
            self.title
        );
        for column in self.columns() {
            push(&mut text, format_args!("    uint{}_t {};\n", 8 * column.bytes(), column.name));
        }
        push(&mut text, format_args!("}} {name}[] = {{\n"));
        let suffix = if self.columns().iter().any(|column| column.bits > 32) { "ull" } else { "u" };
        for row in self.cells() {
            let codes: Vec<String> =
                row.map(|(column, code)| format!("{}{suffix}", hex(code, column.bits))).collect();
            push(&mut text, format_args!("    {{{}}},\n", codes.join(", ")));
        }
        push(
            &mut text,
            format_args!("}};\nstatic const size_t {name}_count = sizeof {name} / sizeof *{name};\n"),
        );
        text
    }

    /// An array of records: a header, and the rows without padding.
    fn npy(&self) -> Vec<u8> {
        let field = |column: &Column| match column.bytes() {
            1 => format!("('{}', '|u1')", column.name),
            width => format!("('{}', '<u{width}')", column.name),
        };
        let fields: Vec<String> = self.columns().iter().map(field).collect();
        let count = self.rows().len() as u64;
        let mut file = ptxcvt_files::npy_header(&format!("[{}]", fields.join(", ")), false, &[count]);
        for row in self.cells() {
            for (column, code) in row {
                file.extend(&code.to_le_bytes()[..column.bytes()]);
            }
        }
        file
    }
}

fn push(text: &mut String, line: std::fmt::Arguments<'_>) {
    text.write_fmt(line).expect("a String grows");
}
