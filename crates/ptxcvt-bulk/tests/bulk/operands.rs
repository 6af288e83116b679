//! Operands other than columns: broadcast values, generated random bits, and packed elements that do not fill an
//! instruction.

use ptxcvt::forms::Role;
use ptxcvt::inputs::{self, SplitMix64};
use ptxcvt::{Form, Opcode};
use ptxcvt_bulk::{BulkError, Column, ColumnMut, Plan, Tier, philox4x32};

use super::memory::Guarded;
use super::{Case, on_all_cores};

/// One value for every instruction gives the results of a column that repeats it, and a generator those of a
/// column of its words. Every form is run with each operand as one value, with all of them, and with each and
/// generated random bits.
#[test]
fn broadcast_values() {
    const ROWS: usize = 2_100;
    const LENGTHS: [usize; 6] = [0, 1, 3, 37, 300, ROWS];
    let forms: Vec<Form> = Form::all().collect();
    on_all_cores(&forms, |form| {
        let (count, lattice) = (form.source_count(), inputs::operands(form, 0, 9).count());
        let random = form.operands().skip(1).position(|o| o.role == Role::RandomBits);
        let rows: Vec<_> = inputs::operands(form, ROWS / 2, 9).collect();
        let rows = rows.iter().step_by((lattice / (ROWS / 2)).max(1)).chain(&rows[lattice..]);
        let rows: Vec<_> = rows.cycle().take(ROWS).copied().collect();
        // Bits above an operand's width do not count.
        let mut generator = SplitMix64::new(lattice as u64);
        let values: Vec<u64> = form
            .operands()
            .skip(1)
            .enumerate()
            .map(|(k, o)| {
                let above = if o.width < 64 { generator.next_u64() << o.width } else { 0 };
                rows[generator.next_u64() as usize % ROWS][k] & (u64::MAX >> (64 - o.width)) | above
            })
            .collect();
        let (seed, first) = (generator.next_u64(), generator.next_u64());
        // The operands that are one value: each, then all; then the same with a generator for `rbits`.
        let singles = (0..count).map(|k| 1 << k).chain([(1 << count) - 1]);
        let modes = singles.clone().map(|mask| (mask, false));
        let seeded = singles.chain([0]).filter_map(|mask| random.map(|r| (mask & !(1 << r), true)));
        modes.chain(seeded).find_map(|(mask, seeded): (u32, bool)| {
            let rows = rows.iter().enumerate().map(|(i, row)| {
                let index = first.wrapping_add(i as u64);
                core::array::from_fn(|k| match k {
                    _ if seeded && Some(k) == random => {
                        philox4x32(seed, index / 4)[(index % 4) as usize].into()
                    }
                    _ if mask >> k & 1 == 1 => values[k],
                    _ => row[k],
                })
            });
            let case = Case::new(*form, rows);
            Tier::available().find_map(|tier| {
                let plan = Plan::with_tier(*form, tier).expect("an available tier");
                LENGTHS.iter().find_map(|n| {
                    let columns: Vec<Column> = (0..count)
                        .map(|k| match k {
                            _ if seeded && Some(k) == random => Column::Random { seed, first },
                            _ if mask >> k & 1 == 1 => Column::Value(values[k]),
                            _ => Column::Bytes(&case.columns[k][..case.columns[k].len() / ROWS * n]),
                        })
                        .collect();
                    let mut result = vec![0x5a; case.expected.len() / ROWS * n];
                    plan.run(&columns, ColumnMut::Bytes(&mut result)).expect("columns of one length");
                    let how = format!("{n} results, broadcast {mask:#b}, seeded {seeded}");
                    case.difference(tier, &how, &result)
                })
            })
        })
    });
}

