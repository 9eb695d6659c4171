//! AMP of a DD text: buffers of the open's own or of a pool, and the words of system-managed buffering (SMB).
//!
//! | subparameter | here |
//! |---|---|
//! | BUFND, BUFNI, STRNO, BUFSP | the open's own buffers |
//! | SHRPOOL, DEFERW | the buffers of a pool |
//! | ACCBIAS, SMBDFR, SMBHWT, SMBVSP, SMBVSPI | checked; CLOSE tells what was done: see [`crate::bias`] |
//! | MSG=SMBBIAS | OPEN and CLOSE tell it unasked |
//! | all others of z/OS | checked, and noted |
//!
//! No word of SMB chooses anything: each request says itself what is best for it.

use crate::operands::{once, operands};
use cica_engine::{BufferSizes, Buffering};
use std::fmt::Display;
use std::str::FromStr;

/// What AMP says of system-managed buffering.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BufferBias {
    /// As it was said, with commas.
    pub words: String,
    /// MSG=SMBBIAS.
    pub is_told: bool,
}

impl BufferBias {
    fn with(&mut self, item: &str) {
        if !self.words.is_empty() {
            self.words.push(',');
        }
        self.words.push_str(item);
    }
}

/// What AMP says.
#[derive(Debug, Default)]
pub struct Amp {
    /// Buffers of the open's own, or of a pool.
    pub buffers: Option<Buffering>,
    /// The words of SMB.
    pub bias: Option<BufferBias>,
    /// What has no effect.
    pub unused: Vec<String>,
}

/// AMP's subparameters, each with the values it takes.
///
/// # Errors
/// What is none of them, and what no data set can give.
pub fn amp(value: &str) -> Result<Amp, String> {
    let value = value.trim_ascii();
    if value.matches('\'').count() % 2 != 0 {
        return Err(format!("AMP={value}: an apostrophe has no partner"));
    }
    let (mut found, mut stated) = (Amp::default(), Vec::new());
    let inner = value.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    for part in operands(inner.unwrap_or(value)) {
        for item in operands(part.trim_ascii().trim_matches('\'')) {
            let item = item.trim_ascii().trim_matches('\'').to_ascii_uppercase();
            let (key, value) = item.split_once('=').unwrap_or((&item, ""));
            once(key, &mut stated).map_err(|twice| format!("AMP: {twice}"))?;
            match key {
                "BUFND" | "BUFNI" | "STRNO" | "BUFSP" | "SHRPOOL" | "DEFERW" => {
                    buffers(key, value, found.buffers.get_or_insert_default())?;
                }
                "ACCBIAS" | "SMBDFR" | "SMBHWT" | "SMBVSP" | "SMBVSPI" | "MSG" => {
                    managed(key, value)?;
                    let bias = found.bias.get_or_insert_default();
                    bias.with(&item);
                    bias.is_told |= key == "MSG";
                }
                _ => {
                    noted(key, value, &item)?;
                    found.unused.push(format!("AMP={item}"));
                }
            }
        }
    }
    // What no data set can give is told before one is made, or made anew.
    let Some(buffers) = found.buffers else {
        return Ok(found);
    };
    match (buffers.pool, buffers.deferred) {
        // A pool's buffers are what it has.
        (Some(_), _) => return Ok(found),
        (None, true) => return Err("AMP: DEFERW is for buffers that are shared; say SHRPOOL too".into()),
        (None, false) => {}
    }
    match buffers.quota("AMP", NO_SIZES) {
        Ok(_) => Ok(found),
        Err(error) => Err(error.to_string()),
    }
}

