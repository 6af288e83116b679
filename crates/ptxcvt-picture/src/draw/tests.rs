//! Where labels, marks and sources are in pictures of every form.

use std::collections::BTreeSet;

use ptxcvt::Form;

use super::{CHARACTER, CLOSE, END, MARGIN, SMALL, WIDE, panel, scale};
use crate::picture::Picture;

/// The texts of a drawing, each with its row, its left and its right end.
fn texts(drawn: &str) -> Vec<(String, [f64; 2], String)> {
    let value = |tag: &str, name: &str| {
        let (_, rest) = tag.split_once(&format!("{name}=\"")).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    let mut is_small = false;
    let mut found = Vec::new();
    for tag in drawn.split('<').skip(1) {
        if tag.starts_with("g ") {
            is_small = tag.contains("10.5");
        } else if tag.starts_with("/g>") {
            is_small = false;
        } else if let Some((attributes, text)) = tag.strip_prefix("text ").and_then(|tag| tag.split_once('>'))
        {
            let x: f64 = value(attributes, "x").parse().unwrap();
            let size = text.chars().count() as f64 * if is_small { SMALL } else { CHARACTER };
            let from = x - match &*value(attributes, "text-anchor") {
                "start" => 0.0,
                "middle" => size / 2.0,
                _ => size,
            };
            found.push((value(attributes, "y"), [from, from + size], text.to_owned()));
        }
    }
    found
}

/// A label is never another number than the one at its place.
#[test]
fn large_integers_keep_their_digits() {
    for (opcode, bits, there, not) in [
        ("cvt.u64.u64", u64::MAX, "≈1.8447e19", "2^64"),
        ("cvt.rn.f32.u64", u64::MAX, "18446744073709551615", "≈2^64"),
        ("cvt.s64.s64", 1 << 63, "≈-9.2234e18", "2^63"),
        ("cvt.u64.u64", 10_u64.pow(12), "1e12", "≈1e12"),
    ] {
        let form: Form = opcode.parse().unwrap();
        let element = form.explain(&[bits]).unwrap().elements()[0];
        let (drawn, ..) = panel(&form, &element, WIDE).unwrap();
        assert!(!texts(&drawn).iter().any(|(.., text)| text == not), "{opcode} {drawn}");
        assert!(texts(&drawn).iter().any(|(.., text)| text == there), "{opcode} {there} {:?}", texts(&drawn));
    }
}

/// For every form and many numbers, in both widths: labels of different numbers differ, all are inside, and none
/// touches another of its row.
#[test]
fn labels_differ_and_fit() {
    let mut seen = 0;
    for form in Form::all() {
        for bits in
            [0, 1, 0x3fc6_6666, 0x8000_0001, u64::MAX, 0xc340_0000_0000_0001, 0x43ef_ffff_ffff_ffff, 0x7f7f]
        {
            for element in form.explain(&vec![bits; form.source_count()]).unwrap().elements() {
                let Some(picture) = Picture::new(element) else { continue };
                for width in [CLOSE, WIDE] {
                    let (drawn, _, shown) = panel(&form, element, width).unwrap();
                    let row = if shown.rounded { "108.0" } else { "94.0" };
                    let all = texts(&drawn);
                    let values: BTreeSet<u64> =
                        picture.ticks.iter().map(|tick| (tick.distance + 0.0).to_bits()).collect();
                    let labels: BTreeSet<&str> = all
                        .iter()
                        .filter(|(y, ..)| y == row)
                        .map(|(.., text)| &**text)
                        .filter(|text| *text != "tie")
                        .collect();
                    assert_eq!(labels.len(), values.len(), "{form} {bits:#x} {labels:?}");
                    for (at, (y, [from, to], text)) in all.iter().enumerate() {
                        assert!(*from >= 0.0 && *to <= width, "{form} {bits:#x} {text}");
                        let touches = |(other, ends, _): &&(String, [f64; 2], String)| {
                            other == y && ends[0] < *to && *from < ends[1]
                        };
                        let touched = all[at + 1..].iter().find(touches);
                        assert!(touched.is_none(), "{form} {bits:#x} {width}: {text} {touched:?}");
                        seen += 1;
                    }
                }
            }
        }
    }
    assert!(seen > 10_000, "{seen}");
}

/// The mark of a source is at the place of the operand's number, or an arrow points beyond the edge and its label has
/// the number. Relative to the values of the destination, that place is computed again here.
#[test]
fn sources_are_where_they_are_marked() {
    let (mut inside, mut outside, mut changed) = (0, 0, 0);
    for form in Form::all() {
        for bits in [0xbfc0_0000, 0xc396_0000, 0x4479_c000, 0x8000_0001, 0x3fc6_6666, 0xc2c2, 0x43e1_0000, 1]
        {
            let mut operands = vec![bits; form.source_count()];
            if form.modifiers().iter().any(ptxcvt::Modifier::is_scale) {
                operands[form.source_count() - 1] = 0x8282; // 8
            }
            for element in form.explain(&operands).unwrap().elements() {
                let Some(picture) = Picture::new(element) else { continue };
                let source = element.source_value().to_f64();
                assert_eq!(picture.source, source, "{form} {bits:#x}");
                let (first, last) = (picture.ticks[0], picture.ticks[picture.ticks.len() - 1]);
                // Integers beyond 2^53 have a test of their own.
                if source.abs() > 9e15 || last.value.abs() > 9e15 || first.value == last.value {
                    continue;
                }
                let place = (source - first.value) / (last.value - first.value);
                let at = scale(&picture, WIDE)(place);
                let (drawn, ..) = panel(&form, element, WIDE).unwrap();
                let above = texts(&drawn).into_iter().find(|(y, ..)| y == "14.0").unwrap().2;
                let label = above.trim_matches(['←', '→', ' ', '≈']);
                // Labels of five digits, or powers of two.
                let number: f64 = match label.split_once("2^") {
                    Some((sign, power)) => {
                        power.parse::<f64>().unwrap().exp2() * if sign == "-" { -1.0 } else { 1.0 }
                    }
                    None => label.parse().unwrap(),
                };
                assert!((number - source).abs() <= 1e-4 * source.abs(), "{form} {bits:#x} {above} {source}");
                let drawn_at: Option<f64> = drawn
                    .split_once("<circle cx=\"")
                    .map(|(_, rest)| rest.split('"').next().unwrap().parse().unwrap());
                if (MARGIN - END..=WIDE - MARGIN + END).contains(&at) {
                    assert!((drawn_at.unwrap() - at).abs() < 0.1, "{form} {bits:#x} {at} {drawn}");
                    inside += 1;
                } else {
                    let arrow = if at < 0.0 { above.starts_with('←') } else { above.ends_with('→') };
                    assert!(drawn_at.is_none() && arrow, "{form} {bits:#x} {at} {above} {drawn}");
                    outside += 1;
                    changed += usize::from(element.relu || element.sign_dropped || element.scale.is_some());
                }
            }
        }
    }
    assert!(inside > 1000 && outside > 500 && changed > 50, "{inside} {outside} {changed}");
}

/// Every form draws every kind of value, each tag is closed, and nothing is placed outside.
#[test]
fn every_form_has_a_picture() {
    for form in Form::all() {
        let count = form.source_count();
        for bits in [0, 1, 0x3fc6_6666, 0x8000_0000, 0x7fc0_0000, 0x7f80_0000, 0x3c3c, u64::MAX] {
            let svg = super::svg(&form, &vec![bits; count]).unwrap();
            for tag in ["g", "text", "svg", "title", "tspan"] {
                let open =
                    svg.matches(&format!("<{tag} ")).count() + svg.matches(&format!("<{tag}>")).count();
                assert_eq!(open, svg.matches(&format!("</{tag}>")).count(), "{form} {bits:#x}");
            }
            assert!(!svg.contains("\"NaN") && !svg.contains("\"inf"), "{form} {bits:#x}: {svg}");
            assert!(svg.matches("<circle").count() <= form.lanes() as usize + 1, "{form}");
        }
    }
}

/// The legend explains what is drawn, and nothing else.
#[test]
fn the_legend_is_that_of_the_picture() {
    let second = |opcode: &str, operands: &[u64]| {
        let svg = super::svg(&opcode.parse().unwrap(), operands).unwrap();
        (svg.contains("beyond the edge"), svg.contains("the number that is rounded"))
    };
    assert_eq!(second("cvt.rn.f16.f32", &[0x3f80_0001]), (false, false));
    assert_eq!(second("cvt.rn.satfinite.e4m3x2.f32", &[0x4479_c000, 0]), (true, false));
    assert_eq!(second("cvt.rp.satfinite.ue8m0x2.f32", &[0xc040_0000, 0]), (true, true));
    let legend = |opcode: &str, operands: &[u64]| {
        let svg = super::svg(&opcode.parse().unwrap(), operands).unwrap();
        (svg.contains("where each rounding ends"), svg.contains("this one in green"))
    };
    assert_eq!(legend("cvt.rn.f16.f32", &[0x3f80_0001]), (true, true));
    assert_eq!(legend("cvt.f32.f16", &[0x3c00]), (false, false), "exact");
    assert!(
        !legend("cvt.rs.satfinite.e4m3x4.f32", &[0x3f80_0001, 0, 0, 0, 5]).1,
        "no rounding of the others is its own"
    );
}
