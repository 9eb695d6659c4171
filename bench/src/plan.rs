//! What every command that compares engines is told: where, of how many records, and which engines.

use std::path::PathBuf;

use crate::driver::Worker;
use crate::engines::{choose, Engine, ENGINES};
use crate::flags::Flags;
use crate::json::Json;
use crate::machine;
use crate::peer::Result;

/// See the module.
pub struct Plan {
    /// Directory to work in.
    pub dir: PathBuf,
    /// Records to load.
    pub records: u64,
    /// Operations between two commits.
    pub batch: u64,
    /// Cache of each engine.
    pub cache_bytes: u64,
    /// Who takes part, in this order.
    pub engines: Vec<Engine>,
    /// File for all figures.
    pub json: Option<String>,
}

impl Plan {
    /// Takes its flags. Where none are named, all engines take part that can.
    pub fn take(flags: &mut Flags, records: u64, can: fn(&Engine) -> bool) -> Result<Plan> {
        let able: Vec<&str> = ENGINES
            .iter()
            .filter(|engine| can(engine))
            .map(|engine| engine.name)
            .collect();
        let plan = Plan {
            dir: flags
                .take_text("dir")
                .ok_or("--dir names the directory to work in")?
                .into(),
            records: flags.take("records", records)?,
            batch: flags.take("batch", 1000)?,
            cache_bytes: flags.take("cache-mib", 2048u64)? << 20,
            engines: choose(&flags.take_text("engines").unwrap_or_else(|| able.join(",")))?,
            json: flags.take_text("json"),
        };
        let numbers = [
            ("records", plan.records),
            ("batch", plan.batch),
            ("cache-mib", plan.cache_bytes),
        ];
        not_zero(&numbers)?;
        Ok(plan)
    }

    /// Starts an engine on its own empty directory.
    pub fn start(&self, engine: Engine) -> Result<Worker> {
        Worker::start(engine, &self.dir, self.records, self.batch, self.cache_bytes)
    }

    /// Starts all, and asks each which version it is.
    pub fn start_all(&self) -> Result<(Vec<Worker>, Vec<String>)> {
        let mut workers = (self.engines.iter())
            .map(|&engine| self.start(engine))
            .collect::<Result<Vec<Worker>>>()?;
        let versions = workers
            .iter_mut()
            .map(|worker| worker.ask("version"))
            .collect::<Result<Vec<String>>>()?;
        Ok((workers, versions))
    }

    /// Which version each is, where they are started one by one.
    pub fn versions(&self) -> Result<Vec<String>> {
        let ask = |&engine: &Engine| {
            let mut worker = self.start(engine)?;
            let version = worker.ask("version")?;
            worker.finish()?;
            Ok(version)
        };
        self.engines.iter().map(ask).collect()
    }

    /// Prints what is done (`what`, and `how`), on which machine, by whom.
    pub fn print_head(&self, what: &str, how: &str, versions: &[String]) {
        println!(
            "{what}: {} records (16-byte key, 200-byte value), {how}, cache {} MiB",
            self.records,
            self.cache_bytes >> 20
        );
        machine::describe()
            .iter()
            .for_each(|(name, value)| println!("  {name}: {value}"));
        for (engine, version) in self.engines.iter().zip(versions) {
            println!("  {}: {version}", engine.name);
        }
    }

    /// The same for the file of all figures.
    pub fn json_head(&self, program: &str, versions: &[String]) -> Vec<(String, Json)> {
        let named = self.engines.iter().zip(versions);
        let versions = named.map(|(engine, text)| (engine.name.to_string(), Json::text(text)));
        let head = [
            ("program", Json::text(program)),
            ("records", Json::whole(self.records)),
            ("batch", Json::whole(self.batch)),
            ("cache_bytes", Json::whole(self.cache_bytes)),
            ("machine", machine::describe_json()),
            ("versions", Json::Map(versions.collect())),
        ];
        head.map(|(name, value)| (name.to_string(), value)).into()
    }
}

/// Refuses flags that must not be 0.
pub fn not_zero(flags: &[(&str, u64)]) -> Result<()> {
    match flags.iter().find(|(_, value)| *value == 0) {
        Some((name, _)) => Err(format!("--{name} must not be 0")),
        None => Ok(()),
    }
}

/// Is it an engine to be compared with?
pub fn is_peer(engine: &str) -> bool {
    !engine.starts_with("cica") && engine != "none"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(line: &str) -> Result<Plan> {
        let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        Plan::take(&mut Flags::parse(&words)?, 7, |engine| engine.units)
    }

    #[test]
    fn all_that_can_take_part_where_none_are_named() {
        let plan = taken("--dir /x").unwrap();
        assert_eq!((plan.records, plan.batch), (7, 1000));
        assert!(plan.engines.iter().all(|engine| engine.units) && !plan.engines.is_empty());
    }

    #[test]
    fn what_is_missing_or_nothing_is_named() {
        for (line, flag) in [
            ("", "--dir"),
            ("--dir /x --records 0", "--records"),
            ("--dir /x --batch 0", "--batch"),
            ("--dir /x --cache-mib 0", "--cache-mib"),
            ("--dir /x --engines dbase", "dbase"),
        ] {
            let refused = taken(line).err().unwrap();
            assert!(refused.contains(flag), "{line}: {refused}");
        }
    }
}
