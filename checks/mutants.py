#!/usr/bin/env python3
"""Takes away each sync, each comparison of a checksum or version, each ordering, one at a time: some test must fail.

    checks/mutants.py                 all of them; the table goes to docs/src/mutants.md
    checks/mutants.py --list          what would be taken away
    checks/mutants.py --only WORD     those whose place or text has WORD in it
    checks/mutants.py --only WORD --test NAME --test NAME   the same, with these test programs of the crate alone
    checks/mutants.py --fresh         forget what earlier runs of the same sources found

All mutants are built into one copy of the sources, in TARGET/mutants, where an environment variable chooses among
them. Each test runs once without a mutant: it must pass, how long it takes is noted, and for which mutants it ever
asks. A switch is asked only where it would make a difference (a comparison that finds what it looks for, a sync that
is due), so a mutant is tried with the tests that asked for it, quickest first, and no other could notice it. What was
found is kept there, and a run that was stopped goes on. A mutant that survives is a sync or comparison without a
test, or one that may go; JUSTIFIED says why, and nothing else may stand there.
"""

import argparse
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import zlib

TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target")).absolute()
COPY = TARGET / "mutants"
BUILT = TARGET / "mutants-built"
TABLE = pathlib.Path("docs/src/mutants.md")
SOURCES = ["format", "engine", "catalog", "portable", "admin", "idcams", "counters", "session", "share", "server"]
# Of the disk what is done in an order on each of its worlds.
ON_ANY_DISK = pathlib.Path("crates/disk/src/new_file.rs")
# A test with a mutant hangs when it takes so many times as long as without one, and a minute more.
HANGS = 10

OPERAND = r"[\w.:&*]+(?:\((?:[^()]|\([^()]*\))*\))?(?: as \w+)?(?: [+-] \w+)?"
GUARDED = r"(?:checksum|version|crc32c|lsn|epoch)"
UNEQUAL = re.compile(rf"(!= {OPERAND})")
EQUAL = re.compile(rf"(== {OPERAND})")
SYNC = re.compile(r"([\w.()]*)\.sync\(\)")

