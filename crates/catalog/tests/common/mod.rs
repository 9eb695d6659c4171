//! Entries for tests.

#![allow(dead_code)] // each test file uses some of these

use cica_catalog::entry::{
    Aix, Alias, Attributes, Cluster, Component, Entry, Gdg, History, Keys, Log, NonVsam, Organization, PathEntry,
    RecordSize, Relate, ShareOptions, UserCatalog,
};
use cica_catalog::freespace::FreeSpace;
use cica_catalog::moves::Move;
use cica_catalog::space::{Space, Unit};
use cica_catalog::wire::HEADER_LEN;
use cica_catalog::{Contents, Date, Device, Name, Symbolic, Volser, Volume};
use cica_disk::sim::{CrashPoint, Event, Survival};
use cica_disk::Image;

pub fn name(text: &str) -> Name {
    Name::parse(text).expect(text)
}

pub fn serial(text: &str) -> Volser {
    Volser::parse(text).expect(text)
}

pub fn date(year: u16, day: u16) -> Date {
    Date::new(year, day).expect("a date")
}

pub fn history() -> History {
    History {
        owner: Some("PAYROLL".to_owned()),
        created: date(2022, 242),
        expires: Some(date(2030, 1)),
    }
}

/// A component on the default volume with every field set.
pub fn component(text: &str) -> Component {
    Component {
        name: name(text),
        volumes: vec![serial("CICA01")],
        file: cica_disk::FileName::near(text),
        ci_size: 4_096,
        ci_per_ca: 180,
        tracks_per_ca: 15,
        physical_record: 4_096,
        records_per_track: 12,
        space: Space {
            unit: Unit::Megabytes,
            primary: 5,
            secondary: 7,
        },
        primary_tracks: 150,
        secondary_tracks: 15,
        free_space: FreeSpace { ci: 20, ca: 10 },
        imbed: true,
    }
}

/// Attributes with every field set.
pub fn attributes() -> Attributes {
    Attributes {
        history: history(),
        keys: Some(Keys { length: 11, offset: 7 }),
        record_size: RecordSize {
            average: 300,
            maximum: 400,
        },
        share: ShareOptions { region: 2, system: 3 },
        reuse: true,
        spanned: true,
        compressed: true,
        erase: true,
        speed: true,
        write_check: true,
        reclaim: true,
        inhibit: true,
        exported: true,
        cobol_head: Some(7),
        isam_key: Some("D4 0+4 4+2i".into()),
        buffer_space: 37_376,
        log: Some(Log::All),
        log_stream: Some("PAY.STREAM".to_owned()),
        ccsid: 1_047,
        storage_class: Some("FAST".to_owned()),
        data_class: Some("KSDS".to_owned()),
        management_class: Some("KEEP".to_owned()),
        other: vec![
            ("BWO".to_owned(), "TYPECICS".to_owned()),
            ("ACCOUNT".to_owned(), String::new()),
        ],
    }
}

/// A plain KSDS.
pub fn cluster(text: &str) -> Entry {
    Entry::Cluster(Box::new(Cluster {
        name: name(text),
        organization: Organization::Ksds,
        attributes: Attributes {
            keys: Some(Keys { length: 8, offset: 0 }),
            ..Attributes::new(date(2022, 242))
        },
        data: component(&format!("{text}.DATA")),
        index: Some(component(&format!("{text}.INDEX"))),
    }))
}

