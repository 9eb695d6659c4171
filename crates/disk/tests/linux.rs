//! What only real files have: direct I/O and its ways back, rings and calls that must agree, descriptors, full disks.
#![cfg(target_os = "linux")]

use cica_disk::{Create, Disk, DiskError, File, LinuxDisk, Lock, Open, ReadAt, WriteAt};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

const NEW: Open = Open {
    write: true,
    create: Create::New,
    lock: Lock::None,
    direct: false,
    window: 0,
    directory: false,
};
const READ: Open = Open {
    write: false,
    create: Create::No,
    ..NEW
};

struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Self {
        Self::within(&std::env::temp_dir(), test)
    }

    fn within(directory: &Path, test: &str) -> Self {
        let path = directory.join(format!("cica-linux-{}-{test}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary directory");
        Scratch(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Bytes that start at a multiple of 4,096.
struct Aligned(Vec<u8>, usize);

impl Aligned {
    fn new(len: usize) -> Self {
        let bytes = vec![0; len + 4096];
        let skip = bytes.as_ptr().align_offset(4096);
        Aligned(bytes, skip)
    }

    fn slice(&mut self) -> &mut [u8] {
        let len = self.0.len() - 4096;
        &mut self.0[self.1..][..len]
    }
}

fn random(seed: &mut u64, bound: u64) -> u64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 33) % bound
}

/// Random batches of all shapes, aligned and not, through one file; the result must be what plain calls make of it.
fn same_as_plain_calls(disk: LinuxDisk, direct: bool, directory: &Scratch) {
    const LENGTH: usize = 1 << 20;
    let file = disk.open(&directory.path("A"), Open { direct, ..NEW }).expect("a file");
    let mut model = vec![0u8; LENGTH];
    file.size(Some(LENGTH as u64)).expect("growth");
    let mut seed = 42;
    let mut memory = Aligned::new(LENGTH);
    for step in 0..150u64 {
        let count = [1, 2, 7, 8, 9, 64, 65, 200][random(&mut seed, 8) as usize];
        let unit = if random(&mut seed, 3) == 0 { 512 } else { 4096 };
        let odd = usize::from(random(&mut seed, 4) == 0);
        let len = unit - odd;
        // Distinct places, in no order: a batch has none.
        let mut places: Vec<usize> = (0..LENGTH / unit).collect();
        for index in (1..places.len()).rev() {
            places.swap(index, random(&mut seed, index as u64 + 1) as usize);
        }
        places.truncate(count);
        if random(&mut seed, 3) == 0 {
            places.sort_unstable();
        }
        memory.slice().fill(step as u8);
        memory.slice().iter_mut().step_by(509).for_each(|byte| *byte ^= 0x5A);
        let bytes = &*memory.slice();
        let batch: Vec<_> = places
            .iter()
            .map(|place| WriteAt {
                at: (place * unit) as u64,
                buf: &bytes[place * unit..][..len],
            })
            .collect();
        file.write(&batch).expect("a batch");
        for one in &batch {
            model[one.at as usize..][..len].copy_from_slice(one.buf);
        }
        drop(batch);

        memory.slice().fill(0xEE);
        let mut pieces: Vec<_> = memory.slice().chunks_mut(unit).map(Some).collect();
        let mut batch: Vec<_> = places
            .iter()
            .map(|place| ReadAt {
                at: (place * unit) as u64,
                buf: &mut pieces[*place].take().expect("a place twice")[..len],
                got: 0,
            })
            .collect();
        file.read(&mut batch).expect("a batch");
        for one in &batch {
            assert_eq!(one.got, len);
            assert!(
                one.buf[..] == model[one.at as usize..][..len],
                "step {step}: bytes at {} differ",
                one.at
            );
        }
    }
    file.sync().expect("a sync");
    assert!(std::fs::read(directory.path("A")).expect("the file") == model);
}

#[test]
fn batches_through_a_ring() {
    same_as_plain_calls(LinuxDisk::new(), false, &Scratch::new("ring"));
}

#[test]
fn batches_without_a_ring() {
    same_as_plain_calls(LinuxDisk::without_uring(), false, &Scratch::new("calls"));
}

#[test]
fn direct_batches_through_a_ring() {
    same_as_plain_calls(LinuxDisk::new(), true, &Scratch::new("direct-ring"));
}

#[test]
fn direct_batches_without_a_ring() {
    same_as_plain_calls(LinuxDisk::without_uring(), true, &Scratch::new("direct-calls"));
}

#[test]
fn a_file_system_in_memory_takes_it_all() {
    let shared_memory = Path::new("/dev/shm");
    if shared_memory.is_dir() {
        same_as_plain_calls(LinuxDisk::new(), true, &Scratch::within(shared_memory, "direct"));
    }
}

/// Part of the file in the page cache, part not: the reads that wait take another way than those that do not.
#[test]
fn reads_that_the_page_cache_does_not_have() {
    use rustix::fs::{fadvise, Advice};
    let scratch = Scratch::new("cold");
    let path = scratch.path("A");
    let block = |index: usize| -> Vec<u8> { (0..4096).map(|byte| (index * 31 + byte / 16) as u8).collect() };
    let data: Vec<u8> = (0..512).flat_map(block).collect();
    let file = LinuxDisk::new().open(&path, NEW).expect("a file");
    for (warm, end) in [(0, 512), (20, 512), (512, 512), (0, 511)] {
        file.write(&[WriteAt { at: 0, buf: &data }]).expect("a write");
        file.size(Some(end * 4096 - 7)).expect("a length");
        file.sync().expect("a sync: dirty pages stay in the cache");
        let plain = std::fs::File::open(&path).expect("the file");
        fadvise(&plain, 0, None, Advice::DontNeed).expect("an empty cache");
        for index in 0..warm {
            std::os::unix::fs::FileExt::read_exact_at(&plain, &mut [0; 1], index * 8 * 4096 % (500 * 4096))
                .expect("it");
        }
        let mut buffers = vec![[0xEE; 5000]; 70];
        let mut batch: Vec<_> = buffers
            .iter_mut()
            .enumerate()
            .map(|(index, buf)| ReadAt {
                at: (511 - index as u64 * 7) * 4096,
                buf,
                got: 0,
            })
            .collect();
        file.read(&mut batch).expect("a batch");
        for one in &batch {
            let wanted = &data[..end as usize * 4096 - 7];
            let wanted = &wanted[wanted.len().min(one.at as usize)..];
            let wanted = &wanted[..wanted.len().min(5000)];
            assert!(
                one.buf[..one.got] == *wanted,
                "bytes at {} differ, {} of them",
                one.at,
                one.got
            );
        }
    }
}

#[test]
fn a_direct_read_is_short_at_an_odd_end() {
    let scratch = Scratch::new("odd-end");
    let file = LinuxDisk::new()
        .open(&scratch.path("A"), Open { direct: true, ..NEW })
        .expect("a file");
    let mut memory = Aligned::new(16_384);
    memory.slice().fill(1);
    file.write(&[WriteAt {
        at: 0,
        buf: memory.slice(),
    }])
    .expect("an aligned write");
    file.size(Some(10_001)).expect("a cut");
    memory.slice().fill(0xEE);
    let mut batch = [ReadAt {
        at: 0,
        buf: memory.slice(),
        got: 0,
    }];
    file.read(&mut batch).expect("a read over the end");
    assert_eq!(batch[0].got, 10_001);
    assert!(memory.slice()[..10_001].iter().all(|byte| *byte == 1));
}

#[test]
fn nothing_but_files_is_opened_and_nothing_waits() {
    let scratch = Scratch::new("pipe");
    let pipe = scratch.path("PIPE");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let disk = LinuxDisk::new();
    for (path, write) in [
        (&*pipe, false),
        (&*pipe, true),
        (Path::new("/dev/null"), false),
        (Path::new("/dev/null"), true),
    ] {
        let error = disk.open(path, Open { write, ..READ }).expect_err("not a file");
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains("not a plain file"), "{error}");
    }
    assert_eq!(disk.list(&scratch.0).expect("a list"), [], "a pipe is listed as a file");
    assert_eq!(
        disk.list(&pipe).expect_err("no directory").kind(),
        ErrorKind::NotADirectory
    );
}

