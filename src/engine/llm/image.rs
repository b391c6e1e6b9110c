//! Images of a context, and their wire formats.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Serialize, Serializer};

/// Heading for the images of calls in protocols whose results cannot contain images. In both languages,
/// since the language of the model's texts is unknown here.
pub(super) const CALL_IMAGES_HEADING: &str = "Images from the calls above: (以上调用返回的图片：)";

/// An image of a message.
#[derive(Clone, PartialEq, Eq)]
pub enum MessageImage {
    Data {
        media_type: &'static str,
        bytes: Arc<[u8]>,
    },
    /// A text for the model in place of the image.
    Note(String),
}

impl fmt::Debug for MessageImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data { media_type, bytes } => write!(f, "{media_type} of {} bytes", bytes.len()),
            Self::Note(text) => write!(f, "{text:?}"),
        }
    }
}

/// An image that is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SentImage<'a> {
    pub media_type: &'static str,
    pub data: Base64<'a>,
}

/// Bytes, serialized as base64.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Base64<'a>(&'a [u8]);

/// An image as a `data:` URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DataUrl<'a>(pub SentImage<'a>);

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
        let SentImage { media_type, data } = self.0;
        let data = Base64Display::new(data.0, &STANDARD);
        out.collect_str(&format_args!("data:{media_type};base64,{data}"))
    }
}

/// The images that are sent.
pub(super) fn sent_images(images: &[MessageImage]) -> impl Iterator<Item = SentImage<'_>> {
    images.iter().filter_map(|image| match image {
        MessageImage::Data { media_type, bytes } => {
            Some(SentImage { media_type, data: Base64(bytes) })
        }
        MessageImage::Note(_) => None,
    })
}

/// The texts in place of images that are not sent.
pub(super) fn notes(images: &[MessageImage]) -> impl Iterator<Item = &str> {
    images.iter().filter_map(|image| match image {
        MessageImage::Note(text) => Some(text.as_str()),
        MessageImage::Data { .. } => None,
    })
}

/// A text with the notes below it.
pub(super) fn with_notes<'a>(text: Cow<'a, str>, images: &[MessageImage]) -> Cow<'a, str> {
    let mut text = text;
    for note in notes(images) {
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
    fn an_image_is_base64_on_the_wire_and_short_in_a_log() {
        let bytes: Arc<[u8]> = Arc::from([0xff_u8, 0xd8].as_slice());
        let images = [
            MessageImage::Data { media_type: "image/jpeg", bytes },
            MessageImage::Note("gone".to_owned()),
        ];
        let sent: Vec<_> = sent_images(&images).collect();
        let json = |value: &dyn Fn() -> serde_json::Result<String>| value().unwrap();
        assert_eq!(json(&|| serde_json::to_string(&sent[0].data)), "\"/9g=\"");
        let url = json(&|| serde_json::to_string(&DataUrl(sent[0])));
        assert_eq!(url, "\"data:image/jpeg;base64,/9g=\"");
        assert_eq!(format!("{:?}", images[0]), "image/jpeg of 2 bytes");
        assert_eq!(with_notes(Cow::Borrowed("a"), &images), "a\ngone");
        assert_eq!(with_notes(Cow::Borrowed(""), &images), "gone");
    }
}
