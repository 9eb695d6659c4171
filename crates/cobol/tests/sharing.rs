//! Programs that share a file: record locks between processes, units of recovery, and what is left of one that is
//! killed.
#![allow(clippy::unwrap_used)]

mod common;

use common::{library, Workplace};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const CLERK: &str = include_str!("programs/clerk.cob");
const CODES: &str = include_str!("programs/codes.c");

/// How the requests of a program come to the library.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// The library stands before libcob.
    Interposed,
    /// Through EXTFH, with the library linked before libcob.
    Described,
    /// Through EXTFH, with all that is said of locks in the description and its operations, and libcob first.
    Coded,
}

const WAYS: [Way; 3] = [Way::Interposed, Way::Described, Way::Coded];

/// A workplace with the program, whose file is shared.
struct Shop {
    place: Workplace,
    clerk: PathBuf,
    way: Way,
}

/// A program that is told what to do.
struct Clerk {
    child: Child,
    says: BufReader<ChildStdout>,
}

impl Shop {
    fn new(name: &str) -> Shop {
        Shop::by(Way::Interposed, name)
    }

    fn by(way: Way, name: &str) -> Shop {
        let place = Workplace::with_catalog(&format!("{name}-{way:?}"));
        let coded = || {
            CLERK
                .replace("UNLOCK F", "CALL \"fh_unlock\" USING FS")
                .replace("COMMIT MOVE \"00\" TO FS", "CALL \"fh_commit\" USING FS")
                .replace("ROLLBACK MOVE \"00\" TO FS", "CALL \"fh_rollback\" USING FS")
        };
        let clerk = match way {
            Way::Interposed => place.compile("clerk", CLERK),
            Way::Described => place.compile_described("clerk", CLERK, "CICAFH", true, None),
            Way::Coded => place.compile_described("clerk", &coded(), "CODESFH", false, Some(CODES)),
        };
        let shop = Shop { place, clerk, way };
        assert_eq!(shop.clerk(&[]).say("load 50"), "00 0000");
        shop
    }

    fn clerk(&self, environment: &[(&str, &str)]) -> Clerk {
        self.start(&self.clerk, environment)
    }

    fn start(&self, program: &Path, environment: &[(&str, &str)]) -> Clerk {
        let mut command = self.place.command(program);
        if self.way != Way::Interposed {
            command.env_remove("LD_PRELOAD");
        }
        if self.way == Way::Coded {
            // No COMMIT that the program imports tells that it has units.
            command.env("CICA_UNITS", "on");
        }
        let mut child = shared(&mut command)
            .envs(environment.iter().copied())
            .env("COB_UNBUFFERED", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let says = BufReader::new(child.stdout.take().unwrap());
        Clerk { child, says }
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        let mut stop = Command::new(server());
        stop.arg("--catalog").arg(self.place.catalog()).args(["server", "stop"]);
        // One that is gone already cannot be stopped.
        let _ = stop.output();
    }
}

impl Shop {
    fn kill_the_owner(&self) {
        let mut status = Command::new(server());
        status
            .arg("--catalog")
            .arg(self.place.catalog())
            .args(["server", "status", "--json"]);
        let status = String::from_utf8(status.output().unwrap().stdout).unwrap();
        let process = status.split("\"process\":").nth(1).unwrap();
        let process: String = process.trim_start().chars().take_while(char::is_ascii_digit).collect();
        // SAFETY: the owner that this test's program started.
        assert_eq!(unsafe { libc::kill(process.parse().unwrap(), libc::SIGKILL) }, 0);
    }
}

impl Clerk {
    fn tell(&mut self, what: &str) {
        let to = self.child.stdin.as_mut().unwrap();
        to.write_all(format!("{what}\n").as_bytes()).unwrap();
        to.flush().unwrap();
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.says.read_line(&mut line).unwrap();
        line.trim_end().into()
    }

    /// Status and number in stock.
    fn say(&mut self, what: &str) -> String {
        self.tell(what);
        self.answer()
    }

    /// The status alone.
    fn status(&mut self, what: &str) -> String {
        self.say(what)[..2].into()
    }

