//! What a DD text consists of: operands between commas, each stated once.

/// Operands between commas that are in no parentheses and no apostrophes.
pub fn operands(text: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut from, mut found) = (0usize, false, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            ',' if depth == 0 && !quoted => {
                found.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[from..]);
    found
}

/// Notes what is stated, under one name where it has two; which of two values is meant nobody can say.
pub fn once(key: &str, stated: &mut Vec<String>) -> Result<(), String> {
    let name = match key {
        "DSNAME" => "DSN",
        "CCSID" => "CODEPAGE",
        other => other,
    };
    if stated.iter().any(|before| before == name) {
        return Err(format!("{key} is stated twice; remove one"));
    }
    stated.push(name.to_owned());
    Ok(())
}
