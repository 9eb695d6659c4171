//! Files that are made for the user: whole or not at all, on all three disks.

#![cfg(target_os = "linux")]

use cica_disk::sim::{Errno, Event, Faults};
use cica_disk::{
    Disk, File, FileReader, Image, LinuxDisk, MemoryDisk, NewFile, Open, SimDisk, StreamMode, KEEPS_DATA_SETS,
};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn linux() -> Arc<dyn Disk> {
    Arc::new(LinuxDisk::new())
}

/// A disk on which each file has a name from its beginning.
#[derive(Debug)]
struct AllNamed<D>(D);

impl<D: Disk> Disk for AllNamed<D> {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        self.0.open(path, how)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.remove(path)
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        self.0.list(directory)
    }

    fn stream(&self, path: &Path, way: StreamMode) -> io::Result<Box<dyn File>> {
        self.0.stream(path, way)
    }
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("cica-new-{}-{test}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary directory");
        Scratch(path)
    }

    fn names(&self) -> Vec<String> {
        let listed = std::fs::read_dir(&self.0).expect("the directory");
        let mut names: Vec<String> = listed
            .flatten()
            .map(|e| e.file_name().to_string_lossy().into())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn it_is_there_when_it_is_whole() {
    let scratch = Scratch::new("whole");
    let path = scratch.0.join("COPY");
    for (round, old) in [None, Some("one"), Some("two")].into_iter().enumerate() {
        let text = ["one", "two", "three"][round];
        let mut gone = NewFile::begin(&linux(), &path).expect("begun");
        gone.write_all(b"half").expect("a write");
        let mut new = NewFile::begin(&linux(), &path).expect("begun");
        new.write_all(text.as_bytes()).expect("a write");
        let now = || std::fs::read_to_string(&path).ok();
        assert_eq!(now().as_deref(), old);
        drop(gone);
        assert_eq!(now().as_deref(), old);
        assert_eq!(new.finish().expect("whole"), Some(text.len() as u64));
        assert_eq!(now().as_deref(), Some(text));
        assert_eq!(scratch.names(), ["COPY"]);
    }
    let mut more = NewFile::behind(&linux(), &path).expect("it is there");
    more.write_all(b"+").expect("a write");
    more.finish().expect("whole");
    assert_eq!(std::fs::read(&path).expect("it"), b"three+");
    NewFile::begin(&linux(), &scratch.0).map(drop).expect_err("a directory");
    NewFile::begin(&linux(), &scratch.0.join("NO/COPY"))
        .map(drop)
        .expect_err("no directory");
}

#[test]
fn of_two_at_once_each_is_whole() {
    let scratch = Scratch::new("two");
    let path = scratch.0.join("COPY");
    std::thread::scope(|scope| {
        for writer in 0..8u8 {
            let path = &path;
            scope.spawn(move || {
                for _ in 0..20 {
                    let mut new = NewFile::begin(&linux(), path).expect("begun");
                    for _ in 0..50 {
                        new.write_all(&[writer; 100]).expect("a write");
                    }
                    new.finish().expect("whole");
                    let found = std::fs::read(path).expect("it");
                    assert_eq!(found.len(), 5000);
                    assert!(found.iter().all(|b| *b == found[0]));
                }
            });
        }
    });
    assert_eq!(scratch.names(), ["COPY"]);
}

/// Where nothing is yet the place is told, not a file that is not there.
#[test]
fn where_cica_keeps_files_of_its_own_none_is_made() {
    let scratch = Scratch::new("place");
    std::fs::write(scratch.0.join("catalog"), b"CICA-CAT and more").expect("a catalog");
    std::fs::create_dir(scratch.0.join("archive")).expect("a directory");
    std::fs::write(scratch.0.join("archive/KEPT"), b"CICAARCH and more").expect("a file");
    let words = |name: &str| {
        let begun = NewFile::begin(&linux(), &scratch.0.join(name));
        begun.map(drop).expect_err("it is Cica's own").to_string()
    };
    for name in ["archive/x", "archive/deeper", "lock", ".hidden"] {
        assert!(
            words(name).starts_with("Cica keeps files of its own in this place"),
            "{name}"
        );
    }
    for name in ["archive/KEPT", "catalog"] {
        assert_eq!(words(name), KEEPS_DATA_SETS, "{name}");
    }
}

#[test]
fn what_data_sets_are_kept_in_is_not_replaced() {
    let scratch = Scratch::new("own");
    let path = scratch.0.join("A.DATA");
    for own in [b"CICAROOT", b"CICA-CAT", b"CICALOG ", b"CICAARCH"] {
        let kept = [&own[..], b" and more"].concat();
        std::fs::write(&path, &kept).expect("a file");
        for begun in [NewFile::begin(&linux(), &path), NewFile::behind(&linux(), &path)] {
            let refused = begun.map(drop).expect_err("it is Cica's own");
            assert_eq!(refused.kind(), io::ErrorKind::InvalidInput, "{refused}");
            assert_eq!(refused.to_string(), KEEPS_DATA_SETS);
        }
        assert_eq!(std::fs::read(&path).expect("it"), kept);
        assert_eq!(scratch.names(), ["A.DATA"]);
    }
    // Of two names of one file each is the file; a link is no more than a name, and goes.
    symlink(&path, scratch.0.join("LINK")).expect("a link");
    let mut new = NewFile::begin(&linux(), &scratch.0.join("LINK")).expect("begun");
    new.write_all(b"new").expect("a write");
    new.finish().expect("whole");
    assert!(std::fs::read(&path).expect("it").starts_with(b"CICAARCH"));
    std::fs::write(&path, b"CICAPORT, a copy").expect("a file");
    NewFile::begin(&linux(), &path).expect("a copy is the user's");
}

#[test]
fn links_are_replaced_and_modes_kept() {
    let scratch = Scratch::new("links");
    let (path, victim) = (scratch.0.join("COPY"), scratch.0.join("VICTIM"));
    let mode = |path: &Path| std::fs::metadata(path).expect("it").permissions().mode() & 0o777;
    std::fs::write(&victim, b"kept").expect("a file");
    std::fs::set_permissions(&victim, std::fs::Permissions::from_mode(0o604)).expect("its mode");
    let write = |new: io::Result<NewFile>| {
        let mut new = new?;
        new.write_all(b"new")?;
        new.finish()
    };
    for to in ["VICTIM", "NOTHING", "COPY"] {
        symlink(to, &path).expect("a link");
        FileReader::plain(&LinuxDisk::new(), &path).expect_err("a link");
        NewFile::behind(&linux(), &path).map(drop).expect_err("a link");
        match write(NewFile::begin(&linux(), &path)) {
            Ok(_) => assert!(!path.is_symlink()),
            Err(error) => assert_eq!(to, "COPY", "{error}"),
        }
        if to != "COPY" {
            assert_eq!(mode(&path) & !0o040, 0o600);
        }
        std::fs::remove_file(&path).expect("its name");
    }
    assert_eq!(
        (std::fs::read(&victim).expect("it").as_slice(), mode(&victim)),
        (&b"kept"[..], 0o604)
    );
    write(NewFile::begin(&linux(), &victim)).expect("whole");
    assert_eq!(
        (std::fs::read(&victim).expect("it").as_slice(), mode(&victim)),
        (&b"new"[..], 0o604)
    );
    assert!(FileReader::plain(&LinuxDisk::new(), &victim).is_ok());
    FileReader::plain(&LinuxDisk::new(), &scratch.0).expect_err("a directory");
    assert_eq!(
        write(NewFile::begin(&linux(), Path::new("/dev/null"))).expect("a device"),
        None
    );
    let mut seen = NewFile::begin_in_sight(&linux(), &path).expect("begun");
    seen.write_all(b"line").expect("a write");
    assert_eq!(std::fs::read(&path).expect("it"), b"line");
}

#[test]
fn without_unnamed_files_it_has_a_name_of_its_own() {
    let scratch = Scratch::new("named");
    let path = scratch.0.join("COPY");
    let disk: Arc<dyn Disk> = Arc::new(AllNamed(LinuxDisk::new()));
    let begin = || NewFile::begin(&disk, &path).expect("begun");
    let (one, mut two) = (begin(), begin());
    assert_eq!(scratch.names().len(), 2);
    assert!(scratch
        .names()
        .iter()
        .all(|name| name.starts_with(".cica-") && name.ends_with(".unfinished")));
    drop(one);
    assert_eq!(scratch.names().len(), 1);
    two.write_all(b"whole").expect("a write");
    two.finish().expect("whole");
    assert_eq!(scratch.names(), ["COPY"]);
}

#[test]
fn a_pipe_is_written_and_read_as_it_is() {
    let scratch = Scratch::new("pipe");
    let path = scratch.0.join("PIPE");
    let made = std::process::Command::new("mkfifo")
        .arg(&path)
        .status()
        .expect("mkfifo");
    assert!(made.success());
    let there = path.clone();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let mut reader = FileReader::open(&LinuxDisk::new(), &there).expect("opened");
        reader.read_to_string(&mut text).expect("read");
        text
    });
    let mut new = NewFile::begin(&linux(), &path).expect("begun");
    new.write_all(b"one\n").expect("a write");
    new.write_all(b"two\n").expect("a write");
    new.seek(SeekFrom::Start(0)).expect_err("a pipe has no places");
    assert_eq!(new.finish().expect("whole"), None);
    assert_eq!(reader.join().expect("it ended"), "one\ntwo\n");
    FileReader::plain(&LinuxDisk::new(), &path)
        .map(drop)
        .expect_err("no plain file");
    assert_eq!(scratch.names(), ["PIPE"]);
}