    fn stop(mut self) {
        self.tell("stop");
        assert!(self.child.wait().unwrap().success());
    }
}

/// The command that serves, which cargo puts beside the directory of this program.
fn server() -> PathBuf {
    let server = library().parent().unwrap().with_file_name("cica");
    assert!(server.exists(), "{}: cargo build -p cica-cli", server.display());
    server
}

fn shared(command: &mut Command) -> &mut Command {
    command.env("CICA_SHARE", "on").env("CICA_SERVER", server())
}

/// Its owner has the buffers, and counts for all who share it.
#[test]
fn what_is_shared_has_no_buffers_here_to_tell_of() {
    let shop = Shop::by(Way::Interposed, "share-bias");
    let mut command = shop.place.command(&shop.clerk);
    let command = shared(&mut command).env("DD_STOCK", "DSN=STOCK,AMP=('ACCBIAS=DO,MSG=SMBBIAS')");
    let pipes = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut clerk = pipes.spawn().unwrap();
    clerk
        .stdin
        .take()
        .unwrap()
        .write_all(b"open\nread 5\nclose\nstop\n")
        .unwrap();
    let done = clerk.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&done.stderr);
    let told: Vec<&str> = told.lines().filter(|line| line.starts_with("CICA123")).collect();
    let [opened, closed] = &told[..] else {
        panic!("{told:?}")
    };
    let said = "AMP SAYS ACCBIAS=DO,MSG=SMBBIAS";
    assert!(
        opened.ends_with(&format!(
            "STOCK IS OPEN, {said}: the pool of the process that shares it serves it"
        )),
        "{opened}"
    );
    assert!(
        closed.ends_with(&format!(
            "STOCK WAS CLOSED, {said}: the process that shares it counts what is done ('cica stat')"
        )),
        "{closed}"
    );
}

#[test]
fn what_one_program_has_locked_another_meets() {
    WAYS.into_iter().for_each(what_one_program_has_locked_another_meets_by);
}

/// And goes on: a letter in FILE STATUS is no number that libcob would look something up by.
#[test]
fn what_another_has_is_told_in_the_words_of_other_run_times() {
    for way in WAYS {
        let shop = Shop::by(way, "share-9d");
        let words = [("CICA_STATUS", "microfocus")];
        let (mut one, mut two) = (shop.clerk(&[]), shop.clerk(&words));
        assert_eq!((one.status("open"), two.status("open")), ("00".into(), "00".into()));
        assert_eq!(one.status("lock 5"), "00");
        for what in ["read 5", "lock 5", "delete 5"] {
            assert_eq!(two.status(what), "9D", "{what} {way:?}");
        }
        assert_eq!(two.status("read 99"), "23", "{way:?}");
        assert_eq!((one.status("commit"), two.status("lock 5")), ("00".into(), "00".into()));
        assert_eq!(one.status("lock 5"), "51", "{way:?}");
        one.stop();
        two.stop();
    }
}

fn what_one_program_has_locked_another_meets_by(way: Way) {
    let shop = Shop::by(way, "share-locks");
    let (mut one, mut two) = (shop.clerk(&[]), shop.clerk(&[]));
    assert_eq!((one.status("open"), two.status("open")), ("00".into(), "00".into()));
    assert_eq!(one.say("lock 5"), "00 0000");
    assert_eq!(two.status("read 5"), "51");
    assert_eq!(two.status("lock 5"), "51");
    assert_eq!(two.status("ignore 5"), "00");
    assert_eq!(two.status("delete 5"), "51");
    assert_eq!(two.status("read 6"), "00");
    // A browse comes to it, and stays before it.
    assert_eq!(two.status("start 4"), "00");
    assert_eq!(two.status("next"), "00");
    assert_eq!((two.status("next"), two.status("next")), ("51".into(), "51".into()));
    assert_eq!(one.say("set 9"), "00 0009");
    assert_eq!(one.status("commit"), "00");
    assert_eq!(two.say("next"), "00 0009");
    // A READ of another record gives the first back, but with KEPT LOCK or LOCK ON MULTIPLE RECORDS.
    assert_eq!((one.status("lock 7"), one.status("lock 8")), ("00".into(), "00".into()));
    assert_eq!((two.status("lock 7"), two.status("lock 8")), ("00".into(), "51".into()));
    assert_eq!(one.status("unlock"), "00");
    assert_eq!(two.status("lock 8"), "00");
    assert_eq!((one.status("kept 1"), one.status("kept 2")), ("00".into(), "00".into()));
    assert_eq!((two.status("read 1"), two.status("read 2")), ("51".into(), "51".into()));
    assert_eq!(one.status("close"), "00");
    assert_eq!((two.status("read 1"), two.status("read 2")), ("00".into(), "00".into()));
    // LOCK MODE AUTOMATIC.
    assert_eq!(
        (one.status("auto-open"), one.status("auto 3"), one.status("auto 4")),
        ("00".into(), "00".into(), "00".into())
    );
    assert_eq!((two.status("read 3"), two.status("read 4")), ("51".into(), "51".into()));
    assert_eq!(one.status("commit"), "00");
    assert_eq!(two.status("read 3"), "00");
    one.stop();
    two.stop();
}

#[test]
fn a_program_waits_for_another_and_not_for_ever_in_a_circle() {
    WAYS.into_iter()
        .for_each(a_program_waits_for_another_and_not_for_ever_in_a_circle_by);
}

