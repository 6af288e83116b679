//! Judges a program: it reads source numbers from standard input and writes a code for each to standard output.
//!
//! Numbers and codes are little-endian and follow each other without separators, in 1, 2, 4 or 8 bytes each. The
//! program is fed by one thread while another reads what it writes, so it may buffer as much as it likes. It runs in a
//! process group of its own, which is killed at the end.

use std::io::{ErrorKind, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::comparison::{BLOCK, Comparison};
use super::question::Judge;
use super::tally::Tally;
use super::unjudged::Unjudged;
use super::verdict::Verdict;
use crate::state::grouped;

/// How often the time limit is checked.
const TICK: Duration = Duration::from_millis(50);
/// The maximum number of bytes after the last code that are counted.
const MOST_EXTRA: u64 = 1 << 20;
/// The number of bytes of the standard error that are kept.
const MOST_STDERR: usize = 4096;

/// Runs a command with `sh -c` and judges what it writes. `patience` is how long the program may neither read nor
/// write; `progress` is called with the codes written so far and all codes.
///
/// ```
/// use std::time::Duration;
/// use ptxcvt_conform::judge::{Judge, program};
/// # if cfg!(unix) {
/// let judge = Judge::parse("e4m3->e4m3")?;
/// let verdict = program::judge(&judge, "cat", Duration::from_secs(30), &mut |_, _| {})?;
/// assert_eq!(verdict.inputs, 256);
/// assert!(verdict.is_equal());
/// # }
/// # Ok::<(), ptxcvt_conform::judge::Unjudged>(())
/// ```
///
/// # Errors
///
/// Fails if the program cannot be started, ends with another status than 0, writes too little or too much, or makes no
/// progress for too long. The message ends with what the program wrote to standard error.
pub fn judge(
    judge: &Judge,
    command: &str,
    patience: Duration,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Verdict, Unjudged> {
    let comparison = Arc::new(Comparison::new(judge));
    let mut run = Run::start(command, &comparison)?;
    let outcome = run.watch(&comparison, patience, progress);
    run.kill();
    match outcome {
        Ok(tally) => Ok(comparison.verdict(tally)),
        Err(why) => Err(Unjudged::new(why + &run.complaint())),
    }
}

/// The progress of the threads.
#[derive(Debug, Default)]
struct Counters {
    /// Bytes that the program has read, or the pipe holds.
    fed: AtomicU64,
    /// Bytes that the program has written.
    written: AtomicU64,
    /// Results that were judged.
    judged: AtomicU64,
}

impl Counters {
    fn all(&self) -> [u64; 3] {
        [&self.fed, &self.written, &self.judged].map(|counter| counter.load(Ordering::Relaxed))
    }
}

/// The program's text on standard error.
#[derive(Debug, Default)]
struct Stderr {
    /// The end of it.
    kept: Vec<u8>,
    /// There was more before.
    cut: bool,
}

impl Stderr {
    fn add(&mut self, bytes: &[u8]) {
        self.kept.extend_from_slice(bytes);
        let excess = self.kept.len().saturating_sub(MOST_STDERR);
        self.cut |= excess > 0;
        self.kept.drain(..excess);
    }

    /// The text from the start of a line on, and a description of it.
    fn complaint(&self) -> String {
        let text = String::from_utf8_lossy(&self.kept);
        let whole =
            text.split_once('\n').map(|(_, whole)| whole).filter(|whole| self.cut && !whole.is_empty());
        let lines = whole.unwrap_or(&text);
        match lines.trim_end() {
            "" => "; its standard error is empty".to_owned(),
            lines => format!("; {}its standard error:\n{lines}", if self.cut { "the end of " } else { "" }),
        }
    }
}

/// A running program.
struct Run {
    child: Child,
    counters: Arc<Counters>,
    stderr: Arc<Mutex<Stderr>>,
    stderr_ended: Receiver<()>,
    /// The tallies, one for each thread, when the output has ended.
    tallies: Receiver<Tally>,
    threads: usize,
}

impl Run {
    fn start(command: &str, comparison: &Arc<Comparison>) -> Result<Run, Unjudged> {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let mut child = shell.spawn().map_err(|e| Unjudged::new(format!("`sh` cannot be started: {e}")))?;
        let counters = Arc::new(Counters::default());
        let piped = "a pipe was made for it";
        let (stdin, stdout) = (child.stdin.take().expect(piped), child.stdout.take().expect(piped));
        let mut errors = child.stderr.take().expect(piped);
        let stderr = Arc::new(Mutex::new(Stderr::default()));
        let (ended, stderr_ended) = mpsc::channel();
        let kept = Arc::clone(&stderr);
        // None of the threads is joined: a process that left the group could hold a pipe open.
        thread::spawn(move || {
            let mut buffer = [0; 1024];
            while let Ok(count @ 1..) = errors.read(&mut buffer) {
                kept.lock().expect("no thread panicked").add(&buffer[..count]);
            }
            drop(ended);
        });
        let (fed, known) = (Arc::clone(&counters), Arc::clone(comparison));
        thread::spawn(move || feed(stdin, &known, &fed));
        let (blocks, queue) = mpsc::sync_channel(4);
        let (read, known) = (Arc::clone(&counters), Arc::clone(comparison));
        thread::spawn(move || receive(stdout, &known, &read, &blocks));
        let (tally, tallies) = mpsc::channel();
        let queue = Arc::new(Mutex::new(queue));
        let threads = ptxcvt_parallel::thread_count(0).min(4);
        for _ in 0..threads {
            let (queue, tally, known) = (Arc::clone(&queue), tally.clone(), Arc::clone(comparison));
            let counters = Arc::clone(&counters);
            thread::spawn(move || {
                let mut own = known.tally();
                loop {
                    let block = queue.lock().expect("no thread panicked").recv();
                    let Ok((first, results)) = block else { break };
                    known.take(&mut own, first, &results);
                    counters.judged.fetch_add(results.len() as u64, Ordering::Relaxed);
                }
                // The receiver is gone if the program was given up.
                let _ = tally.send(own);
            });
        }
        Ok(Run { child, counters, stderr, stderr_ended, tallies, threads })
    }

    /// Waits for the end of the output and of the program.
    fn watch(
        &mut self,
        comparison: &Comparison,
        patience: Duration,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Tally, String> {
        let inputs = comparison.inputs().count();
        let width = comparison.result_bytes() as u64;
        let (mut last, mut since) = (self.counters.all(), Instant::now());
        let mut tally = comparison.tally();
        let mut ended = 0;
        while ended < self.threads {
            match self.tallies.recv_timeout(TICK) {
                Ok(part) => {
                    comparison.add(&mut tally, part);
                    ended += 1;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    unreachable!("each thread sends a tally before it ends")
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = self.counters.all();
            progress((now[1] / width).min(inputs), inputs);
            if now != last {
                (last, since) = (now, Instant::now());
            } else if since.elapsed() > patience {
                return Err(self.hung(comparison, patience));
            }
        }
        let written = self.counters.written.load(Ordering::Relaxed);
        if written > inputs * width {
            let extra = written - inputs * width;
            let least = if extra >= MOST_EXTRA { "at least " } else { "" };
            let (extra, bytes) = (grouped(extra), if extra == 1 { "byte" } else { "bytes" });
            return Err(format!(
                "the program wrote too much: {least}{extra} {bytes} after the codes of all {} inputs",
                grouped(inputs)
            ));
        }
        let since = Instant::now();
        let status = loop {
            match self.child.try_wait().map_err(|e| format!("waiting for the program failed: {e}"))? {
                Some(status) => break status,
                None if since.elapsed() > patience => return Err(self.hung(comparison, patience)),
                None => thread::sleep(TICK / 10),
            }
        };
        if !status.success() {
            let results = written_of(written, inputs, width);
            return Err(format!("the program failed: {}, after it wrote {results}", ended_with(status)));
        }
        if written < inputs * width {
            let results = written_of(written, inputs, width);
            let each = ptxcvt::counted(width, "byte");
            return Err(format!("the program wrote too little: {results} ({each} each)"));
        }
        Ok(tally)
    }

    fn hung(&self, comparison: &Comparison, patience: Duration) -> String {
        let [fed, written, _] = self.counters.all();
        let inputs = comparison.inputs().count();
        let width = comparison.source_bytes() as u64;
        let results = written_of(written, inputs, comparison.result_bytes() as u64);
        let all = written == inputs * comparison.result_bytes() as u64;
        let open = if all { ", but it or a process that it started has not ended" } else { "" };
        format!(
            "the program hung: in {} s it neither read nor wrote; it was sent {} of {} inputs and wrote {results}{open}",
            patience.as_secs_f32(),
            grouped(fed / width),
            grouped(inputs),
        )
    }

    /// Ends the program and the processes that it started.
    fn kill(&mut self) {
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            // The group is gone if all its processes have ended.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The program's text on standard error.
    fn complaint(&self) -> String {
        // The pipe has ended unless a process left the group.
        let _ = self.stderr_ended.recv_timeout(Duration::from_secs(1));
        self.stderr.lock().expect("no thread panicked").complaint()
    }
}

/// How much of its output a program wrote.
fn written_of(bytes: u64, inputs: u64, width: u64) -> String {
    let part = match bytes % width {
        0 => String::new(),
        rest => format!(" and {}", ptxcvt::counted(rest, "byte")),
    };
    format!("{}{part} of {} codes", grouped(bytes / width), grouped(inputs))
}

fn ended_with(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("it was ended by signal {signal}");
    }
    match status.code() {
        // A shell reports signals in this way.
        Some(code @ 129..=192) => format!("exit status {code} (signal {})", code - 128),
        Some(code) => format!("exit status {code}"),
        None => "it did not exit".to_owned(),
    }
}

/// Writes all inputs; stops if the program closes its standard input.
fn feed(mut stdin: ChildStdin, comparison: &Comparison, counters: &Counters) {
    let (width, count) = (comparison.source_bytes(), comparison.inputs().count());
    let mut buffer = vec![0; BLOCK * width];
    let mut first = 0;
    while first < count {
        let whole = (count - first).min(BLOCK as u64) as usize;
        let bytes = &mut buffer[..whole * width];
        comparison.fill(first, bytes);
        let mut rest: &[u8] = bytes;
        while !rest.is_empty() {
            match stdin.write(rest) {
                Ok(0) => return,
                Ok(written) => {
                    counters.fed.fetch_add(written as u64, Ordering::Relaxed);
                    rest = &rest[written..];
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The message depends on how the program ended.
                Err(_) => return,
            }
        }
        first += whole as u64;
    }
}

/// Reads results, and passes them on in blocks of whole results.
fn receive(
    mut stdout: ChildStdout,
    comparison: &Comparison,
    counters: &Counters,
    blocks: &SyncSender<(u64, Vec<u8>)>,
) {
    let width = comparison.result_bytes();
    let (mut first, count) = (0, comparison.inputs().count());
    while first < count {
        let whole = (count - first).min(BLOCK as u64) as usize;
        let mut buffer = vec![0; whole * width];
        let read = read_all(&mut stdout, &mut buffer, counters);
        let full = read == buffer.len();
        buffer.truncate(read / width * width);
        if blocks.send((first, buffer)).is_err() || !full {
            return;
        }
        first += whole as u64;
    }
    let mut extra = 0;
    let mut buffer = [0; 4096];
    while extra < MOST_EXTRA {
        match read_all(&mut stdout, &mut buffer, counters) {
            0 => return,
            read => extra += read as u64,
        }
    }
}

/// Reads until the buffer is full or the output ends, and returns how many bytes were read.
fn read_all(stdout: &mut ChildStdout, buffer: &mut [u8], counters: &Counters) -> usize {
    let mut filled = 0;
    while filled < buffer.len() {
        match stdout.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => {
                counters.written.fetch_add(read as u64, Ordering::Relaxed);
                filled += read;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    filled
}
