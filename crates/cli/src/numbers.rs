//! Numbers of an option, with a comma between them.

use std::str::FromStr;

/// Two numbers, such as `8,0`.
pub fn pair<N: FromStr>(text: &str) -> Result<(N, N), String> {
    let wrong = || format!("'{text}' is not two numbers with a comma between them, such as 8,0");
    let (first, second) = text.split_once(',').ok_or_else(wrong)?;
    let number = |t: &str| t.trim().parse::<N>().map_err(|_| wrong());
    Ok((number(first)?, number(second)?))
}