fn a_program_waits_for_another_and_not_for_ever_in_a_circle_by(way: Way) {
    let shop = Shop::by(way, "share-wait");
    let (mut one, mut two) = (shop.clerk(&[]), shop.clerk(&[]));
    assert_eq!((one.status("open"), two.status("open")), ("00".into(), "00".into()));
    assert_eq!(
        (one.say("wait 5"), one.say("set 3")),
        ("00 0000".into(), "00 0003".into())
    );
    two.tell("wait 5");
    std::thread::sleep(Duration::from_millis(900));
    assert_eq!(one.status("commit"), "00");
    assert_eq!(two.answer(), "00 0003");
    // Each has one, changed so that a READ does not give it back, and wants the other's.
    assert_eq!(
        (two.status("set 4"), one.status("wait 6"), one.status("set 1")),
        ("00".into(), "00".into(), "00".into())
    );
    one.tell("wait 5");
    std::thread::sleep(Duration::from_millis(100));
    let circle = two.status("wait 6");
    if circle == "52" {
        assert_eq!(two.status("rollback"), "00");
        assert_eq!(one.answer(), "00 0003", "{way:?}");
    } else {
        // The first had asked again in between, and was the one that closed the circle.
        assert_eq!((circle.as_str(), one.answer()[..2].to_string()), ("00", "52".into()));
    }
    one.stop();
    two.stop();
}

#[test]
fn records_with_numbers_are_locked_too() {
    WAYS.into_iter().for_each(records_with_numbers_are_locked_too_by);
}

fn records_with_numbers_are_locked_too_by(way: Way) {
    let shop = Shop::by(way, "share-slots");
    let (mut one, mut two) = (shop.clerk(&[]), shop.clerk(&[]));
    assert_eq!(one.status("slots 20"), "00");
    assert_eq!(
        (one.status("slot-open"), two.status("slot-open")),
        ("00".into(), "00".into())
    );
    assert_eq!(one.status("slot-lock 5"), "00");
    assert_eq!(
        (two.status("slot-lock 5"), two.status("slot-read 5")),
        ("51".into(), "51".into())
    );
    assert_eq!(
        (two.status("slot-lock 6"), two.status("slot-set")),
        ("00".into(), "00".into())
    );
    assert_eq!(
        (one.status("slot-set"), one.status("commit")),
        ("00".into(), "00".into())
    );
    assert_eq!(two.status("slot-read 5"), "00");
    one.stop();
    two.stop();
}

/// The files of one program meet each other's locks, whether other programs may come or not.
#[test]
fn two_files_of_one_program_lock_against_each_other() {
    for way in WAYS {
        let shop = Shop::by(way, "share-within");
        for share in ["on", "off"] {
            let mut one = shop.clerk(&[("CICA_SHARE", share)]);
            let what = format!("{way:?}, {share}");
            assert_eq!((one.status("open"), one.status("l-open")), ("00".into(), "00".into()));
            assert_eq!(
                (one.status("lock 5"), one.status("l-read 5")),
                ("00".into(), "51".into()),
                "{what}"
            );
            assert_eq!(
                (one.status("read 6"), one.status("l-read 5")),
                ("00".into(), "00".into()),
                "{what}"
            );
            assert_eq!(one.status("read 5"), "51", "{what}");
            assert_eq!(
                (one.status("ignore 5"), one.status("x-open")),
                ("00".into(), "61".into()),
                "{what}"
            );
            assert_eq!(
                (one.status("l-close"), one.status("kept 5")),
                ("00".into(), "00".into()),
                "{what}"
            );
            assert_eq!(
                (one.status("kept 6"), one.status("l-open")),
                ("00".into(), "00".into()),
                "{what}"
            );
            assert_eq!(
                (one.status("l-read 5"), one.status("l-read 6")),
                ("51".into(), "51".into()),
                "{what}"
            );
            assert_eq!(
                (one.status("unlock"), one.status("l-read 6")),
                ("00".into(), "00".into()),
                "{what}"
            );
            one.stop();
        }
    }
}

/// libcob's answer to UNLOCK of a file that is not open.
#[test]
fn unlock_of_a_closed_file_is_nothing() {
    // libcob 3.1 gives a description's memory back with CLOSE, so nobody can ask with it.
    for way in [Way::Interposed, Way::Described] {
        let shop = Shop::by(way, "share-closed");
        let mut clerk = shop.clerk(&[]);
        assert_eq!(
            (clerk.status("open"), clerk.status("close")),
            ("00".into(), "00".into())
        );
        assert_eq!(clerk.status("unlock"), "00", "{way:?}");
        clerk.stop();
    }
}

#[test]
fn the_unit_of_a_program_that_is_killed_goes_back_and_the_others_go_on() {
    WAYS.into_iter()
        .for_each(the_unit_of_a_program_that_is_killed_goes_back_and_the_others_go_on_by);
}

