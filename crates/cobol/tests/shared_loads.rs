//! A shared file without records: what its first WRITE leaves as OPEN made it, the unit of recovery and who keeps
//! others away.
#![allow(clippy::unwrap_used)]

mod common;

use common::{library, Workplace};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const CLERK: &str = include_str!("programs/clerk.cob");

/// More that it can be told.
const MORE: &str = "WHEN \"make-alone\" OPEN OUTPUT SHARING WITH NO OTHER F\n\
                    WHEN \"load-open\" OPEN OUTPUT F\n\
                    WHEN \"slot-load\" OPEN OUTPUT O\n\
                    WHEN \"slot-put\" MOVE ARG TO N MOVE ARG TO SLOT WRITE SLOT\n\
                    WHEN \"slot-stop\"";

/// A workplace with the program, whose files are shared and were never loaded.
struct Shop {
    place: Workplace,
    clerk: PathBuf,
    is_indexed: bool,
}

/// A program that is told what to do.
struct Clerk {
    child: Child,
    says: BufReader<ChildStdout>,
}

impl Shop {
    fn new(name: &str) -> Shop {
        Shop::of(name, CLERK)
    }

    /// With an alternate key, of which all records have the same.
    fn indexed(name: &str) -> Shop {
        let key = "RECORD KEY K LOCK MODE MANUAL";
        let with = "RECORD KEY K ALTERNATE RECORD KEY D WITH DUPLICATES LOCK MODE MANUAL";
        Shop::of(name, &CLERK.replacen(key, with, 1))
    }

    fn of(name: &str, source: &str) -> Shop {
        let place = Workplace::with_catalog(name);
        let clerk = place.compile("clerk", &source.replace("WHEN \"slot-stop\"", MORE));
        let is_indexed = source != CLERK;
        let shop = Shop {
            place,
            clerk,
            is_indexed,
        };
        let mut maker = shop.clerk();
        assert_eq!((maker.status("load 0"), maker.status("slots 0")), ok());
        maker.stop();
        shop
    }

    fn clerk(&self) -> Clerk {
        self.clerk_where("on")
    }

