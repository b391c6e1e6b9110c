//! Images of the person: what the screen says about them before they are sent.

use super::App;
use super::follow_up::FollowUp;
use crate::domain::{AgentId, DialogId};
use crate::protocol::{AttachedImage, ImageSupport};
use crate::ui::app::words;
use crate::ui::model::Tone;
use crate::ui::panes::composer::Target;

impl App {
    /// A copy of an image is kept: it is attached.
    pub(super) fn image_kept(&mut self, number: u64, image: AttachedImage, path: &str) {
        let now = self.redraw.now();
        self.writing.image_kept(number, (image, path), &self.ui, now);
        if self.images_are_unread() {
            self.follow([FollowUp::Notify(Tone::Bad, words::IMAGES_UNREAD)]);
        }
    }

    /// True if images are attached for a member whose model is not sent any.
    pub(super) fn images_are_unread(&self) -> bool {
        let support = || self.recipient().map(|member| self.image_support(member));
        self.writing.composer().field.has_images() && support() == Some(ImageSupport::NotRead)
    }

    /// Who gets what is written.
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
