//! `cica run`: a compiled GnuCOBOL program with its files on Cica's data sets.
//!
//! The program is started with `libcica_cobol.so` loaded in front of libcob; the DD file becomes variables of its
//! environment, which is where ASSIGN names are looked up anyway. The program takes the place of this process.

use crate::failure::{Failure, Status};
use crate::global::Global;
use cica_catalog::locate::Origin;
use cica_catalog::symbols::{Symbols, VARIABLE as SYMBOLS_VARIABLE};
use cica_catalog::{Catalog, CatalogError, Surroundings};
use cica_disk::LinuxDisk;
use cica_messages as messages;
use cica_session::SERVER_VARIABLE;
use clap::Args;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library's file name.
const LIBRARY: &str = "libcica_cobol.so";
/// The variable that names it, where it is not beside the command.
const VARIABLE: &str = "CICA_COBOL_LIBRARY";

/// Run a compiled GnuCOBOL program with its files on data sets
#[derive(Debug, Args)]
#[command(after_help = "\
ASSIGN names are looked up as GnuCOBOL does: DD_name, dd_name, name in the environment, else the name
itself. What they lead to may be a data set (PROD.CUST, //PROD.CUST, DSN=PROD.CUST,DISP=SHR) or a path;
files that are no data sets stay with GnuCOBOL.

Environment:
  CICA_STATUS           gnucobol (default), enterprise or microfocus: which FILE STATUS values it sees
  CICA_MESSAGES         I, W (default), E or S: the least severity of messages on stderr
  CICA_STRICT           off (default) or on: refuse keyed files that are no data sets
  CICA_UNITS            auto (default), on, off or auto(changes,seconds): which programs have a unit of recovery, and
                        when it commits on its own
  CICA_COBOL_LIBRARY    libcica_cobol.so, where it is not beside the command

Examples:
  cica run ./payroll 2026-11
  cica run --dd jobs/dds.toml ./payroll        (a line of it: CUSTMAST = \"DSN=PROD.CUST,DISP=SHR\")")]
pub struct Options {
    /// File of DD texts: NAME = "text", one a line
    #[arg(long, value_name = "FILE")]
    dd: Option<PathBuf>,
    /// The program, and its arguments: all that stands behind its name
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// See the module. Returns only when the program cannot be started.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let (program, arguments) = options.program.split_first().ok_or_else(|| {
        let reason = "no program was named";
        cannot_run(&[("program", &""), ("reason", &reason)])
    })?;
    let program = Path::new(program);
    let mut command = Command::new(program);
    command.args(arguments);
    look_for_the_catalog(global)?;
    if let Some(reason) = cannot_be_loaded_into(program) {
        return Err(cannot_run(&[("program", &program.display()), ("reason", &reason)]));
    }
    for (name, text) in options.dd.as_deref().map(dd_file).transpose()?.unwrap_or_default() {
        command.env(format!("DD_{name}"), text);
    }
    if let Some(catalog) = &global.catalog {
        // The program may change its working directory.
        command.env("CICA_CATALOG", std::path::absolute(catalog)?);
    }
    if let Some(pool) = global.pool {
        command.env("CICA_POOL", pool.to_string());
    }
    if let Some(more) = &global.symbols {
        command.env(SYMBOLS_VARIABLE, symbols(more)?);
    }
    if std::env::var_os(SERVER_VARIABLE).is_none() {
        // The program shares by the same command that runs it, wherever that is.
        command.env(SERVER_VARIABLE, std::env::current_exe()?);
    }
    let loaded = library().and_then(|library| preload(&mut command, &library));
    loaded.map_err(|reason| cannot_run(&[("program", &program.display()), ("reason", &reason)]))?;
    let error = command.exec();
    let reason = format!("{error}{}", what_to_do(program));
    let inserts: [(&str, &dyn std::fmt::Display); 2] = [("program", &program.display()), ("reason", &reason)];
    Err(cannot_run(&inserts))
}

