//! Requests of a string.

use crate::answer::{nonsense, refused, Sent, Turn};
use crate::areas::StringArea;
use crate::held::Held;
use cica_engine::{Argument, Intent, LockMode, Record, RequestError, Search, Str};
use cica_share::batch::push;
use cica_share::words::{integrity_of, patience_of, Answer, Ask, By, How, SentRecord, AREA, BATCH};
use cica_share::Refusal;
use parking_lot::Mutex;
use std::sync::Arc;

/// Records of a browse in one answer at most, whatever is asked.
const MOST: u32 = 4096;
/// Bytes of a linear data set in one answer at most.
const RANGE: u32 = 4 << 20;

impl Turn<'_> {
    /// A request of a string.
    pub fn of_string(&mut self, ask: Ask<'_>) -> Sent {
        match ask {
            Ask::Get { string, by, how } => self.string(string, |turn, string| {
                let got = string.get(Argument::from(by), how.search(), how.intent()).map(drop);
                turn.record(string, got)
            }),
            Ask::Skip { string, by, how } => self.string(string, |turn, string| {
                match string
                    .skip(Argument::from(by), how.search(), how.intent())
                    .map(|record| turn.sent_record(&record, false))
                {
                    Ok(sent) => sent,
                    Err(error) => turn.say(&refused(&error)),
                }
            }),
            Ask::Point {
                string,
                by,
                how,
                backward,
            } => self.string(string, |turn, string| {
                let done = if backward {
                    string.point_backward(Argument::from(by), how.search())
                } else {
                    string.point(Argument::from(by), how.search())
                };
                turn.done(done)
            }),
            Ask::PointEnd { string, last } => self.string(string, |turn, string| {
                let done = if last {
                    string.point_last()
                } else {
                    string.point_first()
                };
                turn.done(done)
            }),
            Ask::Step {
                string,
                backward,
                how,
                batch,
                into_area,
            } => {
                let area = into_area.then(|| self.guest.area(string)).flatten();
                self.string(string, |turn, string| match batch {
                    0 => turn.step(string, backward, how),
                    batch => turn.steps(string, backward, batch.min(MOST), area),
                })
            }
            Ask::Settle { string, by, offset } => self.string(string, |turn, string| {
                turn.done(string.without_integrity(|string| settle(string, by, offset)))
            }),
            Ask::Insert {
                string,
                rrn,
                how,
                record,
            } => self.string(string, |turn, string| {
                let done = match rrn {
                    0 => string.insert(record, how.how()),
                    rrn => string.insert_at(rrn, record, how.how()).map(|()| rrn.into()),
                };
                turn.put(string, done)
            }),
            Ask::Update { string, record } => self.string(string, |turn, string| {
                let done = string.update(record);
                turn.put(string, done)
            }),
            Ask::Rewrite { string, by, record } => self.string(string, |turn, string| {
                let done = string.rewrite(Argument::from(by), record);
                turn.put(string, done)
            }),
            Ask::Erase { string } => self.string(string, |turn, string| {
                let done = string.erase();
                turn.done(done)
            }),
            Ask::Manner { string: number, what } => self.string(number, |turn, string| {
                match what {
                    0 => {
                        string.end();
                        turn.guest.drop_area(number);
                    }
                    1 => string.mirror_duplicates(),
                    _ => string.stay(),
                }
                turn.say(&Answer::Done)
            }),
            Ask::Patience { string, wait } => self.string(string, |turn, string| {
                string.set_patience(patience_of(wait));
                turn.say(&Answer::Done)
            }),
            Ask::Integrity { string, what } => self.string(string, |turn, string| match integrity_of(what) {
                Some(integrity) => {
                    string.set_integrity(integrity);
                    turn.say(&Answer::Done)
                }
                None => turn.say(&nonsense(&"there is no such read integrity")),
            }),
            Ask::Lock {
                string,
                record,
                alone,
                wait,
            } => self.string(string, |turn, string| {
                let mode = if alone { LockMode::Exclusive } else { LockMode::Shared };
                let done = string.lock(record, mode, patience_of(wait));
                turn.done(done)
            }),
            Ask::Unlock { string, record } => self.string(string, |turn, string| {
                let unlocked = string.unlock(record);
                turn.say(&Answer::Number(unlocked.into()))
            }),
            ask => self.bytes(ask),
        }
    }

    /// A request for what has no records.
    fn bytes(&mut self, ask: Ask<'_>) -> Sent {
        match ask {
            Ask::GetInterval { string, rba, how } => self.string(string, |turn, string| {
                match string
                    .get_interval(rba, how.intent())
                    .map(|image| turn.sent_record(&image, false))
                {
                    Ok(sent) => sent,
                    Err(error) => turn.say(&refused(&error)),
                }
            }),
            Ask::PutInterval { string, image } => self.string(string, |turn, string| {
                let done = string.put_interval(image);
                turn.done(done)
            }),
            Ask::ReadRange { string, rba, length } => self.string(string, |turn, string| {
                let mut bytes = vec![0; length.min(RANGE) as usize];
                match string.read_range(rba, &mut bytes) {
                    Ok(()) => turn.say(&Answer::Bytes(&bytes)),
                    Err(error) => turn.say(&refused(&error)),
                }
            }),
            Ask::WriteRange { string, rba, bytes } => self.string(string, |turn, string| {
                let done = string.write_range(rba, bytes);
                turn.done(done)
            }),
            _ => self.say(&nonsense(&"no request of a string")),
        }
    }

    fn record(&mut self, string: &Str, got: Result<(), RequestError>) -> Sent {
        match got {
            Ok(()) => self.sent_record(&string.last(), string.duplicate()),
            Err(error) => self.say(&refused(&error)),
        }
    }

    fn sent_record(&mut self, record: &Record<'_>, duplicate: bool) -> Sent {
        self.say(&Answer::Record(sent_record(record, duplicate)))
    }

    fn put(&mut self, string: &Str, done: Result<u64, RequestError>) -> Sent {
        self.say(&match done {
            Ok(number) => Answer::Put(number, string.duplicate()),
            Err(error) => refused(&error),
        })
    }

    /// One record of a browse that holds it, or that goes through a path.
    fn step(&mut self, string: &mut Str, backward: bool, how: How) -> Sent {
        let got = match go(string, backward, how.intent()) {
            Ok(record) => Ok((record.bytes.to_vec(), record.rba, record.rrn)),
            Err(error) => Err(error),
        };
        match got {
            Ok((bytes, rba, rrn)) => self.sent_record(
                &Record {
                    bytes: &bytes,
                    rba,
                    rrn,
                },
                string.duplicate(),
            ),
            Err(error) => self.say(&refused(&error)),
        }
    }

    /// Records of a browse that only reads: into memory that the client sees, if there is some, and into the answer
    /// what finds no room there. Only the first is waited for: the program has not asked for the others (`string:S3`).
    fn steps(&mut self, string: &mut Held, backward: bool, batch: u32, area: Option<Arc<Mutex<StringArea>>>) -> Sent {
        let (mut bytes, mut count, mut end) = (Vec::new(), 0, None);
        let (mut room, mut area) = (0..AREA, area.as_ref().map(|area| area.lock()));
        // Without an area the answer is full when it has a batch, and else when it has what did not go there.
        let most = if area.is_some() { 1 } else { BATCH };
        while count < batch && bytes.len() < most {
            match go(string, backward, Intent::Read) {
                Ok(record) => {
                    let there = area.as_mut().is_some_and(|area| area.put(&mut room, &record));
                    if !there {
                        push(&mut bytes, &record);
                    }
                }
                Err(error) if count == 0 => return self.say(&refused(&error)),
                Err(error) => {
                    end = Some(Refusal::from(&error));
                    break;
                }
            }
            count += 1;
            if count == 1 {
                string.wait_for_nothing();
            }
        }
        string.wait_again();
        let is_there = area.as_mut().is_none_or(|area| area.filled());
        drop(area);
        if !is_there {
            return self.say(&nonsense(&"the memory that the client sees is gone"));
        }
        self.say(&Answer::Records(room.start as u32, &bytes, end))
    }
}

