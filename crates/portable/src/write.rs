//! Writing a copy: member after member, and the end.

use cica_format::checksum::crc32c;
use cica_format::portable::{ci_head, record_head, BlockHead, BlockKind, CiRun, Head, Member, Totals, RUN_HEAD_LEN};
use std::io::{self, Write};

/// A block is written when its content has come to this.
const BLOCK_LEN: usize = 1 << 20;

/// A copy being written. Without [`Writer::finish`] it has no end, and no reader takes it.
pub struct Writer<W: Write> {
    to: W,
    id: u64,
    number: u64,
    compressor: zstd::bulk::Compressor<'static>,
    /// Of the member that is being written.
    member: Totals,
    copy: Totals,
    /// Content of the block of records being filled.
    records: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// A copy that begins with `head`, compressed at `level` (Zstandard's, 1 to 19).
    ///
    /// # Errors
    /// What the system says.
    pub fn new(mut to: W, head: Head, level: i32) -> io::Result<Writer<W>> {
        to.write_all(&head.encode())?;
        Ok(Writer {
            to,
            id: head.id,
            number: 0,
            compressor: zstd::bulk::Compressor::new(level)?,
            member: Totals::default(),
            copy: Totals::default(),
            records: Vec::new(),
        })
    }

    /// Begins a member.
    ///
    /// # Errors
    /// What the system says.
    pub fn member(&mut self, member: &Member) -> io::Result<()> {
        self.member = Totals::default();
        self.block(BlockKind::Member, &member.encode())
    }

    /// Begins a component of the member, whose root is `root`.
    ///
    /// # Errors
    /// What the system says.
    pub fn component(&mut self, root: &[u8]) -> io::Result<()> {
        self.block(BlockKind::Component, root)
    }

    /// Adds a record to the member; `number` is its relative record number, 0 where there is none.
    ///
    /// # Errors
    /// What the system says.
    pub fn record(&mut self, number: u32, record: &[u8]) -> io::Result<()> {
        self.member.records += 1;
        self.copy.records += 1;
        // A record has at most 16 MB.
        self.records
            .extend_from_slice(&record_head(record.len() as u32, number));
        let mut rest = record;
        while self.records.len() + rest.len() >= BLOCK_LEN {
            let (now, later) = rest.split_at(BLOCK_LEN.saturating_sub(self.records.len()).min(rest.len()));
            self.records.extend_from_slice(now);
            self.write_records()?;
            rest = later;
        }
        self.records.extend_from_slice(rest);
        Ok(())
    }

    /// Begins to write runs of control intervals of `ci_size` bytes.
    pub fn runs(&mut self, ci_size: usize) -> RunWriter<'_, W> {
        RunWriter {
            writer: self,
            content: Vec::with_capacity(BLOCK_LEN + ci_size + RUN_HEAD_LEN),
            run: None,
        }
    }

    /// Adds what takes back in the member, whose control intervals are written, what units had done that were open at
    /// its moment: requests as a log has them.
    ///
    /// # Errors
    /// What the system says.
    pub fn take_back(&mut self, requests: &[u8]) -> io::Result<()> {
        requests
            .chunks(BLOCK_LEN)
            .try_for_each(|part| self.block(BlockKind::TakeBack, part))
    }

    /// Ends the member; tells what it came to.
    ///
    /// # Errors
    /// What the system says.
    pub fn end_member(&mut self) -> io::Result<Totals> {
        self.write_records()?;
        let totals = self.member;
        self.block(BlockKind::MemberEnd, &totals.encode())?;
        Ok(totals)
    }

    /// Ends the copy; tells what it came to. What is written is then for the caller to make durable.
    ///
    /// # Errors
    /// What the system says.
    pub fn finish(mut self) -> io::Result<(W, Totals)> {
        let totals = self.copy;
        self.block(BlockKind::End, &totals.encode())?;
        self.to.flush()?;
        Ok((self.to, totals))
    }

    fn write_records(&mut self) -> io::Result<()> {
        let records = std::mem::take(&mut self.records);
        if !records.is_empty() {
            self.block(BlockKind::Records, &records)?;
        }
        self.records = records;
        self.records.clear();
        Ok(())
    }

    fn block(&mut self, kind: BlockKind, content: &[u8]) -> io::Result<()> {
        let packed = self.compressor.compress(content)?;
        let compressed = packed.len() < content.len();
        let stored = if compressed { &packed } else { content };
        let head = BlockHead {
            id: self.id,
            number: self.number,
            kind,
            compressed,
            stored: stored.len() as u32,
            length: content.len() as u32,
            content: crc32c(content),
        };
        let (head, checksum) = head.encode(stored);
        self.to.write_all(&head)?;
        self.to.write_all(stored)?;
        self.number += 1;
        self.member.add(checksum, content.len() as u32);
        self.copy.add(checksum, content.len() as u32);
        Ok(())
    }
}

/// Writes control intervals; [`RunWriter::finish`] writes the last of them.
pub struct RunWriter<'w, W: Write> {
    writer: &'w mut Writer<W>,
    content: Vec<u8>,
    /// The open run, and where in the content its head is.
    run: Option<(CiRun, usize)>,
}

impl<W: Write> RunWriter<'_, W> {
    /// Begins the control intervals of a CA with this number, flags and next free CA.
    ///
    /// # Errors
    /// What the system says.
    pub fn area(&mut self, ca: u32, flags: u32, next_free: u32) -> io::Result<()> {
        self.end_run();
        if self.content.len() >= BLOCK_LEN {
            self.write()?;
        }
        self.begin(CiRun {
            ca,
            flags,
            next_free,
            count: 0,
        });
        Ok(())
    }

    /// Adds a control interval of that CA: its number in the CA, its flags, its image.
    ///
    /// # Errors
    /// What the system says.
    pub fn control_interval(&mut self, number: u16, flags: u16, image: &[u8]) -> io::Result<()> {
        if self.content.len() >= BLOCK_LEN {
            if let Some((run, _)) = self.run {
                self.write()?;
                self.begin(CiRun { count: 0, ..run });
            }
        }
        self.content.extend_from_slice(&ci_head(number, flags));
        self.content.extend_from_slice(image);
        if let Some((run, _)) = &mut self.run {
            run.count += 1;
        }
        self.writer.member.control_intervals += 1;
        self.writer.copy.control_intervals += 1;
        Ok(())
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// What the system says.
    pub fn finish(mut self) -> io::Result<()> {
        self.write()
    }

    fn begin(&mut self, run: CiRun) {
        self.run = Some((run, self.content.len()));
        self.content.extend_from_slice(&run.encode());
    }

    /// Puts the head of the open run in its place, now that its count is known.
    fn end_run(&mut self) {
        if let Some((run, at)) = self.run.take() {
            self.content[at..at + RUN_HEAD_LEN].copy_from_slice(&run.encode());
        }
    }

    fn write(&mut self) -> io::Result<()> {
        self.end_run();
        if !self.content.is_empty() {
            self.writer.block(BlockKind::ControlIntervals, &self.content)?;
            self.content.clear();
        }
        Ok(())
    }
}
