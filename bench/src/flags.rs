//! `--name value` pairs of the command line.

use std::str::FromStr;

/// The pairs given, each to be taken once.
pub struct Flags(Vec<(String, String)>);

impl Flags {
    /// Reads the arguments behind the command.
    pub fn parse(args: &[String]) -> Result<Flags, String> {
        let mut pairs = Vec::new();
        let mut rest = args.iter();
        while let Some(flag) = rest.next() {
            let name = flag
                .strip_prefix("--")
                .ok_or_else(|| format!("'{flag}' is not a --flag"))?;
            let value = rest.next().ok_or_else(|| format!("--{name} needs a value"))?;
            pairs.push((name.to_string(), value.clone()));
        }
        Ok(Flags(pairs))
    }

    /// The value of a flag, or its default. Numbers may be written with underscores.
    pub fn take<T: FromStr>(&mut self, name: &str, default: T) -> Result<T, String> {
        match self.take_text(name) {
            None => Ok(default),
            Some(text) => text
                .replace('_', "")
                .parse()
                .map_err(|_| format!("--{name} cannot be '{text}'; a number is expected")),
        }
    }

    /// The text of a flag, if given.
    pub fn take_text(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(given, _)| given == name)?;
        Some(self.0.remove(at).1)
    }

    /// Complains about flags nobody took.
    pub fn finish(self) -> Result<(), String> {
        match self.0.first() {
            None => Ok(()),
            Some((name, _)) => Err(format!("--{name} is unknown here or given twice")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(line: &str) -> Result<Flags, String> {
        Flags::parse(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn values_and_defaults() {
        let mut given = flags("--records 5_000_000 --dir /x").unwrap();
        assert_eq!(given.take("records", 1u64), Ok(5_000_000));
        assert_eq!(given.take("ops", 7u64), Ok(7));
        assert_eq!(given.take_text("dir").as_deref(), Some("/x"));
        assert_eq!(given.finish(), Ok(()));
    }

    #[test]
    fn mistakes_are_named() {
        assert!(flags("records 5").is_err());
        assert!(flags("--records").is_err());
        assert!(flags("--records five")
            .unwrap()
            .take("records", 1u64)
            .unwrap_err()
            .contains("five"));
        assert!(flags("--speed 9").unwrap().finish().unwrap_err().contains("speed"));
    }
}
