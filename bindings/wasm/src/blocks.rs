//! Numbers quantised with a recipe, step by step.

use ptxcvt::literal::{Reader, hex};
use ptxcvt::{Format, clip, counted, decimal};
use ptxcvt_blocks::{
    Loss, Losses, Matrix, Options, Recipe, Step, dequantize_reference, quantize_reference, work_block,
};
use ptxcvt_report::quantize::StepReport;
use ptxcvt_report::reading;
use ptxcvt_report::recipes::RecipeReport;
use serde::Serialize;

/// Numbers and their blocks, one of which is computed step by step.
#[derive(Default, Serialize)]
pub struct Answer {
    error: Option<String>,
    /// Numbers that are others as f32, such as 1e999, which is infinity: the first few, and how many more there are.
    notes: Vec<String>,
    recipe: Option<RecipeReport>,
    /// The seed of the random bits, for a recipe that uses them.
    seed: Option<u64>,
    /// How many rows the numbers have: more than one only if brackets make rows of them.
    rows: usize,
    /// How many zeros fill up blocks.
    padded: usize,
    /// How many of the numbers are shown: at most [`MOST`].
    given: usize,
    global: Option<StepReport>,
    tensor: Vec<StepReport>,
    /// The scale of each block.
    scales: Vec<StepReport>,
    at: usize,
    amax: Option<StepReport>,
    steps: Vec<StepReport>,
    /// The steps of the chosen element.
    element_steps: Vec<StepReport>,
    elements: Vec<ElementReport>,
    /// The mean of the squares of the errors, as `ptxcvt quantize` prints it; `None` if it is undefined.
    mean_square_error: Option<f64>,
}

#[derive(Serialize)]
struct ElementReport {
    /// The index of its block's scale.
    block: usize,
    x: String,
    code: String,
    back: String,
    /// The dequantised number minus the original one; `None` unless both are finite.
    error: Option<f64>,
    /// True if a number came back as NaN or infinity.
    lost: bool,
}

/// The seed of a recipe that uses random bits.
const SEED: u64 = 0;

/// The most numbers that are shown.
const MOST: usize = 1024;

/// Quantises `numbers` with a recipe, and computes element `at` and its block step by step.
pub fn answer(recipe: &str, numbers: &str, at: usize) -> Answer {
    work(recipe, numbers, at).unwrap_or_else(|error| Answer { error: Some(error), ..Answer::default() })
}

