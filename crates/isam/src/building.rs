//! isbuild, isaddindex, isdelindex, iserase, isrename: data sets and alternate indexes that programs make and end.
//!
//! What isbuild and dbm_open make is what DEFINE makes: a KSDS that IDCAMS, COBOL and the command know, with an
//! alternate index `name.AIXn` for each further key.
//!
//! * N1. isrename gives the base another name, and nothing else: components and alternate indexes keep theirs. So what
//!   is made takes names that are free ([`free`]).

use crate::error::{refused_with, Refused};
use crate::error::{EBADARG, EBADFILE, EBADKEY, EDUPL, EEXIST, EFLOCKED, EFNAME};
use crate::error::{EIO, EKEXISTS, ENOENT, ENOSPC, ENOTYET, EPRIMKEY};
use crate::file::{IsamFile, OWNER, OWNER_OF_PAIRS};
use crate::key::Key;
use crate::layout::Layout;
use cica::{Error, Store};
use cica_admin::alter::Alter;
use cica_admin::bldindex::Bldindex;
use cica_admin::define::{Alternate, DefineCluster, SphereMember};
use cica_admin::delete::Delete;
use cica_admin::named::Named;
use cica_admin::stated::{Form, Stated, Tenure};
use cica_admin::Outcome;
use cica_catalog::entry::{Keys, RecordSize, ShareOptions};
use cica_catalog::space::{Space, Unit};
use cica_catalog::Name;
use cica_messages::Message;
use std::ops::Range;

/// Defines a data set for records of `least` to `most` bytes with this key.
///
/// # Errors
/// EBADKEY, EBADARG, EEXIST.
pub fn build(store: &Store, name: &Name, key: &Key, least: usize, most: usize) -> Result<(), Refused> {
    if least == 0 || least > most || most > LONGEST_RECORD {
        return Err(Refused::because(
            EBADARG,
            format!("records of {least} to {most} bytes are none"),
        ));
    }
    check_key(key, least)?;
    if key.duplicates {
        let words = "a prime key with duplicates is not supported yet; add a part that makes it unique";
        return Err(Refused::because(EBADKEY, words));
    }
    let layout = Layout::new(vec![key.clone()], least, most);
    let sizes = (layout.head + least, layout.head + most);
    let cluster = Stated {
        form: Some(Form::Indexed),
        cobol_head: u16::try_from(layout.head).ok(),
        ..stated(name.to_string(), key, &layout.keys[0].1, sizes)
    };
    define(store, name, cluster, index())
}

/// Defines a data set for pairs of `ndbm.h`: records of `average` bytes, of `most` at most, that begin with this key.
///
/// # Errors
/// EEXIST.
pub fn build_pairs(store: &Store, name: &Name, key: &Key, average: usize, most: usize) -> Result<(), Refused> {
    let cluster = Stated {
        form: Some(Form::Indexed),
        tenure: Tenure {
            owner: Some(OWNER_OF_PAIRS.to_owned()),
            expires: None,
        },
        ci_size: Some(4096),
        spanned: Some(true),
        reuse: Some(true),
        ..stated(name.to_string(), key, &(0..key.length()), (average, most))
    };
    // The index of keys as long as these needs more than the one of isbuild: DEFINE says how much.
    define(store, name, cluster, Stated::default())
}

fn define(store: &Store, name: &Name, cluster: Stated, index: Stated) -> Result<(), Refused> {
    let others = (2..).map_while(|number| Name::parse(&format!("{name}.R{number}")).ok());
    // Where none is free DEFINE says so.
    let components = free(store, name, std::iter::once(name.clone()).chain(others))?;
    let component = |of: fn(&Name) -> Name| components.as_ref().map(|stem| of(stem).to_string());
    let base = DefineCluster {
        cluster,
        data: Some(Stated {
            name: component(Name::data),
            ..Stated::default()
        }),
        index: Some(Stated {
            name: component(Name::index),
            ..index
        }),
        ..DefineCluster::default()
    };
    done(store.admin().define_sphere(&[SphereMember::Cluster(Box::new(base))]))
}

