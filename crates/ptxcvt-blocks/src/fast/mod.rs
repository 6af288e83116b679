//! Rail 2: a recipe over whole matrices, in chunks that stay in cache.
//!
//! A band is as many rows as a block has; a chunk is some thousand elements of it. For each chunk the largest
//! magnitudes are taken from the numbers as they lie; the block's lines run over all blocks of the chunk at once, one
//! array for each register; then each row's elements are widened to f32 and scaled in one go, a thousand at a time,
//! and go through the bulk engine's kernels to where they belong. Nothing is allocated but when a thread begins, and
//! threads share bands in order, so that results do not depend on their number. What is chosen once for a recipe (kernels,
//! tables) is kept with it.

mod amax;
mod back;
mod kernels;
mod machine;
mod rows;
mod scale;

use std::sync::Arc;
use std::thread;

use ptxcvt::bulk::{Column, Stores};

use self::machine::{Last, Machine, Scratch, run};
use self::rows::{Row, Tile};
use crate::input::Matrix;
use crate::recipe::{AmaxNan, Layout, Recipe, given};
use crate::reference::NAN;
use crate::run::Options;

pub(crate) use back::{Source, dequantize};

/// Elements of a chunk of one row, which the first-level cache holds.
const ROW: usize = 8192;
/// Elements of a chunk of several rows, which the second-level cache holds.
const SEVERAL: usize = 1 << 18;
/// Rows that are brought together where elements of a row are no neighbours.
const TOGETHER: usize = 32;

/// What a matrix is cut into.
#[derive(Clone, Copy)]
struct Cut {
    /// Rows and columns.
    shape: (usize, usize),
    /// Columns of a chunk: whole blocks, and a multiple of four elements.
    columns: usize,
    /// Rows and columns of a block.
    block: (usize, usize),
}

impl Cut {
    /// `rows`: how many rows of a chunk are looked at more than once, and stay in cache in between.
    fn new(recipe: &Recipe, shape: (usize, usize), rows: usize) -> Cut {
        let block = (recipe.block().rows, recipe.block().columns);
        let unit = rows::piece(block.1);
        let wanted = if rows == 1 { ROW } else { SEVERAL / rows };
        let chunk = (wanted / unit).max(1) * unit;
        Cut { shape, columns: chunk.min(shape.1.next_multiple_of(4 * block.1)).max(1), block }
    }

    fn bands(&self) -> usize {
        self.shape.0.div_ceil(self.block.0)
    }

    /// The rows of a band.
    fn rows(&self, band: usize) -> std::ops::Range<usize> {
        band * self.block.0..self.shape.0.min((band + 1) * self.block.0)
    }

