//! How transformers loads quantised folders, by the kind of model (`model_type`): the verdicts of
//! conformance/blocks/architectures.py, which tries a small model of each kind.

/// Lines of a type, the types of its parts, and the verdicts of each [`Form`], in their order. The test below makes
/// them from the record.
const TABLE: &str = include_str!("architectures.tsv");

/// The version that was tried.
pub const TRANSFORMERS: &str = "transformers 5.24.0";

/// How a folder for compressed-tensors stores weights. One recipe of each form was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Elements of a byte with scales of rows or of whole matrices.
    Rows,
    /// Elements of a byte with scales of blocks.
    Blocks,
    /// Packed elements.
    Packed,
    /// Packed elements with a global scale.
    PackedGlobal,
}

/// How transformers loads a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loads {
    /// The right weights.
    Right,
    /// An error; with `dequantize=True` the right weights or not.
    Refuses { dequantized: bool },
    /// Other weights without an error; with `dequantize=True` the right ones or not.
    Wrong { dequantized: bool },
    /// Not known, because ptxcvt refused the small model.
    Untried,
}

impl Loads {
    fn read(verdict: &str) -> Loads {
        let (found, dequantized) = verdict.split_once('/').unwrap_or((verdict, "same"));
        let dequantized = dequantized == "same";
        match found {
            "same" => Loads::Right,
            "refused" => Loads::Refuses { dequantized },
            "differs" => Loads::Wrong { dequantized },
            "none" => Loads::Untried,
            other => unreachable!("the harness has no verdict `{other}`"),
        }
    }
}

/// A kind of model that was tried.
#[derive(Clone, Copy, Debug)]
pub struct Architecture {
    pub model_type: &'static str,
    parts: &'static str,
    verdicts: &'static str,
}

impl Architecture {
    /// Whether the model that was tried had a part of this type.
    pub fn has_part(&self, model_type: &str) -> bool {
        self.parts.split(',').any(|part| part == model_type)
    }

    /// How transformers loads such a folder.
    pub fn loads(&self, form: Form) -> Loads {
        Loads::read(self.verdicts.split('\t').nth(form as usize).expect("a line has a verdict of each form"))
    }
}

/// The kinds of a table.
fn read(table: &'static str) -> impl Iterator<Item = Architecture> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut fields = line.splitn(3, '\t');
        let mut next = || fields.next().expect("a line has a type, its parts and verdicts");
        Architecture { model_type: next(), parts: next(), verdicts: next() }
    })
}

/// The kind of this type, if it was tried.
pub fn find(model_type: &str) -> Option<Architecture> {
    read(TABLE).find(|architecture| architecture.model_type == model_type)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    const TABLE_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/quantize/architectures.tsv");
    const BEGIN: &str = "<!-- architectures: begin -->\n";
    const END: &str = "<!-- architectures: end -->\n";
    const FORMS: [(Form, &str); 4] = [
        (Form::Rows, "FP8 of rows and of matrices"),
        (Form::Blocks, "FP8_BLOCK, MXFP8"),
        (Form::Packed, "MXFP4, MXFP6"),
        (Form::PackedGlobal, "NVFP4"),
    ];

    /// The file must have this text; `BLESS=1` writes it.
    fn is_fresh(path: &str, fresh: &str) {
        if std::env::var_os("BLESS").is_some() {
            fs::write(path, fresh).unwrap();
        }
        assert!(
            fs::read_to_string(path).unwrap() == fresh,
            "{path} is out of date; run this test with BLESS=1"
        );
    }

    fn record() -> String {
        fs::read_to_string(format!("{ROOT}conformance/records/architectures.tsv")).unwrap()
    }

    /// The table that the record gives.
    fn fresh() -> String {
        let mut table =
            "# Made from conformance/records/architectures.tsv by the test in architectures.rs.\n".to_owned();
        for line in record().lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            if fields[1] != "unmade" {
                table += &format!("{}\t{}\n", fields[0], fields[2..7].join("\t"));
            }
        }
        table
    }

    /// The kinds of the record, which may be newer than the table in the program.
    fn all() -> impl Iterator<Item = Architecture> {
        read(Box::leak(fresh().into_boxed_str()))
    }

    #[test]
    fn the_table_is_that_of_the_record() {
        is_fresh(TABLE_PATH, &fresh());
        assert!(record().lines().take(3).any(|line| line.contains(TRANSFORMERS)));
    }

    #[test]
    fn every_line_has_its_verdicts() {
        let known = ["same", "none", "refused/same", "refused/refused", "refused/differs", "differs/same"];
        for architecture in all() {
            let verdicts: Vec<&str> = architecture.verdicts.split('\t').collect();
            assert_eq!(verdicts.len(), FORMS.len(), "{architecture:?}");
            for verdict in verdicts {
                let is_known = known.contains(&verdict) || verdict.starts_with("differs/");
                assert!(is_known, "{architecture:?}");
            }
        }
        let types: Vec<&str> = all().map(|architecture| architecture.model_type).collect();
        assert!(types.windows(2).all(|two| two[0] < two[1]), "sorted, each once");
        assert!(types.len() > 100);
    }

    #[test]
    fn verdicts_mean_what_the_record_says() {
        assert_eq!(Loads::read("same"), Loads::Right);
        assert_eq!(Loads::read("refused/same"), Loads::Refuses { dequantized: true });
        assert_eq!(Loads::read("refused/differs"), Loads::Refuses { dequantized: false });
        assert_eq!(Loads::read("differs/same"), Loads::Wrong { dequantized: true });
        assert_eq!(Loads::read("differs/refused"), Loads::Wrong { dequantized: false });
        assert_eq!(Loads::read("none"), Loads::Untried);
        assert_eq!(find("llama").unwrap().loads(Form::PackedGlobal), Loads::Right);
        assert!(find("no such type").is_none());
    }

    /// The lists of docs/blocks.md.
    fn page() -> String {
        let names = |wanted: &dyn Fn(&Architecture) -> bool| {
            let names: Vec<String> =
                all().filter(wanted).map(|found| format!("`{}`", found.model_type)).collect();
            names.join(", ")
        };
        let loads_all = |one: &Architecture| FORMS.iter().all(|(form, _)| one.loads(*form) == Loads::Right);
        let mut text = format!(
            "| recipes | {TRANSFORMERS} | models of type |\n|---|---|---|\n| all of them | loads the folder | {} |\n",
            names(&loads_all)
        );
        for (form, recipes) in FORMS {
            for (loads, what) in [
                (Loads::Right, "loads the folder; not with each of the other recipes"),
                (Loads::Refuses { dequantized: true }, "loads it with `dequantize=True` only"),
                (Loads::Refuses { dequantized: false }, "does not load it"),
                (Loads::Wrong { dequantized: true }, "**loads wrong weights** unless `dequantize=True`"),
                (Loads::Wrong { dequantized: false }, "**loads wrong weights**"),
                (Loads::Untried, "not tried, because the command refuses the small model"),
            ] {
                let found = names(&|one| one.loads(form) == loads && !loads_all(one));
                if !found.is_empty() {
                    text += &format!("| {recipes} | {what} | {found} |\n");
                }
            }
        }
        text
    }

    #[test]
    fn the_page_lists_the_same_models() {
        let path = format!("{ROOT}docs/blocks.md");
        let written = fs::read_to_string(&path).unwrap();
        let (before, rest) = written.split_once(BEGIN).expect("the page marks where the lists begin");
        let (_, after) = rest.split_once(END).expect("the page marks where the lists end");
        is_fresh(&path, &format!("{before}{BEGIN}\n{}\n{END}{after}", page()));
    }
}
