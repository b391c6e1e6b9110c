//! What a pane may look at while it draws, and what it may ask for when a key reached it.

use std::borrow::Cow;
use std::fmt::Display;

use crate::domain::sandbox::Level;
use crate::domain::{AgentId, Background, DialogId, Lang, MsgId, Problem, Stamp};
use crate::protocol::event::QueuedMessage;
use crate::protocol::{ConsentView, Lifecycle, SheetRequest, WorkspaceView};
use crate::ui::action::Action;
use crate::ui::keymap::Keymap;
use crate::ui::lang::{Counted, Word};
use crate::ui::model::{DraftKey, Drafts, Sheets};
use crate::ui::theme::{Glyphs, Role, Theme};
use ratatui::style::Style;

/// How things look. Replaced whole when a person changes it.
#[derive(Debug, Clone)]
pub struct UiSettings {
    pub theme: Theme,
    pub glyphs: Glyphs,
    pub keymap: Keymap,
    pub lang: Lang,
}

impl UiSettings {
    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    pub fn word(&self, word: Word) -> &'static str {
        word.text(self.lang)
    }

    /// A number with its noun.
    pub fn counted<N: Copy + Display + PartialEq + From<u8>>(
        &self,
        number: N,
        what: Counted,
    ) -> String {
        what.text(number, self.lang)
    }

    /// A sentence with a name in it.
    pub fn sentence(&self, word: Word, name: &str) -> String {
        self.word(word).replacen("{}", name, 1)
    }

    /// What a dialog is about, with a word if it is only read.
    pub fn about<'a>(&self, about: &'a str, history: bool) -> Cow<'a, str> {
        if !history {
            return about.into();
        }
        format!("{} {about}", self.word(Word::History)).trim_end().to_owned().into()
    }

    /// The key of an action as it is shown in hints, such as `⏎` or `Alt+⏎`; empty if it has none.
    pub fn key(&self, action: Action) -> String {
        let name = self.keymap.hint(action).unwrap_or_default();
        self.key_label(&name)
    }

    /// A key's name as it stands on keyboards, with a sign for Enter where the terminal has one.
    pub fn key_label(&self, name: &str) -> String {
        let held = [("alt+", "Alt+"), ("ctrl+", "Ctrl+"), ("shift+", "Shift+")];
        let name = held.iter().fold(name.to_owned(), |name, (key, shown)| name.replace(key, shown));
        if self.glyphs == Glyphs::ASCII { name } else { name.replace("enter", self.glyphs.enter) }
    }
}

/// What drawing may look at.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    pub ui: &'a UiSettings,
    pub now: &'a Stamp,
}

/// What an overlay may ask of the app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    Quit,
    /// Leave, and end processes in the background.
    QuitAndStop,
    StopProcess(u32),
    StopAll,
    Lifecycle(Lifecycle),
    Open(DialogId),
    Create {
        agent: AgentId,
        taskdoc: String,
        text: String,
    },
    /// A person agrees to entries of the consent sheet, by their digests; then a dialog goes on.
    Agree {
        digests: Vec<String>,
        /// What commands may do, if that was chosen anew.
        level: Option<Level>,
        then: Option<DialogId>,
    },
    /// What was typed so far, to be kept; nothing forgets it.
    SaveDraft(DraftKey, String),
    /// A change on a sheet, and the words it is about.
    Sheet {
        dialog: DialogId,
        request: SheetRequest,
        draft: Option<(DraftKey, String)>,
    },
    /// A message that waits goes back into the composer.
    EditQueued {
        dialog: DialogId,
        words: QueuedMessage,
    },
    /// A message that waits is not to be heard.
    TakeBack {
        dialog: DialogId,
        message: MsgId,
    },
    /// A change of what stands in the list of what is put away, with its name.
    ChangeShelved(Lifecycle, String),
    /// Do it if the person agrees.
    Confirm(String, Box<Intent>),
    /// The same for what cannot be undone.
    ConfirmPermanent(String, Box<Intent>),
    /// Something to say in the last line.
    Notify(String),
}

/// What a key handler of an overlay may use.
#[derive(Debug)]
pub struct Cx<'a> {
    /// Messages that wait for the open dialog.
    pub queued: &'a [QueuedMessage],
    pub workspace: &'a WorkspaceView,
    pub sheets: &'a Sheets,
    pub consent: &'a ConsentView,
    pub problems: &'a [Problem],
    pub processes: &'a [Background],
    pub drafts: &'a Drafts,
    pub ui: &'a UiSettings,
    pub intents: &'a mut Vec<Intent>,
}
