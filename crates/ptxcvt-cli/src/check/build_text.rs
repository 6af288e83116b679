//! Reads the targets from the text of a build file: `-arch`, `-gencode`, `CMAKE_CUDA_ARCHITECTURES`,
//! `TORCH_CUDA_ARCH_LIST`.
//!
//! NVCC's manual, "Options for steering GPU code generation"; CMake's manual, `CUDA_ARCHITECTURES`; PyTorch's
//! `torch.utils.cpp_extension`.

use std::path::Path;

use ptxcvt::Target;

/// The targets that a text of a build file names.
#[derive(Debug, Default)]
pub struct Text {
    pub targets: Vec<Target>,
    /// It builds for every target.
    pub all: bool,
    /// Some targets are the values of variables, or the GPUs of the machine that builds.
    pub open: bool,
}

/// The meaning of a word of a list.
enum Word {
    Targets(Vec<Target>),
    All,
    Open,
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

/// Beginnings of lines that print or compare, and set nothing.
const ASKS: [&str; 7] = ["message(", "print(", "echo ", "if(", "if (", "elseif(", "elseif ("];

/// Reads a build file of this name.
pub fn read(name: &Path, text: &str) -> Text {
    let text: Vec<String> = super::build_comments::without(name, text);
    let sets = |line: &&String| !ASKS.iter().any(|word| line.trim_start().starts_with(word));
    let text: Vec<&str> = text.iter().filter(sets).map(String::as_str).collect();
    let text = text.join("\n");
    let mut found = Text::default();
    for (name, torch) in [("TORCH_CUDA_ARCH_LIST", true), ("CUDA_ARCHITECTURES", false)] {
        for (at, _) in text.match_indices(name) {
            let before = text[..at].trim_end_matches("CMAKE_");
            // `${CMAKE_CUDA_ARCHITECTURES}` is a use.
            if !["$", "${", "$(", "$ENV{"].iter().any(|dollar| before.ends_with(dollar)) {
                let in_parentheses = before.trim_end_matches("ENV{").ends_with('(');
                found.list(value(&text[at + name.len()..], in_parentheses), torch);
            }
        }
    }
    text.lines()
        .filter(|line| line.contains("arch") || line.contains("code="))
        .for_each(|line| found.options(line));
    // Unknown targets are older than the first one in the table.
    found.targets.retain(|target| Target::all().any(|known| known == *target));
    found
}

/// The value after a variable's name: to the end of CMake's parentheses, or of the line.
fn value(rest: &str, in_parentheses: bool) -> &str {
    let mut depth = 0;
    let ends = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0 || (c == '\n' && !in_parentheses)
    };
    &rest[..rest.find(ends).unwrap_or(rest.len())]
}

impl Text {
    /// Reads what follows the name of a list's variable.
    fn list(&mut self, rest: &str, torch: bool) {
        let value = rest.trim_start_matches(['"', '\'', ']', '}', ' ', '\n']);
        let assigned = value.strip_prefix([':', '=']).unwrap_or(value);
        // A comparison sets nothing.
        if assigned.starts_with('=') || value.starts_with("!=") {
            return;
        }
        let is_assigned = value.len() > assigned.len();
        let before = (self.targets.len(), self.all, self.open);
        for word in words(assigned) {
            match meaning(word) {
                Word::Targets(targets) => self.targets.extend(targets),
                Word::All => self.all = true,
                Word::Open => self.open = true,
                Word::Other => {}
            }
        }
        // `TORCH_CUDA_ARCH_LIST = archs`
        let read = before != (self.targets.len(), self.all, self.open);
        self.open |= torch && is_assigned && !read && words(assigned).next().is_some();
    }

    /// Reads the options of NVCC in a line.
    fn options(&mut self, line: &str) {
        let line = without_code(line);
        for (at, option) in line.match_indices("-arch").chain(line.match_indices("--gpu-architecture")) {
            let rest = line[at + option.len()..].trim_start_matches(['=', ' ', '"', '\'', ',']);
            let end = rest.find(|c: char| !c.is_ascii_alphabetic() && c != '-').unwrap_or(rest.len());
            match &rest[..end] {
                "all" | "all-major" => self.all = true,
                "native" => self.open = true,
                _ => {}
            }
        }
        for name in ["sm_", "compute_"] {
            for (at, _) in line.match_indices(name) {
                let before = &line[..at];
                // `-march` is an option of compilers for the host.
                let host = ["march=", "mtune=", "mcpu="].iter().any(|option| before.ends_with(option));
                if host || !before.ends_with(['=', ',', '[', ' ', '"', '\'']) {
                    continue;
                }
                let rest = &line[at + name.len()..];
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
                self.open |= rest.starts_with(['$', '{', '%', '"', '\'']);
                self.targets.extend(target(&rest[..end]));
            }
        }
    }
}

