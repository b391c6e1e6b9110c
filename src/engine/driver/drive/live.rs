//! Buffers live text, so that many small pieces cause few events. The first piece after a pause is sent at
//! once.
//!
//! It stands beside the batches of a connection and of the screen because those join events that were already taken into the
//! state and copied for each client, and one read of a stream, at its tick of 100 ms, brings many pieces at once.

use std::time::Duration;

use tokio::time::Instant;

use crate::protocol::event::Segment;

/// Minimum time between two events; shorter than a frame.
const FLUSH_INTERVAL: Duration = Duration::from_millis(25);

/// Received text that is not sent yet.
#[derive(Debug, Default)]
pub struct LiveBuffer {
    buffered: Option<(Segment, String)>,
    sent_at: Option<Instant>,
}

impl LiveBuffer {
    /// Adds text; returns the text of another segment that has to be sent before.
    pub fn add(&mut self, segment: Segment, text: &str) -> Option<(Segment, String)> {
        if let Some((same, buffered)) = &mut self.buffered
            && *same == segment
        {
            buffered.push_str(text);
            return None;
        }
        self.buffered.replace((segment, text.to_owned()))
    }

    /// Completes when the buffered text is to be sent; never while the buffer is empty.
    pub async fn due(&self) {
        match (&self.buffered, self.sent_at) {
            (None, _) => std::future::pending().await,
            (Some(_), None) => {}
            (Some(_), Some(sent_at)) => tokio::time::sleep_until(sent_at + FLUSH_INTERVAL).await,
        }
    }

    pub fn take(&mut self) -> Option<(Segment, String)> {
        self.sent_at = Some(Instant::now());
        self.buffered.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_first_piece_is_sent_at_once_and_the_next_are_buffered() {
        let mut live = LiveBuffer::default();
        assert_eq!(live.add(Segment::Saying, "a"), None);
        let start = Instant::now();
        live.due().await;
        assert_eq!(
            (live.take(), start.elapsed()),
            (Some((Segment::Saying, "a".to_owned())), Duration::ZERO)
        );
        for piece in ["b", "c"] {
            assert_eq!(live.add(Segment::Saying, piece), None);
        }
        live.due().await;
        assert_eq!(live.take(), Some((Segment::Saying, "bc".to_owned())));
        assert_eq!(start.elapsed(), FLUSH_INTERVAL);
    }

    #[test]
    fn another_segment_flushes_the_buffered_text_first() {
        let mut live = LiveBuffer::default();
        assert_eq!(live.add(Segment::Thinking, "a"), None);
        assert_eq!(live.add(Segment::Saying, "b"), Some((Segment::Thinking, "a".to_owned())));
        assert_eq!(live.take(), Some((Segment::Saying, "b".to_owned())));
    }
}
