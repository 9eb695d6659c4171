//! [`NewFile`]: a file that is made for the user (a copy, a listing, a sequential data set), whole or not at all.
//!
//! ```text
//! begin    a file of its own without a name, or with one that nobody has               what has the name stays
//! write
//! finish   sync -- the name, in place of what had it -- sync of the directory          it is there, also after a crash
//! drop     without finish: it is gone
//! ```
//! * N1. What has the name is never written to, whoever began to write it first: of two that are made at once each is
//!   whole, and the one that is finished last has the name.
//! * N2. A link in place of the name is replaced, not followed. Devices, pipes and terminals are written as they are.
//! * N3. It gets the owner, group, mode and list (ACL) of the file it replaces; who may not give it that group leaves
//!   nobody more rights than he had. Else 0640, without what the process masks.
//! * N4. A process that is killed leaves nothing where the file system has files without names. Elsewhere, and before
//!   the rename at the end, it leaves `.cica-PROCESS-NUMBER.unfinished` beside the file: nobody reads it, and whoever
//!   finds it may remove it.
//! * N5. The name is given after the sync of what has it, and the directory is synced after that: whoever deletes what
//!   a copy was made of does so after [`NewFile::finish`].
//! * N6. One that is [`named_later`](NewFile::named_later) has no name when it is finished. It gets the name when
//!   [`NameLater::name`] is called, if nothing has it; it is gone when nobody calls.
//! * N7. Of a write behind a file that fails nothing stays, and of one that is [`all_or_nothing`] and not finished
//!   nothing at all, unless somebody else has written to the file, or the process is killed: half a record would shift
//!   all that are written behind it later.
//! * N8. A file that Cica keeps data sets in (a component, a catalog, a log, an archive) is neither replaced nor
//!   written behind, whoever names it: it is told from others by its first bytes. What cannot be read is not looked at.
//!   Nor is a file made or replaced where Cica keeps files of its own, whatever they begin with (`own.rs`).
//!
//! [`all_or_nothing`]: NewFile::all_or_nothing

use crate::error::bare;
use crate::own::is_own_place;
use crate::{Begun, Create, Disk, File, Open, StreamMode, WriteAt};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// What the files begin with that Cica keeps data sets in (N8). Copies and listings are the user's.
const OWN: [&[u8; 8]; 8] = [
    b"CICAROOT",
    b"CICA-CAT",
    b"CICAVVDS",
    b"CICALOG ",
    b"CICATAIL",
    b"CICAARCH",
    b"CICAPREP",
    b"CICASTAT",
];

/// See the module.
#[derive(Debug)]
pub struct NewFile {
    disk: Arc<dyn Disk>,
    file: Box<dyn File>,
    /// Where the next bytes go.
    at: u64,
    /// None: it is written as it is.
    coming: Option<Coming>,
    /// What a file had behind which this goes on, and where its last write was to end (N7).
    behind: Option<(u64, u64)>,
    /// Without its end it is as it was.
    all_or_nothing: bool,
    /// It came to its end.
    whole: Arc<AtomicBool>,
    /// Where it waits for its name when it is whole (N6).
    later: Option<NameLater>,
}

/// What is to have a name.
#[derive(Debug)]
struct Coming {
    path: PathBuf,
    /// The name it has meanwhile; none: it has none.
    meanwhile: Option<PathBuf>,
}

impl NewFile {
    /// Begins the file that is to be called `path`.
    ///
    /// # Errors
    /// The directory is not there or cannot be written, or something else has the name that cannot be replaced.
    pub fn begin(disk: &Arc<dyn Disk>, path: &Path) -> io::Result<NewFile> {
        let (begun, name) = named(path, |name| disk.begin(path, name)).map_err(bare)?;
        let coming = |meanwhile| {
            Some(Coming {
                path: path.to_path_buf(),
                meanwhile,
            })
        };
        let (file, coming) = match begun {
            Begun::Unnamed(file) => (file, coming(None)),
            Begun::Named(file) => (file, coming(Some(name))),
            Begun::AsItIs(file) => (file, None),
        };
        if coming.is_some() {
            refuse_own(&**disk, path)?;
        }
        Ok(NewFile {
            disk: disk.clone(),
            file,
            at: 0,
            coming,
            behind: None,
            all_or_nothing: false,
            whole: Arc::default(),
            later: None,
        })
    }

