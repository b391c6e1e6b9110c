//! Calls arrive in pieces; here they are put together.
//!
//! Pieces are always appended, never taken for repetitions, unless the provider is known to repeat
//! them. A call's place comes from its index; servers that leave it out, or use one index for several
//! calls, are understood by the id.

use crate::llm::ToolCall;
use crate::llm::answer::{MAX_CALLS, is_json};

/// A piece of a call.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub index: Option<u64>,
    pub id: String,
    pub name: String,
    pub arguments: String,
}

/// The calls of one answer, as far as they have come.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pieces: Vec<Piece>,
    /// Every piece of a call's arguments repeats what came before it.
    cumulative: bool,
}

impl Calls {
    pub(super) fn new(cumulative: bool) -> Self {
        Self { pieces: Vec::new(), cumulative }
    }

    /// Adds a piece to its call or begins a new one. Says by how many bytes that grew; `None` if there
    /// are too many calls.
    pub(super) fn add(&mut self, piece: Piece) -> Option<usize> {
        let mut calls = self.pieces.iter_mut().rev();
        let Some(call) = calls.find(|call| call.goes_on_with(&piece)) else {
            return self.add_whole(piece);
        };
        let before = call.bytes();
        call.append(piece, self.cumulative);
        Some(call.bytes().saturating_sub(before))
    }

    /// Adds a call that is complete.
    pub(super) fn add_whole(&mut self, piece: Piece) -> Option<usize> {
        let bytes = piece.bytes();
        self.pieces.push(piece);
        (self.pieces.len() <= MAX_CALLS).then_some(bytes)
    }

    /// The calls in index order.
    pub(super) fn finish(&mut self) -> Vec<ToolCall> {
        let mut pieces = std::mem::take(&mut self.pieces);
        if pieces.iter().all(|call| call.index.is_some()) {
            pieces.sort_by_key(|call| call.index);
        }
        let call =
            |piece: Piece| ToolCall { id: piece.id, name: piece.name, arguments: piece.arguments };
        pieces.into_iter().map(call).collect()
    }
}

impl Piece {
    fn goes_on_with(&self, next: &Self) -> bool {
        let other_id = !next.id.is_empty() && !self.id.is_empty() && next.id != self.id;
        let named = !next.name.is_empty();
        match (self.index, next.index) {
            // Some gateways number every call 0: a named piece with another id is another call.
            (Some(mine), Some(its)) => mine == its && !(named && other_id),
            (None, Some(_)) => false,
            // Without any id, a name after whole arguments begins another call.
            (_, None) if next.id.is_empty() => !(named && is_json(&self.arguments)),
            (_, None) => !other_id,
        }
    }

    fn bytes(&self) -> usize {
        self.id.len() + self.name.len() + self.arguments.len()
    }

    fn append(&mut self, next: Self, cumulative: bool) {
        if !next.id.is_empty() && self.id.is_empty() {
            self.id = next.id;
        }
        if self.name.is_empty() {
            self.name = next.name;
        }
        if cumulative && next.arguments.starts_with(&self.arguments) {
            self.arguments = next.arguments;
        } else {
            self.arguments.push_str(&next.arguments);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(index, id, name, arguments)`
    type Row = (Option<u64>, &'static str, &'static str, &'static str);

    fn put_together(pieces: &[Row]) -> Vec<(String, String, String)> {
        put_together_as(Calls::default(), pieces)
    }

    fn put_together_as(mut calls: Calls, pieces: &[Row]) -> Vec<(String, String, String)> {
        for (index, id, name, arguments) in pieces {
            let piece = Piece {
                index: *index,
                id: (*id).to_owned(),
                name: (*name).to_owned(),
                arguments: (*arguments).to_owned(),
            };
            assert!(calls.add(piece).is_some());
        }
        let calls = calls.finish();
        calls.into_iter().map(|call| (call.id, call.name, call.arguments)).collect()
    }

    #[test]
    fn pieces_find_their_call() {
        let (zero, one) = (Some(0), Some(1));
        for (what, pieces, expected) in [
            (
                "pieces of two calls, mixed",
                vec![
                    (one, "b", "g", ""),
                    (zero, "a", "f", "{\"x"),
                    (one, "", "", "{}"),
                    (zero, "", "", "\":1}"),
                ],
                vec![("a", "f", "{\"x\":1}"), ("b", "g", "{}")],
            ),
            (
                "repeated pieces are no repetition",
                vec![
                    (zero, "a", "f", "\""),
                    (zero, "", "", "aa"),
                    (zero, "", "", "aa"),
                    (zero, "", "", "\""),
                ],
                vec![("a", "f", "\"aaaa\"")],
            ),
            (
                "empty id and name do not overwrite",
                vec![(zero, "a", "f", "{"), (zero, "", "", "}")],
                vec![("a", "f", "{}")],
            ),
            (
                "id and name repeated in every piece",
                vec![(zero, "a", "f", "{"), (zero, "a", "f", "}")],
                vec![("a", "f", "{}")],
            ),
            (
                "no index: an id begins a call, the rest is appended",
                vec![(None, "a", "f", "{"), (None, "", "", "}"), (None, "b", "g", "{}")],
                vec![("a", "f", "{}"), ("b", "g", "{}")],
            ),
            (
                "neither index nor id: a name after whole arguments begins a call",
                vec![(None, "", "f", "{}"), (None, "", "g", "{"), (None, "", "", "}")],
                vec![("", "f", "{}"), ("", "g", "{}")],
            ),
            (
                "one index for two calls",
                vec![(zero, "a", "f", "{}"), (zero, "b", "f", "{}")],
                vec![("a", "f", "{}"), ("b", "f", "{}")],
            ),
            (
                "the id may come late",
                vec![(zero, "", "f", "{"), (zero, "a", "", "}")],
                vec![("a", "f", "{}")],
            ),
        ] {
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(id, name, text): (&str, &str, &str)| {
                    (id.to_owned(), name.to_owned(), text.to_owned())
                })
                .collect();
            assert_eq!(put_together(&pieces), expected, "{what}");
        }
    }

    #[test]
    fn a_flood_of_calls_is_refused() {
        let mut calls = Calls::default();
        let piece = |n| Piece { index: Some(n), ..Piece::default() };
        assert!((0..512).all(|n| calls.add(piece(n)).is_some()));
        assert!(calls.add(piece(512)).is_none());
    }

    #[test]
    fn pieces_that_repeat_what_came_before_them_replace_it_where_that_is_known() {
        let pieces = [
            (Some(0), "a", "f", "{\"x"),
            (Some(0), "a", "f", "{\"x\":"),
            (Some(0), "", "", "{\"x\":1}"),
            (Some(1), "b", "g", "{}"),
        ];
        let expected = [("a", "f", "{\"x\":1}"), ("b", "g", "{}")];
        let expected = expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()));
        assert_eq!(put_together_as(Calls::new(true), &pieces), expected);
        assert_ne!(put_together(&pieces), expected);
    }
}
