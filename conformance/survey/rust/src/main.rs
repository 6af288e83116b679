//! Codecs of Rust crates: `survey-codecs NAME` reads numbers from standard input and writes codes; `--list` prints the
//! names, conversions and versions. Sources of 16 bits are widened to f32, which is exact.

use std::io::{self, Read, Write};

use rustc_apfloat::ieee::{BFloat, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, FloatConvert};

struct Codec {
    name: &'static str,
    conversion: &'static str,
    package: &'static str,
    convert: fn(f32) -> u32,
}

fn single(x: f32) -> Single {
    Single::from_bits(x.to_bits().into())
}

macro_rules! apfloat {
    ($ty:ty) => {
        |x| {
            let converted: $ty = single(x).convert(&mut false).value;
            converted.to_bits() as u32
        }
    };
}

macro_rules! codecs {
    ($($name:literal $conversion:literal $package:literal $convert:expr;)*) => {
        const CODECS: &[Codec] = &[$(Codec {
            name: $name, conversion: $conversion, package: $package, convert: $convert,
        }),*];
    };
}

codecs! {
    "half::f16" "f32->f16" "half" |x| half::f16::from_f32(x).to_bits().into();
    "half::bf16" "f32->bf16" "half" |x| half::bf16::from_f32(x).to_bits().into();
    "float8::F8E4M3" "f32->e4m3" "float8" |x| float8::F8E4M3::from_f32(x).to_bits().into();
    "float8::F8E5M2" "f32->e5m2" "float8" |x| float8::F8E5M2::from_f32(x).to_bits().into();
    "float4::F4E2M1" "f32->e2m1" "float4" |x| float4::F4E2M1::from_f64(x.into()).to_bits().into();
    "microfloat::f8e4m3fn" "f32->e4m3" "microfloat" |x| microfloat::f8e4m3fn::from_f32(x).to_bits().into();
    "microfloat::f8e5m2" "f32->e5m2" "microfloat" |x| microfloat::f8e5m2::from_f32(x).to_bits().into();
    "microfloat::f6e2m3fn" "f32->e2m3" "microfloat" |x| microfloat::f6e2m3fn::from_f32(x).to_bits().into();
    "microfloat::f6e3m2fn" "f32->e3m2" "microfloat" |x| microfloat::f6e3m2fn::from_f32(x).to_bits().into();
    "microfloat::f4e2m1fn" "f32->e2m1" "microfloat" |x| microfloat::f4e2m1fn::from_f32(x).to_bits().into();
    "microfloat::f8e8m0fnu" "f32->ue8m0" "microfloat" |x| microfloat::f8e8m0fnu::from_f32(x).to_bits().into();
    "cubecl_common::e4m3" "f32->e4m3" "cubecl-common" |x| cubecl_common::e4m3::from_f32(x).to_bits().into();
    "cubecl_common::e5m2" "f32->e5m2" "cubecl-common" |x| cubecl_common::e5m2::from_f32(x).to_bits().into();
    "cubecl_common::e2m1" "f32->e2m1" "cubecl-common" |x| cubecl_common::e2m1::from_f32(x).to_bits().into();
    "cubecl_common::ue8m0" "f32->ue8m0" "cubecl-common" |x| cubecl_common::ue8m0::from_f32(x).to_bits().into();
    "cubecl_common::tf32, without its low 13 bits" "f32->tf32" "cubecl-common" |x| cubecl_common::tf32::from_f32(x).to_bits() & !0x1fff;
    "LLVM apfloat, Half" "f32->f16" "rustc_apfloat" apfloat!(Half);
    "LLVM apfloat, BFloat" "f32->bf16" "rustc_apfloat" apfloat!(BFloat);
    "LLVM apfloat, Float8E4M3FN" "f32->e4m3" "rustc_apfloat" apfloat!(Float8E4M3FN);
    "LLVM apfloat, Float8E5M2" "f32->e5m2" "rustc_apfloat" apfloat!(Float8E5M2);
}

/// The version of a crate in the lock file.
fn version(package: &str) -> &'static str {
    let lock = include_str!("../Cargo.lock");
    let from = lock.find(&format!("name = \"{package}\"\n")).expect("a dependency is locked");
    lock[from..].split('"').nth(3).expect("a version follows the name")
}

/// The f32 of an f16, by exact arithmetic on the fields.
fn widen_f16(code: u16) -> f32 {
    let (sign, magnitude) = (u32::from(code & 0x8000) << 16, u32::from(code & 0x7fff));
    if magnitude >= 0x7c00 {
        return f32::from_bits(sign | 0x7f80_0000 | (magnitude & 0x3ff) << 13);
    }
    let scaled = f32::from_bits(magnitude << 13) * f32::from_bits(0x7780_0000);
    f32::from_bits(sign | scaled.to_bits())
}

fn main() -> io::Result<()> {
    let wanted = std::env::args().nth(1).unwrap_or("--list".to_owned());
    if wanted == "--list" {
        for codec in CODECS {
            println!("{}\t{}\t{} {}", codec.name, codec.conversion, codec.package, version(codec.package));
        }
        return Ok(());
    }
    let codec = CODECS.iter().find(|codec| codec.name == wanted).expect("a name of --list");
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut data = vec![0; 1 << 20];
    loop {
        let mut filled = 0;
        while filled < data.len() {
            match input.read(&mut data[filled..])? {
                0 => break,
                read => filled += read,
            }
        }
        if filled == 0 {
            return output.flush();
        }
        let half = |bytes: &[u8]| u16::from_le_bytes([bytes[0], bytes[1]]);
        let (source, destination) = codec.conversion.split_once("->").expect("two formats");
        let numbers: Vec<f32> = match source {
            "f32" => data[..filled]
                .chunks_exact(4)
                .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
                .collect(),
            "bf16" => data[..filled].chunks_exact(2).map(|bytes| f32::from_bits(u32::from(half(bytes)) << 16)).collect(),
            _ => data[..filled].chunks_exact(2).map(|bytes| widen_f16(half(bytes))).collect(),
        };
        let width = match destination {
            "tf32" => 4,
            "f16" | "bf16" => 2,
            _ => 1,
        };
        let mut codes = Vec::with_capacity(numbers.len() * width);
        for x in numbers {
            codes.extend_from_slice(&(codec.convert)(x).to_le_bytes()[..width]);
        }
        output.write_all(&codes)?;
    }
}