fn the_unit_of_a_program_that_is_killed_goes_back_and_the_others_go_on_by(way: Way) {
    let shop = Shop::by(way, "share-kill");
    let mut stays = shop.clerk(&[]);
    assert_eq!(stays.status("open"), "00");
    for round in 0..6 {
        let mut goes = shop.clerk(&[]);
        assert_eq!(goes.status("open"), "00");
        assert_eq!(
            (goes.say("lock 5"), goes.say("add")),
            (format!("00 {round:04}"), format!("00 {:04}", round + 1))
        );
        assert_eq!(goes.status("commit"), "00");
        // Not committed, and locked.
        assert_eq!(
            (goes.status("lock 5"), goes.status("set 9999")),
            ("00".into(), "00".into())
        );
        assert_eq!(
            (goes.status("delete 6"), goes.status("write 77")),
            ("00".into(), "00".into())
        );
        assert_eq!(
            stays.status("read 6"),
            "51",
            "an erase that is not committed is waited for"
        );
        assert_eq!(stays.status("read 5"), "51");
        goes.child.kill().unwrap();
        goes.child.wait().unwrap();
        let dead = Instant::now();
        assert_eq!(stays.say("wait 5"), format!("00 {:04}", round + 1));
        assert!(dead.elapsed() < Duration::from_secs(5), "{:?}", dead.elapsed());
        assert_eq!(
            (stays.status("read 6"), stays.status("read 77")),
            ("00".into(), "23".into())
        );
        assert_eq!(stays.status("unlock"), "00");
    }
    stays.stop();
}

#[test]
fn a_program_goes_on_after_rollback_when_the_owner_was_killed() {
    let shop = Shop::new("share-owner");
    let mut clerk = shop.clerk(&[]);
    assert_eq!(
        (clerk.status("open"), clerk.status("lock 5"), clerk.say("set 8")),
        ("00".into(), "00".into(), "00 0008".into())
    );
    assert_eq!(clerk.status("commit"), "00");
    assert_eq!(
        (clerk.status("lock 5"), clerk.say("set 9")),
        ("00".into(), "00 0009".into())
    );
    shop.kill_the_owner();
    assert_eq!(clerk.status("read 5"), "30");
    assert_eq!(clerk.status("rollback"), "00");
    // What could not be closed in order is closed.
    clerk.status("close");
    assert_eq!(
        (clerk.status("open"), clerk.say("lock 5")),
        ("00".into(), "00 0008".into())
    );
    assert_eq!(
        (clerk.say("set 10"), clerk.status("commit")),
        ("00 0010".into(), "00".into())
    );
    clerk.stop();
}

/// Whoever has changed nothing since his last COMMIT has lost nothing with the server, and is not told that he has.
#[test]
fn who_has_changed_nothing_goes_on_without_rollback_when_the_owner_was_killed() {
    let shop = Shop::new("share-idle");
    let [mut clerk, mut idle] = [(); 2].map(|()| shop.clerk(&[]));
    for clerk in [&mut clerk, &mut idle] {
        assert_eq!(clerk.status("open"), "00");
        assert_eq!(
            (clerk.status("lock 5"), clerk.status("set 8")),
            ("00".into(), "00".into())
        );
        assert_eq!(clerk.status("commit"), "00");
    }
    shop.kill_the_owner();
    // A COMMIT of nothing, and the one at the end of the program.
    assert_eq!(
        (clerk.status("commit"), clerk.status("read 5")),
        ("00".into(), "30".into())
    );
    clerk.status("close");
    assert_eq!(
        (clerk.status("open"), clerk.say("lock 5")),
        ("00".into(), "00 0008".into())
    );
    assert_eq!(
        (clerk.say("set 9"), clerk.status("commit")),
        ("00 0009".into(), "00".into())
    );
    clerk.stop();
    idle.stop();
}

#[test]
fn a_batch_program_without_commit_lets_others_in_from_time_to_time() {
    let shop = Shop::new("share-batch");
    let lines = CLERK
        .lines()
        .filter(|line| !line.contains("COMMIT") && !line.contains("ROLLBACK"));
    let source = lines
        .collect::<Vec<_>>()
        .join("\n")
        .replace("PROGRAM-ID. CLERK", "PROGRAM-ID. BATCH");
    let batch = shop.place.compile("batch", &source);
    let mut batch = shop.start(&batch, &[("CICA_UNITS", "auto(40,10)")]);
    let mut online = shop.clerk(&[]);
    assert_eq!(
        (batch.status("open"), online.status("open")),
        ("00".into(), "00".into())
    );
    // 100 changes: 80 are committed.
    assert_eq!(batch.status("spin 2"), "00");
    assert_eq!(online.say("read 30"), "00 0002");
    assert_eq!(online.status("read 31"), "51");
    assert_eq!(
        (batch.status("spin 1"), online.say("read 5")),
        ("00".into(), "00 0003".into())
    );
    batch.child.kill().unwrap();
    batch.child.wait().unwrap();
    // 150 changes: 120 are.
    assert_eq!(online.say("wait 20"), "00 0003");
    assert_eq!(online.say("wait 21"), "00 0002");
    online.stop();
}

