//! Files of units of recovery that are in doubt, in the log directory: `NAME.prepared`.
//!
//! * Z1. A unit is in doubt from when its file has its name, durably. The file is whole and durable before that, and
//!   all that the unit changed is durable in the log. The log has the unit's end behind it, or none: both mean the same
//!   (recovery:V3).
//! * Z2. What becomes of it is decided by the sector with the state, which is durable before anybody is told. The name
//!   goes afterwards, and may come back with a power cut: the state says then what it is worth.
//! * Z3. Who finds a decision that its maker may not have lived to make durable makes it so before he goes by it.
//! * Z4. What a file says never leads to another file: it is of the unit of its own name, or it is refused.
//! * Z5. A name is taken away by who has its file locked, and from a unit that is over: never from one to which it was
//!   given again meanwhile.
//! * Z6. A decision to commit stays, under a name of its own, while a log may lack the unit's end: whoever recovers by
//!   that log learns from it that the unit stands ([`stands`]). Whether this process's own log has the end is asked
//!   while nobody in it prepares: between the name of a unit and its end nobody says that the log has all.
//! * Z7. The file of a unit whose data sets have an archive goes to that archive before its last name in the log
//!   directory goes. So a unit of which the archive has the file is over, whatever else is called so ([`decided`]).

mod decided;
mod known;
mod stands;

use crate::error::{OpenError, RequestError};
use crate::files::sync_directory;
use cica_disk::{Create, Disk, File, Lock, Open, ReadAt, WriteAt};
use cica_format::prepared::{encode_state, PreparedHead, PreparedIdentity, PreparedState, PreparedUnit};
use cica_format::prepared::{BODY_AT, NAME_LEN, STATE_AT};
use cica_format::FormatError;
use std::collections::BTreeSet;
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub use decided::{clean, undecided_at, Undecided};
pub use known::KnownUnits;

const SUFFIX: &str = ".prepared";

/// Has this process this log, and all of it durably? Asked where somebody has decided.
pub type DurableLog<'l> = &'l dyn Fn(u64) -> bool;

/// Why a unit of recovery was not prepared, or what is to become of it was not done.
#[derive(Debug)]
#[non_exhaustive]
pub enum PrepareError {
    /// No unit can be called so.
    Name {
        /// What it was to be called.
        name: String,
    },
    /// There is one in doubt that is called so, or somebody is just preparing it.
    Doubled {
        /// Its name.
        name: String,
    },
    /// None in doubt is called so: it was never prepared, or somebody has committed it or taken it back.
    Unknown {
        /// The name.
        name: String,
    },
    /// It was decided to take it back, so it cannot be committed any more.
    GoingBack {
        /// Its name.
        name: String,
    },
    /// Somebody is deciding about it just now.
    Busy {
        /// Its name.
        name: String,
    },
    /// To take it back this process must have these data sets open for output, with their alternate indexes.
    NotOpen {
        /// Its name.
        name: String,
        /// Those that it has not open so.
        data_sets: Vec<String>,
    },
    /// A file of a unit in doubt cannot be read or written.
    File(OpenError),
    /// The unit could not be prepared or taken back.
    Request(RequestError),
    /// What the process that owns its data sets says.
    AtOwner {
        /// Its words.
        words: String,
    },
}

impl fmt::Display for PrepareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrepareError::Name { name } => write!(
                f,
                "'{name}' is no name for a unit of recovery: it has 1 to {NAME_LEN} letters, digits and . _ - + : and begins \
                 with a letter or digit"
            ),
            PrepareError::Doubled { name } => {
                write!(f, "there is a unit of recovery in doubt that is called {name}; prepare under another name")
            }
            PrepareError::Unknown { name } => write!(
                f,
                "no unit of recovery in doubt is called {name}: it was never prepared, or it was committed or taken back"
            ),
            PrepareError::GoingBack { name } => write!(
                f,
                "the unit of recovery {name} is being taken back, so it cannot be committed; take it back again"
            ),
            PrepareError::Busy { name } => {
                write!(f, "somebody is deciding about the unit of recovery {name} just now; look at what came of it")
            }
            PrepareError::NotOpen { name, data_sets } => write!(
                f,
                "to take the unit of recovery {name} back open for output, in this process and with their alternate \
                 indexes: {}",
                data_sets.join(", ")
            ),
            PrepareError::File(error) => write!(f, "{error}"),
            PrepareError::Request(error) => write!(f, "{error}"),
            PrepareError::AtOwner { words } => f.write_str(words),
        }
    }
}

