//! EXPORT and IMPORT, BACKUP and RESTORE: what makes portable copies and reads them.

use crate::params::Params;
use cica_admin::portable::{Backup, Export, ExportMode, Import, ImportObject, Renaming, Restore};
use cica_admin::usercatalog::{Connect, Connected, Disconnect};

/// EXPORT of a data set.
pub fn export(params: &Params) -> Export {
    let by_intervals = params.flag("CIMODE").then_some(ExportMode::ControlIntervals);
    Export {
        name: params.name("entryname").unwrap_or_default().to_owned(),
        onto: params.named_or_none("OUTFILE", "OUTDATASET"),
        mode: by_intervals.or(params.flag("RECORDMODE").then_some(ExportMode::Records)),
        temporary: params.flag("TEMPORARY"),
        purge: params.flag("PURGE"),
        erase: params.switch("ERASE", "NOERASE"),
        inhibit_source: params.flag("INHIBITSOURCE"),
        inhibit_target: params.flag("INHIBITTARGET"),
        catalog: catalog(params),
    }
}

/// EXPORT DISCONNECT.
pub fn disconnect(params: &Params) -> Disconnect {
    Disconnect {
        name: params.name("entryname").unwrap_or_default().to_owned(),
        catalog: catalog(params),
    }
}

/// IMPORT of a data set.
pub fn import(params: &Params) -> Import {
    let object = |list: &Params| ImportObject {
        name: list.name("entryname").unwrap_or_default().to_owned(),
        new_name: list.name("NEWNAME").map(str::to_owned),
        volumes: list.texts("VOLUMES"),
    };
    Import {
        from: params.named_or_none("INFILE", "INDATASET"),
        to: params.named("OUTFILE", "OUTDATASET"),
        objects: params.groups("OBJECTS").iter().map(object).collect(),
        aliases: params.flag("ALIAS"),
        into_empty: params.flag("INTOEMPTY"),
        purge: params.flag("PURGE"),
        erase: params.switch("ERASE", "NOERASE"),
        catalog: catalog(params),
    }
}

/// IMPORT CONNECT.
pub fn connect(params: &Params) -> Connect {
    let object = |list: &Params| Connected {
        name: list.name("entryname").unwrap_or_default().to_owned(),
        volume: list.name("VOLUMES").map(str::to_owned),
    };
    Connect {
        objects: params.groups("OBJECTS").iter().map(object).collect(),
        lock: params.flag("LOCK"),
        catalog: catalog(params),
    }
}

/// BACKUP.
pub fn backup(params: &Params) -> Backup {
    Backup {
        names: params.texts("entryname"),
        exclude: params.texts("EXCLUDE"),
        onto: params.named_or_none("OUTFILE", "OUTDATASET"),
        // The table bounds it by 19.
        compress: params.number("COMPRESS").map(|level| level as u8),
        catalog: catalog(params),
    }
}

/// RESTORE.
pub fn restore(params: &Params) -> Restore {
    let renaming = |pair: &Params| Renaming {
        old: pair.name("oldname").unwrap_or_default().to_owned(),
        new: pair.name("newname").unwrap_or_default().to_owned(),
    };
    Restore {
        names: params.texts("entryname"),
        exclude: params.texts("EXCLUDE"),
        from: params.named_or_none("INFILE", "INDATASET"),
        renames: params.groups("RENAME").iter().map(renaming).collect(),
        volumes: params.texts("VOLUMES"),
        replace: params.flag("REPLACE"),
        purge: params.flag("PURGE"),
        test: params.flag("TEST"),
        catalog: catalog(params),
    }
}

fn catalog(params: &Params) -> Option<String> {
    params.name("CATALOG").map(str::to_owned)
}
