//! Who is at the other end of a socket, as the kernel says.
#![allow(unsafe_code)]

use rustix::fd::{AsFd, AsRawFd};
use std::io;
use std::mem::{size_of, MaybeUninit};

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerProcess {
    /// Its process as this one sees it; 0: this one sees it not, as it is in another name space of processes.
    pub process: i32,
    /// Its user.
    pub user: u32,
}

impl PeerProcess {
    /// Of a Unix socket, when it was connected.
    ///
    /// # Errors
    /// It is no connected one.
    pub fn of(socket: impl AsFd) -> io::Result<PeerProcess> {
        let mut found = MaybeUninit::<libc::ucred>::zeroed();
        let mut length = size_of::<libc::ucred>() as libc::socklen_t;
        // SAFETY: the kernel writes `length` bytes at most, all of them ours; any bytes are such numbers.
        let found = unsafe {
            let (socket, into) = (socket.as_fd().as_raw_fd(), found.as_mut_ptr().cast());
            if libc::getsockopt(socket, libc::SOL_SOCKET, libc::SO_PEERCRED, into, &mut length) != 0 {
                return Err(io::Error::last_os_error());
            }
            found.assume_init()
        };
        Ok(PeerProcess {
            process: found.pid,
            user: found.uid,
        })
    }
}

impl PeerProcess {
    /// Is it stopped, as by SIGSTOP or in a debugger? No, where that cannot be seen.
    pub fn is_stopped(&self) -> bool {
        is_stopped(self.process)
    }
}

/// The same of the process with this number.
pub(super) fn is_stopped(process: i32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // Behind the name of the command, which may have anything in it.
    let behind = state.rsplit_once(") ").map_or("", |(_, behind)| behind);
    behind.starts_with(['T', 't'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    #[test]
    fn the_other_end_of_a_pair_is_this_process() {
        let (one, _other) = UnixStream::pair().expect("a pair");
        let own = PeerProcess {
            process: std::process::id() as i32,
            user: rustix::process::geteuid().as_raw(),
        };
        assert_eq!(PeerProcess::of(&one).expect("a peer"), own);
        assert!(!own.is_stopped());
    }
}