/// A catalog with an entry of each kind and every field in use.
pub fn everything() -> Contents {
    let mut contents = Contents::default();
    let mut volume = |text: &str, directory: &str, device: &str, cylinders: u32| {
        let device = Device::by_name(device).expect(device);
        contents
            .add_volume(Volume {
                serial: serial(text),
                directory: directory.into(),
                device,
                cylinders: Some(cylinders).filter(|c| *c > 0),
            })
            .expect("new volume");
    };
    volume("CICA01", "volumes/CICA01", "3390", 0);
    volume("STUDY1", "/mnt/study", "3330-1", 100);
    let full = Cluster {
        name: name("PAY.MASTER"),
        organization: Organization::Ksds,
        attributes: attributes(),
        data: component("PAY.MASTER.DATA"),
        index: Some(component("PAY.MASTER.INDEX")),
    };
    let aix = Aix {
        suppressed: Some(0x40),
        name: name("PAY.BYNAME"),
        relate: name("PAY.MASTER"),
        unique_key: true,
        upgrade: true,
        alternate_key: Keys { length: 20, offset: 30 },
        attributes: attributes(),
        data: component("PAY.BYNAME.DATA"),
        index: component("PAY.BYNAME.INDEX"),
    };
    let esds = Cluster {
        name: name("PAY.LOG"),
        organization: Organization::Esds,
        attributes: Attributes::new(date(2022, 1)),
        data: component("PAY.LOG.DATA"),
        index: None,
    };
    let entries = [
        Entry::Cluster(Box::new(full)),
        Entry::Cluster(Box::new(esds)),
        Entry::Aix(Box::new(aix)),
        Entry::Path(PathEntry {
            name: name("PAY.PATH"),
            target: name("PAY.BYNAME"),
            update: true,
            history: history(),
        }),
        Entry::Gdg(Gdg {
            name: name("PAY.BACKUP"),
            limit: 5,
            scratch: true,
            empty: true,
            fifo: true,
            purge: true,
            extended: true,
            altered: Some(date(2022, 300)),
            history: history(),
        }),
        Entry::NonVsam(NonVsam {
            name: name("PAY.TAPE"),
            volumes: vec![serial("T00001"), serial("T00002")],
            device: "3480".to_owned(),
            file: cica_catalog::entry::FileOf::Outside("/archive/pay".to_owned()),
            format: "RECFM=FB,LRECL=80".to_owned(),
            sequence: "1 2".to_owned(),
            history: history(),
        }),
        Entry::Alias(Alias {
            name: name("SALARY"),
            relate: Relate::Entry(name("PAY.MASTER")),
        }),
        Entry::Alias(Alias {
            name: name("SALARY.HERE"),
            relate: Relate::Symbolic(Symbolic::parse("PAY.&SYSNAME(1:2)..MASTER").expect("a name with symbols")),
        }),
        Entry::UserCatalog(UserCatalog {
            name: name("CATALOG.TEST"),
            directory: "/srv/test".to_owned(),
            history: history(),
            other: vec![("STRNO".to_owned(), "3".to_owned())],
        }),
    ];
    for entry in entries {
        contents.insert(entry).expect("new entry");
    }
    contents.begin_move(Move {
        number: 7,
        other: "/srv/test".into(),
        names: vec![name("TEST.A"), name("TEST.B")],
        incoming: true,
    });
    contents.add_leftover(&serial("STUDY1"), &cica_disk::FileName::near("PAY.OLD.DATA"), true);
    contents
}

/// Every subset of the newest changes not yet durable; and each write torn at each sector. Older ones are few, or notes
/// in the lock file that nobody syncs, and stay.
pub fn images(point: &CrashPoint<'_>) -> Vec<Image> {
    let pending = point.pending().len();
    let old = pending.saturating_sub(12);
    let is_note = |event: &Event| matches!(event, Event::Write { bytes, .. } if bytes.len() == HEADER_LEN);
    assert!(
        point.pending().take(old).all(is_note),
        "{pending} changes without a sync"
    );
    let mut images: Vec<Image> = (0..1u64 << (pending - old))
        .map(|survivors| point.image_of(survivors << old | ((1 << old) - 1)))
        .collect();
    for torn in 0..pending {
        for sectors in 0..8 {
            let fate = |i: usize| {
                if i == torn {
                    Survival::First(sectors)
                } else {
                    Survival::Whole
                }
            };
            images.push(point.image(|i, _| fate(i)));
        }
    }
    images
}

/// An alias with symbols.
pub fn symbolic(text: &str, stands_for: &str) -> Entry {
    Entry::Alias(Alias {
        name: name(text),
        relate: Relate::Symbolic(Symbolic::parse(stands_for).expect("a name with symbols")),
    })
}
