//! `cica volume`: the directories that data sets lie in.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::Session;
use cica_catalog::geometry::DEVICES;
use cica_catalog::{Device, Volser, Volume};
use clap::{Args, Subcommand};
use serde_json::{json, Value};
use std::io::Write;
use std::path::PathBuf;

/// Add, list and remove volumes
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Example:
  cica volume add STUDY1 --device 3330-1
  cica volume ls")]
pub enum Options {
    /// Make a volume known to the catalog
    #[command(after_help = "Example:\n  cica volume add PAY001 --device 3390 --directory /srv/cica/pay001")]
    Add(Add),
    /// List volumes
    #[command(after_help = "Example:\n  cica volume ls --json")]
    Ls(Ls),
    /// Forget a volume that holds no data set; its directory stays
    #[command(after_help = "Example:\n  cica volume rm PAY001")]
    Rm(Rm),
}

#[derive(Debug, Args)]
pub struct Add {
    /// Volume serial, 1 to 6 characters
    serial: String,
    /// Device type, which gives tracks and cylinders their size
    #[arg(long, default_value = "3390")]
    device: String,
    /// Directory of its files [default: volumes/SERIAL of the catalog]
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Ls {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub struct Rm {
    /// Volume serial
    serial: String,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    match options {
        Options::Add(add) => self::add(add, global),
        Options::Ls(list) => ls(list, global),
        Options::Rm(rm) => {
            let serial = Volser::parse(&rm.serial).map_err(Failure::usage)?;
            Session::open(global)?.catalog.remove_volume(&serial)?;
            Ok(Status::DONE)
        }
    }
}

fn add(add: Add, global: &Global) -> Result<Status, Failure> {
    let serial = Volser::parse(&add.serial).map_err(Failure::usage)?;
    let device = Device::by_name(&add.device).ok_or_else(|| {
        let known: Vec<&str> = DEVICES.iter().map(Device::name).collect();
        Failure::usage(format!(
            "'{}' is no device type; known are {}",
            add.device,
            known.join(", ")
        ))
    })?;
    // A relative directory would be taken as below the catalog's, not from where the user is.
    let directory = add.directory.map(std::path::absolute).transpose()?;
    let session = Session::open_or_create(global)?;
    let volume = session
        .catalog
        .add_volume(&serial, device, directory.as_deref(), None)?;
    if !global.quiet {
        let path = volume.path(session.catalog.directory());
        writeln!(
            crate::terminal::stdout(),
            "volume {serial}, a {}, is at {}",
            volume.device.name(),
            path.display()
        )?;
    }
    Ok(Status::DONE)
}

fn ls(list: Ls, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let volumes = session.catalog.volumes()?;
    let path = |v: &Volume| v.path(session.catalog.directory());
    let mut out = crate::terminal::stdout();
    if list.json {
        let shown = |v: &Volume| json!({"serial": v.serial.as_str(), "device": v.device.name(), "directory": path(v).to_string_lossy()});
        let all: Value = volumes.iter().map(shown).collect();
        writeln!(out, "{all:#}")?;
    } else {
        for v in &volumes {
            writeln!(out, "{:6}  {:8}  {}", v.serial, v.device.name(), path(v).display())?;
        }
    }
    Ok(Status::DONE)
}
