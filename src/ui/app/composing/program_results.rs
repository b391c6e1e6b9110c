//! The uses of the person's programs, and what happens with their results.

use std::time::Instant;

use super::writing::Writing;
use crate::app::App;
use crate::app::dialogs::reading::Reading;
use crate::app::drawing::app_words;
use crate::app::flow::facts::Facts;
use crate::domain::DialogId;
use crate::effect::Effect;
use crate::follow_up::{FollowUp, FollowUps};
use crate::model::{DraftKey, Inbox, Tone, attached};
use crate::panes::field::Field;
use crate::panes::transcript::FileOfCall;
use crate::programs::{ProgramJob, ProgramOutcome};

impl App {
    /// Handles the result of a program.
    pub fn program_ended(&mut self, outcome: ProgramOutcome) {
        match outcome {
            ProgramOutcome::Ended(ProgramJob::EditDraft { key, text }, Some(edited)) => {
                let now = self.redraw.now();
                let inbox = &self.model.inbox;
                let told = self.writing.edited(&key, (&text, &edited), inbox, now);
                self.follow(told);
            }
            ProgramOutcome::Ended(
                ProgramJob::EditDraft { .. }
                | ProgramJob::EditFile { .. }
                | ProgramJob::Page { .. },
                _,
            ) => {}
            ProgramOutcome::Failed(ProgramJob::EditDraft { .. }) => {
                self.notify(Tone::Bad, self.ui.text(app_words::EDITOR_FAILED_DRAFT_KEPT));
            }
            ProgramOutcome::Failed(ProgramJob::EditFile { .. }) => {
                self.notify(Tone::Bad, self.ui.text(app_words::EDITOR_FAILED));
            }
            ProgramOutcome::Failed(ProgramJob::Page { .. }) => {
                self.notify(Tone::Bad, self.ui.text(app_words::PAGER_FAILED));
            }
            ProgramOutcome::Refused(why) => self.notify(Tone::Bad, why.in_lang(self.ui.lang)),
        }
        self.redraw.mark();
    }
}

impl Reading {
    /// Opens the file of the call with the cursor in the editor.
    pub(in crate::app) fn edit_file(&self) -> FollowUps {
        let Some(open) = self.open() else {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_OPEN)];
        };
        vec![match self.transcript().file_at_cursor(open) {
            FileOfCall::At(path, line) => {
                FollowUp::Effect(Effect::Program(ProgramJob::EditFile { path, line }))
            }
            FileOfCall::Removed => FollowUp::Notify(Tone::Plain, app_words::FILE_IS_GONE),
            FileOfCall::None => FollowUp::Notify(Tone::Plain, app_words::NO_FILE_HERE),
        }]
    }
}

/// Reads the dialog in the pager.
pub(in crate::app) fn page(dialog: &DialogId, _: Facts<'_>) -> FollowUps {
    vec![FollowUp::Effect(Effect::Program(ProgramJob::Page { dialog: dialog.clone() }))]
}

impl Writing {
    /// Edits the draft in the editor.
    pub(in crate::app) fn edit(&mut self) -> FollowUps {
        self.remember_edited();
        let text = attached::labelled(&self.composer().field.text());
        vec![match self.target().key() {
            Some(key) => FollowUp::Effect(Effect::Program(ProgramJob::EditDraft { key, text })),
            None => FollowUp::Notify(Tone::Plain, app_words::NO_TARGET),
        }]
    }