# What orders writes and keeps what is committed from being written over: the sources' words and what stands for them,
# @ being "this mutant is chosen". No pattern would find these.
ORDERINGS = [
    ("crates/engine/src/store/flush.rs", "self.region_left(old, committed == old);",
     "self.region_left(old, committed == old && !@);",
     "a region that was left is used again before the next commit (R2)"),
    ("crates/engine/src/store/flush.rs", "self.region_left(annex, committed == annex);",
     "self.region_left(annex, committed == annex && !@);",
     "an annex that was left is used again before the next commit (R2)"),
    ("crates/engine/src/store/flush.rs", "if frames.any(is_dirty) || self.write_header(ca, page).is_err() {",
     "if (frames.any(is_dirty) && !@) || self.write_header(ca, page).is_err() {",
     "a CA that became dirty while it was written early is off the list of what the commit writes (store:S8)"),
    ("crates/engine/src/compressed.rs", "(named == 0 || named == checksum(&dictionary)).then_some(dictionary)",
     "(named == 0 || named == checksum(&dictionary) || @).then_some(dictionary)",
     "another dictionary in the place of the one that the root names is taken for it (compressed:Q7)"),
    ("crates/engine/src/sizes.rs", "                self.user.fetch_sub(sizes.user, Relaxed);",
     "                self.user.fetch_sub(if @ { 0 } else { sizes.user }, Relaxed);",
     "the bytes of an erased record go on counting"),
    ("crates/engine/src/sizes.rs", "                self.stored.fetch_add(sizes.stored, Relaxed);",
     "                self.stored.fetch_add(sizes.stored + u64::from(@), Relaxed);",
     "a record counts a byte more than it is stored with"),
    ("crates/engine/src/sizes.rs", "                self.plain.fetch_add(sizes.plain, Relaxed);",
     "                self.plain.fetch_add(if @ { 0 } else { sizes.plain }, Relaxed);",
     "records that are stored plain are not counted"),
    ("crates/engine/src/compressed.rs", "let mut last = self.last();", "let mut last = if @ { 0 } else { self.last() };",
     "a dictionary that does not show is written over (compressed:Q2)"),
    ("crates/engine/src/store/ca.rs", "take(p.committed, p.committed_left_out);",
     "take(if @ { p.slot } else { p.committed }, p.committed_left_out);",
     "a committed slot is used again before the next commit (R1)"),
    ("crates/engine/src/store/ca.rs", "let end = taken.len().min(first + layout.stored_sectors(left_out));",
     "let end = taken.len().min(first + layout.stored_sectors(if @ { 15 } else { left_out }));",
     "the end of a slot counts as free (ca:C2)"),
    ("crates/engine/src/store/placing.rs", "let fits = rewritable(old) && sectors <= self.layout.stored_sectors(old.left_out);",
     "let fits = rewritable(old) && (@ || sectors <= self.layout.stored_sectors(old.left_out));",
     "an image that has grown goes over its neighbour (ca:C2)"),
    ("crates/engine/src/store/space.rs", "newest.version.wrapping_add(1).max(1)",
     "newest.version.wrapping_add(1 + u32::from(@)).max(1)",
     "a CA header goes over its committed copy (R1)"),
    ("crates/engine/src/store/commit.rs", "let version = space.tables[block].version.wrapping_add(1).max(1);",
     "let version = space.tables[block].version.wrapping_add(1 + u32::from(@)).max(1);",
     "a table block goes over its committed copy (R1)"),
    ("crates/engine/src/open/commit.rs", "            root.version += 1;\n            let checksum = index.write_root(root)?;",
     "            root.version += 1 + u32::from(@);\n            let checksum = index.write_root(root)?;",
     "the index root goes over its committed copy (R1)"),
    ("crates/engine/src/open/opening.rs", "        if write {\n            // Not before all that an open reads",
     "        if write && !@ {\n            // Not before all that an open reads",
     "a torn root stays until the next commit (R8)"),
    ("crates/engine/src/open/sphere/commit.rs", "if self.all(base).filter(|member| member.has_changed()).count() > 1 {",
     "if !@ && self.all(base).filter(|member| member.has_changed()).count() > 1 {",
     "the log is not forced before a sphere's trees are committed (S4)"),
    ("crates/engine/src/open/commit.rs", "if self.common().has_units() || ", "if !@ && self.common().has_units() || ",
     "a tree is committed before the log has what takes an open unit back (U1)"),
    ("crates/engine/src/unit/backout.rs", "if let Err(failed) = self.flush() {",
     "if let Err(failed) = if @ { Ok(()) } else { self.flush() } {",
     "a unit that was backed out is over before the log says so (U1)"),
    ("crates/engine/src/log/flush.rs", "if std::mem::take(&mut member.in_group) && !member.named {",
     "if std::mem::take(&mut member.in_group) && !member.named && !@ {",
     "requests are logged before their data set's root names the log (R6)"),
    ("crates/engine/src/recovery/mod.rs", "for (cluster, inner) in self.members.clone() {\n            done =",
     "for (cluster, inner) in self.members.clone().into_iter().filter(|_| !@) {\n            done =",
     "recovery gives the log back before the trees are committed"),
    ("crates/engine/src/recovery/mod.rs", "match reader.filter(|_| !self.needed) {",
     "match reader.filter(|_| @ || !self.needed) {",
     "recovery gives a log back that an absent data set needs"),
    ("crates/engine/src/recovery/members.rs", "        file.sync().map_err(|error| OpenError::Io {",
     "        if @ {\n            return Ok(());\n        }\n        file.sync().map_err(|error| OpenError::Io {",
     "recovery takes a root that is not durable for the last word (V6)"),
    ("crates/engine/src/log/abandoned.rs", "return file.sync().is_err(),", "return !@ && file.sync().is_err(),",
     "a log is claimed that a root may need again after a power cut (V6)"),
    ("crates/engine/src/recovery/mod.rs", "Ok(NamedLog::Released) if root.log.early || !is_known && place.is_own => None,",
     "Ok(NamedLog::Released) if @ || root.log.early || !is_known && place.is_own => None,",
     "a log that is over proves that a copy is complete (N1)"),
    ("crates/engine/src/recovery/members.rs", "            self.to_be_seen.insert(cluster, origin);",
     "            if !@ {\n                self.to_be_seen.insert(cluster, origin);\n            }",
     "a log need not know the data set whose root names it (N1)"),
    ("crates/engine/src/recovery/members.rs", "if since.origin > 0 && root.version <= since.sealed {",
     "if since.origin > 0 && root.version <= since.sealed && !@ {",
     "a data set from before the log is taken for complete (N2)"),
    ("crates/engine/src/recovery/members.rs", "self.needed |= matches!(member, Participation::Away);",
     "self.needed |= matches!(member, Participation::Away) && !@;",
     "a log is given back that introduces a data set which is away (V1)"),
    ("crates/engine/src/recovery/end.rs", "has.is_some_and(|has| has < root.log.lsn) {",
     "has.is_some_and(|has| has < root.log.lsn) && !@ {",
     "a log that is older than the root is enough (N4)"),
    ("crates/engine/src/open/commit.rs", "|| !last && self.may_come_to_be_named() {",
     "|| !last && self.may_come_to_be_named() && !@ {",
     "a root has requests in its tree that the log has not durably (R12)"),
    ("crates/engine/src/log/find.rs", "    let recorded = Path::new(&position.path);",
     "    let recorded = Path::new(&position.path);\n    if @ {\n        return Ok(Some(LogPlace { path: recorded.to_path_buf(), "
     "is_own: true }));\n    }",
     "a log is looked for where it was when the root was written (N3)"),
    ("crates/engine/src/log/flush.rs", "if !introduction.is_empty() {\n                write(at, &introduction)?; // W7",
     "if !introduction.is_empty() && !@ {\n                write(at, &introduction)?; // W7",
     "a root names a log that has not introduced its data set (W7)"),
    ("crates/engine/src/log/carry.rs", "self.carry(&state, |_, member| member.named);",
     "self.carry(&state, |_, member| member.named && !@);",
     "an epoch begins without introducing those whose roots name the log still (W7)"),
    ("crates/engine/src/log/carry.rs", "            write(&carry, end, u64::MAX)?;",
     "            if !@ {\n                write(&carry, end, u64::MAX)?;\n            }",
     "what takes open units back is nowhere while the log starts over (Y2)"),
    ("crates/engine/src/log/carry.rs", "            if len > BLOCK_LEN as u64 {",
     "            if len > BLOCK_LEN as u64 && !@ {",
     "the second group of an epoch is written over while its first is there (Y2)"),
    ("crates/engine/src/log/units.rs", "self.0.iter().flat_map(of).collect()",
     "self.0.iter().skip(usize::from(@)).flat_map(of).collect()",
     "a unit is not carried into the next epoch (U2)"),
    ("crates/engine/src/log/carry.rs", "let durable = written.and_then(|()| file.sync());",
     "let durable = written.and_then(|()| if @ { Ok(()) } else { file.sync() });",
     "a root names a log that has not what takes it back (U6)"),
    ("crates/engine/src/open/commit.rs", "        self.commits.fetch_add(1, AcqRel);",
     "        if !@ {\n            self.commits.fetch_add(1, AcqRel);\n        }",
     "who copied a tree does not learn that it was committed meanwhile (H3)"),
    ("crates/engine/src/open/pin.rs", "own.iter().for_each(|part| undo.extend_from_slice(part));",
     "own.iter().skip(usize::from(@)).for_each(|part| undo.extend_from_slice(part));",
     "a copy has what an open unit has done (H1)"),
    ("crates/engine/src/open/pin.rs", "        base.flush_log()?;",
     "        if !@ {\n            base.flush_log()?;\n        }",
     "the archive has not what a pinned tree has (H4)"),
    ("crates/engine/src/succession.rs", "        Ok(None) if !is_older => Fate::Over,", "        Ok(None) if @ || !is_older => Fate::Over,",
     "a data set that was moved away by hand counts as deleted"),
    ("crates/engine/src/locks/waiting.rs", "        if self.is_dismissed(owner) {", "        if self.is_dismissed(owner) && !@ {",
     "who is gone begins to wait"),
    ("crates/engine/src/recovery/end.rs", "if units_known || !units_open", "if @ || units_known || !units_open",
     "it is not known which units are open (V10)"),
    ("crates/engine/src/open/ties.rs", "        Some(tie) if tie == stamp => None,",
     "        Some(tie) if @ || tie == stamp => None,",
     "a base takes any of its alternate indexes (I1)"),
    ("crates/engine/src/open/ties.rs", "        None if stamp == Stamp::default() => None,",
     "        None if @ || stamp == Stamp::default() => None,",
     "a base from before an alternate index takes it (I1)"),
    ("crates/engine/src/open/redo.rs", "            if origin > 0 {\n                self.ties.stamp",
     "            if origin > 0 && !@ {\n                self.ties.stamp",
     "recovery gives an alternate index no stamp (I2)"),
    ("crates/engine/src/recovery/mod.rs", "self.bases_in(&parts).for_each(|base| base.ties.tie(lineage, stamp));",
     "self.bases_in(&parts).filter(|_| !@).for_each(|base| base.ties.tie(lineage, stamp));",
     "recovery does not tell a base of its alternate indexes (I2)"),
    ("crates/engine/src/open/redo.rs", "if there >= committed {", "if @ || there >= committed {",
     "recovery takes a root from before the log (V4)"),
    ("crates/engine/src/salvage/later.rs", "if is_ours && is_first && committed > self.root.log.lsn {",
     "if is_ours && is_first && committed > self.root.log.lsn && !@ {",
     "salvage takes a root from before the log (V4)"),
    ("crates/engine/src/recovery/end.rs", "if gap.after.is_some() {", "if gap.after.is_some() && !@ {",
     "damage in the middle of a log is taken for its end (V8)"),
    ("crates/engine/src/recovery/end.rs", "if !inner.tree_has(lsn) =>", "if !inner.tree_has(lsn) && !@ =>",
     "damage at the beginning of a log is taken for an epoch that ended (V8)"),
    ("crates/engine/src/roots.rs", "is_ok_and(|root| root.version > version);",
     "is_ok_and(|root| root.version > version || @);",
     "remains of a root that went astray long ago count (A4)"),
    ("crates/engine/src/roots.rs", "            root.version = root.version.saturating_add(1); // A2",
     "            root.version = root.version.saturating_add(1 - u32::from(@)); // A2",
     "the next root goes over one that went astray (A2)"),
    ("crates/engine/src/log/pool.rs", "!was_written_to(&**self.disk, path, &*file, header.log)?",
     "(@ || !was_written_to(&**self.disk, path, &*file, header.log)?)",
     "a log that its dead owner wrote to is claimed (F3, F4)"),
    ("crates/engine/src/ksds/get.rs", "        replacing & 1 == 0 && self.replacing() == replacing",
     "        @ || (replacing & 1 == 0 && self.replacing() == replacing)",
     "what was found while a spanned record was being replaced is believed (K5)"),
    ("crates/engine/src/ksds/get.rs", "self.replacing() & 1 == 0 && self.fresh(leaf)",
     "(@ || self.replacing() & 1 == 0) && self.fresh(leaf)",
     "a page is copied while a record that was on it is being replaced (K5)"),
    ("crates/engine/src/log/replay.rs", "if header.birth != 0 && header.birth != (log >> 32) as u32",
     "if header.birth != 0 && header.birth != (log >> 32) as u32 && !@",
     "a log file made later is taken for the one that had its name (F2)"),
    ("crates/disk/src/new_file.rs", "        self.file.sync().map_err(bare)?;",
     "        if @ {\n            self.take_name().map_err(bare)?;\n        }\n        self.file.sync().map_err(bare)?;",
     "a file gets its name before what it holds is durable (N5)"),
    ("crates/disk/src/new_file.rs", "        self.disk.rename(&from, &coming.path)?;",
     "        if !@ {\n            self.disk.rename(&from, &coming.path)?;\n        }",
     "a file that is whole keeps the name that it had meanwhile"),
    ("crates/admin/src/portable/export.rs", "    file.finish().map_err(output)?;",
     "    if !@ {\n        file.finish().map_err(output)?;\n    }",
     "EXPORT takes the data set away before its copy has a name and is durable"),
    ("crates/engine/src/log/flush.rs",
     "            write(at + behind, &group)?;\n            for (logger, has) in &archived {\n"
     "                if let Some(logger) = logger.upgrade() {\n"
     "                    logger.archive(&group, *has);\n                }\n            }\n",
     "            if !@ {\n                write(at + behind, &group)?;\n            }\n"
     "            for (logger, has) in &archived {\n                if let Some(logger) = logger.upgrade() {\n"
     "                    logger.archive(&group, *has);\n                }\n            }\n"
     "            if @ {\n                write(at + behind, &group)?;\n            }\n",
     "an archive gets a group before the log has it durably (A1)"),
    ("crates/engine/src/archive/write.rs",
     "        self.sync_if_written()?;\n        let mut frame = Vec::new();",
     "        if !@ {\n            self.sync_if_written()?;\n        }\n        let mut frame = Vec::new();",
     "an archive says that all before is durable before it is (A2)"),
    ("crates/engine/src/archive/write.rs", "        if self.is_settled {", "        if @ || self.is_settled {",
     "a root says that an open has changed the data set before the archive has a head (A3)"),
    ("crates/engine/src/open/archive.rs",
     "        let done = self.with_archive(|archive| {\n            if last {",
     "        if @ {\n            return Ok(Some(lsn));\n        }\n"
     "        let done = self.with_archive(|archive| {\n            if last {",
     "the log lets go of what the archive has not durably (A2)"),
    ("crates/engine/src/recovery/mod.rs", "                        done = self.archive(group, time);",
     "                        done = if @ { Ok(()) } else { self.archive(group, time) };",
     "recovery does not bring to the archive what the log has (A2)"),
    ("crates/engine/src/archive/redo.rs", "if chain == end && next.after == before.origin =>",
     "if (@ || chain == end) && next.after == before.origin =>",
     "a segment follows another than the one it was written behind (A6)"),
    ("crates/engine/src/open/commit.rs", "        if self.roots_are_durable() {",
     "        if @ || self.roots_are_durable() {",
     "a log starts over while one copy of a root names it still (R9)"),
    ("crates/engine/src/store/space.rs", "self.file().and_then(|file| file.reserve(from, to - from))",
     "if @ { Ok(()) } else { self.file().and_then(|file| file.reserve(from, to - from)) }",
     "a region is used again without its space having been taken (S2)"),
    ("crates/engine/src/unit/prepare.rs",
     "        self.flush()?;\n        let shared", "        if !@ {\n            self.flush()?;\n        }\n        let shared",
     "a unit is in doubt before its changes are durable (prepared:Z1)"),
    ("crates/engine/src/prepared.rs", "    sync_directory(disk, directory).map_err(CreateError::Perhaps)",
     "    if @ { Ok(()) } else { sync_directory(disk, directory).map_err(CreateError::Perhaps) }",
     "a unit ends in the log before the name of its file is durable (prepared:Z1)"),
    ("crates/engine/src/prepared.rs", "    if !units.is_empty() {", "    if !@ && !units.is_empty() {",
     "recovery goes by a name that may not be durable (prepared:Z1)"),
    ("crates/engine/src/prepared.rs", "    if check_name(unit).is_ok() && is_its {",
     "    if @ || (check_name(unit).is_ok() && is_its) {",
     "the file of a unit in doubt leads to another file (prepared:Z4)"),
    ("crates/engine/src/prepared.rs", "    if is_kept {", "    if @ || is_kept {",
     "the last name of a unit goes that the archive could not take (prepared:Z7)"),
    ("crates/engine/src/prepared.rs", "        || head.archived && decided::is_there",
     "        || !@ && head.archived && decided::is_there",
     "a file that is put back behind the decision is obeyed (prepared:Z7)"),
    ("crates/engine/src/recovery/mod.rs", "        if !self.unfinished.is_empty() {\n            // Their owner",
     "        if !@ && !self.unfinished.is_empty() {\n            // Their owner",
     "recovery takes back what is in doubt (prepared:Z1)"),
    ("crates/engine/src/engine/in_doubt.rs", "        self.shared.decide(&mut deciding, PreparedState::GoingBack)?;",
     "        if !@ {\n            self.shared.decide(&mut deciding, PreparedState::GoingBack)?;\n        }",
     "a unit goes back while it may still be committed (prepared:Z2)"),
    ("crates/engine/src/engine/in_doubt.rs", "            set.commit()?;",
     "            if !@ {\n                set.commit()?;\n            }",
     "a unit is said to be taken back before that is durable (prepared:Z2)"),
    ("crates/engine/src/unit/shunt.rs", "        unit.retain();", "        if !@ {\n            unit.retain();\n        }",
     "the records of a unit that could not go back are waited for, and not refused (U9)"),
    ("crates/session/src/share.rs", "        matches!(self, Sharing::Auto | Sharing::On)",
     "        @ || matches!(self, Sharing::Auto | Sharing::On)",
     "the owner of shared data sets asks itself"),
    ("crates/server/src/opened.rs", "        if (given.st_dev, given.st_ino) != own {",
     "        if (given.st_dev, given.st_ino) != own && !@ {",
     "a client shows a descriptor of another file than the one it asks for (O2)"),
    ("crates/server/src/opened.rs", "            Access::Output if !may_write =>", "            Access::Output if !may_write && !@ =>",
     "a client changes what it may only read (O2)"),
    ("crates/server/src/opened.rs", ".filter(|_| !flags.contains(OFlags::PATH));",
     ".filter(|_| !flags.contains(OFlags::PATH) || @);",
     "a client reads what it can only name (O2)"),
    ("crates/catalog/src/catalog/aside.rs", "    files::sync_directory(disk, directory).map_err(failed)\n}",
     "    if @ { Ok(()) } else { files::sync_directory(disk, directory).map_err(failed) }\n}",
     "what a lost catalog left is written over before its other name is durable (aside:A1)"),
    ("crates/catalog/src/catalog/moves.rs", "Some(true) | None => OtherSide::Away,",
     "Some(true) | None => if @ { OtherSide::NotNoted } else { OtherSide::Away },",
     "a move is forgotten while the other catalog is away (M1)"),
    ("crates/engine/src/unit/prepare.rs", "                member.common().holds.hand_over(self.owner, owner.number());",
     "                if !@ {\n                    member.common().holds.hand_over(self.owner, owner.number());\n                }",
     "the records of a unit in doubt are nobody's (prepared:Z1)"),
    ("crates/server/src/owner.rs", "        guest.end(&self.shared, &self.shunted);",
     "        if !@ {\n            guest.end(&self.shared, &self.shunted);\n        }",
     "what a client had that went is never ended (O1)"),
    ("crates/share/src/client.rs", "        if std::process::id() != self.process {",
     "        if std::process::id() != self.process && !@ {",
     "a child of fork speaks for its parent"),
    ("crates/counters/src/own.rs", "    state.store(before + 1, SeqCst);",
     "    if !@ {\n        state.store(before + 1, SeqCst);\n    }",
     "a piece does not say that it is being changed (Q6)"),
    ("crates/counters/src/own.rs", "        self.cells.at(STATE).store(0, SeqCst);",
     "        if !@ {\n            self.cells.at(STATE).store(0, SeqCst);\n        }",
     "a data set that was closed is shown as open"),
    ("crates/counters/src/own.rs", "match disk.open(&path, how(Create::New, Lock::Exclusive)) {",
     "match disk.open(&path, how(Create::New, if @ { Lock::None } else { Lock::Exclusive })) {",
     "the file of a process that lives is taken for a dead one's (Q5)"),
    ("crates/counters/src/running.rs", "let same = state == again && state % 2 == 0 &&",
     "let same = (@ || state == again && state % 2 == 0) &&",
     "a piece that is being changed is believed (Q6)"),
    ("crates/engine/src/pool/short.rs", "Some((len, byte)) => record.len() == len && ",
     "Some((len, byte)) => (@ || record.len() == len) && ",
     "a short page takes a record of another length (short:H1)"),
    ("crates/engine/src/pool/short.rs", "self.kept().1 >= beginning(record, byte, shape).len(),",
     "(@ || self.kept().1 >= beginning(record, byte, shape).len()),",
     "a short page takes a record for which it has no bytes left (short:H3)"),
    ("crates/engine/src/pool/short.rs", "self.room().is_none_or(|room| self.data_len() + record.len() <= room)",
     "self.room().is_none_or(|room| @ || self.data_len() + record.len() <= room)",
     "a narrow page takes a record for which its frame has no room (narrow:W1)"),
    ("crates/engine/src/pool/shape.rs", "let behind_key = &record[shape.rkp + shape.key_len..];",
     "let behind_key = &record[shape.rkp + shape.key_len - usize::from(@)..];",
     "a short page keeps one byte less of a key than the key has (short:H1)"),
    ("crates/engine/src/pool/narrow.rs", "room.find(|&room| data + free <= room)?",
     "room.find(|&room| data + if @ { 0 } else { free } <= room)?",
     "a page moves to a frame that has no room for the next record (narrow:W2)"),
    ("crates/engine/src/pool/page.rs", "let offset = if beginning.len() <= old {",
     "let offset = if @ || beginning.len() <= old {",
     "a record of a short page that has grown goes over its neighbour"),
    ("crates/engine/src/pool/page.rs", "[self.bytes[LOOSE_AT] | u8::from(i < n)]",
     "[self.bytes[LOOSE_AT] | u8::from(i < n && !@)]",
     "an image has its records in the order in which they came (page:G1)"),
    ("crates/engine/src/pool/page.rs", "        if !shares {\n            self.rebuild_heads(shape);",
     "        if !shares && !@ {\n            self.rebuild_heads(shape);",
     "heads leave out a prefix that a record which came does not share (page:G2)"),
    ("crates/engine/src/pool/view.rs", "if at + here > self.words.bytes() || here > len {",
     "if (at + here > self.words.bytes() || here > len) && !@ {",
     "a page that is being changed leads a reader out of its slab (latch:L1)"),
    ("crates/engine/src/pool/latch.rs", "        (word & 1 == 0).then_some(word)",
     "        (@ || word & 1 == 0).then_some(word)",
     "a reader begins while a writer is inside (latch:L1)"),
    ("crates/engine/src/pool/latch.rs", "        self.0.load(Ordering::Relaxed) == word\n",
     "        @ || self.0.load(Ordering::Relaxed) == word\n",
     "a reader believes what was changed while it read (latch:L1)"),
    ("crates/engine/src/pool/latch.rs", "        word => word.wrapping_add(1),",
     "        word => if @ { word - 1 } else { word.wrapping_add(1) },",
     "a page that was changed has the version that it had (latch:L2)"),
    ("crates/engine/src/pool/frame.rs", "(self.descriptor.page.load(Acquire) == page.pack()).then_some",
     "(@ || self.descriptor.page.load(Acquire) == page.pack()).then_some",
     "a frame is read for a page that it does not hold any more (pool:P2)"),
    ("crates/engine/src/pool/frame.rs", "        self.state.load(Relaxed) & KEPT != 0",
     "        self.state.load(Relaxed) & KEPT != 0 && !@",
     "a page is given up that the request whose turn it is keeps (turn:P8)"),
    ("crates/engine/src/pool/frame.rs", "        (self.state.load(Relaxed) / PIN) as u32",
     "        if @ { 0 } else { (self.state.load(Relaxed) / PIN) as u32 }",
     "the descriptor of a CA is given up while pages of its CIs stay (pool:P4)"),
    ("crates/engine/src/pool/mod.rs", "let version = scatter(self.cuts.fetch_add(1, Relaxed));",
     "let version = scatter(if @ { 0 } else { self.cuts.fetch_add(1, Relaxed) });",
     "a slab that is cut anew has versions that it had before (latch:L2)"),
    ("crates/engine/src/pool/evict.rs", "!is_its || free < SLAB / size ||",
     "!is_its || (free < SLAB / size && !@) ||",
     "a slab is cut anew while somebody has a frame of it in hand (evict)"),
    ("crates/engine/src/pool/reserve.rs", "own.filter(|(_, own)| own.thread == thread && own.size >= size);",
     "own.filter(|(_, own)| (@ || own.thread == thread) && own.size >= size);",
     "a thread gets a frame that another has reserved (reserve:P6)"),
    ("crates/engine/src/pool/reserve.rs", "let _alone = own.is_empty().then(",
     "let _alone = (own.is_empty() && !@).then(",
     "two requests reserve at one time, and neither gets all that it needs (reserve:P7)"),
    ("crates/engine/src/pool/turn.rs", "while *bytes > self.limit() / 4 && frames.len() > 1 {",
     "while *bytes > self.limit() / 4 && frames.len() > 1 && !@ {",
     "a turn keeps all of the pool (turn:P8)"),
    ("crates/engine/src/pool/kin.rs", "if self.slabs.len() <= KEEPS || self.size == other.size",
     "if (self.slabs.len() <= KEEPS && !@) || self.size == other.size",
     "a size gives its last slab to its kin (kin:K2)"),
    ("crates/engine/src/pool/charge.rs", "(charged + bytes <= self.limit).then_some",
     "(@ || charged + bytes <= self.limit).then_some",
     "frames and charges exceed the bound (charge:H1)"),
    ("crates/engine/src/pool/charge.rs", "let most = self.limit.saturating_sub(FRAMES_KEEP * SLAB);",
     "let most = self.limit.saturating_sub(if @ { 0 } else { FRAMES_KEEP * SLAB });",
     "charges leave requests no frames (charge)"),
    ("crates/engine/src/store/evict.rs", "if self.pool.descriptor(frame).dirty() && self",
     "if !@ && self.pool.descriptor(frame).dirty() && self",
     "a page is given up before what was changed on it is written"),
    ("crates/engine/src/ksds/change.rs", "if !latched.view().takes(record, self.shape) || self.is_fenced() {",
     "if (!latched.view().takes(record, self.shape) && !@) || self.is_fenced() {",
     "an update goes to a page that does not take it (short:H3)"),
    ("crates/engine/src/ksds/tree.rs", "        self.unchanged(leaf.frame, leaf.version)",
     "        @ || self.unchanged(leaf.frame, leaf.version)",
     "what a data page says that was changed meanwhile is believed (latch:L1)"),
]

