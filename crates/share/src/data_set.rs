//! A data set of an owner, as its client has it.

use crate::client::{unfit, Client};
use crate::refusal::fenced;
use crate::set::Set;
use crate::string::ClientString;
use crate::unit::{durability_code, Unit};
use crate::words::{Answer, Ask, Figures, OpenedReply, Opening, SentFinding, State};
use cica_engine::examine::{Examination, Finding, FindingKind, FindingPlace};
use cica_engine::far::{Facts, FarDataSet, FarPin, FarString, FarUnit, PinnedTree, Whole};
use cica_engine::{Access, CloseReport, DataSet, OpenOptions, RequestError};
use cica_format::attributes::{Attributes, ENCODED_LEN};
use cica_format::root::Statistics;
use parking_lot::Mutex;
use rustix::fs::{Mode, OFlags};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use std::sync::Arc;

/// See the module.
pub struct ClientDataSet(Arc<Set>);

/// Why an open came to nothing.
#[derive(Debug)]
pub enum NotOpened {
    /// The owner refuses it: VSAM's reason, whether another has it, and words.
    Refused { reason: u8, in_use: bool, words: String },
    /// The owner is gone, or gave no sensible answer.
    Lost(RequestError),
}

/// Opens a data set at its owner, through an alternate index if one is named. `file` is its data component, open for
/// what the program may do with it: by that the owner knows what the kernel allows.
///
/// # Errors
/// See [`NotOpened`].
pub fn open(
    client: &Arc<Client>,
    (name, through): (&str, &str),
    options: OpenOptions,
    file: BorrowedFd<'_>,
) -> Result<DataSet, NotOpened> {
    let how = Opening {
        output: options.access == Access::Output,
        reset: options.reset,
        reset_anyway: options.reset_anyway,
        alone: options.alone,
        durability: durability_code(options.durability),
    };
    let mut refused = None;
    let opened = client.ask_with(&Ask::Open { name, through, how }, Some(file), |answer| match answer {
        Answer::Opened(opened) => Ok(Some(opened)),
        Answer::NotOpened { reason, in_use, words } => {
            refused = Some(NotOpened::Refused { reason, in_use, words });
            Ok(None)
        }
        _ => Err(unfit()),
    });
    match (opened, refused) {
        (Ok(Some(opened)), _) => set_of(client, *opened).map_err(NotOpened::Lost).map(|set| {
            let set = Arc::new(ClientDataSet(Arc::new(set)));
            DataSet::far(set, options.access)
        }),
        (Ok(None), Some(refused)) => Err(refused),
        (Ok(None), None) => Err(NotOpened::Lost(unfit())),
        (Err(error), _) => Err(NotOpened::Lost(error)),
    }
}

fn set_of(client: &Arc<Client>, opened: OpenedReply) -> Result<Set, RequestError> {
    let attributes = |bytes: &[u8]| match bytes.len() {
        ENCODED_LEN => Attributes::decode(bytes).map_err(|error| fenced(&error.to_string())),
        _ => Err(unfit()),
    };
    let (data, index) = &opened.attributes;
    Ok(Set {
        client: client.clone(),
        number: opened.set,
        attributes: attributes(data)?,
        index_attributes: index.as_deref().map(attributes).transpose()?,
        path: opened.path,
        facts: Mutex::new(facts_of(&opened.state)),
        closed: AtomicBool::new(false),
        since: AtomicU64::new(client.changes()),
    })
}

impl FarDataSet for ClientDataSet {
    fn attributes(&self) -> &Attributes {
        &self.0.attributes
    }

    fn index_attributes(&self) -> Option<&Attributes> {
        self.0.index_attributes.as_ref()
    }

    fn facts(&self) -> Facts {
        let asked = self
            .0
            .client
            .ask(&Ask::Facts { set: self.0.number }, |answer| match answer {
                Answer::State(state) => Ok(facts_of(&state)),
                _ => Err(unfit()),
            });
        let mut last = self.0.facts.lock();
        if let Ok(facts) = asked {
            *last = facts;
        }
        last.clone()
    }

