//! Reading a copy and making what it holds: files are filled as the blocks come, and entries wait for the end.

use super::super::failure::Failure;
use super::super::making::{Making, Replaced};
use super::super::trouble::{not_opened, Trouble};
use super::super::Services;
use super::descent::Descent;
use super::Copy;
use cica_catalog::entry::Component;
use cica_catalog::{Catalog, Cluster, Contents, Entry};
use cica_engine::{Access, Branch, DataSet, Definition, Insert, OpenError, OpenOptions, Rebuild};
use cica_format::attributes::{Alternate, Attributes};
use cica_format::portable::{BlockKind, Member, Mode, Totals};
use cica_format::root::{Part, Root};
use cica_format::FormatError;
use cica_messages::CICA0987I;
use cica_portable::{Intervals, Records, What};
use std::path::PathBuf;
use std::sync::Arc;

/// What has been made of a copy so far, catalog by catalog.
#[derive(Default)]
pub struct Received {
    catalogs: Vec<InCatalog>,
}

/// The entries that came in, and how it ended.
pub type Switched = (Vec<Entry>, Result<(), Failure>);

/// What goes into one catalog.
pub struct InCatalog {
    pub making: Making,
    pub entries: Vec<Entry>,
    pub replaced: Vec<(Entry, Replaced)>,
    /// Bases of the alternate indexes that come in: nobody changes them until these are there.
    pub held: Vec<DataSet>,
}

impl Received {
    /// What goes into `catalog`.
    pub fn within(&mut self, services: &Services, catalog: &Arc<Catalog>) -> Result<&mut InCatalog, Failure> {
        let known = self
            .catalogs
            .iter()
            .position(|c| Arc::ptr_eq(c.making.catalog(), catalog));
        let at = match known {
            Some(at) => at,
            None => {
                self.catalogs.push(InCatalog {
                    making: Making::begin(services, catalog)?,
                    entries: Vec::new(),
                    replaced: Vec::new(),
                    held: Vec::new(),
                });
                self.catalogs.len() - 1
            }
        };
        Ok(&mut self.catalogs[at])
    }

    /// Puts all of it into the catalogs, each by one change; tells the entries that came in, and the failure of the
    /// first catalog that could not be changed. Those behind it are as they were. `check` is asked whether what comes,
    /// and what it replaces, fits the contents of its catalog: of all catalogs before the first is changed, and again
    /// within the change of each.
    pub fn switch(self, check: impl Fn(&Contents, &[Entry], &[Entry]) -> Result<(), Failure>) -> Switched {
        let mut done = Vec::new();
        let checked = self.catalogs.iter().try_for_each(|c| {
            let old: Vec<Entry> = c.replaced.iter().map(|(old, _)| old.clone()).collect();
            check(&*c.making.catalog().contents()?, &c.entries, &old)
        });
        if checked.is_err() {
            return (done, checked);
        }
        for InCatalog {
            making,
            entries,
            replaced,
            held,
        } in self.catalogs
        {
            let (old, replaced): (Vec<Entry>, Vec<Replaced>) = replaced.into_iter().unzip();
            let new = entries.clone();
            let switched = making.switch(replaced, |contents| {
                check(contents, &entries, &old)?;
                for entry in &old {
                    contents.remove(entry.name())?;
                }
                for entry in entries {
                    contents.take_in(entry)?;
                }
                Ok(())
            });
            drop(held);
            if switched.is_err() {
                return (done, switched);
            }
            done.extend(new);
        }
        (done, Ok(()))
    }
}

/// The blocks of a copy, member by member.
impl Copy {
    /// The definition of the next member; none at the end of the copy.
    pub fn member(&mut self) -> Result<Option<(Mode, Entry)>, Failure> {
        let member = match self.reader.next() {
            Ok(None) => return Ok(None),
            Ok(Some(block)) if block.kind == BlockKind::Member => Member::decode(block.content),
            Ok(Some(_)) => return Err(self.out_of_order()),
            Err(error) => return Err(self.unread(&error)),
        };
        let member = member.map_err(|error| self.wrong(error))?;
        match cica_catalog::wire::decode_entry(member.entry, &member.fields) {
            Ok(entry) => Ok(Some((member.mode, entry))),
            Err(words) => {
                let error = self.reader.refused(What::Order("its definition cannot be read"));
                Err(self
                    .unread(&error)
                    .and(&cica_messages::CICA0934E, &[("reason", &words)]))
            }
        }
    }

    /// Reads the member's contents without making anything of them; tells what they come to, and the records.
    pub fn skip(&mut self) -> Result<(Totals, u64), Failure> {
        let mut records = 0;
        loop {
            let block = match self.reader.next() {
                Ok(Some(block)) => block,
                Ok(None) => return Err(self.out_of_order()),
                Err(error) => return Err(self.unread(&error)),
            };
            match (block.kind, block.content) {
                (BlockKind::Component, root) => match Root::decode(root) {
                    Ok(root) => records += root.statistics.records * u64::from(root.part == Part::Data),
                    Err(error) => return Err(self.wrong(error)),
                },
                (BlockKind::MemberEnd, totals) => {
                    let totals = Totals::decode(totals).map_err(|error| self.wrong(error))?;
                    return Ok((totals, records));
                }
                _ => {}
            }
        }
    }

