//! libcob, which is in the program already: its layouts ([`layout`]) and the functions that are needed of it.
//!
//! Nothing is linked: a program that is no COBOL program must not notice that the library is there. A libcob is used
//! only when its version is known and its exception codes are found where they belong; else every request goes on to it
//! untouched, after one message.

pub mod fcd;
pub mod imports;
pub mod layout;

use crate::status::Status;
use crate::tell::{tell, CICA1201W};
use fcd::Fcd;
use layout::{Field, File, Global};
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_void, CStr};
use std::mem::transmute_copy;
use std::sync::OnceLock;

/// A handler that a program names itself: two bytes of operation, and a file control description.
pub type FileHandler = unsafe extern "C" fn(*mut c_uchar, *mut Fcd) -> c_int;

/// The functions that are interposed, as libcob has them.
pub struct Next {
    /// cob_open
    pub open: Option<unsafe extern "C" fn(*mut File, c_int, c_int, *mut Field)>,
    /// cob_close
    pub close: Option<unsafe extern "C" fn(*mut File, *mut Field, c_int, c_int)>,
    /// cob_read
    pub read: Option<unsafe extern "C" fn(*mut File, *mut Field, *mut Field, c_int)>,
    /// cob_read_next
    pub read_next: Option<unsafe extern "C" fn(*mut File, *mut Field, c_int)>,
    /// cob_write
    pub write: Option<unsafe extern "C" fn(*mut File, *mut Field, c_int, *mut Field, c_uint)>,
    /// cob_rewrite
    pub rewrite: Option<unsafe extern "C" fn(*mut File, *mut Field, c_int, *mut Field)>,
    /// cob_delete
    pub delete: Option<unsafe extern "C" fn(*mut File, *mut Field)>,
    /// cob_start
    pub start: Option<unsafe extern "C" fn(*mut File, c_int, *mut Field, *mut Field, *mut Field)>,
    /// cob_unlock_file
    pub unlock: Option<unsafe extern "C" fn(*mut File, *mut Field)>,
    /// cob_delete_file
    pub delete_file: Option<unsafe extern "C" fn(*mut File, *mut Field)>,
    /// cob_file_free
    pub free: Option<unsafe extern "C" fn(*mut *mut File, *mut *mut c_void)>,
    /// cob_commit
    pub commit: Option<unsafe extern "C" fn()>,
    /// cob_rollback
    pub rollback: Option<unsafe extern "C" fn()>,
    /// cob_file_sort_init
    pub sort_init: Option<unsafe extern "C" fn(*mut File, c_uint, *const c_uchar, *mut c_void, *mut Field)>,
    /// cob_file_sort_using
    pub sort_using: Option<unsafe extern "C" fn(*mut File, *mut File)>,
    /// cob_file_sort_giving: a count, and so many files
    pub sort_giving: Option<unsafe extern "C" fn(*mut File, usize, ...)>,
    /// cob_file_sort_close
    pub sort_close: Option<unsafe extern "C" fn(*mut File)>,
    /// cob_sys_check_file_exist
    pub check_file: Option<unsafe extern "C" fn(*mut c_uchar, *mut c_uchar) -> c_int>,
    /// cob_sys_delete_file
    pub delete_by_name: Option<unsafe extern "C" fn(*mut c_uchar) -> c_int>,
    /// cob_sys_copy_file
    pub copy_file: Option<unsafe extern "C" fn(*mut c_uchar, *mut c_uchar) -> c_int>,
    /// cob_sys_rename_file
    pub rename_file: Option<unsafe extern "C" fn(*mut c_uchar, *mut c_uchar) -> c_int>,
    /// cob_get_num_params
    pub parameters: Option<unsafe extern "C" fn() -> c_int>,
    /// cob_get_param_str
    pub parameter: Option<unsafe extern "C" fn(c_int, *mut c_char, usize) -> *mut c_char>,
    /// cob_extfh_open
    pub extfh_open: Option<unsafe extern "C" fn(FileHandler, *mut File, c_int, c_int, *mut Field)>,
    /// cob_extfh_close
    pub extfh_close: Option<unsafe extern "C" fn(FileHandler, *mut File, *mut Field, c_int, c_int)>,
    /// EXTFH
    pub extfh: Option<FileHandler>,
}

/// A libcob whose layout is known.
pub struct Libcob {
    global: *mut Global,
    set_exception: unsafe extern "C" fn(c_int),
    get_int: unsafe extern "C" fn(*mut Field) -> c_int,
    set_int: unsafe extern "C" fn(*mut Field, c_int),
    stop_run: unsafe extern "C" fn(c_int) -> !,
    on_signal: Option<unsafe extern "C" fn(extern "C" fn(c_int))>,
    /// libcob's number of the exception for each first digit of a status.
    exceptions: [c_int; 10],
    /// 3.2: after a handler's request nobody but the handler says which file it was for, and that it went well.
    leaves_error_file: bool,
}

