//! The lines of the keys and list items of a document, as its parser saw them.
//!
//! A text that is read without copying is a part of the document, so its place is known. Of one that has
//! to be decoded (`"a\u0062"`) only the parser knows the place: it tells it when a second pass stops there.

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::budget::Budget;
use super::{Format, Stopped};

/// Finds lines in one document; it is parsed at the first question.
#[derive(Debug, Clone)]
pub struct Lines {
    text: String,
    top: OnceLock<Branch>,
}

/// The keys of a mapping, or the texts of a list.
#[derive(Debug, Clone, Default)]
struct Branch {
    keys: HashMap<String, (LinePosition, Branch)>,
    items: Vec<(String, LinePosition)>,
    /// The first key in it that is given twice.
    twice: Option<(String, LinePosition, LinePosition)>,
}

/// Where a key or an item begins.
#[derive(Debug, Clone, Copy)]
enum LinePosition {
    Byte(usize),
    /// The number of the text in the order of reading.
    Nth(usize),
}

impl Lines {
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self { text: text.to_owned(), top: OnceLock::new() }
    }

    /// The line (from 1) of the last of `keys`, each a key of the mapping before it. Of a key that is
    /// written twice the last counts, as it does for its value.
    #[must_use]
    pub fn of_key(&self, keys: &[&str]) -> Option<usize> {
        let (place, _) = self.find(keys).filter(|(_, depth)| *depth == keys.len())?.0;
        self.line(place)
    }

    /// As [`Self::of_key`], for the last of `keys` that exists.
    #[must_use]
    pub fn of_nearest(&self, keys: &[&str]) -> Option<usize> {
        let ((place, _), _) = self.find(keys)?;
        self.line(place)
    }

    /// The line of the first text in the list at `keys` that is the one looked for.
    #[must_use]
    pub fn of_item(&self, keys: &[&str], is_it: impl Fn(&str) -> bool) -> Option<usize> {
        let ((_, branch), depth) = self.find(keys)?;
        if depth < keys.len() {
            return None;
        }
        let (_, place) = branch.items.iter().find(|(text, _)| is_it(text))?;
        self.line(*place)
    }

    /// The first key that one mapping has twice, and its lines.
    pub(super) fn twice(&self) -> Option<(String, usize, usize)> {
        let top = self.top.get_or_init(|| walk(&self.text, None).unwrap_or_default());
        let (key, first, second) = top.twice.clone()?;
        Some((key, self.line(first)?, self.line(second)?))
    }

    /// The last of `keys` that exists, and how many there are up to it.
    fn find(&self, keys: &[&str]) -> Option<((LinePosition, &Branch), usize)> {
        let top = self.top.get_or_init(|| walk(&self.text, None).unwrap_or_default());
        let mut found = None;
        let mut branch = top;
        for (at, key) in keys.iter().enumerate() {
            let Some((place, below)) = branch.keys.get(*key) else { break };
            branch = below;
            found = Some(((*place, below), at + 1));
        }
        found
    }

    fn line(&self, place: LinePosition) -> Option<usize> {
        match place {
            LinePosition::Byte(at) => Some(breaks(self.text.get(..at)?) + 1),
            LinePosition::Nth(nth) => walk(&self.text, Some(nth)).err()?.line,
        }
    }
}

/// Line breaks as the parser counts them: `\n`, `\r\n` and `\r`.
fn breaks(text: &str) -> usize {
    let bytes = text.as_bytes();
    let after = bytes.iter().skip(1).map(Some).chain([None]);
    bytes
        .iter()
        .zip(after)
        .filter(|(byte, next)| **byte == b'\n' || **byte == b'\r' && *next != Some(&b'\n'))
        .count()
}

/// Reads the whole document, or stops at the text of this number.
fn walk(text: &str, stop: Option<usize>) -> Result<Branch, Stopped> {
    let mut walk = Walk { text, budget: Budget::of(text), seen: 0, stop };
    match Format::of(text).map_err(|error| Stopped { line: error.line })? {
        Format::Json(_) => {
            let mut document = serde_json::Deserializer::from_str(text);
            let found = NodeSeed(&mut walk).deserialize(&mut document);
            found.map(Node::branch).map_err(|error| Stopped { line: Some(error.line()) })
        }
        Format::Yaml => super::visit(text, NodeSeed(&mut walk)).map(Node::branch),
    }
}

