//! Copies that are not as they were written: nothing is restored from them, and the place is told.

use crate::files::{leftovers, live, on_volume, Files, SMALL};
use crate::world::World;

/// A copy of a small data set, and a world without it.
fn copy() -> (World, Files, Vec<u8>) {
    let (mut world, files) = (World::new(), Files::new());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 12);
    files.dd(&mut world, "COPY");
    world.ok("BACKUP (PAY.SMALL) OUTFILE(COPY)\nDELETE PAY.SMALL");
    let bytes = files.read("COPY");
    assert!(bytes.len() < 4_000, "{} bytes", bytes.len());
    (world, files, bytes)
}

#[track_caller]
fn nothing_restored(world: &mut World, what: &str) {
    let (cc, listing) = world.run("RESTORE INFILE(COPY)");
    assert_eq!(cc, 12, "{what}: {listing}");
    assert!(listing.contains("CICA0963E"), "{what}: {listing}");
    assert!(listing.contains("at byte"), "{what}: {listing}");
    assert!(world.names().is_empty(), "{what}");
    assert!(on_volume(world).is_empty(), "{what}: {:?}", on_volume(world));
    assert_eq!(leftovers(world), 0, "{what}");
}

#[test]
fn every_byte_that_changes_is_found_before_anything_is_restored() {
    let (mut world, files, bytes) = copy();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        files.write("COPY", &changed);
        nothing_restored(&mut world, &format!("byte {at}"));
    }
    files.write("COPY", &bytes);
    world.ok("RESTORE INFILE(COPY)");
}

#[test]
fn a_copy_cut_short_at_any_length_restores_nothing() {
    let (mut world, files, bytes) = copy();
    for length in 0..bytes.len() {
        files.write("COPY", &bytes[..length]);
        nothing_restored(&mut world, &format!("{length} bytes"));
    }
    files.write("COPY", &[&bytes[..], b"more"].concat());
    nothing_restored(&mut world, "longer");
}

#[test]
fn a_file_that_is_no_copy_is_told_as_such() {
    let (mut world, files, _) = copy();
    files.write("COPY", &[b' '; 4_000]);
    nothing_restored(&mut world, "blanks");
}

/// The same of what EXPORT made, record by record and by control intervals, for IMPORT.
#[test]
fn nothing_is_imported_from_an_export_that_changed_or_was_cut() {
    for mode in ["", "CIMODE"] {
        let (mut world, files) = (World::new(), Files::new());
        world.ok(SMALL);
        live(&world, "PAY.SMALL", 6);
        files.dd(&mut world, "COPY");
        world.ok(&format!("EXPORT PAY.SMALL OUTFILE(COPY) {mode}"));
        let bytes = files.read("COPY");
        let mut refused = |changed: &[u8], what: &str| {
            files.write("COPY", changed);
            let (cc, listing) = world.run("IMPORT INFILE(COPY)");
            assert_eq!(cc, 12, "{mode} {what}: {listing}");
            assert!(
                listing.contains("CICA0963E") && listing.contains("at byte"),
                "{mode} {what}: {listing}"
            );
            assert!(
                world.names().is_empty() && on_volume(&world).is_empty(),
                "{mode} {what}"
            );
            assert_eq!(leftovers(&world), 0, "{mode} {what}");
        };
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            refused(&changed, &format!("byte {at}"));
            refused(&bytes[..at], &format!("{at} bytes"));
        }
        files.write("COPY", &bytes);
        world.ok("IMPORT INFILE(COPY)");
    }
}
