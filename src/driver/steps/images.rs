//! Stores the images of a tool as files of its dialog.

use std::sync::Arc;

use serde_json::Value;

use crate::domain::attachment::{MAX_IMAGE_BYTES, MAX_IMAGES, path_for_tool};
use crate::domain::{ArtifactRef, Attachment, Bucket, DialogId, ImageKind, SelfId, Stamp};
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
    fn times_in_file_names_are_those_of_dominds() {
        for (stamp, expected) in
            [("1970-01-01 00:00:00", "0"), ("1970-01-01 00:00:36", "rs0"), ("?", "0")]
        {
            assert_eq!(base36(&Stamp::new(stamp)), expected);
        }
    }
}
