//! Locks among users: who may read a file alone keeps nobody from writing to it, and never reads a mixture.
//!
//! The other user is nobody (65534), so the tests are of use where they run as root; elsewhere they say so.
#![cfg(target_os = "linux")]

use cica_disk::{Create, Disk, File, LinuxDisk, Lock, Open, ReadAt, WriteAt};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const NOBODY: u32 = 65_534;

const ALONE: Open = Open {
    write: true,
    create: Create::No,
    lock: Lock::Exclusive,
    direct: false,
    window: 0,
    directory: false,
};
const LOOK: Open = Open {
    write: false,
    lock: Lock::Shared,
    window: 1 << 20,
    ..ALONE
};

/// A directory that others may look into, with a file `A` that they may read.
struct Shared(PathBuf);

impl Shared {
    /// None where there is no other user to be had.
    fn new(test: &str) -> Option<Shared> {
        let path = std::env::temp_dir().join(format!("cica-strangers-{}-{test}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary directory");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("its mode");
        std::fs::write(path.join("A"), [7; 40_000]).expect("a file");
        std::fs::set_permissions(path.join("A"), std::fs::Permissions::from_mode(0o644)).expect("its mode");
        let shared = Shared(path);
        if std::fs::metadata(&shared.0).expect("it").uid() != 0 {
            eprintln!("not root: there is no other user to try this as");
            return None;
        }
        Some(shared)
    }

    fn a(&self) -> PathBuf {
        self.0.join("A")
    }

    /// Starts a program as nobody and waits for its first word.
    fn stranger(&self, program: &str, arguments: &[&str]) -> Stranger {
        let mut child = Command::new(program)
            .args(arguments)
            .uid(NOBODY)
            .gid(NOBODY)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a program of another user");
        let mut word = [0; 5];
        child
            .stdout
            .as_mut()
            .expect("its output")
            .read_exact(&mut word)
            .expect("its word");
        assert_eq!(&word, b"held\n");
        Stranger(child)
    }

    fn flock(&self, kind: &str) -> Stranger {
        let path = self.a().display().to_string();
        self.stranger(
            "flock",
            &["--no-fork", kind, &path, "sh", "-c", "echo held; exec sleep 1000"],
        )
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

struct Stranger(Child);

impl Drop for Stranger {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn kind(disk: &LinuxDisk, path: &Path, how: Open) -> ErrorKind {
    disk.open(path, how).map(|_| ()).expect_err("it is in use").kind()
}

fn write(file: &dyn File, buf: &[u8]) {
    file.write(&[WriteAt { at: 0, buf }]).expect("a write");
}

#[test]
fn a_reader_of_another_user_locks_nobody_out() {
    let Some(shared) = Shared::new("out") else { return };
    let (disk, path) = (LinuxDisk::new(), shared.a());
    let lockf = "import fcntl,sys,time\nf=open(sys.argv[1],'rb')\nfcntl.lockf(f,fcntl.LOCK_SH)\nprint('held',flush=True)\ntime.sleep(1000)";
    let take: [&dyn Fn() -> Stranger; 3] = [&|| shared.flock("--shared"), &|| shared.flock("--exclusive"), &|| {
        shared.stranger("python3", &["-c", lockf, &path.display().to_string()])
    }];
    for take in take {
        let stranger = take();
        let held = disk.open(&path, ALONE).expect("a stranger is in nobody's way");
        write(&*held, b"x");
        assert_eq!(
            kind(&disk, &path, ALONE),
            ErrorKind::WouldBlock,
            "it is locked all the same"
        );
        assert_eq!(kind(&disk, &path, LOOK), ErrorKind::WouldBlock);
        drop(held);
        let (one, two) = (
            disk.open(&path, LOOK).expect("shared"),
            disk.open(&path, LOOK).expect("shared"),
        );
        assert_eq!(kind(&disk, &path, ALONE), ErrorKind::WouldBlock);
        drop((one, two, stranger));
    }
    // One who may write is not a stranger.
    let nobody = Some(NOBODY);
    std::os::unix::fs::chown(&path, nobody, nobody).expect("its owner");
    let _owner = shared.flock("--exclusive");
    assert_eq!(
        kind(&disk, &path, ALONE),
        ErrorKind::WouldBlock,
        "an older build of its owner has it"
    );
}

#[test]
fn an_older_build_is_kept_out() {
    let Some(shared) = Shared::new("older") else { return };
    let path = shared.a();
    let free = |kind: &str| {
        let done = Command::new("flock")
            .args(["--nonblock", kind])
            .arg(&path)
            .arg("true")
            .status();
        done.expect("flock(1)").success()
    };
    let held = LinuxDisk::new().open(&path, ALONE).expect("a lock");
    assert!(!free("--shared"));
    drop(held);
    let held = LinuxDisk::new().open(&path, LOOK).expect("a lock");
    assert!(free("--shared") && !free("--exclusive"));
    drop(held);
    assert!(free("--exclusive"));
}

#[test]
fn the_file_of_locks_is_for_those_who_may_write_to_the_directory() {
    let Some(shared) = Shared::new("mode") else { return };
    let disk = LinuxDisk::new();
    for (directory, locks) in [
        (0o755, 0o600),
        (0o775, 0o660),
        (0o750, 0o600),
        (0o777, 0o666),
        (0o700, 0o600),
    ] {
        std::fs::set_permissions(&shared.0, std::fs::Permissions::from_mode(directory)).expect("its mode");
        drop(disk.open(&shared.a(), ALONE).expect("a lock"));
        let found = std::fs::metadata(shared.0.join(".locks")).expect("the file of locks");
        assert_eq!(found.mode() & 0o7777, locks, "{directory:o}");
        assert_eq!(
            disk.list(&shared.0).expect("names").len(),
            1,
            "it is no file of anybody's"
        );
        std::fs::remove_file(shared.0.join(".locks")).expect("its name");
    }
    // A link in its place is not followed.
    let outside = shared.0.join("OUTSIDE");
    std::os::unix::fs::symlink(&outside, shared.0.join(".locks")).expect("a link");
    disk.open(&shared.a(), ALONE)
        .map(|_| ())
        .expect_err("it is not the file of locks");
    assert!(!outside.exists());
}

#[test]
fn a_directory_that_has_only_locks_is_empty() {
    let Some(shared) = Shared::new("empty") else { return };
    let disk = LinuxDisk::new();
    drop(disk.open(&shared.a(), ALONE).expect("a lock"));
    assert!(disk.remove(&shared.0).is_err(), "it has a file");
    disk.remove(&shared.a()).expect("its name");
    disk.remove(&shared.0).expect("it is empty");
    assert!(!shared.0.exists());
}

/// The other half is this test again, as nobody: it opens, says so, and reads when it is told to.
#[test]
fn what_a_mere_reader_reads_is_of_one_state() {
    const VARIABLE: &str = "CICA_MERE_READER";
    if let Some(path) = std::env::var_os(VARIABLE) {
        return mere_reader(Path::new(&path));
    }
    let Some(shared) = Shared::new("mere") else { return };
    let disk = LinuxDisk::new();
    let copy = shared.0.join("TEST");
    // By another process: what this one has open for writing a program that another test starts has too, for a moment,
    // and what somebody may write to cannot be run.
    let own = std::env::current_exe().expect("this test");
    let copied = Command::new("cp").arg(own).arg(&copy).status().expect("the command cp");
    assert!(copied.success(), "a copy of this test");
    let start = || {
        let mut child = Command::new(&copy)
            .args(["--exact", "what_a_mere_reader_reads_is_of_one_state", "--nocapture"])
            .env(VARIABLE, shared.a())
            .uid(NOBODY)
            .gid(NOBODY)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("this test as nobody");
        let mut word = [0; 5];
        child
            .stderr
            .as_mut()
            .expect("its output")
            .read_exact(&mut word)
            .expect("its word");
        assert_eq!(&word, b"held\n");
        child
    };
    let finish = |mut child: Child| {
        child
            .stdin
            .take()
            .expect("its input")
            .write_all(b"g")
            .expect("its turn");
        let mut said = String::new();
        child
            .stderr
            .take()
            .expect("its output")
            .read_to_string(&mut said)
            .expect("its words");
        assert!(child.wait().expect("its end").success(), "{said}");
        said
    };
    for older in [false, true] {
        // A directory without a file of locks, in which he may make none, is the same to him.
        if older {
            std::fs::remove_file(shared.0.join(".locks")).expect("its name")
        } else {
            drop(disk.open(&shared.a(), ALONE).expect("a lock"))
        }
        assert!(finish(start()).contains("all of it"), "nobody writes");
        let reader = start();
        write(
            &*disk.open(&shared.a(), ALONE).expect("he is in nobody's way"),
            &[8; 40_000],
        );
        let said = finish(reader);
        assert!(said.contains("written to while it was read"), "{said}");
    }
    let held = disk.open(&shared.a(), ALONE).expect("a lock");
    let mut refused = Command::new(&copy);
    refused.args(["--exact", "what_a_mere_reader_reads_is_of_one_state", "--nocapture"]);
    let refused = refused
        .env(VARIABLE, shared.a())
        .uid(NOBODY)
        .output()
        .expect("this test as nobody");
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("in use"),
        "{refused:?}"
    );
    drop(held);
}

fn mere_reader(path: &Path) {
    let file = match LinuxDisk::new().open(path, LOOK) {
        Ok(file) => file,
        Err(error) => return eprintln!("{error}"),
    };
    eprintln!("held");
    std::io::stdin().read_exact(&mut [0]).expect("my turn");
    let mut buf = vec![0; 4_000];
    // More than after which a window would serve them.
    for _ in 0..40 {
        let mut batch = [ReadAt {
            at: 0,
            buf: &mut buf,
            got: 0,
        }];
        if let Err(error) = file.read(&mut batch) {
            assert_eq!(error.kind(), ErrorKind::ResourceBusy);
            return eprintln!("{error}");
        }
        assert!(buf.iter().all(|&b| b == buf[0]), "a mixture");
    }
    eprintln!("all of it");
}