impl IsamFile {
    /// Adds a key: an alternate index, filled from the records that are there. The file is closed meanwhile; the caller
    /// opens it anew.
    ///
    /// # Errors
    /// ENOTEXCL, EKEXISTS, EFNAME; EDUPL where records have one key and it has no duplicates; EBADKEY, also where a
    /// record of a varying length ends before the key does.
    pub fn add_index(self, store: &Store, key: &Key) -> Result<(), Refused> {
        self.check_alone()?;
        check_key(key, self.layout.most)?;
        if self.number_of(key).is_some() {
            return Err(Refused::new(EKEXISTS));
        }
        let Some(place) = key.place() else {
            let words = "a further key that is not characters of one piece is not supported yet: the records that are \
                         there would have to be written anew";
            return Err(Refused::because(ENOTYET, words));
        };
        let place = place.start + self.layout.head..place.end + self.layout.head;
        let name = self.name.clone();
        let numbered = (1..).map_while(|number| Name::parse(&format!("{name}.AIX{number}")).ok());
        let index_name = free(store, &name, numbered)?.map(|name| name.to_string());
        let index_name = index_name.ok_or_else(|| {
            let words = format!("{name}.AIXn is too long for the name of a data set, or all of these are taken");
            Refused::because(EFNAME, words)
        })?;
        self.close()?;
        let one = 5 + place.len() + LONGEST_POINTER;
        let of_index = DefineCluster {
            cluster: stated(index_name.clone(), key, &place, (one, MOST_OF_POINTERS)),
            index: Some(index()),
            alternate: Some(Alternate {
                relate: Some(name.to_string()),
                unique_key: Some(!key.duplicates),
                upgrade: Some(true),
                suppress: None,
            }),
            ..DefineCluster::default()
        };
        done(
            store
                .admin()
                .define_sphere(&[SphereMember::Cluster(Box::new(of_index))]),
        )?;
        let request = Bldindex {
            base: Named::DataSet(name.to_string()),
            indexes: vec![Named::DataSet(index_name.clone())],
        };
        let Some(refused) = not_whole(&store.admin().bldindex(&request)) else {
            return Ok(());
        };
        // What is not whole is not left behind.
        delete(store, &index_name)?;
        Err(refused)
    }

    /// Takes a key away. The file is closed meanwhile.
    ///
    /// # Errors
    /// ENOTEXCL, EPRIMKEY, EBADKEY.
    pub fn remove_index(self, store: &Store, key: &Key) -> Result<(), Refused> {
        self.check_alone()?;
        let number = self
            .number_of(key)
            .ok_or_else(|| Refused::because(EBADKEY, "the file has no such key"))?;
        let index = number.checked_sub(1).map(|number| self.indexes[number].clone());
        let index = index.ok_or_else(|| Refused::new(EPRIMKEY))?;
        self.close()?;
        delete(store, &index.to_string())
    }
}

/// Deletes a data set with its alternate indexes.
///
/// # Errors
/// ENOENT, EFLOCKED, EBADFILE.
pub fn delete(store: &Store, name: &str) -> Result<(), Refused> {
    let request = Delete {
        names: vec![name.to_owned()],
        ..Delete::default()
    };
    done(store.admin().delete(&request))
}

/// Gives a data set another name.
///
/// # Errors
/// ENOENT, EEXIST, EFLOCKED.
pub fn rename(store: &Store, from: &Name, to: &Name) -> Result<(), Refused> {
    let request = Alter {
        entry: from.to_string(),
        new_name: Some(to.to_string()),
        ..Alter::default()
    };
    done(store.admin().alter(&request))
}

/// Why the index that was built does not have each record once; none, if it has.
fn not_whole<T: Default>(built: &Outcome<T>) -> Option<Refused> {
    let told = |id: &str| built.messages.iter().find(|message| message.entry.id == id);
    if told(DUPLICATE).is_some() {
        return Some(refused_with(EDUPL, &built.messages));
    }
    if !built.is_done() || told(EXCESS).is_some() {
        let number = built.messages.iter().find_map(number_of);
        return Some(refused_with(number.unwrap_or(EBADFILE), &built.messages));
    }
    let short = told(LEFT_OUT).and_then(|message| message.insert("short"));
    let short = short.filter(|short| *short != "0")?;
    let words = format!("of the key: {short} records end before it does");
    Some(Refused::because(EBADKEY, words))
}

