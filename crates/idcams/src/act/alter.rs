//! ALTER.

use super::Services;
use crate::params::Command;
use crate::sysprint::Sysprint;

pub(super) fn alter(_services: &mut Services, _cmd: &Command, _out: &mut Sysprint) -> u8 {
    12
}
