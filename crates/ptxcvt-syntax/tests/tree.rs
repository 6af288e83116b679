//! The tree has every operand of every kind of instruction, and all of the text.

use std::path::Path;

use ptxcvt_syntax::parse::{
    Constant, Entity, Node, Operand, OperandKind, Placeholder, Reference, Sign, Tail, Tree,
};

/// An operand in a notation of this test.
fn show(operand: &Operand<'_>) -> String {
    let list = |operands: &[Operand<'_>]| operands.iter().map(show).collect::<Vec<_>>().join(" ");
    match &operand.kind {
        OperandKind::Name(reference) => reference_text(reference),
        OperandKind::Placeholder(reference) => {
            assert!(Placeholder::from_text(reference.name.text).is_some(), "{reference:?}");
            format!("<{}>", reference_text(reference))
        }
        OperandKind::Constant(Ok(Constant::Integer(i))) => i.bits.to_string(),
        OperandKind::Constant(Ok(constant)) => format!("{constant:?}"),
        OperandKind::Vector(elements) => format!("vector({})", list(elements)),
        OperandKind::Address(parts) => format!("address({})", list(parts)),
        OperandKind::List(parts) => format!("list({})", list(parts)),
        OperandKind::Sink => "_".into(),
        other => format!("{other:?}"),
    }
}

fn reference_text(reference: &Reference<'_>) -> String {
    let sign = match reference.sign {
        Some(Sign::Minus) => "-",
        Some(Sign::Not) => "!",
        None => "",
    };
    let selector = reference.selector.map_or("", |word| word.text);
    let tail = match &reference.tail {
        Some(Tail::Offset(Ok(Constant::Integer(i)))) => format!("{:+}", i.bits),
        Some(Tail::Index(Ok(Constant::Integer(i)))) => format!("[{}]", i.bits),
        Some(Tail::Predicate(word)) => format!("|{}", word.text),
        Some(other) => format!("{other:?}"),
        None => String::new(),
    };
    format!("{sign}{}{selector}{tail}", reference.name.text)
}

#[test]
fn operands_of_every_shape() {
    for (text, opcode, operands) in [
        ("ret;", "ret", &[][..]),
        ("mov.u32 %r1, %tid.x;", "mov.u32", &["%r1", "%tid.x"]),
        ("mov.b64 {%r1, _}, %rd1;", "mov.b64", &["vector(%r1 _)", "%rd1"]),
        (
            "ld.global.v2.f32 {%f1,%f2}, [%rd1+-8];",
            "ld.global.v2.f32",
            &["vector(%f1 %f2)", "address(%rd1-8)"],
        ),
        ("st.shared.u8 [buf-4], 'x';", "st.shared.u8", &[]),
        ("st.shared.u8 [buf-4], 5;", "st.shared.u8", &["address(buf-4)", "5"]),
        ("ld.u32 a, [4096];", "ld.u32", &["a", "address(4096)"]),
        ("ld.const.u32 a, table[2];", "ld.const.u32", &["a", "table[2]"]),
        ("setp.lt.and.s32 p|q, a, b, !r;", "setp.lt.and.s32", &["p|q", "a", "b", "!r"]),
        ("setp.eq.u32 _|q, a, b;", "setp.eq.u32", &["_|q", "a", "b"]),
        ("vadd.u32.u32.u32 d, -a.b0, b.h1, c;", "vadd.u32.u32.u32", &["d", "-a.b0", "b.h1", "c"]),
        ("lop3.b32 d, a, b, c, (0xF0 & 0xCC);", "lop3.b32", &["d", "a", "b", "c", "192"]),
        (
            "fma.rn.f32 d, a, 0f3F800000, -1.5;",
            "fma.rn.f32",
            &["d", "a", "Bits32(1065353216)", "Decimal(-1.5)"],
        ),
        ("shfl.sync.bfly.b32 d|p, a, 16, 31, -1;", "shfl.sync.bfly.b32", &["d|p", "a", "16", "31", "-1"]),
        ("call (%r1), f, (%a, 7), proto;", "call", &["list(%r1)", "f", "list(%a 7)", "proto"]),
        ("call.uni f, ();", "call.uni", &["f", "list()"]),
        (
            "tex.2d.v4.f32.f32 {a,b,c,d}, [t, {x, y}];",
            "tex.2d.v4.f32.f32",
            &["vector(a b c d)", "address(t vector(x y))"],
        ),
        (
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [d], [m, {a, b}], [c];",
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes",
            &["address(d)", "address(m vector(a b))", "address(c)"],
        ),
        ("brx.idx %r1, targets;", "brx.idx", &["%r1", "targets"]),
        ("add.s32 %0, -%1, $2;", "add.s32", &["<%0>", "<-%1>", "<$2>"]),
        ("mov.b32 {$w0}, {$r1};", "mov.b32", &["<{$w0}>", "<{$r1}>"]),
        ("ld.global.u32 %[out], [%[in]+4];", "ld.global.u32", &["<%[out]>", "address(<%[in]+4>)"]),
        ("bra LAB_%=;", "bra", &["LAB_%="]),
        ("bra LAB_${:uid};", "bra", &["LAB_${:uid}"]),
        ("add . u32 /* in pieces */ a, b, WARP_SZ;", "add", &[]),
        ("add /* in pieces */ .u32 a, b, WARP_SZ;", "add.u32", &["a", "b", "32"]),
    ] {
        let tree = Tree::of_snippet(text);
        if operands.is_empty() && opcode != "ret" {
            assert!(!tree.problems.is_empty(), "{text}");
            continue;
        }
        assert!(tree.problems.is_empty(), "{text}: {:?}", tree.problems);
        let [Node::Instruction(instruction)] = &tree.nodes[..] else { panic!("{text}: {:?}", tree.nodes) };
        assert_eq!(instruction.opcode.text(), opcode);
        let found: Vec<String> = instruction.operands.iter().map(show).collect();
        assert_eq!(found, operands, "{text}");
        assert_eq!(instruction.span.end as usize, text.len() - 1, "{text}");
    }
}

/// An unknown operand has its place in the tree, and its neighbours are still read.
#[test]
fn the_unknown_is_passed() {
    let text = "future.op a, generic(b), {c, d}|p, [e].f, g;";
    let tree = Tree::of_snippet(text);
    assert!(tree.problems.is_empty(), "{:?}", tree.problems);
    let operands = &tree.instructions().next().expect("one").operands;
    let texts: Vec<&str> = operands.iter().map(|o| &text[o.span.range()]).collect();
    assert_eq!(texts, ["a", "generic(b)", "{c, d}|p", "[e].f", "g"]);
    let other: Vec<bool> = operands.iter().map(|o| o.kind == OperandKind::Other).collect();
    assert_eq!(other, [false, true, true, true, false]);
}

/// ptxas refuses each of these modules, too. A snippet may compute a constant.
#[test]
fn operators_begin_no_operand() {
    let refused = [
        "future.op %.rn.f16.f32 d, a;",
        "cv%.rn.f16.f32 d, a;",
        "future a, % b;",
        "future *a;",
        "future =a;",
    ];
    for text in refused {
        let module = [".version 9.1\n.target sm_90\n.entry k() {\n", text, "\n}\n"].concat();
        assert!(!Tree::of_module(&module).problems.is_empty(), "{text}");
    }
    let tree = Tree::of_snippet("future.op a, 5 % 3, b * 2;");
    assert!(tree.problems.is_empty(), "{:?}", tree.problems);
}

#[test]
fn declarations_guards_and_blocks() {
    let text = ".version 9.1\n.target sm_90, debug\n.visible .entry k(.param .u64 p) {\n.reg .b32 %r<4>;\n\
                .loc 1 2 3\nL: @!%q bra L;\n{ .reg .v2 .f32 v; }\nret;\n}\n";
    let tree = Tree::of_module(text);
    assert!(tree.problems.is_empty(), "{:?}", tree.problems);
    let names: Vec<_> = tree.declarations().map(|d| (d.name.text, d.count)).collect();
    assert_eq!(names, [("k", None), ("p", None), ("%r", Some(4)), ("L", None), ("v", None)]);
    let lanes = tree.declarations().find_map(|d| match d.entity {
        Entity::Register { lanes: lanes @ 2.., .. } => Some(lanes),
        _ => None,
    });
    assert_eq!(lanes, Some(2));
    assert!(tree.nodes.iter().any(|n| matches!(n, Node::Version(w) if w.text == "9.1")));
    assert!(tree.nodes.iter().any(|n| matches!(n, Node::Target(names) if names.len() == 2)));
    assert!(tree.nodes.iter().any(
        |n| matches!(n, Node::Directive(w, span) if w.text == ".loc" && &text[span.range()] == ".loc 1 2 3")
    ));
    let open = tree.nodes.iter().filter(|n| matches!(n, Node::Open(_))).count();
    let close = tree.nodes.iter().filter(|n| matches!(n, Node::Close(_))).count();
    assert_eq!((open, close), (2, 2));
    let guard = tree.instructions().next().and_then(|i| i.guard.as_ref()).expect("a guard");
    assert_eq!(show(guard), "!%q");
}

/// In modules of compilers every operand is understood.
#[test]
fn real_modules() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ptx");
    let mut instructions = 0;
    for entry in std::fs::read_dir(directory).expect("tests/ptx").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with("real-") || !name.ends_with(".ptx") {
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).expect("a file");
        let tree = Tree::of_module(&text);
        assert!(tree.problems.is_empty(), "{name}: {:?}", tree.problems);
        for instruction in tree.instructions() {
            instructions += 1;
            for operand in &instruction.operands {
                let text = &text[operand.span.range()];
                assert!(operand.kind != OperandKind::Other, "{name}: {text}");
            }
        }
    }
    assert!(instructions > 150, "{instructions}");
}

/// The assembler reads the name `cvt.pack` as one word, and the other parts of an opcode as words of their own.
#[test]
fn the_name_cvt_pack_is_one_word() {
    for (text, expected) in [
        ("cvt.pack.sat.u8.s32.b32 a, b, c, d;", 0),
        ("cvt.pack .sat /* x */ .u8.s32\n.b32 a, b, c, d;", 0),
        ("cvt .rn.f16.f32 h, f;", 0),
        ("cvt .pack.sat.u8.s32.b32 a, b, c, d;", 1),
        ("cvt\n.pack.sat.u8.s32.b32 a, b, c, d;", 1),
        ("cvt/**/.pack.sat.u8.s32.b32 a, b, c, d;", 1),
    ] {
        let tree = Tree::of_snippet(text);
        let messages: Vec<_> = tree.problems.iter().map(ToString::to_string).collect();
        assert_eq!(messages.len(), expected, "{text}: {messages:?}");
    }
}
