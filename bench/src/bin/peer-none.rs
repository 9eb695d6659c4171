//! No engine: answers at once and keeps nothing. Its row is what the loops, or an empty process, cost.

use std::process::ExitCode;

use cica_bench::peer::{Opening, Peer, Result};
use cica_bench::worker;
use cica_bench::workload::{LoadStream, STEP};

struct Nothing;

impl Peer for Nothing {
    const HOLDS_RECORDS: bool = false;

    fn version() -> String {
        "the loops alone".into()
    }

    fn open(_: &Opening) -> Result<Self> {
        Ok(Nothing)
    }

    fn load(&mut self, records: &mut LoadStream) -> Result<()> {
        while let Some(record) = records.next_record() {
            std::hint::black_box(record);
        }
        Ok(())
    }

    fn scan(&mut self, mut each: impl FnMut(&[u8])) -> Result<u64> {
        each(std::hint::black_box(&[0; 16]));
        Ok(1)
    }

    fn get(&mut self, key: &[u8], area: &mut [u8]) -> Result<Option<usize>> {
        std::hint::black_box(key);
        std::hint::black_box(area);
        Ok(Some(STEP.value_len()))
    }

    fn update(&mut self, record: &[u8]) -> Result<()> {
        std::hint::black_box(record);
        Ok(())
    }

    fn insert(&mut self, record: &[u8]) -> Result<()> {
        self.update(record)
    }

    fn commit(&mut self) -> Result<()> {
        Ok(())
    }

    fn another(&self) -> Result<Self> {
        Ok(Nothing)
    }

    fn close(self) -> Result<()> {
        Ok(())
    }
}

fn main() -> ExitCode {
    worker::main::<Nothing>()
}
