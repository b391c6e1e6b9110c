//! Pictures: what of a dialog's pictures a model is shown, and how those of a tool are kept.
//!
//! The newest come first: where there is no room for all, the oldest are told of instead. A request is
//! never refused by its provider for a picture that could have been left out.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::domain::attachment::{MAX_IMAGE_BYTES, MAX_IMAGES, path_for_tool};
use crate::domain::record::{Entry, Record};
use crate::domain::{
    ArtifactRef, Attachment, Bucket, DialogId, ImageKind, ImageLimits, SelfId, Stamp,
};
use crate::llm::MessageImage;
use crate::store::NoArtifact;
use crate::tools;

use super::draft::Draft;
use super::texts::{NotShown, Texts};

/// Reads a file of a dialog, so many bytes at most.
pub type ReadArtifact<'a> = &'a dyn Fn(&ArtifactRef, usize) -> Result<Vec<u8>, NoArtifact>;

/// The pictures of a course, by the place of the record among its entries.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct CourseImages(BTreeMap<usize, Vec<MessageImage>>);

impl CourseImages {
    /// `limits`: `None` where the model cannot look at pictures.
    pub fn of(
        entries: &[Arc<Entry>],
        limits: Option<ImageLimits>,
        read: ReadArtifact<'_>,
        texts: Texts,
    ) -> Self {
        let mut room = ImageBudget { left: limits, read, texts };
        let mut album = BTreeMap::new();
        for (at, entry) in entries.iter().enumerate().rev() {
            let attached = Attachment::all(items(&entry.record));
            if attached.is_empty() {
                continue;
            }
            let mut pictures: Vec<MessageImage> = attached
                .iter()
                .enumerate()
                .rev()
                .map(|(place, attachment)| room.take(attachment, place))
                .collect();
            pictures.reverse();
            album.insert(at, pictures);
        }
        Self(album)
    }

    /// The pictures of a record.
    pub fn at(&self, place: usize) -> Vec<MessageImage> {
        self.0.get(&place).cloned().unwrap_or_default()
    }
}

/// What the records of a context attach.
fn items(record: &Record) -> Option<&Value> {
    if let Record::HumanText(text) = record {
        text.content_items.as_ref()
    } else if let Record::FuncResult(result) = record {
        result.content_items.as_ref()
    } else if let Record::TellaskResult(result) = record {
        result.content_items.as_ref()
    } else {
        None
    }
}

/// What may still be shown.
struct ImageBudget<'a> {
    left: Option<ImageLimits>,
    read: ReadArtifact<'a>,
    texts: Texts,
}

impl ImageBudget<'_> {
    /// The next older picture; `place` among those of its record.
    fn take(&mut self, attachment: &Attachment, place: usize) -> MessageImage {
        match self.look(attachment, place) {
            Ok(shown) => shown,
            Err(why) => MessageImage::Note(self.texts.picture_not_shown(&attachment.about(), why)),
        }
    }

    fn look(&mut self, attachment: &Attachment, place: usize) -> Result<MessageImage, NotShown> {
        let left = self.left.as_mut().ok_or(NotShown::Blind)?;
        let artifact = attachment.artifact.as_ref().ok_or(NotShown::Missing)?;
        if left.most == 0 || left.all_bytes == 0 || place >= MAX_IMAGES {
            return Err(NotShown::NoRoom);
        }
        let bytes = (self.read)(artifact, left.each_bytes).map_err(|fault| match fault {
            NoArtifact::Missing | NoArtifact::Unreadable => NotShown::Missing,
            NoArtifact::TooLarge => NotShown::TooLarge,
        })?;
        let kind = ImageKind::of(&bytes).ok_or(NotShown::Strange)?;
        let Some(rest) = left.all_bytes.checked_sub(bytes.len()) else {
            // What is older is not shown in its place: it would come and go with every request.
            left.all_bytes = 0;
            return Err(NotShown::NoRoom);
        };
        left.all_bytes = rest;
        left.most -= 1;
        Ok(MessageImage::Data { media_type: kind.media_type(), bytes: Arc::from(bytes) })
    }
}

/// Keeps the pictures of a tool: writes them down before the record of this step. The items of that
/// record, and how many were not kept.
pub fn keep(
    draft: &mut Draft,
    dialog: &SelfId,
    tool: &str,
    pictures: Vec<tools::ToolImage>,
) -> (Option<Value>, usize) {
    let (given, bucket) = (pictures.len(), draft.tree.bucket);
    let id = draft.tree.id(dialog);
    let mut items = Vec::new();
    for tools::ToolImage { media_type: _, bytes } in pictures {
        let kind = ImageKind::of(&bytes).filter(|_| bytes.len() <= MAX_IMAGE_BYTES);
        let Some(kind) = kind.filter(|_| items.len() < MAX_IMAGES) else { continue };
        items.push(keep_one(draft, &id, tool, (kind, bytes), bucket));
    }
    let dropped = given - items.len();
    ((!items.is_empty()).then_some(Value::Array(items)), dropped)
}

fn keep_one(
    draft: &mut Draft,
    dialog: &DialogId,
    tool: &str,
    (kind, bytes): (ImageKind, Arc<[u8]>),
    bucket: Bucket,
) -> Value {
    let path = path_for_tool(tool, &base36(&draft.now), &draft.ids.short(12), kind);
    let artifact = ArtifactRef { dialog: dialog.clone(), path };
    let item = Attachment::item(kind, bytes.len(), &artifact, bucket);
    draft.artifact(&dialog.this, artifact.path, bytes);
    item
}

/// Milliseconds since the epoch, as Dominds names files by time.
fn base36(now: &Stamp) -> String {
    let mut rest = now.seconds().and_then(|s| u64::try_from(s).ok()).unwrap_or_default() * 1000;
    let mut digits = Vec::new();
    while rest > 0 || digits.is_empty() {
        let digit = u32::try_from(rest % 36).unwrap_or_default();
        digits.push(char::from_digit(digit, 36).unwrap_or('0'));
        rest /= 36;
    }
    digits.iter().rev().collect()
}

#[cfg(test)]
mod tests;
