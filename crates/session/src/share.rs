//! Data sets that several processes share: when an open goes to the owner of the shared data sets, and how that
//! owner is found or started.
//!
//! | `CICA_SHARE` | the data set is | it is opened |
//! |---|---|---|
//! | `on` | any | at the owner, which is started where there is none |
//! | `auto`, the default | nobody's, or open for input | in this process |
//! | `auto` | another process's | as SHAREOPTIONS say, if that process is the owner; else refused |
//! | `off` | any | in this process, or refused |
//!
//! The attribute of a data set comes first:
//!
//! | | asked to share | nothing is said | `off` |
//! |---|---|---|---|
//! | RLSENABLE | shared | shared | for input, or to load it; else refused |
//! | RLSQUIESCE | refused | in this process, or refused | in this process, or refused |
//!
//! SHAREOPTIONS decide about who does not ask for sharing: with 1 he is refused, with 2 he may read, with 3 and 4 he
//! may change records too.

use crate::error::SessionError;
use crate::reach::Reached;
use crate::turn::Turn;
use cica_catalog::{Cluster, Name};
use cica_engine::{Access, DataSet, OpenError, OpenOptions};
use cica_share::words::{Answer, Ask, ClientInfo as Guest};
use cica_share::{open as open_at, rights, Client, NotOpened};
use parking_lot::Mutex;
use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// The environment variable that says whether data sets are shared.
pub const SHARE_VARIABLE: &str = "CICA_SHARE";
/// The environment variable that names the command that serves, where it is not found otherwise.
pub const SERVER_VARIABLE: &str = "CICA_SERVER";

/// Why a quiesced data set is not shared.
const QUIESCED: &str = "it was altered to RLSQUIESCE, so nobody shares it; ALTER RLSENABLE lifts that, and without \
                        CICA_SHARE=on and RLS= it is opened by one alone";
/// Why one that is enabled is not changed by one alone.
const ENABLED: &str =
    "it is RLSENABLE, so its records are changed by those who share it; leave CICA_SHARE=off out, or ALTER \
                       it to RLSQUIESCE first";

/// How often an owner is started before that is given up.
const STARTS: u32 = 3;

/// Whether opens go to the owner of shared data sets; see the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sharing {
    /// Where another has the data set.
    #[default]
    Auto,
    /// All of them.
    On,
    /// None.
    Off,
    /// This process is the owner: what it opens it opens for those who share.
    Owner,
}

/// The owner that this process is a client of.
#[derive(Default)]
pub struct Owner(Mutex<Option<Arc<Client>>>);

/// What the environment says of sharing; nothing is "auto".
///
/// # Errors
/// It says something else.
pub fn sharing_from_environment() -> Result<Sharing, SessionError> {
    match std::env::var(SHARE_VARIABLE) {
        Ok(word) if word.eq_ignore_ascii_case("on") => Ok(Sharing::On),
        Ok(word) if word.eq_ignore_ascii_case("off") => Ok(Sharing::Off),
        Ok(word) if !word.is_empty() && !word.eq_ignore_ascii_case("auto") => Err(SessionError::Pool {
            what: format!("{SHARE_VARIABLE}: '{word}' is neither auto, on nor off"),
        }),
        _ => Ok(Sharing::Auto),
    }
}

/// Where the owner of a catalog's shared data sets listens.
pub fn socket(catalog: &Path) -> PathBuf {
    catalog.join("share").join("socket")
}

/// The name under which a process is shown to others: its command and the first argument.
pub fn program() -> String {
    let mut words = std::env::args_os().take(2);
    let command = words.next().map(PathBuf::from).unwrap_or_default();
    let command = command.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match words.next() {
        Some(word) => format!("{command} {}", word.to_string_lossy()),
        None => command,
    }
}

/// Which state of record-level sharing a cluster was given.
fn is_said(cluster: &Cluster, keyword: &str) -> bool {
    cluster.attributes.other.iter().any(|(said, _)| said == keyword)
}

/// Refuses one that nobody is to share. An owner asks this too: what a client's catalog said may be old.
///
/// # Errors
/// [`SessionError::NotShared`]: it was altered to RLSQUIESCE.
pub fn refuse_quiesced(cluster: &Cluster) -> Result<(), SessionError> {
    if is_said(cluster, "RLSQUIESCE") {
        return Err(SessionError::NotShared {
            name: cluster.name.clone(),
            why: QUIESCED,
        });
    }
    Ok(())
}

