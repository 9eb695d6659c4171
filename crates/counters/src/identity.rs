//! What a process and a data set say of themselves in a statistics file.

use crate::layout::Identity;
use crate::table::DataSetCount;

/// Who counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// Its number.
    pub pid: u32,
    /// Nanoseconds since 1970 of its start.
    pub started: u64,
    /// The job it is a step of, or what it says itself.
    pub job: String,
    /// The step of the job.
    pub step: String,
    /// Its program.
    pub program: String,
}

/// What is counted for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataSetIdentity {
    /// Id of the data component, which no other has.
    pub component: u64,
    /// Nanoseconds since 1970 of the open.
    pub opened: u64,
    /// Name of the cluster.
    pub cluster: String,
    /// Name of the data component.
    pub data: String,
    /// Name of the index component; empty: there is none.
    pub index: String,
    /// Volume of the data component.
    pub volume: String,
    /// KSDS, ESDS, ...
    pub organization: String,
    /// Bytes of a data control interval, and of an index one.
    pub ci_size: (u32, u32),
    /// Data control intervals of a control area.
    pub ci_per_ca: u32,
    /// Longest record.
    pub record: u32,
    /// Length of the key, 0: there is none.
    pub key: u32,
    /// Is it open for output?
    pub output: bool,
    /// What was counted before this open, by [`DataSetCount`]; what is counted now begins at 0.
    pub before: [u64; BEFORE],
    /// Physical I/Os before this open, of data and index.
    pub excps_before: [u64; 2],
}

/// Counters of a data set that its file keeps from open to open, the first ones.
pub const BEFORE: usize = DataSetCount::CaReuses as usize + 1;

impl ProcessIdentity {
    /// Fields of it as they are stored.
    pub(crate) const FIELDS: usize = 5;

    pub(crate) fn encode(&self) -> Identity {
        Identity::of(vec![
            self.pid.to_le_bytes().to_vec(),
            self.started.to_le_bytes().to_vec(),
            self.job.as_bytes().to_vec(),
            self.step.as_bytes().to_vec(),
            self.program.as_bytes().to_vec(),
        ])
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<ProcessIdentity> {
        let fields = Identity::decode(bytes, Self::FIELDS)?;
        Some(ProcessIdentity {
            pid: number(&fields[0])? as u32,
            started: number(&fields[1])?,
            job: text(&fields[2]),
            step: text(&fields[3]),
            program: text(&fields[4]),
        })
    }
}

impl DataSetIdentity {
    /// Fields of it as they are stored.
    pub(crate) const FIELDS: usize = 15;

    pub(crate) fn encode(&self) -> Identity {
        let small = |n: u32| n.to_le_bytes().to_vec();
        Identity::of(vec![
            self.component.to_le_bytes().to_vec(),
            self.opened.to_le_bytes().to_vec(),
            self.cluster.as_bytes().to_vec(),
            self.data.as_bytes().to_vec(),
            self.index.as_bytes().to_vec(),
            self.volume.as_bytes().to_vec(),
            self.organization.as_bytes().to_vec(),
            small(self.ci_size.0),
            small(self.ci_size.1),
            small(self.ci_per_ca),
            small(self.record),
            small(self.key),
            vec![u8::from(self.output)],
            bytes(&self.before),
            bytes(&self.excps_before),
        ])
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<DataSetIdentity> {
        let fields = Identity::decode(bytes, Self::FIELDS)?;
        let small = |at: usize| number(&fields[at]).map(|n| n as u32);
        Some(DataSetIdentity {
            component: number(&fields[0])?,
            opened: number(&fields[1])?,
            cluster: text(&fields[2]),
            data: text(&fields[3]),
            index: text(&fields[4]),
            volume: text(&fields[5]),
            organization: text(&fields[6]),
            ci_size: (small(7)?, small(8)?),
            ci_per_ca: small(9)?,
            record: small(10)?,
            key: small(11)?,
            output: number(&fields[12])? != 0,
            before: numbers(&fields[13])?,
            excps_before: numbers(&fields[14])?,
        })
    }
}

fn number(bytes: &[u8]) -> Option<u64> {
    let mut word = [0; 8];
    word.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(word))
}

fn bytes(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn numbers<const N: usize>(bytes: &[u8]) -> Option<[u64; N]> {
    let words = bytes.chunks_exact(8).map(number).collect::<Option<Vec<u64>>>()?;
    words.try_into().ok()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
