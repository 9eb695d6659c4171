//! GnuCOBOL programs on Cica's data sets, already compiled ones too: `libcica_cobol.so`, loaded in front of libcob.
//!
//! ```text
//! border     cob_open, cob_read ...: what programs call; passes on what is not Cica's     (unsafe: C)
//! taking     a file becomes Cica's and libcob's again;  kept: what is kept for it         (unsafe: C)
//! run_unit   COMMIT, ROLLBACK and the end of the program, over all its files              (unsafe: C)
//! extfh      CICAFH: the same for programs compiled with -fcallfh;  shadow: their files (unsafe: C)
//! described  what is open of both ways, so that each knows the other's                   (unsafe: C)
//! libcob     libcob's layouts and functions; refuses a libcob it does not know            (unsafe: C)
//! name, amp, operands, generation, fd   ASSIGN -> data set; the program's FD against the catalog;  made: what is another run's
//! opening    what an OPEN asks for and becomes;  open: OPEN and CLOSE
//! bias       what became of AMP's words of system-managed buffering
//! open_file  an open file, source: where its data set is;  indexed, request: its requests;  record: what they read
//! strings    its strings, in the unit of recovery or not: at OPEN, behind a load, after ROLLBACK
//! alternate  alternate keys and their alternate indexes;  loaded_keys: those of a load
//! open_plain, plain   sequential files that are no data sets of VSAM's, and in EBCDIC
//! looks      records that look like EBCDIC
//! code_set, as_read     EBCDIC data sets under ASCII programs, by a copybook (cica_copybook), and their signs
//! system     CBL_CHECK_FILE_EXIST and others, whose names may be data sets'             (unsafe: C)
//! record_lock  LOCK MODE, READ WITH LOCK
//! unit       COMMIT and ROLLBACK: the run unit's unit of recovery
//! signal     what ends the program: its files are whole, and nothing hangs                (unsafe: C)
//! status     the table of FILE STATUS;  process: session and fork guard;  tell: messages
//! ```
//! 1. A file is Cica's or libcob's from OPEN to CLOSE; libcob never sees a request for one of Cica's.
//! 2. No panic leaves the library: the request gets status 30, and the data set is as after any failed request.
//! 3. Every status comes from the table in [`status`].

#![deny(unsafe_op_in_unsafe_fn)]

mod alternate;
pub mod amp;
mod as_read;
mod bias;
pub mod border;
pub mod code_set;
mod described;
pub mod extfh;
pub mod fd;
mod generation;
pub mod indexed;
mod kept;
pub mod libcob;
mod loaded_keys;
mod looks;
mod made;
pub mod name;
mod open;
pub mod open_file;
mod open_plain;
mod opening;
mod operands;
mod plain;
pub mod process;
pub mod record;
pub mod record_lock;
mod request;
mod run_unit;
mod shadow;
mod signal;
pub mod sort_files;
mod sorting;
mod source;
pub mod status;
mod strings;
mod system;
mod taking;
pub mod tell;
pub mod unit;
pub mod units_setting;
