//! The targets that a project builds, by its build files: `-arch`, `-gencode`, `CMAKE_CUDA_ARCHITECTURES`,
//! `TORCH_CUDA_ARCH_LIST`.
//!
//! NVCC's manual, "Options for steering GPU code generation"; CMake's manual, `CUDA_ARCHITECTURES`; PyTorch's
//! `torch.utils.cpp_extension`.

use std::path::{Path, PathBuf};

use ptxcvt::Target;
use ptxcvt_syntax::check::TargetSet;

use crate::failure::Failure;
use crate::output;

/// Files that name the targets of a project.
const BUILD_FILES: [&str; 11] = [
    "CMakeLists.txt",
    "CMakePresets.json",
    "Dockerfile",
    "GNUmakefile",
    "Makefile",
    "build.sh",
    "makefile",
    "meson.build",
    "pyproject.toml",
    "setup.py",
    "xmake.lua",
];

/// What build files say of the targets of a project.
#[derive(Debug, Default)]
pub struct Built {
    /// The targets, and the files that name them; `None` if there are none, or if a file builds for every target.
    pub named: Option<(TargetSet, Vec<PathBuf>)>,
    /// The files whose targets are the values of variables, which are not followed.
    pub variable: Vec<PathBuf>,
}

/// What a text says of targets.
#[derive(Debug, Default)]
struct Text {
    targets: Vec<Target>,
    /// It builds for every target.
    all: bool,
    /// Some targets are the values of variables.
    variable: bool,
}

/// The targets that a build file names.
pub fn of_file(path: &Path) -> Result<TargetSet, Failure> {
    let failed = |why: String| Failure::new(format!("cannot read {}: {why}", path.display()));
    let text = std::fs::read(path).map_err(|e| failed(output::reason(&e)))?;
    let found = of_text(&String::from_utf8_lossy(&text));
    if !found.all && !found.targets.is_empty() {
        return Ok(found.targets.into_iter().collect());
    }
    Err(Failure::new(format!("{} names no targets", path.display())).help(match found.variable {
        true => "its targets are the values of variables, which are not followed; give --target",
        false => "targets are read from -arch, -gencode, CMAKE_CUDA_ARCHITECTURES and TORCH_CUDA_ARCH_LIST",
    }))
}

/// What the build files next to some paths say, or those of the folders above within the same repository.
pub fn of_tree(paths: &[PathBuf]) -> Built {
    let (mut targets, mut files, mut built) = (Vec::new(), Vec::new(), Built::default());
    let mut all = false;
    for path in paths.iter().filter(|path| path.as_os_str() != "-") {
        for folder in folders(path) {
            for file in BUILD_FILES.iter().map(|name| folder.join(name)) {
                let Ok(text) = std::fs::read(&file) else { continue };
                let found = of_text(&String::from_utf8_lossy(&text));
                all |= found.all;
                if found.variable && !built.variable.contains(&file) {
                    built.variable.push(file.clone());
                }
                if !found.targets.is_empty() && !files.contains(&file) {
                    targets.extend(found.targets);
                    files.push(file);
                }
            }
        }
    }
    built.named = (!all && !files.is_empty()).then(|| (targets.into_iter().collect(), files));
    built
}

/// The folder of a path, and those above it up to the root of its repository.
fn folders(path: &Path) -> Vec<PathBuf> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let start = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(&path) };
    let above: Vec<&Path> = start.ancestors().collect();
    let root = above.iter().position(|folder| folder.join(".git").exists());
    above[..=root.unwrap_or(0)].iter().map(|folder| folder.to_path_buf()).collect()
}

