//! What is counted: one row for each counter, from which come the cells it is counted in, LISTCAT's fields, SMF records,
//! metrics, screens and the reference page.

/// Whose a counter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// A process: its buffer pool.
    Pool,
    /// The frames of one size of a process's buffer pool.
    Frames,
    /// A process: buffers of one size of a pool that opens share (LSR).
    Lsr,
    /// A process: its lock table.
    Locks,
    /// A process: its SMF records.
    Smf,
    /// An open data set.
    DataSet,
    /// One of its components.
    Component,
    /// A string of an open.
    String,
    /// A server of shared data sets, each of its clients, and each data set that they share.
    Shared,
}

/// Whether it only grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It grows from 0.
    Counter,
    /// It is what is so now.
    Gauge,
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Its name in JSON, and with `cica_` in front and a unit behind in metrics.
    pub name: &'static str,
    /// Whose it is.
    pub level: Level,
    /// Whether it only grows.
    pub kind: Kind,
    /// What it is in.
    pub unit: &'static str,
    /// Where it is counted.
    pub counted: &'static str,
    /// SMF field; empty: none.
    pub smf: &'static str,
    /// LISTCAT field; empty: none.
    pub listcat: &'static str,
    /// Column of the RMF-like screens; empty: none.
    pub rmf: &'static str,
    /// What it counts.
    pub text: &'static str,
}

