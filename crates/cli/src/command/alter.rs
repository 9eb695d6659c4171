//! `cica alter`: another layout for a data set that is loaded.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::numbers::pair;
use crate::session::Session;
use crate::work::work;
use cica_admin::alter::Alter;
use cica_admin::stated::{Form, NewLayout};
use cica_catalog::entry::{Keys, RecordSize};
use cica_catalog::freespace::FreeSpace;
use clap::Args;

/// Change key, CI size, record size, freespace, organization or compression of a loaded data set
#[derive(Debug, Args)]
#[command(after_help = "\
The records are copied into new files of the new layout, which take the place of the old ones at one moment. Where one
does not fit, or two have the same new key, that record is named and nothing is changed. Other attributes are changed
by the ALTER command of IDCAMS.

Example:
  cica alter PAYROLL.MASTER --cisz 8192 --freespace 20,10
  cica alter PAYROLL.MASTER --key-length 12 --key-offset 4
  cica alter PAYROLL.LOG --organization indexed --key-length 8")]
pub struct Options {
    /// Data set name
    dsn: String,
    /// Length of the key
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(1..=255))]
    key_length: Option<u16>,
    /// Where the key begins in a record, from 0
    #[arg(long, value_name = "BYTES")]
    key_offset: Option<u32>,
    /// Size of a data control interval
    #[arg(long, value_name = "BYTES")]
    cisz: Option<u32>,
    /// Average and greatest record length
    #[arg(long, value_name = "AVERAGE,MAXIMUM", value_parser = pair::<u32>)]
    recordsize: Option<(u32, u32)>,
    /// How its records are reached: a key makes it indexed, nonindexed is an ESDS, numbered an RRDS or VRRDS
    #[arg(long, value_parser = ["indexed", "nonindexed", "numbered"])]
    organization: Option<String>,
    /// Percent of a CI and of a CA that a load leaves free
    #[arg(long, value_name = "CI,CA", value_parser = pair::<u8>)]
    freespace: Option<(u8, u8)>,
    /// Store what is behind the key of each record compressed, or as it is
    #[arg(long, value_name = "YES|NO", value_parser = ["yes", "no"])]
    compressed: Option<String>,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let cluster = session.cluster(&options.dsn)?;
    let keys = cluster.attributes.keys;
    let length = options.key_length.or(keys.map(|k| k.length));
    let offset = options.key_offset.or(keys.map(|k| k.offset)).unwrap_or(0);
    let is_said = options.key_length.is_some() || options.key_offset.is_some();
    if is_said && length.is_none() {
        return Err(Failure::usage("say --key-length too: the data set has no key yet"));
    }
    let layout = NewLayout {
        form: options.organization.as_deref().map(|word| match word {
            "indexed" => Form::Indexed,
            "nonindexed" => Form::NonIndexed,
            _ => Form::Numbered,
        }),
        keys: length.filter(|_| is_said).map(|length| Keys { length, offset }),
        record_size: options
            .recordsize
            .map(|(average, maximum)| RecordSize { average, maximum }),
        ci_size: options.cisz,
        free_space: options.freespace.map(|(ci, ca)| FreeSpace { ci, ca }),
        compressed: options.compressed.as_deref().map(|word| word == "yes"),
    };
    if layout == NewLayout::default() {
        return Err(Failure::usage(
            "say what to change; 'cica reorg' keeps the layout as it is",
        ));
    }
    let request = Alter {
        entry: cluster.name.to_string(),
        reorganize: Some(layout),
        ..Alter::default()
    };
    work(session, global, |services| services.alter(&request))
}
