//! Every link leads somewhere, every element is closed, everything in the tables has its page, and two builds are equal.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;

use ptxcvt::{Form, Format, IsaVersion, Modifier, Rounding, Target};
use ptxcvt_site::{File, build};

fn built() -> Vec<File> {
    let explorer =
        "<!doctype html><html data-site=\"https://example.org\"><h1>explorer</h1></html>".to_owned();
    build(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), Some(explorer)).unwrap()
}

/// The site, built once.
fn site() -> &'static [File] {
    static SITE: OnceLock<Vec<File>> = OnceLock::new();
    SITE.get_or_init(built)
}

/// Elements without an end.
const VOID: [&str; 5] = ["meta", "link", "input", "hr", "br"];

/// The elements of a page: name and attributes; `/name` for an end. The text between them has no `<`.
fn elements(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.split('<').skip(1).map(|piece| {
        let inside = piece.split_once('>').unwrap_or_else(|| panic!("an element without an end: {piece}")).0;
        inside.split_once([' ', '\n']).unwrap_or((inside, ""))
    })
}

/// The values of an attribute.
fn values<'p>(page: &'p str, attribute: &str) -> BTreeSet<&'p str> {
    let begin = format!(" {attribute}=\"");
    page.split(begin.as_str()).skip(1).map(|rest| rest.split('"').next().unwrap_or_default()).collect()
}

#[test]
fn links_lead_to_pages_and_anchors() {
    let files = site();
    let by_path: BTreeMap<&str, &File> = files.iter().map(|file| (file.path.as_str(), file)).collect();
    let mut links = 0;
    for file in files.iter().filter(|file| file.path.ends_with(".html")) {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for link in values(&file.contents, "href").union(&values(&file.contents, "src")) {
            if link.contains("://") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            // The explorer's anchors are addresses of its views.
            let anchor = if path.ends_with("explorer.html") { "" } else { anchor };
            let whole = match path.strip_prefix("../") {
                Some(rest) => rest.to_owned(),
                None if path.is_empty() => file.path.clone(),
                None if folder.is_empty() => path.to_owned(),
                None => format!("{folder}/{path}"),
            };
            let found =
                by_path.get(whole.as_str()).unwrap_or_else(|| panic!("{}: no page for {link}", file.path));
            let there = anchor.is_empty() || values(&found.contents, "id").contains(anchor);
            assert!(there, "{}: no anchor for {link}", file.path);
            links += 1;
        }
    }
    assert!(links > 20_000, "{links}");
}

#[test]
fn elements_are_closed_and_text_is_escaped() {
    for file in site().iter().filter(|file| file.path.ends_with(".html")) {
        let mut open = Vec::new();
        for (name, attributes) in elements(&file.contents) {
            if let Some(name) = name.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "{}: after {open:?}", file.path);
            } else if name != "!doctype"
                && !VOID.contains(&name)
                && !attributes.ends_with('/')
                && !name.ends_with('/')
            {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "{}: {open:?}", file.path);
        assert_eq!(file.contents.matches("<h1>").count(), 1, "{}", file.path);
        assert!(!file.contents.contains('\u{1}'), "{}", file.path);
    }
}

#[test]
fn everything_has_a_page() {
    let files = site();
    let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths.len(), files.len(), "two pages with one path");
    let has = |path: String| assert!(paths.contains(path.as_str()), "{path}");
    Form::all().for_each(|form| has(format!("forms/{}.html", form.to_string().replace("::", "-"))));
    Format::ALL.iter().for_each(|format| has(format!("formats/{format}.html")));
    Target::all().for_each(|target| has(format!("targets/{target}.html")));
    IsaVersion::all().for_each(|isa| has(format!("isa/{isa}.html")));
    ptxcvt_blocks::Recipe::all()
        .for_each(|recipe| has(format!("recipes/{}.html", recipe.name().replace('/', "-"))));
    ptxcvt_syntax::Code::all().for_each(|code| has(format!("codes/{code}.html")));
}

#[test]
fn a_form_s_page_has_its_answers() {
    let files = site();
    let page = files.iter().find(|file| file.path == "forms/cvt.rn.satfinite.e4m3x2.f32.html").unwrap();
    let expected = [
        "saturated to 448",
        "from a = ",
        "sm_89",
        "ISA 8.1",
        "llvm.nvvm.ff.to.e4m3x2.rn",
        "__nv_cvt_float2_to_fp8x2(a, __NV_SATFINITE, __NV_E4M3)",
        "ptxcvt lower cvt.rn.satfinite.e4m3x2.f32 --target sm_80",
        "proven: equal, element by element, 4294967296 inputs",
        "<svg",
        "../explorer.html#convert?op=cvt.rn.satfinite.e4m3x2.f32",
    ];
    expected.iter().for_each(|words| assert!(page.contents.contains(words), "{words}"));
    // Most forms of floats have an example that is rounded.
    let rounded = files.iter().filter(|file| {
        let words = ["rounded up, between", "rounded down, between", "halfway between"];
        words.iter().any(|words| file.contents.contains(words))
    });
    assert!(rounded.count() > 600);
}

