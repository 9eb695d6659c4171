//! A process that is killed at one of its calls to the disk, and what it leaves.
//!
//! 1. What it wrote before stays, synced or not: the page cache keeps it. Of the call that it dies in any part may be
//!    done, which one follows from the number of the call.
//!    Stores into memory are no calls: it may die between any two.
//! 2. After that nothing it does reaches the disk. Its locks go with its handles, so whoever lets another process go on
//!    lets go of those first.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cica_disk::sim::SECTOR;
use cica_disk::{Begun, Disk, File, Mapped, Open, ReadAt, StreamMode, WriteAt};

use crate::random::{splitmix, Random};

/// When a process is killed: at its call to the disk of this number from now on, or at once if that is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kill {
    /// The number of the call.
    pub at: u32,
    /// The process that comes after it is killed as well, at its call of this number; mostly it is recovering then.
    pub next: Option<u32>,
}

impl Kill {
    /// Between two requests.
    pub const AT_ONCE: Kill = Kill { at: 0, next: None };

    /// Mostly within some calls, so that a commit is met in its middle; one in four goes on to the successor.
    pub fn draw(random: &mut Random) -> Kill {
        let calls = |random: &mut Random| match random.below(4) {
            0 => random.between(1, 4),
            1 | 2 => random.between(1, 20),
            _ => random.between(10, 80),
        };
        Kill {
            at: match random.below(4) {
                0 => 0,
                _ => calls(random) as u32,
            },
            next: random.chance(25).then(|| calls(random) as u32),
        }
    }

    /// In the middle of a command, most of which make some dozen calls; the successor as in [`Kill::draw`].
    pub fn draw_in_command(random: &mut Random) -> Kill {
        let most = random.pick(&[25, 60, 140]);
        Kill {
            at: random.between(1, most) as u32,
            ..Kill::draw(random)
        }
    }

    /// Puts one to three kills into a list of what a run does.
    pub fn strew<T>(actions: &mut Vec<T>, random: &mut Random, of: impl Fn(Kill) -> T) {
        for _ in 0..random.between(1, 3) {
            let (place, kill) = (random.below(actions.len() + 1), Kill::draw(random));
            actions.insert(place, of(kill));
        }
    }
}

impl fmt::Display for Kill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.at)?;
        self.next.map_or(Ok(()), |next| write!(f, "+{next}"))
    }
}

impl FromStr for Kill {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse().map_err(|_| format!("'{text}' is no call, in 'kill'"));
        let (at, next) = text.split_once('+').map_or((text, None), |(at, next)| (at, Some(next)));
        Ok(Kill {
            at: number(at)?,
            next: next.map(number).transpose()?,
        })
    }
}

/// The disk as one process has it. Clones are the same process.
#[derive(Debug, Clone)]
pub struct Mortal {
    disk: Arc<dyn Disk>,
    life: Arc<Mutex<Life>>,
}

#[derive(Debug, Default)]
struct Life {
    calls: u64,
    /// The call that it dies in.
    last: Option<u64>,
    /// See [`Kill::next`].
    next: Option<u32>,
}

impl Life {
    fn is_over(&self) -> bool {
        self.last.is_some_and(|last| self.calls >= last)
    }
}

impl Mortal {
    /// A process that nobody kills.
    pub fn new(disk: Arc<dyn Disk>) -> Mortal {
        Mortal {
            disk,
            life: Arc::default(),
        }
    }

    /// Says when it is killed; who is to be killed already is killed then.
    pub fn kill(&self, kill: Kill) {
        let mut life = self.life();
        if life.last.is_none() {
            life.last = Some(life.calls + u64::from(kill.at));
            life.next = kill.next;
        }
    }

    /// Whether it is going to be killed, or was.
    pub fn is_doomed(&self) -> bool {
        self.life().last.is_some()
    }

    /// Whether it was killed.
    pub fn is_dead(&self) -> bool {
        self.life().is_over()
    }

    /// The process that comes after it.
    pub fn successor(&self) -> Mortal {
        let successor = Mortal::new(self.disk.clone());
        if let Some(at) = self.life().next {
            successor.kill(Kill { at, next: None });
        }
        successor
    }

    /// Itself, for an engine.
    pub fn shared(&self) -> Arc<dyn Disk> {
        Arc::new(self.clone())
    }

    /// Counts a call. `None`: it is done. Some: the process dies in it, and what is done of it follows from this. `Err`:
    /// it is dead.
    fn call(&self) -> io::Result<Option<Random>> {
        let mut life = self.life();
        if life.is_over() {
            return Err(killed());
        }
        life.calls += 1;
        let mut state = life.calls;
        Ok(life.is_over().then(|| Random::new(splitmix(&mut state))))
    }

    /// A call that is done as a whole or not at all.
    fn whole<T>(&self, done: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let Some(mut random) = self.call()? else {
            return done();
        };
        if random.chance(50) {
            done().map(drop)?;
        }
        Err(killed())
    }