impl std::error::Error for PrepareError {}

impl From<RequestError> for PrepareError {
    fn from(error: RequestError) -> PrepareError {
        PrepareError::Request(error)
    }
}

impl From<OpenError> for PrepareError {
    fn from(error: OpenError) -> PrepareError {
        PrepareError::File(error)
    }
}

/// What went wrong on the way to the name.
pub enum CreateError {
    /// Nothing has happened.
    Not(PrepareError),
    /// The file may have its name, and may not after a power cut.
    Perhaps(OpenError),
}

fn io<'p>(path: &'p Path, doing: &'static str) -> impl Fn(std::io::Error) -> OpenError + use<'p> {
    move |error| OpenError::Io {
        path: path.to_path_buf(),
        doing,
        error,
    }
}

/// `Err` for what no unit can be called.
pub fn check_name(name: &str) -> Result<(), PrepareError> {
    let begins = name.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric());
    let all = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"._-+:".contains(&byte));
    if begins && all && name.len() <= NAME_LEN {
        Ok(())
    } else {
        Err(PrepareError::Name { name: name.into() })
    }
}

/// What the file of a unit is called.
fn file_name(name: &str) -> String {
    format!("{name}{SUFFIX}")
}

/// The file of a unit that is called so.
fn path_of(directory: &Path, name: &str) -> PathBuf {
    directory.join(file_name(name))
}

/// The same, if one can be called so.
pub fn checked_path_of(directory: &Path, name: &str) -> Result<PathBuf, PrepareError> {
    check_name(name)?;
    Ok(path_of(directory, name))
}

/// Reads a whole file, which is of the unit that its own name says (Z4).
fn read(file: &dyn File, path: &Path) -> Result<(PreparedUnit, PreparedHead), OpenError> {
    let bytes = whole(file, path)?;
    let (unit, head) = PreparedUnit::decode(&bytes).map_err(|error| damaged(path, &error))?;
    check_its(path, &head.unit)?;
    Ok((unit, head))
}

/// The same of which unit it is, and what became of it: what is looked for often is not read whole.
fn read_head(file: &dyn File, path: &Path) -> Result<PreparedHead, OpenError> {
    let bytes = first_bytes(file, path, BODY_AT)?;
    let head = PreparedUnit::decode_head(&bytes).map_err(|error| damaged(path, &error))?;
    check_its(path, &head.unit)?;
    Ok(head)
}

fn whole(file: &dyn File, path: &Path) -> Result<Vec<u8>, OpenError> {
    let len = file.size(None).map_err(io(path, "read"))?;
    first_bytes(file, path, usize::try_from(len).unwrap_or(usize::MAX))
}

fn unusable(path: &Path, what: String) -> OpenError {
    OpenError::Unusable {
        path: path.to_path_buf(),
        what,
    }
}

fn damaged(path: &Path, error: &FormatError) -> OpenError {
    let words = format!(
        "{error}. It says which records a unit of recovery in doubt has changed: bring it back from a copy of this moment; \
         without it what the unit has done stands"
    );
    unusable(path, words)
}

/// The name of a unit cannot be given again yet.
fn not_archived(path: &Path) -> OpenError {
    let words =
        "a unit of recovery of this name is over, and its file has not gone to the archive of LOG(ALL) yet: see that the \
                 directory archive can be written (is the disk full?), or prepare under another name";
    unusable(path, words.to_owned())
}

