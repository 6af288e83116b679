//! The targets that values in a build file name: `-arch`, `-gencode`, `CMAKE_CUDA_ARCHITECTURES`,
//! `TORCH_CUDA_ARCH_LIST`.
//!
//! NVCC's manual, "Options for steering GPU code generation"; CMake's manual, `CUDA_ARCHITECTURES`; PyTorch's
//! `torch.utils.cpp_extension`.

use ptxcvt::Target;

use crate::identifier::is_plain_char;

/// The targets that a build file names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// The supported targets, in the order of the file, with duplicates.
    pub targets: Vec<Target>,
    /// True if the file builds for every target.
    pub all: bool,
    /// Some targets are the values of variables, or the GPUs of the machine that builds.
    pub open: bool,
    /// Some targets are defaults, which a build may override: `set(… CACHE …)`, `X ?= 90`.
    pub default: bool,
    /// The names of unsupported targets.
    pub unknown: Vec<String>,
}

/// The meaning of a word of a list.
enum Word {
    Targets(Vec<Target>),
    All,
    Open,
    /// A number that no known target has.
    Unknown,
    /// Nothing: a keyword or another variable's value.
    Other,
}

/// The names of generations that PyTorch expands in `TORCH_CUDA_ARCH_LIST`, in `_get_cuda_arch_flags` of
/// `torch/utils/cpp_extension.py` (PyTorch 2.15).
const NAMES: [(&str, &[&str]); 15] = [
    ("Kepler+Tesla", &["3.7"]),
    ("Kepler", &["3.5"]),
    ("Maxwell+Tegra", &["5.3"]),
    ("Maxwell", &["5.0", "5.2"]),
    ("Pascal", &["6.0", "6.1"]),
    ("Volta+Tegra", &["7.2"]),
    ("Volta", &["7.0"]),
    ("Turing", &["7.5"]),
    ("Ampere+Tegra", &["8.7"]),
    ("Ampere", &["8.0", "8.6"]),
    ("Ada", &["8.9"]),
    ("Hopper", &["9.0"]),
    ("Blackwell+Tegra", &["11.0"]),
    ("Blackwell", &["10.0", "10.3", "12.0", "12.1"]),
    ("Rubin", &["10.7"]),
];

/// The names of variables and properties whose values are lists of targets.
/// CMake's variable of the environment is `CUDAARCHS`.
pub(super) const LISTS: [&str; 4] =
    ["TORCH_CUDA_ARCH_LIST", "CMAKE_CUDA_ARCHITECTURES", "CUDA_ARCHITECTURES", "CUDAARCHS"];

/// True for such a name.
pub fn lists(name: &str) -> bool {
    LISTS.contains(&name)
}

/// True for the text before the `=` of an option that sets a list: `-DCMAKE_CUDA_ARCHITECTURES:STRING`.
fn assigns_list(name: &str) -> bool {
    let name = name.split(':').next().unwrap_or(name);
    let name = name.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or(name);
    lists(name.strip_prefix('D').filter(|name| lists(name)).unwrap_or(name))
}

/// Programs that accept options for the build, and programs that call such programs.
const PROGRAMS: [&str; 26] = [
    "bash", "bazel", "c++", "ccache", "clang", "clang++", "cmake", "ctest", "docker", "env", "exec",
    "export", "g++", "gcc", "make", "meson", "ninja", "nvcc", "pip", "pip3", "python", "python3", "sccache",
    "sh", "sudo", "time",
];

/// True if a text can be a command or its options, and is not one that people read.
pub fn is_command(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let Some(first) = words.next() else { return true };
    let is_variable =
        |word: &&str| word.split_once('=').is_some_and(|(name, _)| name.chars().all(is_plain_char));
    let begins = |word: &str| {
        let program = word.rsplit('/').next().unwrap_or(word);
        word.starts_with(['-', '$', '%', '@'])
            || word.contains('=')
            || word.starts_with("SHELL:")
            || PROGRAMS.contains(&program)
    };
    match words.next() {
        None => true,
        // `X=8.0 make`, `X=8.0 9.0`; `X=8.0 is too old` is prose.
        Some(second) if is_variable(&first) => std::iter::once(second)
            .chain(words)
            .find(|word| !is_variable(word))
            .is_none_or(|word| begins(word) || word.contains('/') || !matches!(meaning(word), Word::Other)),
        Some(_) => begins(first),
    }
}

