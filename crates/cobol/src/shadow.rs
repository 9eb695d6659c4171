//! A file in libcob's layout, made from the description that a program hands over: one code answers the requests of both
//! ways.

use crate::libcob::fcd::{self, access, key_block, keys, other, Fcd, KeyParts};
use crate::libcob::layout::{self, organization, Field, File, Key};
use parking_lot::Mutex;
use std::ffi::{c_char, c_int, c_uchar, c_void, CString};
use std::mem::zeroed;
use std::sync::Arc;

/// libcob's description of a number in four bytes, in the machine's order.
#[repr(C)]
struct Binary {
    kind: u16,
    digits: u16,
    scale: i16,
    flags: u16,
    picture: *const c_char,
}

/// A program's file as libcob has it, made from its description.
pub struct Shadow {
    /// As libcob would have it.
    pub file: File,
    /// Its record area.
    pub record: Field,
    assign: Field,
    name: CString,
    keys: Vec<Key>,
    fields: Vec<Vec<Field>>,
    places: Vec<KeyParts>,
    /// Why there are none.
    pub no_keys: Option<String>,
    /// RELATIVE KEY.
    pub number: c_int,
    binary: Binary,
}

// SAFETY: the pointers are to the program's memory and to the shadow's own; a shadow is used under its lock, by the
// thread that makes the request.
unsafe impl Send for Shadow {}

/// A number of a description.
pub fn big_endian(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |all, &byte| all << 8 | usize::from(byte))
}

impl Shadow {
    /// None for what cannot be Cica's.
    ///
    /// # Safety
    /// A file control description.
    pub unsafe fn of(fcd: &Fcd) -> Option<Arc<Mutex<Shadow>>> {
        let most = big_endian(&fcd.most);
        if fcd.version != 1 || fcd.name.is_null() {
            return None;
        }
        let organization = match fcd.organization {
            fcd::organization::LINES => organization::LINE_SEQUENTIAL,
            fcd::organization::SEQUENTIAL => organization::SEQUENTIAL,
            fcd::organization::INDEXED => organization::INDEXED,
            fcd::organization::RELATIVE => organization::RELATIVE,
            _ => return None,
        };
        // SAFETY: the caller's promise, here and below: pointers to what the lengths beside them say.
        let name = unsafe { std::slice::from_raw_parts(fcd.name.cast::<u8>(), big_endian(&fcd.name_length)) };
        let name = CString::new(name.split(|&b| b == 0).next().unwrap_or_default()).ok()?;
        let places = if organization == organization::INDEXED && !fcd.keys.is_null() {
            keys(unsafe { key_block(fcd.keys) }, most)
        } else {
            Ok(Vec::new())
        };
        let (places, no_keys) = match places {
            Ok(places) => (places, None),
            Err(reason) => (Vec::new(), Some(reason)),
        };
        let attribute = std::ptr::null::<c_void>();
        let field = |data: *mut c_uchar, size: usize| Field {
            size,
            data,
            attributes: attribute,
        };
        let shadow = Arc::new(Mutex::new(Shadow {
            // SAFETY: numbers and pointers, of which zero is a value.
            file: unsafe { zeroed() },
            record: field(fcd.record, most),
            assign: field(name.as_ptr().cast_mut().cast(), name.as_bytes().len()),
            name,
            keys: Vec::new(),
            fields: Vec::new(),
            places,
            no_keys,
            number: 0,
            // A binary number with a sign, in the machine's own order.
            binary: Binary {
                kind: 0x11,
                digits: 9,
                scale: 0,
                flags: 0x41,
                picture: std::ptr::null(),
            },
        }));
        // It does not move any more.
        shadow.lock().connect(fcd, organization);
        Some(shadow)
    }