/// The line without the values of `code=`: the compiler defines `__CUDA_ARCH__` by `arch=` alone, and writes its target
/// into the PTX that is assembled for `code=`.
fn without_code(line: &str) -> String {
    let (mut left, mut rest) = (String::new(), line);
    let value = |text: &str| {
        // `-gencode=` is followed by `arch=`, too.
        let is_option = |(at, _): &(usize, &str)| !text[..*at].ends_with("gen");
        let end = |name: &str| Some(text.match_indices(name).find(is_option)?.0 + name.len());
        ["code=", "-code "].into_iter().filter_map(end).min()
    };
    while let Some(at) = value(rest) {
        left.push_str(&rest[..at]);
        // Quotes may be escaped for a shell.
        rest = rest[at..].trim_start_matches('\\');
        let end = match rest.chars().next() {
            Some('[') => rest.find(']'),
            Some(quote @ ('"' | '\'')) => rest[1..].find(quote).map(|end| end + 1),
            _ => rest.find(|c: char| c.is_whitespace() || ";\"')".contains(c)),
        };
        rest = &rest[end.unwrap_or(rest.len())..];
    }
    left + rest
}

/// The words of a list.
fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(|c: char| c.is_whitespace() || ";,\"'=[]:".contains(c)).filter(|word| !word.is_empty())
}

