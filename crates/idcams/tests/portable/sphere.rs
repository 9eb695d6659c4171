//! A base with its alternate index and path as one: copied, restored under other names, replaced together or not.

use crate::files::{leftovers, live, Files, SMALL};
use crate::world::World;

fn sphere() -> (World, Files) {
    let (mut world, files) = (World::new(), Files::new());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 40);
    world.ok("DEF AIX (NAME(PAY.AIX) RELATE(PAY.SMALL) KEYS(4 7) RECSZ(30 200) TRK(1 1) UPGRADE NONUNIQUEKEY)");
    world.ok("DEF PATH (NAME(PAY.PATH) PATHENTRY(PAY.AIX))");
    world.ok("BLDINDEX INDATASET(PAY.SMALL) OUTDATASET(PAY.AIX)");
    files.dd(&mut world, "COPY");
    world.ok("BACKUP (PAY.**) OUTFILE(COPY)");
    (world, files)
}

pub fn print(world: &mut World, name: &str) -> Vec<String> {
    let (cc, listing) = world.run(&format!("PRINT INDATASET({name}) CHARACTER"));
    assert_eq!(cc, 0, "{listing}");
    let lines = listing.lines().filter(|line| line.starts_with("000"));
    lines.map(str::to_owned).collect()
}

#[test]
fn a_sphere_comes_back_and_its_path_leads_where_it_led() {
    let (mut world, _files) = sphere();
    let before = print(&mut world, "PAY.PATH");
    assert_eq!(before.len(), 52);
    world.ok("DELETE PAY.SMALL\nRESTORE INFILE(COPY)");
    assert_eq!(print(&mut world, "PAY.PATH"), before);
    world.ok("RESTORE INFILE(COPY) RENAME((PAY.* TEST.*))");
    assert_eq!(print(&mut world, "TEST.PATH"), before);
    world.ok("EXAMINE NAME(TEST.SMALL) ITEST DTEST");
    world.ok("RESTORE INFILE(COPY) REPLACE");
    assert_eq!(print(&mut world, "PAY.PATH"), before);
    assert_eq!(leftovers(&world), 0);
}

#[test]
fn a_base_is_not_replaced_without_its_alternate_index() {
    let (mut world, _files) = sphere();
    world.refused(
        "RESTORE (PAY.SMALL) INFILE(COPY) REPLACE",
        8,
        &["CICA0965E"],
        "PAY.AIX is not restored with it",
    );
    world.refused(
        "RESTORE (PAY.AIX) INFILE(COPY) REPLACE",
        8,
        &["CICA0965E"],
        "PAY.SMALL is not restored with it",
    );
    world.ok("DELETE PAY.SMALL");
    world.refused(
        "RESTORE (PAY.AIX) INFILE(COPY)",
        8,
        &["CICA0965E"],
        "it is over PAY.SMALL",
    );
}

#[test]
fn a_base_with_an_alternate_index_is_reorganized_under_the_same_keys_only() {
    let (mut world, _files) = sphere();
    let before = print(&mut world, "PAY.PATH");
    world.ok("ALTER PAY.SMALL REORGANIZE(CISZ(1024))");
    assert_eq!(print(&mut world, "PAY.PATH"), before);
    world.refused(
        "ALTER PAY.SMALL REORGANIZE(KEYS(10 1))",
        8,
        &["CICA0971E", "IDC0532I"],
        "PAY.AIX",
    );
}
