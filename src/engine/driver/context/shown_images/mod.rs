//! Selects the images of a dialog that a model is shown.
//!
//! The newest come first; images beyond the provider's limits are replaced by a text, so that no request is
//! refused because of an image.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::domain::dialogs::attachment::MAX_IMAGES;
use crate::domain::dialogs::record::{Entry, Record};
use crate::domain::{ArtifactRef, Attachment, ImageKind, ImageLimits};
use crate::driver::texts::{OmissionReason, Texts};
use crate::llm::MessageImage;
use crate::store::ArtifactError;

/// Reads a file of a dialog, up to a number of bytes.
pub type ReadArtifact<'a> = &'a dyn Fn(&ArtifactRef, usize) -> Result<Vec<u8>, ArtifactError>;

/// The images of a course, by the index of their entry.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct CourseImages(BTreeMap<usize, Vec<MessageImage>>);

impl CourseImages {
    /// `limits`: `None` if the model has no image support.
    pub fn of<'a>(
        entries: impl DoubleEndedIterator<Item = &'a Arc<Entry>> + ExactSizeIterator,
        limits: Option<ImageLimits>,
        read: ReadArtifact<'_>,
        texts: Texts,
    ) -> Self {
        let mut budget = ImageBudget { remaining: limits, read, texts };
        let mut by_entry = BTreeMap::new();
        for (at, entry) in entries.enumerate().rev() {
            let attached = Attachment::all(items(&entry.record));
            if attached.is_empty() {
                continue;
            }
            let mut images: Vec<MessageImage> = attached
                .iter()
                .enumerate()
                .rev()
                .map(|(index, attachment)| budget.take(attachment, index))
                .collect();
            images.reverse();
            by_entry.insert(at, images);
        }
        Self(by_entry)
    }

    /// The images of the entry at `index`.
    pub fn at(&self, index: usize) -> Vec<MessageImage> {
        self.0.get(&index).cloned().unwrap_or_default()
    }
}

/// The attachments of a record that is part of the context.
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

/// The image limits that remain, from newest to oldest.
struct ImageBudget<'a> {
    remaining: Option<ImageLimits>,
    read: ReadArtifact<'a>,
    texts: Texts,
}

impl ImageBudget<'_> {
    /// Takes the next older image; `index`: among the images of its record.
    fn take(&mut self, attachment: &Attachment, index: usize) -> MessageImage {
        match self.load(attachment, index) {
            Ok(shown) => shown,
            Err(reason) => {
                MessageImage::Note(self.texts.image_not_shown(&attachment.about(), reason))
            }
        }
    }

    fn load(
        &mut self,
        attachment: &Attachment,
        index: usize,
    ) -> Result<MessageImage, OmissionReason> {
        let remaining = self.remaining.as_mut().ok_or(OmissionReason::NoImageSupport)?;
        let artifact = attachment.artifact.as_ref().ok_or(OmissionReason::Missing)?;
        if remaining.most == 0 || remaining.all_bytes == 0 || index >= MAX_IMAGES {
            return Err(OmissionReason::OverBudget);
        }
        let bytes = (self.read)(artifact, remaining.each_bytes).map_err(|fault| match fault {
            ArtifactError::Missing | ArtifactError::Unreadable => OmissionReason::Missing,
            ArtifactError::TooLarge => OmissionReason::TooLarge,
        })?;
        let kind = ImageKind::of(&bytes).ok_or(OmissionReason::UnsupportedFormat)?;
        let Some(after) = remaining.all_bytes.checked_sub(bytes.len()) else {
            // Smaller, older images are not shown instead: they would change with every request.
            remaining.all_bytes = 0;
            return Err(OmissionReason::OverBudget);
        };
        remaining.all_bytes = after;
        remaining.most -= 1;
        Ok(MessageImage::Data { media_type: kind.media_type(), bytes: Arc::from(bytes) })
    }
}

#[cfg(test)]
mod tests;
