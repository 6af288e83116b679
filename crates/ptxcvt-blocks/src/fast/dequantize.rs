//! Dequantising: codes to numbers by the bulk engine, then the recipe's lines.

use std::ops::Range;
use std::sync::Arc;

use ptxcvt_bulk::Plan;

use super::codec::{Words, convert};
use super::cut::{Cut, ROW, share};
use super::kernels;
use super::machine::{Direction, Machine, Scratch, form};
use super::rows::{self, Row};
use super::scale::Products;
use crate::input::Input;
use crate::options::Options;
use crate::recipe::{Layout, Operand, Recipe, given};

/// A quantised matrix with checked lengths.
#[derive(Clone, Copy)]
pub(crate) struct Source<'s> {
    pub data: &'s [u8],
    pub scales: &'s [u8],
    /// The global scales: one for the matrix, one for each row, or none.
    pub global: &'s [f32],
    pub shape: (usize, usize),
}

/// The kernels and tables for a recipe and an output type.
struct Chosen {
    machine: Machine,
    /// Elements to bf16.
    elements: Words,
    /// Elements times their block's factor, in one pass.
    products: Products,
    /// Scales of one byte to bf16.
    scales: Option<Words>,
    /// f32 to the output's type.
    narrow: Option<Plan>,
}

impl Chosen {
    fn new(recipe: &Recipe, output: Input) -> Chosen {
        let opcode = match output {
            Input::F32 => None,
            Input::Bf16 => Some("cvt.rn.bf16.f32"),
            Input::F16 => Some("cvt.rn.f16.f32"),
        };
        let program = &recipe.dequantize;
        let v = Operand::Register(program.result("v"));
        Chosen {
            machine: Machine::new(program, Direction::Dequantize, Input::F32, v),
            elements: Words::new(recipe.element()),
            products: Products::new(recipe.element()),
            scales: (recipe.scale().storage() == 8).then(|| Words::new(recipe.scale())),
            narrow: opcode.map(|opcode| Plan::new(form(opcode))),
        }
    }
}

/// Dequantises into rows of `output` numbers, little-endian.
pub(crate) fn dequantize(
    recipe: &Recipe,
    source: Source<'_>,
    output: Input,
    options: &Options,
    data: &mut [u8],
) {
    let stream = options.stores.are_streamed(source.data.len() + data.len());
    let chosen: Arc<Chosen> = recipe.made((1, output as u8), || Arc::new(Chosen::new(recipe, output)));
    let block = recipe.block();
    let (rows, columns) = source.shape;
    let run = |source: Source<'_>, threads, data: &mut [u8]| {
        let cut = Cut::new(recipe, source.shape, 1);
        let work = Dequantizer { recipe, source, chosen: &chosen, cut, output, stream };
        let band_bytes = cut.block.0 * source.shape.1 * output.bytes();
        share(cut.bands(), threads, [data, &mut []], [band_bytes, 0], |bands, [data, _]| {
            work.bands(bands, data);
        });
    };
    if block.rows != 1 || columns % block.columns != 0 || recipe.is_row_scaled() {
        return run(source, options.threads(), data);
    }
    // Whole blocks of one row are stored in order, so the matrix may be split into rows of any length.
    let unit = rows::piece(block.columns) * (ROW / rows::PIECE);
    let whole = rows * columns / unit;
    let split = whole * unit;
    let (codes, last_codes) = source.data.split_at(recipe.row_bytes(split));
    let (scales, last_scales) = source.scales.split_at(split / block.columns * recipe.scale_bytes());
    let (data, last_data) = data.split_at_mut(split * output.bytes());
    run(Source { data: codes, scales, shape: (whole, unit), ..source }, options.threads(), data);
    let last = Source { data: last_codes, scales: last_scales, shape: (1, rows * columns - split), ..source };
    run(last, 1, last_data);
}

struct Dequantizer<'q> {
    recipe: &'q Recipe,
    source: Source<'q>,
    chosen: &'q Chosen,
    cut: Cut,
    output: Input,
    /// Whether numbers are written with non-temporal stores.
    stream: bool,
}

/// The buffers of a thread.
struct Room {
    codes: Vec<u8>,
    scales: Vec<u8>,
    /// The scales as bf16.
    scale_words: Vec<u8>,
    words: Vec<u8>,
    /// Numbers before they are written with non-temporal stores.
    made: Vec<u8>,
}

