//! State that drawing may read, and that an overlay may use and request when it handles a key.

use std::borrow::Cow;
use std::fmt::Display;
use std::time::Instant;

use crate::action::{Action, Scope};
use crate::domain::text::Text;
use crate::domain::{DialogId, ForeignLayout, Lang, Stamp};
use crate::follow_up::{FollowUp, FollowUps};
use crate::highlight::CodeColours;
use crate::keymap::Keymap;
use crate::links::Links;
use crate::model::{Drafts, Finds, Model, Place, Sheets, Tone};
use crate::panes::composer::SentTexts;
use crate::panes::transcript::SearchCount;
use crate::protocol::event::QueuedMessage;
use crate::theme::{Glyphs, Role, Theme};
use crate::words::Counted;
use ratatui::style::Style;

/// The settings of the screen: colours, symbols, keys, language. Replaced as a unit.
#[derive(Debug, Clone)]
pub struct UiSettings {
    pub theme: Theme,
    pub glyphs: Glyphs,
    pub keymap: Keymap,
    pub lang: Lang,
    pub colours: CodeColours,
    pub links: Links,
}

impl UiSettings {
    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    pub fn text(&self, text: Text) -> &'static str {
        text.in_lang(self.lang)
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
    pub fn sentence(&self, text: Text, name: &str) -> String {
        text.with(name, self.lang)
    }

    /// The subject of a dialog, marked if the dialog may only be read.
    pub fn about<'a>(&self, about: &'a str, foreign: Option<ForeignLayout>) -> Cow<'a, str> {
        let Some(layout) = foreign else { return about.into() };
        format!("{} {about}", self.text(layout.mark())).trim_end().to_owned().into()
    }

    /// The key of an action while `focus` has the focus, as it is shown in hints, such as `⏎` or `Alt+⏎`;
    /// empty if it has none.
    pub fn key(&self, focus: Scope, action: Action) -> String {
        let name = self.keymap.hint(focus, action).unwrap_or_default();
        self.key_label(&name)
    }

    /// A key's name as printed on keyboards, with a symbol for Enter where the terminal has one.
    pub fn key_label(&self, name: &str) -> String {
        if name == "plus" {
            return "+".to_owned();
        }
        let held = [("alt+", "Alt+"), ("ctrl+", "Ctrl+"), ("shift+", "Shift+")];
        let name = held.iter().fold(name.to_owned(), |name, (key, shown)| name.replace(key, shown));
        if self.glyphs == Glyphs::ASCII { name } else { name.replace("enter", self.glyphs.enter) }
    }
}

/// State that drawing may read.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    pub ui: &'a UiSettings,
    pub now: &'a Stamp,
}

/// State that an overlay may use while it handles a key or draws.
#[derive(Debug)]
pub struct Cx<'a> {
    /// The model of dialogs and workspace.
    pub model: &'a Model,
    /// The places to go back to, the last one visited last.
    pub places: &'a [Place],
    pub open: Option<&'a DialogId>,
    /// The progress of the search in the open dialog.
    pub found: Option<SearchCount>,
    /// The queued messages of the open dialog, without those being taken back.
    pub queued: &'a [QueuedMessage],
    /// The content of the open sheet.
    pub sheets: &'a Sheets,
    /// Results of the search in the records of all dialogs.
    pub finds: &'a Finds,
    pub drafts: &'a Drafts,
    /// Messages that were sent before.
    pub sent: &'a SentTexts,
    pub ui: &'a UiSettings,
    /// The current time.
    pub moment: Instant,
    /// The same, as a calendar shows it.
    pub now: &'a Stamp,
    pub follow_ups: &'a mut FollowUps,
}

impl Cx<'_> {
    /// Shows a message in the status line.
    pub fn notify(&mut self, text: Text) {
        self.follow_ups.push(FollowUp::Notify(Tone::Plain, text));
    }
}