/// What a function of the catalog came to.
fn done<T: Default>(outcome: Outcome<T>) -> Result<(), Refused> {
    if outcome.is_done() {
        return Ok(());
    }
    let number = outcome.messages.iter().find_map(number_of);
    Err(refused_with(number.unwrap_or(EBADFILE), &outcome.messages))
}

/// Of a message with a code of VSAM's, where that has a number of its own.
fn number_of(message: &Message) -> Option<i32> {
    let insert = |name| message.insert(name);
    match message.entry.id {
        CATALOG => of_catalog(insert("rc")?, insert("reason")?),
        REQUEST => match (insert("operation")?, insert("rc")?) {
            ("OPEN", "168") => Some(EFLOCKED),
            ("OPEN", _) => None,
            // The word begins with register 15: 12 is a device that failed, and 8 with 28 is no space.
            (_, reason) => match (insert("detail")?.strip_prefix(FEEDBACK)?.get(..2)?, reason) {
                ("0C", _) => Some(EIO),
                ("08", "28") => Some(ENOSPC),
                _ => None,
            },
        },
        _ => None,
    }
}

fn of_catalog(return_code: &str, reason: &str) -> Option<i32> {
    match (return_code, reason) {
        ("8", "38") => Some(EEXIST),
        ("8", "42") => Some(ENOENT),
        ("24", _) => Some(EIO),
        ("68", "20") => Some(ENOSPC),
        // Somebody has it open, or a unit in doubt has changed it.
        ("184", _) => Some(EFLOCKED),
        _ => None,
    }
}

fn check_key(key: &Key, least: usize) -> Result<(), Refused> {
    match key.fault(least) {
        Some(why) => Err(Refused::because(EBADKEY, format!("of the key: {why}"))),
        None => Ok(()),
    }
}

/// The first of these names that a data set beside `beside` can have, with the components that are called by it.
fn free(store: &Store, beside: &Name, mut names: impl Iterator<Item = Name>) -> Result<Option<Name>, Refused> {
    let catalog = store.session().catalog.home(beside).map_err(Error::from)?;
    let contents = catalog.contents().map_err(Error::from)?;
    let is_free = |name: &Name| {
        [name, &name.data(), &name.index()]
            .iter()
            .all(|name| contents.find(name).is_none())
    };
    Ok(names.find(is_free))
}

/// What every cluster made here has, as those for COBOL programs.
fn stated(name: String, key: &Key, place: &Range<usize>, (average, most): (usize, usize)) -> Stated {
    Stated {
        name: Some(name),
        keys: Some(Keys {
            length: u16::try_from(place.len()).unwrap_or(u16::MAX),
            offset: bounded(place.start),
        }),
        record_size: Some(RecordSize {
            average: bounded(average),
            maximum: bounded(most),
        }),
        share: Some(ShareOptions { region: 2, system: 3 }),
        speed: Some(true),
        space: Some(Space {
            unit: Unit::Cylinders,
            primary: 10,
            secondary: 500,
        }),
        tenure: Tenure {
            owner: Some(OWNER.to_owned()),
            expires: None,
        },
        isam_key: (key.parts.len() > 1 || key.place().is_none()).then(|| key.text()),
        ..Stated::default()
    }
}

/// CIs of the index take more than a sequence set record needs: a request goes through a level less.
fn index() -> Stated {
    Stated {
        ci_size: Some(2048),
        ..Stated::default()
    }
}

fn bounded(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// The longest record that isbuild takes, as ever.
const LONGEST_RECORD: usize = 32_511;
/// The longest prime key.
const LONGEST_POINTER: usize = 255;
/// The longest record of an alternate index made here: what IDCAMS gives to one that says nothing.
const MOST_OF_POINTERS: usize = 32_600;

/// A key that several records have, and an index that is to have it once.
const DUPLICATE: &str = "IDC1645I";
/// A key that more records have than its record of the index takes.
const EXCESS: &str = "IDC1646I";
/// How many records are too short for the key.
const LEFT_OUT: &str = "CICA0985I";
/// The catalog's return code.
const CATALOG: &str = "IDC3009I";
/// The code of an open or of a request, and what stands before register 15 in the words of a request.
const REQUEST: &str = "IDC3351I";
const FEEDBACK: &str = " - RPLFDBWD=X'00";
