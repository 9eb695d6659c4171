//! User catalogs below a master: where a name belongs, and entries that change catalogs.

mod common;

use cica_catalog::connected;
use cica_catalog::entry::{Alias, History, Relate, UserCatalog};
use cica_catalog::{vvds, Catalog, CatalogError, Entry};
use cica_disk::{Disk, FileName, MemoryDisk, SimDisk};
use common::{cluster, date, images, name, serial};
use std::path::Path;
use std::sync::Arc;

const DIRECTORY: &str = "/srv/cica";
const BELOW: &str = "volumes/CICA01/UCAT.PAY";
const SECOND: &str = "volumes/CICA01/UCAT.TWO";

fn connected_pair(disk: Arc<dyn Disk>) -> Arc<Catalog> {
    let master = Catalog::open_or_create(disk.clone(), DIRECTORY).expect("new catalog");
    connected::make(&*disk, Path::new(DIRECTORY), Path::new(BELOW)).expect("made");
    let user = Entry::UserCatalog(UserCatalog {
        name: name("UCAT.PAY"),
        directory: BELOW.to_owned(),
        history: History::new(date(2022, 242)),
        other: Vec::new(),
    });
    let alias = |text: &str| {
        Entry::Alias(Alias {
            name: name(text),
            relate: Relate::Entry(name("UCAT.PAY")),
        })
    };
    master
        .transact(|contents| {
            contents.insert(user)?;
            contents.insert(alias("PAY"))?;
            contents.insert(alias("TEST.PAY"))
        })
        .expect("connected");
    Arc::new(master)
}

fn define(catalog: &Catalog, text: &str) -> Result<(), CatalogError> {
    catalog.transact(|contents| contents.insert(cluster(text)))
}

#[test]
fn a_name_belongs_where_its_leading_qualifiers_say() {
    let master = connected_pair(Arc::new(MemoryDisk::new()));
    let place = |text: &str| master.home(&name(text)).expect(text).directory().to_owned();
    let below = Path::new(DIRECTORY).join(BELOW);
    assert_eq!(place("PAY.MASTER"), below);
    assert_eq!(place("TEST.PAY.MASTER"), below);
    for text in ["PAY", "PAYROLL.MASTER", "TEST.MASTER", "TEST.PAY", "UCAT.PAY"] {
        assert_eq!(place(text), Path::new(DIRECTORY), "{text}");
    }
    assert_eq!(master.called(&name("UCAT.PAY")).expect("known").directory(), below);
    assert_eq!(master.called(&name("PAY")).expect("known").directory(), below);
    assert!(matches!(
        master.called(&name("UCAT.OTHER")),
        Err(CatalogError::NotFound { .. })
    ));
}

#[test]
fn a_user_catalog_uses_the_volumes_of_its_master() {
    let master = connected_pair(Arc::new(MemoryDisk::new()));
    let user = master.called(&name("UCAT.PAY")).expect("known");
    define(&user, "PAY.MASTER").expect("on CICA01");
    let path = |catalog: &Catalog| catalog.volume_path(&serial("CICA01")).expect("there");
    assert_eq!(path(&user), path(&master));
    // One that comes later, and lies outside.
    let device = cica_catalog::Device::default_type();
    master
        .add_volume(&serial("LATER"), device, Some(Path::new("/mnt/later")), None)
        .expect("added");
    user.transact(|_| Ok::<(), CatalogError>(())).expect("changed");
    assert_eq!(
        user.volume_path(&serial("LATER")).expect("there"),
        Path::new("/mnt/later")
    );
}

#[test]
fn a_catalog_that_is_gone_is_said_to_be() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let master = connected_pair(disk.clone());
    connected::unmake(&*disk, Path::new(DIRECTORY), Path::new(BELOW)).expect("removed");
    assert!(matches!(
        master.home(&name("PAY.MASTER")),
        Err(CatalogError::NoCatalog { .. })
    ));
    assert_eq!(master.all().expect("the master is there").len(), 1);
    let refused = master.every().map(drop);
    assert!(
        matches!(&refused, Err(CatalogError::Unreachable { name: gone, .. }) if *gone == name("UCAT.PAY")),
        "{refused:?}"
    );
}