/// So many of a file's first bytes, or all it has.
fn first_bytes(file: &dyn File, path: &Path, len: usize) -> Result<Vec<u8>, OpenError> {
    let mut bytes = Vec::new();
    if bytes.try_reserve_exact(len).is_err() {
        return Err(unusable(path, format!("there is no memory for its {len} bytes")));
    }
    bytes.resize(len, 0);
    let mut batch = [ReadAt {
        at: 0,
        buf: &mut bytes,
        got: 0,
    }];
    file.read(&mut batch).map_err(io(path, "read"))?;
    let got = batch[0].got;
    bytes.truncate(got);
    Ok(bytes)
}

/// Z4.
fn check_its(path: &Path, identity: &PreparedIdentity) -> Result<(), OpenError> {
    let unit = &*identity.name;
    let names = [
        file_name(unit),
        stands::file_name(identity),
        decided::file_name(identity),
    ];
    let is_its = path
        .file_name()
        .is_some_and(|its| names.iter().any(|name| *its == **name));
    if check_name(unit).is_ok() && is_its {
        return Ok(());
    }
    let words = format!(
        "it is of the unit of recovery '{}' and has another name; if that is in doubt, give the file the name {} again, \
         else take it away",
        unit.escape_debug(),
        file_name(unit).escape_debug()
    );
    Err(unusable(path, words))
}

/// Those that have files in the directory, in the order of their names, whatever was decided.
fn all(disk: &dyn Disk, directory: &Path) -> Result<Vec<(PreparedUnit, PreparedHead)>, OpenError> {
    each(disk, directory, is_of_unit, read)
}

/// Is a file of a unit called so, whatever was decided?
fn is_of_unit(name: &Path) -> bool {
    name.to_string_lossy().ends_with(SUFFIX)
}

fn each<T>(
    disk: &dyn Disk,
    directory: &Path,
    is_one: impl Fn(&Path) -> bool,
    read: impl Fn(&dyn File, &Path) -> Result<T, OpenError>,
) -> Result<Vec<T>, OpenError> {
    let there = match disk.list(directory) {
        Ok(there) => there,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io(directory, "look for units in doubt")(error)),
    };
    let mut names: Vec<PathBuf> = there.into_iter().map(|(name, _)| name).collect();
    names.retain(|name| is_one(name));
    names.sort();
    let mut all = Vec::with_capacity(names.len());
    for name in names {
        let path = directory.join(name);
        match disk.open(&path, Open::default()) {
            Ok(file) => all.push(read(&*file, &path)?),
            // Its name has just gone.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(io(&path, "open")(error)),
        }
    }
    Ok(all)
}

/// Those that are in doubt, or going back.
pub fn unresolved(
    disk: &dyn Disk,
    directory: &Path,
    durable: DurableLog<'_>,
) -> Result<Vec<(PreparedUnit, PreparedState)>, OpenError> {
    stands::sweep(disk, directory, durable)?;
    let mut left = Vec::new();
    for (unit, head) in all(disk, directory)? {
        if is_over(disk, directory, &head)? {
            settle(disk, &path_of(directory, &unit.name), durable)?;
        } else {
            left.push((unit, head.state));
        }
    }
    Ok(left)
}

/// Which are in doubt, or going back.
pub fn waiting(
    disk: &dyn Disk,
    directory: &Path,
    durable: DurableLog<'_>,
) -> Result<BTreeSet<PreparedIdentity>, OpenError> {
    let mut waiting = BTreeSet::new();
    for head in each(disk, directory, is_of_unit, read_head)? {
        if is_over(disk, directory, &head)? {
            settle(disk, &path_of(directory, &head.unit.name), durable)?;
        } else {
            waiting.insert(head.unit);
        }
    }
    Ok(waiting)
}

/// Was it decided what becomes of the unit of this file, and done? One that somebody put back behind that says nothing
/// of it; another file of the unit does, where one is kept (Z6, Z7).
fn is_over(disk: &dyn Disk, directory: &Path, head: &PreparedHead) -> Result<bool, OpenError> {
    Ok(head.state.is_over()
        || stands::is_there(disk, directory, &head.unit)?
        || head.archived && decided::is_there(disk, directory, &head.unit)?)
}