fn copy(disk: &Arc<dyn Disk>, path: &Path, text: &[u8]) -> io::Result<Option<u64>> {
    let mut new = NewFile::begin(disk, path)?;
    new.write_all(text)?;
    new.finish()
}

fn read(disk: &dyn Disk, path: &Path) -> Vec<u8> {
    let mut found = Vec::new();
    let mut reader = FileReader::open(disk, path).expect("it is there");
    reader.read_to_end(&mut found).expect("it can be read");
    found
}

#[test]
fn a_disk_in_memory_has_it_too() {
    let memory = MemoryDisk::from(Image::with_directories(["/u"]));
    let disks: [Arc<dyn Disk>; 2] = [Arc::new(memory.clone()), Arc::new(AllNamed(memory.clone()))];
    let path = Path::new("/u/COPY");
    for disk in &disks {
        for text in [&b"first"[..], b"2nd"] {
            drop(NewFile::begin(disk, path).expect("begun"));
            assert_eq!(copy(disk, path, text).expect("whole"), Some(text.len() as u64));
            assert_eq!(read(&**disk, path), text);
        }
        let mut more = NewFile::behind(disk, path).expect("it is there");
        more.write_all(b"+").expect("a write");
        more.finish().expect("whole");
        assert_eq!(read(&**disk, path), b"2nd+");
        assert_eq!(memory.image().files().collect::<Vec<_>>(), [path]);
        copy(disk, Path::new("/no/COPY"), b"").expect_err("no directory");
        copy(disk, Path::new("/u"), b"").expect_err("a directory");
    }
}

