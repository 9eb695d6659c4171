//! What names a record in a request, for each organization.

use crate::error::RequestError;
use crate::request::Argument;

/// The key of a request to a KSDS.
pub fn key(argument: Argument<'_>) -> Result<&[u8], RequestError> {
    match argument {
        Argument::Key(key) => Ok(key),
        Argument::Rba(_) => Err(RequestError::Options {
            what: "a key-sequenced data set is positioned by key; GET takes an RBA",
        }),
        Argument::Rrn(_) => Err(RequestError::Options {
            what: "a key-sequenced data set has no relative record numbers",
        }),
    }
}

/// The RBA of a request to an ESDS or LDS.
pub fn rba(argument: Argument<'_>) -> Result<u64, RequestError> {
    match argument {
        Argument::Rba(rba) => Ok(rba),
        Argument::Key(_) | Argument::Rrn(_) => Err(RequestError::NoKeys),
    }
}

/// The number of a request to an RRDS or VRRDS; also as a key of four bytes, big-endian.
pub fn rrn(argument: Argument<'_>) -> Result<u32, RequestError> {
    match argument {
        Argument::Rrn(rrn) => Ok(rrn),
        Argument::Rba(_) => Err(RequestError::NoAddresses),
        Argument::Key(key) => match key.try_into() {
            Ok(number) => Ok(u32::from_be_bytes(number)),
            Err(_) => Err(RequestError::KeyLength {
                given: key.len(),
                key_length: 4,
            }),
        },
    }
}

/// The alternate key of a request through a path.
pub fn alternate(argument: Argument<'_>) -> Result<&[u8], RequestError> {
    match argument {
        Argument::Key(key) => Ok(key),
        Argument::Rba(_) | Argument::Rrn(_) => Err(RequestError::PathAddressed),
    }
}