    /// One that shares its files, or does not.
    fn clerk_where(&self, share: &str) -> Clerk {
        let mut child = self
            .place
            .command(&self.clerk)
            .env("CICA_SHARE", share)
            .env("CICA_SERVER", server())
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

impl Clerk {
    /// Status and number in stock.
    fn say(&mut self, what: &str) -> String {
        let to = self.child.stdin.as_mut().unwrap();
        to.write_all(format!("{what}\n").as_bytes()).unwrap();
        to.flush().unwrap();
        let mut line = String::new();
        self.says.read_line(&mut line).unwrap();
        line.trim_end().into()
    }

    /// The status alone.
    fn status(&mut self, what: &str) -> String {
        self.say(what)[..2].into()
    }

    fn stop(mut self) {
        self.child.stdin.as_mut().unwrap().write_all(b"stop\n").unwrap();
        assert!(self.child.wait().unwrap().success());
    }
}

fn ok() -> (String, String) {
    ("00".into(), "00".into())
}

/// The command that serves, which cargo puts beside the directory of this program.
fn server() -> PathBuf {
    let server = library().parent().unwrap().with_file_name("cica");
    assert!(server.exists(), "{}: cargo build -p cica-cli", server.display());
    server
}

#[test]
fn rollback_takes_back_what_came_after_the_first_write_into_an_empty_file() {
    let shop = Shop::new("loads-unit");
    let mut one = shop.clerk();
    // It finds nothing, so that there is no position.
    assert_eq!((one.status("open"), one.status("read 1")), ("00".into(), "23".into()));
    assert_eq!((one.status("write 1"), one.status("write 2")), ok());
    assert_eq!(
        (one.say("set 9"), one.status("rollback")),
        ("00 0009".into(), "00".into())
    );
    assert_eq!((one.status("read 1"), one.status("read 2")), ("23".into(), "23".into()));
    assert_eq!((one.status("write 3"), one.status("commit")), ok());
    assert_eq!((one.status("write 4"), one.status("rollback")), ok());
    assert_eq!(
        (one.say("read 3"), one.status("read 4")),
        ("00 0007".into(), "23".into())
    );
    // The same by number.
    assert_eq!(
        (one.status("slot-open"), one.status("slot-read 1")),
        ("00".into(), "23".into())
    );
    assert_eq!((one.status("slot-put 1"), one.status("slot-put 2")), ok());
    assert_eq!(one.status("rollback"), "00");
    assert_eq!(
        (one.status("slot-read 1"), one.status("slot-read 2")),
        ("23".into(), "23".into())
    );
    one.stop();
}

/// The first record is loaded outside the unit, and the alternate index is built behind it. What follows is in the
/// unit, and the locks are those of a shared file.
#[test]
fn with_an_alternate_key_all_but_the_first_record_goes_back() {
    let shop = Shop::indexed("loads-indexed");
    let mut one = shop.clerk();
    assert_eq!((one.status("open"), one.status("read 1")), ("00".into(), "23".into()));
    assert_eq!(
        (one.status("write 1"), one.status("write 2")),
        ("00".into(), "02".into())
    );
    assert_eq!(one.status("rollback"), "00");
    assert_eq!(
        (one.say("read 1"), one.status("read 2")),
        ("00 0007".into(), "23".into())
    );
    let mut two = shop.clerk();
    assert_eq!((two.status("open"), one.status("lock 1")), ok());
    assert_eq!(two.status("lock 1"), "51");
    assert_eq!((one.status("unlock"), two.status("lock 1")), ok());
    one.stop();
    two.stop();
}

#[test]
fn who_has_an_empty_file_for_himself_has_it_so_after_the_first_write() {
    for (way, keys) in [("open-alone", [1, 2]), ("with-lock", [1, 2]), ("make-alone", [2, 1])] {
        let shop = Shop::new(&format!("loads-{way}"));
        alone(&shop, way, keys, "00");
    }
    let shop = Shop::indexed("loads-alone-indexed");
    alone(&shop, "open-alone", [1, 2], "02");
}

/// Another program is kept away until CLOSE. `second` is the status of the second WRITE.
fn alone(shop: &Shop, way: &str, keys: [u32; 2], second: &str) {
    let (mut one, mut two) = (shop.clerk(), shop.clerk());
    assert_eq!(one.status(way), "00", "{way}");
    assert_eq!(one.status(&format!("write {}", keys[0])), "00", "{way}");
    // The load ends with the first record, or with one that is out of order.
    assert_eq!(one.status(&format!("write {}", keys[1])), second, "{way}");
    assert_eq!(
        (two.status("open"), two.status("input")),
        ("61".into(), "61".into()),
        "{way}"
    );
    // What is closed belongs to the unit still.
    assert_eq!((one.status("commit"), one.status("close")), ok(), "{way}");
    assert_eq!(two.status("open"), "00", "{way}");
    assert_eq!(
        (two.say("read 1"), two.say("read 2")),
        ("00 0007".into(), "00 0007".into()),
        "{way}"
    );
    one.stop();
    two.stop();
}

/// There is nothing to read, and who has it so is known all the same.
#[test]
fn who_has_an_empty_file_for_input_for_himself_has_it_so() {
    for shop in [Shop::new("empty-alone"), Shop::indexed("empty-alone-indexed")] {
        for share in ["on", "off"] {
            let (mut one, mut two) = (shop.clerk_where(share), shop.clerk_where(share));
            for (way, back) in [("alone-in", "close"), ("x-input", "x-close")] {
                if way == "x-input" && shop.is_indexed {
                    // Its FD has no alternate key.
                    continue;
                }
                assert_eq!(one.status(way), "00", "{way} {share}");
                for other in ["input", "open", "alone-in", "with-lock", "load-open"] {
                    assert_eq!(two.status(other), "61", "{other} beside {way}, {share}");
                }
                assert_eq!(one.status(back), "00", "{way} {share}");
                assert_eq!(
                    (two.status("input"), one.status(way)),
                    ("00".into(), "61".into()),
                    "{way} {share}"
                );
                // It is refused to nobody else.
                assert_eq!((one.status("input"), one.status("close")), ok(), "{way} {share}");
                assert_eq!((two.status("close"), one.status(way)), ok(), "{way} {share}");
                assert_eq!(one.status(back), "00", "{way} {share}");
            }
            one.stop();
            two.stop();
        }
    }
}

/// Readers go beside readers, whether they share or not, in any order.
#[test]
fn readers_of_an_empty_file_stay_beside_those_who_do_not_share() {
    let shop = Shop::new("empty-readers");
    let (mut plain, mut sharing) = (shop.clerk_where("off"), shop.clerk_where("on"));
    assert_eq!((plain.status("input"), sharing.status("input")), ok());
    assert_eq!(sharing.status("close"), "00");
    // He who keeps others away is refused beside either.
    assert_eq!(sharing.status("alone-in"), "61");
    assert_eq!(sharing.status("open"), "61");
    assert_eq!((sharing.status("input"), plain.status("close")), ok());
    assert_eq!((plain.status("input"), plain.status("close")), ok());
    assert_eq!(plain.status("alone-in"), "61");
    assert_eq!(sharing.status("close"), "00");
    plain.stop();
    sharing.stop();
}

/// A sequential file has one more way to say it, and no way to lock a record.
#[test]
fn who_has_an_empty_sequential_file_for_himself_has_it_so() {
    let source = CLERK
        .replace(
            "SELECT S ASSIGN",
            "SELECT Q ASSIGN \"JOURNAL\" ORGANIZATION SEQUENTIAL FILE STATUS FS.\nSELECT S ASSIGN",
        )
        .replace("SD S.", "FD Q.\n01 QR PIC X(8).\nSD S.")
        .replace(
            "WHEN \"slots\"",
            "WHEN \"q-alone\" OPEN INPUT SHARING WITH NO OTHER Q\nWHEN \"q-lock\" OPEN INPUT Q WITH LOCK\n\
             WHEN \"q-input\" OPEN INPUT Q\nWHEN \"q-extend\" OPEN EXTEND Q\nWHEN \"q-close\" CLOSE Q\nWHEN \"slots\"",
        );
    let shop = Shop::of("empty-sequential", &source);
    let mut define = Command::new(server());
    let mut define = define
        .arg("--catalog")
        .arg(shop.place.catalog())
        .arg("idcams")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let card = b" DEFINE CLUSTER (NAME(JOURNAL) NONINDEXED -\n  RECORDSIZE(8 8) TRACKS(1) REUSE)\n";
    define.stdin.take().unwrap().write_all(card).unwrap();
    assert!(define.wait().unwrap().success());
    for share in ["on", "off"] {
        let (mut one, mut two) = (shop.clerk_where(share), shop.clerk_where(share));
        for way in ["q-alone", "q-lock"] {
            assert_eq!(one.status(way), "00", "{way} {share}");
            for other in ["q-input", "q-extend", "q-alone", "q-lock"] {
                assert_eq!(two.status(other), "61", "{other} beside {way}, {share}");
            }
            assert_eq!((one.status("q-close"), two.status("q-input")), ok(), "{way} {share}");
            assert_eq!(one.status(way), "61", "{way} {share}");
            assert_eq!((one.status("q-input"), one.status("q-close")), ok(), "{way} {share}");
            assert_eq!(two.status("q-close"), "00", "{way} {share}");
        }
        one.stop();
        two.stop();
    }
}

/// Who reads an empty file that is shared goes on with that, and others put records into it. To load it anew they wait
/// for him, as with one that has records.
#[test]
fn who_reads_an_empty_file_keeps_nobody_from_changing_it() {
    let shop = Shop::new("empty-read");
    let (mut one, mut two) = (shop.clerk(), shop.clerk());
    assert_eq!((one.status("input"), one.status("next")), ("00".into(), "10".into()));
    assert_eq!(two.status("load-open"), "61");
    assert_eq!((two.status("open"), two.status("write 1")), ok());
    assert_eq!((two.status("commit"), two.status("close")), ok());
    assert_eq!(two.status("load-open"), "61");
    // Another file of the same program as well.
    assert_eq!(
        (one.status("l-open"), one.say("l-read 1")),
        ("00".into(), "00 0007".into())
    );
    assert_eq!((one.status("l-close"), one.status("close")), ok());
    assert_eq!(
        (one.status("input"), one.say("read 1")),
        ("00".into(), "00 0007".into())
    );
    assert_eq!((one.status("close"), two.status("load-open")), ok());
    assert_eq!(two.status("close"), "00");
    // A reader that is killed has nothing any more.
    let mut gone = shop.clerk();
    assert_eq!(gone.status("alone-in"), "00");
    gone.child.kill().unwrap();
    gone.child.wait().unwrap();
    // Its owner hears of it soon.
    let until = Instant::now() + Duration::from_secs(60);
    let mut opened = one.status("input");
    while opened == "61" && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
        opened = one.status("input");
    }
    assert_eq!((opened, one.status("close")), ok());
    one.stop();
    two.stop();
}

/// What is being loaded nobody reads for an empty file, and nobody puts records into.
#[test]
fn a_file_that_is_being_loaded_is_in_use() {
    let shop = Shop::new("loads-seen");
    for (load, write, open) in [("load-open", "write", "input"), ("slot-load", "slot-put", "slot-open")] {
        let (mut one, mut two) = (shop.clerk(), shop.clerk());
        assert_eq!((one.status(load), one.status(&format!("{write} 1"))), ok(), "{load}");
        assert_eq!(two.status(open), "61", "{load}");
        let close = if load == "load-open" { "close" } else { "slot-stop" };
        assert_eq!((one.status("commit"), one.status(close)), ok(), "{load}");
        assert_eq!(two.status(open), "00", "{load}");
        one.stop();
        two.stop();
    }
}
