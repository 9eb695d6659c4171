//! DEFINE ALTERNATEINDEX: what makes the cluster that is laid out an index over another.
//!
//! Forbidden, as VSAM does: over another alternate index, a base with REUSE, relative record and linear data sets; an
//! alternate key that is not in the base's records, or not in the first segment of a spanned one.

use super::super::failure::{refused, Failure};
use super::super::Services;
use super::wanted::{model_place, WantedCluster};
use super::{Alternate as Asked, DefineCluster};
use cica_catalog::check::{self, DefineError};
use cica_catalog::entry::{Aix, Component, Keys, Organization, RecordSize};
use cica_catalog::plan::{plan, Wish};
use cica_catalog::space::MAX_EXTENTS;
use cica_catalog::{Cluster, Contents, Entry, Name};
use cica_format::aix::{Pointers, HEADER_LEN};
use cica_format::attributes::{Alternate, Attributes as FileAttributes};
use cica_format::root::MAX_TIES;

/// RECORDSIZE where none is given.
const RECORD_SIZE: RecordSize = RecordSize {
    average: 4086,
    maximum: 32_600,
};

/// What an alternate index has that a cluster has not.
pub struct Over {
    relate: Name,
    unique_key: bool,
    upgrade: bool,
    alternate_key: Keys,
    pointers: Pointers,
    suppressed: Option<u8>,
    chained: bool,
}

impl Over {
    /// What is said of it; `wanted` becomes what the index itself is: a KSDS of spanned records, whose key
    /// stands behind the header of each.
    pub fn of(
        services: &Services,
        contents: &Contents,
        request: &DefineCluster,
        asked: &Asked,
        wanted: &mut WantedCluster,
    ) -> Result<Over, Failure> {
        let relate = asked.relate.as_deref().unwrap_or_default();
        let relate = Name::parse(relate).map_err(|error| refused(&error, 140, 0))?;
        let base = base(contents, &relate)?;
        let alternate_key = wanted.attributes.keys.unwrap_or(Keys { length: 64, offset: 0 });
        check_key(base, alternate_key)?;
        check_number(contents, base)?;
        let model = model(services, request)?;
        let model = model.as_deref();
        let own = Keys {
            offset: HEADER_LEN as u32,
            ..alternate_key
        };
        (wanted.attributes.keys, wanted.wish.keys) = (Some(own), Some(own));
        (wanted.attributes.spanned, wanted.wish.spanned) = (true, true);
        (wanted.attributes.compressed, wanted.wish.compressed) = (false, false);
        wanted.wish.organization = Organization::Ksds;
        let lists = [Some(&request.cluster), request.data.as_ref()];
        let stated = lists.into_iter().flatten().any(|list| list.record_size.is_some());
        if model.is_none() && !stated {
            let size = default_size(wanted);
            (wanted.attributes.record_size, wanted.wish.record_size) = (size, size);
        }
        let unique_key = asked.unique_key.unwrap_or(model.is_some_and(|m| m.unique_key));
        Ok(Over {
            unique_key,
            chained: !unique_key,
            upgrade: asked.upgrade.unwrap_or(model.is_none_or(|m| m.upgrade)),
            pointers: pointers(base),
            suppressed: asked.suppress.or(model.and_then(|m| m.suppressed)),
            alternate_key,
            relate,
        })
    }

    /// What the index's own file carries of it; RELATE names its base, which may have another name now.
    pub fn carried_by(
        contents: &Contents,
        asked: &Asked,
        own: &FileAttributes,
        carried: &Alternate,
    ) -> Result<Over, Failure> {
        let relate = asked.relate.as_deref().unwrap_or(&carried.base);
        let relate = Name::parse(relate).map_err(|error| refused(&error, 140, 0))?;
        base(contents, &relate)?;
        Ok(Over {
            relate,
            unique_key: carried.unique,
            upgrade: carried.upgrade,
            alternate_key: Keys {
                length: own.key_length,
                offset: carried.key_offset,
            },
            pointers: carried.pointers,
            suppressed: carried.suppressed,
            chained: carried.chained,
        })
    }

    /// The entry of the index that was laid out as `cluster`.
    pub fn entry(&self, cluster: &Cluster, index: &Component) -> Entry {
        Entry::Aix(Box::new(Aix {
            name: cluster.name.clone(),
            relate: self.relate.clone(),
            unique_key: self.unique_key,
            upgrade: self.upgrade,
            alternate_key: self.alternate_key,
            suppressed: self.suppressed,
            attributes: cluster.attributes.clone(),
            data: cluster.data.clone(),
            index: index.clone(),
        }))
    }

