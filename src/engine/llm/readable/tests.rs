//! Tables of JSON as providers write it.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

fn read_whole(json: &str) -> Option<Value> {
    let mut spare = String::new();
    read::<Value>(json, &mut spare).ok().map(whole_value)
}

#[test]
fn json_that_parsers_refuse_is_read() {
    for (json, expected) in [
        (r#""a""#, Some(r#""a""#)),
        (r#""\ud83d\ude00""#, Some(r#""😀""#)),
        (r#""\uD83D\uDE00""#, Some(r#""😀""#)),
        (r#""a \ud83d""#, Some("\"a \u{fffd}\"")),
        (r#""\ude00 b""#, Some("\"\u{fffd} b\"")),
        (r#""\ude00\ud83d""#, Some("\"\u{fffd}\u{fffd}\"")),
        (r#""\ud83d\ud83d\ude00""#, Some("\"\u{fffd}😀\"")),
        (r#""\\ud83d""#, Some(r#""\\ud83d""#)),
        (r#""\\\ud83d""#, Some("\"\\\\\u{fffd}\"")),
        (r#"{"\ud83d":1}"#, Some("{\"\u{fffd}\":1}")),
        (
            r#"{"a":NaN,"b":[-Infinity,Infinity],"c":"NaN \"NaN"}"#,
            Some(r#"{"a":null,"b":[null,null],"c":"NaN \"NaN"}"#),
        ),
        (r#"{"a":"\ud83"}"#, None),
        (r#"{"a":"\ud83d"#, None),
        (r#"{"a":Na}"#, None),
    ] {
        let expected = expected.map(|text| serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(read_whole(json), expected, "{json}");
    }
}

#[test]
fn the_last_value_of_a_key_given_twice_counts() {
    #[derive(Deserialize)]
    struct Twice {
        a: u8,
    }
    let mut spare = String::new();
    assert_eq!(read::<Twice>(r#"{"a":1,"a":2}"#, &mut spare).unwrap().a, 2);
}

proptest! {
    /// However a text is cut into deltas, between any two code units, it is the same when it is whole.
    #[test]
    fn any_split_between_code_units_gives_the_same_text(
        units in prop::collection::vec(
            prop_oneof![Just(0x61_u16), Just(0xd83d), Just(0xde00), Just(0xdbff), Just(0xdc00)],
            0..12,
        ),
        cuts in prop::collection::vec(any::<bool>(), 12),
    ) {
        let mut deltas = vec![String::new()];
        for (unit, cut) in units.iter().zip(cuts) {
            if cut {
                deltas.push(String::new());
            }
            deltas.last_mut().unwrap().push_str(&format!("\\u{unit:04x}"));
        }
        let joined: String = deltas
            .iter()
            .map(|delta| {
                let json = format!("{{\"d\":\"{delta}\"}}");
                let mut spare = String::new();
                read::<HashMap<String, String>>(&json, &mut spare).unwrap()["d"].clone()
            })
            .collect();
        prop_assert_eq!(whole(&joined), String::from_utf16_lossy(&units));
        let (start, end) = split_half(&joined);
        prop_assert_eq!(format!("{start}{end}"), joined.clone());
        prop_assert_eq!(end.is_empty(), !units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit)));
    }
}
