//! Short hints for a person who is new here: at most one at a time, in the status line, with the key for what can
//! be done now. Each is gone for good once the person did it, or after it was shown a few times.
//!
//! Only keys move them on, so they need no timer. Their state is a few words of text, stored with the drafts;
//! if that text cannot be read, there are no hints, and it is left unchanged.

use std::borrow::Borrow;

use crate::action::Action;
use crate::app::drawing::app_words;
use crate::domain::text::Text;
use crate::domain::{DialogId, Entry, RootId};
use crate::focus::Focus;

/// The name under which they are stored. No draft has it.
pub const STORED_HINTS: &str = "hints";
/// The stored text is no longer than this.
pub const MAX_STORED_HINTS: usize = 1024;

/// Most times a hint is shown.
const SHOWINGS: u8 = 3;
/// Number of keys for which a hint stays.
const KEYS_SHOWN: u8 = 8;
/// Number of keys without a hint before the next one.
const KEYS_BETWEEN: u8 = 6;
/// Stored in place of a number once the person did it.
const USED: &str = "used";

/// Whether a person wants hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HintUse {
    #[default]
    On,
    Off,
}

/// The subject of a hint; of hints shown equally often, the first comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::app) enum FirstHint {
    New,
    Answer,
    Open,
    Write,
    Changes,
    Find,
    Palette,
    Help,
}

impl FirstHint {
    pub const ALL: [Self; 8] = [
        Self::New,
        Self::Answer,
        Self::Open,
        Self::Write,
        Self::Changes,
        Self::Find,
        Self::Palette,
        Self::Help,
    ];

    /// Returns what its key does.
    pub fn word(self) -> Text {
        match self {
            Self::New => app_words::HINT_NEW,
            Self::Answer => app_words::HINT_ANSWER,
            Self::Open => app_words::HINT_OPEN,
            Self::Write => app_words::HINT_WRITE,
            Self::Changes => app_words::HINT_CHANGES,
            Self::Find => app_words::HINT_FIND,
            Self::Palette => app_words::HINT_PALETTE,
            Self::Help => app_words::HINT_HELP,
        }
    }

    /// The action whose key it names.
    pub fn action(self, focus: Focus) -> Action {
        match (self, focus) {
            (Self::New, _) => Action::NewDialog,
            (Self::Answer, Focus::Composer) => Action::AnswerOldest,
            (Self::Answer, Focus::Tree | Focus::Inbox | Focus::Dialog) => Action::Answer,
            (Self::Open, _) => Action::Open,
            (Self::Write, _) => Action::Compose,
            (Self::Changes, _) => Action::Changes,
            (Self::Find, _) => Action::Find,
            (Self::Palette, _) => Action::Palette,
            (Self::Help, _) => Action::Help,
        }
    }

    /// Actions with which a person shows that the hint is not needed.
    fn is_known_by(self, action: Action) -> bool {
        let others: &[Action] = match self {
            Self::Answer => &[
                Action::AnswerOldest,
                Action::NextQuestion,
                Action::PreviousQuestion,
                Action::Pick,
            ],
            Self::Find => &[Action::FindEverywhere],
            Self::New | Self::Open | Self::Write | Self::Changes | Self::Palette | Self::Help => {
                &[]
            }
        };
        self.action(Focus::Tree) == action || others.contains(&action)
    }

    /// The name in the stored text.
    fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Answer => "answer",
            Self::Open => "open",
            Self::Write => "write",
            Self::Changes => "changes",
            Self::Find => "find",
            Self::Palette => "palette",
            Self::Help => "help",
        }
    }
}

/// The state of one hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Progress {
    hint: FirstHint,
    shown: u8,
    used: bool,
}

