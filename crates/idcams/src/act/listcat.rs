//! LISTCAT: lists entries, and counts them.
//!
//! A list of ENTRIES stands on the page of the command, components indented under their entry; a LEVEL or the whole
//! catalog begins a page with its own subtitle. The counts follow on a page of theirs.

mod field;
mod fields;
mod json;
mod model;
mod page;
mod select;
mod sphere;

pub use fields::reference_listcat_markdown;
pub use json::listcat_json;
pub use model::{
    ClusterFields, ComponentFields, Describer, ExtentFields, FileFields, HistoryFields, IndexFields, ListcatEntry,
    VolumeFields,
};

use super::failure::Failure;
use super::Services;
use crate::listing::file::on_file;
use crate::params::{Command, Params, Word};
use crate::sysprint::Sysprint;
use cica_catalog::{Catalog, Contents, Volume};
use cica_messages::{CICA0938W, IDC1566I};
use page::{field, heading, section, title, Fields};
use select::{Choice, Listed};
use std::path::Path;

/// Condition code when something that was named is not listed, or not fully.
const NOT_LISTED: u8 = 4;

/// What is counted, in the order of the last page.
const COUNTED: [&str; 13] = [
    "AIX",
    "ALIAS",
    "CLUSTER",
    "DATA",
    "GDG",
    "INDEX",
    "NONVSAM",
    "PAGESPACE",
    "PATH",
    "SPACE",
    "USERCATALOG",
    "TAPELIBRARY",
    "TAPEVOLUME",
];

/// Carries out LISTCAT.
pub fn listcat(services: &mut Services, command: &Command, out: &mut Sysprint) -> u8 {
    let params = &command.params;
    let Some(ddname) = params.name("OUTFILE") else {
        return list(services, params, out);
    };
    let listed = on_file(services, ddname, out, |services, listing| {
        Ok(list(services, params, listing))
    });
    listed.unwrap_or_else(|failure| out.failure(failure, &command.params))
}

fn list(services: &Services, params: &Params, out: &mut Sysprint) -> u8 {
    match listed(services, params, out) {
        Ok(cc) => cc,
        Err(failure) => out.failure(failure.with_cc(12), params),
    }
}

fn listed(services: &Services, params: &Params, out: &mut Sysprint) -> Result<u8, Failure> {
    let (names, levels) = (params.list("ENTRIES"), params.list("LEVEL"));
    let below = |level: &Word| services.catalog(params, &format!("{}.X", level.text));
    let whole = levels.first().map_or_else(|| services.whole_catalog(params), below)?;
    let fields = fields(params);
    let look = Look {
        services,
        figures: fields >= Fields::Allocation,
    };
    let choice = Choice::of(params, services.today());
    let mut listing = Listing {
        fields,
        counts: [0; COUNTED.len()],
        cc: 0,
        out,
    };

    if names.is_empty() {
        let subtitle = format!("LISTING FROM CATALOG -- {}", whole.called_name()?);
        listing.out.subtitle(Some(&subtitle));
        listing.out.new_page();
    }
    for name in names {
        let catalog = services.catalog(params, &name.text)?;
        let done = look.at(&catalog, |d| {
            choice.entries(d, &name.text, &mut |listed| listing.put(listed))
        })?;
        listing.missed(&name.text, done);
    }
    for level in levels {
        let catalog = below(level)?;
        let done = look.at(&catalog, |d| {
            choice.level(d, &level.text, &mut |listed| listing.put(listed))
        })?;
        listing.missed(&level.text, done);
    }
    if names.is_empty() && levels.is_empty() {
        look.at(&whole, |d| choice.everything(d, &mut |listed| listing.put(listed)))?;
    }
    if params.flag("SPACE") {
        let contents = whole.contents()?;
        let called = whole.called_name()?;
        contents
            .volumes()
            .for_each(|volume| listing.volume(volume, &contents, &called, whole.directory()));
    }
    Ok(listing.end())
}

/// How entries of a catalog are looked at.
struct Look<'a> {
    services: &'a Services,
    figures: bool,
}

impl Look<'_> {
    fn at<T>(&self, catalog: &Catalog, list: impl FnOnce(&Describer) -> T) -> Result<T, Failure> {
        let contents = catalog.contents()?;
        let describer = Describer::new(&self.services.engine, catalog, &contents, self.figures)?;
        Ok(list(&describer))
    }
}

fn fields(params: &Params) -> Fields {
    const WORDS: [(&str, Fields); 4] = [
        ("HISTORY", Fields::History),
        ("VOLUME", Fields::Volume),
        ("ALLOCATION", Fields::Allocation),
        ("ALL", Fields::All),
    ];
    WORDS
        .into_iter()
        .find(|(word, _)| params.flag(word))
        .map_or(Fields::Name, |(_, fields)| fields)
}

/// A listing under way.
struct Listing<'a, 'o> {
    fields: Fields,
    counts: [u64; COUNTED.len()],
    cc: u8,
    out: &'a mut Sysprint<'o>,
}

impl Listing<'_, '_> {
    fn put(&mut self, all: Vec<Listed>) {
        for Listed { entry, nested } in all {
            self.count(entry.kind.word());
            page::print(&entry, self.fields, nested, self.out);
            if let Some(trouble) = &entry.trouble {
                self.out.say(&CICA0938W, &[("name", &entry.name), ("reason", trouble)]);
                self.cc = self.cc.max(NOT_LISTED);
            }
        }
    }

    fn count(&mut self, word: &str) {
        if let Some(place) = COUNTED.iter().position(|counted| *counted == word) {
            self.counts[place] += 1;
        }
    }

    fn missed(&mut self, name: &str, done: Result<(), Failure>) {
        if let Err(failure) = done {
            self.out.failure(failure, &Params::default());
            self.out.say(&IDC1566I, &[("name", &name)]);
            self.cc = self.cc.max(NOT_LISTED);
        }
    }

    fn volume(&mut self, volume: &Volume, contents: &Contents, called: &str, directory: &Path) {
        self.count("SPACE");
        let out = &mut *self.out;
        heading("VOLUME", &volume.serial, called, false, out);
        if self.fields == Fields::Name {
            return;
        }
        let on_it = contents.entries().flat_map(|entry| entry.components());
        let on_it = on_it
            .filter(|(_, component)| component.volumes.first() == Some(&volume.serial))
            .count();
        let device = volume.device;
        title("CHARACTERISTICS", out);
        section(
            &[
                field("DEVTYPE", format!("X'{:08X}'", device.code())),
                field("CYLS/VOL", volume.cylinders.unwrap_or(device.cylinders())),
                field("TRKS/CYL", device.tracks_per_cylinder()),
                field("DATASETS-ON-VOL", on_it),
            ],
            out,
        );
        section(&[format!("DIRECTORY--{}", volume.path(directory).display())], out);
    }

    /// The page of counts.
    fn end(self) -> u8 {
        self.out.new_page();
        self.out.double("         THE NUMBER OF ENTRIES PROCESSED WAS:");
        for (word, count) in COUNTED.iter().zip(self.counts) {
            self.out
                .line(&format!("{:19}{}", "", field(&format!("{word} "), count)));
        }
        let total: u64 = self.counts.iter().sum();
        self.out.line(&format!("{:19}{}", "", field("TOTAL ", total)));
        self.out
            .double("         THE NUMBER OF PROTECTED ENTRIES SUPPRESSED WAS 0");
        self.out.subtitle(None);
        self.cc
    }
}
