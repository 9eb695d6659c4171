//! Sequential files that are no data sets of VSAM's: in EBCDIC, of every record format, and through EXTFH.
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::entry::NonVsam;
use cica_catalog::{Entry, Name};
use cica_qsam::CodePage;
use common::{stderr, stdout, Workplace};
use std::path::{Path, PathBuf};

/// A record with text, a sign, a packed and a binary number; `WHAT` says what is done with the file.
fn program(organization: &str, fd: &str) -> String {
    let changes = match organization {
        "LINE SEQUENTIAL" => "",
        _ => "WHEN \"i-o\" OPEN I-O F",
    };
    format!(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. SEQ.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n\
         SELECT F ASSIGN \"F\" ORGANIZATION {organization} FILE STATUS FS.\n\
         DATA DIVISION.\nFILE SECTION.\nFD F{fd}.\n01 R.\n 05 T PIC X(6).\n 05 N PIC S9(3).\n 05 P PIC S9(5) COMP-3.\n \
         05 B PIC S9(8) COMP.\nWORKING-STORAGE SECTION.\n01 FS PIC XX.\n01 L PIC 9(4) VALUE 16.\n01 WHAT PIC X(8).\n\
         01 SN PIC +999.\n01 SP PIC +99999.\n01 SB PIC +99999999.\n\
         PROCEDURE DIVISION.\nMAIN SECTION.\nM.\n ACCEPT WHAT FROM ARGUMENT-VALUE.\n\
         EVALUATE WHAT WHEN \"input\" OPEN INPUT F WHEN \"output\" OPEN OUTPUT F WHEN \"extend\" OPEN EXTEND F\n {changes}\n\
         END-EVALUATE.\n DISPLAY \"OPEN \" FS.\n IF FS NOT < \"10\" STOP RUN.\n\
         IF WHAT = \"input\" PERFORM READS UNTIL FS NOT < \"10\" ELSE PERFORM WRITES.\n CLOSE F. DISPLAY \"CLOSE \" FS.\n STOP RUN.\n\
         READS.\n MOVE LOW-VALUES TO R.\n READ F.\n IF FS < \"10\" MOVE N TO SN MOVE P TO SP MOVE B TO SB\n\
         DISPLAY FS \" \" T \" \" SN \" \" SP \" \" SB ELSE DISPLAY \"READ \" FS.\n\
         WRITES.\n MOVE \"Ab 1\" TO T MOVE -12 TO N MOVE 12345 TO P MOVE 258 TO B WRITE R DISPLAY \"WRITE \" FS.\n\
         MOVE \"zZ[9]\" TO T MOVE 7 TO N MOVE -1 TO P MOVE -2 TO B WRITE R DISPLAY \"WRITE \" FS.\n"
    )
}

const COPYBOOK: &str = "01 R.\n 05 T PIC X(6).\n 05 N PIC S9(3).\n 05 P PIC S9(5) COMP-3.\n 05 B PIC S9(8) COMP.\n";
const FIXED: &str = "\n RECORD CONTAINS 16 CHARACTERS";
const VARYING: &str = "\n RECORD IS VARYING IN SIZE FROM 9 TO 16 CHARACTERS DEPENDING ON L";

/// The two records as the mainframe has them, code page 1047.
const RECORDS: [[u8; 16]; 2] = [
    *b"\xC1\x82\x40\xF1\x40\x40\xF0\xF1\xD2\x12\x34\x5C\x00\x00\x01\x02",
    *b"\xA9\xE9\xAD\xF9\xBD\x40\xF0\xF0\xC7\x00\x00\x1D\xFF\xFF\xFF\xFE",
];
const READ: &str = "OPEN 00\n00 Ab 1   -012 +12345 +00000258\n00 zZ[9]  +007 -00001 -00000002\nREAD 10\nCLOSE 00\n";
const WROTE: &str = "OPEN 00\nWRITE 00\nWRITE 00\nCLOSE 00\n";

struct Programs {
    place: Workplace,
    both: [PathBuf; 2],
}

/// The same program, interposed and compiled with `-fcallfh=CICAFH`.
fn programs(name: &str, source: &str) -> Programs {
    let place = Workplace::with_catalog(name);
    std::fs::write(place.0.join("r.cpy"), COPYBOOK).unwrap();
    let both = [place.compile("seq", source), place.compile_extfh("seqfh", source)];
    Programs { place, both }
}

