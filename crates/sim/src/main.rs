//! `cica-sim`: the model test and the explorers of crashes, faults and damage as a command, short in CI, long by hand.
//!
//! Progress goes to stderr, one JSON object to stdout; the exit status is 1 when a failure was found.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cica_sim::campaign::{self, Campaign};
use cica_sim::crash::ImageId;
use cica_sim::crowded;
use cica_sim::draw::{self, Draw, Kept};
use cica_sim::fault::FaultKind;
use cica_sim::files;
use cica_sim::model;
use cica_sim::replay::Script;
use cica_sim::shape::{self, Organization};
use cica_sim::share;
use cica_sim::sphere;
use cica_sim::store::Store;
use cica_sim::trial::Purpose;
use cica_sim::workload::Workload;
use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(
    about = "Judges Cica's engine: replies against a model of VSAM, recovery after crashes, failing and lying disks"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compare every reply with the model's
    Model {
        #[command(flatten)]
        common: Common,
        /// Runs, each with a seed of its own
        #[arg(long, default_value_t = 100)]
        runs: u64,
    },
    /// Cut the power at every write and sync, and during recovery
    Crash {
        #[command(flatten)]
        common: Common,
        /// Crash images to look at
        #[arg(long, default_value_t = 100_000)]
        images: u64,
        /// Most images of one run
        #[arg(long, default_value_t = 3_000)]
        per_run: u64,
        /// Look at this image of the first seed's run alone: CUT.IMAGE or CUT.IMAGE/CUT.IMAGE
        #[arg(long)]
        image: Option<ImageId>,
    },
    /// Fail each call to the disk
    Fault {
        #[command(flatten)]
        common: Common,
        /// Runs, each with a seed of its own
        #[arg(long, default_value_t = 10)]
        runs: u64,
        /// Most faults of each kind in a run
        #[arg(long, default_value_t = 500)]
        each: u64,
        /// Inject faults of this kind alone
        #[arg(long)]
        kind: Option<FaultKind>,
        /// Inject one fault alone, at the call of this number, into the first seed's run
        #[arg(long, requires = "kind")]
        call: Option<u64>,
    },
    /// Damage a closed data set in one place after the other
    Damage {
        #[command(flatten)]
        common: Common,
        /// Runs, each with a seed of its own
        #[arg(long, default_value_t = 10)]
        runs: u64,
        /// Places to damage in each run
        #[arg(long, default_value_t = 2000)]
        places: u64,
    },
    /// Turn every bit of a small store, one at a time, and damage each of its sectors
    Bits {
        #[command(flatten)]
        common: Common,
        /// Runs, each with a seed of its own
        #[arg(long, default_value_t = 2)]
        runs: u64,
        /// Turn one bit in so many
        #[arg(long, default_value_t = 1)]
        every: usize,
    },
    /// Fill data sets of the sizes that DEFINE chooses with more than the pool holds, and read and change them anywhere
    Crowded {
        #[command(flatten)]
        common: Common,
        /// Runs, each with a seed of its own
        #[arg(long, default_value_t = 100)]
        runs: u64,
        /// A data set has up to so many times the bytes of its pool
        #[arg(long, default_value_t = 4)]
        most: u64,
    },
    /// Carry data sets to files and back, with power cuts, kills and failing calls in every job
    Files {
        #[command(flatten)]
        common: Common,
        /// Runs, each with a seed of its own
        #[arg(long, default_value_t = 100)]
        runs: u64,
        /// Most power cuts, kills, and failing calls of each kind in a run
        #[arg(long, default_value_t = 500)]
        each: u64,
    },
    /// Copy the store at any moment, all at once or file by file, and open the copy elsewhere
    Snapshot {
        #[command(flatten)]
        common: Common,
        /// Runs, each with a seed of its own
        #[arg(long, default_value_t = 10)]
        runs: u64,
        /// Copies of one moment in each run, and as many of several
        #[arg(long, default_value_t = 100)]
        copies: u64,
    },
    /// Put each file of one moment among the rest of another, for every pair of moments
    OldFiles {
        #[command(flatten)]
        common: Common,
        /// Runs, each with a seed of its own
        #[arg(long, default_value_t = 10)]
        runs: u64,
    },
    /// Let clients share data sets of an owner, with deaths at every step of what they say to each other
    Share {
        #[command(flatten)]
        common: Common,
        /// Runs, each with a seed of its own
        #[arg(long, default_value_t = 100)]
        runs: u64,
    },
    /// Run threads in an order that the seed decides, and cut the power; for a build with a scheduler alone
    Threads {
        #[command(flatten)]
        common: Common,
        /// Runs, each with a seed of its own
        #[arg(long, default_value_t = 100)]
        runs: u64,
    },
    /// Print the requests of a run, as `replay` reads them
    Draw {
        /// The seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Requests
        #[arg(long, default_value_t = 40)]
        requests: usize,
        /// A run of the model test, not of the explorers
        #[arg(long)]
        model: bool,
    },
    /// Run the requests of a file, as a failure prints them
    Replay {
        /// The file
        file: PathBuf,
        /// Also cut the power and fail the disk
        #[arg(long)]
        explore: bool,
    },
}

