//! Quantising a matrix, chunk by chunk.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use ptxcvt_bulk::{Column, NonFinite};

use super::codec::Coder;
use super::cut::{Cut, ROW, share};
use super::kernels;
use super::machine::{Direction, Machine, Scratch};
use super::rows::{self, Row, TOGETHER, Tile};
use crate::input::{Input, Matrix};
use crate::magnitude::NAN;
use crate::options::Options;
use crate::recipe::{AmaxNan, Layout, Recipe, given};

/// The kernels and tables for a recipe and an input type.
struct Chosen {
    machine: Machine,
    /// Converts elements to codes.
    coder: Coder,
    /// The register of the scale, and that of the global scale if there is one.
    scale: usize,
    global: Option<usize>,
}

impl Chosen {
    fn new(recipe: &Recipe, input: Input) -> Chosen {
        let program = &recipe.quantize;
        let last = program.instructions.last().expect("a checked recipe makes `q`");
        Chosen {
            machine: Machine::new(program, Direction::Quantize, input, last.a),
            coder: Coder::new(last.op).expect("the last line of a checked recipe is a conversion"),
            scale: program.result("s"),
            global: program.find("G"),
        }
    }
}

/// The output buffers.
pub(crate) struct Target<'t> {
    pub data: &'t mut [u8],
    pub scales: &'t mut [u8],
}

/// Quantises a checked matrix with checked options and buffers. Returns the NaN and infinities of the input.
pub(crate) fn quantize(
    recipe: &Recipe,
    matrix: &Matrix<'_>,
    globals: &[f32],
    options: &Options,
    target: Target<'_>,
) -> NonFinite {
    let input = matrix.input();
    let chosen: Arc<Chosen> = recipe.made((0, input as u8), || Arc::new(Chosen::new(recipe, input)));
    let columns = matrix.columns();
    let read = matrix.rows() * columns * input.bytes();
    let stream = options.stores.are_streamed(read + target.data.len());
    let found = Mutex::default();
    let rows = |matrix: &Matrix<'_>, threads, target: Target<'_>, options: &Options| {
        let cut = Cut::new(recipe, (matrix.rows(), matrix.columns()), recipe.block().rows);
        let work =
            Quantizer { recipe, matrix, chosen: &chosen, cut, options, globals, stream, found: &found };
        let band_data = cut.block.0 * recipe.row_bytes(matrix.columns());
        let band_scales = recipe.scale_shape(1, matrix.columns()).1 * recipe.scale_bytes();
        let outputs = [target.data, target.scales];
        share(cut.bands(), threads, outputs, [band_data, band_scales], |bands, [data, scales]| {
            work.bands(bands, Target { data, scales });
        });
    };
    // If whole blocks of one row are stored in order, the matrix may be split into rows of any length, unless a row has
    // a scale of its own.
    let whole_blocks = recipe.block().rows == 1 && columns % recipe.block().columns == 0;
    match matrix.flat().filter(|_| whole_blocks && !recipe.is_row_scaled()) {
        None => rows(matrix, options.threads(), target, options),
        Some(flat) => {
            let unit = rows::piece(recipe.block().columns) * (ROW / rows::PIECE);
            let whole = flat.columns() / unit;
            let (first, last) = flat.cut(whole, unit);
            let (data, last_data) = target.data.split_at_mut(recipe.row_bytes(whole * unit));
            let blocks = whole * unit / recipe.block().columns;
            let (scales, last_scales) = target.scales.split_at_mut(blocks * recipe.scale_bytes());
            rows(&first, options.threads(), Target { data, scales }, options);
            let options = Options { first: options.first + whole * unit, ..*options };
            rows(&last, 1, Target { data: last_data, scales: last_scales }, &options);
        }
    }
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

struct Quantizer<'q> {
    recipe: &'q Recipe,
    matrix: &'q Matrix<'q>,
    chosen: &'q Chosen,
    cut: Cut,
    options: &'q Options,
    globals: &'q [f32],
    /// Whether elements are written with non-temporal stores.
    stream: bool,
    found: &'q Mutex<NonFinite>,
}

/// The buffers of a thread.
struct Room {
    scratch: Scratch,
    /// The largest magnitude of each block, in the bits of the input's type.
    most: Vec<u32>,
    codes: Vec<u8>,
    found: NonFinite,
}

