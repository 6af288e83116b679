//! The judge of codecs: codecs with one mistake each, and correct ones.

use ptxcvt::{Conversion, Form, Format, Overflow, Rounding, Subnormals};
use ptxcvt_conform::judge::{Class, Judge, Verdict};

const RIGHT: Conversion = Conversion::new(Format::F16, Format::E4m3).overflow(Overflow::Saturate);

fn right(x: u16) -> u8 {
    RIGHT.eval(x.into()) as u8
}

fn value(x: u16) -> f64 {
    Format::F16.decode(x.into()).to_f64()
}

fn judged(codec: impl Fn(u16) -> u8 + Sync) -> Verdict {
    let form: Form = "cvt.rn.satfinite.e4m3x2.f16x2".parse().unwrap();
    Judge::form(&form).unwrap().check(codec).unwrap()
}

/// A codec with a planted mistake, the class that has most of the differences, and the sentence about it.
type Planted = (&'static str, fn(u16) -> u8, Class, &'static str);

#[rustfmt::skip]
const PLANTED: &[Planted] = &[
    ("NaN is zero", |x| if value(x).is_nan() { 0 } else { right(x) }, Class::Nan, "NaN becomes zero"),
    ("NaN keeps its sign", |x| if value(x).is_nan() { right(x) | (x >> 8) as u8 & 0x80 } else { right(x) },
        Class::Nan, "NaN with the sign bit set becomes NaN with the source's sign"),
    ("NaN is the largest number", |x| if value(x).is_nan() { 0x7e } else { right(x) }, Class::Nan, "NaN becomes the largest number"),
    ("infinity is NaN", |x| if value(x).is_infinite() { 0x7f } else { right(x) }, Class::Infinity, "infinity becomes NaN"),
    ("-infinity is positive", |x| if value(x) == f64::NEG_INFINITY { 0x7e } else { right(x) },
        Class::Infinity, "negative infinity becomes the largest number"),
    ("overflow is NaN", |x| if value(x).is_finite() && value(x).abs() > 464.0 { 0x7f } else { right(x) },
        Class::Overflow, "numbers beyond 448 become NaN"),
    ("overflow wraps", |x| if value(x).is_finite() && value(x).abs() >= 512.0 { right(x) & 0x80 | (x >> 7) as u8 & 0x7f } else { right(x) },
        Class::Overflow, "some numbers beyond 448 become different codes"),
    ("negative numbers do not saturate", |x| if value(x).is_finite() && value(x) < -448.0 { 0xff } else { right(x) },
        Class::Overflow, "numbers below -448 become NaN with the source's sign"),
    ("-0 is +0", |x| if x == 0x8000 { 0 } else { right(x) }, Class::ZeroSign, "-0 becomes +0"),
    ("tiny negative numbers are +0", |x| if right(x) == 0x80 && x != 0x8000 { 0 } else { right(x) },
        Class::ZeroSign, "negative numbers that round to zero become +0"),
    ("subnormal numbers are flushed", |x| if right(x) & 0x7f < 8 { right(x) & 0x80 } else { right(x) },
        Class::Subnormal, "results below 0.015625, the smallest normal number, become zero"),
    ("subnormal numbers are truncated", |x| if right(x) & 0x7f < 8 { RIGHT.rounding(Rounding::Rz).eval(x.into()) as u8 } else { right(x) },
        Class::Subnormal, "results below 0.015625, the smallest normal number, are rounded towards zero"),
    ("ties away", |x| RIGHT.rounding(Rounding::Rna).eval(x.into()) as u8, Class::Ties, "ties round away from zero"),
    ("ties to zero", |x| { let away = RIGHT.rounding(Rounding::Rna).eval(x.into()) as u8;
        let before = RIGHT.rounding(Rounding::Rna).eval(u64::from(x).saturating_sub(1)) as u8;
        if x & 0x7fff > 0 && value(x).abs() < 448.0 && away != before && RIGHT.rounding(Rounding::Rz).eval(x.into()) as u8 != away { before } else { right(x) } },
        Class::Ties, "ties round towards zero"),
    ("truncation", |x| RIGHT.rounding(Rounding::Rz).eval(x.into()) as u8, Class::Rounding, "numbers between two codes round towards zero"),
    ("rounds down", |x| RIGHT.rounding(Rounding::Rm).eval(x.into()) as u8, Class::Rounding, "numbers between two codes round down"),
    ("256 and above collapse", |x| if value(x).abs() >= 256.0 { right(x) & 0x80 | 0x7e } else { right(x) }, Class::Rounding,
        "everything from 256 on becomes 448 with the source's sign"),
    ("the largest number is 416", |x| if value(x).is_finite() && value(x).abs() > 416.0 { right(x) & 0x80 | 0x7d } else { right(x) }, Class::Overflow,
        "numbers beyond 448 become 416 with the source's sign"),
    ("one code is wrong", |x| if right(x) == 0x3a { 0x3b } else { right(x) }, Class::Rounding, "some positive numbers between two codes become wrong codes"),
    ("exact numbers are wrong", |x| if Format::E4m3.decode(RIGHT.rounding(Rounding::Rz).eval(x.into())).to_f64() == value(x) && value(x) > 1.0 { right(x) ^ 1 } else { right(x) },
        Class::Exact, "some positive numbers that the format has become others"),
    ("truncation of negative numbers", |x| if x >> 15 == 1 { RIGHT.rounding(Rounding::Rz).eval(x.into()) as u8 } else { right(x) },
        Class::Rounding, "negative numbers between two codes round towards zero"),
    ("a collapse and other mistakes", |x| if value(x).abs() >= 256.0 { right(x) & 0x80 | 0x7e } else if value(x) < 0.0 { 0 } else { right(x) },
        Class::Rounding, "some numbers between two codes become wrong codes"),
    ("codes are one too large", |x| if value(x).abs() < 416.0 && right(x) & 0x7f > 0 { right(x) + 1 } else { right(x) }, Class::Rounding, "some numbers between two codes become wrong codes"),
    ("the sign is lost", |x| if value(x).is_nan() { right(x) } else { right(x) & 0x7f }, Class::Rounding, "negative numbers lose their sign"),
    ("the largest number alone is wrong", |x| if value(x).abs() == 448.0 { right(x) - 1 } else { right(x) }, Class::Exact,
        "some numbers that the format has become others"),
    ("NaN up to half-way to the next power", |x| if value(x).is_finite() && value(x).abs() > 448.0 && value(x).abs() <= 464.0 { 0x7f } else { right(x) },
        Class::Overflow, "some numbers beyond 448 become NaN"),
    ("subnormal ties up", |x| if right(x) & 0x7f < 8 && (value(x) * 512.0).fract().abs() == 0.5 { RIGHT.rounding(Rounding::Rp).eval(x.into()) as u8 } else { right(x) },
        Class::Subnormal, "ties below 0.015625, the smallest normal number, are rounded up"),
    ("the least number is zero", |x| if right(x) & 0x7f == 1 { right(x) & 0x80 } else { right(x) },
        Class::Subnormal, "some results below 0.015625, the smallest normal number, become zero"),
    ("a carry into the exponent is lost", |x| { let (y, down) = (right(x), RIGHT.rounding(Rounding::Rz).eval(x.into()) as u8);
        if y & 7 == 0 && y & 0x7f > 8 && y != down { y - 8 } else { y } },
        Class::Rounding, "some results lose the carry into the exponent"),
    ("the signs are inverted", |x| if value(x).is_nan() { right(x) } else { right(x) ^ 0x80 }, Class::Rounding,
        "numbers get the opposite sign"),
    ("the bias is off by one", |x| if value(x).is_finite() { let y = Conversion::new(Format::F64, Format::E4m3).overflow(Overflow::Saturate).eval((value(x) / 2.0).to_bits()) as u8;
        if value(x).abs() > 448.0 { right(x) } else { y } } else { right(x) }, Class::Rounding, "results are half of what they should be"),
    ("every result is zero", |_| 0, Class::Rounding, "every number becomes 0"),
];