#[derive(Args, Clone)]
struct Common {
    /// First seed; run n has seed SEED + n
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Data sets of this organization alone: ksds, esds, rrds, vrrds or lds [default: all, by seed]
    #[arg(long, value_parser = shape::organization)]
    organization: Option<Organization>,
    /// Requests of a run [default: 1000 for model, 8 of each thread for threads, 40 for the others]
    #[arg(long)]
    requests: Option<usize>,
    /// Threads [default: all processors]
    #[arg(long)]
    jobs: Option<usize>,
    /// Seconds of processor time, or twenty times as many on the wall, after which a run is said to hang
    #[arg(long, default_value_t = 300)]
    limit: u64,
    /// A base, a KSDS or ESDS, with alternate indexes and paths instead of a single data set
    #[arg(long)]
    sphere: bool,
    /// Compressed data sets alone, KSDSs, VRRDSs and ESDSs
    #[arg(long, conflicts_with_all = ["sphere", "volume", "units"])]
    compressed: bool,
    /// Several data sets under a catalog, and IDCAMS commands, instead of a single data set
    #[arg(long, conflicts_with_all = ["sphere", "organization"])]
    volume: bool,
    /// Units of recovery over several data sets instead of a single data set
    #[arg(long, conflicts_with_all = ["sphere", "volume", "organization"])]
    units: bool,
    /// Of what the first seed draws do the requests of these numbers alone, the first being 1: 1-4,7
    #[arg(long)]
    keep: Option<Kept>,
    /// Stop after so many failures
    #[arg(long, default_value_t = 1)]
    failures: usize,
}

impl Common {
    fn store(&self) -> Store {
        match () {
            () if self.volume => Store::Volume,
            () if self.units => Store::Units,
            () if self.sphere => Store::Sphere(self.organization),
            () if self.compressed => Store::Compressed(self.organization),
            () => Store::DataSet(self.organization),
        }
    }

    /// The run of a seed.
    fn draw(&self, seed: u64, actions: usize) -> Draw<'_> {
        Draw {
            keep: self.keep.as_ref(),
            ..Draw::new(self.store(), seed, self.requests.unwrap_or(actions))
        }
    }

    fn campaign(&self, runs: u64) -> Campaign {
        let all = std::thread::available_parallelism().map_or(1, |count| count.get());
        Campaign {
            seed: self.seed,
            runs: if self.keep.is_some() { 1 } else { runs },
            jobs: self.jobs.unwrap_or(all),
            failures: self.failures,
            limit: Duration::from_secs(self.limit),
        }
    }
}