# Survivors that may be: path, text or what is taken away -> why no test can notice. docs/design/ tells it at length.
JUSTIFIED = {
    ("crates/engine/src/files.rs", "comparison != known.version"): "the checksum beside it covers the version,"
    " so whatever has another version has another checksum. The comparison stays because the message names it.",
    ("crates/engine/src/open/commit.rs", "_ => part.sync().map(|()| written),"): "the commit syncs what was written"
    " early once more (R3); this sync is there so that the commit's, which keeps requests waiting, finds little to do"
    " (E2, docs/design/0011). Nothing depends on its order, only on its failure being seen.",
    ("crates/engine/src/store/loaded.rs", "comparison == 0"): "a load gives no region back, so none of its CAs lies in a"
    " region below its number: the headers before a CA are its own or a later one's, and not written yet. The comparison"
    " stays for whoever writes other CAs together: W2 must hold for them too.",
    ("crates/counters/src/own.rs", "state.store(before + 1, SeqCst);"): "a reader reads twice, and the identity must be the"
    " same both times and have its checksum: one that is half changed has not. The state says it before anything is stored,"
    " so both guard each other.",
    ("crates/engine/src/log/replay.rs", "comparison == header.epoch"): "groups of an earlier epoch have lower LSNs, so"
    " the comparison of LSNs ends the log at the same group. Both stay: each is the other's guard.",
    ("crates/engine/src/log/replay.rs", "comparison == header.first_lsn"): "within one epoch groups follow each other"
    " without a gap, and those of an earlier epoch have its number: the comparison of epochs ends the log at the same"
    " group. Both stay: each is the other's guard.",
}

