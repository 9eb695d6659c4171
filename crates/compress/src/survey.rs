//! What compression gives the records that a data set has, and what a dictionary would that is made anew: told by
//! looking at each record as its user has it and as it is stored.
//!
//! * Y1. Nothing is estimated: every record is counted, and compressed with the new dictionary.
//! * Y2. The new dictionary is the last one that a load of the same records in the same order makes: of the first of
//!   them that are enough, or of all.

use crate::dictionary::Dictionary;
use crate::sampler::Sampler;
use crate::stored::{form, store, Form, LEAST, PLAIN};
use std::collections::BTreeMap;

/// What some records take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SurveyTotals {
    /// How many they are.
    pub records: u64,
    /// Bytes that their users have.
    pub user: u64,
    /// Bytes that are stored, the form of each included.
    pub stored: u64,
    /// Records that are stored plain.
    pub plain: u64,
}

/// Records of a length from one power of two up to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LengthClass {
    /// The shortest that belong to it.
    pub from: usize,
    /// The longest.
    pub to: usize,
    /// What they take.
    pub totals: SurveyTotals,
}

/// What a dictionary that is made anew would give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewDictionary {
    /// Bytes of records that it is trained from.
    pub sampled: u32,
    /// Strings that it has.
    pub strings: usize,
    /// Bytes that it takes.
    pub bytes: usize,
    /// What all records would take.
    pub totals: SurveyTotals,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Surveyed {
    /// Of all records.
    pub totals: SurveyTotals,
    /// By length, the shortest first; classes without records are left out.
    pub classes: Vec<LengthClass>,
    /// By the dictionary that they need; 0: plain.
    pub generations: Vec<(u8, SurveyTotals)>,
    /// What a new dictionary would give; none: there is nothing to learn from.
    pub anew: Option<NewDictionary>,
}

/// See the module.
pub struct Survey {
    clear: usize,
    totals: SurveyTotals,
    classes: BTreeMap<u32, SurveyTotals>,
    generations: BTreeMap<u8, SurveyTotals>,
    sampler: Sampler,
    /// Records that wait for the new dictionary: at most as many as it is trained from.
    waiting: Vec<Vec<u8>>,
    dictionary: Option<Dictionary>,
    anew: SurveyTotals,
    out: Vec<u8>,
}

impl SurveyTotals {
    fn add(&mut self, user: usize, stored: usize, plain: bool) {
        self.records += 1;
        self.user += user as u64;
        self.stored += stored as u64;
        self.plain += u64::from(plain);
    }
}

impl Survey {
    /// Of records of which the first `clear` bytes are in clear.
    pub fn new(clear: usize) -> Survey {
        Survey {
            clear,
            totals: SurveyTotals::default(),
            classes: BTreeMap::new(),
            generations: BTreeMap::new(),
            sampler: Sampler::new(),
            waiting: Vec::new(),
            dictionary: None,
            anew: SurveyTotals::default(),
            out: Vec::new(),
        }
    }

    /// The next record, as its user has it and as it is stored.
    pub fn take(&mut self, record: &[u8], stored: &[u8]) {
        let generation = match form(stored, self.clear) {
            Ok(Form::Compressed(generation)) => generation,
            _ => PLAIN,
        };
        let class = record.len().max(1).ilog2();
        for totals in [
            &mut self.totals,
            self.classes.entry(class).or_default(),
            self.generations.entry(generation).or_default(),
        ] {
            totals.add(record.len(), stored.len(), generation == PLAIN);
        }
        let rest = record.get(self.clear..).unwrap_or_default();
        if self.dictionary.is_some() || rest.len() <= LEAST {
            return self.anew(record);
        }
        let enough = self.sampler.take(rest);
        self.waiting.push(record.to_vec());
        if enough {
            self.train();
        }
    }

    /// Makes the new dictionary, and compresses what waits for it.
    fn train(&mut self) {
        self.dictionary = self.sampler.train(0);
        for record in std::mem::take(&mut self.waiting) {
            self.anew(&record);
        }
    }

    fn anew(&mut self, record: &[u8]) {
        let dictionary = self.dictionary.as_ref().map(|dictionary| (1, dictionary));
        let form = store(record, self.clear, dictionary, &mut self.out);
        self.anew.add(record.len(), self.out.len(), form == Form::Plain);
    }

    /// There are no more records.
    pub fn end(mut self) -> Surveyed {
        if self.dictionary.is_none() {
            self.train();
        }
        let classes = self.classes.into_iter().map(|(class, totals)| LengthClass {
            from: 1 << class,
            to: (1 << (class + 1)) - 1,
            totals,
        });
        let totals = self.anew;
        Surveyed {
            totals: self.totals,
            classes: classes.collect(),
            generations: self.generations.into_iter().collect(),
            anew: self.dictionary.map(|dictionary| NewDictionary {
                sampled: dictionary.sampled(),
                strings: dictionary.strings(),
                bytes: dictionary.to_bytes().len(),
                totals,
            }),
        }
    }
}
