//! Buffers of an open (NSR), and those that opens share (LSR).
//!
//! * F1. What is wrong with a number is said by the name of its field, before anything is opened or built.

use crate::border::{call, check_size, place};
use crate::code::Error;
use crate::handle;
use crate::object::Environment;
use cica_engine::{
    BufferCounts, Buffering, DataSet, PartCounts, PoolBuffers, PoolError, Quota, ResourcePool, SubpoolCounts,
    SubpoolSize, WriteBuffers,
};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

/// `CICA_UNSAID`.
const UNSAID: i64 = -1;

/// `cica_buffers`.
#[repr(C)]
pub struct CBuffers {
    size: usize,
    bufnd: c_int,
    bufni: c_int,
    strno: c_int,
    shrpool: c_int,
    bufsp: i64,
    deferred: c_int,
}

/// `cica_buffer_counts`.
#[repr(C)]
pub struct CBufferCounts {
    size: usize,
    buffers: u32,
    hits: u64,
    reads: u64,
    cis_read: u64,
    writes: u64,
    cis_written: u64,
}

/// `cica_pool_size`.
#[repr(C)]
pub struct CPoolSize {
    size: u32,
    buffers: u32,
    index: c_int,
}

/// `cica_pool_counts`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CPoolCounts {
    size: u32,
    buffers: u32,
    index: c_int,
    held: u32,
    hits: u64,
    reads: u64,
    user_writes: u64,
    forced_writes: u64,
    steals: u64,
    failed_writes: u64,
}

/// What is asked for, in the engine's words; none where there is a null pointer.
///
/// # Safety
/// `buffers` is null or points to them.
pub unsafe fn asked(buffers: *const CBuffers) -> Result<Option<Buffering>, Error> {
    // SAFETY: the caller's promise.
    let Some(b) = (unsafe { buffers.as_ref() }) else {
        return Ok(None);
    };
    check_size(b.size, std::mem::size_of::<CBuffers>(), "buffers", "cica_buffers")?;
    Ok(Some(Buffering {
        data: stated(b.bufnd, "bufnd")?,
        index: stated(b.bufni, "bufni")?,
        strings: stated(b.strno, "strno")?,
        space: stated(b.bufsp, "bufsp")?,
        pool: stated(b.shrpool, "shrpool")?,
        deferred: b.deferred != 0,
        ..Buffering::default()
    }))
}

/// A number of a field, if there is one (F1).
fn stated<T: TryFrom<i64> + Bounded>(number: impl Into<i64>, field: &str) -> Result<Option<T>, Error> {
    match number.into() {
        UNSAID => Ok(None),
        number => T::try_from(number).map(Some).map_err(|_| {
            Error::argument(format!(
                "buffers->{field} is {number}; give 0 to {}, or CICA_UNSAID",
                T::MOST
            ))
        }),
    }
}

/// What a field may be at most.
trait Bounded {
    const MOST: u32;
}

impl Bounded for u8 {
    const MOST: u32 = u8::MAX as u32;
}

impl Bounded for u16 {
    const MOST: u32 = u16::MAX as u32;
}

impl Bounded for u32 {
    const MOST: u32 = u32::MAX;
}

/// What was transferred for an open with buffers.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_buffer_counts_of(
    dataset: *mut c_void,
    data: *mut CBufferCounts,
    index: *mut CBufferCounts,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        counts_of(dataset, data, index, |set| {
            set.buffers().ok_or_else(|| {
                Error::argument(
                    "the data set was opened without buffers of its own; cica_open_buffered() gives it some",
                )
            })
        })
    }
}

/// The same of the alternate index of a path.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_path_buffer_counts_of(
    dataset: *mut c_void,
    data: *mut CBufferCounts,
    index: *mut CBufferCounts,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        counts_of(dataset, data, index, |set| {
            set.path_buffers()
                .ok_or_else(|| Error::argument("this is no path, or it was opened without buffers"))
        })
    }
}

/// # Safety
/// The pointers are null or may be written.
unsafe fn counts_of(
    dataset: *mut c_void,
    data: *mut CBufferCounts,
    index: *mut CBufferCounts,
    of: impl FnOnce(&DataSet) -> Result<(Quota, BufferCounts), Error>,
) -> c_int {
    call(|| {
        let open = handle::data_set(dataset)?;
        // SAFETY: the caller's promise.
        let data = unsafe { place(data, "data") }?;
        // SAFETY: the caller's promise.
        let index = unsafe { index.as_mut() };
        let ours = std::mem::size_of::<CBufferCounts>();
        check_size(data.size, ours, "data", "cica_buffer_counts")?;
        if let Some(index) = &index {
            check_size(index.size, ours, "index", "cica_buffer_counts")?;
        }
        let (quota, counts) = of(&open.data_set)?;
        *data = part(quota.data, counts.data);
        if let Some(index) = index {
            *index = part(quota.index, counts.index);
        }
        Ok(())
    })
}

