//! What the screens keep for the person between two starts: drafts, and how far dialogs were looked at.

use std::collections::BTreeMap;

use crate::domain::text::Localized;
use crate::driver::shared::blocking::{blocking, interrupted};
use crate::protocol::LOOKED;
use crate::protocol::command::Ticket;
use crate::protocol::event::DriverEvent;
use crate::store::{Store, StoreError};

use super::trees::Supervisor;

impl Supervisor {
    pub(super) async fn send_drafts(&self, ticket: Ticket) {
        let store = self.engine.store.clone();
        let read = blocking(move |_| StoredTexts(&store).read()).await;
        let event = match read {
            Ok(Ok(texts)) => DriverEvent::Drafts { ticket, texts },
            Ok(Err(error)) => DriverEvent::Refused { ticket, text: error.message() },
            Err(error) => DriverEvent::Refused { ticket, text: interrupted(&error) },
        };
        self.send_event(event).await;
    }

    pub(super) async fn save_draft(&self, ticket: Ticket, name: String, text: String) {
        let store = self.engine.store.clone();
        let written = blocking(move |_| StoredTexts(&store).write(&name, &text)).await;
        let refusal: Option<Localized> = match written {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.message()),
            Err(error) => Some(interrupted(&error)),
        };
        self.send_event(match refusal {
            None => DriverEvent::Done { ticket, dialog: None },
            Some(text) => DriverEvent::Refused { ticket, text },
        })
        .await;
    }
}

/// The texts in a store. Each method blocks.
#[derive(Debug)]
pub struct StoredTexts<'a>(pub &'a Store);

impl StoredTexts<'_> {
    /// All of them by their names.
    ///
    /// # Errors
    /// The drafts cannot be read.
    pub fn read(&self) -> Result<BTreeMap<String, String>, StoreError> {
        let mut texts = self.0.read_drafts()?;
        let looked = self.0.read_looked().unwrap_or_else(|error| {
            // Only marks of what was looked at: without them too much is shown as new.
            tracing::warn!(%error, "what was looked at could not be read");
            String::new()
        });
        texts.insert(LOOKED.to_owned(), looked);
        Ok(texts)
    }

    /// Stores one; an empty text is dropped.
    ///
    /// # Errors
    /// It is not on disk.
    pub fn write(&self, name: &str, text: &str) -> Result<(), StoreError> {
        if name == LOOKED {
            return self.0.own_files().write_looked(text);
        }
        self.0.own_files().write_draft(name, (!text.is_empty()).then_some(text))
    }
}
