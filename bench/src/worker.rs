//! The main function of every `peer-*` program: takes orders from the driver, one line each.
//!
//! ```text
//! peer-x serve <engine> <dir> <loaded> <batch> <cache bytes>   orders on stdin, answers on stdout
//! peer-x step  <engine> <dir> load|read|update|insert          one batch step, then exit
//! ```
//!
//! Answers are `ok` with the measurement (or text), or `error` with the reason. After `error` the worker ends.

use std::io::{stdin, stdout, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use crate::clock::{Measurement, Stopwatch};
use crate::files::{bytes_under, make_empty};
use crate::latency::Latency;
use crate::peer::{Durability, Opening, Peer, Result};
use crate::phases::Work;
use crate::step::Step;
use crate::workload::OPS;
use crate::zipf;

/// Runs an engine's program.
pub fn main<P: Peer>() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args[..] {
        ["serve", engine, dir, loaded, batch, cache] => serve::<P>(engine, dir, [loaded, batch, cache]),
        ["step", engine, dir, step] => step
            .parse()
            .and_then(|step: Step| step.run::<P>(engine, Path::new(dir))),
        _ => Err("this program is started by cica-bench".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{}: {reason}", P::version());
            ExitCode::FAILURE
        }
    }
}

fn serve<P: Peer>(engine: &str, dir: &str, numbers: [&str; 3]) -> Result<()> {
    let [loaded, batch, cache_bytes] = numbers.map(|text| text.parse::<u64>());
    let (Ok(loaded), Ok(batch), Ok(cache_bytes)) = (loaded, batch, cache_bytes) else {
        return Err(format!("numbers expected, not {}", numbers.join(" ")));
    };
    let work = Work {
        layout: OPS,
        loaded,
        batch,
    };
    let mut server = Server::<P> {
        engine: engine.into(),
        dir: dir.into(),
        work,
        cache_bytes,
        peer: None,
        inserts: 0,
    };
    for line in stdin().lock().lines() {
        let line = line.map_err(|error| format!("cannot read orders: {error}"))?;
        let answer = server.obey(&line);
        match &answer {
            Ok(text) => println!("ok {text}"),
            Err(reason) => println!("error {reason}"),
        }
        stdout().flush().map_err(|error| format!("cannot answer: {error}"))?;
        if answer.is_err() || line == "close" {
            break;
        }
    }
    Ok(())
}

struct Server<P> {
    engine: String,
    dir: PathBuf,
    work: Work,
    cache_bytes: u64,
    peer: Option<P>,
    inserts: u64,
}

impl<P: Peer> Server<P> {
    fn obey(&mut self, order: &str) -> Result<String> {
        let work = self.work;
        let words: Vec<&str> = order.split_whitespace().collect();
        let answer = match words[..] {
            ["version"] => P::version(),
            ["space"] => bytes_under(&self.dir)?.to_string(),
            ["load"] => {
                self.close()?;
                make_empty(&self.dir)?;
                self.open(true, Durability::Unsynced)?;
                self.measure(|peer| work.load(peer))?.to_string()
            }
            ["scan"] => {
                let contents = work.contents(self.inserts);
                self.measure(|peer| work.scan(peer, contents))?.to_string()
            }
            ["get", ops, seed] => {
                let (ops, seed) = (number(ops)?, number(seed)?);
                self.measure(|peer| work.get(peer, ops, seed))?.to_string()
            }
            ["update", ops, seed] => {
                let (ops, seed) = (number(ops)?, number(seed)?);
                self.measure(|peer| work.update(peer, ops, seed))?.to_string()
            }
            ["insert", ops] => {
                let (ops, from) = (number(ops)?, self.inserts);
                let measured = self.measure(|peer| work.insert(peer, from, ops))?;
                self.inserts += ops;
                measured.to_string()
            }
            ["zipf", ops, seed] => {
                let indexes = zipf::draw(work.loaded, number(ops)?, number(seed)?);
                self.measure(|peer| work.get_these(peer, &indexes))?.to_string()
            }
            ["timed-insert", ops] => {
                let (ops, from) = (number(ops)?, self.inserts);
                let mut all = Vec::new();
                let measured = self.measure(|peer| {
                    let (ops, took) = work.timed_insert(peer, from, ops)?;
                    all = took;
                    Ok(ops)
                })?;
                self.inserts += ops;
                format!("{measured}|{}", Latency::of(all))
            }
            // What it changes stays in memory as far as the engine leaves it there.
            ["raw-update", ops, seed] => {
                let (ops, seed) = (number(ops)?, number(seed)?);
                work.update(self.peer.as_mut().ok_or("nothing is loaded")?, ops, seed)?;
                String::new()
            }
            ["units", switch @ ("on" | "off")] => {
                let peer = self.peer.as_mut().ok_or("nothing is loaded")?;
                peer.in_units(switch == "on")?;
                String::new()
            }
            ["reopen"] | ["open", "synced"] => {
                self.close()?;
                self.open(false, Durability::EachCommit)?;
                String::new()
            }
            ["open", "unsynced"] => {
                self.close()?;
                self.open(false, Durability::Unsynced)?;
                String::new()
            }
            ["shut"] => {
                let watch = Stopwatch::start();
                self.close()?;
                watch.settled(watch.stop(1)).to_string()
            }
            ["first-get", "unsynced"] => {
                let watch = Stopwatch::start();
                self.open(false, Durability::Unsynced)?;
                work.get(self.peer.as_mut().ok_or("nothing is open")?, 1, 1)?;
                watch.settled(watch.stop(1)).to_string()
            }
            ["commit", threads, seconds, seed] => {
                let length = Duration::from_secs(number(seconds)?);
                let (threads, seed) = (number(threads)?, number(seed)?);
                let peer = self.peer.as_mut().ok_or("nothing is loaded")?;
                let watch = Stopwatch::start();
                let measured = work.commit(peer, threads, length, seed)?;
                peer.settle()?;
                watch.settled(measured).to_string()
            }
            ["close"] => {
                self.close()?;
                String::new()
            }
            _ => return Err(format!("unknown order: {order}")),
        };
        Ok(answer)
    }

    fn open(&mut self, create: bool, durability: Durability) -> Result<()> {
        self.peer = Some(P::open(&Opening {
            engine: &self.engine,
            dir: &self.dir,
            layout: self.work.layout,
            create,
            read_only: false,
            durability,
            cache_bytes: Some(self.cache_bytes),
        })?);
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        self.peer.take().map_or(Ok(()), P::close)
    }

    fn measure(&mut self, phase: impl FnOnce(&mut P) -> Result<u64>) -> Result<Measurement> {
        let peer = self.peer.as_mut().ok_or("nothing is loaded")?;
        let watch = Stopwatch::start();
        let ops = phase(peer)?;
        let measured = watch.stop(ops);
        peer.settle()?;
        Ok(watch.settled(measured))
    }
}

fn number(text: &str) -> Result<u64> {
    text.parse().map_err(|_| format!("'{text}' is not a number"))
}
