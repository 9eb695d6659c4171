//! Messages between clients and an owner of shared data sets, from anybody.
//!
//! ```text
//! wire     connections in memory      stage   a catalog, an owner        script  several messages in one input
//! tour     all that a client asks     honest  a client with a model      play    somebody hostile beside it
//! ```
//! The first byte of an input says what the others are: a request, an answer, bytes of a connection, what a hostile
//! client sends to an owner, or what a hostile owner answers to a client.

mod honest;
mod play;
mod script;
mod stage;
mod tour;
mod wire;

use cica_disk::{FilledArea, SeenArea};
use cica_engine::{Insert, Intent, RequestError, Search};
use cica_share::batch::Batch;
use cica_share::figures::{Sums, CLASSES};
use cica_share::words::{parse, Answer, Ask, By, How, Opening, Status, AREA, LONGEST};
use cica_share::{Client, Dial, Line, Refusal, Wire};
use script::{push, Lines};
use stage::{client, owner};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex};
use tour::tour;
use wire::locked;

/// Bytes of a message's length and number.
const HEAD: usize = 8;

/// The target.
pub fn messages(bytes: &[u8]) {
    let Some((what, rest)) = bytes.split_first() else {
        return;
    };
    match what % 5 {
        0 => same(rest, |bytes| postcard::to_allocvec(&parse::<Ask<'_>>(bytes).ok()?).ok()),
        1 => {
            same(rest, |bytes| {
                postcard::to_allocvec(&parse::<Answer<'_>>(bytes).ok()?).ok()
            });
            let answer: io::Result<Answer<'_>> = parse(rest);
            answer.into_iter().for_each(shown);
        }
        2 => connection(rest),
        3 => drop(play::hostile_client(rest)),
        _ => hostile_owner(rest),
    }
}

/// Reads a message and writes it again.
type Rewritten = fn(&[u8]) -> Option<Vec<u8>>;

/// What is a message is written as the same message, in as few bytes as there are for it.
fn same(bytes: &[u8], rewritten: Rewritten) {
    let Some(again) = rewritten(bytes) else { return };
    if again.len() == bytes.len() {
        assert_eq!(again, bytes)
    } else {
        assert!(again.len() < bytes.len(), "{bytes:?} became {again:?}")
    }
    assert_eq!(rewritten(&again).as_ref(), Some(&again));
}

/// What a client does with an answer that it understands.
fn shown(answer: Answer<'_>) {
    let refused = |refusal: Refusal| {
        refusal.is_miss();
        let error = RequestError::from(refusal);
        let (words, feedback) = (error.to_string(), error.feedback());
        assert!(!words.is_empty() && feedback.return_code > 0);
    };
    match answer {
        Answer::Refused(refusal) => refused(refusal),
        Answer::Records(length, bytes, end) => {
            end.into_iter().for_each(refused);
            // The owner's memory says the same as its message.
            let mut filled = FilledArea::new(AREA).expect("memory");
            let room = bytes.len().min(AREA);
            assert!(filled.store(0, &bytes[..room]));
            let mut batch = Batch::default();
            batch.area = SeenArea::of(filled.descriptor(), AREA);
            batch.fill(0..length as usize, bytes);
            let mut all = 0;
            while batch.take(|| true) {
                all += batch.last().map_or(0, |record| record.bytes.len() + 16);
            }
            assert!(all <= bytes.len() + AREA);
        }
        Answer::Status(status) => {
            for sums in status.clients.iter().map(|client| &client.sums).chain([&status.sums]) {
                sums.within(500);
            }
        }
        _ => {}
    }
}

/// A connection on which these bytes come, in pieces.
struct Pieces {
    bytes: Vec<u8>,
    at: usize,
    most: usize,
}

impl Wire for Pieces {
    fn send(&mut self, _: &[u8], _: Option<BorrowedFd<'_>>) -> io::Result<()> {
        Ok(())
    }

    fn receive(&mut self, room: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
        let rest = &self.bytes[self.at..];
        let count = rest.len().min(room.len()).min(self.most);
        room[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok((count, None))
    }
}

/// Reads messages until the connection ends. Memory is taken for what has come, not for what a length says.
fn connection(bytes: &[u8]) {
    let most = 1 + usize::from(bytes.first().copied().unwrap_or(0));
    let pieces = Pieces {
        bytes: bytes.to_vec(),
        at: 0,
        most,
    };
    let (mut line, mut space, mut read) = (Line::new(Box::new(pieces)), Vec::new(), 0);
    while let Ok(Some(body)) = line.receive(&mut space) {
        read += body.len() + HEAD;
        drop((parse::<Ask<'_>>(body), parse::<Answer<'_>>(body)));
    }
    assert!(read <= bytes.len());
    let bound = (128 << 10).max(4 * bytes.len()).min(LONGEST + HEAD);
    assert!(
        space.capacity() <= bound,
        "{} bytes for {}",
        space.capacity(),
        bytes.len()
    );
}

/// An owner that answers what it likes, each answer framed as it should be.
struct Answering {
    answers: Arc<Mutex<Vec<Vec<u8>>>>,
    out: Vec<u8>,
    number: u32,
}

impl Wire for Answering {
    fn send(&mut self, _: &[u8], _: Option<BorrowedFd<'_>>) -> io::Result<()> {
        Ok(())
    }

    fn receive(&mut self, room: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
        if self.out.is_empty() {
            let Some(body) = locked(&self.answers).pop() else {
                return Ok((0, None));
            };
            self.number += 1;
            self.out.extend((body.len() as u32).to_le_bytes());
            self.out.extend(self.number.to_le_bytes());
            self.out.extend(body);
        }
        let count = self.out.len().min(room.len());
        room[..count].copy_from_slice(&self.out[..count]);
        self.out.drain(..count);
        Ok((count, None))
    }
}

/// Its connections have the answers one after another.
struct AnsweringDial(Arc<Mutex<Vec<Vec<u8>>>>);

impl Dial for AnsweringDial {
    fn dial(&self) -> io::Result<Box<dyn Wire>> {
        Ok(Box::new(Answering {
            answers: self.0.clone(),
            out: Vec::new(),
            number: 0,
        }))
    }
}

/// A client asks for everything, and is answered anything.
fn hostile_owner(script: &[u8]) {
    let mut answers: Vec<Vec<u8>> = Lines(script).map(|line| line.body.to_vec()).collect();
    answers.reverse();
    let dial = Box::new(AnsweringDial(Arc::new(Mutex::new(answers))));
    let clock = Arc::new(cica_disk::ManualClock::new(0, 1));
    if let Ok(client) = Client::over(dial, "fuzz", clock) {
        tour(&Arc::new(client), 0);
    }
}

/// Good messages: what a tour asks and is answered.
pub fn samples() -> Vec<Vec<u8>> {
    let net = owner();
    let honest = client(&net, 2).expect("the owner lets everybody in");
    let answered = tour(&honest, 1);
    assert!(answered > 10, "{answered} of the tour were answered");
    drop(honest);
    let net = locked(&net);
    let bodies = |messages: &[Vec<u8>]| -> Vec<Vec<u8>> {
        let body = |message: &Vec<u8>| message.get(HEAD..).map(<[u8]>::to_vec);
        messages.iter().filter_map(body).collect()
    };
    let (asks, answers) = (bodies(&net.asked), bodies(&net.answered));
    let mut samples = Vec::new();
    let with = |what: u8, bytes: &[u8]| [&[what], bytes].concat();
    samples.extend(asks.iter().map(|ask| with(0, ask)));
    samples.extend(answers.iter().chain(&others()).map(|answer| with(1, answer)));
    samples.push(with(2, &net.asked.concat()));
    samples.push(with(2, &net.answered.concat()));
    // Whole talks, more often than the rest: the greeting is made anyway, so the first message is left out.
    let (mut asked, mut said) = (Vec::new(), Vec::new());
    asks.iter().skip(1).for_each(|ask| push(&mut asked, 3, ask));
    answers.iter().for_each(|answer| push(&mut said, 0, answer));
    let first = asks.iter().skip(1).take(24);
    let mut short = Vec::new();
    first.for_each(|ask| push(&mut short, 3, ask));
    for (what, talk) in [(3, &asked), (3, &short), (3, &reading()), (4, &said)] {
        samples.extend((0..40).map(|_| with(what, talk)));
    }
    samples
}

/// Somebody asks for everything of the honest client's data set, which he may read.
fn reading() -> Vec<u8> {
    let how = How::get(Search::GreaterOrEqual, Intent::Update);
    let opening = |output, alone| Opening {
        output,
        reset: output,
        reset_anyway: output,
        alone,
        durability: 2,
    };
    let open = |output, alone| Ask::Open {
        name: stage::NAMES[0],
        through: "",
        how: opening(output, alone),
    };
    let (record, by) = (stage::record(5, 5), By::Key(b"0003"));
    let lock = |string, record, alone| Ask::Lock {
        string,
        record,
        alone,
        wait: 0,
    };
    // The numbers are those that an owner gives: 1 is the connection.
    let insert = |string| Ask::Insert {
        string,
        rrn: 0,
        how: How::insert(Insert::Direct),
        record: &record,
    };
    let asks = [
        open(false, false),
        Ask::String {
            set: 2,
            unit: 0,
            with: 0,
        },
        Ask::Unit,
        Ask::String {
            set: 2,
            unit: 4,
            with: 0,
        },
        Ask::Get { string: 3, by, how },
        insert(3),
        Ask::Erase { string: 3 },
        Ask::Integrity { string: 5, what: 3 },
        Ask::Get { string: 5, by, how },
        Ask::Step {
            string: 5,
            backward: false,
            how,
            batch: 0,
            into_area: false,
        },
        Ask::Area { string: 5 },
        Ask::Step {
            string: 5,
            backward: true,
            how,
            batch: u32::MAX,
            into_area: true,
        },
        Ask::Step {
            string: 5,
            backward: true,
            how,
            batch: u32::MAX,
            into_area: false,
        },
        insert(5),
        Ask::Update {
            string: 5,
            record: &record,
        },
        lock(3, b"0007", true),
        lock(3, b"0001", true),
        lock(3, b"0002", true),
        lock(3, b"0004", true),
        lock(3, b"0012", true),
        lock(5, b"0008", false),
        lock(5, b"0010", false),
        open(false, true),
        open(true, false),
        Ask::Whole { set: 2, what: 0 },
        Ask::Whole { set: 2, what: 1 },
        Ask::Whole { set: 2, what: 2 },
        Ask::Pin { set: 2, what: 0 },
        Ask::PinnedUndo {
            set: 2,
            tree: 0,
            from: 0,
        },
        Ask::Pin { set: 2, what: 1 },
        Ask::String {
            set: 2,
            unit: 0,
            with: 3,
        },
        Ask::Step {
            string: 6,
            backward: false,
            how,
            batch: 5,
            into_area: false,
        },
        Ask::Settle {
            string: 6,
            by,
            offset: 0,
        },
        Ask::Point {
            string: 6,
            by,
            how,
            backward: true,
        },
        Ask::GetInterval { string: 3, rba: 0, how },
        Ask::PutInterval {
            string: 3,
            image: &record,
        },
        Ask::WriteRange {
            string: 3,
            rba: 0,
            bytes: &record,
        },
        Ask::ReadRange {
            string: 3,
            rba: 0,
            length: u32::MAX,
        },
        Ask::Rewrite {
            string: 3,
            by,
            record: &record,
        },
        Ask::Manner { string: 3, what: 2 },
        Ask::Examine { set: 2 },
        Ask::Unlock {
            string: 3,
            record: b"0007",
        },
        Ask::Status,
        Ask::Shunted { unit: 1, give_up: true },
        Ask::Stop { drain: false },
        Ask::Pin { set: 2, what: 2 },
        Ask::Commit { unit: 4, durability: 2 },
        Ask::Backout { unit: 4 },
        Ask::DropUnit { unit: 4 },
        Ask::DropString { string: 5 },
        Ask::Close { set: 2 },
    ];
    let mut script = Vec::new();
    for ask in asks {
        push(&mut script, 1, &postcard::to_allocvec(&ask).unwrap_or_default());
    }
    script
}

/// Answers that no tour gets.
fn others() -> Vec<Vec<u8>> {
    let held = Refusal::Held(1, b"0001".to_vec(), Some("process 1 (x)".into()));
    let inner = Refusal::Alternate(1, "AIX".into(), Box::new(Refusal::Words(3, "options".into())));
    let sums = Sums {
        times: [u64::MAX; CLASSES],
        ..Sums::default()
    };
    let status = Status {
        process: 1,
        version: 1,
        seconds: u64::MAX,
        draining: true,
        pool: (1, 1),
        clients: vec![],
        unlisted_clients: 1,
        locks: vec![],
        unlisted: u64::MAX,
        shunted: vec![],
        data_sets: vec![],
        unlisted_data_sets: 1,
        sums,
    };
    let answers = [
        Answer::Status(Box::new(status)),
        Answer::Refused(held),
        Answer::Refused(inner),
        Answer::Refused(Refusal::Numbers(4, [1, 2, u64::MAX])),
        Answer::Refused(Refusal::Physical(4, "CI 1".into())),
        Answer::Refused(Refusal::Unknown("new".into())),
        Answer::Pinned(vec![(1, Some(2), 3)]),
        Answer::Examined(vec![(1, 1, 2, 3, "found".into())], [1; 6]),
    ];
    let mut all: Vec<Vec<u8>> = answers
        .iter()
        .filter_map(|answer| postcard::to_allocvec(answer).ok())
        .collect();
    // An error of an alternate index of an alternate index, and so on.
    let (answer, rest) = all[2].split_at(1);
    let (level, end) = rest.split_at(6);
    let mut deep = answer.to_vec();
    (0..8000).for_each(|_| deep.extend(level));
    deep.extend(end);
    all.push(deep);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::{mutated, Random};

    #[test]
    fn who_is_hostile_gets_far_and_is_in_the_way() {
        let samples: Vec<Vec<u8>> = samples().into_iter().filter(|sample| sample[0] == 3).collect();
        let (mut random, mut understood, mut nonsense, mut held) = (Random(3), 0, 0, 0);
        for _ in 0..200 {
            let bytes = mutated(&samples, &mut random);
            let played = play::hostile_client(bytes.get(1..).unwrap_or_default());
            understood += played.understood;
            nonsense += played.nonsense;
            held += played.held;
        }
        assert!(
            understood > 2000 && nonsense > 500 && held > 20,
            "{understood} {nonsense} {held}"
        );
    }
}
