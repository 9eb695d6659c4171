//! The driver's end of a worker: starts the program, sends orders, reads answers.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::clock::Measurement;
use crate::engines::Engine;
use crate::files::make_empty;
use crate::peer::Result;

/// A running worker. Only one is given work at a time.
pub struct Worker {
    /// The row it serves.
    pub engine: Engine,
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
    dir: PathBuf,
    numbers: [u64; 3],
}

impl Worker {
    /// Starts the engine's program on its own directory under `dir`.
    pub fn start(engine: Engine, dir: &Path, loaded: u64, batch: u64, cache_bytes: u64) -> Result<Worker> {
        let dir = dir.join(engine.name);
        make_empty(&dir)?;
        Worker::spawn(engine, dir, [loaded, batch, cache_bytes])
    }

    /// Starts it once more on the same files, after [`kill_during`](Self::kill_during).
    pub fn again(self) -> Result<Worker> {
        Worker::spawn(self.engine, self.dir, self.numbers)
    }

    /// Where its files are.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    fn spawn(engine: Engine, dir: PathBuf, numbers: [u64; 3]) -> Result<Worker> {
        let mut child = Command::new(engine.path()?)
            .args(["serve", engine.name])
            .arg(&dir)
            .args(numbers.map(|number| number.to_string()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", engine.program))?;
        let (Some(orders), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{} has no pipes", engine.program));
        };
        Ok(Worker {
            engine,
            child,
            orders,
            answers: BufReader::new(answers),
            dir,
            numbers,
        })
    }

    /// Sends an order and waits for the text of the answer.
    pub fn ask(&mut self, order: &str) -> Result<String> {
        let failed = |reason: &str| format!("{} did not do '{order}': {reason}", self.engine.name);
        let mut answer = String::new();
        writeln!(self.orders, "{order}").map_err(|error| failed(&error.to_string()))?;
        self.answers
            .read_line(&mut answer)
            .map_err(|error| failed(&error.to_string()))?;
        match answer.trim_end().split_once(' ').unwrap_or((answer.trim_end(), "")) {
            ("ok", text) => Ok(text.to_string()),
            ("error", reason) => Err(failed(reason)),
            _ => Err(failed("its program ended")),
        }
    }

    /// Sends an order that does not end, and kills the program (SIGKILL) in the middle of it.
    pub fn kill_during(&mut self, order: &str, after: Duration) -> Result<()> {
        let failed = |error: std::io::Error| format!("{} was not killed in '{order}': {error}", self.engine.name);
        writeln!(self.orders, "{order}").map_err(failed)?;
        std::thread::sleep(after);
        if let Some(status) = self.child.try_wait().map_err(failed)? {
            return Err(format!("{} ended before it was killed: {status}", self.engine.name));
        }
        self.child.kill().map_err(failed)?;
        self.child.wait().map(drop).map_err(failed)
    }

    /// Sends an order that is measured.
    pub fn measure(&mut self, order: &str) -> Result<Measurement> {
        self.ask(order)?.parse()
    }

    /// Closes the data set and ends the program.
    pub fn finish(mut self) -> Result<()> {
        self.ask("close")?;
        self.child
            .wait()
            .map(|_| ())
            .map_err(|error| format!("cannot wait for {}: {error}", self.engine.program))
    }
}
