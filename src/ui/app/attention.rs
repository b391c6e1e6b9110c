//! Draws attention to questions: which of them are still open when it is time to ring, whether the person
//! sees them, and the text of the notification.

use std::collections::BTreeSet;
use std::time::Instant;

use ratatui::layout::Rect;

use super::App;
use super::alerts::{AttentionSettings, Due, Looking};
use super::effect::Effect;
use crate::domain::title::headline;
use crate::protocol::InboxRow;
use crate::ui::app::words;
use crate::ui::caller::{Call, CallReason, CalledQuestion};
use crate::ui::model::Tone;
use crate::ui::panes::inbox;
use crate::ui::text::SafeText;
use crate::ui::text::copy_text::head;

/// The most questions a program of the person is told about at once.
const MAX_CALLED: usize = 20;
/// The start of a question that it gets.
const MAX_CONTENT_BYTES: usize = 8 * 1024;

/// Where questions are in view on the screen as it was laid out last; empty areas are not.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct InView {
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
    pub(super) fn draw_attention(&mut self, now: Instant) {
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
                let (came, unlisted) = came
                    .into_iter()
                    .partition::<BTreeSet<_>, _>(|id| self.model.inbox.get(id).is_some());
                self.alerts.await_list(unlisted);
                let questions = self.to_ring_for(|id| came.contains(id));
                if let Some(text) = self.ring_text(&questions) {
                    let call = self.call(CallReason::New, text, &questions);
                    self.alerts.rang(now);
                    self.effects.push(Effect::Ring(call));
                }
            }
            Some(Due::Reminder) => self.remind(now),
            None => {}
        }
    }

    /// Rings for all open questions. If none of them rings now, the time begins again.
    fn remind(&mut self, now: Instant) {
        let questions = self.to_ring_for(|_| true);
        let Some((first, _)) = questions.split_first() else {
            self.alerts.remind_later(now);
            return;
        };
        let open = self.ui.counted(questions.len(), words::STILL_OPEN);
        let text = SafeText::line(&format!("{open}: {}", asked_by(first)));
        let call = self.call(CallReason::Reminder, text, &questions);
        self.alerts.reminded(now);
        self.effects.push(Effect::Ring(call));
    }

    /// The questions of these that wait for an answer, without those that are looked at; oldest first.
    fn to_ring_for(&self, is_meant: impl Fn(&str) -> bool) -> Vec<&InboxRow> {
        let looked_at = self.alerts.is_looked_at();
        let rings = |id: &str| {
            let waits = is_meant(id) && self.model.inbox.is_waiting(id);
            waits && !(looked_at && self.is_in_view(id))
        };
        self.model.inbox.all().iter().filter(|row| rings(&row.question.id)).collect()
    }

    /// Reports that the program of the person did not work.
    pub fn call_failed(&mut self, why: &str) {
        let why = SafeText::line(why);
        let text = self.ui.sentence(words::CALL_FAILED, why.as_str());
        self.notify(Tone::Bad, &text);
    }

    fn call(&self, reason: CallReason, text: SafeText, questions: &[&InboxRow]) -> Call {
        let listed = questions.iter().take(MAX_CALLED);
        let called = |row: &&InboxRow| {
            let title = self.model.tree.get(&row.dialog).map(|row| row.title.as_str());
            let content = &row.question.tellask_content;
            CalledQuestion {
                id: row.question.id.clone(),
                dialog: row.dialog.clone(),
                agent: row.agent.clone(),
                asked_at: row.question.asked_at.clone(),
                title: SafeText::line(title.unwrap_or_default()),
                headline: SafeText::line(&headline(content)),
                content: SafeText::clean(head(content, MAX_CONTENT_BYTES)),
            }
        };
        Call { reason, text, count: questions.len(), questions: listed.map(called).collect() }
    }

    /// True if a question is on the screen: in the inbox, or above the answer that is being written.
    fn is_in_view(&self, id: &str) -> bool {
        let InView { inbox: area, composer } = self.in_view;
        let is_answered = !composer.is_empty() && self.writing.question() == Some(id);
        let listed = || inbox::in_view(&self.model.inbox, area);
        is_answered || (!area.is_empty() && listed().iter().any(|row| row.question.id == id))
    }

    /// The oldest question, with the title of its dialog if it is alone, else with how many there are.
    fn ring_text(&self, questions: &[&InboxRow]) -> Option<SafeText> {
        let (first, others) = questions.split_first()?;
        let question = asked_by(first);
        let titled = self.model.tree.get(&first.dialog).map(|row| row.title.as_str());
        let about = if others.is_empty() {
            titled.filter(|title| !title.is_empty()).map(str::to_owned)
        } else {
            Some(self.ui.counted(questions.len(), words::QUESTION_COUNT))
        };
        let text = about.map_or_else(|| question.clone(), |about| format!("{about}: {question}"));
        Some(SafeText::line(&text))
    }
}

fn asked_by(row: &InboxRow) -> String {
    format!("@{} {}", row.agent, headline(&row.question.tellask_content))
}