impl Programs {
    fn says(&self, program: &Path, dd: &str, what: &str) -> (String, String) {
        self.says_of("W", program, dd, what)
    }

    /// The same, and told is what has this severity or a higher one.
    fn says_of(&self, severity: &str, program: &Path, dd: &str, what: &str) -> (String, String) {
        let mut command = self.place.command(program);
        if program.ends_with("seqfh") {
            command.env_remove("LD_PRELOAD");
        }
        command.env("CICA_MESSAGES", severity);
        let done = command.env("DD_F", dd).arg(what).output().unwrap();
        (stdout(&done), stderr(&done))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.0.join(name)
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }
}

/// Enters a data set of this format; where its file lies.
fn enter(place: &Workplace, name: &str, format: &str) -> PathBuf {
    let cards = format!("DEFINE NONVSAM (NAME({name}) DEVICETYPES(3390) VOLUMES(*))\n");
    common::idcams(&place.session(), &cards).unwrap();
    let session = place.session();
    let name = Name::parse(name).unwrap();
    let catalog = session.catalog.home(&name).unwrap();
    let changed: Result<PathBuf, cica_catalog::CatalogError> = catalog.transact(|contents| {
        let Entry::NonVsam(data_set) = contents.get(&name)?.clone() else {
            panic!("{name} is not there")
        };
        let format = format.to_string();
        contents.replace(
            &name,
            Entry::NonVsam(NonVsam {
                format,
                ..data_set.clone()
            }),
        )?;
        Ok(catalog.file_path(&data_set)?.unwrap())
    });
    changed.unwrap()
}

#[test]
fn a_file_in_ebcdic_is_translated_field_by_field_where_a_copybook_is_named() {
    let programs = programs("seq-copybook", &program("SEQUENTIAL", FIXED));
    let place = &programs.place;
    let entered = enter(place, "UNLOADED", "RECFM=FB,LRECL=16,CODEPAGE=1047");
    let path = programs.path("x.dat").display().to_string();
    for program in &programs.both {
        for (dd, file) in [
            (format!("{path},CODEPAGE=1047,COPYBOOK=r.cpy"), PathBuf::from(&path)),
            (
                format!("{path},COPYBOOK=r.cpy,CCSID=1047,RECFM=FB,LRECL=16"),
                PathBuf::from(&path),
            ),
            ("DSN=UNLOADED,DISP=SHR,COPYBOOK=r.cpy".into(), entered.clone()),
        ] {
            let _ = std::fs::remove_file(&file);
            let wrote = programs.says(program, &dd, "output");
            assert_eq!(wrote, (WROTE.into(), String::new()), "{dd}");
            assert_eq!(std::fs::read(&file).unwrap(), RECORDS.concat(), "{dd}");
            assert_eq!(
                programs.says(program, &dd, "input"),
                (READ.into(), String::new()),
                "{dd}"
            );
            let more = programs.says(program, &dd, "extend");
            assert_eq!(more, (WROTE.into(), String::new()), "{dd}");
            assert_eq!(std::fs::read(&file).unwrap(), RECORDS.concat().repeat(2), "{dd}");
        }
    }
}

