//! Compares the bulk engine with the reference: every form on every tier of this machine, on the lattices of
//! `inputs` and random inputs.

use ptxcvt::forms::Role;
use ptxcvt::inputs::{self, SplitMix64};
use ptxcvt::{Form, Modifier, Opcode};
use ptxcvt_bulk::{BulkError, Column, ColumnMut, Plan, Stores, Tier, philox4x32};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of random inputs for each form besides its lattice; about ten million for all forms.
const RANDOM: usize = 8_000;

/// The columns of a form as little-endian bytes, and the reference's results.
struct Case {
    form: Form,
    columns: Vec<Vec<u8>>,
    expected: Vec<u8>,
}

impl Case {
    fn new(form: Form, rows: impl Iterator<Item = [u64; inputs::MAX_OPERANDS]>) -> Case {
        let widths: Vec<usize> = form.operands().skip(1).map(|o| o.width as usize / 8).collect();
        let mut case = Case { form, columns: vec![Vec::new(); widths.len()], expected: Vec::new() };
        let width = form.result_width() as usize / 8;
        for row in rows {
            let operands = &row[..widths.len()];
            for ((column, value), width) in case.columns.iter_mut().zip(operands).zip(&widths) {
                column.extend_from_slice(&value.to_le_bytes()[..*width]);
            }
            let bits = form.eval(operands).expect("the right number of operands");
            case.expected.extend_from_slice(&bits.to_le_bytes()[..width]);
        }
        case
    }

    /// The elements in memory order: the last data operand is the lowest.
    fn packed(&self) -> Option<Vec<u8>> {
        if self.form.opcode() == Opcode::CvtPack {
            return None;
        }
        let data = self.form.operands().skip(1).filter(|o| !is_extra(o.role)).count();
        if data == 1 {
            return Some(self.columns[0].clone());
        }
        let width = self.form.source().width() as usize / 8;
        let columns: Vec<_> = self.columns[..data].iter().rev().map(|c| c.chunks_exact(width)).collect();
        let mut out = Vec::with_capacity(data * self.columns[0].len());
        for i in 0..self.columns[0].len() / width {
            columns.iter().for_each(|c| out.extend_from_slice(c.clone().nth(i).expect("same lengths")));
        }
        Some(out)
    }

    /// The column of `rbits` or scales.
    fn extra(&self) -> Option<&[u8]> {
        self.form.operands().skip(1).position(|o| is_extra(o.role)).map(|at| &self.columns[at][..])
    }

    /// The first instruction whose result differs, in words.
    fn difference(&self, tier: Tier, how: &str, result: &[u8]) -> Option<String> {
        let width = self.form.result_width() as usize / 8;
        let (expected, given) = (self.expected.chunks(width), result.chunks(width));
        let at = expected.zip(given).position(|(a, b)| a != b)?;
        let value = |bytes: &[u8], at: usize, width: usize| {
            bytes[at * width..][..width].iter().rev().map(|b| format!("{b:02x}")).collect::<String>()
        };
        let n = self.expected.len() / width;
        let operands: Vec<String> = self.columns.iter().map(|c| value(c, at, c.len() / n)).collect();
        let (expected, given) = (value(&self.expected, at, width), value(result, at, width));
        Some(format!("{} on {tier}, {how}: {operands:?} gives {given}, reference {expected}", self.form))
    }

    /// Runs on one tier, as columns and as packed elements.
    fn check(&self, tier: Tier) -> Option<String> {
        let plan = Plan::with_tier(self.form, tier).expect("an available tier");
        let columns: Vec<Column> = self.columns.iter().map(|c| Column::Bytes(c)).collect();
        let mut result = vec![0xa5; self.expected.len()];
        plan.run(&columns, ColumnMut::Bytes(&mut result)).expect("columns of one length");
        if let Some(text) = self.difference(tier, "columns", &result) {
            return Some(text);
        }
        let packed = self.packed()?;
        result.fill(0xa5);
        let extra = self.extra().map(Column::Bytes);
        plan.run_packed(Column::Bytes(&packed), extra, ColumnMut::Bytes(&mut result)).expect("packed");
        self.difference(tier, "packed", &result)
    }
}

