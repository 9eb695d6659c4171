//! Buffers as VSAM gave them to an open that asked for them (NSR): so many for data, so many for the index, and every
//! transfer counted. Those that several opens share (LSR) are in `lsr`, with rules of their own.
//!
//! Who asks for none is served by the pool alone (`docs/design/0042`). Who asks gets a quota and a scheduler above the
//! components: what his strings may look at without a transfer is what their buffers hold.
//!
//! * N1. A string looks at a CI only after its buffers hold it. What they do not hold is read from the file, whatever
//!   the pool has of it; what the pool alone has is never hidden by that, because the request itself reads the pool's page.
//! * N2. A string holds no more CIs than its share of the quota. One data buffer is kept for inserts.
//! * N3. What is counted is a transfer that was made: one for each request to the file, however many CIs are chained in
//!   it.
//! * N4. What a string changed is written before the request returns; of a sequential request before its buffers take
//!   the next chain, before it goes elsewhere, and when it ends.
//!
//! | file | what |
//! |---|---|
//! | `schedule` | when how many CIs are read or written with one request |
//! | `share` | what of the quota is one string's |
//! | `own` | the buffers of a string: what they hold, and what it takes to hold something else |
//! | `counts` | what was transferred |
//! | `of_string` | what a string has: buffers of its own, or its way to shared ones |
//! | `lsr` | pools that opens share |

mod counts;
mod lsr;
mod of_string;
mod own;
mod recent;
mod schedule;
mod share;

pub use counts::{BufferCounts, Counts, PartCounts, Transfer};
pub use lsr::{
    LsrOpen, PoolBuffers, PoolError, PoolNote, PoolText, PoolTextError, ResourcePool, ResourcePools, SubpoolCounts,
    SubpoolSize, TextPool, WriteBuffers,
};
pub use of_string::StringBuffers;
pub use own::OwnBuffers;
pub use schedule::Schedule;
pub use share::{Share, Shares};

use crate::error::OpenError;

/// What an open asks for: the ACB's words. What is not said is as VSAM had it: two data buffers and one for the index,
/// or what the data set's BUFFERSPACE gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Buffering {
    /// BUFND.
    pub data: Option<u16>,
    /// BUFNI.
    pub index: Option<u16>,
    /// STRNO.
    pub strings: Option<u8>,
    /// BUFSP, in bytes.
    pub space: Option<u32>,
    /// Changes of direct requests are written when their buffer is needed, not at once (MACRF DFR).
    pub deferred: bool,
    /// BUFFERSPACE of the data set, where somebody knows it.
    pub catalog: u32,
    /// BUFFERSPACE of the alternate index of a path.
    pub alternate_catalog: u32,
    /// CIs on a track of the data set's device, where somebody knows it; 0: nobody does. A load writes whole tracks.
    pub track: u16,
    /// Each transfer is kept, for who asks ([`crate::DataSet::transfers`]).
    pub traced: bool,
    /// SHRPOOL (MACRF LSR): it shares the buffers of this pool, and what else is said of buffers has no effect, but
    /// `deferred` and `traced`.
    pub pool: Option<u8>,
}

/// How large the buffers of a data set are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferSizes {
    /// CISZ of the data.
    pub data: u32,
    /// CISZ of the index, where there is one.
    pub index: Option<u32>,
    /// Bytes of a record, for the scheduler.
    pub record: u32,
    /// Its records may take several CIs.
    pub spanned: bool,
}

/// What an open has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// Data buffers, the one for inserts among them.
    pub data: usize,
    /// Index buffers.
    pub index: usize,
    /// Strings that have their share of both.
    pub strings: usize,
    /// See [`Buffering::deferred`].
    pub deferred: bool,
    /// See [`Buffering::track`].
    pub track: usize,
    /// See [`Buffering::traced`].
    pub traced: bool,
}

impl Buffering {
    /// What a path's base has, where its alternate index has these: the fewest, or what its own BUFFERSPACE gives.
    pub(crate) fn of_base(self) -> Buffering {
        Buffering {
            data: None,
            index: None,
            space: None,
            ..self
        }
    }

    /// What a path's alternate index has.
    pub(crate) fn of_alternate(self) -> Buffering {
        Buffering {
            catalog: self.alternate_catalog,
            track: 0,
            ..self
        }
    }

