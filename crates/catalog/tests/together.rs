//! Many at once: threads and processes that define entries in one catalog lose none.

mod common;

use cica_catalog::{Catalog, CatalogError, Mask};
use cica_disk::LinuxDisk;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;

/// Tells a process started by a test which entries to define: directory and first letter.
const ORDER: &str = "CICA_TEST_DEFINE";
const EACH: usize = 50;

/// A directory of its own for each test, removed when it is done.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("cica-{test}-{}", std::process::id()));
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn define_fifty(directory: &Path, letter: char) {
    let catalog = Catalog::open_or_create(Arc::new(LinuxDisk::new()), directory).expect("opened");
    for number in 0..EACH {
        let entry = common::cluster(&format!("{letter}.N{number}"));
        catalog.transact(|contents| contents.insert(entry)).expect("defined");
    }
}

fn assert_all_there(directory: &Path) {
    let catalog = Catalog::open(Arc::new(LinuxDisk::new()), directory).expect("opened");
    assert_eq!(catalog.list(&Mask::everything()).expect("list").len(), 4 * EACH);
    for letter in ['A', 'B', 'C', 'D'] {
        let mask = Mask::parse(&format!("{letter}.*")).expect("mask");
        assert_eq!(catalog.list(&mask).expect("list").len(), EACH, "{letter}");
    }
    assert_eq!(
        catalog.generation().expect("generation"),
        4 * EACH as u64 + 1,
        "each change is one generation"
    );
}

#[test]
fn four_threads_define_200_entries_and_none_is_lost() {
    let scratch = Scratch::new("threads");
    std::thread::scope(|scope| {
        for letter in ['A', 'B', 'C', 'D'] {
            let directory = &scratch.0;
            scope.spawn(move || define_fifty(directory, letter));
        }
    });
    assert_all_there(&scratch.0);
}

#[test]
fn four_processes_define_200_entries_and_none_is_lost() {
    let scratch = Scratch::new("processes");
    let this = std::env::current_exe().expect("this test");
    let start = |letter: &str| -> Child {
        let order = format!("{letter}{}", scratch.0.display());
        let mut command = Command::new(&this);
        command
            .args(["--exact", "a_process_defines_what_it_is_told"])
            .env(ORDER, order);
        command.stdout(std::process::Stdio::null()).spawn().expect("started")
    };
    let children: Vec<Child> = ["A", "B", "C", "D"].map(start).into();
    for mut child in children {
        assert!(child.wait().expect("ended").success());
    }
    assert_all_there(&scratch.0);
}

/// Does nothing unless the test above starts it.
#[test]
fn a_process_defines_what_it_is_told() {
    let Ok(order) = std::env::var(ORDER) else { return };
    let mut characters = order.chars();
    let letter = characters.next().expect("a letter");
    define_fifty(Path::new(characters.as_str()), letter);
}

#[test]
fn of_many_who_define_one_name_one_succeeds() {
    let scratch = Scratch::new("one-name");
    let define = || {
        let catalog = Catalog::open_or_create(Arc::new(LinuxDisk::new()), &scratch.0).expect("opened");
        match catalog.transact(|contents| contents.insert(common::cluster("SAME"))) {
            Ok(()) => 1,
            Err(CatalogError::Duplicate { .. }) => 0,
            Err(other) => panic!("{other}"),
        }
    };
    let winners: i32 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(define)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    assert_eq!(winners, 1);
}
