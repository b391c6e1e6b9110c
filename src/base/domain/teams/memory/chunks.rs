//! A memory in pieces that are found by themselves: whole paragraphs, up to a number of tokens.

use super::words::{Token, tokens};

/// Most tokens of the content of a chunk.
const MAX_CONTENT: usize = 500;
/// Most tokens of a chunk with those of its key.
const MAX_TOKENS: usize = 2_000;

/// A part of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The characters of the content that it has.
    pub from: usize,
    pub to: usize,
    /// The tokens of these and of the key.
    pub tokens: Vec<String>,
}

/// What stays together: bytes of the content, and the number of their tokens.
#[derive(Debug)]
struct Piece {
    from: usize,
    to: usize,
    count: usize,
}

/// The chunks of a memory, at least one.
#[must_use]
pub fn chunks(key: &str, content: &str) -> Vec<Chunk> {
    let pieces: Vec<Piece> =
        paragraphs(content).into_iter().flat_map(|part| pieces(content, part)).collect();
    let mut spans = filled(&pieces);
    if spans.is_empty() {
        spans.push((0, content.len()));
    }
    spans.into_iter().map(|span| chunk(key, content, span)).collect()
}

fn chunk(key: &str, content: &str, (from, to): (usize, usize)) -> Chunk {
    let text = content.get(from..to).unwrap_or_default();
    let before = content.get(..from).unwrap_or_default().chars().count();
    let all = tokens(text).into_iter().chain(tokens(key)).map(|token| token.text);
    Chunk {
        from: before,
        to: before + text.chars().count(),
        tokens: all.take(MAX_TOKENS).collect(),
    }
}

/// The stretches between blank lines.
fn paragraphs(content: &str) -> Vec<(usize, usize)> {
    let (mut found, mut start, mut end, mut at) = (Vec::new(), None, 0, 0);
    for line in content.split_inclusive('\n') {
        let next = at + line.len();
        if line.trim().is_empty() {
            found.extend(start.take().map(|from| (from, end)));
        } else {
            start.get_or_insert(at);
            end = next;
        }
        at = next;
    }
    found.extend(start.map(|from| (from, end)));
    found
}

/// A paragraph; a long one is cut behind a sentence, or anywhere.
fn pieces(content: &str, (start, to): (usize, usize)) -> Vec<Piece> {
    let all = tokens(content.get(start..to).unwrap_or_default());
    let (mut found, mut rest, mut from) = (Vec::new(), all.as_slice(), start);
    while rest.len() > MAX_CONTENT {
        let mut later = rest.iter().skip(MAX_CONTENT).map(|token| start + token.at);
        let Some(limit) = later.find(|at| *at > from) else { break };
        let cut = sentence_end(content, from, limit).unwrap_or(limit);
        let is_before = |token: &&Token| start + token.at < cut;
        let count = rest.iter().take_while(is_before).count();
        found.push(Piece { from, to: cut, count });
        (from, rest) = (cut, rest.get(count..).unwrap_or_default());
    }
    found.push(Piece { from, to, count: rest.len() });
    found
}

/// Where the last whole sentence of this stretch ends.
fn sentence_end(content: &str, from: usize, to: usize) -> Option<usize> {
    let mut chars = content.get(from..to)?.char_indices().peekable();
    let mut last = None;
    while let Some((at, c)) = chars.next() {
        let is_end = match c {
            '。' | '！' | '？' | '\n' => true,
            '.' | '!' | '?' => chars.peek().is_some_and(|(_, next)| next.is_whitespace()),
            _ => false,
        };
        if is_end {
            last = Some(from + at + c.len_utf8());
        }
    }
    last
}

/// As many pieces together as fit.
fn filled(pieces: &[Piece]) -> Vec<(usize, usize)> {
    let span = |first: usize, end: usize| {
        let last = pieces.get(end.checked_sub(1)?)?;
        Some((pieces.get(first)?.from, last.to))
    };
    let (mut spans, mut first, mut count) = (Vec::new(), 0, 0);
    for (at, piece) in pieces.iter().enumerate() {
        if at > first && count + piece.count > MAX_CONTENT {
            spans.extend(span(first, at));
            (first, count) = (at, 0);
        }
        count += piece.count;
    }
    spans.extend(span(first, pieces.len()));
    spans
}