    /// The same, and it has its name at once: for what is read while it grows, as the listing of a job. N1 and N2 hold.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn begin_in_sight(disk: &Arc<dyn Disk>, path: &Path) -> io::Result<NewFile> {
        let mut new = NewFile::begin(disk, path)?;
        new.take_name().map_err(bare)?;
        Ok(new)
    }

    /// The same, and it waits in `later` for its name when it is whole (N6).
    #[must_use]
    pub fn named_later(mut self, later: &NameLater) -> NewFile {
        self.later = Some(later.clone());
        self
    }

    /// Goes on with a file that is there, behind what it has; a link is not followed.
    ///
    /// # Errors
    /// What the system says.
    pub fn behind(disk: &Arc<dyn Disk>, path: &Path) -> io::Result<NewFile> {
        let file = match disk.stream(path, StreamMode::Behind).map_err(bare) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return NewFile::begin(disk, path),
            file => file?,
        };
        let had = if file.is_stream() {
            None
        } else {
            refuse_own(&**disk, path)?;
            Some(file.size(None).map_err(bare)?)
        };
        Ok(NewFile {
            disk: disk.clone(),
            file,
            at: had.unwrap_or(0),
            coming: None,
            behind: had.map(|had| (had, had)),
            all_or_nothing: false,
            whole: Arc::default(),
            later: None,
        })
    }

    /// The same, and it is as it was unless it is finished (N7).
    #[must_use]
    pub fn all_or_nothing(mut self) -> NewFile {
        self.all_or_nothing = true;
        self
    }

    /// It is whole: makes it durable, and gives it its name unless that comes later. Returns its length; none for what
    /// is no plain file.
    ///
    /// # Errors
    /// What the system says; what had the name before has it still, unless only the sync of the directory failed.
    pub fn finish(mut self) -> io::Result<Option<u64>> {
        if self.file.is_stream() {
            self.whole.store(true, Relaxed);
            return Ok(None);
        }
        self.file.sync().map_err(bare)?;
        let length = self.file.size(None).map_err(bare)?;
        self.behind = None;
        let whole = self.whole.clone();
        match self.later.take() {
            Some(later) => later.keep(self),
            None => self.take_name().map_err(bare)?,
        }
        whole.store(true, Relaxed);
        Ok(Some(length))
    }

    /// Is it no plain file, but a pipe, a terminal, a device, or standard output? Nobody knows what of it is kept.
    pub fn is_stream(&self) -> bool {
        self.file.is_stream()
    }

    /// Set when it has come to its end.
    pub fn whole(&self) -> Arc<AtomicBool> {
        self.whole.clone()
    }

    /// Takes back what lies behind `end`, if it is nobody else's (N7). What cannot be cut off the caller has an error
    /// of already.
    fn cut(&self, end: u64) {
        let Some((_, last)) = self.behind else { return };
        if self.file.size(None).is_ok_and(|size| size > end && size <= last) {
            let _ = self.file.size(Some(end));
        }
    }

    /// Takes its name where nothing has it. Who makes the name has it, so that the rename replaces nothing else.
    fn take_free_name(&mut self) -> io::Result<()> {
        let Some(path) = self.coming.as_ref().map(|coming| coming.path.clone()) else {
            return Ok(());
        };
        let how = Open {
            write: true,
            create: Create::New,
            ..Open::default()
        };
        drop(self.disk.open(&path, how)?);
        let named = self.take_name();
        if named.is_err() {
            // The caller hears of the failure. What cannot be removed is empty, or this file.
            let _ = self.disk.remove(&path);
        }
        named
    }

    fn take_name(&mut self) -> io::Result<()> {
        let Some(mut coming) = self.coming.take() else {
            return Ok(());
        };
        let done = self.name(&mut coming);
        if done.is_err() {
            self.coming = Some(coming);
        }
        done
    }

    fn name(&self, coming: &mut Coming) -> io::Result<()> {
        // Only a rename takes the place of what has the name already.
        let from = match coming.meanwhile.take() {
            Some(name) => name,
            None => named(&coming.path, |name| self.file.give_name(name))?.1,
        };
        coming.meanwhile = Some(from.clone());
        self.disk.rename(&from, &coming.path)?;
        coming.meanwhile = None;
        let how = Open {
            directory: true,
            ..Open::default()
        };
        let directory = coming.path.parent().unwrap_or(Path::new(""));
        self.disk.open(directory, how)?.sync()
    }
}

