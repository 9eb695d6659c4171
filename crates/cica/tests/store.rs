//! What the facade promises beyond what it calls: definitions come out as they were said, errors say what and where.
#![allow(clippy::unwrap_used)]

mod common;

use cica::admin::define::{DefineAlias, Related};
use cica::admin::usercatalog::DefineCatalog;
use cica::*;
use common::Place;

fn with_records(store: &Store, name: &str, records: &[&str]) {
    let open = store.open_data_set(name, OpenOptions::output()).unwrap();
    let mut string = open.string();
    for record in records {
        string.insert(record.as_bytes(), Insert::Sequential).unwrap();
    }
    open.close().unwrap();
}

#[test]
fn each_organization_is_defined_as_it_was_said() {
    let place = Place::new("organizations");
    let store = Store::at(place.path()).create().open().unwrap();
    store
        .define(
            Ksds::new("A.KSDS")
                .key(2..10)
                .records(40, 80)
                .ci_size(8192)
                .free_space(10, 20),
        )
        .unwrap();
    store.define(Esds::new("A.ESDS").records(40, 80).reuse()).unwrap();
    store.define(Rrds::new("A.RRDS").record_length(64)).unwrap();
    store.define(Vrrds::new("A.VRRDS").records(40, 80)).unwrap();
    store.define(Lds::new("A.LDS")).unwrap();
    for (name, organization) in [
        ("KSDS", "Ksds"),
        ("ESDS", "Esds"),
        ("RRDS", "Rrds"),
        ("VRRDS", "Vrrds"),
        ("LDS", "Lds"),
    ] {
        let open = store
            .open_data_set(&format!("A.{name}"), OpenOptions::output())
            .unwrap();
        assert_eq!(format!("{:?}", open.attributes().organization), organization);
    }
    let open = store.open_data_set("A.KSDS", OpenOptions::output()).unwrap();
    let attributes = open.attributes();
    assert_eq!((attributes.key_offset, attributes.key_length), (2, 8));
    assert_eq!((attributes.average_record, attributes.maximum_record), (40, 80));
    assert_eq!(attributes.ci_size, 8192);
    let described = store.describe("A.KSDS").unwrap();
    assert!(described.iter().any(|entry| entry.name == "A.KSDS"));
    let component = described.iter().find_map(|entry| entry.component.as_ref()).unwrap();
    assert_eq!((component.free_percent, component.ci_size), ((10, 20), 8192));
}

#[test]
fn an_alternate_index_is_built_and_its_path_leads_to_the_base() {
    let place = Place::new("alternate");
    let store = Store::at(place.path()).create().open().unwrap();
    store.define(Ksds::new("B.BASE").key(0..4).records(20, 40)).unwrap();
    with_records(&store, "B.BASE", &["0001SMITH", "0002JONES"]);
    store
        .define(AlternateIndex::new("B.NAMES", "B.BASE").key(4..9))
        .unwrap();
    store.define(Path::new("B.BYNAME", "B.NAMES")).unwrap();
    store.build_index("B.BASE", "B.NAMES").unwrap();
    let path = store.open_data_set("B.BYNAME", OpenOptions::input()).unwrap();
    let mut string = path.string();
    assert_eq!(
        string.get(b"JONES", Search::Equal, Intent::Read).unwrap().bytes,
        b"0002JONES"
    );
}

#[test]
fn copy_verify_list_and_delete() {
    let place = Place::new("functions");
    let store = Store::at(place.path()).create().open().unwrap();
    for name in ["C.ONE", "C.TWO"] {
        store.define(Ksds::new(name).key(0..4).records(20, 40)).unwrap();
    }
    with_records(&store, "C.ONE", &["0001", "0002", "0003"]);
    assert_eq!(store.copy("C.ONE", "C.TWO").unwrap().records, 3);
    store.verify("C.TWO").unwrap();
    let names = |store: &Store| {
        store
            .list("C.*")
            .unwrap()
            .iter()
            .map(|e| e.name().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&store), ["C.ONE", "C.TWO"]);
    // A user catalog has a part of the names.
    let catalog = DefineCatalog {
        name: "CAT.PAY".into(),
        ..DefineCatalog::default()
    };
    let alias = DefineAlias {
        name: "B".into(),
        related: Related::Entry("CAT.PAY".into()),
        catalog: None,
    };
    assert_eq!(store.admin().define_catalog(&catalog).condition, 0);
    assert_eq!(store.admin().define_alias(&alias).condition, 0);
    store.define(Lds::new("B.PAGES")).unwrap();
    let all = store.list("%.*").unwrap();
    let all: Vec<String> = all.iter().map(|entry| entry.name().to_string()).collect();
    assert_eq!(all, ["B.PAGES", "C.ONE", "C.TWO"]);
    assert!(store.delete("C.ONE").unwrap().contains(&"C.ONE".to_owned()));
    assert_eq!(names(&store), ["C.TWO"]);
}

