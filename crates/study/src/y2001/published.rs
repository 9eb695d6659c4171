//! What the study published, read from the tables that stand beside this file.

/// "Compression ratio = 1.9".
pub const FACTOR: f64 = 1.9;

const REPRO: &str = include_str!("published.csv");
const ONLINE: &str = include_str!("online.csv");

/// Its REPROs: BUFND, measure, and the four figures.
pub fn repro() -> impl Iterator<Item = (&'static str, &'static str, [f64; 4])> {
    rows(REPRO).filter_map(|mut fields| {
        let (bufnd, measure) = (fields.next()?, fields.next()?);
        let mut figure = || fields.next()?.parse().ok();
        Some((bufnd, measure, [figure()?, figure()?, figure()?, figure()?]))
    })
}

/// Its online mix: measure, and percent with the standard and with the turbo dispatcher.
pub fn online() -> impl Iterator<Item = (&'static str, [f64; 2])> {
    rows(ONLINE).filter_map(|mut fields| {
        let measure = fields.next()?;
        let mut figure = || fields.next()?.parse().ok();
        Some((measure, [figure()?, figure()?]))
    })
}

/// Fields of the lines behind the head.
fn rows(csv: &'static str) -> impl Iterator<Item = std::str::Split<'static, char>> {
    let lines = csv.lines().filter(|line| !line.starts_with('#'));
    lines.skip(1).map(|line| line.split(','))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_have_all_their_rows() {
        let repro: Vec<_> = repro().collect();
        assert_eq!(repro.len(), 4);
        assert!(repro
            .iter()
            .all(|(_, _, figures)| figures[0] == 1.0 && figures[1] > 1.0));
        assert_eq!(online().count(), 3);
    }
}
