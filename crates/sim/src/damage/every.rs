//! Every bit of a small store turned, one at a time; and every sector that holds anything zeroed, exchanged with its
//! neighbour, and as it was at earlier moments; and every file cut at every sector.
//!
//! Each answer is right, or a refusal that names the place: the file, its data set, the log or the catalog. Damage to
//! the log may bring an earlier moment back: its last group cannot be told from one that was never written whole.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use cica_disk::sim::{Survival, SECTOR};
use cica_disk::{Image, MemoryDisk, Open, SimDisk};

use super::{read, DamageCounts, DamageFailure};
use crate::crash::{guarded, is_panic};
use crate::subject::{disk_of, History, Subject};

/// Moments of the run whose sectors come back.
const MOMENTS: usize = 12;

/// Runs the workload, lets the process die or, if the workload ends so, close, and damages what it left. One bit in so
/// many is turned: `every` is 1 for all of them.
pub fn every_bit(subject: &dyn Subject, every: usize) -> (DamageCounts, Option<DamageFailure>) {
    let mut report = DamageCounts::new();
    let failure = run(subject, every.max(1), &mut report).err();
    (report, failure)
}

fn run(subject: &dyn Subject, every: usize, report: &mut DamageCounts) -> Result<(), DamageFailure> {
    let disk = disk_of(subject);
    let mut history = History::default();
    let ran = guarded(|| {
        let run = subject.run(Arc::new(disk.clone()), &mut |step| history.note(disk.events(), step));
        run.map_err(|stop| stop.words())
    });
    let trouble = |what| DamageFailure {
        kind: None,
        place: String::new(),
        what,
    };
    ran.map_err(trouble)?;
    disk.kill();
    let end = disk.image();
    let good = guarded(|| subject.recover(Arc::new(MemoryDisk::from(end.clone())))).map_err(trouble)?;
    let trace = disk.trace();
    let earlier: Vec<Image> = (1..MOMENTS)
        .map(|turn| trace.events().len() * turn / MOMENTS)
        .map(|events| trace.crash_after(events).image(|_, _| Survival::Whole))
        .collect();
    let mut damage = Damage {
        subject,
        history: &history,
        good: &good.digests,
        end: &end,
        report,
    };
    let paths: Vec<_> = end.files().map(Path::to_path_buf).collect();
    for path in &paths {
        damage.file(path, &earlier, every)?;
    }
    Ok(())
}

struct Damage<'a> {
    subject: &'a dyn Subject,
    history: &'a History,
    good: &'a [u64],
    end: &'a Image,
    report: &'a mut DamageCounts,
}

impl Damage<'_> {
    fn file(&mut self, path: &Path, earlier: &[Image], every: usize) -> Result<(), DamageFailure> {
        let length = self.end.len(path).unwrap_or_default();
        let sectors = length.div_ceil(SECTOR);
        let used: Vec<u64> = (0..sectors)
            .filter(|sector| read(self.end, path, sector * SECTOR).iter().any(|byte| *byte != 0))
            .collect();
        for (turn, &sector) in used.iter().enumerate() {
            let at = sector * SECTOR;
            let bytes = read(self.end, path, at);
            for bit in (0..8 * bytes.len()).filter(|bit| (bit + turn) % every == 0) {
                let mut bytes = bytes.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                self.overwritten("bit", path, &[(at, &bytes)], &format!("bit {bit}"))?;
            }
            self.overwritten("zeroed", path, &[(at, &vec![0; bytes.len()])], "zeroed")?;
            if let Some(next) = used.get(turn + 1).map(|next| next * SECTOR) {
                let other = read(self.end, path, next);
                if other.len() == bytes.len() {
                    self.overwritten("exchanged", path, &[(at, &other), (next, &bytes)], "exchanged")?;
                }
            }
            let old: BTreeSet<Vec<u8>> = earlier.iter().map(|image| read(image, path, at)).collect();
            for old in old.iter().filter(|old| old.len() == bytes.len() && **old != bytes) {
                self.overwritten("earlier", path, &[(at, old)], "of an earlier moment")?;
            }
        }
        let last = used.last().map_or(0, |last| last + 1);
        for sector in 0..last {
            let disk = MemoryDisk::from(self.end.clone());
            cut(&disk, path, sector * SECTOR);
            self.judge("cut", path, disk, &format!("cut to {} bytes", sector * SECTOR))?;
        }
        Ok(())
    }

    fn overwritten(
        &mut self,
        kind: &str,
        path: &Path,
        writes: &[(u64, &[u8])],
        what: &str,
    ) -> Result<(), DamageFailure> {
        let disk = SimDisk::from(self.end.clone());
        for (at, bytes) in writes {
            let written = disk.overwrite(path, *at, bytes);
            written.map_err(|error| self.failure(path, what, error.to_string()))?;
        }
        let at = writes.first().map_or(0, |(at, _)| *at);
        let disk = MemoryDisk::from(disk.image());
        self.judge(kind, path, disk, &format!("{what} at {at}"))
    }

    fn judge(&mut self, kind: &str, path: &Path, disk: MemoryDisk, what: &str) -> Result<(), DamageFailure> {
        let log = path.components().any(|part| part.as_os_str() == "log");
        let answer = match guarded(|| self.subject.recover(Arc::new(disk))) {
            Ok(recovered) if recovered.digests == self.good => "right",
            Ok(recovered) if log || kind == "earlier" => {
                let known = self.history.check_any(&recovered.digests);
                known.map_err(|words| self.failure(path, what, words))?;
                "an earlier moment"
            }
            Ok(_) => return Err(self.failure(path, what, "other contents were read, without a word".into())),
            Err(words) if is_panic(&words) => return Err(self.failure(path, what, words)),
            Err(words) if names(&words, path) => "refused with the place",
            Err(words) => return Err(self.failure(path, what, format!("the place is not told: {words}"))),
        };
        *self.report.entry("damages".into()).or_default() += 1;
        *self.report.entry(format!("damages {kind}: {answer}")).or_default() += 1;
        Ok(())
    }

    fn failure(&self, path: &Path, what: &str, words: String) -> DamageFailure {
        DamageFailure {
            kind: None,
            place: path.display().to_string(),
            what: format!("{}, {what}: {words}", path.display()),
        }
    }
}

fn cut(disk: &MemoryDisk, path: &Path, length: u64) {
    use cica_disk::Disk;
    let how = Open {
        write: true,
        ..Open::default()
    };
    // A file that is not there cannot be cut; then nothing is damaged.
    let _ = disk.open(path, how).and_then(|file| file.size(Some(length)));
}

/// Whether a refusal names a place: the file, what it belongs to, or a CI of it.
fn names(words: &str, path: &Path) -> bool {
    let file = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let cluster = file.rsplit_once('.').map_or(file.as_str(), |(cluster, _)| cluster);
    words.contains(&file) || words.contains(cluster) || words.contains("CI ") || words.contains("/log")
}