/// True if options or values in a text name targets.
pub fn mentions(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut named = Targets::default();
    words.iter().for_each(|word| named.assignment(word));
    named.options(&words);
    named.all || named.open || !named.targets.is_empty()
}

/// True for a text that people read, in which options or values name targets.
pub fn is_prose(text: &str) -> bool {
    !is_command(text) && mentions(text)
}

impl Targets {
    /// Reads a text that may name targets for which the program builds.
    pub(super) fn mention(&mut self, text: &str) {
        self.open |= mentions(text);
    }

    /// Reads the values of a list's variable.
    pub(super) fn values(&mut self, values: &[&str]) {
        let values = values.iter().map(|value| {
            let default = shell_default(value);
            self.default |= default.is_some();
            default.unwrap_or(value)
        });
        let values: Vec<&str> = values.collect();
        for word in values.iter().flat_map(|value| words(value)) {
            match meaning(word) {
                Word::Targets(targets) => self.targets.extend(targets),
                Word::All => self.all = true,
                Word::Open => self.open = true,
                Word::Unknown => self.unknown.push(word.to_owned()),
                Word::Other => {}
            }
        }
    }

    /// True if nothing is said about targets.
    pub(super) fn is_empty(&self) -> bool {
        *self == Targets::default()
    }

    /// Adds what another part of the file says.
    pub(super) fn add(&mut self, other: Targets) {
        self.targets.extend(other.targets);
        self.unknown.extend(other.unknown);
        self.all |= other.all;
        self.open |= other.open;
        self.default |= other.default;
    }

    /// Reads `TORCH_CUDA_ARCH_LIST=9.0`, `-DCMAKE_CUDA_ARCHITECTURES:STRING=90a`, and the options in a value:
    /// `cmake.args=-DCMAKE_CUDA_ARCHITECTURES=90a;-DX=1`.
    pub(super) fn assignment(&mut self, word: &str) {
        let Some((name, value)) = word.split_once('=') else { return };
        if assigns_list(name) {
            return self.values(&[value]);
        }
        if !LISTS.iter().any(|name| value.contains(name)) {
            return;
        }
        if value.contains(['"', '\'']) {
            return self.mention(value);
        }
        for option in value.replace(";-", " -").split_whitespace() {
            let mut rest = option;
            while let Some((name, value)) = rest.split_once('=') {
                if assigns_list(name) {
                    self.values(&[value]);
                    break;
                }
                rest = value;
            }
        }
    }

    /// Reads the options of NVCC in the words of a command.
    pub(super) fn options(&mut self, words: &[&str]) {
        let split = |word: &&str| word.split([';', ' ', '\n', '\t']).map(str::to_owned).collect::<Vec<_>>();
        let words: Vec<String> = words.iter().flat_map(split).filter(|word| !word.is_empty()).collect();
        // The option whose value is the next word.
        let mut before = "";
        for word in &words {
            let option = word.trim_start_matches(['"', '\'']);
            let option = option.strip_prefix("SHELL:").unwrap_or(option);
            match std::mem::replace(&mut before, option) {
                "-arch" | "--gpu-architecture" => {
                    self.architectures(word);
                    continue;
                }
                "-gencode" | "--generate-code" => self.open |= is_inserted(word),
                _ => {}
            }
            let code =
                ["-gencode=", "--generate-code="].into_iter().find_map(|name| option.strip_prefix(name));
            self.open |= code.is_some_and(is_inserted);
            for option in ["arch=", "gpu-architecture=", "cuda-gpu-arch=", "offload-arch="] {
                for (at, _) in word.match_indices(option) {
                    let before = word[..at].trim_end_matches('-');
                    // `-march` is an option of compilers for the host.
                    if !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
                        || before.ends_with("-gencode")
                    {
                        self.architectures(&word[at + option.len()..]);
                    }
                }
            }
        }
        // The value is not a literal in the program.
        self.open |= ["-arch", "--gpu-architecture", "-gencode", "--generate-code"].contains(&before);
    }