impl Sharing {
    /// What the data set's attribute makes of it. `loads`: it is emptied, or was never loaded; that is done by one alone.
    pub(crate) fn of(
        self,
        cluster: &Cluster,
        access: Access,
        loads: impl Fn() -> bool,
    ) -> Result<Sharing, SessionError> {
        let refused = |why| SessionError::NotShared {
            name: cluster.name.clone(),
            why,
        };
        match self {
            Sharing::On => refuse_quiesced(cluster).map(|()| Sharing::On),
            Sharing::Auto if is_said(cluster, "RLSQUIESCE") => Ok(Sharing::Off),
            Sharing::Auto if is_said(cluster, "RLSENABLE") && !loads() => Ok(Sharing::On),
            Sharing::Off if access == Access::Output && is_said(cluster, "RLSENABLE") && !loads() => {
                Err(refused(ENABLED))
            }
            same => Ok(same),
        }
    }

    /// May the owner be asked? One that asked itself would wait for itself.
    pub(crate) fn asks_the_owner(self) -> bool {
        matches!(self, Sharing::Auto | Sharing::On)
    }

    /// May an open that did not ask for sharing, and was refused because another has the data set, go to its owner?
    pub(crate) fn may_join(self, error: &SessionError, reached: &Reached, options: OpenOptions) -> bool {
        let others = matches!(error, SessionError::Open(OpenError::InUse { .. }));
        let allowed = match reached.cluster.attributes.share.region {
            0 | 1 => false,
            2 => options.access == Access::Input,
            _ => true,
        };
        self == Sharing::Auto && others && allowed && !options.reset
    }
}

impl Owner {
    /// Opens a data set at the owner of shared ones, through an alternate index if one is named. `start`: an owner is
    /// started where there is none.
    ///
    /// # Errors
    /// [`SessionError::Shared`]: there is no owner, or it refuses.
    pub(crate) fn open(
        &self,
        catalog: &Path,
        (name, through): (&Name, Option<&Name>),
        data: &Path,
        options: OpenOptions,
        start: bool,
    ) -> Result<DataSet, SessionError> {
        if options.buffers.is_some() {
            let what =
                "it is shared: its owner has one pool for all. Open it without BUFND, BUFNI, BUFSP, STRNO and SHRPOOL";
            return Err(OpenError::Buffers {
                what: format!("{name}: {what}"),
            }
            .into());
        }
        let output = options.access == Access::Output;
        let file = rights(data, output).map_err(|error| OpenError::Io {
            path: data.to_path_buf(),
            doing: "open",
            error,
        })?;
        let names = (name.as_str(), through.map_or("", Name::as_str));
        // An owner that ends while it is asked is found gone, and the next one is asked.
        for last in [false, true] {
            let client = self.client(catalog, start)?;
            match open_at(&client, names, options, file.as_fd()) {
                Ok(data_set) => return Ok(data_set),
                Err(NotOpened::Lost(_)) if client.is_gone() && !last => {}
                Err(NotOpened::Lost(error)) => {
                    return Err(SessionError::Shared {
                        reason: 184,
                        words: error.to_string(),
                    })
                }
                Err(NotOpened::Refused { reason, words, .. }) => return Err(SessionError::Shared { reason, words }),
            }
        }
        Err(SessionError::Shared {
            reason: 184,
            words: format!("{}: the server ends again and again", name),
        })
    }

    /// The clients of an owner that have a data set open, where there is an owner.
    pub(crate) fn users(&self, catalog: &Path, name: &Name) -> Vec<String> {
        let mut users = Vec::new();
        let Ok(client) = self.client(catalog, false) else {
            return users;
        };
        // Who does not answer has nothing open any more, or cannot say what.
        let _ = client.ask(&Ask::Status, |answer| {
            if let Answer::Status(status) = answer {
                let has = |client: &&Guest| client.data_sets.iter().any(|open| open == name.as_str());
                let words = |client: &Guest| format!("process {} ({})", client.process, client.program);
                users.extend(status.clients.iter().filter(has).map(words));
            }
            Ok(())
        });
        users
    }

