//! Cica, through its engine as a program uses it: one data set open, a string (position) for each handle. Updates are
//! GET for update and PUT, the only way there is; unsynced phases log without asking for durability.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use cica_bench::peer::{self, Opening, Peer, Result};
use cica_bench::worker;
use cica_bench::workload::{Layout, LoadStream, STEP};
use cica_disk::{LinuxDisk, SystemClock};
use cica_engine::{
    Access, DataSet, Definition, Durability, Engine, Env, Insert, Intent, OpenOptions, RequestError, Search, Str,
    UnitOfRecovery,
};
use cica_format::attributes::{Attributes, Organization};

/// Control intervals and areas of both components, and FREESPACE.
struct Geometry {
    /// CISZ and CIs of a CA.
    data: (u32, u16),
    index: (u32, u16),
    /// Percent of a CI and of a CA that the load leaves free.
    free: (u8, u8),
}

impl Geometry {
    /// In `step` that of the study: a cylinder of a 3330 with IMBED, FREESPACE(20 6). In `ops` a cylinder of a 3390.
    fn of(opening: &Opening) -> Geometry {
        match opening.engine {
            _ if opening.layout == STEP => Geometry {
                data: (2048, 108),
                index: (1024, 11),
                free: (20, 6),
            },
            "cica-16k" => Geometry {
                data: (16384, 45),
                index: (4096, 12),
                free: (0, 0),
            },
            // What DEFINE takes where CONTROLINTERVALSIZE is not said.
            "cica-18k" => Geometry {
                data: (18432, 45),
                index: (4096, 12),
                free: (0, 0),
            },
            _ => Geometry {
                data: (4096, 180),
                index: (4096, 12),
                free: (0, 0),
            },
        }
    }
}

struct Cica {
    engine: Engine,
    /// First component file; the other lies beside it.
    data: PathBuf,
    options: OpenOptions,
    layout: Layout,
    /// Every commit has to be durable.
    commits: bool,
    /// What a get is for: in a step that writes, the record may be written back.
    intent: Intent,
    /// The last request was a get for update.
    held: bool,
    open: Option<(DataSet, Str)>,
    /// What the open string changes belongs to it.
    unit: Option<UnitOfRecovery>,
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn attributes(component: &str, layout: Layout, (ci_size, ci_per_ca): (u32, u16), free: (u8, u8)) -> Attributes {
    let key = layout.key_range();
    Attributes {
        cluster_name: "BENCH".into(),
        key_length: key.len() as u16,
        key_offset: key.start as u32,
        average_record: layout.record as u32,
        maximum_record: layout.record as u32,
        free_ci: free.0,
        free_ca: free.1,
        speed: true,
        primary: 1 << 40,
        secondary: 0,
        volume: "BENCH".into(),
        ..Attributes::new(Organization::Ksds, component, ci_size, ci_per_ca)
    }
}

fn index_beside(data: &Path) -> PathBuf {
    data.with_extension("index")
}

impl Cica {
    /// Opens the data set, or joins its open.
    fn enter(&mut self) -> Result<()> {
        let set = self
            .engine
            .open(&self.data, &index_beside(&self.data), self.options)
            .map_err(text)?;
        let string = set.string();
        self.open = Some((set, string));
        Ok(())
    }

    fn leave(&mut self) -> Result<()> {
        match self.open.take() {
            Some((set, string)) => {
                drop(string);
                set.close().map(drop).map_err(text)
            }
            None => Ok(()),
        }
    }

    #[inline]
    fn string(&mut self) -> Result<&mut Str> {
        self.open
            .as_mut()
            .map(|(_, string)| string)
            .ok_or_else(|| "the data set is not open".into())
    }
}

impl Peer for Cica {
    fn version() -> String {
        "Cica, this source tree".into()
    }

