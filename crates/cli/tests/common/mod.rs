//! Runs the real `cica` in a catalog and working directory of its own.
#![allow(clippy::unwrap_used)]
#![allow(dead_code)] // not every test file uses every function

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

pub struct Place {
    pub dir: PathBuf,
}

/// What a run came to.
#[derive(Debug)]
pub struct Run {
    pub status: i32,
    pub out: Vec<u8>,
    pub err: String,
}

impl Place {
    pub fn new() -> Place {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("cica-cli-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        Place { dir }
    }

    /// The command, in this place and nothing of the caller's environment that could steer it.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cica"));
        command.current_dir(&self.dir).args(args);
        for (variable, _) in std::env::vars_os() {
            let name = variable.to_string_lossy();
            if name.starts_with("DD_") || name.starts_with("CICA_") {
                command.env_remove(&variable);
            }
        }
        command
            .env("CICA_CATALOG", self.dir.join("catalog"))
            .env("CICA_POOL", "16M");
        command
    }

    pub fn run(&self, args: &[&str]) -> Run {
        finish(self.command(args), b"")
    }

    pub fn run_with(&self, args: &[&str], stdin: &[u8]) -> Run {
        finish(self.command(args), stdin)
    }

    /// Runs control cards.
    pub fn cards(&self, cards: &str, args: &[&str]) -> Run {
        let cards: String = cards.lines().map(|line| format!(" {line}\n")).collect();
        self.run_with(&[&["idcams"], args].concat(), cards.as_bytes())
    }

    /// A data set with keys of four bytes and the records of `lines`.
    pub fn names(&self, lines: &str) {
        self.write("names.txt", lines.as_bytes());
        self.run(&[
            "import",
            "names.txt",
            "A.NAMES",
            "--keys",
            "4,0",
            "--recordsize",
            "20,80",
            "-q",
        ])
        .done();
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.dir.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.dir.join(name)).unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// The file of the data component.
    pub fn data_file(&self, dsn: &str) -> PathBuf {
        let shown = self.run(&["show", dsn, "--json"]).json();
        Path::new(shown["data"]["file"].as_str().unwrap()).to_path_buf()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

pub fn finish(mut command: Command, stdin: &[u8]) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cica starts");
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    // A command that does not read its input closes the pipe; that is its right.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Run {
        status: output.status.code().unwrap_or(-1),
        out: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Run {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    pub fn json(&self) -> serde_json::Value {
        assert_eq!(self.status, 0, "{self:?}");
        serde_json::from_slice(&self.out).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    /// It must have ended with 0; returns stdout.
    #[track_caller]
    pub fn done(self) -> String {
        assert_eq!(self.status, 0, "stdout {}\nstderr {}", self.text(), self.err);
        self.text()
    }

    /// It must have ended with `status` and said each of `words` on stderr.
    #[track_caller]
    pub fn failed(self, status: i32, words: &[&str]) {
        assert_eq!(self.status, status, "stdout {}\nstderr {}", self.text(), self.err);
        for word in words {
            assert!(self.err.contains(word), "'{word}' is not in: {}", self.err);
        }
        let first = self.err.lines().next().unwrap_or_default();
        assert!(
            first.starts_with("cica: IDC") || first.starts_with("cica: CICA") || status == 64,
            "no id: {first}"
        );
        assert!(!self.err.contains("panicked"), "{}", self.err);
    }
}
