//! Records within JSON: each is the object that its line is, byte for byte. A line that is no object, or nests
//! too deep, is a text with that line.

use serde::de::Error as _;
use serde::ser::{Error as _, SerializeSeq as _};
use serde::{Deserialize, Deserializer, Serializer};
use serde_json::value::RawValue;

use crate::domain::Entry;
use crate::domain::text::json;

pub fn serialize<S: Serializer>(entries: &[Entry], serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(Some(entries.len()))?;
    for entry in entries {
        list.serialize_element(&raw(entry).map_err(S::Error::custom)?)?;
    }
    list.end()
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Entry>, D::Error> {
    let entries = Vec::<Box<RawValue>>::deserialize(deserializer)?;
    let read = entries.iter().map(|raw| read(raw).map_err(D::Error::custom));
    read.collect()
}

/// A record as JSON.
pub fn raw(entry: &Entry) -> serde_json::Result<Box<RawValue>> {
    let line = entry.line();
    let is_readable = json::too_deep(&line).is_none() && Entry::parse(&line).is_some();
    if is_readable { RawValue::from_string(line) } else { serde_json::value::to_raw_value(&line) }
}

/// The record of some JSON.
pub fn read(raw: &RawValue) -> serde_json::Result<Entry> {
    if raw.get().starts_with('"') {
        let line: String = serde_json::from_str(raw.get())?;
        return Ok(Entry::parse(&line).unwrap_or_else(|| Entry::verbatim(&line)));
    }
    Entry::parse(raw.get())
        .ok_or_else(|| <serde_json::Error as serde::de::Error>::custom("a record is an object"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Record;

    #[test]
    fn what_stands_on_disk_comes_back_byte_for_byte() {
        for line in [
            r#"{"type":"hologram_record","x": [1, 2],  "ts":"t"}"#,
            r#"{"ts":"t","type":"agent_words_record","content":5}"#,
            "[1]",
            "{\"cut",
            "",
            &format!("{{\"x\":{}1{}}}", "[".repeat(200), "]".repeat(200)),
        ] {
            let entry = Entry::parse(line).unwrap_or_else(|| Entry::verbatim(line));
            let back = read(&raw(&entry).unwrap()).unwrap();
            assert_eq!((back.line().as_str(), &back), (line, &entry));
        }
    }

    #[test]
    fn a_known_record_is_an_object_and_a_deep_one_a_text() {
        let entry =
            Entry::parse(r#"{"ts":"t","type":"agent_words_record","content":"x"}"#).unwrap();
        assert!(matches!(entry.record, Record::Words { .. }));
        assert_eq!(raw(&entry).unwrap().get(), entry.line());
        let deep = Entry::verbatim(&format!("{{\"x\":{}{}}}", "[".repeat(64), "]".repeat(64)));
        assert!(raw(&deep).unwrap().get().starts_with('"'));
        assert!(read(&RawValue::from_string("[1]".to_owned()).unwrap()).is_err());
    }
}
