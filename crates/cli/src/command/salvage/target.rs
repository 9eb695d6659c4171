//! Where salvaged records go.

use super::Options;
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::{OpenedSession, Session};
use crate::work::work;
use cica_admin::define::DefineCluster;
use cica_admin::stated::{Form, Stated};
use cica_catalog::entry::{Keys, RecordSize, ShareOptions};
use cica_catalog::freespace::FreeSpace;
use cica_catalog::space::{Space, Unit};
use cica_catalog::Name;
use cica_disk::NewFile;
use cica_engine::salvage::SalvagedRecord;
use cica_engine::{Access, Durability, Insert, RequestError, Str};
use cica_format::attributes::{Attributes, Organization};
use cica_messages as messages;
use cica_qsam::{DdText, Writer};
use std::io::{Seek, SeekFrom, Write};

/// See the module.
pub enum SalvageTarget {
    /// Nowhere: only the report is wanted.
    None,
    /// A data set.
    DataSet(Box<DataSet>),
    /// A sequential file, or the bytes of a linear data set.
    File(Output),
}

/// A doubtful record that the target would not take.
pub struct Refused {
    pub place: String,
    pub why: String,
}

/// A data set being loaded.
pub struct DataSet {
    string: Str,
    opened: OpenedSession,
    organization: Organization,
    refused: Vec<Refused>,
}

/// A file being written.
pub struct Output {
    to: To,
}

enum To {
    Records(Box<Writer<NewFile>>),
    Bytes(NewFile),
}

impl SalvageTarget {
    /// Makes what the options name ready.
    pub fn open(
        options: &Options,
        session: Option<Session>,
        global: &Global,
        attributes: &Attributes,
    ) -> Result<SalvageTarget, Failure> {
        match (&options.into, &options.output, session) {
            (Some(into), _, Some(session)) => DataSet::open(&options.source, into, session, global, attributes)
                .map(Box::new)
                .map(SalvageTarget::DataSet),
            (_, Some(output), _) => Output::open(output, &options.format, attributes).map(SalvageTarget::File),
            _ => Ok(SalvageTarget::None),
        }
    }

    /// Takes a record.
    pub fn take(&mut self, found: SalvagedRecord<'_>) -> Result<(), Failure> {
        match self {
            SalvageTarget::None => Ok(()),
            SalvageTarget::DataSet(to) => to.take(found),
            SalvageTarget::File(to) => to.take(found),
        }
    }

    /// Makes all of it durable; the doubtful records that were not taken.
    pub fn finish(self) -> Result<Vec<Refused>, Failure> {
        match self {
            SalvageTarget::None => Ok(Vec::new()),
            SalvageTarget::DataSet(to) => {
                drop(to.string);
                to.opened.close()?;
                Ok(to.refused)
            }
            SalvageTarget::File(to) => to.finish().map(|()| Vec::new()),
        }
    }
}

impl DataSet {
    fn open(
        source: &str,
        into: &str,
        session: Session,
        global: &Global,
        attributes: &Attributes,
    ) -> Result<DataSet, Failure> {
        let refused = |why: &str| {
            let words = format!("{}: {why}", attributes.cluster_name);
            Failure::new(Status::REFUSED, &messages::CICA0948E, words)
        };
        if let Some(alternate) = &attributes.alternate {
            let base = &alternate.base;
            return Err(refused(&format!(
                "it is an alternate index; build it again from {base} with BLDINDEX"
            )));
        }
        let name = Name::parse(into)?;
        if Name::parse(source).is_ok_and(|source| source == name) {
            return Err(refused(
                "it cannot be salvaged onto itself; name another data set with --into",
            ));
        }
        let is_new = session.catalog.home(&name)?.get(&name).is_err();
        if is_new {
            let quiet = Global {
                quiet: true,
                ..global.clone()
            };
            let request = definition(&name, attributes);
            let status = work(Session::open(global)?, &quiet, |services| {
                services.define_cluster(&request)
            })?;
            if status > Status::NOTHING {
                return Err(refused(&format!("{name} could not be defined for its records")));
            }
        }
        let opened = session.data_set(into, Access::Output, Durability::Close)?;
        let organization = opened.data_set.attributes().organization;
        if organization != attributes.organization {
            return Err(refused(&format!("{name} is of another organization")));
        }
        if opened.data_set.statistics().0.records > 0 || opened.data_set.high_used() > 0 {
            return Err(refused(&format!("{name} is not empty")));
        }
        Ok(DataSet {
            string: opened.data_set.string(),
            opened,
            organization,
            refused: Vec::new(),
        })
    }

