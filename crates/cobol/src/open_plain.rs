//! OPEN of a sequential file that is no data set of VSAM's: whether it is Cica's or libcob's, and what its records are
//! like. See [`crate::plain`].

use crate::code_set::{CodeSet, WantedCodeSet};
use crate::fd::Fd;
use crate::generation::generation;
use crate::libcob::layout::{open, organization};
use crate::name::{path, Assigned, Disposition, WITHOUT_COPYBOOK};
use crate::open_file::OpenFile;
use crate::opening::{environment, non_vsam_entry, report_of, OpenOutcome, Request};
use crate::plain::{Plain, PlainFile};
use crate::process::{found_before, session};
use crate::status::Outcome;
use crate::tell::{tell, CICA1204E, CICA1205E, CICA1206E};
use cica_catalog::entry::NonVsam;
use cica_disk::{NewFile, Open};
use cica_qsam::{Attributes, BlockBuffers, DdText, RecordFormat};
use cica_session::{outside, SessionError};
use std::fmt::Display;
use std::io;
use std::path::Path;

/// What a keyed file's DD text may not say.
pub fn unkeyed(assigned: &Assigned) -> Option<&'static str> {
    let wanted = assigned.code_set.as_ref();
    if wanted.is_some_and(|wanted| wanted.copybook.is_none()) {
        return Some(WITHOUT_COPYBOOK);
    }
    let described = wanted.is_some() || assigned.format.is_some() || assigned.as_is;
    if assigned.bufno.is_some() {
        return Some("BUFNO is for sequential files; AMP=('BUFND=..,BUFNI=..') says how many buffers a data set has");
    }
    match (assigned.explicit, described, &assigned.format) {
        (_, _, Some(_)) => Some("RECFM, LRECL, BLKSIZE and BDW are for sequential files"),
        (false, true, _) => Some("what is said of an indexed or relative file needs DSN= before its name"),
        _ => None,
    }
}

