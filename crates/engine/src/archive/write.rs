//! Writing the archive of one data set that is open, or that is being recovered.
//!
//! | segment | by | to |
//! |---|---|---|
//! | none | open for output (`begin`) | empty: its head is written |
//! | empty | the log is about to name the data set (`settle`, A3) | empty, its head and name durable |
//! | empty | close | removed |
//! | has frames | the log lets go of what is in them (`make_durable`, A2) | the same, durable; a long one is ended, and the next begins |
//! | has frames | close | ended |
//! | has frames | death of the process | as it is; recovery goes on with it (`resume`), and ends it |

use super::segments::{file_of, segments, ArchiveError, Segment, SegmentFile};
use cica_compress::GENERATIONS;
use cica_disk::{Clock, Create, Disk, File, Lock, Open, WriteAt};
use cica_format::archive::{
    append_dictionary, begin_frame, dictionary, end_frame, finish_frame, select, units, FrameKind, SegmentHead,
    HEAD_LEN,
};
use cica_format::log::append_unit_end;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A segment of so many bytes is ended when what it has is made durable.
const LONG: u64 = 64 << 20;

/// What a segment is begun for.
#[derive(Debug, Clone)]
pub struct Begin {
    /// Lineage of the data set.
    pub lineage: u64,
    /// Id of the cluster.
    pub cluster: u64,
    /// Its name.
    pub name: String,
    /// Which open of it this is.
    pub origin: u64,
    /// Which open left it as it is now.
    pub after: u64,
    /// The last LSN of the log before it.
    pub since: u64,
    /// It has no records, and may be loaded.
    pub loaded: bool,
    /// Its records are compressed.
    pub compressed: bool,
}

/// The archive of a data set, as its one writer has it.
pub struct Writer {
    disk: Arc<dyn Disk>,
    clock: Arc<dyn Clock>,
    directory: PathBuf,
    of: SegmentFile,
    head: SegmentHead,
    file: Box<dyn File>,
    at: u64,
    chain: u32,
    time: u64,
    /// The last LSN that it has.
    last: u64,
    records: u64,
    /// Units that changed the data set and have not ended.
    open: BTreeSet<u64>,
    /// Dictionaries that the segment has (A8).
    dictionaries: BTreeSet<u8>,
    frame: Vec<u8>,
    is_settled: bool,
    is_dirty: bool,
    has_ended: bool,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("path", &self.of.path)
            .finish_non_exhaustive()
    }
}

/// What the archive of a data set ends in.
struct Last {
    origin: u64,
    chain: u32,
    time: u64,
}

impl Writer {
    /// Begins a segment behind those that there are.
    ///
    /// # Errors
    /// It cannot be made, or what is there cannot be read.
    pub fn begin(
        disk: &Arc<dyn Disk>,
        clock: &Arc<dyn Clock>,
        directory: &Path,
        what: Begin,
    ) -> Result<Writer, ArchiveError> {
        let at_directory = |error: io::Error| ArchiveError {
            path: directory.to_path_buf(),
            what: error.to_string(),
            is_damage: false,
        };
        let make = Open {
            directory: true,
            create: Create::IfMissing,
            ..Open::default()
        };
        disk.admit(directory, false)
            .and_then(|()| disk.open(directory, make))
            .map_err(at_directory)?;
        let mut files = segments(&**disk, directory, what.lineage).map_err(at_directory)?;
        // One in which nothing was written was never needed, unless somebody is about to write it.
        while let Some(empty) = files.last().filter(|file| file.bytes <= HEAD_LEN as u64) {
            let file = alone(&**disk, empty)?;
            let bytes = file.size(None).map_err(|error| wrong(&empty.path, error))?;
            if bytes > HEAD_LEN as u64 {
                // Whoever had it locked has written since it was listed.
                break;
            }
            disk.remove(&empty.path).map_err(|error| wrong(&empty.path, error))?;
            files.pop();
        }
        let last = match files.last() {
            Some(file) => ended(&**disk, file)?,
            None => None,
        };
        let number = files.last().map_or(0, |file| file.number) + 1;
        // A4.
        let follows = last.as_ref().filter(|last| last.origin == what.after && !what.loaded);
        let head = SegmentHead {
            lineage: what.lineage,
            cluster: what.cluster,
            name: what.name,
            origin: what.origin,
            after: what.after,
            since: what.since,
            number,
            chain: follows.map(|last| last.chain),
            loaded: what.loaded,
            compressed: what.compressed,
            // The clock may have been turned back.
            time: clock.now().max(last.as_ref().map_or(0, |last| last.time)),
        };
        Writer::create(disk, clock, directory, head, what.since)
    }

