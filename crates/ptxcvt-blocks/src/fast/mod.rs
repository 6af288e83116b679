//! Rail 2: a recipe over whole matrices, in chunks that stay in the first-level cache.
//!
//! A band is as many rows as a block has; a chunk is some two thousand elements of it. For each chunk the numbers
//! are widened to f32 and the largest magnitudes taken; the block's lines run over all blocks of the chunk at
//! once, one array for each register; then each row's elements are scaled and go through the bulk engine's kernels
//! to where they belong. Nothing is allocated but when a thread begins, and threads share bands in order, so that
//! results do not depend on their number.

mod back;
mod kernels;
mod machine;

use std::thread;

use ptxcvt::Format;
use ptxcvt::bulk::{Column, Plan};

use self::machine::{Machine, Scratch, run};
use crate::input::{Input, Matrix};
use crate::layout;
use crate::recipe::{AmaxNan, Layout, Level, Recipe, given};
use crate::reference::NAN;
use crate::run::Options;

pub(crate) use back::{Source, dequantize};

/// Elements of a chunk of one row.
const ROW: usize = 2048;
/// Elements of a chunk of several rows.
const SEVERAL: usize = 8192;

/// How a band is cut.
#[derive(Clone, Copy)]
struct Cut {
    /// Columns of a chunk: whole blocks, and a multiple of four elements.
    columns: usize,
    /// Rows and columns of a block.
    block: (usize, usize),
}

impl Cut {
    fn new(recipe: &Recipe, columns: usize) -> Cut {
        let block = (recipe.block().rows, recipe.block().columns);
        let unit = 4 * block.1;
        let wanted = if block.0 == 1 { ROW } else { SEVERAL / block.0 };
        let chunk = (wanted / unit).max(1) * unit;
        Cut { columns: chunk.min(columns.next_multiple_of(unit)), block }
    }

    fn blocks(&self) -> usize {
        self.columns.div_ceil(self.block.1)
    }
}

/// What is written.
pub(crate) struct Target<'t> {
    pub data: &'t mut [u8],
    pub scales: &'t mut [u8],
}

/// Quantises; everything has been checked.
pub(crate) fn quantize(
    recipe: &Recipe,
    matrix: &Matrix<'_>,
    global: Option<u32>,
    options: &Options,
    threads: usize,
    target: Target<'_>,
) {
    let machine = Machine::new(&recipe.quantize, matrix.input(), recipe.block().columns, global.is_none());
    let cut = Cut::new(recipe, matrix.columns());
    let work = Quantizer { recipe, matrix, machine: &machine, cut, options, global };
    let bands = matrix.rows().div_ceil(cut.block.0);
    let band_data = cut.block.0 * recipe.row_bytes(matrix.columns());
    let band_scales = recipe.scale_shape(1, matrix.columns()).1 * recipe.scale_bytes();
    share(bands, threads, target, (band_data, band_scales), |first, end, target| {
        work.bands(first, end, target);
    });
}

/// Gives each thread its share of the bands, and of the bytes that belong to them.
fn share(
    bands: usize,
    threads: usize,
    target: Target<'_>,
    (band_data, band_scales): (usize, usize),
    work: impl Fn(usize, usize, Target<'_>) + Sync,
) {
    let each = bands.div_ceil(threads.max(1)).max(1);
    if bands <= each {
        return work(0, bands, target);
    }
    thread::scope(|scope| {
        let Target { mut data, mut scales } = target;
        for first in (0..bands).step_by(each) {
            let end = bands.min(first + each);
            let (mine, rest) = data.split_at_mut(((end - first) * band_data).min(data.len()));
            let (my_scales, other_scales) =
                scales.split_at_mut(((end - first) * band_scales).min(scales.len()));
            (data, scales) = (rest, other_scales);
            let work = &work;
            scope.spawn(move || work(first, end, Target { data: mine, scales: my_scales }));
        }
    });
}

struct Quantizer<'q> {
    recipe: &'q Recipe,
    matrix: &'q Matrix<'q>,
    machine: &'q Machine,
    cut: Cut,
    options: &'q Options,
    global: Option<u32>,
}

