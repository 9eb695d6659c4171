//! What is to be done again in a copy: the changes behind it, up to a moment, of all that had ended by then.
//!
//! The archive is read twice. First its chain is checked, and it is seen which units had committed by the moment.
//! Then the changes are handed out in the order of the log: those that were made in no unit, and those of such units.
//! What other units did is left out, so nothing has to be taken back: nobody else has changed a record before the
//! unit that changed it had ended (unit:U5).
//!
//! * A6. Between the copy and the moment there is no gap: each segment follows the one before by number, checksum and
//!   open, and the first goes on where the copy ends. Else nothing is handed out.
//! * A7. A copy that was made while units were open has a frame of its own that says which. Of what is in front of that
//!   frame only their changes are done again, if they committed later.

use super::segments::{segments, ArchiveError, Segment, SegmentFile};
use crate::log::{owned, Logged};
use cica_disk::Disk;
use cica_format::archive::{changes, dictionary, units, FrameHead, FrameKind, SegmentHead};
use cica_format::log::LogRecord;
use cica_format::FormatError;
use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::path::Path;

/// Why a copy cannot be brought forward.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RedoError {
    /// A segment is damaged or cannot be read.
    Segment(ArchiveError),
    /// The archive does not go on where the copy ends; why.
    NotFromCopy(String),
    /// A segment does not follow the one before; why.
    Gap {
        /// What is missing, and where.
        what: String,
        /// Up to when there is no gap, nanoseconds since 1970.
        until: u64,
    },
}

impl fmt::Display for RedoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RedoError::Segment(error) => error.fmt(f),
            RedoError::NotFromCopy(what) | RedoError::Gap { what, .. } => f.write_str(what),
        }
    }
}

impl std::error::Error for RedoError {}

impl From<ArchiveError> for RedoError {
    fn from(error: ArchiveError) -> Self {
        RedoError::Segment(error)
    }
}

/// A way from a copy to a moment, checked.
#[derive(Debug)]
pub struct Plan {
    files: Vec<SegmentFile>,
    copy: u64,
    /// The copy has a frame of its own (A7).
    has_frame: bool,
    until: u64,
    committed: HashSet<(u64, u64)>,
    /// Units that had not committed by the moment, and had changed something.
    pub units_left_out: usize,
    /// When the last change was made that is done again, nanoseconds since 1970; 0: none is.
    pub reached: u64,
    /// The last open whose changes the archive has; the copy's if it has none behind it.
    pub last_origin: u64,
    /// How the archive ends, whatever the moment is.
    pub end: ArchiveEnd,
    /// What the data set was called when the segments of the way were begun, each name once.
    pub names: Vec<String>,
    /// The clusters of these segments, in their order, each once.
    pub clusters: Vec<u64>,
}

/// How the archive of a data set ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ArchiveEnd {
    /// The cluster of its last segment.
    pub cluster: u64,
    /// The open that wrote that.
    pub origin: u64,
    /// When what it has last was written, nanoseconds since 1970; 0: it has nothing.
    pub time: u64,
    /// That open has ended its segment, so the archive has all that it changed.
    pub is_ended: bool,
}

/// What is to be done next in a copy.
#[derive(Debug)]
pub enum Step {
    /// A change is to be done again.
    Change {
        /// Its LSN.
        lsn: u64,
        /// What was done.
        requests: Vec<Logged>,
    },
    /// The copy must have this dictionary, for changes that follow.
    Dictionary {
        /// Its number.
        generation: u8,
        /// Its bytes.
        bytes: Vec<u8>,
    },
}

/// The way from a copy with this lineage and origin to `until`.
///
/// # Errors
/// There is none: a gap, damage, or the archive does not know the copy.
pub fn plan(disk: &dyn Disk, directory: &Path, (lineage, copy): (u64, u64), until: u64) -> Result<Plan, RedoError> {
    let unread = |error: std::io::Error| ArchiveError {
        path: directory.to_path_buf(),
        what: error.to_string(),
        is_damage: false,
    };
    let files = segments(disk, directory, lineage).map_err(unread)?;
    let heads = files
        .iter()
        .map(|file| Segment::open(disk, file).map(|segment| segment.head));
    // A damaged one in front of the copy is of no concern.
    let heads: Vec<Result<SegmentHead, ArchiveError>> = heads.collect();
    let (first, has_frame) = first(disk, &files, &heads, (copy, until))?;
    let mut plan = Plan {
        files: files[first..].to_vec(),
        copy,
        has_frame,
        until,
        committed: HashSet::new(),
        units_left_out: 0,
        reached: 0,
        last_origin: copy,
        end: ArchiveEnd::default(),
        names: Vec::new(),
        clusters: Vec::new(),
    };
    for head in heads[first..].iter().flatten().filter(|head| head.time <= until) {
        if !plan.names.contains(&head.name) {
            plan.names.push(head.name.clone());
        }
        if !plan.clusters.contains(&head.cluster) {
            plan.clusters.push(head.cluster);
        }
    }
    plan.check(disk)?;
    Ok(plan)
}

