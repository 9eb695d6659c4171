//! What a process works with: the catalog that is meant, and an engine over it.

use crate::error::SessionError;
use crate::heard::Closes;
use crate::intervals;
use crate::locks::{RecordLocks, LONGEST_WAIT};
use crate::open::{check_inhibited, files, open};
use crate::reach::{reach, Reached};
use crate::share::{Owner, Sharing};
use crate::volumes::CatalogVolumes;
use cica_catalog::symbols::VARIABLE as SYMBOLS_VARIABLE;
use cica_catalog::{Catalog, Name, Surroundings, Symbols};
use cica_counters::{ProcessIdentity, DIRECTORY};
use cica_disk::{Clock, Confined, Disk, LinuxDisk, SystemClock};
use cica_engine::{
    Access, DataSet, Engine, Env, Io, OpenError, OpenOptions, Patience, PoolText, PoolTextError, ReadIntegrity,
};
use cica_smf::{write, Origin, SmfFile};
use std::fmt;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The environment variable that bounds the buffer pool.
pub const POOL_VARIABLE: &str = "CICA_POOL";
/// The environment variable that says whether data goes through the system's page cache: auto, buffered or direct.
pub const IO_VARIABLE: &str = "CICA_IO";

/// The environment variable that names the text with the pools of buffers that opens share (LSR).
pub const POOLS_VARIABLE: &str = "CICA_DFSVSAMP";
/// Most bytes of that text.
const MOST_POOL_TEXT: u64 = 1 << 20;
/// The environment variable that says whether SMF records are written: on or off.
pub const SMF_VARIABLE: &str = "CICA_SMF";
/// The environment variable that names the job whose step a process is.
pub const JOB_VARIABLE: &str = "CICA_JOB";
/// The environment variable that names the step.
pub const STEP_VARIABLE: &str = "CICA_STEP";

/// How to begin.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// The catalog's directory, when it is named.
    pub catalog: Option<PathBuf>,
    /// Make the catalog where there is none.
    pub create: bool,
    /// Bound of the buffer pool in bytes; none: a quarter of the machine's memory.
    pub pool: Option<usize>,
    /// Whether data goes through the system's page cache.
    pub io: Io,
    /// Whether data sets are shared with other processes.
    pub sharing: Sharing,
    /// Symbols beside those of the host and of the environment, `NAME=TEXT,NAME=TEXT`.
    pub symbols: String,
}

/// See the module.
pub struct Session {
    /// Files of the catalog and of its volumes.
    pub disk: Arc<dyn Disk>,
    /// What the user keeps elsewhere.
    pub outside: Arc<dyn Disk>,
    /// Time of day.
    pub clock: Arc<dyn Clock>,
    /// The catalog that is meant.
    pub catalog: Arc<Catalog>,
    /// The engine of this process.
    pub engine: Engine,
    /// Records that languages have locked.
    pub locks: Arc<RecordLocks>,
    /// Whether data sets are shared with other processes.
    pub sharing: Sharing,
    /// Where SMF records go, if they are written.
    pub smf: Option<Arc<SmfFile>>,
    pub(crate) owner: Arc<Owner>,
}

/// What opens data sets as a session does, for who has no session.
#[derive(Clone)]
pub struct Opens {
    sharing: Sharing,
    owner: Arc<Owner>,
    /// The master catalog's, which has the owner's socket.
    directory: PathBuf,
}

impl Session {
    /// Finds the catalog and makes an engine; nothing is opened yet.
    ///
    /// # Errors
    /// There is no usable catalog, or no memory for the pool.
    pub fn start(start: Start) -> Result<Session, SessionError> {
        let surroundings = Surroundings::of_process(start.catalog);
        let (directory, _) = cica_catalog::locate(&LinuxDisk::default(), &surroundings)?;
        let disk = disk(&directory, &surroundings.trusted);
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let catalog = if start.create {
            Catalog::open_or_create(disk.clone(), directory)?
        } else {
            Catalog::open(disk.clone(), directory)?
        };
        let catalog = catalog.symbols(Arc::new(symbols(&start.symbols)?));
        let pools = pools_from_environment()?;
        let engine = Engine::new(Env {
            disk: disk.clone(),
            clock: clock.clone(),
            log_dir: catalog.log_directory(),
            pool_bytes: start.pool,
            io: start.io,
            background: true,
        })
        .map_err(|error| SessionError::Pool {
            what: format!("there is no memory for the buffer pool: {error}; give it less (--pool, CICA_POOL)"),
        })?;
        let process = this_process(clock.now());
        let every = intervals::interval_from_environment()?;
        let smf = smf_from_environment()?.then(|| watch(&engine, &disk, &clock, &catalog, &process));
        if let (Some(file), Some(every)) = (&smf, every) {
            intervals::start(file, &clock, every)?;
        }
        engine.show_counts(catalog.directory().join(DIRECTORY), process);
        // They count where others see it.
        if let Some((path, text)) = pools {
            build_pools(&engine, &path, &text)?;
        }
        let session = Session::over(disk, clock, Arc::new(catalog), engine);
        Ok(Session {
            outside: outside(),
            sharing: start.sharing,
            smf,
            ..session
        })
    }

