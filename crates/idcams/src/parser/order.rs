//! DEFINE and CREATE with what they define in front.
//!
//! `DEFINE CATALOG(UCAT) NONVSAM (...)` and `DEFINE DATA (...) CLUSTER (...)` mean what they mean the other way round: the
//! parameters of a command stand in any order. The table has what is defined as the second word.

use crate::lexer::{Token, TokenKind};
use crate::statement::word;
use crate::table::VERBS;

/// The tokens of a command, the kind of entry and its list behind the verb; each token keeps its place in the text.
pub(super) fn object_first<'a>(tokens: &[&'a Token]) -> Vec<&'a Token> {
    let first = tokens.first().and_then(|token| word(token)).unwrap_or_default();
    let is_object = |token: &Token| {
        word(token).is_some_and(|text| VERBS.iter().any(|spec| spec.is_first(&first) && spec.is_second(&text)))
    };
    let Some(object) = at_top(tokens).find(|i| *i > 0 && is_object(tokens[*i])) else {
        return tokens.to_vec();
    };
    let end = at_top(tokens).find(|i| *i > object).unwrap_or(tokens.len());
    let parts = [&tokens[..1], &tokens[object..end], &tokens[1..object], &tokens[end..]];
    parts.concat()
}

/// Indexes of the tokens that stand in no parentheses and are none.
fn at_top<'a>(tokens: &'a [&Token]) -> impl Iterator<Item = usize> + 'a {
    let mut depth = 0usize;
    tokens
        .iter()
        .enumerate()
        .filter_map(move |(i, token)| match token.kind {
            TokenKind::Left => {
                depth += 1;
                None
            }
            TokenKind::Right => {
                depth = depth.saturating_sub(1);
                None
            }
            _ => (depth == 0).then_some(i),
        })
}
