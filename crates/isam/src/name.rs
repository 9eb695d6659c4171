//! From the name of a file, as a program has it, to a data set.
//!
//! | name | data set |
//! |---|---|
//! | `customer`, and `DD_customer` is in the environment | what that says: `PROD.CUST`, `//PROD.CUST`, `DSN=PROD.CUST` |
//! | `data/customer` | `DATA.CUSTOMER` |
//! | the same, and `CICA_ISAM_PREFIX=PROD` | `PROD.DATA.CUSTOMER` |

use crate::error::{Refused, EFNAME};
use cica_catalog::Name;

/// The environment variable with the qualifiers that go before each name.
pub const PREFIX: &str = "CICA_ISAM_PREFIX";

/// The data set that a file is.
///
/// # Errors
/// EFNAME.
pub fn data_set(file: &str, environment: impl Fn(&str) -> Option<String>) -> Result<Name, Refused> {
    let said = |variable: &str| environment(variable).filter(|value| !value.is_empty());
    let assigned = (!file.contains('/')).then(|| said(&format!("DD_{file}"))).flatten();
    let text = match assigned {
        Some(value) => of_dd(&value).to_owned(),
        None => {
            let steps = file.split('/').filter(|step| !step.is_empty() && *step != ".");
            let prefix = said(PREFIX);
            prefix.as_deref().into_iter().chain(steps).collect::<Vec<_>>().join(".")
        }
    };
    Name::parse(&text.to_ascii_uppercase()).map_err(|error| {
        Refused::because(
            EFNAME,
            format!("'{file}' is '{text}', which is no data set name: {error}"),
        )
    })
}

/// The name in a DD text.
fn of_dd(value: &str) -> &str {
    let name = value.split(',').next().unwrap_or_default();
    name.strip_prefix("//")
        .or_else(|| name.strip_prefix("DSN="))
        .or_else(|| name.strip_prefix("dsn="))
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &str, environment: &[(&str, &str)]) -> Result<String, i32> {
        let look = |name: &str| {
            environment
                .iter()
                .find(|(of, _)| *of == name)
                .map(|(_, value)| (*value).to_owned())
        };
        data_set(file, look)
            .map(|name| name.to_string())
            .map_err(|refused| refused.number)
    }

    #[test]
    fn names_are_what_the_table_says() {
        assert_eq!(found("customer", &[]), Ok("CUSTOMER".into()));
        assert_eq!(found("./data/customer", &[]), Ok("DATA.CUSTOMER".into()));
        assert_eq!(
            found("/data//customer", &[(PREFIX, "PROD")]),
            Ok("PROD.DATA.CUSTOMER".into())
        );
        for value in ["PROD.CUST", "//PROD.CUST", "DSN=PROD.CUST,DISP=SHR", "prod.cust"] {
            assert_eq!(found("customer", &[("DD_customer", value)]), Ok("PROD.CUST".into()));
        }
        assert_eq!(found("customer", &[("DD_customer", "")]), Ok("CUSTOMER".into()));
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for file in ["", "/", "..", "../up", "customer_master", "1st", "longerthan8", "a b"] {
            assert_eq!(found(file, &[]), Err(EFNAME), "{file}");
        }
    }
}
