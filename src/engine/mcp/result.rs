//! Converts the result of a server to a [`ToolOutcome`]. All of it is untrusted, so it is truncated and
//! stripped of invisible characters.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, GetPromptResult, ResourceContents};
use serde_json::Value;

use crate::domain::text::hidden_chars::is_hidden;
use crate::domain::text::{Text, in_lang};
use crate::domain::{ImageKind, Lang, Secrets};
use crate::tools::{MAX_RESULT_CHARS, ToolImage, ToolOutcome};

const MAX_IMAGES: usize = 8;
const MAX_IMAGE_BYTES: usize = 8 * 1024 * 1024;
/// Text of one block that is read; the outcome is truncated further.
const MAX_BLOCK_CHARS: usize = 8 * MAX_RESULT_CHARS;
const MAX_LINK_CHARS: usize = 1_000;
/// The text of a prompt: it becomes a part of a draft.
const MAX_PROMPT_CHARS: usize = 64 * 1024;

/// The text without invisible characters, truncated to `max` characters.
pub(super) fn sanitize(text: &str, max: usize) -> String {
    let visible = text.chars().filter(|&c| is_visible(c));
    let mut short: String = visible.clone().take(max).collect();
    if visible.clone().nth(max).is_some() {
        short.push('…');
    }
    short
}

/// Sanitizes a text after secrets were redacted and before it is truncated.
pub(super) fn sanitize_and_redact(text: &str, max: usize, secrets: &Arc<Secrets>) -> String {
    let visible: String = text.chars().filter(|&c| is_visible(c)).collect();
    sanitize(&secrets.redacted(visible), max)
}

/// Returns JSON with cleaned texts; `None` if the name of a key has hidden characters.
pub(super) fn sanitize_json(value: Value) -> Option<Value> {
    Some(match value {
        Value::String(text) => Value::String(text.chars().filter(|&c| is_visible(c)).collect()),
        Value::Array(items) => {
            Value::Array(items.into_iter().map(sanitize_json).collect::<Option<_>>()?)
        }
        Value::Object(map) => {
            let pair = |(key, value): (String, Value)| {
                let as_seen = !key.chars().any(is_hidden);
                Some((key, sanitize_json(value)?)).filter(|_| as_seen)
            };
            Value::Object(map.into_iter().map(pair).collect::<Option<_>>()?)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    })
}

/// False for characters that can hide or reorder text; line feeds and tabs stay.
fn is_visible(c: char) -> bool {
    !is_hidden(c) || matches!(c, '\n' | '\t')
}

/// The contents of a resource as the result of a call.
pub(super) fn call_result(contents: Vec<ResourceContents>) -> CallToolResult {
    CallToolResult::success(contents.into_iter().map(ContentBlock::resource).collect())
}

/// The outcome of a call.
pub(super) fn tool_outcome(
    result: CallToolResult,
    secrets: &Arc<Secrets>,
    lang: Lang,
) -> ToolOutcome {
    let mut reader = ResultReader { lang, secrets, texts: Vec::new(), images: Vec::new() };
    let structured = result
        .structured_content
        .filter(|value| !value.is_null() && !result.content.iter().any(|block| says(block, value)));
    for block in result.content {
        reader.block(block);
    }
    let ResultReader { mut texts, images, .. } = reader;
    if let Some(structured) = structured {
        texts.push(sanitize_and_redact(&structured.to_string(), MAX_BLOCK_CHARS, secrets));
    }
    if texts.is_empty() {
        texts.push(if images.is_empty() {
            empty_text(lang)
        } else {
            images_text(images.len(), lang)
        });
    }
    let failed = result.is_error == Some(true);
    ToolOutcome { ok: !failed, images, ..ToolOutcome::done(texts.join("\n\n")) }
}

/// The texts of a prompt; what is no text is named in brackets.
pub(super) fn prompt_text(result: GetPromptResult, secrets: &Arc<Secrets>, lang: Lang) -> String {
    let mut reader = ResultReader { lang, secrets, texts: Vec::new(), images: Vec::new() };
    for message in result.messages {
        reader.block(message.content);
        for image in std::mem::take(&mut reader.images) {
            reader.skip(image.media_type);
        }
    }
    sanitize(&reader.texts.join("\n\n"), MAX_PROMPT_CHARS)
}

/// Servers repeat structured content as a text, for clients that read only texts.
fn says(block: &ContentBlock, structured: &Value) -> bool {
    let ContentBlock::Text(block) = block else { return false };
    let wrapped = || structured.as_object().filter(|map| map.len() == 1)?.values().next()?.as_str();
    wrapped() == Some(&block.text)
        || serde_json::from_str::<Value>(&block.text).is_ok_and(|text| text == *structured)
}

struct ResultReader<'a> {
    lang: Lang,
    secrets: &'a Arc<Secrets>,
    texts: Vec<String>,
    images: Vec<ToolImage>,
}

