//! Answering: from question to question, and back to where the user was.

use std::time::Instant;

use super::{ReturnPoint, Writing};
use crate::app::answers::answering::show_to_approve;
use crate::app::drawing::app_words;
use crate::domain::DialogId;
use crate::domain::asking::inquiry::Part;
use crate::domain::asking::inquiry::answers::AnswerInput;
use crate::domain::text::{Localized, Text};
use crate::focus::Focus;
use crate::follow_up::{FollowUp, FollowUps, ToModel, ToReading, ToWriting};
use crate::model::{DraftKey, Inbox, Tone, attached};
use crate::new_overlay::NewOverlay;
use crate::panes::composer::Target;
use crate::panes::inbox::NOTHING_FITS;
use crate::protocol::{InboxRow, Refusal};
use crate::question_choice::Pick;
use crate::request::{HeldAnswer, Request};

/// The part that has the focus, and the open dialog.
type Position<'a> = (Focus, Option<&'a DialogId>);

impl Writing {
    /// Turns the composer to a question; notifies the user if there is none.
    pub fn answer_picked(
        &mut self,
        pick: &Pick,
        inbox: &Inbox,
        from: Position<'_>,
        now: Instant,
    ) -> FollowUps {
        if let Some(row) = pick.find(inbox, self.question()) {
            return self.answer(row, from, now);
        }
        let is_hidden = matches!(pick, Pick::Selected | Pick::At(_)) && inbox.hides_all();
        let word = if is_hidden { NOTHING_FITS } else { app_words::NO_QUESTIONS };
        vec![FollowUp::Notify(Tone::Plain, word)]
    }

    /// Turns the composer to a question and shows it.
    fn answer(&mut self, row: &InboxRow, (part, open): Position<'_>, now: Instant) -> FollowUps {
        self.before_answering
            .get_or_insert_with(|| ReturnPoint { focus: part, dialog: open.cloned() });
        let (dialog, id) = (row.dialog.clone(), row.question.id.clone());
        let part = self.open_part(row, None).or_else(|| row.several_parts()?.first().cloned());
        let part = part.map(|part| part.id);
        self.write_to(Target::Question { dialog, id: id.clone(), part }, now);
        vec![
            FollowUp::Model(ToModel::SelectQuestion(id)),
            FollowUp::Reading(ToReading::ShowQuestion(Box::new(row.clone()))),
            FollowUp::Focus(Focus::Composer),
        ]
    }

    /// Goes to the next question after an answer, or back to where the user was.
    pub fn after_answer(
        &mut self,
        answered: &str,
        inbox: &Inbox,
        from: Position<'_>,
        now: Instant,
    ) -> FollowUps {
        if let Some(next) = inbox.after(Some(answered)) {
            return self.answer(next, from, now);
        }
        self.stop_answering_with((Tone::Good, app_words::ALL_ANSWERED), from.1, now)
    }

    /// Ends answering if the question in the composer was closed. `focused` is false if the user is
    /// elsewhere; then the focus stays.
    pub fn inbox_changed(
        &mut self,
        inbox: &Inbox,
        (focused, open): (bool, Option<&DialogId>),
        now: Instant,
    ) -> FollowUps {
        if self.question().is_none_or(|id| inbox.get(id).is_some()) {
            return Vec::new();
        }
        let Target::Question { dialog, .. } = self.target().clone() else { return Vec::new() };
        let typed = self.composer.field.text();
        let is_empty = typed.trim().is_empty();
        let told = if is_empty {
            FollowUp::Notify(Tone::Plain, app_words::ANSWERED)
        } else {
            FollowUp::Notify(Tone::Bad, app_words::QUESTION_GONE)
        };
        if !is_empty {
            self.leave_gone(&dialog, &typed, now);
        }
        let back = if focused {
            self.stop_answering(open, now)
        } else {
            self.before_answering = None;
            self.write_to(open.cloned().map_or(Target::Nobody, Target::Dialog), now);
            Vec::new()
        };
        back.into_iter().chain([told]).collect()
    }

