//! Functions with memory and branches: random functions return the results of a direct interpreter that follows the
//! branches, and ambiguous functions are rejected.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ptxcvt::inputs::SplitMix64;
use ptxcvt_exec::Block;
use ptxcvt_exec::read::{self, Interface};

const REGISTERS: usize = 5;
const PREDICATES: usize = 3;
/// The words of memory behind each of two pointers.
const WORDS: usize = 2;

/// A statement: its guard, if any, and what it does.
#[derive(Clone, Debug)]
struct Statement {
    guard: Option<(usize, bool)>,
    action: Action,
}

#[derive(Clone, Debug)]
enum Action {
    Compute { op: &'static str, d: usize, a: usize, b: usize },
    Constant { d: usize, value: u32 },
    Compare { p: usize, a: usize, b: usize },
    Opposite { p: usize, q: usize },
    Select { d: usize, a: usize, b: usize, p: usize },
    Load { d: usize, pointer: usize, word: usize },
    Store { a: usize, pointer: usize, word: usize },
    Result { a: usize },
    Branch { to: usize },
    Return,
}

const OPS: [&str; 6] = ["add.u32", "sub.u32", "and.b32", "xor.b32", "mul.lo.u32", "min.u32"];

fn compute(op: &str, a: u32, b: u32) -> u32 {
    match op {
        "add.u32" => a.wrapping_add(b),
        "sub.u32" => a.wrapping_sub(b),
        "and.b32" => a & b,
        "xor.b32" => a ^ b,
        "mul.lo.u32" => a.wrapping_mul(b),
        "min.u32" => a.min(b),
        other => panic!("{other}"),
    }
}

/// Basic blocks; each ends with a branch to a later one, or returns.
fn program(random: &mut SplitMix64) -> Vec<Vec<Statement>> {
    let blocks = 1 + random.below(6);
    let mut program = Vec::new();
    for n in 0..blocks {
        let mut block = Vec::new();
        if n == 0 && random.below(2) == 0 {
            for d in 0..REGISTERS {
                block.push(Statement { guard: None, action: Action::Constant { d, value: d as u32 } });
            }
            for p in 0..PREDICATES {
                block.push(Statement { guard: None, action: Action::Compare { p, a: 0, b: p } });
            }
        }
        for _ in 0..1 + random.below(6) {
            let (d, a, b) = (random.below(REGISTERS), random.below(REGISTERS), random.below(REGISTERS));
            let (p, q) = (random.below(PREDICATES), random.below(PREDICATES));
            let (pointer, word) = (random.below(2), random.below(WORDS));
            let action = match random.below(12) {
                0 => Action::Constant { d, value: random.next_u64() as u32 },
                1..=3 => Action::Compare { p, a, b },
                4 => Action::Opposite { p, q },
                5 => Action::Select { d, a, b, p },
                6 => Action::Load { d, pointer, word },
                7 => Action::Store { a, pointer, word },
                8 => Action::Result { a },
                _ => Action::Compute { op: OPS[random.below(OPS.len())], d, a, b },
            };
            let guard = (random.below(4) == 0).then(|| (random.below(PREDICATES), random.below(2) == 0));
            block.push(Statement { guard, action });
        }
        // Up to two conditional ends, then an unconditional one.
        for last in [false, false, true] {
            if !last && random.below(2) == 0 {
                continue;
            }
            let guard = (!last).then(|| (random.below(PREDICATES), random.below(2) == 0));
            let action = match n + 1 < blocks && random.below(5) != 0 {
                true => Action::Branch { to: n + 1 + random.below(blocks - n - 1) },
                false => Action::Return,
            };
            block.push(Statement { guard, action });
        }
        program.push(block);
    }
    program
}

/// The text, with the basic blocks after the first in any order, so that branches go forwards and backwards.
fn print(program: &[Vec<Statement>], random: &mut SplitMix64) -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .func (.param .b32 result) f (.param .b32 a, .param .b64 q0, .param .b64 q1)\n{\n\
         .reg .b32 %r<5>;\n.reg .pred %p<3>;\n.reg .b64 %rd<4>;\n\
         ld.param.u64 %rd0, [q0];\nld.param.u64 %rd1, [q1];\ncvta.to.global.u64 %rd2, %rd0;\n\
         add.s64 %rd3, %rd1, 8;\nld.param.u32 %r0, [a];\n",
    );
    let mut order: Vec<usize> = (1..program.len()).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, random.below(at + 1));
    }
    for n in [0].into_iter().chain(order) {
        writeln!(text, "L{n}:").unwrap();
        for Statement { guard, action } in &program[n] {
            if let Some((p, negated)) = guard {
                write!(text, "@{}%p{p} ", if *negated { "!" } else { "" }).unwrap();
            }
            let place = |pointer: &usize, word: &usize| match pointer {
                0 => format!("%rd2+{}", 4 * word),
                _ => format!("%rd3+{}", 4 * *word as i64 - 8),
            };
            match action {
                Action::Compute { op, d, a, b } => writeln!(text, "{op} %r{d}, %r{a}, %r{b};"),
                Action::Constant { d, value } => writeln!(text, "mov.u32 %r{d}, {value};"),
                Action::Compare { p, a, b } => writeln!(text, "setp.lt.u32 %p{p}, %r{a}, %r{b};"),
                Action::Opposite { p, q } => writeln!(text, "not.pred %p{p}, %p{q};"),
                Action::Select { d, a, b, p } => writeln!(text, "selp.b32 %r{d}, %r{a}, %r{b}, %p{p};"),
                // Without aliases, as `__restrict__` promises.
                Action::Load { d, pointer, word } => {
                    writeln!(text, "ld.global.u32 %r{d}, [{}];", place(pointer, word))
                }
                Action::Store { a, pointer, word } => {
                    writeln!(text, "st.global.u32 [{}], %r{a};", place(pointer, word))
                }
                Action::Result { a } => writeln!(text, "st.param.b32 [result+0], %r{a};"),
                Action::Branch { to } => {
                    writeln!(text, "bra{} L{to};", if guard.is_none() { ".uni" } else { "" })
                }
                Action::Return => writeln!(text, "ret;"),
            }
            .unwrap();
        }
    }
    text + "}\n"
}

