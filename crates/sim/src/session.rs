//! The engine side of a run: performs requests on a data set and gives their replies in the oracle's terms.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cica_disk::{Clock, Disk, Image, ManualClock};
use cica_engine::examine::Finding;
use cica_engine::{
    Access, Argument, DataSet, Definition, Durability, Engine, Env, Insert, Intent, Io, OpenError, OpenOptions, Record,
    RequestError, Search, Str,
};

use crate::mortal::Mortal;
use crate::oracle::Bytes;
use crate::place;
use crate::rbas::{self, Rbas};
use crate::request::{self, Order, Reply, Request};
use crate::shape::{self, Organization, Shape};
use crate::subject::Stop;

/// Bytes of log after which it starts over.
const LOG_BYTES: u64 = 24 << 10;
const DIRECTORIES: [&str; 2] = ["/volume", "/log"];

/// A data set, open in an engine of its own: one process's life, and that of those who come after it.
pub struct Session {
    process: Mortal,
    shape: Shape,
    open: Option<OpenSession>,
    /// Where the records of a compressed ESDS stand, as far as it is known.
    rbas: Rbas,
}

struct OpenSession {
    // Strings before the data set, the data set before the engine: the order in which a program lets go of them.
    strings: Vec<Str>,
    set: DataSet,
    engine: Engine,
}

/// An error that is no reply: OPEN, CLOSE or a check failed. In words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The disk failed and the engine said so.
    Failed(String),
    /// The engine says that the data set is damaged.
    Damaged(String),
    /// Anything else, a wrong result among it.
    Wrong(String),
}

impl Trouble {
    /// The words.
    pub fn words(self) -> String {
        match self {
            Trouble::Failed(words) | Trouble::Damaged(words) | Trouble::Wrong(words) => words,
        }
    }

    /// The end of a run that met it there: a failing disk excuses what says so, a good one nothing.
    pub fn stop(self, faulty: bool, at: &str) -> Stop {
        match self {
            Trouble::Failed(words) if faulty => Stop::Failed(format!("{at}: {words}")),
            Trouble::Damaged(words) if faulty => Stop::Damaged(format!("{at}: {words}")),
            trouble => Stop::Wrong(format!("{at}: {}", trouble.words())),
        }
    }
}

impl From<OpenError> for Trouble {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Io { .. } | OpenError::Log { .. } => Trouble::Failed(error.to_string()),
            OpenError::Unusable { .. } => Trouble::Damaged(error.to_string()),
            _ => Trouble::Wrong(error.to_string()),
        }
    }
}

impl From<RequestError> for Trouble {
    fn from(error: RequestError) -> Self {
        let mut cause = &error;
        while let RequestError::Alternate {
            error: of_alternate, ..
        } = cause
        {
            cause = of_alternate;
        }
        match cause {
            RequestError::Physical { .. } | RequestError::Fenced { .. } | RequestError::NoSpace { .. } => {
                Trouble::Failed(error.to_string())
            }
            _ => Trouble::Wrong(error.to_string()),
        }
    }
}

impl Session {
    /// An empty disk with the directories that a session needs.
    pub fn empty_disk() -> Image {
        Image::with_directories(DIRECTORIES)
    }

    /// Makes the data set on a disk and opens it for output.
    pub fn create(disk: Arc<dyn Disk>, shape: &Shape) -> Result<Session, Trouble> {
        let (data, index) = shape.attributes();
        let (data_path, index_path) = paths(shape);
        engine(&disk, shape)?.create(&Definition {
            data_path,
            index_path,
            data,
            index,
        })?;
        Session::open(disk, shape, true)
    }

    /// Opens the data set that is on a disk.
    pub fn open(disk: Arc<dyn Disk>, shape: &Shape, output: bool) -> Result<Session, Trouble> {
        let mut session = Session {
            process: Mortal::new(disk),
            shape: shape.clone(),
            open: None,
            rbas: Rbas::default(),
        };
        session.open = Some(session.open_set(output, false)??);
        session.learn()?;
        Ok(session)
    }

    /// The inner error is OPEN's answer.
    fn open_set(&self, output: bool, reset: bool) -> Result<Result<OpenSession, OpenError>, Trouble> {
        let engine = engine(&self.process.shared(), &self.shape)?;
        let (data, index) = paths(&self.shape);
        let access = if output { Access::Output } else { Access::Input };
        let durability = self.shape.durability.into();
        Ok(engine
            .open(
                &data,
                &index,
                OpenOptions {
                    access,
                    reset,
                    durability,
                    io: Io::Auto,
                    ..OpenOptions::default()
                },
            )
            .map(|set| {
                let strings = (0..self.shape.strings).map(|_| set.string()).collect();
                OpenSession { strings, set, engine }
            }))
    }