    fn with(&self, file: Box<dyn File>) -> Box<dyn File> {
        let process = self.clone();
        Box::new(MortalFile { file, process })
    }

    fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn killed() -> io::Error {
    io::Error::other("the process was killed")
}

impl Disk for Mortal {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let file = self.whole(|| self.disk.open(path, how))?;
        Ok(self.with(file))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.whole(|| self.disk.rename(from, to))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.whole(|| self.disk.remove(path))
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        self.whole(|| self.disk.list(directory))
    }

    fn begin(&self, path: &Path, meanwhile: &Path) -> io::Result<Begun> {
        let begun = self.whole(|| self.disk.begin(path, meanwhile))?;
        Ok(begun.map(|file| self.with(file)))
    }

    fn stream(&self, path: &Path, way: StreamMode) -> io::Result<Box<dyn File>> {
        let file = self.whole(|| self.disk.stream(path, way))?;
        Ok(self.with(file))
    }
}

#[derive(Debug)]
struct MortalFile {
    file: Box<dyn File>,
    process: Mortal,
}

impl File for MortalFile {
    fn read(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        self.process.whole(|| self.file.read(batch))
    }

    fn read_back(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        self.process.whole(|| self.file.read_back(batch))
    }

    fn write(&self, batch: &[WriteAt<'_>]) -> io::Result<()> {
        let Some(mut random) = self.process.call()? else {
            return self.file.write(batch);
        };
        // Any of the batch, and of one the first sectors.
        let percent = random.pick(&[0, 50, 90, 100]);
        let mut done: Vec<WriteAt<'_>> = batch.iter().filter(|_| random.chance(percent)).copied().collect();
        if let Some(last) = done.last_mut().filter(|_| random.chance(50)) {
            let sectors = last.buf.len() as u64 / SECTOR;
            last.buf = &last.buf[..(random.between(0, sectors) * SECTOR) as usize];
        }
        self.file.write(&done)?;
        Err(killed())
    }

    fn sync(&self) -> io::Result<()> {
        self.process.whole(|| self.file.sync())
    }

    fn size(&self, set: Option<u64>) -> io::Result<u64> {
        self.process.whole(|| self.file.size(set))
    }

    fn has_holes(&self) -> bool {
        self.file.has_holes()
    }

    fn reserve(&self, at: u64, len: u64) -> io::Result<()> {
        self.process.whole(|| self.file.reserve(at, len))
    }

    fn give_name(&self, path: &Path) -> io::Result<()> {
        self.process.whole(|| self.file.give_name(path))
    }

    fn map(&self, at: u64, len: usize) -> io::Result<Box<dyn Mapped>> {
        let memory = self.process.whole(|| self.file.map(at, len))?;
        let process = self.process.clone();
        Ok(Box::new(MortalMemory { memory, process }))
    }
}

#[derive(Debug)]
struct MortalMemory {
    memory: Box<dyn Mapped>,
    process: Mortal,
}

impl Mapped for MortalMemory {
    fn store(&self, at: usize, bytes: &[u8]) -> bool {
        !self.process.is_dead() && self.memory.store(at, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cica_disk::{Create, MemoryDisk};

    fn written(at: u32) -> (Mortal, u64) {
        let disk = MemoryDisk::new();
        let process = Mortal::new(Arc::new(disk.clone()));
        process.kill(Kill { at, next: Some(2) });
        let how = Open {
            write: true,
            create: Create::New,
            ..Open::default()
        };
        let opened = process.open(Path::new("/a"), how);
        if let Ok(file) = opened {
            for n in 0..3 {
                let _ = file.write(&[WriteAt { at: n, buf: b"x" }]);
            }
        }
        let length = disk.image().len(Path::new("/a")).unwrap_or_default();
        (process, length)
    }

    #[test]
    fn what_was_written_before_the_kill_stays_and_nothing_comes_after_it() {
        let (lives, all) = written(9);
        assert!(lives.is_doomed() && !lives.is_dead());
        assert_eq!(all, 3);
        let (dead, before) = written(3);
        assert!(dead.is_dead());
        assert!((1..=2).contains(&before), "{before}");
        assert!(dead.list(Path::new("/")).is_err());
        assert_eq!(written(0).1, 0);
    }

    #[test]
    fn a_successor_is_killed_as_the_kill_says_and_its_own_is_not() {
        let second = written(1).0.successor();
        assert!(second.is_doomed() && second.list(Path::new("/")).is_ok());
        assert!(second.list(Path::new("/")).is_err() && second.is_dead());
        assert!(!second.successor().is_doomed());
    }

    #[test]
    fn a_kill_reads_back_as_it_was_written() {
        for text in ["0", "17", "3+20"] {
            let kill: Kill = text.parse().expect(text);
            assert_eq!(kill.to_string(), text);
        }
        assert!("x".parse::<Kill>().is_err() && "1+".parse::<Kill>().is_err());
    }
}
