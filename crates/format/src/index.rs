//! The index record in IBM's layout: front- and rear-compressed keys in sections (docs/format/index-record.md).

/// One entry: CI `pointer` (level 1: CI number inside the CA; above: index CI number) holds keys up to `separator`
/// followed by X'FF's. The last entry of a level has an empty separator: no key is higher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Rear-compressed high key.
    pub separator: Vec<u8>,
    /// See above.
    pub pointer: u32,
}

/// An index record, decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexRecord {
    /// 1 = sequence set.
    pub level: u8,
    /// Level 1: number of the CA it indexes (base RBA = ca * CIs per CA * CISZ of the data component).
    pub ca: u32,
    /// Index CI number of the next record on this level, `u32::MAX` = none.
    pub next: u32,
    /// In key order.
    pub entries: Vec<Entry>,
    /// Level 1: numbers of the CA's free CIs, descending.
    pub free: Vec<u16>,
}
