//! Draws attention to questions: which of them are still open when it is time to ring, and whether the person
//! sees them.

use std::collections::BTreeSet;
use std::time::Instant;

use ratatui::layout::Rect;

use super::alerts::{AttentionSettings, Due, Looking};
use super::call_text::CallText;
use crate::app::App;
use crate::caller::Call;
use crate::domain::teams::notices::NewsItem;
use crate::effect::Effect;
use crate::panes::inbox;
use crate::protocol::{Command, InboxRow};

/// The areas where questions were in view in the last layout; empty if they were not.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::app) struct InView {
    /// The rows of the inbox.
    pub inbox: Rect,
    pub composer: Rect,
}

impl App {
    /// The terminal reports whether somebody looks at it.
    pub fn look(&mut self, looking: Looking) {
        self.alerts.look(looking);
    }

    /// Sets when the person is called.
    pub fn set_attention(&mut self, settings: AttentionSettings) {
        self.alerts.set(settings);
    }

    /// Rings, if it is time, for questions that are open and not being looked at.
    pub(in crate::app) fn draw_attention(&mut self, now: Instant) {
        if !self.alerts.is_due(now) {
            return;
        }
        let quiet = self.alerts.quiet_hours();
        if let Some(left) = quiet.and_then(|quiet| quiet.left(&self.clock.now())) {
            self.alerts.postpone(left, now);
            return;
        }
        match self.alerts.take_due(now) {
            Some(Due::New(came)) => {
                let (failed, came) = came
                    .into_iter()
                    .partition::<BTreeSet<_>, _>(|id| self.model.inbox.is_failure(id));
                let (came, unlisted) = came
                    .into_iter()
                    .partition::<BTreeSet<_>, _>(|id| self.model.inbox.get(id).is_some());
                self.alerts.await_list(unlisted);
                let questions = self.to_ring_for(|id| came.contains(id));
                if let Some(call) = self.call_text(|text| text.of_new(&questions)) {
                    self.alerts.rang(now);
                    self.effects.push(Effect::Ring(call));
                    // Failures ring separately, not too soon after the questions.
                    for id in failed {
                        self.alerts.came(id, now);
                    }
                } else if let Some(call) = self.call_for_failures(&failed) {
                    self.alerts.rang_for_failures(now);
                    self.effects.push(Effect::Ring(call));
                }
            }
            Some(Due::Reminder) => self.remind(now),
            None => {}
        }
    }

    /// Rings for all open questions. If none rings now, the time starts again.
    fn remind(&mut self, now: Instant) {
        let questions = self.to_ring_for(|_| true);
        let Some(call) = self.call_text(|text| text.of_reminder(&questions)) else {
            self.alerts.remind_later(now);
            return;
        };
        self.alerts.reminded(now);
        self.effects.push(Effect::Ring(call));
    }

    /// Returns the call for failures; none if the person looks, because the last line shows them.
    fn call_for_failures(&self, ids: &BTreeSet<String>) -> Option<Call> {
        let news = self.model.inbox.news().iter();
        let failures: Vec<&NewsItem> = news.filter(|item| ids.contains(&item.id)).collect();
        if self.alerts.is_looked_at() {
            return None;
        }
        self.call_text(|text| text.of_failures(&failures))
    }

    fn call_text<R>(&self, write: impl FnOnce(CallText<'_>) -> R) -> R {
        let tree = &self.model.tree;
        let title_of = |dialog: &_| tree.get(dialog).map(|row| row.title.as_str());
        write(CallText { lang: self.ui.lang, title_of: &title_of })
    }

    /// Returns those of these questions that wait for an answer and are not looked at; oldest first.
    fn to_ring_for(&self, is_meant: impl Fn(&str) -> bool) -> Vec<&InboxRow> {
        let looked_at = self.alerts.is_looked_at();
        let seen = if looked_at { self.questions_in_view() } else { Vec::new() };
        let rings = |id: &str| {
            let waits = is_meant(id) && self.model.inbox.is_waiting(id);
            waits && !seen.iter().any(|one| one == id)
        };
        self.model.inbox.all().iter().filter(|row| rings(&row.question.id)).collect()
    }

    /// Tells the driver which questions the person looks at, if that changed.
    pub(in crate::app) fn tell_looks(&mut self) {
        let looks = self.alerts.is_looked_at().then(|| self.questions_in_view());
        if looks != self.told_looks {
            self.told_looks.clone_from(&looks);
            self.commands.push(Command::Look { questions: looks });
        }
    }

    /// The questions that are on the screen: in the inbox, or above the answer that is being written.
    fn questions_in_view(&self) -> Vec<String> {
        let InView { inbox: area, composer } = self.in_view;
        let answered = self.writing.question().filter(|_| !composer.is_empty());
        let listed = (!area.is_empty()).then(|| inbox::in_view(&self.model.inbox, area));
        let listed = listed.into_iter().flatten().map(|row| row.question.id.clone());
        answered.map(str::to_owned).into_iter().chain(listed).collect()
    }
}
