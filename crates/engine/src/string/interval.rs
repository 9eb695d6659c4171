//! Requests for what has no records: control intervals as they are on the volume, and the bytes of a linear data set.

use super::{buffered, AnyString, Str};
use crate::error::RequestError;
use crate::open::OpenDataSet;
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
        check_compressed(inner)?;
        inner.allow_read(access, intent)?;
        let ci = inner.records.interval_at(rba).ok_or(RequestError::BadRba { rba })?;
        buffered::bring_interval(&mut self.own, ci)?;
        self.interval.0 = inner.common().data.image(ci)?;
        self.interval.1 = Some(ci).filter(|_| intent == Intent::Update);
        Ok(Record {
            bytes: &self.interval.0,
            rba,
            rrn: 0,
        })
    }

    /// GET CNV to the caller's own area (MACRF UBF): as many control intervals in a row, from the one that begins at `rba`
    /// on, as it has room for and are in use; returns how many. An open with buffers of its own transfers those of a
    /// control area with one request, and never finds them in a buffer. With [`Intent::Update`] they may be put back changed;
    /// of what another process has open that is one at a time.
    ///
    /// # Errors
    /// As [`get_interval`](Self::get_interval); 8/108: the area is no multiple of CISZ; 8/104: more than one for update, of
    /// what another process has open.
    pub fn get_intervals(&mut self, rba: u64, area: &mut [u8], intent: Intent) -> Result<usize, RequestError> {
        // Whatever comes of it, what was got before is not put back any more.
        self.interval.1 = None;
        let size = self.interval_size(area.len(), rba)?;
        if intent == Intent::Update && area.len() > size && self.inner.is_none() {
            return Err(RequestError::Options {
                what:
                    "of what another process has open one control interval is got for update, and put back, at a time",
            });
        }
        let cis = match &self.inner {
            // Of what another process has they are asked for one by one.
            None => Vec::new(),
            Some(inner) => {
                let next = |n: usize| inner.records.interval_at(rba.checked_add((n * size) as u64)?);
                (0..area.len() / size).map_while(next).collect()
            }
        };
        if self.own.is_some() {
            self.allow_intervals(intent)?;
            buffered::bring_intervals(&mut self.own, &cis)?;
        }
        // Its buffers take no part in it.
        let own = self.own.take();
        let done = self.copy_intervals(rba, area, size, intent);
        self.own = own;
        if let (Ok(got), Intent::Update, Some(_)) = (&done, intent, &self.inner) {
            self.interval.0 = area[..got * size].to_vec();
            self.interval.1 = cis.first().copied();
        }
        done
    }

    /// The same one by one.
    fn copy_intervals(
        &mut self,
        rba: u64,
        area: &mut [u8],
        size: usize,
        intent: Intent,
    ) -> Result<usize, RequestError> {
        let mut got = 0;
        for place in area.chunks_exact_mut(size) {
            match self.get_interval(rba + (got * size) as u64, intent) {
                Ok(image) => place.copy_from_slice(image.bytes),
                Err(RequestError::BadRba { .. }) if got > 0 => break,
                Err(error) => return Err(error),
            }
            got += 1;
        }
        Ok(got)
    }

    /// CISZ, if the area for control intervals is a multiple of it.
    fn interval_size(&mut self, area: usize, rba: u64) -> Result<usize, RequestError> {
        let size = match &self.inner {
            Some(inner) => inner.common().data.layout.ci_size,
            None => self.get_interval(rba, Intent::Read)?.bytes.len(),
        };
        if area == 0 || area % size != 0 {
            return Err(RequestError::IntervalLength {
                given: area,
                size,
                several: true,
            });
        }
        Ok(size)
    }

    /// May control intervals be got?
    fn allow_intervals(&self, intent: Intent) -> Result<(), RequestError> {
        match (&self.of, &self.inner) {
            (AnyString::Path(_), _) => Err(RequestError::PathAddressed),
            (_, Some(inner)) => {
                check_compressed(inner)?;
                inner.allow_read(self.access(), intent)
            }
            (_, None) => Ok(()),
        }
    }

    /// PUT CNV, update of the control intervals that were got with [`Intent::Update`], of all or of the first of them: in
    /// an LDS any bytes; in an RRDS any slots, full or empty; elsewhere the same records with other bytes behind their
    /// keys. An open with buffers of its own writes those of a control area with one request.
    ///
    /// # Errors
    /// 8/92 nothing held, or less; 8/108 no multiple of CISZ, nor CISZ where one was got; 8/156 not such an image, its
    /// records lie elsewhere, or one is spanned; 8/96 a key changed; 8/20 a string holds a record that changes, or
    /// another has changed the control interval since it was got; 8/104 the base of an upgrade set; 8/68; 12/x. Nothing
    /// is changed then: all are checked before the first is put. Only where another changes one of several in that very
    /// moment those in front of it are put (put_interval:V5).
    pub fn put_interval(&mut self, image: &[u8]) -> Result<(), RequestError> {
        let (access, owner) = (self.access(), self.lock_number());
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
        let held = self.interval.0.len();
        let several = held > size;
        if image.is_empty() || image.len() % size != 0 || (!several && image.len() != size) {
            return Err(RequestError::IntervalLength {
                given: image.len(),
                size,
                several,
            });
        }
        if image.len() > held {
            return Err(RequestError::NoUpdate);
        }
        if inner.sphere().is_some() {
            return Err(RequestError::Options {
                what:
                    "control intervals of a base are not replaced while its upgrade set is open: it would fall behind",
            });
        }
        let cis: Vec<u32> = (ci..).take(image.len() / size).collect();
        let pairs = || self.interval.0.chunks_exact(size).zip(image.chunks_exact(size));
        if several {
            for (ci, pair) in cis.iter().zip(pairs()) {
                inner.records.put_interval(*ci, pair, owner, false)?;
            }
        }
        let mut put = 0;
        let mut done = Ok(());
        for (ci, pair) in cis.iter().zip(pairs()) {
            done = inner.records.put_interval(*ci, pair, owner, true);
            if done.is_err() {
                break;
            }
            put += 1;
        }
        if done.is_ok() {
            self.interval.1 = None;
        }
        if put > 0 {
            inner.after_change()?;
            buffered::intervals_changed(&mut self.own, &cis[..put])?;
        }
        done
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

fn check_compressed(inner: &OpenDataSet) -> Result<(), RequestError> {
    if inner.common().compressed.is_none() {
        return Ok(());
    }
    Err(RequestError::Options {
        what: "control intervals of a compressed data set are not processed by their users (CNV)",
    })
}

/// A range of bytes of a data set that has records.
const NO_BYTES: RequestError = RequestError::Options {
    what: "only a linear data set is read and written by ranges of bytes",
};
