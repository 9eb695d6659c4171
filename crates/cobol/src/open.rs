//! OPEN, CLOSE and DELETE FILE: which files are Cica's, and what becomes of those that are not there.
//!
//! | the ASSIGN value | in the catalog | not in the catalog, OUTPUT (or OPTIONAL and I-O, EXTEND) | else |
//! |---|---|---|---|
//! | a data set (`//`, `DSN=`) | Cica's | made from the FD | status 35 |
//! | a name, file there | Cica's | libcob's | libcob's |
//! | a name, no file | Cica's | indexed, relative: made from the FD; sequential: libcob's | libcob's |
//! | a path with a slash | libcob's | libcob's | libcob's |
//!
//! A sequential file that is no VSAM data set is Cica's where libcob cannot read it: see [`crate::plain`].
//!
//! Where the catalog cannot be used, an indexed or relative file that is not there as a file is refused (30).
//!
//! What was made from an FD is made anew by OPEN OUTPUT with an FD that differs, as libcob's files are.

use crate::alternate::indexes;
use crate::bias::Bias;
use crate::code_set::{CodeSet, WantedCodeSet};
use crate::fd::{head_of, Fd};
use crate::generation::{generation, NoGeneration};
use crate::kept::{end_loads, free_unsaid, keeps_writers_off, read_own_changes};
use crate::libcob::layout::{open, organization};
use crate::looks::{like_ebcdic, LOOKED_AT};
use crate::made::{is_of_another_run, made, unmade, OF_ANOTHER_RUN};
use crate::name::{assigned, path, Assigned, BadName, Disposition, Wrong};
use crate::open_file::{OpenFile, EMPTY};
use crate::opening::{environment, non_vsam_entry, report_of, OpenOutcome, Request, Translated};
use crate::process::{define, delete, found_before, is_strict, is_unusable, session, without_session, NotDeleted};
use crate::record_lock::{is_exclusive, Locks};
use crate::source::Source;
use crate::status::{note, Outcome, Set};
use crate::tell::*;
use crate::unit;
use cica_catalog::entry::Aix;
use cica_catalog::{Catalog, Entry, Name};
use cica_copybook::RecordLayout;
use cica_disk::FileReader;
use cica_engine::{Access, OpenOptions};
use cica_format::attributes::Organization;
use cica_qsam::CodePage;
use cica_session::{outside, Reached, Session, SessionError, Sharing};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that libcob is to open in the place of what ASSIGN says.
pub struct Elsewhere {
    /// Where it lies.
    pub path: PathBuf,
    /// Its records are lines of text, as the catalog knows.
    pub lines: bool,
    /// DISP=MOD: OPEN OUTPUT writes behind what it has.
    pub behind: bool,
}

/// The file of a data set that is not VSAM's.
pub(crate) fn non_vsam(session: &Session, name: &Name) -> Option<Elsewhere> {
    let (catalog, data_set) = non_vsam_entry(session, name)?;
    Some(Elsewhere {
        path: catalog.file_path(&data_set).ok()??,
        lines: data_set.format.is_empty(),
        behind: false,
    })
}

/// Where a sequential file of libcob's lies, when ASSIGN leads to a data set that is not VSAM's, or to nothing. Of one
/// that is opened for input it tells if it looks like EBCDIC.
pub fn elsewhere(file: &str, assign: &str, mode: u8) -> Option<Elsewhere> {
    let assigned = assigned(assign, environment).ok()?;
    if assigned.dummy {
        return Some(Elsewhere {
            path: "/dev/null".into(),
            lines: false,
            behind: false,
        });
    }
    let found = match (assigned.explicit, &assigned.name) {
        (true, Some(name)) => {
            let session = session(true)?;
            let name = match assigned.generation {
                Some(relative) => generation(session, name, relative).ok()?,
                None => name.clone(),
            };
            non_vsam(session, &name)
        }
        // A catalog that was not needed before is not looked for now.
        (false, Some(name)) => found_before().and_then(|session| non_vsam(session, name)),
        _ => None,
    };
    let behind = mode == open::OUTPUT && assigned.disposition == Disposition::Mod;
    let found = found.map(|found| Elsewhere {
        // What is not there libcob makes for OUTPUT alone.
        behind: behind && found.path.exists(),
        ..found
    });
    if mode == open::INPUT {
        match &found {
            Some(found) => tell_looks(file, &found.path),
            None => tell_looks(file, &path(&assigned.value, environment)),
        }
    }
    found
}

