//! Texts that become drafts again: refused ones, and answers to questions that were closed.

use std::time::Instant;

use super::Writing;
use crate::app::drawing::app_words;
use crate::domain::DialogId;
use crate::follow_up::{FollowUp, FollowUps, ToModel};
use crate::model::drafts::with_comment;
use crate::model::{DraftKey, Inbox, Tone};
use crate::panes::composer::Target;
use crate::panes::field::Field;
use crate::request::HeldAnswer;

impl Writing {
    /// Turns a refused message into a draft again, before text typed since then.
    pub fn refused(&mut self, key: &DraftKey, text: &str, now: Instant) -> FollowUps {
        let is_of_sheet = matches!(key, DraftKey::Reminder(..) | DraftKey::Section(..));
        if is_of_sheet && self.drafts.has(key) {
            // The text typed since then continues it.
            return Vec::new();
        }
        let here = self.target().key().as_ref() == Some(key);
        let typed = if here { self.composer.field.text() } else { self.unsent_draft(key) };
        self.no_longer_sending(key, text);
        // Text sent from elsewhere, as a new dialog, is its stored draft until it is done.
        let typed = if !here && typed == text { String::new() } else { typed };
        let merged = self.before_typed(key, text, &typed);
        if here {
            let before = merged.strip_suffix(typed.as_str()).filter(|_| !typed.is_empty());
            if !before.is_some_and(|before| self.composer.field.prepend_draft(before)) {
                self.composer.field.set_draft(&merged);
            }
        }
        self.drafts.set(key, &merged, now);
        self.drafts.save();
        key.question()
            .map(|id| FollowUp::Model(ToModel::UnmarkSent(id.to_owned())))
            .into_iter()
            .collect()
    }

    /// Joins the refused text and text typed since then. Texts that are refused one after another keep the
    /// order in which they were sent.
    fn before_typed(&mut self, key: &DraftKey, text: &str, typed: &str) -> String {
        let earlier = self.refused.take().filter(|(of, _)| of == key);
        let split = earlier.and_then(|(_, earlier)| {
            let rest = typed.strip_prefix(earlier.as_str())?.to_owned();
            Some((joined(&earlier, text), rest))
        });
        let (refused, rest) = split.unwrap_or_else(|| (text.to_owned(), typed.to_owned()));
        let merged = joined(&refused, rest.trim_start_matches('\n'));
        self.refused = Some((key.clone(), refused));
        merged
    }

    /// Appends a typed answer to the message draft of its dialog.
    pub fn give_back(&mut self, dialog: &DialogId, typed: &str, now: Instant) {
        self.change_message(dialog, |before| joined(before, typed), now);
    }

    /// Appends the text of a prompt to the message draft of its dialog, as a paste: without control characters.
    pub fn append_prompt(&mut self, dialog: &DialogId, text: &str, now: Instant) -> FollowUps {
        let mut field = Field::default();
        if !field.paste(text) {
            return vec![FollowUp::Notify(Tone::Bad, app_words::PASTE_TOO_LONG)];
        }
        self.give_back(dialog, &field.text(), now);
        vec![FollowUp::Notify(Tone::Good, app_words::PROMPT_IN_DRAFT)]
    }

    /// Puts a comment on a place into the message draft of this dialog, instead of the one that is there.
    pub fn comment(&mut self, dialog: &DialogId, (place, words): (&str, &str), now: Instant) {
        self.change_message(dialog, |before| with_comment(before, place, words), now);
    }

    fn change_message(
        &mut self,
        dialog: &DialogId,
        change: impl FnOnce(&str) -> String,
        now: Instant,
    ) {
        let target = Target::Dialog(dialog.clone());
        let key = DraftKey::Message(dialog.clone());
        let here = *self.target() == target;
        let before =
            if here { self.composer.field.text() } else { self.drafts.get(&key).to_owned() };
        let text = change(&before);
        self.drafts.set(&key, &text, now);
        self.drafts.save();
        if here {
            self.composer.field.set_draft(&text);
        }
    }

    /// The answer is handed to the editor: its question may close before the text is back.
    pub fn remember_edited(&mut self) {
        self.edited = match self.target() {
            Target::Question { dialog, id, part } => {
                Some((DraftKey::of_answer(id, part.as_deref()), dialog.clone()))
            }
            Target::Dialog(_) | Target::Nobody => None,
        };
    }