fn go(string: &mut Str, backward: bool, intent: Intent) -> Result<Record<'_>, RequestError> {
    if backward {
        string.prev(intent)
    } else {
        string.next(intent)
    }
}

/// Leaves the string on this record, as after a get of it; on its place, if it has gone meanwhile.
fn settle(string: &mut Str, by: By<'_>, offset: u32) -> Result<(), RequestError> {
    let argument = Argument::from(by);
    match string.point(argument, Search::GreaterOrEqual) {
        Ok(()) => {}
        // It was the last one, and has gone.
        Err(RequestError::NotFound) => return string.stand_on(argument),
        Err(error) => return Err(error),
    }
    let there = match (string.next(Intent::Read), by) {
        (Ok(record), By::Rrn(rrn)) => record.rrn == rrn,
        (Ok(record), By::Rba(rba)) => record.rba == rba,
        (Ok(record), By::Key(key)) => record
            .bytes
            .get(offset as usize..)
            .is_some_and(|from| from.starts_with(key)),
        (Err(RequestError::EndOfData), _) => false,
        (Err(error), _) => return Err(error),
    };
    if there {
        Ok(())
    } else {
        string.stand_on(argument)
    }
}

fn sent_record<'r>(record: &Record<'r>, duplicate: bool) -> SentRecord<'r> {
    SentRecord {
        bytes: record.bytes,
        rba: record.rba,
        rrn: record.rrn,
        duplicate,
    }
}
