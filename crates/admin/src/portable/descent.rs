//! Of which line a data set is that is made of a copy: that of the one that was copied, or one of its own.
//!
//! * D1. No two data sets of related catalogs have one lineage because of a copy: they would have one archive, in which
//!   the changes of each look like a gap in those of the other. So what gets another name than it had in the copy is on
//!   a branch, and so is what gets its own name while the one that was copied lives on under another.
//! * D2. A sphere is on the branch as a whole. Its base comes first.

use super::super::failure::Failure;
use super::super::Services;
use super::stored::files;
use super::{sphere, Copy};
use cica_catalog::{Catalog, Entry, Name};
use cica_engine::Branch;
use cica_format::root::Root;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// See the module.
pub struct Descent {
    branch: Branch,
    /// It is on the branch, whoever lives.
    leaves: bool,
    /// Lineages of the clusters that live on beside it.
    others: BTreeSet<u64>,
}

/// A cluster that is there: its catalog, its name and its lineage.
type Living = (PathBuf, Name, u64);

/// What is known of descent while a copy is read.
pub(super) struct Line {
    branch: Branch,
    /// Those that were there when the first member was made.
    living: Option<Vec<Living>>,
    /// Bases that are on the branch (D2).
    branched: BTreeSet<Name>,
}

impl Line {
    pub(super) fn new(branch: Branch) -> Line {
        Line {
            branch,
            living: None,
            branched: BTreeSet::new(),
        }
    }
}

impl Copy {
    /// Of a member that is made as `entry` in `catalog`, in the place of what has its name there. Its sphere had the name
    /// `before` in the copy.
    ///
    /// # Errors
    /// A catalog cannot be read.
    pub(super) fn descent(
        &mut self,
        services: &Services,
        catalog: &Catalog,
        before: &Name,
        entry: &Entry,
    ) -> Result<Descent, Failure> {
        let leaves = before != sphere(entry) || self.line.branched.contains(sphere(entry));
        let mut descent = Descent {
            branch: self.line.branch,
            leaves,
            others: BTreeSet::new(),
        };
        if leaves || !matches!(entry, Entry::Cluster(_)) {
            return Ok(descent);
        }
        if self.line.living.is_none() {
            self.line.living = Some(living(services)?);
        }
        let is_other = |(of, name, _): &&Living| (of.as_path(), name) != (catalog.directory(), entry.name());
        let others = self.line.living.iter().flatten().filter(is_other);
        descent.others = others.map(|(_, _, lineage)| *lineage).collect();
        Ok(descent)
    }

    /// A member was made, on the branch or not.
    pub(super) fn note_branch(&mut self, entry: &Entry, branch: Option<Branch>) {
        if branch.is_some() {
            self.line.branched.insert(sphere(entry).clone());
        }
    }
}

impl Descent {
    /// The branch that it is on, when the copy has this root of it.
    pub(super) fn of(&self, root: &Root) -> Option<Branch> {
        let is_had = || self.others.contains(&root.lineage());
        (self.leaves || is_had()).then_some(self.branch)
    }
}

/// The clusters of all related catalogs. Of one whose root cannot be read nothing more is archived.
fn living(services: &Services) -> Result<Vec<Living>, Failure> {
    let mut living = Vec::new();
    for catalog in services.catalog.all()? {
        let contents = catalog.contents()?;
        for entry in contents.entries().filter(|entry| matches!(entry, Entry::Cluster(_))) {
            living.extend(lineage(services, &catalog, entry).map(|lineage| {
                let directory = catalog.directory().to_owned();
                (directory, entry.name().clone(), lineage)
            }));
        }
    }
    Ok(living)
}

fn lineage(services: &Services, catalog: &Arc<Catalog>, entry: &Entry) -> Option<u64> {
    let (data, _) = files(catalog, entry).ok()??;
    let root = services.engine.peek(&data).ok()?;
    Some(root.lineage())
}
