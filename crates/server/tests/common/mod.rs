//! A catalog with data sets, an owner that serves it in a thread, and clients of it.

#![allow(dead_code, clippy::unwrap_used)]

use cica::{Ksds, Store};
use cica_catalog::Name;
use cica_engine::{DataSet, OpenOptions};
use cica_server::{serve, Serve};
use cica_session::{Session, Sharing, Start};
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;

pub struct Catalog {
    pub directory: PathBuf,
}

impl Catalog {
    pub fn new(test: &str) -> Catalog {
        let directory = std::env::temp_dir().join(format!("cica-server-{test}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&directory);
        drop(Store::at(&directory).create().pool_bytes(64 << 20).open().unwrap());
        Catalog { directory }
    }

    pub fn store(&self) -> Store {
        Store::at(&self.directory).pool_bytes(64 << 20).open().unwrap()
    }

    pub fn define(&self, name: &str) {
        self.store().define(Ksds::new(name).key(0..5).records(20, 80)).unwrap();
    }

    /// A session of a client.
    pub fn session(&self, sharing: Sharing) -> Session {
        Session::start(Start {
            catalog: Some(self.directory.clone()),
            pool: Some(64 << 20),
            sharing,
            ..Start::default()
        })
        .unwrap()
    }

    /// Serves in a thread, until it is stopped or nobody is there for ten seconds.
    pub fn serve(&self) -> JoinHandle<Result<(), String>> {
        let session = self.session(Sharing::Off);
        let (ready, wait) = channel();
        let how = Serve {
            idle: Some(std::time::Duration::from_secs(10)),
        };
        let serving = std::thread::spawn(move || {
            serve(session, how, |_| ready.send(()).unwrap()).map_err(|error| error.to_string())
        });
        wait.recv().unwrap();
        serving
    }

    /// The file of a data component.
    pub fn data(&self, name: &str) -> PathBuf {
        let session = self.session(Sharing::Off);
        let (catalog, reached) = session.reach(&Name::parse(name).unwrap()).unwrap();
        cica_session::files(&catalog, &reached.cluster).unwrap().0
    }

    pub fn socket(&self) -> PathBuf {
        cica_session::socket(&self.directory)
    }
}

impl Drop for Catalog {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

pub fn open(session: &Session, name: &str, options: OpenOptions) -> DataSet {
    session.open(&Name::parse(name).unwrap(), options).unwrap().1
}