    /// Over what is made already, on any disk; it shares nothing.
    pub fn over(disk: Arc<dyn Disk>, clock: Arc<dyn Clock>, catalog: Arc<Catalog>, engine: Engine) -> Session {
        engine.set_volumes(Arc::new(CatalogVolumes::new(disk.clone(), catalog.clone())));
        Session {
            outside: disk.clone(),
            disk,
            clock,
            catalog,
            engine,
            locks: Arc::default(),
            sharing: Sharing::Off,
            smf: None,
            owner: Arc::default(),
        }
    }
}

impl Session {
    /// What a name leads to, and the catalog that has it: the one that its leading qualifiers are an alias of, else the
    /// master.
    ///
    /// # Errors
    /// As [`reach`]; the catalog cannot be read.
    pub fn reach(&self, name: &Name) -> Result<(Arc<Catalog>, Reached), SessionError> {
        let catalog = self.catalog.home(name)?;
        let reached = reach(&*catalog.contents()?, name)?;
        Ok((catalog, reached))
    }

    /// Opens what a name leads to.
    ///
    /// # Errors
    /// As [`reach`](Self::reach) and [`open`](crate::open()).
    pub fn open(&self, name: &Name, options: OpenOptions) -> Result<(Reached, DataSet), SessionError> {
        let (catalog, reached) = self.reach(name)?;
        let data_set = self.open_reached(name, &catalog, &reached, options)?;
        Ok((reached, data_set))
    }

    /// Opens what a name was found to lead to.
    ///
    /// # Errors
    /// As [`open`](crate::open()); [`SessionError::Shared`].
    pub fn open_reached(
        &self,
        name: &Name,
        catalog: &Catalog,
        reached: &Reached,
        options: OpenOptions,
    ) -> Result<DataSet, SessionError> {
        self.open_shared(name, catalog, reached, options, self.sharing)
    }

    /// The same for an open that says itself whether it shares.
    ///
    /// # Errors
    /// As [`open_reached`](Self::open_reached).
    pub fn open_shared(
        &self,
        name: &Name,
        catalog: &Catalog,
        reached: &Reached,
        options: OpenOptions,
        sharing: Sharing,
    ) -> Result<DataSet, SessionError> {
        let opens = Opens {
            sharing,
            ..self.opens()
        };
        opens.open(&self.engine, name, catalog, reached, options)
    }

    /// From now on it is known of each open what it has done, once it is closed ([`closing`](crate::closing)).
    pub fn count_opens(&self) {
        // Where records are written it is so from the start.
        if self.smf.is_none() {
            self.engine.watch(Arc::new(Closes { smf: None }));
        }
    }

    /// Its way to open data sets.
    pub fn opens(&self) -> Opens {
        Opens {
            sharing: self.sharing,
            owner: self.owner.clone(),
            directory: self.catalog.directory().to_path_buf(),
        }
    }
}

/// Has a record written of each open and close, in the file that is returned.
fn watch(
    engine: &Engine,
    disk: &Arc<dyn Disk>,
    clock: &Arc<dyn Clock>,
    catalog: &Catalog,
    process: &ProcessIdentity,
) -> Arc<SmfFile> {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let origin = Origin {
        system: host.trim_ascii_end().to_ascii_uppercase(),
        catalog: catalog.called_name().unwrap_or_default(),
        job: if process.job.is_empty() {
            &process.program
        } else {
            &process.job
        }
        .to_ascii_uppercase(),
        step: process.step.to_ascii_uppercase(),
        started: process.started,
    };
    let file = SmfFile::new(disk.clone(), clock.clone(), catalog.directory(), origin, write::MOST);
    let file = Arc::new(file);
    engine.watch(Arc::new(Closes {
        smf: Some(file.clone()),
    }));
    // Made with the first open, so not asked for before that.
    let same = file.clone();
    engine.count_smf(move |cells, pool| same.show_counts(cells, pool));
    file
}

/// Whether the environment says that records are written.
///
/// # Errors
/// It says something else than on or off.
pub fn smf_from_environment() -> Result<bool, SessionError> {
    match std::env::var(SMF_VARIABLE).unwrap_or_default().as_str() {
        "" | "off" => Ok(false),
        "on" => Ok(true),
        other => Err(SessionError::Pool {
            what: format!("{SMF_VARIABLE}: '{other}' is neither on nor off"),
        }),
    }
}

