//! The help of every subcommand and its examples, completions, manual pages, and standard output that is full or
//! closed.

#[cfg(unix)]
mod example_files;

use std::process::{Command, Output, Stdio};

fn ptxcvt(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
    command.args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    ptxcvt(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The subcommands that the help lists.
fn subcommands() -> Vec<String> {
    let help = text(&run(&["--help"]).stdout);
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap().to_owned();
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next().map(str::to_owned));
    names.filter(|name| !name.is_empty() && name != "help").collect()
}

/// The rows of the table of exit statuses at the end of a help text.
fn statuses(help: &str) -> Vec<(String, String)> {
    let table = help.split("Exit status:\n").nth(1).unwrap_or_else(|| panic!("no exit statuses: {help}"));
    let rows =
        table.trim().lines().map(|line| line.trim().split_once("  ").expect("a status and its meaning"));
    rows.map(|(status, meaning)| (status.to_owned(), meaning.to_owned())).collect()
}

#[test]
fn every_help_has_examples_and_the_exit_statuses_of_the_docs() {
    let docs = std::fs::read_to_string("../../docs/exit-status.md").unwrap();
    let expected = statuses(&text(&run(&["--help"]).stdout));
    assert_eq!(expected.len(), 4);
    for (status, meaning) in &expected {
        assert!(docs.contains(&format!("\n| {status} | {meaning} |\n")), "{status} {meaning}");
    }
    let names = subcommands();
    assert!(names.len() >= 9, "{names:?}");
    for name in names {
        let output = run(&[&name, "--help"]);
        let help = text(&output.stdout);
        assert!(output.status.success(), "{name}");
        assert!(help.contains("Examples:"), "{name}: {help}");
        assert_eq!(statuses(&help), expected, "{name}");
        assert_eq!(help, text(&run(&["help", &name]).stdout), "{name}");
    }
}

/// Examples and tables are printed as they are written: standard output without a terminal has 100 columns, and a wrapped
/// example cannot be copied.
#[test]
fn no_help_wraps_an_indented_line() {
    let (mut tables, mut unwrapped) = (0, 0);
    for name in subcommands() {
        let mut wide = ptxcvt(&[&name, "--help"]);
        let wide = text(&wide.env("COLUMNS", "1000").output().unwrap().stdout);
        let help = text(&ptxcvt(&[&name, "--help"]).env("COLUMNS", "100").output().unwrap().stdout);
        unwrapped += wide.lines().filter(|line| line.len() > 100).count();
        // What follows the options; those may be wrapped.
        let end = wide.rsplit("Print help").next().unwrap();
        for line in end.lines().skip(1).filter(|line| line.starts_with(' ')) {
            tables += 1;
            assert!(help.lines().any(|other| other == line), "{name}: `{line}` is wrapped");
        }
    }
    assert!(tables > 50, "{tables} lines");
    assert!(unwrapped > 50, "COLUMNS has no effect: {unwrapped} long lines");
}

/// The default of `--isa` is said by each command, because it differs.
#[test]
fn every_isa_names_its_default() {
    let mut of_modules = Vec::new();
    for name in subcommands() {
        let help = text(&run(&[&name, "--help"]).stdout);
        let Some((_, about)) = help.split_once("--isa <VERSION>") else { continue };
        let about = about.split("\n\n").next().unwrap();
        assert!(about.contains("[default: "), "{name}: {about}");
        of_modules.extend(about.contains("a module's own").then_some(name));
    }
    assert_eq!(of_modules, ["check", "diff", "lsp"]);
}

/// The option asks for the text that the subcommand prints anyway.
#[test]
fn help_of_help() {
    for (arguments, same) in [
        (&["help", "--help"][..], &["--help"][..]),
        (&["help", "-h"], &["--help"]),
        (&["help", "quantize", "--help"], &["quantize", "--help"]),
        (&["help", "--help", "eval"], &["eval", "--help"]),
    ] {
        assert_eq!(text(&run(arguments).stdout), text(&run(same).stdout), "{arguments:?}");
    }
}

/// Help has no Markdown escapes, and paragraphs are wrapped once: a line ends only if the next word does not
/// fit.
#[test]
fn help_is_wrapped_once() {
    const WIDTH: usize = 100;
    let mut short = Vec::new();
    for name in subcommands() {
        let help = text(&ptxcvt(&[&name, "--help"]).env_remove("COLUMNS").output().unwrap().stdout);
        assert!(!help.contains('\\'), "{name}: {help}");
        let lines: Vec<&str> = help.lines().collect();
        for pair in lines.windows(2) {
            let [line, next] = [pair[0], pair[1]];
            assert!(line.chars().count() <= WIDTH, "{name}: {line}");
            let is_prose = |line: &str| line.chars().next().is_some_and(|first| first.is_alphabetic());
            if is_prose(line) && is_prose(next) {
                let word = next.split(' ').next().unwrap();
                let joined = line.chars().count() + 1 + word.chars().count();
                if joined <= WIDTH {
                    short.push(format!("{name}: `{line}` has room for `{word}`"));
                }
            }
        }
    }
    assert!(short.is_empty(), "{}", short.join("\n"));
}

/// The lines after `Examples:` in the help of a subcommand.
fn examples(name: &str) -> Vec<String> {
    let help = text(&ptxcvt(&[name, "--help"]).env("COLUMNS", "1000").output().unwrap().stdout);
    let lines = help.split("Examples:\n").nth(1).unwrap().lines();
    lines.take_while(|line| line.starts_with("  ")).map(|line| line.trim().to_owned()).collect()
}

/// Every example in every help text runs, in a folder with the files that it names.
#[cfg(unix)]
#[test]
fn every_example_runs() {
    // The explorer runs until it is stopped; tests/explorer.rs tests it.
    let names = subcommands().into_iter().filter(|name| name != "explorer");
    let mut wrong = Vec::new();
    for (name, example) in
        names.flat_map(|name| examples(&name).into_iter().map(move |one| (name.clone(), one)))
    {
        let folder = tempfile::tempdir().unwrap();
        example_files::write(folder.path(), &name);
        let binaries = std::path::Path::new(env!("CARGO_BIN_EXE_ptxcvt")).parent().unwrap();
        let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap());
        let output = Command::new("sh")
            .current_dir(folder.path())
            .args(["-c", &format!("producer() {{ head -c 4096 /dev/zero; }}\nconsumer() {{ cat > /dev/null; }}\nman() {{ consumer; }}\n{example}")])
            .env("PATH", path)
            .env("HOME", folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let (status, error) = (output.status.code().unwrap(), text(&output.stderr));
        // Without the GPU, the assembler or the compiler of an example, its command line must still be valid.
        let needs =
            ["--device", "--ptxas", "kernel.cu --function"].iter().any(|option| example.contains(option));
        if (status == 2 && !needs) || error.contains("Usage:") || error.contains("--help") {
            wrong.push(format!("{example}: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn completions_of_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(&["completions", shell]);
        assert!(
            output.status.success()
                && text(&output.stdout).contains("satfinite") | text(&output.stdout).contains("convert")
        );
    }
}

#[test]
fn a_manual_page_for_every_subcommand() {
    let folder = tempfile::tempdir().unwrap();
    assert!(run(&["man", folder.path().to_str().unwrap()]).status.success());
    for name in subcommands() {
        let page = std::fs::read_to_string(folder.path().join(format!("ptxcvt-{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{name}");
    }
    assert!(text(&run(&["man"]).stdout).contains(".TH ptxcvt"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_output_is_status_2_and_never_a_panic() {
    let full = || Stdio::from(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    for arguments in [
        &["eval", "cvt.rn.f16.f32", "1"][..],
        &["eval", "cvt.rn.f16.f32", "1", "--json"],
        &["forms"],
        &["forms", "--count"],
        &["forms", "--matrix"],
        &["where", "cvt.rn.f16.f32"],
        &["format"],
        &["format", "e4m3"],
        &["format", "e4m3", "1"],
        &["explain"],
        &["explain", "CVT001"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
        &["help", "lower"],
        &["lower", "--help"],
        &["--version"],
    ] {
        let output = ptxcvt(arguments).stdout(full()).stderr(Stdio::piped()).output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains("No space left on device"), "{arguments:?}: {message}");
        let output = ptxcvt(arguments).stdout(full()).stderr(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
    let output = ptxcvt(&["eval", "nonsense"]).stderr(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn an_answer_comes_when_the_input_waits() {
    use std::io::{BufRead, BufReader, Write};
    let mut child = ptxcvt(&["eval", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut answers = BufReader::new(stdout).lines();
    for (line, answer) in [("cvt.rn.f16.f32 1.0", "3c00"), ("# nothing", ""), ("cvt.rn.f16.f32 2.0", "4000")]
    {
        writeln!(stdin, "{line}").unwrap();
        assert_eq!(answers.next().unwrap().unwrap(), answer);
    }
    writeln!(stdin, "nonsense").unwrap();
    assert!(answers.next().unwrap().unwrap().starts_with("error"));
    // The reader leaves; the exit status still shows that a line failed.
    drop(answers);
    let _ = writeln!(stdin, "cvt.rn.f16.f32 1");
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn wrong_command_lines_of_json_modes_are_json() {
    let output = run(&["where", "cvt.rn.f16.f32", "--target", "sm_1", "--json"]);
    let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        error["error"]["message"].as_str().unwrap().starts_with("--target: no target `sm_1`; "),
        "{error}"
    );
    assert_eq!(error["error"]["code"], "CVT023");
    assert_eq!(error["error"]["help"][0], "write a target such as sm_90, sm_100a or sm_120f");
    // Others are clap's.
    let output = run(&["where", "cvt.rn.f16.f32", "--targt", "sm_1", "--json"]);
    let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert!(error["error"]["message"].as_str().unwrap().starts_with("unexpected argument"), "{error}");
    assert!(error["error"]["code"].is_null());
}

/// Lists, tables and explanations fit 100 columns, or the width in `COLUMNS`.
#[test]
fn output_fits_the_page() {
    let mut commands: Vec<String> = ["recipes", "format", "explain"].map(str::to_owned).into();
    commands.extend(ptxcvt::Format::ALL.iter().map(|format| format!("format {format}")));
    commands.extend(ptxcvt_blocks::Recipe::all().map(|recipe| format!("recipes {}", recipe.name())));
    commands.push("where cvt.rn.satfinite.e4m3x2.f32".to_owned());
    commands.push("forms --matrix --dst tf32".to_owned());
    commands.extend(ptxcvt_syntax::Code::all().map(|code| format!("explain {code}")));
    commands
        .extend(["forms", "forms --only sm_120a", "format e5m2 1e9", "format f16 1e-99"].map(str::to_owned));
    let list = "lower cvt.rn.satfinite.e4m3x2.f32 --target sm_80 --isa 7.0 --variant list";
    commands.push(list.to_owned());
    let mut wide = Vec::new();
    let both = commands.iter().flat_map(|command| [(command.as_str(), 100), (command, 80)]);
    for (command, width) in both.chain([("format e5m2 1e9", 60), (list, 60), ("explain CVT006", 60)]) {
        let arguments: Vec<&str> = command.split(' ').collect();
        let output = ptxcvt(&arguments).env("COLUMNS", width.to_string()).output().unwrap();
        assert!(output.status.success(), "{command}");
        for line in text(&output.stdout).lines() {
            if line.chars().count() > width {
                wide.push(format!("{command}: {line}"));
            }
        }
    }
    let [a, b] = ["mul.lo.u64 %0,%1,%2;", "mul.lo.u64 %0,%2,%1;"];
    for width in [100, 80] {
        let arguments = ["prove", a, b, "--samples", "1000"];
        let output = ptxcvt(&arguments).env("COLUMNS", width.to_string()).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let out = text(&output.stdout);
        wide.extend(out.lines().filter(|line| line.chars().count() > width).map(str::to_owned));
    }
    assert!(wide.is_empty(), "{}", wide.join("\n"));
}
