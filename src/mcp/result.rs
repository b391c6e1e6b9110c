//! What a server answers becomes a [`ToolOutcome`]. Everything in it is foreign: bounded, and free of
//! characters that are not seen.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use crate::domain::{ImageKind, Lang, Secrets};
use crate::tools::{RESULT_LIMIT_CHARS, ToolImage, ToolOutcome};

const MAX_PICTURES: usize = 8;
/// The largest picture, in bytes.
const PICTURE_BYTES: usize = 8 * 1024 * 1024;
/// Text of one block that is looked at; what is shown is cut to less.
const BLOCK_CHARS: usize = 8 * RESULT_LIMIT_CHARS;
const LINK_CHARS: usize = 1_000;

/// The text without characters that are not seen, at most so many characters long.
pub(super) fn tidy(text: &str, most: usize) -> String {
    let seen = text.chars().filter(|&c| is_seen(c));
    let mut short: String = seen.clone().take(most).collect();
    if seen.clone().nth(most).is_some() {
        short.push('…');
    }
    short
}

/// The same without secrets, also those that end where the text is cut.
pub(super) fn clean(text: &str, most: usize, secrets: &Arc<Secrets>) -> String {
    let seen: String = text.chars().filter(|&c| is_seen(c)).collect();
    tidy(&secrets.redacted(seen), most)
}

/// False for control characters, for signs that turn the direction of writing, and for the invisible
/// letters a text can be hidden in.
fn is_seen(c: char) -> bool {
    let hidden = matches!(c,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
    (!c.is_control() || matches!(c, '\n' | '\t')) && !hidden
}

/// What the call leaves behind.
pub(super) fn outcome(result: CallToolResult, secrets: &Arc<Secrets>, lang: Lang) -> ToolOutcome {
    let mut read = Read { lang, secrets, texts: Vec::new(), pictures: Vec::new() };
    for block in result.content {
        read.block(block);
    }
    let Read { mut texts, pictures, .. } = read;
    if texts.is_empty()
        && let Some(structured) = result.structured_content.filter(|value| !value.is_null())
    {
        texts.push(clean(&structured.to_string(), BLOCK_CHARS, secrets));
    }
    if texts.is_empty() {
        texts.push(if pictures.is_empty() { nothing(lang) } else { shown(pictures.len(), lang) });
    }
    let failed = result.is_error == Some(true);
    ToolOutcome { ok: !failed, text: texts.join("\n\n"), changes: Vec::new(), pictures }
}

struct Read<'a> {
    lang: Lang,
    secrets: &'a Arc<Secrets>,
    texts: Vec<String>,
    pictures: Vec<ToolImage>,
}

impl Read<'_> {
    fn clean(&self, text: &str, most: usize) -> String {
        clean(text, most, self.secrets)
    }

    fn block(&mut self, block: ContentBlock) {
        match block {
            ContentBlock::Text(text) => {
                let text = self.clean(&text.text, BLOCK_CHARS);
                self.texts.push(text);
            }
            ContentBlock::Image(image) => self.picture(&image.mime_type, &image.data),
            ContentBlock::Resource(embedded) => match embedded.resource {
                ResourceContents::TextResourceContents { uri, text, .. } => {
                    let (uri, text) =
                        (self.clean(&uri, LINK_CHARS), self.clean(&text, BLOCK_CHARS));
                    self.texts.push(format!("[{uri}]\n{text}"));
                }
                ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                    let kind = mime_type.unwrap_or_default();
                    if kind.starts_with("image/") {
                        self.picture(&kind, &blob);
                    } else {
                        self.left_out(&uri);
                    }
                }
                _ => self.left_out("resource"),
            },
            ContentBlock::ResourceLink(link) => {
                let facts = [link.title, link.description, link.mime_type];
                let facts: Vec<String> =
                    facts.into_iter().flatten().map(|fact| self.clean(&fact, LINK_CHARS)).collect();
                let (name, uri) =
                    (self.clean(&link.name, LINK_CHARS), self.clean(&link.uri, LINK_CHARS));
                self.texts
                    .push(format!("{name}: {uri} {}", facts.join(" · ")).trim_end().to_owned());
            }
            ContentBlock::Audio(audio) => self.left_out(&audio.mime_type),
            _ => self.left_out("content"),
        }
    }

    fn picture(&mut self, kind: &str, data: &str) {
        let decoded =
            (data.len() <= PICTURE_BYTES / 3 * 4 + 4).then(|| STANDARD.decode(data.trim()));
        let Some(Ok(bytes)) = decoded else {
            self.left_out(kind);
            return;
        };
        // What a file is counts, not what it is called.
        match ImageKind::of(&bytes) {
            Some(kind) if self.pictures.len() < MAX_PICTURES => {
                let media_type = kind.media_type();
                self.pictures.push(ToolImage { media_type, bytes: Arc::from(bytes) });
            }
            Some(_) | None => self.left_out(kind),
        }
    }

    fn left_out(&mut self, what: &str) {
        let what = self.clean(what, LINK_CHARS);
        self.texts.push(match self.lang {
            Lang::En => format!("[{what}: left out, it cannot be shown here]"),
            Lang::Zh => format!("[{what}：无法在此显示，已略去]"),
        });
    }
}

