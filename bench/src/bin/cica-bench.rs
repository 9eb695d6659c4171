//! The driver: `cica-bench ops`, `cica-bench load`, `cica-bench grow`, `cica-bench kill` and `cica-bench step`.

use std::process::ExitCode;

use cica_bench::{flags::Flags, grow, kill, load, ops, peer::Result, step};

const USAGE: &str = "\
usage: cica-bench ops  --dir DIR [--records 5000000] [--ops 1000000] [--rounds 3] [--batch 1000] [--cache-mib 2048]
                       [--commit-seconds 3] [--json FILE]
                       [--engines none,lmdb,bdb,bdb-tx,rocksdb,wiredtiger,sqlite,fjall,redb,cica,cica-16k,cica-18k]
       cica-bench load --dir DIR [--records 5000000] [--ops 0] [--rounds 3] [--batch 1000] [--cache-mib 2048]
                       [--json FILE]
                       [--engines none,lmdb,bdb,bdb-tx,rocksdb,wiredtiger,sqlite,fjall,redb,cica,cica-16k,cica-18k]
       cica-bench grow --dir DIR [--records 1000000] [--ops 200000] [--batch 1000] [--cache-mib 2048]
                       [--kill-after-ms 2000] [--json FILE]
                       [--engines none,lmdb,bdb-tx,rocksdb,wiredtiger,sqlite,fjall,redb,cica,cica-16k,cica-18k]
       cica-bench kill --dir DIR [--records 1000000] [--rounds 3] [--work updates|inserts] [--kill-after-ms 2000]
                       [--batch 1000] [--cache-mib 2048] [--json FILE]
                       [--engines none,lmdb,bdb-tx,rocksdb,wiredtiger,sqlite,fjall,redb,cica,cica-16k,cica-18k]
       cica-bench step --dir DIR [--runs 15] [--engines none,lmdb,bdb,rocksdb,wiredtiger,sqlite,redb,cica]
                       [--json FILE]
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
        Some("load") => load::main(Flags::parse(&args[1..])?),
        Some("grow") => grow::main(Flags::parse(&args[1..])?),
        Some("kill") => kill::main(Flags::parse(&args[1..])?),
        Some("step") => step::main(Flags::parse(&args[1..])?),
        _ => Err(USAGE.into()),
    }
}