#[test]
fn a_program_that_wants_a_file_for_itself_has_it_so() {
    [Way::Interposed, Way::Described]
        .into_iter()
        .for_each(a_program_that_wants_a_file_for_itself_has_it_so_by);
}

fn a_program_that_wants_a_file_for_itself_has_it_so_by(way: Way) {
    let shop = Shop::by(way, "share-alone");
    let (mut one, mut two) = (shop.clerk(&[]), shop.clerk(&[]));
    assert_eq!(
        (one.status("open-alone"), two.status("open"), two.status("input")),
        ("00".into(), "61".into(), "61".into())
    );
    assert_eq!((one.status("close"), two.status("open")), ("00".into(), "00".into()));
    assert_eq!(
        (one.status("open-alone"), one.status("open")),
        ("61".into(), "00".into())
    );
    assert_eq!((one.status("close"), two.status("close")), ("00".into(), "00".into()));
    one.stop();
    two.stop();
    // Where nothing is shared, for input too.
    let alone = [("CICA_SHARE", "off")];
    let (mut one, mut two) = (shop.clerk(&alone), shop.clerk(&alone));
    assert_eq!(
        (one.status("alone-in"), two.status("input")),
        ("00".into(), "61".into())
    );
    assert_eq!(
        (one.status("close"), two.status("input"), one.status("input")),
        ("00".into(), "00".into(), "00".into())
    );
    assert_eq!(
        (one.status("close"), one.status("alone-in")),
        ("00".into(), "61".into())
    );
    one.stop();
    two.stop();
}

/// The ways to have a file or a record for oneself, each against each kind of open, shared and not.
#[test]
fn each_way_to_lock_keeps_another_program_away() {
    WAYS.into_iter()
        .for_each(each_way_to_lock_keeps_another_program_away_by);
}

fn each_way_to_lock_keeps_another_program_away_by(way: Way) {
    let shop = Shop::by(way, "share-ways");
    for share in ["on", "off"] {
        let with = [("CICA_SHARE", share)];
        let (mut one, mut two) = (shop.clerk(&with), shop.clerk(&with));
        let alone = [
            ("open-alone", "close"),
            ("with-lock", "close"),
            ("x-open", "x-close"),
            ("x-input", "x-close"),
        ];
        // A description has no place for SHARING and OPEN WITH LOCK.
        let sayable = alone
            .iter()
            .filter(|(open, _)| way != Way::Coded || open.starts_with("x-"));
        for &(way, back) in sayable {
            assert_eq!(one.status(way), "00", "{way} {share}");
            for open in ["open", "input", "with-lock", "x-open", "x-input"] {
                assert_eq!(two.status(open), "61", "{open} beside {way}, {share}");
            }
            assert_eq!(one.status(back), "00", "{way} {share}");
            assert_eq!((two.status("open"), two.status("close")), ("00".into(), "00".into()));
        }
        one.stop();
        two.stop();
    }
    // LOCK MODE AUTOMATIC locks what was read last, and nothing of a file that is open for input.
    let (mut one, mut two) = (shop.clerk(&[]), shop.clerk(&[]));
    assert_eq!((one.status("l-open"), two.status("l-open")), ("00".into(), "00".into()));
    assert_eq!(
        (one.status("l-read 3"), two.status("l-read 3")),
        ("00".into(), "51".into())
    );
    assert_eq!(
        (one.status("l-read 4"), two.status("l-read 3")),
        ("00".into(), "00".into())
    );
    assert_eq!(one.status("l-read 3"), "51");
    assert_eq!(
        (two.status("l-close"), one.status("l-read 3")),
        ("00".into(), "00".into())
    );
    // LOCK MODE MANUAL locks nothing by itself.
    assert_eq!(
        (one.status("l-close"), one.status("open"), two.status("open")),
        ("00".into(), "00".into(), "00".into())
    );
    assert_eq!(
        (one.status("read 3"), two.status("lock 3"), one.status("read 3")),
        ("00".into(), "00".into(), "51".into())
    );
    one.stop();
    two.stop();
}

#[test]
fn a_dd_text_says_what_a_reader_sees() {
    let shop = Shop::new("share-rls");
    let mut changes = shop.clerk(&[]);
    assert_eq!(
        (changes.status("open"), changes.status("lock 5")),
        ("00".into(), "00".into())
    );
    assert_eq!(changes.say("set 9"), "00 0009");
    // Without CICA_SHARE the DD text asks for it.
    let reads = |rls: &str| {
        let text = format!("DSN=STOCK,DISP=SHR,RLS={rls}");
        let mut clerk = shop.clerk(&[("DD_STOCK", text.as_str()), ("CICA_SHARE", "auto")]);
        assert_eq!(clerk.status("input"), "00");
        clerk
    };
    let (mut nri, mut cr) = (reads("NRI"), reads("CR"));
    assert_eq!(nri.say("read 5"), "00 0009");
    cr.tell("read 5");
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(changes.status("rollback"), "00");
    assert_eq!(cr.answer(), "00 0000");
    assert_eq!(nri.say("read 5"), "00 0000");
    // Without a unit of recovery nothing would end what CRE locks.
    let mut cre = shop.clerk(&[("DD_STOCK", "DSN=STOCK,RLS=CRE")]);
    assert_eq!(cre.status("input"), "00");
    assert_eq!(cre.say("read 7"), "00 0000");
    assert_eq!(
        (changes.status("lock 7"), changes.status("read 7")),
        ("51".into(), "00".into())
    );
    assert_eq!(cre.status("commit"), "00");
    assert_eq!(changes.status("lock 7"), "00");
    for clerk in [changes, nri, cr, cre] {
        clerk.stop();
    }
}