/// At every crash point of a move each entry is in one catalog once the next change of either has been made.
#[test]
fn a_power_cut_at_any_moment_of_a_move_leaves_each_entry_in_one_catalog() {
    let disk = Arc::new(SimDisk::new());
    let master = connected_pair(disk.clone());
    let user = master.called(&name("UCAT.PAY")).expect("known");
    for text in ["PAY.A", "PAY.B", "OTHER.C"] {
        define(&master, text).expect("defined");
    }
    user.transact(|_| Ok::<(), CatalogError>(())).expect("volumes shared");
    let (before, names) = (disk.events(), [name("PAY.A"), name("PAY.B")]);
    master.move_entries(&user, &names).expect("moved");
    let after = disk.events();

    let trace = disk.trace();
    let mut point = trace.crash_after(before);
    let (mut here, mut there) = (0, 0);
    loop {
        for (n, image) in images(&point).into_iter().enumerate() {
            let left: Arc<dyn Disk> = Arc::new(MemoryDisk::from(image));
            let master = Arc::new(Catalog::open(left, DIRECTORY).expect("readable"));
            let user = master.called(&name("UCAT.PAY")).expect("readable");
            // Whichever of the two is changed first.
            let order = if n % 2 == 0 { [&master, &user] } else { [&user, &master] };
            for catalog in order {
                catalog.transact(|_| Ok::<(), CatalogError>(())).expect("usable");
            }
            let has = |catalog: &Catalog| names.each_ref().map(|name| catalog.get(name).is_ok());
            let (in_master, in_user) = (has(&master), has(&user));
            assert!(in_master == [true; 2] || in_master == [false; 2], "{in_master:?}");
            assert_eq!(
                in_user,
                in_master.map(|there| !there),
                "image {n} at {}",
                point.position()
            );
            assert!(master.get(&name("OTHER.C")).is_ok());
            assert_eq!(master.contents().expect("readable").moves().count(), 0);
            *(if in_user[0] { &mut there } else { &mut here }) += 1;
        }
        if point.position() >= after || point.advance().is_none() {
            break;
        }
    }
    assert!(here > 10 && there > 10, "{here} before the decision, {there} after it");
    assert_eq!(user.contents().expect("readable").moves().count(), 0);
}

/// The same where the user catalog's volume is not mounted when the master is changed next, and is later.
#[test]
fn a_move_that_was_cut_off_waits_for_a_catalog_that_is_away() {
    let disk = Arc::new(SimDisk::new());
    let master = connected_pair(disk.clone());
    let user = master.called(&name("UCAT.PAY")).expect("known");
    define(&master, "PAY.A").expect("defined");
    user.transact(|_| Ok::<(), CatalogError>(())).expect("volumes shared");
    let before = disk.events();
    master.move_entries(&user, &[name("PAY.A")]).expect("moved");
    let after = disk.events();

    let trace = disk.trace();
    let mut point = trace.crash_after(before);
    let mut waited = 0;
    loop {
        for image in images(&point) {
            let left: Arc<dyn Disk> = Arc::new(MemoryDisk::from(image));
            let place = Path::new(DIRECTORY).join(BELOW);
            let there = left.list(&place).expect("its directory");
            let files: Vec<_> = there.into_iter().map(|(file, _)| place.join(file)).collect();
            let away = |file: &Path| file.with_file_name(format!("away-{}", file.file_name().unwrap().display()));
            files
                .iter()
                .for_each(|file| left.rename(file, &away(file)).expect("away"));
            let master = Catalog::open(left.clone(), DIRECTORY).expect("readable");
            define(&master, "OTHER.C").expect("it has nothing to do with it");
            if master.contents().expect("readable").moves().count() > 0 {
                waited += 1;
                let changed = master.transact(|contents| contents.remove(&name("PAY.A")).map(drop));
                assert!(matches!(changed, Err(CatalogError::OnItsWay { .. })), "{changed:?}");
            }
            files
                .iter()
                .for_each(|file| left.rename(&away(file), file).expect("back"));
            let master = Arc::new(Catalog::open(left, DIRECTORY).expect("readable"));
            let user = master.called(&name("UCAT.PAY")).expect("readable");
            for catalog in [&master, &user] {
                catalog.transact(|_| Ok::<(), CatalogError>(())).expect("usable");
            }
            let has = |catalog: &Catalog| catalog.get(&name("PAY.A")).is_ok();
            assert_ne!(has(&master), has(&user), "at {}", point.position());
            assert!(master.get(&name("OTHER.C")).is_ok());
        }
        if point.position() >= after || point.advance().is_none() {
            break;
        }
    }
    assert!(waited > 10, "{waited}");
}

