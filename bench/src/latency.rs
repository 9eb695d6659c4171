//! How long single operations took on the wall.

use std::fmt;
use std::str::FromStr;

/// Of many operations, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Latency {
    /// Half of them took no longer.
    pub p50: u64,
    /// 99 of 100 took no longer.
    pub p99: u64,
    /// 999 of 1000 took no longer.
    pub p999: u64,
    /// The longest.
    pub longest: u64,
}

impl Latency {
    /// Of these; zeros for none.
    pub fn of(mut took: Vec<u64>) -> Latency {
        took.sort_unstable();
        let at = |thousandths: usize| {
            let place = (took.len() * thousandths).div_ceil(1000).max(1) - 1;
            took.get(place).copied().unwrap_or(0)
        };
        Latency {
            p50: at(500),
            p99: at(990),
            p999: at(999),
            longest: at(1000),
        }
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{} {} {} {}", self.p50, self.p99, self.p999, self.longest)
    }
}

impl FromStr for Latency {
    type Err = String;

    fn from_str(text: &str) -> Result<Latency, String> {
        let fields: Vec<u64> = text.split_whitespace().map_while(|field| field.parse().ok()).collect();
        match fields[..] {
            [p50, p99, p999, longest] => Ok(Latency {
                p50,
                p99,
                p999,
                longest,
            }),
            _ => Err(format!("not latencies (four numbers expected): {text}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let latency = Latency::of((1..=2000).rev().collect());
        assert_eq!(latency.to_string(), "1000 1980 1998 2000");
        assert_eq!(latency.to_string().parse(), Ok(latency));
        assert_eq!(Latency::of(vec![]), Latency::default());
        assert_eq!(Latency::of(vec![7]).to_string(), "7 7 7 7");
    }
}