/// Adds to a record, many times, and says nothing of locks: it was written for VSAM, where READ of a file
/// opened I-O is a get for update.
const ADDS: &str =
    "IDENTIFICATION DIVISION. PROGRAM-ID. ADDS.\nENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.\n\
     SELECT F ASSIGN \"STOCK\" ORGANIZATION INDEXED ACCESS RANDOM RECORD KEY K FILE STATUS FS.\n\
     DATA DIVISION. FILE SECTION.\nFD F. 01 R. 02 K PIC 9(4). 02 D PIC 9(4).\n\
     WORKING-STORAGE SECTION. 01 FS PIC XX. 01 I PIC 9(4). 01 DONE PIC 9(4) VALUE 0.\nPROCEDURE DIVISION.\n\
     OPEN I-O F\nPERFORM VARYING I FROM 1 BY 1 UNTIL I > 400\n\
     MOVE 1 TO K\n\
     READ F IF FS = \"00\" ADD 1 TO D REWRITE R IF FS = \"00\" ADD 1 TO DONE END-IF END-IF\n\
     END-PERFORM CLOSE F DISPLAY DONE STOP RUN.\n";

#[test]
fn programs_that_say_nothing_of_locks_lose_no_update() {
    let shop = Shop::new("share-unsaid");
    let adds = shop.place.compile("adds", ADDS);
    for units in ["auto", "on", "auto(5,1)"] {
        let mut before = shop.clerk(&[]);
        assert_eq!(before.status("input"), "00");
        let stock = |clerk: &mut Clerk| clerk.say("read 1")[3..].parse::<u32>().unwrap();
        let had = stock(&mut before);
        let start = || {
            let mut command = shop.place.command(&adds);
            shared(&mut command).env("CICA_UNITS", units).stdout(Stdio::piped());
            command.spawn().unwrap()
        };
        let both = [start(), start()];
        let done = both.map(|program| {
            let out = program.wait_with_output().unwrap();
            String::from_utf8_lossy(&out.stdout).trim().parse::<u32>().unwrap()
        });
        assert_eq!(done, [400, 400], "{units}");
        assert_eq!(stock(&mut before) - had, 800, "{units}");
        before.stop();
    }
}

#[test]
fn start_finds_what_is_committed() {
    let shop = Shop::new("share-start");
    let mut changes = shop.clerk(&[]);
    assert_eq!(changes.status("open"), "00");
    assert_eq!(changes.status("delete 5"), "00");
    // Without RLS the READ behind it meets the record, which may come back.
    let mut reads = shop.clerk(&[]);
    assert_eq!(reads.status("input"), "00");
    assert_eq!(
        (reads.status("start 5"), reads.status("next")),
        ("00".into(), "51".into())
    );
    // With it START waits, and does not pass it.
    let text = "DSN=STOCK,DISP=SHR,RLS=CR";
    let mut cr = shop.clerk(&[("DD_STOCK", text), ("CICA_SHARE", "auto")]);
    assert_eq!(cr.status("input"), "00");
    cr.tell("start 5");
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(changes.status("rollback"), "00");
    assert_eq!(cr.answer()[..2], *"00");
    for clerk in [&mut reads, &mut cr] {
        assert_eq!(clerk.say("next"), "00 0000");
        assert_eq!(clerk.status("lock 5"), "00");
        assert_eq!(clerk.status("next"), "00");
    }
    for clerk in [changes, reads, cr] {
        clerk.stop();
    }
}

