//! The committed test vectors in `vectors/` equal the vectors that the library makes.
//!
//! `BLESS=1` writes them. The digests of f32 take minutes: `cargo test --release -p ptxcvt-conform --test suite --
//! --ignored --nocapture`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::PathBuf;

use ptxcvt::{Conversion, Form, Format, Overflow, Rounding};
use ptxcvt_conform::suite::{Layout, Suite, digest, registers};

const ROUNDINGS: [Rounding; 5] = [Rounding::Rn, Rounding::Rna, Rounding::Rz, Rounding::Rm, Rounding::Rp];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors")
}

fn blessing() -> bool {
    std::env::var_os("BLESS").is_some()
}

/// The conversions of the set with the names of their files.
fn set() -> Vec<(String, Conversion)> {
    use Format::*;
    use Overflow::{Ieee, InfinityOrNan, Saturate};
    let mut set = Vec::new();
    let mut add = |source: Format, destination: Format, roundings: &[Rounding], overflows: &[Overflow]| {
        for overflow in overflows {
            for rounding in roundings {
                let name = match overflow {
                    Saturate => "saturate",
                    Ieee => "ieee",
                    _ => "nan",
                };
                let conversion = Conversion::new(source, destination).rounding(*rounding).overflow(*overflow);
                set.push((format!("{source}-{destination}/{}-{name}", rounding.name()), conversion));
            }
        }
    };
    add(F32, E4m3, &ROUNDINGS, &[Saturate, Ieee]);
    add(F32, E5m2, &ROUNDINGS, &[Saturate, Ieee]);
    add(F32, E5m2, &[Rounding::Rz], &[InfinityOrNan]);
    add(F32, E2m3, &ROUNDINGS, &[Saturate]);
    add(F32, E3m2, &ROUNDINGS, &[Saturate]);
    add(F32, E2m1, &ROUNDINGS, &[Saturate]);
    add(F32, Ue8m0, &[Rounding::Rz, Rounding::Rp, Rounding::Rn], &[Saturate]);
    add(F32, Ue5m3, &[Rounding::Rn], &[Saturate]);
    add(F32, S2f6, &[Rounding::Rn], &[Saturate]);
    for source in [F16, Bf16] {
        add(source, E4m3, &[Rounding::Rn], &[Saturate, Ieee]);
        add(source, E5m2, &[Rounding::Rn], &[Saturate, Ieee]);
        add(source, E2m1, &[Rounding::Rn], &[Saturate]);
    }
    for source in [E4m3, E5m2, E2m3, E3m2, E2m1, Ue8m0] {
        add(source, F32, &[Rounding::Rn], &[Ieee]);
    }
    set
}

#[test]
fn committed_vectors_are_the_librarys() {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for (name, conversion) in set() {
        let suite = Suite::new(conversion, 200, 1);
        let signed =
            matches!(conversion.destination(), Format::E4m3 | Format::E5m2) && name.ends_with("rn-ieee");
        if signed {
            files.insert(
                format!("{name}-signed-nan.tsv"),
                suite.clone().signed_nan().unwrap().write(Layout::Tsv),
            );
        }
        files.insert(format!("{name}.tsv"), suite.write(Layout::Tsv));
    }
    let mut size = 0;
    for (name, bytes) in &files {
        let path = folder().join(name);
        if blessing() {
            fs::create_dir_all(path.parent().expect("a folder")).unwrap();
            fs::write(&path, bytes).unwrap();
        }
        assert!(fs::read(&path).unwrap() == *bytes, "{name}: BLESS=1 writes it again");
        size += bytes.len();
    }
    assert!(size < 1_500_000, "{size} bytes");
    let mut committed = 0;
    for folder in
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        committed += fs::read_dir(folder).unwrap().count();
    }
    assert_eq!(committed, files.len(), "a file that the set does not have");
}

/// The digests of the conversions whose source has that width. `BLESS=1` computes and writes them, `BLESS=missing`
/// those that the file does not have.
fn digests(of: impl Fn(Format) -> bool) {
    let path = folder().join("digests.tsv");
    let head = "# SHA-256 of the results of every input, in the order of their bits";
    let text = fs::read_to_string(&path).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
    let mut known: BTreeMap<String, String> =
        lines.map(|(name, sum)| (name.to_owned(), sum.to_owned())).collect();
    let missing = std::env::var_os("BLESS").is_some_and(|value| value == "missing");
    let made: Vec<(String, Conversion)> = set().into_iter().filter(|(_, made)| of(made.source())).collect();
    for (name, conversion) in &made {
        if missing && known.contains_key(name) {
            continue;
        }
        let sum = digest::all(conversion).expect("up to 32 bits");
        println!("{name}\t{sum}");
        if !blessing() {
            assert_eq!(known.get(name), Some(&sum), "{name}");
            continue;
        }
        known.insert(name.clone(), sum);
        let lines = known.iter().map(|(name, sum)| format!("{name}\t{sum}\n"));
        fs::write(&path, format!("{head}\n{}", lines.collect::<String>())).unwrap();
    }
    assert!(made.len() > 10);
}

#[test]
fn digests_of_small_sources() {
    digests(|source| source.bits() <= 16);
}

#[test]
#[ignore = "minutes"]
fn digests_of_f32() {
    digests(|source| source.bits() > 16);
}

