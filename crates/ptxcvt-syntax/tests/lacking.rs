//! A version that does not have the target: one finding about it, whose help is enough for every conversion, and no message
//! that states another version.

use ptxcvt::targets::Machine;
use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_syntax::fix::{Applicability, fix};
use ptxcvt_syntax::{CheckOptions, LiveModule, PtxCode, Source, check};

/// Forms of several versions, of which every target has some.
const OPCODES: [&str; 6] = [
    "cvt.rn.f16.f32",
    "cvt.rn.bf16.f32",
    "cvt.rn.satfinite.e4m3x2.f32",
    "cvt.rn.satfinite.e2m1x2.f32",
    "cvt.rs.satfinite.e4m3x4.f32",
    "cvt.rn.satfinite.s2f6x2.f32",
];

/// Pairs of a target and a version that does not have it.
fn pairs() -> impl Iterator<Item = (Target, IsaVersion)> {
    Target::all().flat_map(|target| {
        IsaVersion::all().filter(move |isa| !target.exists_in(*isa)).map(move |isa| (target, isa))
    })
}

/// A module with a conversion for each form. Its registers are not declared, which is another finding.
fn module(target: Target, isa: IsaVersion, forms: &[Form]) -> String {
    let line = |form: &Form| {
        let operands: Vec<String> = (0..form.operands().count()).map(|n| format!("%v{n}")).collect();
        format!("  {form} {};\n", operands.join(", "))
    };
    let lines: String = forms.iter().map(line).collect();
    format!(".version {isa}\n.target {target}\n.entry k {{\n{lines}  ret;\n}}\n")
}

#[test]
fn one_help_is_enough() {
    let all: Vec<Form> = OPCODES.iter().map(|opcode| opcode.parse().expect("a form")).collect();
    let (mut raised, mut renamed) = (0, 0);
    for (target, isa) in pairs() {
        let forms: Vec<Form> = all.iter().copied().filter(|form| form.since(target).is_some()).collect();
        let text = module(target, isa, &forms);
        let options = CheckOptions::default();
        let source = Source::new("k.ptx", text.as_bytes());
        let of_machine = |text: &str| {
            let found = check(&Source::new("k.ptx", text.as_bytes()), &options).diagnostics;
            let codes =
                [PtxCode::TargetVersion.into(), ptxcvt::Code::Version.into(), ptxcvt::Code::Target.into()];
            found.into_iter().filter(|found| codes.contains(&found.code())).collect::<Vec<_>>()
        };
        let found = of_machine(&text);
        let [one] = &found[..] else { panic!("{text}{found:#?}") };
        assert_eq!(one.code(), PtxCode::TargetVersion.into());
        let error = Machine::new(Some(target), Some(isa)).unwrap_err();
        assert_eq!(one.message(), error.to_string());
        let needed = forms.iter().filter_map(|form| form.since(target)).max();
        assert_eq!(one.help(), Some(error.correction(needed).unwrap().text()), "{text}");
        match target.renamed().filter(|_| isa >= target.introduced()) {
            Some(name) => {
                assert_eq!(one.help(), Some(&*format!("build for {name}")));
                renamed += 1;
            }
            None => {
                raised += usize::from(needed > Some(target.introduced()));
                // The fix of the one finding removes it, and every conversion is legal then.
                let edit = one.fix().expect("a fix").edits()[0].clone();
                let mut fixed = text.clone();
                fixed.replace_range(edit.span.range(), &edit.text);
                assert_eq!(of_machine(&fixed), [], "{fixed}");
            }
        }
        // An editor shows the same, also if the conversions are in other stretches than the head.
        let mut live = LiveModule::with_stretches(text.clone(), options, 1);
        assert_eq!(live.diagnostics(), check(&source, &options).diagnostics);
        // The options' version is not the module's.
        let chosen = CheckOptions::default().machine(Machine::new(None, Some(isa)).expect("a version"));
        let of_option = check(&source, &chosen).diagnostics;
        let one =
            of_option.iter().find(|found| found.code() == PtxCode::TargetVersion.into()).expect("a finding");
        assert!(one.fix().is_none() || one.help().unwrap().starts_with("build for "), "{one:?}");
        assert!(!one.help().unwrap().contains(".version"), "{one:?}");
    }
    assert!(raised > 100 && renamed > 10, "{raised} {renamed}");
}

/// No message about a conversion states a version that the module does not declare.
#[test]
fn no_message_states_another_version() {
    let text = ".version 7.0\n.target sm_89\n.entry k {\n  .reg .b16 h; .reg .b8 c; .reg .f32 a;\n  cvt.f16.f32 h, a;\n  \
                cvt.rn.satfinite.e4m3x2.f32 h, a, a;\n  cvt.rn.e4m3x2.f32 h, a, a;\n  \
                cvt.rn.satfinite.e2m1x2.f32 c, a, a;\n  ret;\n}\n";
    let source = Source::new("k.ptx", text.as_bytes());
    let found = check(&source, &CheckOptions::default()).diagnostics;
    assert!(found.len() >= 4, "{found:#?}");
    for finding in &found {
        for wrong in ["the version is", "version 7.8", "ISA 7.8:", "at ISA"] {
            assert!(!finding.message().contains(wrong), "{finding:?}");
        }
    }
    let asks =
        |found: &&ptxcvt_syntax::Diagnostic| found.help().is_some_and(|help| help.contains(".version"));
    assert_eq!(found.iter().filter(asks).count(), 1, "{found:#?}");
    // Round by round, nothing about target and version is left.
    let fixed = fix(&source, Applicability::Unsafe, |source| check(source, &CheckOptions::default()));
    assert!(!fixed.text.starts_with(".version 7.") && fixed.left.diagnostics.is_empty(), "{}", fixed.text);
}
