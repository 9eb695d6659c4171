//! PRINT, LISTCAT and SHCDS: what is listed.

use super::copy::range;
use crate::params::Params;
use cica_admin::listcat::{Listcat, Which};
use cica_admin::print::Print;
use cica_admin::shcds::{Chosen, Shcds};
use cica_catalog::entry::EntryKind;
use cica_messages::{Message, CICA1086E};

/// PRINT.
pub fn print(params: &Params) -> Print {
    Print {
        from: params.named_or_none("INFILE", "INDATASET"),
        range: range(params),
        onto: params.name("OUTFILE").map(str::to_owned),
    }
}

/// What LISTCAT's types mean. Page spaces and tape libraries there are none; volumes are listed by themselves.
const TYPES: [(&str, Option<EntryKind>); 14] = [
    ("ALIAS", Some(EntryKind::Alias)),
    ("ALTERNATEINDEX", Some(EntryKind::Aix)),
    ("CLUSTER", Some(EntryKind::Cluster)),
    ("DATA", Some(EntryKind::Data)),
    ("GENERATIONDATAGROUP", Some(EntryKind::Gdg)),
    ("INDEX", Some(EntryKind::Index)),
    ("NONVSAM", Some(EntryKind::NonVsam)),
    ("PATH", Some(EntryKind::Path)),
    ("USERCATALOG", Some(EntryKind::UserCatalog)),
    ("LIBRARYENTRIES", None),
    ("VOLUMEENTRIES", None),
    ("LIBRARY", None),
    ("PAGESPACE", None),
    ("SPACE", None),
];

/// LISTCAT.
pub fn listcat(params: &Params) -> Listcat {
    let names = |keyword| params.list(keyword).iter().map(|word| word.text.clone()).collect();
    let given: Vec<Option<EntryKind>> = TYPES
        .iter()
        .filter(|(word, _)| params.has(word))
        .map(|(_, kind)| *kind)
        .collect();
    // The table bounds both.
    let days = |keyword| params.number(keyword).map(|days| days as u32);
    Listcat {
        which: match (params.has("ENTRIES"), params.has("LEVEL")) {
            (true, _) => Which::Entries(names("ENTRIES")),
            (_, true) => Which::Levels(names("LEVEL")),
            _ => Which::Everything,
        },
        catalog: params.name("CATALOG").map(str::to_owned),
        kinds: (!given.is_empty()).then(|| given.into_iter().flatten().collect()),
        volumes: params.flag("SPACE"),
        creation: days("CREATION"),
        expiration: days("EXPIRATION"),
        figures: params.flag("ALLOCATION") || params.flag("ALL"),
    }
}

/// What may stand beside a function of SHCDS, and is none.
const BESIDE: [&str; 4] = ["JOBS", "OUTFILE", "SPHERE", "URID"];

/// Of the other functions of SHCDS there is no state that they could change.
fn missing(function: &str) -> &'static str {
    match function {
        "PERMITNONRLSUPDATE" | "DENYNONRLSUPDATE" => {
            "RETAINED RECORDS ARE KEPT FROM ALL PROGRAMS, THOSE THAT SHARE NOTHING TOO"
        }
        "REMOVESUBSYS" => "A SUBSYSTEM IS A CLIENT OF THE SERVER, AND IS FORGOTTEN WHEN IT ENDS",
        "CFREPAIR" | "CFRESET" | "CFRESETDS" => "THERE IS NO COUPLING FACILITY, AND ENTRIES HAVE NO MARKS OF ONE",
        // FRSETRR, FRRESETRR, FRUNBIND, FRBIND, FRDELETEUNBOUNDLOCKS.
        _ => "FORWARD RECOVERY HAS THE DATA SET TO ITSELF, AND NO LOCKS ARE BOUND TO IT",
    }
}

/// SHCDS, or why it is refused.
pub fn shcds(params: &Params) -> Result<Shcds, Message> {
    let mut keywords = params.iter().map(|param| param.keyword);
    let function = keywords.find(|keyword| !BESIDE.contains(keyword)).unwrap_or_default();
    Ok(match function {
        "LISTDS" => Shcds::DataSet(params.name("LISTDS").unwrap_or_default().to_owned()),
        "LISTSUBSYS" | "LISTSUBSYSDS" => Shcds::Subsystems,
        "LISTRECOVERY" | "LISTALL" => Shcds::Recovery,
        "LISTSHUNTED" => Shcds::Shunted(chosen(function, params)),
        "RETRY" => Shcds::Retry(chosen(function, params)),
        "PURGE" => Shcds::Purge(chosen(function, params)),
        _ => {
            let inserts: [(&str, &dyn std::fmt::Display); 2] =
                [("function", &function), ("reason", &missing(function))];
            return Err(Message::new(&CICA1086E, &inserts));
        }
    })
}

/// SPHERE(name) or URID(number, name of a unit in doubt, or ALL),
/// behind the function or in its parentheses; without either all.
fn chosen(function: &'static str, params: &Params) -> Chosen {
    let words = params.texts(function);
    let within = |keyword: &str| {
        let mut words = words.iter().skip_while(|word| *word != keyword).skip(1);
        words.find(|word| !word.starts_with(['(', ')'])).cloned()
    };
    if let Some(name) = params.name("SPHERE").map(str::to_owned).or_else(|| within("SPHERE")) {
        return Chosen::Sphere(name);
    }
    let unit = params.texts("URID").into_iter().next().or_else(|| within("URID"));
    match unit.as_deref() {
        None | Some("ALL") => Chosen::All,
        Some(unit) => unit
            .parse()
            .map_or_else(|_| Chosen::Named(unit.to_owned()), Chosen::Unit),
    }
}