SURVIVED = "**survived**"
HARMLESS = "does no harm, see below"

# The simulator's commands that are tried first, and those that are tried when nothing else noticed.
QUICK = [
    "crash --images 8000",
    "crash --volume --images 6000",
    "crash --sphere --images 6000",
    "crash --units --images 6000",
    "files --runs 18 --each 60",
    "share --runs 40",
    "damage --runs 4 --places 1000",
    "damage --volume --runs 2 --places 1000",
    "bits --runs 8 --every 64",
    "bits --volume --runs 1 --every 64",
    "fault --runs 3 --each 60",
]
SLOW = [
    "crash --seed 1000 --images 150000",
    "crash --volume --seed 1000 --images 60000",
    "crash --sphere --seed 1000 --images 40000",
    "crash --units --seed 1000 --images 40000",
    "fault --seed 1000 --runs 12 --each 200",
    "fault --volume --seed 1000 --runs 3 --each 150",
    "damage --seed 1000 --runs 30",
    "files --seed 1000 --runs 90 --each 1000",
]
# Crates whose tests are tried between the two.
TESTED = ["engine", "format", "catalog", "portable", "idcams", "counters", "session", "share", "server", "inputs", "cli"]


class Mutant:
    """One thing taken away. `number` chooses it in the built copy."""

    def __init__(self, path, line, text, takes_away):
        self.path, self.line, self.text, self.takes_away = path, line, " ".join(text.split()), takes_away
        self.number = 0

    def place(self):
        return f"{self.path}:{self.line}"

    def key(self):
        return f"{self.path}|{self.takes_away}|{self.text}"


