//! What Cica has set itself to reach, as ratios to a peer in the same run. Judged only where both were measured.

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// CPU of the asking threads per operation: smaller is better.
    ThreadCpu,
    /// Operations per second on the wall: larger is better.
    Rate,
}

/// One promise.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Phase as named in the results.
    pub phase: &'static str,
    /// What is compared.
    pub figure: Figure,
    /// The peer.
    pub peer: &'static str,
    /// Cica's figure divided by the peer's: at most this for CPU, at least this for a rate.
    pub ratio: f64,
}

const fn cpu(phase: &'static str, peer: &'static str, ratio: f64) -> Target {
    Target {
        phase,
        figure: Figure::ThreadCpu,
        peer,
        ratio,
    }
}

const fn rate(phase: &'static str, peer: &'static str, ratio: f64) -> Target {
    Target {
        phase,
        figure: Figure::Rate,
        peer,
        ratio,
    }
}

/// All promises. The rate of a load is that of its CPU: what its disk takes swings more than what is promised.
pub const TARGETS: &[Target] = &[
    cpu("load", "wiredtiger", 1.0 / 2.2),
    cpu("get", "lmdb", 0.70),
    cpu("scan", "lmdb", 0.90),
    cpu("update", "bdb-tx", 0.45),
    cpu("insert", "rocksdb", 0.45),
    rate("commit-1", "rocksdb", 1.0),
    rate("commit-8", "rocksdb", 1.0),
    rate("commit-32", "rocksdb", 1.0),
    cpu("commit-8", "rocksdb", 0.5),
    cpu("commit-32", "rocksdb", 0.5),
];

impl Target {
    /// Whether a measured ratio keeps the promise.
    pub fn is_met(&self, measured: f64) -> bool {
        match self.figure {
            Figure::ThreadCpu => measured <= self.ratio,
            Figure::Rate => measured >= self.ratio,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_cpu_and_more_rate_are_better() {
        assert!(cpu("get", "lmdb", 0.7).is_met(0.6));
        assert!(!cpu("get", "lmdb", 0.7).is_met(0.8));
        assert!(rate("commit-8", "rocksdb", 1.0).is_met(1.2));
        assert!(!rate("commit-8", "rocksdb", 1.0).is_met(0.9));
    }
}