/// Where a file that is whole waits for its name (N6). Clones are the same place.
#[derive(Debug, Clone, Default)]
pub struct NameLater(Arc<Mutex<Option<NewFile>>>);

impl NameLater {
    /// Gives the file that waits here its name.
    ///
    /// # Errors
    /// `AlreadyExists`: something has the name, and has it still. `NotFound`: no file waits. What the system says; the
    /// file is gone then.
    pub fn name(&self) -> io::Result<()> {
        let waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut file = waiting.ok_or(io::ErrorKind::NotFound)?;
        file.take_free_name().map_err(bare)
    }

    fn keep(&self, file: NewFile) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
    }
}

/// N8.
fn refuse_own(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    match why_kept(disk, path) {
        Some(why) => Err(io::Error::new(io::ErrorKind::InvalidInput, why)),
        None => Ok(()),
    }
}

/// Whether the file is one that Cica keeps data sets in, or that belongs to those (N8), for who has others write to
/// files.
pub fn keeps_data_sets(disk: &dyn Disk, path: &Path) -> bool {
    why_kept(disk, path).is_some()
}

/// Why nobody else writes a file there, in words for the user: of what it is, or of where; none: he may.
pub fn why_kept(disk: &dyn Disk, path: &Path) -> Option<&'static str> {
    let first = disk.look(path, OWN[0].len());
    if first.is_ok_and(|first| OWN.iter().any(|own| own[..] == first)) {
        return Some(KEEPS_DATA_SETS);
    }
    is_own_place(disk, path).then_some(OWN_PLACE)
}

/// What is said of a place where Cica keeps files, whether one is there or not.
const OWN_PLACE: &str = "Cica keeps files of its own in this place: choose another directory";

/// What is said of such a file.
pub const KEEPS_DATA_SETS: &str = "it is a file that Cica keeps data sets in, and is not replaced: give another name";

/// Makes something beside `path` under the first name that nobody has: the same one whenever a run is repeated.
fn named<T>(path: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(T, PathBuf)> {
    let mut number = 0_u32;
    loop {
        let name = path.with_file_name(format!(".cica-{}-{number}.unfinished", std::process::id()));
        match make(&name) {
            Ok(made) => return Ok((made, name)),
            // Of another thread, or of one that died with our number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < u32::MAX => number += 1,
            Err(error) => return Err(error),
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (at, buf) = (self.at, bytes);
        let end = at + bytes.len() as u64;
        self.behind = self.behind.map(|(had, _)| (had, end));
        self.file.write(&[WriteAt { at, buf }]).map_err(|error| {
            self.cut(at);
            bare(error)
        })?;
        self.at = end;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for NewFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if self.file.is_stream() {
            return Err(io::ErrorKind::NotSeekable.into());
        }
        let place = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.file.size(None).map_err(bare)?.checked_add_signed(by),
        };
        self.at = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some((had, _)) = self.behind.filter(|_| self.all_or_nothing) {
            self.cut(had);
        }
        if let Some(path) = self.coming.take().and_then(|coming| coming.meanwhile) {
            // What cannot be removed has a name that says what it is.
            let _ = self.disk.remove(&path);
        }
    }
}
