//! A kernel with the header of `ptxcvt lower --header`, compiled by nvcc for a GPU without FP4 and FP8, returns what
//! `ptxcvt dequantize` does. `conformance/header` has its source; `ptxcvt-conformance -- cuda` compiles it again.

use ptxcvt::inputs::SplitMix64;
use ptxcvt::{Format, Rounding};
use ptxcvt_blocks::{Quantized, Recipe, dequantize};
use ptxcvt_exec::read::{self, Interface};

const KERNEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/header/nvfp4_to_bf16.ptx");

/// Blocks of random codes with every code of the scale.
#[test]
fn a_kernel_with_the_header_dequantizes_as_the_command() {
    let block = read::block(&std::fs::read_to_string(KERNEL).unwrap(), &Interface::default()).unwrap();
    let recipe = Recipe::named("nvfp4-modelopt").unwrap();
    let mut random = SplitMix64::new(5);
    let mut differing = 0;
    for number in 0..4096_u64 {
        let codes = random.next_u64();
        let scale = number as u8;
        let global = f32::from_bits((random.next_u64() as u32 & 0x0fff_ffff) | 0x3000_0000);
        let quantized = Quantized::new(codes.to_le_bytes().to_vec(), vec![scale], vec![global], (1, 16));
        let wanted: Vec<u64> = dequantize(&recipe, &quantized, 1)
            .unwrap()
            .into_iter()
            .map(|x| Format::Bf16.encode(Format::F32.decode(x.to_bits().into()), Rounding::Rn))
            .collect();
        // The order in which the kernel reads its operands.
        let inputs: Vec<u64> = block
            .inputs()
            .iter()
            .map(|input| match &*block.declaration(input.register).name {
                name if name.contains("param_0+4") => codes >> 32,
                name if name.contains("param_0") => codes & 0xffff_ffff,
                name if name.contains("param_1") => scale.into(),
                name if name.contains("param_2") => global.to_bits().into(),
                other => panic!("{other}"),
            })
            .collect();
        let got: Vec<u64> =
            block.eval(&inputs).unwrap().into_iter().flat_map(|pair| [pair & 0xffff, pair >> 16]).collect();
        assert_eq!(got, wanted, "codes {codes:#x}, scale {scale:#x}, global {global}");
        differing += usize::from(wanted.iter().any(|code| *code != wanted[0]));
    }
    assert!(differing > 3000, "the blocks differ from each other");
}
