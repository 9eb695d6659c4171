//! The examples and the misuse program, compiled by the system's compilers and run.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory of a test's own, gone afterwards.
struct Workplace(PathBuf);

impl Workplace {
    fn new(name: &str) -> Workplace {
        let path = std::env::temp_dir().join(format!("cica-c-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a directory");
        Workplace(path)
    }

    fn catalog(&self) -> PathBuf {
        self.0.join("catalog")
    }

    /// Compiles a program against the shared or the static library.
    fn compile(&self, source: &str, shared: bool) -> PathBuf {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let compiler = if source.ends_with(".cc") { "c++" } else { "cc" };
        let standard = if source.ends_with(".cc") {
            "-std=c++17"
        } else {
            "-std=gnu99"
        };
        let program = self.0.join(if shared { "shared" } else { "static" });
        // Where cargo put the library is where this test is.
        let here = std::env::current_exe().expect("this program");
        let library = here.parent().expect("its directory");
        let mut command = Command::new(compiler);
        command.args([standard, "-Wall", "-Wextra", "-Werror", "-pthread"]);
        command.arg("-I").arg(root.join("include")).arg(root.join(source));
        command.arg("-o").arg(&program);
        if shared {
            command
                .arg(library.join("libcica_c.so"))
                .arg(format!("-Wl,-rpath,{}", library.display()))
        } else {
            command.arg(library.join("libcica_c.a")).args(["-ldl", "-lm"])
        };
        let done = command.output().expect("a compiler");
        assert!(done.status.success(), "{}", text(&done.stderr));
        program
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn run(program: &Path, arguments: &[&Path]) -> Output {
    Command::new(program).args(arguments).output().expect("it runs")
}

const PAYROLL: &str = "\
IDC0508I DATA ALLOCATION STATUS FOR VOLUME CICA01 IS 0
IDC0509I INDEX ALLOCATION STATUS FOR VOLUME CICA01 IS 0
IDC0512I NAME GENERATED-(D) PAYROLL.MASTER.DATA
IDC0512I NAME GENERATED-(I) PAYROLL.MASTER.INDEX
IDC0001I FUNCTION COMPLETED, HIGHEST CONDITION CODE WAS 0
IDC0002I IDCAMS PROCESSING COMPLETE. MAXIMUM CONDITION CODE WAS 0
condition code 0
refused: a record with key '0001' (X'30303031') exists already [8/8]
0001ADAMS
0002BAKER-JONES
0004DAVIS
3 records
";

#[test]
fn the_c_example_does_what_it_says_with_either_library() {
    for shared in [false, true] {
        let place = Workplace::new(if shared { "payroll-so" } else { "payroll-a" });
        let program = place.compile("examples/payroll.c", shared);
        let done = run(&program, &[&place.catalog()]);
        assert_eq!(text(&done.stderr), "");
        assert_eq!(text(&done.stdout), PAYROLL);
        assert!(done.status.success());
    }
}

const TRANSFER: &str = "\
0001>0002 000030: committed
0001>0002 000090: backed out
0001000070
0002000080
0001>0002 000030
";

#[test]
fn a_transfer_changes_two_data_sets_or_none_with_either_library() {
    for shared in [false, true] {
        let place = Workplace::new(if shared { "transfer-so" } else { "transfer-a" });
        let program = place.compile("examples/transfer.c", shared);
        let done = run(&program, &[&place.catalog()]);
        assert_eq!(text(&done.stderr), "");
        assert_eq!(text(&done.stdout), TRANSFER);
        assert!(done.status.success());
    }
}

const BUFFERS: &str = "\
BUFND 2: 900 records, 91 EXCPs for 91 control intervals
BUFND 11: 900 records, 14 EXCPs for 91 control intervals
BUFND 41: 900 records, 4 EXCPs for 91 control intervals
the older half: 2 written
the data set: 2 written
data of 1024: 0 found, 20 read, 4 written, 16 by force
index of 4096: 19 found, 1 read, 0 written, 0 by force
";

#[test]
fn buffers_transfer_what_the_example_says_with_either_library() {
    for shared in [false, true] {
        let place = Workplace::new(if shared { "buffers-so" } else { "buffers-a" });
        let program = place.compile("examples/buffers.c", shared);
        let done = run(&program, &[&place.catalog()]);
        assert_eq!(text(&done.stderr), "");
        assert_eq!(text(&done.stdout), BUFFERS);
        assert!(done.status.success());
    }
}

#[test]
fn buffers_do_what_the_header_says() {
    let place = Workplace::new("wrong-buffers");
    let fill = place.compile("examples/buffers.c", false);
    assert!(run(&fill, &[&place.catalog()]).status.success());
    let buffers = place.compile("tests/buffers.c", false);
    let done = run(&buffers, &[&place.catalog()]);
    assert_eq!(text(&done.stdout), "");
    assert!(done.status.success());
}

#[test]
fn control_intervals_do_what_the_header_says() {
    let place = Workplace::new("intervals");
    let fill = place.compile("examples/buffers.c", false);
    assert!(run(&fill, &[&place.catalog()]).status.success());
    let intervals = place.compile("tests/intervals.c", false);
    let done = run(&intervals, &[&place.catalog()]);
    assert_eq!(text(&done.stdout), "");
    assert!(done.status.success());
}

#[test]
fn units_of_recovery_do_what_the_header_says() {
    let place = Workplace::new("units");
    let fill = place.compile("examples/transfer.c", false);
    assert!(run(&fill, &[&place.catalog()]).status.success());
    let units = place.compile("tests/units.c", false);
    let done = run(&units, &[&place.catalog()]);
    assert_eq!(text(&done.stdout), "");
    assert!(done.status.success());
}

#[test]
fn units_in_doubt_do_what_the_header_says() {
    let place = Workplace::new("prepared");
    let fill = place.compile("examples/transfer.c", false);
    assert!(run(&fill, &[&place.catalog()]).status.success());
    let prepared = place.compile("tests/prepared.c", false);
    let done = run(&prepared, &[&place.catalog()]);
    assert_eq!(text(&done.stdout), "");
    assert!(done.status.success());
}

#[test]
fn numbers_and_closed_handles_are_what_the_header_says() {
    for shared in [false, true] {
        let place = Workplace::new(if shared { "numbers-so" } else { "numbers-a" });
        let numbers = place.compile("tests/numbers.c", shared);
        let done = run(&numbers, &[&place.catalog()]);
        assert_eq!(text(&done.stdout), "");
        assert!(done.status.success(), "{}", done.status);
    }
}

#[test]
fn signals_and_forks_are_what_the_header_says() {
    let place = Workplace::new("signals");
    let fill = place.compile("examples/payroll.c", false);
    assert!(run(&fill, &[&place.catalog()]).status.success());
    let signals = place.compile("tests/signals.c", true);
    for _ in 0..2 {
        let done = run(&signals, &[&place.catalog()]);
        assert_eq!(text(&done.stdout), "");
        assert!(done.status.success(), "{}", done.status);
    }
}

#[test]
fn the_cpp_example_walks_backward() {
    let place = Workplace::new("walk");
    let fill = place.compile("examples/payroll.c", false);
    assert!(run(&fill, &[&place.catalog()]).status.success());
    let walk = place.compile("examples/walk.cc", false);
    let done = run(&walk, &[&place.catalog(), Path::new("PAYROLL.MASTER")]);
    assert_eq!(
        text(&done.stdout),
        "K key 4 at 0\n0004DAVIS\n0002BAKER-JONES\n0001ADAMS\n"
    );
    let done = run(&walk, &[&place.catalog(), Path::new("NO.SUCH")]);
    assert_eq!(
        text(&done.stderr),
        "data set NO.SUCH is not in the catalog; 'cica ls' lists what is\n"
    );
    assert!(!done.status.success());
}

#[test]
fn wrong_calls_are_refused_as_the_header_says() {
    let place = Workplace::new("misuse");
    let fill = place.compile("examples/payroll.c", false);
    assert!(run(&fill, &[&place.catalog()]).status.success());
    let misuse = place.compile("tests/misuse.c", false);
    let done = run(&misuse, &[&place.catalog()]);
    assert_eq!(text(&done.stdout), "");
    assert!(done.status.success());
}

/// A program compiled with what pkg-config would say, against the installed shared library.
#[test]
fn the_installed_library_has_soname_and_versions() {
    let place = Workplace::new("installed");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let here = std::env::current_exe().expect("this program");
    let prefix = place.0.join("usr");
    let done = Command::new(root.join("install.sh"))
        .args([&prefix, here.parent().expect("its directory")])
        .output()
        .expect("a shell");
    assert!(done.status.success(), "{}", text(&done.stderr));
    let program = place.0.join("transfer");
    let done = Command::new("cc")
        .arg(root.join("examples/transfer.c"))
        .arg("-I")
        .arg(prefix.join("include"))
        .arg("-L")
        .arg(prefix.join("lib"))
        .args(["-lcica", "-o"])
        .arg(&program)
        .output()
        .expect("a compiler");
    assert!(done.status.success(), "{}", text(&done.stderr));
    let done = Command::new(&program)
        .arg(place.catalog())
        .env("LD_LIBRARY_PATH", prefix.join("lib"))
        .output()
        .expect("it runs");
    assert_eq!(text(&done.stdout), TRANSFER);
    let bytes = std::fs::read(&program).expect("the program");
    let has = |name: &str| bytes.windows(name.len()).any(|w| w == name.as_bytes());
    assert!(has("libcica.so.0.1"), "it asks for the soname");
    assert!(has("CICA_0.1"), "it asks for the symbols' version");
    let config = std::fs::read_to_string(prefix.join("lib/pkgconfig/cica.pc")).expect("the pkg-config file");
    assert!(config.contains("Version: 0.1.0") && !config.contains('@'));
}
