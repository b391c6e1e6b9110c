//! Short messages for the user; each replaces the previous one and expires.

use std::time::{Duration, Instant};

use crate::text::SafeText;
use crate::theme::Role;

/// How long a message is shown.
const NOTICE_DURATION: Duration = Duration::from_secs(4);

/// The severity of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Good,
    Bad,
}

impl Tone {
    pub fn role(self) -> Role {
        match self {
            Self::Plain => Role::TextStrong,
            Self::Good => Role::Good,
            Self::Bad => Role::Bad,
        }
    }
}

#[derive(Debug, Default)]
pub struct Notices {
    shown: Option<ShownNotice>,
}

#[derive(Debug)]
struct ShownNotice {
    text: SafeText,
    tone: Tone,
    until: Instant,
}

impl Notices {
    pub fn show(&mut self, tone: Tone, text: &str, now: Instant) {
        self.shown =
            Some(ShownNotice { text: SafeText::line(text), tone, until: now + NOTICE_DURATION });
    }

    pub fn shown(&self) -> Option<(&SafeText, Tone)> {
        self.shown.as_ref().map(|shown| (&shown.text, shown.tone))
    }

    /// Returns when the message expires.
    pub fn until(&self) -> Option<Instant> {
        self.shown.as_ref().map(|shown| shown.until)
    }

    /// Removes an expired message; true if there was one.
    pub fn tick(&mut self, now: Instant) -> bool {
        let over = self.until().is_some_and(|until| until <= now);
        if over {
            self.shown = None;
        }
        over
    }
}
