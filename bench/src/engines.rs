//! The engines, in the order of the tables.

use std::path::PathBuf;

/// One row of the tables.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    /// Name of the row, and what `--engines` takes.
    pub name: &'static str,
    /// Program that serves it, beside this one.
    pub program: &'static str,
    /// Can commit single records durably, from several threads.
    pub commits: bool,
    /// Can make a unit of many writes, and come back after a kill: takes part in `grow`.
    pub units: bool,
    /// Takes part in `step`.
    pub steps: bool,
}

impl Engine {
    /// The engine's program: it lies beside this one.
    pub fn path(&self) -> Result<PathBuf, String> {
        let here = std::env::current_exe().map_err(|error| format!("cannot find this program's directory: {error}"))?;
        let path = here.with_file_name(self.program);
        match path.exists() {
            true => Ok(path),
            false => Err(format!(
                "{} is not there; build all programs with: cargo build --release",
                path.display()
            )),
        }
    }
}

/// All engines that are built here.
pub const ENGINES: &[Engine] = &[
    Engine {
        name: "none",
        program: "peer-none",
        commits: false,
        units: true,
        steps: true,
    },
    Engine {
        name: "lmdb",
        program: "peer-lmdb",
        commits: true,
        units: true,
        steps: true,
    },
    Engine {
        name: "bdb",
        program: "peer-bdb",
        commits: false,
        units: false,
        steps: true,
    },
    Engine {
        name: "bdb-tx",
        program: "peer-bdb",
        commits: true,
        units: true,
        steps: false,
    },
    Engine {
        name: "rocksdb",
        program: "peer-rocksdb",
        commits: true,
        units: true,
        steps: true,
    },
    Engine {
        name: "wiredtiger",
        program: "peer-wiredtiger",
        commits: true,
        units: true,
        steps: true,
    },
    Engine {
        name: "sqlite",
        program: "peer-sqlite",
        commits: true,
        units: true,
        steps: true,
    },
    Engine {
        name: "fjall",
        program: "peer-fjall",
        commits: true,
        units: true,
        // Its files lie in directories, which the copy before a step does not take along.
        steps: false,
    },
    Engine {
        name: "redb",
        program: "peer-redb",
        commits: true,
        units: true,
        steps: true,
    },
    Engine {
        name: "cica",
        program: "peer-cica",
        commits: true,
        units: true,
        steps: true,
    },
    Engine {
        name: "cica-16k",
        program: "peer-cica",
        commits: true,
        units: true,
        steps: false,
    },
    Engine {
        name: "cica-18k",
        program: "peer-cica",
        commits: true,
        units: true,
        steps: false,
    },
];

/// The engines of a comma-separated list.
pub fn choose(list: &str) -> Result<Vec<Engine>, String> {
    list.split(',')
        .map(|name| {
            ENGINES
                .iter()
                .find(|engine| engine.name == name)
                .copied()
                .ok_or_else(|| {
                    let known: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
                    format!("no engine is called '{name}'; choose from {}", known.join(","))
                })
        })
        .collect()
}
