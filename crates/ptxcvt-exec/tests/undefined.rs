//! Registers that may be read before they are written.

use ptxcvt_exec::read::{self, Interface};

/// The names of the registers that are found, each with the instruction that may read it too early.
fn found(body: &str) -> Vec<(String, Option<usize>)> {
    let text = format!("{{ .reg .pred p, q; .reg .u32 y, z; {body} }}");
    let block = read::block(&text, &Interface::constraints("=r,r").unwrap())
        .unwrap_or_else(|e| panic!("{text}: {e}"));
    let found = block.possibly_undefined();
    found.iter().map(|u| (block.declaration(u.register).name.clone(), u.instruction)).collect()
}

#[test]
fn written_under_a_guard_and_read_without() {
    let text = "setp.lt.u32 p, %1, 5; @p add.u32 y, %1, 1; mov.u32 %0, y;";
    assert_eq!(found(text), [("y".into(), Some(2))]);
    // The output itself.
    assert_eq!(found("setp.lt.u32 p, %1, 5; @p add.u32 %0, %1, 1;"), [("%0".into(), None)]);
    // Under the other guard.
    let text = "setp.lt.u32 p, %1, 5; mov.u32 %0, 0; @p add.u32 y, %1, 1; @!p mov.u32 %0, y;";
    assert_eq!(found(text), [("y".into(), Some(3))]);
    // The predicate is another one by then.
    let text =
        "setp.lt.u32 p, %1, 5; @p mov.u32 y, 1; setp.lt.u32 p, %1, 6; mov.u32 %0, 0; @p mov.u32 %0, y;";
    assert_eq!(found(text), [("y".into(), Some(4))]);
    // Each register once, at its first place.
    let text = "setp.lt.u32 p, %1, 5; @p mov.u32 y, 1; add.u32 z, y, y; add.u32 %0, y, z;";
    assert_eq!(found(text), [("y".into(), Some(2))]);
}

#[test]
fn written_in_every_case() {
    for text in [
        "setp.lt.u32 p, %1, 5; @p add.u32 y, %1, 1; @!p mov.u32 y, 0; mov.u32 %0, y;",
        "setp.lt.u32 p, %1, 5; @p mov.u32 y, 1; mov.u32 %0, 0; @p mov.u32 %0, y;",
        "setp.lt.u32 p|q, %1, 5; @p mov.u32 y, 1; @q mov.u32 y, 2; mov.u32 %0, y;",
        "setp.lt.u32 p, %1, 5; not.pred q, p; @p mov.u32 y, 1; @q mov.u32 y, 2; mov.u32 %0, y;",
        "setp.lt.u32 p, %1, 5; mov.u32 y, 0; @p mov.u32 y, 1; mov.u32 %0, y;",
        "mov.u32 %0, %1;",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

/// The two predicates of a comparison that is combined with a third may both be false.
#[test]
fn combined_predicates_are_no_opposites() {
    let text = "setp.ne.u32 p, %1, 7; setp.lt.and.u32 p|q, %1, 5, p; @p mov.u32 y, 1; @q mov.u32 y, 2; mov.u32 %0, y;";
    assert_eq!(found(text), [("y".into(), Some(4))]);
}
