//! Draws attention to questions: which of them are still open when it is time to ring, whether the person
//! sees them, and the text of the notification.

use std::time::Instant;

use ratatui::layout::Rect;

use super::App;
use super::alerts::Looking;
use super::effect::Effect;
use crate::domain::question::headline;
use crate::protocol::InboxRow;
use crate::ui::app::words;
use crate::ui::panes::inbox;
use crate::ui::text::SafeText;

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

    /// Rings for questions that came, if it is time: for those that are open and not being looked at.
    pub(super) fn draw_attention(&mut self, now: Instant) {
        let due = self.alerts.take_due(now);
        let looked_at = self.alerts.is_looked_at();
        let questions = self.model.inbox.all().iter().filter(|row| {
            let id = &row.question.id;
            due.contains(id)
                && self.model.inbox.is_waiting(id)
                && !(looked_at && self.is_in_view(id))
        });
        let questions: Vec<&InboxRow> = questions.collect();
        if let Some(text) = self.ring_text(&questions) {
            self.alerts.rang(now);
            self.effects.push(Effect::Ring(text));
        }
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
        let question = format!("@{} {}", first.agent, headline(&first.question.tellask_content));
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
