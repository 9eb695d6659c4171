//! What the tests have in common: a directory of their own, cobc, and programs run with and without the library.
#![allow(dead_code)] // Each test program uses its part.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What cobc has to be told of the handler.
const CICAFH: &str = "#include <stddef.h>\n#include <stdio.h>\n#include <gmp.h>\n#include <libcob.h>\n\
                      extern int CICAFH (unsigned char *, FCD3 *);\n";

/// A directory of a test's own, gone afterwards.
pub struct Workplace(pub PathBuf);

impl Workplace {
    pub fn new(name: &str) -> Workplace {
        let path = std::env::temp_dir().join(format!("cica-cobol-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(path.join("native")).expect("a directory");
        Workplace(path)
    }

    /// With an empty catalog.
    pub fn with_catalog(name: &str) -> Workplace {
        let place = Workplace::new(name);
        drop(place.session());
        place
    }

    pub fn session(&self) -> cica_session::Session {
        cica_session::Session::start(cica_session::Start {
            catalog: Some(self.catalog()),
            create: true,
            pool: Some(16 << 20),
            ..Default::default()
        })
        .expect("a catalog")
    }

    pub fn catalog(&self) -> PathBuf {
        self.0.join("catalog")
    }

    /// Compiles a source of free format.
    pub fn compile(&self, name: &str, source: &str) -> PathBuf {
        let (from, to) = (self.0.join(format!("{name}.cob")), self.0.join(name));
        std::fs::write(&from, source).expect("the source");
        let done = cobc().args(["-x", "-free", "-O0", "-o"]).arg(&to).arg(&from).output();
        let done = done.expect("cobc, which checks/prepare test installs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        to
    }

    /// The same, with its files handled by CICAFH.
    pub fn compile_extfh(&self, name: &str, source: &str) -> PathBuf {
        let (from, to) = (self.0.join(format!("{name}.cob")), self.0.join(name));
        // cobc declares the handler only in a source whose first program has a file.
        let header = self.0.join("cicafh.h");
        std::fs::write(&header, CICAFH).expect("the header");
        std::fs::write(&from, source).expect("the source");
        let directory = library().parent().expect("its directory").to_path_buf();
        let done = cobc()
            .args(["-x", "-free", "-O0", "-fcallfh=CICAFH", "-lcica_cobol", "-o"])
            .arg(&to)
            .arg(format!("-L{}", directory.display()))
            .arg("-A")
            .arg(format!("-include {}", header.display()))
            .arg(&from)
            .output();
        let done = done.expect("cobc, which checks/prepare test installs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        to
    }

    /// The same, to be run with nothing in front of libcob: `first` links the library before it. `handler` is CICAFH, or
    /// a function of the C source.
    pub fn compile_described(&self, name: &str, source: &str, handler: &str, first: bool, c: Option<&str>) -> PathBuf {
        let file = |suffix: &str| self.0.join(format!("{name}.{suffix}"));
        std::fs::write(file("h"), CICAFH.replace("CICAFH", handler)).expect("the header");
        std::fs::write(file("cob"), source).expect("the source");
        let directory = library().parent().expect("its directory").to_path_buf();
        let mut cobc = cobc();
        cobc.args(["-x", "-free", "-O0", &format!("-fcallfh={handler}"), "-o"])
            .arg(self.0.join(name));
        if first {
            cobc.args(["-Q", &format!("-L{} -lcica_cobol", directory.display())])
        } else {
            cobc.args(["-lcica_cobol", &format!("-L{}", directory.display())])
        };
        cobc.arg("-A")
            .arg(format!("-include {}", file("h").display()))
            .arg(file("cob"));
        if let Some(c) = c {
            // Its name is not that of the C source that cobc makes of the program.
            let c_file = self.0.join(format!("{name}_handler.c"));
            std::fs::write(&c_file, c).expect("the C source");
            cobc.arg(c_file);
        }
        let done = cobc.output().expect("cobc, which checks/prepare test installs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        self.0.join(name)
    }

    /// A program with its indexed files on data sets of this catalog.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.0)
            .env_remove("COB_FILE_PATH")
            .env_remove("CICA_STATUS");
        let directory = library().parent().expect("its directory").to_path_buf();
        command
            .env("LD_PRELOAD", library())
            .env("LD_LIBRARY_PATH", directory)
            .env("CICA_CATALOG", self.catalog())
            .env("CICA_POOL", "16M");
        command
    }

    /// What a program says to stdout; it must end well.
    pub fn run(&self, program: &Path, arguments: &[&str]) -> String {
        let done = self.command(program).args(arguments).output().expect("it runs");
        assert!(done.status.success(), "{}: {}", done.status, stderr(&done));
        stdout(&done)
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The compiler: `CICA_COBC`, or the one that is installed. What another one compiles looks for that one's libcob, in
/// the lib directory beside it.
pub fn cobc() -> Command {
    let Some(named) = std::env::var_os("CICA_COBC").map(PathBuf::from) else {
        return Command::new("cobc");
    };
    let libraries = named.parent().expect("its directory").join("../lib");
    let mut command = Command::new(&named);
    command.arg("-Q").arg(format!("-Wl,-rpath,{}", libraries.display()));
    command
}

/// Is the compiler that of 3.2? Its libcob answers some requests otherwise than 3.1.
pub fn is_3_2() -> bool {
    stdout(&cobc().arg("--version").output().expect("cobc")).contains(" 3.2")
}

/// Where cargo put the library is where this test is.
pub fn library() -> PathBuf {
    let here = std::env::current_exe().expect("this program");
    here.parent().expect("its directory").join("libcica_cobol.so")
}

pub fn stdout(done: &Output) -> String {
    String::from_utf8_lossy(&done.stdout).into_owned()
}

pub fn stderr(done: &Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

/// Runs control cards; what the listing says where they failed.
pub fn idcams(session: &cica_session::Session, cards: &str) -> Result<(), String> {
    use cica_idcams::{run, Act, Services, Source, Stamp, Style, Sysprint};
    let mut listing = Vec::new();
    let mut services = Services::of(session);
    let mut sysprint = Sysprint::new(&mut listing, Style::Plain, Stamp::from_unix(0));
    let code = run(Source::of_program(cards), &mut services as &mut dyn Act, &mut sysprint);
    drop(sysprint);
    if code < 8 {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&listing).into_owned())
    }
}
