//! Writing a message to a dialog or the answer to a question, then moving to the next question.

use ratatui::crossterm::event::KeyEvent;

use super::{App, Focus, InFlight, ReturnPoint};
use crate::domain::question::choices::{AnswerChoice, choices};
use crate::domain::question::picking::{self, PickedAnswer};
use crate::domain::{CallId, DialogId};
use crate::protocol::{Command, InboxRow};
use crate::ui::action::Action;
use crate::ui::lang::Word;
use crate::ui::model::{DraftKey, Tone};
use crate::ui::panes::composer::{SCOPE, Target};
use crate::ui::panes::transcript::{CallEnd, ScrollMove};

impl App {
    pub(super) fn answer_oldest(&mut self) {
        let oldest = self.model.inbox.oldest().cloned();
        self.answer_or_notify(oldest);
    }

    pub(super) fn next_question(&mut self) {
        let next = self.model.inbox.after(self.current_question()).cloned();
        self.answer_or_notify(next);
    }

    pub(super) fn previous_question(&mut self) {
        let before = self.model.inbox.before(self.current_question()).cloned();
        self.answer_or_notify(before);
    }

    pub(super) fn answer_selected(&mut self) {
        let row = self.model.inbox.selected().cloned();
        self.answer_or_notify(row);
    }

    /// Answers the oldest question of the selected dialog, else of all.
    pub(super) fn answer_of_selected(&mut self) {
        let dialog = self.model.tree.selected_dialog();
        let rows = self.model.inbox.rows();
        let own = dialog.and_then(|dialog| rows.iter().find(|row| row.dialog == dialog));
        let row = own.or_else(|| self.model.inbox.oldest()).cloned();
        self.answer_or_notify(row);
    }

    /// Answers the oldest question of the open dialog, else of all.
    pub(super) fn answer_of_open(&mut self) {
        let open = self.model.open.as_ref().map(|open| &open.dialog);
        let rows = self.model.inbox.rows();
        let own = open.and_then(|dialog| rows.iter().find(|row| row.dialog == *dialog));
        let row = own.or_else(|| self.model.inbox.oldest()).cloned();
        self.answer_or_notify(row);
    }

    pub(super) fn answer_call(&mut self, dialog: &DialogId, call: &CallId) {
        let rows = self.model.inbox.rows();
        let row = rows.iter().find(|row| row.dialog == *dialog && row.question.call_id == *call);
        self.answer_or_notify(row.cloned());
    }

    /// Shows where the selected question was asked.
    pub(super) fn view_call_site(&mut self) {
        let Some(row) = self.model.inbox.selected().cloned() else {
            return self.notify(Tone::Plain, Word::NoQuestions);
        };
        self.show_question(&row);
        self.set_focus(Focus::Dialog);
    }

    fn answer_or_notify(&mut self, row: Option<InboxRow>) {
        match row {
            Some(row) => self.answer(&row),
            None => self.notify(Tone::Plain, Word::NoQuestions),
        }
    }

    /// Shows a question and turns the composer to it.
    pub(super) fn answer(&mut self, row: &InboxRow) {
        if self.before_answering.is_none() {
            self.before_answering = Some(ReturnPoint {
                focus: if self.focus == Focus::Composer { self.pane } else { self.focus },
                dialog: self.model.open.as_ref().map(|open| open.dialog.clone()),
            });
        }
        self.model.inbox.select_id(&row.question.id);
        self.write_to(Target::Question { dialog: row.dialog.clone(), id: row.question.id.clone() });
        self.show_question(row);
        if self.focus != Focus::Composer {
            self.pane = self.focus;
        }
        self.focus = Focus::Composer;
    }

    fn show_question(&mut self, row: &InboxRow) {
        let asked_in = row.question.call_site_ref.course;
        let shown = self.model.open.as_ref().is_some_and(|open| {
            open.dialog == row.dialog && (!open.loaded || open.course == asked_in)
        });
        if !shown {
            let newest = self.model.tree.get(&row.dialog).map(|row| row.course);
            let course = newest.filter(|newest| *newest != asked_in).map(|_| asked_in);
            self.open(&row.dialog, course);
        }
        self.transcript.go(ScrollMove::Target(CallEnd::Call(row.question.call_id.clone())));
    }

    fn current_question(&self) -> Option<&str> {
        self.composer.target.question()
    }

    /// The typed text with the options it picks. The texts of options are recorded, not their letters,
    /// which mean nothing without the question.
    fn read_answer(&self, typed: &str) -> (Vec<AnswerChoice>, PickedAnswer) {
        let row = self.current_question().and_then(|id| self.model.inbox.get(id));
        let choices = row.map(|row| choices(&row.question.tellask_content)).unwrap_or_default();
        let answer = picking::answer(&choices, typed);
        (choices, answer)
    }

    /// The options picked by the composer's text.
    pub(super) fn picked_options(&self) -> String {
        let typed = self.composer.field.text();
        let (choices, answer) = self.read_answer(&typed);
        if answer.text == typed {
            return String::new();
        }
        let texts = answer.picked.iter().filter_map(|at| Some(choices.get(*at)?.text.as_str()));
        texts.collect::<Vec<_>>().join(", ")
    }

    /// Changes the composer's target; the typed text stays as a draft.
    pub(super) fn write_to(&mut self, target: Target) {
        if target == self.composer.target {
            return;
        }
        self.keep_draft();
        self.drafts.save();
        let draft = target.key().map(|key| self.unsent_draft(&key)).unwrap_or_default();
        self.composer.field.set(&draft);
        self.composer.target = target;
    }