    fn create(
        disk: &Arc<dyn Disk>,
        clock: &Arc<dyn Clock>,
        directory: &Path,
        head: SegmentHead,
        last: u64,
    ) -> Result<Writer, ArchiveError> {
        let of = file_of(directory, head.lineage, head.number);
        let how = Open {
            write: true,
            create: Create::New,
            lock: Lock::Exclusive,
            ..Open::default()
        };
        let file = disk.open(&of.path, how).map_err(|error| wrong(&of.path, error))?;
        let bytes = head.encode();
        let written = file.write(&[WriteAt { at: 0, buf: &bytes }]);
        if let Err(error) = written {
            // A file without a head is none; whoever begins next takes it away if this fails.
            let _ = disk.remove(&of.path);
            return Err(wrong(&of.path, error));
        }
        Ok(Writer {
            disk: disk.clone(),
            clock: clock.clone(),
            directory: directory.to_path_buf(),
            chain: head.checksum(),
            time: head.time,
            of,
            head,
            file,
            at: HEAD_LEN as u64,
            last,
            records: 0,
            open: BTreeSet::new(),
            dictionaries: BTreeSet::new(),
            frame: Vec::new(),
            is_settled: false,
            is_dirty: false,
            has_ended: false,
        })
    }

    /// Goes on with the segment of the open `origin`, whose owner died; what was written behind its last whole frame is
    /// taken away: the log has it. `None`: the archive has no segment of it.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn resume(
        disk: &Arc<dyn Disk>,
        clock: &Arc<dyn Clock>,
        directory: &Path,
        (lineage, origin): (u64, u64),
    ) -> Result<Option<Writer>, ArchiveError> {
        let files = segments(&**disk, directory, lineage).map_err(|error| wrong(directory, error))?;
        let Some(of) = files.last().filter(|file| file.bytes >= HEAD_LEN as u64) else {
            return Ok(None);
        };
        let mut segment = match Segment::open(&**disk, of) {
            Ok(segment) if segment.head.origin == origin => segment,
            // Of another open. Or it is damaged, or a power cut left a head that was never needed (A3): what is
            // archived next follows nothing (A4).
            Ok(_) => return Ok(None),
            Err(error) if error.is_damage => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut writer = Writer {
            disk: disk.clone(),
            clock: clock.clone(),
            directory: directory.to_path_buf(),
            of: of.clone(),
            head: segment.head.clone(),
            at: 0,
            chain: 0,
            time: 0,
            last: segment.head.since,
            records: 0,
            open: BTreeSet::new(),
            dictionaries: BTreeSet::new(),
            frame: Vec::new(),
            is_settled: false,
            is_dirty: true,
            has_ended: false,
            file: alone(&**disk, of)?,
        };
        loop {
            let (head, body) = match segment.next_frame() {
                Ok(Some(frame)) => frame,
                // What is no frame was not durable; or it is damaged, and what is missing shows (A4, `has`).
                Ok(None) => break,
                Err(error) if error.is_damage => break,
                Err(error) => return Err(error),
            };
            match head.kind {
                FrameKind::Changes => {
                    for change in cica_format::archive::changes(head, &body) {
                        let (lsn, record) = change.map_err(|error| wrong(&of.path, error))?;
                        (writer.last, writer.records) = (writer.last.max(lsn), writer.records + 1);
                        match record {
                            cica_format::log::LogRecord::Recoverable { unit, .. } => drop(writer.open.insert(unit)),
                            cica_format::log::LogRecord::UnitEnd { unit, .. } => drop(writer.open.remove(&unit)),
                            _ => {}
                        }
                    }
                }
                FrameKind::Durable => writer.last = writer.last.max(head.lsn),
                FrameKind::Units => writer.open = units(&body),
                FrameKind::Copy => {}
                FrameKind::End => writer.has_ended = true,
                FrameKind::Dictionary => {
                    let (generation, _) = dictionary(&body).map_err(|error| wrong(&of.path, error))?;
                    writer.dictionaries.insert(generation);
                }
            }
        }
        (writer.at, writer.chain, writer.time) = (segment.at, segment.chain, segment.time());
        if segment.at == segment.length {
            return Ok(Some(writer));
        }
        if segment.has_durable_behind()? {
            return writer.lost().map(Some);
        }
        let at = segment.at;
        writer.file.size(Some(at)).map_err(|error| wrong(&of.path, error))?;
        Ok(Some(writer))
    }

    /// The segment is damaged in front of what was durable: the next one follows nothing (A4).
    fn lost(self) -> Result<Writer, ArchiveError> {
        let head = SegmentHead {
            after: self.head.origin,
            since: 0,
            number: self.head.number + 1,
            chain: None,
            loaded: false,
            ..self.head
        };
        Writer::create(&self.disk, &self.clock, &self.directory, head, 0)
    }

    /// Is there a unit whose end would have to go to the archive?
    pub fn has_open_units(&self) -> bool {
        !self.open.is_empty()
    }

    /// Adds what a group of the log, durable since `time`, has of the data set, which it calls `number` (A1).
    /// `dictionary_of` gives the bytes of a dictionary that the data set has (A8).
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(
        &mut self,
        group: &[u8],
        number: u32,
        time: Option<u64>,
        dictionary_of: impl Fn(u8) -> Option<Vec<u8>>,
    ) -> Result<(), ArchiveError> {
        let mut frame = std::mem::take(&mut self.frame);
        begin_frame(&mut frame);
        let found = select(group, number, self.last, &mut self.open, &mut frame);
        let first = cica_format::log::group_header(group).map(|head| head.first_lsn);
        let done = match (found, first) {
            (Ok((0, _)), Ok(_)) => Ok(()),
            (Ok(_), _) if self.has_ended => Err(wrong(&self.of.path, "the log has requests behind its end")),
            (Ok((count, last)), Ok(first)) => {
                let done = self
                    .add_dictionaries(first, time, dictionary_of)
                    .and_then(|()| self.write(&mut frame, FrameKind::Changes, first, time));
                (self.last, self.records) = (last, self.records + u64::from(count));
                done
            }
            (Err(error), _) | (_, Err(error)) => Err(wrong(&self.of.path, error)),
        };
        frame.clear();
        // One that a long record swelled is not kept.
        frame.shrink_to(4 << 20);
        self.frame = frame;
        done
    }

    /// Units that the log left open and that stand as they are: their ends.
    ///
    /// # Errors
    /// What the disk says.
    pub fn end_units(&mut self, units: &[u64]) -> Result<(), ArchiveError> {
        for unit in units {
            if self.open.remove(unit) {
                let mut frame = Vec::new();
                begin_frame(&mut frame);
                // The first record of its frame, behind the last request.
                frame.extend_from_slice(&0u32.to_le_bytes());
                append_unit_end(&mut frame, *unit, false);
                self.write(&mut frame, FrameKind::Changes, self.last, None)?;
            }
        }
        Ok(())
    }

    /// Writes the dictionaries that the segment lacks, before the changes from `lsn` on (A8).
    fn add_dictionaries(
        &mut self,
        lsn: u64,
        time: Option<u64>,
        dictionary_of: impl Fn(u8) -> Option<Vec<u8>>,
    ) -> Result<(), ArchiveError> {
        for generation in 1..=GENERATIONS as u8 {
            if self.dictionaries.contains(&generation) {
                continue;
            }
            let Some(bytes) = dictionary_of(generation) else {
                continue;
            };
            let mut frame = Vec::new();
            begin_frame(&mut frame);
            append_dictionary(generation, &bytes, &mut frame);
            self.write(&mut frame, FrameKind::Dictionary, lsn, time)?;
            self.dictionaries.insert(generation);
        }
        Ok(())
    }

    fn write(&mut self, frame: &mut [u8], kind: FrameKind, lsn: u64, time: Option<u64>) -> Result<(), ArchiveError> {
        let time = time.unwrap_or_else(|| self.clock.now()).max(self.time);
        let chain = finish_frame(frame, self.chain, kind, time, lsn);
        self.append(frame, chain, time)
    }

    fn append(&mut self, frame: &[u8], chain: u32, time: u64) -> Result<(), ArchiveError> {
        self.is_dirty = true;
        let written = self.file.write(&[WriteAt {
            at: self.at,
            buf: frame,
        }]);
        written.map_err(|error| wrong(&self.of.path, error))?;
        (self.chain, self.time) = (chain, time);
        self.at += frame.len() as u64;
        Ok(())
    }

    /// Makes head and name of the segment durable (A3).
    ///
    /// # Errors
    /// What the disk says.
    pub fn settle(&mut self) -> Result<(), ArchiveError> {
        if self.is_settled {
            return Ok(());
        }
        self.file.sync().map_err(|error| wrong(&self.of.path, error))?;
        let how = Open {
            directory: true,
            ..Open::default()
        };
        let above = self.directory.parent().unwrap_or(Path::new("."));
        for directory in [&*self.directory, above] {
            let synced = self.disk.open(directory, how).and_then(|directory| directory.sync());
            synced.map_err(|error| wrong(directory, error))?;
        }
        self.is_settled = true;
        Ok(())
    }

    /// Makes what it has durable: everything up to `lsn` of the log (A2), as the root is about to say. One that is long
    /// is ended.
    ///
    /// # Errors
    /// As [`settle`](Self::settle).
    pub fn make_durable(&mut self, lsn: u64) -> Result<(), ArchiveError> {
        if self.has_ended || !self.is_dirty && lsn <= self.last {
            return Ok(());
        }
        if self.at > LONG {
            return self.begin_next(lsn);
        }
        // The frame says that all in front of it is durable, so that is made so first.
        self.sync_if_written()?;
        let mut frame = Vec::new();
        begin_frame(&mut frame);
        frame.extend_from_slice(&self.chain.to_le_bytes());
        self.write(&mut frame, FrameKind::Durable, lsn, None)?;
        self.last = self.last.max(lsn);
        self.sync()
    }

    /// Makes what was written durable, where the log is to let go of it though roots name it still.
    ///
    /// # Errors
    /// As [`settle`](Self::settle).
    pub fn sync_if_written(&mut self) -> Result<(), ArchiveError> {
        if self.is_dirty {
            self.sync()
        } else {
            Ok(())
        }
    }

    fn sync(&mut self) -> Result<(), ArchiveError> {
        self.settle()?;
        self.file.sync().map_err(|error| wrong(&self.of.path, error))?;
        self.is_dirty = false;
        Ok(())
    }

    /// Ends the segment, durably: a root of this open is about to be the last.
    ///
    /// # Errors
    /// As [`settle`](Self::settle).
    pub fn end(&mut self, lsn: u64) -> Result<(), ArchiveError> {
        if self.has_ended {
            return Ok(());
        }
        self.sync_if_written()?;
        let time = self.clock.now().max(self.time);
        let (frame, chain) = end_frame(self.chain, time, lsn.max(self.last), self.records);
        self.append(&frame, chain, time)?;
        self.sync()?;
        self.has_ended = true;
        Ok(())
    }

    /// The open has changed nothing: takes its segment away. What stays of it, whoever begins the next takes away.
    pub fn give_up_empty(self) {
        if self.is_empty() && !self.has_ended {
            let _ = self.disk.remove(&self.of.path);
        }
    }

    fn begin_next(&mut self, lsn: u64) -> Result<(), ArchiveError> {
        self.end(lsn)?;
        let head = SegmentHead {
            after: self.head.origin,
            since: lsn.max(self.last),
            number: self.head.number + 1,
            chain: Some(self.chain),
            loaded: false,
            time: self.time,
            ..self.head.clone()
        };
        let since = head.since;
        let mut next = Writer::create(&self.disk, &self.clock, &self.directory, head, since)?;
        next.open = std::mem::take(&mut self.open);
        let mut frame = Vec::new();
        begin_frame(&mut frame);
        next.open
            .iter()
            .for_each(|unit| frame.extend_from_slice(&unit.to_le_bytes()));
        next.write(&mut frame, FrameKind::Units, since, None)?;
        next.sync()?;
        *self = next;
        Ok(())
    }

    /// A copy of the data set is made that has everything up to here, but for these open units; `origin` is the copy's.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn note_copy(&mut self, origin: u64, units: &BTreeSet<u64>) -> Result<(), ArchiveError> {
        let mut frame = Vec::new();
        begin_frame(&mut frame);
        units
            .iter()
            .for_each(|unit| frame.extend_from_slice(&unit.to_le_bytes()));
        self.write(&mut frame, FrameKind::Copy, origin, None)?;
        self.sync()
    }

    fn is_empty(&self) -> bool {
        self.at <= HEAD_LEN as u64
    }
}

