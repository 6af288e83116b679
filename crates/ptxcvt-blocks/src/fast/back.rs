//! Dequantising: codes to numbers by the bulk engine, times what the recipe says.

use ptxcvt::Format;
use ptxcvt::bulk::{Column, Plan};

use super::machine::{Machine, Scratch, decoder, table};
use super::{Cut, Target, kernels, share};
use crate::input::Input;
use crate::layout;
use crate::recipe::{Layout, Level, Recipe, given};

/// A quantised matrix, checked.
#[derive(Clone, Copy)]
pub(crate) struct Source<'s> {
    pub data: &'s [u8],
    pub scales: &'s [u8],
    pub global: Option<u32>,
    pub shape: (usize, usize),
}

/// Dequantises into rows of `output` numbers, little-endian.
pub(crate) fn dequantize(
    recipe: &Recipe,
    source: Source<'_>,
    output: Input,
    threads: usize,
    data: &mut [u8],
) {
    let machine = Machine::new(&recipe.dequantize, output, recipe.block().columns, true);
    let cut = Cut::new(recipe, source.shape.1);
    let narrow = match output {
        Input::F32 => None,
        Input::Bf16 => "cvt.rn.bf16.f32".parse().ok().map(Plan::new),
        Input::F16 => "cvt.rn.f16.f32".parse().ok().map(Plan::new),
    };
    let plan = decoder(recipe.element());
    let work =
        Dequantizer { recipe, source, machine: &machine, cut, narrow, plan, table: table(recipe.scale()) };
    let bands = source.shape.0.div_ceil(cut.block.0);
    let band_bytes = cut.block.0 * source.shape.1 * output.bytes();
    share(bands, threads, Target { data, scales: &mut [] }, (band_bytes, 0), |first, end, target| {
        work.bands(first, end, target.data);
    });
}

struct Dequantizer<'q> {
    recipe: &'q Recipe,
    source: Source<'q>,
    machine: &'q Machine,
    cut: Cut,
    narrow: Option<Plan>,
    plan: Option<Plan>,
    table: Box<[f32; 256]>,
}

impl Dequantizer<'_> {
    fn bands(&self, first: usize, end: usize, out: &mut [u8]) {
        let (rows, columns) = self.source.shape;
        let (cut, recipe) = (self.cut, self.recipe);
        let mut scratch = self.machine.scratch(cut.blocks(), cut.columns);
        scratch.lanes[given::G].fill(f32::from_bits(self.source.global.unwrap_or(0)));
        self.machine.run_lanes(Level::Tensor, &mut scratch);
        let mut q = vec![0.0_f32; cut.columns.next_multiple_of(4)];
        let mut words = vec![0_u16; cut.columns.next_multiple_of(4)];
        let mut codes = vec![0_u8; cut.columns.next_multiple_of(4)];
        let row_bytes = recipe.row_bytes(columns);
        let number = out.len() / ((rows.min(end * cut.block.0) - first * cut.block.0) * columns).max(1);
        for band in first..end {
            let band_rows = band * cut.block.0..rows.min((band + 1) * cut.block.0);
            for start in (0..columns).step_by(cut.columns) {
                let n = cut.columns.min(columns - start);
                if recipe.layout() != Layout::Gguf {
                    self.load_scales(band, start, n, &mut scratch);
                    self.machine.run_lanes(Level::Block, &mut scratch);
                }
                for row in band_rows.clone() {
                    let from = row * row_bytes;
                    let bytes =
                        &self.source.data[from + recipe.row_bytes(start)..from + recipe.row_bytes(start + n)];
                    self.decode(bytes, n, &mut codes, &mut words, &mut q, &mut scratch);
                    let v = self.machine.run_elements(&q[..n], given::Q, &mut scratch, true);
                    let at = ((row - first * cut.block.0) * columns + start) * number;
                    let out = &mut out[at..at + n * number];
                    match &self.narrow {
                        None => kernels::store_f32(v, out),
                        Some(plan) => super::run(plan, v, None, out),
                    }
                }
            }
        }
    }

    /// The scales of a chunk into the register `s`.
    fn load_scales(&self, band: usize, start: usize, n: usize, scratch: &mut Scratch) {
        let scale_columns = self.recipe.scale_shape(1, self.source.shape.1).1;
        let blocks = n.div_ceil(self.cut.block.1);
        let first = band * scale_columns + start / self.cut.block.1;
        let bytes = self.recipe.scale_bytes();
        let source = &self.source.scales[first * bytes..(first + blocks) * bytes];
        if bytes == 1 {
            self.set_scales(source, scratch);
        } else {
            kernels::load_f32(source, &mut scratch.lanes[given::S]);
        }
    }

    fn set_scales(&self, codes: &[u8], scratch: &mut Scratch) {
        scratch.codes[given::S][..codes.len()].copy_from_slice(codes);
        for (code, s) in codes.iter().zip(&mut scratch.lanes[given::S]) {
            *s = self.table[usize::from(*code)];
        }
    }

    /// The numbers that the codes of a row stand for, without scale; in GGUF the scales, too.
    fn decode(
        &self,
        bytes: &[u8],
        n: usize,
        codes: &mut [u8],
        words: &mut [u16],
        q: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let (layout, element) = (self.recipe.layout(), self.recipe.element());
        let plain = layout == Layout::Rows || element.storage() == 8;
        if let (true, Some(plan), 0) = (plain, &self.plan, n % 2) {
            let done = plan.run_packed(Column::Bytes(bytes), None, (&mut words[..n]).into());
            debug_assert!(done.is_ok(), "{done:?}");
            return kernels::widen_words(&words[..n], &mut q[..n]);
        }
        let mut scales = vec![0; if layout == Layout::Gguf { n / 32 } else { 0 }];
        layout::load_row(layout, element.storage(), bytes, &mut codes[..n], &mut scales);
        for (code, q) in codes[..n].iter().zip(q) {
            *q = element_value(element, *code);
        }
        if layout == Layout::Gguf {
            self.set_scales(&scales, scratch);
            self.machine.run_lanes(Level::Block, scratch);
        }
    }
}

fn element_value(element: Format, code: u8) -> f32 {
    element.decode(code.into()).to_f64() as f32
}