fn nothing(lang: Lang) -> String {
    lang.pick("The server answered without any content.", "服务器的应答没有内容。").to_owned()
}

fn shown(pictures: usize, lang: Lang) -> String {
    match lang {
        Lang::En => format!("Pictures returned: {pictures}."),
        Lang::Zh => format!("返回图片 {pictures} 张。"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(result: serde_json::Value) -> ToolOutcome {
        outcome(serde_json::from_value(result).unwrap(), &Arc::default(), Lang::En)
    }

    #[test]
    fn blocks_become_one_text_and_an_error_a_failure() {
        let left_out = "left out, it cannot be shown here]";
        for (content, expected) in [
            (json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), "a\n\nb"),
            (json!([{"type": "text", "text": "a\u{1b}[31m\u{202e}b\u{e0041}"}]), "a[31mb"),
            (
                json!([{"type": "resource_link", "uri": "file:///x", "name": "x", "mimeType": "text/plain"}]),
                "x: file:///x text/plain",
            ),
            (
                json!([{"type": "resource", "resource": {"uri": "file:///x", "text": "inside"}}]),
                "[file:///x]\ninside",
            ),
            (
                json!([{"type": "resource", "resource": {"uri": "file:///x", "blob": "AA=="}}]),
                &format!("[file:///x: {left_out}"),
            ),
            (
                json!([{"type": "audio", "data": "AA==", "mimeType": "audio/wav"}]),
                &format!("[audio/wav: {left_out}"),
            ),
            (
                json!([{"type": "image", "data": "AA==", "mimeType": "image/png"}]),
                &format!("[image/png: {left_out}"),
            ),
            (
                json!([{"type": "image", "data": "no base64", "mimeType": "image/png"}]),
                &format!("[image/png: {left_out}"),
            ),
            (json!([]), "The server answered without any content."),
        ] {
            for error in [false, true] {
                let found = read(json!({"content": content, "isError": error}));
                let expected =
                    if error { ToolOutcome::failed(expected) } else { ToolOutcome::done(expected) };
                assert_eq!(found, expected, "{content}");
            }
        }
    }

    #[test]
    fn structured_content_is_told_where_there_is_no_text() {
        let structured = json!({"n": 1});
        let alone = read(json!({"content": [], "structuredContent": structured}));
        assert_eq!(alone.text, r#"{"n":1}"#);
        let both = read(
            json!({"content": [{"type": "text", "text": "one"}], "structuredContent": structured}),
        );
        assert_eq!(both.text, "one");
    }

    #[test]
    fn a_picture_is_taken_for_what_it_is_and_only_so_many() {
        let png = STANDARD.encode(b"\x89PNG\r\n\x1a\nrest");
        let image = json!({"type": "image", "data": png, "mimeType": "image/jpeg"});
        let one = read(json!({"content": [image]}));
        assert_eq!(one.pictures[0].media_type, "image/png");
        assert_eq!((one.text.as_str(), one.ok), ("Pictures returned: 1.", true));
        let many = read(json!({"content": vec![image; MAX_PICTURES + 1]}));
        assert_eq!(many.pictures.len(), MAX_PICTURES);
        assert!(many.text.contains("left out"), "{}", many.text);
    }

    #[test]
    fn a_file_that_only_begins_like_a_picture_is_none() {
        for bytes in [b"RIFF\0\0\0\0WAVEfmt ".as_slice(), b"GIF8 is a text"] {
            let data = STANDARD.encode(bytes);
            let told = read(
                json!({"content": [{"type": "image", "data": data, "mimeType": "image/webp"}]}),
            );
            assert!(told.pictures.is_empty() && told.text.contains("left out"), "{told:?}");
        }
    }

    #[test]
    fn a_text_is_cut_at_characters() {
        assert_eq!(tidy("äöü", 2), "äö…");
        assert_eq!(tidy("äö", 2), "äö");
    }

    #[test]
    fn a_secret_is_taken_out_before_a_text_is_cut() {
        let secrets = Arc::new(Secrets::new([], ["sk-canary-0123".to_owned()]));
        for most in 1..30 {
            let cut = clean("key sk-ca\u{200b}nary-0123 end", most, &secrets);
            assert!(!cut.contains("sk"), "{cut}");
        }
        assert_eq!(clean("key sk-canary-0123", 99, &secrets), "key [redacted]");
    }
}
