//! The answers of the library have the types that the page declares for them in `web/src/library.ts` and
//! `web/src/sources.ts`: every declared
//! field exists and has the declared type, and every field of an answer is declared.

mod typescript;

use std::collections::BTreeSet;

use ptxcvt::Form;
use ptxcvt::forms::Role;
use serde_json::Value;

use self::typescript::{Field, File, Type};

/// Compares answers with declarations.
struct Comparison<'f> {
    file: &'f File,
    /// Every type that a value had, by the field where it was declared: `Finding.help: string`.
    seen: BTreeSet<String>,
    wrong: BTreeSet<String>,
}

/// The name of a type in messages.
fn name(ty: &Type) -> String {
    match ty {
        Type::Name(name) => name.clone(),
        Type::Literal(text) => format!("{text:?}"),
        Type::Object(_) => "object".to_owned(),
        Type::Tuple(_) => "tuple".to_owned(),
        Type::List(_) => "list".to_owned(),
        Type::Record(_) => "record".to_owned(),
        Type::Union(choices) => choices.iter().map(name).collect::<Vec<_>>().join(" | "),
    }
}

/// The name of a field that was found in `place`.
fn place_of(field: &Field, place: &str) -> String {
    let interface = if field.interface.is_empty() { place } else { &field.interface };
    format!("{interface}.{}", field.name)
}

/// Types that no answer has today.
const NEVER: [&str; 3] = [
    // This build reads every language.
    "Understood.unread: string",
    // The newest target accepts all forms.
    "Statistics.lowest: null",
    // All parts of an opcode have a meaning that is described.
    "Word.about: null",
];

impl Comparison<'_> {
    /// True if a value can be of this type, by its outermost layer.
    fn fits(&self, value: &Value, ty: &Type) -> bool {
        match ty {
            Type::Name(name) => match name.as_str() {
                "string" => value.is_string(),
                "number" => value.is_number(),
                "boolean" => value.is_boolean(),
                "null" => value.is_null(),
                _ => value.is_object(),
            },
            Type::Literal(text) => value.as_str() == Some(text),
            Type::Object(_) | Type::Record(_) => value.is_object(),
            Type::Tuple(items) => value.as_array().is_some_and(|array| array.len() == items.len()),
            Type::List(_) => value.is_array(),
            Type::Union(choices) => choices.iter().any(|choice| self.fits(value, choice)),
        }
    }

    fn compare(&mut self, value: &Value, ty: &Type, place: &str) {
        if !self.fits(value, ty) {
            self.wrong.insert(format!("{place} is not of the type {}: {value}", name(ty)));
            return;
        }
        match (ty, value) {
            (Type::Union(choices), _) => {
                let choice = choices.iter().find(|choice| self.fits(value, choice));
                return self.compare(value, choice.expect("one fits"), place);
            }
            (Type::List(item), Value::Array(values)) => {
                values.iter().for_each(|value| self.compare(value, item, &format!("{place}[]")));
                if values.is_empty() {
                    return;
                }
            }
            (Type::Tuple(items), Value::Array(values)) => {
                let pairs = values.iter().zip(items).enumerate();
                pairs.for_each(|(n, (value, item))| self.compare(value, item, &format!("{place}.{n}")));
            }
            (Type::Record(item), Value::Object(map)) => {
                map.values().for_each(|value| self.compare(value, item, &format!("{place}[]")));
            }
            (Type::Object(fields), _) => self.object(value, fields, place),
            (Type::Name(name), Value::Object(_)) => {
                let file = self.file;
                let fields = file.interfaces.get(name).unwrap_or_else(|| panic!("no interface {name}"));
                self.object(value, fields, name);
            }
            _ => {}
        }
        self.seen.insert(format!("{place}: {}", name(ty)));
    }

    fn object(&mut self, value: &Value, fields: &[Field], place: &str) {
        let map = value.as_object().expect("an object");
        for key in map.keys().filter(|key| !fields.iter().any(|field| field.name == **key)) {
            self.wrong.insert(format!("{place}.{key} is not declared"));
        }
        for field in fields {
            match map.get(&field.name) {
                Some(value) => self.compare(value, &field.ty, &place_of(field, place)),
                None if field.optional => {}
                None => drop(self.wrong.insert(format!("{place}.{} is missing", field.name))),
            }
        }
    }

    /// Compares a whole answer. In one with an error, only the error counts.
    fn answer(&mut self, answer: &Value, ty: &Type, function: &str) {
        match (ty, answer.get("error").filter(|error| !error.is_null())) {
            (Type::Name(name), Some(error)) => {
                let file = self.file;
                let field = file.interfaces[name].iter().find(|field| field.name == "error");
                let field = field.unwrap_or_else(|| panic!("{name}.error is not declared"));
                self.compare(error, &field.ty, &place_of(field, name));
            }
            _ => self.compare(answer, ty, function),
        }
    }

    /// The types that no value had.
    fn unseen(&self, ty: &Type, place: &str, found: &mut Vec<String>) {
        match ty {
            Type::Union(choices) => {
                return choices.iter().for_each(|choice| self.unseen(choice, place, found));
            }
            Type::List(item) | Type::Record(item) => self.unseen(item, &format!("{place}[]"), found),
            Type::Tuple(items) => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(n, item)| self.unseen(item, &format!("{place}.{n}"), found));
            }
            Type::Object(fields) => self.unseen_fields(fields, place, found),
            Type::Name(_) | Type::Literal(_) => {}
        }
        let whole = format!("{place}: {}", name(ty));
        if !self.seen.contains(&whole) {
            found.push(whole);
        }
    }

    fn unseen_fields(&self, fields: &[Field], place: &str, found: &mut Vec<String>) {
        for field in fields {
            self.unseen(&field.ty, &place_of(field, place), found);
        }
    }
}

