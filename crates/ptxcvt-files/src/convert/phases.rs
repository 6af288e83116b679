//! The duration of a conversion's phases: reading, converting, writing, and counting for `--stats`.
//!
//! Phases run in parallel, so their sum may exceed the time of the run. The longest phase limits it.

use std::fmt;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

/// How long each phase was busy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// Reading the inputs.
    pub reading: Duration,
    /// Converting.
    pub converting: Duration,
    /// Counting by the reference evaluator, in the threads that convert.
    pub counting: Duration,
    /// Writing the output.
    pub writing: Duration,
}

impl AddAssign for Phases {
    fn add_assign(&mut self, other: Self) {
        self.reading += other.reading;
        self.converting += other.converting;
        self.counting += other.counting;
        self.writing += other.writing;
    }
}

impl fmt::Display for Phases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counting = Some(("counting", self.counting)).filter(|(_, time)| !time.is_zero());
        let phases = [
            Some(("reading", self.reading)),
            Some(("converting", self.converting)),
            counting,
            Some(("writing", self.writing)),
        ];
        for (i, (name, time)) in phases.into_iter().flatten().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{name} {:.3} s", time.as_secs_f64())?;
        }
        Ok(())
    }
}

/// Runs `action` and adds its duration to `total`.
pub fn timed<T>(total: &mut Duration, action: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let result = action();
    *total += begun.elapsed();
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_is_named_where_it_took_place() {
        let mut phases = Phases { reading: Duration::from_millis(1500), ..Phases::default() };
        assert_eq!(phases.to_string(), "reading 1.500 s, converting 0.000 s, writing 0.000 s");
        phases += Phases { counting: Duration::from_millis(20), ..phases };
        assert_eq!(
            phases.to_string(),
            "reading 3.000 s, converting 0.000 s, counting 0.020 s, writing 0.000 s"
        );
    }
}
