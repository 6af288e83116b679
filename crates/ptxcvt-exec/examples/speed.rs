//! Nanoseconds an element of blocks over columns, on one core: `cargo run --release -p ptxcvt-exec --example speed`.

use std::time::Instant;

use ptxcvt_bulk::Tier;
use ptxcvt_exec::lanes::{LANES, Program};
use ptxcvt_exec::read::{self, Interface};

const BLOCKS: &[(&str, &str, &str)] = &[
    (
        "ten of integers and f32",
        "=r,r,r",
        "{ .reg .b32 a, b, c; and.b32 a, %1, 0x7fffffff; shr.u32 b, a, 13; lop3.b32 c, b, 0x000f000f, %2, 0xea;
           add.u32 c, c, b; mul.f32 a, a, 0f3F000000; prmt.b32 b, a, c, 0x5410; max.u32 c, c, b; xor.b32 a, a, c;
           fma.rn.f32 a, a, b, c; or.b32 %0, a, b; }",
    ),
    (
        "four nibbles to f16 (six instructions)",
        "=r,=r,r",
        "{ .reg .b32 a, b; lop3.b32 a, %2, 0x000f000f, 0x64006400, 0xea; lop3.b32 b, %2, 0x00f000f0, 0x64006400, 0xea;
           .reg .b32 c, d, e; mov.b32 c, 0x64086408; mov.b32 d, 0x2c002c00; mov.b32 e, 0xd480d480;
           sub.f16x2 %0, a, c; fma.rn.f16x2 %1, b, d, e; }",
    ),
    ("f32 pair to e4m3x2", "=h,f,f", "cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;"),
    ("f32 to bf16 by an addition (five)", "=h,r",
        "{ .reg .b32 t, u; bfe.u32 t, %1, 16, 1; add.u32 u, %1, 0x7fff; add.u32 u, u, t; shr.u32 u, u, 16; cvt.u16.u32 %0, u; }"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (name, constraints, text) in BLOCKS {
        let block = read::block(text, &Interface::constraints(constraints)?)?;
        for tier in Tier::available().filter(|t| *t != Tier::Reference) {
            let program = Program::with_tier(&block, tier)?;
            let mut runner = program.runner();
            for n in 0..block.inputs().len() {
                runner.input(n).iter_mut().enumerate().for_each(|(i, byte)| *byte = (i * 37 + i / 256) as u8);
            }
            // The best of several, since others may use the machine.
            let best = (0..20).map(|_| {
                let start = Instant::now();
                (0..500).for_each(|_| runner.run());
                start.elapsed().as_secs_f64() * 1e9 / (500 * LANES) as f64
            });
            let best = best.fold(f64::INFINITY, f64::min);
            println!(
                "{name:<40} {tier:<9} {best:6.3} ns, {} of its steps lane by lane",
                program.slow_steps()
            );
        }
    }
    Ok(())
}
