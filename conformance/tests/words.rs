//! Compares the record of words with what `ptxcvt-lower` writes, and the table of docs/generated/words.md with the record.

use std::collections::BTreeSet;

use ptxcvt::Target;
use ptxcvt_conformance::tools::TARGETS;
use ptxcvt_conformance::words::{self, Line};
use ptxcvt_conformance::{cost, page, record};

const ADVICE: &str = "run `ptxcvt-conformance -- words DIR`";

fn lines() -> Vec<Line> {
    Line::parse(&record::read(words::RECORD).unwrap()).unwrap()
}

#[test]
fn the_record_is_of_the_current_words() {
    let lines = lines();
    let mut count = 0;
    for name in TARGETS {
        let target: Target = name.parse().unwrap();
        for (variant, word) in words::all(target, cost::ISA).unwrap() {
            let form = word.shape().form().to_string();
            let known = lines
                .iter()
                .find(|line| (&*line.form, &*line.variant, &*line.target) == (&*form, variant, name));
            let Some(line) = known else { panic!("{form} {variant} on {name}: {ADVICE}") };
            assert_eq!(line.text, words::digest(&word), "{form} {variant} on {name} has changed: {ADVICE}");
            assert_ne!(line.verdict, "different", "{line:?}");
            assert_ne!(line.verdict, "sampled", "{line:?}");
            count += 1;
        }
    }
    assert_eq!(count, lines.len(), "lines of words that are no more: {ADVICE}");
}

/// The aims of the sequences for a word on sm_80.
#[test]
fn words_cost_no_more_than_they_should() {
    let lines = lines();
    let aims = [
        ("cvt.rn.f16x2.e2m1x2", "every", 17),
        ("cvt.rn.bf16x2.e2m1x2", "every", 17),
        ("cvt.rn.f16x2.e4m3x2", "every", 10),
        ("cvt.rn.bf16x2.e4m3x2", "every", 12),
        ("cvt.rn.f16x2.e5m2x2", "every", 4),
        ("cvt.rn.satfinite.e2m1x2.f32", "every", 56),
        ("cvt.rn.f16x2.e4m3x2", "--skip-factor", 9),
    ];
    for (form, variant, aim) in aims {
        let line = lines
            .iter()
            .find(|line| (&*line.form, &*line.variant, &*line.target) == (form, variant, "sm_80"));
        assert!(line.unwrap().count.parse::<u32>().unwrap() <= aim, "{line:?}");
    }
}

/// A second interpreter ran every word of the record on random inputs, millions in all, and none is another text since.
#[test]
fn a_second_interpreter_agrees() {
    let text = record::read("second.tsv").unwrap();
    let (mut agreed, mut total) = (BTreeSet::new(), 0);
    for fields in record::rows(&text) {
        let [_, _, options, _, runs, against, verdict, digest] = fields[..] else { panic!("{fields:?}") };
        assert_eq!(verdict, "equal", "{fields:?}");
        let count: u32 = runs.parse().unwrap();
        assert!(count >= 1 << 16, "{fields:?}");
        total += count;
        assert_eq!(against.contains("definition"), options == "every", "{fields:?}");
        agreed.insert(digest);
    }
    assert!(total >= 1_000_000);
    let current: BTreeSet<String> = lines().iter().map(|line| line.text.to_string()).collect();
    let current: BTreeSet<&str> = current.iter().map(String::as_str).collect();
    assert_eq!(agreed, current, "run `python3 conformance/second/words.py PTXCVT`");
}

#[test]
fn the_page_is_fresh() {
    assert!(page::WORDS.read().unwrap().contains(&words::table(&lines())), "{ADVICE}");
}