/// A second user catalog below the same master.
fn second(disk: &dyn Disk, master: &Arc<Catalog>) -> Arc<Catalog> {
    connected::make(disk, Path::new(DIRECTORY), Path::new(SECOND)).expect("made");
    let entry = Entry::UserCatalog(UserCatalog {
        name: name("UCAT.TWO"),
        directory: SECOND.to_owned(),
        history: History::new(date(2022, 242)),
        other: Vec::new(),
    });
    master.transact(|contents| contents.insert(entry)).expect("connected");
    master.called(&name("UCAT.TWO")).expect("known")
}

/// Takes what is in a directory out of the way, and brings it back.
fn away(disk: &dyn Disk, directory: &Path) -> impl Fn(&dyn Disk) {
    let files = disk.list(directory).expect("its directory").into_iter();
    let files: Vec<_> = files.map(|(file, _)| directory.join(file)).collect();
    let other = |file: &Path| {
        file.with_file_name(format!(
            "away-{}",
            file.file_name().unwrap_or_default().to_string_lossy()
        ))
    };
    for file in &files {
        disk.rename(file, &other(file)).expect("away");
    }
    move |disk| {
        for file in &files {
            disk.rename(&other(file), file).expect("back");
        }
    }
}

/// One of two user catalogs has something to clear when it is opened, and is the first that is; the other is away.
#[test]
fn a_user_catalog_is_not_changed_before_it_knows_its_master() {
    let disk = Arc::new(SimDisk::new());
    let master = connected_pair(disk.clone());
    let two = second(&*disk, &master);
    let one = master.called(&name("UCAT.PAY")).expect("known");
    for catalog in [&one, &two] {
        catalog
            .transact(|_| Ok::<(), CatalogError>(()))
            .expect("volumes shared");
    }
    define(&one, "PAY.A").expect("defined");
    let listed = |contents: &mut cica_catalog::Contents| {
        contents.add_leftover(&serial("CICA01"), &FileName::near("X"), false);
        Ok::<(), CatalogError>(())
    };
    one.transact(listed).expect("listed");
    let before = disk.events();
    one.move_entries(&two, &[name("PAY.A")]).expect("moved");
    let after = disk.events();

    let trace = disk.trace();
    let mut point = trace.crash_after(before);
    let mut waited = 0;
    loop {
        for survivors in [0, u64::MAX] {
            let left: Arc<dyn Disk> = Arc::new(MemoryDisk::from(point.image_of(survivors)));
            let back = away(&*left, &Path::new(DIRECTORY).join(SECOND));
            {
                let master = Arc::new(Catalog::open(left.clone(), DIRECTORY).expect("readable"));
                let one = master.called(&name("UCAT.PAY")).expect("readable");
                let contents = one.contents().expect("readable");
                waited += contents.moves().count();
                // Looked at without its master it stays as it is.
                let place = Path::new(DIRECTORY).join(BELOW);
                let looked = Catalog::open_named(left.clone(), place).expect("readable");
                assert_eq!(*looked.contents().expect("readable"), *contents);
                looked.transact(|_| Ok::<(), CatalogError>(())).expect("it waits");
                assert_eq!(
                    looked.contents().expect("readable").moves().count(),
                    contents.moves().count()
                );
            }
            back(&*left);
            let master = Arc::new(Catalog::open(left.clone(), DIRECTORY).expect("readable"));
            let catalogs = ["UCAT.PAY", "UCAT.TWO"].map(|text| master.called(&name(text)).expect("readable"));
            for catalog in &catalogs {
                catalog.transact(|_| Ok::<(), CatalogError>(())).expect("usable");
            }
            let has = catalogs.each_ref().map(|catalog| catalog.get(&name("PAY.A")).is_ok());
            assert_ne!(has[0], has[1], "at {}", point.position());
            let copies = vvds::read_all(&*left, Path::new("/srv/cica/volumes/CICA01")).expect("a volume");
            let masters = copies.iter().filter_map(|(_, copy)| copy.as_ref().ok());
            let masters = masters.filter(|copy| copy.head.known_as.is_empty());
            assert!(masters.clone().all(|copy| copy.head.directory == Path::new(DIRECTORY)));
        }
        if point.position() >= after || point.advance().is_none() {
            break;
        }
    }
    assert!(waited > 10, "{waited}");
}

