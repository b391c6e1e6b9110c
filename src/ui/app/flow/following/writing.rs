//! What follows for the composer, the drafts and the answers.

use crate::action::Action;
use crate::app::App;
use crate::app::answers::answering;
use crate::app::drawing::app_words;
use crate::follow_up::{FollowUp, ToWriting};
use crate::model::Tone;
use crate::question_choice::Pick;

impl App {
    pub(super) fn follow_writing(&mut self, to: ToWriting) {
        let now = self.redraw.now();
        // Where one goes after answering; a message that was begun goes on in the composer.
        let part = self.focus.now();
        match to {
            ToWriting::DialogShown(dialog) => self.writing.dialog_shown(dialog, now),
            ToWriting::WriteTo(target) => self.writing.write_to(target, now),
            ToWriting::Answer(pick) => {
                let picked = pick.find(&self.model.inbox, self.writing.question());
                let sent = picked.map(|row| row.question.id.clone());
                if let Some(id) = sent.filter(|id| self.model.inbox.is_sent(id)) {
                    let undone = self
                        .held_answers
                        .take(&id)
                        .map(|one| FollowUp::Writing(ToWriting::AnswerUndone(one)));
                    let sending = FollowUp::Notify(Tone::Plain, app_words::ANSWER_ON_ITS_WAY);
                    self.follow([undone.unwrap_or(sending)]);
                    return;
                }
                let from = (part, self.reading.dialog());
                let turned = self.writing.answer_picked(&pick, &self.model.inbox, from, now);
                self.follow(turned);
            }
            ToWriting::AnswerWith(question, option) => {
                let pick = Pick::Question(question.clone());
                self.follow([FollowUp::Writing(ToWriting::Answer(pick))]);
                if self.writing.question() == Some(question.as_str()) {
                    let sent = self.writing.take_option(option, &self.model.inbox, now);
                    self.follow(sent);
                }
            }
            ToWriting::HoldAnswer(answer) => {
                let mut alike = self.model.inbox.same_words(&answer.question);
                // A question with text typed already may get another answer.
                let drafts = self.writing.drafts();
                alike.retain(|(_, id)| answer.part.is_none() && !drafts.has_answer(id));
                self.follow(answering::ask_about_alike(&answer, alike, &self.ui));
                self.follow([FollowUp::Writing(ToWriting::HoldOne(answer))]);
            }
            ToWriting::SendAlike(answer) => {
                self.writing.sent_alike(&answer, now);
                self.model.inbox.mark_sent(&answer.question);
                self.follow([FollowUp::Writing(ToWriting::HoldOne(answer))]);
            }
            ToWriting::AlikeSent => {
                let here = self.writing.question().filter(|id| self.model.inbox.is_sent(id));
                let next = here.map(|id| FollowUp::Writing(ToWriting::AfterAnswer(id.to_owned())));
                self.follow(next);
            }
            ToWriting::HoldOne(answer) => {
                let now_due = self.held_answers.hold(answer, now);
                self.follow(now_due.map(|answer| FollowUp::Request(answer.request())));
            }
            ToWriting::AnswerUndone(answer) => {
                let refused = self.writing.refused(&answer.key(), &answer.typed, now);
                self.follow(refused);
                self.follow([
                    FollowUp::Writing(ToWriting::Answer(Pick::Question(answer.question))),
                    FollowUp::Notify(Tone::Good, app_words::ANSWER_UNDONE),
                ]);
            }
            ToWriting::AfterAnswer(answered) => {
                let from = (part, self.reading.dialog());
                let turned = self.writing.after_answer(&answered, &self.model.inbox, from, now);
                self.follow(turned);
                if self.held_answers.seconds_left(now).is_some() {
                    let key = self.ui.key(self.focus.scope(), Action::UndoAnswer);
                    let (sent, dot) = (self.ui.text(app_words::SENT), self.ui.glyphs.middle_dot);
                    let text = format!("{sent} {dot} {key} {}", self.ui.text(app_words::UNDO_SENT));
                    self.notify(Tone::Good, &text);
                }
            }
            ToWriting::SaveDraft(key, text) => self.writing.set_draft(&key, &text, now),
            ToWriting::Comment { dialog, place, words } => {
                self.writing.comment(&dialog, (place.as_str(), words.as_str()), now);
            }
            ToWriting::StoreDrafts => self.writing.store(),
            ToWriting::Saved(key, text) => {
                self.writing.saved(&key, &text, now);
                let told = self.writing.result_known(&key, &self.model.inbox, now);
                self.follow(told);
            }
            ToWriting::MessageRefused(key, text) => {
                let refused = self.writing.refused(&key, &text, now);
                self.follow(refused);
                let told = self.writing.result_known(&key, &self.model.inbox, now);
                self.follow(told);
            }
            ToWriting::EditQueued(dialog, message) => {
                let edited = self.writing.edit_queued(dialog, &message, now);
                self.follow(edited);
            }
            ToWriting::ImageRefused(number) => self.writing.image_refused(number, now),
            ToWriting::NotTakenBack(back) => self.writing.not_taken_back(back, now),
            ToWriting::TakeSent(text) => self.writing.take_sent(&text, now),
        }
    }
}
