//! The table is valid, and errors in recipes are reported with their place.

use ptxcvt::Format;
use ptxcvt_blocks::{Definition, Recipe};

#[test]
fn every_row_is_valid_and_found_by_its_name() {
    let all: Vec<Recipe> = Recipe::all().collect();
    let mut names: Vec<&str> = all.iter().map(Recipe::name).collect();
    assert!(names.len() >= 40, "{names:?}");
    for recipe in &all {
        let found = Recipe::named(recipe.name()).unwrap();
        assert!(found.quantize_lines().eq(recipe.quantize_lines()), "{}", recipe.name());
        Recipe::new(Definition::of(recipe)).unwrap();
        assert!(!recipe.about().is_empty() && !recipe.source().is_empty() && !recipe.confirmed().is_empty());
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all.len(), "names are unique");
}

#[test]
fn a_wrong_name_gets_the_right_ones() {
    let message = |name: &str| Recipe::named(name).unwrap_err().to_string();
    for (name, similar) in [
        ("mx-reil/e4m3", "; similar names are mx-rceil mx-rceil-te mx-rceil-te-32x32 mx-floor"),
        ("NVFP4-modelop", "; similar names are nvfp4-modelopt nvfp4-te-1x16 nvfp4-te-16x16 nvfp4-te-rs-1x16"),
        (
            "mxfp4",
            "; similar names are mxfp4-compressed-tensors mxfp4-modelopt gguf-mxfp4 mxfp6-compressed-tensors",
        ),
        ("\u{e9}", ""),
        ("", ""),
    ] {
        assert_eq!(message(name), format!("no recipe `{name}`{similar}"));
    }
    assert_eq!(
        message("mx-rceil"),
        "`mx-rceil` needs an element format, such as mx-rceil/e4m3; its formats are e4m3 e5m2 e2m3 e3m2 e2m1"
    );
    assert_eq!(
        message("mx-rceil/e3m4"),
        "`mx-rceil` has no elements of `e3m4`; its formats are e4m3 e5m2 e2m3 e3m2 e2m1"
    );
}