/// The text of pools of buffers that the environment names, and where it is.
fn pools_from_environment() -> Result<Option<(PathBuf, PoolText)>, SessionError> {
    let path = match std::env::var_os(POOLS_VARIABLE) {
        Some(path) if !path.is_empty() => PathBuf::from(path),
        _ => return Ok(None),
    };
    let text = text_of(&path).map_err(|error| wrong_pools(&path, &unread(&error)))?;
    let text = text
        .parse()
        .map_err(|error: PoolTextError| wrong_pools(&path, &error))?;
    Ok(Some((path, text)))
}

/// The text of a file that its user named. A pipe would keep each program waiting for whoever writes to it, and a
/// device may never end.
fn text_of(path: &Path) -> io::Result<String> {
    let found = std::fs::metadata(path)?;
    // A directory cannot be read, and says so itself.
    if !found.is_file() && !found.is_dir() {
        return Err(io::Error::other("it is no plain file"));
    }
    let mut text = String::new();
    let file = std::fs::File::open(path)?;
    file.take(MOST_POOL_TEXT + 1).read_to_string(&mut text)?;
    match text.len() as u64 {
        0..=MOST_POOL_TEXT => Ok(text),
        _ => Err(io::Error::other(format!("it has more than {MOST_POOL_TEXT} bytes"))),
    }
}

/// Why the text of pools is not read, and what to do.
fn unread(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::InvalidData => "it is no text (UTF-8); name a file whose lines are VSRBF=size,count".into(),
        _ => format!("{error}; name a file that can be read, or unset the variable"),
    }
}

fn wrong_pools(path: &Path, what: &dyn fmt::Display) -> SessionError {
    SessionError::Pool {
        what: format!("{POOLS_VARIABLE}: {}: {what}", path.display()),
    }
}

/// Builds the pools of a text.
fn build_pools(engine: &Engine, path: &Path, text: &PoolText) -> Result<(), SessionError> {
    for (number, pool) in (0..).zip(&text.pools) {
        engine
            .build_pool(number, &pool.buffers)
            .map_err(|error| wrong_pools(path, &error))?;
    }
    Ok(())
}

/// What others are told that this process is. A job says its names to the programs of its steps.
fn this_process(started: u64) -> ProcessIdentity {
    let said = |variable| std::env::var(variable).unwrap_or_default();
    ProcessIdentity {
        pid: std::process::id(),
        started,
        job: said(JOB_VARIABLE),
        step: said(STEP_VARIABLE),
        program: program_name(),
    }
}

/// The last part of what the process was called by.
pub(crate) fn program_name() -> String {
    let program = std::env::args_os().next().unwrap_or_default();
    let program = Path::new(&program).file_name().unwrap_or_default();
    program.to_string_lossy().into_owned()
}

impl Opens {
    /// Those of who shares nothing.
    pub fn alone() -> Opens {
        Opens {
            sharing: Sharing::Off,
            owner: Arc::default(),
            directory: PathBuf::new(),
        }
    }

    /// Opens a data set to be looked at, wherever it is: in this process, as `options` say, or at its owner, whatever
    /// SHAREOPTIONS say. No owner is started.
    ///
    /// # Errors
    /// As of [`open`](crate::open()).
    pub fn open_to_check(
        &self,
        engine: &Engine,
        catalog: &Catalog,
        reached: &Reached,
        options: OpenOptions,
    ) -> Result<DataSet, SessionError> {
        match open(catalog, engine, reached, options) {
            Err(error @ SessionError::Open(OpenError::InUse { .. })) if self.sharing.asks_the_owner() => {
                let (data, _) = files(catalog, &reached.cluster)?;
                let names = (&reached.cluster.name, None);
                let shared = (self.owner).open(&self.directory, names, &data, OpenOptions::default(), false);
                // Where nobody shares it, the first answer says why.
                shared.map_err(|_| error)
            }
            opened => opened,
        }
    }