impl Request<'_> {
    /// Where the file lies, if it is no data set of VSAM's and libcob cannot read it as it should be.
    pub(crate) fn place(&self, assigned: &Assigned) -> Option<PlainFile> {
        let described = assigned.code_set.is_some() || assigned.format.is_some() || assigned.as_is;
        let asked = described || assigned.bufno.is_some();
        // A catalog that was not needed before is not looked for where nothing is said.
        let session = match (assigned.explicit, asked) {
            (true, _) => session(true),
            (false, true) => session(false),
            (false, false) => found_before(),
        };
        let entry = match (&assigned.name, session) {
            (Some(name), Some(session)) => {
                let name = match assigned.generation {
                    Some(relative) => generation(session, name, relative).ok()?,
                    None => name.clone(),
                };
                match session.reach(&name) {
                    // It is VSAM's; or nobody can say, and the OPEN is told so.
                    Ok(_) => return None,
                    Err(error @ SessionError::Catalog(_)) if !error.is_not_found() => return None,
                    Err(_) => non_vsam_entry(session, &name),
                }
            }
            _ => None,
        };
        let place = match entry {
            Some((catalog, data_set)) => PlainFile {
                path: catalog.file_path(&data_set).ok()??,
                attributes: over(known(&data_set), assigned),
                entry: Some((catalog, data_set)),
                buffers: None,
            },
            None if asked && !assigned.explicit => {
                let mut attributes = over(Attributes::default(), assigned);
                if assigned.format.is_none() && self.organization == organization::SEQUENTIAL {
                    attributes.recfm = RecordFormat::F;
                }
                PlainFile {
                    path: path(&assigned.value, environment),
                    attributes,
                    entry: None,
                    buffers: None,
                }
            }
            None => return None,
        };
        (asked || self.described || place.is_beyond_libcob()).then_some(place)
    }

    /// Opens it.
    pub(crate) fn open_plain(&self, assigned: &Assigned, mut place: PlainFile) -> OpenOutcome {
        let fd = match &self.fd {
            Ok(fd) if !self.collating => fd.clone(),
            Ok(_) => return self.unsupported(&"CODE-SET (the DD text's CODEPAGE translates)"),
            Err(item) => return self.unsupported(item),
        };
        if assigned.reversed || self.mode == open::I_O {
            let reason = "it is no data set of VSAM's: its records are read or written in their order, not changed";
            return self.refuse_plain(&place, Outcome::ModeRefused, &reason);
        }
        let behind = self.is_behind(assigned) && has_bytes(&place.path);
        let anew = self.mode != open::INPUT && !behind;
        let fits = fit(&mut place.attributes, &fd, anew).and_then(|()| {
            if behind {
                follow(&mut place)?;
            }
            let buffers = assigned.bufno.map(|bufno| BlockBuffers::new(&place.attributes, bufno));
            place.buffers = buffers.transpose().map_err(|error| error.to_string())?;
            Ok(())
        });
        if let Err(reason) = fits {
            let name = place.name();
            tell(
                &CICA1205E,
                &[("name", &name), ("file", &self.file), ("reason", &reason)],
            );
            return OpenOutcome::Refused(Outcome::Conflict);
        }
        let code_set = match code_set(assigned, &place, &fd) {
            Ok(code_set) => code_set,
            Err((copybook, reason)) => return self.bad_copybook(&copybook, &reason),
        };
        let name = place.name();
        let mut file = OpenFile::absent(fd);
        let mut made = false;
        let opened = match self.mode {
            open::INPUT => match place.open() {
                Ok(opened) => Plain::reading(opened, &place, file.fd.least).map_err(io::Error::other),
                Err(error) if error.kind() == io::ErrorKind::NotFound && self.optional => {
                    return OpenOutcome::Cicas(Box::new(file), Outcome::OptionalAbsent);
                }
                Err(error) => Err(error),
            },
            _ => {
                let there = place.path.exists();
                made = !there && self.optional;
                let new = match self.mode {
                    open::EXTEND if !there && !self.optional => Err(io::ErrorKind::NotFound.into()),
                    _ if self.is_behind(assigned) => NewFile::behind(&outside(), &place.path),
                    _ => NewFile::begin(&outside(), &place.path),
                };
                new.and_then(|new| Plain::writing(new, place).map_err(io::Error::other))
            }
        };
        match opened {
            Ok(plain) => {
                file.plain = Some(Box::new(plain));
                file.name.clone_from(&name);
                if let Some(session) = found_before() {
                    session.name_dd(&name, self.ddname());
                }
                file.report = report_of(name);
                if let Some(code_set) = code_set {
                    file.translate(code_set, self.file);
                }
                let outcome = if made && self.mode == open::EXTEND {
                    Outcome::OptionalAbsent
                } else {
                    Outcome::Done
                };
                OpenOutcome::Cicas(Box::new(file), outcome)
            }
            Err(error) => {
                let outcome = match error.kind() {
                    // A directory that is not there is no missing file.
                    io::ErrorKind::NotFound if self.mode != open::OUTPUT => Outcome::Missing,
                    io::ErrorKind::PermissionDenied => Outcome::ModeRefused,
                    _ => Outcome::Failed,
                };
                tell(&CICA1204E, &[("name", &name), ("file", &self.file), ("reason", &error)]);
                OpenOutcome::Refused(outcome)
            }
        }
    }

    /// Does it write behind what the file has, if that is there?
    fn is_behind(&self, assigned: &Assigned) -> bool {
        self.mode == open::EXTEND || self.mode == open::OUTPUT && assigned.disposition == Disposition::Mod
    }

    fn unsupported(&self, item: &dyn Display) -> OpenOutcome {
        tell(&CICA1206E, &[("file", &self.file), ("item", item)]);
        OpenOutcome::Refused(Outcome::Conflict)
    }

    fn refuse_plain(&self, place: &PlainFile, outcome: Outcome, reason: &dyn Display) -> OpenOutcome {
        let name = place.name();
        tell(&CICA1204E, &[("name", &name), ("file", &self.file), ("reason", reason)]);
        OpenOutcome::Refused(outcome)
    }
}

fn has_bytes(path: &Path) -> bool {
    // What cannot be opened is told by who writes to it.
    size_of(path).is_ok_and(|size| size > 0)
}

/// Bytes of a file.
pub(crate) fn size_of(path: &Path) -> io::Result<u64> {
    let outside = outside();
    let path = outside.real(path)?;
    outside.open(&path, Open::default())?.size(None)
}