    /// The first column of each chunk, and how many columns it has.
    fn chunks(&self) -> impl Iterator<Item = (usize, usize)> {
        let (columns, all) = (self.columns, self.shape.1);
        (0..all).step_by(columns).map(move |start| (start, columns.min(all - start)))
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
    let machine: Arc<Machine> = recipe
        .made(matrix.input() as usize, || Arc::new(Machine::new(&recipe.quantize, matrix.input(), "q")));
    let columns = matrix.columns();
    // Whole blocks of one row in order: rows of any length are as good.
    let flat = matrix.flat().filter(|_| recipe.block().rows == 1 && columns % recipe.block().columns == 0);
    let stream = streams(options.stores, target.data.len());
    let rows = |matrix: &Matrix<'_>, threads, target: Target<'_>, options: &Options| {
        let cut = Cut::new(recipe, (matrix.rows(), matrix.columns()), recipe.block().rows);
        let work = Quantizer { recipe, matrix, machine: &machine, cut, options, global, stream };
        let band_data = cut.block.0 * recipe.row_bytes(matrix.columns());
        let band_scales = recipe.scale_shape(1, matrix.columns()).1 * recipe.scale_bytes();
        share(cut.bands(), threads, target, (band_data, band_scales), |first, end, target| {
            work.bands(first, end, target);
        });
    };
    let Some(flat) = flat else { return rows(matrix, threads, target, options) };
    let unit = rows::piece(recipe.block().columns) * (ROW / rows::PIECE);
    let whole = flat.columns() / unit;
    let (first, last) = flat.cut(whole, unit);
    let (data, last_data) = target.data.split_at_mut(recipe.row_bytes(whole * unit));
    let blocks = whole * unit / recipe.block().columns;
    let (scales, last_scales) = target.scales.split_at_mut(blocks * recipe.scale_bytes());
    rows(&first, threads, Target { data, scales }, options);
    let options = Options { first: options.first + whole * unit, ..*options };
    rows(&last, 1, Target { data: last_data, scales: last_scales }, &options);
}

/// Whether so many bytes of results are stored around the caches, as the bulk engine decides it.
fn streams(stores: Stores, bytes: usize) -> bool {
    match stores {
        Stores::Cached => false,
        Stores::Streamed => true,
        _ => bytes >= 32 << 20,
    }
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
    /// Elements are stored around the caches.
    stream: bool,
}

/// What a thread works in.
struct Room {
    scratch: Scratch,
    /// The largest magnitude of each block, as the input's bits.
    most: Vec<u32>,
    codes: Vec<u8>,
}

impl Quantizer<'_> {
    /// Quantises the bands from `first` to before `end`, whose bytes the target holds.
    fn bands(&self, first: usize, end: usize, target: Target<'_>) {
        if first == end || self.cut.shape.1 == 0 {
            return;
        }
        let cut = self.cut;
        let piece = rows::piece(cut.block.1).min(cut.columns);
        let mut scratch = self.machine.scratch(cut.blocks(), piece);
        if let (Some(bits), Some(g)) = (self.global, self.recipe.quantize.find("G")) {
            scratch.lanes[g].fill(f32::from_bits(bits));
        }
        self.machine.run_tensor(self.global.is_some(), &mut scratch);
        let mut room = Room { scratch, most: vec![0; cut.blocks()], codes: vec![0; 2 * piece + 8] };
        let row_bytes = self.recipe.row_bytes(cut.shape.1);
        let scale_row = self.recipe.scale_shape(1, cut.shape.1).1;
        let mut tile = Tile::new(self.matrix);
        let together = if tile.copies() { TOGETHER.div_ceil(cut.block.0) } else { 1 };
        for group in (first..end).step_by(together) {
            let last = end.min(group + together);
            for (start, columns) in cut.chunks() {
                tile.go((cut.rows(group).start, cut.rows(last - 1).end), (start, columns));
                for band in group..last {
                    self.scales(&tile, band, (start, columns), &mut room);
                    let at = (band - first) * scale_row + start / cut.block.1;
                    self.store_scales(&room.scratch, columns.div_ceil(cut.block.1), at, target.scales);
                    // What comes next: this band's next chunk, or the next band's first.
                    let ahead = match start + columns {
                        next if next < cut.shape.1 => tile.ahead(0, next),
                        _ => tile.ahead(cut.block.0, 0),
                    };
                    for row in cut.rows(band) {
                        let from = (row - first * cut.block.0) * row_bytes;
                        for piece in tile.row(row).pieces(cut.block.1) {
                            let column = start + piece.first();
                            let out = from + self.recipe.row_bytes(column)
                                ..from + self.recipe.row_bytes(column + piece.len());
                            let at = self.options.first + row * cut.shape.1 + column;
                            self.store_elements(piece.before(ahead), at, &mut room, &mut target.data[out]);
                        }
                    }
                }
            }
        }
        if self.stream {
            kernels::fence();
        }
        self.machine.keep(room.scratch);
    }

