//! Pictures of a context, and the forms in which protocols take them.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Serialize, Serializer};

/// Stands before the pictures of calls where they cannot stand in the results. In both languages: here
/// nobody knows which of them the model is told things in.
pub(super) const OF_CALLS: &str = "Pictures from the calls above: (以上调用返回的图片：)";

/// A picture that belongs to a message.
#[derive(Clone, PartialEq, Eq)]
pub enum MessageImage {
    Shown {
        media_type: &'static str,
        bytes: Arc<[u8]>,
    },
    /// What the model is told in its place.
    Told(String),
}

impl fmt::Debug for MessageImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shown { media_type, bytes } => write!(f, "{media_type} of {} bytes", bytes.len()),
            Self::Told(text) => write!(f, "{text:?}"),
        }
    }
}

/// A picture that is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shown<'a> {
    pub media_type: &'static str,
    pub data: Base64<'a>,
}

/// Bytes as text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Base64<'a>(&'a [u8]);

/// A picture as an address that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DataUrl<'a>(pub Shown<'a>);

impl fmt::Debug for Base64<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

impl Serialize for Base64<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(&Base64Display::new(self.0, &STANDARD))
    }
}

impl Serialize for DataUrl<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let Shown { media_type, data } = self.0;
        let data = Base64Display::new(data.0, &STANDARD);
        out.collect_str(&format_args!("data:{media_type};base64,{data}"))
    }
}

/// The pictures that are sent.
pub(super) fn shown(pictures: &[MessageImage]) -> impl Iterator<Item = Shown<'_>> {
    pictures.iter().filter_map(|picture| match picture {
        MessageImage::Shown { media_type, bytes } => {
            Some(Shown { media_type, data: Base64(bytes) })
        }
        MessageImage::Told(_) => None,
    })
}

/// What is told in place of the others.
pub(super) fn notes(pictures: &[MessageImage]) -> impl Iterator<Item = &str> {
    pictures.iter().filter_map(|picture| match picture {
        MessageImage::Told(text) => Some(text.as_str()),
        MessageImage::Shown { .. } => None,
    })
}

/// A text, and below it the notes.
pub(super) fn with_notes<'a>(text: Cow<'a, str>, pictures: &[MessageImage]) -> Cow<'a, str> {
    let mut text = text;
    for note in notes(pictures) {
        if !text.is_empty() {
            text.to_mut().push('\n');
        }
        text.to_mut().push_str(note);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_text_on_the_wire_and_short_in_a_log() {
        let bytes: Arc<[u8]> = Arc::from([0xff_u8, 0xd8].as_slice());
        let pictures = [
            MessageImage::Shown { media_type: "image/jpeg", bytes },
            MessageImage::Told("gone".to_owned()),
        ];
        let sent: Vec<_> = shown(&pictures).collect();
        let json = |value: &dyn Fn() -> serde_json::Result<String>| value().unwrap();
        assert_eq!(json(&|| serde_json::to_string(&sent[0].data)), "\"/9g=\"");
        let url = json(&|| serde_json::to_string(&DataUrl(sent[0])));
        assert_eq!(url, "\"data:image/jpeg;base64,/9g=\"");
        assert_eq!(format!("{:?}", pictures[0]), "image/jpeg of 2 bytes");
        assert_eq!(with_notes(Cow::Borrowed("a"), &pictures), "a\ngone");
        assert_eq!(with_notes(Cow::Borrowed(""), &pictures), "gone");
    }
}
