//! Keys and files as `isam.h` describes them.

use crate::error::{Refused, EBADKEY};
use crate::file::IsamFile;
use crate::key::{Key, Part, Type, MOST_PARTS};
use std::ffi::{c_long, c_short};

/// `struct keypart`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyPart {
    start: c_short,
    length: c_short,
    of: c_short,
}

/// `struct keydesc`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyDescription {
    flags: c_short,
    count: c_short,
    parts: [KeyPart; MOST_PARTS],
    length: c_short,
    root: c_long,
}

/// `struct dictinfo`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct FileDescription {
    keys: c_short,
    record: c_short,
    node: c_short,
    records: c_long,
}

const DUPLICATES: c_short = 1;
/// Compressed keys: VSAM's index compresses all of them.
const COMPRESSED: c_short = 0xE;
const DESCENDING: c_short = 0x80;
/// In `di_nkeys`: records have lengths of their own.
const VARYING: c_short = c_short::MIN;

impl KeyDescription {
    /// The key it describes.
    ///
    /// # Errors
    /// EBADKEY.
    pub fn key(&self) -> Result<Key, Refused> {
        let bad = |why: String| Refused::because(EBADKEY, format!("of the key: {why}"));
        if self.flags & !(DUPLICATES | COMPRESSED) != 0 {
            return Err(bad(format!("its flags are {:#x}", self.flags)));
        }
        let count = usize::try_from(self.count)
            .ok()
            .filter(|count| (1..=MOST_PARTS).contains(count));
        let count = match (self.count, count) {
            (0, _) => {
                return Err(bad(
                    "a key without parts, which means record numbers, is not supported yet".into(),
                ))
            }
            (_, None) => return Err(bad(format!("it has {} parts", self.count))),
            (_, Some(count)) => count,
        };
        let parts = self.parts[..count].iter().map(|part| {
            let number = |number: c_short| usize::try_from(number).ok();
            let of = number(part.of & !DESCENDING).and_then(Type::of_number);
            match (number(part.start), number(part.length), of) {
                (Some(start), Some(length), Some(of)) => Ok(Part {
                    start,
                    length,
                    of,
                    descending: part.of & DESCENDING != 0,
                }),
                _ => Err(bad(format!(
                    "a part at {} of {} bytes, type {}",
                    part.start, part.length, part.of
                ))),
            }
        });
        Ok(Key {
            duplicates: self.flags & DUPLICATES != 0,
            parts: parts.collect::<Result<_, _>>()?,
        })
    }

    /// How a key is described.
    pub fn of(key: &Key) -> KeyDescription {
        let mut description = KeyDescription {
            flags: if key.duplicates { DUPLICATES } else { 0 },
            count: short(key.parts.len()),
            length: short(key.length()),
            ..KeyDescription::default()
        };
        for (to, part) in description.parts.iter_mut().zip(&key.parts) {
            *to = KeyPart {
                start: short(part.start),
                length: short(part.length),
                of: short(part.of.number()) | if part.descending { DESCENDING } else { 0 },
            };
        }
        description
    }
}

impl FileDescription {
    /// How an open file is described.
    pub fn of(file: &IsamFile) -> FileDescription {
        FileDescription {
            keys: short(file.layout.keys.len()) | if file.fixed { 0 } else { VARYING },
            record: short(file.layout.most),
            node: c_short::try_from(file.node()).unwrap_or(c_short::MAX),
            records: c_long::try_from(file.records()).unwrap_or(c_long::MAX),
        }
    }
}

/// What does not fit is told as the greatest that does.
fn short(number: usize) -> c_short {
    c_short::try_from(number).unwrap_or(c_short::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_that_of_its_key() {
        for text in ["U 0+8c", "D 4+4l- 0+2i 10+20c", "U 0+8d", "D 8+4f-"] {
            let key = Key::parse(text).expect("a key");
            assert_eq!(KeyDescription::of(&key).key(), Ok(key));
        }
    }

    #[test]
    fn what_describes_no_key_is_refused() {
        let fine = KeyDescription::of(&Key::of_characters(0..4, false));
        let part = |part: KeyPart| KeyDescription {
            parts: [part; MOST_PARTS],
            ..fine
        };
        let wrong = [
            KeyDescription { count: 0, ..fine },
            KeyDescription { count: -1, ..fine },
            KeyDescription { count: 9, ..fine },
            KeyDescription { flags: 0x100, ..fine },
            part(KeyPart {
                start: -1,
                length: 4,
                of: 0,
            }),
            part(KeyPart {
                start: 0,
                length: -4,
                of: 0,
            }),
            part(KeyPart {
                start: 0,
                length: 4,
                of: 5,
            }),
            part(KeyPart {
                start: 0,
                length: 4,
                of: -1,
            }),
        ];
        for description in wrong {
            assert_eq!(
                description.key().map_err(|refused| refused.number),
                Err(EBADKEY),
                "{description:?}"
            );
        }
    }
}