impl Quantizer<'_> {
    /// Quantises the bands from `first` to before `end`, whose bytes the target holds.
    fn bands(&self, first: usize, end: usize, target: Target<'_>) {
        let (matrix, cut) = (self.matrix, self.cut);
        let mut scratch = self.machine.scratch(cut.blocks(), cut.columns);
        let mut loader = Loader::new(matrix.input());
        let mut x = vec![0.0_f32; cut.columns * cut.block.0];
        let mut codes = vec![0_u8; cut.columns.next_multiple_of(4) + 4];
        if let (Some(bits), Some(g)) = (self.global, self.recipe.quantize.find("G")) {
            scratch.lanes[g].fill(f32::from_bits(bits));
        }
        self.machine.run_lanes(Level::Tensor, &mut scratch);
        let row_bytes = self.recipe.row_bytes(matrix.columns());
        let scale_row = self.recipe.scale_shape(1, matrix.columns()).1;
        for band in first..end {
            let rows = band * cut.block.0..matrix.rows().min((band + 1) * cut.block.0);
            for start in (0..matrix.columns()).step_by(cut.columns) {
                let columns = start..matrix.columns().min(start + cut.columns);
                let n = columns.len();
                scratch.lanes[given::AMAX].fill(0.0);
                for (row, x) in rows.clone().zip(x.chunks_mut(cut.columns)) {
                    loader.load(matrix, row, start, &mut x[..n]);
                    kernels::amax(&x[..n], cut.block.1, &mut scratch.lanes[given::AMAX]);
                }
                self.finish_amax(&x, rows.len(), n, &mut scratch.lanes[given::AMAX]);
                self.machine.run_lanes(Level::Block, &mut scratch);
                let blocks = n.div_ceil(cut.block.1);
                let first_scale = (band - first) * scale_row + start / cut.block.1;
                self.store_scales(&scratch, blocks, first_scale, target.scales);
                for (row, x) in rows.clone().zip(x.chunks(cut.columns)) {
                    let from = (row - first * cut.block.0) * row_bytes;
                    let out = from + self.recipe.row_bytes(start)..from + self.recipe.row_bytes(columns.end);
                    let at = self.options.first + row * matrix.columns() + start;
                    self.store_elements(&x[..n], at, &mut scratch, &mut codes, &mut target.data[out]);
                }
            }
        }
    }

    /// The rule for NaN; magnitudes alone order it above infinity.
    fn finish_amax(&self, x: &[f32], rows: usize, n: usize, amax: &mut [f32]) {
        let width = self.cut.block.1;
        for (block, most) in
            amax[..n.div_ceil(width)].iter_mut().enumerate().filter(|(_, most)| most.is_nan())
        {
            let elements = (0..rows).flat_map(|row| {
                let row = &x[row * self.cut.columns..][..n];
                &row[block * width..n.min((block + 1) * width)]
            });
            *most = match self.recipe.amax_nan() {
                AmaxNan::Propagates => f32::from_bits(NAN),
                AmaxNan::Ignored => elements.fold(0.0, |m: f32, x| m.max(x.abs())),
            };
        }
    }

    fn store_scales(&self, scratch: &Scratch, blocks: usize, first: usize, scales: &mut [u8]) {
        let Some(s) = self.recipe.quantize.find("s") else { return };
        match self.recipe.scale_bytes() {
            0 => {}
            1 => scales[first..first + blocks].copy_from_slice(&scratch.codes[s][..blocks]),
            n => {
                kernels::store_f32(&scratch.lanes[s][..blocks], &mut scales[n * first..n * (first + blocks)])
            }
        }
    }

    /// Converts elements of a row; `at` is the place of the first in the array.
    fn store_elements(&self, x: &[f32], at: usize, scratch: &mut Scratch, codes: &mut [u8], out: &mut [u8]) {
        let storage = self.recipe.element().storage();
        let layout = self.recipe.layout();
        let s = self.recipe.quantize.find("s");
        let n = x.len();
        let scales = if layout == Layout::Gguf { s.map(|s| scratch.codes[s].clone()) } else { None };
        let y = self.machine.run_elements(x, given::X, scratch, false);
        let codes = match self.machine.last() {
            Err(boundaries) => {
                kernels::argmin(boundaries, y, &mut codes[..n]);
                &codes[..n]
            }
            Ok(plan) => {
                let lanes = plan.form().lanes() as usize;
                let random =
                    self.options.seed.map(|seed| Column::Random { seed, first: (at / lanes) as u64 });
                let whole = n - n % lanes;
                if layout == Layout::Rows && whole == n {
                    return run(plan, y, random, out);
                }
                let packed = whole * storage as usize / 8;
                let (head, tail) = codes.split_at_mut(packed);
                run(plan, &y[..whole], random, head);
                if whole < n {
                    // The last instruction's upper elements are padding.
                    let mut rest = [0.0; 4];
                    rest[..n - whole].copy_from_slice(&y[whole..]);
                    let random = self
                        .options
                        .seed
                        .map(|seed| Column::Random { seed, first: ((at + whole) / lanes) as u64 });
                    run(plan, &rest[..lanes], random, &mut tail[..lanes * storage as usize / 8]);
                }
                let bytes = (n * storage as usize).div_ceil(8);
                if storage < 8 {
                    // From the back, so that nothing is overwritten before it is read.
                    for i in (0..n).rev() {
                        codes[i] = codes[i / 2] >> (4 * (i % 2)) & 15;
                    }
                    &codes[..n]
                } else {
                    &codes[..bytes]
                }
            }
        };
        layout::store_row(layout, storage, codes, scales.as_deref().unwrap_or(&[]), out);
    }
}