/// Runs [`within_a_small_file_system`] on three of them, each in a mount namespace of its own: one in memory, one that
/// cannot reserve space, one that keeps what it found of too large a growth. The last two want root and a loop device.
#[test]
fn a_full_file_system_is_told_and_nothing_is_half_done() {
    let tmpfs = r#"mount -t tmpfs -o size=256k none "$CICA_SMALL""#;
    let ext = |kind: &str| {
        let make =
            format!(r#"truncate -s 512k "$CICA_SMALL.img" && mkfs.{kind} -q -F -O ^has_journal "$CICA_SMALL.img""#);
        format!(r#"{make} && mount -o loop "$CICA_SMALL.img" "$CICA_SMALL" && rm "$CICA_SMALL.img""#)
    };
    for (kind, namespace, mount) in [
        (
            "tmpfs",
            ["--user", "--map-root-user", "--mount"].as_slice(),
            tmpfs.to_string(),
        ),
        ("ext2", &["--mount"], ext("ext2")),
        ("ext4", &["--mount"], ext("ext4")),
    ] {
        let scratch = Scratch::new(&format!("full-{kind}"));
        let status = Command::new("unshare")
            .args(namespace)
            .args([
                "sh",
                "-c",
                &format!(r#"{{ {mount}; }} 2>/dev/null || exit 77; exec "$0" --exact within_a_small_file_system"#),
            ])
            .arg(std::env::current_exe().expect("this test"))
            .env("CICA_SMALL", &scratch.0)
            .status();
        let _ = std::fs::remove_file(scratch.0.with_extension("img"));
        match status.map(|status| status.code()) {
            Ok(Some(0)) => {}
            Ok(Some(101)) => panic!("the test within a small {kind} failed"),
            other => eprintln!("not tested, no small {kind} to be had here: {other:?}"),
        }
    }
}

#[test]
fn within_a_small_file_system() {
    let Some(directory) = std::env::var_os("CICA_SMALL").map(PathBuf::from) else {
        return;
    };
    let file = LinuxDisk::new().open(&directory.join("A"), NEW).expect("a file");
    file.write(&[WriteAt { at: 0, buf: b"kept" }]).expect("a write");
    let error = file.size(Some(1 << 20)).expect_err("more than there is");
    assert_eq!(error.kind(), ErrorKind::StorageFull, "{error}");
    assert!(error.to_string().contains("/A"), "{error}");
    assert_eq!(
        DiskError::of(&error).and_then(DiskError::raw_os_error),
        Some(28),
        "{error}"
    );
    assert_eq!(
        file.size(None).expect("a length"),
        4,
        "the failed growth was not taken back"
    );
    file.size(Some(200_000)).expect("what there is");

    let data = vec![1; 4096];
    let inside: Vec<_> = (0..40)
        .map(|index| WriteAt {
            at: index * 4_500,
            buf: &data,
        })
        .collect();
    file.write(&inside).expect("writes into what was taken");
    let outside: Vec<_> = (0..200)
        .map(|index| WriteAt {
            at: 300_000 + index * 8_192,
            buf: &data,
        })
        .collect();
    let error = file.write(&outside).expect_err("more than there is");
    assert_eq!(error.kind(), ErrorKind::StorageFull, "{error}");
}

#[test]
fn growth_takes_the_space() {
    use std::os::unix::fs::MetadataExt;
    let scratch = Scratch::new("growth");
    let file = LinuxDisk::new().open(&scratch.path("A"), NEW).expect("a file");
    file.size(Some(1_000_000)).expect("growth");
    let taken = std::fs::metadata(scratch.path("A")).expect("the file").blocks() * 512;
    assert!(taken >= 1_000_000, "{taken} bytes taken");
}

#[test]
fn a_lock_of_another_process_is_seen_and_ends_with_it() {
    let scratch = Scratch::new("process");
    let path = scratch.path("A");
    std::fs::write(&path, b"x").expect("a file");
    // flock(1) becomes the shell, which becomes the sleep: one process has the lock.
    let mut holder = Command::new("flock")
        .args(["--no-fork", "--exclusive"])
        .arg(&path)
        .args(["sh", "-c", "echo held; exec sleep 1000"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("flock(1)");
    let mut word = [0; 5];
    std::io::Read::read_exact(holder.stdout.as_mut().expect("its output"), &mut word).expect("its word");
    let disk = LinuxDisk::new();
    let alone = Open {
        write: true,
        lock: Lock::Exclusive,
        ..READ
    };
    let refused = disk.open(&path, alone).map(|_| ());
    let without_lock = disk.open(&path, READ).map(|_| ());
    holder.kill().expect("its end");
    holder.wait().expect("its end");
    assert_eq!(
        refused.expect_err("locked by another process").kind(),
        ErrorKind::WouldBlock
    );
    without_lock.expect("without a lock it opens");
    disk.open(&path, alone).expect("its holder is dead");
}

#[test]
fn an_error_names_file_and_number() {
    let scratch = Scratch::new("missing");
    let error = LinuxDisk::new()
        .remove(&scratch.path("NOT.THERE"))
        .expect_err("no such file");
    assert!(
        error.to_string().contains("NOT.THERE") && error.to_string().contains("os error 2"),
        "{error}"
    );
}

#[test]
fn descriptors_are_given_back() {
    let count = || std::fs::read_dir("/proc/self/fd").expect("the descriptors").count();
    let scratch = Scratch::new("descriptors");
    let disk = LinuxDisk::new();
    let path = scratch.path("A");
    drop(disk.open(&path, NEW).expect("a file"));
    // Other tests open files at the same time; many rounds drown them.
    let before = count();
    for _ in 0..500 {
        let how = Open {
            create: Create::No,
            direct: true,
            lock: Lock::Shared,
            ..NEW
        };
        drop::<Box<dyn File>>(disk.open(&path, how).expect("the file"));
        assert!(disk.open(&path, NEW).is_err());
    }
    assert!(count() < before + 200, "descriptors leak");
}

/// Reads one place with a call of its own; returns how much there was.
fn read(file: &dyn File, at: u64, buf: &mut [u8]) -> usize {
    let mut batch = [ReadAt { at, buf, got: 0 }];
    file.read(&mut batch).expect("a read");
    batch[0].got
}

#[test]
fn reads_through_a_window_are_those_of_calls() {
    const LENGTH: u64 = 300_000;
    let scratch = Scratch::new("window");
    let path = scratch.path("A");
    let disk = LinuxDisk::new();
    let writer = disk.open(&path, NEW).expect("a file");
    let whole: Vec<u8> = (0..LENGTH).map(|i| (i * 7 / 3) as u8).collect();
    writer.write(&[WriteAt { at: 0, buf: &whole }]).expect("writes");
    let window = u64::MAX;
    let shown = disk.open(&path, Open { window, ..READ }).expect("the file");
    let plain = disk.open(&path, READ).expect("the file");
    let mut seed = 7;
    for step in 0..2000u64 {
        if step % 3 == 0 {
            // What another handle writes, beyond the end that the window was opened with too, is seen at once.
            let at = random(&mut seed, LENGTH + 20_000);
            let buf = [step as u8; 100];
            writer.write(&[WriteAt { at, buf: &buf }]).expect("writes");
        }
        let (at, len) = (random(&mut seed, LENGTH + 30_000), random(&mut seed, 20_000) as usize);
        let (mut one, mut other) = (vec![1; len], vec![1; len]);
        assert_eq!(read(&*shown, at, &mut []), 0, "it was only told what comes next");
        assert_eq!(read(&*shown, at, &mut one), read(&*plain, at, &mut other), "at {at}");
        assert!(one == other, "{len} bytes at {at}");
    }
}

#[test]
fn a_file_that_is_cut_under_a_window_ends_where_it_ends() {
    const LENGTH: u64 = 1 << 20;
    let scratch = Scratch::new("window-cut");
    let path = scratch.path("A");
    let disk = LinuxDisk::new();
    let writer = disk.open(&path, NEW).expect("a file");
    let whole = vec![0x55; LENGTH as usize];
    writer.write(&[WriteAt { at: 0, buf: &whole }]).expect("writes");
    let open = || {
        let window = LENGTH;
        disk.open(&path, Open { window, ..READ }).expect("the file")
    };
    let (one, other) = (open(), open());
    let mut buf = [0; 2048];
    for at in 0..100u64 {
        assert_eq!(read(&*one, at * 2048, &mut buf), 2048);
        assert_eq!(read(&*other, at * 2048, &mut buf), 2048);
    }
    writer.size(Some(8192)).expect("the cut");
    // Both windows are over pages that are gone; the second is found broken by another thread than the first.
    assert_eq!(read(&*one, 600_000, &mut buf), 0);
    let got = std::thread::spawn(move || {
        let mut buf = [0; 2048];
        let gone = read(&*other, 10_000, &mut buf);
        (gone, read(&*other, 8000, &mut buf), buf[..192].to_vec())
    });
    assert_eq!(got.join().expect("it lives"), (0, 192, vec![0x55; 192]));
    assert_eq!(read(&*one, 4096, &mut buf), 2048);
    assert!(buf.iter().all(|&byte| byte == 0x55));
}

/// D6.
#[test]
fn links_to_files_are_not_followed() {
    let scratch = Scratch::new("links");
    let disk = LinuxDisk::new();
    std::fs::write(scratch.path("VICTIM"), b"kept").expect("a file");
    for to in ["VICTIM", "NOTHING", "LINK"] {
        std::os::unix::fs::symlink(to, scratch.path("LINK")).expect("a link");
        for create in [Create::No, Create::IfMissing, Create::New] {
            for (write, direct) in [(false, false), (true, false), (true, true)] {
                let how = Open {
                    write,
                    create,
                    direct,
                    ..NEW
                };
                let error = disk.open(&scratch.path("LINK"), how).map(drop).expect_err("a link");
                let expected = match create {
                    Create::New => "File exists",
                    _ => "it is a symbolic link",
                };
                assert!(error.to_string().contains(expected), "{error}");
            }
        }
        assert_eq!(disk.list(&scratch.0).expect("names").len(), 1);
        disk.rename(&scratch.path("LINK"), &scratch.path("MOVED"))
            .expect("a rename");
        disk.remove(&scratch.path("MOVED")).expect("the link's name");
    }
    assert_eq!(std::fs::read(scratch.path("VICTIM")).expect("it"), b"kept");
    assert!(!scratch.path("NOTHING").exists());
}

#[test]
fn files_are_not_for_everybody_to_read() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("modes");
    let mode = |name: &str| std::fs::metadata(scratch.path(name)).expect("it").permissions().mode() & 0o777;
    let directory = Open {
        write: false,
        create: Create::New,
        directory: true,
        ..NEW
    };
    let disk = LinuxDisk::new();
    drop(disk.open(&scratch.path("A"), NEW).expect("a file"));
    drop(disk.open(&scratch.path("D"), directory).expect("a directory"));
    assert_eq!(
        (mode("A") & !0o040, mode("D") & !0o050),
        (0o600, 0o700),
        "but for what is masked"
    );
    for (wanted, file, passable) in [
        (0o660, 0o660, 0o770),
        (0o600, 0o600, 0o700),
        (0o644, 0o644, 0o755),
        (0o4777, 0o666, 0o777),
    ] {
        let disk = LinuxDisk::new().with_mode(wanted);
        for name in ["A", "B"] {
            let _ = std::fs::remove_file(scratch.path(name));
        }
        let _ = std::fs::remove_dir(scratch.path("D"));
        drop(disk.open(&scratch.path("A"), NEW).expect("a file"));
        let how = Open {
            create: Create::IfMissing,
            ..NEW
        };
        drop(disk.open(&scratch.path("B"), how).expect("a file"));
        drop(disk.open(&scratch.path("D"), directory).expect("a directory"));
        assert_eq!((mode("A"), mode("B"), mode("D")), (file, file, passable), "{wanted:o}");
        // One that is there keeps its own.
        std::fs::set_permissions(scratch.path("B"), std::fs::Permissions::from_mode(0o400 | 0o200)).expect("its mode");
        drop(disk.open(&scratch.path("B"), how).expect("the file"));
        assert_eq!(mode("B"), 0o600);
    }
}
