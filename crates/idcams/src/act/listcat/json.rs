//! An entry as JSON: LISTCAT's sections and fields in lower case with underscores, numbers as numbers, (NULL) as null.

use super::model::*;
use cica_catalog::entry::{Kind, Log};
use serde_json::{json, Map, Value};

/// Everything LISTCAT ALL prints of an entry or component, and statistics that it has no columns for.
pub fn listcat_json(entry: &ListcatEntry) -> Value {
    let mut all = json!({
        "type": entry.kind.word(), "name": entry.name, "in_cat": entry.catalog,
        "history": entry.history.as_ref().map(history),
    });
    let fields = match (&entry.component, &entry.cluster) {
        (Some(component), _) => self::component(component, entry.kind),
        (None, Some(cluster)) => self::cluster(cluster),
        (None, None) => words(entry),
    };
    if let (Value::Object(all), Value::Object(fields)) = (&mut all, fields) {
        all.extend(fields);
    }
    all["associations"] = entry
        .associations
        .iter()
        .map(|(kind, name)| json!({"type": kind.word(), "name": name}))
        .collect();
    if let Some((text, name)) = &entry.symbolic {
        all["symbolic"] = json!({"text": text, "resolved": name});
    }
    if let Some(trouble) = &entry.trouble {
        all["trouble"] = json!(trouble);
    }
    all
}

/// Of an entry that is neither cluster nor component.
fn words(entry: &ListcatEntry) -> Value {
    let values: Map<String, Value> = entry
        .values
        .iter()
        .map(|(keyword, value)| (keyword.to_ascii_lowercase(), json!(value)))
        .collect();
    let mut all = json!({"attributes": {"words": entry.words}});
    if let Value::Object(attributes) = &mut all["attributes"] {
        attributes.extend(values);
    }
    if let Some(file) = &entry.file {
        let volumes: Vec<Value> = file
            .volumes
            .iter()
            .map(|(serial, device, number)| json!({"volser": serial, "devtype": device, "fseqn": number}))
            .collect();
        all["status"] = json!(file.generation.then_some("ACTIVE"));
        all["volumes"] = json!(volumes);
        all["file"] = json!(file.file);
        all["format"] = json!(file.format);
    }
    all
}

fn history(history: &HistoryFields) -> Value {
    json!({
        "dataset_owner": history.owner,
        "creation": history.created.to_string(),
        "expiration": history.expires.map(|day| day.to_string()),
        "last_alter": history.last_alter.map(|day| day.to_string()),
    })
}

fn cluster(c: &ClusterFields) -> Value {
    let log = c.log.map(|log| match log {
        Log::None => "NONE",
        Log::Undo => "UNDO",
        Log::All => "ALL",
    });
    json!({
        "smsdata": {
            "storageclass": c.storage_class, "managementclass": c.management_class, "dataclass": c.data_class,
            "ca_reclaim": c.ca_reclaim, "eattr": c.eattr, "bwo": c.bwo,
        },
        "rlsdata": {
            "log": log, "frlog": c.forward_log, "vsam_quiesced": c.quiesced, "logreplicate": c.log_replicate,
            "logstreamid": c.log_stream,
        },
        "account_info": c.account,
    })
}

fn component(c: &ComponentFields, kind: Kind) -> Value {
    let s = &c.statistics;
    let mut statistics = json!({
        "rec_total": s.records, "rec_deleted": s.deleted, "rec_inserted": s.inserted, "rec_updated": s.updated,
        "rec_retrieved": s.retrieved, "splits_ci": s.ci_splits, "splits_ca": s.ca_splits,
        "reclaims_ca": s.ca_reclaims, "reuses_ca": s.ca_reuses, "excps": s.excps, "extents": c.extents,
        "freespace_ci": c.free_percent.0, "freespace_ca": c.free_percent.1, "freespc": s.free_space,
        "system_timestamp": s.last_change,
    });
    if let (Kind::Index, Some(index)) = (kind, c.index) {
        statistics["levels"] = json!(index.levels);
        statistics["entries_sect"] = json!(index.entries_per_section);
        statistics["seq_set_rba"] = json!(index.sequence_set);
        statistics["hi_level_rba"] = json!(index.high_level);
    }
    json!({
        "attributes": {
            "keylen": c.key_length, "rkp": c.key_offset, "axrkp": c.alternate_key_offset, "avglrecl": c.average_record,
            "maxlrecl": c.maximum_record, "bufspace": c.buffer_space, "excpexit": c.exception_exit,
            "cisize": c.ci_size, "ci_ca": c.ci_per_ca, "shroptns": [c.share.0, c.share.1], "ccsid": c.ccsid,
            "words": c.words,
        },
        "statistics": statistics,
        "allocation": {
            "space_type": c.space_type, "space_pri": c.space.0, "space_sec": c.space.1,
            "hi_a_rba": c.high_allocated, "hi_u_rba": c.high_used,
        },
        "volume": c.volumes.iter().map(volume).collect::<Vec<_>>(),
    })
}

fn volume(v: &VolumeFields) -> Value {
    let extents: Vec<Value> = v
        .extents
        .iter()
        .map(|e| json!({"tracks": e.tracks, "low_rba": e.low_rba, "high_rba": e.high_rba}))
        .collect();
    json!({
        "volser": v.serial, "devtype": format!("{:08X}", v.device), "phyrec_size": v.physical_record,
        "phyrecs_trk": v.records_per_track, "tracks_ca": v.tracks_per_ca, "extents": extents,
    })
}
