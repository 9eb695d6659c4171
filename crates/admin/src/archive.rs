//! What the archive of LOG(ALL) has: listed, checked, cleaned.
//!
//! What its end lacks is known by the data set ([`reach`]); of one that is in no catalog nobody knows that.

mod reach;

use self::reach::{ArchivedSegments, Reach};
use crate::failure::{refused, Failure};
use crate::outcome::Outcome;
use crate::report::Report;
use crate::Services;
use cica_catalog::{Mask, Name};
use cica_engine::archive::{all, follows, ArchiveError, Segment, SegmentFile};
use cica_format::archive::SegmentHead;
use cica_messages::{CICA1013E, CICA1014I};
use std::path::Path;

/// What is asked of the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archive {
    /// Of these data sets alone, by the names that they had; a mask may mean several.
    pub name: Option<String>,
    /// What is done.
    pub action: ArchiveAction,
}

/// See [`Archive`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveAction {
    /// Heads and ends are read, and a segment that has no end yet up to the last change that can be read.
    List,
    /// All of it is read, and each segment must follow the one before.
    Verify,
    /// Segments go whose changes were all made before this moment, nanoseconds since 1970; the last stays.
    Clean(u64),
}

/// The archive of one data set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Archived {
    /// Name of the cluster when the last segment was begun; empty where it cannot be read.
    pub name: String,
    /// Its lineage, by which its files are named.
    pub lineage: u64,
    /// Segments; 0: it is missing.
    pub segments: u64,
    /// Bytes.
    pub bytes: u64,
    /// When the first segment was begun, nanoseconds since 1970.
    pub begun: u64,
    /// Of the last change that can be read, or when the last segment was ended.
    pub until: u64,
    /// The last segment has no end: whoever has the data set open goes on with it, or has died.
    pub goes_on: bool,
    /// What is wrong with it.
    pub wrong: Option<String>,
}

impl Services {
    /// Lists, checks or cleans the archive; the result is what there is then.
    pub fn archive(&mut self, request: &Archive) -> Outcome<Vec<Archived>> {
        Outcome::with(|out| archive(self, request, out))
    }
}

fn archive(services: &mut Services, request: &Archive, out: &mut Report) -> Result<(u8, Vec<Archived>), Failure> {
    let directory = services.engine.archive_directory();
    let files = || all(&*services.disk, &directory).map_err(|error| refused(&error, 24, 0));
    if let ArchiveAction::Clean(before) = request.action {
        let (mut count, mut bytes) = (0u64, 0u64);
        for of in files()?.chunk_by(|a, b| a.lineage == b.lineage) {
            if is_meant(services, request, of) {
                let removed = clean(services, of, before)?;
                (count, bytes) = (count + removed.0, bytes + removed.1);
            }
        }
        // What is kept of units in doubt may be of several data sets.
        if request.name.is_none() {
            bytes += services.engine.clean_decided(before)?.1;
        }
        let directory: &Path = &directory;
        out.say(
            &CICA1014I,
            &[
                ("count", &count),
                ("bytes", &bytes),
                ("directory", &directory.display()),
            ],
        );
    }
    let mut reaches = match request.action {
        ArchiveAction::Clean(_) => Vec::new(),
        _ => services.reaches()?,
    };
    let mut lines = Vec::new();
    for of in files()?.chunk_by(|a, b| a.lineage == b.lineage) {
        // Several have one lineage where a data set was given another name, and a copy of it its old one.
        let lineage = of.first().map_or(0, |file| file.lineage);
        let (own, others) = reaches
            .into_iter()
            .partition::<Vec<_>, _>(|reach| reach.lineage == lineage);
        reaches = others;
        if is_meant(services, request, of) {
            lines.push(line(services, of, request.action == ArchiveAction::Verify, &own));
        }
    }
    reaches.sort_by(|a, b| a.name.cmp(&b.name));
    let is_named = |reach: &Reach| request.name.as_deref().is_none_or(|name| is_name(name, &reach.name));
    lines.extend(reaches.iter().filter(|reach| is_named(reach)).filter_map(missing));
    let mut cc = 0;
    for line in &lines {
        if let Some(wrong) = &line.wrong {
            let name = if line.name.is_empty() { "A DATA SET" } else { &line.name };
            let failure = Failure::new(&CICA1013E, &[("name", &name), ("reason", wrong)]);
            cc = cc.max(failure.tell(out));
        }
    }
    Ok((cc, lines))
}

