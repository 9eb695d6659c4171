//! What the program's objects import: whether any of them calls a function of libcob's, without running it.

use std::ffi::{c_int, c_void, CStr};

/// Of ELF: the entries of a dynamic section that are needed here.
const NULL: u64 = 0;
const PLT_SIZE: u64 = 2;
const STRINGS: u64 = 5;
const SYMBOLS: u64 = 6;
const RELA: u64 = 7;
const RELA_SIZE: u64 = 8;
const PLT: u64 = 23;

#[repr(C)]
struct Dynamic {
    tag: u64,
    value: u64,
}

/// A relocation with addend; the upper half of `info` is the symbol's number.
#[repr(C)]
struct Relocation {
    offset: u64,
    info: u64,
    addend: i64,
}

#[repr(C)]
struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: u64,
    size: u64,
}

struct Search<'n> {
    names: &'n [&'n CStr],
    found: bool,
}

/// Does an object of this process, other than libcob and this library, import one of the functions?
pub fn imports(names: &[&CStr]) -> bool {
    let mut search = Search { names, found: false };
    // SAFETY: `look` gets this very search, and objects are not unloaded meanwhile.
    unsafe { libc::dl_iterate_phdr(Some(look), std::ptr::from_mut(&mut search).cast()) };
    search.found
}

/// # Safety
/// `info` is the loader's, `search` a [`Search`].
unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
    // SAFETY: the caller's promise; the loader's tables are as ELF has them.
    unsafe {
        let (info, search) = (&*info, &mut *search.cast::<Search<'_>>());
        let own = if info.dlpi_name.is_null() {
            false
        } else {
            let name = CStr::from_ptr(info.dlpi_name).to_string_lossy();
            ["libcob.so", "libcica"].iter().any(|part| name.contains(part))
        };
        if !own && cfg!(target_pointer_width = "64") {
            search.found |= object_imports(info, search.names);
        }
        c_int::from(search.found)
    }
}

/// # Safety
/// `info` is of an object that is loaded.
unsafe fn object_imports(info: &libc::dl_phdr_info, names: &[&CStr]) -> bool {
    // SAFETY: the caller's promise: headers, dynamic section and its tables lie where the object says.
    unsafe {
        let headers = std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum));
        let Some(dynamic) = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC) else {
            return false;
        };
        let mut entry = (info.dlpi_addr + dynamic.p_vaddr) as *const Dynamic;
        let (mut strings, mut symbols, mut tables) = (0, 0, [(0, 0); 2]);
        while (*entry).tag != NULL {
            let value = (*entry).value;
            // The loader has made addresses of some, and left others as they are in the file.
            let address = if value < info.dlpi_addr {
                value + info.dlpi_addr
            } else {
                value
            };
            match (*entry).tag {
                STRINGS => strings = address,
                SYMBOLS => symbols = address,
                PLT => tables[0].0 = address,
                PLT_SIZE => tables[0].1 = value,
                RELA => tables[1].0 = address,
                RELA_SIZE => tables[1].1 = value,
                _ => {}
            }
            entry = entry.add(1);
        }
        if strings == 0 || symbols == 0 {
            return false;
        }
        tables.iter().filter(|(at, _)| *at != 0).any(|&(at, bytes)| {
            let count = bytes as usize / size_of::<Relocation>();
            std::slice::from_raw_parts(at as *const Relocation, count)
                .iter()
                .any(|relocation| {
                    let symbol = &*(symbols as *const Symbol).add((relocation.info >> 32) as usize);
                    let name = CStr::from_ptr((strings + u64::from(symbol.name)) as *const _);
                    symbol.name != 0 && names.contains(&name)
                })
        })
    }
}
