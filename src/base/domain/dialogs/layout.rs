//! In which layout the files of a tree are. The domain is the same for both; how files say it is in
//! `store/codec`, a folder for each.

use serde::{Deserialize, Serialize};

/// A layout whose files are read and written. A tree keeps its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Layout {
    /// Of Dominds 1.19.2.
    #[default]
    #[serde(rename = "1.19")]
    V1_19,
    /// Of Dominds 1.24 to 1.29.
    #[serde(rename = "1.29")]
    V1_29,
}

impl Layout {
    pub const ALL: [Self; 2] = [Self::V1_19, Self::V1_29];

    /// The name in `--json` output and in the configuration, by a version of Dominds.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1_19 => "1.19",
            Self::V1_29 => "1.29",
        }
    }

    /// True if dialogs have what Dominds 1.29 adds beside its files: `answerHuman`, goals, scopes of reminders, startup
    /// scripts, and an end to calls that are repeated.
    #[must_use]
    pub const fn has_recent_rules(self) -> bool {
        match self {
            Self::V1_19 => false,
            Self::V1_29 => true,
        }
    }

    /// Whether a reply or a newer request takes up a dialog whose own work is parked while it talks to a person.
    ///
    /// | layout | a dialog that owes a reply has answered a person |
    /// |---|---|
    /// | 1.19 | it is paused until a person continues it |
    /// | 1.29 | what it waits for takes it up again; without that it rests, which is a pause here |
    #[must_use]
    pub const fn replies_end_a_pause(self) -> bool {
        match self {
            Self::V1_19 => false,
            Self::V1_29 => true,
        }
    }

    /// Whether a reply is followed by a record of the calls that still wait. 1.29 has such a record only beside a call
    /// without a session.
    #[must_use]
    pub const fn lists_calls_after_a_reply(self) -> bool {
        match self {
            Self::V1_19 => true,
            Self::V1_29 => false,
        }
    }

    /// Whether the conclusion of fresh-boots reasoning is recorded as a reply that is delivered; 1.19 only links it.
    #[must_use]
    pub const fn records_conclusions(self) -> bool {
        match self {
            Self::V1_19 => false,
            Self::V1_29 => true,
        }
    }

    /// Whether a new main dialog that is never pushed is marked so: 1.29 leaves that to its budget.
    #[must_use]
    pub const fn marks_dialogs_without_pushes(self) -> bool {
        match self {
            Self::V1_19 => true,
            Self::V1_29 => false,
        }
    }

    /// The layout of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layout| layout.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_layout_has_one_name_everywhere() {
        for layout in Layout::ALL {
            assert_eq!(serde_json::to_value(layout).unwrap(), layout.name());
            assert_eq!(Layout::named(layout.name()), Some(layout));
        }
        assert_eq!(Layout::named("1.30"), None);
    }
}
