//! Jobs drawn from the command table, carried out over a catalog in memory. A job may fail; it must end, and what it
//! leaves must be a catalog.
#![no_main]

use cica_catalog::Catalog;
use cica_disk::{Disk, ManualClock, MemoryDisk};
use cica_engine::{Engine, Env};
use cica_idcams::table::sample;
use cica_idcams::{run, DdTable, Services, Source, Stamp, Style, Sysprint};
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

fuzz_target!(|bytes: &[u8]| {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let clock = Arc::new(ManualClock::new(0, 0));
    let catalog = Arc::new(Catalog::open_or_create(disk.clone(), "/cat").expect("a new catalog"));
    let env = Env {
        disk: disk.clone(),
        clock: clock.clone(),
        log_dir: catalog.log_directory(),
        pool_bytes: Some(4 << 20),
        background: false,
        io: Default::default(),
    };
    let mut services = Services {
        disk: disk.clone(),
        outside: Arc::new(cica_disk::LinuxDisk::new()),
        clock,
        catalog,
        opens: cica_session::Opens::alone(),
        engine: Engine::new(env).expect("a pool of 4 MB"),
        dd: DdTable::default(),
        progress: Box::new(|_| ()),
    };
    let mut listing = Vec::new();
    let mut out = Sysprint::new(&mut listing, Style::Plain, Stamp::from_unix(0));
    let maxcc = run(Source::from_text(&sample::job(bytes, 12)), &mut services, &mut out);
    assert!(maxcc <= 16);
    drop(services);
    let catalog = Catalog::open(disk, "/cat").expect("a catalog is left");
    catalog.contents().expect("and can be read");
});
