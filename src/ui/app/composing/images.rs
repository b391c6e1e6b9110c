//! Images of the person: warnings before they are sent.

use std::sync::Arc;
use std::time::Instant;

use super::writing::Writing;
use crate::app::drawing::app_words;
use crate::cx::UiSettings;
use crate::domain::text::size::size;
use crate::follow_up::FollowUp;
use crate::model::{Model, Tone, Tree, attached};
use crate::panes::composer::Target;
use crate::protocol::{AttachedImage, ImageOrigin, ImageSupport, TreeRow, WorkspaceView};
use crate::request::Request;

/// Images that a member will not see.
#[derive(Debug)]
pub(in crate::app) struct UnseenImages {
    who: String,
    /// The bytes of an image that it sees; `None` if it sees none.
    up_to: Option<u64>,
}

impl UnseenImages {
    /// Returns the text for the title of the composer.
    pub fn text(&self, ui: &UiSettings) -> String {
        let says = match self.up_to {
            None => ui.text(app_words::READS_NO_IMAGES).to_owned(),
            Some(bytes) => {
                let most = size(usize::try_from(bytes).unwrap_or(usize::MAX), ui.lang);
                ui.sentence(app_words::READS_IMAGES_UP_TO, &most)
            }
        };
        format!("{} {says}", self.who)
    }
}

impl Writing {
    /// A copy of an image is kept: it is attached. Says if its recipient will not see it.
    pub(in crate::app) fn attach_kept(
        &mut self,
        (number, image): (u64, AttachedImage),
        origin: &ImageOrigin,
        (model, ui): (&Model, &UiSettings),
        now: Instant,
    ) -> Option<FollowUp> {
        let path = match origin {
            ImageOrigin::File(path) => path.as_str(),
            ImageOrigin::Clipboard(_) => "",
        };
        self.image_kept(number, (image, path), ui, now);
        let unseen = self.unseen_images(model)?;
        let text = format!("{} {}", unseen.text(ui), ui.text(app_words::ONLY_TOLD));
        Some(FollowUp::NotifyText(Tone::Bad, text))
    }

    /// The clipboard had an image: a copy is kept, if its chip still wants one.
    pub(in crate::app) fn image_taken(&self, number: u64, bytes: &Arc<[u8]>) -> Option<FollowUp> {
        self.awaits_image(number).then(|| {
            let origin = ImageOrigin::Clipboard(bytes.clone());
            FollowUp::Request(Request::KeepImage { number, origin })
        })
    }

    /// Why the recipient will not see all images that are attached.
    pub(in crate::app) fn unseen_images(&self, model: &Model) -> Option<UnseenImages> {
        let field = &self.composer().field;
        if !field.has_images() {
            return None;
        }
        let row = recipient(self.target(), &model.tree)?;
        let who = format!("@{}", row.agent);
        match image_support(row, &model.workspace) {
            ImageSupport::Unknown => None,
            ImageSupport::NotRead => Some(UnseenImages { who, up_to: None }),
            ImageSupport::Read { most_bytes } => {
                let images = attached::images(&field.text());
                let is_large = images.iter().any(|image| image.bytes > most_bytes);
                is_large.then_some(UnseenImages { who, up_to: Some(most_bytes) })
            }
        }
    }
}

/// Returns the dialog that gets the text.
fn recipient<'a>(target: &Target, tree: &'a Tree) -> Option<&'a TreeRow> {
    match target {
        Target::Nobody => None,
        Target::Dialog(dialog) | Target::Question { dialog, .. } => tree.get(dialog),
    }
}

/// What is known of images and the model that answers in a dialog.
fn image_support(row: &TreeRow, workspace: &WorkspaceView) -> ImageSupport {
    let images = if let Some(choice) = &row.model {
        let mut models = workspace.models.iter();
        models.find(|known| known.choice == *choice).map(|known| known.images)
    } else {
        let mut members = workspace.members.iter();
        members.find(|known| known.id == row.agent).map(|known| known.images)
    };
    images.unwrap_or_default()
}
