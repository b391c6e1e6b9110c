//! Copies of images that a person attaches. Each is read by a thread of its own, because the file may lie
//! anywhere, and commands go on meanwhile.

use std::path::PathBuf;

use tokio::task::JoinError;

use crate::domain::image_reference::image_name;
use crate::driver::shared::blocking::interrupted;
use crate::driver::shared::engine::Engine;
use crate::protocol::command::Ticket;
use crate::protocol::event::DriverEvent;
use crate::protocol::{AttachedImage, ImageOrigin, ImageSource, Refusal};
use crate::store::{ImageRefusal, KeptImage};

use super::trees::Supervisor;

/// Files that are read at the same time; a message takes fewer.
const MAX_READS: usize = 16;
/// The name of an image without a file.
const CLIPBOARD: &str = "clipboard";
/// Letters of a copy's name.
const NAME_LENGTH: usize = 20;

impl Supervisor {
    pub(super) async fn begin_to_keep_image(&mut self, ticket: Ticket, origin: ImageOrigin) {
        if self.images.len() >= MAX_READS {
            let text = Refusal::ImagesBusy.into();
            self.send_event(DriverEvent::Refused { ticket, text }).await;
            return;
        }
        let engine = self.engine.clone();
        self.images.spawn_blocking(move || match keep(&engine, &origin) {
            Ok(image) => DriverEvent::ImageKept { ticket, image: Box::new(image) },
            Err(refusal) => {
                DriverEvent::Refused { ticket, text: refusal.message(name_of(&origin)) }
            }
        });
    }

    pub(super) async fn image_kept(&self, kept: Result<DriverEvent, JoinError>) {
        let event = kept.unwrap_or_else(|error| DriverEvent::Notice(interrupted(&error)));
        self.send_event(event).await;
    }
}

fn keep(engine: &Engine, origin: &ImageOrigin) -> Result<AttachedImage, ImageRefusal> {
    let id = engine.ids.short(NAME_LENGTH);
    let (kept, shown) = match origin {
        ImageOrigin::Clipboard(bytes) => {
            let kept = engine.store.keep_image_bytes(bytes, &id)?;
            let shown = format!("{CLIPBOARD}.{}", kept.kind.extension());
            (kept, shown)
        }
        ImageOrigin::File(path) => {
            let full = full_path(engine, path);
            let kept = engine.store.keep_image(&full, &id)?;
            (kept, full.file_name().unwrap_or_default().to_string_lossy().into_owned())
        }
    };
    let KeptImage { name, bytes, kind: _ } = kept;
    Ok(AttachedImage { name: image_name(&shown), bytes, source: ImageSource::Copy(name) })
}

fn full_path(engine: &Engine, path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), (engine.env)("HOME")) {
        (Some(below), Some(home)) => PathBuf::from(home).join(below),
        (Some(_), None) | (None, _) => PathBuf::from(path),
    }
}

/// What the message about a refusal calls it.
fn name_of(origin: &ImageOrigin) -> &str {
    match origin {
        ImageOrigin::File(path) => path,
        ImageOrigin::Clipboard(_) => CLIPBOARD,
    }
}
