//! The committed header equals the output of cbindgen; `BLESS=1` rewrites it.

use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn the_header_is_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let sources = ["call", "message", "form", "eval", "arrays", "judge"];
    let builder = sources.iter().fold(cbindgen::Builder::new().with_config(config), |builder, name| {
        builder.with_src(root.join("src").join(name).with_extension("rs"))
    });
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let path = root.join("include/ptxcvt.h");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(there, made, "BLESS=1 cargo test -p ptxcvt-c rewrites include/ptxcvt.h");
    // It has the declarations that callers rely on.
    for declared in ["ptxcvt_eval(", "ptxcvt_warp(", "PTXCVT_STATUS_ILLEGAL", "char text[504]"] {
        assert!(made.contains(declared), "{declared} is missing");
    }
    // Comments name only constants that exist, and an environment variable.
    let names = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words.filter(|word| word.starts_with("PTXCVT_")).map(str::to_owned).collect()
    };
    let code: String =
        made.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, code)| code)).collect();
    let unknown: Vec<String> =
        names(&made).difference(&names(&code)).filter(|name| *name != "PTXCVT_TIER").cloned().collect();
    assert!(unknown.is_empty(), "the header has no {unknown:?}");
}
