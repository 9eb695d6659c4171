//! What comes from outside: DD texts, code pages, sequential files, portable copies, control cards.

use cica_idcams::{run, Act, Command, Source, Stamp, Style, Sysprint};
use cica_portable::{Intervals, Reader as CopyReader, Records};
use cica_qsam::{CodePage, DdText, Reader, Writer};

pub fn dd_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = DdText::parse(&text);
}

pub fn dd_texts() -> Vec<Vec<u8>> {
    [
        "cards.bin,RECFM=FB,LRECL=80,CODEPAGE=1047",
        "a,RECFM=VBS,LRECL=32760,BLKSIZE=27998,BDW=YES",
        "'with, comma',RECFM=U",
        "DSN=A.B.C",
        "text,RECFM=TEXT",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}

/// Every byte has a character, and that character the byte.
pub fn code_page(bytes: &[u8]) {
    let Some((&which, rest)) = bytes.split_first() else {
        return;
    };
    const PAGES: [u16; 8] = [37, 273, 285, 500, 819, 1047, 1140, 1148];
    let Some(page) = CodePage::from_ccsid(PAGES[usize::from(which) % PAGES.len()]) else {
        return;
    };
    let text = page.decode(rest);
    if let Ok(again) = page.encode(&text) {
        assert_eq!(again, rest, "{}", page.ccsid());
    }
    let _ = page.encode(&String::from_utf8_lossy(rest));
    let _ = CodePage::parse(&String::from_utf8_lossy(rest));
}

pub fn code_pages() -> Vec<Vec<u8>> {
    (0..8)
        .map(|page| {
            (0..=255).fold(vec![page], |mut all, byte| {
                all.push(byte);
                all
            })
        })
        .collect()
}

const FORMATS: [&str; 10] = [
    "RECFM=F,LRECL=20",
    "RECFM=FB,LRECL=80",
    "RECFM=V",
    "RECFM=VB",
    "RECFM=VB,BDW=NO",
    "RECFM=VS",
    "RECFM=VBS",
    "RECFM=U,BLKSIZE=100",
    "RECFM=TEXT",
    "RECFM=VBS,LRECL=100",
];

/// A file in the format that the first byte names. What is read is written, and read again as the same.
pub fn sequential(bytes: &[u8]) {
    let Some((&which, file)) = bytes.split_first() else {
        return;
    };
    let format = FORMATS[usize::from(which) % FORMATS.len()];
    let Ok(dd) = DdText::parse(&format!("-,{format}")) else {
        return;
    };
    let Ok(mut reader) = Reader::new(file, &dd.attributes) else {
        return;
    };
    let mut records = Vec::new();
    while let Ok(Some(record)) = reader.next() {
        records.push(record.to_vec());
        assert!(records.len() <= bytes.len() + 1, "more records than bytes");
    }
    let Ok(mut writer) = Writer::new(Vec::new(), &dd.attributes) else {
        return;
    };
    let mut written = Vec::new();
    for record in &records {
        if writer.put(record).is_ok() {
            written.push(record);
        }
    }
    let Ok(out) = writer.finish() else { return };
    if which % 10 >= 2 && which % 10 <= 6 {
        let Ok(mut reader) = Reader::new(&out[..], &dd.attributes) else {
            return;
        };
        let mut again = written.iter();
        while let Ok(Some(record)) = reader.next() {
            assert_eq!(again.next().map(|r| r.as_slice()), Some(record));
        }
        assert!(again.next().is_none(), "{format}: records are lost");
    }
}

pub fn sequentials() -> Vec<Vec<u8>> {
    let mut samples = Vec::new();
    for (which, format) in FORMATS.iter().enumerate() {
        let Ok(dd) = DdText::parse(&format!("-,{format}")) else {
            continue;
        };
        let Ok(mut writer) = Writer::new(Vec::new(), &dd.attributes) else {
            continue;
        };
        for record in [&b"a record"[..], b"", b"a second one", &[7; 90], &[0xC1; 200]] {
            let _ = writer.put(record);
        }
        if let Ok(file) = writer.finish() {
            samples.push([&[which as u8][..], &file].concat());
        }
    }
    samples
}

/// A portable copy, and what its blocks hold.
pub fn portable(bytes: &[u8]) {
    if let Ok(mut reader) = CopyReader::new(bytes) {
        while let Ok(Some(_)) = reader.next() {}
    }
    let mut records = Records::default();
    for piece in bytes.chunks(50) {
        records.add(piece);
        while let Ok(Some(_)) = records.next() {}
    }
    let mut intervals = Intervals::new(bytes, 64);
    while let Ok(Some(_)) = intervals.run() {
        while let Ok(Some(_)) = intervals.control_interval() {}
    }
    let _ = cica_format::portable::Member::decode(bytes);
}

pub fn portables() -> Vec<Vec<u8>> {
    use cica_format::portable::{ci_head, record_head, CiRun, Head};
    let head = Head {
        id: 1,
        created: 2,
        members: 1,
    };
    let mut records = Vec::new();
    for record in [&b"one"[..], b"another"] {
        records.extend_from_slice(&record_head(record.len() as u32, 0));
        records.extend_from_slice(record);
    }
    let run = CiRun {
        ca: 0,
        flags: 0,
        next_free: u32::MAX,
        count: 1,
    };
    let intervals = [&run.encode()[..], &ci_head(0, 1), &[7; 64]].concat();
    vec![head.encode().to_vec(), records, intervals]
}

/// Control cards: parsed, and refused or handed on; nothing is carried out.
pub fn cards(bytes: &[u8]) {
    struct Nothing;
    impl Act for Nothing {
        fn act(&mut self, _: &Command, _: &mut Sysprint) -> u8 {
            0
        }
    }
    let mut listing = Vec::new();
    let mut out = Sysprint::new(&mut listing, Style::Plain, Stamp::from_unix(0));
    let maxcc = run(Source::from_bytes(bytes), &mut Nothing, &mut out);
    // SET MAXCC takes any number up to the highest.
    assert!(maxcc <= 16);
}

pub fn card_texts() -> Vec<Vec<u8>> {
    [
        " DEFINE CLUSTER (NAME(A.B) INDEXED KEYS(8 0) RECORDSIZE(80 80) -\n CYLINDERS(1 1)) DATA(CISZ(4096))\n",
        " IF LASTCC > 4 THEN DO\n  DELETE A.B PURGE\n END\n ELSE SET MAXCC = 0\n",
        " REPRO INFILE(IN) OUTDATASET(A.B) FROMKEY('A''B') COUNT(X'10') /* words */\n",
        " PRINT IDS(A.B) HEX SKIP(3)\n LISTCAT LVL(A) ALL\n PARM MARGINS(2 72)\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
