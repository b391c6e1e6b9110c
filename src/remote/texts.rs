//! Texts that a screen keeps for the person, stored by a driver in another process.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::domain::text::{Localized, Text};
use crate::protocol::command::Ticket;
use crate::protocol::{Command, DriverEvent};

use super::client::{Connection, FIRST_OF_TEXTS};

/// How long the driver may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

const NO_ANSWER: Text = Text::new("the driver does not answer", "驱动进程没有回应");

/// Reads and stores the texts, one at a time.
#[derive(Debug)]
pub struct RemoteTexts {
    commands: mpsc::Sender<Command>,
    acknowledged: mpsc::Receiver<DriverEvent>,
    next: Ticket,
}

impl Connection {
    /// The texts; there is one holder of them.
    pub fn take_texts(&mut self) -> RemoteTexts {
        let (_, nothing) = mpsc::channel(1);
        RemoteTexts {
            commands: self.commands.clone(),
            acknowledged: std::mem::replace(&mut self.acknowledged, nothing),
            next: FIRST_OF_TEXTS,
        }
    }
}

impl RemoteTexts {
    /// All texts by their names.
    ///
    /// # Errors
    /// The driver refused, or did not answer.
    pub async fn read(&mut self) -> Result<BTreeMap<String, String>, Localized> {
        let reply = self.ask(|ticket| Command::Drafts { ticket }).await?;
        let DriverEvent::Drafts { texts, .. } = reply else { return Err(NO_ANSWER.into()) };
        Ok(texts)
    }

    /// Stores a text; an empty one is dropped.
    ///
    /// # Errors
    /// It is not on disk.
    pub async fn save(&mut self, name: &str, text: &str) -> Result<(), Localized> {
        let (name, text) = (name.to_owned(), text.to_owned());
        self.ask(|ticket| Command::SaveDraft { ticket, name, text }).await.map(drop)
    }

    async fn ask(
        &mut self,
        command: impl FnOnce(Ticket) -> Command,
    ) -> Result<DriverEvent, Localized> {
        self.next += 1;
        let mine = self.next;
        let asked = async {
            self.commands.send(command(mine)).await.ok()?;
            loop {
                let event = self.acknowledged.recv().await?;
                if event.ticket() == Some(mine) {
                    return Some(event);
                }
            }
        };
        match timeout(ANSWER_TIMEOUT, asked).await {
            Ok(Some(DriverEvent::Refused { text, .. })) => Err(text),
            Ok(Some(event)) => Ok(event),
            Ok(None) | Err(_) => Err(NO_ANSWER.into()),
        }
    }
}
