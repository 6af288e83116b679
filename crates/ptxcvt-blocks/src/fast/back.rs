//! Dequantising: codes to numbers by the bulk engine, times what the recipe says.

use std::sync::Arc;

use ptxcvt::bulk::{Plan, Stores};

use super::machine::{Machine, Scratch, decode, decoder, run, table};
use super::rows::{self, Row};
use super::scale::Numbers;
use super::{Cut, Target, kernels, share, streams};
use crate::input::Input;
use crate::recipe::{Layout, Recipe, given};

/// A quantised matrix, checked.
#[derive(Clone, Copy)]
pub(crate) struct Source<'s> {
    pub data: &'s [u8],
    pub scales: &'s [u8],
    pub global: u32,
    pub shape: (usize, usize),
}

/// What is chosen once for a recipe and a type of numbers.
struct Decoder {
    machine: Machine,
    /// Elements to bf16.
    elements: Option<Plan>,
    /// The same where the factors of blocks are all that comes to them.
    scaled: Numbers,
    /// Scales to bf16, where there is such a form; else the numbers of their codes.
    scales: Result<Plan, Box<[f32; 256]>>,
    /// f32 to the output's type.
    narrow: Option<Plan>,
}

impl Decoder {
    fn new(recipe: &Recipe, output: Input) -> Decoder {
        let opcode = match output {
            Input::F32 => None,
            Input::Bf16 => Some("cvt.rn.bf16.f32"),
            Input::F16 => Some("cvt.rn.f16.f32"),
        };
        Decoder {
            machine: Machine::new(&recipe.dequantize, Input::F32, "v"),
            elements: decoder(recipe.element()),
            scaled: Numbers::new(recipe.element()),
            scales: decoder(recipe.scale())
                .filter(|_| recipe.scale().storage() == 8)
                .ok_or_else(|| table(recipe.scale())),
            narrow: opcode.and_then(|opcode| opcode.parse().ok()).map(Plan::new),
        }
    }
}

/// Dequantises into rows of `output` numbers, little-endian.
pub(crate) fn dequantize(
    recipe: &Recipe,
    source: Source<'_>,
    output: Input,
    (threads, stores): (usize, Stores),
    data: &mut [u8],
) {
    let stream = streams(stores, data.len());
    // After the places of the quantising programs.
    let place = 3 + output as usize;
    let decoder: Arc<Decoder> = recipe.made(place, || Arc::new(Decoder::new(recipe, output)));
    let block = recipe.block();
    let (rows, columns) = source.shape;
    let run = |source: Source<'_>, threads, data: &mut [u8]| {
        let cut = Cut::new(recipe, source.shape, 1);
        let work = Dequantizer { recipe, source, decoder: &decoder, cut, output, stream };
        let band_bytes = cut.block.0 * source.shape.1 * output.bytes();
        share(
            cut.bands(),
            threads,
            Target { data, scales: &mut [] },
            (band_bytes, 0),
            |first, end, target| {
                work.bands(first, end, target.data);
            },
        );
    };
    if block.rows != 1 || columns % block.columns != 0 {
        return run(source, threads, data);
    }
    // Whole blocks of one row in order: rows of any length are as good.
    let unit = rows::piece(block.columns) * (super::ROW / rows::PIECE);
    let whole = rows * columns / unit;
    let split = whole * unit;
    let (codes, last_codes) = source.data.split_at(recipe.row_bytes(split));
    let (scales, last_scales) = source.scales.split_at(split / block.columns * recipe.scale_bytes());
    let (data, last_data) = data.split_at_mut(split * output.bytes());
    run(Source { data: codes, scales, shape: (whole, unit), ..source }, threads, data);
    let last = Source { data: last_codes, scales: last_scales, shape: (1, rows * columns - split), ..source };
    run(last, 1, last_data);
}

struct Dequantizer<'q> {
    recipe: &'q Recipe,
    source: Source<'q>,
    decoder: &'q Decoder,
    cut: Cut,
    output: Input,
    stream: bool,
}

