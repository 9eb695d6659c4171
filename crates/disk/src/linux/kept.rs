//! Who may read and write a file that takes the place of another: whoever might before, and nobody else.
//!
//! The owner, the group, the mode and the list of who may do what (ACL) are those of the file that is replaced. Where
//! the process may not give it that group, the group it has instead gets what everybody has, and everybody what the old
//! group had: nobody has more than before.

use super::place::DirectoryEntry;
use rustix::fd::OwnedFd;
use rustix::fs::{self, Gid, Mode, Stat, Uid, XattrFlags};
use rustix::io::Errno;

const LIST: &str = "system.posix_acl_access";

/// Gives `new`, which nobody else can open, the rights of `there`, which has the name `place`.
pub(super) fn keep_rights(place: &DirectoryEntry<'_>, there: &Stat, new: &OwnedFd) -> Result<(), Errno> {
    let list = match place.attribute(LIST) {
        Ok(list) => Some(list),
        Err(Errno::NODATA | Errno::OPNOTSUPP) => None,
        // There may be one.
        Err(_) => Some(Vec::new()),
    };
    // The one that the directory gives to what is made in it.
    match fs::fremovexattr(new, LIST) {
        Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP) => {}
        Err(error) => return Err(error),
    }
    let own = fs::fstat(new)?;
    let (owner, group) = (Uid::from_raw(there.st_uid), Gid::from_raw(there.st_gid));
    // Who may not give files away may give them to a group of his own.
    // What came of it is looked at.
    let _ = fs::fchown(new, Some(owner), Some(group)).or_else(|_| fs::fchown(new, None, Some(group)));
    let mut keeps_group = fs::fstat(new)?.st_gid == there.st_gid;
    let set = |keeps_group| {
        fs::fchmod(
            new,
            Mode::from_raw_mode(mode(there.st_mode, keeps_group, list.is_some())),
        )
    };
    if let Err(Errno::PERM) = set(keeps_group) {
        // Whoever may give files away, and may do no more with those of others, keeps it for himself.
        fs::fchown(new, Some(Uid::from_raw(own.st_uid)), Some(Gid::from_raw(own.st_gid)))?;
        keeps_group = own.st_gid == there.st_gid;
        set(keeps_group)?;
    }
    if let (Some(list), true) = (list, keeps_group) {
        // The bits of the group are the most that the list gives: without it only the owner's say what they said, and the
        // file has these alone.
        let _ = fs::fsetxattr(new, LIST, &list, XattrFlags::empty());
    }
    Ok(())
}

/// The mode of a file in place of one with `mode`, without its list.
fn mode(mode: u32, keeps_group: bool, has_list: bool) -> u32 {
    let (owner, group, others) = (mode & 0o700, mode & 0o070, mode & 0o007);
    let both = group >> 3 & others;
    match (has_list, keeps_group) {
        (true, _) => owner,
        (false, true) => owner | group | others,
        (false, false) => owner | both << 3 | both,
    }
}

#[cfg(test)]
mod tests {
    use super::mode;

    #[test]
    fn nobody_gets_more_than_before() {
        for (before, keeps_group, has_list, after) in [
            (0o640, true, false, 0o640),
            (0o640, false, false, 0o600),
            (0o664, false, false, 0o644),
            (0o646, false, false, 0o644),
            (0o604, false, false, 0o600),
            (0o4755, true, false, 0o755),
            (0o660, true, true, 0o600),
            (0o644, false, true, 0o600),
        ] {
            assert_eq!(mode(before, keeps_group, has_list), after, "{before:o}");
        }
    }
}