/// Reads elements of a matrix as f32.
struct Loader {
    half: Option<Plan>,
}

impl Loader {
    fn new(input: Input) -> Loader {
        let half = (input == Input::F16).then(|| "cvt.f32.f16".parse().ok().map(Plan::new));
        Loader { half: half.flatten() }
    }

    fn load(&mut self, matrix: &Matrix<'_>, row: usize, first: usize, x: &mut [f32]) {
        if !matrix.is_dense() || matrix.swapped() {
            for (i, x) in x.iter_mut().enumerate() {
                *x = f32::from_bits(matrix.get(row, first + i));
            }
            return;
        }
        let bytes = matrix.run(row, first, x.len());
        match (matrix.input().format(), &self.half) {
            (Format::F32, _) => kernels::load_f32(bytes, x),
            (_, Some(plan)) => {
                let done = plan.run_packed(Column::Bytes(bytes), None, x.into());
                debug_assert!(done.is_ok(), "{done:?}");
            }
            _ => kernels::widen_bf16(bytes, x),
        }
    }
}

/// The largest magnitude of a whole matrix.
pub(crate) fn tensor_amax(recipe: &Recipe, matrix: &Matrix<'_>) -> u32 {
    let mut loader = Loader::new(matrix.input());
    let mut x = [0.0_f32; ROW];
    let mut most = [0.0_f32];
    for row in 0..matrix.rows() {
        for start in (0..matrix.columns()).step_by(ROW) {
            let n = ROW.min(matrix.columns() - start);
            loader.load(matrix, row, start, &mut x[..n]);
            kernels::amax(&x[..n], n.max(2), &mut most);
            if most[0].is_nan() {
                // NaN counts for all or for nothing: element by element.
                let all =
                    (0..matrix.rows()).flat_map(|r| (0..matrix.columns()).map(move |c| matrix.get(r, c)));
                return crate::reference::amax(recipe.amax_nan(), all);
            }
        }
    }
    most[0].to_bits()
}