/// Takes the name of a unit away that is over; what others may need of it gets another (Z6, Z7). Where the name cannot
/// go it goes by the next that can, who finds what was decided.
fn take_name(disk: &dyn Disk, path: &Path, (file, head): (&dyn File, &PreparedHead), durable: DurableLog<'_>) {
    let directory = path.parent().unwrap_or(Path::new("."));
    // One that was taken back is so by requests of its own, in data sets that had been recovered.
    let committed = head.state == PreparedState::Committed;
    if committed && stands::is_needed(disk, directory, head.unit.log, durable) {
        let _ = disk.rename(path, &directory.join(stands::file_name(&head.unit)));
    } else {
        remove(disk, path, (file, head));
    }
}

/// Takes the last name away that the file of a unit which is over has in the log directory (Z7).
fn remove(disk: &dyn Disk, path: &Path, (file, head): (&dyn File, &PreparedHead)) {
    // One that was put back, and says nothing of the decision, is in the archive already.
    let is_kept = !head.archived || !head.state.is_over() || decided::keep(disk, path, file, &head.unit);
    if is_kept {
        // Else it stays for the next who looks.
        let _ = disk.remove(path);
    }
}

/// It is over: makes that durable (Z3), and takes the name away.
fn settle(disk: &dyn Disk, path: &Path, durable: DurableLog<'_>) -> Result<(), OpenError> {
    let alone = Open {
        write: true,
        lock: Lock::Exclusive,
        ..Open::default()
    };
    match disk.open(path, alone) {
        Ok(file) => {
            let head = read_head(&*file, path)?;
            // Else the name was given again.
            return if is_over(disk, path.parent().unwrap_or(Path::new(".")), &head)? {
                settle_locked(disk, path, file, &head, durable)
            } else {
                Ok(())
            };
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(_) => {}
    }
    // Its name goes by who has it locked just now, or, where this process may not write, by the next that may.
    match disk.open(path, Open::default()) {
        Ok(file) => file.sync().map_err(io(path, "sync")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(io(path, "open")(error)),
    }
}

/// The same, of a file that is locked (Z5).
fn settle_locked(
    disk: &dyn Disk,
    path: &Path,
    file: Box<dyn File>,
    head: &PreparedHead,
    durable: DurableLog<'_>,
) -> Result<(), OpenError> {
    file.sync().map_err(io(path, "sync"))?;
    take_name(disk, path, (&*file, head), durable);
    drop(file);
    Ok(())
}

/// The names of the units of this log that are prepared are durable: what they did is not taken back (Z1).
pub fn of_log(disk: &dyn Disk, directory: &Path, log: u64) -> Result<Vec<u64>, OpenError> {
    let units = units_of_log(disk, directory, log)?;
    if !units.is_empty() {
        sync_directory(disk, directory)?;
    }
    Ok(units)
}

/// The units of this log that are prepared, for who only looks. A file may get its other name meanwhile (Z6), and never
/// its first again: who is missed under that is found under the other, which is looked for behind it.
pub fn units_of_log(disk: &dyn Disk, directory: &Path, log: u64) -> Result<Vec<u64>, OpenError> {
    let mut units = each(disk, directory, is_of_unit, read_head)?;
    units.extend(each(disk, directory, stands::is_one, read_head)?);
    units.retain(|head| head.unit.log == log && head.unit.unit != 0);
    Ok(units.into_iter().map(|head| head.unit.unit).collect())
}

/// Makes the file of a unit (Z1).
pub fn create(
    disk: &dyn Disk,
    directory: &Path,
    unit: &PreparedUnit,
    durable: DurableLog<'_>,
) -> Result<(), CreateError> {
    let path = path_of(directory, &unit.name);
    let new = path.with_extension("prepared-new");
    let not = |error: OpenError| CreateError::Not(error.into());
    let bytes = unit.encode().map_err(|_| {
        CreateError::Not(PrepareError::Name {
            name: unit.name.clone(),
        })
    })?;
    let how = |create| Open {
        write: true,
        create,
        lock: Lock::Exclusive,
        ..Open::default()
    };
    let doubled = || {
        CreateError::Not(PrepareError::Doubled {
            name: unit.name.clone(),
        })
    };
    let in_doubt = unresolved(disk, directory, durable).map_err(not)?;
    if in_doubt.iter().any(|(other, _)| other.name == unit.name) {
        return Err(doubled());
    }
    let file = loop {
        match disk.open(&new, how(Create::New)) {
            Ok(file) => break file,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(not(io(&new, "create")(error))),
        }
        match disk.open(&new, how(Create::No)) {
            // Its maker has died.
            Ok(_abandoned) => match disk.remove(&new) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(not(io(&new, "remove")(error))),
                _ => {}
            },
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Err(doubled()),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(not(io(&new, "open")(error))),
        }
    };
    // Another may have had the name from the look until just now.
    let written = match disk.open(&path, Open::default()) {
        Ok(other) => Err(match read_head(&*other, &path) {
            Ok(head) if head.archived && head.state.is_over() => not(not_archived(&path)),
            _ => doubled(),
        }),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(not(io(&path, "open")(error))),
        Err(_) => {
            let write = WriteAt { at: 0, buf: &bytes };
            let written = file.write(&[write]).and_then(|()| file.sync());
            let named = written.and_then(|()| disk.rename(&new, &path));
            named.map_err(|error| not(io(&new, "write")(error)))
        }
    };
    if written.is_err() {
        // Nobody takes what is left for a unit, and the next that is called so makes it anew.
        let _ = disk.remove(&new);
    }
    written?;
    sync_directory(disk, directory).map_err(CreateError::Perhaps)
}

/// A unit about which somebody is deciding: nobody else does meanwhile.
pub struct Deciding {
    file: Box<dyn File>,
    path: PathBuf,
    /// What is decided about.
    pub unit: PreparedUnit,
    /// What was decided so far.
    head: PreparedHead,
}

impl Deciding {
    /// The one that is called so.
    pub fn about(
        disk: &dyn Disk,
        directory: &Path,
        name: &str,
        durable: DurableLog<'_>,
    ) -> Result<Deciding, PrepareError> {
        check_name(name)?;
        let path = path_of(directory, name);
        let how = Open {
            write: true,
            lock: Lock::Exclusive,
            ..Open::default()
        };
        let name = || name.to_owned();
        let file = disk.open(&path, how).map_err(|error| match error.kind() {
            ErrorKind::NotFound => PrepareError::Unknown { name: name() },
            ErrorKind::WouldBlock => PrepareError::Busy { name: name() },
            _ => io(&path, "open")(error).into(),
        })?;
        let (unit, head) = read(&*file, &path)?;
        if is_over(disk, directory, &head)? {
            settle_locked(disk, &path, file, &head, durable)?;
            return Err(PrepareError::Unknown { name: name() });
        }
        Ok(Deciding { file, path, unit, head })
    }

    /// What was decided so far.
    pub fn state(&self) -> PreparedState {
        self.head.state
    }

    /// Decides at this time, durably (Z2).
    pub fn decide(&mut self, state: PreparedState, now: u64) -> Result<(), PrepareError> {
        let sector = encode_state(state, now);
        let write = WriteAt {
            at: STATE_AT as u64,
            buf: &sector,
        };
        let written = self.file.write(&[write]).and_then(|()| self.file.sync());
        written.map_err(io(&self.path, "write"))?;
        self.head.state = state;
        Ok(())
    }

    /// It is over.
    pub fn end(self, disk: &dyn Disk, durable: DurableLog<'_>) {
        // It is locked until the name is gone (Z5).
        take_name(disk, &self.path, (&*self.file, &self.head), durable);
        drop(self.file);
    }
}
