//! What the engine did in a run, read from the writes alone: who claims that crashes in a CA split were explored must
//! be able to show that one happened between the cuts. Nothing in the engine counts for this. Kills alone are not in
//! the writes: those the run tells.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use cica_disk::sim::{Event, Trace};
use cica_format::ca::{CaHeader, MAGIC, NO_SLOT};
use cica_format::log::{read_group, records, LogFileHeader, LogRecord, BLOCK_LEN as LOG_BLOCK};
use cica_format::root::{Part, Root};
use cica_format::table::{TableBlock, BLOCK_LEN};

use crate::subject::History;

/// How often each thing happened.
pub type Coverage = BTreeMap<&'static str, u64>;

/// Everything that is counted; each must happen in every campaign of some length.
pub const ALL: [&str; 32] = [
    "CI split",
    "CA split",
    "CA split of a CA with 32 CIs or more",
    "CA reclaimed",
    "CA reused",
    "CA rewritten in another region",
    "annex taken",
    "annex freed",
    "annex's region used again",
    "slot changed",
    "slot used again",
    "free space left out",
    "image stored longer or shorter than before",
    "map switched",
    "table block switched",
    "root switched",
    "log named in a root",
    "log left by a root",
    "checkpoint",
    "bulk load",
    "group logged",
    "log started over",
    "open unit carried on",
    "update covered by an earlier change of its unit",
    "log file used again",
    "alternate index upgraded",
    "catalog switched",
    "file removed",
    "file made",
    KILLED,
    KILLED_AGAIN,
    KILLED_IN_COMMAND,
];

const KILLED: &str = "process killed, and another goes on";
const KILLED_AGAIN: &str = "process killed while it goes on after another";
const KILLED_IN_COMMAND: &str = "process killed in a command, and another goes on";

/// What happened in a run: in its trace, and to its processes.
pub fn of_run(trace: &Trace, history: &History) -> Coverage {
    let mut all = of(trace);
    for step in history.after_deaths() {
        let first = if step.in_command { KILLED_IN_COMMAND } else { KILLED };
        *all.entry(first).or_default() += 1;
        *all.entry(KILLED_AGAIN).or_default() += u64::from(step.deaths > 1);
    }
    all.retain(|_, count| *count > 0);
    all
}

/// What happened in a trace.
pub fn of(trace: &Trace) -> Coverage {
    let mut reader = Reader::default();
    for event in trace.events() {
        match event {
            Event::Write { bytes, .. } => reader.write(bytes),
            Event::Rename { to, .. } if to.file_name() == Some("catalog".as_ref()) => reader.count("catalog switched"),
            Event::Create { path, .. } if is_component(path) => reader.count("file made"),
            Event::Remove { path } if is_component(path) => reader.count("file removed"),
            _ => {}
        }
    }
    reader.counts
}

fn is_component(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    name.is_some_and(|name| name.starts_with("SIM."))
}

#[derive(Default)]
struct Reader {
    counts: Coverage,
    headers: HashMap<(u64, u32), CaHeader>,
    /// Slots, and annexes, that a CA's header has left.
    left: BTreeSet<(u64, u32, u32, u16)>,
    left_annexes: BTreeSet<(u64, u32)>,
    roots: HashMap<u64, Root>,
    epochs: HashMap<u64, u32>,
}

