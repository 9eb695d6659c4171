//! Which buffers a pool has.

use std::fmt::Write as _;

/// The sizes that VSAM allows.
pub const SIZES: [u32; 11] = [
    512, 1024, 2048, 4096, 8192, 12_288, 16_384, 20_480, 24_576, 28_672, 32_768,
];
/// Fewest buffers of a size.
const FEWEST: u32 = 3;
/// Most buffers of a size.
const MOST: u32 = 65_535;

/// So many buffers of a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubpoolSize {
    /// Bytes of each.
    pub size: u32,
    /// How many.
    pub buffers: u32,
}

/// What BLDVRP is told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PoolBuffers {
    /// For data, and where `index` has none for index records too.
    pub data: Vec<SubpoolSize>,
    /// For index records alone.
    pub index: Vec<SubpoolSize>,
}

impl PoolBuffers {
    /// The same with so many buffers of this size more.
    #[must_use]
    pub fn data(mut self, size: u32, buffers: u32) -> PoolBuffers {
        self.data.push(SubpoolSize { size, buffers });
        self
    }

    /// The same with so many more that only index records use.
    #[must_use]
    pub fn index(mut self, size: u32, buffers: u32) -> PoolBuffers {
        self.index.push(SubpoolSize { size, buffers });
        self
    }

    /// Is it one that can be built?
    ///
    /// # Errors
    /// What is wrong, and what to do.
    pub fn check(&self) -> Result<(), String> {
        if self.data.is_empty() {
            return Err("it has no buffers for data; give at least one size".into());
        }
        for sizes in [&self.data, &self.index] {
            for (n, line) in sizes.iter().enumerate() {
                check_size(line.size)?;
                check_buffers(line.buffers.into())?;
                if sizes[..n].iter().any(|other| other.size == line.size) {
                    return Err(format!(
                        "buffers of {} bytes are given twice; give their sum once",
                        line.size
                    ));
                }
            }
        }
        Ok(())
    }
}

/// One of VSAM's sizes?
pub fn check_size(size: u32) -> Result<(), String> {
    if SIZES.contains(&size) {
        return Ok(());
    }
    let mut known = String::new();
    for size in SIZES {
        // Writing to a String cannot fail.
        let _ = write!(known, "{}{size}", if known.is_empty() { "" } else { ", " });
    }
    Err(format!("{size} is no size of a buffer; these are: {known}"))
}

/// As many as there may be?
pub fn check_buffers(buffers: u64) -> Result<(), String> {
    match buffers {
        0 => Err(format!(
            "0 buffers are none; give {FEWEST} or more, or leave the size out"
        )),
        few if few < u64::from(FEWEST) => Err(format!("{few} buffers are too few; give {FEWEST} or more")),
        many if many > u64::from(MOST) => Err(format!("{many} buffers are too many; give {MOST} or fewer")),
        _ => Ok(()),
    }
}
