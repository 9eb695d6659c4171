//! Requests for what has no records: control intervals as they are on the volume, and the bytes of a linear data set.

use super::{AnyString, Str};
use crate::error::RequestError;
use crate::request::{Intent, Record, NOT_IN_UNITS};

impl Str {
    /// GET CNV: the true image of the control interval that begins at `rba`. With [`Intent::Update`] it may be put back
    /// changed. The position of other requests stays.
    ///
    /// # Errors
    /// 8/32: no control interval in use begins there; 8/68, 8/116, 8/200 through a path, 12/x.
    pub fn get_interval(&mut self, rba: u64, intent: Intent) -> Result<Record<'_>, RequestError> {
        let access = self.access();
        let inner = match (&mut self.of, &self.inner) {
            (AnyString::Path(_), _) => return Err(RequestError::PathAddressed),
            (AnyString::Far(string), _) => return string.get_interval(rba, intent),
            (_, Some(inner)) => inner,
            (_, None) => return Err(RequestError::NoPosition),
        };
        self.interval.1 = None;
        if inner.common().compressed.is_some() {
            return Err(RequestError::Options {
                what: "control intervals of a compressed data set are not processed by their users (CNV)",
            });
        }
        inner.allow_read(access, intent)?;
        let ci = inner.records.interval_at(rba).ok_or(RequestError::BadRba { rba })?;
        self.interval.0 = inner.common().data.image(ci)?;
        self.interval.1 = Some(ci).filter(|_| intent == Intent::Update);
        Ok(Record {
            bytes: &self.interval.0,
            rba,
            rrn: 0,
        })
    }

    /// PUT CNV, update of the control interval that was got with [`Intent::Update`]: in an LDS any bytes; in an RRDS any
    /// slots, full or empty; elsewhere the same records with other bytes behind their keys.
    ///
    /// # Errors
    /// 8/92 nothing held; 8/108 not CISZ bytes; 8/156 not such an image, its records lie elsewhere, or one is spanned;
    /// 8/96 a key changed; 8/20 a string holds a record that changes; 8/104 the base of an upgrade set; 8/68; 12/x.
    pub fn put_interval(&mut self, image: &[u8]) -> Result<(), RequestError> {
        let access = self.access();
        let inner = match (&mut self.of, &self.inner) {
            (AnyString::Far(string), _) => return string.put_interval(image),
            (_, Some(inner)) => inner,
            (_, None) => return Err(RequestError::NoUpdate),
        };
        inner.allow_change(access, "replacing control intervals (open for output)")?;
        let Some(ci) = self.interval.1 else {
            return Err(RequestError::NoUpdate);
        };
        if self.in_unit {
            return Err(NOT_IN_UNITS);
        }
        let size = inner.common().data.layout.ci_size;
        if image.len() != size {
            return Err(RequestError::Length {
                given: image.len(),
                least: size,
                most: size,
            });
        }
        if inner.sphere().is_some() {
            return Err(RequestError::Options {
                what:
                    "control intervals of a base are not replaced while its upgrade set is open: it would fall behind",
            });
        }
        inner.records.put_interval(ci, image)?;
        self.interval.1 = None;
        inner.after_change()
    }

    /// LDS: reads `out.len()` bytes from `rba` on.
    ///
    /// # Errors
    /// 8/32: the range does not begin and end at multiples of 4,096, or ends behind the data; 8/104: no LDS; 12/x.
    pub fn read_range(&mut self, rba: u64, out: &mut [u8]) -> Result<(), RequestError> {
        if self.own.is_some() {
            return self.range_buffered((rba, out.len(), false), |s| s.read_range_plainly(rba, out));
        }
        self.read_range_plainly(rba, out)
    }

    fn read_range_plainly(&mut self, rba: u64, out: &mut [u8]) -> Result<(), RequestError> {
        match &mut self.of {
            AnyString::Lds(string) => string.read_range(rba, out),
            AnyString::Far(string) => string.read_range(rba, out),
            _ => Err(NO_BYTES),
        }
    }

    /// LDS: writes bytes from `rba` on, over what is there and beyond its end.
    ///
    /// # Errors
    /// 8/32: the range does not begin and end at multiples of 4,096, or begins behind the end; 8/28; 8/68; 8/104; 12/x.
    pub fn write_range(&mut self, rba: u64, bytes: &[u8]) -> Result<(), RequestError> {
        if self.own.is_some() {
            return self.range_buffered((rba, bytes.len(), true), |s| s.write_range_plainly(rba, bytes));
        }
        self.write_range_plainly(rba, bytes)
    }

    fn write_range_plainly(&mut self, rba: u64, bytes: &[u8]) -> Result<(), RequestError> {
        match &mut self.of {
            AnyString::Lds(string) => string.write_range(rba, bytes),
            AnyString::Far(string) => string.write_range(rba, bytes),
            _ => Err(NO_BYTES),
        }
    }
}

/// A range of bytes of a data set that has records.
const NO_BYTES: RequestError = RequestError::Options {
    what: "only a linear data set is read and written by ranges of bytes",
};
