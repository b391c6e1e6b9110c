//! A document read as a JSON value, which may not grow far beyond its text: an alias repeats all that its
//! anchor names, so a few bytes could stand for any number of values.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Growth that a document is allowed besides its own size, in values and bytes of text.
const GROWTH: usize = 256 * 1024;

/// The error for a key that a mapping has twice: one of its values would be lost.
pub const TWICE: &str = "a key is given twice";

/// Values and bytes of text that may still come.
#[derive(Debug)]
pub struct Budget(usize);

impl Budget {
    /// More than any document without aliases needs: nothing takes less than two bytes for three values,
    /// or for three bytes of text.
    pub fn of(text: &str) -> Self {
        Self(text.len().saturating_mul(2) + GROWTH)
    }

    pub fn read<'de, D: Deserializer<'de>>(mut self, document: D) -> Result<Value, D::Error> {
        Node(&mut self).deserialize(document)
    }

    /// Takes one value and these bytes of text.
    pub fn take<E: Error>(&mut self, bytes: usize) -> Result<(), E> {
        match self.0.checked_sub(1 + bytes) {
            Some(rest) => self.0 = rest,
            None => return Err(E::custom("its aliases repeat too much")),
        }
        Ok(())
    }
}

/// One value.
struct Node<'a>(&'a mut Budget);

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Value, D::Error> {
        input.deserialize_any(self)
    }
}

fn number<E: Error>(number: Option<Number>) -> Result<Value, E> {
    number.map(Value::Number).ok_or_else(|| E::custom("a number out of range"))
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, a number, a list or a mapping")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        self.0.take(0)?;
        Ok(Value::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Value, E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, input: D) -> Result<Value, D::Error> {
        self.deserialize(input)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        self.0.take(0)?;
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        self.0.take(0)?;
        Ok(Value::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        self.0.take(0)?;
        Ok(Value::from(value))
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Value, E> {
        self.0.take(0)?;
        number(Number::from_i128(value))
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Value, E> {
        self.0.take(0)?;
        number(Number::from_u128(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        self.0.take(0)?;
        Ok(Value::from(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        self.0.take(value.len())?;
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        self.0.take(0)?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Node(self.0))? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        self.0.take(0)?;
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            self.0.take(key.len())?;
            if map.contains_key(&key) {
                return Err(A::Error::custom(TWICE));
            }
            let value = entries.next_value_seed(Node(self.0))?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}