    /// Makes the files of `entry` out of the member's control intervals; tells what they came to, and the records.
    pub fn rebuild(
        &mut self,
        services: &mut Services,
        entry: &Entry,
        paths: (PathBuf, PathBuf),
        descent: Descent,
    ) -> Result<(Totals, u64), Failure> {
        let mut parts = Parts::new(entry, paths, descent);
        let name = entry.name().as_str();
        let opened = |error: OpenError| not_opened(name, &error);
        loop {
            let block = match self.reader.next() {
                Ok(Some(block)) => block,
                Ok(None) => return Err(self.out_of_order()),
                Err(error) => return Err(self.unread(&error)),
            };
            let done = match block.kind {
                BlockKind::Component => parts.begin(services, block.content),
                BlockKind::ControlIntervals => parts.fill(services, block.content, &mut self.taken),
                BlockKind::TakeBack => {
                    parts.undo.extend_from_slice(block.content);
                    Ok(())
                }
                BlockKind::MemberEnd => {
                    let totals = Totals::decode(block.content).map_err(|error| self.wrong(error))?;
                    if totals.control_intervals != parts.count {
                        let error = self.reader.refused(What::Totals);
                        return Err(self.unread(&error));
                    }
                    (self.cluster, self.lineage) = (parts.cluster, parts.lineage);
                    self.had_units = !parts.undo.is_empty();
                    self.note_branch(entry, parts.branch);
                    return parts
                        .complete(services)
                        .map_err(opened)
                        .map(|records| (totals, records));
                }
                _ => return Err(self.out_of_order()),
            };
            match done {
                Ok(()) => {}
                Err(Wrong::Copy(error)) => return Err(self.wrong(error)),
                Err(Wrong::Order) => return Err(self.out_of_order()),
                Err(Wrong::Files(error)) => return Err(opened(error)),
            }
        }
    }

    /// Makes an empty data set as `entry` defines it and loads the member's records; tells how many these are.
    pub fn load(&mut self, services: &mut Services, entry: &Entry, paths: (PathBuf, PathBuf)) -> Result<u64, Failure> {
        let Entry::Cluster(cluster) = entry else {
            return Err(self.out_of_order());
        };
        let name = cluster.name.to_string();
        let opened = |error: OpenError| not_opened(&name, &error);
        let refused = |trouble: Trouble| trouble.of(&name).and(&CICA0987I, &[("name", &name)]);
        let data_set = new_data_set(services, cluster, &paths, None).map_err(opened)?;
        let mut string = data_set.string();
        let (mut stream, mut count) = (Records::default(), 0);
        loop {
            let block = match self.reader.next() {
                Ok(Some(block)) => block,
                Ok(None) => return Err(self.out_of_order()),
                Err(error) => return Err(self.unread(&error)),
            };
            match block.kind {
                BlockKind::Records => stream.add(block.content),
                BlockKind::MemberEnd => {
                    let totals = Totals::decode(block.content).map_err(|error| self.wrong(error))?;
                    if totals.records != count || !stream.is_empty() {
                        return Err(self.unread(&self.reader.refused(What::Totals)));
                    }
                    drop(string);
                    data_set.close().map_err(|error| refused(Trouble::Close(error)))?;
                    return Ok(count);
                }
                _ => return Err(self.out_of_order()),
            }
            while let Some((_, record)) = stream.next().map_err(|error| self.wrong(error))? {
                string
                    .insert(record, Insert::Sequential)
                    .map_err(|error| refused(error.into()))?;
                count += 1;
                self.taken += 1;
                services.progress(self.taken);
            }
        }
    }

    fn wrong(&self, error: FormatError) -> Failure {
        self.unread(&self.reader.refused(What::Format(error)))
    }

    fn out_of_order(&self) -> Failure {
        self.unread(
            &self
                .reader
                .refused(What::Order("a member has not the blocks that its definition needs")),
        )
    }
}

/// Makes the files of a cluster and opens it for its load.
pub fn new_data_set(
    services: &Services,
    cluster: &Cluster,
    paths: &(PathBuf, PathBuf),
    of: Option<&Root>,
) -> Result<DataSet, OpenError> {
    let created = services.clock.now();
    let carried =
        |part: &Component| part.file_attributes(&cluster.name, cluster.organization, &cluster.attributes, created);
    let definition = Definition {
        data_path: paths.0.clone(),
        index_path: paths.1.clone(),
        data: carried(&cluster.data),
        index: cluster.index.as_ref().map(carried),
    };
    services.engine.create_instead(&definition, of)?;
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    services.engine.open(&paths.0, &paths.1, options)
}

