//! ALTER.

use super::define::group_stated;
use super::stated::{stated, texts};
use crate::params::Params;
use cica_admin::alter::{Alter, Nullified, RollIn};
use cica_admin::stated::{Form, NewLayout};

/// ALTER.
pub fn alter(params: &Params) -> Alter {
    let text = |keyword| params.name(keyword).map(str::to_owned);
    Alter {
        entry: text("entryname").unwrap_or_default(),
        catalog: text("CATALOG"),
        new_name: text("NEWNAME"),
        stated: stated(params),
        nullify: params.group("NULLIFY").map(nullified).unwrap_or_default(),
        update: params.switch("UPDATE", "NOUPDATE"),
        upgrade: params.switch("UPGRADE", "NOUPGRADE"),
        unique_key: params.switch("UNIQUEKEY", "NONUNIQUEKEY"),
        group: group_stated(params),
        add_volumes: texts(params, "ADDVOLUMES"),
        remove_volumes: texts(params, "REMOVEVOLUMES"),
        extended_addressable: params.flag("EXTENDEDADDRESSABLE"),
        reorganize: params.group("REORGANIZE").map(layout),
        resume: params.flag("RESUME"),
        unlock: params.flag("UNLOCK"),
    }
}

/// ALTER ... ROLLIN.
pub fn roll_in(params: &Params) -> RollIn {
    RollIn {
        generation: params.name("entryname").unwrap_or_default().to_owned(),
        catalog: params.name("CATALOG").map(str::to_owned),
    }
}

fn nullified(params: &Params) -> Vec<Nullified> {
    let of = |keyword| match keyword {
        "OWNER" => Nullified::Owner,
        "RETENTION" => Nullified::Retention,
        "LOG" => Nullified::Log,
        "LOGSTREAMID" => Nullified::LogStream,
        "STORAGECLASS" => Nullified::StorageClass,
        "DATACLASS" => Nullified::DataClass,
        "MANAGEMENTCLASS" => Nullified::ManagementClass,
        other => Nullified::Kept(other),
    };
    params.iter().map(|param| of(param.keyword)).collect()
}

fn layout(params: &Params) -> NewLayout {
    let given = stated(params);
    NewLayout {
        form: params.name("ORGANIZATION").map(|word| match word {
            "INDEXED" => Form::Indexed,
            "NONINDEXED" => Form::NonIndexed,
            _ => Form::Numbered,
        }),
        keys: given.keys,
        record_size: given.record_size,
        ci_size: given.ci_size,
        free_space: given.free_space,
        compressed: given.compressed,
    }
}
