//! Lowerings as functions: the PTX function computes what the block does, the CUDA function covers every target.

use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_exec::read::{self, Interface};
use ptxcvt_lower::word::{self, Shape, Variant};
use ptxcvt_lower::{lower, lowerings, render};

/// Every form's function is read back and agrees with the block on some operands.
#[test]
fn functions_compute_what_the_block_computes() {
    for (target, stride) in [("sm_50", 1), ("sm_100a", 7)] {
        let target: Target = target.parse().unwrap();
        for form in
            Form::all().step_by(stride).filter(|form| stride > 1 || !form.is_legal(target, target.newest()))
        {
            let lowering = lower(form, target, target.newest()).unwrap();
            let module = render::func(&lowering, target, target.newest());
            let block = read::block(&module, &Interface::default())
                .unwrap_or_else(|e| panic!("{form}: {e} at {:?}\n{module}", e.span));
            for operands in ptxcvt::inputs::operands(&form, 8, 3).step_by(4999) {
                let operands = &operands[..form.source_count()];
                assert_eq!(block.eval(operands), lowering.block().eval(operands), "{module}");
            }
        }
    }
}

/// The kernel and the empty kernel take the same operands, and only one of them computes.
#[test]
fn kernels_hold_the_block() {
    let (target, isa) = ("sm_80".parse().unwrap(), IsaVersion::new(7, 0));
    let form: Form = "cvt.rn.satfinite.e2m1x2.f32".parse().unwrap();
    let general = lowerings(form, target, isa).unwrap().into_iter().find(|l| l.name() == "general").unwrap();
    let whole = render::kernel(&general, target, isa);
    let empty = render::empty_kernel(form, target, isa);
    assert_eq!(whole.matches("ld.volatile").count(), 2);
    assert_eq!(empty.matches("ld.volatile").count(), 2);
    assert!(whole.contains("add.rn.f32") && !empty.contains("add.rn.f32"), "{empty}");
    assert!(!whole.contains("%1,") && !whole.contains("%1;"), "{whole}");
    let shape = Shape::new("cvt.rn.f16x2.e2m1x2".parse().unwrap(), 8).unwrap();
    let word = word::word(shape, Variant::default(), target, isa).unwrap();
    let kernels = render::word_kernels(&word, target, isa);
    for kernel in &kernels {
        let of = |text: &str| kernel.matches(text).count();
        assert_eq!((of("ld.volatile.global.b32"), of("st.volatile.global.b32")), (1, 4), "{kernel}");
    }
    assert_eq!(kernels.map(|kernel| kernel.contains("prmt.b32")), [true, false]);
}

/// The instruction where a target has it, by a condition that names neither more nor fewer targets.
#[test]
fn cuda_functions_choose_by_architecture() {
    let text = |opcode: &str| render::cuda(opcode.parse().unwrap(), None).unwrap();
    let fp8 = text("cvt.rn.satfinite.e4m3x2.f32");
    assert!(
        fp8.contains("#if (PTXCVT_TARGET == 890 && PTXCVT_CUDA >= 1201) || \\\n    (PTXCVT_TARGET >= 900)\n"),
        "{fp8}"
    );
    assert!(fp8.contains("unsigned short cvt_rn_satfinite_e4m3x2_f32(float a, float b)"));
    assert!(fp8.contains(": \"=h\"(d) : \"f\"(a), \"f\"(b));"));
    let fp4 = text("cvt.rn.satfinite.e2m1x2.f32");
    assert!(fp4.contains("unsigned char cvt_rn_satfinite_e2m1x2_f32(float a, float b)"));
    assert!(fp4.contains("return (unsigned char)d;"));
    assert!(fp4.contains("(PTXCVT_TARGET >= 1001 && PTXCVT_TARGET <= 1002)"));
    // No branch for 1211 and what comes after it: a family's feature is not the next one's.
    assert!(fp4.contains("(PTXCVT_TARGET >= 1211 && PTXCVT_TARGET <= 1212)"), "{fp4}");
    let everywhere = text("cvt.rn.f16.f32");
    assert!(!everywhere.contains("#else\n    asm"), "{everywhere}");
    assert_eq!(everywhere.matches("asm(").count(), 1);
    for text in [&fp8, &fp4, &everywhere] {
        assert_eq!(text.matches("#if").count(), text.matches("#endif").count(), "{text}");
    }
}