fn form_page(form: &Form) -> &'static str {
    let path = format!("forms/{}.html", form.to_string().replace("::", "-"));
    &site().iter().find(|file| file.path == path).unwrap().contents
}

/// The table of special inputs has what a modifier does, for every form with the modifier.
#[test]
fn examples_show_ties_ends_and_special_inputs() {
    let mut ties = 0;
    for form in Form::all() {
        let page = form_page(&form);
        let has = |words: &str| assert!(page.contains(words), "{form}: {words}");
        if form.has(Modifier::Relu) {
            has("negative, clamped to +0 by .relu");
        }
        if form.has(Modifier::Ftz) && matches!(form.source().format(), Format::F32 | Format::F64) {
            has("subnormal, flushed to ");
        }
        if (form.has(Modifier::Satfinite) || form.has(Modifier::Sat)) && form.source().format() == Format::F32
        {
            has("saturated to ");
        }
        if form.has(Modifier::Pzo) && !form.has(Modifier::Relu) {
            has("-0 became +0 by .pzo");
        }
        if form.source().format().nan().is_some() {
            has("<th scope=\"row\">NaN</th>");
        }
        if form.rounding() == Some(Rounding::Rn) && form.source().format() == Format::F32 {
            has("halfway between two numbers");
            ties += 1;
        }
    }
    assert!(ties > 80, "{ties}");
}

#[test]
fn packing_is_in_words() {
    let page = form_page(&"cvt.pack.sat.u8.s32.b32".parse().unwrap());
    let words = "Converts two s32 to u8 and packs them, a above b: saturated to the integer's range; the upper 16 bits of d are \
                 the lower 16 bits of c.";
    assert!(page.contains(words));
    assert!(page.contains("<th scope=\"row\">upper 16 bits</th><td>the lower 16 bits of c</td>"));
    assert!(page.contains("upper 16 bits = 0x3344  from the lower 16 bits of c"));
}

#[test]
fn a_pair_without_a_form_says_what_to_do() {
    let page = site().iter().find(|file| file.path == "pairs/e4m3-to-f32-none.html").unwrap();
    for words in ["No form of cvt converts e4m3 to f32.", "through f16", "f32 to e4m3x2"] {
        assert!(page.contents.contains(words), "{words}");
    }
    let target = site().iter().find(|file| file.path == "targets/sm_120.html").unwrap();
    let (_, lacking) = target.contents.split_once("What it lacks").unwrap();
    assert!(lacking.contains("f32 to e2m1x2") && lacking.contains("sm_100a"));
}

#[test]
fn results_that_are_not_ours_are_shown_with_the_reason() {
    let differ = |file: &&File| file.contents.contains("Results that are not ours");
    let pages: Vec<&File> = site().iter().filter(differ).filter(|f| f.path.starts_with("forms/")).collect();
    assert_eq!(pages.len(), 10);
    let page = pages.iter().find(|file| file.path.ends_with("/cvt.rn.ftz.pzo.bf16.f32.html")).unwrap();
    assert!(page.contents.contains("<code>0x8000</code></td><td><code>0x0000</code>"));
    assert!(page.contents.contains("as without .pzo"));
    assert!(site().iter().all(|file| !file.contents.contains("all equal to ours")));
}

#[test]
fn a_version_s_page_says_what_ended() {
    let page = site().iter().find(|file| file.path == "isa/9.0.html").unwrap();
    let (_, ended) = page.contents.split_once("Ended targets").unwrap();
    let (ended, _) = ended.split_once("New forms").unwrap();
    assert!(ended.contains("sm_101") && ended.contains(", now ") && ended.contains("sm_110"), "{ended}");
}

#[test]
fn two_builds_are_equal() {
    let second = built();
    assert_eq!(site().len(), second.len());
    assert!(site().iter().zip(&second).all(|(a, b)| a.path == b.path && a.contents == b.contents));
}

/// Each kind of page has a picture, and each picture is in the repository.
#[test]
fn kinds_of_pages_have_pictures() {
    let pictures: Vec<String> = ptxcvt_site::previews().collect();
    for path in &pictures {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web").join(path);
        let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(bytes.starts_with(b"\x89PNG"), "{path}");
        // Links to pictures of 1200 x 630 pixels are shown large.
        assert_eq!(bytes[16..24], [1200_u32, 630].map(u32::to_be_bytes).concat(), "{path}");
    }
    // The folder of each list of pages is a kind.
    let folders: BTreeSet<&str> =
        site().iter().filter_map(|file| Some(file.path.split_once('/')?.0)).collect();
    assert_eq!(pictures.len(), folders.len() + 1, "{folders:?}");
}