    fn string(&self, unit: Option<&dyn FarUnit>, with: Option<&mut dyn FarString>) -> Box<dyn FarString> {
        // Numbers of another owner mean other things here.
        let own = Arc::as_ptr(&self.0.client) as usize;
        let fits = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let unit = match unit {
            Some(unit) if unit.owner() == own => fits(unit.number()),
            Some(_) => u32::MAX,
            None => 0,
        };
        let with = match with {
            Some(with) if with.owner() == own => fits(with.number()),
            Some(_) => u32::MAX,
            None => 0,
        };
        Box::new(ClientString::new(self.0.clone(), unit, with))
    }

    fn new_unit(&self) -> Box<dyn FarUnit> {
        Box::new(Unit::new(self.0.client.clone()))
    }

    fn whole(&self, what: Whole) -> Result<(), RequestError> {
        let what = match what {
            Whole::EndLoad => 0,
            Whole::Commit => 1,
            Whole::Checkpoint => 2,
        };
        let (client, set) = (&self.0.client, self.0.number);
        let since = client.changes();
        let has_nothing = || what == 1 && self.0.since.load(Relaxed) == client.changes();
        let (had_nothing, done) = (has_nothing(), client.tell(&Ask::Whole { set, what }));
        // What its owner had is durable, or was taken back, and this client has changed nothing behind it.
        if done.is_err() && had_nothing && has_nothing() && client.is_gone() {
            return Ok(());
        }
        if done.is_ok() {
            self.0.since.store(since, Relaxed);
        }
        done
    }

    fn examine(&self) -> Result<Examination, RequestError> {
        self.0
            .client
            .ask(&Ask::Examine { set: self.0.number }, |answer| match answer {
                Answer::Examined(findings, sums) => Ok(examination_of(findings, sums)),
                _ => Err(unfit()),
            })
    }

    fn pin(&self) -> Result<Box<dyn FarPin>, RequestError> {
        let set = self.0.clone();
        let ask = Ask::Pin {
            set: set.number,
            what: 0,
        };
        let kept = set.client.ask(&ask, |answer| match answer {
            Answer::Pinned(trees) => Ok(trees),
            _ => Err(unfit()),
        })?;
        // From here on it is let go, whatever comes.
        let mut pin = ClientPin { set, trees: Vec::new() };
        for (tree, (cluster, origin, length)) in (0..).zip(kept) {
            let undo = pin.undo(tree, length)?;
            pin.trees.push(PinnedTree { cluster, origin, undo });
        }
        Ok(Box::new(pin))
    }

    fn close(&self) -> Result<CloseReport, RequestError> {
        self.0.closed.store(true, Release);
        self.0
            .client
            .ask(&Ask::Close { set: self.0.number }, |answer| match answer {
                Answer::Closed(closed) => Ok(CloseReport { closed }),
                _ => Err(unfit()),
            })
    }
}

/// Trees that the owner keeps for this client.
struct ClientPin {
    set: Arc<Set>,
    trees: Vec<PinnedTree>,
}

impl ClientPin {
    /// What takes open units back in a tree, part by part.
    fn undo(&self, tree: u32, length: u64) -> Result<Vec<u8>, RequestError> {
        let mut undo = Vec::new();
        while (undo.len() as u64) < length {
            let ask = Ask::PinnedUndo {
                set: self.set.number,
                tree,
                from: undo.len() as u64,
            };
            self.set.client.ask(&ask, |answer| match answer {
                Answer::Bytes(part) if !part.is_empty() => {
                    undo.extend_from_slice(part);
                    Ok(())
                }
                _ => Err(unfit()),
            })?;
        }
        Ok(undo)
    }
}

impl FarPin for ClientPin {
    fn trees(&self) -> &[PinnedTree] {
        &self.trees
    }

    fn holds(&self) -> Result<bool, RequestError> {
        let ask = Ask::Pin {
            set: self.set.number,
            what: 1,
        };
        self.set.client.ask(&ask, |answer| match answer {
            Answer::Number(holds) => Ok(holds != 0),
            _ => Err(unfit()),
        })
    }
}

