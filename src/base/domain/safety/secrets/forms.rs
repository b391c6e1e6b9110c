//! The forms in which a secret is found: as it is, in JSON, in an address, in base64 and in hex.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

/// Shorter values may be ordinary words.
pub(super) const SHORTEST: usize = 8;

/// A longer secret is found by its parts, so that the forms of one part stay small.
const PART_BYTES: usize = 2_048;
/// Parts of one secret; what comes after them is not looked for.
const MAX_PARTS: usize = 32;

/// Characters besides letters and digits that stay as they are in an address: by RFC 3986, by
/// `encodeURIComponent`, by `quote` of Python, by `encodeURI`, by a form, and none.
const KEPT: [&str; 5] = ["-._~", "-._~!'()*", "-._~/", "-._~;,/?:@&=+$#!'()*", "-._*"];

/// All forms of a secret that is not short.
pub(super) fn of(secret: &str) -> BTreeSet<Vec<u8>> {
    let mut forms = BTreeSet::new();
    for whole in [Some(secret), token(secret)].into_iter().flatten() {
        for part in parts(whole) {
            forms.extend(of_part(part));
        }
    }
    forms
}

/// True for a form that is the secret itself, or how JSON writes it: in its place another text may stand for it.
pub(super) fn is_itself(secret: &str, form: &[u8]) -> bool {
    form == secret.as_bytes() || in_json(secret).iter().any(|json| json.as_bytes() == form)
}

/// The token after the name of a scheme, as in `Bearer TOKEN`.
fn token(secret: &str) -> Option<&str> {
    let (scheme, rest) = secret.split_once(' ')?;
    let is_scheme = (1..=12).contains(&scheme.len())
        && scheme.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    (is_scheme && rest.trim().len() >= SHORTEST).then(|| rest.trim())
}

fn parts(secret: &str) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), secret);
    // The last part takes along what would be too short for one of its own.
    while rest.len() > 2 * PART_BYTES && parts.len() < MAX_PARTS {
        let end = (0..=PART_BYTES).rev().find(|at| rest.is_char_boundary(*at)).unwrap_or_default();
        let (part, more) = rest.split_at(end);
        parts.push(part);
        rest = more;
    }
    if parts.len() < MAX_PARTS {
        parts.push(rest);
    }
    parts
}

fn of_part(part: &str) -> BTreeSet<Vec<u8>> {
    let bytes = part.as_bytes();
    let mut forms: BTreeSet<Vec<u8>> = BTreeSet::new();
    forms.insert(bytes.to_vec());
    for json in in_json(part) {
        // Also in JSON that lies in JSON, as the arguments of a call do in the record of it.
        forms.extend(in_json(&json).into_iter().map(String::into_bytes));
        forms.insert(json.into_bytes());
    }
    for kept in KEPT.iter().map(|kept| Some(*kept)).chain([None]) {
        for upper in [true, false] {
            forms.insert(in_address(bytes, kept, upper));
        }
    }
    for phase in 0..3 {
        forms.insert(core(&STANDARD_NO_PAD.encode(padded(bytes, phase)), phase, bytes.len()));
        forms.insert(core(&URL_SAFE_NO_PAD.encode(padded(bytes, phase)), phase, bytes.len()));
    }
    // As a whole text, base64 keeps its last characters, too.
    for whole in [
        STANDARD.encode(bytes),
        STANDARD_NO_PAD.encode(bytes),
        URL_SAFE.encode(bytes),
        URL_SAFE_NO_PAD.encode(bytes),
    ] {
        forms.insert(whole.into_bytes());
    }
    let hex = |upper| bytes.iter().flat_map(|byte| digits(*byte, upper)).collect();
    forms.insert(hex(false));
    forms.insert(hex(true));
    forms
}

fn padded(bytes: &[u8], phase: usize) -> Vec<u8> {
    [&vec![0; phase], bytes].concat()
}

/// The characters of base64 that depend on nothing but the secret, which begins `phase` bytes behind a
/// group of three.
fn core(encoded: &str, phase: usize, length: usize) -> Vec<u8> {
    let first = match phase {
        0 => 0,
        1 => 2,
        _ => 3,
    };
    let end = (phase + length) * 8 / 6;
    encoded.as_bytes().get(first..end).unwrap_or_default().to_vec()
}

/// As writers of JSON put it: as little as must be, with `/`, safe for web pages, in ASCII alone.
fn in_json(text: &str) -> Vec<String> {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    let plain = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned();
    let slashes = plain.replace('/', "\\/");
    let escaped = |is_meant: fn(char) -> bool, text: &str| -> String {
        text.chars()
            .map(|c| if is_meant(c) { unicode(c) } else { c.to_string() })
            .collect::<String>()
    };
    let web = escaped(|c| matches!(c, '<' | '>' | '&' | '\'' | '+'), &plain);
    let go = escaped(|c| matches!(c, '<' | '>' | '&'), &plain);
    let ascii = escaped(|c| !c.is_ascii(), &plain);
    vec![plain, slashes, web, go, ascii]
}

fn unicode(c: char) -> String {
    let mut units = [0; 2];
    let units = c.encode_utf16(&mut units).iter();
    units.map(|unit| format!("\\u{unit:04x}")).collect::<Vec<_>>().concat()
}

/// `None` keeps nothing, not even letters. A form writes `+` for a blank.
fn in_address(bytes: &[u8], kept: Option<&str>, upper: bool) -> Vec<u8> {
    let mut out = Vec::new();
    for &byte in bytes {
        let stays = kept
            .is_some_and(|kept| byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte));
        if stays {
            out.push(byte);
        } else if byte == b' ' && kept == Some("-._*") {
            out.push(b'+');
        } else {
            out.push(b'%');
            out.extend(digits(byte, upper));
        }
    }
    out
}

fn digits(byte: u8, upper: bool) -> [u8; 2] {
    let digit = |value: u8| match (value, upper) {
        (0..=9, _) => b'0' + value,
        (_, true) => b'A' + value - 10,
        (_, false) => b'a' + value - 10,
    };
    [digit(byte >> 4), digit(byte & 15)]
}
