//! What became of AMP's words of system-managed buffering: what serves an open, and what it did.
//!
//! On z/OS these words choose buffers at OPEN. Here nothing is chosen then: reads forward in order read ahead, others
//! do not, and what a program that only reads in order has passed leaves the pool. So OPEN tells what serves the file,
//! and CLOSE what was counted, of which nothing is guessed.

use crate::amp::BufferBias;
use crate::source::Source;
use crate::tell::{tell, tell_asked, CICA1234I, CICA1235I};
use cica_engine::{CloseReport, DataSet, Quota, RequestError};
use cica_session::{closing, Done};
use std::fmt::{self, Display, Formatter};

/// AMP's words, of an open file.
pub struct Bias {
    said: BufferBias,
    /// The file's name in the program.
    file: String,
}

impl Bias {
    pub(crate) fn new(said: &BufferBias, file: &str) -> Bias {
        Bias {
            said: said.clone(),
            file: file.to_owned(),
        }
    }

    /// Tells what serves the open, if that was asked for.
    pub(crate) fn tell_open(&self, name: &str, served: &Served<'_>) {
        if self.said.is_told {
            let inserts: [(&str, &dyn Display); 4] = [
                ("file", &self.file),
                ("name", &name),
                ("words", &self.said.words),
                ("what", served),
            ];
            tell_asked(&CICA1234I, &inserts);
        }
    }

    /// Closes the data set, and tells what was done with it.
    pub(crate) fn close(&self, name: &str, data_set: DataSet) -> Result<CloseReport, RequestError> {
        let far = data_set.is_far();
        let (closed, done) = closing(name, || data_set.close());
        let what = match done {
            Some(done) => in_words(&done),
            None if far => "the process that shares it counts what is done ('cica stat')".into(),
            None => "nothing was counted".into(),
        };
        let inserts: [(&str, &dyn Display); 4] = [
            ("file", &self.file),
            ("name", &name),
            ("words", &self.said.words),
            ("what", &what),
        ];
        if self.said.is_told {
            tell_asked(&CICA1235I, &inserts);
        } else {
            tell(&CICA1235I, &inserts);
        }
        closed
    }
}

/// Which reads there were, as far as the counts say it for certain, and what they took.
fn in_words(done: &Done) -> String {
    let reads = match (done.retrieved, done.direct) {
        (0, 0) => "nothing was read",
        (_, 0) => "reads were in order",
        (retrieved, direct) if retrieved > direct => "reads were by key and in order",
        _ => "reads were by key",
    };
    format!(
        "{reads} ({} records, {} gets by key); {} CIs asked for; {} came from the files, {} were in memory; {} EXCPs, \
         those of writes too",
        done.retrieved, done.direct, done.looks, done.read, done.hits, done.excps
    )
}

/// What serves an open.
pub(crate) struct Served<'a> {
    /// Where the data set is, and the data set, if it has records to read.
    pub open: Option<(&'a Source, &'a DataSet)>,
    /// The program may read.
    pub reads: bool,
    /// It only reads, in order.
    pub in_order: bool,
}

impl Display for Served<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some((source, data_set)) = self.open else {
            return f.write_str("it has no records to read");
        };
        if data_set.is_far() {
            return f.write_str("the pool of the process that shares it serves it");
        }
        let pool = source.buffers.and_then(|buffers| buffers.pool);
        match (pool, data_set.buffers()) {
            (Some(pool), _) => write!(
                f,
                "the buffers of pool {pool} (SHRPOOL) serve it, and nothing is read ahead"
            ),
            (None, Some((Quota { data, index, .. }, _))) => {
                write!(f, "buffers of its own serve it: {data} of data, {index} of index")
            }
            (None, None) => {
                let (limit, used) = source.session.engine.pool_use();
                let (limit, used) = (limit >> 10, used >> 10);
                write!(
                    f,
                    "the pool of the program serves it ({limit}K, of which {used}K are in use)"
                )?;
                f.write_str(match (self.reads, self.in_order) {
                    (false, _) => "",
                    (true, true) => "; reads forward in order read ahead, and what they have passed leaves the pool",
                    (true, false) => "; reads forward in order read ahead, those by key do not",
                })
            }
        }
    }
}