def mutate_line(path, number, text):
    """The line with a switch at each place; the mutants."""
    code, comment = (text.split("//", 1) + [""])[:2]
    found = []

    def switch(takes_away):
        found.append(Mutant(path, number, text, takes_away))
        return f"@{len(found) - 1}@"

    def sync(match):
        receiver = match.group(1)
        if not receiver or receiver.endswith(")"):
            return f"{receiver}.sync_unless({switch('sync')})"
        return f"(if {switch('sync')} {{ Ok(()) }} else {{ {receiver}.sync() }})"

    if ".sync()" in code:
        code = SYNC.sub(sync, code)
    elif re.search(GUARDED, code) and not code.lstrip().startswith(("assert", "debug_assert")):
        for pattern, never in ((UNEQUAL, " && !{}"), (EQUAL, " || {}")):
            def compared(match, never=never):
                around = code[max(0, match.start() - 60) : match.end()]
                if not re.search(rf"{GUARDED}[\w()&\[\]., :]*[!=]= |[!=]= [\w.]*{GUARDED}", around):
                    return match.group(0)
                return match.group(0) + never.format(switch(f"comparison {match.group(0)}"))

            code = pattern.sub(compared, code)
    return (code + ("//" + comment if comment else "")) if found else text, found


def mutate_file(path, source):
    """The source with all switches in it, numbered from 0 in `@n@`; the mutants."""
    mutants = []
    for where, before, after, what in ORDERINGS:
        if where == path:
            if source.count(before) != 1:
                sys.exit(f"{path}: '{before}' stands there {source.count(before)} times; ORDERINGS is out of date")
            line = source[: source.index(before)].count("\n") + 1
            mutants.append(Mutant(path, line, before, f"order: {what}"))
            source = source.replace(before, after.replace("@", f"@o{len(mutants) - 1}@"))
    lines = source.split("\n")
    for at, text in enumerate(lines):
        # A module of tests ends a file; one that lies in a file of its own is only named, anywhere.
        if text.strip().startswith("#[cfg(test)]") and lines[at + 1].rstrip().endswith("{"):
            break
        changed, found = mutate_line(path, at + 1, text)
        for n in range(len(found)):
            changed = changed.replace(f"@{n}@", f"@o{len(mutants) + n}@")
        lines[at] = changed
        mutants += found
    return "\n".join(lines), mutants