    /// Fills in what points to the shadow itself, now that it has its place.
    fn connect(&mut self, fcd: &Fcd, organization: u8) {
        for place in &self.places {
            let of = |&(offset, size): &(usize, usize)| Field {
                size,
                data: fcd.record.wrapping_add(offset),
                attributes: std::ptr::null(),
            };
            // The key as a whole, then its parts.
            let mut fields: Vec<Field> = place.parts.iter().take(1).chain(&place.parts).map(of).collect();
            fields[0].size = place.parts.iter().map(|&(_, size)| size).sum();
            // Keys are told apart by where their data is; this one's is in its parts.
            fields[0].data = fields.as_mut_ptr().cast();
            // SAFETY: numbers and pointers, of which zero is a value.
            let mut key: Key = unsafe { zeroed() };
            key.field = &mut fields[0];
            key.duplicates = place.duplicates.into();
            key.suppress = place.sparse.is_some().into();
            key.suppressed = place.sparse.unwrap_or(0).into();
            {
                key.parts = place.parts.len() as c_int;
                for (to, part) in key.part.iter_mut().zip(&mut fields[1..]) {
                    *to = part;
                }
            }
            // The fields stay where they are: only the vector's own three words move.
            self.fields.push(fields);
            self.keys.push(key);
        }
        if organization == organization::RELATIVE {
            let number = Field {
                size: size_of::<c_int>(),
                data: std::ptr::from_mut(&mut self.number).cast(),
                attributes: std::ptr::from_ref(&self.binary).cast(),
            };
            self.fields.push(vec![number]);
            // SAFETY: as above.
            let mut key: Key = unsafe { zeroed() };
            key.field = &mut self.fields[0][0];
            self.keys.push(key);
        }
        let f = &mut self.file;
        f.select_name = self.name.as_ptr();
        f.assign = &mut self.assign;
        f.record = &mut self.record;
        f.keys = self.keys.as_mut_ptr();
        f.key_count = self.keys.len();
        f.collating = fcd.collating;
        (f.least, f.most) = (big_endian(&fcd.least), big_endian(&fcd.most));
        f.organization = organization;
        f.access = match fcd.access & !0x80 {
            access::RANDOM => layout::access::RANDOM,
            access::DYNAMIC => layout::access::DYNAMIC,
            _ => layout::access::SEQUENTIAL,
        };
        f.lock = [
            (fcd::lock::EXCLUSIVE, layout::lock::EXCLUSIVE),
            (fcd::lock::AUTOMATIC, layout::lock::AUTOMATIC),
            (fcd::lock::MANUAL, layout::lock::MANUAL),
            (fcd::lock::MULTIPLE, layout::lock::MULTIPLE),
        ]
        .into_iter()
        .filter(|(bit, _)| fcd.lock_mode & bit != 0)
        .fold(0, |all, (_, bit)| all | bit);
        f.optional = u8::from(fcd.other & other::OPTIONAL != 0);
        f.version = 1;
    }

    /// The program has its record here now, and the keys in it.
    pub fn move_to(&mut self, record: *mut c_uchar) {
        if self.record.data == record {
            return;
        }
        self.record.data = record;
        for (place, fields) in self.places.iter().zip(&mut self.fields) {
            // The first one is the key as a whole, whose data is no part of a record.
            for (&(offset, _), part) in place.parts.iter().zip(&mut fields[1..]) {
                part.data = record.wrapping_add(offset);
            }
        }
    }

    /// The key that the description refers to, or as much of it as it says.
    pub fn key_of_reference(&self, fcd: &Fcd) -> Option<Field> {
        if self.file.organization != organization::INDEXED {
            return None;
        }
        let of = self.fields.get(big_endian(&fcd.reference))?.first()?;
        let asked = big_endian(&fcd.key_length);
        Some(Field {
            size: if asked == 0 { of.size } else { asked },
            data: of.data,
            attributes: std::ptr::null(),
        })
    }

    /// Where the last request left the program's own file, which may have come by the other door, and the other way
    /// round.
    ///
    /// # Safety
    /// Null, or the program's file.
    pub unsafe fn agree_with(&mut self, own: *mut File, to_own: bool) {
        // SAFETY: the caller's promise.
        let Some(own) = (unsafe { own.as_mut() }) else { return };
        let (from, to) = if to_own {
            (&mut self.file, own)
        } else {
            (own, &mut self.file)
        };
        (to.first_read, to.read_done) = (from.first_read, from.read_done);
        (to.at_end, to.at_beginning) = (from.at_end, from.at_beginning);
    }
}
