//! Makes the JSON of a provider readable: halves of surrogate pairs, `NaN`, keys given twice.
//!
//! A half of a surrogate pair may have its other half in the next delta. Until the text is whole, it is kept as a
//! mark: [`MARK`], which no text has, and a character of the private area. [`whole`] joins two halves; one alone
//! becomes U+FFFD.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

const MARK: char = '\u{fdd0}';
/// A half of a surrogate pair is written as this plus its number among the surrogates.
const PRIVATE: u32 = 0xe000;
const SURROGATES: u32 = 0xd800;
const HALVES: u32 = 0x800;
const LOW: u32 = 0x400;

/// Texts that some servers write for a number that is none; read as null.
const NO_NUMBERS: [&str; 3] = ["NaN", "-Infinity", "Infinity"];

/// Reads what a provider sent; the last value of a key counts. `spare` holds the text if it was repaired.
pub(super) fn read<'a, T: Deserialize<'a>>(
    json: &'a str,
    spare: &'a mut String,
) -> serde_json::Result<T> {
    let text = repaired(json);
    if matches!(text, Cow::Borrowed(_)) {
        match serde_json::from_str(json) {
            Err(error) if error.is_data() => {}
            read => return read,
        }
    }
    let value: Value = serde_json::from_str(&text)?;
    *spare = value.to_string();
    serde_json::from_str(spare)
}

/// JSON that a parser accepts, with each half of a surrogate pair as a mark.
pub(super) fn repaired(json: &str) -> Cow<'_, str> {
    let may_need = |text: &str| json.contains(text);
    if !["\\ud", "\\uD", "NaN", "Infinity"].into_iter().any(may_need) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    let (mut rest, mut in_string) = (json, false);
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        let no_number = NO_NUMBERS.into_iter().find(|word| rest.starts_with(word));
        match (c, escaped_unit(rest), no_number) {
            ('\\', Some(unit), _) if in_string => {
                taken = 6;
                let next = rest.get(6..).and_then(escaped_unit).and_then(half);
                match (half(unit), next) {
                    (Some(high), Some(low)) if high < LOW && low >= LOW => taken = 12,
                    (Some(half), _) => {
                        out.extend(
                            [Some(MARK), char::from_u32(PRIVATE + half)].into_iter().flatten(),
                        );
                        rest = rest.get(taken..).unwrap_or_default();
                        continue;
                    }
                    (None, _) => {}
                }
            }
            ('\\', None, _) if in_string => taken += rest.chars().nth(1).map_or(0, char::len_utf8),
            ('"', ..) => in_string = !in_string,
            (_, _, Some(word)) if !in_string => {
                out.push_str("null");
                rest = rest.get(word.len()..).unwrap_or_default();
                continue;
            }
            _ => {}
        }
        out.push_str(rest.get(..taken).unwrap_or_default());
        rest = rest.get(taken..).unwrap_or_default();
    }
    Cow::Owned(out)
}

/// A text that is complete: halves are joined, one alone becomes U+FFFD.
pub(super) fn whole(text: &str) -> Cow<'_, str> {
    if !text.contains(MARK) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(MARK) {
        out.push_str(before);
        let Some((high, mut tail)) = first_half(after) else {
            out.push(MARK);
            rest = after;
            continue;
        };
        let low = tail.strip_prefix(MARK).and_then(first_half);
        match low {
            Some((low, behind)) if high < LOW && low >= LOW => {
                out.extend(char::from_u32(0x1_0000 + high * LOW + (low - LOW)));
                tail = behind;
            }
            _ => out.push(char::REPLACEMENT_CHARACTER),
        }
        rest = tail;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// As [`whole`], for every text of a value.
pub(super) fn whole_value(value: Value) -> Value {
    let text = value.to_string();
    match whole(&text) {
        Cow::Borrowed(_) => value,
        Cow::Owned(text) => serde_json::from_str(&text).unwrap_or(value),
    }
}

/// Splits off a half at the end, whose other half may follow.
pub(super) fn split_half(text: &str) -> (&str, &str) {
    let at = text.rfind(MARK).filter(|at| {
        let after = text.get(at + MARK.len_utf8()..).unwrap_or_default();
        first_half(after).is_some_and(|(half, rest)| half < LOW && rest.is_empty())
    });
    at.and_then(|at| text.split_at_checked(at)).unwrap_or((text, ""))
}

/// The code unit of an escape at the beginning.
fn escaped_unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| are_digits)
}

/// The number of a code unit among the surrogates.
fn half(unit: u32) -> Option<u32> {
    unit.checked_sub(SURROGATES).filter(|half| *half < HALVES)
}

/// The half that a text behind a mark begins with.
fn first_half(text: &str) -> Option<(u32, &str)> {
    let mut chars = text.chars();
    let half = u32::from(chars.next()?).checked_sub(PRIVATE).filter(|half| *half < HALVES)?;
    Some((half, chars.as_str()))
}

#[cfg(test)]
mod tests;