/// The segment with which the way begins.
fn first(
    disk: &dyn Disk,
    files: &[SegmentFile],
    heads: &[Result<SegmentHead, ArchiveError>],
    (copy, until): (u64, u64),
) -> Result<(usize, bool), RedoError> {
    let known = || {
        heads
            .iter()
            .enumerate()
            .filter_map(|(n, head)| head.as_ref().ok().map(|head| (n, head)))
    };
    // A10.
    let goes_on = |head: &SegmentHead| head.after == copy && head.origin != copy && !head.loaded;
    let mut behind = known().filter(|(_, head)| goes_on(head));
    let first = behind.clone().next();
    if let Some((n, _)) = behind.rfind(|(_, head)| head.time <= until).or(first) {
        return Ok((n, false));
    }
    if let Some((n, _)) = known().rfind(|(_, head)| head.origin == copy) {
        let next = heads.get(n + 1);
        let is_later = |head: &Result<SegmentHead, ArchiveError>| head.as_ref().is_ok_and(|head| head.time > until);
        if next.is_none_or(is_later) {
            return Ok((files.len(), false));
        }
    }
    for (n, head) in known() {
        let mut segment = Segment::open(disk, &files[n])?;
        while let Some((frame, _)) = segment.next_frame()? {
            if frame.kind == FrameKind::Copy && frame.lsn == copy {
                let begun = known().find(|(_, other)| other.origin == head.origin);
                return Ok((begun.map_or(n, |(n, _)| n), true));
            }
        }
    }
    let loaded = known().any(|(_, head)| head.after == copy);
    let what = match (loaded, heads.iter().find_map(|head| head.as_ref().err())) {
        (true, _) => "the data set was emptied or loaded anew after the copy was made, and what a load does is not \
                      archived: a copy from after the load is needed"
            .to_owned(),
        (false, Some(damaged)) => return Err(damaged.clone().into()),
        (false, None) if heads.is_empty() => "there is no archive of the data set: it was not defined LOG(ALL), or nothing was \
                                              changed since, or its archive was cleaned. RESTORE brings back what the \
                                              copy has, and no more"
            .to_owned(),
        (false, None) => "the archive has nothing that goes on where the copy ends: segments were cleaned, or the data set was \
                          loaded, reorganized, or changed without LOG(ALL) after the copy was made. A later copy is needed"
            .to_owned(),
    };
    Err(RedoError::NotFromCopy(what))
}

/// A frame, and whether it is in front of the copy's own.
struct Framed<'f> {
    /// The segment's file.
    path: &'f Path,
    origin: u64,
    head: FrameHead,
    body: &'f [u8],
    is_before: bool,
    /// Units that were open when the copy was made.
    open: &'f BTreeSet<u64>,
}

impl Framed<'_> {
    /// What is in a frame whose checksum holds cannot be read.
    fn damaged(&self, error: FormatError) -> RedoError {
        RedoError::Segment(ArchiveError {
            path: self.path.to_path_buf(),
            what: error.to_string(),
            is_damage: true,
        })
    }
}

impl Plan {
    /// Is there anything to be done?
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    fn check(&mut self, disk: &dyn Disk) -> Result<(), RedoError> {
        let (mut changed, mut committed) = (HashSet::new(), HashSet::new());
        let (mut reached, mut last_origin) = (0, self.copy);
        self.frames(disk, |frame| -> Result<(), RedoError> {
            last_origin = frame.origin;
            if frame.head.kind != FrameKind::Changes {
                return Ok(());
            }
            if !frame.is_before {
                reached = frame.head.time;
            }
            for change in changes(frame.head, frame.body) {
                match change {
                    Ok((_, LogRecord::Recoverable { unit, .. })) if !frame.is_before || frame.open.contains(&unit) => {
                        changed.insert((frame.origin, unit));
                    }
                    Ok((
                        _,
                        LogRecord::UnitEnd {
                            unit,
                            backed_out: false,
                        },
                    )) => {
                        committed.insert((frame.origin, unit));
                    }
                    Ok(_) => {}
                    Err(error) => return Err(frame.damaged(error)),
                }
            }
            Ok(())
        })?;
        self.units_left_out = changed.difference(&committed).count();
        (self.committed, self.reached, self.last_origin) = (committed, reached, last_origin);
        self.end = self.ends(disk)?;
        Ok(())
    }

    fn ends(&self, disk: &dyn Disk) -> Result<ArchiveEnd, RedoError> {
        let Some(file) = self.files.last() else {
            // Nothing behind the copy.
            return Ok(ArchiveEnd {
                origin: self.copy,
                is_ended: true,
                ..ArchiveEnd::default()
            });
        };
        let mut segment = Segment::open(disk, file)?;
        while segment.next_frame()?.is_some() {}
        Ok(ArchiveEnd {
            cluster: segment.head.cluster,
            origin: segment.head.origin,
            time: segment.time(),
            is_ended: segment.has_ended(),
        })
    }

