//! `ptxcvt.prove`: whether two pieces of PTX return the same bits.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use pyo3::prelude::*;

use ptxcvt_exec::prove::{Domain, Options, UnknownDomain, prove_until};
use ptxcvt_report::prove::ProveReport;

use crate::error::{error, plain};
use crate::run::Block;

/// Compares two blocks. Returns the command's report as JSON.
#[pyfunction]
#[pyo3(name = "_prove")]
#[allow(clippy::too_many_arguments)] // One caller, in Python.
pub fn proof(
    py: Python<'_>,
    a: &Block,
    b: &Block,
    domain: &str,
    up_to_nan: bool,
    samples: u64,
    first: bool,
    threads: usize,
) -> PyResult<String> {
    let domain: Domain = domain
        .parse()
        .map_err(|known: UnknownDomain| error(None, format!("no domain `{domain}`"), &[known.to_string()]))?;
    let options = Options { up_to_nan, domain, samples, first, threads };
    let answer = interruptible(py, |is_stopped| {
        let progress = |_| if is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        prove_until(&a.0, &b.0, &options, &progress)
    })?;
    let answer =
        answer.map_err(|e| plain(e.to_string()))?.expect("a signal that breaks it off is an exception");
    serde_json::to_string(&ProveReport::new([&a.0, &b.0], &answer)).map_err(|e| plain(e.to_string()))
}

/// How often a long computation looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// Does work in another thread, without the interpreter's lock, and raises the exception of a signal that comes
/// meanwhile, such as `KeyboardInterrupt`. Signals reach only Python's main thread, which waits here. The work ends soon
/// after its argument returns true.
fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> T + Send,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    py.detach(|| {
        std::thread::scope(|scope| {
            let (send, done) = mpsc::channel::<()>();
            let worker = scope.spawn(|| {
                // Dropped when the work ends, which wakes the waiting thread, also by a panic.
                let _send = send;
                work(&|| stop.load(Ordering::Relaxed))
            });
            let mut signal = Ok(());
            while done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if signal.is_ok() {
                    signal = Python::attach(|py| py.check_signals());
                    stop.store(signal.is_err(), Ordering::Relaxed);
                }
            }
            let result = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            signal.map(|()| result)
        })
    })
}