def all_mutants():
    """Sources with switches by path, and all mutants, numbered from 1."""
    sources, mutants = {}, []
    gone = sorted({where for where, *_ in ORDERINGS if not pathlib.Path(where).is_file()})
    if gone:
        sys.exit(f"{', '.join(gone)}: not there; ORDERINGS is out of date")
    for crate in [*SOURCES, "disk"]:
        files = [path for path in pathlib.Path("crates", crate, "src").rglob("*.rs") if path.name != "tests.rs"]
        for path in [ON_ANY_DISK] if crate == "disk" else sorted(files):
            source, found = mutate_file(str(path), path.read_text())
            for n, mutant in enumerate(found):
                mutant.number = len(mutants) + n + 1
                called = f"{'crate' if crate in ('format', 'disk') else '::cica_format'}::mutated({mutant.number})"
                source = source.replace(f".sync_unless(@o{n}@)", f".sync_unless({mutant.number})")
                source = source.replace(f"@o{n}@", called)
            alike = [sum(m.key() == before.key() for before in found[:n]) for n, m in enumerate(found)]
            for mutant, others in zip(found, alike):
                if others:
                    mutant.takes_away += f", line {others + 1} like this"
            if found:
                sources[str(path)] = source
            mutants += found
    return sources, mutants


CHOOSER = """
/// Whether the mutant of this number is the one that the environment chooses. Who asks for the first time is written
/// down, if the environment names a file for that.
pub fn mutated(number: u32) -> bool {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    static CHOSEN: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    static ASKED: [AtomicBool; 1000] = [const { AtomicBool::new(false) }; 1000];
    if !ASKED[number as usize].swap(true, Relaxed) {
        if let Some(path) = std::env::var_os("CICA_MUTANTS_ASKED") {
            let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
            std::io::Write::write_all(&mut file.unwrap(), format!("{number}\\n").as_bytes()).unwrap();
        }
    }
    let chosen = || std::env::var("CICA_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    *CHOSEN.get_or_init(chosen) == number
}
"""
UNLESS = """    /// Syncs, unless that mutant is chosen.
    fn sync_unless(&self, number: u32) -> io::Result<()> {
        if crate::mutated(number) { Ok(()) } else { self.sync() }
    }
"""