/// SORT takes any status for the end of a file.
#[test]
fn sort_reads_all_of_a_file_or_says_that_it_has_not() {
    let sorts = |record: &str| {
        format!(
            "IDENTIFICATION DIVISION. PROGRAM-ID. SORTS.\nENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.\n\
             SELECT F ASSIGN \"STOCK\" ORGANIZATION INDEXED ACCESS SEQUENTIAL RECORD KEY K FILE STATUS FS.\n\
             SELECT S ASSIGN \"WORK\". SELECT G ASSIGN \"OUT\" ORGANIZATION LINE SEQUENTIAL.\n\
             DATA DIVISION. FILE SECTION.\nFD F. 01 R. 02 K PIC 9(4). 02 D PIC {record}.\n\
             SD S. 01 SR. 02 SK PIC 9(4). 02 SN PIC 9(4).\nFD G. 01 GR PIC X(8).\n\
             WORKING-STORAGE SECTION. 01 FS PIC XX.\nPROCEDURE DIVISION.\n\
             SORT S DESCENDING KEY SK USING F GIVING G DISPLAY SORT-RETURN STOP RUN.\n"
        )
    };
    let shop = Shop::new("share-sort");
    let run = |program: &Path| {
        let mut command = shop.place.command(program);
        shared(&mut command)
            .env("CICA_MESSAGES", "E")
            .env("DD_OUT", shop.place.0.join("out"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut holds = shop.clerk(&[]);
    assert_eq!(
        (holds.status("open"), holds.status("lock 3")),
        ("00".into(), "00".into())
    );
    assert_eq!(holds.status("set 9"), "00");
    let sorting = run(&shop.place.compile("sorts", &sorts("9(4)")));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(holds.status("commit"), "00");
    let out = sorting.wait_with_output().unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(
        said(&out.stdout).trim().trim_start_matches('+'),
        "000000000",
        "{}",
        said(&out.stderr)
    );
    let sorted = std::fs::read_to_string(shop.place.0.join("out")).unwrap();
    assert!(sorted.lines().count() == 50 && sorted.contains("00030009"), "{sorted}");
    // Its FD is not the data set's: nothing is read.
    let out = run(&shop.place.compile("sorts", &sorts("9(7)")))
        .wait_with_output()
        .unwrap();
    assert_eq!(said(&out.stdout).trim().trim_start_matches('+'), "000000016");
    assert!(
        said(&out.stderr).contains("CICA1229E FILE F: STATUS 39"),
        "{}",
        said(&out.stderr)
    );
    holds.stop();
}

#[test]
fn who_wants_to_know_is_told_who_has_a_record() {
    let shop = Shop::new("share-told");
    let mut holds = shop.clerk(&[]);
    assert_eq!(
        (holds.status("open"), holds.status("lock 3")),
        ("00".into(), "00".into())
    );
    let told = |level: &str| {
        let mut command = shop.place.command(&shop.clerk);
        shared(&mut command).env("CICA_MESSAGES", level);
        let clerk = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut clerk = clerk.unwrap();
        clerk.stdin.take().unwrap().write_all(b"open\nlock 3\nstop\n").unwrap();
        let out = clerk.wait_with_output().unwrap();
        assert!(String::from_utf8_lossy(&out.stdout).contains("51"), "{out:?}");
        String::from_utf8_lossy(&out.stderr).into_owned()
    };
    let holder = format!("process {} (clerk)", holds.child.id());
    let shown = told("I");
    assert!(shown.contains("CICA1230I") && shown.contains(&holder), "{shown}");
    assert!(!told("W").contains("CICA1230I"));
    holds.stop();
}

/// A file without LOCK MODE, twice, and another beside it; and what is done with them.
fn unsaid(does: &str) -> String {
    format!(
        "IDENTIFICATION DIVISION. PROGRAM-ID. UNSAID.\nENVIRONMENT DIVISION. INPUT-OUTPUT SECTION. FILE-CONTROL.\n\
         SELECT F ASSIGN \"STOCK\" ORGANIZATION INDEXED ACCESS RANDOM RECORD KEY K FILE STATUS FS.\n\
         SELECT G ASSIGN \"STOCK\" ORGANIZATION INDEXED ACCESS RANDOM RECORD KEY GK FILE STATUS FS.\n\
         DATA DIVISION. FILE SECTION.\nFD F. 01 R. 02 K PIC 9(4). 02 D PIC 9(4).\n\
         FD G. 01 GR. 02 GK PIC 9(4). 02 GD PIC 9(4).\n\
         WORKING-STORAGE SECTION. 01 FS PIC XX. 01 I PIC 9(4). 01 ANSWERED PIC X.\nPROCEDURE DIVISION.\n\
         {does} DISPLAY \"DONE \" FS. ACCEPT ANSWERED. STOP RUN.\n"
    )
}

#[test]
fn what_a_program_changes_without_a_word_of_locks_is_free_when_it_is_changed() {
    let shop = Shop::new("share-freed");
    let transfer = "OPEN I-O F MOVE 1 TO K READ F MOVE 2 TO K READ F\n\
                    MOVE 1 TO K MOVE 7 TO D REWRITE R DISPLAY FS MOVE 2 TO K REWRITE R DISPLAY FS\n\
                    MOVE 3 TO K READ F MOVE 4 TO K DELETE F";
    let mut other = shop.clerk(&[]);
    assert_eq!(other.status("open"), "00");
    let mut program = shop.start(
        &shop.place.compile("transfer", &unsaid(transfer)),
        &[("CICA_UNITS", "off")],
    );
    assert_eq!(
        [program.answer(), program.answer(), program.answer()],
        ["00", "00", "DONE 00"]
    );
    assert_eq!(["lock 1", "lock 2", "lock 3"].map(|what| other.status(what)), ["00"; 3]);
    program.tell("");
    program.child.wait().unwrap();
    other.stop();
}

#[test]
fn two_files_of_one_program_that_say_nothing_of_locks_do_not_meet() {
    let shop = Shop::new("share-own");
    let both = "OPEN I-O F MOVE 1 TO K READ F OPEN INPUT G MOVE 1 TO GK READ G DISPLAY FS CLOSE G\n\
                OPEN I-O G READ G DISPLAY FS READ F";
    let begun = Instant::now();
    let mut program = shop.start(&shop.place.compile("both", &unsaid(both)), &[]);
    assert_eq!(
        [program.answer(), program.answer(), program.answer()],
        ["00", "00", "DONE 00"]
    );
    assert!(begun.elapsed() < Duration::from_secs(20), "it waits for itself");
    program.tell("");
    program.child.wait().unwrap();
}

#[test]
fn a_record_that_is_kept_without_a_word_does_not_put_commits_off_for_ever() {
    let shop = Shop::new("share-kept");
    let batch = "OPEN I-O F MOVE 50 TO K READ F\n\
                 PERFORM VARYING I FROM 1 BY 1 UNTIL I > 12 MOVE I TO K MOVE 7 TO D REWRITE R END-PERFORM";
    let mut other = shop.clerk(&[]);
    assert_eq!(other.status("open"), "00");
    let batch = shop.place.compile("batch", &unsaid(batch));
    let mut program = shop.start(&batch, &[("CICA_UNITS", "auto(5,3600)")]);
    assert_eq!(program.answer(), "DONE 00");
    // Ten changes, and not all twelve.
    assert_eq!(
        (other.status("lock 1"), other.status("lock 12")),
        ("00".into(), "51".into())
    );
    program.tell("");
    program.child.wait().unwrap();
    other.stop();
}

#[test]
fn a_program_reads_what_its_own_unit_has_changed() {
    WAYS.into_iter()
        .for_each(a_program_reads_what_its_own_unit_has_changed_by);
}

fn a_program_reads_what_its_own_unit_has_changed_by(way: Way) {
    let shop = Shop::by(way, "share-own");
    let mut one = shop.clerk(&[]);
    let begun = Instant::now();
    assert_eq!((one.status("open"), one.status("read 5")), ("00".into(), "00".into()));
    assert_eq!(one.say("set 9"), "00 0009");
    assert_eq!(
        (one.status("delete 6"), one.status("close")),
        ("00".into(), "00".into())
    );
    // The file is open for input now, and the unit has not ended.
    assert_eq!(
        (one.status("input"), one.say("read 5")),
        ("00".into(), "00 0009".into())
    );
    assert_eq!(
        (one.status("start 4"), one.say("next")),
        ("00".into(), "00 0000".into())
    );
    assert_eq!((one.say("next"), one.status("read 6")), ("00 0009".into(), "23".into()));
    assert_eq!(
        (one.status("start 5"), one.say("next")),
        ("00".into(), "00 0009".into())
    );
    assert_eq!(one.status("close"), "00");
    if way == Way::Interposed {
        assert_eq!(one.say("most"), "00 0009");
    }
    // The other way round: it is open for input already.
    assert_eq!(one.status("rollback"), "00");
    one.stop();
    let mut one = shop.clerk(&[]);
    assert_eq!((one.status("input"), one.status("l-open")), ("00".into(), "00".into()));
    assert_eq!(
        (one.say("l-read 5"), one.status("l-set 8")),
        ("00 0000".into(), "00".into())
    );
    assert_eq!(
        (one.say("read 5"), one.say("start 5")),
        ("00 0008".into(), "00 0008".into())
    );
    assert_eq!(one.say("next"), "00 0008");
    // And it was read before the other was opened.
    one.stop();
    let mut one = shop.clerk(&[]);
    assert_eq!(
        (one.status("input"), one.say("read 3")),
        ("00".into(), "00 0000".into())
    );
    assert_eq!(
        (one.status("l-open"), one.status("l-read 5")),
        ("00".into(), "00".into())
    );
    assert_eq!(one.status("l-set 7"), "00");
    assert_eq!(
        (one.say("next"), one.say("read 5")),
        ("00 0000".into(), "00 0007".into())
    );
    assert_eq!(
        (one.status("start 4"), one.say("next")),
        ("00".into(), "00 0000".into())
    );
    assert_eq!(one.say("next"), "00 0007");
    // Another program still meets what is not committed.
    let mut two = shop.clerk(&[]);
    assert_eq!(
        (two.status("input"), two.status("ignore 5")),
        ("00".into(), "00".into())
    );
    assert!(begun.elapsed() < Duration::from_secs(30), "it has waited for itself");
    one.stop();
    two.stop();
}
