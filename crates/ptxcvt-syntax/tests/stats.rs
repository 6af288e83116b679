//! The lowest target for a module.

use ptxcvt_syntax::{CheckOptions, Source, check};

fn lowest(opcodes: &[&str]) -> Option<(String, String)> {
    let text: String = opcodes.iter().map(|opcode| format!("{opcode} a;\n")).collect();
    let found = check(&Source::new("k.ptx", text.as_bytes()), &CheckOptions::default().snippet(true));
    found.stats.lowest().map(|lowest| (lowest.target.to_string(), lowest.isa.to_string()))
}

/// Code for a family runs on more machines than code for one architecture, so `f` is lower than `a`.
#[test]
fn a_family_is_lower_than_an_architecture() {
    let of = |opcodes: &[&str]| lowest(opcodes).map(|(target, _)| target);
    assert_eq!(of(&["cvt.rn.satfinite.e2m1x2.f32"]).as_deref(), Some("sm_100f"));
    assert_eq!(of(&["cvt.rs.f16x2.f32"]).as_deref(), Some("sm_100a"));
    assert_eq!(of(&["cvt.rn.satfinite.e4m3x2.f32"]).as_deref(), Some("sm_89"));
    assert_eq!(of(&["cvt.rn.f16.f32"]).as_deref(), Some("sm_50"));
    assert_eq!(lowest(&["cvt.rn.satfinite.e2m1x2.f32"]).unwrap().1, "8.8");
}
