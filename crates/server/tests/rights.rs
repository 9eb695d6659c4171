//! Who may come, and with what: a descriptor that was opened for nothing, a client that is to be alone, one that has
//! not heard of RLSQUIESCE, and a user who starts the next owner.
#![allow(clippy::unwrap_used)]

mod common;

use cica_admin::alter::Alter;
use cica_admin::stated::Stated;
use cica_admin::Services;
use cica_session::Sharing;
use cica_share::words::{Answer, Ask, Opening};
use cica_share::Client;
use common::Catalog;
use rustix::fs::{Mode, OFlags};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::PermissionsExt;

fn stop(catalog: &Catalog) {
    let client = Client::connect(&catalog.socket(), "stop").unwrap();
    client.tell(&Ask::Stop { drain: false }).unwrap();
}

/// The client's number of a data set, or why it has none.
fn opened(client: &Client, alone: bool, output: bool, file: BorrowedFd<'_>) -> Result<u32, u8> {
    let how = Opening {
        output,
        reset: false,
        reset_anyway: false,
        alone,
        durability: 1,
    };
    let (name, through) = ("A", "");
    let opened = client.ask_with(&Ask::Open { name, through, how }, Some(file), |answer| match answer {
        Answer::Opened(opened) => Ok(Ok(opened.set)),
        Answer::NotOpened { reason, .. } => Ok(Err(reason)),
        other => panic!("{other:?}"),
    });
    opened.unwrap()
}

#[test]
fn a_descriptor_that_only_names_the_file_gives_no_right() {
    let catalog = Catalog::new("names-only");
    catalog.define("A");
    let serving = catalog.serve();
    let client = Client::connect(&catalog.socket(), "test").unwrap();
    let data = catalog.data("A");
    for (how, input, output) in [
        (OFlags::PATH, Err(152), Err(152)),
        (OFlags::WRONLY, Err(152), Err(152)),
        (OFlags::RDWR, Ok(()), Ok(())),
    ] {
        let file = rustix::fs::open(&data, how | OFlags::CLOEXEC, Mode::empty()).unwrap();
        for (for_output, expected) in [(false, input), (true, output)] {
            let set = opened(&client, false, for_output, file.as_fd());
            // A data set that was never loaded is not read: that comes behind the rights.
            let allowed = match set {
                Err(160) if !for_output => Ok(()),
                set => set.map(drop),
            };
            assert_eq!(allowed, expected, "{how:?}, for output: {for_output}");
        }
    }
    drop(client);
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

#[test]
fn who_is_alone_twice_is_alone_until_both_are_closed() {
    let catalog = Catalog::new("alone-twice");
    catalog.define("A");
    let serving = catalog.serve();
    let (one, other) = (
        Client::connect(&catalog.socket(), "one").unwrap(),
        Client::connect(&catalog.socket(), "other").unwrap(),
    );
    let file = cica_share::rights(&catalog.data("A"), true).unwrap();
    let close = |set| one.ask(&Ask::Close { set }, |_| Ok(())).unwrap();
    let sets = [(); 2].map(|()| opened(&one, true, true, file.as_fd()).unwrap());
    let third = opened(&one, false, true, file.as_fd()).unwrap();
    for set in sets {
        assert_eq!(opened(&other, false, true, file.as_fd()), Err(168), "{set}");
        close(set);
    }
    // What it has open beside does not ask to be alone.
    opened(&other, false, true, file.as_fd()).unwrap();
    close(third);
    drop((one, other));
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

/// A client asks its catalog before the owner is started, and the data set may be altered meanwhile.
#[test]
fn an_owner_shares_no_data_set_that_was_quiesced_meanwhile() {
    let catalog = Catalog::new("quiesced");
    catalog.define("A");
    let serving = catalog.serve();
    let client = Client::connect(&catalog.socket(), "test").unwrap();
    let (file, reads) = (
        cica_share::rights(&catalog.data("A"), true).unwrap(),
        cica_share::rights(&catalog.data("A"), false).unwrap(),
    );
    let session = catalog.session(Sharing::Off);
    let alter = |keyword| {
        let mut services = Services::of(&session);
        let stated = Stated {
            other: vec![(keyword, String::new())],
            ..Stated::default()
        };
        let altered = services.alter(&Alter {
            entry: "A".into(),
            stated,
            ..Alter::default()
        });
        assert_eq!(altered.condition, 0, "{altered:?}");
    };
    let close = |set| client.ask(&Ask::Close { set }, |_| Ok(())).unwrap();
    let loads = opened(&client, false, true, file.as_fd()).unwrap();
    let end = Ask::Whole { set: loads, what: 0 };
    client.tell(&end).unwrap();
    close(loads);
    alter("RLSQUIESCE");
    assert_eq!(opened(&client, false, true, file.as_fd()), Err(168));
    assert_eq!(opened(&client, false, false, reads.as_fd()), Err(168));
    alter("RLSENABLE");
    let set = opened(&client, false, true, file.as_fd()).unwrap();
    alter("RLSQUIESCE");
    // Who has it goes on; others may look at it meanwhile, as EXAMINE does.
    assert_eq!(opened(&client, false, true, file.as_fd()), Err(168));
    close(opened(&client, false, false, reads.as_fd()).unwrap());
    close(set);
    assert_eq!(opened(&client, false, false, reads.as_fd()), Err(168));
    drop((client, session));
    stop(&catalog);
    serving.join().unwrap().unwrap();
}

#[test]
fn whoever_may_use_the_catalog_may_start_the_next_owner() {
    let catalog = Catalog::new("next-owner");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    std::fs::set_permissions(&catalog.directory, std::fs::Permissions::from_mode(0o2770)).unwrap();
    let before = rustix::process::umask(Mode::from_raw_mode(0o022));
    let serving = catalog.serve();
    rustix::process::umask(before);
    let share = catalog.directory.join("share");
    assert_eq!(mode(&share), 0o2770);
    assert_eq!(mode(&share.join("lock")), 0o660);
    assert_eq!(mode(&catalog.socket()), 0o660);
    stop(&catalog);
    serving.join().unwrap().unwrap();

    // What somebody has set himself stays.
    std::fs::set_permissions(&share, std::fs::Permissions::from_mode(0o2750)).unwrap();
    let serving = catalog.serve();
    assert_eq!(mode(&share), 0o2750);
    stop(&catalog);
    serving.join().unwrap().unwrap();
}