fn is_extra(role: Role) -> bool {
    matches!(role, Role::RandomBits | Role::ScaleFactor)
}

/// Runs `work` on every item, on all cores, and fails with all messages that it returns.
fn on_all_cores<T: Sync>(items: &[T], work: impl Fn(&T) -> Option<String> + Sync) {
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(text) = work(item) {
                        failures.lock().unwrap().push(text);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_form_on_every_tier() {
    let forms: Vec<Form> = Form::all().collect();
    on_all_cores(&forms, |form| {
        let case = Case::new(*form, inputs::operands(form, RANDOM, 0x5eed));
        Tier::available().filter(|t| *t != Tier::Reference).find_map(|tier| case.check(tier))
    });
}

/// Forms that PTX does not have. The engine evaluates them as the reference does, so no row that the table gets is computed
/// by kernels that do not fit it.
#[test]
fn made_up_forms_on_every_tier() {
    let whole_bytes = |form: &Form| form.operands().all(|operand| operand.width % 8 == 0);
    let forms: Vec<Form> = Form::made_up().filter(whole_bytes).step_by(97).collect();
    on_all_cores(&forms, |form| {
        // An odd step, because the operands repeat with a power of two.
        let step = (inputs::operands(form, 0, 1).count() / 300) | 1;
        let case = Case::new(*form, inputs::operands(form, 100 * step, 0x5eed).step_by(step));
        let found = Tier::available().filter(|t| *t != Tier::Reference).find_map(|tier| case.check(tier))?;
        Some(format!("{found} with {:?}", form.modifiers()))
    });
}

/// Every 16-bit element, as the lower and as the upper one of a pair, with scales at the ends of the range
/// and in between. A scale changes which numbers a kernel treats as subnormal or too large.
#[test]
fn every_word_with_a_scale() {
    let forms: Vec<Form> = Form::all()
        .filter(|form| form.source().format().bits() == 16)
        .filter(|form| form.extra().is_some_and(|extra| extra.role == Role::ScaleFactor))
        .collect();
    let tiers: Vec<Tier> = Tier::available().filter(|t| *t != Tier::Reference).collect();
    on_all_cores(&forms, |form| {
        let scales = (0..=8).chain((9..250).step_by(17)).chain(250..=255);
        scales.into_iter().find_map(|scale: u64| {
            let rows = (0..=u16::MAX).map(|word| {
                let pair = u64::from(word) | u64::from(word.rotate_left(7) ^ 0x8000) << 16;
                // The upper half is only for n2.
                let scales = if form.has(Modifier::ScaledN1) { scale } else { scale | (scale ^ 1) << 8 };
                [pair, scales, 0, 0, 0]
            });
            let case = Case::new(*form, rows);
            tiers.iter().find_map(|tier| case.check(*tier))
        })
    });
}

/// A buffer with a guard zone on either side of the part that is used.
struct Guarded {
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

impl Guarded {
    const ZONE: usize = 192;

    /// `length` bytes that start `offset` bytes after a multiple of 64.
    fn new(length: usize, offset: usize) -> Guarded {
        let bytes = vec![0xc3; length + 2 * Self::ZONE + 128];
        let start = Self::ZONE + bytes[Self::ZONE..].as_ptr().align_offset(64) + offset;
        Guarded { bytes, start, length }
    }

    fn part(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.length]
    }

    fn is_intact(&self) -> bool {
        let (before, after) = (&self.bytes[..self.start], &self.bytes[self.start + self.length..]);
        before.iter().chain(after).all(|&b| b == 0xc3)
    }
}

/// One form for every kind of pipeline.
const SHAPES: &[&str] = &[
    "cvt.rn.f16.f32",
    "cvt.rp.bf16.f32",
    "cvt.f32.f16",
    "cvt.f32.bf16",
    "cvt.f32.f32",
    "cvt.rn.relu.f16.f32",
    "cvt.rzi.s8.f32",
    "cvt.rmi.ftz.sat.u16.f32",
    "cvt.rpi.s32.f16",
    "cvt.rzi.u64.f64",
    "cvt.rn.f16.s16",
    "cvt.rn.f32.s8",
    "cvt.rn.f32.f64",
    "cvt.rm.f32.f64",
    "cvt.f64.f32",
    "cvt.sat.u8.s64",
    "cvt.rn.satfinite.e4m3x2.f32",
    "cvt.rz.satfinite.relu.pzo.e5m2x2.f32",
    "cvt.rn.satfinite.e2m3x2.f16x2",
    "cvt.rn.satfinite.relu.e5m2x2.bf16x2",
    "cvt.rn.satfinite.e2m1x2.bf16x2",
    "cvt.rn.satfinite.e2m1x2.f32",
    "cvt.rn.satfinite.relu.e2m1x2.f32",
    "cvt.rn.satfinite.scaled::n1::ue8m0.e2m1x2.f32",
    "cvt.rs.satfinite.e4m3x4.f32",
    "cvt.rs.satfinite.e2m1x4.f32",
    "cvt.rs.relu.satfinite.e3m2x4.f32",
    "cvt.rs.f16x2.f32",
    "cvt.rp.ue8m0x2.f32",
    "cvt.rn.f16x2.e4m3x2",
    "cvt.rn.f16x2.e5m2x2",
    "cvt.rn.f16x2.e2m1x2",
    "cvt.rn.f16x2.e2m3x2",
    "cvt.rn.bf16x2.e5m2x2",
    "cvt.rn.relu.bf16x2.e2m1x2",
    "cvt.rn.satfinite.scaled::n2::ue8m0.bf16x2.s2f6x2",
    "cvt.pack.sat.s16.s32",
    "cvt.pack.sat.u4.s32.b32",
];

/// Every length from 0 to 200 instructions, every alignment of source and result, ordinary and non-temporal
/// stores, and two lengths of several blocks: results are right, and nothing is written outside.
#[test]
fn every_length_and_alignment() {
    on_all_cores(SHAPES, |opcode| {
        let form: Form = opcode.parse().expect("a legal form");
        let whole = Case::new(
            form,
            inputs::operands(&form, 0, 1).skip(31_000).chain(inputs::operands(&form, 4_000, 1)),
        );
        let width = form.result_width() as usize / 8;
        let lengths = (0..=200).chain([1_023, 3_000]);
        Tier::available().filter(|t| *t != Tier::Reference).find_map(|tier| {
            lengths.clone().find_map(|n| {
                let offset = n * 7 % 64;
                let plan = Plan::with_tier(form, tier).expect("an available tier");
                let stores = [Stores::Auto, Stores::Streamed][n % 2];
                let mut columns: Vec<Guarded> = Vec::new();
                for (column, operand) in whole.columns.iter().zip(form.operands().skip(1)) {
                    let bytes = n * operand.width as usize / 8;
                    let mut guarded = Guarded::new(bytes, (offset + n) % 64);
                    guarded.part().copy_from_slice(&column[..bytes]);
                    columns.push(guarded);
                }
                let mut result = Guarded::new(n * width, offset);
                let operands: Vec<Column> = columns.iter_mut().map(|c| Column::Bytes(c.part())).collect();
                let target = ColumnMut::Bytes(result.part());
                plan.with_stores(stores).run(&operands, target).expect("columns of one length");
                if !result.is_intact() {
                    return Some(format!("{form} on {tier}: {n} results at offset {offset} write outside"));
                }
                whole.difference(tier, &format!("the first {n}"), result.part())
            })
        })
    });
}

/// Non-temporal stores over many blocks; the runs of the other tests are too small for them.
#[test]
fn streaming_stores_return_the_same() {
    on_all_cores(SHAPES, |opcode| {
        let form: Form = opcode.parse().expect("a legal form");
        let case = Case::new(form, inputs::operands(&form, 20_000, 3));
        let columns: Vec<Column> = case.columns.iter().map(|c| Column::Bytes(c)).collect();
        Tier::available().find_map(|tier| {
            let plan = Plan::with_tier(form, tier).expect("an available tier").with_stores(Stores::Streamed);
            let mut result = Guarded::new(case.expected.len(), 8);
            plan.run(&columns, ColumnMut::Bytes(result.part())).expect("columns of one length");
            assert!(result.is_intact());
            case.difference(tier, "streamed", result.part())
        })
    });
}

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

/// Columns that do not fit are refused, and nothing is written.
#[test]
fn misfits_are_errors() {
    let plan = |opcode: &str| Plan::new(opcode.parse().unwrap());
    let (words, mut bytes) = ([0_u32; 8], [0x55_u8; 8]);
    let narrow = plan("cvt.rn.satfinite.e4m3x2.f32");
    let mut check = |plan: &Plan, elements: Column, extra, length: usize, message: &str| {
        let result = ColumnMut::U8(&mut bytes[..length]);
        assert_eq!(plan.run_packed(elements, extra, result).unwrap_err().to_string(), message);
    };
    let all = Column::U32(&words);
    check(&narrow, all, None, 7, "`d` holds 7 bytes, which is not a multiple of 2");
    check(&narrow, all, None, 6, "`d` must hold 8 bytes to match the others, not 6");
    check(&narrow, Column::U32(&words[..7]), None, 7, "`a` holds 28 bytes, which is not a multiple of 8");
    check(&narrow, Column::U16(&[0; 8]), None, 8, "elements of `a` must have 32 bits, not 16");
    check(&narrow, Column::Value(1), None, 8, "`a` must be a slice");
    check(&narrow, all, Some(Column::Value(1)), 8, "this form has neither `rbits` nor a scale");
    let random = plan("cvt.rs.satfinite.e4m3x4.f32");
    check(&random, all, None, 8, "`rbits` is missing");
    check(
        &random,
        all,
        Some(Column::U32(&words[..1])),
        8,
        "`rbits` must hold 8 bytes to match the others, not 4",
    );
    let scaled = plan("cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32");
    let generator = Column::Random { seed: 0, first: 0 };
    check(&scaled, all, Some(generator), 8, "only `rbits` can be a random generator");
    check(
        &plan("cvt.pack.sat.s16.s32"),
        all,
        None,
        8,
        "cvt.pack.sat.s16.s32 needs operand columns, not packed elements",
    );
    let error = narrow.run(&[all], ColumnMut::U16(&mut [0; 8])).unwrap_err();
    assert_eq!(error, BulkError::ColumnCount { expected: 2, given: 1 });
    assert_eq!(bytes, [0x55; 8]);
}

/// A plan names its tier; a missing tier is an error.
#[test]
fn tiers_are_named() {
    let form: Form = "cvt.rn.f16.f32".parse().unwrap();
    for &tier in Tier::ALL {
        match Plan::with_tier(form, tier) {
            Ok(plan) => assert_eq!(plan.tier(), tier),
            Err(error) => assert!(!tier.is_available() && error.to_string().contains(tier.name())),
        }
    }
    assert_eq!(Plan::new(form).tier(), Tier::best());
    assert!(
        "sse9"
            .parse::<Tier>()
            .unwrap_err()
            .to_string()
            .starts_with("unknown tier; this machine has reference")
    );
}

/// Arrays, slices and vectors of numbers convert to columns with their bits.
#[test]
fn columns_of_every_kind() {
    let form: Form = "cvt.rn.f16.f32".parse().unwrap();
    let plan = Plan::new(form);
    let (array, mut vector, mut result) = ([1.0_f32, -2.0, 0.5], vec![0_u16; 3], [0_i16; 3]);
    plan.run(&[(&array).into()], (&mut vector).into()).unwrap();
    assert_eq!(vector, [0x3c00, 0xc000, 0x3800]);
    plan.run(&[(&array.to_vec()).into()], (&mut result).into()).unwrap();
    assert_eq!(result, [0x3c00, -0x4000, 0x3800]);
    plan.run(&[(&array[1..]).into()], (&mut result[..2]).into()).unwrap();
    assert_eq!(result, [-0x4000, 0x3800, 0x3800]);
    #[cfg(feature = "half")]
    {
        let mut halves = [half::f16::ZERO; 3];
        plan.run(&[(&array).into()], (&mut halves).into()).unwrap();
        assert_eq!(halves.map(f32::from), array);
        let narrow = Plan::new("cvt.rn.satfinite.e5m2x2.f16x2".parse().unwrap());
        let mut codes = vec![0_u8; 2];
        narrow.run_packed((&halves[..2]).into(), None, (&mut codes).into()).unwrap();
        assert_eq!(codes, [0x3c, 0xc0]);
    }
}