/// The lines that the guards of one source leave: a minimal preprocessor for `#ifndef` and `#define`.
fn guarded(source: &str) -> String {
    let (mut defined, mut kept, mut text) = (std::collections::BTreeSet::new(), vec![true], String::new());
    for line in source.lines() {
        let is_kept = !kept.contains(&false);
        match line.split_once(' ') {
            Some(("#ifndef", name)) => kept.push(!defined.contains(name)),
            Some(("#define", rest)) if is_kept => {
                defined.insert(rest.split(' ').next().unwrap_or_default());
            }
            _ if line.starts_with("#if") => kept.push(true),
            _ if line == "#endif" => drop(kept.pop()),
            _ if is_kept => text += &format!("{line}\n"),
            _ => {}
        }
    }
    assert_eq!(kept, [true], "{source}");
    text
}

/// How often a header defines a function.
fn defined(header: &str, name: &str) -> usize {
    let definitions = header.lines().filter_map(|line| line.strip_prefix("PTXCVT_FUNCTION "));
    definitions
        .filter(|line| line.split('(').next().is_some_and(|head| head.ends_with(&format!(" {name}"))))
        .count()
}

/// Two headers of different forms in one source: every function is there once.
#[test]
fn headers_can_be_combined() {
    let forms: Vec<Form> = render::default_forms().take(6).collect();
    let both = render::header(&forms[..4]).unwrap() + &render::header(&forms[2..]).unwrap();
    let text = guarded(&both);
    for form in &forms {
        assert_eq!(defined(&text, &form.identifier()), 1, "{form}");
    }
}

#[test]
fn the_header_has_each_function_once() {
    let forms: Vec<Form> = render::default_forms().collect();
    let header = render::header(&forms).unwrap();
    for form in &forms {
        assert_eq!(defined(&header, &form.identifier()), 1, "{form}");
    }
    let has = |opcode: &str| forms.contains(&opcode.parse().unwrap());
    for opcode in [
        "cvt.rn.satfinite.e4m3x2.f32",
        "cvt.rn.satfinite.e2m1x2.f32",
        "cvt.rn.f16x2.e4m3x2",
        "cvt.rn.bf16x2.f32",
        "cvt.rp.satfinite.ue8m0x2.f32",
        "cvt.rs.satfinite.e2m1x4.f32",
        "cvt.rn.bf16x2.ue8m0x2",
    ] {
        assert!(has(opcode), "{opcode}");
    }
    assert!(!has("cvt.rn.f16.f32") && has("cvt.rn.satfinite.relu.e4m3x2.f32"));
    println!("{} functions, {} bytes", forms.len(), header.len());
}

fn forms<const N: usize>(opcodes: [&str; N]) -> Vec<Form> {
    opcodes.iter().map(|opcode| opcode.parse().unwrap()).collect()
}

/// The functions in memory order have the names and types that the documentation promises.
#[test]
fn the_header_has_functions_in_memory_order() {
    let header = render::header(&forms([
        "cvt.rn.satfinite.e4m3x2.f32",
        "cvt.rn.satfinite.relu.e2m1x2.bf16x2",
        "cvt.rn.f16x2.e2m1x2",
        "cvt.rp.satfinite.ue8m0x2.f32",
    ]))
    .unwrap();
    for declaration in [
        "unsigned char to_e4m3(float x)",
        "unsigned short to_e4m3x2(float2 x)",
        "unsigned int to_e4m3x4(const float (&x)[4])",
        "unsigned long long to_e4m3x8(const float (&x)[8])",
        "unsigned char to_e2m1x2_relu(__nv_bfloat162 x)",
        "unsigned int to_e2m1x8_relu_bf16(const unsigned int (&x)[4])",
        "void from_e2m1x8(unsigned int codes, __half2 (&x)[4])",
        "void from_e2m1x4(unsigned short codes, float (&x)[4])",
        "float from_e2m1(unsigned char code)",
        "unsigned int to_ue8m0x4_rp(const float (&x)[4])",
    ] {
        assert_eq!(header.matches(&format!("PTXCVT_FUNCTION {declaration}")).count(), 1, "{declaration}");
    }
    assert_eq!(header.matches("#if").count(), header.matches("#endif").count());
    assert_eq!(guarded(&(header.clone() + &header)).matches("to_e4m3x4(const float (&x)[4])").count(), 1);
}