impl ResultReader<'_> {
    fn clean(&self, text: &str, max: usize) -> String {
        sanitize_and_redact(text, max, self.secrets)
    }

    fn block(&mut self, block: ContentBlock) {
        match block {
            ContentBlock::Text(text) => {
                let text = self.clean(&text.text, MAX_BLOCK_CHARS);
                self.texts.push(text);
            }
            ContentBlock::Image(image) => self.image(&image.mime_type, &image.data),
            ContentBlock::Resource(embedded) => match embedded.resource {
                ResourceContents::TextResourceContents { uri, text, .. } => {
                    let (uri, text) =
                        (self.clean(&uri, MAX_LINK_CHARS), self.clean(&text, MAX_BLOCK_CHARS));
                    self.texts.push(format!("[{uri}]\n{text}"));
                }
                ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                    let kind = mime_type.unwrap_or_default();
                    if kind.starts_with("image/") {
                        self.image(&kind, &blob);
                    } else {
                        let kind = if kind.is_empty() { kind } else { format!("{kind}, ") };
                        self.skip(&format!("{uri} ({kind}{} B)", blob_bytes(&blob)));
                    }
                }
                _ => self.skip("resource"),
            },
            ContentBlock::ResourceLink(link) => {
                let facts = [link.title, link.description, link.mime_type];
                let facts: Vec<String> = facts
                    .into_iter()
                    .flatten()
                    .map(|fact| self.clean(&fact, MAX_LINK_CHARS))
                    .collect();
                let (name, uri) =
                    (self.clean(&link.name, MAX_LINK_CHARS), self.clean(&link.uri, MAX_LINK_CHARS));
                self.texts
                    .push(format!("{name}: {uri} {}", facts.join(" · ")).trim_end().to_owned());
            }
            ContentBlock::Audio(audio) => self.skip(&audio.mime_type),
            _ => self.skip("content"),
        }
    }

    fn image(&mut self, kind: &str, data: &str) {
        let decoded =
            (data.len() <= MAX_IMAGE_BYTES / 3 * 4 + 4).then(|| STANDARD.decode(data.trim()));
        let Some(Ok(bytes)) = decoded else {
            self.skip(kind);
            return;
        };
        // The content decides, not the declared type.
        match ImageKind::of(&bytes) {
            Some(kind) if self.images.len() < MAX_IMAGES => {
                let media_type = kind.media_type();
                self.images.push(ToolImage { media_type, bytes: Arc::from(bytes) });
            }
            Some(_) | None => self.skip(kind),
        }
    }

    fn skip(&mut self, what: &str) {
        let what = self.clean(what, MAX_LINK_CHARS);
        self.texts.push(in_lang!(
            self.lang,
            "[{what}: left out, it cannot be shown here]",
            "[{what}：无法在此显示，已略去]"
        ));
    }
}

/// The size of binary content, in bytes.
pub(super) fn blob_bytes(blob: &str) -> usize {
    blob.trim_end_matches('=').len() * 3 / 4
}

fn empty_text(lang: Lang) -> String {
    Text::new("The server answered without any content.", "服务器的应答没有内容。")
        .in_lang(lang)
        .to_owned()
}

