//! Stores the images of a tool, and those a person attached, as files of their dialog.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use crate::domain::dialogs::attachment::{
    MAX_IMAGE_BYTES, MAX_IMAGES, path_for_person, path_for_tool,
};
use crate::domain::{
    ArtifactRef, Attachment, Bucket, DialogId, IdSource, ImageKind, MsgId, SelfId, Stamp,
};
use crate::tools::ToolImage;

use super::draft::Draft;

/// Stores the images of a tool before the records of this step. Returns the content items of the result
/// record, and how many images were dropped.
pub fn store_images(
    draft: &mut Draft,
    dialog: &SelfId,
    tool: &str,
    images: Vec<ToolImage>,
) -> (Option<Value>, usize) {
    let (received, bucket) = (images.len(), draft.tree.bucket);
    let id = draft.tree.id(dialog);
    let mut items = Vec::new();
    for ToolImage { media_type: _, bytes } in images {
        let kind = ImageKind::of(&bytes).filter(|_| bytes.len() <= MAX_IMAGE_BYTES);
        let Some(kind) = kind.filter(|_| items.len() < MAX_IMAGES) else { continue };
        items.push(store_image(draft, &id, tool, (kind, bytes), bucket));
    }
    let dropped = received - items.len();
    ((!items.is_empty()).then_some(Value::Array(items)), dropped)
}

fn store_image(
    draft: &mut Draft,
    dialog: &DialogId,
    tool: &str,
    (kind, bytes): (ImageKind, Arc<[u8]>),
    bucket: Bucket,
) -> Value {
    let path = path_for_tool(tool, &base36(&draft.now), &draft.ids.short(12), kind);
    let artifact = ArtifactRef { dialog: dialog.clone(), path };
    let item = Attachment::item(kind, bytes.len(), &artifact, bucket);
    draft.store_artifact(&dialog.this, artifact.path, bytes);
    item
}

/// An image that was read, with its kind as its bytes say.
pub type ReadImage = (ImageKind, Arc<[u8]>);

/// Stores the images that a person attached to a message, before what names them. Returns the content items of
/// its record.
pub fn store_attached(
    draft: &mut Draft,
    dialog: &SelfId,
    message: &MsgId,
    images: Vec<ReadImage>,
) -> Option<Value> {
    let (id, bucket) = (draft.tree.id(dialog), draft.tree.bucket);
    let mut items = Vec::new();
    for (number, (kind, bytes)) in (1..).zip(images) {
        let path = path_for_person(message, number, &uuid(draft.ids.as_ref()), kind);
        let artifact = ArtifactRef { dialog: id.clone(), path };
        items.push(Attachment::item(kind, bytes.len(), &artifact, bucket));
        draft.store_artifact(dialog, artifact.path, bytes);
    }
    (!items.is_empty()).then_some(Value::Array(items))
}

/// A random UUID, as Dominds has them in file names.
fn uuid(ids: &dyn IdSource) -> String {
    let digit = |c: char| char::from_digit(c.to_digit(36).unwrap_or(0) % 16, 16).unwrap_or('0');
    let digits: String =
        ids.short(32).chars().map(digit).chain(std::iter::repeat('0')).take(32).collect();
    let part = |range: Range<usize>| digits.get(range).unwrap_or_default().to_owned();
    // Version 4, variant 1.
    let (version, variant) = (format!("4{}", part(13..16)), format!("a{}", part(17..20)));
    [part(0..8), part(8..12), version, variant, part(20..32)].join("-")
}

/// Milliseconds since the epoch in base 36, as Dominds does in file names.
fn base36(now: &Stamp) -> String {
    let mut millis = now.seconds().and_then(|s| u64::try_from(s).ok()).unwrap_or_default() * 1000;
    let mut digits = Vec::new();
    while millis > 0 || digits.is_empty() {
        let digit = u32::try_from(millis % 36).unwrap_or_default();
        digits.push(char::from_digit(digit, 36).unwrap_or('0'));
        millis /= 36;
    }
    digits.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_of_attached_images_have_a_uuid() {
        #[derive(Debug)]
        struct Ids;
        impl IdSource for Ids {
            fn dialog(&self) -> SelfId {
                SelfId::new("d")
            }
            fn message(&self) -> MsgId {
                MsgId::new("m")
            }
            fn short(&self, _: usize) -> String {
                "z1g".to_owned()
            }
        }
        assert_eq!(uuid(&Ids), "31000000-0000-4000-a000-000000000000");
    }

    #[test]
    fn times_in_file_names_are_those_of_dominds() {
        for (stamp, expected) in
            [("1970-01-01 00:00:00", "0"), ("1970-01-01 00:00:36", "rs0"), ("?", "0")]
        {
            assert_eq!(base36(&Stamp::new(stamp)), expected);
        }
    }
}
