//! Gathers live text, so that many small pieces wake the screen seldom. The first piece after a pause
//! goes out at once.

use std::time::Duration;

use tokio::time::Instant;

use crate::protocol::event::Segment;

/// Between two pieces of live text; faster than frames are drawn.
const FLUSH_INTERVAL: Duration = Duration::from_millis(25);

/// Text that is written and not told yet.
#[derive(Debug, Default)]
pub struct LiveBuffer {
    buffered: Option<(Segment, String)>,
    sent_at: Option<Instant>,
}

impl LiveBuffer {
    /// Adds text; returns the text of another segment that has to be told before.
    pub fn add(&mut self, segment: Segment, text: &str) -> Option<(Segment, String)> {
        if let Some((same, buffered)) = &mut self.buffered
            && *same == segment
        {
            buffered.push_str(text);
            return None;
        }
        self.buffered.replace((segment, text.to_owned()))
    }

    /// Ends when the held text is to be told; never while nothing is held.
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
    async fn the_first_piece_goes_out_at_once_and_the_next_are_gathered() {
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
    fn another_segment_lets_the_held_text_go_first() {
        let mut live = LiveBuffer::default();
        assert_eq!(live.add(Segment::Thinking, "a"), None);
        assert_eq!(live.add(Segment::Saying, "b"), Some((Segment::Thinking, "a".to_owned())));
        assert_eq!(live.take(), Some((Segment::Saying, "b".to_owned())));
    }
}