fn images_text(images: usize, lang: Lang) -> String {
    in_lang!(lang, "Images returned: {images}.", "返回图片 {images} 张。")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn outcome(result: serde_json::Value) -> ToolOutcome {
        tool_outcome(serde_json::from_value(result).unwrap(), &Arc::default(), Lang::En)
    }

    #[test]
    fn blocks_become_one_text_and_an_error_a_failure() {
        let skip = "left out, it cannot be shown here]";
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
                &format!("[file:///x (1 B): {skip}"),
            ),
            (
                json!([{"type": "resource", "resource": {"uri": "x", "blob": "AAAA", "mimeType": "a/b"}}]),
                &format!("[x (a/b, 3 B): {skip}"),
            ),
            (
                json!([{"type": "audio", "data": "AA==", "mimeType": "audio/wav"}]),
                &format!("[audio/wav: {skip}"),
            ),
            (
                json!([{"type": "image", "data": "AA==", "mimeType": "image/png"}]),
                &format!("[image/png: {skip}"),
            ),
            (
                json!([{"type": "image", "data": "no base64", "mimeType": "image/png"}]),
                &format!("[image/png: {skip}"),
            ),
            (json!([]), "The server answered without any content."),
        ] {
            for error in [false, true] {
                let found = outcome(json!({"content": content, "isError": error}));
                let expected =
                    if error { ToolOutcome::failed(expected) } else { ToolOutcome::done(expected) };
                assert_eq!(found, expected, "{content}");
            }
        }
    }

    #[test]
    fn a_prompt_is_the_texts_of_its_messages_and_names_what_is_no_text() {
        let message = |content| json!({"role": "user", "content": content});
        let text = |messages: serde_json::Value| {
            let result = serde_json::from_value(json!({ "messages": messages })).unwrap();
            prompt_text(result, &Arc::default(), Lang::En)
        };
        let image = STANDARD.encode(b"\x89PNG\r\n\x1a\nrest");
        let found = text(json!([
            message(json!({"type": "text", "text": "a\u{1b}[31m"})),
            message(json!({"type": "image", "data": image, "mimeType": "image/png"})),
            message(json!({"type": "resource", "resource": {"uri": "x", "text": "inside"}})),
        ]));
        let image = "[image/png: left out, it cannot be shown here]";
        assert_eq!(found, format!("a[31m\n\n{image}\n\n[x]\ninside"));
        let long = json!({"type": "text", "text": "x".repeat(MAX_PROMPT_CHARS + 1)});
        assert_eq!(text(json!([message(long)])).chars().count(), MAX_PROMPT_CHARS + 1);
    }

    #[test]
    fn structured_content_is_given_once_unless_a_text_says_the_same() {
        let text = |text: &str| json!([{"type": "text", "text": text}]);
        for (content, structured, expected) in [
            (json!([]), json!({"n": 1}), r#"{"n":1}"#),
            (text("one issue"), json!({"n": 1}), "one issue\n\n{\"n\":1}"),
            (text("{ \"n\" :1}"), json!({"n": 1}), "{ \"n\" :1}"),
            (text("said"), json!({"result": "said"}), "said"),
            (text("said"), json!({"content": "said"}), "said"),
            (text("said"), json!({"result": "more"}), "said\n\n{\"result\":\"more\"}"),
            (text("said"), json!(null), "said"),
        ] {
            let found = outcome(json!({"content": content, "structuredContent": structured}));
            assert_eq!(found.text, expected);
        }
    }

    #[test]
    fn the_content_of_an_image_decides_its_type_and_their_number_is_limited() {
        let png = STANDARD.encode(b"\x89PNG\r\n\x1a\nrest");
        let image = json!({"type": "image", "data": png, "mimeType": "image/jpeg"});
        let one = outcome(json!({"content": [image]}));
        assert_eq!(one.images[0].media_type, "image/png");
        assert_eq!((one.text.as_str(), one.ok), ("Images returned: 1.", true));
        let many = outcome(json!({"content": vec![image; MAX_IMAGES + 1]}));
        assert_eq!(many.images.len(), MAX_IMAGES);
        assert!(many.text.contains("left out"), "{}", many.text);
    }

    #[test]
    fn a_file_that_only_begins_like_an_image_is_left_out() {
        for bytes in [b"RIFF\0\0\0\0WAVEfmt ".as_slice(), b"GIF8 is a text"] {
            let data = STANDARD.encode(bytes);
            let outcome = outcome(
                json!({"content": [{"type": "image", "data": data, "mimeType": "image/webp"}]}),
            );
            assert!(outcome.images.is_empty() && outcome.text.contains("left out"), "{outcome:?}");
        }
    }

    #[test]
    fn a_text_is_truncated_at_characters() {
        assert_eq!(sanitize("äöü", 2), "äö…");
        assert_eq!(sanitize("äö", 2), "äö");
    }

    #[test]
    fn secrets_are_redacted_before_a_text_is_truncated() {
        let secrets = Arc::new(Secrets::new([], ["sk-canary-0123".to_owned()]));
        for max in 1..30 {
            let cut = sanitize_and_redact("key sk-ca\u{200b}nary-0123 end", max, &secrets);
            assert!(!cut.contains("sk"), "{cut}");
        }
        assert_eq!(sanitize_and_redact("key sk-canary-0123", 99, &secrets), "key [redacted]");
    }
}
