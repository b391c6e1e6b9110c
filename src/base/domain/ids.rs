//! Names of dialogs, members, calls and messages. Cheap to clone; a value that exists is well formed
//! enough to be a path below `.dialogs` (no `..`, no empty or absolute parts).

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Longest id accepted from a file, in bytes. Real ids have 14.
const MAX_ID: usize = 200;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            pub fn new(text: impl AsRef<str>) -> Self {
                Self(Arc::from(text.as_ref()))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self::new(text)
            }
        }
    };
}

text_id! {
    /// A main dialog: its path below `run/`, `done/` or `archive/`, usually `aa/bb/cccccccc`.
    RootId
}
text_id! {
    /// A dialog inside its tree; the main dialog's equals the [`RootId`].
    SelfId
}
text_id! {
    /// A team member's key in `team.yaml`.
    AgentId
}
text_id! {
    /// A tool or tellask call, as the model named it; unique within a dialog.
    CallId
}
text_id! {
    /// A prompt's id; the same message is never recorded twice.
    MsgId
}
text_id! {
    /// The name of a tellask session.
    Slug
}
text_id! {
    /// A team of the organisation, see [`super::teams::org`].
    TeamName
}
text_id! {
    /// Work that is queued for a team: `task-` and 16 hex digits.
    TaskId
}

impl SelfId {
    /// The part that grows with the time of creation; it orders dialogs of one second.
    pub fn creation(&self) -> &str {
        self.as_str().rsplit('/').next().unwrap_or_default()
    }
}

impl RootId {
    #[must_use]
    pub fn main(&self) -> SelfId {
        SelfId(self.0.clone())
    }
}

/// One dialog in one tree. Text form: `root` for the main dialog, `root#self` for a side dialog.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DialogId {
    pub root: RootId,
    pub this: SelfId,
}

impl DialogId {
    #[must_use]
    pub fn main(root: RootId) -> Self {
        let this = root.main();
        Self { root, this }
    }

    #[must_use]
    pub fn side(root: &RootId, this: &SelfId) -> Self {
        Self { root: root.clone(), this: this.clone() }
    }

    /// The dialog with this text form; `None` if a part is empty.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (root, this) = text.split_once('#').unwrap_or((text, text));
        let is_whole = !root.is_empty() && !this.is_empty();
        is_whole.then(|| Self::side(&RootId::new(root), &SelfId::new(this)))
    }

    #[must_use]
    pub fn is_main(&self) -> bool {
        self.root.as_str() == self.this.as_str()
    }
}

impl fmt::Display for DialogId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_main() {
            write!(f, "{}", self.root)
        } else {
            write!(f, "{}#{}", self.root, self.this)
        }
    }
}

impl fmt::Debug for DialogId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// True if `text` may name a dialog directory: relative, no `.` or `..`, no control characters, and
/// no part that would be taken for the folder of side dialogs.
#[must_use]
pub fn is_dialog_path(text: &str) -> bool {
    text.len() <= MAX_ID
        && !text.is_empty()
        && text.split('/').all(|part| {
            !matches!(part, "" | "." | ".." | "sideDialogs")
                && !part.chars().any(|c| c.is_control() || c == '\\')
        })
}

impl MsgId {
    const DELIVERY: &'static str = "delivery-";

    /// The id of a task's result, for the dialog that asked for it: it is taken once.
    #[must_use]
    pub fn of_delivery(task: &TaskId, attempt: u32) -> Self {
        Self::new(format!("{}{task}-{attempt}", Self::DELIVERY))
    }

    /// The id of the prompt that starts an attempt: its dialog has it once.
    #[must_use]
    pub fn of_attempt(task: &TaskId, attempt: u32) -> Self {
        Self::new(format!("{task}-{attempt}"))
    }

    #[must_use]
    pub fn is_delivery(&self) -> bool {
        self.as_str().starts_with(Self::DELIVERY)
    }
}

impl TaskId {
    /// Its first digits, which tell tasks apart for a person.
    #[must_use]
    pub fn short(&self) -> &str {
        let digits = self.as_str().trim_start_matches("task-");
        digits.get(..4).unwrap_or(digits)
    }
}

impl TeamName {
    /// Most bytes of a name.
    pub const MAX: usize = 48;

    /// The name of the team at the root.
    pub const MAIN: &'static str = "main";

    /// The team of every member that is in no other one.
    #[must_use]
    pub fn main() -> Self {
        Self::new(Self::MAIN)
    }

    #[must_use]
    pub fn is_main(&self) -> bool {
        self.as_str() == Self::MAIN
    }

    /// True for a name that a team may be given: lower case letters, digits and single hyphens.
    #[must_use]
    pub fn is_well_formed(text: &str) -> bool {
        let is_part = |part: &str| {
            let may = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
            !part.is_empty() && part.bytes().all(may)
        };
        text.len() <= Self::MAX && text.split('-').all(is_part)
    }
}

/// True if `text` is a session slug: parts of letters, digits, `-` and `_` that start with a letter,
/// joined by single dots.
pub fn is_slug(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_ID && text.split('.').all(is_slug_part)
}

fn is_slug_part(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_alphabetic())
        && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_dotted_words_that_start_with_a_letter() {
        for (text, expected) in [
            ("a", true),
            ("db-schema.v2_x", true),
            ("", false),
            ("a..b", false),
            (".a", false),
            ("2fa", false),
            ("a b", false),
            ("a.2", false),
        ] {
            assert_eq!(is_slug(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_dialog_path_never_leaves_its_folder() {
        for (text, expected) in [
            ("ab/cd/01234567", true),
            ("mydialog", true),
            ("", false),
            ("/etc", false),
            ("a/../b", false),
            ("a//b", false),
            ("a/sideDialogs/b", false),
            ("a\u{1b}]0;x", false),
        ] {
            assert_eq!(is_dialog_path(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_text_form_names_the_side_dialog_after_a_hash() {
        let root = RootId::new("aa/bb/01");
        assert_eq!(DialogId::main(root.clone()).to_string(), "aa/bb/01");
        assert_eq!(
            DialogId::side(&root, &SelfId::new("cc/dd/02")).to_string(),
            "aa/bb/01#cc/dd/02"
        );
    }
}
