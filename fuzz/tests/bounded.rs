//! Every fuzz target on its seeds, on `fuzz/corpus`, and on a fixed number of mutated inputs.

use std::fs;
use std::path::Path;

use ptxcvt_fuzz::mutate::mutate;
use ptxcvt_fuzz::{TARGETS, Target};

/// The files of a target's corpus, and its seeds.
fn corpus(target: &Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
    let mut paths: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    paths.sort();
    let files = paths.iter().map(|path| fs::read(path).expect("a corpus file"));
    files.chain(target.seeds.iter().map(|seed| seed.as_bytes().to_vec())).collect()
}

#[test]
fn seeds_and_mutations() {
    for target in TARGETS {
        let corpus = corpus(target);
        corpus.iter().for_each(|input| (target.run)(input));
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..1_000 {
            let mut input = corpus[random.usize(..corpus.len())].clone();
            let other = random.usize(..corpus.len());
            mutate(&mut random, &mut input, &corpus[other]);
            input.truncate(1 << 12);
            (target.run)(&input);
        }
    }
}

/// Sources that end anywhere, and with a wide character anywhere: readers that step by bytes would end inside it.
#[test]
fn truncated_sources_and_wide_characters() {
    let target = TARGETS.iter().find(|target| target.name == "source").expect("the target of sources");
    for seed in corpus(target) {
        let text = String::from_utf8(seed).expect("seeds are UTF-8");
        for at in (1..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let (before, after) = text.split_at(at);
            let rest = after.char_indices().nth(1).map_or("", |(next, _)| &after[next..]);
            for input in [
                before.to_owned(),
                format!("{before}é"),
                format!("{before}é{after}"),
                format!("{before}é{rest}"),
            ] {
                (target.run)(input.as_bytes());
            }
        }
    }
}

#[test]
fn every_corpus_folder_has_a_target() {
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")).expect("the corpus") {
        let name = entry.expect("an entry").file_name();
        assert!(TARGETS.iter().any(|target| *target.name == *name), "no target {name:?}");
    }
}
