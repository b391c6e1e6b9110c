//! Images of the person: warnings before they are sent.

use std::sync::Arc;

use crate::app::App;
use crate::app::drawing::app_words;
use crate::cx::UiSettings;
use crate::domain::{AgentId, DialogId};
use crate::follow_up::FollowUp;
use crate::model::{Tone, attached};
use crate::panes::composer::Target;
use crate::protocol::{AttachedImage, ImageOrigin, ImageSupport};
use crate::request::Request;
use crate::text::copy_text::size;

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

impl App {
    /// A copy of an image is kept: it is attached.
    pub(in crate::app) fn image_kept(
        &mut self,
        number: u64,
        image: AttachedImage,
        origin: &ImageOrigin,
    ) {
        let now = self.redraw.now();
        let path = match origin {
            ImageOrigin::File(path) => path.as_str(),
            ImageOrigin::Clipboard(_) => "",
        };
        self.writing.image_kept(number, (image, path), &self.ui, now);
        if let Some(unseen) = self.unseen_images() {
            let text = format!("{} {}", unseen.text(&self.ui), self.ui.text(app_words::ONLY_TOLD));
            self.follow([FollowUp::NotifyText(Tone::Bad, text)]);
        }
    }

    /// The clipboard had an image: a copy is kept, if its chip still wants one.
    pub(in crate::app) fn image_taken(&mut self, number: u64, bytes: &Arc<[u8]>) {
        if self.writing.awaits_image(number) {
            let origin = ImageOrigin::Clipboard(bytes.clone());
            self.follow([FollowUp::Request(Request::KeepImage { number, origin })]);
        }
    }

    /// Why the recipient will not see all images that are attached.
    pub(in crate::app) fn unseen_images(&self) -> Option<UnseenImages> {
        let field = &self.writing.composer().field;
        if !field.has_images() {
            return None;
        }
        let member = self.recipient()?;
        let who = format!("@{member}");
        match self.image_support(member) {
            ImageSupport::Unknown => None,
            ImageSupport::NotRead => Some(UnseenImages { who, up_to: None }),
            ImageSupport::Read { most_bytes } => {
                let images = attached::images(&field.text());
                let is_large = images.iter().any(|image| image.bytes > most_bytes);
                is_large.then_some(UnseenImages { who, up_to: Some(most_bytes) })
            }
        }
    }

    /// Returns the member that gets the text.
    fn recipient(&self) -> Option<&AgentId> {
        let of = |dialog: &DialogId| self.model.tree.get(dialog).map(|row| &row.agent);
        match self.writing.target() {
            Target::Nobody => None,
            Target::Dialog(dialog) | Target::Question { dialog, .. } => of(dialog),
        }
    }

    fn image_support(&self, member: &AgentId) -> ImageSupport {
        let mut members = self.model.workspace.members.iter();
        members.find(|known| known.id == *member).map(|known| known.images).unwrap_or_default()
    }
}
