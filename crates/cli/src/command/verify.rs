//! `cica verify`: opens a data set as the next job would, and checks its whole structure.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::Session;
use crate::work::work;
use cica_admin::examine::Examine;
use cica_admin::named::Named;
use cica_admin::verify::Verify;
use cica_admin::{Outcome, Services};
use cica_catalog::{Cluster, Entry};
use cica_engine::{Access, Durability};
use cica_messages as messages;
use clap::Args;
use std::io::Write;

/// Check a data set from end to end
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cica verify PAYROLL.MASTER")]
pub struct Options {
    /// Data set name
    dsn: String,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let cluster = session.cluster(&options.dsn)?;
    if !cluster.organization.has_index() {
        let indexes = indexes(&session, &cluster)?;
        let status = without_index(session, &cluster, global)?;
        // Each is compared with its base.
        if indexes.is_empty() || status >= Status::REFUSED {
            return Ok(status);
        }
        let compared = work(Session::open(global)?, global, |services| {
            let all = indexes.into_iter().map(|index| examine(services, index));
            all.reduce(Outcome::and).unwrap_or_default()
        })?;
        return Ok(status.max(compared));
    }
    // A data set that was never loaded has no structure to check. It may have been loaded by one that died since.
    let root = session.root(&cluster)?;
    let has_structure = root.levels > 0 || root.log.log != 0;
    let name = cluster.name.to_string();
    work(session, global, |services| {
        let verified = services.verify(&recovery(name.clone()));
        if verified.condition == 0 && has_structure {
            verified.and(examine(services, name))
        } else {
            verified
        }
    })
}

/// An open for output, which recovers.
fn recovery(name: String) -> Verify {
    Verify {
        data_set: Named::DataSet(name),
        recover: false,
    }
}

/// Index and data.
fn examine(services: &mut Services, name: String) -> Outcome {
    let request = Examine {
        name,
        data: true,
        ..Examine::default()
    };
    services.examine(&request).without_result()
}

/// Names of the alternate indexes that are kept up for a base, and were built.
fn indexes(session: &Session, base: &Cluster) -> Result<Vec<String>, Failure> {
    let contents = session.catalog.home(&base.name)?.contents()?;
    let mut names = Vec::new();
    for entry in contents.related(&base.name) {
        if let Entry::Aix(aix) = entry {
            if aix.upgrade && session.root(&cica_session::as_cluster(aix))?.levels > 0 {
                names.push(aix.name.to_string());
            }
        }
    }
    Ok(names)
}

/// EXAMINE goes by an index. What has none is checked here: every control interval, and the count of records.
fn without_index(session: Session, cluster: &Cluster, global: &Global) -> Result<Status, Failure> {
    let root = session.root(cluster)?;
    let opened = if root.levels > 0 || root.log.log != 0 {
        session.data_set(cluster.name.as_str(), Access::Output, Durability::Close)?
    } else {
        let request = recovery(cluster.name.to_string());
        return work(session, global, |services| services.verify(&request));
    };
    let examined = opened.data_set.examine();
    opened.close()?;
    let examined = examined.map_err(|error| Failure::from(error).at(&cluster.name))?;
    let (mut out, name) = (crate::terminal::stdout(), &cluster.name);
    if examined.findings.is_empty() {
        if !global.quiet {
            let (intervals, records) = (examined.control_intervals, examined.records);
            writeln!(
                out,
                "{name}: {intervals} control intervals and {records} records, no errors"
            )?;
        }
        return Ok(Status::DONE);
    }
    let written = examined
        .findings
        .iter()
        .try_for_each(|found| writeln!(out, "{name}, CI {} (RBA {}): {}", found.ci, found.rba, found.what));
    let text = format!("{name} has {} errors", examined.findings.len());
    let status = Failure::new(Status::REFUSED, &messages::CICA0950E, text).tell();
    Ok(status.with_output(written))
}