#[test]
fn planted_mistakes_are_named() {
    let mut failed = Vec::new();
    for (name, codec, class, mistake) in PLANTED {
        let verdict = judged(codec);
        assert!(!verdict.is_equal() && verdict.equal.is_empty(), "{name}");
        assert_eq!(verdict.nearest, "cvt.rn.satfinite.e4m3x2.f16x2");
        let most =
            verdict.differences.iter().max_by_key(|difference| difference.count).expect("a difference");
        if most.class != *class || most.mistake != *mistake {
            failed.push(format!("{name}: {verdict}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// The counts and examples of a verdict equal the counts and examples of a comparison input by input.
#[test]
fn counts_are_exact() {
    for (name, codec, ..) in PLANTED {
        let verdict = judged(codec);
        let wrong = (0..=u16::MAX).filter(|x| codec(*x) != right(*x)).count() as u64;
        assert_eq!(verdict.count(), wrong, "{name}");
        for difference in &verdict.differences {
            for example in [difference.example, difference.smallest] {
                let input = example.input as u16;
                assert_eq!(
                    (example.got, example.expected),
                    (codec(input).into(), right(input).into()),
                    "{name}"
                );
                assert_ne!(example.got, example.expected, "{name}");
            }
            let least = |class| {
                (0..=u16::MAX)
                    .filter(|x| codec(*x) != right(*x))
                    .map(|x| x & 0x7fff)
                    .filter(|_| class == difference.class)
                    .min()
            };
            assert!(difference.smallest.input as u16 & 0x7fff >= least(difference.class).unwrap(), "{name}");
        }
    }
}

/// Each form without another operand is recognised, and each policy that a conversion follows is equal to something.
#[test]
fn correct_codecs_are_equal() {
    let mut forms = 0;
    for form in Form::all().filter(|form| form.extra().is_none() && form.source().format().bits() <= 16) {
        let (source, destination) = (form.source().format(), form.destination().format());
        let conversion = form.conversion();
        let judge = Judge::between(source, destination);
        macro_rules! check {
            ($source:ty, $destination:ty) => {
                judge.check(|x: $source| conversion.eval(x.into()) as $destination)
            };
        }
        let verdict = match (source.storage().div_ceil(8), destination.storage().div_ceil(8)) {
            (1, 1) => check!(u8, u8),
            (1, 2) => check!(u8, u16),
            (1, 4) => check!(u8, u32),
            (1, _) => check!(u8, u64),
            (_, 1) => check!(u16, u8),
            (_, 2) => check!(u16, u16),
            (_, 4) => check!(u16, u32),
            (..) => check!(u16, u64),
        };
        let verdict = verdict.unwrap();
        assert!(verdict.equal.contains(&form.to_string()), "{form}: {verdict}");
        assert!(verdict.is_equal());
        forms += 1;
    }
    assert!(forms > 300, "{forms}");
}

/// Policies of other libraries, which PTX has no form for.
#[test]
fn policies_without_a_form() {
    let plain = Conversion::new(Format::F16, Format::E4m3);
    for (conversion, name) in [
        (plain, "f16->e4m3, to nearest even, overflow to NaN"),
        (
            plain.rounding(Rounding::Rp).overflow(Overflow::InfinityOrNan),
            "f16->e4m3, up, overflow to NaN whatever the rounding",
        ),
        (
            plain.rounding(Rounding::Rna).overflow(Overflow::Saturate),
            "f16->e4m3, to nearest, ties away from zero, saturating",
        ),
        (
            plain.result_subnormals(Subnormals::Zero).overflow(Overflow::Saturate),
            "f16->e4m3, to nearest even, saturating, subnormal results to zero",
        ),
    ] {
        let verdict = Judge::between(Format::F16, Format::E4m3)
            .check(|x: u16| conversion.eval(x.into()) as u8)
            .unwrap();
        assert_eq!(verdict.equal, [name], "{verdict}");
        let own = Judge::new(conversion).check(|x: u16| conversion.eval(x.into()) as u8).unwrap();
        assert_eq!(own.equal, [conversion.to_string()]);
    }
}

/// A signed NaN, as ml_dtypes has it, is a policy.
#[test]
fn nan_with_a_sign() {
    let cast = |x: u16| {
        let code = Conversion::new(Format::F16, Format::E4m3).eval(x.into()) as u8;
        if code == 0x7f { code | (x >> 8) as u8 & 0x80 } else { code }
    };
    let verdict = Judge::between(Format::F16, Format::E4m3).check(cast).unwrap();
    let name = "f16->e4m3, to nearest even, overflow to NaN with the source's sign, NaN to NaN with the source's sign";
    assert_eq!(verdict.equal, [name]);
}

/// The nearest policy is reported with the differences from it, in JSON by the names of the classes.
#[test]
fn nearest_policy_as_json() {
    let codec = |x: u16| if x == 0x3c40 { 0x39 } else { RIGHT.rounding(Rounding::Rz).eval(x.into()) as u8 };
    let verdict = Judge::between(Format::F16, Format::E4m3).check(codec).unwrap();
    let json = serde_json::to_value(&verdict).unwrap();
    assert_eq!(json["conversion"], "f16->e4m3");
    assert_eq!(json["inputs"], 65_536);
    assert_eq!(json["equal"], serde_json::json!([]));
    assert_eq!(json["nearest"], "cvt.rz.satfinite.e4m3x2.f16x2");
    let ties = &json["differences"]["ties"];
    assert_eq!((&ties["count"], &ties["example"]["input"]), (&1.into(), &"0x3c40".into()));
    assert_eq!((&ties["example"]["got"], &ties["example"]["expected"]), (&"0x39".into(), &"0x38".into()));
    assert_eq!(json["differences"].as_object().unwrap().len(), 1);
}

/// Sources of 64 bits: edges, ties and random numbers.
#[test]
fn wide_sources() {
    let conversion = Conversion::new(Format::F64, Format::E5m2).overflow(Overflow::Saturate);
    let judge = Judge::new(conversion).random(10_000, 7);
    assert!(judge.check(|x: f64| conversion.eval(x.to_bits()) as u8).unwrap().is_equal());
    let verdict = judge.check(|x: f64| conversion.eval(f64::from(x as f32).to_bits()) as u8).unwrap();
    let classes: Vec<Class> = verdict.differences.iter().map(|difference| difference.class).collect();
    // Through f32 it rounds twice: numbers next to a tie become the tie.
    assert!(classes.contains(&Class::Rounding), "{verdict}");
    assert!(!classes.contains(&Class::Ties), "{verdict}");
    assert!(!verdict.exhaustive);
}

/// A selection of f32: no input twice, every tie with its neighbours, so that rounding in two steps is found.
#[test]
fn quick_finds_double_rounding() {
    let judge = Judge::between(Format::F32, Format::E4m3).random(10_000, 7).quick();
    let second = Conversion::new(Format::F16, Format::E4m3).overflow(Overflow::Saturate);
    let first = Conversion::new(Format::F32, Format::F16);
    let verdict = judge.check(|x: f32| second.eval(first.eval(x.to_bits().into())) as u8).unwrap();
    assert!(!verdict.exhaustive && (70_000..90_000).contains(&verdict.inputs), "{verdict}");
    // Next to each tie, on one side, and of both signs.
    let rounding = verdict.difference(Class::Rounding).unwrap();
    assert!(rounding.count >= 2 * 14 * 8, "{verdict}");
    assert_eq!(rounding.mistake, "some numbers between two codes are rounded twice, first to `f16`");
    assert_eq!(
        verdict.difference(Class::Subnormal).unwrap().mistake,
        "some results below 0.015625, the smallest normal number, are rounded twice, first to `f16`"
    );
    assert!(verdict.difference(Class::Ties).is_none(), "{verdict}");
    let inputs = std::sync::Mutex::new(Vec::new());
    let right = Conversion::new(Format::F32, Format::E4m3).overflow(Overflow::Saturate);
    let verdict = judge
        .check(|x: u32| {
            inputs.lock().unwrap().push(x);
            right.eval(x.into()) as u8
        })
        .unwrap();
    assert_eq!(verdict.equal, ["cvt.rn.satfinite.e4m3x2.f32"]);
    let mut inputs = inputs.into_inner().unwrap();
    inputs.sort_unstable();
    assert!(inputs.windows(2).all(|pair| pair[0] < pair[1]), "an input twice");
    assert_eq!(inputs.len() as u64, verdict.inputs);
    // Small sources are tried on every input all the same.
    let half = Judge::between(Format::F16, Format::E4m3).quick();
    assert!(half.check(|x: u16| second.eval(x.into()) as u8).unwrap().exhaustive);
}

/// Any two formats and any results have a verdict in words and as JSON, with every difference counted once.
#[test]
fn every_pair_of_formats_is_judged() {
    use Format::*;
    use ptxcvt::inputs::SplitMix64;
    use ptxcvt_conform::judge::Comparison;
    let sources = [U2, S16, U64, F32, F64, E5m2, Ue8m0];
    let mut random = SplitMix64::new(5);
    for source in sources {
        for destination in Format::ALL.iter().copied() {
            let comparison = Comparison::new(&Judge::between(source, destination).quick().random(500, 3));
            let inputs = comparison.inputs();
            // Some of the inputs are enough, but the order must remain.
            let count = inputs.count().min(3000);
            for codec in 0..4 {
                let mut tally = comparison.tally();
                let mut results = Vec::new();
                for index in 0..count {
                    let code = match codec {
                        0 => 0,
                        1 => u64::MAX,
                        2 => random.next_u64(),
                        _ => inputs.at(index),
                    };
                    results.extend_from_slice(&code.to_le_bytes()[..comparison.result_bytes()]);
                }
                comparison.take(&mut tally, 0, &results);
                let verdict = comparison.verdict(tally);
                assert_eq!(verdict.inputs, count, "{source}->{destination}");
                assert!(
                    verdict.count() <= count && verdict.is_equal() != verdict.equal.is_empty(),
                    "{verdict}"
                );
                assert!(verdict.to_string().starts_with(&format!("{source}->{destination}: ")), "{verdict}");
                assert!(serde_json::to_string(&verdict).is_ok());
            }
        }
    }
}

/// A verdict does not depend on which thread judges which inputs.
#[test]
fn verdicts_are_repeatable() {
    let judge = Judge::between(Format::F16, Format::E4m3);
    let verdict = || judge.check(|_: u16| 0_u8).unwrap();
    let first = verdict();
    assert!((0..20).all(|_| verdict() == first), "{first}");
}

#[test]
fn widths_must_fit() {
    let error = Judge::between(Format::F32, Format::E4m3).check(|x: u16| x as u8).unwrap_err();
    assert_eq!(error.to_string(), "the argument has 2 bytes, but f32 takes 4 bytes");
    let form: Form = "cvt.rs.satfinite.e4m3x4.f32".parse().unwrap();
    assert!(Judge::form(&form).unwrap_err().to_string().contains("also takes rbits"));
}

/// Where a mistake begins is said for integer sources, too, which have few of the destination's numbers; the two ends
/// of a range may be different.
#[test]
fn mistakes_from_a_number_on() {
    let right = |source, code: u64| {
        Conversion::new(source, Format::E4m3).overflow(Overflow::Saturate).eval(code) as u8
    };
    let unsigned = |begin: u8, got: u8| {
        let codec = |x: u8| if x >= begin { got } else { right(Format::U8, x.into()) };
        Judge::between(Format::U8, Format::E4m3).check(codec).unwrap()
    };
    for (begin, got, sentence) in [
        (241, 0x7e, "everything from 241 on becomes 448"),
        (241, 0x77, "everything from 240 on becomes 240"),
        (241, 0x7f, "everything from 241 on becomes NaN"),
        (100, 0x00, "everything from 100 on becomes 0"),
    ] {
        let verdict = unsigned(begin, got);
        for class in [Class::Ties, Class::Rounding] {
            assert_eq!(verdict.difference(class).unwrap().mistake, sentence, "{verdict}");
        }
    }
    let signed = |least: i8, most: i8| {
        let codec = |x: i8| match x {
            _ if x <= least => 0xfe,
            _ if x >= most => 0x7e,
            _ => right(Format::S8, (x as u8).into()),
        };
        Judge::between(Format::S8, Format::E4m3).check(codec).unwrap()
    };
    for (least, most, class, sentence) in [
        (
            -128,
            100,
            Class::Exact,
            "everything from 100 on becomes 448, and everything from -128 down becomes -448",
        ),
        (
            -100,
            127,
            Class::Rounding,
            "everything from 127 on becomes 448, and everything from -100 down becomes -448",
        ),
        (-100, 100, Class::Ties, "everything from 100 on becomes 448 with the source's sign"),
    ] {
        let verdict = signed(least, most);
        assert_eq!(verdict.difference(class).unwrap().mistake, sentence, "{verdict}");
    }
    let most = Conversion::new(Format::F16, Format::S8).rounding(Rounding::Rni).overflow(Overflow::Saturate);
    let symmetric = |x: u16| (most.eval(x.into()) as i8).max(-127);
    let verdict = Judge::new(most).check(symmetric).unwrap();
    assert_eq!(verdict.difference(Class::Exact).unwrap().mistake, "everything from -127 down becomes -127");
}

/// Integers that are rounded to a floating-point format of their own width first.
#[test]
fn integers_rounded_twice() {
    for (source, between, destination) in
        [(Format::U16, Format::Bf16, Format::E5m2), (Format::U64, Format::F64, Format::F32)]
    {
        let second = Conversion::new(between, destination).overflow(Overflow::Saturate);
        let code = |x: u64| second.eval(Conversion::new(source, between).eval(x));
        let judge = Judge::between(source, destination).random(10_000, 7);
        let verdict = match destination {
            Format::F32 => judge.check(|x: u64| code(x) as u32),
            _ => judge.check(|x: u16| code(x.into()) as u8),
        };
        let mistake = verdict.unwrap().difference(Class::Rounding).unwrap().mistake.clone();
        assert!(mistake.ends_with(&format!("are rounded twice, first to `{between}`")), "{mistake}");
    }
}

/// Mistakes that the classes of one number hide: double rounding, NaN rounded as bits, bits beyond a code.
#[test]
fn mistakes_of_other_formats() {
    let through_f32 = Judge::between(Format::F64, Format::F16)
        .random(10_000, 7)
        .check(|x: f64| Conversion::new(Format::F32, Format::F16).eval((x as f32).to_bits().into()) as u16);
    let mistake = through_f32.unwrap().difference(Class::Rounding).unwrap().mistake.clone();
    assert_eq!(mistake, "some numbers between two codes are rounded twice, first to `f32`");

    let wide = Judge::between(Format::Bf16, Format::E2m1).check(|_: u16| 0x1f_u8).unwrap();
    assert!(
        wide.differences
            .iter()
            .all(|difference| difference.mistake == "results have bits beyond the 4 of a code")
    );

    let least = |x: u16| if x & 0x7fff > 0x7f80 { 0 } else { (x >> 7 & 0xff) as u8 };
    let verdict = Judge::between(Format::Bf16, Format::Ue8m0).check(least).unwrap();
    assert_eq!(verdict.difference(Class::Nan).unwrap().mistake, "NaN becomes the least number");

    let plain = Conversion::new(Format::F16, Format::U8).overflow(Overflow::Saturate).rounding(Rounding::Rni);
    let verdict = Judge::between(Format::F16, Format::U8).check(|x: u16| plain.eval(x.into()) as u8).unwrap();
    assert!(verdict.is_equal() && !verdict.equal[0].contains("sign"), "{verdict}");

    let wrapped = |x: u16| {
        let x = Format::F16.decode(x.into()).to_f64();
        if x.is_nan() { 0 } else { x.round_ties_even().clamp(-65504.0, 65504.0) as i32 as u8 }
    };
    let verdict = Judge::new(plain).check(wrapped).unwrap();
    let overflow = verdict.difference(Class::Overflow).unwrap();
    assert_eq!(overflow.mistake, "some numbers outside 0 to 255 become different codes");

    let kept = Conversion::new(Format::Bf16, Format::E2m1).overflow(Overflow::Saturate);
    let flushed = kept.result_subnormals(Subnormals::Zero);
    let verdict = Judge::new(flushed).check(|x: u16| kept.eval(x.into()) as u8).unwrap();
    let subnormal = verdict.difference(Class::Subnormal).unwrap();
    assert_eq!(subnormal.mistake, "results below 1, the smallest normal number, are kept");
}

/// A cause is named in every class that shows it.
#[test]
fn one_cause_in_every_class() {
    let sentences = |codec: &(dyn Fn(u16) -> u8 + Sync)| {
        let verdict = Judge::new(RIGHT).check(codec).unwrap();
        verdict.differences.into_iter().map(|each| (each.class, each.mistake)).collect::<Vec<_>>()
    };
    let is = |found: Vec<(Class, String)>, expected: &[(Class, &str)]| {
        let found: Vec<(Class, &str)> =
            found.iter().map(|(class, mistake)| (*class, mistake.as_str())).collect();
        assert_eq!(found, expected);
    };
    is(
        sentences(&|x| if value(x).is_nan() { right(x) } else { right(x) ^ 0x80 }),
        &[
            (Class::Infinity, "infinity becomes 448 with the opposite sign"),
            (Class::Overflow, "numbers beyond 448 become 448 with the opposite sign"),
            (Class::ZeroSign, "zeros have the wrong sign"),
            (Class::Subnormal, "results below 0.015625, the smallest normal number, get the opposite sign"),
            (Class::Exact, "numbers get the opposite sign"),
            (Class::Ties, "numbers get the opposite sign"),
            (Class::Rounding, "numbers get the opposite sign"),
        ],
    );
    is(
        sentences(&|x| if value(x).is_nan() { right(x) } else { right(x) & 0x7f }),
        &[
            (Class::Infinity, "negative infinity becomes the largest number"),
            (Class::Overflow, "numbers below -448 become the largest number"),
            (Class::ZeroSign, "negative numbers that round to zero become +0"),
            (
                Class::Subnormal,
                "negative results below 0.015625, the smallest normal number, lose their sign",
            ),
            (Class::Exact, "negative numbers lose their sign"),
            (Class::Ties, "negative numbers lose their sign"),
            (Class::Rounding, "negative numbers lose their sign"),
        ],
    );
    // e4m3fnuz as AMD defines it: the nearest of all magnitudes c / 8 · 2^-7 to 240, NaN 0x80, no −0.
    let fnuz = |x: u16| {
        let number = |code: u16| {
            let fraction = f64::from(code % 8) / 8.0;
            if code < 8 {
                fraction * 2_f64.powi(-7)
            } else {
                (1.0 + fraction) * 2_f64.powi(i32::from(code / 8) - 8)
            }
        };
        let size = value(x).abs();
        let nearest = |a: &u16, b: &u16| {
            let distance = |code: &u16| (number(*code) - size).abs();
            distance(a).total_cmp(&distance(b)).then((a % 2).cmp(&(b % 2)))
        };
        match (0..0x80).min_by(nearest).expect("there are codes") {
            _ if size.is_nan() => 0x80,
            _ if size.is_infinite() => (x >> 8) as u8 & 0x80 | 0x7f,
            0 => 0,
            code => (x >> 8) as u8 & 0x80 | code as u8,
        }
    };
    is(
        sentences(&fnuz),
        &[
            (Class::Nan, "NaN becomes negative zero"),
            (Class::Infinity, "infinity becomes NaN with the source's sign"),
            (Class::Overflow, "numbers beyond 448 become NaN with the source's sign"),
            (Class::ZeroSign, "negative numbers that round to zero become +0"),
            (
                Class::Subnormal,
                "some results below 0.015625, the smallest normal number, are twice what they should be",
            ),
            (Class::Exact, "results are codes of `e4m3fnuz`"),
            (Class::Ties, "results are codes of `e4m3fnuz`"),
            (Class::Rounding, "results are codes of `e4m3fnuz`"),
        ],
    );
}

/// A policy is described by what it decides about the inputs: nothing about NaN if the source has none, nor about
/// rounding if every number is exact.
#[test]
fn descriptions_without_what_does_not_occur() {
    let name = |source, destination| {
        let verdict = Judge::between(source, destination).check(|x: u8| x).unwrap();
        assert!(verdict.is_equal(), "{verdict}");
        verdict.equal[0].clone()
    };
    assert_eq!(name(Format::U4, Format::U4), "u4->u4, exact");
    assert_eq!(name(Format::E2m1, Format::E2m1), "e2m1->e2m1, exact");
    assert_eq!(name(Format::Ue8m0, Format::Ue8m0), "ue8m0->ue8m0, exact");
    assert_eq!(name(Format::E4m3, Format::E4m3), "e4m3->e4m3, NaN to NaN with the source's sign");
}