    /// A draft, unless it is already being sent.
    fn unsent_draft(&self, key: &DraftKey) -> String {
        let draft = self.drafts.get(key);
        let on_its_way = self.in_flight.values().any(|waiting| match waiting {
            InFlight::Send { key: of, text } => of == key && text == draft,
            InFlight::Open
            | InFlight::Create { .. }
            | InFlight::Lifecycle(..)
            | InFlight::TakeBack(_)
            | InFlight::Sheet
            | InFlight::KeepGoing(_)
            | InFlight::Other => false,
        });
        if on_its_way { String::new() } else { draft.to_owned() }
    }

    pub(super) fn keep_draft(&mut self) {
        let text = self.composer.field.text();
        if let Some(key) = self.composer.target.key() {
            let on_its_way = text.is_empty() && self.unsent_draft(&key) != self.drafts.get(&key);
            if !on_its_way {
                self.drafts.set(&key, &text, self.moment);
            }
        }
    }

    pub(super) fn type_key(&mut self, key: KeyEvent) {
        if self.composer.target != Target::Nobody && self.composer.field.typed(key) {
            self.keep_draft();
        }
    }

    pub(super) fn new_line(&mut self) {
        self.composer.field.new_line();
        self.keep_draft();
    }

    pub(super) fn send(&mut self) {
        let text = self.composer.field.text();
        if text.trim().is_empty() {
            return self.notify(Tone::Plain, Word::NothingToSend);
        }
        let Some(key) = self.composer.target.key() else {
            return;
        };
        if self.awaits_take_back() {
            return self.notify(Tone::Plain, Word::Busy);
        }
        self.keep_draft();
        self.drafts.save();
        let (_, PickedAnswer { text: said, .. }) = self.read_answer(&text);
        let ticket = self.ticket(InFlight::Send { key, text });
        self.composer.remember(&said);
        self.composer.field.set("");
        match self.composer.target.clone() {
            Target::Nobody => {}
            Target::Dialog(dialog) => {
                self.commands.push(Command::Say { ticket, dialog, text: said });
                self.transcript.go(ScrollMove::End);
            }
            Target::Question { dialog, id } => {
                self.model.inbox.mark_sent(&id);
                let question = id.clone();
                self.commands.push(Command::Answer { ticket, dialog, question, text: said });
                self.after_answer(&id);
            }
        }
    }

    /// Moves to the next question, or back to where the user was.
    fn after_answer(&mut self, answered: &str) {
        if let Some(next) = self.model.inbox.after(Some(answered)).cloned() {
            self.answer(&next);
        } else {
            self.stop_answering();
            self.notify(Tone::Good, Word::AllAnswered);
        }
    }

    /// Esc: keeps the draft and returns to where the user was.
    pub(super) fn leave_composer(&mut self) {
        self.keep_draft();
        self.drafts.save();
        if self.current_question().is_some() {
            self.stop_answering();
        } else {
            self.set_focus(self.pane);
        }
    }

    fn stop_answering(&mut self) {
        let before = self.before_answering.take();
        let focus = before.as_ref().map_or(Focus::Inbox, |before| before.focus);
        let open = self.model.open.as_ref().map(|open| open.dialog.clone());
        let dialog = before.and_then(|before| before.dialog).or_else(|| open.clone());
        self.write_to(dialog.clone().map_or(Target::Nobody, Target::Dialog));
        if let Some(dialog) = dialog.filter(|dialog| open.as_ref() != Some(dialog)) {
            self.back.retain(|stop| stop.dialog != dialog);
            self.show(&dialog, None);
        }
        self.set_focus(focus);
    }

    /// A question is no longer open; if the composer was at it, answering ends.
    pub(super) fn question_removed(&mut self, id: &str) {
        self.model.inbox.remove(id);
        if self.current_question() == Some(id) {
            self.stop_answering();
            self.notify(Tone::Plain, Word::Answered);
        }
    }

    /// The message is on disk: its draft is removed.
    pub(super) fn message_saved(&mut self, key: &DraftKey, text: &str) {
        if self.drafts.get(key) == text {
            self.drafts.set(key, "", self.moment);
            self.drafts.save();
        }
    }

    /// The message was refused: it is a draft again.
    pub(super) fn message_refused(&mut self, key: &DraftKey, text: &str) {
        if let DraftKey::Answer(id) = key {
            self.model.inbox.unmark_sent(id);
        }
        let here = self.composer.target.key().as_ref() == Some(key);
        if here && self.composer.field.is_empty() {
            self.composer.field.set(text);
        }
        if !self.drafts.has(key) {
            self.drafts.set(key, text, self.moment);
        }
    }

    pub(super) fn clear_draft(&mut self) {
        if self.composer.field.is_empty() {
            self.ask_to_quit();
        } else {
            self.composer.field.clear();
            self.keep_draft();
            let ui = &self.ui;
            let (dot, key) = (ui.glyphs.middle_dot, ui.key(SCOPE, Action::Undo));
            let (cleared, back) = (ui.word(Word::DraftCleared), ui.word(Word::BringsBack));
            let text = format!("{cleared} {dot} {key} {back}");
            self.notify_text(Tone::Plain, &text);
        }
    }

    pub(super) fn undo(&mut self) {
        let was_empty = self.composer.field.is_empty();
        if !self.composer.field.undo() {
            return self.notify(Tone::Plain, Word::NothingToUndo);
        }
        self.keep_draft();
        if was_empty {
            self.notify(Tone::Plain, Word::DraftRestored);
        }
    }

    pub(super) fn focus_composer(&mut self) {
        if self.composer.target == Target::Nobody {
            self.notify(Tone::Plain, Word::NoTarget);
            return;
        }
        if self.focus != Focus::Composer {
            self.pane = self.focus;
        }
        self.focus = Focus::Composer;
    }
}