fn work(name: &str, numbers: &str, at: usize) -> Result<Answer, String> {
    let recipe = Recipe::named(name).map_err(|e| e.to_string())?;
    let Numbers { mut all, columns: line, rows: together, notes } = read(numbers)?;
    let given = all.len();
    let matrices = line.map_or(1, |line| given / line / together);
    if matrices > 1 && together % recipe.block().rows != 0 {
        return Err(format!(
            "blocks of {name} do not cross from one matrix to the next: give one of the {matrices}"
        ));
    }
    // Of rows, whole ones are shown, or the beginning of the first one.
    let line = line.map(|line| line.min(MOST));
    all.truncate(line.map_or(MOST, |line| MOST / line * line));
    let shown = all.len();
    let (rows, columns) = match line {
        Some(line) => recipe.fitting_rows(shown / line, line),
        None => recipe.fitting_shape(shown),
    };
    // Where a number is in the matrix, in which zeros may follow each row.
    let index = |at: usize| line.map_or(at, |line| at / line * columns + at % line);
    let mut numbers = vec![0.0; rows * columns];
    all.iter().enumerate().for_each(|(at, x)| numbers[index(at)] = *x);
    let matrix = Matrix::f32(&numbers, rows, columns).map_err(|e| e.to_string())?;
    let seed = recipe.is_random().then_some(SEED);
    let options = Options { seed, threads: 1, ..Options::default() };
    let quantized = quantize_reference(&recipe, &matrix, &options).map_err(|e| e.to_string())?;
    let back = dequantize_reference(&recipe, &quantized).map_err(|e| e.to_string())?;
    let (scale_rows, scale_columns) = recipe.scale_shape(rows, columns);
    let worked = (0..scale_rows * scale_columns)
        .map(|n| work_block(&recipe, &matrix, (n / scale_columns, n % scale_columns), &options))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| e.to_string())?;
    // The number of an element's block, and its index in the block.
    let place = |at: usize| {
        let ((row, column), within) = recipe.place(columns, (at / columns, at % columns));
        (row * scale_columns + column, within)
    };
    let element = |at: usize| {
        let at = index(at);
        let (x, (block, within)) = (numbers[at], place(at));
        let loss = Loss::of(x.into(), back[at].into());
        ElementReport {
            block,
            x: decimal(x).to_string(),
            code: hex(worked[block].codes[within].into(), recipe.element().storage()),
            back: decimal(back[at]).to_string(),
            error: match loss {
                Loss::Error(error) => Some(error),
                Loss::Lost | Loss::Undefined => None,
            },
            lost: loss == Loss::Lost,
        }
    };
    let mut losses = Losses::default();
    all.iter().enumerate().for_each(|(at, x)| losses.add((*x).into(), back[index(at)].into()));
    let (chosen, within) = place(index(at.min(shown - 1)));
    let reports = |steps: &[Step]| steps.iter().map(StepReport::new).collect::<Vec<_>>();
    Ok(Answer {
        error: None,
        notes,
        recipe: Some(RecipeReport::new(&recipe)),
        seed,
        rows: line.map_or(1, |line| shown / line),
        padded: numbers.len() - shown,
        given,
        global: worked[chosen].global.map(|bits| StepReport::named("G", bits, Format::F32)),
        tensor: reports(&worked[chosen].tensor),
        scales: worked.iter().map(|b| StepReport::named("s", b.scale, recipe.scale())).collect(),
        at: chosen,
        amax: Some(StepReport::named("amax", worked[chosen].amax, Format::F32)),
        steps: reports(&worked[chosen].block),
        element_steps: reports(&worked[chosen].elements[within]),
        elements: (0..shown).map(element).collect(),
        mean_square_error: losses.errors().map(|errors| errors.mean_square),
    })
}

/// The most notes about single numbers.
const MOST_NOTES: usize = 3;

/// Numbers that were pasted.
struct Numbers {
    all: Vec<f32>,
    /// The length of each row, if brackets make rows.
    columns: Option<usize>,
    /// The number of rows in each matrix.
    rows: usize,
    /// About numbers that were changed when they were read.
    notes: Vec<String>,
}