    /// Turns the text typed for a question that is gone into a message draft.
    fn leave_gone(&mut self, dialog: &DialogId, typed: &str, now: Instant) {
        // First the message draft, so that no end of the program loses the text.
        self.give_back(dialog, typed, now);
        self.composer.field.set("");
        if let Some(key) = self.target().key() {
            self.drafts.set(&key, "", now);
        }
    }

    /// Returns what follows when an answer is sent: after a part the next open part, else the next question.
    /// An answer that closes the question is held, so that it can be undone.
    pub(super) fn sent_answer(&mut self, answer: HeldAnswer, inbox: &Inbox) -> FollowUps {
        let row = answer.part.as_ref().and_then(|_| inbox.get(&answer.question));
        // An answer that is being sent counts as given.
        let next = row.and_then(|row| self.open_part(row, answer.part.as_deref()));
        if let Some(next) = next {
            let (dialog, id) = (answer.dialog.clone(), answer.question.clone());
            let target = Target::Question { dialog, id, part: Some(next.id) };
            return vec![
                FollowUp::Request(answer.request()),
                FollowUp::Writing(ToWriting::WriteTo(target)),
            ];
        }
        let question = answer.question.clone();
        vec![
            FollowUp::Model(ToModel::MarkSent(question.clone())),
            FollowUp::Writing(ToWriting::HoldAnswer(answer)),
            FollowUp::Writing(ToWriting::AfterAnswer(question)),
        ]
    }

    /// Returns the next part after this one without an answer, given or on its way; after the last part it starts over.
    fn open_part(&self, row: &InboxRow, after: Option<&str>) -> Option<Part> {
        let parts = row.several_parts()?;
        let at = after.and_then(|id| parts.iter().position(|part| part.id == id));
        let from = at.map_or(0, |at| at + 1);
        let (before, behind) = parts.split_at(from);
        let is_open = |part: &&Part| {
            let key = DraftKey::Part(row.question.id.clone(), part.id.clone());
            !row.answers.contains_key(&part.id) && !self.is_sending(&key)
        };
        behind.iter().chain(before).find(is_open).cloned()
    }

    /// True if another part of this question is open than the one in the composer.
    pub fn has_next_part(&self, row: &InboxRow) -> bool {
        let Target::Question { part: Some(part), .. } = self.target() else { return false };
        self.open_part(row, Some(part)).is_some_and(|next| next.id != *part)
    }

