//! What is known of an entry, as one JSON value that `show`, `stat` and `ls --json` print; people get the same lines.

use crate::compression;
use crate::failure::Failure;
use crate::progress::grouped;
use crate::session::Session;
use crate::terminal::in_a_line;
use cica_catalog::entry::{Attributes, Component, Log, Relate};
use cica_catalog::{Catalog, Cluster, Entry};
use cica_format::attributes::Organization;
use cica_format::root::{Root, Statistics};
use serde_json::{json, Map, Value};
use std::io::{self, Write};
use std::path::Path;

/// Everything about an entry.
pub fn entry(session: &Session, catalog: &Catalog, entry: &Entry) -> Result<Value, Failure> {
    let mut all = json!({"name": entry.name().as_str(), "type": entry.kind().word()});
    let more = match entry {
        Entry::Cluster(cluster) => self::cluster(session, catalog, cluster)?,
        Entry::Aix(aix) => json!({
            "related_to": aix.relate.as_str(), "unique_key": aix.unique_key, "upgrade": aix.upgrade,
            "data": component(catalog, &aix.data)?, "index": component(catalog, &aix.index)?,
        }),
        Entry::Path(path) => json!({"leads_to": path.target.as_str(), "update": path.update}),
        Entry::Alias(alias) => {
            let name = catalog.contents()?.stands_for(alias);
            let mut known = json!({"stands_for": name.as_ref().map(|name| name.as_str()).ok()});
            if let Relate::Symbolic(text) = &alias.relate {
                known["symbolic"] = json!(text.as_str());
            }
            known
        }
        Entry::Gdg(gdg) => json!({"limit": gdg.limit, "scratch": gdg.scratch, "empty": gdg.empty}),
        Entry::NonVsam(file) => {
            let volumes: Vec<&str> = file.volumes.iter().map(|v| v.as_str()).collect();
            json!({"device": file.device, "volumes": volumes, "file": file.file.text()})
        }
        Entry::UserCatalog(catalog) => json!({"directory": catalog.directory}),
        _ => json!({}),
    };
    merge(&mut all, more);
    Ok(all)
}

fn cluster(session: &Session, catalog: &Catalog, cluster: &Cluster) -> Result<Value, Failure> {
    let mut all = json!({"organization": organization(cluster)});
    merge(&mut all, attributes(&cluster.attributes));
    let mut data = component(catalog, &cluster.data)?;
    merge(
        &mut data,
        json!({"free_space_percent": {
            "ci": cluster.data.free_space.ci, "ca": cluster.data.free_space.ca,
        }}),
    );
    let mut index = cluster.index.as_ref().map(|i| component(catalog, i)).transpose()?;
    // A data set whose file is gone is still an entry; the rest is shown, and why there are no figures.
    match session.root(cluster) {
        Ok(mut root) => {
            // With what was counted since the last commit, and by readers, as everywhere.
            let counted = session.engine.counted_by_all();
            counted.complete(root.component, &mut root.statistics, &mut Statistics::default());
            merge(&mut data, allocation(&root));
            merge(
                &mut data,
                footprint(session, &catalog.component_path(&cluster.data)?, &root),
            );
            merge(&mut data, json!({"statistics": statistics(&root.statistics)}));
            if cluster.attributes.compressed {
                let known = compression::known(session, catalog, cluster, &root)?;
                merge(&mut all, json!({"compression": known}));
            }
            if let (Some(index), Some(component)) = (&mut index, &cluster.index) {
                merge(index, json!({"levels": root.levels}));
                let path = catalog.component_path(component)?;
                if let Ok(root) = session.engine.peek(&path) {
                    merge(index, footprint(session, &path, &root));
                }
            }
        }
        Err(Failure::Error { text, .. }) => merge(&mut data, json!({"unusable": text})),
        Err(closed) => return Err(closed),
    }
    merge(&mut all, json!({"data": data}));
    if let Some(index) = index {
        merge(&mut all, json!({"index": index}));
    }
    Ok(all)
}

fn attributes(stated: &Attributes) -> Value {
    let mut all = json!({
        "record_size": {"average": stated.record_size.average, "maximum": stated.record_size.maximum},
        "share_options": [stated.share.region, stated.share.system], "sharing": sharing(stated), "log": log(stated),
        "reuse": stated.reuse, "spanned": stated.spanned, "compressed": stated.compressed, "erase": stated.erase, "speed": stated.speed,
        "inhibit": stated.inhibit, "buffer_space": stated.buffer_space, "ccsid": stated.ccsid,
        "created": stated.history.created.to_string(),
    });
    if let Some(keys) = stated.keys {
        merge(
            &mut all,
            json!({"keys": {"length": keys.length, "offset": keys.offset}}),
        );
    }
    if let Some(owner) = &stated.history.owner {
        merge(&mut all, json!({"owner": owner}));
    }
    if let Some(expires) = stated.history.expires {
        merge(&mut all, json!({"expires": expires.to_string()}));
    }
    all
}

/// Who shares its records.
fn sharing(stated: &Attributes) -> &'static str {
    let is_said = |keyword| stated.other.iter().any(|(said, _)| said == keyword);
    match (is_said("RLSENABLE"), is_said("RLSQUIESCE")) {
        (_, true) => "nobody (RLSQUIESCE)",
        (true, _) => "whoever opens it (RLSENABLE)",
        _ => "who asks for it",
    }
}

/// LOG, where it was said.
fn log(stated: &Attributes) -> Option<&'static str> {
    Some(match stated.log? {
        Log::None => "NONE",
        Log::Undo => "UNDO",
        Log::All => "ALL",
    })
}

