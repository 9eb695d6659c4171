//! A copy from one sequential file to another, by blocks and buffers of both.

use super::copied::{Copied, Side};
use super::material::{device, records, Seen, K, RECORD};
use super::plan::{Place, Plan};
use crate::device_time::OnDisk;
use crate::measure::{timed, Took};
use crate::{while_doing, Setting, StudyError};
use cica_disk::{Disk, FileReader, LinuxDisk, NewFile};
use cica_engine::Transfer;
use cica_qsam::{Attributes, BlockBuffers, BlockCounts, BlockInput, BlockOutput, Reader, RecordFormat, Writer};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file that is copied, and where copies go.
pub struct Sequential {
    disk: Arc<dyn Disk>,
    input: PathBuf,
    output: PathBuf,
    count: u64,
}

/// A file, and how many bytes each request to it moved.
struct Noted<F> {
    file: F,
    moved: Vec<usize>,
}

impl<F> Noted<F> {
    fn of(file: F) -> Noted<F> {
        let moved = Vec::new();
        Noted { file, moved }
    }

    fn note(&mut self, bytes: usize) {
        if bytes > 0 {
            self.moved.push(bytes);
        }
    }
}

impl<F: Read> Read for Noted<F> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(to)?;
        self.note(count);
        Ok(count)
    }
}

impl<F: Write> Write for Noted<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.note(count);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn attributes(place: Place) -> Attributes {
    Attributes {
        recfm: RecordFormat::FB,
        lrecl: RECORD as u32,
        blksize: (place.k * K / RECORD * RECORD) as u32,
        ..Attributes::default()
    }
}

impl Sequential {
    /// Makes the file. Its bytes are the same whatever the blocks.
    pub fn new(setting: &Setting, count: u64) -> Result<Sequential, StudyError> {
        let made = Sequential {
            disk: Arc::new(LinuxDisk::new()),
            input: setting.directory.join("sequential"),
            output: setting.directory.join("copy"),
            count,
        };
        let doing = "making the sequential file";
        let file = NewFile::begin(&made.disk, &made.input).map_err(while_doing(doing))?;
        let mut writer = Writer::new(file, &attributes(Place { k: 4, buffers: 0 })).map_err(while_doing(doing))?;
        for record in records(count) {
            writer.put(&record).map_err(while_doing(doing))?;
        }
        let file = writer.finish().map_err(while_doing(doing))?;
        file.finish().map(drop).map_err(while_doing(doing))?;
        Ok(made)
    }

    /// Copies it.
    pub fn copy(&self, plan: &Plan) -> Result<Copied, StudyError> {
        let doing = format!("QSAM, run {}", plan.run);
        let [from, to] = [plan.input, plan.output].map(attributes);
        let buffers = |attributes: &Attributes, place: Place| {
            BlockBuffers::new(attributes, place.buffers.min(u8::MAX.into()) as u8).map_err(while_doing(&doing))
        };
        let (reading, writing) = (buffers(&from, plan.input)?, buffers(&to, plan.output)?);
        let ((input, output), took) = timed(|| {
            let file = FileReader::plain(&*self.disk, &self.input).map_err(while_doing(&doing))?;
            let input = BlockInput::new(Noted::of(file), reading);
            let mut reader = Reader::new(input, &from).map_err(while_doing(&doing))?;
            let file = NewFile::begin(&self.disk, &self.output).map_err(while_doing(&doing))?;
            let output = BlockOutput::new(Noted::of(file), writing);
            let mut writer = Writer::new(output, &to).map_err(while_doing(&doing))?;
            while let Some(record) = reader.next().map_err(while_doing(&doing))? {
                writer.put(record).map_err(while_doing(&doing))?;
            }
            let output = writer.finish().map_err(while_doing(&doing))?;
            let (counts, noted) = (output.counts(), output.into_inner());
            noted.file.finish().map_err(while_doing(&doing))?;
            let input = reader.into_inner();
            Ok::<_, StudyError>(((input.counts(), input.into_inner().moved), (counts, noted.moved)))
        })?;
        Ok(Copied {
            requests: 2 * self.count,
            input: side(input, (false, from.blksize, reading), &doing)?,
            output: side(output, (true, to.blksize, writing), &doing)?,
            // One that moves all buffers leaves the program none to go on with.
            overlapped: reading.chain() < plan.input.buffers && writing.chain() < plan.output.buffers,
            took: vec![took],
        })
    }

    /// Copies it as who says nothing of blocks and buffers; how many requests it took.
    pub fn copy_plainly(&self) -> Result<(Took, u64), StudyError> {
        let doing = "QSAM, the defaults";
        let of = attributes(Place { k: 4, buffers: 0 });
        let (requests, took) = timed(|| {
            let file = FileReader::plain(&*self.disk, &self.input).map_err(while_doing(doing))?;
            let mut reader = Reader::new(Noted::of(file), &of).map_err(while_doing(doing))?;
            let file = NewFile::begin(&self.disk, &self.output).map_err(while_doing(doing))?;
            let mut writer = Writer::new(Noted::of(file), &of).map_err(while_doing(doing))?;
            while let Some(record) = reader.next().map_err(while_doing(doing))? {
                writer.put(record).map_err(while_doing(doing))?;
            }
            let noted = writer.finish().map_err(while_doing(doing))?;
            let written = noted.moved.len();
            noted.file.finish().map_err(while_doing(doing))?;
            Ok::<_, StudyError>((reader.into_inner().moved.len() + written) as u64)
        })?;
        Ok((took, requests))
    }

    /// The file that is copied.
    pub fn input(&self) -> &Path {
        &self.input
    }

    /// What the copy has.
    pub fn seen(&self) -> Result<(u64, u64), StudyError> {
        let doing = "reading the copy of the sequential file";
        let file = FileReader::plain(&*self.disk, &self.output).map_err(while_doing(doing))?;
        let mut reader = Reader::new(file, &attributes(Place { k: 4, buffers: 0 })).map_err(while_doing(doing))?;
        let mut seen = Seen::default();
        while let Some(record) = reader.next().map_err(while_doing(doing))? {
            seen.record(record);
        }
        Ok(seen.total())
    }
}

/// The requests of a file: what was counted must be what it was asked for.
fn side(
    (counts, moved): (BlockCounts, Vec<usize>),
    (writes, blksize, buffers): (bool, u32, BlockBuffers),
    doing: &str,
) -> Result<Side, StudyError> {
    let mut first = 0;
    let transfers: Vec<Transfer> = moved
        .iter()
        .map(|bytes| {
            let cis = bytes.div_ceil(blksize as usize) as u32;
            first += cis;
            Transfer {
                is_data: true,
                writes,
                first: first - cis,
                cis,
            }
        })
        .collect();
    if (counts.requests, counts.blocks) != (transfers.len() as u64, first.into()) {
        let asked = transfers.len();
        let words = format!("{doing}: {counts:?} were counted, and {asked} requests of {first} blocks were made");
        return Err(StudyError::Wrong(words));
    }
    let device = device()?;
    let per_track = device.records_per_track(blksize);
    Ok(Side {
        layout: OnDisk {
            cis_per_track: per_track.max(1).into(),
            cis_per_ca: (per_track * device.tracks_per_cylinder()).max(1),
            index_cylinder: 0.0,
            replicated: false,
            formats: false,
            write_check: false,
        },
        transfers,
        block: blksize.into(),
        space: buffers.space(),
    })
}
