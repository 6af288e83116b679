//! Rewritten modules: they compute the same results, `check` finds nothing in them, and everything else is
//! unchanged.

use ptxcvt::{Form, Target};
use ptxcvt_exec::read::{self, Interface};
use ptxcvt_lower::{RewriteError, lower, render, rewrite};
use ptxcvt_syntax::{CheckOptions, Source, check};

fn target(name: &str) -> Target {
    name.parse().unwrap()
}

/// The module for another target, after `check` has read it.
fn rewritten(module: &str, to: &str) -> String {
    let rewritten = rewrite(module.as_bytes(), target(to), None).unwrap();
    let text = String::from_utf8(rewritten.text).unwrap();
    let findings = check(&Source::new("", text.as_bytes()), &CheckOptions::default());
    assert_eq!(findings.errors(), 0, "{:#?}\n{text}", findings.diagnostics);
    text
}

/// Every operand may be a register of any type that the form accepts.
#[test]
fn every_type_of_registers_is_copied() {
    let mut rewrites = 0;
    for form in Form::all() {
        let Some(own) = Target::all().find(|t| form.since(*t).is_some() && t.sm() >= 53) else { continue };
        let operands: Vec<_> = form.operands().collect();
        for (at, operand) in operands.iter().enumerate() {
            for ty in operand.accepted().filter(|ty| ty.width <= 64) {
                let names: Vec<String> = (0..operands.len()).map(|n| format!("%r{n}x")).collect();
                let declared = operands.iter().zip(&names).enumerate().map(|(n, (operand, name))| {
                    let own = operand.register();
                    let ty = if n == at { ty.to_string() } else { own.to_string() };
                    format!(".reg {ty} {name};")
                });
                let declared = declared.collect::<Vec<_>>().join(" ");
                let written = match (form.destination().lanes(), form.source().lanes()) {
                    (4, 1) => {
                        format!("{}, {{{}}}, {}", names[0], names[1..5].join(", "), names[5..].join(", "))
                    }
                    _ => names.join(", "),
                };
                let written = written.trim_end_matches([',', ' ']);
                let module = format!(
                    ".version {}\n.target {own}\n.entry k() {{ {declared} {form} {written}; ret; }}\n",
                    own.newest()
                );
                let findings = check(&Source::new("", module.as_bytes()), &CheckOptions::default());
                assert_eq!(findings.errors(), 0, "{:#?}\n{module}", findings.diagnostics);
                rewrites += usize::from(rewritten(&module, "sm_50") != module);
            }
        }
    }
    assert!(rewrites > 2_000, "{rewrites}");
}

/// Every form, as a function for a target that has it, for one that lacks it.
#[test]
fn every_form_is_rewritten() {
    let mut rewrites = 0;
    for form in Form::all() {
        let Some(own) = Target::all().find(|t| form.since(*t).is_some() && t.sm() >= 50) else { continue };
        let isa = own.newest();
        let module = render::func(&lower(form, own, isa).unwrap(), own, isa);
        let text = rewritten(&module, "sm_50");
        rewrites += usize::from(text.contains(&format!("// {form} computed with")));
        let [before, after] = [&module, &text].map(|text| read::block(text, &Interface::default()).unwrap());
        for operands in ptxcvt::inputs::operands(&form, 8, 5).step_by(9973) {
            let operands = &operands[..form.source_count()];
            assert_eq!(before.eval(operands), after.eval(operands), "{text}");
        }
    }
    assert!(rewrites > 500, "{rewrites}");
}

/// Bytes that are not valid text: findings have the places that they have without rewriting.
#[test]
fn places_in_what_is_no_text() {
    for module in [
        &b"\xff\xfe\x00"[..],
        b"// \xff\n.version 8.0\n.target sm_90 // \xc3\n.entry k() {\n cvt.f32 %f;\n}\n",
    ] {
        let Err(RewriteError::Findings(found)) = rewrite(module, target("sm_80"), None) else { panic!() };
        let source = Source::new("", module);
        assert!(found.iter().all(|d| source.text().get(d.span().range()).is_some()), "{found:?}");
    }
}