    /// Hands out what is to be done again, in order; tells how many changes that were.
    ///
    /// # Errors
    /// The archive is not what it was when the way was checked; whatever `work` says.
    pub fn each<E: From<RedoError>>(
        &self,
        disk: &dyn Disk,
        mut work: impl FnMut(Step) -> Result<(), E>,
    ) -> Result<u64, E> {
        let mut count = 0;
        self.frames(disk, |frame| -> Result<(), E> {
            if frame.head.kind == FrameKind::Dictionary {
                let (generation, bytes) = dictionary(frame.body).map_err(|error| frame.damaged(error))?;
                let bytes = bytes.to_vec();
                return work(Step::Dictionary { generation, bytes });
            }
            if frame.head.kind != FrameKind::Changes {
                return Ok(());
            }
            for change in changes(frame.head, frame.body) {
                let (lsn, record) = change.map_err(|error| frame.damaged(error))?;
                let stands = match &record {
                    LogRecord::UnitEnd { .. } => false,
                    LogRecord::Recoverable { unit, .. } => {
                        self.committed.contains(&(frame.origin, *unit))
                            && (!frame.is_before || frame.open.contains(unit))
                    }
                    _ => !frame.is_before,
                };
                if !stands {
                    continue;
                }
                let requests = match owned(record).map_err(|error| frame.damaged(error))? {
                    Logged::Unit(parts) => parts,
                    Logged::Recoverable { redo, .. } => redo,
                    request => vec![request],
                };
                count += requests.len() as u64;
                work(Step::Change { lsn, requests })?;
            }
            Ok(())
        })?;
        Ok(count)
    }

    /// The frames of the way up to its moment, each checked.
    fn frames<E: From<RedoError>>(
        &self,
        disk: &dyn Disk,
        mut work: impl FnMut(Framed<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let none = BTreeSet::new();
        let open = if self.has_frame { self.open_at_copy(disk)? } else { none };
        let mut is_before = self.has_frame;
        let mut last: Option<(SegmentHead, Option<u32>, u64)> = None;
        for file in &self.files {
            let mut segment = Segment::open(disk, file).map_err(RedoError::from)?;
            if segment.head.time > self.until {
                break;
            }
            if let Some((before, end, time)) = &last {
                follows(before, *end, &segment.head).map_err(|what| RedoError::Gap { what, until: *time })?;
            }
            let origin = segment.head.origin;
            while let Some((head, body)) = segment.next_frame().map_err(RedoError::from)? {
                if head.time > self.until {
                    return Ok(());
                }
                if head.kind == FrameKind::Copy && head.lsn == self.copy {
                    is_before = false;
                }
                let framed = Framed {
                    path: &file.path,
                    origin,
                    head,
                    body: &body,
                    is_before,
                    open: &open,
                };
                work(framed)?;
            }
            let end = segment.has_ended().then(|| segment.chain());
            last = Some((segment.head.clone(), end, segment.time()));
        }
        Ok(())
    }

    fn open_at_copy(&self, disk: &dyn Disk) -> Result<BTreeSet<u64>, RedoError> {
        for file in &self.files {
            let mut segment = Segment::open(disk, file)?;
            while let Some((head, body)) = segment.next_frame()? {
                if head.kind == FrameKind::Copy && head.lsn == self.copy {
                    return Ok(units(&body));
                }
            }
        }
        Ok(BTreeSet::new())
    }
}

/// Does segment `next` go on where `before` ends, with the checksum `end` if it was ended?
///
/// # Errors
/// Why not, in words.
pub fn follows(before: &SegmentHead, end: Option<u32>, next: &SegmentHead) -> Result<(), String> {
    let (last, number) = (before.number, next.number);
    if number != last + 1 {
        return Err(format!(
            "segment {last} of the archive is followed by segment {number}: {} missing",
            match number.saturating_sub(last) {
                2 => "one between them is".to_owned(),
                more => format!("{} between them are", more.saturating_sub(1)),
            }
        ));
    }
    if next.loaded {
        return Err(format!(
            "before segment {number} of the archive the data set was emptied or loaded anew, and what a load does is \
             not archived: a copy from after the load is needed"
        ));
    }
    match (next.chain, end) {
        (Some(chain), Some(end)) if chain == end && next.after == before.origin => Ok(()),
        (None, _) => Err(format!(
            "segment {number} of the archive does not follow segment {last}: between them the data set was loaded, reorganized, \
             restored, or changed without LOG(ALL), or the archive was damaged. A copy from after that is needed"
        )),
        (Some(_), None) => Err(format!("segment {last} of the archive has no end, though segment {number} follows it")),
        (Some(_), Some(_)) => Err(format!(
            "segment {number} of the archive was written behind another segment {last} than the one that is there"
        )),
    }
}
