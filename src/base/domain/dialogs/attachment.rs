//! Images that records attach. They lie beside their dialog, below `artifacts/`; a record names them in `contentItems`.
//! That path is not trusted: it counts only if [`ArtifactRef::parts`] accepts it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::tree::Bucket;
use crate::domain::Lang;
use crate::domain::ids::{DialogId, MsgId, RootId, SelfId, is_dialog_path};
use crate::domain::text::size::size;

/// Most images one message has, and most bytes of one (Dominds 1.19.2).
pub const MAX_IMAGES: usize = 10;
pub const MAX_IMAGE_BYTES: usize = 10 * 1024 * 1024;
/// Most items of one record that are looked at.
const MAX_ITEMS: usize = 64;
/// Longest media type that is shown.
const MAX_TYPE: usize = 40;
const FOLDER: &str = "artifacts";

/// What kind of image some bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageKind {
    Png,
    Jpeg,
    Gif,
    Webp,
}

impl ImageKind {
    /// The kind by the first bytes, whatever the file is called.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let webp = || bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if bytes.starts_with(b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
            Some(Self::Gif)
        } else {
            webp().then_some(Self::Webp)
        }
    }

    /// The kind by the extension of a path.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let (_, ending) = path.trim().rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "png" => Some(Self::Png),
            "jpg" | "jpeg" => Some(Self::Jpeg),
            "gif" => Some(Self::Gif),
            "webp" => Some(Self::Webp),
            _ => None,
        }
    }

    /// The kind by the media type that providers use; `image/jpg` is taken for `image/jpeg`.
    #[must_use]
    pub fn of_media_type(text: &str) -> Option<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "image/png" => Some(Self::Png),
            "image/jpeg" | "image/jpg" => Some(Self::Jpeg),
            "image/gif" => Some(Self::Gif),
            "image/webp" => Some(Self::Webp),
            _ => None,
        }
    }

    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }

    /// The extension of its file name.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Gif => "gif",
            Self::Webp => "webp",
        }
    }
}

/// How many images a request may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageLimits {
    pub most: usize,
    /// Bytes of one, as they lie on disk.
    pub each_bytes: usize,
    /// Bytes of all together.
    pub all_bytes: usize,
}

/// A file of a dialog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ArtifactRef {
    pub dialog: DialogId,
    /// From the folder of the dialog.
    pub path: String,
}

impl ArtifactRef {
    /// The parts of its path; `None` if it leads anywhere but below `artifacts`, or names no dialog.
    #[must_use]
    pub fn parts(&self) -> Option<Vec<&str>> {
        const MAX_PARTS: usize = 16;
        let plain = |part: &&str| {
            !part.is_empty()
                && part.len() <= 255
                && !part.starts_with('.')
                && !part.contains(|c: char| c == '\\' || c.is_control())
        };
        let DialogId { root, this } = &self.dialog;
        let parts: Vec<&str> = self.path.split('/').take(MAX_PARTS + 1).collect();
        let inside = parts.first() == Some(&FOLDER) && (2..=MAX_PARTS).contains(&parts.len());
        let named = is_dialog_path(root.as_str()) && is_dialog_path(this.as_str());
        (inside && named && parts.iter().all(plain)).then_some(parts)
    }
}

impl ArtifactRef {
    /// Where it lies while its tree is in `bucket`, from the workspace; `None` if it leads nowhere.
    #[must_use]
    pub fn place(&self, bucket: Bucket) -> Option<String> {
        let path = self.parts()?.join("/");
        let DialogId { root, this } = &self.dialog;
        let side =
            if self.dialog.is_main() { String::new() } else { format!("sideDialogs/{this}/") };
        Some(format!(".dialogs/{}/{root}/{side}{path}", bucket.folder()))
    }
}

/// An image as a record names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// As written; the bytes decide.
    pub media_type: String,
    pub bytes: u64,
    /// `None` where the record does not say.
    pub artifact: Option<ArtifactRef>,
}