/// How the segment in this file ends; one that was left without an end by a process that died when everything was
/// durable gets it now. `None`: it is damaged, so that nothing can follow it.
fn ended(disk: &dyn Disk, file: &SegmentFile) -> Result<Option<Last>, ArchiveError> {
    let Some(mut segment) = undamaged(disk, file)? else {
        return Ok(None);
    };
    if let Some(last) = last_of(&mut segment)? {
        return Ok(Some(last));
    }
    // One that has no end is ended by nobody but its owner while that one lives (A9), who may have gone on with it
    // since the look.
    let open = alone(disk, file)?;
    let Some(mut segment) = undamaged(disk, file)? else {
        return Ok(None);
    };
    if let Some(last) = last_of(&mut segment)? {
        return Ok(Some(last));
    }
    let origin = segment.head.origin;
    let (mut lsn, mut records) = (segment.head.since, 0);
    loop {
        match segment.next_frame() {
            Ok(Some((head, body))) => {
                if head.kind == FrameKind::Changes {
                    let all = cica_format::archive::changes(head, &body).flatten();
                    all.for_each(|(at, _)| (lsn, records) = (lsn.max(at), records + 1));
                }
            }
            Ok(None) => break,
            Err(error) if error.is_damage => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    let time = segment.time();
    let (frame, chain) = end_frame(segment.chain, time, lsn, records);
    let write = WriteAt {
        at: segment.at,
        buf: &frame,
    };
    let written = open.write(&[write]).and_then(|()| open.sync());
    written.map_err(|error| wrong(&file.path, error))?;
    Ok(Some(Last { origin, chain, time }))
}

/// Opens a segment to read it. `None`: its head is damaged.
fn undamaged(disk: &dyn Disk, file: &SegmentFile) -> Result<Option<Segment>, ArchiveError> {
    match Segment::open(disk, file) {
        Ok(segment) => Ok(Some(segment)),
        Err(error) if error.is_damage => Ok(None),
        Err(error) => Err(error),
    }
}

/// How it ends, if it has an end.
fn last_of(segment: &mut Segment) -> Result<Option<Last>, ArchiveError> {
    let origin = segment.head.origin;
    let end = segment.end()?;
    Ok(end.map(|(end, chain, _)| Last {
        origin,
        chain,
        time: end.time,
    }))
}

/// Opens a segment to write it, alone (A9).
///
/// # Errors
/// Somebody else writes it; it cannot be opened.
fn alone(disk: &dyn Disk, file: &SegmentFile) -> Result<Box<dyn File>, ArchiveError> {
    let how = Open {
        write: true,
        lock: Lock::Exclusive,
        ..Open::default()
    };
    disk.open(&file.path, how).map_err(|error| {
        if error.kind() != io::ErrorKind::WouldBlock {
            return wrong(&file.path, error);
        }
        let by = disk.holder(&file.path).map_or(String::new(), |by| format!(" by {by}"));
        let what = format!(
            "another data set that was made of the same files writes it{by}. Close that one first; to have both open, copy one \
             of them into a new data set (REPRO)"
        );
        wrong(&file.path, what)
    })
}

fn wrong(path: &Path, error: impl std::fmt::Display) -> ArchiveError {
    ArchiveError {
        path: path.to_path_buf(),
        what: error.to_string(),
        is_damage: false,
    }
}