    /// Performs a request.
    pub fn apply(&mut self, request: &Request) -> Result<Reply, Trouble> {
        match request {
            Request::Reopen { output, reset } => self.reopen(*output, *reset),
            Request::Kill(kill) => {
                self.process.kill(*kill);
                Ok(Reply::Done)
            }
            Request::Commit => Ok(done(self.set()?.commit())),
            Request::Checkpoint => Ok(done(self.set()?.checkpoint())),
            of_string => {
                let OpenSession { strings, set, .. } = self.open.as_mut().ok_or_else(closed)?;
                let string = of_string
                    .string()
                    .and_then(|number| strings.get_mut(usize::from(number)));
                let string = string.ok_or_else(|| Trouble::Wrong(format!("no such string: {of_string}")))?;
                if !self.shape.renumbered() {
                    return Ok(of_one_string(&self.shape, set, string, false, of_string));
                }
                if let Request::Insert { order, body, .. } = of_string {
                    return match string.insert(&body.bytes(&self.shape), (*order).into()) {
                        Ok(rba) => self.rbas.add(rba).map(|()| Reply::Done).map_err(Trouble::Wrong),
                        Err(error) => Ok(refused(&error)),
                    };
                }
                let there = self.rbas.request(&self.shape, of_string);
                Ok(of_one_string(&self.shape, set, string, false, &there))
            }
        }
    }