/// The state of a run.
#[derive(Clone, Debug, Default)]
struct State {
    registers: [u32; REGISTERS],
    predicates: [bool; PREDICATES],
    memory: [[u32; WORDS]; 2],
    result: u32,
}

/// Runs the program, following its branches. Registers are 0 at first.
fn interpret(program: &[Vec<Statement>], state: &mut State) {
    let mut at = 0;
    'blocks: loop {
        for Statement { guard, action } in &program[at] {
            if guard.is_some_and(|(p, negated)| state.predicates[p] == negated) {
                continue;
            }
            let r = state.registers;
            match *action {
                Action::Compute { op, d, a, b } => state.registers[d] = compute(op, r[a], r[b]),
                Action::Constant { d, value } => state.registers[d] = value,
                Action::Compare { p, a, b } => state.predicates[p] = r[a] < r[b],
                Action::Opposite { p, q } => state.predicates[p] = !state.predicates[q],
                Action::Select { d, a, b, p } => {
                    state.registers[d] = if state.predicates[p] { r[a] } else { r[b] }
                }
                Action::Load { d, pointer, word } => state.registers[d] = state.memory[pointer][word],
                Action::Store { a, pointer, word } => state.memory[pointer][word] = r[a],
                Action::Result { a } => state.result = r[a],
                Action::Branch { to } => {
                    at = to;
                    continue 'blocks;
                }
                Action::Return => return,
            }
        }
        unreachable!("every basic block ends");
    }
}

/// The word of memory that an operand names.
fn word(name: &str) -> Option<(usize, usize)> {
    let pointer = name.strip_prefix("[q")?;
    let word = if pointer.contains('+') { 1 } else { 0 };
    Some((usize::from(pointer.starts_with('1')), word))
}

/// Runs the block and compares it with the interpreter.
fn compare(block: &Block, program: &[Vec<Statement>], text: &str, random: &mut SplitMix64) {
    for _ in 0..24 {
        let small = random.below(2) == 0;
        let mut number = || random.next_u64() as u32 & if small { 7 } else { u32::MAX };
        let mut state = State { memory: [[number(), number()], [number(), number()]], ..State::default() };
        state.registers[0] = number();
        let name = |port: &ptxcvt_exec::Port| block.declaration(port.register).name.clone();
        let given = |port: &ptxcvt_exec::Port| match word(&name(port)) {
            Some((pointer, word)) => u64::from(state.memory[pointer][word]),
            None => u64::from(state.registers[0]),
        };
        let inputs: Vec<u64> = block.inputs().iter().map(given).collect();
        let before = state.clone();
        interpret(program, &mut state);
        let results = block.eval(&inputs).unwrap();
        let results: BTreeMap<String, u64> = block.outputs().iter().map(name).zip(results).collect();
        let found = results.get("result").copied().unwrap_or(0);
        assert_eq!(found, u64::from(state.result), "{before:?}\n{text}{block}");
        for pointer in 0..2 {
            for word in 0..WORDS {
                let name = ["[q0]", "[q0+4]", "[q1]", "[q1+4]"][2 * pointer + word];
                let kept = u64::from(before.memory[pointer][word]);
                let found = results.get(name).copied().unwrap_or(kept);
                assert_eq!(found, u64::from(state.memory[pointer][word]), "{name} {before:?}\n{text}{block}");
            }
        }
    }
}