impl Attachment {
    /// The images among the items of a record.
    #[must_use]
    pub fn all(items: Option<&Value>) -> Vec<Self> {
        let items = items.and_then(Value::as_array).into_iter().flatten().take(MAX_ITEMS);
        items.filter_map(Self::read).collect()
    }

    fn read(item: &Value) -> Option<Self> {
        let text = |value: &Value, key: &str| value.get(key)?.as_str().map(str::to_owned);
        if text(item, "type")? != "input_image" {
            return None;
        }
        let artifact = item.get("artifact").and_then(|artifact| {
            let root = RootId::new(text(artifact, "rootId")?);
            let this = SelfId::new(text(artifact, "selfId")?);
            let dialog = DialogId::side(&root, &this);
            Some(ArtifactRef { dialog, path: text(artifact, "relPath")? })
        });
        let media_type = text(item, "mimeType").unwrap_or_default();
        let media_type = media_type.chars().take(MAX_TYPE).collect();
        let bytes = item.get("byteLength").and_then(Value::as_u64).unwrap_or_default();
        Some(Self { media_type, bytes, artifact })
    }

    /// The item of a record for an image that lies in `bucket`.
    #[must_use]
    pub fn item(kind: ImageKind, bytes: usize, artifact: &ArtifactRef, bucket: Bucket) -> Value {
        json!({
            "type": "input_image",
            "mimeType": kind.media_type(),
            "byteLength": bytes,
            "artifact": {
                "rootId": artifact.dialog.root,
                "selfId": artifact.dialog.this,
                "status": bucket.status(),
                "relPath": artifact.path,
            },
        })
    }

    /// Type and size, for people and models.
    #[must_use]
    pub fn about(&self) -> String {
        let kind = if self.media_type.is_empty() { "image" } else { self.media_type.as_str() };
        match usize::try_from(self.bytes).unwrap_or(usize::MAX) {
            0 => kind.to_owned(),
            bytes => format!("{kind}, {}", size(bytes, Lang::En)),
        }
    }
}

/// Where a new image of a tool is kept. `time` tells it from earlier ones, `id` from its neighbours.
#[must_use]
pub fn path_for_tool(tool: &str, time: &str, id: &str, kind: ImageKind) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let tool: String = tool.chars().take(64).map(plain).collect();
    let tool = if tool.is_empty() { "tool" } else { &tool };
    format!("{FOLDER}/workspace/{tool}/{time}-{id}.{}", kind.extension())
}