    /// The message draft that an edited answer belongs to once its question is gone.
    pub fn draft_of_gone(&self, key: &DraftKey, inbox: &Inbox) -> Option<DraftKey> {
        let (edited, dialog) = self.edited.as_ref()?;
        let id = edited.question()?;
        let is_gone = key == edited && inbox.get(id).is_none() && self.question() != Some(id);
        is_gone.then(|| DraftKey::Message(dialog.clone()))
    }

    /// Stores the dialog of the answer that is typed, so that the text has a place to go if the question closes.
    pub(super) fn keep_asker(&mut self, typed: &str, now: Instant) {
        if let Target::Question { dialog, id, .. } = self.target() {
            let is_used = !typed.is_empty() || self.has_answer(id);
            let asker = if is_used { dialog.to_string() } else { String::new() };
            let key = DraftKey::AskedIn(id.clone());
            self.drafts.set(&key, &asker, now);
        }
    }

    /// Keeps the text of a like answer as a draft of this question until the driver has it.
    pub fn sent_alike(&mut self, answer: &HeldAnswer, now: Instant) {
        let key = answer.key();
        self.drafts.set(&key, &answer.typed, now);
        let asker = DraftKey::AskedIn(answer.question.clone());
        self.drafts.set(&asker, &answer.dialog.to_string(), now);
        self.sending.push((key, answer.typed.clone()));
        self.drafts.save();
    }

    /// Turns drafts of answers to closed questions into message drafts, and removes everything else stored
    /// about these questions. An answer on its way keeps its draft until its result is known.
    pub fn give_back_gone(&mut self, inbox: &Inbox, now: Instant) -> FollowUps {
        let mut given = false;
        for key in self.drafts.answers() {
            let Some(id) = key.question().map(str::to_owned) else { continue };
            let dialog = DialogId::parse(self.drafts.get(&DraftKey::AskedIn(id.clone())));
            let stays = inbox.get(&id).is_some()
                || self.question() == Some(id.as_str())
                || self.is_sending(&key);
            // Without its dialog, as in an earlier version, the text stays where it is.
            let Some(dialog) = dialog.filter(|_| !stays) else { continue };
            let typed = self.drafts.get(&key).to_owned();
            self.give_back(&dialog, &typed, now);
            // Stored later than the new draft, so that no end of the program loses the text.
            self.drafts.set(&key, "", now);
            self.closed_fields.retain(|(of, _)| *of != key);
            given = true;
        }
        for id in self.drafts.questions(DraftKey::AskedIn) {
            if inbox.get(&id).is_none() && !self.has_answer(&id) {
                self.drafts.set(&DraftKey::AskedIn(id), "", now);
            }
        }
        for id in self.drafts.questions(DraftKey::PutOff) {
            if inbox.get(&id).is_none() {
                self.drafts.set(&DraftKey::PutOff(id), "", now);
            }
        }
        let told = given.then_some(FollowUp::Notify(Tone::Bad, app_words::QUESTION_GONE));
        told.into_iter().collect()
    }

    /// The result of sending this draft is known. The question of an answer may have closed meanwhile.
    pub fn result_known(&mut self, key: &DraftKey, inbox: &Inbox, now: Instant) -> FollowUps {
        if key.question().is_none() {
            return Vec::new();
        }
        self.give_back_gone(inbox, now)
    }

    /// True if an answer to this question, or to a part of it, is typed or being sent.
    pub(super) fn has_answer(&self, question: &str) -> bool {
        let is_of = |key: &DraftKey| key.question() == Some(question);
        self.sending.iter().any(|(key, _)| is_of(key))
            || self
                .drafts
                .answers()
                .iter()
                .any(|key| is_of(key) && !self.drafts.get(key).is_empty())
    }

    /// True if something is typed as an answer to this question and not sent.
    pub fn has_unsent_answer(&self, id: &str) -> bool {
        let keys = self.drafts.answers().into_iter();
        let mut own = keys.filter(|key| key.question() == Some(id));
        own.any(|key| self.drafts.has(&key) && !self.is_sending(&key))
    }

    pub(super) fn is_sending(&self, key: &DraftKey) -> bool {
        self.sending.iter().any(|(of, _)| of == key)
    }
}

