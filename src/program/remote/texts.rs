//! Texts that a screen keeps for the person, stored by a driver in another process.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::domain::text::{Localized, Text};
use crate::protocol::command::Ticket;
use crate::protocol::{Command, DriverEvent};

use super::client::{Connection, FIRST_OF_TEXTS};

/// Timeout for the driver's answer. Meanwhile sent text waits for its draft to be stored.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);
/// Timeout while an earlier question has no answer.
const SILENT_TIMEOUT: Duration = Duration::from_millis(100);

const NO_ANSWER: Text = Text::new("the driver does not answer", "驱动进程没有回应");

/// Reads and stores the texts, one at a time.
#[derive(Debug)]
pub struct RemoteTexts {
    commands: mpsc::Sender<Command>,
    acknowledged: mpsc::Receiver<DriverEvent>,
    next: Ticket,
    /// The last answer did not come in time.
    is_silent: bool,
}

impl Connection {
    /// The texts; there is one holder of them.
    pub fn take_texts(&mut self) -> RemoteTexts {
        let (_, nothing) = mpsc::channel(1);
        RemoteTexts {
            commands: self.commands.clone(),
            acknowledged: std::mem::replace(&mut self.acknowledged, nothing),
            next: FIRST_OF_TEXTS,
            is_silent: false,
        }
    }
}

impl RemoteTexts {
    /// Returns all texts by their names.
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
        let patience = if self.is_silent { SILENT_TIMEOUT } else { ANSWER_TIMEOUT };
        let asked = async {
            self.commands.send(command(mine)).await.ok()?;
            loop {
                let event = self.acknowledged.recv().await?;
                if event.ticket() == Some(mine) {
                    return Some(event);
                }
            }
        };
        let answered = timeout(patience, asked).await;
        self.is_silent = answered.is_err();
        match answered {
            Ok(Some(DriverEvent::Refused { text, .. })) => Err(text),
            Ok(Some(event)) => Ok(event),
            Ok(None) | Err(_) => Err(NO_ANSWER.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_driver_that_never_answers_is_waited_for_once() {
        let (commands, mut sent) = mpsc::channel(64);
        let (acknowledge, acknowledged) = mpsc::channel(4);
        let mut texts = RemoteTexts { commands, acknowledged, next: 0, is_silent: false };
        let start = Instant::now();
        assert!(texts.read().await.is_err());
        for _ in 0..10 {
            assert!(texts.save("answer/q1", "yes").await.is_err());
        }
        assert!(start.elapsed() <= ANSWER_TIMEOUT + 10 * SILENT_TIMEOUT, "{:?}", start.elapsed());
        // A late answer is not taken for another one, and a driver that answers again is waited for again.
        let late = DriverEvent::Done { ticket: 3, dialog: None };
        acknowledge.send(late).await.unwrap();
        let answering = async {
            while let Some(command) = sent.recv().await {
                let Command::SaveDraft { ticket: ticket @ 12.., .. } = command else { continue };
                acknowledge.send(DriverEvent::Done { ticket, dialog: None }).await.unwrap();
                return;
            }
        };
        let (saved, ()) = tokio::join!(texts.save("answer/q1", "no"), answering);
        assert!(saved.is_ok() && !texts.is_silent);
    }
}
