//! The only place that names the YAML library: limits of size, nesting and repetition, positions in
//! errors, and the guards for characters it would change silently.
//!
//! Everything is read through a JSON value (YAML 1.2 core: a bare timestamp or `yes` stays a string),
//! so that types, unknown keys and defaults behave the same for every file.

use std::fmt;

mod block;
mod budget;
mod line_index;
mod nesting;

use serde::Serialize;
use serde::de::{DeserializeOwned, DeserializeSeed};
use serde_json::Value;

use crate::domain::text::{Localized, Text, localized};
pub use block::{entry as block_entry, indent_below as block_indent};
use budget::{Budget, TWICE};
pub use line_index::Lines;
use nesting::Excess;

/// Largest document read, in bytes.
pub const LIMIT_BYTES: usize = 4 * 1024 * 1024;

/// Characters the library reads or writes wrongly: DEL, NEL, line and paragraph separator.
const TREACHEROUS: [char; 4] = ['\u{7f}', '\u{85}', '\u{2028}', '\u{2029}'];

/// Why a document could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlError {
    /// First line is 1; unknown for errors of shape.
    pub line: Option<usize>,
    /// For people; what the library says is the same in both languages.
    pub text: Localized,
}

impl YamlError {
    /// The text, with the line.
    #[must_use]
    pub fn message(&self) -> Localized {
        let text = &self.text;
        match self.line {
            Some(line) => localized!([text] "line {line}: {text}", "第 {line} 行：{text}"),
            None => text.clone(),
        }
    }
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl std::error::Error for YamlError {}

/// Reads any document as a value. An empty document is `null`.
pub fn parse(text: &str) -> Result<Value, YamlError> {
    match Format::of(text)? {
        Format::Json(value) => Ok(value),
        Format::Yaml => {
            let document = serde_yaml::Deserializer::from_str(text);
            Budget::of(text).read(document).map_err(|error| {
                let said = error.to_string();
                let twice = said.contains(TWICE).then(|| given_twice(text)).flatten();
                twice.unwrap_or_else(|| YamlError {
                    line: error.location().map(|at| at.line()),
                    text: Localized::same(bounded(&said)),
                })
            })
        }
    }
}

fn given_twice(text: &str) -> Option<YamlError> {
    let (key, first, second) = Lines::of(text).twice()?;
    let key = bounded(&key);
    let text = localized!(
        "`{key}` is given twice, here and in line {first}; remove one of the two",
        "`{key}` 出现两次：此处和第 {first} 行；请删除其中一个"
    );
    Some(YamlError { line: Some(second), text })
}

/// Which parser reads a document.
enum Format {
    /// JSON is valid YAML, and is what `write` falls back to.
    Json(Value),
    Yaml,
}

impl Format {
    /// Chooses the parser of a document; refuses what no parser may get.
    fn of(text: &str) -> Result<Self, YamlError> {
        if text.len() > LIMIT_BYTES {
            let text = localized!("larger than {LIMIT_BYTES} bytes", "超过 {LIMIT_BYTES} 字节");
            return Err(YamlError { line: None, text });
        }
        if let Err((excess, at)) = nesting::depth(text, nesting::MAX) {
            let what = match excess {
                Excess::Depth => {
                    let max = nesting::MAX;
                    localized!("nested more than {max} deep", "嵌套超过 {max} 层")
                }
                Excess::Directives => Text::new("too many directives", "指令太多").into(),
            };
            let column = at.column;
            let text =
                localized!([what] "{what}, at column {column}", "{what}，位于第 {column} 列");
            return Err(YamlError { line: Some(at.line), text });
        }
        if text.trim_start().starts_with('{')
            && let Ok(value) = json(text)
        {
            return Ok(Self::Json(value));
        }
        if let Some(at) = text.find(TREACHEROUS) {
            let line = text.get(..at).map(|before| before.matches('\n').count() + 1);
            let text = Text::new("a control or separator character", "含有控制字符或分隔字符");
            return Err(YamlError { line, text: text.into() });
        }
        Ok(Self::Yaml)
    }
}

/// Fails for a key that is given twice, as for YAML.
fn json(text: &str) -> serde_json::Result<Value> {
    let mut document = serde_json::Deserializer::from_str(text);
    let value = Budget::of(text).read(&mut document)?;
    document.end().map(|()| value)
}

/// Why a walk through a document ended early.
struct Stopped {
    line: Option<usize>,
}

fn visit<'t, S: DeserializeSeed<'t>>(text: &'t str, seed: S) -> Result<S::Value, Stopped> {
    let document = serde_yaml::Deserializer::from_str(text);
    seed.deserialize(document)
        .map_err(|error| Stopped { line: error.location().map(|at| at.line()) })
}

/// Reads a document of a known shape.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    serde_json::from_value(parse(text)?).map_err(|error| shape(bounded(&error.to_string())))
}

