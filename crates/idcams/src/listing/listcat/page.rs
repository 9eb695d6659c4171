//! An entry as LISTCAT prints it. Programs read this with patterns, so each column is where z/OS has it.
//!
//! ```text
//! DATA ---------- A.B.DATA                                                   kind and name, double spaced
//!      IN-CAT --- /cat
//!      ATTRIBUTES                                                            5 blanks: a heading
//!        KEYLEN----------------11     AVGLRECL-------------300     ...       7 blanks: fields of 24, 5 blanks between
//! ```

use super::columns::{columns, filled, lines, text, WIDTH};
use crate::params::Params;
use crate::sysprint::Sysprint;
use cica_admin::listcat::fields::{
    ACCOUNT, ALLOCATION, ATTRIBUTES, CCSID, CLASSES, ENCRYPTION, EXTENT, FILE, FILE_VOLUMES, HISTORY, INDEX, LOGSTREAM,
    MANAGED, RECOVERY, RLSDATA, SMSDATA, SPACE, STATISTICS, STATUS, VOLUME, VOLUMES,
};
use cica_admin::listcat::group::Group;
use cica_admin::listcat::{
    ClusterFields, ComponentFields, FileFields, HistoryFields, IndexFields, ListcatEntry, VolumeEntry, VolumeFields,
};
use cica_catalog::entry::EntryKind;
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

impl Fields {
    /// How much a command asks for.
    pub fn of(params: &Params) -> Fields {
        const WORDS: [(&str, Fields); 4] = [
            ("HISTORY", Fields::History),
            ("VOLUME", Fields::Volume),
            ("ALLOCATION", Fields::Allocation),
            ("ALL", Fields::All),
        ];
        WORDS
            .into_iter()
            .find(|(word, _)| params.flag(word))
            .map_or(Fields::Name, |(_, fields)| fields)
    }
}

