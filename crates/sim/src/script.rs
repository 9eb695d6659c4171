//! A run as text: the data set in one line, the seed of what explorers choose, then a request per line.
//!
//! ```text
//! data set organization=ksds key_length=4 key_offset=0 maximum_record=187 ci_size=512 ...
//! seed 7
//! insert 0 seq X'40000000' 187 09DE72A7
//! # a comment
//! reopen output keep
//! ```
//! What the first line leaves out is as in [`Shape::plain`], so that a script outlives changes of the generator.

use std::fmt;
use std::str::FromStr;

use crate::request::Request;
use crate::shape::{self, Durability, Shape};

/// A run that was written down.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// The data set.
    pub shape: Shape,
    /// What the explorers choose follows from it.
    pub seed: u64,
    /// The requests.
    pub requests: Vec<Request>,
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = &self.shape;
        let durability = match s.durability {
            Durability::Close => "close",
            Durability::Commit => "commit",
            Durability::Request => "request",
        };
        write!(f, "data set organization={}", shape::word(s.organization))?;
        write!(f, " key_length={} key_offset={}", s.key_length, s.key_offset)?;
        write!(
            f,
            " maximum_record={} fixed={} spanned={} compressed={}",
            s.maximum_record, s.fixed, s.spanned, s.compressed
        )?;
        write!(
            f,
            " ci_size={} ci_per_ca={} index_ci_size={}",
            s.ci_size, s.ci_per_ca, s.index_ci_size
        )?;
        write!(
            f,
            " free_ci={} free_ca={} reuse={} reclaim={} write_check={}",
            s.free_ci, s.free_ca, s.reuse, s.reclaim, s.write_check
        )?;
        write!(f, " durability={durability} tick={} strings={}", s.tick, s.strings)?;
        writeln!(f, " pool_bytes={}\nseed {}", s.pool_bytes, self.seed)?;
        self.requests.iter().try_for_each(|request| writeln!(f, "{request}"))
    }
}

impl FromStr for Script {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut lines = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let first = lines.next().ok_or("the file is empty")?;
        let shape = first
            .strip_prefix("data set")
            .ok_or_else(|| format!("'{first}': the first line is 'data set ..'"))?;
        let shape = shape.split_ascii_whitespace().try_fold(Shape::plain(), with)?;
        let second = lines.next().unwrap_or_default();
        let seed = second
            .strip_prefix("seed ")
            .ok_or_else(|| format!("'{second}': the second line is 'seed N'"))?;
        let seed = seed.parse().map_err(|_| format!("'{seed}' is no seed"))?;
        let requests: Vec<Request> = lines.map(str::parse).collect::<Result<_, _>>()?;
        match requests
            .iter()
            .find(|request| request.string().is_some_and(|string| string >= shape.strings))
        {
            Some(request) => Err(format!("there are only {} strings: '{request}'", shape.strings)),
            None => Ok(Script { shape, seed, requests }),
        }
    }
}

/// The shape with one `name=value` set.
fn with(mut shape: Shape, setting: &str) -> Result<Shape, String> {
    let (name, value) = setting
        .split_once('=')
        .ok_or_else(|| format!("'{setting}' is no name=value"))?;
    fn set<T: FromStr>(place: &mut T, value: &str) -> Result<(), String> {
        *place = value
            .parse()
            .map_err(|_| format!("'{value}' is no value of this kind"))?;
        Ok(())
    }
    let done = match name {
        "organization" => shape::organization(value).map(|found| shape.organization = found),
        "key_length" => set(&mut shape.key_length, value),
        "key_offset" => set(&mut shape.key_offset, value),
        "maximum_record" => set(&mut shape.maximum_record, value),
        "fixed" => set(&mut shape.fixed, value),
        "spanned" => set(&mut shape.spanned, value),
        "compressed" => set(&mut shape.compressed, value),
        "ci_size" => set(&mut shape.ci_size, value),
        "ci_per_ca" => set(&mut shape.ci_per_ca, value),
        "index_ci_size" => set(&mut shape.index_ci_size, value),
        "free_ci" => set(&mut shape.free_ci, value),
        "free_ca" => set(&mut shape.free_ca, value),
        "reuse" => set(&mut shape.reuse, value),
        "reclaim" => set(&mut shape.reclaim, value),
        "write_check" => set(&mut shape.write_check, value),
        "tick" => set(&mut shape.tick, value),
        "strings" => set(&mut shape.strings, value),
        "pool_bytes" => set(&mut shape.pool_bytes, value),
        "durability" => match value {
            "close" => set_to(&mut shape.durability, Durability::Close),
            "commit" => set_to(&mut shape.durability, Durability::Commit),
            "request" => set_to(&mut shape.durability, Durability::Request),
            _ => Err("none of close, commit, request".to_string()),
        },
        _ => Err("nothing a data set has".to_string()),
    };
    done.map(|()| shape).map_err(|why| format!("'{setting}': {why}"))
}

fn set_to<T>(place: &mut T, value: T) -> Result<(), String> {
    *place = value;
    Ok(())
}
