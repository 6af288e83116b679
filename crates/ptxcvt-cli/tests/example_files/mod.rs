//! The files named in the examples of the help texts.

use std::fs;
use std::path::Path;
use std::process::Command;

use safetensors::{Dtype, tensor::TensorView};

const MODULE: &str = ".version 8.1\n.target sm_89\n.entry k()\n{\n.reg .b16 h;\n.reg .f32 f;\n\
                      cvt.rn.satfinite.e4m3x2.f32 h, f, f;\nret;\n}\n";
const FUNCTION: &str = ".version 8.1\n.target sm_89\n.address_size 64\n\
                        .visible .func (.param .b32 d) dequantize(.param .b32 a)\n{\n.reg .b32 r;\n\
                        ld.param.b32 r, [a];\nshl.b32 r, r, 16;\nst.param.b32 [d], r;\nret;\n}\n";
const SOURCE: &str =
    "void f() { asm(\"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\" : \"=h\"(d) : \"f\"(a), \"f\"(b)); }\n";
const INDEX: &str = "model.safetensors.index.json";
/// The rows and columns of every array: whole blocks for every recipe.
const SIDE: usize = 128;

/// Writes the files of the examples of one subcommand.
pub fn write(folder: &Path, subcommand: &str) {
    let file = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let run = |arguments: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
        let status = command.current_dir(folder).args(arguments.split(' ')).status().unwrap();
        assert!(status.success(), "{arguments}");
    };
    for name in [
        "kernels",
        "include",
        "python",
        "recordings",
        "old",
        "new",
        ".zfunc",
        ".local/share/bash-completion/completions",
    ] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    for name in ["kernel.ptx", "kernels/kernel.ptx", "before.ptx", "after.ptx", "sm_90.ptx", "sm_100a.ptx"] {
        file(name, MODULE);
    }
    for name in ["kernel.cu", "include/kernel.cuh", "python/kernel.cu", "old/kernel.cu", "new/kernel.cu"] {
        file(name, SOURCE);
    }
    if subcommand == "run" {
        file("kernel.ptx", FUNCTION);
    }
    file("dequant.ptx", "lop3.b32 %0, %1, 0x000f000f, 0x64006400, 0xea;\n");
    file("pack.ptx", "cvt.rn.bf16x2.f32 %0, %1, %2;\n");
    file("unpack.ptx", "cvt.rn.f16x2.e4m3x2 %0, %1;\n");
    // A codec that reads its input and returns zeros.
    file("codec.sh", "cat > /dev/null\nhead -c 65536 /dev/zero\n");
    let record = "../../conformance/vectors/b200-cvt.tsv";
    fs::copy(record, folder.join("recordings/b200-cvt.tsv")).unwrap();

    // A small backend in the folders of LLVM's source tree, and in those folders alone.
    for tree in ["llvm-project/llvm", "llvm"] {
        for (source, to) in [
            ("NVPTXInstrInfo.td", "lib/Target/NVPTX"),
            ("NVPTXSubtarget.h", "lib/Target/NVPTX"),
            ("convert.ll", "test/CodeGen/NVPTX"),
        ] {
            let to = folder.join(tree).join(to);
            fs::create_dir_all(&to).unwrap();
            fs::copy(format!("../../tests/audit/{source}"), to.join(source)).unwrap();
        }
    }

    let numbers: Vec<f32> = (0..SIDE * SIDE).map(|i| (i as f32 - 5000.0) / 64.0).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(folder.join("grad.f32"), &bytes).unwrap();
    for name in ["weights.npy", "bias.npy", "w.npy", "a.npy"] {
        use npyz::WriterBuilder;
        let output = fs::File::create(folder.join(name)).unwrap();
        let shape = [SIDE as u64, SIDE as u64];
        let mut writer =
            npyz::WriteOptions::new().default_dtype().shape(&shape).writer(output).begin_nd().unwrap();
        writer.extend(numbers.iter().copied()).unwrap();
        writer.finish().unwrap();
    }
    let tensors = ["w1", "model.layers.0.mlp.up_proj.weight"];
    let view = |name| (name, TensorView::new(Dtype::F32, vec![SIDE, SIDE], &bytes).unwrap());
    safetensors::serialize_to_file(tensors.map(view), None, &folder.join("model.safetensors")).unwrap();
    let files: serde_json::Map<_, _> =
        tensors.map(|name| (name.to_owned(), "model.safetensors".into())).into_iter().collect();
    file(INDEX, &serde_json::json!({ "metadata": {}, "weight_map": files }).to_string());
    if subcommand == "dequantize" {
        run("quantize mx-rceil/e4m3 weights.npy -o weights.safetensors");
        // The checkpoint of the examples is quantised.
        run(&format!("quantize deepseek-128x128 {INDEX} --for deepseek -o quantised"));
        for name in [INDEX, "model.safetensors"] {
            fs::rename(folder.join("quantised").join(name), folder.join(name)).unwrap();
        }
    }
}
