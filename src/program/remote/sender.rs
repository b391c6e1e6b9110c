//! Sends the events of one client in batches. On a line of low bandwidth live text waits a little for more of
//! it; any other event is sent at once, after the text before it.

use std::io;
use std::time::Duration;

use tokio::io::AsyncWrite;
use tokio::time::{Instant, sleep_until};

use crate::protocol::DriverEvent;
use crate::protocol::wire::{self, FrameFault, ShortWriter};

use super::framed::FrameWriter;

/// Events are sent together up to about this many bytes.
const BATCH_BYTES: usize = 64 * 1024;
/// The wait of live text for more, on a line of low bandwidth: ten pieces a second read well, and each costs
/// some bytes.
const LIVE_INTERVAL: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) struct Sender<W> {
    write: FrameWriter<W>,
    frames: Vec<u8>,
    /// Live text that follows them, and may grow.
    live: Option<DriverEvent>,
    /// True if there are events other than live text.
    is_urgent: bool,
    sent_at: Option<Instant>,
    /// Set on a line of low bandwidth.
    short: Option<ShortWriter>,
}

impl<W: AsyncWrite + Unpin> Sender<W> {
    pub fn new(write: FrameWriter<W>) -> Self {
        let frames = Vec::new();
        Self { write, frames, live: None, is_urgent: false, sent_at: None, short: None }
    }

    /// Switches to short and compressed messages.
    pub fn for_low_bandwidth(self) -> Self {
        Self { write: self.write.pack(), short: Some(ShortWriter::default()), ..self }
    }

    /// Adds an event; events are sent in this order.
    pub fn add(&mut self, event: DriverEvent) {
        let is_live = self.short.is_some() && matches!(event, DriverEvent::Live { .. });
        if is_live && self.live.as_mut().is_some_and(|live| goes_on(live, &event)) {
            return;
        }
        self.end_live();
        if is_live {
            self.live = Some(event);
        } else {
            self.encode(&event);
            self.is_urgent = true;
        }
    }

    /// False if what waits has to be sent first.
    pub fn has_room(&self) -> bool {
        let live = match &self.live {
            Some(DriverEvent::Live { text, .. }) => text.len(),
            Some(_) | None => 0,
        };
        self.frames.len() + live < BATCH_BYTES
    }

    /// True if something waits.
    pub fn waits(&self) -> bool {
        self.live.is_some() || !self.frames.is_empty()
    }

    /// True if what waits is to be sent now.
    pub fn is_due(&self) -> bool {
        self.is_urgent || !self.has_room()
    }

    /// Completes when live text has waited long enough; never while nothing waits.
    pub async fn due(&self) {
        match self.sent_at {
            _ if !self.waits() => std::future::pending().await,
            Some(sent_at) => sleep_until(sent_at + LIVE_INTERVAL).await,
            None => {}
        }
    }

    /// Sends what waits.
    ///
    /// # Errors
    /// The connection was cut.
    pub async fn send(&mut self) -> io::Result<()> {
        self.end_live();
        self.is_urgent = false;
        self.sent_at = Some(Instant::now());
        self.write.write(&self.frames).await?;
        self.frames.clear();
        self.frames.shrink_to(BATCH_BYTES);
        Ok(())
    }

    fn end_live(&mut self) {
        if let Some(live) = self.live.take() {
            self.encode(&live);
        }
    }

    /// Appends the frame of an event. In place of one that is too long to be read, the client is told so.
    fn encode(&mut self, event: &DriverEvent) {
        let frame = self.frame(event).or_else(|fault| {
            tracing::warn!(%fault, "an event was not sent");
            let text = fault.text();
            self.frame(&match event.ticket() {
                Some(ticket) => DriverEvent::Refused { ticket, text },
                None => DriverEvent::Notice(text),
            })
        });
        self.frames.extend(frame.unwrap_or_default());
    }

    fn frame(&mut self, event: &DriverEvent) -> Result<Vec<u8>, FrameFault> {
        match &mut self.short {
            Some(short) => short.encode(event),
            None => wire::encode_event(event),
        }
    }
}

/// Appends live text to that of the same dialog and segment; false if it belongs to another.
fn goes_on(live: &mut DriverEvent, more: &DriverEvent) -> bool {
    let (
        DriverEvent::Live { dialog, segment, text },
        DriverEvent::Live { dialog: of, segment: as_well, text: more },
    ) = (live, more)
    else {
        return false;
    };
    let same = dialog == of && segment == as_well;
    if same {
        text.push_str(more);
    }
    same
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{DialogId, RootId};
    use crate::protocol::event::Segment;

    fn live(text: &str) -> DriverEvent {
        let dialog = DialogId::main(RootId::new("1a"));
        DriverEvent::Live { dialog, segment: Segment::Saying, text: text.to_owned() }
    }

    #[tokio::test(start_paused = true)]
    async fn on_a_slow_line_live_text_waits_for_more_and_for_nothing_else() {
        let mut sender = Sender::new(FrameWriter::new(Vec::new())).for_low_bandwidth();
        let start = Instant::now();
        sender.add(live("a"));
        sender.due().await;
        sender.send().await.unwrap();
        assert_eq!(start.elapsed(), Duration::ZERO, "the first text does not wait");
        for text in ["b", "c"] {
            sender.add(live(text));
            assert!(!sender.is_due());
        }
        sender.due().await;
        assert_eq!((start.elapsed(), &sender.live), (LIVE_INTERVAL, &Some(live("bc"))));
        sender.send().await.unwrap();
        sender.add(live("d"));
        sender.add(DriverEvent::Done { ticket: 1, dialog: None });
        assert!(sender.is_due() && sender.live.is_none(), "what else is said goes at once");
        sender.send().await.unwrap();
        sender.add(live(&"e".repeat(BATCH_BYTES)));
        assert!(sender.is_due(), "so much does not wait");
    }

    #[tokio::test(start_paused = true)]
    async fn on_any_other_line_everything_goes_at_once() {
        let mut sender = Sender::new(FrameWriter::new(Vec::new()));
        for text in ["a", "b"] {
            sender.add(live(text));
            assert!(sender.is_due());
            sender.send().await.unwrap();
            assert!(!sender.waits());
        }
    }
}