#[test]
fn what_the_catalog_or_the_dd_text_calls_ebcdic_is_characters_throughout() {
    let programs = programs("seq-throughout", &program("SEQUENTIAL", FIXED));
    let place = &programs.place;
    let entered = enter(place, "UNLOADED", "RECFM=FB,LRECL=16,CODEPAGE=1047");
    let cards = "DEFINE CLUSTER (NAME(E.S) REUSE NONINDEXED RECORDSIZE(16 16) TRACKS(1 1) CCSID(1047))\n";
    common::idcams(&place.session(), cards).unwrap();
    let page = CodePage::parse("1047").unwrap();
    let text = "ABCDEF012       ";
    for program in &programs.both {
        std::fs::write(&entered, page.encode(text).unwrap()).unwrap();
        let path = programs.path("y.dat");
        std::fs::copy(&entered, &path).unwrap();
        for dd in ["DSN=UNLOADED".to_string(), format!("{},CODEPAGE=1047", path.display())] {
            let (said, told) = programs.says(program, &dd, "input");
            // The numbers are blanks, as the record has them.
            assert!(said.starts_with("OPEN 00\n00 ABCDEF +012 "), "{dd}: {said}{told}");
            assert_eq!(told, "", "{dd}");
        }
        // Numbers among the characters are seen, once, when they are read and when they are written.
        std::fs::write(&entered, RECORDS.concat()).unwrap();
        let (said, told) = programs.says(program, "DSN=UNLOADED", "input");
        assert!(said.contains("00 Ab 1  "), "{said}{told}");
        let wanted = "CICA1226W FILE F: BYTE 10 OF A RECORD IS X'12', NO CHARACTER";
        assert_eq!(told.matches(wanted).count(), 1, "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        // Bytes as they are for who wants them, without a word.
        let (said, told) = programs.says(program, "DSN=UNLOADED,CODEPAGE=NONE", "input");
        assert!(said.contains("+12345 +00000258") && !said.contains("Ab 1"), "{said}");
        assert_eq!(told, "");
        // A data set of VSAM's the same.
        let (said, told) = programs.says(program, "DSN=E.S", "output");
        assert_eq!(said, WROTE, "{told}");
        assert!(told.contains("CICA1226W"), "{told}");
        let (said, _) = programs.says(program, "DSN=E.S", "input");
        assert!(said.contains("00 Ab 1   -012 +12345 +00000258"), "{said}");
        let (said, told) = programs.says(program, "DSN=E.S,CODEPAGE=NONE", "input");
        assert!(!said.contains("Ab 1") && told.is_empty(), "{said}{told}");
    }
    // What it wrote is EBCDIC in the data set.
    let session = place.session();
    let name = Name::parse("E.S").unwrap();
    let (catalog, cluster) = session.reach(&name).unwrap();
    let data_set = cica_session::open(&catalog, &session.engine, &cluster, Default::default()).unwrap();
    let mut string = data_set.string();
    let record = string.next(cica_engine::Intent::Read).unwrap();
    assert!(
        record.bytes.starts_with(b"\xC1\x82\x40\xF1\x40\x40"),
        "{:02X?}",
        record.bytes
    );
}

#[test]
fn records_of_several_lengths_and_lines_are_read_and_written() {
    let programs = programs("seq-varying", &program("SEQUENTIAL", VARYING));
    for program in &programs.both {
        for (recfm, header) in [("VB", 8), ("V,BDW=NO", 4)] {
            let path = programs.path("v.dat").display().to_string();
            let dd = format!("{path},CODEPAGE=1047,COPYBOOK=r.cpy,RECFM={recfm}");
            let _ = std::fs::remove_file(&path);
            assert_eq!(
                programs.says(program, &dd, "output"),
                (WROTE.into(), String::new()),
                "{recfm}"
            );
            assert_eq!(&programs.bytes("v.dat")[header..][..16], RECORDS[0], "{recfm}");
            assert_eq!(
                programs.says(program, &dd, "input"),
                (READ.into(), String::new()),
                "{recfm}"
            );
        }
        // In ASCII as well: libcob reads its own lengths only.
        let path = programs.path("w.dat").display().to_string();
        let dd = format!("{path},RECFM=VB");
        let _ = std::fs::remove_file(&path);
        assert_eq!(programs.says(program, &dd, "output"), (WROTE.into(), String::new()));
        assert_eq!(&programs.bytes("w.dat")[8..14], b"Ab 1  ");
        assert_eq!(programs.says(program, &dd, "input"), (READ.into(), String::new()));
    }
}

#[test]
fn bufno_moves_so_many_blocks_with_a_request_and_counts_them() {
    let programs = programs("seq-bufno", &program("SEQUENTIAL", FIXED));
    let entered = enter(&programs.place, "BLOCKED", "RECFM=FB,LRECL=16,BLKSIZE=16");
    let path = programs.path("b.dat").display().to_string();
    let counted = |told: &str, name: &str, requests: u32| {
        let wanted = format!("CICA1227I {name}: 2 BLOCKS WERE MOVED BY {requests} REQUESTS");
        assert_eq!(
            (told.matches(&wanted).count(), told.lines().count()),
            (1, 1),
            "{wanted}: {told}"
        );
    };
    for program in &programs.both {
        for (bufno, requests) in [(1, 2), (2, 1), (255, 1)] {
            let dd = format!("{path},RECFM=FB,LRECL=16,BLKSIZE=16,BUFNO={bufno}");
            let _ = std::fs::remove_file(&path);
            let (said, told) = programs.says_of("I", program, &dd, "output");
            assert_eq!(said, WROTE);
            counted(&told, &path, requests);
            assert_eq!(programs.bytes("b.dat").len(), 32);
            let (said, told) = programs.says_of("I", program, &dd, "input");
            assert_eq!(said, READ);
            counted(&told, &path, requests);
        }
        // The catalog knows the format, and a record alone is a block of RECFM=F.
        std::fs::copy(&path, &entered).unwrap();
        let (said, told) = programs.says_of("I", program, "DSN=BLOCKED,BUFNO=1", "input");
        assert_eq!(said, READ);
        counted(&told, "BLOCKED", 2);
        let (said, told) = programs.says_of("I", program, &format!("{path},BUFNO=1"), "input");
        assert_eq!(said, READ);
        counted(&told, &path, 2);
        // What cannot be changes nothing.
        for (wrong, why) in [
            ("BUFNO=0", "BUFNO=0 is no number from 1 to 255"),
            ("BUFNO=256", "BUFNO=256 is no number from 1 to 255"),
            ("BUFNO=", "BUFNO= is no number from 1 to 255"),
            ("RECFM=VB,BUFNO=5", "BUFNO takes F, FB and U"),
        ] {
            let (said, told) = programs.says_of("I", program, &format!("{path},{wrong}"), "output");
            assert!(
                !said.contains("WRITE 00") && told.contains(why),
                "{wrong}: {said}{told}"
            );
            assert_eq!(programs.bytes("b.dat").len(), 32);
        }
    }
}

#[test]
fn lines_in_ebcdic_are_read_and_written() {
    let source =
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. SEQ.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n\
         SELECT F ASSIGN \"F\" ORGANIZATION LINE SEQUENTIAL FILE STATUS FS.\nDATA DIVISION.\nFILE SECTION.\nFD F.\n\
         01 R PIC X(10).\nWORKING-STORAGE SECTION.\n01 FS PIC XX.\n01 WHAT PIC X(8).\nPROCEDURE DIVISION.\nM.\n\
         ACCEPT WHAT FROM ARGUMENT-VALUE.\nIF WHAT = \"output\" OPEN OUTPUT F\nMOVE \"One\" TO R WRITE R\n\
         MOVE SPACES TO R WRITE R MOVE \"0123456789\" TO R WRITE R DISPLAY FS ELSE OPEN INPUT F DISPLAY FS\n\
         PERFORM UNTIL FS > \"09\" MOVE ALL \"*\" TO R READ F IF FS < \"10\" DISPLAY FS \" [\" R \"]\" END-IF\n\
         END-PERFORM END-IF.\nCLOSE F.\nSTOP RUN.\n";
    let programs = programs("seq-lines", source);
    let entered = enter(&programs.place, "LINES", "CODEPAGE=1047");
    let path = programs.path("l.txt");
    for program in &programs.both {
        for (dd, file) in [
            (format!("{},CODEPAGE=1047", path.display()), &path),
            ("DSN=LINES".into(), &entered),
        ] {
            let _ = std::fs::remove_file(file);
            assert_eq!(
                programs.says(program, &dd, "output"),
                ("00\n".into(), String::new()),
                "{dd}"
            );
            let wanted = b"\xD6\x95\x85\x15\x15\xF0\xF1\xF2\xF3\xF4\xF5\xF6\xF7\xF8\xF9\x15";
            assert_eq!(std::fs::read(file).unwrap(), wanted, "{dd}");
            let read = "00\n00 [One       ]\n00 [          ]\n00 [0123456789]\n";
            assert_eq!(
                programs.says(program, &dd, "input"),
                (read.into(), String::new()),
                "{dd}"
            );
        }
    }
}

#[test]
fn a_generation_that_is_not_vsam_is_opened_through_extfh_as_well() {
    let programs = programs("seq-generation", &program("SEQUENTIAL", FIXED));
    let place = &programs.place;
    let cards = "DEFINE GDG (NAME(G.BKUP) LIMIT(3))\n";
    common::idcams(&place.session(), cards).unwrap();
    let old = enter(place, "G.BKUP.G0001V00", "RECFM=FB,LRECL=16");
    let new = enter(place, "G.BKUP.G0002V00", "RECFM=FB,LRECL=16,CODEPAGE=1047");
    let path = old.display().to_string();
    let first = &programs.both[0];
    assert_eq!(programs.says(first, &format!("{path},RECFM=F"), "output").0, WROTE);
    std::fs::write(new, RECORDS.concat()).unwrap();
    for program in &programs.both {
        for dd in [
            "DSN=G.BKUP(-1),DISP=SHR",
            "//G.BKUP.G0001V00",
            "DSN=G.BKUP(0),COPYBOOK=r.cpy",
        ] {
            assert_eq!(
                programs.says(program, dd, "input"),
                (READ.into(), String::new()),
                "{dd}"
            );
        }
        let (said, told) = programs.says(program, "DSN=G.BKUP(-2)", "input");
        assert!(
            said.starts_with("OPEN 35") && told.contains("no generation (-2)"),
            "{said}{told}"
        );
    }
    // Written to through EXTFH too.
    let described = &programs.both[1];
    assert_eq!(
        programs.says(described, "DSN=G.BKUP(-1)", "output"),
        (WROTE.into(), String::new())
    );
    assert_eq!(programs.says(described, "DSN=G.BKUP(-1)", "input").0, READ);
}

#[test]
fn what_cannot_be_is_refused_with_words() {
    let programs = programs("seq-wrong", &program("SEQUENTIAL", FIXED));
    let [interposed, _] = &programs.both;
    let path = programs.path("z.dat").display().to_string();
    std::fs::write(&path, RECORDS.concat()).unwrap();
    let cases = [
        ("CODEPAGE=1047", "i-o", "37", "not changed"),
        ("CODEPAGE=1047,RECFM=FB,LRECL=80", "input", "39", "those of the file 80"),
        ("CODEPAGE=1047,COPYBOOK=none.cpy", "input", "39", "none.cpy"),
        ("COPYBOOK=r.cpy", "input", "39", "CODEPAGE is missing"),
        ("CODEPAGE=4711", "input", "31", "no code page is called '4711'"),
        ("CODEPAGE=1047,COPYBOK=r.cpy", "input", "31", "COPYBOK is no operand"),
        ("CODEPAGE=NONE,COPYBOOK=r.cpy", "input", "31", "nothing is translated"),
        ("SIGN=EBCDIC", "input", "31", "need COPYBOOK"),
        ("RECFM=Q", "input", "31", "is no record format"),
    ];
    for program in &programs.both {
        for (dd, mode, status, words) in cases {
            let (said, told) = programs.says(program, &format!("{path},{dd}"), mode);
            assert!(said.starts_with(&format!("OPEN {status}")), "{dd}: {said}{told}");
            assert!(told.contains(words), "{dd}: {told}");
        }
        let (said, _) = programs.says(program, &format!("{path}.gone,CODEPAGE=1047"), "input");
        assert!(said.starts_with("OPEN 35"), "{said}");
        let (said, _) = programs.says(program, &format!("{path}/x,CODEPAGE=1047"), "output");
        assert!(said.starts_with("OPEN 30"), "{said}");
        let (said, _) = programs.says(program, &format!("{path}.gone/x,CODEPAGE=1047"), "output");
        assert!(said.starts_with("OPEN 30"), "{said}");
        let (said, _) = programs.says(program, &format!("{path}.gone,CODEPAGE=1047"), "extend");
        assert!(said.starts_with("OPEN 35"), "{said}");
    }
    // A file that ends in the middle of a record, and one that has lost its descriptors.
    std::fs::write(&path, &RECORDS.concat()[..20]).unwrap();
    let (said, told) = programs.says(interposed, &format!("{path},CODEPAGE=1047,COPYBOOK=r.cpy"), "input");
    assert!(said.contains("00 Ab 1") && said.contains("READ 30"), "{said}");
    assert!(told.contains("CICA1208E") && told.contains("z.dat"), "{told}");
    let varying = programs.place.compile("varying", &program("SEQUENTIAL", VARYING));
    let (said, told) = programs.says(&varying, &format!("{path},CODEPAGE=1047"), "input");
    assert!(
        said.starts_with("OPEN 39") && told.contains("RECFM=V or VB"),
        "{said}{told}"
    );
    // What is written is not there before it is whole.
    let dd = format!("{path},CODEPAGE=1047,COPYBOOK=r.cpy");
    let (said, _) = programs.says(interposed, &dd, "output");
    assert_eq!((said.as_str(), programs.bytes("z.dat")), (WROTE, RECORDS.concat()));
    // A path may have commas.
    let odd = programs.path("a,b.dat");
    std::fs::write(&odd, b"Ab 1  012\x12\x34\x5C\0\0\x01\x02").unwrap();
    let (said, told) = programs.says(interposed, &odd.display().to_string(), "input");
    assert!(said.contains("00 Ab 1   +012 +12345"), "{said}{told}");
}

#[test]
fn sort_reads_and_writes_files_in_ebcdic() {
    let source = "IDENTIFICATION DIVISION.\nPROGRAM-ID. SORTS.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\n\
         FILE-CONTROL.\nSELECT F ASSIGN \"F\" ORGANIZATION SEQUENTIAL FILE STATUS FS.\n\
         SELECT G ASSIGN \"G\" ORGANIZATION SEQUENTIAL FILE STATUS FS.\nSELECT W ASSIGN \"W\".\n\
         DATA DIVISION.\nFILE SECTION.\nFD F.\n01 R PIC X(8).\nFD G.\n01 S PIC X(8).\nSD W.\n01 V.\n\
         05 K PIC X(4).\n05 FILLER PIC X(4).\nWORKING-STORAGE SECTION.\n01 FS PIC XX.\nPROCEDURE DIVISION.\n\
         SORT W ON ASCENDING KEY K USING F GIVING G\nSTOP RUN.\n";
    let place = Workplace::with_catalog("seq-sort");
    let program = place.compile("sorts", source);
    let page = CodePage::parse("1047").unwrap();
    std::fs::write(place.0.join("f.bin"), page.encode("zeta0001Alfa00020bet0003").unwrap()).unwrap();
    let mut command = place.command(&program);
    for (name, file) in [("DD_F", "f.bin"), ("DD_G", "g.bin")] {
        command.env(name, format!("{},CODEPAGE=1047", place.0.join(file).display()));
    }
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", stderr(&done));
    // The program's order, which is that of ASCII.
    let sorted = std::fs::read(place.0.join("g.bin")).unwrap();
    assert_eq!(sorted, page.encode("0bet0003Alfa0002zeta0001").unwrap());
}

#[test]
fn what_is_not_whole_has_no_name() {
    let source = "IDENTIFICATION DIVISION.\nPROGRAM-ID. ENDS.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\n\
         FILE-CONTROL.\nSELECT F ASSIGN \"F\" ORGANIZATION SEQUENTIAL FILE STATUS FS.\nDATA DIVISION.\nFILE SECTION.\n\
         FD F.\n01 R PIC X(8).\nWORKING-STORAGE SECTION.\n01 FS PIC XX.\n01 WHAT PIC X(8).\nPROCEDURE DIVISION.\n\
         ACCEPT WHAT FROM ARGUMENT-VALUE\nOPEN OUTPUT F MOVE \"newnew01\" TO R WRITE R\n\
         IF WHAT = \"kill\" CALL \"raise\" USING BY VALUE 9 END-IF\n\
         IF WHAT = \"term\" CALL \"raise\" USING BY VALUE 15 END-IF\nSTOP RUN.\n";
    let place = Workplace::with_catalog("seq-ends");
    let program = place.compile("ends", source);
    let file = place.0.join("f.bin");
    let page = CodePage::parse("1047").unwrap();
    for (how, kept) in [("kill", true), ("term", true), ("stop", false)] {
        std::fs::write(&file, "old").unwrap();
        let mut command = place.command(&program);
        command
            .env("DD_F", format!("{},CODEPAGE=1047", file.display()))
            .arg(how);
        let done = command.output().unwrap();
        assert_eq!(done.status.success(), !kept, "{how}: {}", stderr(&done));
        let wanted = if kept {
            b"old".to_vec()
        } else {
            page.encode("newnew01").unwrap()
        };
        assert_eq!(std::fs::read(&file).unwrap(), wanted, "{how}");
        let left = std::fs::read_dir(&place.0).unwrap().filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            name.to_string_lossy().starts_with("f.bin") && name != "f.bin"
        });
        assert_eq!(left.count(), 0, "{how}");
    }
}