impl Progress {
    fn is_over(self) -> bool {
        self.used || self.shown >= SHOWINGS
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Showing {
    #[default]
    Ready,
    Shown {
        hint: FirstHint,
        keys: u8,
    },
    Between {
        keys: u8,
    },
}

/// The hints of one person. By default there are none.
#[derive(Debug, Default)]
pub(in crate::app) struct FirstHints {
    known: Vec<Progress>,
    showing: Showing,
    is_changed: bool,
    /// The main dialog in which a change of files was seen last.
    changed: Option<RootId>,
}

impl FirstHints {
    /// Reads the stored state; `None` for a person who has not seen any.
    pub fn from_stored(stored: Option<&str>) -> Self {
        let fresh = FirstHint::ALL.map(|hint| Progress { hint, shown: 0, used: false });
        let known = match stored {
            None => Some(fresh.to_vec()),
            Some(text) => parse(text, &fresh),
        };
        Self { known: known.unwrap_or_default(), ..Self::default() }
    }

    /// True if there may be one.
    pub fn may_show(&self) -> bool {
        self.known.iter().any(|known| !known.is_over())
            || matches!(self.showing, Showing::Shown { .. })
    }

    /// Takes note of the records of a dialog that came to the screen.
    pub fn saw(&mut self, dialog: &DialogId, entries: &[impl Borrow<Entry>]) {
        if entries.iter().any(|entry| entry.borrow().changes_files()) {
            self.changed = Some(dialog.root.clone());
        }
    }

    /// True if a file change is known in the tree of this dialog.
    pub fn has_changes(&self, dialog: &DialogId) -> bool {
        self.changed.as_ref() == Some(&dialog.root)
    }

    /// A key was pressed.
    pub fn pressed(&mut self) {
        self.showing = match self.showing {
            Showing::Shown { keys: 0, .. } => Showing::Between { keys: KEYS_BETWEEN },
            Showing::Shown { hint, keys } => Showing::Shown { hint, keys: keys - 1 },
            Showing::Ready | Showing::Between { keys: 0 } => Showing::Ready,
            Showing::Between { keys } => Showing::Between { keys: keys - 1 },
        };
    }

    /// The person did this.
    pub fn used(&mut self, action: Action) {
        for known in self.known.iter_mut().filter(|known| known.hint.is_known_by(action)) {
            self.is_changed |= !known.used;
            known.used = true;
            if matches!(self.showing, Showing::Shown { hint, .. } if hint == known.hint) {
                self.showing = Showing::Between { keys: KEYS_BETWEEN };
            }
        }
    }

    #[cfg(test)]
    pub fn is_used(&self, hint: FirstHint) -> bool {
        self.known.iter().any(|known| known.hint == hint && known.used)
    }

    /// Chooses the hint to show, of those that fit the current state and the room.
    pub fn choose(&mut self, fits: impl Fn(FirstHint) -> bool) -> Option<FirstHint> {
        match self.showing {
            Showing::Shown { hint, .. } if fits(hint) => return Some(hint),
            Showing::Shown { .. } => self.showing = Showing::Between { keys: KEYS_BETWEEN },
            Showing::Between { .. } | Showing::Ready => {}
        }
        if self.showing != Showing::Ready {
            return None;
        }
        let open = self.known.iter_mut().filter(|known| !known.is_over() && fits(known.hint));
        let known = open.min_by_key(|known| (known.shown, known.hint))?;
        known.shown += 1;
        self.is_changed = true;
        self.showing = Showing::Shown { hint: known.hint, keys: KEYS_SHOWN };
        Some(known.hint)
    }

    /// The text to store, if it changed.
    pub fn take_stored(&mut self) -> Option<String> {
        std::mem::take(&mut self.is_changed).then(|| {
            let line = |known: &Progress| {
                let shown = known.shown.to_string();
                let value = if known.used { USED } else { &shown };
                format!("{} {value}\n", known.hint.name())
            };
            self.known.iter().map(line).collect()
        })
    }
}

/// Parses the stored text; `None` if it is not ours.
fn parse(text: &str, fresh: &[Progress]) -> Option<Vec<Progress>> {
    if text.len() > MAX_STORED_HINTS {
        return None;
    }
    let mut known = fresh.to_vec();
    for line in text.lines() {
        let (name, value) = line.split_once(' ')?;
        let is_name = name.bytes().all(|byte| byte.is_ascii_lowercase()) && !name.is_empty();
        let shown = if value == USED { 0 } else { value.parse().ok()? };
        if !is_name {
            return None;
        }
        // A hint of another version is ignored.
        if let Some(known) = known.iter_mut().find(|known| known.hint.name() == name) {
            (known.shown, known.used) = (shown, value == USED);
        }
    }
    Some(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(hints: &mut FirstHints, keys: u8) {
        (0..keys).for_each(|_| hints.pressed());
    }

    #[test]
    fn a_hint_stays_for_a_few_keys_and_is_shown_three_times_at_most() {
        let mut hints = FirstHints::from_stored(None);
        for _ in 0..SHOWINGS {
            assert_eq!(hints.choose(|hint| hint == FirstHint::Find), Some(FirstHint::Find));
            press(&mut hints, KEYS_SHOWN);
            assert_eq!(hints.choose(|hint| hint == FirstHint::Find), Some(FirstHint::Find));
            hints.pressed();
            assert_eq!(hints.choose(|_| true), None, "nothing for a while");
            press(&mut hints, KEYS_BETWEEN + 1);
        }
        assert_eq!(hints.choose(|hint| hint == FirstHint::Find), None);
        assert_eq!(hints.choose(|_| true), Some(FirstHint::New), "the others are");
    }

    #[test]
    fn what_was_done_is_never_hinted_again_also_after_a_restart() {
        let mut hints = FirstHints::from_stored(None);
        assert_eq!(hints.choose(|hint| hint == FirstHint::Answer), Some(FirstHint::Answer));
        hints.used(Action::AnswerOldest);
        hints.used(Action::Palette);
        assert_eq!(hints.choose(|_| true), None);
        let stored = hints.take_stored().expect("it changed");
        assert_eq!(hints.take_stored(), None);
        assert!(stored.len() < MAX_STORED_HINTS);
        let mut again = FirstHints::from_stored(Some(&stored));
        let known = |hint| [FirstHint::Answer, FirstHint::Palette].contains(&hint);
        assert_eq!(again.choose(known), None);
        again.used(Action::Palette);
        assert_eq!(again.take_stored(), None, "nothing new");
    }

    #[test]
    fn a_text_that_is_none_of_ours_gives_no_hints_and_stays_as_it_is() {
        for text in ["x", "find", "find x", "find 300", "Find 1", " 1", "find 1\n\nopen 1", "\u{0}"]
        {
            let mut hints = FirstHints::from_stored(Some(text));
            assert_eq!(hints.choose(|_| true), None, "{text:?}");
            hints.used(Action::Help);
            assert_eq!((hints.may_show(), hints.take_stored()), (false, None), "{text:?}");
        }
        let long = "later 1\n".repeat(200);
        assert!(!FirstHints::from_stored(Some(&long)).may_show());
        for text in ["", "later 7\nfind used\n", "find 9"] {
            assert!(FirstHints::from_stored(Some(text)).may_show(), "{text:?}");
        }
    }
}
