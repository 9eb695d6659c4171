"""Why a mutant of checks/cargo_mutants.py may stay: file, words of its line, the change (a pattern), the reason."""

APART = "the bits lie apart: or and exclusive or are the same"
AHEAD = "memory asked for ahead, which nobody sees"

JUSTIFIED = [
    # The format.
    (
        "crates/format/src/bytes.rs",
        "fold(0, |n, &b|",
        r"replace \| with \^ .*",
        APART,
    ),
    (
        "crates/format/src/ci.rs",
        "RDF_PAIRED | RDF_SEGMENT",
        r"replace \| with \^ .*",
        APART,
    ),
    (
        "crates/format/src/ci.rs",
        "if offset + records * usize::from(len) > layout.data_len",
        r"replace \* with / .*",
        "what passes is refused behind the loop, as the lengths only grow; here it is before it takes memory",
    ),
    (
        "crates/format/src/ci.rs",
        "push(RDF_",
        r"replace \| with \^ .*",
        APART,
    ),
    (
        "crates/format/src/index.rs",
        "(Some(a), Some(b)) => a < b",
        r"replace < with <= .*",
        "these are the first bytes that differ",
    ),
    (
        "crates/format/src/index/decode.rs",
        "(Some(old), Some(new)) if old < new => Ok(())",
        r"replace match guard old < new with false .*",
        "the next arm looks at all of both; this one is faster",
    ),
    (
        "crates/format/src/index/decode.rs",
        "FLAG_BASE_CI | FLAG_NEXT_CI",
        r"replace \| with \^ .*",
        APART,
    ),
    (
        "crates/format/src/log.rs",
        "buf.reserve(4 + len)",
        r"replace \+ with \* .*",
        AHEAD,
    ),
    (
        "crates/format/src/root.rs",
        "at::INDEX_ROOT..at::INDEX_ROOT + REF_LEN",
        r"replace \+ with \* .*",
        "one reference is put there, whatever room is behind it",
    ),
    # The log and recovery.
    (
        "crates/engine/src/log/mod.rs",
        "self.state.lock().records > 0",
        r"replace Log::is_behind -> bool with true",
        "a flush of what is durable does nothing",
    ),
    (
        "crates/engine/src/log/pool.rs",
        "u64::from(birth) << 32 | u64::from(claims + 1)",
        r"replace \| with \^ .*",
        APART,
    ),
    (
        "crates/engine/src/log/replay.rs",
        "if read_at(file, at, &mut bytes)? < want",
        r"replace < with > .*",
        "what the file does not have reads as zeros, and the group's checksum is over all of it",
    ),
    (
        "crates/engine/src/recovery.rs",
        "write: true,",
        r"delete field write from struct Open expression in Engine::mark_volume",
        "an open for reading makes the file as well",
    ),
    # The disk.
    (
        "crates/disk/src/content.rs",
        "if len < self.len {",
        r"replace < with <= .*",
        "nothing lies behind the end",
    ),
    (
        "crates/disk/src/content.rs",
        "if within != 0 && self.chunk(index).is_some()",
        r"replace && with \|\| .*",
        "zeros are put where zeros are read",
    ),
    (
        "crates/disk/src/content.rs",
        "self.leaves.resize(index / FAN + 1, None)",
        r"replace / with \* .*",
        AHEAD,
    ),
    (
        "crates/disk/src/linux.rs",
        "OFlags::",
        r"replace \| with \^ .*",
        APART,
    ),
    (
        "crates/disk/src/linux.rs",
        "let direct = fs::open(path, access | OFlags::DIRECT",
        r"replace \| with \^ .*",
        APART,
    ),
    (
        "crates/disk/src/linux/batch.rs",
        "Err(Errno::OPNOTSUPP) => Some(preadv",
        r"delete match arm .*",
        "what is not had from the cache at once is read by a ring or a call",
    ),
    (
        "crates/disk/src/linux/batch.rs",
        "Ok(count) if count == buffers.iter()",
        r"replace match guard .* with true .*",
        "what came short is brought to its end by a call",
    ),
    (
        "crates/disk/src/linux/batch.rs",
        "Ok(count) if count == buffers.iter()",
        r"replace (match guard .* with false|== with !=) .*",
        "what is not had from the cache at once is read by a ring or a call",
    ),
    (
        "crates/disk/src/linux/batch.rs",
        "Route::Cache => transfers",
        r"delete match arm Route::Cache in read_all",
        "a ring brings what the page cache has as well, slower",
    ),
    (
        "crates/disk/src/linux/batch.rs",
        "if route == Route::Calls || transfers.len() < WORTH_A_RING",
        r"replace .*",
        "a ring and calls bring the same; one is faster",
    ),
    (
        "crates/disk/src/linux/batch.rs",
        "left -= done[request];",
        r"replace -= with \+= .*",
        "a write to a plain file comes whole, or fails",
    ),
    (
        "crates/disk/src/linux/batch.rs",
        "let moved = match route == Route::Device && transfers.len() >= WORTH_A_RING",
        r"replace .*",
        "a ring and calls write the same; one is faster",
    ),
    (
        "crates/disk/src/linux/batch.rs",
        "let read = match missing.len() >= WORTH_A_RING",
        r"replace >= with < .*",
        "a ring and calls bring the same; one is faster",
    ),
    (
        "crates/disk/src/linux/batch.rs",
        "match preadv2(fd, buffers, *at, ReadWriteFlags::NOWAIT)",
        r"replace read_cached -> Option<usize> with None",
        "what is not had from the cache at once is read by a ring or a call",
    ),
    (
        "crates/disk/src/linux/file.rs",
        "Err(Errno::INVAL) if self.goes_direct(fd)",
        r"replace match guard .* with true .*",
        "the system refuses so only what goes around its cache: the rest is reachable",
    ),
    (
        "crates/disk/src/linux/file.rs",
        "at += count as u64;",
        r"replace \+= with \*= in LinuxFile::write_rest",
        "a write to a plain file is short only where space ends, and the next one says so wherever it goes",
    ),
    (
        "crates/disk/src/linux/file.rs",
        "if batch.len() > 1 && batch.iter().all(",
        r"replace > with (==|<|>=) .*",
        "both ways of reading bring the same; one is faster",
    ),
    (
        "crates/disk/src/linux/file.rs",
        "if to > i64::MAX as u64",
        r"replace > with >= .*",
        "the system refuses a file of that length itself, in the same words",
    ),
    (
        "crates/disk/src/linux/file.rs",
        "while read.got < read.buf.len()",
        r"replace < with <= .*",
        "a read of no bytes gets none, and ends the loop",
    ),
    (
        "crates/disk/src/linux/file.rs",
        "} else if to < from {",
        r"replace < with <= .*",
        "a cut to the length that it has does nothing",
    ),
    (
        "crates/disk/src/linux/uring.rs",
        "",
        r"(replace drain with \(\)|replace .* in drain)",
        "comes when the kernel takes no calls for a ring any more, which none at hand does",
    ),
    (
        "crates/disk/src/linux/window.rs",
        "",
        r"replace ask_for with \(\)",
        "it asks for bytes early and reads none",
    ),
    (
        "crates/disk/src/linux/window.rs",
        "libc::SA_SIGINFO | libc::SA_ONSTACK",
        r"replace \| with \^ .*",
        APART,
    ),
    (
        "crates/disk/src/linux/window.rs",
        "start > TAKEN && (start..start + len).contains(&address)",
        r"replace > with >= .*",
        "no file is shown at address 1",
    ),
    (
        "crates/disk/src/sim/faults.rs",
        "Self::default()",
        r"replace Faults::none -> Self with Default::default\(\)",
        "that is what it is",
    ),
    (
        "crates/disk/src/sim/faults.rs",
        "fault.seen == fault.nth || fault.for_ever && fault.seen > fault.nth",
        r"replace > with >= .*",
        "equal is the case before",
    ),
    (
        "crates/disk/src/sim/file.rs",
        "Some(Effect::Full) if to > len",
        r"replace > with >= .*",
        "equal was dealt with before",
    ),
]
