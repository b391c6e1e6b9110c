//! What is found, what is left alone, and that it does not matter how a stream is cut.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use proptest::prelude::*;
use serde_json::json;

use super::{REDACTED, Secrets, SharedSecrets, is_secret};
use crate::domain::safety::references::{VaultEntries, VaultEntry, VaultRights, VaultUse};

const KEY: &str = "sk-canary/01+23=45?\"67\\89";

fn secrets(values: &[&str]) -> Arc<Secrets> {
    Arc::new(Secrets::new([], values.iter().map(|value| (*value).to_owned())))
}

/// What becomes of bytes that come in pieces of these lengths, again and again.
fn streamed(secrets: &Arc<Secrets>, bytes: &[u8], lengths: &[usize]) -> Vec<u8> {
    let (mut out, mut rest, mut stream) = (Vec::new(), bytes, secrets.stream());
    for length in lengths.iter().cycle() {
        let (piece, more) = rest.split_at((*length).clamp(1, rest.len().max(1)).min(rest.len()));
        stream.push(piece, &mut out);
        rest = more;
        if rest.is_empty() {
            break;
        }
    }
    stream.finish(&mut out);
    out
}

fn percent(text: &str, kept: &str, upper: bool) -> String {
    let digits = |byte: u8| if upper { format!("%{byte:02X}") } else { format!("%{byte:02x}") };
    let one = |byte: u8| {
        let stays = byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte);
        if stays { char::from(byte).to_string() } else { digits(byte) }
    };
    text.bytes().map(one).collect()
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// Lines of this length, as `base64` and `fold` write them.
fn wrapped(text: &str, length: usize, end: &str) -> String {
    let lines: Vec<&str> = text
        .as_bytes()
        .chunks(length)
        .map(|line| std::str::from_utf8(line).expect("ASCII"))
        .collect();
    lines.join(end)
}

#[test]
fn a_secret_is_found_in_every_form_and_between_anything() {
    let secrets = secrets(&[KEY]);
    let quoted = json!(KEY).to_string();
    let json = quoted.trim_matches('"').to_owned();
    let base64 = |before: &str, after: &str| STANDARD.encode(format!("{before}{KEY}{after}"));
    let mut forms = vec![
        KEY.to_owned(),
        json.clone(),
        json.replace('/', "\\/"),
        percent(KEY, "-._~", true),
        percent(KEY, "-._~", false),
        percent(KEY, "-._~/", true),
        percent(KEY, "-._~!'()*", false),
        hex(KEY),
        hex(KEY).to_uppercase(),
        wrapped(KEY, 7, "\n"),
        wrapped(KEY, 1, "\r\n"),
        wrapped(&STANDARD.encode(KEY), 13, "\n"),
        wrapped(&hex(KEY), 10, "\n"),
        STANDARD.encode(KEY),
        STANDARD.encode(KEY).replace('=', ""),
        URL_SAFE_NO_PAD.encode(KEY),
    ];
    forms.extend(
        KEY.bytes()
            .map(|byte| format!("%{byte:02X}"))
            .collect::<Vec<_>>()
            .chunks(99)
            .map(<[_]>::concat),
    );
    for form in &forms {
        let text = format!("before {form} after");
        let expected = format!("before {REDACTED} after");
        assert_eq!(secrets.redacted(text.clone()), expected, "{form}");
        assert!(secrets.is_in(&text));
        for length in [1, 2, 3, 7] {
            let out = streamed(&secrets, text.as_bytes(), &[length]);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{form} by {length}");
        }
    }
    // In the midst of something else that was encoded with it, a bit of the ends may stay.
    for before in ["", "u", "us", "usr", "user:"] {
        for after in ["", "\n", "ab", "abc"] {
            for encoded in
                [base64(before, after), base64(before, after).replace('+', "-").replace('/', "_")]
            {
                let out = secrets.redacted(format!("x {encoded} y"));
                assert!(out.contains(REDACTED), "{before:?} {after:?}: {out}");
                let left = out.replace(REDACTED, "").len();
                assert!(left <= 4 + (before.len() + after.len()) * 4 / 3 + 8, "{out}");
            }
        }
    }
}

