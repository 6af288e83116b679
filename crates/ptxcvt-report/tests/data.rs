//! `ptxcvt.json` agrees with the tables, and its committed schema agrees with the types. `BLESS=1` writes the schema
//! again.

use std::collections::BTreeSet;
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

/// Calls `visit` for every value within `value`, and for `value` itself.
fn each(value: &Value, visit: &mut impl FnMut(&Value)) {
    visit(value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| each(item, visit)),
        Value::Object(fields) => fields.values().for_each(|field| each(field, visit)),
        _ => {}
    }
}

/// The descriptions come from comments of Rust, which also have links to names and speak of `None`.
#[test]
fn the_descriptions_of_the_schema_speak_of_json() {
    let schema = serde_json::to_value(Data::schema()).unwrap();
    let mut described = 0;
    each(&schema, &mut |value| {
        let Some(text) = value.get("description").and_then(Value::as_str) else { return };
        described += 1;
        for rust in ["None", "Some(", "Option", "Vec", "[`", "`]", "::"] {
            assert!(!text.contains(rust), "{rust}: {text}");
        }
    });
    assert!(described > 50, "{described}");
}

/// A closed set lists exactly the texts that recipes of the table or of a user's file have.
#[test]
fn the_closed_sets_of_recipes_are_in_the_schema() {
    let data = serde_json::to_value(Data::new()).unwrap();
    let schema = serde_json::to_value(Data::schema()).unwrap();
    assert_eq!(schema["$id"], "ptxcvt.schema.json");
    assert_eq!(schema["properties"]["licence"]["const"], data["licence"]);
    // Only recipes of files pack FP6, or have the first FP4 in the high nibble.
    for (field, in_files) in [("nan", &[][..]), ("ragged", &[]), ("layout", &["packed", "rows-high-first"])] {
        let closed = schema["$defs"]["RecipeReport"]["properties"][field]["enum"].as_array().unwrap();
        let recipes = data["recipes"].as_array().unwrap();
        let found: BTreeSet<&str> = recipes.iter().map(|recipe| recipe[field].as_str().unwrap()).collect();
        let expected: BTreeSet<&str> = found.iter().chain(in_files).copied().collect();
        assert_eq!(closed.iter().map(|value| value.as_str().unwrap()).collect::<BTreeSet<_>>(), expected);
    }
}

/// Texts of one notation, such as versions, targets and codes, have a pattern. These are sentences and syntax.
#[test]
fn only_sentences_have_no_pattern() {
    let schema = serde_json::to_value(Data::schema()).unwrap();
    let is_free = |value: &Value| {
        value["type"] == "string" && ["pattern", "enum", "const"].iter().all(|key| value.get(key).is_none())
    };
    let mut free = BTreeSet::new();
    each(&schema, &mut |value| {
        let Some(fields) = value.get("properties").and_then(Value::as_object) else { return };
        for (name, field) in fields {
            each(field, &mut |part| _ = is_free(part).then(|| free.insert(name.clone())));
        }
    });
    let expected = ["about", "confirmed", "dequantize", "manual", "quantize", "source", "syntax"];
    assert_eq!(free.into_iter().collect::<Vec<_>>(), expected);
    let since = &schema["$defs"]["FormReport"]["properties"]["since"];
    let since =
        if since.is_null() { &schema["$defs"]["GeneratorReport"]["properties"]["since"] } else { since };
    assert_eq!(since["additionalProperties"], false, "{since}");
    let (name, version) = since["patternProperties"].as_object().unwrap().iter().next().unwrap();
    assert!(name.starts_with("^sm_"), "{since}");
    assert_eq!(version["$ref"], "#/$defs/Isa", "{since}");
}