// SAFETY: the pointer is to libcob's one set of globals, which lives as long as the process; libcob itself shares it
// between the threads of a program without a lock, and what is stored there is one machine word.
unsafe impl Send for Libcob {}
// SAFETY: as above.
unsafe impl Sync for Libcob {}

/// Exception codes by the first digit of the status.
const CODES: [c_int; 10] = [0, 0x0501, 0x0506, 0x0509, 0x0508, 0x050A, 0x0504, 0, 0, 0x0505];

/// The function of this name behind ours; none when the program has no libcob.
fn find(name: &CStr) -> *mut c_void {
    // SAFETY: the name ends with a zero byte.
    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    if !found.is_null() {
        return found;
    }
    // A program that loaded libcob itself does not have it behind us.
    // SAFETY: the name ends with a zero byte; nothing is loaded that is not loaded already.
    unsafe {
        let library = libc::dlopen(c"libcob.so.4".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() {
            library
        } else {
            libc::dlsym(library, name.as_ptr())
        }
    }
}

/// The same as a function pointer.
///
/// # Safety
/// `F` is the function's type.
unsafe fn function<F: Copy>(name: &CStr) -> Option<F> {
    assert!(size_of::<F>() == size_of::<*mut c_void>());
    let found = find(name);
    // SAFETY: a function pointer is as large as a pointer, and its type is the caller's promise.
    (!found.is_null()).then(|| unsafe { transmute_copy(&found) })
}

/// libcob's functions behind the interposed ones.
pub fn next() -> &'static Next {
    static NEXT: OnceLock<Next> = OnceLock::new();
    // SAFETY: the types are those of libcob 3.1 and 3.2.
    NEXT.get_or_init(|| unsafe {
        Next {
            open: function(c"cob_open"),
            close: function(c"cob_close"),
            read: function(c"cob_read"),
            read_next: function(c"cob_read_next"),
            write: function(c"cob_write"),
            rewrite: function(c"cob_rewrite"),
            delete: function(c"cob_delete"),
            start: function(c"cob_start"),
            unlock: function(c"cob_unlock_file"),
            delete_file: function(c"cob_delete_file"),
            free: function(c"cob_file_free"),
            commit: function(c"cob_commit"),
            rollback: function(c"cob_rollback"),
            sort_init: function(c"cob_file_sort_init"),
            sort_using: function(c"cob_file_sort_using"),
            sort_giving: function(c"cob_file_sort_giving"),
            sort_close: function(c"cob_file_sort_close"),
            check_file: function(c"cob_sys_check_file_exist"),
            delete_by_name: function(c"cob_sys_delete_file"),
            copy_file: function(c"cob_sys_copy_file"),
            rename_file: function(c"cob_sys_rename_file"),
            parameters: function(c"cob_get_num_params"),
            parameter: function(c"cob_get_param_str"),
            extfh_open: function(c"cob_extfh_open"),
            extfh_close: function(c"cob_extfh_close"),
            extfh: function(c"EXTFH"),
        }
    })
}

/// The libcob of this process, if its layout is known.
pub fn libcob() -> Option<&'static Libcob> {
    static LIBCOB: OnceLock<Option<Libcob>> = OnceLock::new();
    LIBCOB
        .get_or_init(|| {
            let version = version();
            let known = ["3.1.", "3.2."].iter().any(|v| version.starts_with(v));
            let found = if known { Libcob::find() } else { None };
            let found = found.map(|libcob| Libcob {
                leaves_error_file: !version.starts_with("3.1."),
                ..libcob
            });
            if found.is_none() {
                tell(&CICA1201W, &[("version", &version)]);
            }
            found
        })
        .as_ref()
}

fn version() -> String {
    // SAFETY: libcob's type; it returns a text that stays.
    unsafe {
        match function::<unsafe extern "C" fn() -> *const c_char>(c"libcob_version") {
            Some(version) => CStr::from_ptr(version()).to_string_lossy().into_owned(),
            None => "of an unknown version".into(),
        }
    }
}

impl Libcob {
    fn find() -> Option<Libcob> {
        // SAFETY: the types are those of libcob 3.1 and 3.2; its globals are there once a program runs.
        unsafe {
            let get_global: unsafe extern "C" fn() -> *mut Global = function(c"cob_get_global_ptr")?;
            let global = get_global();
            if global.is_null() {
                return None;
            }
            let set_exception = function(c"cob_set_exception")?;
            Some(Libcob {
                global,
                set_exception,
                get_int: function(c"cob_get_int")?,
                set_int: function(c"cob_set_int")?,
                stop_run: function(c"cob_stop_run")?,
                on_signal: function(c"cob_reg_sighnd"),
                exceptions: exceptions(global, set_exception)?,
                leaves_error_file: false,
            })
        }
    }

