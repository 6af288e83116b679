//! A benchmark of size and speed. It makes a module of 50 MB with a million instructions, a third of them
//! conversions, checks it, and prints the time and the peak memory.
//!
//! `cargo run --release -p ptxcvt-syntax --example large_module`

use std::fmt::Write as _;
use std::time::Instant;

use ptxcvt_syntax::{CheckOptions, Source, check};

/// The number of instructions in the module.
const INSTRUCTIONS: usize = 1_000_000;

/// A module like those of compilers: kernels of a few hundred instructions, with debug locations.
fn module() -> String {
    let mut text =
        String::from("//\n// A module for measuring.\n//\n.version 9.1\n.target sm_100a\n.address_size 64\n");
    let line = |text: &mut String, i: usize| {
        let (a, b, c) = (i % 500, (i * 7 + 1) % 500, (i * 13 + 2) % 500);
        let _ = match i % 12 {
            0 => writeln!(text, "\tcvt.rn.satfinite.e4m3x2.f32 \t%rs{a}, %f{b}, %f{c};"),
            1 => writeln!(text, "\tld.global.nc.v4.f32 \t{{%f{a}, %f{b}, %f{c}, %f1}}, [%rd{a}+{i}];"),
            2 => writeln!(text, "\tcvt.rzi.ftz.s32.f32 \t%r{a}, %f{b};"),
            3 => writeln!(text, "\tfma.rn.ftz.f32 \t%f{a}, %f{b}, %f{c}, 0f3F800000;"),
            4 => writeln!(text, "\tcvt.rn.bf16x2.f32 \t%r{a}, %f{b}, %f{c};"),
            5 => writeln!(text, "\tsetp.ge.s32 \t%p{}, %r{b}, %r{c}; // a comment at the end", i % 50),
            6 => writeln!(text, "\t@%p{} bra \t$L__BB0_{};", i % 50, i / 500),
            7 => writeln!(text, "\tst.shared.v2.b32 \t[%r{a}+128], {{%r{b}, %r{c}}};"),
            8 => writeln!(text, "\tcvt.u64.u32 \t%rd{a}, %r{b};"),
            9 => writeln!(
                text,
                "\tmma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {{%f1,%f2,%f3,%f4}}, {{%r1,%r2,%r3,%r4}}, {{%r5,%r6}}, {{%f1,%f2,%f3,%f4}};"
            ),
            10 => writeln!(text, "\tmul.wide.u32 \t%rd{a}, %r{b}, {};", i % 4096),
            _ => writeln!(text, "\tadd.s64 \t%rd{a}, %rd{b}, %rd{c};\n\t.loc\t1 {} 9", i % 10_000),
        };
    };
    for kernel in 0..INSTRUCTIONS / 500 {
        let _ = writeln!(
            text,
            "\n.visible .entry kernel_{kernel}(\n\t.param .u64 kernel_{kernel}_param_0\n)\n.maxntid 128, 1, 1\n{{"
        );
        text += "\t.reg .pred \t%p<50>;\n\t.reg .b16 \t%rs<500>;\n\t.reg .f32 \t%f<500>;\n\t.reg .b32 \t%r<500>;\n\t.reg .b64 \t%rd<500>;\n\n";
        let _ = writeln!(text, "$L__BB0_{kernel}:");
        for i in 0..500 {
            line(&mut text, kernel * 500 + i);
        }
        text += "\tret;\n}\n";
    }
    text
}

/// A memory figure of this process in KiB, or `None` if the system has none.
fn memory(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|l| l.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

fn main() {
    let text = module();
    let bytes = text.as_bytes();
    let before = memory("VmHWM:");
    let mut best = f64::INFINITY;
    let mut report = Default::default();
    for _ in 0..5 {
        let start = Instant::now();
        report = check(&Source::new("large.ptx", bytes), &CheckOptions::default());
        best = best.min(start.elapsed().as_secs_f64());
    }
    let megabytes = bytes.len() as f64 / 1e6;
    println!(
        "{megabytes:.1} MB, {} instructions, {} conversions, {} findings: {best:.3} s, {:.0} MB/s",
        report.stats.instructions,
        report.stats.conversions,
        report.diagnostics.len(),
        megabytes / best,
    );
    if let (Some(before), Some(after)) = (before, memory("VmHWM:")) {
        println!(
            "peak {:.2} times the module, of which the module itself 1 (its making needed {:.2})",
            after as f64 * 1024.0 / bytes.len() as f64,
            before as f64 * 1024.0 / bytes.len() as f64
        );
    }
}
