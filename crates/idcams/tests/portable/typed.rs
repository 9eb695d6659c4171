//! DELETE, BACKUP and RESTORE, EXPORT and IMPORT as a program calls them, without control cards.

use crate::files::{live, records, Files, SMALL};
use crate::world::World;
use cica_admin::delete::{Delete, What};
use cica_admin::diagnose::{Diagnose, DiagnoseFilter, Diagnosed, Meant, Subject};
use cica_admin::examine::{Examine, Examined};
use cica_admin::named::Named;
use cica_admin::portable::{Backup, Export, Import, Restore};
use cica_catalog::entry::EntryKind;

fn small() -> (World, Files, Named) {
    let (mut world, files) = (World::new(), Files::new());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 40);
    files.dd(&mut world, "COPY");
    (world, files, Named::Dd("COPY".to_owned()))
}

fn deleted(names: &[&str]) -> Delete {
    Delete {
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        ..Delete::default()
    }
}

#[test]
fn a_delete_names_what_went_and_keeps_the_rest() {
    let (mut world, _files, _) = small();
    let typed = Delete {
        what: What::Kind(EntryKind::Path),
        ..deleted(&["PAY.SMALL"])
    };
    let outcome = world.services.delete(&typed);
    assert_eq!((outcome.condition, outcome.result), (8, vec![]));
    let test = Delete {
        test: true,
        ..deleted(&["PAY.SMALL"])
    };
    assert_eq!(world.services.delete(&test).result, ["PAY.SMALL"]);
    assert_eq!(world.names(), ["PAY.SMALL"]);
    let outcome = world.services.delete(&deleted(&["PAY.NONE", "PAY.SMALL"]));
    assert_eq!((outcome.condition, outcome.result), (8, vec!["PAY.SMALL".to_owned()]));
    assert_eq!(world.names(), Vec::<String>::new());
}

#[test]
fn a_backup_and_its_restore_tell_what_they_hold() {
    let (mut world, _files, copy) = small();
    let before = records(&world, "PAY.SMALL");
    let backup = world.services.backup(&Backup {
        names: vec!["PAY.**".to_owned()],
        exclude: Vec::new(),
        onto: copy.clone(),
        compress: None,
        catalog: None,
    });
    assert_eq!(backup.condition, 0, "{:?}", backup.messages);
    let [member] = backup.result.as_slice() else {
        panic!("{:?}", backup.result);
    };
    assert_eq!((member.kind, member.name.as_str()), (EntryKind::Cluster, "PAY.SMALL"));
    assert_eq!(member.records, before.len() as u64);
    let request = Restore {
        names: Vec::new(),
        exclude: Vec::new(),
        from: copy,
        renames: Vec::new(),
        volumes: Vec::new(),
        replace: false,
        purge: false,
        test: false,
        catalog: None,
    };
    let refused = world.services.restore(&request);
    assert_eq!((refused.is_done(), refused.result.len()), (false, 0));
    assert_eq!(world.services.delete(&deleted(&["PAY.SMALL"])).condition, 0);
    let restored = world.services.restore(&request);
    assert_eq!((restored.condition, &restored.result), (0, &backup.result));
    assert_eq!(records(&world, "PAY.SMALL"), before);
}

#[test]
fn an_export_and_its_import_tell_how_many_records_were_copied() {
    let (mut world, _files, copy) = small();
    let before = records(&world, "PAY.SMALL");
    let exported = world.services.export(&Export {
        name: "PAY.SMALL".to_owned(),
        onto: copy.clone(),
        mode: None,
        temporary: true,
        purge: false,
        erase: None,
        inhibit_source: false,
        inhibit_target: false,
        catalog: None,
    });
    let count = before.len() as u64;
    assert_eq!((exported.condition, exported.result.records), (0, count));
    let imported = world.services.import(&Import {
        from: copy,
        to: Some(Named::DataSet("PAY.AGAIN".to_owned())),
        objects: Vec::new(),
        aliases: false,
        into_empty: false,
        purge: false,
        erase: None,
        catalog: None,
    });
    assert_eq!(imported.condition, 0, "{:?}", imported.messages);
    assert_eq!(imported.result.name.unwrap().as_str(), "PAY.AGAIN");
    assert_eq!(imported.result.records, Some(count));
    assert_eq!(records(&world, "PAY.AGAIN"), before);
}

#[test]
fn what_is_sound_is_found_so() {
    let (mut world, _files, _) = small();
    let examined = world.services.examine(&Examine {
        name: "PAY.SMALL".to_owned(),
        data: true,
        ..Examine::default()
    });
    assert_eq!((examined.condition, examined.result), (0, Examined::default()));
    world.ok("DEF MCAT (NAME(CAT.MASTER) CYL(1) VOL(CICA01))");
    let diagnosed = world.services.diagnose(&Diagnose {
        subject: Subject::Catalog(Named::DataSet("CAT.MASTER".to_owned())),
        compared: Vec::new(),
        choice: DiagnoseFilter::Only(Meant {
            entries: vec!["PAY.SMALL".to_owned()],
            ..Meant::default()
        }),
        list: false,
        error_limit: None,
    });
    assert_eq!(diagnosed.condition, 0, "{:?}", diagnosed.messages);
    // The volume, what it keeps of the catalog, and the one entry.
    assert_eq!(diagnosed.result, Diagnosed { checked: 3, errors: 0 });
}
