//! What EXAMINE looks at.

use super::Ksds;
use crate::error::RequestError;
use crate::examine::PageReport;
use crate::pool::Page;
use cica_format::ci;
use cica_format::index::IndexRecord;

impl Ksds {
    /// An index record.
    pub fn examine_node(&self, ci: u32) -> Result<IndexRecord, RequestError> {
        self.node(ci)
    }
    /// Whether it fits its CI.
    pub fn examine_fits(&self, record: &IndexRecord) -> bool {
        self.node_still_fits(record)
    }
    /// A data page: what is in the pool, which came from an image whose checksum and arithmetic were checked, or
    /// will be written.
    pub fn examine_page(&self, number: u32) -> Result<PageReport, RequestError> {
        let mut latched = self.data.latch(number)?;
        let page = Page::of(latched.bytes());
        let keyed = page.segment() <= 1;
        let bytes: usize = (0..page.count()).map(|i| page.len_of(i)).sum();
        let rdfs = ci::rdf_count(page.lens());
        Ok(PageReport {
            keys: (0..page.count())
                .filter(|_| keyed)
                .map(|i| page.key(i, self.shape).to_vec())
                .collect(),
            segment: page.segment(),
            free: ci::free_bytes(self.data.layout.ci_size, bytes, rdfs).unwrap_or(0),
            longest: (0..page.count()).map(|i| page.len_of(i)).max().unwrap_or(0),
            arithmetic_wrong: bytes != page.data_len() || rdfs != page.rdfs(),
        })
    }
}