#[test]
fn random_functions_return_what_their_branches_say() {
    let mut random = SplitMix64::new(2);
    let (mut compared, mut branches, mut refused) = (0, 0, BTreeMap::<String, u32>::new());
    for _ in 0..6000 {
        let program = program(&mut random);
        let text = print(&program, &mut random);
        match read::block(&text, &Interface::default()) {
            Ok(block) => {
                compare(&block, &program, &text, &mut random);
                compared += 1;
                branches +=
                    program.iter().flatten().filter(|s| matches!(s.action, Action::Branch { .. })).count();
            }
            Err(error) => {
                let known = [
                    "is read before it is written",
                    "may be the same memory",
                    "has no result",
                    "never written",
                ];
                let reason = known.iter().find(|part| error.message.contains(**part));
                let reason = reason.unwrap_or_else(|| panic!("{error}\n{text}"));
                *refused.entry((*reason).to_owned()).or_default() += 1;
            }
        }
    }
    println!("{compared} functions with {branches} branches; refused: {refused:?}");
    assert!(compared > 1500 && branches > 3000, "{compared} {branches} {refused:?}");
}

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// The text of the error's place, and its message.
fn error(text: &str) -> String {
    match read::block(text, &Interface::default()) {
        Ok(block) => panic!("{text} reads as {block}"),
        Err(e) => format!("{}: {}", &text[e.span.range()], e.message),
    }
}

/// A kernel with two pointers and the given body.
fn kernel(body: &str) -> String {
    format!(
        "{HEAD}.global .b32 table[4];\n.visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n)\n{{\n\
         .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>; .reg .b16 %rs<3>;\n\
         ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; ld.param.u32 %r1, [n];\n{body}\nret;\n}}\n"
    )
}