fn main() -> ExitCode {
    // A panic of the engine is caught and reported as a failure with its seed; its own message would only be noise,
    // unless somebody asks for the stack.
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        std::panic::set_hook(Box::new(|_| {}));
    }
    match run(Cli::parse().command) {
        Ok(failures) if failures.is_empty() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cica-sim: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> Result<Vec<String>, String> {
    match command {
        Command::Model { common, runs } => {
            let (store, requests) = (common.store(), common.requests.unwrap_or(1000));
            match store {
                Store::Volume | Store::Units => Err("crash and fault compare the replies of this store".to_string()),
                _ => Ok(report("model", common.campaign(runs), |seed| match store {
                    Store::Sphere(_) => sphere::trial::model(seed, requests, store.organization(seed)),
                    _ => model::run(&store.model(seed, requests)),
                })),
            }
        }
        Command::Crash {
            common,
            images,
            per_run,
            image,
        } => {
            let campaign = common.campaign(if image.is_some() { 1 } else { u64::MAX });
            let budget = campaign::Budget::new(images);
            Ok(report("crash", campaign, |seed| {
                draw::crash(common.draw(seed, 40), per_run, &budget, image)
            }))
        }
        Command::Fault {
            common,
            runs,
            each,
            kind,
            call,
        } => {
            let only = kind.map(|kind| (kind, call));
            let campaign = common.campaign(if call.is_some() { 1 } else { runs });
            Ok(report("fault", campaign, |seed| {
                draw::fault(common.draw(seed, 40), each, only)
            }))
        }
        Command::Damage { common, runs, places } => Ok(report("damage", common.campaign(runs), |seed| {
            draw::damage(common.draw(seed, 40), places)
        })),
        Command::Bits { common, runs, every } => Ok(report("bits", common.campaign(runs), |seed| {
            draw::bits(common.draw(seed, 12), every)
        })),
        Command::Crowded { common, runs, most } => Ok(report("crowded", common.campaign(runs), |seed| {
            crowded::run(seed, most)
        })),
        Command::Files { common, runs, each } => {
            Ok(report("files", common.campaign(runs), |seed| files::run(seed, each)))
        }
        Command::Snapshot { common, runs, copies } => Ok(report("snapshot", common.campaign(runs), |seed| {
            draw::snapshots(common.draw(seed, 40), copies)
        })),
        Command::OldFiles { common, runs } => Ok(report("old-files", common.campaign(runs), |seed| {
            draw::older(common.draw(seed, 40))
        })),
        Command::Share { common, runs } => Ok(report("share", common.campaign(runs), |seed| {
            share::run(seed, common.requests.unwrap_or(300))
        })),
        Command::Threads { common, runs } => threads(&common, runs),
        Command::Draw { seed, requests, model } => {
            let text = if model {
                let Workload { seed, shape, requests } = Workload::model(seed, requests, shape::organization_of(seed));
                Script { shape, seed, requests }.to_string()
            } else {
                let trial = Store::DataSet(None).draw(seed, requests, Purpose::Explore);
                trial.story(&(0..trial.len()).collect::<Vec<usize>>())
            };
            print!("{text}");
            Ok(Vec::new())
        }
        Command::Replay { file, explore } => {
            let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            let script: Script = text.parse().map_err(|error| format!("{}: {error}", file.display()))?;
            let failures: Vec<String> = script.run(explore).into_iter().collect();
            println!("{}", failures.first().map_or("no failure", |failure| failure));
            Ok(failures)
        }
    }
}

#[cfg(cica_schedules)]
fn threads(common: &Common, runs: u64) -> Result<Vec<String>, String> {
    let store = common.store();
    match store {
        Store::Volume | Store::Units => Err("threads share a data set, or a base with --sphere".to_string()),
        _ => Ok(report("threads", common.campaign(runs), |seed| {
            cica_sim::threads::run(store, seed, common.requests.unwrap_or(8))
        })),
    }
}

#[cfg(not(cica_schedules))]
fn threads(_: &Common, _: u64) -> Result<Vec<String>, String> {
    let how =
        "RUSTFLAGS='--cfg cica_schedules' cargo run --release --target-dir target/schedules -p cica-sim -- threads";
    Err(format!("this was built without a scheduler; with one: {how}"))
}

/// Runs a campaign with progress and prints its summary.
fn report(name: &str, campaign: Campaign, work: impl Fn(u64) -> Option<campaign::Outcome> + Sync) -> Vec<String> {
    let (start, mut shown) = (Instant::now(), Instant::now());
    let result = campaign.run(work, |so_far| {
        if shown.elapsed() > Duration::from_secs(5) {
            shown = Instant::now();
            eprintln!("{:>6.0} s  {}", start.elapsed().as_secs_f64(), line(&so_far.counts));
        }
    });
    for failure in &result.failures {
        eprintln!("\nFAILURE\n{failure}");
    }
    let counts: String = result
        .counts
        .iter()
        .map(|(name, count)| format!(",\"{name}\":{count}"))
        .collect();
    println!(
        "{{\"test\":\"{name}\",\"seed\":{},\"runs\":{},\"seconds\":{:.1},\"failures\":{}{counts}}}",
        campaign.seed,
        result.runs,
        start.elapsed().as_secs_f64(),
        result.failures.len(),
    );
    result.failures
}

fn line(counts: &BTreeMap<String, u64>) -> String {
    counts
        .iter()
        .map(|(name, count)| format!("{name} {count}"))
        .collect::<Vec<_>>()
        .join(", ")
}
