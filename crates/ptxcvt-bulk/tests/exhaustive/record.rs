//! The committed record, `record.tsv`: for each form the digest of its results, and where the reference was
//! evaluated.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use ptxcvt::{Form, Opcode, Type};

/// The first line.
const HEAD: &str = "form\tdigest\treference evaluated at\tresults of the reference";

/// Where the reference was evaluated; the weakest evidence is first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evaluated {
    /// At some of the first and last inputs of runs of equal results, evenly distributed.
    SomeEnds,
    /// At the first and the last input of each run of equal results.
    Ends,
    /// At every input.
    Everywhere,
}

impl Evaluated {
    const ALL: [(Evaluated, &'static str); 3] = [
        (Evaluated::SomeEnds, "some ends"),
        (Evaluated::Ends, "ends"),
        (Evaluated::Everywhere, "every input"),
    ];
}

impl fmt::Display for Evaluated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, name) =
            Evaluated::ALL.iter().find(|(evaluated, _)| evaluated == self).expect("all are listed");
        f.write_str(name)
    }
}

impl FromStr for Evaluated {
    type Err = String;

    fn from_str(text: &str) -> Result<Evaluated, String> {
        let known = Evaluated::ALL.iter().find(|(_, name)| *name == text);
        known
            .map(|(evaluated, _)| *evaluated)
            .ok_or_else(|| format!("`{text}` is not one of the places where the reference is evaluated"))
    }
}

/// The record of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// 32 hexadecimal digits.
    pub digest: String,
    /// Where the reference was evaluated.
    pub evaluated: Evaluated,
    /// The number of results of the reference that were compared.
    pub results: u64,
}

/// The forms of the record, short ones first: those with results of at most 19 bits, floats before integers,
/// then those with a scale or random bits, then those with results of 32 and 64 bits.
pub fn forms() -> Vec<Form> {
    let mut forms: Vec<Form> =
        Form::all().filter(|form| form.opcode() == Opcode::Cvt && form.source() == Type::F32).collect();
    forms.sort_by_key(|form| {
        let format = form.destination().format();
        (format.bits() > 19, form.extra().is_some(), format.is_integer(), format.bits())
    });
    forms
}

/// The whole record.
#[derive(Debug)]
pub struct Record {
    path: PathBuf,
    lines: BTreeMap<String, Line>,
}

impl Record {
    /// The committed file.
    pub fn path() -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/exhaustive/record.tsv")
    }

    /// Reads a file; it may not exist yet.
    ///
    /// # Errors
    ///
    /// Fails at a line that does not describe a form of [`forms`].
    pub fn read(path: PathBuf) -> Result<Record, String> {
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => HEAD.to_owned(),
            text => text.map_err(|error| format!("{}: {error}", path.display()))?,
        };
        let lines = Self::parse(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Record { path, lines })
    }

    /// The lines of a text.
    pub fn parse(text: &str) -> Result<BTreeMap<String, Line>, String> {
        let forms: Vec<String> = forms().iter().map(Form::to_string).collect();
        let mut lines = BTreeMap::new();
        let mut texts = text.lines();
        if texts.next() != Some(HEAD) {
            return Err(format!("the first line is not `{HEAD}`"));
        }
        for (number, text) in (2..).zip(texts) {
            let fault = |what: &str| format!("line {number}: {what}: {text}");
            let [form, digest, evaluated, results] = text.split('\t').collect::<Vec<_>>()[..] else {
                return Err(fault("not four columns"));
            };
            if !forms.iter().any(|known| known == form) {
                return Err(fault("no form from f32, or not spelled as the table does"));
            }
            if digest.len() != 32 || digest.bytes().any(|b| !matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
                return Err(fault("a digest has 32 hexadecimal digits"));
            }
            let evaluated = evaluated.parse().map_err(|error: String| fault(&error))?;
            let results = results.parse().map_err(|_| fault("the last column is not a number"))?;
            let line = Line { digest: digest.to_owned(), evaluated, results };
            if lines.insert(form.to_owned(), line).is_some() {
                return Err(fault("the form was there before"));
            }
        }
        Ok(lines)
    }

    /// The record of a form.
    pub fn get(&self, form: Form) -> Option<&Line> {
        self.lines.get(&form.to_string())
    }

    /// Stores the verdict on a form, unless the reference was evaluated at more inputs before, and replaces
    /// the file, together with the lines that another run has added to it.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or written.
    pub fn keep(&mut self, form: Form, line: Line) -> Result<(), String> {
        *self = Record::read(self.path.clone())?;
        let known = self.get(form).map(|known| (known.evaluated, known.results));
        if known >= Some((line.evaluated, line.results)) {
            return Ok(());
        }
        self.lines.insert(form.to_string(), line);
        let lines = self
            .lines
            .iter()
            .map(|(form, line)| format!("{form}\t{}\t{}\t{}\n", line.digest, line.evaluated, line.results));
        let text: String = std::iter::once(format!("{HEAD}\n")).chain(lines).collect();
        let new = self.path.with_extension("tsv.new");
        let written = fs::write(&new, text).and_then(|()| fs::rename(&new, &self.path));
        written.map_err(|error| format!("{}: {error}", self.path.display()))
    }
}
