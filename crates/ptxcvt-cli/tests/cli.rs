//! Console sessions as tests: drop a file into `tests/cli` at the root, get a test. `TRYCMD=overwrite`
//! rewrites what the commands print.

#[test]
fn console_sessions() {
    trycmd::TestCases::new()
        .case("../../tests/cli/*.md")
        .case("../../tests/cli/*.toml")
        .case("../../README.md");
}
