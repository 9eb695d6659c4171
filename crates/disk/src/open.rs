//! [`Open`]: how a file is opened.

/// How [`Disk::open`](crate::Disk::open) opens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Open {
    /// Reading and writing, or reading alone.
    pub write: bool,
    /// What to do about a name that is not there, or is.
    pub create: Create,
    /// The lock to take, without waiting.
    pub lock: Lock,
    /// Go around the page cache where the file system takes it; that serves requests whose buffer address, offset
    /// and length divide by 4,096, all others go through the cache.
    pub direct: bool,
    /// Small reads may be copied from memory that shows the file, if it is no longer than this; 0: none are. Not for
    /// `direct`. What they return is what a read with a call would return.
    pub window: u64,
    /// The path is a directory, opened to be synced; with `create` it is made (its parent must be there).
    pub directory: bool,
}

/// See [`Open::create`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Create {
    /// The file must be there.
    #[default]
    No,
    /// Made when it is not there.
    IfMissing,
    /// Must not be there; made now.
    New,
}

/// See [`Open::lock`]; advisory, between openers that ask.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Lock {
    /// None.
    #[default]
    None,
    /// With others that share.
    Shared,
    /// Alone.
    Exclusive,
}

/// How [`Disk::stream`](crate::Disk::stream) opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamMode {
    /// To be read; links are followed, and what is no plain file is read as it comes.
    Read,
    /// To be read if it is a plain file; a link in its place is not followed.
    ReadPlain,
    /// To be written behind what it has; a link in its place is not followed.
    Behind,
}