fn part(buffers: usize, counts: PartCounts) -> CBufferCounts {
    CBufferCounts {
        size: std::mem::size_of::<CBufferCounts>(),
        buffers: u32::try_from(buffers).unwrap_or(u32::MAX),
        hits: counts.hits,
        reads: counts.reads,
        cis_read: counts.cis_read,
        writes: counts.writes,
        cis_written: counts.cis_written,
    }
}

/// BLDVRP.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_pool_build(
    env: *mut c_void,
    number: c_uint,
    sizes: *const CPoolSize,
    count: usize,
) -> c_int {
    call(|| {
        let environment = handle::environment(env)?;
        // SAFETY: the caller's promise.
        let sizes = unsafe { array(sizes, count, "sizes") }?;
        let mut buffers = PoolBuffers::default();
        for size in sizes {
            let to = if size.index == 0 {
                &mut buffers.data
            } else {
                &mut buffers.index
            };
            to.push(SubpoolSize {
                size: size.size,
                buffers: size.buffers,
            });
        }
        environment.store.build_pool(pool_number(number)?, &buffers)?;
        Ok(())
    })
}

/// So many of them.
///
/// # Safety
/// `items` is null or points to `count` of them.
unsafe fn array<'a, T>(items: *const T, count: usize, name: &str) -> Result<&'a [T], Error> {
    if count > isize::MAX as usize / std::mem::size_of::<T>() {
        return Err(Error::argument(format!("count: {count} is no length of {name}")));
    }
    match (items.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Error::argument(format!("{name} is a null pointer, of {count}"))),
        // SAFETY: not null, and the caller's promise.
        _ => Ok(unsafe { std::slice::from_raw_parts(items, count) }),
    }
}

fn pool_number(number: c_uint) -> Result<u8, Error> {
    match u8::try_from(number) {
        Ok(number) if number < u8::MAX => Ok(number),
        _ => Err(Error::argument(format!(
            "pool {number}: pools have numbers from 0 to {}",
            u8::MAX - 1
        ))),
    }
}

/// DLVRP.
#[no_mangle]
pub extern "C" fn cica_pool_delete(env: *mut c_void, number: c_uint) -> c_int {
    call(|| {
        let environment = handle::environment(env)?;
        environment.store.delete_pool(pool_number(number)?)?;
        Ok(())
    })
}

fn pool(environment: &Environment, number: c_uint) -> Result<Arc<ResourcePool>, Error> {
    let number = pool_number(number)?;
    let pool = environment.store.resource_pool(number);
    pool.ok_or_else(|| PoolError::Missing { number }.into())
}

/// Its counts.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_pool_counts_of(
    env: *mut c_void,
    number: c_uint,
    counts: *mut CPoolCounts,
    count: *mut usize,
) -> c_int {
    call(|| {
        let environment = handle::environment(env)?;
        // SAFETY: the caller's promise.
        let count = unsafe { place(count, "count") }?;
        if counts.is_null() && *count > 0 {
            return Err(Error::argument(format!("counts is a null pointer, of {count}")));
        }
        let now = pool(&environment, number)?.counts();
        for (n, size) in now.iter().enumerate().take(*count) {
            // SAFETY: not null, and the caller's promise that there are places for `count`.
            unsafe { counts.add(n).write(counted(size)) };
        }
        *count = now.len();
        Ok(())
    })
}

fn counted(of: &SubpoolCounts) -> CPoolCounts {
    CPoolCounts {
        size: of.size,
        buffers: of.buffers,
        index: of.is_index.into(),
        held: of.held,
        hits: of.hits,
        reads: of.reads,
        user_writes: of.user_writes,
        forced_writes: of.forced_writes,
        steals: of.steals,
        failed_writes: of.failed_writes,
    }
}

/// WRTBFR TYPE=ALL and TYPE=LRU.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_pool_write(
    env: *mut c_void,
    number: c_uint,
    percent: c_uint,
    written: *mut u64,
) -> c_int {
    call(|| {
        let environment = handle::environment(env)?;
        let which = match percent {
            0..=99 => WriteBuffers::Oldest(percent as u8),
            100 => WriteBuffers::All,
            _ => {
                return Err(Error::argument(format!(
                    "percent is {percent}; give 100 for all changes, or fewer for those in the buffers used least \
                     recently"
                )))
            }
        };
        let n = pool(&environment, number)?.write_buffers(which)?;
        // SAFETY: the caller's promise.
        if let Some(written) = unsafe { written.as_mut() } {
            *written = n;
        }
        Ok(())
    })
}

/// WRTBFR TYPE=DS.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn cica_write_buffers(dataset: *mut c_void, written: *mut u64) -> c_int {
    call(|| {
        let n = handle::data_set(dataset)?.data_set.write_buffers()?;
        // SAFETY: the caller's promise.
        if let Some(written) = unsafe { written.as_mut() } {
            *written = n;
        }
        Ok(())
    })
}
