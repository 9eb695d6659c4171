//! SHCDS as a listing: the lines that z/OS prints of a data set.

use super::file::on_file;
use crate::params::Params;
use crate::request::list;
use crate::sysprint::{Stamp, Sysprint};
use cica_admin::shcds::{SharedState, ShcdsResult, ShuntedUnit, Subsystem};
use cica_admin::{Outcome, Services};

/// Carries out SHCDS.
pub fn shcds(services: &mut Services, params: &Params, out: &mut Sysprint) -> u8 {
    let Some(ddname) = params.name("OUTFILE") else {
        return answer(services, params, out);
    };
    let printed = on_file(services, ddname, out, |services, listing| {
        Ok(answer(services, params, listing))
    });
    printed.unwrap_or_else(|failure| out.failure(failure, params))
}

fn answer(services: &Services, params: &Params, out: &mut Sysprint) -> u8 {
    let outcome = match list::shcds(params) {
        Ok(request) => {
            let answered = services.shcds(&request);
            match &answered.result {
                ShcdsResult::DataSet(state) => data_set(state, out),
                ShcdsResult::Subsystems(all) if !all.is_empty() => subsystems(all, out),
                ShcdsResult::Shunted(units) if !units.is_empty() => shunted(units, out),
                _ => {}
            }
            answered.without_result()
        }
        Err(message) => Outcome::refused(message),
    };
    out.messages(outcome.messages, params);
    outcome.condition
}

fn data_set(state: &SharedState, out: &mut Sysprint) {
    let yes_or_no = |yes: bool| if yes { "YES" } else { "-NO" };
    head("IDCSH02", out);
    out.line(&format!("DATA SET NAME----{}", state.name));
    out.line("  CACHE STRUCTURE----**NONE**");
    out.line(&format!(
        "  RETAINED LOCKS---------{}     NON-RLS UPDATE PERMITTED---------NO",
        yes_or_no(state.retained)
    ));
    out.line("  LOST LOCKS--------------NO     PERMIT FIRST TIME----------------NO");
    out.line("  LOCKS NOT BOUND---------NO     FORWARD RECOVERY REQUIRED--------NO");
    out.line(&format!("  RECOVERABLE------------{}", yes_or_no(state.recoverable)));
    out.line("SHARING SUBSYSTEM STATUS");
    out.line("  SUBSYSTEM NAME  STATUS");
    for user in &state.users {
        out.line(&format!("  {user}  ONLINE--ACTIVE"));
    }
    if state.users.is_empty() {
        out.line("  **NONE**");
    }
}

fn head(listing: &str, out: &mut Sysprint) {
    out.double(&format!("----- LISTING FROM SHCDS ----- {listing}"));
    out.line(&"-".repeat(53));
}

fn subsystems(all: &[Subsystem], out: &mut Sysprint) {
    head("IDCSH03", out);
    out.line("LOCKS HELD  LOCKS WAITED FOR  STATUS          SUBSYSTEM NAME");
    for subsystem in all {
        let (held, waited) = subsystem.locks;
        out.line(&format!("{held:>10}  {waited:>16}  ONLINE--ACTIVE  {}", subsystem.name));
        for data_set in &subsystem.data_sets {
            out.line(&format!("  DATA SET NAME----{data_set}"));
        }
    }
}

fn shunted(units: &[ShuntedUnit], out: &mut Sysprint) {
    head("IDCSH05", out);
    for unit in units {
        out.line(&format!(
            "URID----{}     DISPOSITION----{}     CHANGES----{}",
            unit.unit,
            if unit.in_doubt { "INDOUBT" } else { "BACKOUT" },
            unit.changes
        ));
        if let Some(of) = &unit.of {
            out.line(&format!("  JOB NAME----{of}"));
        }
        if let Some(prepared) = unit.prepared {
            let at = Stamp::from_unix((prepared / 1_000_000_000) as i64);
            out.line(&format!(
                "  PREPARED----{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC",
                at.year, at.month, at.day, at.hour, at.minute, at.second
            ));
        }
        for data_set in &unit.data_sets {
            out.line(&format!("  SPHERE----{data_set}"));
        }
        out.line(&format!("  CAUSE----{}", unit.cause));
    }
}