/// Why a block could not be made use of.
enum Wrong {
    Copy(FormatError),
    Order,
    Files(OpenError),
}

impl From<FormatError> for Wrong {
    fn from(error: FormatError) -> Wrong {
        Wrong::Copy(error)
    }
}

impl From<OpenError> for Wrong {
    fn from(error: OpenError) -> Wrong {
        Wrong::Files(error)
    }
}

/// The components of a data set that is being made of its control intervals.
struct Parts<'e> {
    entry: &'e Entry,
    paths: (PathBuf, PathBuf),
    descent: Descent,
    branch: Option<Branch>,
    data: Option<Rebuild>,
    index: Option<Rebuild>,
    /// What takes back what units had done that were open when the copy was made.
    undo: Vec<u8>,
    count: u64,
    records: u64,
    /// Id and lineage of the cluster that was copied.
    cluster: u64,
    lineage: u64,
}

impl<'e> Parts<'e> {
    fn new(entry: &'e Entry, paths: (PathBuf, PathBuf), descent: Descent) -> Parts<'e> {
        Parts {
            entry,
            paths,
            descent,
            branch: None,
            data: None,
            index: None,
            undo: Vec::new(),
            count: 0,
            records: 0,
            cluster: 0,
            lineage: 0,
        }
    }

    /// A component begins, whose root this is: data first.
    fn begin(&mut self, services: &Services, content: &[u8]) -> Result<(), Wrong> {
        let root = Root::decode(content)?;
        let (path, place) = match (root.part, &self.data, &self.index) {
            (Part::Data, None, None) => (&self.paths.0, &mut self.data),
            (Part::Index, Some(_), None) if !self.paths.1.as_os_str().is_empty() => (&self.paths.1, &mut self.index),
            _ => return Err(Wrong::Order),
        };
        if root.part == Part::Data {
            (self.records, self.cluster) = (root.statistics.records, root.cluster);
            (self.lineage, self.branch) = (root.lineage(), self.descent.of(&root));
        }
        let (component, attributes) = carried(self.entry, &root).ok_or(Wrong::Order)?;
        let mut rebuild = services.engine.rebuild(path, &root, attributes, self.branch)?;
        rebuild.on_volumes(component.volumes.len());
        let mut rest = &content[Root::encoded_len_hint(content)?..];
        while let Some((&[generation, low, high], behind)) = rest.split_first_chunk() {
            let length = usize::from(u16::from_le_bytes([low, high]));
            let (bytes, behind) = behind.split_at_checked(length).ok_or(Wrong::Order)?;
            rebuild.dictionary(generation, bytes)?;
            rest = behind;
        }
        if !rest.is_empty() {
            return Err(Wrong::Order);
        }
        *place = Some(rebuild);
        Ok(())
    }

    fn fill(&mut self, services: &mut Services, content: &[u8], taken: &mut u64) -> Result<(), Wrong> {
        let rebuild = self.index.as_mut().or(self.data.as_mut()).ok_or(Wrong::Order)?;
        let mut all = Intervals::new(content, rebuild.ci_size());
        while let Some(run) = all.run()? {
            rebuild.area(run.ca, run.flags, run.next_free)?;
            while let Some((number, flags, image)) = all.control_interval()? {
                rebuild.control_interval(number, flags, image)?;
                self.count += 1;
                *taken += 1;
                services.progress(*taken);
            }
        }
        Ok(())
    }

    /// Makes a data set of the components; tells how many records it has.
    fn complete(self, services: &Services) -> Result<u64, OpenError> {
        let Some(data) = self.data else {
            return Err(OpenError::Unusable {
                path: self.paths.0,
                what: "the copy has no data component for it".into(),
            });
        };
        services.engine.complete_rebuild(data, self.index)?;
        if self.undo.is_empty() {
            Ok(self.records)
        } else {
            services.engine.take_back(&self.paths.0, &self.paths.1, &self.undo)
        }
    }
}

/// What the file of a component carries: as in the copy, with the names and the volume it has here. None if the entry
/// has no such component, or one of another layout.
fn carried<'e>(entry: &'e Entry, root: &Root) -> Option<(&'e Component, Attributes)> {
    let mut components = entry.components().map(|(_, component)| component);
    let component = match root.part {
        Part::Data => components.next()?,
        Part::Index => components.nth(1)?,
    };
    let a = &root.attributes;
    let fits = component.ci_size == a.ci_size && component.ci_per_ca == u32::from(a.ci_per_ca);
    let attributes = Attributes {
        cluster_name: entry.name().to_string(),
        component_name: component.name.to_string(),
        volume: component.volumes.first().map(ToString::to_string).unwrap_or_default(),
        alternate: a.alternate.clone().map(|alternate| match entry {
            Entry::Aix(aix) => Alternate {
                base: aix.relate.to_string(),
                ..alternate
            },
            _ => alternate,
        }),
        ..a.clone()
    };
    fits.then_some((component, attributes))
}