#[test]
fn what_is_refused() {
    for (body, expected) in [
        (
            "L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;",
            "bra L: a loop: this branch jumps back to `L`",
        ),
        (
            "{ .param .b32 arg; st.param.b32 [arg], %r1; call.uni g, (arg); }",
            "call.uni g, (arg): a call of `g`: a function that calls another one does not run here",
        ),
        (
            "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r2, [%rd4];",
            "ld.global.u32 %r2, [%rd4]: the address in `%rd4` is not a pointer parameter plus a constant",
        ),
        (
            "cvt.u64.u32 %rd3, %r1; st.global.u32 [%rd3], %r1;",
            "st.global.u32 [%rd3], %r1: the address in `%rd3` is not a pointer parameter plus a constant",
        ),
        (
            "setp.eq.s64 %p1, %rd1, 0; @%p1 ret; st.u32 [%rd1], %r1;",
            "setp.eq.s64 %p1, %rd1, 0: the address of `[p]` is used as a number",
        ),
        (
            "setp.eq.u32 %p1, %r1, 0; @%p1 bra A; mov.b64 %rd1, %rd2; A: st.u32 [%rd1], %r1;",
            "st.u32 [%rd1], %r1: the address in `%rd1` is not a pointer parameter plus a constant",
        ),
        (
            "st.u32 [%rd1], %r1; ld.u32 %r2, [%rd2]; st.u32 [%rd1+4], %r2;",
            "ld.u32 %r2, [%rd2]: `[q]` is read after a store to `[p]`, which may be the same memory",
        ),
        (
            "ld.u32 %r2, [%rd1]; ld.u16 %rs1, [%rd1+2]; st.u32 [%rd2], %r2;",
            "ld.u16 %rs1, [%rd1+2]: `[p+2]` overlaps `[p]`, which has 32 bits",
        ),
        (
            "st.u32 [%rd1], %r1; st.u8 [%rd1], %rs1;",
            "st.u8 [%rd1], %rs1: `[p]` is accessed with 32 bits and with 8 bits",
        ),
        (
            "ld.volatile.global.u32 %r2, [%rd1];",
            ".volatile: `ld.volatile.global.u32`: other threads or devices may change this memory",
        ),
        (
            "ld.shared.u32 %r2, [%rd1];",
            ".shared: `ld.shared.u32`: only parameters and global memory run here, not `.shared`",
        ),
        (
            ".shared .b32 s; st.shared.u32 [s], %r1;",
            "s: `s` is a variable in `.shared`, memory that other threads write: it does not run here",
        ),
        (
            "mov.u64 %rd3, table; st.u32 [%rd2], %r1;",
            "table: `table` is a variable in `.global`, memory with contents that the operands do not give: it does not run here",
        ),
        (
            "ld.global.u32 %r2, [table];",
            "table: `table` is a variable in `.global`, memory with contents that the operands do not give: it does not run here",
        ),
        (
            "ld.global.u32 %r2, [64];",
            "[64]: only a register or a parameter plus a constant is an address here",
        ),
        (
            "atom.global.add.u32 %r2, [%rd1], 1;",
            "atom.global.add.u32: `atom` cannot run here: it works on memory",
        ),
        ("st.param.u32 [n], %r1;", "st.param.u32 [n], %r1: a store to the parameter `n`"),
        ("bra M;", "bra M: the function has no label `M`"),
        ("bra M; { M: }", "bra M: `M` is a label of a block that this branch is not in"),
        ("{ M: } { bra M; }", "bra M: `M` is a label of a block that this branch is not in"),
        ("M: M: bra M;", "M: `M` is declared twice"),
        (
            "mov.u32 %r2, %tid.x;",
            "%tid.x: `%tid` is a special register: its value depends on the machine, not on the operands",
        ),
        (
            "ld.global.nc.u32 %r2, [%rd1]; st.global.u32 [%rd1], %r1;",
            "ld.global.nc.u32 %r2, [%rd1]: `[p]` is read with `.nc`, which needs constant memory, and it is written",
        ),
        ("", "}: the function has no result: it returns and stores nothing"),
        ("st.u32 [%rd1], %rs1;", "%rs1: a `.b16` register does not hold `.u32`"),
        ("brx.idx %r1, T;", "brx.idx: `brx` cannot run here: it is control flow; a block is a straight line"),
    ] {
        assert_eq!(error(&kernel(body)), expected, "{body}");
    }
    let func = format!("{HEAD}.func (.param .b32 r) f (.param .b32 a) {{ exit; }}");
    assert_eq!(error(&func), "exit: `exit` ends the thread, so that the function returns nothing");
}

#[test]
fn a_function_is_chosen_by_name() {
    let text = format!(
        "{HEAD}.func (.param .b32 r) _Z1fi (.param .b32 a);\n\
         .func (.param .b32 r) _Z1fi (.param .b32 a)\n{{ .reg .b32 x; ld.param.b32 x, [a]; add.u32 x, x, 1; st.param.b32 [r], x; ret; }}\n\
         .func (.param .b32 r) _ZN2ns1fEf (.param .b32 a)\n{{ .reg .b32 x; ld.param.b32 x, [a]; add.u32 x, x, 2; st.param.b32 [r], x; ret; }}\n\
         .func (.param .b32 r) g (.param .b32 a)\n{{ .reg .b32 x; ld.param.b32 x, [a]; add.u32 x, x, 3; st.param.b32 [r], x; ret; }}\n"
    );
    let read = |name: Option<&str>| {
        let interface = Interface { function: name.map(str::to_owned), ..Interface::default() };
        read::block(&text, &interface)
    };
    for (name, expected) in [("_Z1fi", 1), ("_ZN2ns1fEf", 2), ("ns::f", 2), ("g", 3)] {
        assert_eq!(read(Some(name)).unwrap().eval(&[0]).unwrap(), [expected], "{name}");
    }
    let error = read(None).unwrap_err();
    assert_eq!(error.message, "the module has 3 functions");
    let help = "choose one function; the functions are f (_Z1fi), ns::f (_ZN2ns1fEf), g";
    assert_eq!(error.help().unwrap(), help);
    let error = read(Some("f")).unwrap_err();
    assert_eq!(
        (&*error.message, error.help().unwrap()),
        ("`f` names 2 functions", "choose one of _Z1fi, _ZN2ns1fEf")
    );
    let error = read(Some("h")).unwrap_err();
    assert_eq!(error.message, "no function `h`");
}