struct Walk<'t> {
    text: &'t str,
    budget: Budget,
    seen: usize,
    stop: Option<usize>,
}

impl Walk<'_> {
    /// `part`: the text, if it was not copied.
    fn place<E: Error>(&mut self, part: Option<&str>) -> Result<LinePosition, E> {
        let nth = self.seen;
        self.seen += 1;
        if self.stop == Some(nth) {
            return Err(E::custom("found"));
        }
        Ok(part
            .and_then(|part| self.offset(part))
            .map_or(LinePosition::Nth(nth), LinePosition::Byte))
    }

    /// Where this part of the document begins.
    fn offset(&self, part: &str) -> Option<usize> {
        let at = part.as_ptr().addr().checked_sub(self.text.as_ptr().addr())?;
        (self.text.get(at..at.checked_add(part.len())?)? == part).then_some(at)
    }

    fn text<E: Error>(
        &mut self,
        text: &str,
        part: Option<&str>,
    ) -> Result<(String, LinePosition), E> {
        self.budget.take(text.len())?;
        Ok((text.to_owned(), self.place(part)?))
    }
}

/// A key or a text.
struct TextSeed<'a, 't>(&'a mut Walk<'t>);

impl<'de> DeserializeSeed<'de> for TextSeed<'_, '_> {
    type Value = (String, LinePosition);

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for TextSeed<'_, '_> {
    type Value = (String, LinePosition);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        self.0.text(text, Some(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        self.0.text(text, None)
    }
}

enum Node {
    Text(String, LinePosition),
    Branch(Branch),
}

impl Node {
    fn branch(self) -> Branch {
        match self {
            Self::Branch(branch) => branch,
            Self::Text(..) => Branch::default(),
        }
    }
}

/// Any value.
struct NodeSeed<'a, 't>(&'a mut Walk<'t>);

impl NodeSeed<'_, '_> {
    fn other<E: Error>(self) -> Result<Node, E> {
        self.0.budget.take(0)?;
        Ok(Node::Branch(Branch::default()))
    }
}

impl<'de> DeserializeSeed<'de> for NodeSeed<'_, '_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Node, D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NodeSeed<'_, '_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        self.other()
    }

    fn visit_none<E: Error>(self) -> Result<Node, E> {
        self.other()
    }

    fn visit_bool<E: Error>(self, _value: bool) -> Result<Node, E> {
        self.other()
    }

    fn visit_i64<E: Error>(self, _value: i64) -> Result<Node, E> {
        self.other()
    }

    fn visit_u64<E: Error>(self, _value: u64) -> Result<Node, E> {
        self.other()
    }

    fn visit_i128<E: Error>(self, _value: i128) -> Result<Node, E> {
        self.other()
    }

    fn visit_u128<E: Error>(self, _value: u128) -> Result<Node, E> {
        self.other()
    }

    fn visit_f64<E: Error>(self, _value: f64) -> Result<Node, E> {
        self.other()
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Node, E> {
        self.0.text(text, Some(text)).map(|(text, place)| Node::Text(text, place))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        self.0.text(text, None).map(|(text, place)| Node::Text(text, place))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        self.0.budget.take(0)?;
        let mut branch = Branch::default();
        while let Some(item) = entries.next_element_seed(NodeSeed(self.0))? {
            match item {
                Node::Text(text, place) => branch.items.push((text, place)),
                Node::Branch(below) => branch.twice = branch.twice.or(below.twice),
            }
        }
        Ok(Node::Branch(branch))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        self.0.budget.take(0)?;
        let mut branch = Branch::default();
        while let Some((key, place)) = entries.next_key_seed(TextSeed(self.0))? {
            let mut below = entries.next_value_seed(NodeSeed(self.0))?.branch();
            branch.twice = branch.twice.or_else(|| below.twice.take());
            let before = branch.keys.insert(key.clone(), (place, below));
            branch.twice = branch.twice.or_else(|| Some((key, before?.0, place)));
        }
        Ok(Node::Branch(branch))
    }
}

#[cfg(test)]
mod tests;
