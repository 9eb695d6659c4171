//! What may be wrong where programs share a data set: each time a message says what, and what to do about it.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Place, Run};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const NOBODY: u32 = 65_534;

/// A catalog at `catalog` with a data set of one record.
fn place(catalog: &str) -> (Place, PathBuf) {
    let place = Place::new();
    let catalog = place.dir.join(catalog);
    place.write("names", b"0001 A\n");
    let mut made = place.command(&["import", "names", "A.B", "--keys", "4,0", "--recordsize", "20,80", "-q"]);
    common::finish(in_catalog(&mut made, &catalog), b"").done();
    (place, catalog)
}

fn in_catalog(command: &mut Command, catalog: &Path) -> Command {
    command.env("CICA_CATALOG", catalog);
    std::mem::replace(command, Command::new("true"))
}

/// Gets the record by a server.
fn shared(place: &Place, catalog: &Path) -> Run {
    let mut get = place.command(&["get", "A.B", "0001"]);
    get.env("CICA_SHARE", "on");
    common::finish(in_catalog(&mut get, catalog), b"")
}

fn server(place: &Place, catalog: &Path, what: &str) -> Run {
    let mut command = place.command(&["server", what]);
    common::finish(in_catalog(&mut command, catalog), b"")
}

fn refused(run: &Run, words: &[&str]) {
    let told = words.iter().all(|words| run.err.contains(words));
    assert!(
        run.status == 12 && told && run.err.lines().count() == 1,
        "{words:?}: {run:?}"
    );
}

#[test]
fn something_in_the_way_is_named() {
    let (place, catalog) = place("catalog");
    let share = catalog.join("share");
    let away = "something else is in its place: move it away";
    std::fs::write(&share, b"").unwrap();
    refused(&shared(&place, &catalog), &["share/lock", away]);
    std::fs::remove_file(&share).unwrap();
    std::fs::create_dir_all(share.join("lock")).unwrap();
    refused(&shared(&place, &catalog), &["share/lock", away]);
    std::fs::remove_dir(share.join("lock")).unwrap();
    std::fs::create_dir_all(share.join("socket")).unwrap();
    refused(
        &shared(&place, &catalog),
        &["share/socket", "it is no socket; move it away"],
    );
    std::fs::remove_dir(share.join("socket")).unwrap();
    std::fs::write(share.join("socket"), b"").unwrap();
    refused(
        &shared(&place, &catalog),
        &["share/socket", "it is no socket; move it away"],
    );
    std::fs::remove_file(share.join("socket")).unwrap();
    // The socket of a server that was killed is in nobody's way.
    drop(UnixListener::bind(share.join("socket")).unwrap());
    assert_eq!(shared(&place, &catalog).text(), "0001 A\n");
    server(&place, &catalog, "stop").done();
}

#[test]
fn who_listens_and_is_no_server_is_not_taken_for_one() {
    let (place, catalog) = place("catalog");
    std::fs::create_dir(catalog.join("share")).unwrap();
    let listener = UnixListener::bind(catalog.join("share/socket")).unwrap();
    // A head with the right number and a body that is none; a length that is none; a web server.
    let answers: [&[u8]; 3] = [
        b"\x02\0\0\0\x01\0\0\0\xFF\xFF",
        &[0xFF; 20],
        b"HTTP/1.1 400 Bad Request\r\n",
    ];
    let answering = std::thread::spawn(move || {
        for answer in answers.iter().flat_map(|answer| [answer, answer]) {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 100]).unwrap();
            stream.write_all(answer).unwrap();
        }
    });
    for _ in 0..3 {
        for run in [shared(&place, &catalog), server(&place, &catalog, "status")] {
            refused(
                &run,
                &["share/socket", "no server of this version of Cica", "cica server stop"],
            );
        }
    }
    answering.join().unwrap();
}

#[test]
fn a_catalog_with_a_longer_path_than_a_socket_may_have_is_shared_too() {
    let (place, catalog) = place(&"long".repeat(40));
    assert_eq!(shared(&place, &catalog).text(), "0001 A\n");
    assert_eq!(server(&place, &catalog, "status").status, 0);
    server(&place, &catalog, "stop").done();
}

/// Lets everybody read what is there.
fn let_read(directory: &Path) {
    std::fs::set_permissions(directory, PermissionsExt::from_mode(0o755)).unwrap();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let kind = std::fs::symlink_metadata(&path).unwrap().file_type();
        if kind.is_dir() {
            let_read(&path);
        } else if kind.is_file() {
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        }
    }
}

