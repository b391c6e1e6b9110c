//! In which layout the files of a tree are. The domain is the same for both; how files say it is in
//! `store/codec`, a folder for each.

/// A layout whose files are read whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layout {
    /// Of Dominds 1.19.2: the one that is written here.
    #[default]
    V1_19,
    /// Of Dominds 1.24 to 1.29.
    V1_29,
}

impl Layout {
    /// The name in `--json` output, by a version of Dominds.
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
}
