//! The texts about ringing questions for the person and the person's program. They are clean and bounded.

use crate::app::drawing::app_words;
use crate::caller::{Call, CallReason, CalledQuestion};
use crate::domain::reading::title::headline;
use crate::domain::teams::notices::{NewsItem, NewsKind};
use crate::domain::{DialogId, Lang};
use crate::protocol::InboxRow;
use crate::text::SafeText;
use crate::text::copy_text::head;
use crate::words::kind_of_news;

/// Most questions per call of the person's program.
const MAX_CALLED: usize = 20;
/// The start of a question that it gets.
const MAX_CONTENT_BYTES: usize = 8 * 1024;

/// Writes calls.
pub(crate) struct CallText<'a> {
    pub lang: Lang,
    /// The title of a dialog, if it has one.
    pub title_of: &'a dyn Fn(&DialogId) -> Option<&'a str>,
}

impl CallText<'_> {
    /// Returns the call for new questions, oldest first: it names the oldest, with the title of its dialog if
    /// it is alone, else with the number of questions. `None` if there are none.
    pub fn of_new(&self, questions: &[&InboxRow]) -> Option<Call> {
        let (first, others) = questions.split_first()?;
        let question = self.asked_by(first);
        let about = if others.is_empty() {
            let title = (self.title_of)(&first.dialog);
            title.filter(|title| !title.is_empty()).map(str::to_owned)
        } else {
            Some(app_words::QUESTION_COUNT.text(questions.len(), self.lang))
        };
        let text = about.map_or_else(|| question.clone(), |about| format!("{about}: {question}"));
        Some(self.call(CallReason::New, SafeText::line(&text), questions))
    }

    /// Returns the reminder of all open questions. `None` if there are none.
    pub fn of_reminder(&self, questions: &[&InboxRow]) -> Option<Call> {
        let (first, _) = questions.split_first()?;
        let open = app_words::STILL_OPEN.text(questions.len(), self.lang);
        let text = SafeText::line(&format!("{open}: {}", self.asked_by(first)));
        Some(self.call(CallReason::Reminder, text, questions))
    }

    /// Returns the call for new failures, newest first: it names the newest and their number. `None` if there are none.
    pub fn of_failures(&self, failures: &[&NewsItem]) -> Option<Call> {
        let (first, others) = failures.split_first()?;
        let agent = first.agent.as_ref().map(|agent| format!("@{agent} ")).unwrap_or_default();
        let said = format!("{agent}{}", first.title);
        let text = if others.is_empty() {
            format!("{}: {said}", kind_of_news(NewsKind::Failure).in_lang(self.lang))
        } else {
            format!("{}: {said}", app_words::FAILURE_COUNT.text(failures.len(), self.lang))
        };
        let (reason, text) = (CallReason::Failure, SafeText::line(&text));
        Some(Call { reason, text, count: failures.len(), questions: Vec::new() })
    }

    fn call(&self, reason: CallReason, text: SafeText, questions: &[&InboxRow]) -> Call {
        let listed = questions.iter().take(MAX_CALLED);
        let called = |row: &&InboxRow| {
            let content = &row.question.tellask_content;
            CalledQuestion {
                id: row.question.id.clone(),
                dialog: row.dialog.clone(),
                agent: row.agent.clone(),
                asked_at: row.question.asked_at.clone(),
                title: SafeText::line((self.title_of)(&row.dialog).unwrap_or_default()),
                headline: SafeText::line(&headline(content)),
                content: SafeText::clean(head(content, MAX_CONTENT_BYTES)),
            }
        };
        Call { reason, text, count: questions.len(), questions: listed.map(called).collect() }
    }

    fn asked_by(&self, row: &InboxRow) -> String {
        format!("{} {}", row.asker(self.lang), headline(&row.question.tellask_content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::tests::fixture::{main_dialog, question};

    #[test]
    fn whether_a_dialog_goes_on_is_called_out_as_a_question_of_the_program() {
        let at = "2026-11-21 12:01:00";
        let row = question(&main_dialog(), "lead", "keep-going-1", "Go on or stop?", at);
        let calls = CallText { lang: Lang::En, title_of: &|_| None };
        let (new, again) = (calls.of_new(&[&row]).unwrap(), calls.of_reminder(&[&row]).unwrap());
        assert_eq!(new.text.as_str(), "the program (@lead) Go on or stop?");
        assert!(again.text.as_str().ends_with(new.text.as_str()), "{:?}", again.text);
    }
}
