//! `ptxcvt.json` agrees with the tables, and its committed schema agrees with the types. `BLESS=1` writes the schema
//! again.

use std::fs;
use std::path::Path;

use ptxcvt::{Form, Format, IsaVersion, Target};
use ptxcvt_blocks::Recipe;
use ptxcvt_report::data::Data;
use serde_json::Value;

#[test]
fn the_committed_schema_is_that_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/ptxcvt.schema.json");
    let schema = serde_json::to_string_pretty(&Data::schema()).unwrap() + "\n";
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &schema).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap();
    assert!(committed == schema, "stale: a field that other programs read has changed; BLESS=1 writes it");
}

/// A program that has only the file finds every form, and its results computed from gates and targets agree with the
/// table.
#[test]
fn the_file_suffices_to_judge_a_form() {
    let data = serde_json::to_value(Data::new()).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let isa = |value: &Value| value.as_str().map(|text| text.parse::<IsaVersion>().unwrap());
    let forms = data["forms"].as_array().unwrap();
    assert!(forms.iter().map(|form| text(&form["opcode"])).eq(Form::all().map(|form| form.to_string())));
    let targets = data["targets"].as_array().unwrap();
    assert!(targets.iter().map(|target| text(&target["name"])).eq(Target::all().map(|t| t.to_string())));
    for (entry, form) in forms.iter().zip(Form::all()) {
        for (about, target) in targets.iter().zip(Target::all()) {
            let number: u64 = target.sm().into();
            let (introduced, withdrawn) = (isa(&about["introduced"]), isa(&about["withdrawn"]));
            for version in IsaVersion::all() {
                let exists = introduced <= Some(version) && withdrawn.is_none_or(|end| version < end);
                let admitted = entry["gates"].as_array().unwrap().iter().any(|gate| {
                    let named = gate["only"].as_array().unwrap().contains(&about["name"]);
                    let above = gate["from"].as_u64().is_some_and(|from| number >= from);
                    (named || above) && isa(&gate["isa"]) <= Some(version)
                });
                assert_eq!(exists && admitted, form.is_legal(target, version), "{form} {target} {version}");
            }
        }
    }
}

#[test]
fn formats_and_recipes_are_complete() {
    let data = serde_json::to_value(Data::new()).unwrap();
    let names = |part: &str| -> Vec<String> {
        data[part].as_array().unwrap().iter().map(|e| e["name"].as_str().unwrap().to_owned()).collect()
    };
    assert!(names("formats").into_iter().eq(Format::ALL.iter().map(|format| format.to_string())));
    assert!(names("recipes").into_iter().eq(Recipe::all().map(|recipe| recipe.name().to_owned())));
    let newest = data["versions"].as_array().unwrap().last().unwrap();
    assert_eq!(newest["isa"], IsaVersion::NEWEST.to_string());
}