/// Adapters have the names of other projects, and refuse what those lack.
#[test]
fn adapters_use_the_names_of_other_projects() {
    let [narrow, widen, six] =
        ["cvt.rn.satfinite.e4m3x2.f32", "cvt.rn.f16x2.e2m1x2", "cvt.rn.f16x2.e2m3x2"].map(|o| forms([o]));
    let cutlass = render::cutlass(&narrow).unwrap();
    assert!(cutlass.contains(
        "struct NumericArrayConverter<float_e4m3_t, float, 8, FloatRoundStyle::round_to_nearest> {"
    ));
    assert_eq!(
        render::cutlass(&six).unwrap_err().to_string(),
        "`cvt.rn.f16x2.e2m3x2` is not among the forms of the adapter for CUTLASS"
    );
    // CUTLASS has one conversion for them, which saturates.
    let unsaturated = forms(["cvt.rp.ue8m0x2.f32"]);
    assert!(render::cutlass(&forms(["cvt.rp.satfinite.ue8m0x2.f32"])).is_ok());
    assert!(
        render::cutlass(&unsaturated).unwrap_err().to_string().contains("not among the forms of the adapter")
    );
    let cuda = render::cuda_adapter(&[narrow[0], widen[0]]).unwrap();
    assert!(cuda.contains("__nv_cvt_float2_to_fp8x2(const float2 x, const __nv_saturation_t saturate, "));
    assert!(cuda.contains("return cvt_rn_satfinite_e4m3x2_f32(x.y, x.x);"), "the lower code is x");
    // Whatever form is named, a function is the same and has a guard, so that two headers can be combined.
    let e5m2 = render::cuda_adapter(&forms(["cvt.rn.satfinite.e5m2x2.f32"])).unwrap();
    let function = |text: &str| {
        let guard = "\n#ifndef PTXCVT_CUDA_NV_CVT_FLOAT2_TO_FP8X2\n";
        text.split(guard).nth(1).and_then(|rest| rest.split("#endif").next()).map(str::to_owned)
    };
    assert!(function(&e5m2).is_some());
    assert_eq!(function(&e5m2), function(&cuda));
    // A function of CUDA 13 is not called, as every interpretation has its form.
    let complete = render::cuda_adapter(&forms(["cvt.rn.bf16x2.e4m3x2"])).unwrap();
    assert!(complete.contains("; // cvt.rn.bf16x2.e5m2x2\n") && !complete.contains("::__nv_cvt"));
    let scales = render::cuda_adapter(&unsaturated).unwrap();
    let function = scales.split("__nv_cvt_float2_to_e8m0x2(const float2 x, ").nth(1).unwrap();
    assert_eq!(function.matches("saturate == __NV_").count(), 4, "{function}");
    let (target, isa) = ("sm_80".parse().unwrap(), IsaVersion::new(7, 4));
    let triton = render::triton(widen[0], None, Default::default(), target, isa).unwrap();
    assert!(triton.contains("CONSTRAINTS = tl.constexpr(\"=r,=r,=r,=r,r\")\nPACK = tl.constexpr(4)\n"));
    assert!(triton.contains("mov.b32 word_i0, $4;") && !triton.contains('%'), "{triton}");
    let order = ptxcvt_lower::word::Order::Interleaved;
    let permuted = ptxcvt_lower::word::Variant { order, ..Default::default() };
    let permuted = render::triton(widen[0], None, permuted, target, isa).unwrap();
    assert!(
        permuted.contains("\n\ndef interleave(codes):\n") && permuted.contains("codes in interleaved order")
    );
    // Two tensors: the operands of the first come before those of the second.
    let pairs = render::triton(
        forms(["cvt.rn.satfinite.e2m1x2.f32"])[0],
        None,
        Default::default(),
        "sm_100a".parse().unwrap(),
        IsaVersion::new(8, 6),
    )
    .unwrap();
    assert!(pairs.contains("cvt.rn.satfinite.e2m1x2.f32 word_0, $5, $1;"), "{pairs}");
}

/// Options add a function with its contract to the header.
#[test]
fn options_have_functions_of_their_own() {
    use ptxcvt_lower::word::{Order, Variant};
    let text = |opcode: &str, variant| render::variant_header(forms([opcode])[0], variant).unwrap().unwrap();
    let interleaved =
        text("cvt.rn.f16x2.e4m3x2", Variant { order: Order::Interleaved, ..Variant::default() });
    assert!(interleaved.contains("PTXCVT_FUNCTION unsigned int interleave_e4m3x4_f16(unsigned int codes)"));
    assert!(interleaved.contains("void from_e4m3x4_interleaved(unsigned int codes, __half2 (&x)[2])"));
    let scaled =
        text("cvt.rn.bf16x2.e2m1x2", Variant { scale: Some(ptxcvt::Format::Ue8m0), ..Variant::default() });
    assert!(scaled.contains("// the factor's code is not 0.\n"));
    assert!(scaled.contains(
        "void from_e2m1x8_times_ue8m0_bf16(unsigned int codes, unsigned short factor, unsigned int (&x)[4])"
    ));
    assert!(
        scaled.contains("#error \"ptxcvt: this architecture lacks the instructions"),
        "sm_75 has no fma of bf16"
    );
}
