//! LISTCAT.

use super::Services;
use crate::params::Command;
use crate::sysprint::Sysprint;

pub(super) fn listcat(_services: &mut Services, _cmd: &Command, _out: &mut Sysprint) -> u8 {
    12
}