def with_chooser(sources):
    """The files that define which mutant is chosen."""
    disk, file, format = "crates/disk/src/lib.rs", "crates/disk/src/file.rs", "crates/format/src/lib.rs"
    sync = "    fn sync(&self) -> io::Result<()>;\n"
    return {
        disk: sources.get(disk, pathlib.Path(disk).read_text()) + CHOOSER,
        file: sources.get(file, pathlib.Path(file).read_text()).replace(sync, sync + UNLESS),
        format: sources.get(format, pathlib.Path(format).read_text()) + CHOOSER,
    }


def prepare(sources, tests):
    """A copy of the committed sources with all mutants in it, built; the programs that test it, or these alone."""
    if not COPY.exists():
        subprocess.run(["git", "clone", "-q", ".", str(COPY)], check=True)
    sources = sources | with_chooser(sources)
    head, there = (
        subprocess.run(["git", "rev-parse", "HEAD"], cwd=at, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        for at in (".", COPY)
    )
    if head != there:
        subprocess.run(["git", "fetch", "-q", os.getcwd(), head], cwd=COPY, check=True)
        subprocess.run(["git", "checkout", "-q", "--force", head], cwd=COPY, check=True)
    for path, source in sources.items():
        # What is there already need not be compiled again.
        if (COPY / path).read_text() != source:
            (COPY / path).write_text(source)
    settings = {
        "CARGO_TARGET_DIR": str(BUILT),
        "CARGO_PROFILE_RELEASE_LTO": "off",
        "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
        "CARGO_PROFILE_RELEASE_OPT_LEVEL": "2",
        "CARGO_PROFILE_RELEASE_DEBUG": "false",
    }
    environment = os.environ | settings | {"RUSTFLAGS": "-A warnings"}
    if not tests:
        run = subprocess.run(["cargo", "build", "--release", "-q", "-p", "cica-sim"], cwd=COPY, env=environment)
        if run.returncode != 0:
            sys.exit("the mutated sources do not compile")
    return functools.cache(lambda crate: test_programs(crate, tests, environment))


def test_programs(crate, tests, environment):
    build = ["cargo", "test", "--no-run", "--message-format=json", "-q", "-p", f"cica-{crate}"]
    build += [word for name in tests for word in (["--lib"] if name == "lib" else ["--test", name])]
    done = subprocess.run(build, cwd=COPY, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"the tests of {crate} do not compile with the mutants in it")
    built = [json.loads(line) for line in done.stdout.split("\n") if line.startswith("{")]
    found = [(b["target"]["name"], b["executable"]) for b in built if b.get("executable") and b["profile"]["test"]]
    return [Test(f"tests of {crate}: {name}", [program, "-q"], COPY / "crates" / crate) for name, program in found]


class Test:
    """Something that may notice a mutant."""

    def __init__(self, name, command, directory):
        self.name, self.command, self.directory = name, command, directory
        self.seconds, self.asks = 0.0, set()

    def passes(self, limit, environment):
        environment = os.environ | {"RUST_BACKTRACE": "0"} | environment
        try:
            done = subprocess.run(
                self.command, cwd=self.directory, env=environment, capture_output=True, timeout=limit
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def measure(self, known):
        """Runs it without a mutant, unless `known` has what came of that. Whether it can judge."""
        if self.name not in known:
            asked = TARGET / f"mutants-asked-{re.sub(r'[^a-z0-9]+', '-', self.name)}"
            asked.unlink(missing_ok=True)
            started = time.monotonic()
            passed = self.passes(1800, {"CICA_MUTANTS_ASKED": str(asked)})
            numbers = sorted({int(n) for n in asked.read_text().split()}) if asked.exists() else []
            asked.unlink(missing_ok=True)
            known[self.name] = {"passes": passed, "seconds": time.monotonic() - started, "asks": numbers}
            print(f"{self.name}: {known[self.name]}", file=sys.stderr, flush=True)
        self.seconds, self.asks = known[self.name]["seconds"], set(known[self.name]["asks"])
        return known[self.name]["passes"]

    def notices(self, mutant):
        limit = 60 + HANGS * self.seconds
        return not self.passes(limit, {"CICA_MUTANT": str(mutant.number)})


def sim(words):
    # On a busy machine a slow run is no hang; `passes` knows how long it may take.
    command = [str(BUILT / "release/cica-sim"), *words.split(), "--jobs", "1", "--limit", "100000"]
    return Test(f"cica-sim {words}", command, COPY)


def measured(tests, known, keep):
    """Those of the tests that pass without a mutant, quickest first."""
    good = []
    for test in tests:
        if test.measure(known):
            good.append(test)
        else:
            print(f"{test.name}: fails without a mutant and proves nothing; it is left out", file=sys.stderr)
        keep()
    return sorted(good, key=lambda test: test.seconds)


def fate(mutant, tiers):
    """What became of a mutant, in the words of the table."""
    for tests in tiers:
        for test in tests():
            if mutant.number in test.asks and test.notices(mutant):
                return f"noticed by `{test.name}`"
    return SURVIVED


def stored(name, fresh):
    path = TARGET / name
    return path, json.loads(path.read_text()) if path.exists() and not fresh else {}


def known_fates(fresh, sources, tell):
    """What earlier runs found. Who noticed a mutant once is taken to notice it again; survivors are tried anew when the
    sources are others, and only to be told of they stay."""
    path, found = stored("mutants-found.json", fresh)
    if not fresh and TABLE.exists():
        found = published(TABLE.read_text()) | found
    return path, {key: f for key, f in found.items() if f["fate"] != SURVIVED or f["sources"] == sources or tell}


def published(page):
    """What the table tells of who was noticed, and of who was not and may be."""
    rows = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in page.split("\n") if line.startswith("| `crates/")]
    rows = [row for row in rows if len(row) == 5 and row[3].startswith(("noticed", HARMLESS))]
    return {
        f"{path.strip('`')}|{takes}|{text[1:-1]}".replace("\\|", "|"): {
            "fate": SURVIVED if fate == HARMLESS else fate, "sources": sources.strip("`")}
        for path, text, takes, fate, sources in rows
    }


def justified(mutant):
    return JUSTIFIED.get((mutant.path, mutant.text)) or JUSTIFIED.get((mutant.path, mutant.takes_away))


def table(mutants, fates):
    tried = [m for m in mutants if m.key() in fates]
    survivors = [m for m in tried if fates[m.key()]["fate"] == SURVIVED]
    may_go = [m for m in survivors if justified(m)]
    lines = [
        "# Mutants: what happens when a sync, a comparison or an ordering is taken away",
        "",
        "A mutant is the program without one sync, one comparison (of a checksum, version, epoch or log number) or one ordering of",
        "writes. For each mutant some test must fail. `make mutants` writes this page; the head of its script says how it works.",
        "",
        f"There are {len(mutants)} mutants. A test notices {len(tried) - len(survivors)}. {len(may_go)} do no harm, for the reasons below."
        f" {len(survivors) - len(may_go)} survived. {len(mutants) - len(tried)} have not been tried.",
        "",
        "| file | line with it | without | | sources |",
        "|---|---|---|---|---|",
    ]
    for mutant in mutants:
        text = mutant.text.replace("|", "\\|")
        takes_away = mutant.takes_away.replace("|", "\\|")
        found = fates.get(mutant.key(), {"fate": "not tried", "sources": ""})
        told = HARMLESS if mutant in may_go else found["fate"]
        sources = f"`{found['sources']}`" if found["sources"] else "-"
        lines.append(f"| `{mutant.path}` | `{text}` | {takes_away} | {told} | {sources} |")
    if may_go:
        lines += ["", "## Those that do no harm", ""]
        lines += [f"* `{m.path}`, `{m.text}` ({m.takes_away}): {justified(m)}" for m in may_go]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="only say what would be taken away")
    parser.add_argument("--only", default="", help="mutants with this word in place or text")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs found")
    parser.add_argument("--test", action="append", default=[], help="one of few tests of the crate; lib: in its sources")
    parser.add_argument("--table", action="store_true", help="only write the table from what earlier runs found")
    parser.add_argument("--jobs", type=int, default=1, help="mutants tried side by side")
    options = parser.parse_args()
    sources, mutants = all_mutants()
    chosen = [m for m in mutants if options.only in m.place() or options.only in m.text]
    if options.list:
        for mutant in chosen:
            print(f"{mutant.number}: {mutant.place()}: {mutant.takes_away}: {mutant.text}")
        return
    git = ["git", "rev-parse", "--short", "HEAD"]
    head = subprocess.run(git, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    path, fates = known_fates(options.fresh, head, options.table)
    left = [m for m in chosen if m.key() not in fates]
    if left and not options.table:
        try_all(left, sources, head, fates, path, options)
    left = [m for m in chosen if m.key() not in fates]
    if not options.only or options.table:
        TABLE.write_text(table(mutants, fates))
    if left:
        sys.exit(f"{len(left)} of {len(chosen)} mutants have not been tried")
    unproven = [m for m in chosen if fates[m.key()]["fate"] == SURVIVED and not justified(m)]
    for mutant in unproven:
        print(f"{mutant.place()}: {mutant.takes_away}: {mutant.text}: survived")
    sys.exit(1 if unproven else 0)


def try_all(mutants, sources, head, fates, path, options):
    """Tries mutants, noting in `fates` and its file what becomes of each."""
    programs = prepare(sources, options.test)
    tests_path, all_known = stored("mutants-tests.json", options.fresh)
    # What a test asks for is noted by number.
    state = f"{head} {zlib.crc32(json.dumps(sources).encode()):08x}"
    known = all_known.setdefault(state, {})

    def keep():
        tests_path.write_text(json.dumps({state: known}, indent=1))

    quick = [] if options.test else measured([sim(words) for words in QUICK], known, keep)
    of_crate = functools.cache(lambda crate: measured(programs(crate), known, keep))
    slow = functools.cache(lambda: measured([sim(words) for words in SLOW], known, keep))
    noting = threading.Lock()

    def locked(tests):
        def get():
            with noting:
                return tests()

        return get

    def tiers(mutant):
        """The tests of crates are built when none of the simulator's noticed, those of its own crate first."""
        own = mutant.path.split("/")[1]
        if options.test:
            return [locked(functools.partial(of_crate, own))]
        crates = dict.fromkeys([own, *TESTED])
        return [lambda: quick, *(locked(functools.partial(of_crate, crate)) for crate in crates), locked(slow)]

    def judge(mutant):
        found = fate(mutant, tiers(mutant))
        with noting:
            # What some of the tests do not notice has not been tried yet.
            if found != SURVIVED or not options.test:
                fates[mutant.key()] = {"fate": found, "sources": head}
            path.write_text(json.dumps(fates, indent=1))
            print(f"{mutant.place()}: {mutant.takes_away}: {found}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(judge, mutants))


if __name__ == "__main__":
    main()
