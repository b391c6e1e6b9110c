//! The keys of vi in the composer, if the user has chosen them.
//!
//! `Esc` does one thing at a time: it closes the completions, then ends insert or visual mode or cancels an
//! unfinished command, and in normal mode it leaves the composer as it does without vi.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use crate::app::composing::writing::Writing;
use crate::app::drawing::app_words;
use crate::app::{App, Focus};
use crate::domain::text::Text;
use crate::panes::field::{ViKeys, ViMode, ViOutcome};

/// The keys of the composer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ComposerKeys {
    /// The keys of a shell.
    #[default]
    Plain,
    Vi,
}

impl ComposerKeys {
    pub const ALL: [Self; 2] = [Self::Plain, Self::Vi];

    /// Returns its name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Vi => "vi",
        }
    }
}

impl Writing {
    /// Sets the keys of the composer.
    pub(in crate::app) fn use_keys(&mut self, keys: ComposerKeys) {
        self.set_vi(match keys {
            ComposerKeys::Plain => None,
            ComposerKeys::Vi => Some(ViKeys::default()),
        });
    }
}

impl App {
    /// Gives a key to vi; false if it has its meaning without vi.
    pub(in crate::app) fn vi_key(&mut self, key: KeyEvent) -> bool {
        if !self.focus.is(Focus::Composer) || !self.writing.can_write() {
            return false;
        }
        let offered = self.writing.composer().completion.shown().is_some();
        if key.code == KeyCode::Esc && offered {
            return false;
        }
        let now = self.redraw.now();
        let outcome = self.writing.vi_key(key, now);
        self.pressing.command_typed(self.writing.begun_command().map(|_| now));
        match outcome {
            ViOutcome::NotTaken => false,
            ViOutcome::Taken => true,
            ViOutcome::Act(action) => {
                self.act_or_type(action, key);
                true
            }
        }
    }
}

/// The name of a mode.
pub(in crate::app) fn mode_word(mode: ViMode) -> Text {
    match mode {
        ViMode::Insert => app_words::INSERT_MODE,
        ViMode::Normal => app_words::NORMAL_MODE,
        ViMode::Visual => app_words::VISUAL_MODE,
        ViMode::VisualLines => app_words::VISUAL_LINES_MODE,
    }
}