    /// Returns the part in the composer: the one that was chosen, or the only one of a question with named options.
    pub(in crate::app) fn part<'a>(&self, inbox: &'a Inbox) -> Option<&'a Part> {
        let Target::Question { id, part, .. } = self.target() else { return None };
        let inquiry = inbox.get(id)?.inquiry.as_ref()?;
        match part {
            Some(part) => inquiry.part(part),
            None => inquiry.parts.first(),
        }
    }

    /// Shows all that the answered question asks to approve, unless there is a paste to show instead.
    pub fn open_paste_or_approval(&mut self, inbox: &Inbox) -> FollowUps {
        let row = self.question().and_then(|id| inbox.get(id)).filter(|row| row.is_approval());
        match row.filter(|_| !self.composer.field.has_chips()) {
            Some(row) => vec![FollowUp::Show(NewOverlay::ToApprove(Box::new(row.clone())))],
            None => self.open_paste(),
        }
    }

    /// Returns what to show first if the typed text would approve something that was not wholly on the screen.
    pub(super) fn unread_approval(&self, content: &str, inbox: &Inbox) -> Option<FollowUps> {
        let row = self.question().and_then(|id| inbox.get(id))?;
        (row.may_be_approved_by(content) && !inbox.can_be_approved(row))
            .then(|| show_to_approve(row))
    }

    /// Returns why the driver would refuse the answer; `content` is the typed text without its images.
    pub(super) fn fault_in_answer(
        &self,
        typed: &str,
        content: &str,
        inbox: &Inbox,
    ) -> Option<Localized> {
        let part = self.part(inbox)?;
        if let Err(fault) = part.check(content) {
            return Some(fault.text());
        }
        let is_one_of_several = matches!(self.target(), Target::Question { part: Some(_), .. });
        let has_images = is_one_of_several && !attached::images(typed).is_empty();
        has_images.then(|| Refusal::NoImagesInParts.into())
    }

    /// Makes the comments on lines of the change a part of the typed answer.
    pub(super) fn take_comments(&mut self, inbox: &Inbox, now: Instant) {
        let comments = self.question().map(|id| self.drafts.comments(id)).unwrap_or_default();
        let Some(part) = self.part(inbox).filter(|_| !comments.is_empty()) else { return };
        let typed = self.composer.field.text();
        let lines: Vec<&str> = comments.iter().map(|key| self.drafts.get(key)).collect();
        let content = attached::content(&typed);
        let Some(with) = part.with_remarks(&content, &lines.join("\n")) else { return };
        let images = attached::images(&typed);
        let with = if images.is_empty() { with } else { attached::restored(&with, &images) };
        self.composer.field.set_draft(&with);
        self.keep(now);
        for key in comments {
            self.drafts.set(&key, "", now);
        }
    }

    /// Goes on from a part that has its answer, or says that there is nothing to send.
    pub(super) fn skip_part(&mut self, inbox: &Inbox, now: Instant) -> FollowUps {
        let row = self.question().and_then(|id| inbox.get(id));
        let has_answer = |row: &&InboxRow| {
            self.part(inbox).is_some_and(|part| row.answers.contains_key(&part.id))
        };
        match row.filter(has_answer) {
            Some(_) => self.step_part(true, inbox, now),
            None => vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_TO_SEND)],
        }
    }

    /// Goes to the next or the previous part of the question.
    pub fn step_part(&mut self, forward: bool, inbox: &Inbox, now: Instant) -> FollowUps {
        let Target::Question { dialog, id, part: Some(part) } = self.target().clone() else {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NO_PARTS)];
        };
        let parts = inbox.get(&id).and_then(InboxRow::several_parts).unwrap_or_default();
        let at = parts.iter().position(|one| one.id == part).unwrap_or(0);
        let last = parts.len().saturating_sub(1);
        let to = match forward {
            true if at == last => 0,
            true => at + 1,
            false => at.checked_sub(1).unwrap_or(last),
        };
        if let Some(to) = parts.get(to) {
            let part = Some(to.id.clone());
            self.write_to(Target::Question { dialog, id, part }, now);
        }
        Vec::new()
    }

    /// Answers with the recommended option; typed text is added to it.
    pub fn take_recommended(&mut self, inbox: &Inbox, now: Instant) -> FollowUps {
        let Some(key) = self.part(inbox).and_then(|part| part.recommended) else {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_RECOMMENDED)];
        };
        let typed = self.composer.field.text();
        let comment = typed.trim();
        let text = if comment.is_empty() { key.to_string() } else { format!("{key}, {comment}") };
        self.composer.field.set_draft(&text);
        self.send(inbox, false, now)
    }

    /// Answers with this option if nothing is typed: a draft may say something else.
    pub fn take_option(&mut self, option: char, inbox: &Inbox, now: Instant) -> FollowUps {
        if !self.is_empty() {
            return Vec::new();
        }
        self.composer.field.set_draft(&option.to_string());
        self.send(inbox, false, now)
    }

    /// Sends the typed answer to this part, and dismisses the parts that are then still open.
    pub fn dismiss_rest(&mut self, inbox: &Inbox, now: Instant) -> FollowUps {
        let Target::Question { dialog, id, part: Some(_) } = self.target().clone() else {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NO_PARTS)];
        };
        let mut sent = Vec::new();
        if !self.composer.field.text().trim().is_empty() {
            sent = self.send(inbox, false, now);
            if !sent.iter().any(|one| matches!(one, FollowUp::Request(_))) {
                // It was refused, or it was the last part.
                return sent;
            }
            sent.retain(|one| matches!(one, FollowUp::Request(_)));
        }
        let (question, input) = (id.clone(), AnswerInput::Dismiss(None));
        sent.push(FollowUp::Model(ToModel::MarkSent(id.clone())));
        sent.push(FollowUp::Request(Request::AnswerAll { dialog, question, input }));
        sent.push(FollowUp::Writing(ToWriting::AfterAnswer(id)));
        sent
    }

    fn stop_answering_with(
        &mut self,
        (tone, word): (Tone, Text),
        open: Option<&DialogId>,
        now: Instant,
    ) -> FollowUps {
        let back = self.stop_answering(open, now);
        back.into_iter().chain([FollowUp::Notify(tone, word)]).collect()
    }

    /// Returns to where the user was before the first question.
    pub(super) fn stop_answering(&mut self, open: Option<&DialogId>, now: Instant) -> FollowUps {
        let before = self.before_answering.take();
        let focus = before.as_ref().map_or(Focus::Inbox, |before| before.focus);
        let dialog = before.and_then(|before| before.dialog).or_else(|| open.cloned());
        self.write_to(dialog.clone().map_or(Target::Nobody, Target::Dialog), now);
        let elsewhere = dialog
            .filter(|dialog| open != Some(dialog))
            .map(|one| FollowUp::Reading(ToReading::ReturnTo(one)));
        elsewhere.into_iter().chain([FollowUp::Focus(focus)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::tests::fixture::{main_dialog, questions, side};
    use crate::draft_writer::DraftTexts;

    fn inbox() -> Inbox {
        let mut inbox = Inbox::default();
        inbox.set(questions());
        inbox
    }

    #[test]
    fn after_the_last_question_the_user_is_back_where_answering_began() {
        let (mut writing, mut inbox) = (Writing::new(DraftTexts::new()), inbox());
        let (now, begin) = (Instant::now(), main_dialog());
        writing.answer_picked(&Pick::Oldest, &inbox, (Focus::Dialog, Some(&begin)), now);
        assert_eq!(writing.question(), Some("q1"));
        inbox.mark_sent("q1");
        let asked_in = side("d");
        let there = (Focus::Inbox, Some(&asked_in));
        writing.after_answer("q1", &inbox, there, now);
        assert_eq!(writing.question(), Some("q2"));
        inbox.mark_sent("q2");
        let expected = [
            FollowUp::Reading(ToReading::ReturnTo(begin)),
            FollowUp::Focus(Focus::Dialog),
            FollowUp::Notify(Tone::Good, app_words::ALL_ANSWERED),
        ];
        assert_eq!(writing.after_answer("q2", &inbox, there, now), expected);
        assert_eq!(writing.question(), None);
    }

    #[test]
    fn answering_ends_when_the_question_is_answered_elsewhere() {
        let (mut writing, mut inbox) = (Writing::new(DraftTexts::new()), inbox());
        let now = Instant::now();
        writing.answer_picked(&Pick::At(1), &inbox, (Focus::Tree, None), now);
        inbox.remove("q1");
        assert_eq!(writing.inbox_changed(&inbox, (true, None), now), []);
        inbox.remove("q2");
        let expected =
            [FollowUp::Focus(Focus::Tree), FollowUp::Notify(Tone::Plain, app_words::ANSWERED)];
        assert_eq!(writing.inbox_changed(&inbox, (true, None), now), expected);
    }

    #[test]
    fn a_question_answered_elsewhere_moves_nobody_who_is_not_in_the_composer() {
        let (mut writing, mut inbox) = (Writing::new(DraftTexts::new()), inbox());
        let (now, begin, here) = (Instant::now(), main_dialog(), side("d"));
        writing.answer_picked(&Pick::At(1), &inbox, (Focus::Tree, Some(&begin)), now);
        inbox.remove("q2");
        let expected = [FollowUp::Notify(Tone::Plain, app_words::ANSWERED)];
        assert_eq!(writing.inbox_changed(&inbox, (false, Some(&here)), now), expected);
        assert_eq!(*writing.target(), Target::Dialog(here));
    }

    #[test]
    fn without_a_question_the_composer_stays_as_it_is() {
        let (mut writing, now) = (Writing::new(DraftTexts::new()), Instant::now());
        let shown = writing.answer_picked(&Pick::Next, &Inbox::default(), (Focus::Tree, None), now);
        assert_eq!(shown, [FollowUp::Notify(Tone::Plain, app_words::NO_QUESTIONS)]);
        assert!(!writing.can_write());
    }
}
