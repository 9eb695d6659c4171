//! Open data sets.

use crate::border::{call, check_size, place, text};
use crate::buffers::{asked, CBuffers};
use crate::code::{Error, IN_USE};
use crate::handle;
use crate::object::{Environment, Object, OpenDataSet};
use cica_catalog::Name;
use cica_engine::{Access, DataSet, Durability, OpenOptions};
use cica_format::attributes::Organization;
use cica_format::root::Statistics;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::Arc;

const OUTPUT: c_uint = 1;
const RESET: c_uint = 2;
const AT_COMMIT: c_uint = 0x10;
const EACH_REQUEST: c_uint = 0x20;

/// `cica_attributes`.
#[repr(C)]
pub struct CAttributes {
    size: usize,
    organization: c_char,
    key_length: u32,
    key_offset: u32,
    average_record: u32,
    maximum_record: u32,
    ci_size: u32,
    ci_per_ca: u32,
    ccsid: u16,
}

/// `cica_statistics`.
#[repr(C)]
pub struct CStatistics {
    size: usize,
    records: u64,
    inserted: u64,
    deleted: u64,
    updated: u64,
    retrieved: u64,
    ci_splits: u64,
    ca_splits: u64,
    ca_reclaims: u64,
    excps: u64,
    free_space: u64,
    high_used: u64,
    index_levels: u32,
}

/// Opens a data set.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_open(
    env: *mut c_void,
    name: *const c_char,
    flags: c_uint,
    attributes: *mut CAttributes,
    dataset: *mut *mut c_void,
) -> c_int {
    // SAFETY: the caller's promise, and a null pointer asks for no buffers.
    unsafe { cica_open_buffered(env, name, flags, std::ptr::null(), attributes, dataset) }
}

/// Opens a data set with buffers of its own.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_open_buffered(
    env: *mut c_void,
    name: *const c_char,
    flags: c_uint,
    buffers: *const CBuffers,
    attributes: *mut CAttributes,
    dataset: *mut *mut c_void,
) -> c_int {
    call(|| {
        let environment = handle::environment(env)?;
        // SAFETY: the caller's promise.
        let place = unsafe { place(dataset, "dataset") }?;
        // SAFETY: the caller's promise.
        let name = unsafe { text(name, "name") }?.ok_or_else(|| Error::argument("name is a null pointer"))?;
        // SAFETY: the caller's promise.
        let attributes = unsafe { attributes.as_mut() };
        if let Some(a) = &attributes {
            check_size(
                a.size,
                std::mem::size_of::<CAttributes>(),
                "attributes",
                "cica_attributes",
            )?;
        }
        let options = OpenOptions {
            // SAFETY: the caller's promise.
            buffers: unsafe { asked(buffers) }?,
            ..options(flags)?
        };
        let (file, data_set) = open(&environment, name, options)?;
        if let Some(a) = attributes {
            describe(&data_set, a);
        }
        environment.open.fetch_add(1, AcqRel);
        let opened = Arc::new(OpenDataSet {
            environment: environment.clone(),
            data_set,
            file,
            strings: AtomicUsize::new(0),
        });
        // Without a handle nobody could close it.
        *place = handle::put(Object::DataSet(opened)).inspect_err(|_| {
            environment.open.fetch_sub(1, AcqRel);
        })?;
        Ok(())
    })
}

/// Opens what a name leads to; the file of its data component, too.
fn open(environment: &Environment, name: &str, options: OpenOptions) -> Result<(PathBuf, DataSet), Error> {
    let name = Name::parse(name).map_err(|error| Error::argument(error.to_string()))?;
    let session = environment.store.session();
    let (catalog, reached) = session.reach(&name)?;
    let (file, _) = cica_session::files(&catalog, &reached.cluster)?;
    Ok((file, session.open_reached(&name, &catalog, &reached, options)?))
}

