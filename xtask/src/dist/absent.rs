//! What a release does not have, and why: `dist` prints it, and `docs/building.md` has a table of it.

/// A kind of file that is not built.
struct Absent {
    /// The name of the artefact that has no such variant.
    artefact: &'static str,
    /// The variant, as `docs/building.md` names it.
    name: &'static str,
    /// Why it is not built, as `docs/building.md` says it.
    why: &'static str,
}

const ABSENT: [Absent; 4] = [
    Absent {
        artefact: "command",
        name: "anything for macOS",
        why: "Apple's libraries, which a linker needs, may only be used on Apple's machines",
    },
    Absent {
        artefact: "command",
        name: "programs with musl (`x86_64-unknown-linux-musl`)",
        why: "Rust's standard library for it comes with rustup, which `dist` does not need",
    },
    Absent {
        artefact: "wheel",
        name: "musllinux wheels",
        why: "an extension of Python is a shared library of its Python's C library, and the standard library for musl is \
              missing",
    },
    Absent {
        artefact: "wheel",
        name: "wheels for free-threaded Python",
        why: "a wheel of the stable ABI does not load there; maturin could build one for each version, but neither Debian nor \
              PyPI has an interpreter to test it with, so the module declares that it needs the global lock",
    },
];

/// A line for each variant that is not built of the artefacts whose names are wanted.
pub fn lines(is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let wanted = ABSENT.iter().filter(|absent| is_wanted(absent.artefact));
    wanted.map(|Absent { name, why, .. }| format!("not built: {name}: {why}")).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn read(path: &str) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        fs::read_to_string(root.join(path)).unwrap()
    }

    /// The table of the guide has these rows and no others.
    #[test]
    fn the_guide_says_the_same() {
        let guide = read("docs/building.md");
        let (_, table) = guide.split_once("| not built | why | instead |\n|---|---|---|\n").unwrap();
        let rows: Vec<&str> = table.lines().take_while(|line| line.starts_with('|')).collect();
        assert_eq!(rows.len(), ABSENT.len());
        for (row, Absent { name, why, .. }) in rows.iter().zip(&ABSENT) {
            assert!(row.starts_with(&format!("| {name} | {why} | ")), "{row}");
        }
    }

    #[test]
    fn lines_are_of_the_wanted_artefacts() {
        assert_eq!(lines(|_| true).len(), ABSENT.len());
        let wheels = lines(|name| name == "wheel");
        assert!(wheels.len() == 2 && wheels.iter().all(|line| line.contains("wheels")), "{wheels:?}");
        assert!(lines(|name| name == "data").is_empty());
    }

    /// PyO3 declares that a module needs no global lock unless the module says otherwise.
    #[test]
    fn the_module_needs_the_lock_while_no_wheel_is_tested_without_it() {
        let module = read("bindings/python/src/lib.rs");
        assert_eq!(
            lines(|_| true).iter().any(|line| line.contains("free-threaded")),
            module.contains("#[pymodule(gil_used = true)]")
        );
    }
}
