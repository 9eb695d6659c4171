//! A child after `fork`: its parent's files are not its own, and neither are their locks (D7).
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use cica_disk::{generation, Create, Disk, File, LinuxDisk, Lock, Open, ReadAt, WriteAt};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const OWN: Open = Open {
    write: true,
    create: Create::IfMissing,
    lock: Lock::Exclusive,
    direct: false,
    window: 1 << 20,
    directory: false,
};

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("cica-fork-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).unwrap();
        Scratch(path)
    }

    fn file(&self) -> PathBuf {
        let file = self.0.join("DATA");
        std::fs::write(&file, [7; 8192]).unwrap();
        file
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Open and locked, with a window: small reads are copied from memory that shows it.
fn opened(path: &Path) -> Box<dyn File> {
    let file = LinuxDisk::new().open(path, OWN).unwrap();
    for _ in 0..20 {
        assert_eq!(read(&*file).unwrap(), [7; 64]);
    }
    file
}

fn read(file: &dyn File) -> std::io::Result<[u8; 64]> {
    let mut buf = [0; 64];
    file.read(&mut [ReadAt {
        at: 100,
        buf: &mut buf,
        got: 0,
    }])?;
    Ok(buf)
}

/// A child that does `what` and ends with what that says, 0 or 1; `raw`: not by `fork` but by the system's own call.
fn child(raw: bool, what: impl FnOnce() -> bool) -> i32 {
    // SAFETY: the child does `what` and ends.
    unsafe {
        let pid = if raw {
            libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) as i32
        } else {
            libc::fork()
        };
        assert!(pid >= 0);
        if pid == 0 {
            // One that waits for what nobody does there ends all the same.
            libc::alarm(120);
            let good = std::panic::catch_unwind(std::panic::AssertUnwindSafe(what)).unwrap_or(false);
            libc::_exit(i32::from(!good));
        }
        pid
    }
}

/// Waits for its end; how it ended.
fn ended(pid: i32) -> i32 {
    let mut status = 0;
    // SAFETY: a child of ours.
    assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
    status
}

fn sleeps() -> bool {
    std::thread::sleep(std::time::Duration::from_secs(60));
    true
}

fn kill(pid: i32) {
    // SAFETY: a child of ours.
    unsafe { libc::kill(pid, libc::SIGKILL) };
    ended(pid);
}

#[test]
fn each_method_of_a_parents_file_fails_in_a_child() {
    let scratch = Scratch::new("methods");
    let path = scratch.file();
    let file = opened(&path);
    let before = generation();
    let pid = child(false, || {
        let refused = |done: std::io::Result<()>| {
            done.is_err_and(|error| {
                error.kind() == ErrorKind::PermissionDenied && error.to_string().contains("the parent process opened")
            })
        };
        let all = refused(read(&*file).map(drop))
            && refused(file.write(&[WriteAt { at: 0, buf: &[9; 64] }]))
            && refused(file.sync())
            && refused(file.size(None).map(drop))
            && refused(file.size(Some(10)).map(drop));
        // What it opens itself is its own.
        let own = LinuxDisk::new().open(&path.with_file_name("OTHER"), OWN).unwrap();
        own.write(&[WriteAt { at: 0, buf: &[9; 64] }]).unwrap();
        all && generation() == before + 1 && own.size(None).unwrap() == 64
    });
    assert_eq!(ended(pid), 0);
    assert_eq!(std::fs::read(&path).unwrap(), [7; 8192]);
    assert_eq!(read(&*file).unwrap(), [7; 64]);
    assert_eq!(generation(), before);
}

#[test]
fn a_lock_goes_with_the_file_though_a_child_lives() {
    let scratch = Scratch::new("close");
    let path = scratch.file();
    for raw in [false, true] {
        let file = opened(&path);
        let pid = child(raw, sleeps);
        let busy = LinuxDisk::new().open(&path, OWN);
        assert_eq!(busy.unwrap_err().kind(), ErrorKind::WouldBlock);
        drop(file);
        drop(LinuxDisk::new().open(&path, OWN).unwrap());
        kill(pid);
    }
}

#[test]
fn a_lock_stays_when_a_child_ends_or_closes_what_it_has() {
    let scratch = Scratch::new("child-ends");
    let path = scratch.file();
    let file = opened(&path);
    let mut file = Some(file);
    let pid = child(false, || {
        drop(file.take());
        true
    });
    assert_eq!(ended(pid), 0);
    let busy = LinuxDisk::new().open(&path, OWN);
    assert_eq!(busy.unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn a_lock_goes_with_the_process_though_its_child_lives() {
    let scratch = Scratch::new("death");
    let path = scratch.file();
    let (told, tell) = pipe();
    let owner = child(false, || {
        let _file = opened(&path);
        let grandchild = child(false, sleeps);
        // SAFETY: four bytes of ours.
        unsafe { libc::write(tell, std::ptr::from_ref(&grandchild).cast(), 4) };
        sleeps()
    });
    // SAFETY: the end that its owner has too: once he is dead nobody can tell anything.
    unsafe { libc::close(tell) };
    let mut grandchild = 0i32;
    // SAFETY: four bytes of ours.
    let got = unsafe { libc::read(told, std::ptr::from_mut(&mut grandchild).cast(), 4) };
    assert_eq!(got, 4);
    let busy = LinuxDisk::new().open(&path, OWN);
    assert_eq!(busy.unwrap_err().kind(), ErrorKind::WouldBlock);
    kill(owner);
    // SAFETY: it only asks whether the process is there.
    assert_eq!(unsafe { libc::kill(grandchild, 0) }, 0);
    // The grandchild lets go of it as soon as it runs.
    let begun = std::time::Instant::now();
    let mut free = LinuxDisk::new().open(&path, OWN).map(drop);
    while free.is_err() && begun.elapsed().as_secs() < 60 {
        std::thread::yield_now();
        free = LinuxDisk::new().open(&path, OWN).map(drop);
    }
    // SAFETY: the child's child, which sleeps.
    unsafe { libc::kill(grandchild, libc::SIGKILL) };
    free.unwrap();
}

fn pipe() -> (i32, i32) {
    let mut ends = [0; 2];
    // SAFETY: room for two.
    assert_eq!(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) }, 0);
    (ends[0], ends[1])
}

/// Names this test program and what it shall do when it is started anew.
const FIRST: &str = "CICA_TEST_FIRST_OPEN_BESIDE_FORK";

#[test]
fn a_child_made_while_another_thread_opens_its_first_file_opens_its_own() {
    if std::env::var_os(FIRST).is_some() {
        return first_open_beside_fork();
    }
    // What a process does once it does in the first moments: so each try is a process.
    for number in 0..40 {
        let done = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "a_child_made_while_another_thread_opens_its_first_file_opens_its_own",
            ])
            .env(FIRST, "1")
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "process {number}: {}",
            String::from_utf8_lossy(&done.stdout)
        );
    }
}

/// Threads open the first files of this process while it makes children that do the same.
fn first_open_beside_fork() {
    let scratch = Scratch::new("first");
    let path = scratch.file();
    let shared = Open {
        lock: Lock::Shared,
        ..OWN
    };
    let started = std::sync::Barrier::new(4);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                started.wait();
                drop(LinuxDisk::new().open(&path, shared).unwrap());
            });
        }
        started.wait();
        let children: Vec<i32> = (0..8)
            .map(|_| child(false, || LinuxDisk::new().open(&path, shared).is_ok()))
            .collect();
        for pid in children {
            assert_eq!(ended(pid), 0);
        }
    });
}