fn of_text(text: &str) -> Text {
    let mut found = Text::default();
    // Lines continued by a backslash or by CMake's parentheses.
    let text: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with(['#', ';'])).collect();
    let text = text.join("\n");
    for (at, _) in text.match_indices("TORCH_CUDA_ARCH_LIST") {
        let list = text[at + "TORCH_CUDA_ARCH_LIST".len()..].lines().next().unwrap_or_default();
        found.all |= list.trim_end().ends_with("All\"");
        let versions: Vec<Target> =
            words(list).filter_map(|word| version(word.trim_end_matches("+PTX"))).collect();
        let value = list.trim_start_matches(['"', '\'', ']', ' ']).strip_prefix('=');
        let value = value.filter(|value| !value.starts_with('=') && words(value).next().is_some());
        found.variable |= value.is_some() && versions.is_empty();
        found.targets.extend(versions);
    }
    for (at, _) in text.match_indices("CUDA_ARCHITECTURES") {
        let rest = &text[at + "CUDA_ARCHITECTURES".len()..];
        let end = rest.find([')', '\n']).unwrap_or(rest.len());
        // A list in parentheses may have several lines.
        let end = match text[..at].ends_with("CMAKE_") && text[..at].trim_end_matches("CMAKE_").ends_with('(')
        {
            true => rest.find(')').unwrap_or(end),
            false => end,
        };
        // `${CMAKE_CUDA_ARCHITECTURES}` is a use.
        found.variable |= rest.starts_with([' ', '\n', '=', '"', ':']) && rest[..end].contains('$');
        for word in words(&rest[..end]) {
            found.all |= matches!(word, "all" | "all-major");
            let word = word.trim_end_matches("-real").trim_end_matches("-virtual");
            found.targets.extend(target(word));
        }
    }
    for line in text.lines().filter(|line| line.contains("arch") || line.contains("code=")) {
        let line = without_code(line);
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
                found.variable |= rest.starts_with(['$', '{', '%', '"', '\'']);
                found.targets.extend(target(&rest[..end]));
            }
        }
    }
    found
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
    list.split(|c: char| c.is_whitespace() || ";,\"'=()[]{}:".contains(c)).filter(|word| !word.is_empty())
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

    #[test]
    fn targets_of_build_files() {
        for (text, expected) in [
            ("nvcc -arch=sm_90a x.cu", "sm_90a"),
            (
                "nvcc -gencode arch=compute_100a,code=sm_100a -gencode=arch=compute_80,code=[sm_80,compute_80]",
                "sm_80 sm_100a",
            ),
            ("set(CMAKE_CUDA_ARCHITECTURES\n  80\n  \"90a-real;120f-virtual\")\n", "sm_80 sm_90a sm_120f"),
            ("cmake -DCMAKE_CUDA_ARCHITECTURES=\"90a;100a\" -B build", "sm_90a sm_100a"),
            ("set_target_properties(x PROPERTIES CUDA_ARCHITECTURES \"86;89\")", "sm_86 sm_89"),
            ("os.environ['TORCH_CUDA_ARCH_LIST'] = '8.0;9.0a 10.0a+PTX'", "sm_80 sm_90a sm_100a"),
            ("ENV TORCH_CUDA_ARCH_LIST=\"12.0\"\n# TORCH_CUDA_ARCH_LIST=8.0", "sm_120"),
            ("def sm_90(): pass", ""),
            ("nvcc -gencode arch=compute_100f,code=sm_103", "sm_100f"),
            (
                "F=-gencode arch=compute_80,code=[sm_86,sm_89] -gencode arch=compute_90a,code=sm_90a",
                "sm_80 sm_90a",
            ),
            ("F=-gencode arch=compute_80,code=\\\"sm_86,compute_86\\\" -arch=sm_75", "sm_75 sm_80"),
            ("nvcc -arch=compute_80 -code=sm_86,sm_89", "sm_80"),
            ("nvcc --gpu-architecture=compute_80 --gpu-code sm_86", "sm_80"),
            ("flags = ['-gencode', 'arch=compute_90,code=sm_90a']", "sm_90"),
            ("cc -march=sm_100 -O2", ""),
        ] {
            let found: TargetSet = of_text(text).targets.into_iter().collect();
            let found: Vec<String> = found.iter().map(|target| target.to_string()).collect();
            assert_eq!(found.join(" "), expected, "{text}");
            assert!(!of_text(text).variable, "{text}");
        }
        assert!(of_text("set(CMAKE_CUDA_ARCHITECTURES all-major)").all);
    }

    #[test]
    fn variables_are_not_followed() {
        for text in [
            "SM=100a\nF=-gencode arch=compute_$(SM),code=sm_$(SM)",
            "set(ARCHS 100a)\nset(CMAKE_CUDA_ARCHITECTURES ${ARCHS})",
            "set(CMAKE_CUDA_ARCHITECTURES\n  \"${ARCHS}\")",
            "args = [f'-gencode=arch=compute_{sm},code=sm_{sm}' for sm in archs]",
            "'-arch=sm_%s' % sm",
            "flags = '-arch=sm_' + sm",
            "os.environ['TORCH_CUDA_ARCH_LIST'] = archs",
            "ENV TORCH_CUDA_ARCH_LIST=${ARCHS}",
        ] {
            let found = of_text(text);
            assert!(found.variable && found.targets.is_empty(), "{text}");
        }
        for text in [
            "if os.environ.get('TORCH_CUDA_ARCH_LIST') == None: pass",
            "message(\"for ${CMAKE_CUDA_ARCHITECTURES} ${X}\")",
            "ENV TORCH_CUDA_ARCH_LIST=\"\"",
        ] {
            assert!(!of_text(text).variable, "{text}");
        }
    }
}