    fn open(opening: &Opening) -> Result<Self> {
        let engine = Engine::new(Env {
            disk: Arc::new(LinuxDisk::new()),
            clock: Arc::new(SystemClock),
            log_dir: opening.dir.into(),
            pool_bytes: opening.cache_bytes.map(|bytes| bytes as usize),
            io: Default::default(),
            background: true,
        })
        .map_err(text)?;
        let data = opening.dir.join("bench.data");
        if opening.create {
            let geometry = Geometry::of(opening);
            let definition = Definition {
                data_path: data.clone(),
                index_path: index_beside(&data),
                data: attributes("BENCH.DATA", opening.layout, geometry.data, geometry.free),
                index: Some(attributes("BENCH.INDEX", opening.layout, geometry.index, (0, 0))),
            };
            engine.create(&definition).map_err(text)?;
        }
        let at_close = opening.durability == peer::Durability::AtClose;
        let rewrites = at_close && !opening.read_only;
        let mut peer = Cica {
            engine,
            data,
            options: OpenOptions {
                access: if opening.read_only {
                    Access::Input
                } else {
                    Access::Output
                },
                durability: if at_close {
                    Durability::Close
                } else {
                    Durability::Commit
                },
                ..OpenOptions::default()
            },
            layout: opening.layout,
            commits: opening.durability == peer::Durability::EachCommit,
            intent: if rewrites { Intent::Update } else { Intent::Read },
            held: false,
            open: None,
            unit: None,
        };
        peer.enter()?;
        Ok(peer)
    }

    fn load(&mut self, records: &mut LoadStream) -> Result<()> {
        let string = self.string()?;
        while let Some(record) = records.next_record() {
            string.insert(record, Insert::Sequential).map_err(text)?;
        }
        // A load ends with its close.
        self.leave()?;
        self.enter()
    }

    fn scan(&mut self, mut each: impl FnMut(&[u8])) -> Result<u64> {
        let string = self.string()?;
        string.point_first().map_err(text)?;
        let mut count = 0;
        loop {
            match string.next(Intent::Read) {
                Ok(record) => each(record.bytes),
                Err(RequestError::EndOfData) => return Ok(count),
                Err(error) => return Err(text(error)),
            }
            count += 1;
        }
    }

    #[inline]
    fn get(&mut self, key: &[u8], area: &mut [u8]) -> Result<Option<usize>> {
        let intent = self.intent;
        self.held = intent == Intent::Update;
        match self.string()?.get_into(key, Search::Equal, intent, area) {
            Ok(length) => Ok(Some(length)),
            Err(RequestError::NotFound) => {
                self.held = false;
                Ok(None)
            }
            Err(error) => Err(text(error)),
        }
    }

    #[inline]
    fn update(&mut self, record: &[u8]) -> Result<()> {
        let (layout, held) = (self.layout, std::mem::take(&mut self.held));
        let string = self.string()?;
        if !held {
            string
                .get(layout.key(record), Search::Equal, Intent::Update)
                .map_err(text)?;
        }
        string.update(record).map(drop).map_err(text)
    }

    #[inline]
    fn insert(&mut self, record: &[u8]) -> Result<()> {
        self.held = false;
        self.string()?.insert(record, Insert::Direct).map(drop).map_err(text)
    }

    fn in_units(&mut self, yes: bool) -> Result<()> {
        let (set, _) = self.open.take().ok_or("the data set is not open")?;
        self.held = false;
        self.unit = yes.then(|| self.engine.unit());
        let string = match &self.unit {
            Some(unit) => set.string_in(unit),
            None => set.string(),
        };
        self.open = Some((set, string));
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        if let Some(unit) = &self.unit {
            return unit
                .commit_with(if self.commits {
                    Durability::Commit
                } else {
                    Durability::Close
                })
                .map_err(text);
        }
        match &self.open {
            Some((set, _)) if self.commits => set.commit().map_err(text),
            _ => Ok(()),
        }
    }

    fn another(&self) -> Result<Self> {
        let mut other = Cica {
            engine: self.engine.clone(),
            data: self.data.clone(),
            open: None,
            held: false,
            unit: None,
            ..*self
        };
        other.enter()?;
        Ok(other)
    }

    fn settle(&mut self) -> Result<()> {
        match &self.open {
            Some((set, _)) => set.checkpoint().map_err(text),
            None => Ok(()),
        }
    }

    fn close(mut self) -> Result<()> {
        self.leave()
    }
}

fn main() -> ExitCode {
    worker::main::<Cica>()
}