impl Reader {
    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    fn count_if(&mut self, happened: bool, what: &'static str) {
        if happened {
            self.count(what);
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        if let Some(header) = header(bytes) {
            self.header(header);
        } else if bytes.len() == BLOCK_LEN && TableBlock::decode(bytes).is_ok() {
            self.count("table block switched");
        } else if let Ok(root) = Root::decode(bytes) {
            self.root(root);
        } else if bytes.len() == LOG_BLOCK && LogFileHeader::decode(bytes).is_ok_and(|header| header.log != 0) {
            let header = LogFileHeader::decode(bytes);
            self.count_if(header.is_ok_and(|header| header.claims > 1), "log file used again");
        } else if let Ok((header, len)) = read_group(bytes) {
            self.count("group logged");
            let before = self.epochs.insert(header.log, header.epoch);
            self.count_if(before.is_some_and(|before| before < header.epoch), "log started over");
            let begins = before.is_some_and(|before| before < header.epoch);
            let mut of_units = records(&bytes[..len]).flatten();
            let carries = of_units.any(|record| matches!(record, LogRecord::Carried { .. }));
            self.count_if(begins && carries, "open unit carried on");
            for record in records(&bytes[..len]).flatten() {
                self.count_if(matches!(record, LogRecord::Unit { .. }), "alternate index upgraded");
                let covered = matches!(&record, LogRecord::Recoverable { undo, .. } if undo.is_empty());
                self.count_if(covered, "update covered by an earlier change of its unit");
            }
        }
    }

    fn header(&mut self, header: CaHeader) {
        let key = (header.component, header.ca);
        let Some(before) = self.headers.insert(key, header.clone()) else {
            return;
        };
        self.count_if(before.version != header.version, "map switched");
        self.count_if(before.region != header.region, "CA rewritten in another region");
        match (before.annex, header.annex) {
            (None, Some(annex)) => {
                self.count("annex taken");
                let again = self.left_annexes.contains(&(header.component, annex));
                self.count_if(again, "annex's region used again");
            }
            (Some(annex), None) => {
                self.count("annex freed");
                self.left_annexes.insert((header.component, annex));
            }
            _ => {}
        }
        let again = self.left_annexes.contains(&(header.component, header.region));
        self.count_if(again && before.region != header.region, "annex's region used again");
        if before.region != header.region {
            return;
        }
        let place = |slot| (header.component, header.ca, header.region, slot);
        for (old, new) in before.entries.iter().zip(&header.entries) {
            let moved = old.slot != new.slot;
            self.count_if(moved && old.slot != NO_SLOT && new.slot != NO_SLOT, "slot changed");
            self.count_if(new.version != old.version && new.left_out > 0, "free space left out");
            let both = old.slot != NO_SLOT && new.slot != NO_SLOT;
            self.count_if(
                both && old.left_out != new.left_out,
                "image stored longer or shorter than before",
            );
            self.count_if(moved && self.left.contains(&place(new.slot)), "slot used again");
            if moved && old.slot != NO_SLOT {
                self.left.insert(place(old.slot));
            }
        }
    }

    fn root(&mut self, root: Root) {
        let Some(before) = self.roots.insert(root.component, root.clone()) else {
            return;
        };
        if before.version == root.version {
            return;
        }
        self.count("root switched");
        let (was, is) = (&before.statistics, &root.statistics);
        if root.part == Part::Data {
            self.count_if(is.ci_splits > was.ci_splits, "CI split");
            self.count_if(is.ca_splits > was.ca_splits, "CA split");
            let large = root.attributes.ci_per_ca >= 32;
            self.count_if(
                large && is.ca_splits > was.ca_splits,
                "CA split of a CA with 32 CIs or more",
            );
            self.count_if(is.ca_reclaims > was.ca_reclaims, "CA reclaimed");
            self.count_if(is.ca_reuses > was.ca_reuses, "CA reused");
            self.count_if(before.ca_count == 0 && root.ca_count > 0, "bulk load");
        }
        let (was, is) = (&before.log, &root.log);
        self.count_if(was.log != is.log && is.log != 0, "log named in a root");
        self.count_if(was.log != 0 && is.log == 0, "log left by a root");
        self.count_if(was.log == is.log && is.log != 0 && is.lsn > was.lsn, "checkpoint");
    }
}

/// The CA header that these bytes are, if they are one; the number of CIs is where the format has it.
fn header(bytes: &[u8]) -> Option<CaHeader> {
    if !bytes.starts_with(&MAGIC) {
        return None;
    }
    let count = bytes.get(36..40)?.try_into().ok().map(u32::from_le_bytes)?;
    CaHeader::decode(bytes, count as usize).ok()
}