#[test]
fn a_catalog_of_another_user_is_shared_as_he_allows() {
    let (place, catalog) = place("catalog");
    if std::fs::metadata(&catalog).unwrap().uid() != 0 {
        eprintln!("not root: there is no other user to try this as");
        return;
    }
    // The command lies where another user can run it.
    let own = place.path("cica");
    // By another process: what this one has open for writing a command that another test starts has too, for a moment,
    // and what somebody may write to cannot be run.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_cica")).arg(&own).status();
    assert!(copied.unwrap().success());
    for (path, mode) in [(&own, 0o755), (&place.dir, 0o755)] {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }
    let stranger = |arguments: &[&str], sharing: &str| {
        let mut command = Command::new(&own);
        command.args(arguments).current_dir(&place.dir).uid(NOBODY).gid(NOBODY);
        command.env("CICA_SHARE", sharing).env("CICA_SERVER", &own);
        command.env("CICA_POOL", "16M");
        common::finish(in_catalog(&mut command, &catalog), b"")
    };
    let get = ["get", "A.B", "0001"];
    std::fs::set_permissions(&catalog, PermissionsExt::from_mode(0o700)).unwrap();
    refused(
        &stranger(&get, "on"),
        &["Permission denied", "ask its owner for the right"],
    );
    let_read(&catalog);
    let no_right = ["Permission denied", "allowed to write to the catalog's directory"];
    refused(&stranger(&get, "on"), &no_right);
    assert_eq!(stranger(&get, "off").text(), "0001 A\n");
    // The same where a server is there: he cannot come to it, nor end it.
    assert_eq!(shared(&place, &catalog).text(), "0001 A\n");
    refused(&stranger(&get, "on"), &no_right);
    refused(&stranger(&["server", "stop"], "on"), &no_right);
    server(&place, &catalog, "stop").done();
}

/// The message of a command all of whose calls of this name fail so.
fn with_fault(place: &Place, call: &str, error: &str, arguments: &[&str]) -> Option<Run> {
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")]);
    traced.args(["-e", &format!("inject={call}:error={error}")]);
    let command = place.command(arguments);
    traced
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(&place.dir);
    for (name, value) in command.get_envs().filter_map(|(name, value)| Some((name, value?))) {
        traced.env(name, value);
    }
    if Command::new("strace")
        .args(["-o", "/dev/null", "true"])
        .output()
        .map_or(true, |done| !done.status.success())
    {
        eprintln!("there is no strace that may trace: no call can be made to fail");
        return None;
    }
    Some(common::finish(traced, b""))
}

#[test]
fn a_file_system_without_locks_is_told() {
    let (place, _) = place("catalog");
    let none = "its file system has no locks: put the catalog";
    for error in ["ENOLCK", "EOPNOTSUPP", "ENOSYS"] {
        for arguments in [&["get", "A.B", "0001"][..], &["serve"]] {
            let Some(run) = with_fault(&place, "flock", error, arguments) else {
                return;
            };
            refused(&run, &[none]);
        }
    }
    if let Some(run) = with_fault(&place, "fcntl", "ENOLCK", &["get", "A.B", "0001"]) {
        refused(&run, &[none]);
    }
    assert_eq!(place.run(&["get", "A.B", "0001"]).text(), "0001 A\n");
}

/// A file system of few bytes, gone with the test.
struct Small(PathBuf);

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_under_the_log_ends_no_server_and_loses_nothing() {
    let outside = Place::new();
    let small = outside.dir.join("small");
    std::fs::create_dir(&small).unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=12m", "none"])
        .arg(&small)
        .output();
    if !mount.is_ok_and(|done| done.status.success()) {
        eprintln!("not root: no small file system can be had");
        return;
    }
    let _small = Small(small.clone());
    let (place, catalog) = place(small.join("catalog").to_str().unwrap());
    let mut put = place.command(&["put", "A.B", "--ack", "--durability", "commit", "--commit-every", "1"]);
    put.env("CICA_SHARE", "on");
    let mut put = in_catalog(&mut put, &catalog);
    put.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut put = put.spawn().unwrap();
    let (mut to, mut from) = (put.stdin.take().unwrap(), BufReader::new(put.stdout.take().unwrap()));
    let mut acknowledged = 0;
    for key in 2..9000 {
        let mut line = String::new();
        if key == 50 {
            // Nothing is left from now on.
            let mut filler = std::fs::File::create(small.join("filler")).unwrap();
            while filler.write_all(&[1; 4096]).is_ok() {}
        }
        let sent = writeln!(to, "{key:04} {:60}", "").and_then(|()| to.flush());
        if sent.is_err() || from.read_line(&mut line).unwrap() == 0 {
            break;
        }
        acknowledged = key;
    }
    drop(to);
    let mut told = String::new();
    put.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(put.wait().unwrap().code(), Some(12), "{told}");
    assert!(
        told.contains("free space on its file system or raise the quota"),
        "{told}"
    );
    assert!((50..8999).contains(&acknowledged), "{acknowledged}");
    // The server is there still, and with room all goes on that was acknowledged.
    assert_eq!(server(&place, &catalog, "status").status, 0);
    std::fs::remove_file(small.join("filler")).unwrap();
    let mut cat = place.command(&["cat", "A.B"]);
    cat.env("CICA_SHARE", "on");
    let found = common::finish(in_catalog(&mut cat, &catalog), b"")
        .text()
        .lines()
        .count();
    assert!(
        found == acknowledged || found == acknowledged + 1,
        "{found} of {acknowledged}"
    );
    server(&place, &catalog, "stop").done();
}