    /// What that comes to for a data set. `name` is said in errors.
    ///
    /// # Errors
    /// Too few, or no room in the space that is asked for.
    pub fn quota(self, name: &str, sizes: BufferSizes) -> Result<Quota, OpenError> {
        let refused = |what: String| {
            Err(OpenError::Buffers {
                what: format!("{name}: {what}"),
            })
        };
        let strings = usize::from(self.strings.unwrap_or(1));
        if strings == 0 {
            return refused("STRNO 0 leaves no string to make requests with; give 1 or more".into());
        }
        let (least_data, least_index) = (strings + 1, sizes.index.map_or(0, |_| strings));
        let mut data = self.data.map_or(least_data, usize::from);
        let mut index = self.index.map_or(least_index, usize::from);
        if data < least_data {
            return refused(format!(
                "BUFND {data} is too few: {strings} {} a data buffer each, and one more is kept for inserts; give \
                 {least_data} or more",
                needs(strings),
            ));
        }
        if index < least_index {
            return refused(format!(
                "BUFNI {index} is too few: {strings} {} an index buffer each; give {least_index} or more",
                needs(strings),
            ));
        }
        if sizes.index.is_none() {
            index = 0;
        }
        let (each_data, each_index) = (sizes.data as usize, sizes.index.unwrap_or(0) as usize);
        let taken = data * each_data + index * each_index;
        let space = match self.space {
            Some(space) if (space as usize) < taken => {
                return refused(format!(
                    "BUFSP {space} is too small: {data} data buffers of {each_data} and {index} index buffers of \
                     {each_index} bytes take {taken}"
                ))
            }
            Some(space) => space.max(self.catalog) as usize,
            None => self.catalog as usize,
        };
        // What is over goes to the data, where the open does not say how many it wants.
        let over = space.saturating_sub(taken);
        match (self.data, self.index) {
            (None, _) => data += over / each_data.max(1),
            (Some(_), None) if each_index > 0 => index += over / each_index,
            _ => {}
        }
        Ok(Quota {
            data: data.min(u16::MAX.into()),
            index: index.min(u16::MAX.into()),
            strings,
            deferred: self.deferred,
            track: self.track.into(),
            traced: self.traced,
        })
    }
}

fn needs(strings: usize) -> &'static str {
    match strings {
        1 => "string needs",
        _ => "strings need",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: BufferSizes = BufferSizes {
        data: 2048,
        index: Some(1024),
        record: 200,
        spanned: false,
    };

    fn quota(buffers: Buffering, catalog: u32) -> Result<(usize, usize), String> {
        let quota = Buffering { catalog, ..buffers }.quota("T.KSDS", SIZES);
        quota.map(|q| (q.data, q.index)).map_err(|e| e.to_string())
    }

    #[test]
    fn what_is_not_said_is_two_and_one_or_what_the_catalog_has() {
        let none = Buffering::default();
        assert_eq!(quota(none, 0), Ok((2, 1)));
        assert_eq!(quota(none, 5120), Ok((2, 1)));
        assert_eq!(quota(none, 5120 + 3 * 2048), Ok((5, 1)));
        let strings = Buffering {
            strings: Some(3),
            ..none
        };
        assert_eq!(quota(strings, 0), Ok((4, 3)));
        let data = Buffering { data: Some(10), ..none };
        assert_eq!(quota(data, 0), Ok((10, 1)));
        assert_eq!(
            quota(
                Buffering {
                    space: Some(10 * 2048 + 4 * 1024),
                    ..data
                },
                0
            ),
            Ok((10, 4))
        );
        let both = Buffering { index: Some(3), ..data };
        assert_eq!(
            quota(
                Buffering {
                    space: Some(1 << 20),
                    ..both
                },
                0
            ),
            Ok((10, 3))
        );
    }

    #[test]
    fn too_few_are_refused_with_the_number_it_takes() {
        let told = |buffers| quota(buffers, 0).unwrap_err();
        for data in [0, 1] {
            let error = told(Buffering {
                data: Some(data),
                ..Default::default()
            });
            assert!(error.contains(&format!("T.KSDS: BUFND {data} is too few")), "{error}");
            assert!(error.contains("give 2 or more"), "{error}");
        }
        let error = told(Buffering {
            index: Some(0),
            ..Default::default()
        });
        assert!(
            error.contains("BUFNI 0 is too few") && error.contains("give 1 or more"),
            "{error}"
        );
        let error = told(Buffering {
            strings: Some(4),
            data: Some(4),
            ..Default::default()
        });
        assert!(
            error.contains("4 strings need a data buffer each") && error.contains("give 5"),
            "{error}"
        );
        let error = told(Buffering {
            space: Some(5119),
            ..Default::default()
        });
        assert!(
            error.contains("BUFSP 5119 is too small") && error.contains("take 5120"),
            "{error}"
        );
        let error = told(Buffering {
            strings: Some(0),
            ..Default::default()
        });
        assert!(error.contains("STRNO 0"), "{error}");
    }
}
