//! Sends the events of one client in batches. On a line of low bandwidth live text waits a little for more of it;
//! whatever else there is to say goes at once, with the text before it.

use std::io;
use std::time::Duration;

use tokio::net::unix::OwnedWriteHalf;
use tokio::time::{Instant, sleep_until};

use crate::protocol::wire::{self, FrameFault, ShortWriter};
use crate::protocol::{DriverEvent, Outbox};

use super::framed::FrameWriter;

/// Events are sent together up to about so many bytes.
const BATCH_BYTES: usize = 64 * 1024;
/// How long live text waits for more on a line of low bandwidth: ten pieces a second read well, and each costs some
/// bytes.
const LIVE_INTERVAL: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) struct Sender {
    write: FrameWriter<OwnedWriteHalf>,
    waiting: Outbox,
    /// What waits is more than live text.
    is_urgent: bool,
    sent_at: Option<Instant>,
    /// Of a line of low bandwidth.
    short: Option<ShortWriter>,
}

impl Sender {
    pub fn new(write: FrameWriter<OwnedWriteHalf>) -> Self {
        let waiting = Outbox::new(usize::MAX);
        Self { write, waiting, is_urgent: false, sent_at: None, short: None }
    }

    /// From now on less is sent, and it is compressed.
    pub fn for_low_bandwidth(self) -> Self {
        Self { write: self.write.pack(), short: Some(ShortWriter::default()), ..self }
    }

    pub fn add(&mut self, event: DriverEvent) {
        self.is_urgent |= self.short.is_none() || !matches!(event, DriverEvent::Live { .. });
        self.waiting.push(event);
    }

    /// False if what waits has to be sent first.
    pub fn has_room(&self) -> bool {
        self.waiting.weight() < BATCH_BYTES
    }

    /// Completes when what waits is to be sent; never while nothing waits.
    pub async fn due(&self) {
        match self.sent_at {
            _ if self.waiting.is_empty() => std::future::pending().await,
            Some(sent_at) if !self.is_urgent && self.has_room() => {
                sleep_until(sent_at + LIVE_INTERVAL).await;
            }
            Some(_) | None => {}
        }
    }

    /// Sends what waits.
    ///
    /// # Errors
    /// The connection was cut.
    pub async fn send(&mut self) -> io::Result<()> {
        let mut frames = Vec::new();
        while let Some(event) = self.waiting.pop() {
            self.encode(&mut frames, &event);
        }
        self.is_urgent = false;
        self.sent_at = Some(Instant::now());
        self.write.write(&frames).await
    }

    /// The frame of an event. One that is too long to be read is refused, where somebody waits for it.
    fn encode(&mut self, frames: &mut Vec<u8>, event: &DriverEvent) {
        let frame = self.frame(event).or_else(|fault| {
            tracing::warn!(%fault, "an event was not sent");
            let Some(ticket) = event.ticket() else { return Ok(Vec::new()) };
            self.frame(&DriverEvent::Refused { ticket, text: fault.text() })
        });
        frames.extend(frame.unwrap_or_default());
    }

    fn frame(&mut self, event: &DriverEvent) -> Result<Vec<u8>, FrameFault> {
        match &mut self.short {
            Some(short) => short.encode(event),
            None => wire::encode_event(event),
        }
    }
}
