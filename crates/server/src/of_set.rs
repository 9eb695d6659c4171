//! Requests about a data set as a whole: open and close, what is known of it, its pinned trees, and new strings.
//!
//! Any of them may take long, or wait. So none is carried out with the open itself locked (`open_set:D1`).

use crate::answer::{nonsense, refused, Sent, Turn};
use crate::held::Held;
use crate::open_set::OpenSet;
use cica_engine::{Access, DataSet, OpenOptions, PinnedTree};
use cica_format::attributes::{Attributes, ENCODED_LEN};
use cica_share::words::{Answer, Ask, OpenedReply, Opening};
use cica_share::{durability_of, examined, state};
use std::os::fd::OwnedFd;

/// Bytes of what is to be taken back in a pinned tree, in one answer at most.
const PART: usize = 4 << 20;

impl Turn<'_> {
    /// A request about a data set that the client has open.
    pub fn of_set(&mut self, ask: Ask<'_>) -> Sent {
        match ask {
            Ask::Facts { set } => self.set(set, |set| Answer::State(Box::new(state(&set.facts())))),
            Ask::Whole { set, what } => self.set(set, |set| {
                let done = match what {
                    0 => set.end_load(),
                    1 => set.commit(),
                    _ => set.checkpoint(),
                };
                done.map_or_else(|error| refused(&error), |()| Answer::Done)
            }),
            Ask::Examine { set } => self.set(set, |set| match set.examine() {
                Ok(found) => {
                    let (findings, sums) = examined(&found);
                    Answer::Examined(findings, sums)
                }
                Err(error) => refused(&error),
            }),
            Ask::Pin { set, what } => self.pin(set, what),
            Ask::PinnedUndo { set, tree, from } => self.pinned_undo(set, tree, from),
            Ask::String { set, unit, with } => self.new_string(set, unit, with),
            _ => self.say(&nonsense(&"no request about a data set")),
        }
    }

    /// With a data set of the client.
    fn set(&mut self, number: u32, work: impl FnOnce(&DataSet) -> Answer<'static>) -> Sent {
        let set = self.guest.set(number);
        self.of = set.as_ref().map(|set| set.tally.clone());
        let answer = set.and_then(|set| set.with(work));
        self.say(&answer.unwrap_or_else(|| nonsense(&"the client has no such data set open")))
    }

    /// Pins the trees of a data set of the client, says whether they are kept still, or lets them go.
    fn pin(&mut self, number: u32, what: u8) -> Sent {
        let Some(set) = self.guest.set(number) else {
            return self.say(&nonsense(&"the client has no such data set open"));
        };
        // Whoever closes it takes the open first, and then what is pinned: nothing is pinned behind that.
        let mut pins = set.pins.lock();
        let answer = match (what, &*pins) {
            (0, None) => match set.with(DataSet::pin) {
                Some(Ok(new)) => {
                    let tree = |tree: &PinnedTree| (tree.cluster, tree.origin, tree.undo.len() as u64);
                    let trees = new.trees().iter().map(tree).collect();
                    *pins = Some(new);
                    Answer::Pinned(trees)
                }
                Some(Err(error)) => refused(&error),
                None => nonsense(&"the client has no such data set open"),
            },
            (1, Some(kept)) => match kept.holds() {
                Ok(holds) => Answer::Number(holds.into()),
                Err(error) => refused(&error),
            },
            (2, _) => {
                *pins = None;
                Answer::Done
            }
            _ => nonsense(&"the client has no such trees pinned, or has pinned them already"),
        };
        drop(pins);
        self.say(&answer)
    }

    fn pinned_undo(&mut self, number: u32, tree: u32, from: u64) -> Sent {
        let set = self.guest.set(number);
        let pins = set.as_ref().map(|set| set.pins.lock());
        let kept = pins.as_ref().and_then(|pins| pins.as_ref());
        let undo = kept
            .and_then(|kept| kept.trees().get(tree as usize))
            .map(|tree| &tree.undo[..]);
        let rest = undo.and_then(|undo| undo.get(usize::try_from(from).ok()?..));
        match rest {
            Some(rest) => {
                let part = rest[..rest.len().min(PART)].to_vec();
                drop(pins);
                self.say(&Answer::Bytes(&part))
            }
            None => {
                drop(pins);
                self.say(&nonsense(&"there is nothing of that to be taken back"))
            }
        }
    }

    pub fn open(&mut self, name: (&str, &str), how: Opening, descriptor: Option<&OwnedFd>) -> Sent {
        let options = OpenOptions {
            access: if how.output { Access::Output } else { Access::Input },
            reset: how.reset,
            reset_anyway: how.reset_anyway,
            alone: how.alone,
            durability: durability_of(how.durability),
            ..OpenOptions::default()
        };
        let shared = &self.owner.shared;
        let _busy = shared.busy.begin();
        let opened = match shared.open(name, options, descriptor, (self.guest.number, self.guest.label())) {
            Ok(opened) => opened,
            Err(why) => return self.say(&why.answer()),
        };
        let answer = match self.guest.keep_set(opened, shared) {
            Ok((number, set)) => opened_answer(number, &set),
            Err(words) => Answer::Nonsense(words),
        };
        self.say(&answer)
    }

    pub fn close(&mut self, set: u32) -> Sent {
        let _busy = self.owner.shared.busy.begin();
        let answer = match self.guest.take_set(set) {
            Some(set) => match self.owner.shared.close(&set) {
                Ok(report) => Answer::Closed(report.closed),
                Err(error) => refused(&error),
            },
            None => nonsense(&"the client has no such data set open"),
        };
        self.say(&answer)
    }

    fn new_string(&mut self, set: u32, unit: u32, with: u32) -> Sent {
        let (found, within) = (self.guest.set(set), self.guest.unit(unit));
        let together = self.guest.string(with);
        let made = match (&found, &within, &together) {
            (Some(found), Some((unit, names)), None) => {
                (found.with(|set| set.string_in(unit))).map(|string| (string, names.clone()))
            }
            // A request of the other string may wait long: the data set is not touched before that is through.
            (Some(found), None, Some(with)) if unit == 0 => {
                let with = &mut *with.0.lock();
                let string = found.with(|set| set.string_with(with));
                string.map(|string| (string, with.names_together(|| self.guest.names())))
            }
            (Some(found), None, None) if (unit, with) == (0, 0) => {
                found.with(DataSet::string).map(|string| (string, self.guest.names()))
            }
            _ => None,
        };
        let kept = found.zip(made).map(|(found, (mut string, names))| {
            // Whoever meets what it holds is told whose it is.
            let engine = &self.owner.shared.session.engine;
            let owner = ((unit, with) == (0, 0)).then(|| engine.lock_owner(&self.guest.label()));
            owner.iter().for_each(|owner| string.owned_by(owner));
            let held = Held::new(string, within.is_some(), found.identity, names);
            self.guest.keep_string(held, found.tally.clone(), owner)
        });
        self.kept(kept.unwrap_or_else(|| Err("the client has no such data set, unit or string".into())))
    }
}

fn opened_answer(number: u32, set: &OpenSet) -> Answer<'static> {
    let encoded = |attributes: &Attributes| {
        let mut bytes = vec![0; ENCODED_LEN];
        attributes.encode(&mut bytes).map(|()| bytes)
    };
    let answer = set.with(|data_set| {
        let index = data_set.index_attributes().map(encoded).transpose();
        match (encoded(data_set.attributes()), index) {
            (Ok(data), Ok(index)) => Answer::Opened(Box::new(OpenedReply {
                set: number,
                attributes: (data, index),
                path: set.path,
                state: state(&data_set.facts()),
            })),
            (Err(error), _) | (_, Err(error)) => nonsense(&error),
        }
    });
    answer.unwrap_or_else(|| nonsense(&"it is closed"))
}