#[test]
fn a_secret_of_several_lines_is_found_in_json_that_lies_in_json() {
    let pem = "-----BEGIN KEY-----\nMIIE\\\"canary\"/0123456789=\n-----END KEY-----";
    let secrets = secrets(&[pem]);
    let arguments = json!({ "text": format!("a {pem} b") }).to_string();
    let record = json!({ "arguments": arguments }).to_string();
    for (text, expected) in [
        (arguments, r#"{"text":"a [redacted] b"}"#),
        (record.replace('/', "\\/"), r#"{"arguments":"{\"text\":\"a [redacted] b\"}"}"#),
        (record, r#"{"arguments":"{\"text\":\"a [redacted] b\"}"}"#),
    ] {
        assert_eq!(secrets.redacted(text), expected);
    }
}

#[test]
fn the_longer_one_of_two_is_taken_out_whole_and_repeated_ones_too() {
    let secrets = secrets(&["canary-0123", "sk-canary-0123-more", "aaaaaaaa"]);
    for (text, expected) in [
        ("x canary-0123 y", "x [redacted] y"),
        ("x sk-canary-0123-more y", "x [redacted] y"),
        ("x sk-canary-0123-mor", "x sk-[redacted]-mor"),
        ("canary-0123canary-0123", "[redacted][redacted]"),
        ("baaaaaaaaaaaaaaaaaaab", "b[redacted]b"),
        ("sk-canary-012canary-0123", "sk-canary-012[redacted]"),
        ("", ""),
    ] {
        assert_eq!(secrets.redacted(text.to_owned()), expected);
        let out = streamed(&secrets, text.as_bytes(), &[1]);
        assert_eq!(String::from_utf8(out).unwrap(), expected, "by one");
    }
}

#[test]
fn what_is_held_back_stays_bounded() {
    let secrets = secrets(&["aaaaaaaa", "sk-canary-0123"]);
    for byte in ["a", "\n", "s", "sk-canary-012", "s\n\n\n\n"] {
        let (mut stream, mut out) = (secrets.stream(), Vec::new());
        stream.push(byte.repeat(10_000).as_bytes(), &mut out);
        assert!(stream.into_held().len() < 100, "{byte:?}");
    }
}

#[test]
fn a_few_bytes_may_be_passed_on_early_and_never_the_rest() {
    let secrets = secrets(&["sk-canary-0123"]);
    let (mut stream, mut out) = (secrets.stream(), Vec::new());
    for piece in ["ready s\n", "sk", "-can", "ary-", "0123", " end s"] {
        stream.push(piece.as_bytes(), &mut out);
        stream.settle(&mut out);
    }
    assert_eq!(String::from_utf8_lossy(&out), "ready s\nsk[redacted] end s");
}

#[test]
fn short_values_are_left_alone_and_the_token_of_a_header_is_found_without_its_scheme() {
    let short = secrets(&["on", "1234567", "       x"]);
    assert_eq!(short.redacted("on 1234567 x".to_owned()), "on 1234567 x");
    let header = secrets(&["Bearer canary-0123"]);
    for text in ["canary-0123", "Bearer canary-0123", "bearer canary-0123"] {
        assert!(!header.redacted(text.to_owned()).contains("canary"), "{text}");
    }
    assert_eq!(header.redacted("Bearer of news".to_owned()), "Bearer of news");
}

#[test]
fn a_long_secret_of_many_lines_is_found_by_its_parts() {
    let lines = (0..900).map(|n| format!("line {n} of a certificate\n"));
    let long = lines.collect::<Vec<_>>().concat();
    let secrets = secrets(&[&long]);
    let out = secrets.redacted(format!("<{long}>"));
    assert_eq!(out.replace(REDACTED, ""), "<\n>");
    let encoded = secrets.redacted(wrapped(&STANDARD.encode(&long), 76, "\n"));
    assert!(encoded.replace(REDACTED, "").len() < 100, "{encoded}");
}

#[test]
fn the_beginning_of_a_secret_is_not_left_at_a_cut() {
    let secrets = secrets(&["sk-canary-0123"]);
    for (text, expected) in [
        ("bad key sk-canary-01…", "bad key …"),
        ("said: x sk-canary-…; sk-canary-0123", "said: x …; [redacted]"),
        ("this…", "this…"),
        ("whole sk-canary-01", "whole sk-canary-01"),
    ] {
        assert_eq!(secrets.redacted_cut(text), expected);
    }
}

#[test]
fn a_word_is_a_secret_only_where_it_is_called_one() {
    for (names, value, secret) in [
        (["NODE_ENV", "NODE_ENV"], "production", false),
        (["ROOT", "PROJECT"], "/home/somebody/project-2", false),
        (["PASSWORD", "X"], "production", true),
        (["X", "DB_PASSWORD"], "correct-horse", true),
        (["X", "Y"], "hunter22", true),
        (["X", "Y"], "Production", true),
        (["X", "Y"], "/ab/cd+ef==", true),
        (["X", "Y"], "/0123456789abcdef/0123456789abcdef0123456789abcdef0", true),
        (["X", "Y"], "https://somewhere/hook", true),
    ] {
        assert_eq!(is_secret(names, value), secret, "{names:?} {value}");
    }
    let all = secrets(&["not-needed", "sk-canary-0123"]);
    assert_eq!(all.redacted("not-needed".to_owned()), REDACTED);
    let written = all.unmistakable();
    let text = "not-needed sk-canary-0123".to_owned();
    assert_eq!(written.redacted(text), "not-needed [redacted]");
}

#[test]
fn json_is_cleaned_in_its_texts_and_keys() {
    let secrets = secrets(&["canary-0123"]);
    let found = secrets.redacted_json(json!({"a canary-0123": ["canary-0123", 1, null]}));
    assert_eq!(found, json!({"a [redacted]": ["[redacted]", 1, null]}));
}

#[test]
fn a_vault_only_learns_and_nobody_sees_what() {
    let vault = SharedSecrets::default();
    let before = vault.learn(["A".to_owned()], ["canary-0123".to_owned()]);
    let other = vault.clone();
    other.learn(["B".to_owned()], ["other-0123".to_owned(), "x".to_owned()]);
    let now = vault.secrets();
    assert!(now.is_one("A") && now.is_one("B") && !before.is_one("B"));
    assert!(now.is_in("canary-0123") && now.is_in("other-0123") && !now.is_in("x"));
    assert!(!format!("{vault:?} {now:?}").contains("0123"));
}

/// A vault of the team `ops`: `OPEN` is revealed, `CLOSED` is not.
fn vault() -> SharedSecrets {
    let entry = |value: &str, is_revealed| VaultEntry {
        value: value.to_owned(),
        rights: VaultRights { uses: vec![VaultUse::Shell], hosts: Vec::new(), is_revealed },
        version: 1,
    };
    let ops = [("OPEN", entry(KEY, true)), ("CLOSED", entry("closed-canary-77", false))];
    let ops: VaultEntries = ops.into_iter().map(|(key, one)| (key.to_owned(), one)).collect();
    let vault = SharedSecrets::default();
    vault.set_entries([("ops".to_owned(), ops)].into());
    vault
}

#[test]
fn a_value_that_models_of_a_team_may_read_becomes_its_reference_for_that_team_alone() {
    let vault = vault();
    let json = json!({ "a": KEY }).to_string();
    let text = format!("{KEY} closed-canary-77 {}", STANDARD.encode(KEY));
    let ops = vault.seen_by("ops");
    assert_eq!(ops.redacted(text.clone()), "${vault:OPEN} [redacted] [redacted]");
    assert_eq!(ops.redacted(json.clone()), r#"{"a":"${vault:OPEN}"}"#);
    let others = vault.seen_by("qa");
    assert_eq!(others.redacted(text), "[redacted] [redacted] [redacted]");
    assert!(others.entry("OPEN").is_none() && ops.entry("CLOSED").is_some());
    assert!(!format!("{vault:?} {ops:?}").contains("canary"));
}

#[test]
fn only_readable_values_come_back_and_json_stays_json() {
    let ops = vault().seen_by("ops");
    assert_eq!(ops.revealed("use ${vault:OPEN}").unwrap(), format!("use {KEY}"));
    let json = ops.revealed_json(r#"{"a":"${vault:OPEN}","b":"${vault:CLOSED}"}"#).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json, json!({ "a": KEY, "b": "${vault:CLOSED}" }));
    assert_eq!(ops.revealed("${vault:CLOSED} ${vault:NOPE}"), None);
    assert_eq!(vault().seen_by("qa").revealed("${vault:OPEN}"), None);
}

#[test]
fn a_value_that_lies_on_another_secret_is_taken_out_without_a_name() {
    let vault = vault();
    let secrets = vault.learn([], [format!("{}tail-0123456789", &KEY[4..])]);
    assert!(secrets.is_in(KEY));
    let text = format!("{KEY}tail-0123456789");
    assert_eq!(vault.seen_by("ops").redacted(text), REDACTED);
}

#[test]
fn a_reference_stands_for_a_value_however_the_stream_is_cut() {
    let ops = vault().seen_by("ops").unmistakable();
    for length in 1..KEY.len() {
        let out = streamed(&ops, format!("a {KEY} b").as_bytes(), &[length]);
        assert_eq!(String::from_utf8(out).unwrap(), "a ${vault:OPEN} b", "{length}");
    }
}

proptest! {
    #[test]
    fn a_secret_at_any_place_never_comes_through_however_the_stream_is_cut(
        key in "[a-c/+\"]{8,12}",
        before in "[a-c/+\"\n]{0,40}",
        after in "[a-c/+\"\n]{0,40}",
        lengths in proptest::collection::vec(1_usize..20, 1..8),
        form in 0_usize..4,
    ) {
        let secrets = secrets(&[&key]);
        let written = match form {
            0 => key.clone(),
            1 => percent(&key, "", true),
            2 => hex(&key),
            _ => STANDARD.encode(&key),
        };
        let text = format!("{before}{written}{after}");
        let whole = secrets.redacted(text.clone());
        prop_assert!(!whole.contains(&written));
        prop_assert!(!secrets.is_in(&whole), "{}", whole);
        let out = streamed(&secrets, text.as_bytes(), &lengths);
        prop_assert_eq!(String::from_utf8(out).unwrap(), whole);
    }

    #[test]
    fn a_text_without_secrets_comes_out_as_it_was(
        text in "[sk\\-canry0-9%\\\\\n]{0,200}",
        lengths in proptest::collection::vec(1_usize..30, 1..8),
    ) {
        let secrets = secrets(&["sk-canary-01234567"]);
        prop_assume!(!secrets.is_in(&text));
        let out = streamed(&secrets, text.as_bytes(), &lengths);
        prop_assert_eq!(String::from_utf8(out).unwrap(), text);
    }

    #[test]
    fn any_bytes_are_taken(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        lengths in proptest::collection::vec(1_usize..30, 1..8),
    ) {
        let secrets = secrets(&["sk-canary-01234567"]);
        prop_assume!(!secrets.is_in(&bytes));
        prop_assert_eq!(streamed(&secrets, &bytes, &lengths), bytes);
    }
}