    fn take(&mut self, found: SalvagedRecord<'_>) -> Result<(), Failure> {
        let put = match self.organization {
            Organization::Lds => self.put_bytes(found.rba.unwrap_or(0), found.bytes),
            Organization::Rrds | Organization::Vrrds => match found.rrn {
                Some(rrn) => self.string.insert_at(rrn, found.bytes, Insert::Skip),
                None => Err(RequestError::BadRrn { rrn: 0 }),
            },
            _ => self.string.insert(found.bytes, Insert::Sequential).map(drop),
        };
        match put {
            // What is doubtful may be of a length, or have a key, that no record has.
            Err(
                error @ (RequestError::Length { .. }
                | RequestError::Sequence { .. }
                | RequestError::Duplicate { .. }
                | RequestError::BadRrn { .. }),
            ) if found.doubt.is_some() => {
                let rba = found.rba.map(|rba| format!("RBA {rba}"));
                self.refused.push(Refused {
                    place: rba.unwrap_or_else(|| "an unknown place".into()),
                    why: error.to_string(),
                });
                Ok(())
            }
            put => put.map_err(|error| Failure::from(error).at(&self.opened.name)),
        }
    }

    /// Bytes of a linear data set; what is missing before them is zeros.
    fn put_bytes(&mut self, rba: u64, bytes: &[u8]) -> Result<(), RequestError> {
        let end = self.opened.data_set.high_used();
        let size = bytes.len() as u64;
        for missing in (end..rba).step_by(bytes.len()) {
            self.string
                .write_range(missing, &vec![0; size.min(rba - missing) as usize])?;
        }
        self.string.write_range(rba, bytes)
    }
}

/// The definition of a data set like the damaged one.
fn definition(name: &Name, a: &Attributes) -> DefineCluster {
    let kilobytes = |bytes: u64| bytes.div_ceil(1024).max(1);
    let if_set = |flag: bool| flag.then_some(true);
    DefineCluster {
        cluster: Stated {
            name: Some(name.to_string()),
            form: Some(match a.organization {
                Organization::Esds => Form::NonIndexed,
                Organization::Rrds | Organization::Vrrds => Form::Numbered,
                Organization::Lds => Form::Linear,
                _ => Form::Indexed,
            }),
            keys: (a.organization == Organization::Ksds).then_some(Keys {
                length: a.key_length,
                offset: a.key_offset,
            }),
            record_size: (a.organization != Organization::Lds).then_some(RecordSize {
                average: a.average_record,
                maximum: a.maximum_record,
            }),
            free_space: a.organization.has_index().then_some(FreeSpace {
                ci: a.free_ci,
                ca: a.free_ca,
            }),
            spanned: if_set(a.spanned),
            compressed: if_set(a.compressed),
            reuse: if_set(a.reuse),
            erase: if_set(a.erase),
            share: Some(ShareOptions {
                region: a.share_region.clamp(1, 4),
                system: a.share_system.clamp(3, 4),
            }),
            ci_size: Some(a.ci_size),
            space: Some(Space {
                unit: Unit::Kilobytes,
                primary: kilobytes(a.primary),
                secondary: kilobytes(a.secondary.max(a.primary / 10)),
            }),
            ..Stated::default()
        },
        ..DefineCluster::default()
    }
}

impl Output {
    fn open(target: &str, format: &str, attributes: &Attributes) -> Result<Output, Failure> {
        let dd = DdText::parse(&format!("-,{format}")).map_err(|e| Failure::usage(e.problem))?;
        let is_linear = attributes.organization == Organization::Lds;
        if target == "-" && is_linear {
            return Err(Failure::usage(
                "-o -: each byte of a linear data set has its place in the output; name a file",
            ));
        }
        let target = if target == "-" { "/dev/stdout" } else { target };
        let file = NewFile::begin(&cica_session::outside(), &std::path::absolute(target)?)?;
        let to = match attributes.organization {
            Organization::Lds => To::Bytes(file),
            _ => To::Records(Box::new(Writer::new(
                file,
                &dd.attributes.completed_for(attributes.maximum_record),
            )?)),
        };
        Ok(Output { to })
    }

    fn take(&mut self, found: SalvagedRecord<'_>) -> Result<(), Failure> {
        match &mut self.to {
            To::Records(writer) => writer.put(found.bytes)?,
            To::Bytes(file) => {
                file.seek(SeekFrom::Start(found.rba.unwrap_or(0)))?;
                file.write_all(found.bytes)?;
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<(), Failure> {
        let file = match self.to {
            To::Records(writer) => writer.finish()?,
            To::Bytes(file) => file,
        };
        file.finish()?;
        Ok(())
    }
}
