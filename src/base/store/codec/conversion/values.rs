//! JSON values of files, and how much of them is lost.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::domain::Loss;

pub(in crate::store) type Keys = Map<String, Value>;

/// How much of each kind is lost.
pub(in crate::store) type Losses = BTreeMap<Loss, usize>;

pub(super) fn kind(value: &Value) -> Option<&str> {
    value.get("kind")?.as_str()
}

/// A text that says something.
pub(super) fn text<'a>(map: &'a Keys, key: &str) -> Option<&'a str> {
    map.get(key)?.as_str().filter(|text| !text.is_empty())
}

pub(super) fn number(map: &Keys, key: &str) -> Option<u64> {
    map.get(key)?.as_u64()
}

/// Takes a key out; the others keep their order.
pub(super) fn take(map: &mut Keys, key: &str) -> Option<Value> {
    map.shift_remove(key)
}

/// Gives a key another name.
pub(super) fn rename(map: &mut Keys, from: &str, to: &str) {
    if let Some(value) = take(map, from) {
        map.insert(to.to_owned(), value);
    }
}

pub(super) fn lose(losses: &mut Losses, loss: Loss, count: usize) {
    if count > 0 {
        *losses.entry(loss).or_default() += count;
    }
}