/// N5, and that a power cut leaves the old one or the new one, whatever was not synced.
#[test]
fn a_power_cut_leaves_what_was_or_what_is_whole() {
    let path = Path::new("/u/COPY");
    let sim = SimDisk::from(Image::with_directories(["/u"]));
    let disks: [Arc<dyn Disk>; 2] = [Arc::new(sim.clone()), Arc::new(AllNamed(sim.clone()))];
    let mut finished = Vec::new();
    for (disk, text) in disks.iter().zip(["one", "two"]) {
        copy(disk, path, text.as_bytes()).expect("whole");
        finished.push((sim.events(), text));
    }
    let trace = sim.trace();
    let mut point = trace.crash_point();
    loop {
        let promised = finished.iter().rposition(|(events, _)| *events <= point.position());
        let allowed: Vec<Option<&str>> = match promised {
            None => vec![None, Some("one"), Some("two")],
            Some(0) => vec![Some("one"), Some("two")],
            Some(_) => vec![Some("two")],
        };
        for survivors in 0..1 << point.pending().len() {
            let image = point.image_of(survivors);
            let left = image.bytes(path).map(|bytes| String::from_utf8(bytes).expect("text"));
            let cut = point.position();
            assert!(
                allowed.contains(&left.as_deref()),
                "{left:?} after {cut} events, {survivors:b}"
            );
        }
        if point.advance().is_none() {
            break;
        }
    }
    let last = trace.events().last();
    assert!(
        matches!(last, Some(Event::SyncDirectory { path }) if &**path == Path::new("/u")),
        "{last:?}"
    );
}