macro_rules! level {
    ($(#[$doc:meta])* $level:ident as $name:ident {
        $($counter:ident $text_name:literal $kind:ident $unit:literal, $counted:literal,
          smf $smf:literal, listcat $listcat:literal, rmf $rmf:literal: $text:literal;)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(usize)]
        pub enum $name {
            $(#[doc = $text] $counter,)*
        }

        impl $name {
            /// All of them, in the order of their cells.
            pub const ALL: &[$name] = &[$($name::$counter),*];
            /// Their rows, in the same order.
            pub const ROWS: &[Row] = &[$(Row {
                name: $text_name,
                level: Level::$level,
                kind: Kind::$kind,
                unit: $unit,
                counted: $counted,
                smf: $smf,
                listcat: $listcat,
                rmf: $rmf,
                text: $text,
            }),*];
        }
    };
}

level! {
    /// Counters of an open data set.
    DataSet as DataSetCount {
        Records "records" Gauge "records", "each insert and erase",
            smf "SMF64NLR, SMF64DLR", listcat "REC-TOTAL", rmf "": "Records in the data set";
        Inserted "inserted" Counter "records", "each insert behind the load and before the last record; of an RRDS, into any slot",
            smf "SMF64DIN", listcat "REC-INSERTED", rmf "": "Records inserted since load, of an ESDS none";
        Deleted "deleted" Counter "records", "each erase",
            smf "SMF64DDE", listcat "REC-DELETED", rmf "": "Records erased since load";
        Updated "updated" Counter "records", "each update; of an LDS each CI that is written over",
            smf "SMF64DUP", listcat "REC-UPDATED", rmf "": "Records updated since load";
        Retrieved "retrieved" Counter "records", "each get that hands a record over, by its string; of an LDS each CI of a range",
            smf "SMF64DRE", listcat "REC-RETRIEVED", rmf "": "Records retrieved since load";
        CiSplits "ci_splits" Counter "splits", "each split of a control interval",
            smf "SMF64DCS", listcat "SPLITS-CI", rmf "CI Splt": "Splits of control intervals";
        CaSplits "ca_splits" Counter "splits", "each split of a control area",
            smf "SMF64DAS", listcat "SPLITS-CA", rmf "CA Splt": "Splits of control areas";
        CaReclaims "ca_reclaims" Counter "control areas", "each control area that became empty and left the index",
            smf "", listcat "CA-RECLAIMS", rmf "": "Control areas reclaimed";
        CaReuses "ca_reuses" Counter "control areas", "each reclaimed control area that a split took",
            smf "SMF64DAU", listcat "CA-REUSES", rmf "": "Control areas reused after they were reclaimed";
        Direct "direct" Counter "requests", "each direct get, by its string",
            smf "", listcat "", rmf "Dir Rate": "Direct gets, whether a record was found or not";
        Opens "opens" Gauge "opens", "each open and close",
            smf "", listcat "", rmf "Opens": "Opens of the data set in this process";
        Strings "strings" Gauge "strings", "each string that is made or ends",
            smf "", listcat "", rmf "Strings": "Strings on the data set in this process";
        Levels "levels" Gauge "levels", "open and commit",
            smf "", listcat "LEVELS", rmf "": "Levels of the index";
    }
}

level! {
    /// Counters of a component, data or index.
    Component as ComponentCount {
        Excps "excps" Counter "requests", "each read or write of neighbouring bytes of the component's file",
            smf "SMF64DXP, S42DSION", listcat "EXCPS", rmf "EXCPs": "Physical I/Os";
        Looks "looks" Counter "requests", "each control interval that a get or a positioning asks for, by its string",
            smf "SMF64DEP", listcat "", rmf "Read Rate": "Control intervals that requests asked for, inserts left out";
        CisRead "cis_read" Counter "control intervals", "each control interval that comes from the file",
            smf "SMF64RIO", listcat "", rmf "DASD%": "Control intervals read from the file, for inserts and ahead of requests too";
        CisWritten "cis_written" Counter "control intervals", "each control interval that goes to the file",
            smf "", listcat "", rmf "Write Rate": "Control intervals written to the file";
        TimedIos "timed_ios" Counter "requests", "each sixteenth read of a control interval",
            smf "S42DSRDT", listcat "", rmf "": "Reads whose time was taken";
        IoNanoseconds "io_nanoseconds" Counter "nanoseconds", "each sixteenth read of a control interval",
            smf "S42DSIOR", listcat "", rmf "Resp Time": "Time that those reads took";
        UsedCis "used_cis" Gauge "control intervals", "each control interval that gets its first record or loses its last",
            smf "", listcat "", rmf "Free%": "Control intervals that hold records";
        HighUsed "high_used" Gauge "bytes", "open and commit",
            smf "SMF64HBA", listcat "HI-U-RBA", rmf "": "End of the used area";
        HighAllocated "high_allocated" Gauge "bytes", "open and commit",
            smf "SMF64HAR", listcat "HI-A-RBA", rmf "Free%": "End of the allocated area";
        Extents "extents" Gauge "extents", "open and commit",
            smf "SMF64NEX", listcat "EXTENTS", rmf "": "Extents";
    }
}

level! {
    /// Counters of a string: each has a line of cells, so that no string waits for another. What it counted is added to
    /// its data set when it ends.
    String as StringCount {
        Retrieved "string_retrieved" Counter "records", "each other get that returns a record",
            smf "", listcat "", rmf "": "Records retrieved by other gets of the string";
        Found "string_found" Counter "requests", "each direct get that finds its record in a control interval",
            smf "", listcat "", rmf "": "Direct gets of the string that asked for a data control interval and found the record";
        Missed "string_missed" Counter "requests", "each direct get that finds no record in a control interval",
            smf "", listcat "", rmf "": "Direct gets of the string that asked for a data control interval and found no record";
        Again "string_again" Counter "requests", "each direct get of the record that the string has just got",
            smf "", listcat "", rmf "": "Direct gets of the string that ask for nothing";
        DataLooks "string_data_looks" Counter "requests", "each data control interval that another request asks for",
            smf "", listcat "", rmf "": "Data control intervals that its other requests asked for";
        IndexLooks "string_index_looks" Counter "requests", "each index control interval that a request asks for",
            smf "", listcat "", rmf "": "Index control intervals that its requests asked for";
    }
}

level! {
    /// Counters of a buffer pool.
    Pool as PoolCount {
        Limit "pool_limit" Gauge "bytes", "start of the pool",
            smf "SMF42JPK (goal)", listcat "", rmf "Goal": "Bound of the pool";
        Charged "pool_charged" Gauge "bytes", "each slab that is cut or given back",
            smf "SMF42JPM", listcat "", rmf "High": "Bytes of the bound that are in use";
        Gone "pool_pages_given_up" Counter "pages", "each page that leaves its frame for another",
            smf "", listcat "", rmf "Reclaim": "Pages that left the pool to make room";
    }
}

level! {
    /// Counters of the frames of one size.
    Frames as FramesCount {
        Size "frame_size" Gauge "bytes", "the first slab of the size",
            smf "", listcat "", rmf "Size": "Bytes of a frame";
        Frames "frames" Gauge "frames", "each slab that is cut or given back",
            smf "", listcat "", rmf "Frames": "Frames of the size";
        Free "frames_free" Gauge "frames", "each frame that is taken or given back",
            smf "", listcat "", rmf "Free": "Frames of the size without a page";
    }
}

level! {
    /// Counters of the buffers of one size that opens share (LSR).
    Lsr as LsrCount {
        Pool "lsr_pool" Gauge "number", "BLDVRP",
            smf "", listcat "", rmf "Pool": "Number of the pool (SHRPOOL)";
        Index "lsr_index" Gauge "1 or 0", "BLDVRP",
            smf "", listcat "", rmf "For": "1 where only index records use the buffers";
        Size "lsr_size" Gauge "bytes", "BLDVRP",
            smf "", listcat "", rmf "Bytes": "Bytes of a buffer";
        Buffers "lsr_buffers" Gauge "buffers", "BLDVRP and DLVRP",
            smf "", listcat "", rmf "All": "Buffers of the size (BUFNO)";
        Held "lsr_buffers_held" Gauge "buffers", "each buffer that is taken or given back",
            smf "", listcat "", rmf "Held": "Buffers that hold a control interval";
        Hits "lsr_hits" Counter "requests", "each control interval that a request asks for and a buffer holds",
            smf "", listcat "", rmf "Hit%": "Control intervals found in a buffer (BFRFND)";
        Reads "lsr_reads" Counter "control intervals", "each read into a buffer",
            smf "", listcat "", rmf "Reads": "Control intervals read from the file (BUFRDS)";
        UserWrites "lsr_user_writes" Counter "control intervals", "each write that a request, WRTBFR or a close asks for",
            smf "", listcat "", rmf "Writes": "Control intervals written because it was asked for (UIW)";
        ForcedWrites "lsr_forced_writes" Counter "control intervals", "each deferred write whose buffer is needed",
            smf "", listcat "", rmf "Forced": "Control intervals written because their buffer was needed (NUIW)";
        Steals "lsr_steals" Counter "buffers", "each buffer that another control interval takes",
            smf "", listcat "", rmf "Steals": "Buffers taken from another control interval";
        FailedWrites "lsr_failed_writes" Counter "control intervals", "each deferred write that fails",
            smf "", listcat "", rmf "": "Forced writes that failed (ERCT)";
    }
}

level! {
    /// Counters of a lock table.
    Locks as LockCount {
        Contended "locks_contended" Counter "requests", "each request for a record that another owner has",
            smf "SMF42HBE", listcat "", rmf "Contention %": "Requests that met a lock of another owner";
        Waits "lock_waits" Counter "requests", "each such request that waits",
            smf "", listcat "", rmf "": "Requests that waited for a lock";
        Deadlocks "deadlocks" Counter "requests", "each request that is refused because it would wait for ever",
            smf "", listcat "", rmf "": "Requests refused because of a deadlock";
        Timeouts "lock_timeouts" Counter "requests", "each wait that ends without the lock",
            smf "", listcat "", rmf "": "Waits that ended without the lock";
        Retained "locks_retained" Counter "requests", "each request for a record that a failed owner has",
            smf "", listcat "", rmf "": "Requests refused because of a retained lock";
    }
}

level! {
    /// Counters of requests for shared data sets.
    Shared as SharedCount {
        Requests "shared_requests" Counter "requests", "each request of a client",
            smf "", listcat "", rmf "": "Requests answered";
        Refused "shared_refused" Counter "requests", "each of them that is refused",
            smf "", listcat "", rmf "": "Requests answered with an error, but for \"not found\" and the end of the data";
        Waits "shared_waits" Counter "requests", "each of them that waited",
            smf "", listcat "", rmf "": "Requests that waited for a record";
        TrueContention "shared_true_contention" Counter "requests", "each record that another has",
            smf "SMF42GBL, SMF42HBE", listcat "", rmf "True Cont": "Requests that met a record that another has";
        FalseContention "shared_false_contention" Counter "requests", "each part of the lock table that another is busy in",
            smf "SMF42GBM, SMF42HBF", listcat "", rmf "False Cont": "Requests that met another one in the same part of the lock table";
        Deadlocks "shared_deadlocks" Counter "requests", "each of them that would wait for itself",
            smf "", listcat "", rmf "": "Requests refused because to wait would never have ended (8/21)";
        Timeouts "shared_timeouts" Counter "requests", "each wait that ends without the record",
            smf "", listcat "", rmf "": "Requests refused because they had waited long enough (8/22)";
        Retained "shared_retained" Counter "requests", "each record that a shunted unit has",
            smf "", listcat "", rmf "": "Requests that met a retained lock (8/24)";
    }
}

level! {
    /// Counters of the SMF records of a process.
    Smf as SmfCount {
        Written "smf_records" Counter "records", "each record that was written",
            smf "", listcat "", rmf "": "SMF records written";
        Lost "smf_records_lost" Counter "records", "each record that could not be written",
            smf "type 7 (SMF7CNT)", listcat "", rmf "": "SMF records lost";
    }
}

/// All rows, level by level.
pub const TABLE: &[&[Row]] = &[
    DataSetCount::ROWS,
    ComponentCount::ROWS,
    StringCount::ROWS,
    PoolCount::ROWS,
    FramesCount::ROWS,
    LsrCount::ROWS,
    LockCount::ROWS,
    SharedCount::ROWS,
    SmfCount::ROWS,
];

/// The rows.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.iter().copied().flatten()
}

/// A sum over names and order: two programs with the same sum count the same things in the same cells.
pub fn edition() -> u64 {
    let names: Vec<u8> = rows().flat_map(|row| row.name.bytes().chain([0])).collect();
    u64::from(cica_format::checksum::crc32c(&names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_given_once_and_gauges_are_no_totals() {
        let mut names: Vec<&str> = rows().map(|row| row.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(rows().all(|row| !row.text.is_empty() && !row.counted.is_empty() && !row.unit.is_empty()));
    }
}