/// Instruction i uses word i of the Philox stream, however a run is split.
#[test]
fn seeded_random_bits() {
    let form: Form = "cvt.rs.satfinite.e4m3x4.f32".parse().unwrap();
    let mut generator = SplitMix64::new(4);
    let (seed, first) = (0xfeed_5eed, 0xffff_fffe); // across a carry into the counter's upper half
    let word = |i: u64| philox4x32(seed, i / 4)[(i % 4) as usize];
    let n = 2_000;
    let rows = (0..n).map(|i| {
        let mut row: [u64; 5] = std::array::from_fn(|_| generator.next_u64() >> 32);
        row[4] = word(first + i).into();
        row
    });
    let case = Case::new(form, rows);
    let packed = case.packed().unwrap();
    for tier in Tier::available() {
        let plan = Plan::with_tier(form, tier).unwrap();
        for split in [0, 1, 2, 3, 5, 1_000, 1_999] {
            let mut result = vec![0; case.expected.len()];
            let (left, right) = result.split_at_mut(4 * split);
            for (elements, at, part) in
                [(&packed[..16 * split], 0, left), (&packed[16 * split..], split, right)]
            {
                let random = Column::Random { seed, first: first + at as u64 };
                plan.run_packed(Column::Bytes(elements), Some(random), ColumnMut::Bytes(part)).unwrap();
            }
            assert_eq!(case.difference(tier, "seeded", &result), None);
        }
    }
}

/// Any number of packed elements, for every form and tier: each result is that of the padded instruction, and
/// `place` returns the right place of each element.
#[test]
fn padded_runs() {
    let forms: Vec<Form> = Form::all().filter(|form| form.opcode() == Opcode::Cvt).collect();
    on_all_cores(&forms, |form| {
        let rows = inputs::operands(form, 40, 5);
        let start = inputs::operands(form, 0, 5).count();
        let case = Case::new(*form, rows.skip(start));
        let (packed, all) = (case.packed().expect("a packed form"), case.expected.clone());
        let (from, to) = (form.source().format().storage(), form.destination().format().storage());
        let bits = |bytes: &[u8], at: usize, storage: u32| {
            let at = at * storage as usize;
            let wide = bytes[at / 8..].iter().take(8).rev().fold(0, |n, b| n << 8 | u64::from(*b));
            (wide >> (at % 8)) & (u64::MAX >> (64 - storage))
        };
        Tier::available().find_map(|tier| {
            let plan = Plan::with_tier(*form, tier).expect("an available tier");
            let lanes = plan.elements_per_instruction();
            (0..=3 * lanes).chain([40 * lanes - 1]).find_map(|n| {
                let Some(source) = plan.source_len(n) else {
                    assert!(from == 4 && n % 2 == 1);
                    return None;
                };
                let instructions = n.div_ceil(lanes);
                let extra =
                    case.extra().map(|column| Column::Bytes(&column[..column.len() / 40 * instructions]));
                let Some(length) = plan.result_len(n) else {
                    assert!(to == 4 && n % 2 == 1);
                    let result = ColumnMut::Bytes(&mut []);
                    let error = plan.run_padded(Column::Bytes(&packed[..source]), extra, result).unwrap_err();
                    assert_eq!(error, BulkError::OddElements { form: *form, given: n });
                    return None;
                };
                let mut result = Guarded::new(length, n % 64);
                let target = ColumnMut::Bytes(result.part());
                plan.run_padded(Column::Bytes(&packed[..source]), extra, target).expect("lengths that fit");
                assert!(result.is_intact());
                for k in 0..n {
                    let place = plan.place(k);
                    let column = &case.columns[place.operand];
                    let width = column.len() / 40;
                    let operand = bits(&column[place.instruction * width..][..width], 0, 8 * width as u32);
                    let element = operand >> place.shift & (u64::MAX >> (64 - from));
                    assert_eq!(element, bits(&packed, k, from), "{form}: place of element {k}");
                    if bits(result.part(), k, to) != bits(&all, k, to) {
                        return Some(format!("{form} on {tier}: element {k} of {n} differs"));
                    }
                }
                None
            })
        })
    });
}
