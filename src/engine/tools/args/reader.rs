//! Reads a JSON value as a type, as lenient as models need and no more: `3.0` is a whole number, and
//! `null` counts as absent where a field may be absent or is not known at all, because some providers
//! make models spell out every field.

use serde::de::value::{StrDeserializer, StringDeserializer};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value, map};

use super::mismatch::{ArgMismatch, MismatchKind};

/// A value that is to become a type.
pub(super) struct Reader(pub Value);

type Fault<T> = Result<T, ArgMismatch>;

impl Reader {
    fn wrong_type<T>(&self, expected: &'static str) -> Fault<T> {
        let found = type_of(&self.0);
        Err(ArgMismatch::at("", MismatchKind::WrongType { expected, found }))
    }
}

macro_rules! whole_numbers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Fault<V::Value> {
            match as_integer(&self.0) {
                Some(number) => visitor.visit_i64(number),
                None => self.wrong_type("integer"),
            }
        }
    )*};
}

macro_rules! fractions {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Fault<V::Value> {
            match self.0.as_f64() {
                Some(number) => visitor.visit_f64(number),
                None => self.wrong_type("number"),
            }
        }
    )*};
}

macro_rules! texts {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Fault<V::Value> {
            let Value::String(text) = self.0 else { return self.wrong_type("string") };
            visitor.visit_string(text)
        }
    )*};
}

impl<'de> Deserializer<'de> for Reader {
    type Error = ArgMismatch;

    whole_numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    fractions! { deserialize_f32 deserialize_f64 }

