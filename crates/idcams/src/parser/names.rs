//! The forms names may have.

use crate::table::NameForm;

/// What a password is.
pub(super) const PASSWORD: &str = "A PASSWORD HAS 1 TO 8 CHARACTERS";

/// The name without its password, or the rule it breaks.
pub(super) fn well_formed(form: NameForm, text: &str) -> Result<String, &'static str> {
    let national = |c: char| c.is_ascii_uppercase() || matches!(c, '@' | '#' | '$');
    let (ok, text, rule) = match form {
        NameForm::Dsname | NameForm::Mask => {
            let (name, password) = text.split_once('/').unwrap_or((text, "NONE"));
            if !(1..=8).contains(&password.len()) {
                return Err(PASSWORD);
            }
            let (base, member) = match name.split_once('(') {
                Some((base, member)) => (base, Some(member.trim_end_matches(')'))),
                None => (name, None),
            };
            let mask = form == NameForm::Mask;
            let member_ok = member.is_none_or(|m| mask && is_member(m));
            let ok = base.len() <= 44 && member_ok && base.split('.').all(|q| is_qualifier(q, mask));
            let rule = "A NAME HAS 44 CHARACTERS AT MOST, ITS QUALIFIERS 1 TO 8, BEGINNING WITH A LETTER OR @ # $";
            (ok, name, rule)
        }
        NameForm::Symbolic => {
            let ok = cica_catalog::Symbolic::parse(text).is_ok();
            let rule = "A NAME WITH SYMBOLS HAS 44 CHARACTERS AT MOST, THOSE OF A NAME AND &SYMBOL., &SYMBOL(1:2).; A \
                        SYMBOL HAS 1 TO 8 LETTERS, DIGITS, @ # $";
            (ok, text, rule)
        }
        NameForm::Ddname => {
            let ok = (1..=8).contains(&text.len())
                && text.starts_with(national)
                && text.chars().all(|c| national(c) || c.is_ascii_digit());
            (
                ok,
                text,
                "A DDNAME HAS 1 TO 8 LETTERS, DIGITS, @ # $ AND BEGINS WITH A LETTER OR @ # $",
            )
        }
        NameForm::Volser | NameForm::AnyVolser => {
            let any = form == NameForm::AnyVolser && text == "*";
            let plain =
                (1..=6).contains(&text.len()) && text.chars().all(|c| national(c) || c.is_ascii_digit() || c == '-');
            (
                any || plain,
                text,
                "A VOLUME SERIAL HAS 1 TO 6 LETTERS, DIGITS, @ # $ OR -",
            )
        }
        NameForm::VolserMask => {
            let fits = |c: char| national(c) || c.is_ascii_digit() || matches!(c, '-' | '*' | '%');
            let ok = (1..=6).contains(&text.len()) && text.chars().all(fits);
            (
                ok,
                text,
                "A VOLUME SERIAL HAS 1 TO 6 LETTERS, DIGITS, @ # $ OR -, AND HERE * OR %",
            )
        }
        NameForm::Word => {
            let ok = (1..=8).contains(&text.len()) && text.chars().all(|c| c.is_ascii_graphic());
            (ok, text, "IT HAS 1 TO 8 CHARACTERS")
        }
        NameForm::Label => {
            let ok = (1..=64).contains(&text.len()) && text.chars().all(|c| c.is_ascii_graphic());
            (ok, text, "IT HAS 1 TO 64 CHARACTERS")
        }
    };
    if ok {
        Ok(text.to_owned())
    } else {
        Err(rule)
    }
}

fn is_qualifier(text: &str, mask: bool) -> bool {
    let wild = |c: char| mask && matches!(c, '*' | '%');
    let first = |c: char| c.is_ascii_uppercase() || matches!(c, '@' | '#' | '$') || wild(c);
    (1..=8).contains(&text.len())
        && text.starts_with(first)
        && text.chars().all(|c| first(c) || c.is_ascii_digit() || c == '-')
}

/// A member name, or the relative number of a generation: 0, +1, -2.
fn is_member(text: &str) -> bool {
    let relative = text.trim_start_matches(['+', '-']);
    is_qualifier(text, true)
        || (!relative.is_empty() && relative.len() <= 3 && relative.bytes().all(|b| b.is_ascii_digit()))
}
