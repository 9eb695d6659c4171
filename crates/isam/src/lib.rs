//! C programs written to the ISAM calls (isbuild, isopen, isread, isstart, iswrite ...), on VSAM data sets.
//! `include/isam.h` is the manual; this crate is what stands behind it. `include/cica/ndbm.h` has the calls that POSIX
//! has for pairs of a key and a content, on the same files.
//!
//! A file is a KSDS with an alternate index for each further key, which IDCAMS, COBOL programs and the `cica` command
//! know as any other. What the ISAM Interface Program was on z/OS, for the calls that C programs have.
//!
//! ```text
//! calls        the calls, in the header's order          described   keydesc, dictinfo
//! border       one call at a time; iserrno               process     catalog, open files, transaction
//! ndbm pairs   the calls of `ndbm.h`, and how pairs lie in records
//! interrupt    signals while a call waits
//! building     what makes and ends files and keys
//! reading changing                                       file        an open file: key, current record, locks
//! name mode    from a name to a data set; numbers        layout key  how records and keys lie in a data set
//! error        numbers of iserrno
//! ```

#![deny(unsafe_op_in_unsafe_fn)]
// The header's names are C's.
#![allow(non_upper_case_globals)]

mod border;
mod building;
mod calls;
mod changing;
mod described;
mod error;
mod file;
mod interrupt;
mod key;
mod layout;
mod mode;
mod name;
mod ndbm;
mod pairs;
mod process;
mod reading;

pub use border::{is_errlist, is_nerr, iserrio, iserrno, iserrtext, isreclen, isrecnum};
pub use calls::*;
pub use described::{FileDescription, KeyDescription, KeyPart};
pub use error::NUMBERS;
pub use ndbm::*;
pub use pairs::{Datum, Dbm};
