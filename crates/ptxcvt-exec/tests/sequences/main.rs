//! Compares conversion sequences of public projects with what they should compute, on every input. This test writes
//! docs/generated/sequences.md (`BLESS=1 cargo test -p ptxcvt-exec --test sequences`) and otherwise checks that it is
//! current.
//!
//! The instructions are facts about those projects; their text was written here, and each has its source.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ptxcvt::Format;
use ptxcvt::inputs::{SplitMix64, edges};
use ptxcvt_exec::Block;
use ptxcvt_exec::prove::{Method, Options, method, prove};
use ptxcvt_exec::read::{self, Interface};

mod rows;

use rows::{SEQUENCES, Sequence};

/// Sweeps over more input bits are made once, with `BLESS=all`, and recorded.
const FEW_BITS: u32 = 25;

/// The record of long sweeps: sequence, digest of both texts, verdict.
fn kept() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sequences/swept.tsv").to_owned()
}

fn blocks(s: &Sequence) -> [Block; 2] {
    let interface = Interface::constraints(s.constraints).unwrap();
    [s.block, s.meaning].map(|text| {
        read::block(text, &interface).unwrap_or_else(|e| panic!("{}: {e}: {}", s.name, &text[e.span.range()]))
    })
}

/// The 64-bit FNV-1a hash of both texts.
fn digest(s: &Sequence) -> String {
    let bytes = s.constraints.bytes().chain(s.block.bytes()).chain(s.meaning.bytes());
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", bytes.fold(0xcbf2_9ce4_8422_2325, step))
}

/// The verdict of `prove` on every input; for a long sweep, the recorded verdict for these texts, if there is one.
fn verdict(s: &Sequence, record: &mut BTreeMap<String, [String; 2]>) -> Option<String> {
    let [block, meaning] = blocks(s);
    let options = Options::default();
    let bits = match method(&block, &meaning, &options).unwrap() {
        Method::Exhaustive { bits } => bits,
        Method::ByParts { parts } => parts.into_iter().max().unwrap_or(0),
        other => panic!("{}: not all inputs are tried: {other:?}", s.name),
    };
    let long = bits > FEW_BITS;
    if let Some([of, recorded]) = record.get(s.name).filter(|_| long) {
        if *of == digest(s) {
            let differ = differences(&block, &meaning);
            assert!(!(differ > 0 && recorded.starts_with("equal")), "{}: {recorded}", s.name);
            return Some(recorded.clone());
        }
    }
    if long && std::env::var("BLESS").as_deref() != Ok("all") {
        return None;
    }
    if long {
        let differ = differences(&block, &meaning);
        assert!(differ < 1 << 13, "{}: {differ} differences: a mistake in typing", s.name);
    }
    let answer = prove(&block, &meaning, &options, &|_| {}).unwrap();
    let mut text = answer.to_string();
    if let Some(d) = &answer.difference {
        let kinds: Vec<String> = d.kinds.rows().map(|(kind, n)| format!("{kind} {n}")).collect();
        let hex = |words: &[u64]| words.iter().map(|w| format!("{w:#x}")).collect::<Vec<_>>().join(" ");
        let (inputs, a, b) = (hex(&d.inputs), hex(&d.a), hex(&d.b));
        write!(text, " ({}); first at {inputs}: {a} instead of {b}", kinds.join(", ")).unwrap();
    }
    if long {
        record.insert(s.name.to_owned(), [digest(s), text.clone()]);
    }
    Some(text)
}

/// The number of edges of f32 and of random words on which the two differ.
fn differences(block: &Block, meaning: &Block) -> usize {
    let mut random = SplitMix64::new(11);
    let some = std::iter::repeat_with(|| random.next_u64() & 0xffff_ffff).take(1 << 14);
    let all = edges(Format::F32).chain(some);
    all.filter(|x| block.eval(&[*x]).unwrap() != meaning.eval(&[*x]).unwrap()).count()
}

#[test]
fn the_page_is_current() {
    let mut page = String::from(
        "# Conversion sequences, tried on every input\n\n\
         Sequences of public projects that replace a missing conversion instruction, compared with the instruction or\n\
         with the definition. `ptxcvt prove A B` does the same for your own. If an output depends on few input bits,\n\
         all values of these bits are tried for each part, and the counts are sums over the parts.\n\n\
         `BLESS=1 cargo test -p ptxcvt-exec --test sequences` writes this page.\n",
    );
    let text = std::fs::read_to_string(kept()).unwrap_or_default();
    let fields = |line: &str| -> Option<(String, [String; 2])> {
        let mut fields = line.split('\t').map(str::to_owned);
        Some((fields.next()?, [fields.next()?, fields.next()?]))
    };
    let mut record: BTreeMap<String, [String; 2]> = text.lines().filter_map(fields).collect();
    let names: Vec<&str> = SEQUENCES.iter().map(|s| s.name).collect();
    record.retain(|name, _| names.contains(&name.as_str()));
    let (mut equal, mut shown) = (0, 0);
    for s in SEQUENCES {
        // A sequence without a verdict is not shown.
        let Some(verdict) = verdict(s, &mut record) else { continue };
        shown += 1;
        equal += usize::from(verdict.starts_with("equal"));
        write!(page, "\n## {}\n\n{}. Constraints `{}`.\n\n", s.name, s.source, s.constraints).unwrap();
        write!(
            page,
            "```ptx\n{}\n```\n\ncompared with\n\n```ptx\n{}\n```\n\n**{verdict}.**\n",
            s.block, s.meaning
        )
        .unwrap();
        if !s.note.is_empty() {
            writeln!(page, "\n{}", s.note).unwrap();
        }
    }
    assert!(shown >= 20 && equal >= 10, "{shown} sequences, {equal} equal");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/generated/sequences.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &page).unwrap();
        let lines = record.iter().map(|(name, [digest, verdict])| format!("{name}\t{digest}\t{verdict}\n"));
        std::fs::write(kept(), lines.collect::<String>()).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == page,
        "docs/generated/sequences.md is stale: run the test with BLESS=1 and read the diff"
    );
}
