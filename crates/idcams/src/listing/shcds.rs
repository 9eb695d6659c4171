//! SHCDS as a listing: the lines that z/OS prints of a data set.

use super::file::on_file;
use crate::params::Params;
use crate::request::list;
use crate::sysprint::Sysprint;
use cica_admin::shcds::Unshared;
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
            if let Some(data_set) = &answered.result {
                self::data_set(data_set, out);
            }
            answered.without_result()
        }
        Err(message) => Outcome::refused(message),
    };
    out.messages(outcome.messages, params);
    outcome.condition
}

fn data_set(unshared: &Unshared, out: &mut Sysprint) {
    let recoverable = if unshared.recoverable { "YES" } else { "-NO" };
    out.double("----- LISTING FROM SHCDS ----- IDCSH02");
    out.line(&"-".repeat(53));
    out.line(&format!("DATA SET NAME----{}", unshared.name));
    out.line("  CACHE STRUCTURE----**NONE**");
    out.line("  RETAINED LOCKS----------NO     NON-RLS UPDATE PERMITTED---------NO");
    out.line("  LOST LOCKS--------------NO     PERMIT FIRST TIME----------------NO");
    out.line("  LOCKS NOT BOUND---------NO     FORWARD RECOVERY REQUIRED--------NO");
    out.line(&format!("  RECOVERABLE------------{recoverable}"));
    out.line("SHARING SUBSYSTEM STATUS");
    out.line("  SUBSYSTEM NAME  STATUS");
    out.line("  **NONE**");
}