/// Nobody waits for a catalog that was taken out.
#[test]
fn a_move_to_a_catalog_that_was_taken_out_never_was() {
    let disk = Arc::new(SimDisk::new());
    let master = connected_pair(disk.clone());
    let user = master.called(&name("UCAT.PAY")).expect("known");
    define(&master, "PAY.A").expect("defined");
    user.transact(|_| Ok::<(), CatalogError>(())).expect("volumes shared");
    let before = disk.events();
    master.move_entries(&user, &[name("PAY.A")]).expect("moved");
    let trace = disk.trace();
    let mut point = trace.crash_after(before);
    let mut waited = 0;
    while point.advance().is_some() {
        for image in images(&point) {
            let left: Arc<dyn Disk> = Arc::new(MemoryDisk::from(image));
            connected::unmake(&*left, Path::new(DIRECTORY), Path::new(BELOW)).expect("removed");
            let master = Catalog::open(left, DIRECTORY).expect("readable");
            let moves = || master.contents().expect("readable").moves().count();
            let had = moves();
            master
                .transact(|contents| {
                    contents.remove(&name("PAY"))?;
                    contents.remove(&name("TEST.PAY"))?;
                    contents.remove(&name("UCAT.PAY"))
                })
                .expect("taken out");
            master.transact(|_| Ok::<(), CatalogError>(())).expect("usable");
            waited += had;
            assert_eq!(moves(), 0);
            assert!(had == 0 || master.get(&name("PAY.A")).is_ok());
        }
    }
    assert!(waited > 3, "{waited}");
}

#[test]
fn a_move_that_is_refused_leaves_everything_where_it_was() {
    let master = connected_pair(Arc::new(MemoryDisk::new()));
    let user = master.called(&name("UCAT.PAY")).expect("known");
    for text in ["PAY.A", "PAY.B"] {
        define(&master, text).expect("defined");
    }
    define(&user, "PAY.B").expect("defined");
    let refused = master.move_entries(&user, &[name("PAY.A"), name("PAY.B")]);
    assert!(matches!(refused, Err(CatalogError::Duplicate { .. })), "{refused:?}");
    assert!(master.get(&name("PAY.A")).is_ok() && user.get(&name("PAY.A")).is_err());
    assert_eq!(master.contents().expect("readable").moves().count(), 0);
    let missing = master.move_entries(&user, &[name("PAY.X")]);
    assert!(matches!(missing, Err(CatalogError::NotFound { .. })));
}