/// Guards, immediates, a destination that is a source, wide registers, vectors, names that the module has already.
#[test]
fn operands_of_every_kind() {
    let module = "\
.version 8.7
.target sm_100a
.address_size 64
.visible .func (.reg .b32 d) f (.reg .f32 a, .reg .f32 b, .reg .b32 r)
{
	.reg .pred p, %low;
	.reg .b16 h<3>;
	.reg .b8 e;
	.reg .b32 w<2>;
	.reg .b64 wide;
	setp.gt.f32 p, a, b; mov.b16 h0, 7; mov.b16 h1, 9; mov.b32 w0, 3; mov.b32 w1, 5;
@p	cvt.rn.satfinite.e4m3x2.f32 h0, a, 1.5; // a guard
	{ .reg .b32 x; @/* not @q */!p cvt.rn.satfinite.e5m2x2.f32 h1, 0f3F800000, b; }
	mov.b32 w0, a; cvt.rn.bf16x2.f32 w0, w0, b;
	cvt.rs.satfinite.e2m1x4.f32 h2, {a, b, a, b}, r;
	cvt.rn.satfinite.e2m1x2.f32 e, a, b;
	cvt.u32.u8 w1, e;
	cvt.rn.relu.f16.f32 wide, a; cvt.u32.u64 r, wide; xor.b32 w1, w1, r;
	mov.b32 d, {h0, h1};
	xor.b32 d, d, w0; xor.b32 d, d, w1; cvt.u32.u16 w1, h2; xor.b32 d, d, w1;
	ret;
}
";
    let before = read::block(module, &Interface::default()).unwrap();
    for to in ["sm_50", "sm_80", "sm_90"] {
        let text = rewritten(module, to);
        // sm_90 has the first.
        let first = if to == "sm_90" {
            "@p\tcvt.rn.satfinite.e4m3x2.f32 h0, a, 1.5;"
        } else {
            "@p\tmov.b16 h0, %low_0_0;"
        };
        assert!(text.contains(&format!("{first} // a guard\n")), "{text}");
        let after = read::block(&text, &Interface::default()).unwrap();
        for inputs in [
            [0x3fc0_0000, 0x4120_0000, 0x1234_5678],
            [0x4120_0000, 0xbf80_0000, 0xffff_0000],
            [0x7fc0_0000, 0, 1],
        ] {
            assert_eq!(before.eval(&inputs), after.eval(&inputs), "{inputs:x?} {text}");
        }
    }
}

/// Bytes that are not text, line ends and blanks stay as they are.
#[test]
fn the_rest_is_untouched() {
    let module = b"// caf\xe9\r\n.version 7.8\r\n.target  sm_90 , debug\r\n.entry k() {\r\n  .reg .b16 h; .reg .f32 f;\r\n  cvt.rn.bf16.f32 h, f ;\t// \xff\r\n  cvt.rn.f16.f32 h, f;\r\n  ret;\r\n}\r\n";
    let text = rewrite(module, target("sm_75"), None).unwrap().text;
    let at = text.windows(3).position(|w| w == b"// c").unwrap_or(0);
    assert_eq!(at, 0);
    let start = b"// caf\xe9\r\n.version 7.8\r\n.target  sm_75 , debug\r\n.entry k() {\r\n  .reg .b16 h; .reg .f32 f;\r\n  // cvt.rn.bf16.f32 computed with instructions of sm_75\r\n";
    let end = b"\r\n  mov.b16 h, %low0_0 ;\t// \xff\r\n  cvt.rn.f16.f32 h, f;\r\n  ret;\r\n}\r\n";
    assert!(text.starts_with(start) && text.ends_with(end), "{}", String::from_utf8_lossy(&text));
    // A module whose forms are legal stays unchanged.
    let same = rewrite(module, target("sm_90"), None).unwrap();
    assert_eq!((same.text, same.replaced.len()), (module.to_vec(), 0));
}