    fn reopen(&mut self, output: bool, reset: bool) -> Result<Reply, Trouble> {
        self.close()?;
        match self.open_set(output, reset)? {
            Ok(open) => {
                self.open = Some(open);
                if reset {
                    self.rbas = Rbas::default();
                }
                Ok(Reply::Done)
            }
            Err(error @ OpenError::Attributes { .. }) => {
                self.open = Some(self.open_set(true, false)??);
                Ok(Reply::NotOpened(error.acberflg()))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Where the records of a compressed ESDS stand, as far as it is known.
    pub fn rbas(&self) -> &Rbas {
        &self.rbas
    }

    /// The process: whether it is killed, or going to be.
    pub fn process(&self) -> &Mortal {
        &self.process
    }

    /// Another process opens what a dead one left.
    pub fn succeed(&mut self) -> Result<(), Trouble> {
        self.open = None;
        self.process = self.process.successor();
        self.open = Some(self.open_set(true, false)??);
        self.learn()
    }

    /// Closes the data set; nothing else can be done then.
    pub fn close(&mut self) -> Result<(), Trouble> {
        let OpenSession {
            strings,
            set,
            engine: _engine,
        } = self.open.take().ok_or_else(closed)?;
        drop(strings);
        set.close()?;
        Ok(())
    }

    /// Looks where the records of a compressed ESDS stand: which of them are there nobody says after a crash.
    fn learn(&mut self) -> Result<(), Trouble> {
        if self.shape.renumbered() {
            let found = numbers(self.set()?)?;
            self.rbas.learn(found).map_err(Trouble::Wrong)?;
        }
        Ok(())
    }

    /// All records, read forward; reading them backward must give the same. None while the data set is being loaded.
    pub fn contents(&self) -> Result<Option<Vec<Bytes>>, Trouble> {
        if self.shape.renumbered() && !self.set()?.loading() {
            self.rbas.check(&numbers(self.set()?)?).map_err(Trouble::Wrong)?;
        }
        contents(&self.shape, self.set()?)
    }

    /// EXAMINE, and REC-TOTAL of the statistics against the number of records: a finding is trouble.
    pub fn check_structure(&self, records: usize) -> Result<(), Trouble> {
        check_structure(&self.shape, self.set()?, records)
    }

    /// The data set that is open.
    pub fn set(&self) -> Result<&DataSet, Trouble> {
        self.open.as_ref().map(|open| &open.set).ok_or_else(closed)
    }
}

/// See [`Session::contents`].
pub(crate) fn contents(shape: &Shape, set: &DataSet) -> Result<Option<Vec<Bytes>>, Trouble> {
    if set.loading() {
        return Ok(None);
    }
    let mut string = set.string();
    let mut forward = Vec::new();
    string.point_first()?;
    while let Some(record) = more(shape, string.next(Intent::Read))? {
        forward.push(record);
    }
    let mut backward = Vec::new();
    string.point_last()?;
    while let Some(record) = more(shape, string.prev(Intent::Read))? {
        backward.push(record);
    }
    backward.reverse();
    if forward != backward {
        let (f, b) = (forward.len(), backward.len());
        return Err(Trouble::Wrong(format!(
            "{f} records forward and {b} backward, or in another order"
        )));
    }
    if shape.renumbered() {
        rbas::renumber(shape, &mut forward);
    }
    Ok(Some(forward))
}

/// Where the records of an ESDS stand, in sequence; none while it is being loaded.
fn numbers(set: &DataSet) -> Result<Vec<u64>, Trouble> {
    let mut found = Vec::new();
    if set.loading() {
        return Ok(found);
    }
    let mut string = set.string();
    string.point_first()?;
    loop {
        match string.next(Intent::Read) {
            Ok(record) => found.push(record.rba),
            Err(RequestError::EndOfData) => return Ok(found),
            Err(error) => return Err(error.into()),
        }
    }
}

/// See [`Session::check_structure`].
pub(crate) fn check_structure(shape: &Shape, set: &DataSet, records: usize) -> Result<(), Trouble> {
    let examination = set.examine()?;
    if !examination.findings.is_empty() {
        let show = |finding: &Finding| format!("{:?} CI {}: {}", finding.part, finding.ci, finding.what);
        let words: Vec<String> = examination.findings.iter().map(show).collect();
        return Err(Trouble::Wrong(format!("EXAMINE: {}", words.join("; "))));
    }
    let counted = set.statistics().0.records;
    if counted == records as u64 || shape.organization == Organization::Lds {
        Ok(())
    } else {
        Err(Trouble::Wrong(format!(
            "REC-TOTAL says {counted}, there are {records} records"
        )))
    }
}

pub(crate) fn engine(disk: &Arc<dyn Disk>, shape: &Shape) -> Result<Engine, Trouble> {
    engine_at(disk, &clock(shape.tick), place::at(DIRECTORIES[1]), shape.pool_bytes)
}

/// Where one process comes after another, whatever became of each, one log file is used again and again.
pub(crate) fn no_log_is_lost(disk: &dyn Disk) -> Result<(), String> {
    no_more_logs_than(1, disk)
}

/// The same where so many data sets may each have left a log behind, for those that went on in another.
pub(crate) fn no_more_logs_than(most: usize, disk: &dyn Disk) -> Result<(), String> {
    if place::is_copy() {
        // Without a catalog nobody can say of the paths in a log where they are now, so one may be kept for them.
        return Ok(());
    }
    let there = disk
        .list(&place::at(DIRECTORIES[1]))
        .map_err(|error| error.to_string())?;
    let is_log = |path: &Path| path.to_string_lossy().starts_with("log-");
    match there.iter().filter(|(path, _)| is_log(path)).count() {
        many if many <= most => Ok(()),
        many => Err(format!(
            "there are {many} log files where {most} are enough: nobody uses the others again"
        )),
    }
}

/// A clock that moves with each look, so that "a second has passed" happens in a run, the same in every replay.
pub(crate) fn clock(tick: u64) -> Arc<dyn Clock> {
    Arc::new(ManualClock::new(1_700_000_000_000_000_000, tick))
}

/// An engine with its log in this directory.
pub(crate) fn engine_at(
    disk: &Arc<dyn Disk>,
    clock: &Arc<dyn Clock>,
    log_dir: PathBuf,
    pool_bytes: usize,
) -> Result<Engine, Trouble> {
    let env = Env {
        disk: disk.clone(),
        clock: clock.clone(),
        log_dir,
        pool_bytes: Some(pool_bytes),
        // A simulated disk has no page cache; aligned buffers are another way through the engine all the same, for
        // CIs of 4,096 bytes and their multiples.
        io: Io::Direct,
        background: false,
    };
    let engine = Engine::new(env).map_err(|error| Trouble::Wrong(format!("no address space for the pool: {error}")))?;
    // So short that it starts over within a run of some dozen requests.
    engine.start_log_over_after(LOG_BYTES);
    engine.give_back_from(0);
    // So few that a recovery does hardly any two requests in the order of the log.
    engine.recover_in_neighbourhoods_of(3);
    Ok(engine)
}

fn paths(shape: &Shape) -> (PathBuf, PathBuf) {
    let volume = place::at(DIRECTORIES[0]);
    let index = if shape.organization.has_index() {
        volume.join("SIM.KSDS.INDEX")
    } else {
        PathBuf::new()
    };
    (volume.join("SIM.KSDS.DATA"), index)
}

fn closed() -> Trouble {
    Trouble::Failed("the data set is not open: an earlier OPEN failed".into())
}

fn more(shape: &Shape, read: Result<Record<'_>, RequestError>) -> Result<Option<Bytes>, Trouble> {
    match read {
        Ok(record) => {
            let number = if shape.addressed() {
                record.rba
            } else {
                record.rrn.into()
            };
            Ok(Some(shape.shown(&shape.numbered(number), record.bytes)))
        }
        Err(RequestError::EndOfData) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What a key is to the engine; by a path it is an alternate key.
fn argument<'k>(shape: &Shape, path: bool, key: &'k [u8]) -> Argument<'k> {
    match () {
        () if shape.keyed() || path => Argument::Key(key),
        () if shape.addressed() => Argument::Rba(shape.number(key)),
        () => Argument::Rrn(shape.number(key) as u32),
    }
}

/// The RBA of a request by RBA: `plus` behind where the record with this key starts. `Err`: a string of its own looks
/// where that is, and it met the disk's failure in the request's place.
fn rba(shape: &Shape, set: &DataSet, key: &[u8], plus: u64) -> Result<u64, Reply> {
    let start = if shape.addressed() {
        shape.number(key)
    } else {
        let mut scout = set.string();
        match scout.get(argument(shape, false, key), Search::Equal, Intent::Read) {
            Ok(record) if key.len() == shape.key_length => record.rba,
            Err(error) if error.feedback().return_code == 12 => return Err(refused(&error)),
            _ => 1 << 40,
        }
    };
    Ok(start.saturating_add(plus))
}

fn insert(shape: &Shape, string: &mut Str, order: Order, body: &request::Body) -> Result<(), RequestError> {
    let order = order.into();
    let record = body.bytes(shape);
    match shape.organization {
        Organization::Rrds | Organization::Vrrds if !body.key.is_empty() => {
            string.insert_at(shape.number(&body.key) as u32, &record, order)
        }
        _ => string.insert(&record, order).map(drop),
    }
}

pub(crate) fn of_one_string(shape: &Shape, set: &DataSet, string: &mut Str, path: bool, request: &Request) -> Reply {
    let argument = |key| argument(shape, path, key);
    match request {
        Request::Get {
            key, search, intent, ..
        } => record(string.get(argument(key), (*search).into(), (*intent).into())),
        Request::GetInto {
            key,
            search,
            intent,
            area,
            ..
        } => {
            let mut area = vec![0; *area];
            match string.get_into(argument(key), (*search).into(), (*intent).into(), &mut area) {
                Ok(length) => Reply::Record(area[..length].to_vec()),
                Err(error) => refused(&error),
            }
        }
        Request::Skip {
            key, search, intent, ..
        } => record(string.skip(argument(key), (*search).into(), (*intent).into())),
        Request::GetRba { key, plus, intent, .. } => {
            let rba = rba(shape, set, key, *plus);
            rba.map_or_else(
                |refusal| refusal,
                |rba| record(string.get(Argument::Rba(rba), Search::Equal, (*intent).into())),
            )
        }
        Request::Point { key, search, .. } => done(string.point(argument(key), (*search).into())),
        Request::PointBackward { key, search, .. } => done(string.point_backward(argument(key), (*search).into())),
        Request::PointFirst { .. } => done(string.point_first()),
        Request::PointLast { .. } => done(string.point_last()),
        Request::Next { intent, .. } => record(string.next((*intent).into())),
        Request::Prev { intent, .. } => record(string.prev((*intent).into())),
        Request::Insert { order, body, .. } => done(insert(shape, string, *order, body)),
        Request::Update { body, .. } => done(string.update(&body.bytes(shape))),
        Request::Rewrite { key, body, .. } => done(string.rewrite(argument(key), &body.bytes(shape))),
        Request::Erase { .. } => done(string.erase()),
        Request::End { .. } => {
            string.end();
            Reply::Done
        }
        Request::Commit | Request::Checkpoint | Request::Reopen { .. } | Request::Kill(_) => Reply::Done,
    }
}

fn record(reply: Result<Record<'_>, RequestError>) -> Reply {
    match reply {
        Ok(record) => Reply::Record(record.bytes.to_vec()),
        Err(error) => refused(&error),
    }
}

pub(crate) fn done<T>(reply: Result<T, RequestError>) -> Reply {
    reply.map_or_else(|error| refused(&error), |_| Reply::Done)
}

fn refused(error: &RequestError) -> Reply {
    let feedback = error.feedback();
    Reply::Refused(feedback.return_code, feedback.reason, feedback.component)
}

impl From<shape::Durability> for Durability {
    fn from(durability: shape::Durability) -> Durability {
        match durability {
            shape::Durability::Close => Durability::Close,
            shape::Durability::Commit => Durability::Commit,
            shape::Durability::Request => Durability::Request,
        }
    }
}

impl From<Order> for Insert {
    fn from(order: Order) -> Insert {
        match order {
            Order::Direct => Insert::Direct,
            Order::Sequential => Insert::Sequential,
            Order::Skip => Insert::Skip,
        }
    }
}

impl From<request::Search> for Search {
    fn from(search: request::Search) -> Search {
        match search {
            request::Search::Equal => Search::Equal,
            request::Search::GreaterOrEqual => Search::GreaterOrEqual,
        }
    }
}

impl From<request::Intent> for Intent {
    fn from(intent: request::Intent) -> Intent {
        match intent {
            request::Intent::Read => Intent::Read,
            request::Intent::Update => Intent::Update,
            request::Intent::Position => Intent::Position,
        }
    }
}
