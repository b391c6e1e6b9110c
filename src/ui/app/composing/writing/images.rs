//! Images that are attached to a draft. A path becomes a chip at once; until the driver has read the file, nothing
//! is sent, and if it cannot, the path is text again.

use std::time::Instant;

use super::Writing;
use crate::app::drawing::app_words;
use crate::cx::UiSettings;
use crate::domain::dialogs::attachment::MAX_IMAGES;
use crate::domain::dialogs::image_reference::{IMAGE, image_name, image_reference};
use crate::domain::text::Text;
use crate::effect::Effect;
use crate::follow_up::{FollowUp, FollowUps};
use crate::model::{DraftImage, Tone, attached};
use crate::panes::composer::dropped_images;
use crate::panes::composer::offers::quoted;
use crate::protocol::{AttachedImage, ImageOrigin};
use crate::request::Request;

impl Writing {
    /// Inserts pasted text; paths of images, as a terminal pastes files that are dropped on it, are attached.
    pub fn paste(&mut self, text: &str, ui: &UiSettings, now: Instant) -> FollowUps {
        if let Some(paths) = dropped_images(text).filter(|_| self.can_write()) {
            return self.attach(paths, ui, now);
        }
        if !self.composer.paste(text, ui) {
            return vec![FollowUp::Notify(Tone::Bad, app_words::PASTE_TOO_LONG)];
        }
        self.keep(now);
        Vec::new()
    }

    /// Attaches images by their paths.
    pub fn attach(&mut self, paths: Vec<String>, ui: &UiSettings, now: Instant) -> FollowUps {
        let mut asked = Vec::new();
        for path in paths {
            let name = path.rsplit('/').next().unwrap_or_default();
            let named = format!("{} {}", image_name(name), ui.glyphs.cut);
            let label = image_reference(ui.text(IMAGE), &named);
            self.images_asked += 1;
            let (number, field) = (self.images_asked, &mut self.composer.field);
            let text = quoted(&path);
            if field.insert_reading(number, &text, label) {
                asked.push(FollowUp::Request(Request::KeepImage {
                    number,
                    origin: ImageOrigin::File(path),
                }));
            } else {
                field.paste(&text);
                asked.push(FollowUp::Notify(Tone::Bad, app_words::TOO_MANY_CHIPS));
            }
            field.paste(" ");
        }
        self.keep(now);
        asked
    }

    /// Attaches the image in the clipboard: a chip waits for it.
    pub fn attach_from_clipboard(&mut self, ui: &UiSettings) -> FollowUps {
        if !self.can_write() {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NO_TARGET)];
        }
        let label = image_reference(ui.text(IMAGE), ui.glyphs.cut);
        self.images_asked += 1;
        let number = self.images_asked;
        if !self.composer.field.insert_reading(number, "", label) {
            return vec![FollowUp::Notify(Tone::Bad, app_words::TOO_MANY_CHIPS)];
        }
        self.composer.field.paste(" ");
        vec![FollowUp::Effect(Effect::TakeImage(number))]
    }

    /// True if a chip still waits for this image.
    pub fn awaits_image(&self, number: u64) -> bool {
        let fields = self.closed_fields.iter().map(|(_, field)| field);
        fields.chain([&self.composer.field]).any(|field| field.awaits_image(number))
    }

    /// Updates the chip of an image that was read, wherever its draft is. Without its chip, it is not attached.
    pub fn image_kept(
        &mut self,
        number: u64,
        (image, path): (AttachedImage, &str),
        ui: &UiSettings,
        now: Instant,
    ) {
        let from = if path.is_empty() { String::new() } else { quoted(path) };
        let image = DraftImage::new(image, ui.lang, &from);
        self.image_read(number, Some(&image), now);
    }

    /// An image cannot be attached: its path is text again.
    pub fn image_refused(&mut self, number: u64, now: Instant) {
        self.image_read(number, None, now);
    }

    fn image_read(&mut self, number: u64, image: Option<&DraftImage>, now: Instant) {
        if self.composer.field.image_read(number, image) {
            self.keep(now);
            return;
        }
        let closed = self.closed_fields.iter_mut().find_map(|(key, field)| {
            field.image_read(number, image).then(|| (key.clone(), field.text()))
        });
        if let Some((key, text)) = closed {
            self.drafts.set(&key, &text, now);
        }
    }

    /// Why the draft cannot be sent now, because of its images.
    pub(super) fn images_refusal(&self, typed: &str) -> Option<Text> {
        if self.composer.field.is_reading() {
            Some(app_words::IMAGES_READING)
        } else {
            (attached::images(typed).len() > MAX_IMAGES).then_some(app_words::TOO_MANY_IMAGES)
        }
    }
}