/// Whether libcob would write over, or delete, what Cica keeps data sets in: an output that names a component or a
/// catalog by mistake. It is told.
pub fn keeps_data_sets(file: &str, assign: &str, mode: u8) -> bool {
    let place = match elsewhere(file, assign, mode) {
        Some(elsewhere) => elsewhere.path,
        None => match assigned(assign, environment) {
            Ok(assigned) => path(&assigned.value, environment),
            Err(_) => return false,
        },
    };
    let outside = outside();
    // A link leads to what is written; what is not there yet has a place all the same.
    let real = outside.real(&place).unwrap_or_else(|_| place.clone());
    let why = cica_disk::why_kept(&*outside, &real);
    if let Some(reason) = why {
        let inserts: [(&str, &dyn std::fmt::Display); 3] =
            [("file", &file), ("path", &place.display()), ("reason", &reason)];
        tell(&CICA1228E, &inserts);
    }
    why.is_some()
}

fn tell_looks(file: &str, place: &Path) {
    let outside = outside();
    let found = outside.real(place);
    let Ok(opened) = found.and_then(|found| FileReader::plain(&*outside, &found)) else {
        return;
    };
    let mut first = Vec::new();
    let read = opened.take(LOOKED_AT as u64).read_to_end(&mut first);
    if read.is_ok() && like_ebcdic(&first) {
        let what = format!("{} LOOKS LIKE", place.display());
        let remedy = format!("{},CODEPAGE=1047,COPYBOOK=path", place.display());
        tell(&CICA1225W, &[("file", &file), ("what", &what), ("remedy", &remedy)]);
    }
}

/// Can an ASSIGN text mean a data set, where no catalog can be asked? Of a file of lines only what says so.
pub fn may_be_a_data_set(assign: &str, lines: bool) -> bool {
    assigned(assign, environment).is_ok_and(|assigned| {
        assigned.explicit || !lines && assigned.name.is_some() && !path(&assigned.value, environment).exists()
    })
}

/// The data set that is meant, a generation by its own name; none where no name is said.
pub fn generation_meant(session: &Session, assigned: &Assigned) -> Option<Result<Name, NoGeneration>> {
    let name = assigned.name.as_ref()?;
    Some(match assigned.generation {
        Some(relative) => generation(session, name, relative),
        None => Ok(name.clone()),
    })
}

