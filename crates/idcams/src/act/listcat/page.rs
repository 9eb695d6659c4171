//! An entry as LISTCAT prints it. Programs read this with patterns, so each column is where z/OS has it.
//!
//! ```text
//! DATA ---------- A.B.DATA                                                   kind and name, double spaced
//!      IN-CAT --- /cat
//!      ATTRIBUTES                                                            5 blanks: a heading
//!        KEYLEN----------------11     AVGLRECL-------------300     ...       7 blanks: fields of 24, 5 blanks between
//! ```

use super::model::*;
use crate::sysprint::Sysprint;
use cica_catalog::entry::{Kind, Log};
use std::fmt::Display;

/// How much of an entry is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fields {
    /// Name and catalog.
    Name,
    /// Owner and dates too.
    History,
    /// Volumes too.
    Volume,
    /// Space and extents too.
    Allocation,
    /// Everything.
    All,
}

/// Characters of a field.
const FIELD: usize = 24;

/// Prints an entry; `nested`: under the entry it belongs to, and so indented.
pub fn print(entry: &ListcatEntry, fields: Fields, nested: bool, out: &mut Sysprint) {
    let word = match entry.kind {
        Kind::Gdg => "GDG BASE",
        kind => kind.word(),
    };
    heading(word, &entry.name, &entry.catalog, nested, out);
    if fields == Fields::Name {
        return;
    }
    if let Some(history) = &entry.history {
        self::history(history, out);
    }
    if fields == Fields::All {
        before_volumes(entry, out);
    }
    if let Some(file) = entry.file.as_ref().filter(|_| fields >= Fields::Volume) {
        self::file(file, out);
    }
    if fields == Fields::All {
        after_volumes(entry, out);
    }
    if let Some(component) = &entry.component {
        if fields == Fields::All {
            attributes(component, out);
            statistics(component, out);
        }
        if fields >= Fields::Allocation {
            allocation(component, out);
            component
                .volumes
                .iter()
                .for_each(|volume| self::volume(volume, component, out));
        } else {
            volumes(component, fields, out);
        }
    }
}

/// What ALL shows of an entry between its history and its volumes.
fn before_volumes(entry: &ListcatEntry, out: &mut Sysprint) {
    let account = |account: &Option<String>, out: &mut Sysprint| {
        section(&[fill(53, "ACCOUNT-INFO", null(account))], out);
    };
    match (entry.kind, &entry.cluster) {
        (Kind::Data, Some(cluster)) => account(&cluster.account, out),
        (Kind::Cluster, Some(cluster)) => cluster_sections(cluster, out),
        (Kind::Aix, Some(cluster)) => {
            section(&[field("SMS MANAGED", yes(cluster.storage_class.is_some()))], out);
            section(&[field("CA-RECLAIM", yes(cluster.ca_reclaim))], out);
            encryption(out);
        }
        _ => {}
    }
    if let Some(file) = &entry.file {
        account(&None, out);
        if file.generation {
            section(&[field("STATUS", "ACTIVE")], out);
        }
        classes(&None, &None, &None, out);
        encryption(out);
    }
    if entry.cluster.is_some() || entry.kind == Kind::Path {
        let password = entry.cluster.as_ref().is_some_and(|cluster| cluster.password);
        let password = if password { "(SUPP)" } else { "(NULL)" };
        let racf = field("RACF", "(NO)");
        out.line(&format!("     {}     {racf}", fill(26, "PROTECTION-PSWD", password)));
    }
}

/// What ALL shows of an entry behind its volumes; the words of a path and of a file stand last.
fn after_volumes(entry: &ListcatEntry, out: &mut Sysprint) {
    match entry.kind {
        Kind::Path => {
            associations(entry, out);
            words(&entry.values, &entry.words, out);
        }
        Kind::NonVsam => {
            associations(entry, out);
            title("ATTRIBUTES", out);
            let file = entry.file.as_ref();
            let named = [
                ("FILE", file.and_then(|f| f.file.as_ref())),
                ("FORMAT", file.and_then(|f| f.format.as_ref())),
            ];
            for (label, value) in named {
                if let Some(value) = value {
                    section(&[field(label, value)], out);
                }
            }
        }
        Kind::Gdg => {
            group(&entry.values, &entry.words, out);
            associations(entry, out);
        }
        _ => {
            if entry.component.is_none() {
                words(&entry.values, &entry.words, out);
            }
            associations(entry, out);
        }
    }
}

/// The first two lines of an entry or volume.
pub fn heading(word: &str, name: &dyn Display, catalog: &str, nested: bool, out: &mut Sysprint) {
    let word = format!("{}{word} ", if nested { "   " } else { "" });
    out.double(&format!("{word:-<15} {name}"));
    out.line(&format!("     IN-CAT --- {catalog}"));
}