    /// What the files carry of it.
    pub fn carried(&self) -> Alternate {
        Alternate {
            base: self.relate.to_string(),
            key_offset: self.alternate_key.offset,
            unique: self.unique_key,
            upgrade: self.upgrade,
            pointers: self.pointers,
            suppressed: self.suppressed,
            chained: self.chained,
        }
    }
}

/// RECORDSIZE that nobody said, as far as a control area holds such records.
fn default_size(wanted: &WantedCluster) -> RecordSize {
    let wish = Wish {
        record_size: RECORD_SIZE,
        ..wanted.wish
    };
    match plan(&wish) {
        Err(DefineError::RecordBeyondArea { area, .. }) => RecordSize {
            maximum: area as u32,
            average: RECORD_SIZE.average.min(area as u32),
        },
        _ => RECORD_SIZE,
    }
}

/// The base, if it is one that can have an alternate index.
fn base<'c>(contents: &'c Contents, relate: &Name) -> Result<&'c Cluster, Failure> {
    let cannot = |what: &str| Err(refused(&format!("{relate} {what}"), 140, 0));
    let cluster = match contents.get(relate)? {
        Entry::Cluster(cluster) => cluster,
        Entry::Aix(_) => return cannot("is itself an alternate index; RELATE to its base"),
        other => return cannot(&format!("is a {} and no cluster", other.kind().word())),
    };
    match cluster.organization {
        Organization::Ksds | Organization::Esds if cluster.attributes.reuse => {
            cannot("was defined REUSE, and what is emptied at will cannot have an alternate index")
        }
        Organization::Ksds | Organization::Esds => Ok(cluster),
        _ => cannot("is no key-sequenced or entry-sequenced cluster, and only these have alternate indexes"),
    }
}

/// What the index's records point with: prime keys, or RBAs, of eight bytes where the base can grow beyond 4 GiB.
fn pointers(base: &Cluster) -> Pointers {
    let on_each = base.data.primary_bytes() + u64::from(MAX_EXTENTS - 1) * base.data.secondary_bytes();
    let most = on_each.saturating_mul(base.data.volumes.len().max(1) as u64);
    match base.attributes.keys.filter(|_| base.organization == Organization::Ksds) {
        Some(keys) => Pointers::Keys(keys.length as u8),
        None if most <= 1 << 32 => Pointers::Rba,
        None => Pointers::Xrba,
    }
}

/// Can the records of the base of this name have such an alternate key?
pub fn check_alternate_key(contents: &Contents, relate: &Name, key: Keys) -> Result<(), Failure> {
    check_key(base(contents, relate)?, key)
}

/// Can the records of `base` have such an alternate key?
pub fn check_key(base: &Cluster, key: Keys) -> Result<(), Failure> {
    let end = u64::from(key.offset) + u64::from(key.length);
    let longest = base.attributes.record_size.maximum;
    if key.length == 0 || key.length > 255 || end > u64::from(longest) {
        let words = format!(
            "the alternate key ends at byte {end}, but records of {} have at most {longest}",
            base.name
        );
        return Err(refused(&words, 140, 0));
    }
    if base.attributes.spanned {
        check::key_in_segment(key, base.data.ci_size)?;
    }
    Ok(())
}

/// The root of a base says of each of its alternate indexes up to where it is in step, and has no room for more.
fn check_number(contents: &Contents, base: &Cluster) -> Result<(), Failure> {
    let indexes = contents
        .related(&base.name)
        .filter(|entry| matches!(entry, Entry::Aix(_)));
    if indexes.count() < MAX_TIES {
        return Ok(());
    }
    let words = format!(
        "{} has {MAX_TIES} alternate indexes, as many as a base may have",
        base.name
    );
    Err(refused(&words, 140, 0))
}

/// The alternate index that MODEL names, if it names one.
fn model(services: &Services, request: &DefineCluster) -> Result<Option<Box<Aix>>, Failure> {
    let Some(model) = &request.cluster.model else {
        return Ok(None);
    };
    let (name, contents) = model_place(services, model)?;
    Ok(match contents.find(&name).map(|found| found.entry()) {
        Some(Entry::Aix(aix)) => Some(aix.clone()),
        _ => None,
    })
}