/// Symbols of the environment, and behind them those of the option, which have the last word.
fn symbols(more: &str) -> Result<String, Failure> {
    let environment = std::env::var(SYMBOLS_VARIABLE).unwrap_or_default();
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let with = |symbols: Symbols, text: &str, origin: &str| {
        symbols
            .with(text)
            .map_err(|error| Failure::usage(format!("{origin}: {error}")))
    };
    let one = with(Symbols::of_host(&host), &environment, SYMBOLS_VARIABLE)?;
    let one = with(one, more, "--symbols")?;
    let both = match environment.as_str() {
        "" => more.to_owned(),
        _ => format!("{environment},{more}"),
    };
    // SYSNAME makes a SYSCLONE unless its own text says one.
    if with(Symbols::of_host(&host), &both, "--symbols")? == one {
        return Ok(both);
    }
    Err(Failure::usage(format!(
        "--symbols and {SYMBOLS_VARIABLE} say SYSNAME and SYSCLONE, one each; say both in one of them"
    )))
}

/// A catalog that is meant must be there before the program begins, or its files would go elsewhere. In a `.cica` that
/// somebody made it is made; where there is none at all the files stay with libcob, which is told.
fn look_for_the_catalog(global: &Global) -> Result<(), Failure> {
    let surroundings = Surroundings::of_process(global.catalog.clone());
    let located = cica_catalog::locate(&LinuxDisk::default(), &surroundings).map(|(directory, origin)| {
        let disk = cica_session::disk(&directory, &surroundings.trusted);
        let opened = match origin {
            Origin::Above => Catalog::open_or_create(disk, &directory),
            // Somebody made a directory for it, and named that.
            Origin::Explicit | Origin::Variable if may_become_one(&directory) => {
                Catalog::open_or_create(disk, &directory)
            }
            _ => Catalog::open(disk, &directory),
        };
        (directory, opened.map(drop), origin)
    });
    let (directory, opened, origin) = match located {
        Ok(located) => located,
        Err(error) => (PathBuf::new(), Err(error), Origin::Above),
    };
    match (opened, origin) {
        (Ok(_), _) => Ok(()),
        (Err(CatalogError::NoCatalog { .. }), Origin::User) => {
            let least = std::env::var("CICA_MESSAGES").unwrap_or_default();
            if !["E", "S"].iter().any(|word| least.eq_ignore_ascii_case(word)) {
                crate::terminal::tell(&messages::CICA1217W.line(&[("path", &directory.display())]));
            }
            Ok(())
        }
        (Err(error), _) => {
            let text = messages::CICA1209E.text(&[("reason", &error)]);
            Err(Failure::new(Status::UNUSABLE, &messages::CICA1209E, text))
        }
    }
}

/// What a catalog has before it is one.
const FIRST_FILES: [&str; 5] = [".locks", "lock", "log", "volumes", "catalog.new"];

/// Is it a directory without anything in it, but for what another program that makes a catalog there just now began
/// with?
fn may_become_one(directory: &Path) -> bool {
    std::fs::read_dir(directory).is_ok_and(|mut entries| {
        entries.all(|entry| entry.is_ok_and(|entry| FIRST_FILES.iter().any(|first| entry.file_name() == *first)))
    })
}

/// Why the loader would start the program without the library, and say nothing: its files would be GnuCOBOL's.
fn cannot_be_loaded_into(program: &Path) -> Option<String> {
    let file = found(program)?;
    let gains = gains_rights(&file).map(|how| {
        format!(
            "it is {how}, so the system starts it without {LIBRARY}, and its files would not be data sets; let it be \
             started by who may use its data sets, or by a program of his"
        )
    });
    gains.or_else(|| {
        is_static(&file).then(|| {
            format!(
                "it is linked statically, so {LIBRARY} cannot be loaded into it, and its files would not be data sets"
            )
        })
    })
}

/// The file that the system will find: a name without a slash is looked for in PATH.
fn found(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 || program.is_absolute() {
        return Some(program.to_path_buf());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|d| d.join(program))
        .find(|p| p.is_file())
}

