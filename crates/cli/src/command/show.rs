//! `cica show`: what the catalog and the data set's own files say of an entry.

use crate::compression;
use crate::describe;
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::Session;
use cica_admin::listcat::{listcat_json, Describer};
use cica_admin::shcds::in_use;
use cica_admin::Services;
use cica_catalog::{Catalog, CatalogError, Contents, Entry};
use cica_messages::CICA0951E;
use clap::Args;
use serde_json::{json, Value};
use std::io::Write;

/// Show everything about a data set or other entry
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica show PAYROLL.MASTER
  cica show PAYROLL.MASTER --json
  cica show PAYROLL.MASTER --compression
  cica show 'PAYROLL.BACKUP(0)'")]
pub struct Options {
    /// Data set name, or that of one of its components; X(0) is the newest generation of the group X
    dsn: String,
    /// Print all fields of LISTCAT ALL as JSON
    #[arg(long)]
    json: bool,
    /// Read all records of a compressed data set: what it saves by length and by dictionary, and what a new dictionary
    /// would save
    #[arg(long)]
    compression: bool,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let name = session.name(&options.dsn)?;
    let catalog = session.catalog.home(&name)?;
    let contents = catalog.contents()?;
    let found = contents.find(&name).ok_or(CatalogError::NotFound { name })?;
    let counted = match (options.compression, found.entry()) {
        (false, _) => None,
        (true, Entry::Cluster(cluster)) => Some(compression::counted(&session, cluster)?),
        (true, other) => {
            let words = format!("{} is no cluster, and has no records of its own", other.name());
            return Err(Failure::new(Status::REFUSED, &CICA0951E, words));
        }
    };
    let mut out = crate::terminal::stdout();
    if options.json {
        let mut all = listcat(&session, &catalog, &contents, found.entry())?;
        if let Entry::Cluster(cluster) = found.entry() {
            if cluster.attributes.compressed {
                // What is wrong with the file stands under `trouble`.
                let root = session.root(cluster).ok();
                let known = root.map(|root| compression::known(&session, &catalog, cluster, &root));
                all["compression"] = known.transpose()?.unwrap_or_default();
            }
        }
        if let Some(counted) = counted {
            all["compression"]["counted"] = counted;
        }
        writeln!(out, "{all:#}")?
    } else {
        let mut all = describe::entry(&session, &catalog, found.entry())?;
        if let Some(counted) = counted {
            all["compression"]["counted"] = counted;
        }
        describe::write(&mut out, &all)?
    }
    Ok(Status::DONE)
}

/// LISTCAT's fields of an entry, those of its components and their files inside it.
fn listcat(session: &Session, catalog: &Catalog, contents: &Contents, entry: &Entry) -> Result<Value, Failure> {
    let describer = Describer::new(&session.engine, catalog, contents, true)?;
    let describer = describer.beside_a_server(in_use(&Services::of(session)));
    let listed = describer.describe(entry);
    let mut all = listed.first().map_or_else(|| json!({}), listcat_json);
    for ((kind, component), listed) in entry.components().zip(listed.iter().skip(1)) {
        let mut value = listcat_json(listed);
        let path = catalog.component_path(component)?;
        value["file"] = json!(path.to_string_lossy());
        if let Ok(root) = session.engine.peek(&path) {
            value["bytes"] = describe::footprint(session, &path, &root)["bytes"].take();
        }
        all[kind.word().to_ascii_lowercase()] = value;
    }
    Ok(all)
}
