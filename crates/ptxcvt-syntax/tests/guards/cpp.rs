//! The evaluation of these tests agrees with GCC's `cpp`.

use std::collections::HashMap;
use std::io::Write;
use std::process::{Command, Stdio};

use ptxcvt::Target;
use ptxcvt::inputs::SplitMix64;

use super::Nest;
use super::evaluate::{Configuration, Own, reached, value};
use super::tree::{Style, one_of};

/// Names that a compiler for CUDA defines in some configurations.
const PREDEFINED: [&str; 8] = [
    "__CUDA_ARCH__",
    "__CUDA_ARCH_SPECIFIC__",
    "__CUDA_ARCH_FAMILY_SPECIFIC__",
    "__CUDA_ARCH_FEAT_SM90_ALL",
    "__CUDA_ARCH_FEAT_SM100_ALL",
    "CUDA_VERSION",
    "__CUDACC_VER_MAJOR__",
    "__CUDACC_VER_MINOR__",
];

#[test]
#[ignore = "needs cpp, takes minutes"]
fn cpp_compiles_the_same_assemblies() {
    let mut random = SplitMix64::new(7);
    let (mut compiled, mut refused) = (0, 0);
    for number in 0..300 {
        let nest = Nest::random(&mut random, number, 3, false);
        let text: String = nest.text.lines().enumerate().fold(String::new(), |text, (n, line)| {
            let marked = nest.lines.get(&(n + 1)).map(|(assembly, _)| format!("ASSEMBLY {assembly}"));
            text + marked.as_deref().unwrap_or(line) + "\n"
        });
        for _ in 0..4 {
            let targets: Vec<Target> = Target::all().collect();
            let flag = |random: &mut SplitMix64| one_of(random, &[None, Some(-1), Some(0), Some(1), Some(2)]);
            let flags: HashMap<_, _> =
                nest.style.flags().map(|name| (name, flag(&mut random))).into_iter().collect();
            let at = Configuration {
                target: (random.below(20) > 0).then(|| one_of(&mut random, &targets)),
                toolkit: one_of(&mut random, &[(9, 0), (11, 8), (12, 1), (12, 8), (13, 0)]),
                flags: &flags,
            };
            let mut found = Vec::new();
            let fails = reached(&nest.items, &at, &mut Own::default(), &mut found);
            let (other, other_fails) = preprocessed(&text, nest.style, &at);
            assert_eq!((&found, fails), (&other, other_fails), "nest {number}, {:?}\n{text}", at.target);
            compiled += found.len();
            refused += usize::from(fails);
        }
    }
    assert!(compiled > 1_000 && refused > 20, "{compiled} {refused}");
}

/// The assemblies that `cpp` leaves in a configuration, and whether it met an `#error`.
fn preprocessed(text: &str, style: Style, at: &Configuration<'_>) -> (Vec<usize>, bool) {
    let mut cpp = Command::new("cpp");
    cpp.args(["-P", "-w", "-D__CUDA_ARCH_HAS_FEATURE__(x)=__CUDA_ARCH_FEAT_##x"]);
    let number = |name: &str| value(name, at, &Own::default());
    for name in PREDEFINED {
        cpp.args(number(name).map(|number| format!("-D{name}={number}")));
    }
    let feature = at.target.map(|target| format!("-D__CUDA_ARCH_FEAT_SM{}_ALL=1", target.sm()));
    let specific = at.target.is_some_and(|target| target.suffix() == ptxcvt::targets::Suffix::Architecture);
    cpp.args(feature.filter(|_| specific));
    let [first, second] = style.flags().map(number);
    match style {
        Style::Calls => {
            let (first, second) = (first.unwrap_or(0), second.unwrap_or(0));
            cpp.arg(format!("-DVERSION_AT(a,b)=((a)==12?{first}:{second})"));
        }
        Style::Exact | Style::Loose => {
            for (name, number) in style.flags().into_iter().zip([first, second]) {
                cpp.args(number.map(|number| format!("-D{name}={number}")));
            }
        }
    }
    let mut child =
        cpp.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("cpp");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("cpp reads its input");
    let output = child.wait_with_output().expect("cpp");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let errors = messages.lines().filter(|line| line.contains(" error: "));
    let (refusals, others): (Vec<_>, Vec<_>) = errors.partition(|line| line.contains("#error"));
    assert!(others.is_empty(), "{messages}\n{text}");
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let numbers = lines.lines().filter_map(|line| line.strip_prefix("ASSEMBLY ")?.parse().ok());
    (numbers.collect(), !refusals.is_empty())
}
