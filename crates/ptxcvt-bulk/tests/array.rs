//! `Plan::run_array`: any part of an array gives the same bits as the whole array, and the whole array gives the bits
//! of the reference.

use ptxcvt::forms::Role;
use ptxcvt::inputs::{MAX_OPERANDS, SplitMix64};
use ptxcvt::{Form, Opcode};
use ptxcvt_bulk::{Array, BulkError, Column, Plan, rbits, unpack_codes};

/// The number of elements of every array here: more than an instruction has, and not a multiple.
const COUNT: usize = 23;
const SEED: u64 = 5;

/// The bits of a unit on either side if 4-bit numbers occupy a byte.
fn widths(form: &Form) -> (usize, usize) {
    let width = |bits: u32| (bits as usize).next_multiple_of(8);
    (width(form.source().format().storage()), width(form.destination().format().storage()))
}

fn elements(form: &Form) -> Vec<u8> {
    let mut random = SplitMix64::new(9);
    let (width, mask) = (widths(form).0 / 8, u8::MAX >> (8 - form.source().format().bits().min(8)));
    (0..COUNT * width).map(|_| random.next_u64() as u8 & if width == 1 { mask } else { u8::MAX }).collect()
}

fn convert(form: &Form, elements: &[u8], first: usize, count: usize) -> Result<Vec<u8>, BulkError> {
    let (from, to) = widths(form);
    let extra = form.extra().map(|operand| match operand.role {
        Role::RandomBits => Column::Random { seed: SEED, first: 0 },
        _ => Column::Value(0x8180),
    });
    let mut result = vec![0; count * to / 8];
    let elements = &elements[first * from / 8..(first + count) * from / 8];
    let array = Array { elements, extra, result: &mut result, spread: true, first: first as u64 };
    Plan::new(*form).run_array(array).map(|()| result)
}

/// The results of the reference, instruction by instruction.
fn reference(form: &Form, elements: &[u8]) -> Vec<u8> {
    let plan = Plan::new(*form);
    let lanes = plan.elements_per_instruction();
    let (from, to) = widths(form);
    let mut made = Vec::new();
    for instruction in 0..COUNT.div_ceil(lanes) {
        let mut operands = [0_u64; MAX_OPERANDS];
        for k in (instruction * lanes..COUNT).take(lanes) {
            let bytes = &elements[k * from / 8..(k + 1) * from / 8];
            let bits = bytes.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte));
            let place = plan.place(k);
            operands[place.operand] |= bits << place.shift;
        }
        if let Some(operand) = form.extra() {
            operands[form.source_count() - 1] = match operand.role {
                Role::RandomBits => rbits(SEED, instruction as u64).into(),
                _ => 0x8180,
            };
        }
        let bits = form.eval(&operands[..form.source_count()]).unwrap();
        let bytes = &bits.to_le_bytes()[..plan.result_bytes()];
        let mut units = vec![0; lanes * to / 8];
        match form.destination().format().storage() {
            4 => unpack_codes(bytes, &mut units),
            _ => units.copy_from_slice(bytes),
        }
        made.extend(units);
    }
    made.truncate(COUNT * to / 8);
    made
}

#[test]
fn parts_have_the_bits_of_the_whole() {
    for form in Form::all().filter(|form| form.opcode() == Opcode::Cvt) {
        let elements = elements(&form);
        let whole = reference(&form, &elements);
        let to = widths(&form).1;
        for (first, count) in
            [(0, 23), (0, 0), (0, 1), (1, 1), (1, 2), (2, 5), (3, 1), (3, 20), (5, 9), (7, 16)]
        {
            let part = convert(&form, &elements, first, count).unwrap();
            assert_eq!(
                part,
                whole[first * to / 8..(first + count) * to / 8],
                "{form}: {count} from {first} on"
            );
        }
    }
}

#[test]
fn threads_change_nothing() {
    let count = (1 << 18) + 5;
    for opcode in ["cvt.rs.satfinite.e4m3x4.f32", "cvt.rn.satfinite.e2m1x2.f32", "cvt.rn.f16x2.e4m3x2"] {
        let form: Form = opcode.parse().unwrap();
        let (from, to) = widths(&form);
        let mut random = SplitMix64::new(3);
        let elements: Vec<u8> = (0..count * from / 8).map(|_| random.next_u64() as u8).collect();
        let words: Vec<u32> = (0..count.div_ceil(4)).map(|_| random.next_u64() as u32).collect();
        let run = |threads, extra| {
            let mut result = vec![0; count * to / 8];
            let array = Array { elements: &elements, extra, result: &mut result, spread: true, first: 0 };
            Plan::new(form).run_array_on(array, threads).map(|()| result)
        };
        let random = form.extra().is_some();
        for extra in [Some(Column::Random { seed: 3, first: 0 }), Some(Column::U32(&words))] {
            let extra = extra.filter(|_| random);
            assert_eq!(run(1, extra).unwrap(), run(3, extra).unwrap(), "{form}");
        }
        if random {
            let short = Some(Column::U32(&words[1..]));
            assert!(matches!(run(3, short), Err(BulkError::Length { role: Role::RandomBits, .. })));
            assert!(matches!(run(2, Some(Column::U64(&[0; 9]))), Err(BulkError::ElementWidth { .. })));
        }
    }
}

#[test]
fn what_does_not_fit() {
    let run = |opcode: &str, elements: &[u8], length: usize, spread, first| {
        let mut result = vec![0; length];
        let array = Array { elements, extra: None, result: &mut result, spread, first };
        Plan::new(opcode.parse().unwrap()).run_array(array).unwrap_err().to_string()
    };
    let narrow = "cvt.rn.satfinite.e2m1x2.f32";
    assert_eq!(
        run(narrow, &[0; 12], 2, false, 0),
        "3 elements given: two e2m1 elements are packed in a byte, so their number must be even"
    );
    assert!(run(narrow, &[0; 8], 1, false, 1).contains("must be even"));
    assert_eq!(run(narrow, &[0; 8], 1, true, 0), "`d` must hold 2 bytes to match the others, not 1");
    assert_eq!(run(narrow, &[0; 7], 1, true, 0), "`a` holds 7 bytes, which is not a multiple of 4");
    assert_eq!(
        run("cvt.rn.f16x2.e2m1x2", &[1, 0x1f, 2], 6, true, 0),
        "byte 0x1f is not a code of 4 bits: expected at most 0x0f"
    );
    assert!(run("cvt.pack.sat.u16.s32", &[], 0, true, 0).contains("operand columns"));
    assert_eq!(run("cvt.rs.satfinite.e2m1x4.f32", &[], 0, true, 0), "`rbits` is missing");
}