impl Dequantizer<'_> {
    fn bands(&self, bands: Range<usize>, out: &mut [u8]) {
        let (cut, recipe, machine) = (self.cut, self.recipe, &self.chosen.machine);
        if bands.is_empty() || cut.shape.1 == 0 {
            return;
        }
        let (width, columns) = (cut.block.1, cut.shape.1);
        let piece = rows::piece(width).min(cut.columns);
        let mut scratch = machine.scratch(cut.blocks(), piece);
        let row_scaled = recipe.is_row_scaled();
        if !row_scaled {
            self.run_tensor(0, &mut scratch);
        }
        let mut room = Room {
            codes: vec![0; 2 * piece],
            scales: vec![0; cut.blocks()],
            scale_words: vec![0; 2 * cut.blocks()],
            words: vec![0; 2 * piece],
            made: vec![0; 4 * piece],
        };
        let (row_bytes, number) = (recipe.row_bytes(columns), self.output.bytes());
        let inline = recipe.layout().group().is_some();
        for band in bands.clone() {
            if row_scaled {
                self.run_tensor(band, &mut scratch);
            }
            for (start, chunk) in cut.chunks() {
                if !inline {
                    self.load_scales(band, start, chunk, &mut room.scale_words, &mut scratch);
                    machine.run_block(width, &mut scratch, no_rows);
                }
                for row in cut.rows(band) {
                    let bytes = &self.source.data[row * row_bytes..(row + 1) * row_bytes];
                    let out = &mut out[(row - bands.start * cut.block.0) * columns * number..];
                    let done = self.products(bytes, start, chunk, &scratch, out);
                    for column in (start + done..start + chunk).step_by(piece) {
                        let n = piece.min(start + chunk - column);
                        let bytes = &bytes[recipe.row_bytes(column)..recipe.row_bytes(column + n)];
                        self.decode(bytes, n, &mut room, &mut scratch);
                        // GGUF stores the scales among the elements, so those of the piece were just read.
                        let at = if inline { 0 } else { column - start };
                        let words = Row::at(Input::Bf16, &room.words[..2 * n], at);
                        let out = &mut out[column * number..(column + n) * number];
                        if self.stream {
                            let made = &mut room.made[..out.len()];
                            self.numbers(words, &mut scratch, made);
                            ptxcvt_bulk::copy_streamed(made, out);
                        } else {
                            self.numbers(words, &mut scratch, out);
                        }
                    }
                }
            }
        }
        if self.stream {
            ptxcvt_bulk::fence();
        }
        machine.keep(scratch);
    }

    /// Runs the lines of the tensor, with the global scale of a row.
    fn run_tensor(&self, row: usize, scratch: &mut Scratch) {
        let global = self.recipe.global_of(self.source.global, row);
        scratch.lanes[given::G].fill(f32::from_bits(global));
        self.chosen.machine.run_tensor(scratch);
    }

    /// Dequantises the elements of a chunk of a row that the bf16 kernels can process, in one pass. Returns
    /// their number, which is 0 if the recipe does more than multiply.
    fn products(&self, bytes: &[u8], start: usize, n: usize, scratch: &Scratch, out: &mut [u8]) -> usize {
        let (recipe, machine) = (self.recipe, &self.chosen.machine);
        let plain =
            self.output == Input::Bf16 && recipe.layout() == Layout::Rows && cfg!(target_endian = "little");
        let (true, Some(factor)) = (plain, machine.factor()) else { return 0 };
        let width = self.cut.block.1;
        let codes = &bytes[recipe.row_bytes(start)..recipe.row_bytes(start + n)];
        let done = self.chosen.products.run(
            codes,
            &scratch.lanes[factor][..n.div_ceil(width)],
            width,
            self.stream,
            &mut out[2 * start..2 * (start + n)],
        );
        // The rest starts at a block.
        done / width * width
    }

    /// Converts decoded elements to numbers of the output's type.
    fn numbers(&self, words: Row<'_>, scratch: &mut Scratch, out: &mut [u8]) {
        let (width, machine) = (self.cut.block.1, &self.chosen.machine);
        let rounds = width % kernels::ROUND == 0 && words.len() % width == 0;
        if let (Input::Bf16, true, Some(factor)) = (self.output, rounds, machine.factor()) {
            let factors = &scratch.lanes[factor][words.block(width)..];
            return kernels::scale_bf16(words.bytes(), factors, width, out);
        }
        let v = machine.run_elements(words, width, scratch);
        match &self.chosen.narrow {
            None => kernels::store_f32(v, out),
            Some(plan) => convert(plan, v.into(), None, out),
        }
    }

    /// Loads the scales of a chunk into the register `s`.
    fn load_scales(&self, band: usize, start: usize, n: usize, words: &mut [u8], scratch: &mut Scratch) {
        let scale_columns = self.recipe.scale_shape(1, self.source.shape.1).1;
        let blocks = n.div_ceil(self.cut.block.1);
        let first = band * scale_columns + start / self.cut.block.1;
        let bytes = self.recipe.scale_bytes();
        let source = &self.source.scales[first * bytes..(first + blocks) * bytes];
        if bytes == 1 {
            self.set_scales(source, words, scratch);
        } else {
            kernels::load_f32(source, &mut scratch.lanes[given::S][..blocks]);
        }
    }

    fn set_scales(&self, codes: &[u8], words: &mut [u8], scratch: &mut Scratch) {
        let scales = self.chosen.scales.as_ref().expect("scales are bytes");
        let words = &mut words[..2 * codes.len()];
        scales.decode(codes, words);
        scratch.codes[given::S][..codes.len()].copy_from_slice(codes);
        kernels::widen_bf16(words, &mut scratch.lanes[given::S][..codes.len()]);
    }

    /// Decodes the codes of a piece to bf16, without scale; for GGUF it also loads the scales.
    fn decode(&self, bytes: &[u8], n: usize, room: &mut Room, scratch: &mut Scratch) {
        let (layout, storage) = (self.recipe.layout(), self.recipe.element().storage());
        let machine = &self.chosen.machine;
        let Room { codes, scales, scale_words, words, .. } = room;
        let words = &mut words[..2 * n];
        if layout == Layout::Rows || (storage == 8 && layout != Layout::Packed) {
            return self.chosen.elements.decode(bytes, words);
        }
        let (codes, pairs) = codes.split_at_mut(n);
        let width = self.cut.block.1;
        let inline = layout.group().is_some();
        let blocks = if inline { n.div_ceil(width) } else { 0 };
        kernels::load_row(layout, storage, bytes, codes, &mut scales[..blocks]);
        let pairs = &mut pairs[..(n * storage as usize).div_ceil(8)];
        kernels::store_row(Layout::Rows, storage, codes, &[], pairs);
        self.chosen.elements.decode(pairs, words);
        if inline {
            self.set_scales(&scales[..blocks], scale_words, scratch);
            machine.run_block(width, scratch, no_rows);
        }
    }
}

/// Never called: a program that dequantises has no sums, which alone need rows.
fn no_rows() -> Vec<Row<'static>> {
    unreachable!("checked recipes have no sum in the dequantising lines")
}
