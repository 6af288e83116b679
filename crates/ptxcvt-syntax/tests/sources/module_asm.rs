//! `module asm` of LLVM IR, and the target and ISA version that modules of LLVM IR and MLIR name.

use ptxcvt_syntax::CheckOptions;
use ptxcvt_syntax::sources::Language;

use super::found;

/// It has declarations and functions, over several lines.
#[test]
fn assembly_of_a_module() {
    let llvm = |text: &str| found(text, Language::Llvm, &CheckOptions::default());
    let body = ".visible .func f() { .reg .f32 a; .reg .b16 h; OP h, a; ret; }";
    for (opcode, expected) in [("cvt.rn.f16.f32", None), ("cvt.f16.f32", Some("1 error CVT006"))] {
        let text = format!("module asm \"{}\"\n", body.replace("OP", opcode));
        assert_eq!(llvm(&text), expected.into_iter().collect::<Vec<_>>(), "{text}");
    }
    let lines = body.replace("OP", "cvt.f16.f32").replace("; ", ";\n").replace("{ ", "{\n");
    let text: String = lines.lines().map(|line| format!("module asm \"{line}\"\n")).collect();
    assert_eq!(llvm(&text), ["4 error CVT006"]);
    // The target of the module counts.
    let text = format!(
        "module asm \"{}\"\nattributes #0 = {{ \"target-cpu\"=\"sm_80\" }}\n",
        body.replace("OP h, a", "cvt.rn.satfinite.e4m3x2.f32 h, a, a")
    );
    assert_eq!(llvm(&text), ["1 error CVT011"]);
    // So does its version alone.
    let line = body.replace("OP h, a", "cvt.rn.satfinite.e4m3x2.f32 h, a, a");
    for (version, expected) in [("ptx77", &["1 error CVT012"][..]), ("ptx78", &[])] {
        let attributes = format!("attributes #0 = {{ \"target-features\"=\"+{version}\" }}");
        assert_eq!(llvm(&format!("module asm \"{line}\"\n{attributes}\n")), expected, "{version}");
    }
    // An undeclared register is one.
    let text = format!("module asm \"{}\"\n", body.replace("OP h", "cvt.rn.f16.f32 g"));
    assert_eq!(llvm(&text).len(), 1);
}

const FP8: &str = "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;";

/// FP8 needs sm_89, and ISA 8.1 for that target.
#[test]
fn llvm_names_the_target_and_the_version() {
    let llvm = |attributes: &[&str]| {
        let call = format!("%r = call i16 asm \"{FP8}\", \"=h,f,f\"(float %a, float %b)\n");
        let lines =
            attributes.iter().enumerate().map(|(n, text)| format!("attributes #{n} = {{ {text} }}\n"));
        found(&(call + &lines.collect::<String>()), Language::Llvm, &CheckOptions::default())
    };
    let none: [&str; 0] = [];
    let wrong = ["1 error CVT011"];
    let old = ["1 error CVT012"];
    for (attributes, expected) in [
        (&[r#""target-cpu"="sm_90""#][..], &none[..]),
        (&[r#""target-cpu"="sm_80" "target-features"="+ptx80""#], &wrong),
        (&[r#""target-features"="+ptx80,+sm_80""#], &wrong),
        (&[r#""target-cpu"="sm_90" "target-features"="+ptx78,+sm_90""#], &none),
        (&[r#""target-cpu"="sm_89" "target-features"="+ptx80""#], &old),
        (&[r#""target-cpu"="sm_89" "target-features"="+ptx81""#], &none),
        // A version alone.
        (&[r#""target-features"="+ptx77""#], &old),
        (&[r#""target-features"="+ptx78""#], &none),
        // Functions with other attributes, and functions of the host.
        (&[r#""target-cpu"="sm_80""#, r#""target-cpu"="sm_90""#], &none),
        (&[r#""target-cpu"="sm_89" "target-features"="+ptx80""#, r#""target-features"="+ptx81""#], &none),
        (
            &[
                r#""target-cpu"="x86-64" "target-features"="+avx,+sse""#,
                r#""target-features"="+ptx80,+sm_89""#,
            ],
            &old,
        ),
        (&[r#""target-cpu"="sm_89" "target-features"="-ptx80""#], &none),
    ] {
        assert_eq!(llvm(attributes), expected, "{attributes:?}");
    }
}

#[test]
fn mlir_names_the_target_and_the_version() {
    let mlir = |targets: &str| {
        let text = format!(
            "gpu.module @m [{targets}] {{\n%0 = llvm.inline_asm \"{FP8}\", \"=h,f,f\" %a, %b : (f32, f32) -> i16\n}}\n"
        );
        found(&text, Language::Mlir, &CheckOptions::default())
    };
    let none: [&str; 0] = [];
    for (targets, expected) in [
        ("#nvvm.target<chip = \"sm_90\", features = \"+ptx80\">", &none[..]),
        ("#nvvm.target<O = 3, chip=\"sm_80\">", &["2 error CVT011"]),
        ("#nvvm.target<chip = \"sm_89\", features = \"+ptx80\">", &["2 error CVT012"]),
        ("#nvvm.target<features = \"+ptx80,+sm_89\", chip = \"sm_89\">", &["2 error CVT012"]),
        ("#nvvm.target<chip = \"sm_80\">, #nvvm.target<chip = \"sm_90\">", &none),
        ("#nvvm.target<chip = \"sm_80\">, #nvvm.target<O = 3>", &none),
        ("#nvvm.target<features = \"+ptx77\">", &["2 error CVT012"]),
        ("#nvvm.target<features = \"+ptx78\">", &none),
        ("#nvvm.target", &none),
    ] {
        assert_eq!(mlir(targets), expected, "{targets}");
    }
}
