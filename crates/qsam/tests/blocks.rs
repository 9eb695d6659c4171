//! A file read and written by blocks: the records are the same, and each request to the file moves what the buffers
//! hold.

#![allow(clippy::unwrap_used)]

mod common;

use cica_qsam::{BlockBufferError, BlockBuffers, BlockCounts, BlockInput, BlockOutput, Reader, Writer};
use common::attributes;
use std::io::{self, Read, Write};

/// A file, and how many bytes each request moved.
#[derive(Default)]
struct Asked {
    bytes: Vec<u8>,
    at: usize,
    requests: Vec<usize>,
}

impl Read for Asked {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = to.len().min(self.bytes.len() - self.at);
        to[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
        self.at += count;
        if count > 0 {
            self.requests.push(count);
        }
        Ok(count)
    }
}

impl Write for Asked {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        self.requests.push(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn counts(requests: u64, blocks: u64) -> BlockCounts {
    let mut counts = BlockCounts::default();
    (counts.requests, counts.blocks, counts.block_size) = (requests, blocks, 1000);
    counts
}

#[test]
fn a_request_moves_as_many_blocks_as_there_are_buffers() {
    // 1,003 records of 100 bytes are 100 blocks of ten and one of three.
    let dd = attributes("RECFM=FB,LRECL=100,BLKSIZE=1000");
    for (bufno, requests) in [(1, 101), (2, 51), (0, 21), (5, 21), (30, 4), (32, 4), (255, 4)] {
        let buffers = BlockBuffers::new(&dd, bufno).unwrap();
        let mut writer = Writer::new(BlockOutput::new(Asked::default(), buffers), &dd).unwrap();
        for n in 0..1003u32 {
            writer.put(&n.to_be_bytes().repeat(25)).unwrap();
        }
        let output = writer.finish().unwrap();
        assert_eq!(output.counts(), counts(requests, 101), "BUFNO {bufno}");
        let mut file = output.into_inner();
        assert_eq!(file.requests.len() as u64, requests);
        let (last, others) = file.requests.split_last().unwrap();
        assert!(others.iter().all(|&bytes| bytes == buffers.chain() * 1000));
        assert_eq!(last + others.iter().sum::<usize>(), 100_300);
        let written = std::mem::take(&mut file.requests);

        let input = BlockInput::new(file, buffers);
        let mut reader = Reader::new(input, &dd).unwrap();
        for n in 0..1003u32 {
            assert_eq!(reader.next().unwrap(), Some(&n.to_be_bytes().repeat(25)[..]));
        }
        assert_eq!(reader.next().unwrap(), None);
        let input = reader.into_inner();
        assert_eq!(input.counts(), counts(requests, 101));
        assert_eq!(input.into_inner().requests, written);
    }
}

#[test]
fn a_request_moves_240_k_at_most_and_a_block_at_least() {
    let chain = |options: &str, bufno| BlockBuffers::new(&attributes(options), bufno).unwrap().chain();
    assert_eq!(chain("RECFM=FB,LRECL=400,BLKSIZE=23200", 32), 10);
    assert_eq!(chain("RECFM=FB,LRECL=400,BLKSIZE=4000", 32), 30);
    assert_eq!(chain("RECFM=FB,LRECL=400,BLKSIZE=4000", 24), 24);
    assert_eq!(chain("RECFM=F,LRECL=80", 0), 5);
    assert_eq!(chain("RECFM=FB,LRECL=32000,BLKSIZE=256000", 5), 1);
    let buffers = BlockBuffers::new(&attributes("RECFM=FB,LRECL=400,BLKSIZE=23200"), 32).unwrap();
    assert_eq!(buffers.space(), 742_400);
}

#[test]
fn blocks_without_one_length_are_refused() {
    let refused = |options: &str| BlockBuffers::new(&attributes(options), 5).unwrap_err();
    for options in ["RECFM=VB,LRECL=100", "RECFM=VBS", "RECFM=TEXT"] {
        let error = refused(options);
        assert!(matches!(error, BlockBufferError::NotFixed { .. }), "{options}");
        assert!(error.to_string().contains("F, FB and U"), "{error}");
    }
    assert_eq!(refused("RECFM=FB,LRECL=100"), BlockBufferError::NoBlockSize);
    assert!(refused("RECFM=U").to_string().contains("BLKSIZE="));
}
