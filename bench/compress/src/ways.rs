//! The ways that are compared.

use cica_compress::Dictionary;
use std::ffi::c_int;
use zstd::zstd_safe::{CCtx, CDict, CParameter, DCtx, DDict, DParameter, FrameFormat};

/// A way to compress a record.
pub trait Way {
    fn compress(&mut self, record: &[u8], out: &mut Vec<u8>);
    fn expand(&mut self, packed: &[u8], out: &mut Vec<u8>);
}

/// What they are called, in the order of [`all`].
pub const NAMES: [&str; 6] = [
    "zstd 1, dictionary",
    "zstd 3, dictionary",
    "LZ4, dictionary",
    "FSST",
    "run lengths",
    "**cica-compress**",
];

/// Bytes of a dictionary of zstd and LZ4.
const DICTIONARY: usize = 16 << 10;
/// Longest record.
const LONGEST: usize = 8192;

/// All of them, trained.
pub fn all(samples: &[&[u8]]) -> Vec<Box<dyn Way>> {
    let text = zstd::dict::from_samples(samples, DICTIONARY).expect("a dictionary");
    vec![
        Box::new(Zstd::new(&text, 1)),
        Box::new(Zstd::new(&text, 3)),
        Box::new(Lz4::new(text)),
        Box::new(fsst::Compressor::train(&samples.to_vec())),
        Box::new(Runs),
        Box::new(Dictionary::train(samples.iter().copied(), 0).expect("a dictionary")),
    ]
}

impl Way for Dictionary {
    fn compress(&mut self, record: &[u8], out: &mut Vec<u8>) {
        if !Dictionary::compress(self, record, out) {
            out.extend_from_slice(record);
        }
    }

    fn expand(&mut self, packed: &[u8], out: &mut Vec<u8>) {
        Dictionary::expand(self, packed, out, LONGEST).expect("its own bytes");
    }
}

/// Frames without magic number, size, checksum and dictionary id.
struct Zstd {
    compress: CCtx<'static>,
    expand: DCtx<'static>,
    _dictionaries: (&'static CDict<'static>, &'static DDict<'static>),
}

impl Zstd {
    fn new(text: &[u8], level: i32) -> Zstd {
        // They live as long as the program, which is short.
        let with: &'static CDict<'static> = Box::leak(Box::new(CDict::create(text, level)));
        let from: &'static DDict<'static> = Box::leak(Box::new(DDict::create(text)));
        let (mut compress, mut expand) = (CCtx::create(), DCtx::create());
        for parameter in [
            CParameter::CompressionLevel(level),
            CParameter::Format(FrameFormat::Magicless),
            CParameter::ContentSizeFlag(false),
            CParameter::DictIdFlag(false),
            CParameter::ChecksumFlag(false),
        ] {
            compress.set_parameter(parameter).expect("a parameter");
        }
        expand.set_parameter(DParameter::Format(FrameFormat::Magicless)).expect("a parameter");
        compress.ref_cdict(with).expect("a dictionary");
        expand.ref_ddict(from).expect("a dictionary");
        Zstd {
            compress,
            expand,
            _dictionaries: (with, from),
        }
    }
}

impl Way for Zstd {
    fn compress(&mut self, record: &[u8], out: &mut Vec<u8>) {
        out.reserve(record.len() + 100);
        self.compress.compress2(out, record).expect("it has room");
    }

    fn expand(&mut self, packed: &[u8], out: &mut Vec<u8>) {
        out.reserve(LONGEST);
        self.expand.decompress(out, packed).expect("its own bytes");
    }
}

#[repr(C)]
struct Stream([u8; 0]);

extern "C" {
    fn LZ4_createStream() -> *mut Stream;
    fn LZ4_loadDictSlow(stream: *mut Stream, text: *const u8, len: c_int) -> c_int;
    fn LZ4_attach_dictionary(stream: *mut Stream, dictionary: *const Stream);
    fn LZ4_resetStream_fast(stream: *mut Stream);
    fn LZ4_compress_fast_continue(
        stream: *mut Stream,
        from: *const u8,
        to: *mut u8,
        n: c_int,
        room: c_int,
        acceleration: c_int,
    ) -> c_int;
    fn LZ4_decompress_safe_usingDict(
        from: *const u8,
        to: *mut u8,
        n: c_int,
        room: c_int,
        text: *const u8,
        len: c_int,
    ) -> c_int;
}

