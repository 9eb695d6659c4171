//! An entry as JSON: LISTCAT's sections and fields in lower case with underscores, numbers as numbers, (NULL) as null.

use super::field::object;
use super::fields::{
    ACCOUNT, ALLOCATION, ATTRIBUTES, CCSID, CLASSES, EXTENT, FILE, FILE_VOLUMES, HISTORY, INDEX, LOGSTREAM, RLSDATA,
    SMSDATA, STATISTICS, STATUS, VOLUME,
};
use super::model::*;
use serde_json::{json, Map, Value};

/// Everything LISTCAT ALL prints of an entry or component, and statistics that it has no columns for.
pub fn listcat_json(entry: &ListcatEntry) -> Value {
    let mut all = json!({
        "type": entry.kind.word(), "name": entry.name, "in_cat": entry.catalog,
        "history": entry.history.as_ref().map(history),
    });
    let fields = match (&entry.component, &entry.cluster) {
        (Some(component), _) => self::component(component),
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
        let volumes = file.volumes.iter().map(|volume| object(FILE_VOLUMES, volume));
        let mut fields = object(STATUS, file);
        fields.insert("volumes".to_owned(), volumes.map(Value::Object).collect());
        fields.extend(object(FILE, file));
        if let Value::Object(all) = &mut all {
            all.extend(fields);
        }
    }
    all
}

fn history(history: &HistoryFields) -> Value {
    Value::Object(object(HISTORY, history))
}

fn cluster(c: &ClusterFields) -> Value {
    let mut classes = object(CLASSES, c);
    classes.extend(object(SMSDATA, c));
    let mut sharing = object(RLSDATA, c);
    sharing.extend(object(LOGSTREAM, c));
    let mut all = Map::new();
    all.insert("smsdata".to_owned(), Value::Object(classes));
    all.insert("rlsdata".to_owned(), Value::Object(sharing));
    all.extend(object(ACCOUNT, c));
    Value::Object(all)
}

fn component(c: &ComponentFields) -> Value {
    let mut attributes = object(ATTRIBUTES, c);
    attributes.insert("shroptns".to_owned(), json!([c.share.0, c.share.1]));
    attributes.extend(object(CCSID, c));
    attributes.insert("words".to_owned(), json!(c.words));
    let mut statistics = object(STATISTICS, c);
    if let Some(index) = &c.index {
        statistics.extend(object(INDEX, index));
    }
    json!({
        "attributes": attributes,
        "statistics": statistics,
        "allocation": object(ALLOCATION, c),
        "volume": c.volumes.iter().map(|v| volume(v, c)).collect::<Vec<_>>(),
    })
}

fn volume(v: &VolumeFields, c: &ComponentFields) -> Value {
    let mut all = object(VOLUME, &(v.clone(), c.high_used));
    let extents = v
        .extents
        .iter()
        .map(|extent| object(EXTENT, &(*extent, v.tracks_per_cylinder)));
    all.insert("extents".to_owned(), extents.map(Value::Object).collect());
    Value::Object(all)
}