/// Of a data set whose archive has no segment at all.
fn missing(reach: &Reach) -> Option<Archived> {
    reach.lacks(&ArchivedSegments::default()).map(|wrong| Archived {
        name: reach.name.clone(),
        lineage: reach.lineage,
        wrong: Some(wrong),
        ..Archived::default()
    })
}

/// The name of a data set in its last segment that can be read.
fn name_of(services: &Services, of: &[SegmentFile]) -> String {
    let heads = of.iter().rev().map(|file| Segment::open(&*services.disk, file));
    let mut names = heads.flatten().map(|segment| segment.head.name);
    // Files carry the name of the component's cluster.
    names.next().unwrap_or_default()
}

fn is_meant(services: &Services, request: &Archive, of: &[SegmentFile]) -> bool {
    match &request.name {
        Some(name) => match name_of(services, of) {
            // No segment can be read: it may be it. What is wrong is told; nothing of it goes.
            unknown if unknown.is_empty() => !matches!(request.action, ArchiveAction::Clean(_)),
            known => is_name(name, &known),
        },
        None => true,
    }
}

/// Is this the name, or one that the mask means?
fn is_name(wanted: &str, known: &str) -> bool {
    let wanted = wanted.to_ascii_uppercase();
    let means = |mask: Mask| Name::parse(known).is_ok_and(|name| mask.matches(&name));
    wanted == known || Mask::parse(&wanted).is_ok_and(means)
}

fn line(services: &Services, of: &[SegmentFile], all_of_it: bool, own: &[Reach]) -> Archived {
    let mut line = Archived {
        name: name_of(services, of),
        lineage: of.first().map_or(0, |file| file.lineage),
        segments: of.len() as u64,
        bytes: of.iter().map(|file| file.bytes).sum(),
        ..Archived::default()
    };
    let (mut last, mut kept) = (None, ArchivedSegments::default());
    for file in of {
        match Segment::open(&*services.disk, file).and_then(|segment| line.read(segment, all_of_it)) {
            Ok((head, end)) => {
                line.goes_on = end.is_none();
                if let Some((before, chain)) = &last {
                    let checked = follows(before, *chain, &head);
                    line.wrong = line.wrong.take().or(checked.err());
                }
                kept.heads.push(head.clone());
                last = Some((head, end));
            }
            Err(error) => {
                last = None;
                line.wrong.get_or_insert(error.to_string());
            }
        }
    }
    // What cannot be read was told: behind it nobody knows.
    if line.wrong.is_none() {
        (kept.until, kept.is_ended) = (line.until, !line.goes_on);
        // It is that of one of them.
        let lacks = own.iter().map(|reach| reach.lacks(&kept));
        line.wrong = lacks.min_by_key(Option::is_some).flatten();
    }
    line
}

impl Archived {
    /// Notes the times of a segment; its head, and the checksum of its end if it has one.
    fn read(&mut self, mut segment: Segment, all_of_it: bool) -> Result<(SegmentHead, Option<u32>), ArchiveError> {
        self.begun = if self.begun == 0 { segment.head.time } else { self.begun };
        let end = if all_of_it { None } else { segment.end()? };
        if let Some((head, chain, _)) = end {
            self.until = self.until.max(head.time);
            return Ok((segment.head, Some(chain)));
        }
        let all = loop {
            match segment.next_frame() {
                Ok(Some(_)) => {}
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        // Of a segment that is damaged too: so far it can be read.
        self.until = self.until.max(segment.time());
        if all_of_it {
            // Else somebody may be just writing the next one.
            all?;
        }
        let end = segment.has_ended().then(|| segment.chain());
        Ok((segment.head, end))
    }
}

/// Removes what is older; how many segments and bytes.
fn clean(services: &Services, of: &[SegmentFile], before: u64) -> Result<(u64, u64), Failure> {
    let (mut count, mut bytes) = (0, 0);
    for pair in of.windows(2) {
        let [old, next] = pair else { continue };
        let next = Segment::open(&*services.disk, next).map_err(|error| refused(&error, 24, 0))?;
        if next.head.time > before {
            break;
        }
        services
            .disk
            .remove(&old.path)
            .map_err(|error| refused(&error, 24, 0))?;
        (count, bytes) = (count + 1, bytes + old.bytes);
    }
    Ok((count, bytes))
}
