//! What a subcommand works with: the catalog that is meant, an engine, and data sets by name.

use crate::failure::{Failure, Status};
use crate::global::Global;
use cica::store::Builder;
use cica::Store;
use cica_catalog::generation::parse_relative;
use cica_catalog::{Cluster, Entry, Name};
use cica_disk::FileReader;
use cica_engine::{Access, DataSet, Durability, OpenOptions};
use cica_format::root::Root;
use cica_messages as messages;
use cica_qsam::{Attributes, CodePage, DdText, Reader};
use cica_session::{io_from_environment, pool_from_environment, sharing_from_environment, Reached};
use cica_smf::SmfFile;
use std::cell::RefCell;
use std::fmt::Display;
use std::ops::Deref;
use std::sync::Arc;

/// See the module.
pub struct Session(Store);

/// A data set that is open.
pub struct OpenedSession {
    pub name: Name,
    pub data_set: DataSet,
    /// The code page of its characters; none: ASCII, other bytes are not characters.
    pub page: Option<CodePage>,
}

/// The file of a data set that is not VSAM's, open.
pub struct Sequential {
    pub name: Name,
    pub reader: Reader<FileReader>,
    /// The code page of its characters.
    pub page: Option<CodePage>,
}

impl Deref for Session {
    type Target = cica_session::Session;
    fn deref(&self) -> &cica_session::Session {
        self.0.session()
    }
}

thread_local! {
    /// Where the sessions of this process write SMF records; all of them are the main thread's.
    static WATCHED: RefCell<Vec<Arc<SmfFile>>> = const { RefCell::new(Vec::new()) };
}

/// Tells which SMF records are lost with the end of this process: no record tells of them.
pub fn tell_what_smf_lost() {
    for lost in WATCHED.take().iter().filter_map(|smf| smf.untold()) {
        let line = messages::CICA1082W.line(&[("count", &lost.count), ("reason", &lost.reason)]);
        crate::terminal::tell(&format!("cica: {line}"));
    }
}

impl Session {
    /// With a catalog that must be there.
    pub fn open(global: &Global) -> Result<Session, Failure> {
        Session::with(global, false)
    }

    /// Catalog and engine, for who serves others with them.
    pub fn into_inner(self) -> cica_session::Session {
        self.0.into_session()
    }

    /// With a catalog that is made where there is none.
    pub fn open_or_create(global: &Global) -> Result<Session, Failure> {
        Session::with(global, true)
    }

    fn with(global: &Global, create: bool) -> Result<Session, Failure> {
        let pool = match global.pool {
            Some(given) => Some(given),
            None => pool_from_environment().map_err(Failure::usage)?,
        };
        // What the environment says wrongly is a mistake of the call.
        let io = io_from_environment().map_err(Failure::usage)?;
        sharing_from_environment().map_err(Failure::usage)?;
        let mut store = match &global.catalog {
            Some(directory) => Store::at(directory),
            None => Builder::default(),
        }
        .io(io)
        .symbols(global.symbols.clone().unwrap_or_default());
        if let Some(bytes) = pool {
            store = store.pool_bytes(bytes);
        }
        if create {
            store = store.create();
        }
        let store = match store.open() {
            Ok(store) => store,
            Err(cica::Error::Start(error)) => return Err(error.into()),
            Err(error) => return Err(Failure::new(Status::UNUSABLE, &messages::IDC3300I, error)),
        };
        WATCHED.with_borrow_mut(|all| all.extend(store.session().smf.clone()));
        Ok(Session(store))
    }

    /// The cluster of this name, or the one an alias or path of this name leads to.
    pub fn cluster(&self, text: &str) -> Result<Box<Reached>, Failure> {
        Ok(Box::new(self.reach(&self.name(text)?)?.1))
    }

    /// The name that is meant: `X.Y(0)` is the newest generation of the group X.Y, `X.Y(-1)` the one before.
    pub fn name(&self, text: &str) -> Result<Name, Failure> {
        let Some((base, back)) = parse_relative(text) else {
            return Ok(Name::parse(text)?);
        };
        let base = Name::parse(base)?;
        if back > 0 {
            let words =
                format!("{base}({back:+}) is yet to be made; (0) is the newest generation, (-1) the one before");
            return Err(Failure::new(Status::REFUSED, &messages::CICA0951E, words));
        }
        let contents = self.catalog.home(&base)?.contents()?;
        match contents.relative(&base, back) {
            Some(entry) => Ok(entry.name().clone()),
            None => {
                let words = match contents.gdg(&base) {
                    Some(_) => format!("{base} has no generation ({back}); 'cica ls {base}.**' lists those it has"),
                    None => format!("{base} is no generation data group"),
                };
                Err(Failure::new(Status::REFUSED, &messages::CICA0951E, words))
            }
        }
    }

    /// Opens a data set.
    pub fn data_set(&self, text: &str, access: Access, durability: Durability) -> Result<OpenedSession, Failure> {
        let name = self.name(text)?;
        let (catalog, cluster) = self.reach(&name)?;
        let options = OpenOptions {
            access,
            reset: false,
            durability,
            io: cica_engine::Io::Auto,
            ..OpenOptions::default()
        };
        let opened = self.open_reached(&name, &catalog, &cluster, options);
        let data_set = opened.map_err(|e| Failure::from(e).at(&cluster.name))?;
        let page = CodePage::from_ccsid(data_set.attributes().ccsid);
        Ok(OpenedSession {
            name: cluster.name.clone(),
            data_set,
            page,
        })
    }

    /// The file of a data set that is not VSAM's, in the format that the catalog knows; none if the name leads elsewhere.
    pub fn sequential(&self, text: &str) -> Result<Option<Sequential>, Failure> {
        let name = self.name(text)?;
        let catalog = self.catalog.home(&name)?;
        let contents = catalog.contents()?;
        let stands_for = match contents.get(&name) {
            Ok(Entry::Alias(alias)) => contents.stands_for(alias)?,
            _ => name,
        };
        let Ok(Entry::NonVsam(data_set)) = contents.get(&stands_for) else {
            return Ok(None);
        };
        let unreadable = |error: &dyn Display| {
            Failure::new(
                Status::UNUSABLE,
                &messages::IDC3300I,
                format!("{}: {error}", data_set.name),
            )
        };
        let path = catalog.file_path(data_set)?;
        let path = path.ok_or_else(|| unreadable(&"its volume is not one of this system"))?;
        let attributes = match data_set.format.as_str() {
            "" => Attributes::default(),
            format => {
                let text = DdText::parse(&format!("X,{format}"));
                text.map_err(|error| unreadable(&error.problem))?.attributes
            }
        };
        let file = FileReader::plain(&*self.outside, &path);
        let file = file.map_err(|error| unreadable(&format!("{}: {error}", path.display())))?;
        Ok(Some(Sequential {
            name: data_set.name.clone(),
            reader: Reader::new(file, &attributes)?,
            page: attributes.codepage,
        }))
    }

    /// Attributes and statistics of a data set without opening it, as of its last commit.
    pub fn root(&self, cluster: &Cluster) -> Result<Root, Failure> {
        let path = self.catalog.home(&cluster.name)?.component_path(&cluster.data)?;
        self.engine.peek(&path).map_err(|e| Failure::from(e).at(&cluster.name))
    }
}

impl OpenedSession {
    /// Closes it; what was changed is durable then.
    pub fn close(self) -> Result<(), Failure> {
        let name = self.name;
        self.data_set.close().map(drop).map_err(|e| Failure::from(e).at(name))
    }
}
