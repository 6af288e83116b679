//! Every length and alignment, and non-temporal stores: nothing outside the result is written.

use ptxcvt::Form;
use ptxcvt::inputs;
use ptxcvt_bulk::{Column, ColumnMut, Plan, Stores, Tier};

use super::{Case, on_all_cores};

/// A buffer with a guard zone on either side of the part that is used.
pub struct Guarded {
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

impl Guarded {
    const ZONE: usize = 192;

    /// `length` bytes that start `offset` bytes after a multiple of 64.
    pub fn new(length: usize, offset: usize) -> Guarded {
        let bytes = vec![0xc3; length + 2 * Self::ZONE + 128];
        let start = Self::ZONE + bytes[Self::ZONE..].as_ptr().align_offset(64) + offset;
        Guarded { bytes, start, length }
    }

    pub fn part(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.length]
    }

    pub fn is_intact(&self) -> bool {
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
/// stores, and lengths of several blocks, also at multiples of 16 bytes, from which kernels go on to a cache line: results
/// are right, and nothing is written outside.
#[test]
fn every_length_and_alignment() {
    on_all_cores(SHAPES, |opcode| {
        let form: Form = opcode.parse().expect("a legal form");
        let whole = Case::new(
            form,
            inputs::operands(&form, 0, 1).skip(31_000).chain(inputs::operands(&form, 4_000, 1)),
        );
        let width = form.result_width() as usize / 8;
        let lengths = (0..=200).chain([1_023, 2_960, 2_976, 2_992, 3_000]);
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