    /// The largest magnitudes of a chunk's blocks, and the block's lines.
    fn scales(&self, tile: &Tile<'_>, band: usize, (_, columns): (usize, usize), room: &mut Room) {
        let (width, rows) = (self.cut.block.1, self.cut.rows(band));
        let Room { scratch, most, .. } = room;
        let blocks = columns.div_ceil(width);
        most[..blocks].fill(0);
        for row in rows.clone() {
            tile.row(row).amax(width, most);
        }
        let input = self.matrix.input();
        let amax = &mut scratch.lanes[given::AMAX][..blocks];
        kernels::widen_bits(input, &most[..blocks], amax);
        // Magnitudes alone order NaN above infinity; here is the recipe's rule.
        let nan = amax.iter_mut().enumerate().filter(|(_, most)| most.is_nan());
        for (block, most) in nan {
            let of_row = |row: usize| {
                let row = tile.row(row);
                (block * width..columns.min((block + 1) * width)).map(move |i| f32::from_bits(row.get(i)))
            };
            *most = match self.recipe.amax_nan() {
                AmaxNan::Propagates => f32::from_bits(NAN),
                AmaxNan::Ignored => rows.clone().flat_map(of_row).fold(0.0, |m: f32, x| m.max(x.abs())),
            };
        }
        self.machine.run_block(width, scratch, || rows.clone().map(|row| tile.row(row)).collect());
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
    fn store_elements(&self, piece: Row<'_>, at: usize, room: &mut Room, out: &mut [u8]) {
        let (layout, element) = (self.recipe.layout(), self.recipe.element());
        let Room { scratch, codes, .. } = room;
        let (width, n) = (self.cut.block.1, piece.len());
        match self.machine.last() {
            Last::Convert(plan) => {
                let lanes = plan.form().lanes() as usize;
                let seed = self.options.seed;
                let random = seed.map(|seed| Column::Random { seed, first: (at / lanes) as u64 });
                let y = self.machine.run_elements(piece, width, scratch);
                if layout == Layout::Rows && !self.stream {
                    return run(plan, y, random, out);
                }
                if layout == Layout::Rows {
                    let codes = &mut codes[..out.len()];
                    run(plan, y, random, codes);
                    return kernels::stream(codes, out);
                }
                let (codes, packed) = codes.split_at_mut(n);
                let packed = &mut packed[..(n * element.storage() as usize).div_ceil(8)];
                run(plan, y, random, packed);
                kernels::load_row(Layout::Rows, element.storage(), packed, codes, &mut []);
            }
            Last::Nearest(boundaries, zero) => {
                let y = self.machine.run_elements(piece, width, scratch);
                kernels::nearest(boundaries, zero, y, &mut codes[..n]);
            }
        }
        let blocks = piece.block(width)..piece.block(width) + n.div_ceil(width);
        let scales = match (layout.group(), self.recipe.quantize.find("s")) {
            (Some(_), Some(s)) => &scratch.codes[s][blocks],
            _ => &[],
        };
        kernels::store_row(layout, element.storage(), &codes[..n], scales, out);
    }
}

/// The largest magnitude of a whole matrix.
pub(crate) fn tensor_amax(recipe: &Recipe, matrix: &Matrix<'_>, threads: usize) -> u32 {
    // A thread is worth its while from some elements on.
    let threads = threads.clamp(1, 1 + matrix.rows() * matrix.columns() / (1 << 18));
    let each = matrix.rows().div_ceil(threads).max(1);
    let parts: Vec<_> = (0..matrix.rows())
        .step_by(each)
        .map(|first| matrix.part(first, matrix.rows().min(first + each)))
        .collect();
    let most = thread::scope(|scope| {
        let (mine, others) = match parts.split_first() {
            Some((mine, others)) => (mine, others),
            None => return 0,
        };
        let others: Vec<_> = others.iter().map(|part| scope.spawn(|| largest_bits(part))).collect();
        let others = others.into_iter().map(|thread| thread.join().unwrap_or(u32::MAX));
        others.fold(largest_bits(mine), u32::max)
    });
    let most = matrix.input().widen(most);
    if f32::from_bits(most).is_nan() {
        // NaN counts for all or for nothing: element by element.
        let all = (0..matrix.rows()).flat_map(|r| (0..matrix.columns()).map(move |c| matrix.get(r, c)));
        return crate::reference::amax(recipe.amax_nan(), all);
    }
    most
}

/// The largest magnitude as bits of the input's type, NaN above all.
fn largest_bits(matrix: &Matrix<'_>) -> u32 {
    let mut most = [0];
    let mut tile = Tile::new(matrix);
    for first in (0..matrix.rows()).step_by(TOGETHER) {
        let end = matrix.rows().min(first + TOGETHER);
        for start in (0..matrix.columns()).step_by(ROW) {
            let columns = ROW.min(matrix.columns() - start);
            tile.go((first, end), (start, columns));
            (first..end).for_each(|row| tile.row(row).amax(columns, &mut most));
        }
    }
    most[0]
}
