//! PICTURE: what kind of characters, and how many bytes.

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// X, A and everything edited: so many characters.
    Text(usize),
    /// 9, S, V, P: a number of so many digits.
    Number {
        /// Digits that are stored.
        digits: usize,
        /// With S.
        signed: bool,
    },
}

/// The longest item of COBOL.
const LONGEST: usize = 268_435_455;

impl Picture {
    /// Reads a PICTURE string.
    ///
    /// # Errors
    /// In words.
    pub fn parse(text: &str) -> Result<Picture, String> {
        let mut symbols = Vec::new();
        let upper = text.to_ascii_uppercase();
        let mut rest = upper.as_str();
        while let Some(symbol) = rest.chars().next() {
            rest = &rest[symbol.len_utf8()..];
            let mut count = 1;
            if let Some(repeated) = rest.strip_prefix('(') {
                let (number, behind) = repeated
                    .split_once(')')
                    .ok_or_else(|| format!("PICTURE {text} has no closing parenthesis"))?;
                count = number
                    .trim()
                    .parse::<usize>()
                    .ok()
                    .filter(|count| (1..=LONGEST).contains(count))
                    .ok_or_else(|| format!("PICTURE {text}: '{number}' is no count"))?;
                rest = behind;
            }
            symbols.push((symbol, count));
        }
        Picture::of(text, &symbols)
    }

    fn of(text: &str, symbols: &[(char, usize)]) -> Result<Picture, String> {
        let count = |wanted: &[char]| -> usize {
            let counts = symbols.iter().filter(|(symbol, _)| wanted.contains(symbol));
            counts.map(|(_, count)| *count).fold(0, usize::saturating_add)
        };
        if let Some((symbol, _)) = symbols
            .iter()
            .find(|(symbol, _)| matches!(symbol, 'N' | 'G' | 'U' | '1'))
        {
            return Err(format!(
                "PICTURE {text}: {symbol} is neither text of one byte a character nor a number"
            ));
        }
        let known = |symbol: &char| "09ABCDEPRSVXZ/,.+-*$".contains(*symbol);
        if let Some((symbol, _)) = symbols.iter().find(|(symbol, _)| !known(symbol)) {
            return Err(format!("PICTURE {text}: '{symbol}' is no symbol known here"));
        }
        let number = symbols
            .iter()
            .all(|(symbol, _)| matches!(symbol, '9' | 'S' | 'V' | 'P'));
        let stored = count(&['9']);
        match (number, stored) {
            (true, 1..=38) => Ok(Picture::Number {
                digits: stored,
                signed: count(&['S']) > 0,
            }),
            (true, 0) => Err(format!("PICTURE {text} has no digit")),
            (true, _) => Err(format!("PICTURE {text} has more than 38 digits")),
            (false, _) => match symbols
                .iter()
                .filter(|(symbol, _)| !matches!(symbol, 'V' | 'P' | 'S'))
                .fold(0, |all: usize, (_, count)| all.saturating_add(*count))
            {
                0 => Err(format!("PICTURE {text} has no character")),
                size @ 1..=LONGEST => Ok(Picture::Text(size)),
                _ => Err(format!("PICTURE {text} is longer than any item may be")),
            },
        }
    }
}