    texts! { deserialize_char deserialize_str deserialize_string deserialize_identifier }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Fault<V::Value> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(flag),
            Value::Number(ref number) => match (as_integer(&self.0), number.as_f64()) {
                (Some(whole), _) => visitor.visit_i64(whole),
                (None, Some(fraction)) => visitor.visit_f64(fraction),
                (None, None) => self.wrong_type("number"),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => visitor.visit_seq(Items { rest: items.into_iter(), index: 0 }),
            Value::Object(object) => visitor.visit_map(Fields::of(object)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Fault<V::Value> {
        let Value::Bool(flag) = self.0 else { return self.wrong_type("boolean") };
        visitor.visit_bool(flag)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Fault<V::Value> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Fault<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Fault<V::Value> {
        let Value::Array(items) = self.0 else { return self.wrong_type("array") };
        visitor.visit_seq(Items { rest: items.into_iter(), index: 0 })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Fault<V::Value> {
        let Value::Object(object) = self.0 else { return self.wrong_type("object") };
        visitor.visit_map(Fields::of(object))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Fault<V::Value> {
        let Value::Object(mut object) = self.0 else { return self.wrong_type("object") };
        object.retain(|key, value| !value.is_null() || known.contains(&key.as_str()));
        visitor.visit_map(Fields::of(object))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Fault<V::Value> {
        let Value::String(name) = self.0 else { return self.wrong_type("string") };
        visitor.visit_enum(StrDeserializer::new(&name))
    }

    forward_to_deserialize_any! {
        i128 u128 bytes byte_buf unit unit_struct tuple tuple_struct ignored_any
    }
}

/// The items of a list, counted so that a fault names its own.
struct Items {
    rest: std::vec::IntoIter<Value>,
    index: usize,
}

impl<'de> SeqAccess<'de> for Items {
    type Error = ArgMismatch;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Fault<Option<T::Value>> {
        let Some(item) = self.rest.next() else { return Ok(None) };
        let read = seed.deserialize(Reader(item)).map_err(|fault| fault.in_item(self.index))?;
        self.index += 1;
        Ok(Some(read))
    }
}

/// The fields of an object, in their order.
struct Fields {
    rest: map::IntoIter,
    current: Option<(String, Value)>,
}

impl Fields {
    fn of(object: Map<String, Value>) -> Self {
        Self { rest: object.into_iter(), current: None }
    }
}

impl<'de> MapAccess<'de> for Fields {
    type Error = ArgMismatch;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Fault<Option<K::Value>> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        let read = seed.deserialize(StringDeserializer::new(key.clone()))?;
        self.current = Some((key, value));
        Ok(Some(read))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Fault<S::Value> {
        let (key, value) = self.current.take().unwrap_or_default();
        seed.deserialize(Reader(value)).map_err(|fault| fault.in_field(&key))
    }
}

/// Returns a JSON number as a whole number; `3.0` counts as one.
fn as_integer(value: &Value) -> Option<i64> {
    if let Some(number) = value.as_i64() {
        return Some(number);
    }
    let text = value.as_number()?.to_string();
    let (whole, fraction) = text.split_once('.')?;
    fraction.bytes().all(|digit| digit == b'0').then(|| whole.parse().ok()).flatten()
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::domain::Lang;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Mode {
        Plain,
        Markdown,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        n: f64,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        path: String,
        count: Option<NonZeroUsize>,
        most: Option<usize>,
        mode: Option<Mode>,
        flag: Option<bool>,
        tags: Option<Vec<String>>,
        inner: Option<Inner>,
    }

    fn read(value: &Value) -> Fault<Sample> {
        Sample::deserialize(Reader(value.clone()))
    }

    #[test]
    fn fitting_objects_pass() {
        for (value, seen) in [
            (json!({"path": "a"}), "a None None None None None"),
            (
                json!({"path": "", "count": 1, "mode": "plain", "flag": false}),
                " Some(1) None Some(Plain) Some(false) None",
            ),
            (json!({"path": "a", "count": 3.0, "most": 0}), "a Some(3) Some(0) None None None"),
            (
                json!({"path": "a", "count": null, "mode": null, "other": null}),
                "a None None None None None",
            ),
            (json!({"path": "a", "tags": []}), "a None None None None Some([])"),
            (
                json!({"path": "a", "mode": "markdown", "tags": ["x", "y"], "inner": {"n": 1}}),
                "a None None Some(Markdown) None Some([\"x\", \"y\"])",
            ),
        ] {
            let read = read(&value).unwrap();
            let Sample { path, count, most, mode, flag, tags, inner } = &read;
            assert!(inner.as_ref().is_none_or(|inner| inner.n > 0.0));
            assert_eq!(format!("{path} {count:?} {most:?} {mode:?} {flag:?} {tags:?}"), seen);
        }
    }

    #[test]
    fn every_fault_names_its_field() {
        for (value, field, sentence) in [
            (json!({}), "path", "required but missing"),
            (json!({"path": null}), "path", "must be string, not null"),
            (json!({"path": 1}), "path", "must be string, not number"),
            (json!({"path": ["a"]}), "path", "not array"),
            (json!({"path": "a", "count": "1"}), "count", "must be integer, not string"),
            (json!({"path": "a", "count": 1.5}), "count", "must be integer, not number"),
            (json!({"path": "a", "count": u64::MAX}), "count", "must be integer, not number"),
            (json!({"path": "a", "count": 0}), "count", "at least 1"),
            (json!({"path": "a", "count": -7}), "count", "at least 1"),
            (json!({"path": "a", "most": -7}), "most", "at least 0"),
            (json!({"path": "a", "mode": "html"}), "mode", "one of: plain, markdown"),
            (json!({"path": "a", "mode": true}), "mode", "must be string, not boolean"),
            (json!({"path": "a", "flag": "yes"}), "flag", "must be boolean, not string"),
            (json!({"path": "a", "tags": "x"}), "tags", "must be array"),
            (json!({"path": "a", "tags": ["x", 2]}), "tags[1]", "must be string"),
            (json!({"path": "a", "inner": {}}), "inner.n", "required but missing"),
            (json!({"path": "a", "inner": {"n": "1"}}), "inner.n", "must be number"),
            (json!({"path": "a", "inner": {"n": 1, "m": 2}}), "inner.m", "known: n"),
            (json!({"path": "a", "inner": []}), "inner", "must be object, not array"),
            (json!({"path": "a", "other": 1}), "other", "is not a parameter; known: path"),
            (json!({"path": "a", "__proto__": {}}), "__proto__", "is not a parameter"),
        ] {
            let fault = read(&value).unwrap_err();
            assert_eq!(fault.field, field, "{value}");
            let text = fault.text(Lang::En);
            assert!(text.contains(&format!("`{field}`")) && text.contains(sentence), "{text}");
            assert!(fault.text(Lang::Zh).contains(field), "{value}");
        }
    }

    #[test]
    fn a_hostile_field_name_is_shortened_and_made_visible() {
        let name = format!("\u{1b}[31m\n{}", "x".repeat(1_000));
        let fault = read(&json!({"path": "a", name: 1})).unwrap_err();
        assert!(fault.field.len() < 120 && !fault.field.contains(['\n', '\u{1b}']));
    }
}