#[test]
fn a_wrong_line_is_named() {
    let base = Definition::of(&Recipe::named("mx-floor/e4m3").unwrap());
    let with = |at: usize, line: &str| {
        let mut own = base.clone();
        own.quantize[at] = line.into();
        Recipe::new(own).unwrap_err().to_string()
    };
    for (at, line, message) in [
        (0, "p", "`p`: expected NAME = EXPRESSION, such as `t = amax * 0.5`"),
        (
            0,
            "p = cvt.rz.ue8m0x2.f32(amx)",
            "unknown name `amx`; known here are amax x tensor_amax row_amax max",
        ),
        (0, "p = cvt.rn.e4m3x2.f32(amax)", "`.satfinite` is required"),
        (0, "p = cvt.rn.f16.f32(amax)", "expected a conversion from f32 to a format of at most 8 bits"),
        (0, "p = sqrt(amax)", "`sqrt` is not an operation"),
        (0, "p = cvt.rz.ue8m0x2.f32(amax", "the closing parenthesis is missing"),
        (2, "e = min(e)", "`min` needs 2 operands, not 1"),
        (
            4,
            "e = 255 where amax is big",
            "`big` is not a class; the classes are zero, nan, inf, negative, and one code such as 0x00",
        ),
        (5, "s = e * 1", "`s` must be a code of ue8m0"),
        (5, "z = ue8m0(e)", "unknown name `s`"),
        (0, "p = cvt.rz.ue8m0x2.f32(x)", "`s` depends on `x`, so it is not the same for the block"),
        (10, "z = cvt.rn.satfinite.e4m3x2.f32(y)", "no line computes `q`"),
        (0, "p = amax * 1e39", "`1e39` is larger than every f32; for infinity write `inf`"),
        (0, "p = amax * 2^128", "`2^128` is larger than every f32"),
        (0, "p = amax * 1e-60", "`1e-60` is smaller than every f32; for zero write `0`"),
        // The reasons of the one parser of numbers.
        (0, "p = amax * 010", "`010`: a leading zero makes it octal (8): leave it out"),
        (0, "p = amax * -0700", "`-0700`: a leading zero makes it octal (-448): leave it out"),
        (0, "p = amax * 09", "`09`: a leading zero makes the number octal"),
        (0, "p = amax * 2^010", "`2^010`: a leading zero makes it octal (8): leave it out"),
        (0, "p = amax * 2^09", "`2^09`: a leading zero makes the number octal"),
        (0, "p = amax * 0x1ffffffff", "`0x1ffffffff`: does not fit in 32 bits"),
        (0, "p = amax * 0x1ffffffffffffffff", "`0x1ffffffffffffffff`: does not fit in 32 bits"),
        (0, "p = amax * 2^0x1ffffffffffffffff", "`2^0x1ffffffffffffffff`: does not fit in 64 bits"),
        (0, "p = amax * 1.5ff", "`1.5ff` is not a number; numbers are like 448"),
        (0, "p = amax * 2^x", "`2^x` is not a number; numbers are like 448"),
        (4, "e = 255 where amax is 0x100", "`0x100`: does not fit in 8 bits"),
        (4, "e = 255 where amax is 0xyz", "`0xyz` is not a code of 8 bits"),
    ] {
        let found = with(at, line);
        assert!(found.starts_with("recipe `mx-floor/e4m3`: ") && found.contains(message), "{found}");
    }
    let refused = |change: fn(&mut Definition)| {
        let mut own = base.clone();
        change(&mut own);
        Recipe::new(own).unwrap_err().to_string()
    };
    assert!(refused(|d| d.element = Format::F16).contains("expected FP8, FP6 or FP4"));
    assert!(refused(|d| d.scale = Format::F16).contains("expected f32, e4m3, e5m2, ue8m0, ue5m3"));
    assert!(refused(|d| d.block.columns = 0).contains("a block must have rows and columns"));
    assert!(refused(|d| d.block.rows = usize::MAX).contains("at most 2^24 of each"));
    assert!(refused(|d| d.name = " ".into()).contains("a recipe needs a name"));
    let unscaled = refused(|d| d.dequantize = vec!["v = q * G".into()]);
    assert!(unscaled.contains("`v = q * G`: no line of `quantize` computes `G`"), "{unscaled}");
    assert!(refused(|d| d.layout = ptxcvt_blocks::Layout::Gguf).contains("this layout needs blocks of 1x32"));
}

#[test]
fn recipes_as_files() {
    let text = |more: &str| {
        format!(
            "name = \"own\"\nelement = \"e4m3\"\nblock = [1, 32]\nscale = \"ue8m0\"\n{more}\n\
             quantize = [\"t = amax / max\", \"s = cvt.rp.satfinite.ue8m0x2.f32(t)\", \"r = 1 / s\", \"y = x * r\",\n\
             \"q = cvt.rn.satfinite.elementx2.f32(y)\"]\ndequantize = [\"v = q * s\"]\n"
        )
    };
    let own = Recipe::from_toml(&text("")).unwrap();
    // Equal to mx-rceil except for the rule about the least scale.
    let numbers: Vec<f32> = (0..320).map(|i| (i as f32 - 160.0) * 0.37).collect();
    let matrix = ptxcvt_blocks::Matrix::f32(&numbers, 10, 32).unwrap();
    let options = ptxcvt_blocks::Options::default();
    let named = Recipe::named("mx-rceil/e4m3").unwrap();
    assert!(ptxcvt_blocks::compare([&own, &named], &matrix, [&options; 2]).unwrap().counts.is_equal());
    let message = |more: &str| Recipe::from_toml(&text(more)).unwrap_err().to_string();
    assert!(message("nam = 1").contains("unknown field `nam`"), "{}", message("nam = 1"));
    assert!(
        message("layout = \"tiles\"").contains("unknown variant `tiles`"),
        "{}",
        message("layout = \"tiles\"")
    );
    assert!(
        Recipe::from_toml(&text("").replace("e4m3", "e4m9"))
            .unwrap_err()
            .to_string()
            .contains("no format `e4m9`; formats are")
    );
}
