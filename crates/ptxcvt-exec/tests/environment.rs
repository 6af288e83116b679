//! The thread's modes for rounding and subnormal numbers change no result.

#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicUsize, Ordering};

use ptxcvt::inputs::{SplitMix64, edges};
use ptxcvt_bulk::Tier;
use ptxcvt_exec::lanes::{LANES, Program};
use ptxcvt_exec::{Block, Op};

/// MXCSR with all exceptions masked and these bits.
fn with_mxcsr<T>(bits: u32, run: impl FnOnce() -> T) -> T {
    let (standard, other) = (0x1f80_u32, 0x1f80 | bits);
    // SAFETY: both words are valid; what runs between computes with floats only by the code under test.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const other, options(nostack)) };
    let result = run();
    // SAFETY: as above.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const standard, options(nostack)) };
    result
}

fn mxcsr() -> u32 {
    let mut word = 0_u32;
    // SAFETY: the instruction stores 32 bits in the variable.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack)) };
    word
}

/// Flush to zero, subnormal operands as zeros, rounding upwards, down, towards zero.
const STATES: [u32; 4] = [0x8040, 0x4000, 0x2000, 0xe040];

#[test]
fn results_are_those_of_the_standard_environment() {
    let forms = ptxcvt::Form::all().filter(|form| form.extra().is_none()).map(Block::of_form);
    let ops = Op::all().filter(|op| op.types().any(|ty| ty.format().is_some()));
    let blocks: Vec<Block> = ops.map(|op| Block::of_op(op, 0xe8)).chain(forms).collect();
    let compared = AtomicUsize::new(0);
    let exact: Vec<(u64, &Block)> =
        (2..).zip(blocks.iter().filter(|block| !block.is_approximate())).collect();
    ptxcvt_parallel::map(&exact, |(seed, block)| {
        let mut random = SplitMix64::new(*seed);
        for tier in Tier::available() {
            let program = Program::with_tier(block, tier).unwrap();
            if program.slow_steps() != 0 {
                continue;
            }
            let columns: Vec<Vec<u8>> = block
                .inputs()
                .iter()
                .map(|port| {
                    let bytes = block.width(*port).div_ceil(8) as usize;
                    let codes: Vec<u64> = port.meaning.map_or(vec![1], |m| edges(m.format).collect());
                    let mut one = |n: usize| match n % 2 {
                        0 => codes[random.below(codes.len())],
                        _ => random.next_u64(),
                    };
                    let words = (0..LANES).map(|n| one(n).to_le_bytes());
                    words.flat_map(|word| word[..bytes].to_vec()).collect()
                })
                .collect();
            let run = || {
                let mut runner = program.runner();
                for (n, column) in columns.iter().enumerate() {
                    runner.input(n).copy_from_slice(column);
                }
                let before = mxcsr() & !0x3f;
                runner.run();
                assert_eq!(mxcsr() & !0x3f, before);
                (0..block.outputs().len()).map(|n| runner.output(n).to_vec()).collect::<Vec<_>>()
            };
            let wanted = run();
            for state in STATES {
                assert!(with_mxcsr(state, run) == wanted, "{block} {tier} {state:#x}");
                compared.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let compared = compared.into_inner();
    assert!(compared > 4000, "{compared}");
}