/// Writes a document that both this program and Dominds read back exactly.
pub fn write<T: Serialize>(value: &T) -> Result<String, YamlError> {
    let json = serde_json::to_value(value).map_err(|error| shape(error.to_string()))?;
    let yaml = serde_yaml::to_string(&json).map_err(|error| shape(error.to_string()))?;
    if !yaml.contains(TREACHEROUS) && !holds_treacherous(&json) {
        return Ok(yaml);
    }
    let mut text = String::new();
    for c in json.to_string().chars() {
        if TREACHEROUS.contains(&c) {
            text.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            text.push(c);
        }
    }
    text.push('\n');
    Ok(text)
}

fn holds_treacherous(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(TREACHEROUS),
        Value::Array(items) => items.iter().any(holds_treacherous),
        Value::Object(map) => {
            map.iter().any(|(key, item)| key.contains(TREACHEROUS) || holds_treacherous(item))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn shape(text: String) -> YamlError {
    YamlError { line: None, text: Localized::same(text) }
}

fn bounded(text: &str) -> String {
    text.chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_that_a_mapping_has_twice_is_named_with_both_lines() {
        for (text, key, first, second) in [
            ("a: 1\nb: 2\na: 3\n", "a", 1, 3),
            ("members:\n  lead: {x: 1}\n  lead: {x: 2}\n", "lead", 2, 3),
            ("m:\n  l:\n    name: A\n    x: y\n    name: B\n", "name", 3, 5),
            ("m: {a: 1,\n  b: 2, a: 3}\n", "a", 1, 2),
            ("- a: 1\n  'a': 2\n", "a", 1, 2),
            ("\"a\\u0062\": 1\nab: 2\n", "ab", 1, 2),
            ("{\"a\": 1,\n\"a\": 2}\n", "a", 1, 2),
            ("{\"b\": {\"a\": 1,\n\n\"a\": 2}}\n", "a", 1, 3),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.line, Some(second), "{text}: {error}");
            let said = error.text.to_string();
            assert!(said.contains(&format!("`{key}` is given twice, here and in line {first};")));
            crate::samples::assert_translated(&error.text);
        }
        for text in ["a: {x: 1}\nb: {x: 1}\n", "- {a: 1}\n- {a: 1}\n", "a: &x {b: 1}\nc: *x\n"] {
            assert!(parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn bare_words_and_stamps_stay_strings() {
        let value =
            parse("a: 2026-11-21 20:09:33\nb: yes\nc: 01/02\nd: &x {k: v}\ne: *x\n").unwrap();
        assert_eq!(
            value,
            json!({"a": "2026-11-21 20:09:33", "b": "yes", "c": "01/02", "d": {"k": "v"}, "e": {"k": "v"}})
        );
    }

    #[test]
    fn an_error_names_its_line() {
        assert!(parse("a: 1\nb: [1,\nc: 2\n").unwrap_err().line.is_some());
        assert_eq!(parse("a: x\u{85}y\n").unwrap_err().line, Some(1));
    }

    #[test]
    fn what_nests_too_deep_is_refused_with_its_place_before_it_is_parsed() {
        let n = 4_000;
        let lines = |line: &dyn Fn(usize) -> String| (0..400).map(line).collect::<String>();
        for (text, place) in [
            ("[".repeat(n), (1, 65)),
            ("{".repeat(n), (1, 65)),
            ("{\"a\":".repeat(n), (1, 5 * 64 + 1)),
            ("[{a: ".repeat(n), (1, 5 * 32 + 1)),
            ("- ".repeat(n), (1, 2 * 64 + 1)),
            ("? ".repeat(n), (1, 2 * 64 + 1)),
            (format!("a:\n  b: c\n# [\n'[': \"[\\\"[\"\nd: e[[[\nf: {}", "[".repeat(n)), (6, 67)),
            (format!("a: |\n  [\n\n   {{\nb: >2-\n   [\nc: {}", "[\n".repeat(n)), (70, 1)),
            (lines(&|at| format!("{}a:\n", " ".repeat(at))), (65, 65)),
            (lines(&|at| format!("{0}a:\n{0}- b\n{0}-\n", " ".repeat(at))), (33 * 3 - 2, 33)),
        ] {
            let error = parse(&text).unwrap_err();
            let expected = format!("nested more than 64 deep, at column {}", place.1);
            assert_eq!(
                (error.line, error.text.to_string()),
                (Some(place.0), expected),
                "{text:.40}"
            );
        }
        for deep in [64, 65] {
            let text = format!("{}{}", "[".repeat(deep), "]".repeat(deep));
            assert_eq!(parse(&text).is_ok(), deep == 64);
            assert!(parse(&format!("{{\"a\": {text}}}")).is_err());
        }
    }

    #[test]
    fn brackets_that_open_nothing_do_not_count() {
        let many = "[{".repeat(100);
        for text in [
            format!("a: x{many}\n"),
            format!("# {many}\na: 1 # {many}\n"),
            format!("a: '{many}'' {many}'\n"),
            format!("a: \"{many}\\\"{many}\"\n"),
            format!("a: |\n  {many}\n  {many}\nb: 1\n"),
            format!("- >-\n  x\n\n    {many}\n- 2\n"),
            format!("a: |1\n  {many}\nb: 1\n"),
            format!("a: x\n  y {many}\nb: 1\n"),
            format!("a: &x !t {{b: c}}\nd: [{}]\n", "{e: f}, ".repeat(100)).replace("!t ", ""),
            "- [1, {a: b}]\n".repeat(100),
            format!("a:\n{}", "- b:\n  - c\n".repeat(100)),
            format!("{{\"a\": \"{many}\"}}"),
        ] {
            assert!(parse(&text).is_ok(), "{text:.60}: {:?}", parse(&text));
        }
    }

    #[test]
    fn what_a_few_aliases_repeat_too_often_is_refused() {
        let list = format!("a: &a [{}]\n", "x, ".repeat(10_000));
        let often = format!("{list}b: [{}]\n", "*a, ".repeat(10_000));
        assert!(parse(&often).unwrap_err().text.to_string().contains("repeat too much"));
        let doubled: Vec<String> =
            (1..40).map(|n| format!("a{n}: &a{n} [*a{}, *a{0}]\n", n - 1)).collect();
        assert!(parse(&format!("a0: &a0 [x]\n{}", doubled.concat())).is_err());
        assert!(parse(&format!("{list}b: [*a, *a]\n")).is_ok());
        let directives = "%TAG !a! x\n".repeat(65);
        let error = parse(&format!("{directives}--- 1\n")).unwrap_err();
        assert_eq!(
            (error.line, error.text.to_string().as_str()),
            (Some(65), "too many directives, at column 1")
        );
    }

    /// How many lists and mappings stand within each other; of two entries with one key both count.
    #[derive(Debug, PartialEq)]
    struct Depth(usize);

    impl<'de> serde::Deserialize<'de> for Depth {
        fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
            input.deserialize_any(Self(0))
        }
    }

    impl<'de> serde::de::Visitor<'de> for Depth {
        type Value = Self;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("anything")
        }

        fn visit_unit<E>(self) -> Result<Self, E> {
            Ok(self)
        }

        fn visit_bool<E>(self, _value: bool) -> Result<Self, E> {
            Ok(self)
        }

        fn visit_u64<E>(self, _value: u64) -> Result<Self, E> {
            Ok(self)
        }

        fn visit_str<E>(self, _value: &str) -> Result<Self, E> {
            Ok(self)
        }

        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
            let mut deepest = 0;
            while let Some(Self(depth)) = items.next_element()? {
                deepest = deepest.max(depth);
            }
            Ok(Self(deepest + 1))
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
            let mut deepest = 0;
            while let Some((Self(key), Self(value))) = map.next_entry()? {
                deepest = deepest.max(key).max(value);
            }
            Ok(Self(deepest + 1))
        }
    }

    fn counted(text: &str) -> Depth {
        Depth(nesting::depth(text, usize::MAX).unwrap())
    }

    /// A document whose flow collections and blocks are written as a person may write them.
    fn written() -> impl Strategy<Value = String> {
        let word = "[a-z]{1,3}(\\[|\\{|:x| #|-|'|,)?";
        prop_oneof![
            word.prop_map(|word| format!("\"{word}\"")),
            "[a-z]{1,3}",
            "'([a-z\\[{]|''){0,4}'",
        ]
        .prop_recursive(40, 200, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4)
                    .prop_map(|items| format!("[{}]", items.join(", "))),
                prop::collection::vec(("[a-z]{1,3}", inner), 0..4).prop_map(|entries| {
                    let entries: Vec<String> =
                        entries.iter().map(|(key, item)| format!("{key}: {item}")).collect();
                    format!("{{{}}}", entries.join(", "))
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_depth_that_is_counted_is_the_one_the_parser_finds(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "- ", "-\n", "? ", "?\n", ": ", ":\n", "a: ", "b:", "a", "\"k\"", "'v'", "[", "]",
                    "{", "}", ",", " ", "  ", "    ", "\n", "\n", "\n ", "\n  ", "\n    ", "|\n", ">-\n",
                    "|2\n", "# c", " #", "\t", "---\n", "...\n", "é", "x[", "\\", "\"", "'", "\r\n", "1",
                ]),
                0..40,
            ),
        ) {
            let text = pieces.concat();
            if let Ok(found) = serde_yaml::from_str::<Depth>(&text) {
                prop_assert_eq!(counted(&text), found);
            }
        }

        #[test]
        fn the_depth_of_a_key_that_is_a_collection_is_counted(
            pieces in prop::collection::vec(
                prop::sample::select(vec!["[", "]", "{", "}", ": ", ", ", "a", "? ", "a: ", "[]: ", "- "]),
                0..24,
            ),
        ) {
            let text = pieces.concat();
            if let Ok(found) = serde_yaml::from_str::<Depth>(&text) {
                prop_assert_eq!(counted(&text), found);
            }
        }

        #[test]
        fn no_ordinary_document_is_refused(flow in written(), key in "[a-z]{1,4}") {
            prop_assert_eq!(Ok(counted(&flow)), serde_yaml::from_str(&flow).map_err(|e| e.to_string()));
            let parsed: Value = serde_yaml::from_str(&flow).unwrap();
            let block = serde_yaml::to_string(&json!({ key: parsed })).unwrap();
            prop_assert_eq!(Ok(counted(&block)), serde_yaml::from_str(&block).map_err(|e| e.to_string()));
        }

        #[test]
        fn every_text_survives_writing_and_reading(text in any::<String>(), key in "[a-z\u{2028}\u{85}]{1,8}") {
            let value = json!({ key: text, "list": [text] });
            prop_assert_eq!(parse(&write(&value).unwrap()).unwrap(), value);
        }
    }
}