impl Request<'_> {
    /// Carries the OPEN out.
    pub fn open(self) -> OpenOutcome {
        let (file, assign, mode) = (self.file, self.assign, self.mode);
        match self.by_its_organization() {
            OpenOutcome::Libcobs if mode != open::INPUT && keeps_data_sets(file, assign, mode) => {
                OpenOutcome::Refused(Outcome::ModeRefused)
            }
            opened => opened,
        }
    }

    fn by_its_organization(mut self) -> OpenOutcome {
        let assigned = match assigned(self.assign, environment) {
            Ok(assigned) => assigned,
            Err(bad) => return OpenOutcome::Refused(self.bad_name(&bad)),
        };
        if assigned.dummy && self.organization == organization::LINE_SEQUENTIAL && !self.described {
            return OpenOutcome::Libcobs;
        }
        if assigned.dummy {
            return match &self.fd {
                Ok(fd) => OpenOutcome::Cicas(Box::new(OpenFile::dummy(fd.clone())), Outcome::Done),
                Err(_) => OpenOutcome::Libcobs,
            };
        }
        if self.is_keyed() {
            if let Some(reason) = crate::open_plain::unkeyed(&assigned) {
                return OpenOutcome::Refused(self.bad_name(&BadName {
                    value: assigned.value,
                    reason: reason.into(),
                    wrong: Wrong::Operand,
                }));
            }
        }
        if let Some(refused) = self.refused_as_anothers(&assigned) {
            return refused;
        }
        if let Some(place) = self.place(&assigned) {
            return self.open_plain(&assigned, place);
        }
        if self.organization == organization::LINE_SEQUENTIAL {
            return self.lines(&assigned);
        }
        let Some(mut name) = assigned.name.clone() else {
            return match &assigned.unnamed {
                Some(reason) => self.libcobs(&reason),
                None => OpenOutcome::Libcobs,
            };
        };
        let Some(session) = session(assigned.explicit) else {
            // What may be a data set must not be made anew as a file of libcob's, because its catalog cannot be used.
            return match assigned.explicit {
                true => OpenOutcome::Refused(without_session()),
                false if self.is_keyed() && is_unusable() && !path(&assigned.value, environment).exists() => {
                    OpenOutcome::Refused(match without_session() {
                        // One that is named and not there may have had it.
                        Outcome::Missing => Outcome::Failed,
                        outcome => outcome,
                    })
                }
                false => self.libcobs(&"there is no catalog that could have it"),
            };
        };
        for item in &assigned.unused {
            tell(&CICA1211I, &[("file", &self.file), ("item", item)]);
        }
        name = match generation_meant(session, &assigned) {
            Some(Err(none)) => return self.refuse(&name, none.outcome(), &none),
            Some(Ok(named)) => named,
            None => name,
        };
        if !self.is_keyed() && non_vsam(session, &name).is_some() {
            return OpenOutcome::Libcobs;
        }
        (self.as_is, self.rls, self.buffers) = (assigned.as_is, assigned.rls, assigned.buffers);
        self.bias.clone_from(&assigned.bias);
        if let (Some(wanted), Ok(fd)) = (&assigned.code_set, &self.fd) {
            self.translated = match wanted.layout(fd) {
                Ok(layout) => Some(Translated {
                    wanted: wanted.clone(),
                    layout,
                }),
                Err(reason) => return self.bad_copybook(wanted.copybook.as_deref().unwrap_or_default(), &reason),
            };
        }
        if assigned.reversed && self.organization != organization::SEQUENTIAL {
            return self.refuse(&name, Outcome::Conflict, &"REVERSED is for sequential files");
        }
        self.reversed = assigned.reversed && self.mode == open::INPUT;
        match self.find(session, &name) {
            Ok((catalog, cluster)) => {
                if self.is_anothers(&assigned, &cluster) {
                    return OpenOutcome::Libcobs;
                }
                if let Some(index) = &cluster.way {
                    let reason = format!(
                        "it is a path through {}; name {}, whose paths the FD's alternate keys find",
                        index.name, cluster.name
                    );
                    return self.refuse(&name, Outcome::Conflict, &reason);
                }
                if self.is_to_be_made_anew(&catalog, &cluster) {
                    self.make_anew(session, &cluster.name)
                } else {
                    self.open_cluster(session, catalog, &cluster, false)
                }
            }
            Err(error) if error.is_not_found() => self.missing(session, &name, &assigned),
            // A catalog that cannot be asked may have it: records must not go to a file of that name instead.
            Err(error @ SessionError::Catalog(_)) => self.refuse(&name, Outcome::of_open(&error), &error),
            Err(error) if assigned.explicit || self.is_keyed() => self.refuse(&name, Outcome::of_open(&error), &error),
            Err(_) => OpenOutcome::Libcobs,
        }
    }

    /// It is there, and not for this OPEN, whatever kind of data set it is.
    fn refused_as_anothers(&self, assigned: &Assigned) -> Option<OpenOutcome> {
        if assigned.generation.is_none() && assigned.disposition != Disposition::New {
            return None;
        }
        let session = session(assigned.explicit)?;
        // That there is no such generation is told where it is opened.
        let name = generation_meant(session, assigned)?.ok()?;
        let reason = self.withheld(session, assigned, &name)?;
        Some(self.refuse(&name, Outcome::ModeRefused, &reason))
    }

    /// A file of lines: libcob's, but a DD text that says a data set means no file of that text.
    fn lines(&self, assigned: &Assigned) -> OpenOutcome {
        let Some(base) = assigned.name.as_ref().filter(|_| assigned.explicit) else {
            return OpenOutcome::Libcobs;
        };
        let Some(session) = session(true) else {
            return OpenOutcome::Refused(without_session());
        };
        let name = match generation_meant(session, assigned) {
            Some(Ok(name)) => name,
            Some(Err(none)) => return self.refuse(base, none.outcome(), &none),
            None => return OpenOutcome::Libcobs,
        };
        if non_vsam(session, &name).is_some() {
            return OpenOutcome::Libcobs;
        }
        let absent = self.optional && self.mode == open::INPUT;
        match (self.find(session, &name), &self.fd) {
            (Ok(_), _) => self.refuse(&name, Outcome::Conflict, &NO_LINES),
            (Err(error), Ok(fd)) if error.is_not_found() && absent => {
                OpenOutcome::Cicas(Box::new(OpenFile::absent(fd.clone())), Outcome::OptionalAbsent)
            }
            (Err(error), _) if error.is_not_found() => self.refuse(&name, Outcome::Missing, &NOT_MADE_OF_LINES),
            (Err(error), _) => self.refuse(&name, Outcome::of_open(&error), &error),
        }
    }

    fn is_keyed(&self) -> bool {
        !matches!(
            self.organization,
            organization::SEQUENTIAL | organization::LINE_SEQUENTIAL
        )
    }

    /// It stays with libcob, which is told, unless the program may have no such files.
    fn libcobs(&self, reason: &dyn std::fmt::Display) -> OpenOutcome {
        if !self.is_keyed() {
            return OpenOutcome::Libcobs;
        }
        static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
        let inserts: [(&str, &dyn std::fmt::Display); 2] = [("file", &self.file), ("reason", reason)];
        if is_strict() {
            tell(&CICA1224E, &inserts);
            return OpenOutcome::Refused(Outcome::Failed);
        }
        if TOLD.lock().insert(self.file.to_string()) {
            tell(&CICA1223W, &inserts);
        }
        OpenOutcome::Libcobs
    }

    fn find(&self, session: &Session, name: &Name) -> Result<(Arc<Catalog>, Box<Reached>), SessionError> {
        let (catalog, cluster) = session.reach(name)?;
        Ok((catalog, Box::new(cluster)))
    }

    /// A plain file of the program's is not taken for a data set of the same name and another kind.
    fn is_anothers(&self, assigned: &Assigned, cluster: &Reached) -> bool {
        let sequential = self.organization == organization::SEQUENTIAL;
        sequential && !assigned.explicit && cluster.organization != Organization::Esds
    }

    /// The name is not in the catalog.
    fn missing(&self, session: &'static Session, name: &Name, assigned: &Assigned) -> OpenOutcome {
        let wanted = match self.mode {
            open::OUTPUT => true,
            open::I_O | open::EXTEND => self.optional,
            _ => false,
        };
        if !assigned.explicit {
            if path(&assigned.value, environment).exists() {
                return self.libcobs(&"a file of this name is there, and the catalog has no such data set");
            }
            if !wanted || !self.is_keyed() {
                return OpenOutcome::Libcobs;
            }
        }
        if !wanted || assigned.disposition == Disposition::Old {
            return match (&self.fd, self.optional && self.mode == open::INPUT) {
                (Ok(fd), true) => OpenOutcome::Cicas(Box::new(OpenFile::absent(fd.clone())), Outcome::OptionalAbsent),
                _ if wanted => self.refuse(
                    name,
                    Outcome::Missing,
                    &"it is not in the catalog; DISP=NEW or MOD makes it",
                ),
                _ => self.refuse(name, Outcome::Missing, &"it is not in the catalog"),
            };
        }
        let fd = match self.usable_fd() {
            Ok(fd) => fd,
            Err(item) => {
                tell(&CICA1206E, &[("file", &self.file), ("item", &item)]);
                return if assigned.explicit {
                    OpenOutcome::Refused(Outcome::Conflict)
                } else {
                    self.libcobs(&"its FD cannot be a data set")
                };
            }
        };
        match self.make(session, fd, name) {
            Some(opened) => opened,
            None if assigned.explicit => OpenOutcome::Refused(Outcome::Failed),
            None => self.libcobs(&"the data set could not be made"),
        }
    }

    /// Was it made from another FD than that with which it is opened for output, or in another code?
    fn is_to_be_made_anew(&self, catalog: &Catalog, cluster: &Reached) -> bool {
        if self.mode != open::OUTPUT || head_of(cluster).is_none() || cluster.asked_name() != &cluster.name {
            return false;
        }
        let Ok(fd) = self.usable_fd() else { return false };
        let Ok(contents) = catalog.contents() else { return false };
        if !matches!(contents.get(&cluster.name), Ok(Entry::Cluster(_))) {
            return false;
        }
        let ccsid = cluster.attributes.ccsid;
        let recoded = match &self.translated {
            Some(translated) => translated.wanted.page.is_some_and(|page| page.ccsid() != ccsid),
            None => is_ebcdic(ccsid),
        };
        if recoded {
            return true;
        }
        let Ok((fd, _)) = self.stored(fd, ccsid, false) else {
            return false;
        };
        let alternates = contents.related(&cluster.name);
        let alternates = alternates.filter(|entry| matches!(entry, Entry::Aix(_))).count();
        let found = indexes(&fd, &contents, &cluster.name);
        let kept = |indexes: Vec<Aix>| {
            let mut pairs = fd.alternates.iter().zip(&indexes);
            pairs.all(|(key, aix)| aix.unique_key != key.duplicates)
        };
        fd.differs(cluster, alternates) || !found.is_ok_and(kept)
    }

    fn make_anew(&self, session: &'static Session, name: &Name) -> OpenOutcome {
        let Ok(fd) = self.usable_fd() else {
            return OpenOutcome::Refused(Outcome::Conflict);
        };
        if let Err(NotDeleted { reason, in_use }) = delete(session, name) {
            let outcome = if in_use { Outcome::InUse } else { Outcome::Conflict };
            return self.refuse(name, outcome, &reason);
        }
        let made = self.make(session, fd, name);
        made.unwrap_or(OpenOutcome::Refused(Outcome::Failed))
    }

    /// Makes the data set that the FD describes, and opens it; none if it could not be made.
    fn make(&self, session: &'static Session, fd: &Fd, name: &Name) -> Option<OpenOutcome> {
        let (fd, code_set) = match self.stored(fd, NO_CCSID, false) {
            Ok(stored) => stored,
            Err(reason) => return Some(self.bad_copybook(self.copybook(), &reason)),
        };
        let sphere = fd.define(name, code_set.as_ref().map(|set| set.page));
        if let Err(reason) = define(session, &sphere) {
            if let Ok((catalog, cluster)) = self.find(session, name) {
                // Another program has made it meanwhile.
                return Some(self.open_cluster(session, catalog, &cluster, false));
            }
            tell(&CICA1203E, &[("name", name), ("file", &self.file), ("reason", &reason)]);
            return None;
        }
        let in_code = code_set.map(|set| format!(", IN {}", set.page)).unwrap_or_default();
        let what = format!("{fd}{in_code}");
        made(name);
        tell(&CICA1202I, &[("name", name), ("file", &self.file), ("what", &what)]);
        Some(match self.find(session, name) {
            Ok((catalog, cluster)) => self.open_cluster(session, catalog, &cluster, self.mode != open::OUTPUT),
            Err(error) => self.refuse(name, Outcome::of_open(&error), &error),
        })
    }

    /// The FD, if what it asks for is supported.
    fn usable_fd(&self) -> Result<&Fd, String> {
        let fd = self.fd.as_ref().map_err(Clone::clone)?;
        if self.collating {
            return Err(match self.organization {
                organization::SEQUENTIAL => "CODE-SET of a data set (the DD text's COPYBOOK translates)".into(),
                _ => "COLLATING SEQUENCE of an indexed file".into(),
            });
        }
        Ok(fd)
    }

    fn open_cluster(
        &self,
        session: &'static Session,
        catalog: Arc<Catalog>,
        cluster: &Reached,
        made: bool,
    ) -> OpenOutcome {
        let name = &cluster.name;
        if let Some(reason) = self
            .fd
            .as_ref()
            .ok()
            .and_then(|fd| fd.conflict(cluster, Set::of_process()))
        {
            tell(&CICA1205E, &[("name", name), ("file", &self.file), ("reason", &reason)]);
            return OpenOutcome::Refused(Outcome::Conflict);
        }
        let fd = match self.usable_fd() {
            Ok(fd) => fd,
            Err(item) => {
                tell(&CICA1206E, &[("file", &self.file), ("item", &item)]);
                return OpenOutcome::Refused(Outcome::Conflict);
            }
        };
        let own = head_of(cluster).is_some();
        let (fd, code_set) = match self.stored(fd, cluster.attributes.ccsid, own) {
            Ok(stored) => stored,
            Err(reason) => return self.bad_copybook(self.copybook(), &reason),
        };
        let contents = catalog.contents();
        let found = contents.map(|contents| indexes(&fd, &contents, name));
        let indexes = match found {
            Ok(Ok(indexes)) => indexes,
            Ok(Err(reason)) => {
                tell(&CICA1205E, &[("name", name), ("file", &self.file), ("reason", &reason)]);
                return OpenOutcome::Refused(Outcome::Conflict);
            }
            Err(error) => return self.refuse(name, Outcome::Failed, &error),
        };
        let dd = self.ddname();
        session.name_dd(&name.to_string(), dd);
        for index in &indexes {
            session.name_dd(&index.name.to_string(), dd);
        }
        let Some(opener) = session.locks.enter(name, is_exclusive(self.locks)) else {
            return self.refuse(
                name,
                Outcome::InUse,
                &"this program has it open, there or here without SHARING",
            );
        };
        if !opener.is_only() {
            free_unsaid(&cluster.name.to_string());
        }
        let base = cluster.name.to_string();
        if let Err(outcome) = end_loads(&base) {
            return self.refuse(
                name,
                outcome,
                &"another file of this program loads it, and that could not be ended",
            );
        }
        if self.mode != open::INPUT && keeps_writers_off(&base) {
            // As of one with records, of which the engine says it.
            return self.refuse(
                name,
                Outcome::InUse,
                &"in use: this process has it open for input, and this open is for output",
            );
        }
        if self.bias.is_some() {
            session.count_opens();
        }
        let report = report_of(name.to_string());
        let source = Source {
            session,
            catalog,
            cluster: cluster.clone(),
            indexes,
            sharing: self.sharing(session),
            rls: self.rls,
            buffers: self.buffers,
        };
        match OpenFile::open(source, fd, self.options(), report) {
            Ok(mut file) => {
                match code_set {
                    Some(code_set) => file.translate(code_set, self.file),
                    None => self.tell_ebcdic(name, cluster.attributes.ccsid),
                }
                file.locks = Locks::of(opener, self.mode, self.locks);
                file.share_locks();
                let bias = self.bias.as_ref().map(|said| Bias::new(said, self.file));
                file.bias = bias.map(Box::new);
                self.opened(file, cluster, made)
            }
            Err(error) => {
                let outcome = match (self.mode, error.outcome()) {
                    // OUTPUT of a data set that was defined NOREUSE and has records.
                    (open::OUTPUT, Outcome::Conflict) => Outcome::ModeRefused,
                    (_, outcome) => outcome,
                };
                self.refuse(name, outcome, &error)
            }
        }
    }

    /// RLS, and what the environment says. What belongs to one unit of recovery is shared, or it is not.
    fn sharing(&self, session: &Session) -> Sharing {
        let in_shared_unit = self.mode != open::INPUT && unit::is_shared();
        match self.rls {
            Some(_) => Sharing::On,
            None if in_shared_unit => Sharing::On,
            None => session.sharing,
        }
    }

    /// Tells of characters that are known to be EBCDIC and are not translated.
    fn tell_ebcdic(&self, name: &Name, ccsid: u16) {
        if self.mode == open::OUTPUT || self.as_is || !is_ebcdic(ccsid) {
            return;
        }
        let what = format!("CCSID {ccsid} OF THE DATA SET IS");
        let remedy = format!("DSN={name},COPYBOOK=path");
        tell(
            &CICA1225W,
            &[("file", &self.file), ("what", &what), ("remedy", &remedy)],
        );
    }

    fn options(&self) -> OpenOptions {
        OpenOptions {
            access: match self.mode {
                open::INPUT => Access::Input,
                _ => Access::Output,
            },
            reset: self.mode == open::OUTPUT,
            alone: is_exclusive(self.locks),
            ..OpenOptions::default()
        }
    }

    fn opened(&self, mut file: OpenFile, cluster: &Reached, made: bool) -> OpenOutcome {
        file.reversed = self.reversed;
        file.reads = matches!(self.mode, open::INPUT | open::I_O);
        file.recoverable = matches!(self.mode, open::I_O | open::EXTEND);
        if let Err(reason) = file.join_unit() {
            return self.refuse(&cluster.name, Outcome::InUse, &reason);
        }
        if file.recoverable && file.is_shared() {
            read_own_changes();
        }
        let reads_nothing = file.reads && !file.has_records();
        if reads_nothing && Set::of_process() == Set::Enterprise {
            // A data set that was never loaded counts as not there on z/OS.
            if self.optional {
                return OpenOutcome::Cicas(Box::new(file), Outcome::OptionalAbsent);
            }
            if let Err(outcome) = file.close() {
                return OpenOutcome::Refused(outcome);
            }
            note(8, 0, EMPTY);
            return self.refuse(&cluster.name, Outcome::Missing, &"it was never loaded");
        }
        if self.mode == open::EXTEND {
            if let Err(outcome) = file.go_to_the_end() {
                return OpenOutcome::Refused(outcome);
            }
        }
        file.tell_bias();
        let outcome = if made { Outcome::OptionalAbsent } else { Outcome::Done };
        OpenOutcome::Cicas(Box::new(file), outcome)
    }

    /// The FD as the data set has it, and the code its records are in, when that is not the program's.
    fn stored(&self, fd: &Fd, ccsid: u16, own: bool) -> Result<(Fd, Option<CodeSet>), String> {
        let by_catalog;
        let Translated { wanted, layout } = match &self.translated {
            Some(translated) => translated,
            // A sequential file has no keys, so that the catalog's word is enough.
            None if !self.is_keyed() && !self.as_is && is_ebcdic(ccsid) => {
                by_catalog = Translated {
                    wanted: WantedCodeSet::of_catalog(),
                    layout: RecordLayout::of_text(fd.most),
                };
                &by_catalog
            }
            None => return Ok((fd.clone(), None)),
        };
        let mut code_set = CodeSet::new(layout, wanted.page_of(ccsid, own)?, wanted.plain_signs);
        code_set.throughout = wanted.copybook.is_none();
        Ok((code_set.stored_fd(fd.clone())?, Some(code_set)))
    }

    fn copybook(&self) -> &str {
        let wanted = self.translated.as_ref().map(|translated| &translated.wanted);
        wanted.and_then(|wanted| wanted.copybook.as_deref()).unwrap_or_default()
    }

    fn refuse(&self, name: &Name, outcome: Outcome, reason: &dyn std::fmt::Display) -> OpenOutcome {
        tell(&CICA1204E, &[("name", name), ("file", &self.file), ("reason", reason)]);
        OpenOutcome::Refused(outcome)
    }

    /// DELETE FILE: the outcome if the file is a data set, and none if it is libcob's.
    pub fn delete(&self) -> Option<Outcome> {
        let outcome = match self.organization {
            organization::LINE_SEQUENTIAL => None,
            _ => self.delete_data_set(),
        };
        let refused = || keeps_data_sets(self.file, self.assign, open::OUTPUT).then_some(Outcome::ModeRefused);
        outcome.or_else(refused)
    }

    /// What is there is not to be had.
    fn not_deleted(&self, name: &Name, error: &SessionError) -> Outcome {
        tell(&CICA1208E, &[("name", name), ("reason", error)]);
        Outcome::of_open(error)
    }

    fn delete_data_set(&self) -> Option<Outcome> {
        let assigned = match assigned(self.assign, environment) {
            Ok(assigned) => assigned,
            Err(bad) => return Some(self.bad_name(&bad)),
        };
        let mut name = assigned.name.clone()?;
        let Some(session) = session(assigned.explicit) else {
            return assigned.explicit.then(without_session);
        };
        if let Some(relative) = assigned.generation {
            match generation(session, &name, relative) {
                Ok(generation) => name = generation,
                Err(none) => return Some(none.outcome()),
            }
        }
        let name = &name;
        if is_of_another_run(session, &assigned, name) {
            tell(&CICA1208E, &[("name", name), ("reason", &OF_ANOTHER_RUN)]);
            return Some(Outcome::ModeRefused);
        }
        match self.find(session, name) {
            Ok((_, cluster)) if self.is_anothers(&assigned, &cluster) => return None,
            Ok(_) => {}
            Err(error) if error.is_not_found() => return assigned.explicit.then_some(Outcome::Missing),
            Err(error @ SessionError::Catalog(_)) => return Some(self.not_deleted(name, &error)),
            Err(error) if assigned.explicit || self.is_keyed() => return Some(self.not_deleted(name, &error)),
            Err(_) => return None,
        }
        match delete(session, name) {
            Ok(()) => {
                unmade(name);
                Some(Outcome::Done)
            }
            Err(NotDeleted { reason, .. }) => {
                tell(&CICA1208E, &[("name", name), ("reason", &reason)]);
                Some(Outcome::ModeRefused)
            }
        }
    }
}

pub(crate) fn is_ebcdic(ccsid: u16) -> bool {
    CodePage::from_ccsid(ccsid).is_some_and(CodePage::is_ebcdic)
}

/// Why no lines are read from a cluster.
const NO_LINES: &str = "it is a data set of VSAM's, whose records are no lines; ORGANIZATION SEQUENTIAL opens it";

/// Why no lines are written to what is not there.
const NOT_MADE_OF_LINES: &str = "it is not in the catalog, and no OPEN makes a data set of lines; DEFINE NONVSAM does";

/// The CCSID of a data set that is not there yet.
const NO_CCSID: u16 = 0;