/// How a program runs with other rights than those of who starts it. What the loader does then it says nowhere.
fn gains_rights(file: &Path) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    const SETUID: u32 = 0o4000;
    const SETGID: u32 = 0o2010;
    let data = std::fs::metadata(file).ok()?;
    let mut none: [u8; 0] = [];
    if rustix::fs::getxattr(file, "security.capability", &mut none).is_ok() {
        return Some("given capabilities");
    }
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let real = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    match data.mode() {
        mode if mode & SETUID != 0 && data.uid() != user => Some("setuid"),
        mode if mode & SETGID == SETGID && data.gid() != group => Some("setgid"),
        // This command itself runs with other rights, and so would the program.
        _ if real != (user, group) => Some("started with other rights than its user has"),
        _ => None,
    }
}

/// Is it a program that no loader is asked for? What cannot be read is found out by whoever starts it.
fn is_static(file: &Path) -> bool {
    const INTERPRETER: u32 = 3;
    let Ok(bytes) = first_bytes(file) else { return false };
    // Of 64 bits, lowest byte first: what the library is.
    if !bytes.starts_with(b"\x7fELF\x02\x01") {
        return false;
    }
    let number = |at: usize, len: usize| -> Option<usize> {
        let bytes = bytes.get(at..at.checked_add(len)?)?;
        Some(bytes.iter().rev().fold(0, |all, &byte| all << 8 | usize::from(byte)))
    };
    let (Some(table), Some(size), Some(count)) = (number(32, 8), number(54, 2), number(56, 2)) else {
        return false;
    };
    let kinds: Option<Vec<usize>> = (0..count).map(|n| number(table.checked_add(n * size)?, 4)).collect();
    kinds.is_some_and(|kinds| !kinds.is_empty() && !kinds.contains(&(INTERPRETER as usize)))
}

/// As much of a program as has the table of its parts.
fn first_bytes(file: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    std::fs::File::open(file)?.take(16 << 10).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What somebody may have meant who named a program that cannot be started.
fn what_to_do(program: &Path) -> String {
    let extension = program.extension().and_then(OsStr::to_str).unwrap_or_default();
    let name = program.display();
    match extension.to_ascii_lowercase().as_str() {
        "cob" | "cbl" | "cobol" => "; it is a source, which cobc -x compiles".into(),
        _ if program.components().count() == 1 && program.is_file() => format!("; there is ./{name}"),
        _ => String::new(),
    }
}

/// Has our library loaded before those that are loaded anyway. The loader divides its list at colons and blanks, and
/// goes on without what it does not find: then the program's files would not be data sets. The error is why not.
fn preload(command: &mut Command, library: &Path) -> Result<(), String> {
    let divided = |name: &OsStr, at: &[u8]| name.as_bytes().iter().any(|byte| at.contains(byte));
    let (directory, name) = (
        library.parent().unwrap_or(Path::new("/")),
        library.file_name().unwrap_or_default(),
    );
    if !divided(library.as_os_str(), b": \t\n") {
        command.env("LD_PRELOAD", before("LD_PRELOAD", library.as_os_str()));
        return Ok(());
    }
    // The list of directories is divided at colons and semicolons alone.
    if divided(directory.as_os_str(), b":;") || divided(name, b": \t\n") {
        return Err(format!(
            "the loader cannot be told of {}, a path with a colon; put the library elsewhere, and name it in {VARIABLE}",
            library.display()
        ));
    }
    command.env("LD_LIBRARY_PATH", before("LD_LIBRARY_PATH", directory.as_os_str()));
    command.env("LD_PRELOAD", before("LD_PRELOAD", name));
    Ok(())
}

/// A variable's list with one more at its head.
fn before(variable: &str, first: &OsStr) -> OsString {
    let mut list = first.to_owned();
    if let Some(others) = std::env::var_os(variable).filter(|others| !others.is_empty()) {
        list.push(OsStr::new(":"));
        list.push(others);
    }
    list
}

/// Where the library is: as named, beside the command, or in the lib directory beside the command's. The error is why it
/// cannot be had.
fn library() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("the command cannot tell where it is: {error}"))?;
    if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        let named = std::path::absolute(&named).map_err(|error| format!("{VARIABLE}: {error}"))?;
        return if is_library_for(&named, &own) {
            Ok(named)
        } else {
            Err(format!(
                "{VARIABLE} says {}, which is no shared library for this machine that can be read",
                named.display()
            ))
        };
    }
    let here = own.parent().unwrap_or(Path::new("."));
    let places = [here.join(LIBRARY), here.join("../lib").join(LIBRARY)];
    let found = places.into_iter().find(|place| is_library_for(place, &own));
    found.ok_or_else(|| format!("{LIBRARY} is not beside the command; {VARIABLE} may name it"))
}

