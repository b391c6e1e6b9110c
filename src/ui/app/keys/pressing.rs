//! The meaning of a pressed key after those before it, and the list of keys that can follow, shown after a
//! moment without a key.
//!
//! The next key completes the sequence, continues it, or is reported and does nothing: its own binding is not
//! used. `Esc` takes the keys back, and so do the mouse, pasted text, and anything that opens or closes.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::begun_keys::{self, BegunKeys, KeyPlace, Pressed};
use crate::action::{Binding, Scope};
use crate::app::App;
use crate::app::drawing::app_words;
use crate::cx::UiSettings;
use crate::follow_up::FollowUp;
use crate::keymap::{Chord, KeyMatch, KeySequence};
use crate::model::Tone;
use crate::panes::field::{BegunCommand, EditKeys};
use crate::panes::next_keys::{self, NextKey};

impl App {
    /// Returns the scope in which keys are looked up: that of the topmost part.
    pub(in crate::app) fn key_scope(&self) -> Scope {
        self.overlays.scope().unwrap_or_else(|| self.scope())
    }

    fn key_place(&self) -> KeyPlace {
        (self.key_scope(), self.overlays.count())
    }

    /// Takes the next key; it belongs to the unfinished sequence, if there is one.
    pub(in crate::app) fn press(&mut self, chord: Chord) -> Pressed {
        let Some(begun) = self.begun.take() else {
            if self.overlays.is_empty()
                && let Some(action) = self.ending.action(chord, self.focus.now(), &self.ui.keymap)
            {
                return Pressed::Action(action);
            }
            return self.meaning(chord.into());
        };
        if chord.is_escape() {
            return Pressed::Done;
        }
        let keys = begun.keys.then(chord);
        self.keys.press(keys.clone());
        let is_here = begun.place == self.key_place();
        let meaning = if is_here { self.meaning(keys.clone()) } else { Pressed::Unbound };
        if meaning == Pressed::Unbound {
            let name = self.ui.key_label(&keys.to_string());
            let text = self.ui.sentence(app_words::NOT_BOUND_HERE, &name);
            self.follow([FollowUp::NotifyText(Tone::Plain, text)]);
            return Pressed::Done;
        }
        meaning
    }

    /// Returns the meaning of these keys here; a prefix begins a sequence.
    fn meaning(&mut self, keys: KeySequence) -> Pressed {
        match self.ui.keymap.pressed(self.key_scope(), &keys) {
            KeyMatch::Action(action) => Pressed::Action(action),
            KeyMatch::Prefix if !self.following(&keys).is_empty() => {
                let (place, since) = (self.key_place(), self.redraw.now());
                self.begun = Some(BegunKeys { keys, place, since });
                Pressed::Done
            }
            KeyMatch::Prefix | KeyMatch::Nothing => Pressed::Unbound,
        }
    }

    /// Returns the keys that can follow these keys here.
    fn following(&self, keys: &KeySequence) -> Vec<(KeySequence, &'static Binding)> {
        let mut rows = self.ui.keymap.following(self.key_scope(), keys);
        if let Some(of) = self.overlays.keys(&self.ui.keymap) {
            rows.retain(|(_, binding)| of.has(binding));
        }
        rows
    }

    /// Draws the possible next keys at the bottom of this area; for a vi command, in the part beside its
    /// text.
    pub(in crate::app) fn draw_next_keys(
        &self,
        frame: &mut Frame<'_>,
        (area, beside_text): (Rect, Rect),
        ui: &UiSettings,
    ) {
        let is_listed = |since| begun_keys::is_listed(since, self.redraw.now());
        let Some(begun) = self.begun.as_ref().filter(|one| is_listed(one.since)) else {
            if let Some(command) = self.begun_command().filter(|(_, since)| is_listed(*since)) {
                draw_command(frame, beside_text, ui, &command.0);
            }
            return;
        };
        let row = |(keys, binding): (KeySequence, &'static Binding)| NextKey {
            keys: ui.key_label(&keys.to_string()),
            does: binding.sentence(ui.lang),
        };
        let rows: Vec<NextKey> = self.following(&begun.keys).into_iter().map(row).collect();
        next_keys::draw(frame, area, ui, &ui.key_label(&begun.keys.to_string()), &rows);
    }
}

/// Draws the possible next keys of an unfinished vi command.
fn draw_command(frame: &mut Frame<'_>, area: Rect, ui: &UiSettings, command: &BegunCommand) {
    let label = |keys: &[&str]| {
        let labels: Vec<String> = keys.iter().map(|key| ui.key_label(key)).collect();
        labels.join("  ")
    };
    let row = |(keys, does): &EditKeys| NextKey { keys: label(keys), does: ui.text(*does) };
    let rows: Vec<NextKey> = command.next.iter().map(row).collect();
    next_keys::draw(frame, area, ui, &command.keys, &rows);
}