/// Two texts with an empty line between them.
fn joined(first: &str, second: &str) -> String {
    match (first.trim(), second.trim()) {
        ("", _) => second.to_owned(),
        (_, "") => first.to_owned(),
        _ => format!("{first}\n\n{second}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{key, send, writing};
    use super::*;
    use crate::domain::Lang;
    use crate::draft_writer::DraftTexts;
    use crate::model::DraftImage;
    use crate::protocol::{AttachedImage, ImageSource};

    #[test]
    fn a_refused_message_is_in_the_composer_again() {
        let (mut writing, now) = writing("hello");
        send(&mut writing, now);
        assert_eq!(writing.refused(&key(), "hello", now), []);
        assert_eq!(writing.composer().field.text(), "hello");
        assert_eq!(writing.drafts().get(&key()), "hello");
    }

    #[test]
    fn a_comment_is_added_to_the_message_that_is_written() {
        let (mut writing, now) = writing("Please:");
        writing.comment(&super::super::tests::dialog(), ("a.rs:3", "why?"), now);
        assert_eq!(writing.composer().field.text(), "Please:\na.rs:3: why?");
        assert_eq!(writing.drafts().get(&key()), "Please:\na.rs:3: why?");
    }

    #[test]
    fn the_text_of_a_prompt_is_appended_to_the_message_of_its_dialog_wherever_the_composer_is() {
        for target in [Target::Dialog(super::super::tests::dialog()), Target::Nobody] {
            let (mut writing, now) = writing("half");
            writing.write_to(target, now);
            let dialog = super::super::tests::dialog();
            let told = writing.append_prompt(&dialog, "a\u{1c}\u{1b}b", now);
            assert_eq!(told, [FollowUp::Notify(Tone::Good, app_words::PROMPT_IN_DRAFT)]);
            assert_eq!(writing.drafts().get(&key()), "half\n\nab");
            writing.write_to(Target::Dialog(dialog), now);
            assert_eq!(writing.composer().field.text(), "half\n\nab");
        }
    }

    #[test]
    fn a_refused_message_stands_before_what_was_typed_since() {
        let (mut writing, now) = writing("hello");
        send(&mut writing, now);
        writing.composer.field.paste("more");
        writing.keep(now);
        writing.refused(&key(), "hello", now);
        assert_eq!(writing.composer().field.text(), "hello\n\nmore");
        writing.composer.field.paste("!");
        assert_eq!(writing.composer().field.text(), "hello\n\nmore!", "the caret stays");
        assert_eq!(writing.drafts().get(&key()), "hello\n\nmore");
    }

    #[test]
    fn a_message_refused_while_another_dialog_is_open_stands_before_its_newer_draft() {
        for (typed, expected) in [("more", "hello\n\nmore"), ("", "hello")] {
            let (mut writing, now) = writing("hello");
            send(&mut writing, now);
            writing.composer.field.paste(typed);
            writing.write_to(Target::Nobody, now);
            writing.refused(&key(), "hello", now);
            assert_eq!(writing.drafts().get(&key()), expected);
            writing.write_to(Target::Dialog(super::super::tests::dialog()), now);
            assert_eq!(writing.composer().field.text(), expected);
        }
    }

    #[test]
    fn messages_refused_one_after_another_stand_in_the_order_in_which_they_were_sent() {
        for typed in ["", "more"] {
            let (mut writing, now) = writing("one");
            send(&mut writing, now);
            writing.composer.field.paste("two");
            send(&mut writing, now);
            writing.composer.field.paste(typed);
            writing.refused(&key(), "one", now);
            writing.refused(&key(), "two", now);
            let expected = format!("one\n\ntwo\n\n{typed}");
            assert_eq!(writing.composer().field.text(), expected.trim_end());
            assert_eq!(writing.drafts().get(&key()), expected.trim_end());
        }
    }

    #[test]
    fn a_refused_message_that_is_its_stored_draft_is_not_there_twice() {
        let (mut writing, now) = (Writing::new(DraftTexts::new()), Instant::now());
        writing.set_draft(&DraftKey::New, "go", now);
        writing.refused(&DraftKey::New, "go", now);
        assert_eq!(writing.drafts().get(&DraftKey::New), "go");
    }

    #[test]
    fn a_refused_image_is_attached_again_beside_what_was_typed_since() {
        let (mut writing, now) = writing("");
        let source = ImageSource::Copy("a-copy".to_owned());
        let image = AttachedImage { name: "a.png".to_owned(), bytes: 7, source };
        let image = DraftImage::new(image, Lang::En, "/p/a.png");
        let typed = format!("look {}", image.token());
        writing.composer.field.paste_draft(&typed);
        send(&mut writing, now);
        writing.composer.field.paste("more");
        writing.refused(&key(), &typed, now);
        assert!(writing.composer().field.has_images());
        assert_eq!(writing.composer().field.text(), format!("{typed}\n\nmore"));
    }
}