    /// See [`Session::open_reached`].
    ///
    /// # Errors
    /// As there.
    pub fn open(
        &self,
        engine: &Engine,
        name: &Name,
        catalog: &Catalog,
        reached: &Reached,
        options: OpenOptions,
    ) -> Result<DataSet, SessionError> {
        let (data, _) = files(catalog, &reached.cluster)?;
        let is_empty = || {
            engine
                .peek(&data)
                .is_ok_and(|root| root.levels == 0 && root.statistics.records == 0)
        };
        let loads = || options.reset || is_empty();
        let sharing = self.sharing.of(&reached.cluster, options.access, loads)?;
        let directory = &self.directory;
        // A path that has a name is opened by that.
        let index = reached.way.as_ref().filter(|_| reached.path.is_none());
        let names = (name, index.map(|index| &index.name));
        if sharing == Sharing::On {
            check_inhibited(&reached.cluster, options)?;
            return self.owner.open(directory, names, &data, options, true);
        }
        match open(catalog, engine, reached, options) {
            // Where nobody shares it, the first answer says why.
            Err(error) if sharing.may_join(&error, reached, options) => {
                let joined = self.owner.open(directory, names, &data, options, false);
                joined
                    .map(|data_set| committed(data_set, options.access))
                    .map_err(|_| error)
            }
            // To ask who has it is not to share it.
            Err(SessionError::Open(mut error)) if sharing != Sharing::Owner => {
                if let OpenError::InUse { by: Some(by), .. } = &mut error {
                    let users = self.owner.users(directory, name);
                    if !users.is_empty() {
                        let remedy = "CICA_SHARE=on shares it too, and 'cica server clients' shows who does";
                        *by = format!("{by}, for {}; {remedy}", users.join(", "));
                    }
                }
                Err(error.into())
            }
            opened => opened,
        }
    }
}

/// Who joins others without having asked for record-level sharing reads what is committed. A reader waits for that; who
/// may change records hears at once that another has them.
fn committed(data_set: DataSet, access: Access) -> DataSet {
    let patience = match access {
        Access::Input => Patience::Until(LONGEST_WAIT),
        Access::Output => Patience::None,
    };
    data_set.reading(ReadIntegrity::Consistent, patience)
}

/// The disk of a process that uses the catalog in `directory`: nothing is touched but what belongs to the catalog, or lies
/// in a directory that is trusted. What is made gets the mode that the file `catalog` has.
pub fn disk(directory: &Path, trusted: &[PathBuf]) -> Arc<dyn Disk> {
    let linux = LinuxDisk::default();
    let linux = match std::fs::symlink_metadata(directory.join("catalog")) {
        // Others than owner and group do not write to data sets.
        Ok(catalog) if catalog.is_file() => linux.with_mode(catalog.mode() & 0o664),
        _ => linux,
    };
    Arc::new(Confined::new(linux, trusted))
}

/// The disk of what users keep outside the volumes: copies, listings, sequential files. Whoever may touch them may.
pub fn outside() -> Arc<dyn Disk> {
    Arc::new(LinuxDisk::new())
}

/// The symbols of this system: the host's, those of the environment, and `more`, each over those before.
fn symbols(more: &str) -> Result<Symbols, SessionError> {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let environment = std::env::var(SYMBOLS_VARIABLE).unwrap_or_default();
    let with = |symbols: Symbols, definitions: &str, origin: &str| {
        symbols.with(definitions).map_err(|error| SessionError::Pool {
            what: format!("{origin}: {error}"),
        })
    };
    let symbols = with(Symbols::of_host(&host), &environment, SYMBOLS_VARIABLE)?;
    with(symbols, more, "--symbols")
}

/// The pool's bound that the environment names, if it does.
///
/// # Errors
/// It names no size.
pub fn pool_from_environment() -> Result<Option<usize>, SessionError> {
    match std::env::var(POOL_VARIABLE) {
        Ok(text) if !text.is_empty() => bytes(&text).map(Some).map_err(|what| SessionError::Pool {
            what: format!("{POOL_VARIABLE}: {what}"),
        }),
        _ => Ok(None),
    }
}

/// What the environment says of the page cache; nothing is "auto".
///
/// # Errors
/// It says something else.
pub fn io_from_environment() -> Result<Io, SessionError> {
    match std::env::var(IO_VARIABLE) {
        Ok(text) if !text.is_empty() => text.parse().map_err(|what| SessionError::Pool {
            what: format!("{IO_VARIABLE}: {what}"),
        }),
        _ => Ok(Io::Auto),
    }
}

/// Bytes from text: digits, and K, M or G for units of 1,024.
///
/// # Errors
/// The text is no size, or more than the machine can address.
pub fn bytes(text: &str) -> Result<usize, String> {
    let text = text.trim();
    let unit = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let shift = match text[unit..].to_ascii_uppercase().as_str() {
        "" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        _ => {
            return Err(format!(
                "'{text}' is no size; write bytes, or a number with K, M or G, such as 64M"
            ))
        }
    };
    let number: usize = text[..unit]
        .parse()
        .map_err(|_| format!("'{text}' is no size; write bytes, or a number with K, M or G, such as 64M"))?;
    number
        .checked_mul(1 << shift)
        .ok_or_else(|| format!("{text} is more than this machine can address"))
}