fn component(catalog: &Catalog, component: &Component) -> Result<Value, Failure> {
    let volumes: Vec<&str> = component.volumes.iter().map(|v| v.as_str()).collect();
    Ok(json!({
        "name": component.name.as_str(),
        "volumes": volumes,
        "file": catalog.component_path(component)?.to_string_lossy(),
        "ci_size": component.ci_size,
        "ci_per_ca": component.ci_per_ca,
        "tracks_per_ca": component.tracks_per_ca,
        "space": {
            "unit": component.space.unit.word(), "primary": component.space.primary,
            "secondary": component.space.secondary,
        },
    }))
}

fn allocation(root: &Root) -> Value {
    json!({"high_used_rba": root.high_used, "high_allocated_rba": root.high_allocated, "extents": root.extents})
}

/// What the file of a component takes on the device, and what of it is not used; nothing where the system does not say.
pub fn footprint(session: &Session, path: &Path, root: &Root) -> Value {
    match session.engine.footprint(path, root) {
        Ok(found) => json!({"bytes": {
            "used": found.used, "file": found.file, "stored": found.stored, "reclaimable": found.reclaimable(),
        }}),
        Err(_) => json!({}),
    }
}

/// What was done with a data set.
pub fn statistics(s: &Statistics) -> Value {
    json!({
        "records": s.records, "inserted": s.inserted, "updated": s.updated, "deleted": s.deleted,
        "retrieved": s.retrieved, "ci_splits": s.ci_splits, "ca_splits": s.ca_splits, "ca_reclaims": s.ca_reclaims,
        "excps": s.excps, "free_space_bytes": s.free_space,
    })
}

/// The organization by the name users have for it: a VRRDS that takes records of one length alone is an RRDS, which is
/// compressed and so has no slots.
fn organization(cluster: &Cluster) -> &'static str {
    let stated = &cluster.attributes;
    match cluster.organization {
        Organization::Vrrds if stated.compressed && stated.record_size.is_one_length() => "RRDS",
        Organization::Ksds => "KSDS",
        Organization::Esds => "ESDS",
        Organization::Rrds => "RRDS",
        Organization::Vrrds => "VRRDS",
        Organization::Lds => "LDS",
        _ => "unknown",
    }
}

/// One line of `ls --long`: kind, records and bytes in use, volume.
pub fn summary(session: &Session, entry: &Entry) -> Value {
    let mut all = json!({"name": entry.name().as_str(), "type": entry.kind().word()});
    if let Entry::Cluster(cluster) = entry {
        merge(&mut all, json!({"organization": organization(cluster)}));
        if let Some(volume) = cluster.data.volumes.first() {
            merge(&mut all, json!({"volume": volume.as_str()}));
        }
        if let Ok(root) = session.root(cluster) {
            merge(
                &mut all,
                json!({"records": root.statistics.records, "bytes": root.high_used}),
            );
        }
    }
    all
}

/// Writes a value for people: a line for each scalar, a heading for each object.
pub fn write(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    match value {
        Value::Object(fields) => section(out, fields, 0),
        other => writeln!(out, "{}", in_a_line(&scalar(other))),
    }
}

fn section(out: &mut dyn Write, fields: &Map<String, Value>, depth: usize) -> io::Result<()> {
    let indent = 2 * depth;
    for (name, value) in fields {
        let label = name.replace('_', " ");
        match value {
            Value::Object(inner) if inner.len() > 4 || inner.values().any(|v| v.is_object() || is_list(v)) => {
                writeln!(out, "{:indent$}{label}", "")?;
                section(out, inner, depth + 1)?;
            }
            // Objects in a list are lines.
            list if is_list(list) => {
                writeln!(out, "{:indent$}{label}", "")?;
                for item in list.as_array().into_iter().flatten() {
                    writeln!(out, "{:indent$}  {}", "", in_a_line(&scalar(item)))?;
                }
            }
            // The number of a code page is a name, not a quantity.
            Value::Number(page) if name == "ccsid" => line(out, indent, &label, &page.to_string())?,
            other => line(out, indent, &label, &scalar(other))?,
        }
    }
    Ok(())
}

/// A list of objects?
fn is_list(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.iter().any(Value::is_object))
}

fn line(out: &mut dyn Write, indent: usize, label: &str, text: &str) -> io::Result<()> {
    let text = in_a_line(text);
    writeln!(out, "{:indent$}{label:width$}  {text}", "", width = 26 - indent)
}

fn scalar(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Number(n) => n.as_u64().map_or_else(|| n.to_string(), grouped),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(scalar).collect::<Vec<_>>().join(" "),
        Value::Object(fields) => {
            let shown = |v: &Value| if v.is_null() { "-".to_owned() } else { scalar(v) };
            let pairs: Vec<String> = fields
                .iter()
                .map(|(k, v)| format!("{} {}", k.replace('_', " "), shown(v)))
                .collect();
            pairs.join(", ")
        }
    }
}

fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn people_get_the_lines_of_the_value() {
        let value = json!({
            "name": "A.B", "ccsid": 1047, "reuse": true, "keys": {"length": 8, "offset": 0},
            "sizes": [{"from": 64, "ratio": 2.5}, {"from": 128, "ratio": null}],
            "data": {"ci_size": 4096, "statistics": {"records": 12345}},
        });
        let mut out = Vec::new();
        write(&mut out, &value).unwrap();
        let expected = "\
name                        A.B
ccsid                       1047
reuse                       yes
keys                        length 8, offset 0
sizes
  from 64, ratio 2.5
  from 128, ratio -
data
  ci size                   4,096
  statistics                records 12,345
";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
