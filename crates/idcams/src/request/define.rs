//! DEFINE.

use super::stated::{model, other, stated, tenure, texts};
use crate::params::Params;
use cica_admin::define::{
    Alternate, DefineAlias, DefineCluster, DefineGroup, DefineNonvsam, DefinePath, GroupStated, Related,
};
use cica_admin::usercatalog::DefineCatalog;
use cica_admin::volume::DefineVolume;

/// DEFINE CLUSTER.
pub fn cluster(params: &Params) -> DefineCluster {
    DefineCluster {
        catalog: text(params, "CATALOG"),
        cluster: stated(params),
        data: params.group("DATA").map(stated),
        index: params.group("INDEX").map(stated),
        recatalog: params.flag("RECATALOG"),
        alternate: None,
    }
}

/// DEFINE ALTERNATEINDEX.
pub fn alternate_index(params: &Params) -> DefineCluster {
    DefineCluster {
        alternate: Some(Alternate {
            relate: text(params, "RELATE"),
            unique_key: params.switch("UNIQUEKEY", "NONUNIQUEKEY"),
            upgrade: params.switch("UPGRADE", "NOUPGRADE"),
            // The table bounds it by 255.
            suppress: params.number("SUPPRESS").map(|byte| byte as u8),
        }),
        ..cluster(params)
    }
}

/// DEFINE PATH.
pub fn path(params: &Params) -> DefinePath {
    DefinePath {
        name: name(params),
        target: text(params, "PATHENTRY").unwrap_or_default(),
        catalog: text(params, "CATALOG"),
        update: params.switch("UPDATE", "NOUPDATE"),
        model: model(params),
        tenure: tenure(params),
        recatalog: params.flag("RECATALOG"),
    }
}

/// DEFINE GENERATIONDATAGROUP.
pub fn group(params: &Params) -> DefineGroup {
    DefineGroup {
        name: name(params),
        catalog: text(params, "CATALOG"),
        group: group_stated(params),
        tenure: tenure(params),
    }
}

/// What DEFINE and ALTER say of a group.
pub fn group_stated(params: &Params) -> GroupStated {
    GroupStated {
        // The table bounds it by 999.
        limit: params.number("LIMIT").map(|limit| limit as u16),
        scratch: params.switch("SCRATCH", "NOSCRATCH"),
        empty: params.switch("EMPTY", "NOEMPTY"),
        fifo: params.switch("FIFO", "LIFO"),
        purge: params.switch("PURGE", "NOPURGE"),
        extended: params.switch("EXTENDED", "NOEXTENDED"),
    }
}

/// DEFINE NONVSAM.
pub fn nonvsam(params: &Params) -> DefineNonvsam {
    DefineNonvsam {
        name: name(params),
        catalog: text(params, "CATALOG"),
        volumes: texts(params, "VOLUMES"),
        device_types: texts(params, "DEVICETYPES"),
        sequence: texts(params, "FILESEQUENCENUMBERS"),
        tenure: tenure(params),
        recatalog: params.flag("RECATALOG"),
    }
}

/// DEFINE ALIAS.
pub fn alias(params: &Params) -> DefineAlias {
    let related = match text(params, "SYMBOLICRELATE") {
        Some(name) => Related::Symbolic(name),
        None => Related::Entry(text(params, "RELATE").unwrap_or_default()),
    };
    DefineAlias {
        name: name(params),
        related,
        catalog: text(params, "CATALOG"),
    }
}

/// DEFINE USERCATALOG and DEFINE MASTERCATALOG.
pub fn catalog(params: &Params, master: bool) -> DefineCatalog {
    DefineCatalog {
        name: name(params),
        master,
        volume: text(params, "VOLUMES"),
        catalog: text(params, "CATALOG"),
        tenure: tenure(params),
        other: other(params),
    }
}

/// DEFINE VOLUME.
pub fn volume(params: &Params) -> DefineVolume {
    DefineVolume {
        serial: name(params),
        catalog: text(params, "CATALOG"),
        device: text(params, "DEVICETYPE"),
        // The table bounds it.
        cylinders: params.number("CYLINDERS").map(|number| number as u32),
        path: text(params, "PATH"),
    }
}

fn name(params: &Params) -> String {
    text(params, "NAME").unwrap_or_default()
}

fn text(params: &Params, keyword: &str) -> Option<String> {
    params.name(keyword).map(str::to_owned)
}
