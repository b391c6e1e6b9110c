//! Reads lists: every entry that can be read counts, and what is wrong with the rest is said.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::domain::counted;
use crate::domain::text::json;
use crate::domain::text::{Localized, Text, localized};

pub(in crate::store) const NOT_A_MAPPING: Text = Text::new("not a mapping", "不是映射");

/// A value, and what is wrong with the rest of the file.
pub(in crate::store) type ParseResult<T> = Result<(T, Option<Localized>), Localized>;

/// What the parser says.
pub(in crate::store) fn said(error: &serde_json::Error) -> Localized {
    Localized::same(error.to_string())
}

pub(in crate::store) fn json_list<T: DeserializeOwned>(text: &str) -> ParseResult<Vec<T>> {
    let value: Value = json::read(text).map_err(|error| said(&error))?;
    list(&value)
}

/// Dominds sets the whole tree aside where this stamp is missing.
pub(in crate::store) fn require_stamp<T>(
    value: &Value,
    (list, why): (T, Option<Localized>),
) -> (T, Option<Localized>) {
    let is_stamped = value.get("updatedAt").is_some_and(Value::is_string);
    (
        list,
        why.or_else(|| {
            (!is_stamped).then(|| Text::new("no `updatedAt`", "没有 `updatedAt`").into())
        }),
    )
}

pub(in crate::store) fn list_under<T: DeserializeOwned>(
    value: &Value,
    key: &str,
) -> ParseResult<Vec<T>> {
    list(value.get(key).ok_or_else(|| localized!("no list `{key}`", "没有列表 `{key}`"))?)
}

/// Every entry that can be read; the others are counted.
fn list<T: DeserializeOwned>(value: &Value) -> ParseResult<Vec<T>> {
    let items = value.as_array().ok_or(Text::new("not a list", "不是列表"))?;
    let good: Vec<T> =
        items.iter().filter_map(|item| serde_json::from_value(item.clone()).ok()).collect();
    let bad = items.len() - good.len();
    let unreadable = || {
        localized!(
            ("{} cannot be read", counted(bad, "entry", "entries")),
            ("有 {} 项无法读取", bad)
        )
    };
    Ok((good, (bad > 0).then(unreadable)))
}