/// A data set may have the name that a file is assigned to: while its catalog cannot be asked, nothing is written or
/// read under that name anywhere else.
#[test]
fn a_catalog_that_cannot_be_asked_is_not_passed_over() {
    let programs = programs("unasked", &program("SEQUENTIAL", FIXED));
    let place = &programs.place;
    let cards = " DEFINE USERCATALOG (NAME(UCAT.ONE) CYLINDERS(1) VOLUMES(CICA01))\n \
                 DEFINE ALIAS (NAME(ONE) RELATE(UCAT.ONE))\n";
    common::idcams(&place.session(), cards).unwrap();
    let [program, _] = &programs.both;
    assert_eq!(programs.says(program, "OTHER.LINES", "output").0, WROTE);
    std::fs::write(place.0.join("catalog/volumes/CICA01/UCAT.ONE/catalog"), b"nonsense").unwrap();
    let files = || std::fs::read_dir(&place.0).unwrap().count();
    let before = files();
    for what in ["output", "input", "extend"] {
        let (said, told) = programs.says(program, "ONE.LINES", what);
        assert!(said == "OPEN 30\n" && told.contains("UCAT.ONE"), "{what}: {said}{told}");
    }
    assert_eq!(files(), before);
    // One of no catalog's alias is libcob's as ever.
    assert_eq!(programs.says(program, "OTHER.LINES", "input").0, READ);
}

