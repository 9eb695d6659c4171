//! The dictionaries of a compressed data set that are left, and what its records expand to with them.

use super::source::Source;
use crate::compressed::checksum;
use cica_compress::{expand, Dictionary, GENERATIONS};
use cica_format::attributes::{Attributes, Organization};
use cica_format::root::{dictionary_at, Root, DICTIONARY_LEN};

/// See the module.
#[derive(Debug)]
pub struct Dictionaries {
    known: Vec<Option<Dictionary>>,
    /// Bytes of a record, as it is handed on, that are in clear.
    clear: usize,
    longest: usize,
}

impl Dictionaries {
    /// Those of a file; what is damaged, or another than the root names (compressed:Q7), is noted.
    pub fn of(file: &Source, attributes: &Attributes, root: Option<&Root>, notes: &mut Vec<String>) -> Dictionaries {
        let mut known = vec![];
        for generation in 1..=GENERATIONS as u8 {
            let read = file.read(dictionary_at(generation), DICTIONARY_LEN);
            let dictionary = match read {
                Ok(bytes) if bytes.iter().all(|byte| *byte == 0) => Ok(None),
                Ok(bytes) => match Dictionary::from_bytes(&bytes) {
                    Ok(other) if !is_named(root, generation, &other) => {
                        Err("it is not the one that the root names".into())
                    }
                    found => found.map(Some).map_err(|damaged| damaged.to_string()),
                },
                Err(why) => Err(why),
            };
            known.push(dictionary.unwrap_or_else(|why| {
                notes.push(format!("data component: dictionary {generation}: {why}"));
                None
            }));
        }
        Dictionaries {
            known,
            clear: match attributes.organization {
                Organization::Ksds => attributes.key_offset as usize + usize::from(attributes.key_length),
                // The number of a record in front is gone when it is handed on.
                _ => 0,
            },
            longest: attributes.maximum_record as usize,
        }
    }

    /// The record that is stored so, or why it is not had.
    pub fn expand(&self, stored: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let dictionary = |n: u8| usize::from(n).checked_sub(1).and_then(|n| self.known.get(n)?.as_ref());
        expand(stored, self.clear, dictionary, self.longest, out).map_err(|damaged| damaged.to_string())
    }
}

/// Is it the one that the root means, as far as there is a root that says so?
fn is_named(root: Option<&Root>, generation: u8, dictionary: &Dictionary) -> bool {
    let named = root.and_then(|root| root.dictionaries.get(usize::from(generation) - 1).copied());
    named.is_none_or(|named| named == 0 || named == checksum(dictionary))
}