/// The dictionary's table is made once and attached to each record.
struct Lz4 {
    text: Vec<u8>,
    dictionary: *mut Stream,
    working: *mut Stream,
}

impl Lz4 {
    fn new(text: Vec<u8>) -> Lz4 {
        // The library that has the functions is linked through its crate.
        assert!(lz4_sys::LZ4F_VERSION > 0);
        // SAFETY: the streams are LZ4's own and stay; the text stays with them.
        unsafe {
            let (dictionary, working) = (LZ4_createStream(), LZ4_createStream());
            LZ4_loadDictSlow(dictionary, text.as_ptr(), text.len() as c_int);
            Lz4 {
                text,
                dictionary,
                working,
            }
        }
    }
}

impl Way for Lz4 {
    fn compress(&mut self, record: &[u8], out: &mut Vec<u8>) {
        let room = record.len() + 100;
        out.reserve(room);
        let (from, len) = (record.as_ptr(), record.len() as c_int);
        // SAFETY: there is room for as much as is said, and what is written is counted.
        unsafe {
            LZ4_resetStream_fast(self.working);
            LZ4_attach_dictionary(self.working, self.dictionary);
            let to = out.as_mut_ptr().add(out.len());
            let wrote = LZ4_compress_fast_continue(self.working, from, to, len, room as c_int, 1);
            out.set_len(out.len() + wrote as usize);
        }
    }

    fn expand(&mut self, packed: &[u8], out: &mut Vec<u8>) {
        out.reserve(LONGEST);
        let (from, len) = (packed.as_ptr(), packed.len() as c_int);
        let (text, text_len) = (self.text.as_ptr(), self.text.len() as c_int);
        // SAFETY: there is room for as much as is said, and what is written is counted.
        unsafe {
            let to = out.as_mut_ptr().add(out.len());
            let wrote = LZ4_decompress_safe_usingDict(from, to, len, LONGEST as c_int, text, text_len);
            assert!(wrote >= 0);
            out.set_len(out.len() + wrote as usize);
        }
    }
}

impl Way for fsst::Compressor {
    fn compress(&mut self, record: &[u8], out: &mut Vec<u8>) {
        out.reserve(2 * record.len() + 16);
        // SAFETY: a byte becomes two at the most, and what is written is counted.
        unsafe {
            let wrote = self.compress_into(record, out.spare_capacity_mut());
            out.set_len(out.len() + wrote);
        }
    }

    fn expand(&mut self, packed: &[u8], out: &mut Vec<u8>) {
        out.reserve(8 * packed.len() + 64);
        let wrote = self.decompressor().decompress_into(packed, out.spare_capacity_mut());
        // SAFETY: what was written is counted.
        unsafe { out.set_len(out.len() + wrote) };
    }
}

/// Runs of four and more of one byte.
struct Runs;

impl Way for Runs {
    fn compress(&mut self, record: &[u8], out: &mut Vec<u8>) {
        let plain = |bytes: &[u8], out: &mut Vec<u8>| {
            for piece in bytes.chunks(128) {
                out.push((piece.len() - 1) as u8);
                out.extend_from_slice(piece);
            }
        };
        let (mut at, mut begin) = (0, 0);
        while at < record.len() {
            let run = record[at..].iter().take(130).take_while(|byte| **byte == record[at]).count();
            if run >= 4 {
                plain(&record[begin..at], out);
                out.extend_from_slice(&[128 + (run - 3) as u8, record[at]]);
                begin = at + run;
            }
            at += run;
        }
        plain(&record[begin..], out);
    }

    fn expand(&mut self, packed: &[u8], out: &mut Vec<u8>) {
        let mut at = 0;
        while let Some(&count) = packed.get(at) {
            let count = usize::from(count);
            match count < 128 {
                true => {
                    out.extend_from_slice(&packed[at + 1..at + count + 2]);
                    at += count + 2;
                }
                false => {
                    out.resize(out.len() + count - 125, packed[at + 1]);
                    at += 2;
                }
            }
        }
    }
}