/// Parses pasted numbers: separated by spaces, commas or brackets, or as NumPy and PyTorch print arrays. Nested brackets
/// make rows, line breaks do not.
fn read(numbers: &str) -> Result<Numbers, String> {
    let separates = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '[' | ']' | '{' | '}' | '(' | ')');
    // `tensor(…, dtype=torch.float32)`
    let frames = |word: &str| {
        let name = word.rsplit('.').next().unwrap_or_default();
        matches!(name, "array" | "tensor" | "float32" | "float64") || word.contains('=')
    };
    let (mut all, mut notes, mut changed) = (Vec::new(), Vec::new(), 0);
    // The lengths of innermost brackets, the first number after the last bracket, and how deep brackets are nested.
    let (mut rows, mut first, mut depth, mut deepest) = (Vec::new(), 0, 0_usize, 0);
    // The numbers of rows in the brackets around innermost ones.
    let mut matrices = Vec::new();
    for piece in numbers.split_inclusive(separates) {
        let word = piece.trim_end_matches(separates);
        if !word.is_empty() && !frames(word) {
            let read = Reader::number(Format::F32).read(word);
            let read = read.map_err(|error| format!("`{}`: {error}", clip(word)))?;
            if let Some(note) = reading::note(Some((Format::F32, ".f32".to_owned())), word, &read) {
                changed += 1;
                if notes.len() < MOST_NOTES {
                    notes.push(format!("`{}` {note}", clip(word)));
                }
            }
            all.push(f32::from_bits(read.bits as u32));
        }
        match piece.chars().next_back() {
            Some('[' | '{') => {
                first = all.len();
                depth += 1;
                deepest = deepest.max(depth);
            }
            Some(']' | '}') => {
                if all.len() > first {
                    rows.push(all.len() - first);
                }
                first = all.len();
                let new = rows.len() - matrices.iter().sum::<usize>();
                if depth + 1 == deepest && new > 0 {
                    matrices.push(new);
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
    }
    if all.is_empty() {
        return Err("give a few numbers".to_owned());
    }
    if changed > notes.len() {
        notes.push(format!("{} changed likewise", counted(changed - notes.len(), "other number")));
    }
    let is_matrix = deepest > 1 && !rows.is_empty() || rows.len() > 1;
    if is_matrix && (rows.iter().sum::<usize>() != all.len() || rows.iter().any(|row| *row != rows[0])) {
        return Err("the rows in brackets have different lengths".to_owned());
    }
    let together = matrices.first().copied().unwrap_or(rows.len());
    if is_matrix && (matrices.iter().any(|one| *one != together) || rows.len() % together != 0) {
        return Err("the matrices in brackets have different numbers of rows".to_owned());
    }
    Ok(Numbers { columns: is_matrix.then(|| rows[0]), rows: together, all, notes })
}

#[cfg(test)]
mod tests {
    use ptxcvt_blocks::{Matrix, Options, Recipe, quantize_reference};

    use super::{answer, read as read_all};

    fn read(numbers: &str) -> Result<Vec<f32>, String> {
        read_all(numbers).map(|read| read.all)
    }

    #[test]
    fn pasted_arrays_are_read() {
        for text in [
            "1.5 -2",
            "[1.5, -2]",
            "{1.5f, -2.f}",
            "tensor([1.5, -2.], dtype=torch.float32, device='cuda:0')",
        ] {
            assert_eq!(read(text).unwrap(), [1.5, -2.0], "{text}");
        }
        // A leading zero makes a number octal, as everywhere, and a note says so.
        let octal = read_all("1 010").unwrap();
        assert_eq!(
            (octal.all, octal.notes),
            (vec![1.0, 8.0], vec!["`010` is octal because of its leading zero, as in PTX".to_owned()])
        );
        assert_eq!(read("array([[1.5],\n       [-2. ]], dtype=float32)").unwrap(), [1.5, -2.0]);
        assert_eq!(read("[np.float32(1.5), np.float64(-2.0)]").unwrap(), [1.5, -2.0]);
        assert!(read("1 ... 2").is_err() && read("1/3").is_err() && read("array").is_err());
        assert!(read("1.5ff").is_err() && read("0b1f").is_err() && read("1f").is_err());
        assert!(read("09").unwrap_err().starts_with("`09`: a leading zero makes the number octal"));
    }

    #[test]
    fn nested_brackets_make_rows() {
        let columns = |text: &str| read_all(text).map(|read| read.columns);
        for text in ["1 2\n3 4", "[1 2\n 3 4]", "tensor([1., 2.])", "[np.float32(1), np.float32(2)]"] {
            assert_eq!(columns(text), Ok(None), "{text}");
        }
        for text in [
            "[[1, 2]]",
            "[[1 2]\n [3 4]]",
            "[1 2]\n[3 4]",
            "{{1, 2}, {3, 4}}",
            "array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])",
        ] {
            assert_eq!(columns(text), Ok(Some(2)), "{text}");
        }
        for text in ["[[1, 2], [3]]", "[1, [2, 3], [4, 5]]"] {
            assert_eq!(
                columns(text),
                Err("the rows in brackets have different lengths".to_owned()),
                "{text}"
            );
        }
    }

    /// Rows have the codes and scales that the library gives the matrix, for every recipe that takes its shape.
    #[test]
    fn rows_stay_rows() {
        let rows: Vec<Vec<f32>> = (0..32)
            .map(|row| (0..32).map(|column| (1 << (row % 9)) as f32 * (column as f32 - 7.5)).collect())
            .collect();
        let (text, flat) = (format!("{rows:?}"), rows.concat());
        let mut tried = 0;
        for recipe in Recipe::all() {
            let matrix = Matrix::f32(&flat, 32, 32).unwrap();
            let options = Options { seed: recipe.is_random().then_some(0), ..Options::default() };
            let said = answer(recipe.name(), &text, 0);
            assert_eq!((said.error, said.rows, said.elements.len()), (None, 32, 1024), "{}", recipe.name());
            if let Ok(quantized) = quantize_reference(&recipe, &matrix, &options) {
                let back = ptxcvt_blocks::dequantize_reference(&recipe, &quantized).unwrap();
                let shown: Vec<String> = said.elements.into_iter().map(|element| element.back).collect();
                let expected: Vec<String> = back.iter().map(|x| ptxcvt::decimal(*x).to_string()).collect();
                assert_eq!(shown, expected, "{}", recipe.name());
                tried += 1;
            }
        }
        assert!(tried > 20, "{tried}");
        assert_eq!(answer("mx-rceil/e4m3", "[[1 2 3][4 5 6]]", 0).padded, 58);
        // One row does not fill several rows of a block.
        assert_eq!(answer("nvfp4-te-16x16", "[[1 2 3]]", 0).padded, 16 * 16 - 3);
        let long = answer("nvfp4-te-16x16", &format!("[[{}]]", "1 ".repeat(2000)), 0);
        assert_eq!((long.elements.len(), long.padded), (1024, 15 * 1024));
        // Brackets that do not match leave rows as they are.
        assert_eq!(answer("mx-rceil/e4m3", "[] ] [1 2] [3 4]", 0).rows, 2);
    }

    /// Blocks do not cross matrices.
    #[test]
    fn matrices_stay_matrices() {
        let matrix = |rows: usize| format!("[{}]", "[1 2 3] ".repeat(rows));
        let said = |recipe: &str, rows: [usize; 2]| {
            answer(recipe, &format!("[{}]", rows.map(matrix).join(", ")), 0).error.unwrap_or_default()
        };
        assert_eq!(said("mx-rceil/e4m3", [3, 3]), "");
        assert_eq!(said("nvfp4-te-16x16", [16, 16]), "");
        let cross = "blocks of nvfp4-te-16x16 do not cross from one matrix to the next: give one of the 2";
        assert_eq!(said("nvfp4-te-16x16", [8, 8]), cross);
        assert!(said("fp8-tensor", [8, 8]).ends_with("give one of the 2"));
        assert_eq!(said("mx-rceil/e4m3", [3, 4]), "the matrices in brackets have different numbers of rows");
    }

    /// Zeros fill up whatever a recipe needs: blocks, or groups that are stored together.
    #[test]
    fn any_count_of_numbers_is_quantised() {
        for recipe in ptxcvt_blocks::Recipe::all() {
            for count in [1, 2, 3, 17, 33, 65] {
                let said = answer(recipe.name(), &"1.5 ".repeat(count), 0);
                assert_eq!((said.error, said.elements.len()), (None, count), "{} {count}", recipe.name());
            }
        }
        assert_eq!(answer("gguf-nvfp4", "1 2 3", 0).padded, 61);
    }

    #[test]
    fn numbers_that_became_infinite_are_named() {
        assert!(answer("mx-rceil/e4m3", "1 0.1 16777217", 0).notes.is_empty());
        let notes = answer("mx-rceil/e4m3", "1 1e999 -1e39 1e-99", 0).notes;
        assert_eq!(notes[0], "`1e999` is out of range for `.f32`, and became infinity when it was read");
        assert!(
            notes[1].starts_with("`-1e39` ") && notes[2].starts_with("`1e-99` ") && notes.len() == 3,
            "{notes:?}"
        );
        assert_eq!(
            answer("mx-rceil/e4m3", &"1e39 ".repeat(9), 0).notes[3],
            "6 other numbers changed likewise"
        );
    }
}