/// Label, dashes, value: 24 characters, or more when they do not suffice for one dash.
pub fn field(label: &str, value: impl Display) -> String {
    fill(FIELD, label, value)
}

/// A heading, and below it lines of fields.
pub fn section(fields: &[String], out: &mut Sysprint) {
    out.line(format!("       {}", fields.join("     ")).trim_end());
}

/// A heading within an entry.
pub fn title(text: &str, out: &mut Sysprint) {
    out.line(&format!("     {text}"));
}

fn fill(width: usize, label: &str, value: impl Display) -> String {
    let value = value.to_string();
    let dashes = width.saturating_sub(label.len() + value.len()).max(1);
    format!("{label}{}{value}", "-".repeat(dashes))
}

fn null(value: &Option<String>) -> String {
    value.clone().unwrap_or_else(|| "(NULL)".to_owned())
}

fn yes(value: bool) -> &'static str {
    if value {
        "(YES)"
    } else {
        "(NO)"
    }
}

fn history(history: &HistoryFields, out: &mut Sysprint) {
    let expires = history
        .expires
        .map_or_else(|| "0000.000".to_owned(), |day| day.to_string());
    title("HISTORY", out);
    section(
        &[
            field("DATASET-OWNER", null(&history.owner)),
            field("CREATION", history.created),
        ],
        out,
    );
    let second = match history.last_alter {
        Some(day) => field("LAST ALTER", day),
        None => field("EXPIRATION", expires),
    };
    section(&[field("RELEASE", 2), second], out);
    if let (Some(_), Some(day)) = (history.last_alter, history.expires) {
        section(&[field("EXPIRATION", day)], out);
    }
}

fn cluster_sections(cluster: &ClusterFields, out: &mut Sysprint) {
    classes(
        &cluster.storage_class,
        &cluster.management_class,
        &cluster.data_class,
        out,
    );
    section(&[field("CA-RECLAIM", yes(cluster.ca_reclaim))], out);
    section(&[field("EATTR", null(&cluster.eattr))], out);
    section(
        &[
            field("BWO STATUS", "00000000"),
            fill(32, "BWO TIMESTAMP", "00000 00:00:00.0"),
        ],
        out,
    );
    section(&[field("BWO", null(&cluster.bwo))], out);
    title("RLSDATA", out);
    let log = match cluster.log {
        None => "(NULL)",
        Some(Log::None) => "NONE",
        Some(Log::Undo) => "UNDO",
        Some(Log::All) => "ALL",
    };
    out.line(&format!(
        "       {}   {}     {}",
        fill(26, "LOG ", log),
        field("RECOVERY REQUIRED ", "(NO)"),
        field("FRLOG ", null(&cluster.forward_log))
    ));
    out.line(&format!(
        "       {}    {}     {}",
        fill(25, "VSAM QUIESCED ", yes(cluster.quiesced)),
        field("RLS IN USE ", "(NO)"),
        fill(29, "LOGREPLICATE", yes(cluster.log_replicate))
    ));
    out.double(&format!(
        "       {}",
        fill(46, "LOGSTREAMID", null(&cluster.log_stream))
    ));
    section(&[fill(48, "RECOVERY TIMESTAMP LOCAL", "X'0000000000000000'")], out);
    section(&[fill(48, "RECOVERY TIMESTAMP GMT", "X'0000000000000000'")], out);
    section(&[fill(32, "DATABASE ", "(NULL)")], out);
    encryption(out);
}

fn classes(storage: &Option<String>, management: &Option<String>, data: &Option<String>, out: &mut Sysprint) {
    title("SMSDATA", out);
    section(
        &[
            field("STORAGECLASS ", null(storage)),
            field("MANAGEMENTCLASS", null(management)),
        ],
        out,
    );
    section(
        &[field("DATACLASS ", null(data)), field("LBACKUP ", "0000.000.0000")],
        out,
    );
}

fn encryption(out: &mut Sysprint) {
    title("ENCRYPTIONDATA", out);
    section(&[fill(28, "DATA SET ENCRYPTION", "(NO)")], out);
}

