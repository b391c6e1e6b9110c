//! Who receives the events of the driver.

use super::reports::Subscription;

/// Events the pump buffers for a slow screen before it drops them for
/// [`crate::protocol::DriverEvent::Lagged`].
const OUTBOX_EVENTS: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A person: records and live text of one dialog at a time; a slow screen may miss events.
    Screen,
    /// A person: every record of every dialog; a slow terminal may miss events.
    Lines,
    /// Every record of every dialog, none missing.
    Script,
    /// Every record and all live text.
    Follower,
}

impl Audience {
    /// True for an audience with a person, who may stop things by hand and edit `.minds` meanwhile.
    pub fn is_person(self) -> bool {
        match self {
            Self::Screen | Self::Lines => true,
            Self::Script | Self::Follower => false,
        }
    }

    /// True if it may miss events, and asks for everything again.
    pub(in crate::driver) fn may_miss(self) -> bool {
        self.is_person()
    }

    /// True if only the dialog that is open is sent.
    pub fn sees_one_dialog(self) -> bool {
        match self {
            Self::Screen => true,
            Self::Lines | Self::Script | Self::Follower => false,
        }
    }

    /// The first subscription, and the maximum number of waiting events.
    pub(in crate::driver) fn start(self) -> (Subscription, usize) {
        match self {
            Self::Screen => (Subscription::NoDialog, OUTBOX_EVENTS),
            Self::Lines => (Subscription::AllRecords, OUTBOX_EVENTS),
            Self::Script => (Subscription::AllRecords, usize::MAX),
            Self::Follower => (Subscription::AllRecordsAndText, usize::MAX),
        }
    }
}
