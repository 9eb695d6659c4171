//! `cica recover`: a data set as it was at a moment, out of a copy and its archive.

use crate::command::backup::COPY;
use crate::command::export::file;
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::moment;
use crate::session::Session;
use crate::work::counting;
use cica_admin::named::Named;
use cica_admin::portable::Recover;
use clap::Args;

/// Make a data set as it was at a moment, from a copy and its archive
#[derive(Debug, Args)]
#[command(after_help = "\
The data set was defined LOG(ALL), so its changes are archived. The copy was made by `cica backup` before the moment.
What had been committed by then comes back; units of recovery that had not ended by then are left out. The data set
that is there now is replaced when the new one is whole, and its alternate indexes are built anew.

Example:
  cica recover PAYROLL.MASTER --from noon.cica
  cica recover PAYROLL.MASTER --from noon.cica --to 14:03:10
  cica recover PAYROLL.MASTER --from noon.cica --to 2026-11-25T11:58")]
pub struct Options {
    /// Data set name
    dsn: String,
    /// File that `cica backup` wrote; - is standard input
    #[arg(long, value_name = "FILE")]
    from: String,
    /// Up to the end of this second (or minute), UTC: HH:MM[:SS] of today or YYYY-MM-DDTHH:MM[:SS]; without it all that
    /// is archived
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let (text, global) = file(&options.from, "/dev/stdin", global)?;
    let until = options
        .to
        .map(|to| moment::end_of(&to, session.clock.now()))
        .transpose()?;
    let request = Recover {
        name: options.dsn.to_ascii_uppercase(),
        from: Named::Dd(COPY.to_owned()),
        until,
    };
    counting("changes", session, &global, |services| {
        services.dd.insert(COPY, text);
        services.recover(&request).without_result()
    })
}