impl Drop for ClientPin {
    fn drop(&mut self) {
        let ask = Ask::Pin {
            set: self.set.number,
            what: 2,
        };
        // An owner that is gone keeps nothing.
        let _ = self.set.client.tell(&ask);
    }
}

/// Statistics in a message.
pub fn figures(of: &Statistics) -> Figures {
    [
        of.records,
        of.deleted,
        of.inserted,
        of.updated,
        of.retrieved,
        of.ci_splits,
        of.ca_splits,
        of.ca_reclaims,
        of.ca_reuses,
        of.excps,
        of.free_space,
        of.last_change,
    ]
}

fn statistics(of: &Figures) -> Statistics {
    let [records, deleted, inserted, updated, retrieved, ci_splits, ca_splits, rest @ ..] = *of;
    let [ca_reclaims, ca_reuses, excps, free_space, last_change] = rest;
    Statistics {
        records,
        deleted,
        inserted,
        updated,
        retrieved,
        ci_splits,
        ca_splits,
        ca_reclaims,
        ca_reuses,
        excps,
        free_space,
        last_change,
    }
}

/// What is known of a data set, in a message.
pub fn state(of: &Facts) -> State {
    State {
        figures: (figures(&of.data), figures(&of.index)),
        levels: of.levels,
        high_used: of.high_used,
        linear_length: of.linear_length,
        loading: of.loading,
    }
}

fn facts_of(state: &State) -> Facts {
    Facts {
        data: statistics(&state.figures.0),
        index: statistics(&state.figures.1),
        levels: state.levels,
        high_used: state.high_used,
        linear_length: state.linear_length,
        loading: state.loading,
    }
}

/// Kinds of findings, by their number in a message; the last stands for all that are newer.
const KINDS: [FindingKind; 7] = [
    FindingKind::DuplicateKey,
    FindingKind::IndexSequence,
    FindingKind::NotPointedTo,
    FindingKind::ChainLoop,
    FindingKind::DataSequence,
    FindingKind::DataInFree,
    FindingKind::Other,
];

/// What EXAMINE found, in a message.
pub fn examined(of: &Examination) -> (Vec<SentFinding>, [u64; 6]) {
    let found = |finding: &Finding| {
        let kind = KINDS
            .iter()
            .position(|kind| *kind == finding.kind)
            .unwrap_or(KINDS.len() - 1);
        let part = u8::from(finding.part == FindingPlace::Data);
        (kind as u8, part, finding.ci, finding.rba, finding.what.clone())
    };
    let sums = [
        of.control_intervals,
        of.records,
        of.empty_control_intervals,
        of.longest_record,
        u64::from(of.free_percent),
        of.index_control_intervals,
    ];
    (of.findings.iter().map(found).collect(), sums)
}

fn examination_of(findings: Vec<SentFinding>, sums: [u64; 6]) -> Examination {
    let finding = |(kind, part, ci, rba, what): SentFinding| Finding {
        kind: KINDS.get(usize::from(kind)).copied().unwrap_or(FindingKind::Other),
        part: if part == 0 {
            FindingPlace::Index
        } else {
            FindingPlace::Data
        },
        ci,
        rba,
        what,
    };
    let [control_intervals, records, empty_control_intervals, longest_record, free_percent, index_control_intervals] =
        sums;
    Examination {
        findings: findings.into_iter().map(finding).collect(),
        control_intervals,
        records,
        empty_control_intervals,
        longest_record,
        free_percent: free_percent as u32,
        index_control_intervals,
    }
}

/// A descriptor of a data component by which the owner knows what this process may do with it.
///
/// # Errors
/// The system does not let it open the file so.
pub fn rights(data: &Path, output: bool) -> std::io::Result<OwnedFd> {
    let access = if output { OFlags::RDWR } else { OFlags::RDONLY };
    let how = access | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    Ok(rustix::fs::open(data, how, Mode::empty())?)
}