/// What the catalog knows of the records.
fn known(data_set: &NonVsam) -> Attributes {
    let format = DdText::parse(&format!("X,{}", data_set.format));
    format.map_or_else(|_| Attributes::default(), |text| text.attributes)
}

/// The same, with what the DD text says over it.
fn over(known: Attributes, assigned: &Assigned) -> Attributes {
    let mut attributes = assigned.format.unwrap_or(known);
    let asked = assigned.code_set.as_ref().and_then(|wanted| wanted.page);
    attributes.codepage = if assigned.as_is { None } else { asked.or(known.codepage) };
    attributes
}

/// Records of this kind are to come behind those that the catalog knows of: the file is then what holds both.
fn follow(place: &mut PlainFile) -> Result<(), String> {
    let Some((_, data_set)) = &place.entry else {
        return Ok(());
    };
    let (there, more) = (known(data_set), place.attributes);
    if data_set.format.is_empty() && consists_of(&place.path, &more) {
        return Ok(());
    }
    // A code that is not said is that of the other.
    let coded = Attributes {
        codepage: match (there.codepage, more.codepage) {
            (Some(page), Some(_)) => Some(page),
            (_, said) => said,
        },
        ..there
    };
    place.attributes = coded.followed_by(&more).ok_or_else(|| {
        format!(
            "its records are {}, and {} cannot follow them",
            words(&there),
            words(&more)
        )
    })?;
    Ok(())
}

/// Nobody has said what a file that came from elsewhere has; it may be records of this one length.
fn consists_of(path: &Path, records: &Attributes) -> bool {
    let length = records.longest_record().filter(|_| records.recfm.is_fixed());
    let length = length.map(u64::from).filter(|length| *length > 0);
    length.is_some_and(|length| size_of(path).is_ok_and(|size| size % length == 0))
}

fn words(attributes: &Attributes) -> String {
    match attributes.to_string() {
        lines if lines.is_empty() => "lines of text".into(),
        others => others,
    }
}

/// Fills in what only the FD says of the records; what contradicts it, in words. A file that is not written anew has
/// blocks and descriptor words already, which an FD does not know the limits of.
fn fit(attributes: &mut Attributes, fd: &Fd, anew: bool) -> Result<(), String> {
    let (least, most, of_records) = (fd.least, fd.most, fd.organization == organization::SEQUENTIAL);
    let stated = attributes.lrecl > 0 || attributes.blksize > 0;
    if attributes.recfm.is_fixed() && !stated && fd.varying && of_records {
        return Err(format!(
            "the program's records have {least} to {most} bytes, and nothing says where one ends; RECFM=V or VB does, or \
             RECFM=FB,LRECL=..."
        ));
    }
    if anew || !attributes.recfm.is_variable() {
        *attributes = attributes.completed_for(u32::try_from(most).unwrap_or(u32::MAX));
    }
    attributes.check().map_err(|error| error.to_string())?;
    let length = attributes.longest_record().map(|length| length as usize);
    match length.filter(|_| attributes.recfm.is_fixed() && of_records) {
        Some(length) if !(least..=most).contains(&length) => Err(format!(
            "the program's records have {}, those of the file {length}",
            if least == most {
                format!("{most} bytes")
            } else {
                format!("{least} to {most} bytes")
            }
        )),
        _ => Ok(()),
    }
}

/// How its records become the program's; why not, with the copybook.
fn code_set(assigned: &Assigned, place: &PlainFile, fd: &Fd) -> Result<Option<CodeSet>, (String, String)> {
    let wanted = match (&assigned.code_set, place.page()) {
        (Some(wanted), _) => wanted.clone(),
        (None, Some(_)) => WantedCodeSet::of_catalog(),
        (None, None) => return Ok(None),
    };
    let copybook = wanted.copybook.clone().unwrap_or_default();
    let layout = wanted.layout(fd).map_err(|reason| (copybook.clone(), reason))?;
    let ccsid = place.page().map_or(0, |page| page.ccsid());
    let page = wanted.page_of(ccsid, false).map_err(|reason| (copybook, reason))?;
    let mut code_set = CodeSet::new(&layout, page, wanted.plain_signs);
    code_set.throughout = wanted.copybook.is_none();
    Ok(Some(code_set))
}
