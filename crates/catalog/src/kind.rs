//! The kinds of entries and components, and the words and letters for them.

/// The kinds of entries and components, in LISTCAT's order of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EntryKind {
    /// Alternate index.
    Aix,
    /// Alias.
    Alias,
    /// Cluster.
    Cluster,
    /// Data component.
    Data,
    /// Generation data group.
    Gdg,
    /// Index component.
    Index,
    /// Non-VSAM data set.
    NonVsam,
    /// Path.
    Path,
    /// User catalog.
    UserCatalog,
}

impl EntryKind {
    /// LISTCAT's word.
    pub fn word(self) -> &'static str {
        match self {
            EntryKind::Aix => "AIX",
            EntryKind::Alias => "ALIAS",
            EntryKind::Cluster => "CLUSTER",
            EntryKind::Data => "DATA",
            EntryKind::Gdg => "GDG",
            EntryKind::Index => "INDEX",
            EntryKind::NonVsam => "NONVSAM",
            EntryKind::Path => "PATH",
            EntryKind::UserCatalog => "USERCATALOG",
        }
    }

    /// The letter messages print in parentheses: `ENTRY (C) ...`.
    pub fn letter(self) -> char {
        match self {
            EntryKind::Aix => 'G',
            EntryKind::Alias => 'X',
            EntryKind::Cluster => 'C',
            EntryKind::Data => 'D',
            EntryKind::Gdg => 'B',
            EntryKind::Index => 'I',
            EntryKind::NonVsam => 'A',
            EntryKind::Path => 'R',
            EntryKind::UserCatalog => 'U',
        }
    }
}