    /// The owner, where there is one.
    ///
    /// # Errors
    /// [`SessionError::Shared`]: it cannot be asked, or is of another version.
    pub(crate) fn there(&self, catalog: &Path) -> Result<Option<Arc<Client>>, SessionError> {
        let mut known = self.0.lock();
        if let Some(client) = known.as_ref().filter(|client| !client.is_gone()) {
            return Ok(Some(client.clone()));
        }
        let socket = socket(catalog);
        match Client::connect_to_join(&socket, &program()) {
            Ok(client) => Ok(Some(known.insert(Arc::new(client)).clone())),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => Ok(None),
            Err(error) => Err(SessionError::Shared {
                reason: 184,
                words: match error.kind() {
                    ErrorKind::ConnectionAborted => error.to_string(),
                    _ => unreached(&socket, &error),
                },
            }),
        }
    }

    /// The owner, found or started.
    fn client(&self, catalog: &Path, start: bool) -> Result<Arc<Client>, SessionError> {
        let mut known = self.0.lock();
        if let Some(client) = known.as_ref().filter(|client| !client.is_gone()) {
            return Ok(client.clone());
        }
        let socket = socket(catalog);
        let directory = catalog.join("share");
        let shared = |words: String| SessionError::Shared { reason: 184, words };
        let (mut turn, mut started, mut failed) = (Turn::new(), 0, String::new());
        let client = loop {
            // Who has an answer without it does not wait for one that is stopped.
            let connected = if start {
                Client::connect(&socket, &program())
            } else {
                Client::connect_to_join(&socket, &program())
            };
            match connected {
                Ok(client) => break client,
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => return Err(shared(error.to_string())),
                // What is no answer does not become one when another server is started, which could not listen there.
                // Nor does who says nothing: it has the socket.
                Err(error) if matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::TimedOut) => {
                    return Err(shared(unreached(&socket, &error)))
                }
                Err(_) if start && !turn.take_or_wait(&directory) => {}
                // One that another program starts at the same time, or that is just ending, makes it fail.
                Err(_) if start && started < STARTS => {
                    started += 1;
                    if let Err(why) = start_owner(catalog) {
                        failed = why;
                    }
                }
                Err(_) if !failed.is_empty() => return Err(shared(failed)),
                Err(error) => return Err(shared(unreached(&socket, &error))),
            }
        };
        let client = Arc::new(client);
        *known = Some(client.clone());
        Ok(client)
    }
}

/// Why no server can be reached at a socket, and what to do.
pub fn unreached(socket: &Path, error: &std::io::Error) -> String {
    let remedy = match error.kind() {
        ErrorKind::InvalidData => {
            "; what listens there is no server of this version of Cica: end it with 'cica server stop' of its own \
             version, or move the socket away"
        }
        ErrorKind::PermissionDenied => {
            "; who shares must be allowed to write to the catalog's directory: ask its owner for that right, or leave \
             CICA_SHARE=on out to read alone"
        }
        _ => "",
    };
    format!("{}: {error}{remedy}", socket.display())
}

/// Starts an owner for a catalog; it listens when this returns.
fn start_owner(catalog: &Path) -> Result<(), String> {
    let command = server();
    let mut serve = Command::new(&command);
    serve
        .arg("--catalog")
        .arg(catalog)
        .args(["serve", "--detach"])
        .stdin(Stdio::null());
    let served = serve.output().map_err(|error| {
        format!(
            "the server cannot be started: {}: {error}; install the command 'cica', or name it in {SERVER_VARIABLE}",
            command.display()
        )
    })?;
    if served.status.success() {
        Ok(())
    } else {
        Err(format!(
            "the server cannot be started: {}",
            String::from_utf8_lossy(&served.stderr)
                .trim()
                .trim_start_matches("cica: ")
        ))
    }
}

/// The command that serves: the one named, this one if it is that, or the one that the shell would find.
fn server() -> PathBuf {
    if let Some(named) = std::env::var_os(SERVER_VARIABLE).filter(|named| !named.is_empty()) {
        return named.into();
    }
    match std::env::current_exe() {
        Ok(own) if own.file_name().is_some_and(|name| name == "cica") => own,
        _ => "cica".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The owner of shared data sets opens what it is asked for: one that asked itself would wait for itself.
    #[test]
    fn the_owner_does_not_ask_itself() {
        let asks = [Sharing::Auto, Sharing::On, Sharing::Off, Sharing::Owner].map(Sharing::asks_the_owner);
        assert_eq!(asks, [true, true, false, false]);
    }
}