/// Whether a file is of the kind that the command is, which is what the loader looks at.
fn is_library_for(file: &Path, own: &Path) -> bool {
    /// Class, order of bytes and machine in the head of an executable or library.
    fn kind(file: &Path) -> Option<([u8; 6], [u8; 2])> {
        let mut head = [0; 20];
        std::fs::File::open(file)
            .and_then(|mut file| file.read_exact(&mut head))
            .ok()?;
        Some((head[..6].try_into().ok()?, head[18..].try_into().ok()?))
    }
    kind(file).is_some_and(|there| Some(there) == kind(own))
}

fn cannot_run(inserts: &[(&str, &dyn std::fmt::Display)]) -> Failure {
    let text = messages::CICA1214E.text(inserts);
    Failure::new(Status::UNUSABLE, &messages::CICA1214E, text)
}

/// Names and texts of a DD file: the part of TOML that has strings by name, and comments.
fn dd_file(path: &Path) -> Result<Vec<(String, String)>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let reason = format!("{error}{}", meant_as_statement(path));
        let inserts: [(&str, &dyn std::fmt::Display); 2] = [("path", &path.display()), ("reason", &reason)];
        Failure::new(
            Status::UNUSABLE,
            &messages::CICA1218E,
            messages::CICA1218E.text(&inserts),
        )
    })?;
    let mut found: Vec<(String, String)> = Vec::new();
    // Some editors begin a file with a mark of its byte order.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line == "[dd]" {
            continue;
        }
        let entry = dd_line(line).and_then(|entry| {
            if found.iter().any(|(name, _)| *name == entry.0) {
                Err("the name was there before")
            } else {
                Ok(entry)
            }
        });
        let entry = entry.map_err(|reason| {
            let inserts: [(&str, &dyn std::fmt::Display); 3] =
                [("path", &path.display()), ("line", &(number + 1)), ("reason", &reason)];
            Failure::new(Status::USAGE, &messages::CICA1215E, messages::CICA1215E.text(&inserts))
        })?;
        found.push(entry);
    }
    Ok(found)
}

/// What to write instead of a DD statement, which other commands have behind their `--dd`.
fn meant_as_statement(path: &Path) -> String {
    match path.to_str().and_then(|text| text.split_once('=')) {
        Some((name, text)) => format!(
            "; --dd of 'cica run' is a file of DD texts, with a line {name} = \"{text}\"; without one say \
             DD_{name}='{text}' in front of the command"
        ),
        None => String::new(),
    }
}

fn dd_line(line: &str) -> Result<(String, String), &'static str> {
    let (name, value) = line.split_once('=').ok_or("no equals sign")?;
    let name = name.trim().trim_matches('"');
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err("no name before the equals sign");
    }
    if !name.chars().all(|c| c.is_ascii_graphic()) {
        return Err("the name has characters that no ASSIGN has");
    }
    let value = value.trim();
    let quote = value
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\''))
        .ok_or("the text is not in quotes")?;
    let (text, rest) = value[1..].split_once(quote).ok_or("the text has no closing quote")?;
    if text.contains('\\') && quote == '"' {
        return Err("a backslash; put the text in apostrophes");
    }
    match rest.trim() {
        rest if rest.is_empty() || rest.starts_with('#') => Ok((name.to_string(), text.to_string())),
        _ => Err("something follows the text"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_name_and_a_text() {
        let good = [
            ("CUST = \"DSN=A.B,DISP=SHR\"", ("CUST", "DSN=A.B,DISP=SHR")),
            ("\"CUST\"='x y' # comment", ("CUST", "x y")),
        ];
        for (line, (name, text)) in good {
            assert_eq!(dd_line(line), Ok((name.to_string(), text.to_string())));
        }
        for bad in [
            "CUST",
            "= 'x'",
            "CUST = x",
            "CUST = 'x",
            "CUST = \"a\\b\"",
            "CUST = 'x' y",
        ] {
            assert!(dd_line(bad).is_err(), "{bad}");
        }
    }
}
