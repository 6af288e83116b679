//! Texts to blocks: the ways in which people write them, and what is refused.

use ptxcvt_exec::read::{self, Interface};

fn run(text: &str, inputs: &[u64]) -> Vec<u64> {
    match read::block(text, &Interface::default()) {
        Ok(block) => block.eval(inputs).unwrap(),
        Err(e) => panic!("{text}: {e} at {:?}, {:?}", e.span, e.help),
    }
}

fn error(text: &str) -> String {
    match read::block(text, &Interface::default()) {
        Ok(block) => panic!("{text} reads as {block}"),
        Err(e) => format!("{}: {}", &text[e.span.range()], e.message),
    }
}

#[test]
fn placeholders_of_both_kinds_without_types() {
    assert_eq!(run("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;", &[0x3f80_0000, 0]), [0x3800]);
    assert_eq!(run("cvt.rn.satfinite.e4m3x2.f32 $0, $1, ${2:r}", &[0, 0x3f80_0000]), [0x0038]);
    assert_eq!(
        run("{ .reg.b16 lo, hi; mov.b32 {lo, hi}, %1; mov.b32 %0, {hi, lo}; }", &[0x1234_5678]),
        [0x5678_1234]
    );
}

#[test]
fn constraints_in_a_comment_and_a_string() {
    let text = "// =h,f,f\n cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;";
    assert_eq!(run(text, &[0x3f80_0000, 0]), [0x3800]);
    let interface = Interface::constraints("=r,+r,r").unwrap();
    let block = read::block("add.u32 %1, %1, %2; mov.u32 %0, 7;", &interface).unwrap();
    assert_eq!(block.eval(&[5, 6]).unwrap(), [7, 11]);
}

#[test]
fn lists_of_ports_bind_names_numbers_and_order() {
    for (text, outputs, inputs) in [
        ("cvt.rn.f16x2.f32 d, a, b;", "d:.b32", "a:.f32,b:.f32"),
        ("cvt.rn.f16x2.f32 %0, %1, %2;", ".b32", ".f32,.f32"),
        ("cvt.rn.f16x2.f32 %0, %1, %2;", "0:.f16x2", "1:.f32,2:.f32"),
        ("cvt.rn.f16x2.f32 $0, $1, $2;", "d:.b32", "a:.f32, b:.f32"),
    ] {
        let block = read::block(text, &Interface::ports(outputs, inputs).unwrap()).unwrap();
        assert_eq!(block.eval(&[0x3f80_0000, 0x4000_0000]).unwrap(), [0x3c00_4000], "{text}");
    }
}

#[test]
fn functions_tell_their_operands() {
    let text = ".visible .func (.reg .b32 d) f (.reg .b32 a, .reg .b32 b)\n{ .reg .pred p;\n setp.lt.u32 p, a, b;\n \
                @p mov.b32 d, a;\n @!p mov.b32 d, b;\n ret;\n}";
    assert_eq!(run(text, &[3, 2]), [2]);
    assert_eq!(run(text, &[1, 2]), [1]);
    assert_eq!(error(".func (.param .b32 d) f () { ret; }"), "d: `d` is a `.param`, which is memory");
}

#[test]
fn asm_statements_of_cuda() {
    let text = r#"
        // Saturating.
        __asm__ volatile ("{\n\t"
            ".reg .b16 %%lo<2>; // local\n"
            "mov.b32 {%%lo0, %%lo1}, %1;\n\t" /* unpack */
            "mov.b32 %0, {%%lo1, %%lo0};\n}"
            : "=r"(*reinterpret_cast<unsigned *>(&x[0])) : "r"(y), "n"((0xf0 & 0xcc) | 0xaa) : "memory");"#;
    assert_eq!(run(text, &[0x1234_5678]), [0x5678_1234]);
    let lop = r#"asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(x) : "r"(a), "n"(0x000f000f), "n"(0x64006400), "n"((0xf0 & 0xcc) | 0xaa));"#;
    assert_eq!(run(lop, &[0x1234_5678]), [0x6404_6408]);
    let unknown = r#"asm("lop3.b32 %0, %1, %1, %1, %2;" : "=r"(x) : "r"(a), "n"(lut));"#;
    assert_eq!(error(unknown), "%2: operand 2 is a constant whose value is not in the text");
    let tied = r#"asm("add.u32 %0, %1, %2;" : "=r"(x) : "0"(a), "r"(b));"#;
    assert_eq!(run(tied, &[1, 2]), [3]);
}

#[test]
fn errors_name_the_place_and_the_reason() {
    assert_eq!(error("ld.global.b32 %0, [%1];"), "ld.global.b32: `ld` cannot run here: it works on memory");
    assert_eq!(
        error("{ ex2.approx.f32 %0, %1; }"),
        "ex2.approx.f32: `ex2.approx.f32`: the manual bounds its error and does not fix its bits"
    );
    assert_eq!(
        error("frobnicate.b32 %0;"),
        "frobnicate.b32: `frobnicate` is not among the instructions that run here"
    );
    assert_eq!(
        error("add.f16x4 %0, %1, %2;"),
        "add.f16x4: `add.f16x4`: `.f16x4` is no modifier or type of `add`"
    );
    assert_eq!(error("add.relu.f16 %0, %1, %2;"), "add.relu.f16: `add.f16` does not take `.relu`");
    assert_eq!(
        error("{ .reg .f32 f; mov.b32 f, %1; add.s32 %0, f, 1; }"),
        "f: a `.f32` register cannot stand here: `add.s32` takes `.s32`"
    );
    assert_eq!(
        error("{ .reg .b32 f; add.s32 %0, f, 1; }"),
        "add.s32 %0, f, 1: `f` is read before anything wrote it"
    );
    assert_eq!(
        error("mov.b32 %0, {%1, %2, %3};"),
        "{%1, %2, %3}: the type of `%1` cannot be told here".replace("{%1, %2, %3}", "%1")
    );
    assert_eq!(error("setp.lt.f16x2 p, %0, %1;"), "p: a packed comparison has two results: write `p|q`");
    assert_eq!(
        error("@p bra L;"),
        "bra: `bra` cannot run here: it is control flow; a block is a straight line"
    );
    assert_eq!(
        error("mov.u32 %0, %tid.x;"),
        "%tid.x: `%tid` is a special register: it tells of the machine, not of the operands"
    );
    assert_eq!(error("add.u32 %0, %1"), "add.u32: `add.u32` takes 3 operands, not 2");
    assert_eq!(
        error("cvt.rn.e4m3x2.f32 %0, %1, %2;"),
        "cvt.rn.e4m3x2.f32: `.satfinite` is required for `.e4m3x2` from `.f32`"
            .replace(": `.s", ": `cvt.rn.e4m3x2.f32`: `.s")
            .as_str()
    );
}
