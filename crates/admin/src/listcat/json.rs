//! An entry as JSON: LISTCAT's groups and fields in lower case with underscores, numbers as numbers, (NULL) as null.

use super::fields::{
    ACCOUNT, ALLOCATION, ATTRIBUTES, CCSID, CLASSES, EXTENT, FILE, FILE_VOLUMES, HISTORY, INDEX, LOGSTREAM, RLSDATA,
    SMSDATA, STATISTICS, STATUS, VOLUME,
};
use super::model::*;
use serde_json::{json, Map, Value};

/// Everything LISTCAT ALL prints of an entry or component, and statistics that it has no columns for.
pub fn listcat_json(entry: &ListcatEntry) -> Value {
    let mut all = Map::new();
    let mut say = |key: &str, value: Value| all.insert(key.to_owned(), value);
    say("type", json!(entry.kind.word()));
    say("name", json!(entry.name));
    say("in_cat", json!(entry.catalog));
    say(
        HISTORY.key,
        entry
            .history
            .as_ref()
            .map_or(Value::Null, |history| HISTORY.json(history)),
    );
    match (&entry.component, &entry.cluster) {
        (Some(component), _) => self::component(component, &mut all),
        (None, Some(cluster)) => self::cluster(cluster, &mut all),
        (None, None) => words(entry, &mut all),
    }
    let associations = entry.associations.iter();
    let associations = associations.map(|(kind, name)| json!({"type": kind.word(), "name": name}));
    all.insert("associations".to_owned(), associations.collect());
    if let Some((text, name)) = &entry.symbolic {
        all.insert("symbolic".to_owned(), json!({"text": text, "resolved": name}));
    }
    if let Some(trouble) = &entry.trouble {
        all.insert("trouble".to_owned(), json!(trouble));
    }
    Value::Object(all)
}

/// Of an entry that is neither cluster nor component.
fn words(entry: &ListcatEntry, all: &mut Map<String, Value>) {
    let mut attributes = Map::new();
    attributes.insert("words".to_owned(), json!(entry.words));
    let values = entry.values.iter();
    attributes.extend(values.map(|(keyword, value)| (keyword.to_ascii_lowercase(), json!(value))));
    all.insert(ATTRIBUTES.key.to_owned(), Value::Object(attributes));
    if let Some(file) = &entry.file {
        STATUS.put(file, all);
        let volumes = file.volumes.iter().map(|volume| FILE_VOLUMES.json(volume));
        all.insert(FILE_VOLUMES.key.to_owned(), volumes.collect());
        FILE.put(file, all);
    }
}

fn cluster(c: &ClusterFields, all: &mut Map<String, Value>) {
    CLASSES.put(c, all);
    SMSDATA.put(c, all);
    RLSDATA.put(c, all);
    LOGSTREAM.put(c, all);
    ACCOUNT.put(c, all);
}

fn component(c: &ComponentFields, all: &mut Map<String, Value>) {
    ATTRIBUTES.put(c, all);
    all[ATTRIBUTES.key]["shroptns"] = json!([c.share.0, c.share.1]);
    CCSID.put(c, all);
    all[ATTRIBUTES.key]["words"] = json!(c.words);
    STATISTICS.put(c, all);
    if let Some(index) = &c.index {
        INDEX.put(index, all);
    }
    ALLOCATION.put(c, all);
    let volumes = c.volumes.iter().map(|v| volume(v, c));
    all.insert(VOLUME.key.to_owned(), volumes.collect());
}

fn volume(v: &VolumeFields, c: &ComponentFields) -> Value {
    let mut all = VOLUME.json(&(v.clone(), c.high_used));
    let extents = v.extents.iter();
    all[EXTENT.key] = extents
        .map(|extent| EXTENT.json(&(*extent, v.tracks_per_cylinder)))
        .collect();
    all
}
