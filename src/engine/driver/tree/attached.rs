//! Reads the images that a person attached, before the message that names them is accepted.

use std::sync::Arc;

use crate::domain::ImageKind;
use crate::domain::dialogs::attachment::{MAX_IMAGE_BYTES, MAX_IMAGES};
use crate::domain::text::{Localized, localized};
use crate::driver::shared::blocking::{BlockingThread, blocking, interrupted};
use crate::driver::shared::engine::Engine;
use crate::driver::steps::stored_images::ReadImage;
use crate::protocol::{AttachedImage, ImageSource, Refusal};
use crate::store::ArtifactError;

use super::state::TreeState;

impl TreeState {
    /// All of them, or the message for the user.
    pub(super) async fn read_images(
        &self,
        images: Vec<AttachedImage>,
    ) -> Result<Vec<ReadImage>, Localized> {
        if images.is_empty() {
            return Ok(Vec::new());
        }
        if images.len() > MAX_IMAGES {
            return Err(Refusal::TooManyImages.into());
        }
        let engine = self.engine.clone();
        let read =
            blocking(move |on| images.iter().map(|image| read(&engine, image, on)).collect());
        read.await.unwrap_or_else(|error| Err(interrupted(&error)))
    }
}

fn read(
    engine: &Engine,
    image: &AttachedImage,
    _: &BlockingThread,
) -> Result<ReadImage, Localized> {
    let bytes = match &image.source {
        ImageSource::Copy(name) => engine.store.kept_image(name),
        ImageSource::Artifact(of) => engine.store.artifact(of, MAX_IMAGE_BYTES),
    };
    let bytes = bytes.map_err(|error| refused(&image.name, error))?;
    let kind = ImageKind::of(&bytes).ok_or_else(|| refused(&image.name, ArtifactError::Missing))?;
    Ok((kind, Arc::from(bytes)))
}

fn refused(name: &str, error: ArtifactError) -> Localized {
    match error {
        ArtifactError::Missing => localized!(
            "NOT sent: the image {name} is gone; remove it and attach it again",
            "未发送：图片 {name} 已不存在；请移除后重新附加"
        ),
        ArtifactError::TooLarge => localized!(
            "NOT sent: the image {name} has more than 10 MB; attach a smaller one",
            "未发送：图片 {name} 超过 10 MB；请附加较小的图片"
        ),
        ArtifactError::Unreadable => localized!(
            "NOT sent: the image {name} cannot be read; remove it and attach it again",
            "未发送：无法读取图片 {name}；请移除后重新附加"
        ),
    }
}