/// Older targets have no registers of type `.f16x2`.
#[test]
fn registers_for_pairs_become_bits() {
    let module = "\
.version 8.6
.target sm_90
.func (.reg .b32 d) f (.reg .f32 a)
{
	.reg .f16x2 x, y; .reg.f16x2 z<2>;
	cvt.rn.f16x2.f32 x, a, a; mov.b32 y, x; mov.b32 z1, y; mov.b32 d, z1;
	ret;
}
";
    let text = rewritten(module, "sm_52");
    assert!(text.contains("\t.reg .b32 x, y; .reg.b32 z<2>;\n"), "{text}");
    let [before, after] = [module, &text].map(|text| read::block(text, &Interface::default()).unwrap());
    assert_eq!(before.eval(&[0x3f80_0000]), after.eval(&[0x3f80_0000]));
    // Comments stay, wherever they are.
    for (declared, expected) in [
        (".reg .f16x2 /* .f16x2 registers */ x;", ".reg .b32 /* .f16x2 registers */ x;"),
        (".reg .f16x2 x, /* two .f16x2 */ w;", ".reg .b32 x, /* two .f16x2 */ w;"),
        (".reg /* .f16x2 */ .f16x2 x<1>, x; // .f16x2\n", ".reg /* .f16x2 */ .b32 x<1>, x; // .f16x2\n"),
        (".reg .v2 .f16x2 /* .f16x2 */ v; .reg .f16x2 x;", ".reg .v2 .b32 /* .f16x2 */ v; .reg .b32 x;"),
    ] {
        let module = module.replace(".reg .f16x2 x, y;", &format!("{declared} .reg .f16x2 y;"));
        let text = rewritten(&module, "sm_52");
        assert!(text.contains(&format!("\t{expected} .reg .b32 y; ")), "{text}");
    }
    assert!(rewritten(module, "sm_75").contains(".reg .f16x2 x, y; .reg.f16x2 z<2>;"));
}

/// The version changes only where the target does not exist in it.
#[test]
fn the_version_follows_the_target() {
    let module = |isa: &str| format!(".version {isa}\n.target sm_90\n.entry k() {{ ret; }}\n");
    let version = |isa: &str, to: &str| rewritten(&module(isa), to).lines().next().unwrap().to_owned();
    assert_eq!(version("7.8", "sm_50"), ".version 7.8");
    assert_eq!(version("7.8", "sm_120"), ".version 8.7");
    assert_eq!(version("9.1", "sm_101"), ".version 8.8");
    let chosen = rewrite(module("7.8").as_bytes(), target("sm_80"), "8.0".parse().ok()).unwrap();
    assert!(chosen.text.starts_with(b".version 8.0\n.target sm_80\n"));
}

#[test]
fn mistakes_are_not_rewritten() {
    let module = ".version 7.8\n.target sm_90\n.entry k() { .reg .b16 h; cvt.rn.bf16.f32 h, x; }\n";
    match rewrite(module.as_bytes(), target("sm_75"), None) {
        Err(RewriteError::Findings(found)) => assert_eq!(found[0].code().as_str(), "CVT101"),
        other => panic!("{other:?}"),
    }
    let module = ".version 7.8\n.target sm_90\n.entry k() { ret; }\n";
    assert!(matches!(rewrite(module.as_bytes(), target("sm_35"), None).map(|r| r.replaced.len()), Ok(0)));
}

/// Inserted lines end as those of the module do, and the comments of a replaced instruction stay, byte for byte.
#[test]
fn line_ends_and_comments_stay() {
    let module = ".version 7.8\n.target sm_90\n.entry k() {\n.reg .f32 f; .reg .b16 h;\n  \
        cvt.rn.satfinite.e4m3x2.f32 /* both\n  halves */ h, // upper\n  f, f; // after\n ret;\n}\n";
    let plain = rewritten(module, "sm_80");
    let (before, after) =
        plain.split_once("/* both\n  halves */\n  // upper\n  // cvt.rn").expect("the comments");
    assert!(before.ends_with(".b16 h;\n  ") && after.contains("; // after\n ret;"), "{plain}");
    let windows = rewritten(&module.replace('\n', "\r\n"), "sm_80");
    assert_eq!(windows, plain.replace('\n', "\r\n"));
    let latin = [&b"// caf\xe9\r\n"[..], &module.replace("both", "b\u{f6}th").into_bytes()].concat();
    let text = rewrite(&latin, target("sm_80"), None).unwrap().text;
    assert!(text.starts_with(b"// caf\xe9\r\n") && text.windows(7).any(|w| w == "/* b\u{f6}t".as_bytes()));
}