#[test]
fn an_error_says_what_and_where_and_keeps_vsams_codes() {
    let place = Place::new("errors");
    let error = Store::open(place.path()).map(drop).unwrap_err();
    assert!(error.to_string().contains(&*place.path().to_string_lossy()), "{error}");
    let store = Store::at(place.path()).create().open().unwrap();

    let error = store
        .open_data_set("D.NONE", OpenOptions::input())
        .map(drop)
        .unwrap_err();
    assert!(error.to_string().contains("D.NONE") && error.is_not_found(), "{error}");
    assert_eq!(error.code(), Code::Open(148));

    store.define(Ksds::new("D.SOME").key(0..4).records(20, 40)).unwrap();
    let error = store.define(Ksds::new("D.SOME").key(0..4).records(20, 40)).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("DEFINE D.SOME: condition code 12; IDC3013I"),
        "{error}"
    );
    assert!(error.is_duplicate());
    assert_eq!(error.code().to_string(), "catalog 8/38");

    // A range that is computed, not written.
    let (from, to) = (4, 2);
    let error = store
        .define(Ksds::new("D.KEY").key(from..to).records(20, 40))
        .unwrap_err();
    assert!(error.to_string().contains("D.KEY"), "{error}");

    let error = store.delete("D.NONE").unwrap_err();
    assert!(error.is_not_found(), "{error}");
    assert!(store.describe("D.NONE").unwrap_err().is_not_found());

    with_records(&store, "D.SOME", &["0001"]);
    let open = store.open_data_set("D.SOME", OpenOptions::output()).unwrap();
    let error = Error::from(open.string().insert(b"0001", Insert::Direct).unwrap_err());
    assert!(error.is_duplicate());
    assert_eq!(error.code().to_string(), "8/8");
}

#[test]
fn a_drop_closes_and_another_store_finds_it() {
    let place = Place::new("drop");
    let store = Store::at(place.path()).create().pool_bytes(8 << 20).open().unwrap();
    store.define(Ksds::new("E.ONE").key(0..4).records(20, 40)).unwrap();
    let open = store.open_data_set("E.ONE", OpenOptions::output()).unwrap();
    open.string().insert(b"0001", Insert::Sequential).unwrap();
    drop(open);
    assert_eq!(store.failed_drops(), 0);
    let other = Store::open(place.path()).unwrap();
    let open = other.open_data_set("E.ONE", OpenOptions::input()).unwrap();
    assert_eq!(open.statistics().0.records, 1);
}

#[test]
fn a_store_has_pools_of_buffers_that_opens_share() {
    let place = Place::new("pools");
    let store = Store::at(place.path()).create().open().unwrap();
    store.define(Ksds::new("A.KSDS").key(0..2).records(4, 8)).unwrap();
    with_records(&store, "A.KSDS", &["aaxx", "bbxx"]);
    let text: PoolText = "VSRBF=32768,4\n".parse().unwrap();
    let pool = store.build_pool(0, &text.pools[0].buffers).unwrap();
    let shared = Buffering {
        pool: Some(0),
        deferred: true,
        ..Buffering::default()
    };
    let open = store
        .open_data_set("A.KSDS", OpenOptions::output().buffered(shared))
        .unwrap();
    open.string().rewrite(b"bb".as_slice(), b"bbyy").unwrap();
    assert_eq!(open.write_buffers().unwrap(), 1);
    assert_eq!((pool.counts()[0].user_writes, pool.counts()[0].held), (1, 2));
    assert!(matches!(store.delete_pool(0), Err(PoolError::InUse { .. })));
    open.close().unwrap();
    store.delete_pool(0).unwrap();
    assert!(store.resource_pool(0).is_none());
}

#[test]
fn an_error_says_whether_to_try_again() {
    let place = Place::new("retry");
    let store = Store::at(place.path()).create().open().unwrap();
    store.define(Ksds::new("A.B").key(0..4).records(8, 8)).unwrap();
    with_records(&store, "A.B", &["0001AAAA", "0002BBBB"]);
    let open = store.open_data_set("A.B", OpenOptions::output()).unwrap();
    let (one, other) = (store.unit(), store.unit());
    let (mut ones, mut others) = (open.string_in(&one), open.string_in(&other));
    let change = |string: &mut Str, key: &[u8; 4]| {
        let found = string.get(Argument::Key(key), Search::Equal, Intent::Update);
        found
            .map(drop)
            .and_then(|()| string.update(&[key, &b"CCCC"[..]].concat()))
    };
    let retry = |result: Result<u64, RequestError>| Error::from(result.unwrap_err()).retry();
    change(&mut ones, b"0001").unwrap();
    change(&mut others, b"0002").unwrap();
    assert_eq!(retry(change(&mut others, b"0001")), Some(Retry::Later));
    assert_eq!(retry(change(&mut others, b"0009")), None);
    // Each waits for what the other has, and one of them is told.
    ones.set_patience(Patience::Forever);
    others.set_patience(Patience::Forever);
    let told = std::thread::scope(|scope| {
        let waits = scope.spawn(|| {
            let told = change(&mut others, b"0001");
            told.inspect_err(|_| other.backout().unwrap())
        });
        let told = change(&mut ones, b"0002").inspect_err(|_| one.backout().unwrap());
        [told, waits.join().unwrap()]
    });
    let [first, second] = told;
    assert_eq!(retry(first.and(second)), Some(Retry::Unit));
}
