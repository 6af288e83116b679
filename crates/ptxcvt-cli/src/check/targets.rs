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

/// The targets that a build file names.
pub fn of_file(path: &Path) -> Result<TargetSet, Failure> {
    let failed = |why: String| Failure::new(format!("cannot read {}: {why}", path.display()));
    let text = std::fs::read(path).map_err(|e| failed(output::reason(&e)))?;
    match of_text(&String::from_utf8_lossy(&text)) {
        Some(targets) if !targets.is_empty() => Ok(targets),
        _ => Err(Failure::new(format!("{} names no targets", path.display())).help(
            "targets are read from -arch, -gencode, CMAKE_CUDA_ARCHITECTURES and TORCH_CUDA_ARCH_LIST",
        )),
    }
}

/// The targets that the build files next to some paths name, or those of the folders above within the same
/// repository; and the files. `None` if there are none.
pub fn of_tree(paths: &[PathBuf]) -> Option<(TargetSet, Vec<PathBuf>)> {
    let (mut targets, mut files) = (Vec::new(), Vec::new());
    for path in paths.iter().filter(|path| path.as_os_str() != "-") {
        for folder in folders(path) {
            for file in BUILD_FILES.iter().map(|name| folder.join(name)) {
                let Ok(text) = std::fs::read(&file) else { continue };
                let found = of_text(&String::from_utf8_lossy(&text))?;
                if !found.is_empty() && !files.contains(&file) {
                    targets.extend(found.iter());
                    files.push(file);
                }
            }
        }
    }
    (!files.is_empty()).then(|| (targets.into_iter().collect(), files))
}

/// The folder of a path, and those above it up to the root of its repository.
fn folders(path: &Path) -> Vec<PathBuf> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let start = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(&path) };
    let above: Vec<&Path> = start.ancestors().collect();
    let root = above.iter().position(|folder| folder.join(".git").exists());
    above[..=root.unwrap_or(0)].iter().map(|folder| folder.to_path_buf()).collect()
}

/// The targets that a text names; `None` if it builds for every target.
fn of_text(text: &str) -> Option<TargetSet> {
    let mut found = Vec::new();
    // Lines continued by a backslash or by CMake's parentheses.
    let text: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with(['#', ';'])).collect();
    let text = text.join("\n");
    for (at, _) in text.match_indices("TORCH_CUDA_ARCH_LIST") {
        let list = text[at + "TORCH_CUDA_ARCH_LIST".len()..].lines().next().unwrap_or_default();
        if list.trim_end().ends_with("All\"") {
            return None;
        }
        found.extend(words(list).filter_map(|word| version(word.trim_end_matches("+PTX"))));
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
        for word in words(&rest[..end]) {
            if matches!(word, "all" | "all-major") {
                return None;
            }
            let word = word.trim_end_matches("-real").trim_end_matches("-virtual");
            found.extend(target(word));
        }
    }
    for line in text.lines().filter(|line| line.contains("arch") || line.contains("code=")) {
        for name in ["sm_", "compute_"] {
            for (at, _) in line.match_indices(name) {
                let option = line[..at].ends_with(['=', ',', '[', ' ', '"', '\'']);
                let rest = &line[at + name.len()..];
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
                found.extend(target(&rest[..end]).filter(|_| option));
            }
        }
    }
    Some(found.into_iter().collect())
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
        ] {
            let found: Vec<String> = of_text(text).expect("some").iter().map(|t| t.to_string()).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
        assert!(of_text("set(CMAKE_CUDA_ARCHITECTURES all-major)").is_none());
    }
}
