//! Paths of images in a paste. A terminal that gets files by drag and drop pastes their paths: escaped or quoted
//! as for a shell, or as addresses of files. A paste that is anything else besides is text.

use crate::domain::ImageKind;
use crate::domain::dialogs::attachment::MAX_IMAGES;

/// The longest paste that can be paths.
const MAX_BYTES: usize = 16 * 1024;
/// The longest path.
const MAX_PATH: usize = 4096;

/// Returns the paths, if the paste consists of whole paths of images, at most as many as a message takes.
pub fn dropped_images(pasted: &str) -> Option<Vec<String>> {
    let pasted = pasted.trim();
    if pasted.is_empty() || pasted.len() > MAX_BYTES {
        return None;
    }
    let paths = || words(pasted)?.iter().map(|word| path_of(word)).collect::<Option<Vec<_>>>();
    // A path with blanks may be pasted unquoted.
    let found = paths().or_else(|| Some(vec![whole_path(pasted)?]))?;
    (1..=MAX_IMAGES).contains(&found.len()).then_some(found)
}

fn path_of(word: &str) -> Option<String> {
    match word.strip_prefix("file://") {
        Some(address) => {
            whole_path(&decoded(address.strip_prefix("localhost").unwrap_or(address))?)
        }
        None => whole_path(word),
    }
}

/// Returns a path from the root or the home folder that has the ending of an image.
fn whole_path(path: &str) -> Option<String> {
    let whole = path.starts_with('/') || path.starts_with("~/");
    let sound = path.len() <= MAX_PATH && !path.chars().any(char::is_control);
    (whole && sound && ImageKind::of_path(path).is_some()).then(|| path.to_owned())
}

/// Splits as a shell does; `None` where a quote is not closed.
fn words(text: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('"') | None, '\\') => word.get_or_insert_default().push(chars.next()?),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (Some(_) | None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// An address without its `%` codes.
fn decoded(address: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(address.len());
    let mut rest = address.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let code = digit()? * 16 + digit()?;
        bytes.push(u8::try_from(code).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_as_terminals_paste_them() {
        for (pasted, expected) in [
            ("/home/u/a.png", vec!["/home/u/a.png"]),
            (" /home/u/a.PNG \n", vec!["/home/u/a.PNG"]),
            ("~/shots/a.webp", vec!["~/shots/a.webp"]),
            (r"/home/u/my\ shot\(1\).jpg ", vec!["/home/u/my shot(1).jpg"]),
            ("'/home/u/it'\\''s.gif'", vec!["/home/u/it's.gif"]),
            ("\"/home/u/a \\\"b\\\".jpeg\"", vec!["/home/u/a \"b\".jpeg"]),
            ("/home/u/my shot.png", vec!["/home/u/my shot.png"]),
            ("file:///home/u/a%20%E5%9B%BE.png", vec!["/home/u/a 图.png"]),
            ("file://localhost/a.png\r\nfile:///b.gif\r\n", vec!["/a.png", "/b.gif"]),
            ("'/a b.png' /c.png", vec!["/a b.png", "/c.png"]),
            ("/图/截图.png", vec!["/图/截图.png"]),
        ] {
            let expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
            assert_eq!(dropped_images(pasted), Some(expected), "{pasted:?}");
        }
    }

    #[test]
    fn anything_else_is_text() {
        let many = "/a.png ".repeat(MAX_IMAGES + 1);
        let long = format!("/{}.png", "x".repeat(MAX_PATH));
        for pasted in [
            "",
            " ",
            "a.png",
            "./a.png",
            "see /a.png",
            "/a.png is wrong",
            "/etc/passwd",
            "https://x.y/a.png",
            "file://host/a.png",
            "file:///a%zz.png",
            "file:///a%00.png",
            "file:///a%ff.png",
            "'/a.png",
            "/a\u{1b}[2J.png",
            &many,
            &long,
        ] {
            assert_eq!(dropped_images(pasted), None, "{pasted:?}");
        }
    }
}
