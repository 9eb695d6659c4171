//! The conformance suite: each case is a COBOL program, compiled by cobc and run twice, through the interposer and with
//! libcob's own handler. All programs are compiled in one go and called by name.

mod generate;

use generate::{cases, Case};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A directory of a test's own, gone afterwards.
struct Workplace(PathBuf);

impl Workplace {
    fn new(name: &str) -> Workplace {
        let path = std::env::temp_dir().join(format!("cica-cobol-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(path.join("native")).expect("a directory");
        Workplace(path)
    }

    /// Compiles all cases into one program that calls the one it is told.
    fn compile(&self, cases: &[Case]) -> PathBuf {
        let mut source = String::from(
            "IDENTIFICATION DIVISION.\nPROGRAM-ID. SUITE.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n\
             01 A PIC X(8).\nPROCEDURE DIVISION.\nP1. ACCEPT A FROM COMMAND-LINE CALL A STOP RUN.\nEND PROGRAM SUITE.\n",
        );
        for (number, case) in cases.iter().enumerate() {
            source.push_str(&case.program(&case.id(number)));
        }
        let (from, to) = (self.0.join("suite.cob"), self.0.join("suite"));
        std::fs::write(&from, source).expect("the source");
        let done = Command::new("cobc")
            .args(["-x", "-free", "-O0", "-o"])
            .arg(&to)
            .arg(&from)
            .output();
        let done = done.expect("cobc, which checks/prepare test installs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        to
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Where cargo put the library is where this test is.
fn library() -> PathBuf {
    let here = std::env::current_exe().expect("this program");
    here.parent().expect("its directory").join("libcica_cobol.so")
}

fn run(program: &Path, id: &str, directory: &Path, catalog: Option<&Path>) -> String {
    let mut command = Command::new(program);
    command
        .arg(id)
        .current_dir(directory)
        .env_remove("LD_PRELOAD")
        .env_remove("COB_FILE_PATH");
    if let Some(catalog) = catalog {
        command
            .env("LD_PRELOAD", library())
            .env("CICA_CATALOG", catalog)
            .env("CICA_POOL", "16M");
    }
    let done = command.output().expect("it runs");
    let mut text = String::from_utf8_lossy(&done.stdout).into_owned();
    if !done.status.success() {
        text.push_str(&format!("{}: {}", done.status, String::from_utf8_lossy(&done.stderr)));
    }
    text
}

/// What a case's lines should be, and were.
fn differences(case: &Case, said: &str, of_libcob: bool) -> Vec<String> {
    let mut lines = said.lines();
    let mut found = Vec::new();
    for step in &case.steps {
        let Some((ours, theirs)) = &step.expected else { continue };
        let wanted = if of_libcob { theirs } else { ours };
        let got = lines.next().unwrap_or("nothing").trim_end();
        if got != wanted {
            found.push(format!(
                "{} (line {}): {}: {got}, not {wanted}",
                case.name, step.line, step.text
            ));
        }
    }
    found.extend(lines.map(|line| format!("{}: more: {line}", case.name)));
    found
}

fn suite(name: &str, text: &str, least: usize) {
    let place = Workplace::new(name);
    let cases = cases(text);
    assert!(cases.len() >= least, "{} cases; {least} were written", cases.len());
    let program = place.compile(&cases);
    let catalog = place.0.join("catalog");
    make_catalog(&catalog);
    let mut wrong = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let id = case.id(number);
        let ours = run(&program, &id, &place.0, Some(&catalog));
        wrong.extend(
            differences(case, &ours, false)
                .into_iter()
                .map(|d| format!("Cica:   {d}")),
        );
        let theirs = run(&program, &id, &place.0.join("native"), None);
        wrong.extend(
            differences(case, &theirs, true)
                .into_iter()
                .map(|d| format!("libcob: {d}")),
        );
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

fn make_catalog(directory: &Path) {
    cica_session::Session::start(cica_session::Start {
        catalog: Some(directory.to_path_buf()),
        create: true,
        pool: Some(16 << 20),
        ..Default::default()
    })
    .map(drop)
    .expect("a catalog");
}

#[test]
fn indexed_files_answer_as_cobol_says() {
    suite("indexed", include_str!("cases/indexed.txt"), 136);
}