#[test]
fn memory_becomes_operands() {
    let names = |block: &Block, ports: &[ptxcvt_exec::Port]| -> Vec<String> {
        ports
            .iter()
            .map(|port| format!("{} {}", block.declaration(port.register).name, block.width(*port)))
            .collect()
    };
    // A vector, a byte, a place that keeps its value on one path, and an argument that is not a pointer.
    let body = "ld.global.v2.f32 {%r2, %r3}, [%rd1+8]; ld.s8 %r4, [%rd1]; add.u32 %r2, %r2, %r4; st.v2.b32 [%rd2], {%r2, %r3};\n\
                setp.eq.u32 %p1, %r1, 0; @%p1 bra E; st.u8 [%rd2+16], %r1; E:";
    let block = read::block(&kernel(body), &Interface::default()).unwrap();
    assert_eq!(names(&block, block.inputs()), ["[p] 8", "[p+8] 32", "[p+12] 32", "[q+16] 8", "n 32"]);
    assert_eq!(names(&block, block.outputs()), ["[q] 32", "[q+4] 32", "[q+16] 8"]);
    assert_eq!(block.eval(&[0xff, 5, 6, 7, 0]).unwrap(), [4, 6, 7]);
    assert_eq!(block.eval(&[1, 5, 6, 7, 0x109]).unwrap(), [6, 6, 9]);
    // A place that is written first is not an input; `.nc` promises that nothing writes there.
    let body = "st.u32 [%rd1], %r1; ld.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1; ld.global.nc.u32 %r3, [%rd2]; add.u32 %r2, %r2, %r3;\n\
                st.u32 [%rd1+4], %r2;";
    let block = read::block(&kernel(body), &Interface::default()).unwrap();
    assert_eq!(names(&block, block.inputs()), ["[q] 32", "n 32"]);
    assert_eq!(block.eval(&[10, 3]).unwrap(), [3, 14]);
    // A structure as a parameter, through its address.
    let text = format!(
        "{HEAD}.func (.param .align 4 .b8 r[8]) f (.param .align 8 .b8 s[16])\n{{ .reg .b32 x, y; .reg .b64 t, a; mov.b64 a, s;\n\
         ld.param.b32 x, [a+4]; ld.param.b64 t, [s+8]; ld.b32 y, [t]; st.param.b32 [r], y; st.param.b32 [r+4], x; ret; }}"
    );
    let block = read::block(&text, &Interface::default()).unwrap();
    assert_eq!(names(&block, block.inputs()), ["s+4 32", "[(s+8)] 32"]);
    assert_eq!(names(&block, block.outputs()), ["r 32", "r+4 32"]);
    assert_eq!(block.eval(&[1, 2]).unwrap(), [2, 1]);
}

/// Functions of a module, and blocks of a function, may have labels of one name.
#[test]
fn labels_are_those_of_their_block() {
    let function = |name: &str, body: &str| {
        format!(
            ".func (.reg .b32 r) {name} (.reg .b32 a)\n{{ .reg .pred p; setp.eq.u32 p, a, 0; mov.b32 r, a;\n{body} ret; }}\n"
        )
    };
    let text = HEAD.to_owned()
        + &function("f", "@p bra L; add.u32 r, r, 1; L: add.u32 r, r, 10;")
        + &function("g", "@p bra L; { bra L; add.u32 r, r, 1; L: add.u32 r, r, 20; } L: add.u32 r, r, 40;")
        + &function(
            "h",
            "{ @p bra L; add.u32 r, r, 1; L: } { @p bra L; add.u32 r, r, 2; L: { @!p bra L; add.u32 r, r, 4; } }",
        )
        + &function("l", "{ @p bra L; add.u32 r, r, 1; { L: add.u32 r, r, 2; } L: }");
    for (name, results) in [("f", [10, 12]), ("g", [40, 61]), ("l", [0, 4])] {
        let interface = Interface { function: Some(name.to_owned()), ..Interface::default() };
        let block = read::block(&text, &interface).unwrap();
        assert_eq!([0, 1].map(|a| block.eval(&[a]).unwrap()[0]), results, "{name}");
    }
    // A jump to the label of an outer block is a loop.
    let interface = Interface { function: Some("h".to_owned()), ..Interface::default() };
    let error = read::block(&text, &interface).unwrap_err();
    assert_eq!(error.message, "a loop: this branch jumps back to `L`");
}
