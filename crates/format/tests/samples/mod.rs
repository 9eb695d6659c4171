//! Values whose fields all differ, so that a field in the wrong place shows.

#![allow(dead_code, reason = "each test file uses some of them")]

use cica_format::aix::Pointers;
use cica_format::attributes::{Alternate, Attributes, Organization};
use cica_format::ca::{CaHeader, CiEntry, NO_SLOT};
use cica_format::index::{IndexEntry, IndexRecord};
use cica_format::root::{BuiltFrom, LogPosition, Part, RecordSizes, Root, Stamp, Statistics, Tie};
use cica_format::table::{Ref, TableBlock};

/// A header of a CA of three CIs.
pub fn ca_header() -> CaHeader {
    CaHeader {
        component: 0x1112_1314_1516_1718,
        ca: 0x2122_2324,
        version: 0x3132_3334,
        region: 0x4142_4344,
        annex: Some(0x4546_4748),
        flags: 0x5152_5354,
        in_sectors: true,
        next_free: 0x6162_6364,
        entries: vec![
            CiEntry {
                slot: 0x7172,
                left_out: 0xD,
                flags: 0x7304,
                version: 0x7576_7778,
                checksum: 0x797A_7B7C,
            },
            CiEntry {
                slot: NO_SLOT,
                left_out: 0,
                flags: 0,
                version: 0,
                checksum: 0,
            },
            CiEntry {
                slot: 2,
                left_out: 0,
                flags: 1,
                version: 9,
                checksum: 0x8182_8384,
            },
        ],
    }
}

/// A block of two references.
pub fn table_block() -> TableBlock {
    TableBlock {
        component: 0x1112_1314_1516_1718,
        block: 0x2122_2324,
        version: 0x3132_3334,
        refs: vec![
            Ref {
                version: 0x4142_4344,
                checksum: 0x5152_5354,
            },
            Ref {
                version: 7,
                checksum: 0x6162_6364,
            },
        ],
    }
}

/// Attributes of a KSDS.
pub fn attributes() -> Attributes {
    Attributes {
        cluster_name: "AWS.M2.CARDDEMO.ACCTDATA.VSAM.KSDS".into(),
        component_name: "AWS.M2.CARDDEMO.ACCTDATA.VSAM.KSDS.DATA".into(),
        organization: Organization::Ksds,
        key_length: 0xF1,
        key_offset: 0x0102_0304,
        average_record: 0x1112_1314,
        maximum_record: 0x2122_2324,
        ci_size: 18_432,
        ci_per_ca: 0x3132,
        free_ci: 20,
        free_ca: 10,
        spanned: true,
        reuse: false,
        speed: true,
        erase: false,
        write_check: true,
        compressed: true,
        share_region: 2,
        share_system: 3,
        buffer_space: 0x4142_4344,
        ccsid: 1047,
        primary: 0x5152_5354_5556_5758,
        secondary: 0x6162_6364_6566_6768,
        reclaim: true,
        volume: "VOL001".into(),
        created: 0x7172_7374_7576_7778,
        alternate: Some(Alternate {
            base: "PAYROLL.MASTER".into(),
            key_offset: 20,
            unique: true,
            upgrade: false,
            pointers: Pointers::Keys(8),
            suppressed: Some(0x5C),
            chained: true,
        }),
    }
}

/// Counters that are all different.
pub fn statistics() -> Statistics {
    Statistics {
        records: 0x0101,
        deleted: 0x0202,
        inserted: 0x0303,
        updated: 0x0404,
        retrieved: 0x0505,
        ci_splits: 0x0606,
        ca_splits: 0x0707,
        ca_reclaims: 0x0808,
        ca_reuses: 0x0909,
        excps: 0x0A0A,
        free_space: 0x0B0B,
        last_change: 0x0C0C,
    }
}

/// A data root with two table blocks and two free regions.
pub fn root() -> Root {
    Root {
        version: 0x1112_1314,
        part: Part::Data,
        component: 0x2122_2324_2526_2728,
        cluster: 0x3132_3334_3536_3738,
        attributes: attributes(),
        log: LogPosition {
            log: 0x4142_4344_4546_4748,
            path: "log/0000000001".into(),
            lsn: 0x5152_5354_5556_5758,
            early: true,
            origin: 0x2D2E_2F30_3D3E_3F40,
        },
        lineage: 0xEDEE_EFF0_FDFE_FF00,
        built_from: BuiltFrom {
            lineage: 0x0D0E_0F10_1D1E_1F20,
            origin: 0x2D2E_2F30_3D3E_3F41,
        },
        stamp: Stamp {
            origin: 0x4D4E_4F50_5D5E_5F60,
            lsn: 0x6D6E_6F70_7D7E_7F80,
        },
        ties: vec![Tie {
            lineage: 0x8D8E_8F90_9D9E_9FA0,
            stamp: Stamp {
                origin: 0xADAE_AFB0_BDBE_BFC0,
                lsn: 0xCDCE_CFD0_DDDE_DFE0,
            },
        }],
        statistics: statistics(),
        sizes: Some(RecordSizes {
            user: 0x1D0D,
            stored: 0x1E0E,
            plain: 0x1F0F,
        }),

        last_dictionary: 0x0D,
        dictionaries: std::array::from_fn(|n| 0xD1C7_0000 + n as u32),
        ca_count: 0x6162_6364,
        free_ca: 0x7172_7374,
        region_count: 0x8182_8384,
        free_regions: vec![0x9192_9394, 0xA1A2_A3A4],
        top: 0xB1B2_B3B4,
        levels: 3,
        index_root: Ref {
            version: 0xC1C2_C3C4,
            checksum: 0xD1D2_D3D4,
        },
        high_used: 0xE1E2_E3E4_E5E6_E7E8,
        high_allocated: 0xF1F2_F3F4_F5F6_F7F8,
        extents: 0x0B0C_0D0E,
        further_extents: vec![0x0F10, 0x1112],
        tables: vec![
            Ref {
                version: 0x1A1B_1C1D,
                checksum: 0x2A2B_2C2D,
            },
            Ref {
                version: 4,
                checksum: 5,
            },
        ],
    }
}

/// An index record of these keys, the n-th with pointer n, and these free CIs.
pub fn index_record(keys: &[&[u8]], free: &[u16]) -> IndexRecord {
    let entry = |(n, key): (usize, &&[u8])| IndexEntry {
        separator: key.to_vec(),
        pointer: n as u32,
    };
    IndexRecord {
        level: 1,
        ca: 0,
        next: u32::MAX,
        entries: keys.iter().enumerate().map(entry).collect(),
        free: free.to_vec(),
    }
}

/// Bytes from hexadecimal digits; spaces and line ends do not count.
pub fn hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u32> = digits.chars().filter_map(|c| c.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}