/// The number types round with another algorithm, on every input: the digests that their test records are those of the
/// vectors.
#[test]
fn digests_are_those_of_the_number_types() {
    let digests = fs::read_to_string(folder().join("digests.tsv")).unwrap();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../ptxcvt/tests/types.tsv");
    let mut compared = 0;
    for line in fs::read_to_string(path).unwrap().lines() {
        let [opcode, sum, _] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}: three columns")
        };
        let form = opcode.parse::<ptxcvt::Form>().unwrap().conversion();
        if let Some((name, _)) = set().into_iter().find(|(_, conversion)| *conversion == form) {
            assert!(digests.lines().any(|line| line == format!("{name}\t{sum}")), "{name}: {opcode}");
            compared += 1;
        }
    }
    assert_eq!(compared, 8);
}

/// The vectors to a narrow format have each of its numbers and each tie with its two neighbours, found here by sorting
/// the values of all codes.
#[test]
fn every_number_and_tie_is_there() {
    for destination in Format::ALL.iter().copied().filter(|format| format.bits() <= 8) {
        let mut numbers: Vec<f64> = (0..1_u64 << destination.bits())
            .map(|code| destination.decode(code).to_f64())
            .filter(|x| x.is_finite())
            .collect();
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        for source in [Format::F32, Format::F64] {
            let suite = Suite::new(Conversion::new(source, destination), 0, 1);
            let inputs: Vec<u64> = suite.vectors().iter().map(|vector| vector.input).collect();
            let code = |x: f64| if source == Format::F32 { (x as f32).to_bits().into() } else { x.to_bits() };
            let has = |code: u64| assert!(inputs.contains(&code), "{source}->{destination}: {code:#x}");
            for pair in numbers.windows(2) {
                let tie = code(pair[0] / 2.0 + pair[1] / 2.0);
                // The codes next to a number are those of its neighbours, whatever its sign is.
                [code(pair[0] + 0.0), code(pair[1] + 0.0), tie, tie + 1, tie - 1].into_iter().for_each(has);
            }
        }
    }
}

/// Random inputs repeat neither each other nor a chosen one.
#[test]
fn no_vector_repeats() {
    let mut pairs = 0;
    for source in Format::ALL.iter().copied() {
        for destination in [Format::E4m3, Format::E2m1, Format::S8, Format::U16, Format::Ue8m0] {
            let suite = Suite::new(Conversion::new(source, destination), 5000, 1);
            let inputs: HashSet<u64> = suite.vectors().iter().map(|vector| vector.input).collect();
            assert_eq!(inputs.len(), suite.vectors().len(), "{source}->{destination}");
            pairs += 1;
        }
    }
    assert_eq!(pairs, 5 * Format::ALL.len());
}

/// The tie of each element meets the least random field that carries and the greatest one that does not.
#[test]
fn random_bits_decide_ties() {
    let mut forms = 0;
    let narrow =
        |form: &Form| form.rounding() == Some(Rounding::Rs) && form.destination().format().bits() <= 8;
    for form in Form::all().filter(narrow) {
        let table = registers(&form, 0, 1);
        let destination = form.destination();
        let lanes = destination.lanes();
        let tie = 1.0 + destination.format().decode(destination.format().epsilon().unwrap()).to_f64() / 2.0;
        let tie = u64::from((tie as f32).to_bits());
        for lane in 0..lanes {
            let code = |row: &[u64]| row[row.len() - 1] >> (destination.width() / lanes * (lanes - 1 - lane));
            let of_tie = || table.rows().filter(|row| row[lane as usize] == tie);
            let random: HashMap<u64, u64> = of_tie().map(|row| (row[row.len() - 2], code(row) & 1)).collect();
            // A bit that carries alone, while all others together do not.
            let decides =
                |bit: u64| random.get(&bit) == Some(&1) && random.get(&(0xffff_ffff ^ bit)) == Some(&0);
            assert!((0..32).any(|bit| decides(1 << bit)), "{form} lane {lane}");
        }
        forms += 1;
    }
    assert_eq!(forms, 10);
}

/// Forms with another operand: each register has its result, and the random bits of `.rs` decide the result of many
/// elements.
#[test]
fn registers_with_another_operand() {
    let forms = Form::all().filter(|form| form.extra().is_some());
    let (mut count, mut random) = (0, 0);
    for form in forms.step_by(7) {
        let table = registers(&form, 10, 1);
        let operands = form.source_count();
        assert_eq!(table.columns().len(), operands + 1, "{form}");
        let mut results: BTreeMap<&[u64], HashSet<u64>> = BTreeMap::new();
        for row in table.rows().step_by(1 + table.rows().len() / 50_000) {
            assert_eq!(form.eval(&row[..operands]), Ok(row[operands]), "{form}: {row:x?}");
            results.entry(&row[..operands - 1]).or_default().insert(row[operands]);
        }
        if form.rounding() == Some(Rounding::Rs) && form.destination().format().bits() <= 8 {
            let decided = results.values().filter(|results| results.len() > 1).count();
            assert!(decided > 100, "{form}: {decided} of {}", results.len());
            random += 1;
        }
        count += 1;
    }
    assert!(count > 10 && random > 0, "{count} forms, {random} with random bits");
}
