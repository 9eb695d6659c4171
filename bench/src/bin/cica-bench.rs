//! The driver: `cica-bench ops` and `cica-bench step`.

use std::process::ExitCode;

use cica_bench::{flags::Flags, ops, peer::Result, step};

const USAGE: &str = "\
usage: cica-bench ops  --dir DIR [--records 5000000] [--ops 1000000] [--rounds 3] [--batch 1000] [--cache-mib 2048]
                       [--commit-seconds 3] [--json FILE]
                       [--engines none,lmdb,bdb,bdb-tx,rocksdb,wiredtiger,sqlite,cica,cica-16k]
       cica-bench step --dir DIR [--runs 15] [--engines none,lmdb,bdb,rocksdb,wiredtiger,sqlite,cica] [--json FILE]
DIR should be on the kind of disk that data sets live on. What is left in it afterwards may be removed.";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("cica-bench: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("ops") => ops::main(Flags::parse(&args[1..])?),
        Some("step") => step::main(Flags::parse(&args[1..])?),
        _ => Err(USAGE.into()),
    }
}