/// Prints an entry; `nested`: under the entry it belongs to, and so indented.
pub fn entry(entry: &ListcatEntry, fields: Fields, nested: bool, out: &mut Sysprint) {
    let word = match entry.kind {
        EntryKind::Gdg => "GDG BASE",
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

/// Prints a volume.
pub fn space(volume: &VolumeEntry, fields: Fields, out: &mut Sysprint) {
    heading("VOLUME", &volume.serial, &volume.catalog, false, out);
    if fields == Fields::Name {
        return;
    }
    titled(&SPACE, volume, out);
    section(&[format!("DIRECTORY--{}", volume.directory.display())], out);
}

/// What ALL shows of an entry between its history and its volumes.
fn before_volumes(entry: &ListcatEntry, out: &mut Sysprint) {
    match (entry.kind, &entry.cluster) {
        (EntryKind::Data, Some(cluster)) => rows(&ACCOUNT, cluster, out),
        (EntryKind::Cluster, Some(cluster)) => cluster_sections(cluster, out),
        (EntryKind::Aix, Some(cluster)) => {
            rows(&MANAGED, cluster, out);
            encryption(out);
        }
        _ => {}
    }
    if let Some(file) = &entry.file {
        let unsaid = ClusterFields::default();
        rows(&ACCOUNT, &unsaid, out);
        rows(&STATUS, file, out);
        titled(&CLASSES, &unsaid, out);
        encryption(out);
    }
    if entry.cluster.is_some() || entry.kind == EntryKind::Path {
        let password = entry.cluster.as_ref().is_some_and(|cluster| cluster.password);
        let password = if password { "(SUPP)" } else { "(NULL)" };
        let racf = field("RACF", "(NO)");
        out.line(&format!("     {}     {racf}", filled(26, "PROTECTION-PSWD", password)));
    }
}

/// What ALL shows of an entry behind its volumes; the words of a path and of a file stand last.
fn after_volumes(entry: &ListcatEntry, out: &mut Sysprint) {
    match entry.kind {
        EntryKind::Path => {
            associations(entry, out);
            words(&entry.values, &entry.words, out);
        }
        EntryKind::NonVsam => {
            associations(entry, out);
            title(FILE.title, out);
            if let Some(file) = &entry.file {
                rows(&FILE, file, out);
            }
        }
        EntryKind::Gdg => {
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
fn heading(word: &str, name: &dyn Display, catalog: &str, nested: bool, out: &mut Sysprint) {
    let word = format!("{}{word} ", if nested { "   " } else { "" });
    out.double(&format!("{word:-<15} {name}"));
    out.line(&format!("     IN-CAT --- {catalog}"));
}

/// Label, dashes, value: 24 characters, or more when they do not suffice for one dash.
pub fn field(label: &str, value: impl Display) -> String {
    filled(WIDTH, label, &value.to_string())
}

/// Fields below a heading, in one line.
fn section(fields: &[String], out: &mut Sysprint) {
    out.line(format!("       {}", columns(fields)).trim_end());
}

/// A heading within an entry.
fn title(text: &str, out: &mut Sysprint) {
    out.line(&format!("     {text}"));
}

/// The title of a group, and its lines.
fn titled<T>(group: &Group<T>, of: &T, out: &mut Sysprint) {
    title(group.title, out);
    rows(group, of, out);
}

/// The lines of a group.
fn rows<T>(group: &Group<T>, of: &T, out: &mut Sysprint) {
    lines(group, of)
        .iter()
        .for_each(|line| out.line(&format!("       {line}")));
}

fn history(history: &HistoryFields, out: &mut Sysprint) {
    titled(&HISTORY, history, out);
}

fn cluster_sections(cluster: &ClusterFields, out: &mut Sysprint) {
    titled(&CLASSES, cluster, out);
    rows(&SMSDATA, cluster, out);
    titled(&RLSDATA, cluster, out);
    lines(&LOGSTREAM, cluster)
        .iter()
        .for_each(|line| out.double(&format!("       {line}")));
    rows(&RECOVERY, cluster, out);
    encryption(out);
}

fn encryption(out: &mut Sysprint) {
    titled(&ENCRYPTION, &(), out);
}

/// The attributes of a group: its limit and its words in one line, 11 columns a word.
fn group(values: &[(String, String)], words: &[&'static str], out: &mut Sysprint) {
    title(ATTRIBUTES.title, out);
    let limits: Vec<String> = values.iter().map(|(keyword, value)| field(keyword, value)).collect();
    let words: String = words.iter().map(|word| format!("{word:<11}")).collect();
    section(&[format!("{}      {words}", limits.join("     "))], out);
}

fn words(values: &[(String, String)], words: &[&'static str], out: &mut Sysprint) {
    if values.is_empty() && words.is_empty() {
        return;
    }
    title(ATTRIBUTES.title, out);
    for (keyword, value) in values {
        section(&[field(keyword, value)], out);
    }
    if !words.is_empty() {
        pairs(words.iter().map(|word| (*word).to_owned()).collect(), out);
    }
}

fn file(file: &FileFields, out: &mut Sysprint) {
    title(FILE_VOLUMES.title, out);
    file.volumes.iter().for_each(|volume| rows(&FILE_VOLUMES, volume, out));
}

/// Instead of the name that an alias with symbols has on a system that lacks one of them.
const NOT_RESOLVED: &str = "(NONE)";

fn associations(entry: &ListcatEntry, out: &mut Sysprint) {
    if entry.associations.is_empty() && entry.symbolic.is_none() {
        if entry.kind == EntryKind::NonVsam {
            title(&filled(26, "ASSOCIATIONS", "(NULL)"), out);
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
            EntryKind::UserCatalog => "UCAT",
            kind => kind.word(),
        };
        out.line(&format!("       {word:-<9}{name}"));
    }
}

fn attributes(c: &ComponentFields, out: &mut Sysprint) {
    titled(&ATTRIBUTES, c, out);
    let share = format!("SHROPTNS({},{})", c.share.0, c.share.1);
    pairs(
        std::iter::once(share)
            .chain(c.words.iter().map(|word| (*word).to_owned()))
            .collect(),
        out,
    );
    rows(&CCSID, c, out);
}

/// Words two by two in fields, the first at the left and the second at the right; four fields in a line.
fn pairs(words: Vec<String>, out: &mut Sysprint) {
    let fields: Vec<String> = words
        .chunks(2)
        .map(|pair| match pair {
            [left, right] => format!("{left}{right:>width$}", width = WIDTH.saturating_sub(left.len())),
            alone => alone.concat(),
        })
        .collect();
    fields.chunks(4).for_each(|line| section(line, out));
}

fn statistics(c: &ComponentFields, out: &mut Sysprint) {
    title(STATISTICS.title, out);
    let stamp = format!("     {}", timestamp(c.statistics.last_change));
    // In the third column, below EXCPS and EXTENTS.
    let below = [None, None, Some("SYSTEM-TIMESTAMP:"), Some(stamp.as_str())];
    // In the fourth column, which ends where it does elsewhere.
    let index = |index: &IndexFields| {
        INDEX.rows[0]
            .iter()
            .filter_map(|field| text(field, index))
            .collect::<Vec<_>>()
    };
    let index = c.index.as_ref().map_or_else(Vec::new, index);
    let fourth = index
        .first()
        .map(|_| format!("{:24}", "INDEX:"))
        .into_iter()
        .chain(index);
    let mut fourth = fourth.collect::<Vec<_>>().into_iter();
    for (i, line) in lines(&STATISTICS, c).into_iter().enumerate() {
        let line = match below.get(i).copied().flatten() {
            Some(third) => format!("{line:58}{third}"),
            None => line,
        };
        let fourth = fourth.next().unwrap_or_default();
        out.line(format!("       {line:82}{fourth:>29}").trim_end());
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
    titled(&ALLOCATION, c, out);
}

/// Volumes as VOLUME shows them.
fn volumes(c: &ComponentFields, fields: Fields, out: &mut Sysprint) {
    if fields < Fields::Volume {
        return;
    }
    title(VOLUMES.title, out);
    c.volumes.iter().for_each(|volume| rows(&VOLUMES, volume, out));
}

fn volume(v: &VolumeFields, c: &ComponentFields, out: &mut Sysprint) {
    titled(&VOLUME, &(v.clone(), c.high_used), out);
    if !v.extents.is_empty() {
        section(&["EXTENTS:".to_owned()], out);
    }
    for extent in &v.extents {
        rows(&EXTENT, &(*extent, v.tracks_per_cylinder), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_counts_microseconds_from_1900() {
        assert_eq!(timestamp(0), "X'0000000000000000'");
        // 1970-01-01 00:00:00.
        assert_eq!(timestamp(1), "X'7D91048BCA000000'");
    }
}