    /// The status goes where libcob puts it: into the file, into FILE STATUS, and as an exception that DECLARATIVES and
    /// AT END look at.
    ///
    /// # Safety
    /// `file` is a file of the program, `item` null or its FILE STATUS.
    #[inline]
    pub unsafe fn set_status(&self, file: *mut File, item: *mut Field, status: Status) {
        let digits = status.bytes();
        // SAFETY: the caller's promise; a FILE STATUS has two bytes, and so has what `status` points to.
        unsafe {
            (*self.global).error_file = file;
            (*file).status.copy_from_nonoverlapping(digits.as_ptr(), 2);
            if let Some(item) = item.as_mut() {
                item.data.copy_from_nonoverlapping(digits.as_ptr(), item.size.min(2));
            }
            match status.class() {
                0 => (*self.global).exception = 0,
                first => (self.set_exception)(self.exceptions[usize::from(first)]),
            }
        }
    }

    /// The program's file behind a description; null where there is none, or libcob does not say which.
    ///
    /// # Safety
    /// `fcd` is a program's file control description, of a file that is not open or not known to libcob's functions.
    pub unsafe fn file_of(&self, fcd: &mut Fcd) -> *mut File {
        // For one that a program fills itself libcob would make a file, and take it for the next one at this place.
        let made = fcd.made & fcd::MADE_BY_LIBCOB != 0 || self.leaves_error_file;
        let Some(extfh) = next().extfh.filter(|_| made && !fcd.record.is_null()) else {
            return std::ptr::null_mut();
        };
        // UNLOCK of a closed file does nothing but say which file it was for, and write into the description.
        let (mut unlock, place) = ([0x00, 0x0F], std::ptr::from_mut(fcd));
        // SAFETY: the caller's promise; libcob's own globals.
        unsafe {
            let before = ((*self.global).error_file, (*self.global).exception);
            let description = place.read();
            (*self.global).error_file = std::ptr::null_mut();
            ASKED.set(Some(std::ptr::null_mut()));
            extfh(unlock.as_mut_ptr(), place);
            place.write(description);
            let answer = ASKED.take().filter(|file| !file.is_null());
            let file = answer.unwrap_or((*self.global).error_file);
            ((*self.global).error_file, (*self.global).exception) = before;
            file
        }
    }

    /// What libcob does not do itself after a request that a handler answered with this status: `file` is
    /// [`file_of`](Self::file_of).
    ///
    /// # Safety
    /// `file` is null or a file of the program.
    pub unsafe fn after_handler(&self, file: *mut File, status: Status) {
        // SAFETY: libcob's own globals.
        unsafe {
            if !file.is_null() {
                (*self.global).error_file = file;
            }
            if self.leaves_error_file && status.is_done() {
                (*self.global).exception = 0;
            }
        }
    }

    /// A number out of a data item.
    ///
    /// # Safety
    /// `field` is a data item of the program.
    pub unsafe fn number(&self, field: *mut Field) -> c_int {
        // SAFETY: the caller's promise.
        unsafe { (self.get_int)(field) }
    }

    /// A number into a data item.
    ///
    /// # Safety
    /// As [`number`](Self::number).
    pub unsafe fn set_number(&self, field: *mut Field, number: c_int) {
        // SAFETY: the caller's promise.
        unsafe { (self.set_int)(field, number) }
    }

    /// Ends the program as a run-time error does.
    pub fn stop(&self) -> ! {
        // SAFETY: no value of Rust's is on the stack of the caller, a function called by the program.
        unsafe { (self.stop_run)(1) }
    }

    /// Has `act` called when a signal ends the program.
    pub fn on_signal(&self, act: extern "C" fn(c_int)) {
        if let Some(register) = self.on_signal {
            // SAFETY: a function that stays.
            unsafe { register(act) }
        }
    }
}

thread_local! {
    /// libcob is asked which file a description is for; the answer.
    static ASKED: Cell<Option<*mut File>> = const { Cell::new(None) };
}

/// Is UNLOCK of this file but the answer to [`Libcob::file_of`]?
pub fn is_asked(file: *mut File) -> bool {
    let asked = ASKED.get().is_some();
    if asked {
        ASKED.set(Some(file));
    }
    asked
}

/// libcob counts its exceptions in an order of its own; asked, it tells which is which. Finding all codes where they
/// belong is the proof that the layout is the one we know.
///
/// # Safety
/// The pointers are libcob's.
unsafe fn exceptions(global: *mut Global, set: unsafe extern "C" fn(c_int)) -> Option<[c_int; 10]> {
    // SAFETY: a plain copy of what is put back below.
    let before = unsafe { std::ptr::read(global) };
    let mut found = [0; 10];
    // The exceptions of files are among the first; libcob has more than 80 in all.
    for number in 1..80 {
        // SAFETY: a number libcob has.
        let code = unsafe {
            set(number);
            (*global).exception
        };
        for (digit, wanted) in CODES.iter().enumerate() {
            if *wanted != 0 && code == *wanted {
                found[digit] = number;
            }
        }
    }
    // SAFETY: back to what was there.
    unsafe { std::ptr::write(global, before) };
    let complete = CODES.iter().zip(found).all(|(code, number)| *code == 0 || number != 0);
    complete.then_some(found)
}