const MODULE: &str = "\
.version 8.5
.target sm_89
.entry f(.param .u64 p) {
    .reg .b16 %h<3>;
    .reg .f32 %f<3>;
    cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;
    cvt.rn.satfinite.e2m3x2.f32 %h1, %f1, %f2;
    cvt.rn.e4m3x2.f32 %h1, %f1, %f2;
    cvt.rn.f16.f32 %h2, %f3;
    cvt.rn.f16.f32 %h2, %f1;
    .reg .f32 %f<9>;
    cvt.f32.f16 %f1, %h2
}
";

/// The library's functions with texts that make every part of an answer appear.
fn answers() -> Vec<(&'static str, String)> {
    let has_scale = |form: &Form| form.operands().any(|operand| operand.role == Role::ScaleFactor);
    let scaled = Form::all().find(has_scale).expect("a form with a scale factor").to_string();
    let mut all = vec![
        ("tables", ptxcvt_wasm::tables()),
        ("legality", ptxcvt_wasm::legality()),
        ("complete", ptxcvt_wasm::complete("cvt.rn", "sm_90", "8.6")),
        ("understand", ptxcvt_wasm::understand("f32 to e4m3")),
        ("understand", ptxcvt_wasm::understand("cvt.rn")),
        ("understand", ptxcvt_wasm::understand("e4m3 to e5m2")),
        ("understand", ptxcvt_wasm::understand("nvfp4 1 2")),
        ("understand", ptxcvt_wasm::understand("@p cvt.rn.f16x2.f32 h, 0f3F800000, f;")),
        ("convert", ptxcvt_wasm::convert("cvt.rn.f16.f32", "[]", "sm_999", "")),
        ("convert", ptxcvt_wasm::convert("cvt.rn.satfinite.e4m3x2.f32", "[]", "sm_80", "")),
        ("copy", ptxcvt_wasm::copy("cvt.rn.f16.f32", "[]", "", "99.9")),
    ];
    for (opcode, operands) in [
        ("cvt.rn.satfinite.e4m3x2.f32", r#"["1.5","2.5"]"#),
        ("cvt.rn.satfinite.e4m3x2.f32", r#"["nan","x"]"#),
        ("cvt.rn.satfinite.e4m3x2.f32", r#"["nan",null]"#),
        (&scaled, "[]"),
        ("cvt.rn.e4m3x2.f32", "[]"),
        ("cvt.rn.f64.s32", r#"["1"]"#),
        ("cvt.rn.f16.f32", r#"["1e999"]"#),
        ("cvt.rs.satfinite.e4m3x4.f32", "[]"),
        ("cvt.pack.sat.u8.s32.b32", "[]"),
        ("add", "[]"),
    ] {
        all.push(("convert", ptxcvt_wasm::convert(opcode, operands, "", "")));
    }
    all.push(("copy", ptxcvt_wasm::copy("cvt.rn.satfinite.e4m3x2.f32", r#"["1.5","2.5"]"#, "sm_80", "")));
    for name in ["e4m3", "f32", "u8", "tf32", "x"] {
        all.push(("format", ptxcvt_wasm::format(name)));
    }
    all.push(("open", ptxcvt_wasm::open(MODULE.to_owned(), "", "", "")));
    all.push(("edit", ptxcvt_wasm::edit(0, 0, "// ")));
    all.push(("open", ptxcvt_wasm::open("cvt.rn.f16.f32 %h, %f;".to_owned(), "ptx", "sm_50", "8.0")));
    all.push(("open", ptxcvt_wasm::open(String::new(), "cobol", "", "")));
    all.push(("edit", ptxcvt_wasm::edit(9, 1, "")));
    for (text, target, isa) in
        [(MODULE, "", ""), ("cvt.rn.f16.f32 %h, %f;", "sm_50", "8.0"), ("", "", ""), ("", "sm_999", "")]
    {
        all.push(("statistics", ptxcvt_wasm::statistics(text, "", target, isa)));
    }
    let source = "void f() { const char* s = \"cvt.rn.f16.f32 a, b;\"; asm(s); }";
    all.push(("statistics", ptxcvt_wasm::statistics(source, "c++", "", "")));
    let source = "void f() { asm(\"cvt.rn.\" TYPE \".f32 %0, %1;\" : \"=h\"(d) : \"f\"(a)); }";
    all.push(("statistics", ptxcvt_wasm::statistics(source, "c++", "", "")));
    let block =
        "{ .reg .pred p; setp.lt.f32 p, %1, 0f00000000; @p cvt.rn.f16.f32 %0, %1; @!p mov.b16 %0, 7; }";
    for (text, operands) in [
        (block, r#"["-1.5"]"#),
        (block, r#"["y"]"#),
        ("mov.b32 %0, %1;", "[]"),
        ("mov.b32 %0, %1;", r#"["010"]"#),
        ("cvt.rn.e4m3x2.f32 %0, %1, %2;", "[]"),
        ("add.b99 %0;", "[]"),
    ] {
        all.push(("run", ptxcvt_wasm::run(text, operands)));
    }
    for (recipe, numbers) in [
        ("nvfp4-te-1x16", "1 2 3.5 -7"),
        ("nvfp4-te-rs-1x16", "1 2"),
        ("mx-rceil/e4m3", "nan 1 2"),
        ("mx-rceil/e4m3", "1e999 1"),
        ("mx-rceil/e4m3", "x"),
        ("x", "1"),
    ] {
        all.push(("quantize", ptxcvt_wasm::quantize(recipe, numbers, 1)));
    }
    let header = concat!(
        r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"#,
        r#""rows":{"dtype":"F32","shape":[2,2],"data_offsets":[4,20]}}"#
    );
    let file = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &[0; 20]].concat();
    for (bytes, name) in [(&file[..], "a"), (&file[..], "rows"), (&file[..], "b"), (&[][..], "a")] {
        all.push(("tensors", ptxcvt_wasm::tensors(bytes)));
        all.push(("tensor_numbers", ptxcvt_wasm::tensor_numbers(bytes, name)));
    }
    all
}

#[test]
fn answers_have_the_declared_types() {
    let read = |name| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src").join(name);
        std::fs::read_to_string(path).expect(name)
    };
    let file = File::parse(&["library.ts", "sources.ts"].map(read).concat());
    let mut comparison = Comparison { file: &file, seen: BTreeSet::new(), wrong: BTreeSet::new() };
    let mut called = BTreeSet::new();
    for (function, answer) in answers() {
        called.insert(function.to_owned());
        let ty = file.answers.get(function).unwrap_or_else(|| panic!("library.ts does not call {function}"));
        let value: Value = serde_json::from_str(&answer).expect("JSON");
        comparison.answer(&value, ty, function);
    }
    let declared: BTreeSet<String> = file.answers.keys().cloned().collect();
    assert_eq!(called, declared, "functions of which the page parses the answer");
    let mut unseen = Vec::new();
    for (interface, fields) in &file.interfaces {
        comparison.unseen_fields(fields, interface, &mut unseen);
    }
    unseen.retain(|one| !NEVER.contains(&one.as_str()));
    let wrong: Vec<String> = comparison.wrong.into_iter().collect();
    assert!(wrong.is_empty(), "answers and library.ts differ:\n{}", wrong.join("\n"));
    assert!(unseen.is_empty(), "types that no answer has:\n{}", unseen.join("\n"));
}