/// The attributes of a group: its limit and its words in one line, 11 columns a word.
fn group(values: &[(String, String)], words: &[&'static str], out: &mut Sysprint) {
    title("ATTRIBUTES", out);
    let limits: Vec<String> = values.iter().map(|(keyword, value)| field(keyword, value)).collect();
    let words: String = words.iter().map(|word| format!("{word:<11}")).collect();
    section(&[format!("{}      {words}", limits.join("     "))], out);
}

fn words(values: &[(String, String)], words: &[&'static str], out: &mut Sysprint) {
    if values.is_empty() && words.is_empty() {
        return;
    }
    title("ATTRIBUTES", out);
    for (keyword, value) in values {
        section(&[field(keyword, value)], out);
    }
    if !words.is_empty() {
        pairs(words.iter().map(|word| (*word).to_owned()).collect(), out);
    }
}

fn file(file: &FileFields, out: &mut Sysprint) {
    title("VOLUMES", out);
    for (serial, device, sequence) in &file.volumes {
        let volume = [
            field("VOLSER", serial),
            field("DEVTYPE", device),
            field("FSEQN", sequence),
        ];
        section(&volume, out);
    }
}

/// Instead of the name that an alias with symbols has on a system that lacks one of them.
const NOT_RESOLVED: &str = "(NONE)";

fn associations(entry: &ListcatEntry, out: &mut Sysprint) {
    if entry.associations.is_empty() && entry.symbolic.is_none() {
        if entry.kind == Kind::NonVsam {
            title(&fill(26, "ASSOCIATIONS", "(NULL)"), out);
        }
        return;
    }
    title("ASSOCIATIONS", out);
    if let Some((text, name)) = &entry.symbolic {
        out.line(&format!("       SYMBOLIC-{text}"));
        out.line(&format!("       RESOLVED-{}", name.as_deref().unwrap_or(NOT_RESOLVED)));
    }
    for (kind, name) in &entry.associations {
        let word = match kind {
            Kind::UserCatalog => "UCAT",
            kind => kind.word(),
        };
        out.line(&format!("       {word:-<9}{name}"));
    }
}

fn attributes(c: &ComponentFields, out: &mut Sysprint) {
    title("ATTRIBUTES", out);
    section(
        &[
            field("KEYLEN", c.key_length),
            field("AVGLRECL", c.average_record),
            field("BUFSPACE", c.buffer_space),
            field("CISIZE", c.ci_size),
        ],
        out,
    );
    section(
        &[
            field("RKP", c.key_offset),
            field("MAXLRECL", c.maximum_record),
            field("EXCPEXIT", null(&c.exception_exit)),
            field("CI/CA", c.ci_per_ca),
        ],
        out,
    );
    if let Some(offset) = c.alternate_key_offset {
        section(&[field("AXRKP", offset)], out);
    }
    let share = format!("SHROPTNS({},{})", c.share.0, c.share.1);
    pairs(
        std::iter::once(share)
            .chain(c.words.iter().map(|word| (*word).to_owned()))
            .collect(),
        out,
    );
    // Only where characters are not what they are anyway.
    if !matches!(c.ccsid, 0 | 819) {
        section(&[field("CCSID", c.ccsid)], out);
    }
}

/// Words two by two in fields, the first at the left and the second at the right; four fields in a line.
fn pairs(words: Vec<String>, out: &mut Sysprint) {
    let fields: Vec<String> = words
        .chunks(2)
        .map(|pair| match pair {
            [left, right] => format!("{left}{right:>width$}", width = FIELD.saturating_sub(left.len())),
            alone => alone.concat(),
        })
        .collect();
    fields.chunks(4).for_each(|line| section(line, out));
}

fn statistics(c: &ComponentFields, out: &mut Sysprint) {
    let s = &c.statistics;
    let stamp = format!("     {}", timestamp(s.last_change));
    let left = [
        [field("REC-TOTAL", s.records), field("SPLITS-CI", s.ci_splits)],
        [field("REC-DELETED", s.deleted), field("SPLITS-CA", s.ca_splits)],
        [
            field("REC-INSERTED", s.inserted),
            field("FREESPACE-%CI", c.free_percent.0),
        ],
        [
            field("REC-UPDATED", s.updated),
            field("FREESPACE-%CA", c.free_percent.1),
        ],
        [field("REC-RETRIEVED", s.retrieved), field("FREESPC", s.free_space)],
    ];
    let middle = [
        field("EXCPS", s.excps),
        field("EXTENTS", c.extents),
        "SYSTEM-TIMESTAMP:".to_owned(),
        stamp,
    ];
    // The last two fields are wider than the column and begin before it.
    let right = c.index.map(|i| {
        [
            "     INDEX:".to_owned(),
            format!("     {}", field("LEVELS", i.levels)),
            format!("     {}", field("ENTRIES/SECT", i.entries_per_section)),
            format!(" {}", fill(28, "SEQ-SET-RBA", i.sequence_set)),
            format!(" {}", fill(28, "HI-LEVEL-RBA", i.high_level)),
        ]
    });
    title("STATISTICS", out);
    for (line, [first, second]) in left.iter().enumerate() {
        let third = middle.get(line).map_or("", String::as_str);
        let fourth = right.as_ref().map_or("", |right| right[line].as_str());
        out.line(format!("       {first}     {second}     {third:FIELD$}{fourth}").trim_end());
    }
}

/// The clock of S/370: microseconds since 1900 in bits 0-51.
fn timestamp(nanoseconds: u64) -> String {
    /// From 1900 to 1970.
    const SECONDS: u64 = 2_208_988_800;
    let ticks = match nanoseconds {
        0 => 0,
        n => (SECONDS * 1_000_000 + n / 1_000) << 12,
    };
    format!("X'{ticks:016X}'")
}

fn allocation(c: &ComponentFields, out: &mut Sysprint) {
    title("ALLOCATION", out);
    section(
        &[field("SPACE-TYPE", c.space_type), field("HI-A-RBA", c.high_allocated)],
        out,
    );
    section(&[field("SPACE-PRI", c.space.0), field("HI-U-RBA", c.high_used)], out);
    section(&[field("SPACE-SEC", c.space.1)], out);
}

/// Volumes as VOLUME shows them.
fn volumes(c: &ComponentFields, fields: Fields, out: &mut Sysprint) {
    if fields < Fields::Volume {
        return;
    }
    title("VOLUMES", out);
    for volume in &c.volumes {
        section(
            &[field("VOLSER", &volume.serial), field("DEVTYPE", device(volume))],
            out,
        );
    }
}

fn device(volume: &VolumeFields) -> String {
    format!("X'{:08X}'", volume.device)
}

fn volume(v: &VolumeFields, c: &ComponentFields, out: &mut Sysprint) {
    title("VOLUME", out);
    let (flag, allocated, used) = match (v.extents.first(), v.extents.last()) {
        (Some(first), Some(last)) => {
            let flag = if first.low_rba == 0 { "PRIME" } else { "OVERFLOW" };
            let used = if c.high_used > first.low_rba {
                c.high_used.min(last.high_rba + 1)
            } else {
                0
            };
            (flag, last.high_rba + 1, used)
        }
        _ => ("CANDIDATE", 0, 0),
    };
    section(
        &[
            field("VOLSER", &v.serial),
            field("PHYREC-SIZE", v.physical_record),
            field("HI-A-RBA", allocated),
            field("EXTENT-NUMBER", v.extents.len()),
        ],
        out,
    );
    section(
        &[
            field("DEVTYPE", device(v)),
            field("PHYRECS/TRK", v.records_per_track),
            field("HI-U-RBA", used),
            field("EXTENT-TYPE", "X'00'"),
        ],
        out,
    );
    section(&[field("VOLFLAG", flag), field("TRACKS/CA", v.tracks_per_ca)], out);
    if !v.extents.is_empty() {
        section(&["EXTENTS:".to_owned()], out);
    }
    for extent in &v.extents {
        let (low, high) = (extent.first_track, extent.first_track + extent.tracks.saturating_sub(1));
        section(
            &[
                field("LOW-CCHH", cchh(low, v.tracks_per_cylinder)),
                field("LOW-RBA", extent.low_rba),
                field("TRACKS", extent.tracks),
            ],
            out,
        );
        section(
            &[
                field("HIGH-CCHH", cchh(high, v.tracks_per_cylinder)),
                field("HIGH-RBA", extent.high_rba),
            ],
            out,
        );
    }
}

/// A track's address: 16 bits of the cylinder, then 12 bits for cylinders beyond and 4 of the head, or the head alone.
fn cchh(track: u64, tracks_per_cylinder: u32) -> String {
    let (cylinder, head) = (
        track / u64::from(tracks_per_cylinder.max(1)),
        track % u64::from(tracks_per_cylinder.max(1)),
    );
    format!(
        "X'{:04X}{:04X}'",
        cylinder & 0xFFFF,
        (cylinder >> 16 & 0xFFF) << 4 | head
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_24_wide_and_keeps_a_dash() {
        assert_eq!(field("KEYLEN", 11), "KEYLEN----------------11");
        assert_eq!(field("HI-A-RBA", 829_440), "HI-A-RBA----------829440");
        assert_eq!(field("REC-RETRIEVED", u64::MAX), "REC-RETRIEVED-18446744073709551615");
    }

    #[test]
    fn the_clock_counts_microseconds_from_1900() {
        assert_eq!(timestamp(0), "X'0000000000000000'");
        // 1970-01-01 00:00:00.
        assert_eq!(timestamp(1), "X'7D91048BCA000000'");
    }

    #[test]
    fn track_addresses_go_beyond_65535_cylinders() {
        assert_eq!(cchh(14, 15), "X'0000000E'");
        assert_eq!(cchh(0x01D2 * 15 + 14, 15), "X'01D2000E'");
        assert_eq!(cchh(65_536 * 15 + 3, 15), "X'00000013'");
    }
}