impl Quantizer<'_> {
    /// Quantises some bands into the target.
    fn bands(&self, bands: Range<usize>, target: Target<'_>) {
        let (cut, machine) = (self.cut, &self.chosen.machine);
        if bands.is_empty() || cut.shape.1 == 0 {
            return;
        }
        let (first, end) = (bands.start, bands.end);
        let piece = rows::piece(cut.block.1).min(cut.columns);
        let mut scratch = machine.scratch(cut.blocks(), piece);
        let row_scaled = self.recipe.is_row_scaled();
        if !row_scaled {
            self.run_tensor(0, &mut scratch);
        }
        let mut room = Room {
            scratch,
            most: vec![0; cut.blocks()],
            codes: vec![0; 2 * piece + 8],
            found: NonFinite::default(),
        };
        let row_bytes = self.recipe.row_bytes(cut.shape.1);
        let scale_row = self.recipe.scale_shape(1, cut.shape.1).1;
        let mut tile = Tile::new(self.matrix);
        let together = if tile.copies() { TOGETHER.div_ceil(cut.block.0) } else { 1 };
        for group in (first..end).step_by(together) {
            let last = end.min(group + together);
            for (start, columns) in cut.chunks() {
                tile.go((cut.rows(group).start, cut.rows(last - 1).end), (start, columns));
                for band in group..last {
                    if row_scaled {
                        self.run_tensor(band, &mut room.scratch);
                    }
                    self.scales(&tile, band, (start, columns), &mut room);
                    let at = (band - first) * scale_row + start / cut.block.1;
                    self.store_scales(&room.scratch, columns.div_ceil(cut.block.1), at, target.scales);
                    // The next data are this band's next chunk, or the next band's first.
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
            ptxcvt_bulk::fence();
        }
        machine.keep(room.scratch);
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) += room.found;
    }

    /// Runs the lines of the tensor, with the global scale of a row.
    fn run_tensor(&self, row: usize, scratch: &mut Scratch) {
        if let Some(register) = self.chosen.global {
            scratch.lanes[register].fill(f32::from_bits(self.recipe.global_of(self.globals, row)));
        }
        self.chosen.machine.run_tensor(scratch);
    }

    /// Computes the largest magnitudes of a chunk's blocks, and runs the lines of the block.
    fn scales(&self, tile: &Tile<'_>, band: usize, (start, columns): (usize, usize), room: &mut Room) {
        let (width, rows) = (self.cut.block.1, self.cut.rows(band));
        let machine = &self.chosen.machine;
        let Room { scratch, most, found, .. } = room;
        let blocks = columns.div_ceil(width);
        most[..blocks].fill(0);
        for row in rows.clone() {
            tile.row(row).amax(width, most);
        }
        let amax = &mut scratch.lanes[given::AMAX][..blocks];
        kernels::widen_bits(self.matrix.input(), &most[..blocks], amax);
        for (block, most) in amax.iter_mut().enumerate().filter(|(_, most)| !most.is_finite()) {
            let within = block * width..columns.min((block + 1) * width);
            for row in rows.clone() {
                let at = self.options.first + row * self.cut.shape.1 + start;
                within.clone().for_each(|i| found.add(tile.row(row).get(i), (at + i) as u64));
            }
            if !most.is_nan() {
                continue;
            }
            // Compared as bits, NaN is above all numbers; here the recipe's rule applies.
            *most = match self.recipe.amax_nan() {
                AmaxNan::Propagates => f32::from_bits(NAN),
                AmaxNan::Ignored => {
                    let numbers = rows.clone().flat_map(|row| {
                        let row = tile.row(row);
                        within.clone().map(move |i| f32::from_bits(row.get(i)))
                    });
                    numbers.fold(0.0, |m: f32, x| m.max(x.abs()))
                }
            };
        }
        machine.run_block(width, scratch, || rows.clone().map(|row| tile.row(row)).collect());
    }

    fn store_scales(&self, scratch: &Scratch, blocks: usize, first: usize, scales: &mut [u8]) {
        let s = self.chosen.scale;
        match self.recipe.scale_bytes() {
            0 => {}
            1 => scales[first..first + blocks].copy_from_slice(&scratch.codes[s][..blocks]),
            n => {
                let bytes = &mut scales[n * first..n * (first + blocks)];
                kernels::store_f32(&scratch.lanes[s][..blocks], bytes);
            }
        }
    }

    /// Converts the elements of a piece; `at` is the index of the first one in the array.
    fn store_elements(&self, piece: Row<'_>, at: usize, room: &mut Room, out: &mut [u8]) {
        let (layout, storage) = (self.recipe.layout(), self.recipe.element().storage());
        let Chosen { machine, coder, scale, .. } = self.chosen;
        let Room { scratch, codes, .. } = room;
        let (width, n) = (self.cut.block.1, piece.len());
        let numbers = machine.run_elements(piece, width, scratch);
        match coder {
            Coder::Convert(plan) => {
                let lanes = plan.form().lanes() as usize;
                let seed = self.options.seed;
                let random = seed.map(|seed| Column::Random { seed, first: (at / lanes) as u64 });
                if layout == Layout::Rows && !self.stream {
                    return coder.codes(numbers, random, out);
                }
                if layout == Layout::Rows {
                    let codes = &mut codes[..out.len()];
                    coder.codes(numbers, random, codes);
                    return ptxcvt_bulk::copy_streamed(codes, out);
                }
                let (codes, packed) = codes.split_at_mut(n);
                let packed = &mut packed[..(n * storage as usize).div_ceil(8)];
                coder.codes(numbers, random, packed);
                kernels::load_row(Layout::Rows, storage, packed, codes, &mut []);
            }
            Coder::Nearest(..) | Coder::Integer => coder.codes(numbers, None, &mut codes[..n]),
        }
        let blocks = piece.block(width)..piece.block(width) + n.div_ceil(width);
        let scales: &[u8] = if layout.group().is_some() { &scratch.codes[*scale][blocks] } else { &[] };
        kernels::store_row(layout, storage, &codes[..n], scales, out);
    }
}