/// N7: what goes behind a file is there by whole writes, or not at all; what somebody else has written stays.
#[test]
fn half_a_write_behind_a_file_is_taken_back() {
    let path = Path::new("/u/COPY");
    let sim = SimDisk::from(Image::with_directories(["/u"]));
    let disk: Arc<dyn Disk> = Arc::new(sim.clone());
    copy(&disk, path, b"had").expect("whole");
    let begun = || {
        let mut more = NewFile::behind(&disk, path).expect("it is there");
        more.write_all(b"+one").expect("a write");
        sim.set_faults(Faults::none().short_write(1, 2, Errno::NoSpace));
        more.write_all(b"+two").expect_err("no room");
        sim.set_faults(Faults::none());
        more
    };
    let all = begun().all_or_nothing();
    assert_eq!(read(&*disk, path), b"had+one");
    drop(all);
    assert_eq!(read(&*disk, path), b"had");
    drop(begun());
    assert_eq!(read(&*disk, path), b"had+one");
    let mut others = NewFile::behind(&disk, path).expect("it is there").all_or_nothing();
    others.write_all(b"x").expect("a write");
    copy_behind(&disk, path, b" and what another has written");
    drop(others);
    assert_eq!(read(&*disk, path), b"had+onex and what another has written");
}

fn copy_behind(disk: &Arc<dyn Disk>, path: &Path, text: &[u8]) {
    let mut more = NewFile::behind(disk, path).expect("it is there");
    more.write_all(text).expect("a write");
    more.finish().expect("whole");
}

/// What is replaced keeps who may read it: owner and group, not only the bits that speak of them.
#[test]
fn what_is_replaced_keeps_its_owner_and_group() {
    use std::os::unix::fs::{chown, MetadataExt};
    let scratch = Scratch::new("owner");
    let path = scratch.0.join("LISTING");
    std::fs::write(&path, "old").expect("a file");
    if chown(&path, Some(1000), Some(1234)).is_err() {
        eprintln!("not root: nothing can be given away");
        return;
    }
    let disk = linux();
    for mode in [0o640, 0o604, 0o400] {
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("its mode");
        let mut new = NewFile::begin(&disk, &path).expect("begun");
        new.write_all(b"new").expect("a write");
        new.finish().expect("whole");
        let found = std::fs::metadata(&path).expect("it");
        assert_eq!(
            (found.uid(), found.gid(), found.mode() & 0o7777),
            (1000, 1234, mode),
            "{mode:o}"
        );
    }
    assert_eq!(std::fs::read(&path).expect("it"), b"new");
}

/// So does a list (ACL), whose mode says less than the bits look like; and none comes from the directory.
#[test]
fn what_is_replaced_keeps_its_list() {
    use rustix::fs::{getxattr, setxattr, XattrFlags};
    const LIST: &str = "system.posix_acl_access";
    let scratch = Scratch::new("list");
    let entry =
        |tag: u16, rights: u16, id: u32| [&tag.to_le_bytes()[..], &rights.to_le_bytes(), &id.to_le_bytes()].concat();
    let all = u32::MAX;
    // The user 1000 reads, the group does not.
    let entries = [(1, 6, all), (2, 4, 1000), (4, 0, all), (16, 4, all), (32, 0, all)];
    let entries = entries.map(|(tag, rights, id)| entry(tag, rights, id)).concat();
    let list = [&2_u32.to_le_bytes()[..], &entries].concat();
    let (with, without) = (scratch.0.join("WITH"), scratch.0.join("WITHOUT"));
    for path in [&with, &without] {
        std::fs::write(path, "old").expect("a file");
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o640)).expect("its mode");
    }
    if setxattr(&with, LIST, &list, XattrFlags::empty()).is_err() {
        eprintln!("the file system has no lists");
        return;
    }
    setxattr(&scratch.0, "system.posix_acl_default", &list, XattrFlags::empty()).expect("a list");
    for (path, expected) in [(&with, Some(&list)), (&without, None)] {
        let new = NewFile::begin(&linux(), path).expect("begun");
        new.finish().expect("whole");
        let mut has = vec![0; 1000];
        let length = getxattr(path, LIST, &mut has[..]).ok();
        has.truncate(length.unwrap_or(0));
        assert_eq!(length.map(|_| &has), expected, "{}", path.display());
        let mode = std::fs::metadata(path).expect("it").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }
}