fn options(flags: c_uint) -> Result<OpenOptions, Error> {
    let unknown = flags & !(OUTPUT | RESET | AT_COMMIT | EACH_REQUEST);
    if unknown != 0 || flags & (AT_COMMIT | EACH_REQUEST) == (AT_COMMIT | EACH_REQUEST) {
        return Err(Error::argument(format!(
            "flags {flags:#x}: not a combination cica_open knows"
        )));
    }
    Ok(OpenOptions {
        access: match flags & OUTPUT {
            0 => Access::Input,
            _ => Access::Output,
        },
        reset: flags & RESET != 0,
        durability: match flags {
            f if f & AT_COMMIT != 0 => Durability::Commit,
            f if f & EACH_REQUEST != 0 => Durability::Request,
            _ => Durability::Close,
        },
        io: cica_engine::Io::Auto,
        ..OpenOptions::default()
    })
}

fn describe(data_set: &DataSet, to: &mut CAttributes) {
    let a = data_set.attributes();
    *to = CAttributes {
        size: to.size,
        organization: match a.organization {
            Organization::Ksds => b'K',
            Organization::Esds => b'E',
            Organization::Rrds => b'R',
            Organization::Vrrds => b'V',
            Organization::Lds => b'L',
            _ => b'?',
        } as c_char,
        key_length: a.key_length.into(),
        key_offset: a.key_offset,
        average_record: a.average_record,
        maximum_record: a.maximum_record,
        ci_size: a.ci_size,
        ci_per_ca: a.ci_per_ca.into(),
        ccsid: a.ccsid,
    };
}

/// Closes it.
#[no_mangle]
pub extern "C" fn cica_close(dataset: *mut c_void) -> c_int {
    call(|| {
        let taken = handle::take(dataset, |object| match object {
            Object::DataSet(open) => match open.strings.load(Acquire) {
                0 => Ok(()),
                n => Err(Error::new(IN_USE, format!("{n} strings are open; close them first"))),
            },
            _ => Err(handle::bad()),
        })?;
        let Object::DataSet(open) = taken else { return Ok(()) };
        open.environment.open.fetch_sub(1, AcqRel);
        match Arc::try_unwrap(open) {
            Ok(open) => Ok(open.data_set.close().map(drop)?),
            // A commit of another thread is under way: that call is the one that ends it.
            Err(open) => Ok(open.data_set.clone().close().map(drop)?),
        }
    })
}

/// Makes everything acknowledged durable.
#[no_mangle]
pub extern "C" fn cica_commit(dataset: *mut c_void) -> c_int {
    call(|| Ok(handle::data_set(dataset)?.data_set.commit()?))
}

/// Of the data component, as LISTCAT shows them: with what strings that are open have counted, and who reads.
fn counted_by_all(open: &OpenDataSet) -> Statistics {
    let engine = &open.environment.store.session().engine;
    let (own, _) = open.data_set.statistics();
    let Ok(root) = engine.peek(&open.file) else { return own };
    let counted = engine.counted_by_all();
    // Where counters cannot be shown, its own are all that is known.
    let mut data = match counted.opens(root.component).next() {
        Some(_) => root.statistics,
        None => own,
    };
    counted.complete(root.component, &mut data, &mut Statistics::default());
    data
}

/// Statistics up to now.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_statistics_of(dataset: *mut c_void, statistics: *mut CStatistics) -> c_int {
    call(|| {
        let open = handle::data_set(dataset)?;
        // SAFETY: the caller's promise.
        let to = unsafe { place(statistics, "statistics") }?;
        check_size(
            to.size,
            std::mem::size_of::<CStatistics>(),
            "statistics",
            "cica_statistics",
        )?;
        let data = counted_by_all(&open);
        *to = CStatistics {
            size: to.size,
            records: data.records,
            inserted: data.inserted,
            deleted: data.deleted,
            updated: data.updated,
            retrieved: data.retrieved,
            ci_splits: data.ci_splits,
            ca_splits: data.ca_splits,
            ca_reclaims: data.ca_reclaims,
            excps: data.excps,
            free_space: data.free_space,
            high_used: open.data_set.high_used(),
            index_levels: open.data_set.levels().into(),
        };
        Ok(())
    })
}
