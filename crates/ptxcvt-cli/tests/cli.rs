//! Console sessions as tests: every file in `tests/cli` of the repository is a test. `TRYCMD=overwrite`
//! rewrites the expected output.

#[test]
fn console_sessions() {
    trycmd::TestCases::new()
        .case("../../tests/cli/*.md")
        .case("../../tests/cli/*.toml")
        .case("../../README.md")
        .case("README.md");
}
