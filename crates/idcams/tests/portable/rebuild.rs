//! A catalog that was lost, made anew from its volumes: every entry of every type as it was, by LISTCAT ALL.

use crate::world::World;
use cica_catalog::Catalog;
use cica_disk::{Disk, Image, MemoryDisk, SimDisk};
use cica_engine::{Engine, Env};
use cica_session::{rebuild, Rebuilt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A bit of everything on two volumes and in two catalogs, with what only a catalog knows: owners, dates, classes, new
/// names.
const JOB: &str = "DEFINE VOLUME (NAME(VOL002) PATH('/vol2') CYLINDERS(500))
DEF CL (NAME(PAY.MASTER) TRK(1 1) KEYS(4 0) RECSZ(20 80) OWNER(ADA) TO(2030001) MGMTCLAS(KEEP))
DEF CL (NAME(PAY.OTHER) TRK(1 1) KEYS(4 0) RECSZ(20 80) VOL(VOL002)) DATA(NAME(PAY.OTHER.D) VOL(VOL002)) -
    INDEX(VOL(CICA01))
DEF CL (NAME(PAY.OLD) TRK(1 1) NIXD RECSZ(20 80) LOG(UNDO) BWO(TYPECICS))
ALTER PAY.OLD NEWNAME(PAY.NEW)
DEF AIX (NAME(PAY.BYNAME) RELATE(PAY.MASTER) TRK(1 1) KEYS(3 5) RECSZ(30 100) NUPG FOR(30) OWNER(EVE))
DEF PATH (NAME(PAY.NAMES) PATHENTRY(PAY.BYNAME) NUPD)
DEF ALIAS (NAME(SALARY) RELATE(PAY.MASTER))
DEF GDG (NAME(PAY.DAILY) LIMIT(3) SCRATCH FIFO)
DEF NVSAM (NAME(PAY.DAILY.G0007V00) DEVT(3390) VOL(CICA01))
DEF NVSAM (NAME(PAY.TAPE) DEVT(3490) VOL(T00001 T00002) FSEQN(3))
DEF UCAT (NAME(UCAT.HR) CYL(1) VOL(VOL002))
DEF ALIAS (NAME(HR) RELATE(UCAT.HR))
DEF CL (NAME(HR.STAFF) TRK(1 1) NUMD RECSZ(20 20) OWNER(BOB))
DEF PATH (NAME(HR.PEOPLE) PATHENTRY(HR.STAFF))";
const LISTCAT: &str = "LISTCAT ALL\nLISTCAT ALL CATALOG(UCAT.HR)";

fn directories() -> [PathBuf; 2] {
    ["/cat/volumes/CICA01".into(), "/vol2".into()]
}

/// The listing without the page heads.
fn listing(world: &mut World, cards: &str) -> String {
    let (cc, listing) = world.run(cards);
    assert_eq!(cc, 0, "{listing}");
    listing
}

fn start(disk: Arc<dyn Disk>) -> (String, World) {
    let mut world = World::on(disk);
    world.ok(JOB);
    (listing(&mut world, LISTCAT), world)
}

fn anew(disk: &Arc<dyn Disk>, directories: &[PathBuf]) -> Result<Rebuilt, String> {
    let catalog = Arc::new(Catalog::open_or_create(disk.clone(), "/cat").map_err(|e| e.to_string())?);
    let engine = Engine::new(Env {
        disk: disk.clone(),
        clock: Arc::new(cica_disk::ManualClock::new(0, 0)),
        log_dir: catalog.log_directory(),
        pool_bytes: Some(4 << 20),
        io: Default::default(),
        background: false,
    })
    .unwrap();
    rebuild(disk, &engine, &catalog, directories).map_err(|e| e.to_string())
}

fn lose(disk: &dyn Disk, user: bool) {
    disk.remove(Path::new("/cat/catalog")).unwrap();
    if user {
        disk.remove(Path::new("/vol2/UCAT.HR/catalog")).unwrap();
    }
}

#[test]
fn everything_is_there_again_as_it_was() {
    for user in [false, true] {
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
        let (before, world) = start(disk.clone());
        drop(world);
        lose(&*disk, user);
        let rebuilt = anew(&disk, &directories()).unwrap();
        assert!(rebuilt.left.is_empty(), "{:?}", rebuilt.left);
        assert_eq!(rebuilt.taken.len(), if user { 13 } else { 11 }, "{:?}", rebuilt.taken);
        let mut world = World::on(disk.clone());
        assert_eq!(listing(&mut world, LISTCAT), before);
        world.ok("DIAGNOSE ICFCATALOG INDATASET(UCAT.HR)\nDEF GDG (NAME(HR.G) LIMIT(2))\nDELETE PAY.NAMES");
        // Once more there is nothing to do, and what was deleted since stays deleted.
        let again = anew(&disk, &directories()).unwrap();
        assert!(again.taken.is_empty() && again.left.is_empty(), "{again:?}");
    }
}

#[test]
fn what_was_defined_in_the_meantime_stays() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    drop(start(disk.clone()));
    lose(&*disk, false);
    World::on(disk.clone()).ok("DEF GDG (NAME(PAY.DAILY) LIMIT(9))\nDEF ALIAS (NAME(NEW) RELATE(PAY.DAILY))");
    let rebuilt = anew(&disk, &directories()).unwrap();
    assert!(rebuilt.taken.iter().all(|name| name.as_str() != "PAY.DAILY"));
    let (_, listing) = World::on(disk).run("LISTCAT ENTRIES(PAY.DAILY NEW SALARY) ALL");
    assert!(listing.contains("LIMIT------------------9"), "{listing}");
    assert!(
        listing.contains("ALIAS --------- NEW") && listing.contains("ALIAS --------- SALARY"),
        "{listing}"
    );
}