impl Dequantizer<'_> {
    fn bands(&self, first: usize, end: usize, out: &mut [u8]) {
        if first == end || self.cut.shape.1 == 0 {
            return;
        }
        let (cut, recipe, machine) = (self.cut, self.recipe, &self.decoder.machine);
        let (width, columns) = (cut.block.1, cut.shape.1);
        let piece = rows::piece(width).min(cut.columns);
        let mut scratch = machine.scratch(cut.blocks(), piece);
        scratch.lanes[given::G].fill(f32::from_bits(self.source.global));
        machine.run_tensor(false, &mut scratch);
        let mut room = Room {
            codes: vec![0; 2 * piece],
            scales: vec![0; cut.blocks()],
            scale_words: vec![0; 2 * cut.blocks()],
            words: vec![0; 2 * piece],
            made: vec![0; 4 * piece],
        };
        let (row_bytes, number) = (recipe.row_bytes(columns), self.output.bytes());
        let inline = recipe.layout().group().is_some();
        for band in first..end {
            for (start, chunk) in cut.chunks() {
                if !inline {
                    self.load_scales(band, start, chunk, &mut room.scale_words, &mut scratch);
                    machine.run_block(width, &mut scratch, Vec::new);
                }
                for row in cut.rows(band) {
                    let bytes = &self.source.data[row * row_bytes..(row + 1) * row_bytes];
                    let out = &mut out[(row - first * cut.block.0) * columns * number..];
                    let done = self.scaled(bytes, start, chunk, &scratch, out);
                    for column in (start + done..start + chunk).step_by(piece) {
                        let n = piece.min(start + chunk - column);
                        let bytes = &bytes[recipe.row_bytes(column)..recipe.row_bytes(column + n)];
                        self.decode(bytes, n, &mut room, &mut scratch);
                        // In GGUF the scales are the piece's.
                        let at = if inline { 0 } else { column - start };
                        let words = Row::at(Input::Bf16, &room.words[..2 * n], at);
                        let out = &mut out[column * number..(column + n) * number];
                        if self.stream {
                            let made = &mut room.made[..out.len()];
                            self.numbers(words, &mut scratch, made);
                            kernels::stream(made, out);
                        } else {
                            self.numbers(words, &mut scratch, out);
                        }
                    }
                }
            }
        }
        if self.stream {
            kernels::fence();
        }
        machine.keep(scratch);
    }

    /// As many elements of a chunk of a row as the kernels for bf16 take, in one pass; none where there is more to do than
    /// to multiply.
    fn scaled(&self, bytes: &[u8], start: usize, n: usize, scratch: &Scratch, out: &mut [u8]) -> usize {
        let (recipe, machine) = (self.recipe, &self.decoder.machine);
        let plain =
            self.output == Input::Bf16 && recipe.layout() == Layout::Rows && cfg!(target_endian = "little");
        let (true, Some(factor)) = (plain, machine.factor()) else { return 0 };
        let width = self.cut.block.1;
        let codes = &bytes[recipe.row_bytes(start)..recipe.row_bytes(start + n)];
        let done = self.decoder.scaled.scale(
            codes,
            &scratch.lanes[factor][..n.div_ceil(width)],
            width,
            self.stream,
            &mut out[2 * start..2 * (start + n)],
        );
        // What is left begins with a block.
        done / width * width
    }

    /// What decoded elements stand for, in the output's type.
    fn numbers(&self, words: Row<'_>, scratch: &mut Scratch, out: &mut [u8]) {
        let (width, machine) = (self.cut.block.1, &self.decoder.machine);
        let rounds = width % kernels::ROUND == 0 && words.len() % width == 0;
        if let (Input::Bf16, true, Some(factor)) = (self.output, rounds, machine.factor()) {
            let factors = &scratch.lanes[factor][words.block(width)..];
            return kernels::scale_bf16(words.bytes(), factors, width, out);
        }
        let v = machine.run_result(words, width, scratch);
        match &self.decoder.narrow {
            None => kernels::store_f32(v, out),
            Some(plan) => run(plan, v, None, out),
        }
    }

    /// The scales of a chunk into the register `s`.
    fn load_scales(&self, band: usize, start: usize, n: usize, words: &mut [u8], scratch: &mut Scratch) {
        let scale_columns = self.recipe.scale_shape(1, self.source.shape.1).1;
        let blocks = n.div_ceil(self.cut.block.1);
        let first = band * scale_columns + start / self.cut.block.1;
        let bytes = self.recipe.scale_bytes();
        let source = &self.source.scales[first * bytes..(first + blocks) * bytes];
        if bytes == 1 {
            self.set_scales(source, words, scratch);
        } else {
            kernels::load_f32(source, &mut scratch.lanes[given::S]);
        }
    }

    fn set_scales(&self, codes: &[u8], words: &mut [u8], scratch: &mut Scratch) {
        scratch.codes[given::S][..codes.len()].copy_from_slice(codes);
        let lanes = &mut scratch.lanes[given::S];
        match &self.decoder.scales {
            Ok(plan) => {
                let words = &mut words[..2 * codes.len()];
                decode(plan, codes, words);
                kernels::widen_bf16(words, lanes);
            }
            Err(numbers) => {
                codes.iter().zip(lanes).for_each(|(code, s)| *s = numbers[usize::from(*code)]);
            }
        }
    }

    /// The numbers that the codes of a piece stand for, without scale; in GGUF the scales, too.
    fn decode(&self, bytes: &[u8], n: usize, room: &mut Room, scratch: &mut Scratch) {
        let (layout, element) = (self.recipe.layout(), self.recipe.element());
        let Some(plan) = &self.decoder.elements else { return };
        let Room { codes, scales, scale_words, words, .. } = room;
        let words = &mut words[..2 * n];
        if layout == Layout::Rows || element.storage() == 8 {
            return decode(plan, bytes, words);
        }
        let (codes, pairs) = codes.split_at_mut(n);
        let width = self.cut.block.1;
        let inline = layout.group().is_some();
        let blocks = if inline { n.div_ceil(width) } else { 0 };
        kernels::load_row(layout, element.storage(), bytes, codes, &mut scales[..blocks]);
        let pairs = &mut pairs[..n / 2];
        kernels::store_row(Layout::Rows, element.storage(), codes, &[], pairs);
        decode(plan, pairs, words);
        if inline {
            self.set_scales(&scales[..blocks], scale_words, scratch);
            self.decoder.machine.run_block(width, scratch, Vec::new);
        }
    }
}

/// What a thread works in.
struct Room {
    codes: Vec<u8>,
    scales: Vec<u8>,
    /// The scales as bf16.
    scale_words: Vec<u8>,
    words: Vec<u8>,
    /// What is streamed from here.
    made: Vec<u8>,
}