    /// Reads an argument of xmake's `add_cugencodes`: `compute_80,sm_86` is `-gencode arch=compute_80,code=sm_86`, and
    /// `sm_80,sm_86` has `arch=compute_80`.
    pub(super) fn gencode(&mut self, value: &str) {
        let parts = || value.split(',').map(str::trim);
        let compiled = parts().find(|part| part.starts_with("compute_")).or_else(|| parts().next());
        self.architectures(compiled.unwrap_or(value));
    }

    /// Reads the value of `arch=`. The value of `code=` does not count: the compiler defines `__CUDA_ARCH__` only by
    /// `arch=`, and writes this target into the PTX that is assembled for `code=`.
    fn architectures(&mut self, value: &str) {
        let value = value.split("code=").next().unwrap_or(value);
        for part in value.split([',', '[', ']']) {
            let part = part.trim_matches(['"', '\'', '\\', '>', ')']);
            match part {
                "" => continue,
                "all" | "all-major" => self.all = true,
                "native" => self.open = true,
                _ => {}
            }
            let number = ["sm_", "compute_", "lto_"].into_iter().find_map(|begin| part.strip_prefix(begin));
            match number {
                Some(number) if number.is_empty() || is_inserted(number) || number.contains(['"', '\'']) => {
                    self.open = true
                }
                Some(number) => {
                    let end = number.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(number.len());
                    match target(&number[..end]) {
                        Some(target) => self.targets.push(target),
                        None => self.unknown.push(format!("sm_{}", &number[..end])),
                    }
                }
                None => self.open |= is_inserted(part),
            }
        }
    }
}

/// True for a word in which a program or a build tool inserts a value: `$(ARCH)`, `{}`, `%s`, and `@0@` of Meson.
fn is_inserted(word: &str) -> bool {
    word.contains(['$', '{', '%', '@', '`'])
}

/// The default in `${TORCH_CUDA_ARCH_LIST:-8.0 9.0}`, which a shell uses if the variable is not set.
fn shell_default(value: &str) -> Option<&str> {
    let inner = value.trim().trim_matches('"').strip_prefix("${")?.strip_suffix('}')?;
    let (_, rest) = inner.split_at(inner.find(|c| !is_plain_char(c))?);
    let default = [":-", ":=", "-", "="].into_iter().find_map(|operator| rest.strip_prefix(operator));
    default.filter(|default| !default.trim().is_empty())
}

/// The words of a list.
fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(|c: char| c.is_whitespace() || ";,\"'=[]:".contains(c)).filter(|word| !word.is_empty())
}

/// The meaning of a word of a list: `90a`, `90-real`, `9.0a+PTX`, `8.9(8.0)`, `Hopper`, `all`, `native`, `${ARCHS}`.
fn meaning(word: &str) -> Word {
    // `${ARCHS:-8.0 9.0}` has its first item after a hyphen.
    let word = word.trim_matches(['(', ')', '{', '}']).trim_start_matches('-');
    match word {
        "all" | "all-major" | "All" | "Common" => return Word::All,
        "native" | "Auto" => return Word::Open,
        _ if word.contains('$') => return Word::Open,
        _ => {}
    }
    // `8.9(8.0)` runs on sm_89 what was compiled for sm_80.
    let word = word.split_once('(').map_or(word, |(_, compiled)| compiled);
    let word =
        ["-real", "-virtual", "+PTX"].iter().fold(word, |word, end| word.strip_suffix(end).unwrap_or(word));
    if let Some((_, versions)) = NAMES.iter().find(|(name, _)| *name == word) {
        return Word::Targets(
            versions.iter().map(|v| version(v).expect("the names are those of targets")).collect(),
        );
    }
    match target(word).or_else(|| version(word)) {
        Some(target) => Word::Targets(vec![target]),
        None if word.starts_with(|c: char| c.is_ascii_digit()) => Word::Unknown,
        None => Word::Other,
    }
}

/// `90a` is sm_90a.
fn target(number: &str) -> Option<Target> {
    format!("sm_{number}").parse().ok()
}

/// `9.0a` is sm_90a.
fn version(number: &str) -> Option<Target> {
    let (major, minor) = number.split_once('.')?;
    target(&format!("{major}{minor}"))
}