/// Where an image of a person is kept: by its message, and its number in it, from 1 on.
#[must_use]
pub fn path_for_person(message: &MsgId, number: usize, id: &str, kind: ImageKind) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let message: String = message.as_str().chars().take(64).map(plain).collect();
    let message = if message.is_empty() { "message" } else { &message };
    format!("{FOLDER}/user-input/{message}/{number:02}-{id}.{}", kind.extension())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(path: &str) -> ArtifactRef {
        let dialog = DialogId::side(&RootId::new("aa/bb/01"), &SelfId::new("cc/dd/02"));
        ArtifactRef { dialog, path: path.to_owned() }
    }

    #[test]
    fn an_item_is_read_as_it_was_written() {
        let kept = artifact("artifacts/workspace/read_picture/x-1.png");
        let item = Attachment::item(ImageKind::Png, 2048, &kept, Bucket::Done);
        assert_eq!(item["artifact"]["status"], "completed");
        let items = json!([{"type": "input_text", "text": "x"}, item, 7, null]);
        let read = Attachment::all(Some(&items));
        let expected =
            Attachment { media_type: "image/png".to_owned(), bytes: 2048, artifact: Some(kept) };
        assert_eq!(read, [expected]);
        assert_eq!(read[0].about(), "image/png, 2.0 KB");
    }

    #[test]
    fn items_nobody_can_follow_are_none_or_images_without_a_place() {
        for items in [json!(null), json!("x"), json!({"type": "input_image"}), json!([[]])] {
            assert_eq!(Attachment::all(Some(&items)), []);
        }
        let bare = Attachment { media_type: String::new(), bytes: 0, artifact: None };
        for item in [
            json!({"type": "input_image"}),
            json!({"type": "input_image", "byteLength": -1, "artifact": "x"}),
            json!({"type": "input_image", "artifact": {"rootId": "r", "selfId": 3}}),
        ] {
            assert_eq!(
                Attachment::all(Some(&json!([item]))),
                std::slice::from_ref(&bare),
                "{item}"
            );
        }
        assert_eq!(bare.about(), "image");
    }

    #[test]
    fn a_path_leads_below_the_folder_of_its_dialog_or_nowhere() {
        for (path, expected) in [
            ("artifacts/a.png", true),
            ("artifacts/mcp/server/tool/2026-x.png", true),
            ("artifacts", false),
            ("artifacts/", false),
            ("artifacts//a", false),
            ("artifacts/../latest.yaml", false),
            ("artifacts/./a", false),
            ("artifacts/.hidden", false),
            ("artifacts/a\\b", false),
            ("artifacts/a\n", false),
            ("/artifacts/a", false),
            ("course-001.jsonl", false),
            ("Artifacts/a", false),
        ] {
            assert_eq!(artifact(path).parts().is_some(), expected, "{path:?}");
        }
        assert!(artifact(&format!("artifacts{}", "/a".repeat(20))).parts().is_none());
        for (root, this) in [("../..", "cc/dd/02"), ("aa/bb/01", "../x"), ("", ""), ("/etc", "a")] {
            let dialog = DialogId::side(&RootId::new(root), &SelfId::new(this));
            let strange = ArtifactRef { dialog, path: "artifacts/a".to_owned() };
            assert_eq!(strange.parts(), None, "{root} {this}");
        }
    }

    #[test]
    fn images_are_known_by_first_bytes_ending_and_type() {
        use ImageKind::{Gif, Jpeg, Png, Webp};
        for (bytes, expected) in [
            (b"\x89PNG\r\n\x1a\nrest".as_slice(), Some(Png)),
            (b"\xff\xd8\xff\xe0", Some(Jpeg)),
            (b"GIF89a..", Some(Gif)),
            (b"RIFF\x01\x02\x03\x04WEBPVP8 ", Some(Webp)),
            (b"RIFF\x01\x02\x03\x04WAVE", None),
            (b"\x89PN", None),
            (b"<svg/>", None),
            (b"", None),
        ] {
            assert_eq!(ImageKind::of(bytes), expected, "{bytes:?}");
        }
        for (path, expected) in [
            ("a.png", Some(Png)),
            ("a/b.JPG", Some(Jpeg)),
            ("a.jpeg", Some(Jpeg)),
            ("a.b.webp", Some(Webp)),
            ("a.gif", Some(Gif)),
            ("png", None),
            ("a.svg", None),
            ("a.png/b", None),
        ] {
            assert_eq!(ImageKind::of_path(path), expected, "{path}");
        }
        for kind in [Png, Jpeg, Webp, Gif] {
            assert_eq!(ImageKind::of_media_type(kind.media_type()), Some(kind));
        }
        assert_eq!(ImageKind::of_media_type("image/svg+xml"), None);
    }

    #[test]
    fn the_place_of_a_new_image_is_a_place() {
        for tool in ["read_picture", "../../x", "", "mcp.é"] {
            let path = path_for_tool(tool, "k3", "a1", ImageKind::Jpeg);
            assert!(artifact(&path).parts().is_some(), "{path}");
            assert!(path.ends_with("/k3-a1.jpg"), "{path}");
        }
        for message in ["m1a2", "../../x", "", "一", "a.b"] {
            let path = path_for_person(&MsgId::new(message), 3, "u-1", ImageKind::Png);
            assert!(artifact(&path).parts().is_some(), "{path}");
            assert!(path.ends_with("/03-u-1.png"), "{path}");
        }
    }
}
