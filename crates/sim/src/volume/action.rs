//! What is done on a volume, one line each.

use std::fmt;

use crate::mortal::Kill;
use crate::request::Request;

/// One action. A data set is open in the program, or closed and a matter for commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VolumeAction {
    /// The program opens a data set for output.
    Open(usize),
    /// The program makes a request.
    Request(usize, Request),
    /// The program closes a data set.
    Close(usize),
    /// A process of its own runs a control card about a data set.
    Card(usize, Card),
    /// The same about a generation data group, which is defined, or deleted if it is there.
    Group(u8),
    /// The program is killed, now or later; another one opens what it had open.
    Kill(Kill),
    /// The process that runs the next command is killed in that.
    KillCommand(Kill, Then),
}

/// What comes after the kill of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// Another process looks at what it left, and so makes it durable.
    Seen,
    /// The next action meets what it left.
    Unseen,
}

/// A control card about a data set that is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Card {
    /// DEFINE CLUSTER.
    Define,
    /// DELETE, with what is over it.
    Delete,
    /// ALTER NEWNAME, there or back.
    Rename,
    /// ALTER FREESPACE.
    FreeSpace(u8, u8),
    /// ALTER REORGANIZE.
    Reorganize,
    /// RESTORE REPLACE from a copy made before the run.
    Restore,
    /// EXPORT TEMPORARY.
    Export,
    /// EXPORT PERMANENT, which deletes.
    ExportAway,
    /// IMPORT from such a copy, of a data set that is not there or was exported.
    Import,
    /// REPRO from the data set of that number.
    Repro(usize),
    /// DEFINE ALTERNATEINDEX.
    DefineIndex,
    /// DEFINE PATH.
    DefinePath,
    /// BLDINDEX.
    BuildIndex,
    /// ALTER FREESPACE of the alternate index.
    AlterIndex(u8),
    /// ALTER UPDATE or NOUPDATE of the path, whichever it has not.
    AlterPath,
    /// DELETE of the path alone.
    DeletePath,
    /// DELETE of the alternate index, with its path.
    DeleteIndex,
    /// VERIFY.
    Verify,
    /// EXAMINE.
    Examine,
}

impl VolumeAction {
    /// Whether a process of its own does it.
    pub fn is_command(&self) -> bool {
        matches!(self, VolumeAction::Card(..) | VolumeAction::Group(_))
    }

    /// The data set it is about.
    pub fn slot(&self) -> Option<usize> {
        match self {
            VolumeAction::Open(slot)
            | VolumeAction::Request(slot, _)
            | VolumeAction::Close(slot)
            | VolumeAction::Card(slot, _) => Some(*slot),
            VolumeAction::Group(_) | VolumeAction::Kill(_) | VolumeAction::KillCommand(..) => None,
        }
    }
}

impl fmt::Display for VolumeAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VolumeAction::Open(slot) => write!(f, "{slot}: open"),
            VolumeAction::Request(slot, request) => write!(f, "{slot}: {request}"),
            VolumeAction::Close(slot) => write!(f, "{slot}: close"),
            VolumeAction::Card(slot, card) => write!(f, "{slot}: card {card:?}"),
            VolumeAction::Group(number) => write!(f, "group {number}"),
            VolumeAction::Kill(kill) => write!(f, "kill {kill}"),
            VolumeAction::KillCommand(kill, Then::Seen) => write!(f, "kill {kill} the next command"),
            VolumeAction::KillCommand(kill, Then::Unseen) => write!(f, "kill {kill} the next command, unseen"),
        }
    }
}