fn buffers(key: &str, value: &str, buffers: &mut Buffering) -> Result<(), String> {
    match key {
        "BUFND" => buffers.data = Some(number(key, value, 2, u16::MAX)?),
        "BUFNI" => buffers.index = Some(number(key, value, 1, u8::MAX.into())?),
        "STRNO" => buffers.strings = Some(number(key, value, 1, u8::MAX)?),
        "BUFSP" => buffers.space = Some(number(key, value, 1, MOST_SPACE)?),
        "SHRPOOL" => {
            let number = value.parse().ok().filter(|&number: &u8| number < u8::MAX);
            buffers.pool = Some(number.ok_or_else(|| format!("AMP: {key}={value} is no number from 0 to 254"))?);
        }
        _ => {
            one_of(key, value, &["YES", "NO"])?;
            buffers.deferred = value == "YES";
        }
    }
    Ok(())
}

/// The words of SMB, and the message that tells of them.
fn managed(key: &str, value: &str) -> Result<(), String> {
    match key {
        "ACCBIAS" => one_of(key, value, &["USER", "SYSTEM", "DO", "DW", "SO", "SW"]),
        "SMBDFR" => one_of(key, value, &["Y", "N"]),
        "MSG" => one_of(key, value, &["SMBBIAS"]),
        "SMBHWT" => match digits(value) {
            Some(0..=99) => Ok(()),
            _ => Err(format!("AMP: {key}={value} is no number from 0 to 99")),
        },
        _ => {
            let size = |unit, most| {
                let number = value.strip_suffix(unit).and_then(digits);
                number.is_some_and(|number| (1..=most).contains(&number))
            };
            if size('K', MOST_K) || size('M', MOST_M) {
                return Ok(());
            }
            Err(format!(
                "AMP: {key}={value} is no size from 1K to {MOST_K}K or 1M to {MOST_M}M"
            ))
        }
    }
}

/// What has no effect.
fn noted(key: &str, value: &str, item: &str) -> Result<(), String> {
    match key {
        "AMORG" if value.is_empty() => Ok(()),
        "OPTCD" => one_of(key, value, &["I", "L", "IL"]),
        "RECFM" => one_of(key, value, &["F", "FB", "V", "VB"]),
        "CROPS" => one_of(key, value, &["RCK", "NCK", "NRE", "NRC"]),
        "FRLOG" => one_of(key, value, &["NONE", "REDO"]),
        "RMODE31" => one_of(key, value, &["ALL", "BUFF", "CB", "NONE"]),
        "SYNAD" | "TRACE" if !value.is_empty() => Ok(()),
        "SYNAD" | "TRACE" => Err(format!("AMP: {key}= is followed by nothing")),
        _ => Err(format!(
            "AMP: {item} is no subparameter; these are: BUFND, BUFNI, STRNO, BUFSP, SHRPOOL, DEFERW, ACCBIAS, SMBDFR, \
             SMBHWT, SMBVSP, SMBVSPI, MSG, AMORG, OPTCD, RECFM, CROPS, FRLOG, RMODE31, SYNAD, TRACE"
        )),
    }
}

/// Of a data set that nobody knows yet.
const NO_SIZES: BufferSizes = BufferSizes {
    data: 0,
    index: None,
    record: 0,
    spanned: false,
};

/// The most that BUFSP may be.
const MOST_SPACE: u32 = 16_776_704;

/// The most that SMBVSP and SMBVSPI may be, in units of 1,024 bytes.
const MOST_K: u32 = 2_048_000;
/// The same in units of 1,048,576.
const MOST_M: u32 = 2_048;

fn one_of(key: &str, value: &str, words: &[&str]) -> Result<(), String> {
    if words.contains(&value) {
        Ok(())
    } else {
        Err(format!("AMP: {key}={value} is none of {}", words.join(", ")))
    }
}

/// A number of digits alone.
fn digits(text: &str) -> Option<u32> {
    let all = text.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| text.parse().ok()).flatten()
}

/// A number of buffers, of which `least` is told; why 1 is too few where it is, the caller tells.
fn number<T>(key: &str, value: &str, least: u8, most: T) -> Result<T, String>
where
    T: FromStr + PartialOrd + From<u8> + Display,
{
    match value.parse::<T>() {
        Ok(number) if number >= T::from(1) && number <= most => Ok(number),
        _ => Err(format!("AMP: {key}={value} is no number from {least} to {most}")),
    }
}
