//! Everything that a client asks an owner, once. Over a good owner it makes the messages that others change; over an
//! owner that answers anything each request must come back all the same.

use super::stage::{opened, record, units};
use cica_engine::{Argument, Insert, Intent, LockMode, Patience, ReadIntegrity, RequestError, Search, Str};
use cica_share::figures::{bound, CLASSES};
use cica_share::words::{Answer, Ask, Status};
use cica_share::Client;
use std::sync::Arc;
use std::time::Duration;

/// Asks for everything, of a data set; how much was answered.
pub fn tour(client: &Arc<Client>, set: usize) -> usize {
    let mut answered = 0;
    let mut count = |done: bool| answered += usize::from(done);
    count(asks_alone(client));
    let Ok(data_set) = opened(client, set) else {
        return answered;
    };
    let unit = units().unit();
    let mut string = data_set.string();
    count(requests(&mut string, 40));
    let mut within = data_set.string_in(&unit);
    count(requests(&mut within, 50));
    // With a unit under way there is something to be taken back in the trees.
    if let Ok(pin) = data_set.pin() {
        count(pin.holds().is_ok());
        let all: usize = pin.trees().iter().map(|tree| tree.undo.len()).sum();
        count(all < 64 << 20);
    }
    count(unit.changes() > 0);
    count(unit.backout().is_ok());
    count(within.insert(&record(61, 1), Insert::Skip).is_ok());
    count(unit.commit().is_ok());
    let mut together = data_set.string_with(&mut string);
    count(together.get(b"0002", Search::Equal, Intent::Update).is_ok());
    drop(together);
    count(data_set.end_load().is_ok() & data_set.commit().is_ok() & data_set.checkpoint().is_ok());
    count(data_set.examine().is_ok());
    let facts = data_set.facts();
    count(facts.levels > 0);
    count(status(client).is_ok());
    drop((string, within));
    count(data_set.close().is_ok());
    answered
}

/// What is asked without a data set, and what is refused.
fn asks_alone(client: &Client) -> bool {
    let (stop, shunted) = (Ask::Stop { drain: true }, Ask::Shunted { unit: 1, give_up: true });
    let refused = [stop, shunted, Ask::Close { set: 77 }].map(|ask| client.tell(&ask).is_err());
    refused.iter().all(|refused| *refused)
}

/// What the owner has, as a command looks at it.
pub fn status(client: &Client) -> Result<Box<Status>, RequestError> {
    let status = client.ask(&Ask::Status, |answer| match answer {
        Answer::Status(status) => Ok(status),
        _ => Err(RequestError::NoPosition),
    })?;
    for sums in status.clients.iter().map(|client| &client.sums).chain([&status.sums]) {
        for thousandths in [500, 990, 1000] {
            assert!(sums
                .within(thousandths)
                .is_none_or(|class| class < CLASSES && bound(class) != Some(0)));
        }
    }
    Ok(status)
}

fn requests(string: &mut Str, base: u32) -> bool {
    let mut right = 0;
    let mut done = |done: bool| right += u32::from(done);
    string.set_patience(Patience::Until(Duration::from_millis(1)));
    for key in base..base + 4 {
        done(string.insert(&record(key, key), Insert::Direct).is_ok());
    }
    done(string.rewrite(b"0002", &record(2, base)).is_ok());
    done(string.get(Argument::Rba(0), Search::Equal, Intent::Read).is_ok());
    done(string.get(b"0004", Search::GreaterOrEqual, Intent::Update).is_ok());
    done(string.update(&record(4, base)).is_ok());
    let gone = format!("{base:04}");
    done(string.get(gone.as_bytes(), Search::Equal, Intent::Update).is_ok());
    done(string.erase().is_ok());
    done(string.skip(b"0008", Search::GreaterOrEqual, Intent::Read).is_ok());
    for integrity in [ReadIntegrity::None, ReadIntegrity::Consistent, ReadIntegrity::Locked] {
        string.set_integrity(integrity);
        done(string.point_first().is_ok());
        // As many as there are, and not as many as an owner likes to send.
        for _ in 0..100 {
            match string.next(Intent::Read) {
                Ok(record) => done(record.bytes.len() < 1 << 30),
                Err(_) => break,
            }
        }
        done(string.point_last().is_ok() & string.prev(Intent::Read).is_ok());
        done(string.point_backward(b"0006", Search::Equal).is_ok());
        done(string.next(Intent::Update).is_ok());
    }
    string.set_integrity(ReadIntegrity::None);
    done(string.lock(b"0009", LockMode::Exclusive, Patience::None).is_ok());
    string.unlock(b"0009");
    done(string.get(b"9999", Search::Equal, Intent::Read).is_err());
    done(string.insert(b"short", Insert::Direct).is_err());
    string.mirror_duplicates();
    string.stay();
    if let Ok(image) = string.get_interval(0, Intent::Update).map(|image| image.bytes.to_vec()) {
        done(string.put_interval(&image).is_ok());
    }
    done(string.read_range(0, &mut [0; 100]).is_err());
    done(string.write_range(0, &[0; 100]).is_err());
    string.end();
    right > 0
}