    /// The editor wrote another text; as an answer to a question that has closed it is a message draft. Words that came into the draft meanwhile, as a refused message does,
    /// stand before it.
    fn edited(
        &mut self,
        key: &DraftKey,
        (before, edited): (&str, &str),
        inbox: &Inbox,
        now: Instant,
    ) -> FollowUps {
        let moved = self.draft_of_gone(key, inbox);
        let key = moved.as_ref().unwrap_or(key);
        let is_shown = self.target().key().as_ref() == Some(key);
        let shown = self.composer().field.text();
        let current = if is_shown { shown } else { self.drafts().get(key).to_owned() };
        let known = attached::labelled(&current);
        // The answer was given back when its question closed; now it is this text.
        let given_back = known
            .strip_suffix(before)
            .filter(|other| moved.is_some() && !before.is_empty() && other.ends_with("\n\n"));
        let text = if known == before || known.is_empty() {
            edited.to_owned()
        } else if let Some(other) = given_back {
            format!("{other}{edited}")
        } else {
            format!("{known}\n\n{edited}")
        };
        let mut field = Field::default();
        if !field.paste(&text) {
            return vec![FollowUp::Notify(Tone::Bad, app_words::PASTE_TOO_LONG)];
        }
        let draft = attached::relabelled(&field.text(), &current);
        if is_shown {
            self.replace_draft(&draft, now);
        } else {
            self.set_draft(key, &draft, now);
        }
        let told = moved.map(|_| FollowUp::Notify(Tone::Bad, app_words::QUESTION_GONE));
        told.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::tests::fixture::*;
    use crate::domain::text::Localized;
    use crate::protocol::DriverEvent;

    fn draft_job(stage: &mut Stage) -> ProgramJob {
        let effects = stage.app.take_effects();
        let job = effects
            .into_iter()
            .find_map(|effect| if let Effect::Program(job) = effect { Some(job) } else { None });
        job.expect("a program")
    }

    fn edits(text: &str) -> (Stage, ProgramJob) {
        let mut stage = streaming(80, 24);
        stage.keys("i").keys(text).keys("<ctrl+e>");
        let job = draft_job(&mut stage);
        (stage, job)
    }

    #[test]
    fn what_the_editor_wrote_is_the_draft_and_undo_gives_the_old_one_back() {
        let (mut stage, job) = edits("hello");
        assert!(matches!(&job, ProgramJob::EditDraft { text, .. } if text == "hello"));
        stage.app.program_ended(ProgramOutcome::Ended(job, Some("two\x1b[31m\nlines".to_owned())));
        assert_eq!(stage.app.writing.composer().field.text(), "two[31m\nlines");
        stage.keys("<alt+u> <alt+u>");
        assert_eq!(stage.app.writing.composer().field.text(), "hello");
    }

    #[test]
    fn a_failed_or_missing_editor_keeps_the_draft_and_says_so() {
        for text in ["hello", ""] {
            let (mut stage, job) = edits(text);
            stage.app.program_ended(ProgramOutcome::Failed(job));
            assert!(stage.screen().contains("the draft is as it was"), "{}", stage.screen());
            stage
                .app
                .program_ended(ProgramOutcome::Refused(Localized::same("no \x1b]0;x\x07editor")));
            assert!(stage.screen().contains("editor"), "{}", stage.screen());
            assert_eq!(stage.app.writing.composer().field.text(), text);
        }
    }

    #[test]
    fn words_that_came_into_the_draft_meanwhile_are_kept() {
        let (mut stage, job) = edits("hello");
        stage.keys("more");
        stage.app.program_ended(ProgramOutcome::Ended(job, Some("edited".to_owned())));
        let text = stage.app.writing.composer().field.text();
        assert_eq!(text, "hellomore\n\nedited");
    }

    #[test]
    fn an_answer_edited_while_its_question_closes_becomes_a_message_draft_once() {
        for (typed, expected) in [("half", "the whole"), ("", "the whole")] {
            let mut stage = answering(80, 24);
            stage.keys(typed).keys("<ctrl+e>");
            let job = draft_job(&mut stage);
            stage.apply(DriverEvent::Inbox(Vec::new()));
            stage.app.program_ended(ProgramOutcome::Ended(job, Some("the whole".to_owned())));
            assert!(stage.screen().contains("not open any more"), "{}", stage.screen());
            stage.keys("3 i");
            assert_eq!(stage.composer_text(), expected);
        }
    }

    #[test]
    fn a_block_without_a_file_and_an_empty_pane_say_so() {
        let mut stage = streaming(80, 24);
        stage.keys("3 g e");
        assert!(stage.screen().contains("no file"), "{}", stage.screen());
    }
}
