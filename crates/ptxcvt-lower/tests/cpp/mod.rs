//! C++ programs around a header: they read rows of operands and write rows of results.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Appends the results for a row of operands.
pub type Expected = Box<dyn Fn(&[u64], &mut Vec<u64>)>;

/// A call of a function of the header.
pub struct Case {
    /// C++ statements from `in`, a row of operands, to `out`.
    pub body: String,
    /// The number of operands.
    pub inputs: usize,
    /// Makes the operands on demand, because the operands of all cases do not fit in memory at once.
    pub rows: Box<dyn Fn() -> Vec<u64>>,
    /// The number of results.
    pub outputs: usize,
    /// The results for a row.
    pub expected: Expected,
}

/// A compiled program with a function for each of several cases.
pub struct Program {
    folder: PathBuf,
}

/// The C++ compiler: `CXX`, or `c++`.
pub fn compiler() -> String {
    std::env::var("CXX").unwrap_or_else(|_| "c++".into())
}

/// Options under which a header must compile without a message.
pub fn strict(standard: &str) -> Vec<String> {
    let options =
        ["-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wpedantic", "-Werror", "-O1"];
    std::iter::once(format!("-std={standard}")).chain(options.map(str::to_owned)).collect()
}

/// An empty folder for a test's files.
pub fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("header-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

impl Program {
    /// Compiles the program, as C++14 and without warnings.
    pub fn new(name: &str, header: &str, cases: &[Case]) -> Program {
        let folder = folder(name);
        fs::write(folder.join("ptxcvt.cuh"), header).unwrap();
        let mut text = String::from(
            "#include \"ptxcvt.cuh\"\n#include <cstdio>\n#include <cstdlib>\n#include <vector>\nusing word = unsigned long long;\n",
        );
        for (n, case) in cases.iter().enumerate() {
            let _ =
                writeln!(text, "static void case{n}(const word* in, word* out)\n{{\n    {}\n}}", case.body);
        }
        text += "struct row { void (*run)(const word*, word*); unsigned int inputs, outputs; };\nstatic const row rows[] = {\n";
        for (n, case) in cases.iter().enumerate() {
            let _ = writeln!(text, "    {{case{n}, {}, {}}},", case.inputs, case.outputs);
        }
        text += "\
};
int main(int, char** argv)
{
    const row r = rows[std::atoi(argv[1])];
    std::vector<word> in(r.inputs), out(r.outputs);
    while (std::fread(in.data(), 8, r.inputs, stdin) == r.inputs) {
        r.run(in.data(), out.data());
        std::fwrite(out.data(), 8, r.outputs, stdout);
    }
    return 0;
}
";
        fs::write(folder.join("main.cpp"), text).unwrap();
        let mut build = Command::new(compiler());
        build.current_dir(&folder).args(strict("c++14")).args(["main.cpp", "-o", "main"]);
        assert!(build.status().unwrap().success(), "{build:?}");
        Program { folder }
    }

    /// Runs a case and compares every result. Returns the number of rows.
    pub fn compare(&self, number: usize, case: &Case) -> usize {
        let rows = (case.rows)();
        let bytes: Vec<u8> = rows.iter().flat_map(|word| word.to_le_bytes()).collect();
        fs::write(self.folder.join("in"), bytes).unwrap();
        let input = fs::File::open(self.folder.join("in")).unwrap();
        let answer =
            Command::new(self.folder.join("main")).arg(number.to_string()).stdin(input).output().unwrap();
        assert!(answer.status.success(), "{}", case.body);
        let words: Vec<u64> = answer
            .stdout
            .chunks_exact(8)
            .map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap()))
            .collect();
        let count = rows.len() / case.inputs;
        assert_eq!([count * case.inputs, words.len()], [rows.len(), count * case.outputs], "{}", case.body);
        let mut expected = Vec::new();
        for (row, results) in rows.chunks(case.inputs).zip(words.chunks(case.outputs)) {
            expected.clear();
            (case.expected)(row, &mut expected);
            assert_eq!(results, expected, "{}: {row:x?}: {results:x?}, not {expected:x?}", case.body);
        }
        count
    }
}