/// The meaning of a word of a list: `90a`, `90-real`, `9.0a+PTX`, `8.9(8.0)`, `Hopper`, `all`, `native`, `${ARCHS}`.
fn meaning(word: &str) -> Word {
    let word = word.trim_matches(['(', ')', '{', '}']);
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
    target(word).or_else(|| version(word)).map_or(Word::Other, |target| Word::Targets(vec![target]))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn names(file: &str, text: &str) -> String {
        let mut targets = read(Path::new(file), text).targets;
        targets.sort();
        targets.dedup();
        targets.iter().map(|target| target.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn targets_of_build_files() {
        for (file, text, expected) in [
            ("Makefile", "nvcc -arch=sm_90a x.cu", "sm_90a"),
            (
                "Makefile",
                "nvcc -gencode arch=compute_100a,code=sm_100a -gencode=arch=compute_80,code=[sm_80,compute_80]",
                "sm_80 sm_100a",
            ),
            (
                "CMakeLists.txt",
                "set(CMAKE_CUDA_ARCHITECTURES\n  80\n  \"90a-real;120f-virtual\")\n",
                "sm_80 sm_90a sm_120f",
            ),
            ("build.sh", "cmake -DCMAKE_CUDA_ARCHITECTURES=\"90a;100a\" -B build", "sm_90a sm_100a"),
            (
                "CMakeLists.txt",
                "set_target_properties(x PROPERTIES CUDA_ARCHITECTURES \"86;89\")",
                "sm_86 sm_89",
            ),
            ("setup.py", "os.environ['TORCH_CUDA_ARCH_LIST'] = '8.0;9.0a 10.0a+PTX'", "sm_80 sm_90a sm_100a"),
            ("Dockerfile", "ENV TORCH_CUDA_ARCH_LIST=\"12.0\"\n# TORCH_CUDA_ARCH_LIST=8.0", "sm_120"),
            ("setup.py", "def sm_90(): pass", ""),
            ("Makefile", "nvcc -gencode arch=compute_100f,code=sm_103", "sm_100f"),
            (
                "Makefile",
                "F=-gencode arch=compute_80,code=[sm_86,sm_89] -gencode arch=compute_90a,code=sm_90a",
                "sm_80 sm_90a",
            ),
            (
                "Makefile",
                "F=-gencode arch=compute_80,code=\\\"sm_86,compute_86\\\" -arch=sm_75",
                "sm_75 sm_80",
            ),
            ("Makefile", "nvcc -arch=compute_80 -code=sm_86,sm_89", "sm_80"),
            ("Makefile", "nvcc --gpu-architecture=compute_80 --gpu-code sm_86", "sm_80"),
            ("setup.py", "flags = ['-gencode', 'arch=compute_90,code=sm_90a']", "sm_90"),
            ("Makefile", "cc -march=sm_100 -O2", ""),
            // Lists of PyTorch.
            ("setup.py", "os.environ['TORCH_CUDA_ARCH_LIST'] = 'Hopper'", "sm_90"),
            (
                "setup.py",
                "os.environ.setdefault(\"TORCH_CUDA_ARCH_LIST\", \"Ampere;Ada+PTX\")",
                "sm_80 sm_86 sm_89",
            ),
            ("build.sh", "export TORCH_CUDA_ARCH_LIST='Ampere+Tegra Volta+Tegra'", "sm_72 sm_87"),
            ("build.sh", "TORCH_CUDA_ARCH_LIST=Blackwell make", "sm_100 sm_103 sm_120 sm_121"),
            ("build.sh", "TORCH_CUDA_ARCH_LIST=8.9-real;9.0a+PTX make", "sm_89 sm_90a"),
            ("CMakeLists.txt", "set(TORCH_CUDA_ARCH_LIST\n  8.9(8.0)\n  Hopper)\nset(X 10.0)", "sm_80 sm_90"),
            ("CMakeLists.txt", "set(ENV{TORCH_CUDA_ARCH_LIST} \"Turing\")", "sm_75"),
            (
                "CMakeLists.txt",
                "set(CMAKE_CUDA_ARCHITECTURES Hopper 8.9-real 9.0a+PTX)",
                "sm_89 sm_90 sm_90a",
            ),
            ("pyproject.toml", "TORCH_CUDA_ARCH_LIST = \"9.0a\" # and 10.0a", "sm_90a"),
            ("CMakePresets.json", "\"CMAKE_CUDA_ARCHITECTURES\": \"90a;100a\"", "sm_90a sm_100a"),
            // Nothing is compiled for them any more.
            ("setup.py", "os.environ['TORCH_CUDA_ARCH_LIST'] = 'Kepler;3.5'", ""),
            // Comments.
            ("Makefile", "F=-arch=sm_80 # it was -arch=sm_90", "sm_80"),
            ("Makefile", "X=don't\nF=\"it's -arch=sm_80\" # -arch=sm_90", "sm_80"),
            ("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES 80 # 90\n  86) # 89", "sm_80 sm_86"),
            (
                "CMakeLists.txt",
                "#[[\nset(CMAKE_CUDA_ARCHITECTURES 90)\n]] set(CMAKE_CUDA_ARCHITECTURES 80)",
                "sm_80",
            ),
            ("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES 80 #[=[ 90 ]] 89 ]=] 86)", "sm_80 sm_86"),
            ("setup.py", "f = ['-arch=sm_80', '#', '-arch=sm_86']  # '-arch=sm_90'", "sm_80 sm_86"),
            ("build.sh", "nvcc -DX=${a#b} -DN=$# -arch=sm_80 a#b -arch=sm_86 # -arch=sm_90", "sm_80 sm_86"),
            ("xmake.lua", "add_cuflags(\"-arch=sm_80\", \"--x\") -- \"-arch=sm_90\"", "sm_80"),
            ("xmake.lua", "--[[ \"-arch=sm_90\"\n]] add_cuflags(\"-arch=sm_80\")", "sm_80"),
            // What prints and compares sets nothing.
            (
                "CMakeLists.txt",
                "if(CMAKE_CUDA_ARCHITECTURES STREQUAL \"80\")\nmessage(\"CUDA_ARCHITECTURES 90\")",
                "",
            ),
            ("setup.py", "ok = os.environ['TORCH_CUDA_ARCH_LIST'] == '9.0'", ""),
        ] {
            assert_eq!(names(file, text), expected, "{file}: {text}");
            assert!(!read(Path::new(file), text).open, "{file}: {text}");
        }
    }

    #[test]
    fn every_target() {
        for text in [
            "set(CMAKE_CUDA_ARCHITECTURES all-major)",
            "set(CMAKE_CUDA_ARCHITECTURES \"all\")",
            "nvcc -arch=all",
            "nvcc --gpu-architecture all-major",
            "set(TORCH_CUDA_ARCH_LIST \"All\")",
        ] {
            let found = read(Path::new("CMakeLists.txt"), text);
            assert!(found.all && !found.open && found.targets.is_empty(), "{text}");
        }
    }

    #[test]
    fn variables_and_the_building_machine_are_not_followed() {
        for text in [
            "SM=100a\nF=-gencode arch=compute_$(SM),code=sm_$(SM)",
            "set(ARCHS 100a)\nset(CMAKE_CUDA_ARCHITECTURES ${ARCHS})",
            "set(CMAKE_CUDA_ARCHITECTURES\n  \"${ARCHS}\")",
            "args = [f'-gencode=arch=compute_{sm},code=sm_{sm}' for sm in archs]",
            "'-arch=sm_%s' % sm",
            "flags = '-arch=sm_' + sm",
            "os.environ['TORCH_CUDA_ARCH_LIST'] = archs",
            "ENV TORCH_CUDA_ARCH_LIST=${ARCHS}",
            "set(TORCH_CUDA_ARCH_LIST ${ARCHS})",
            "set(CMAKE_CUDA_ARCHITECTURES native)",
            "nvcc -arch=native",
            "os.environ['TORCH_CUDA_ARCH_LIST'] = 'native'",
        ] {
            let found = read(Path::new("setup.py"), text);
            assert!(found.open && found.targets.is_empty(), "{text}");
        }
        let mixed = read(Path::new("CMakeLists.txt"), "set(CMAKE_CUDA_ARCHITECTURES 80 ${MORE})");
        assert!(mixed.open && mixed.targets.len() == 1);
        for text in [
            "if os.environ.get('TORCH_CUDA_ARCH_LIST') == None: pass",
            "message(\"for ${CMAKE_CUDA_ARCHITECTURES} ${X}\")",
            "set(X \"${CMAKE_CUDA_ARCHITECTURES} ${Y}\")",
            "set(X \"$ENV{TORCH_CUDA_ARCH_LIST} 9.0\")",
            "ENV TORCH_CUDA_ARCH_LIST=\"\"",
            "cc -march=native",
        ] {
            let found = read(Path::new("CMakeLists.txt"), text);
            assert!(!found.open && found.targets.is_empty(), "{text}");
        }
    }
}
