//! The meaning of a pressed key after those before it, and the list of keys that can follow, shown after a
//! moment without a key.
//!
//! The next key completes the sequence, continues it, or is reported and does nothing: its own binding is not
//! used. `Esc` takes the keys back, and so do the mouse, pasted text, and anything that opens or closes.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::begun_keys::{self, BegunKeys, KeyPlace, Pressed};
use super::key_reports::KeyReports;
use crate::action::{Binding, Scope};
use crate::app::composing::writing::Writing;
use crate::app::drawing::app_words;
use crate::app::drawing::focus::FocusState;
use crate::app::flow::ending::DemoEnding;
use crate::app::overlays::stack::Overlays;
use crate::cx::UiSettings;
use crate::focus::Focus;
use crate::follow_up::FollowUp;
use crate::keymap::{Chord, KeyMatch, KeySequence};
use crate::model::Tone;
use crate::panes::field::{BegunCommand, EditKeys};
use crate::panes::next_keys::{self, NextKey};

/// Where a key is pressed.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct KeyFacts<'a> {
    overlays: &'a Overlays,
    focus: &'a FocusState,
    ui: &'a UiSettings,
    now: Instant,
}

impl<'a> KeyFacts<'a> {
    pub fn new(
        overlays: &'a Overlays,
        focus: &'a FocusState,
        ui: &'a UiSettings,
        now: Instant,
    ) -> Self {
        Self { overlays, focus, ui, now }
    }

    /// Returns the scope in which keys are looked up: that of the topmost part.
    pub fn scope(self) -> Scope {
        self.overlays.scope().unwrap_or_else(|| self.focus.scope())
    }

    fn place(self) -> KeyPlace {
        (self.scope(), self.overlays.count())
    }

    /// Returns the keys that can follow these keys here.
    fn following(self, keys: &KeySequence) -> Vec<(KeySequence, &'static Binding)> {
        let mut rows = self.ui.keymap.following(self.scope(), keys);
        if let Some(of) = self.overlays.keys(&self.ui.keymap) {
            rows.retain(|(_, binding)| of.has(binding));
        }
        rows
    }
}

/// The keys that were pressed, and what they begin.
#[derive(Debug, Default)]
pub(in crate::app) struct Pressing {
    pub reports: KeyReports,
    /// Keys that begin a longer sequence.
    begun: Option<BegunKeys>,
    /// The time of the last key of an unfinished vi command.
    command_since: Option<Instant>,
}

impl Pressing {
    /// True if keys begin a longer sequence.
    pub fn has_begun(&self) -> bool {
        self.begun.is_some()
    }

    /// Takes the begun keys back.
    pub fn take_back(&mut self) {
        self.begun = None;
    }

    /// The last key of an unfinished vi command was typed at this time; `None` if there is none.
    pub fn command_typed(&mut self, at: Option<Instant>) {
        self.command_since = at;
    }

    /// Takes the next key; it belongs to the unfinished sequence, if there is one. Says if that is not bound.
    pub fn press(
        &mut self,
        chord: Chord,
        ending: &DemoEnding,
        here: KeyFacts<'_>,
    ) -> (Pressed, Option<FollowUp>) {
        let Some(begun) = self.begun.take() else {
            if here.overlays.is_empty()
                && let Some(action) = ending.action(chord, here.focus.now(), &here.ui.keymap)
            {
                return (Pressed::Action(action), None);
            }
            return (self.meaning(chord.into(), here), None);
        };
        if chord.is_escape() {
            return (Pressed::Done, None);
        }
        let keys = begun.keys.then(chord);
        self.reports.press(keys.clone());
        let is_here = begun.place == here.place();
        let meaning = if is_here { self.meaning(keys.clone(), here) } else { Pressed::Unbound };
        if meaning == Pressed::Unbound {
            let name = here.ui.key_label(&keys.to_string());
            let text = here.ui.sentence(app_words::NOT_BOUND_HERE, &name);
            return (Pressed::Done, Some(FollowUp::NotifyText(Tone::Plain, text)));
        }
        (meaning, None)
    }

    /// Returns the meaning of these keys here; a prefix begins a sequence.
    fn meaning(&mut self, keys: KeySequence, here: KeyFacts<'_>) -> Pressed {
        match here.ui.keymap.pressed(here.scope(), &keys) {
            KeyMatch::Action(action) => Pressed::Action(action),
            KeyMatch::Prefix if !here.following(&keys).is_empty() => {
                let (place, since) = (here.place(), here.now);
                self.begun = Some(BegunKeys { keys, place, since });
                Pressed::Done
            }
            KeyMatch::Prefix | KeyMatch::Nothing => Pressed::Unbound,
        }
    }

    /// The command of vi that is begun, and since when; `None` while something is on top.
    fn begun_command(
        &self,
        writing: &Writing,
        here: KeyFacts<'_>,
    ) -> Option<(BegunCommand, Instant)> {
        let is_on_top = here.focus.is(Focus::Composer) && here.overlays.is_empty();
        let since = self.command_since.filter(|_| is_on_top)?;
        Some((writing.begun_command()?, since))
    }

    /// Returns the time at which the possible next keys are listed, if that is after the last frame.
    pub fn lists_at(
        &self,
        writing: &Writing,
        here: KeyFacts<'_>,
        drawn: Instant,
    ) -> Option<Instant> {
        let begun = self.begun.as_ref().map(|begun| begun.since);
        let begun = begun.or_else(|| self.begun_command(writing, here).map(|(_, since)| since));
        begun.and_then(|since| begun_keys::appears_at(since, drawn))
    }

    /// Draws the possible next keys at the bottom of this area; for a vi command, in the part beside its
    /// text.
    pub fn draw_next_keys(
        &self,
        frame: &mut Frame<'_>,
        (area, beside_text): (Rect, Rect),
        writing: &Writing,
        here: KeyFacts<'_>,
    ) {
        let ui = here.ui;
        let is_listed = |since| begun_keys::is_listed(since, here.now);
        let Some(begun) = self.begun.as_ref().filter(|one| is_listed(one.since)) else {
            let command = self.begun_command(writing, here);
            if let Some(command) = command.filter(|(_, since)| is_listed(*since)) {
                draw_command(frame, beside_text, ui, &command.0);
            }
            return;
        };
        let row = |(keys, binding): (KeySequence, &'static Binding)| NextKey {
            keys: ui.key_label(&keys.to_string()),
            does: binding.sentence(ui.lang),
        };
        let rows: Vec<NextKey> = here.following(&begun.keys).into_iter().map(row).collect();
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