#[test]
fn a_data_set_whose_files_are_gone_is_named_and_left_out() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    drop(start(disk.clone()));
    lose(&*disk, false);
    disk.remove(Path::new("/vol2/PAY.OTHER.D")).unwrap();
    let rebuilt = anew(&disk, &directories()).unwrap();
    assert_eq!(rebuilt.left.len(), 1, "{:?}", rebuilt.left);
    assert!(rebuilt.left[0].contains("PAY.OTHER is left out") && rebuilt.left[0].contains("/vol2/PAY.OTHER.D"));
}

#[test]
fn a_damaged_copy_is_named_and_the_other_volume_says_what_has_no_files() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let (_, world) = start(disk.clone());
    let name = world.services.catalog.vvds_name();
    drop(world);
    lose(&*disk, false);
    let how = cica_disk::Open {
        write: true,
        ..Default::default()
    };
    let file = disk.open(&Path::new("/vol2").join(name), how).unwrap();
    file.write(&[cica_disk::WriteAt { at: 70, buf: b"?" }]).unwrap();
    let rebuilt = anew(&disk, &directories()).unwrap();
    assert_eq!(rebuilt.left.len(), 1, "{:?}", rebuilt.left);
    assert!(
        rebuilt.left[0].contains("/vol2/.vvds-") && rebuilt.left[0].contains("damaged"),
        "{:?}",
        rebuilt.left
    );
    let taken: Vec<&str> = rebuilt.taken.iter().map(|name| name.as_str()).collect();
    assert!(
        taken.contains(&"SALARY") && taken.contains(&"PAY.NAMES") && !taken.contains(&"PAY.OTHER"),
        "{taken:?}"
    );
}

#[test]
fn catalogs_of_other_places_are_not_mixed_up() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    drop(start(disk.clone()));
    // Another master that uses the second volume too.
    let other = Arc::new(Catalog::open_or_create(disk.clone(), "/elsewhere").unwrap());
    other
        .add_volume(
            &cica_catalog::Volser::parse("SHARED").unwrap(),
            cica_catalog::Device::default_type(),
            Some(Path::new("/vol2")),
            None,
        )
        .unwrap();
    lose(&*disk, false);
    let rebuilt = anew(&disk, &directories()).unwrap();
    assert!(rebuilt.left.is_empty() && rebuilt.taken.len() == 11, "{rebuilt:?}");
}

/// Cut off at any moment, a second run does what the first did not.
#[test]
fn a_power_cut_in_the_middle_loses_nothing() {
    let first: Arc<SimDisk> = Arc::new(SimDisk::new());
    let (before, world) = start(first.clone());
    drop(world);
    lose(&*first, true);
    let image: Image = first.image();
    let disk = Arc::new(SimDisk::from(image));
    let shared: Arc<dyn Disk> = disk.clone();
    anew(&shared, &directories()).unwrap();
    let trace = disk.trace();
    let mut point = trace.crash_point();
    let mut tried = 0;
    loop {
        for fate in [0, u64::MAX] {
            let left: Arc<dyn Disk> = Arc::new(MemoryDisk::from(point.image_of(fate)));
            let rebuilt = anew(&left, &directories()).unwrap();
            assert!(
                rebuilt.left.is_empty(),
                "after {}: {:?}",
                point.position(),
                rebuilt.left
            );
            let mut world = World::on(left);
            assert_eq!(listing(&mut world, LISTCAT), before, "after {}", point.position());
            tried += 1;
        }
        if point.advance().is_none() {
            break;
        }
    }
    assert!(tried > 40, "{tried}");
}
