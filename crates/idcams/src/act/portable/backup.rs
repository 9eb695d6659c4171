//! BACKUP: data sets of one or several catalogs, as they are stored, into one portable copy.
//!
//! 1. A data set is copied as of one moment: it may be open for input meanwhile, not for output. A base and those
//!    of its alternate indexes that are copied too are of the same moment.
//! 2. What cannot be copied ends the command: a copy has all that was asked for, or no end.

use super::super::failure::{refused, Failure};
use super::super::Services;
use super::stored::Copied;
use super::{complete, head, kind, rank, unwritten, NewCopy};
use crate::act::report::Report;
use crate::params::{Command, Params};
use cica_catalog::entry::Kind;
use cica_catalog::{Catalog, Entry, Mask, Name};
use cica_format::portable::Totals;
use cica_messages::{CICA0960I, CICA0961I, CICA0967E};
use cica_portable::Writer;
use std::sync::Arc;

/// COMPRESS when it is not given.
const LEVEL: u64 = 3;

/// Carries out BACKUP.
pub fn backup(services: &mut Services, command: &Command, out: &mut Report) -> u8 {
    match run(services, &command.params, out) {
        Ok(()) => 0,
        Err(failure) => failure.tell(out),
    }
}

fn run(services: &mut Services, params: &Params, out: &mut Report) -> Result<(), Failure> {
    let chosen = chosen(services, params)?;
    let copy = NewCopy::create(services, params)?;
    let Some(first) = chosen.first().map(|c| c.entry.name().clone()) else {
        return Err(Failure::new(&CICA0967E, &[("name", &"NOTHING")]));
    };
    let head = head(services, &first, chosen.len());
    let level = params.number("COMPRESS").unwrap_or(LEVEL) as i32;
    let output = |error: std::io::Error| unwritten(&copy.name, &error);
    let mut writer = Writer::new(copy.file, head, level).map_err(output)?;
    let mut count = 0;
    for sphere in chosen.chunk_by(|a, b| a.base() == b.base()) {
        let open = sphere
            .iter()
            .map(|c| Copied::open(services, &c.catalog, c.entry.clone()));
        for copied in open.collect::<Result<Vec<_>, _>>()? {
            let totals = copied.write(services, &mut writer, &copy.name, &mut count)?;
            let amount = amount(&totals, copied.records());
            out.say(
                &CICA0960I,
                &[
                    ("kind", &kind(&copied.entry)),
                    ("name", copied.entry.name()),
                    ("count", &amount),
                ],
            );
        }
    }
    let (file, totals) = writer.finish().map_err(output)?;
    let length = file.finish().map_err(output)?;
    complete(services, &copy.place, out)?;
    let stored = length.map_or_else(|| "A STREAM".to_owned(), |length| length.to_string());
    let members = chosen.len();
    out.say(
        &CICA0961I,
        &[("members", &members), ("bytes", &totals.bytes), ("stored", &stored)],
    );
    Ok(())
}

/// What a member amounts to, in words.
pub fn amount(totals: &Totals, records: u64) -> String {
    match (totals.control_intervals, totals.records) {
        (0, 0) if records == 0 => "DEFINITION ONLY".to_owned(),
        (0, _) => format!("{} RECORDS", totals.records),
        (intervals, _) => format!("{intervals} CONTROL INTERVALS WITH {records} RECORDS"),
    }
}

/// An entry and the catalog it is in.
struct Chosen {
    catalog: Arc<Catalog>,
    entry: Entry,
}

impl Chosen {
    /// The cluster of whose sphere it is; other entries stand for themselves.
    fn base(&self) -> &Name {
        match &self.entry {
            Entry::Aix(aix) => &aix.relate,
            entry => entry.name(),
        }
    }
}

/// What the names and masks mean, sphere by sphere.
fn chosen(services: &Services, params: &Params) -> Result<Vec<Chosen>, Failure> {
    let excluded = masks(params, "EXCLUDE")?;
    let mut chosen: Vec<Chosen> = Vec::new();
    for mask in masks(params, "entryname")? {
        let catalogs = match (params.has("CATALOG"), mask.is_generic()) {
            (true, _) => vec![services.whole_catalog(params)?],
            (false, true) => services.catalog.all()?,
            (false, false) => vec![services.catalog(params, mask.as_str())?],
        };
        let before = chosen.len();
        for catalog in catalogs {
            let contents = catalog.contents()?;
            let meant = contents
                .list(&mask)
                .filter(|entry| entry.kind() != Kind::UserCatalog)
                .filter(|entry| !excluded.iter().any(|mask| mask.matches(entry.name())));
            for entry in meant {
                if !chosen.iter().any(|known| known.entry.name() == entry.name()) {
                    let (catalog, entry) = (catalog.clone(), entry.clone());
                    chosen.push(Chosen { catalog, entry });
                }
            }
        }
        // A name that means nothing is a mistake; a mask that adds nothing to the others is not.
        if chosen.len() == before && (!mask.is_generic() || chosen.is_empty()) {
            return Err(Failure::new(&CICA0967E, &[("name", &mask.as_str())]));
        }
    }
    chosen.sort_by_cached_key(|c| {
        let kind = rank(c.entry.kind());
        // Paths and aliases behind all data sets, so that what they lead to is there before them.
        (kind > 1, c.base().clone(), kind, c.entry.name().clone())
    });
    Ok(chosen)
}

/// Masks of a keyword.
pub fn masks(params: &Params, keyword: &str) -> Result<Vec<Mask>, Failure> {
    let parse = |word: &crate::params::Word| Mask::parse(&word.text).map_err(|error| refused(&error, 8, 42));
    params.list(keyword).iter().map(parse).collect()
}
