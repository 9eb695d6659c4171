//! BACKUP: data sets of one or several catalogs, as they are stored, into one portable copy.
//!
//! 1. A data set is copied as of one moment. A base and those of its alternate indexes that are copied too are of the
//!    same moment.
//! 2. One that is open for output, where it is shared or in this process, is copied too (`copied_sphere`).
//! 3. What cannot be copied ends the command: a copy has all that was asked for, or no end.

use super::super::failure::{refused, Failure};
use super::super::Services;
use super::copied_sphere::CopiedSphere;
use super::doubt::tell_doubt;
use super::{complete, head, rank, unwritten, Member, NewCopy};
use crate::named::Named;
use crate::outcome::Outcome;
use crate::report::Report;
use cica_catalog::entry::EntryKind;
use cica_catalog::{Catalog, Entry, Mask, Name};
use cica_messages::{CICA0960I, CICA0961I, CICA0967E, CICA1028W};
use cica_portable::Writer;
use std::sync::Arc;

/// COMPRESS when it is not given.
const LEVEL: u8 = 3;

/// BACKUP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// Names and masks of what is copied.
    pub names: Vec<String>,
    /// Names and masks of what is not.
    pub exclude: Vec<String>,
    /// The file of the copy.
    pub onto: Named,
    /// COMPRESS: how hard to compress, 1 to 19; 3 when nothing is said.
    pub compress: Option<u8>,
    /// The catalog the names are in; for a name the one that the search order finds where none is said, for a mask all.
    pub catalog: Option<String>,
}

impl Services {
    /// Copies data sets as they are stored into one portable copy; the result is what is in it.
    pub fn backup(&mut self, request: &Backup) -> Outcome<Vec<Member>> {
        Outcome::with(|out| backup(self, request, out))
    }
}

fn backup(services: &mut Services, request: &Backup, out: &mut Report) -> Result<(u8, Vec<Member>), Failure> {
    let BackupSelection { chosen, idle } = chosen(services, request)?;
    let copy = NewCopy::create(services, &request.onto)?;
    let Some(first) = chosen.first().map(|c| c.entry.name().clone()) else {
        return Err(Failure::new(&CICA0967E, &[("name", &"NOTHING")]));
    };
    let head = head(services, &first, chosen.len());
    let level = i32::from(request.compress.unwrap_or(LEVEL));
    let output = |error: std::io::Error| unwritten(&copy.name, &error);
    let mut writer = Writer::new(copy.file, head, level).map_err(output)?;
    let (mut count, mut members) = (0, Vec::new());
    let mut condition = tell_idle(&idle, out);
    for sphere in chosen.chunk_by(|a, b| a.base() == b.base()) {
        let Some(base) = sphere.first().map(BackedUp::base) else {
            continue;
        };
        let opened = CopiedSphere::open(services, base, sphere.iter().map(BackedUp::place), out)?;
        condition = tell_doubt(services, base, out)?.max(condition);
        for copied in opened.entries() {
            let totals = copied.write(services, &mut writer, &copy.name, &mut count)?;
            let member = Member::of(&copied.entry, &totals, copied.records());
            let amount = member.amount();
            out.say(
                &CICA0960I,
                &[
                    ("kind", &member.kind.word()),
                    ("name", &member.name),
                    ("count", &amount),
                ],
            );
            members.push(member);
        }
        opened.check(base)?;
    }
    let (file, totals) = writer.finish().map_err(output)?;
    let length = file.finish().map_err(output)?;
    complete(services, &copy.place, out)?;
    let stored = length.map_or_else(|| "A STREAM".to_owned(), |length| length.to_string());
    out.say(
        &CICA0961I,
        &[
            ("members", &members.len()),
            ("bytes", &totals.bytes),
            ("stored", &stored),
        ],
    );
    Ok((condition, members))
}

/// An entry and the catalog it is in.
struct BackedUp {
    catalog: Arc<Catalog>,
    entry: Entry,
}

impl BackedUp {
    fn place(&self) -> (&Catalog, &Entry) {
        (&self.catalog, &self.entry)
    }

    /// The cluster of whose sphere it is; other entries stand for themselves.
    fn base(&self) -> &Name {
        match &self.entry {
            Entry::Aix(aix) => &aix.relate,
            entry => entry.name(),
        }
    }
}

/// What the names and masks mean.
struct BackupSelection {
    /// Sphere by sphere.
    chosen: Vec<BackedUp>,
    /// Masks that mean nothing, beside others that do.
    idle: Vec<Mask>,
}

/// A mask that means nothing beside others is told: it may be a slip, and the copy lacks what was meant.
pub fn tell_idle(idle: &[Mask], out: &mut Report) -> u8 {
    let told = idle.iter().map(|mask| {
        let warning = Failure::new(&CICA1028W, &[("name", &mask.as_str())]);
        warning.tell(out)
    });
    told.max().unwrap_or(0)
}

fn chosen(services: &Services, request: &Backup) -> Result<BackupSelection, Failure> {
    let excluded = masks(&request.exclude)?;
    let (mut chosen, mut idle): (Vec<BackedUp>, Vec<Mask>) = (Vec::new(), Vec::new());
    for mask in masks(&request.names)? {
        let catalogs = match (&request.catalog, mask.is_generic()) {
            (Some(catalog), _) => vec![services.catalog_or_master(Some(catalog))?],
            // A copy without what one of them names would pass for whole.
            (None, true) => services.catalog.every()?,
            (None, false) => vec![services.catalog_of(None, mask.as_str())?],
        };
        let mut means_nothing = true;
        for catalog in catalogs {
            let contents = catalog.contents()?;
            let meant = contents
                .list(&mask)
                .filter(|entry| entry.kind() != EntryKind::UserCatalog)
                .filter(|entry| !excluded.iter().any(|mask| mask.matches(entry.name())));
            for entry in meant {
                means_nothing = false;
                if !chosen.iter().any(|known| known.entry.name() == entry.name()) {
                    let (catalog, entry) = (catalog.clone(), entry.clone());
                    chosen.push(BackedUp { catalog, entry });
                }
            }
        }
        // A name that means nothing is a mistake.
        if means_nothing && !mask.is_generic() {
            return Err(Failure::new(&CICA0967E, &[("name", &mask.as_str())]));
        }
        if means_nothing {
            idle.push(mask);
        }
    }
    if let (true, Some(mask)) = (chosen.is_empty(), idle.first()) {
        return Err(Failure::new(&CICA0967E, &[("name", &mask.as_str())]));
    }
    chosen.sort_by_cached_key(|c| {
        let kind = rank(c.entry.kind());
        // Paths and aliases behind all data sets, so that what they lead to is there before them.
        (kind > 1, c.base().clone(), kind, c.entry.name().clone())
    });
    Ok(BackupSelection { chosen, idle })
}

/// Masks as a request has them.
pub fn masks(texts: &[String]) -> Result<Vec<Mask>, Failure> {
    let parse = |text: &String| Mask::parse(text).map_err(|error| refused(&error, 8, 42));
    texts.iter().map(parse).collect()
}
