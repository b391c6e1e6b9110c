//! Images that a person attaches to a message or an answer. The screen never has their bytes: the driver keeps a
//! private copy of a file when it is attached, and the command that sends the text names the copy.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::dialogs::attachment::MAX_IMAGES;
use crate::domain::dialogs::image_reference::names_of_images;
use crate::domain::{ArtifactRef, Attachment};

/// An image that is attached, or will be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachedImage {
    /// As the text of the message names it; empty where that is not known.
    pub name: String,
    pub bytes: u64,
    pub source: ImageSource,
}

/// An image of which a copy is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageOrigin {
    /// A file; its path is absolute, from the home folder after `~/`, or from the workspace.
    File(String),
    /// What the clipboard had.
    Clipboard(#[serde(with = "base64_text")] Arc<[u8]>),
}

impl AttachedImage {
    /// The images that a record names, so that they can be attached again. `text`: of the record.
    #[must_use]
    pub fn all(all: Vec<Attachment>, text: &str) -> Vec<Self> {
        let names = names_of_images(text, all.len());
        let images = all.into_iter().zip(names).filter_map(|(image, name)| {
            let source = ImageSource::Artifact(image.artifact?);
            let name = name.unwrap_or_default().to_owned();
            Some(Self { name, bytes: image.bytes, source })
        });
        images.take(MAX_IMAGES).collect()
    }
}

/// Where its bytes are. It stands in the file of drafts, older ones of which have the names that begin with a capital.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageSource {
    /// A private copy of what was attached, by its name.
    #[serde(alias = "Copy")]
    Copy(String),
    /// A message has it already: one that was taken back, or of which a fork made a draft.
    #[serde(alias = "Artifact")]
    Artifact(ArtifactRef),
}

/// Whether a model is sent images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageSupport {
    /// Which model it is, is not known.
    #[default]
    Unknown,
    /// Images of at most this many bytes.
    Read { most_bytes: u64 },
    /// It is told about them in words.
    NotRead,
}

/// Bytes as text in base64.
mod base64_text {
    use std::sync::Arc;

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(bytes: &Arc<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
        STANDARD.encode(bytes).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[u8]>, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Arc::from).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_read_as_older_drafts_have_it_too() {
        for json in [r#"{"copy":"c.png"}"#, r#"{"Copy":"c.png"}"#] {
            let copy = ImageSource::Copy("c.png".to_owned());
            assert_eq!(serde_json::from_str::<ImageSource>(json).unwrap(), copy);
        }
        let artifact = r#"{"Artifact":{"dialog":{"root":"a","this":"a"},"path":"artifacts/x"}}"#;
        let read = serde_json::from_str::<ImageSource>(artifact).unwrap();
        assert!(matches!(read, ImageSource::Artifact(_)));
    }
}
