//! Three clocks read together: CPU time of the calling thread, CPU time of the whole process, and the wall.

use std::fmt;
use std::str::FromStr;
use std::time::Instant;

/// What one phase took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measurement {
    /// Operations done.
    pub ops: u64,
    /// Nanoseconds of CPU in the threads that asked for them.
    pub thread_ns: u64,
    /// Nanoseconds of CPU in all threads of the process, until background work has settled.
    pub process_ns: u64,
    /// Nanoseconds on the wall.
    pub wall_ns: u64,
}

impl Measurement {
    /// CPU of the asking threads per operation, in nanoseconds.
    pub fn thread_per_op(&self) -> f64 {
        self.thread_ns as f64 / self.ops.max(1) as f64
    }

    /// CPU of the process per operation, in nanoseconds.
    pub fn process_per_op(&self) -> f64 {
        self.process_ns as f64 / self.ops.max(1) as f64
    }

    /// Wall time per operation, in nanoseconds.
    pub fn wall_per_op(&self) -> f64 {
        self.wall_ns as f64 / self.ops.max(1) as f64
    }

    /// Operations per second on the wall.
    pub fn per_second(&self) -> f64 {
        self.ops as f64 * 1e9 / self.wall_ns.max(1) as f64
    }
}

impl fmt::Display for Measurement {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(
            out,
            "{} {} {} {}",
            self.ops, self.thread_ns, self.process_ns, self.wall_ns
        )
    }
}

impl FromStr for Measurement {
    type Err = String;

    fn from_str(text: &str) -> Result<Measurement, String> {
        let fields: Vec<u64> = text.split_whitespace().map_while(|field| field.parse().ok()).collect();
        match fields[..] {
            [ops, thread_ns, process_ns, wall_ns] => Ok(Measurement {
                ops,
                thread_ns,
                process_ns,
                wall_ns,
            }),
            _ => Err(format!("not a measurement (four numbers expected): {text}")),
        }
    }
}

/// The clocks at the start of a phase.
pub struct Stopwatch {
    thread: u64,
    process: u64,
    wall: Instant,
}

impl Stopwatch {
    /// Starts now, in this thread.
    pub fn start() -> Stopwatch {
        Stopwatch {
            process: process_cpu_ns(),
            wall: Instant::now(),
            thread: thread_cpu_ns(),
        }
    }

    /// Reads thread and wall now; the process clock is read later, by [`Stopwatch::settled`].
    pub fn stop(&self, ops: u64) -> Measurement {
        let thread_ns = thread_cpu_ns() - self.thread;
        Measurement {
            ops,
            thread_ns,
            process_ns: 0,
            wall_ns: self.wall.elapsed().as_nanos() as u64,
        }
    }

    /// Adds the process clock, after background work is done.
    pub fn settled(&self, stopped: Measurement) -> Measurement {
        Measurement {
            process_ns: process_cpu_ns() - self.process,
            ..stopped
        }
    }
}

/// CPU time of the calling thread.
pub fn thread_cpu_ns() -> u64 {
    cpu_ns(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn process_cpu_ns() -> u64 {
    cpu_ns(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn cpu_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the answer. The call cannot fail for these two clocks.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurement_survives_the_pipe() {
        let sent = Measurement {
            ops: 1,
            thread_ns: 2,
            process_ns: 3,
            wall_ns: 4,
        };
        assert_eq!(sent.to_string().parse(), Ok(sent));
        assert!("1 2 3".parse::<Measurement>().is_err());
        assert!("1 2 three 4".parse::<Measurement>().is_err());
    }

    #[test]
    fn thread_clock_counts_work_not_sleep() {
        let before = thread_cpu_ns();
        std::thread::sleep(std::time::Duration::from_millis(50));
        let slept = thread_cpu_ns() - before;
        assert!(slept < 25_000_000, "sleeping took {slept} ns of CPU");
    }
}
