//! OUTFILE of LISTCAT, PRINT and SHCDS: a listing in a file of its own, in pages of its own.

use crate::params::Params;
use crate::sysprint::Sysprint;
use cica_admin::listing::ListingFile;
use cica_admin::Failure;
use cica_admin::Services;

/// Lets `list` print on the file of OUTFILE(ddname), which is complete when that is done.
pub fn on_file<T>(
    services: &mut Services,
    ddname: &str,
    out: &mut Sysprint,
    list: impl FnOnce(&mut Services, &mut Sysprint) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut file = ListingFile::begin(services, ddname)?;
    let mut listing = Sysprint::new(&mut file, out.style(), out.stamp());
    let listed = list(services, &mut listing)?;
    let written = listing.into_error().map_or(Ok(()), Err);
    let messages = file.complete(services, written)?;
    out.messages(messages, &Params::default());
    Ok(listed)
}