/// An output of libcob's that names a component or a catalog by mistake leaves it as it is, and so does DELETE FILE.
#[test]
fn no_output_of_libcobs_takes_the_place_of_what_data_sets_are_kept_in() {
    let deletes =
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. DEL.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n\
                   SELECT F ASSIGN \"F\" ORGANIZATION LINE SEQUENTIAL FILE STATUS FS.\n\
                   SELECT G ASSIGN \"F\" ORGANIZATION SEQUENTIAL FILE STATUS FS.\n\
                   DATA DIVISION.\nFILE SECTION.\nFD F.\n01 R PIC X(9).\nFD G.\n01 Q PIC X(9).\n\
                   WORKING-STORAGE SECTION.\n01 FS PIC XX.\nPROCEDURE DIVISION.\n\
                   DELETE FILE F. DISPLAY FS. DELETE FILE G. DISPLAY FS. STOP RUN.\n";
    for organization in ["SEQUENTIAL", "LINE SEQUENTIAL"] {
        let programs = programs("seq-own", &program(organization, FIXED));
        let place = &programs.place;
        let cards = "DEFINE CLUSTER (NAME(OWN.K) INDEXED KEYS(8 0) RECORDSIZE(16 16) TRACKS(1 1))\n";
        common::idcams(&place.session(), cards).unwrap();
        let files = std::fs::read_dir(place.catalog())
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let own: Vec<(PathBuf, Vec<u8>)> = files
            .filter(|path| path.is_file())
            .map(|path| (path.clone(), std::fs::read(path).unwrap()))
            .filter(|file| file.1.starts_with(b"CICA"))
            .collect();
        assert!(own.len() >= 2, "{own:?}");
        let link = programs.path("link");
        std::os::unix::fs::symlink(&own[0].0, &link).unwrap();
        let deletes = place.compile("deletes", deletes);
        for path in own.iter().map(|file| &file.0).chain([&link]) {
            let dd = path.display().to_string();
            for (program, what) in programs.both.iter().zip(["output", "extend"].iter().cycle()) {
                let (out, told) = programs.says_of("E", program, &dd, what);
                assert!(
                    out == "OPEN 37\n" && told.contains("CICA1228E"),
                    "{what} {dd}: {out} {told}"
                );
            }
            let (out, told) = programs.says_of("E", &deletes, &dd, "");
            assert!(out == "37\n37\n" && told.contains("CICA1228E"), "{dd}: {out} {told}");
        }
        for (path, bytes) in &own {
            assert_eq!(&std::fs::read(path).unwrap(), bytes, "{}", path.display());
        }
    }
}
