//! Signals for tests: to a command at a chosen time.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

/// A shell that sends signals: its `kill` begins no process, so that the signal arrives while the output is written.
pub struct Kill {
    shell: Child,
    answers: BufReader<ChildStdout>,
}

impl Kill {
    pub fn start() -> Kill {
        let script = "while read signal process; do kill -s $signal $process; echo; done";
        let mut bash = Command::new("bash");
        bash.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut shell = bash.spawn().unwrap();
        let answers = BufReader::new(shell.stdout.take().expect("the output is a pipe"));
        Kill { shell, answers }
    }

    /// Sends a signal to a child that was not yet waited for, and returns when it was sent.
    pub fn send(&mut self, signal: &str, process: u32) {
        let input = self.shell.stdin.as_mut().expect("the input is a pipe");
        writeln!(input, "{signal} {process}").unwrap();
        self.answers.read_line(&mut String::new()).unwrap();
    }
}

impl Drop for Kill {
    fn drop(&mut self) {
        // The shell ends with its input.
        drop(self.shell.stdin.take());
        self.shell.wait().unwrap();
    }
}
