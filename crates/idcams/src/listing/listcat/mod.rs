//! LISTCAT as a listing: the entries, and how many of each kind there were.
//!
//! A list of ENTRIES stands on the page of the command, components indented under their entry; a LEVEL or the whole
//! catalog begins a page with its own subtitle. The counts follow on a page of theirs.

mod columns;
mod page;

use super::file::on_file;
use crate::params::Params;
use crate::request::list;
use crate::sysprint::Sysprint;
use cica_admin::listcat::Listed;
use cica_admin::Services;
use cica_messages::CICA0938W;
use page::{field, Fields};

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
pub fn listcat(services: &mut Services, params: &Params, out: &mut Sysprint) -> u8 {
    let Some(ddname) = params.name("OUTFILE") else {
        return list(services, params, out);
    };
    let listed = on_file(services, ddname, out, |services, listing| {
        Ok(list(services, params, listing))
    });
    listed.unwrap_or_else(|failure| out.failure(failure, params))
}

fn list(services: &Services, params: &Params, out: &mut Sysprint) -> u8 {
    let mut listing = Listing {
        fields: Fields::of(params),
        counts: [0; COUNTED.len()],
        out,
    };
    let outcome = services.listcat(&list::listcat(params), &mut |listed| listing.put(listed));
    // What was given up has no counts.
    if outcome.is_done() {
        listing.end();
    }
    out.messages(outcome.messages, params);
    outcome.condition
}

/// A listing under way.
struct Listing<'a, 'o> {
    fields: Fields,
    counts: [u64; COUNTED.len()],
    out: &'a mut Sysprint<'o>,
}

impl Listing<'_, '_> {
    fn put(&mut self, listed: Listed) {
        match listed {
            Listed::Catalog(name) => {
                let subtitle = format!("LISTING FROM CATALOG -- {name}");
                self.out.subtitle(Some(&subtitle));
                self.out.new_page();
            }
            Listed::Entry { entry, nested } => {
                self.count(entry.kind.word());
                page::entry(&entry, self.fields, nested, self.out);
                if let Some(trouble) = &entry.trouble {
                    self.out.say(&CICA0938W, &[("name", &entry.name), ("reason", trouble)]);
                }
            }
            Listed::NotFound(messages) => self.out.messages(messages, &Params::default()),
            Listed::Volume(volume) => {
                self.count("SPACE");
                page::space(&volume, self.fields, self.out);
            }
        }
    }

    fn count(&mut self, word: &str) {
        if let Some(place) = COUNTED.iter().position(|counted| *counted == word) {
            self.counts[place] += 1;
        }
    }

    /// The page of counts.
    fn end(&mut self) {
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
    }
}
