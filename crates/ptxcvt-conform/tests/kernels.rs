//! The assembler accepts every kernel of every target: the record, and the live run.
//!
//! `conformance/records/kernels.tsv` has, for each target, the digest of the printed modules and the number
//! of kernels that the assembler accepted. The ordinary test prints the modules again and compares. If
//! `PTXCVT_PTXAS` names an assembler, the live test runs it; with `BLESS=1` its verdicts become the record.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ptxcvt::{IsaVersion, Target};
use ptxcvt_conform::assembler::Assembler;
use ptxcvt_conform::kernel;
use sha2::{Digest, Sha256};

const HEADER: &str = "# Kernels that ptxcvt prints, per target: modules, kernels, kernels accepted, the newest ISA version, the\n\
                      # assembler that was asked, SHA-256 of the modules' texts.\n";

fn record() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/records/kernels.tsv")
}

/// The record's rows by target, without the target.
fn rows() -> BTreeMap<Target, Vec<String>> {
    let text = std::fs::read_to_string(record()).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &str| {
        let mut columns = line.split('\t').map(str::to_owned);
        (columns.next().unwrap().parse().unwrap(), columns.collect())
    };
    lines.map(row).collect()
}

fn digest(modules: &[kernel::Module]) -> String {
    let mut hash = Sha256::new();
    modules.iter().for_each(|module| hash.update(&module.text));
    format!("{:x}", hash.finalize())
}

#[test]
fn every_kernel_is_on_record_as_accepted() {
    let rows = rows();
    assert_eq!(rows.keys().copied().collect::<Vec<_>>(), {
        let mut all: Vec<Target> = Target::all().filter(|target| !target.is_announced()).collect();
        all.sort();
        all
    });
    for (target, row) in rows {
        let newest: IsaVersion = row[3].parse().unwrap();
        let modules = kernel::modules(target, newest);
        let kernels: usize = modules.iter().map(|m| m.kernels).sum();
        assert_eq!(row[0], modules.len().to_string(), "{target}: modules");
        assert_eq!([&row[1], &row[2]], [&kernels.to_string(); 2], "{target}: kernels and kernels accepted");
        assert_eq!(row[5], digest(&modules), "{target}: the text changed; run the live test with BLESS=1");
        // Only forms that are newer than the assembler are missing.
        let forms = kernel::forms(target, target.withdrawn().map_or(IsaVersion::NEWEST_RELEASED, |_| newest));
        assert_eq!(kernels, forms.len(), "{target}");
    }
}

#[test]
fn names_are_unique() {
    let names: std::collections::BTreeSet<_> = ptxcvt::Form::all().map(|f| f.identifier()).collect();
    assert_eq!(names.len(), ptxcvt::Form::all().count());
}

#[test]
fn a_kernel_reads_like_this() {
    let form = "cvt.rs.satfinite.e2m1x4.f32".parse().unwrap();
    let text = kernel::module(&[form], "sm_100a".parse().unwrap(), IsaVersion::new(8, 7));
    for line in [
        ".version 8.7",
        ".target sm_100a",
        ".visible .entry cvt_rs_satfinite_e2m1x4_f32(",
        "    .param .u64 column_rbits,",
        "    mad.lo.u64 %at, %row, 4, %column_e;",
        "    cvt.rs.satfinite.e2m1x4.f32 %d, {%a, %b, %e, %f}, %rbits;",
        "    mad.lo.u64 %at, %row, 2, %column_d;",
        "    st.global.b16 [%at], %d;",
    ] {
        assert!(text.lines().any(|l| l == line), "{line} is not in\n{text}");
    }
}

#[test]
fn live_every_kernel_is_accepted() {
    let Some(path) = std::env::var_os("PTXCVT_PTXAS") else {
        eprintln!("not asked for: PTXCVT_PTXAS names no assembler; only the committed record is compared");
        return;
    };
    let assembler = Assembler::open(path.as_ref()).unwrap();
    let mut rows = rows();
    for &target in &assembler.targets {
        let newest = assembler.versions(target).last().unwrap();
        let modules = kernel::modules(target, newest);
        let mut accepted = 0;
        for module in &modules {
            match assembler.module(&module.text, target).unwrap() {
                Ok(()) => accepted += module.kernels,
                Err(messages) => panic!("{} is refused: {messages}", module.name),
            }
        }
        let kernels: usize = modules.iter().map(|m| m.kernels).sum();
        println!("{target}: {accepted} of {kernels} kernels accepted by ptxas {}", assembler.version);
        // For each target, the assembler with the newest version counts.
        let known = rows.get(&target).and_then(|row| row[3].parse::<IsaVersion>().ok());
        if std::env::var_os("BLESS").is_some() && known.is_none_or(|known| known <= newest) {
            let counts = [modules.len(), kernels, accepted].map(|n| n.to_string());
            let rest = [newest.to_string(), assembler.version.clone(), digest(&modules)];
            rows.insert(target, counts.into_iter().chain(rest).collect());
        }
    }
    if std::env::var_os("BLESS").is_some() {
        let lines = rows.iter().map(|(target, row)| format!("{target}\t{}\n", row.join("\t")));
        std::fs::create_dir_all(record().parent().unwrap()).unwrap();
        std::fs::write(record(), HEADER.to_owned() + &lines.collect::<String>()).unwrap();
    }
}
