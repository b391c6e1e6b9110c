//! Which question a key answers.

use crate::action::Action;
use crate::app::drawing::app_words;
use crate::app::flow::facts::Facts;
use crate::cx::UiSettings;
use crate::domain::DialogId;
use crate::domain::asking::inquiry::Part;
use crate::domain::asking::inquiry::answers::AnswerInput;
use crate::domain::reading::title::without_marks;
use crate::focus::Focus;
use crate::follow_up::{FollowUp, FollowUps, ToModel, ToWriting};
use crate::keymap::KeySequence;
use crate::model::{Drafts, Tone};
use crate::new_overlay::NewOverlay;
use crate::panes::inbox;
use crate::protocol::InboxRow;
use crate::question_choice::Pick;
use crate::request::{HeldAnswer, Request};

/// Answers the question that the inbox marks, else the oldest one.
pub(in crate::app) fn answer_marked(facts: Facts<'_>) -> FollowUp {
    let marked = facts.model.inbox.marked(facts.focus == Focus::Inbox);
    let pick = marked.map_or(Pick::Oldest, |row| Pick::Question(row.question.id.clone()));
    FollowUp::Writing(ToWriting::Answer(pick))
}

/// Answers the question of the pane that has the focus: the selected one, or the oldest of the dialog.
pub(in crate::app) fn answer_here(facts: Facts<'_>) -> FollowUps {
    let pick = match facts.focus {
        Focus::Tree => Pick::Of(facts.model.tree.shown_selection().cloned()),
        Focus::Inbox => Pick::Selected,
        Focus::Dialog | Focus::Composer => Pick::Of(facts.open_dialog().cloned()),
    };
    vec![FollowUp::Writing(ToWriting::Answer(pick))]
}

/// Asks whether the same answer is given to these questions too.
pub(in crate::app) fn ask_about_alike(
    answer: &HeldAnswer,
    questions: Vec<(DialogId, String)>,
    ui: &UiSettings,
) -> FollowUps {
    if questions.is_empty() {
        return Vec::new();
    }
    let question = ui.counted(questions.len(), app_words::ALIKE);
    let yes = answer_alike(questions, &answer.text, &answer.typed);
    let subject = app_words::SUBJECT_ANSWER;
    vec![FollowUp::Show(NewOverlay::SuddenQuestion(subject, question, yes))]
}

/// Gives the same answer to these questions. Each is a stored draft until it is sent.
fn answer_alike(questions: Vec<(DialogId, String)>, text: &str, typed: &str) -> FollowUps {
    let answer = |(dialog, question): (DialogId, String)| {
        let (text, typed) = (text.to_owned(), typed.to_owned());
        FollowUp::Writing(ToWriting::SendAlike(HeldAnswer {
            dialog,
            question,
            part: None,
            text,
            typed,
        }))
    };
    questions.into_iter().map(answer).chain([FollowUp::Writing(ToWriting::AlikeSent)]).collect()
}

/// Shows all that a question asks to approve: it was not wholly on the screen.
pub(in crate::app) fn show_to_approve(row: &InboxRow) -> FollowUps {
    let shown = NewOverlay::ToApprove(Box::new(row.clone()));
    vec![FollowUp::Show(shown), FollowUp::Notify(Tone::Bad, app_words::READ_FIRST)]
}

/// Asks whether the recommended options of the selected question are its answer.
pub(in crate::app) fn ask_to_take_recommended(facts: Facts<'_>, drafts: &Drafts) -> FollowUps {
    let Some(row) = facts.model.inbox.selected() else {
        return vec![FollowUp::Notify(Tone::Plain, app_words::NO_QUESTIONS)];
    };
    let parts = row.inquiry.iter().flat_map(|inquiry| &inquiry.parts);
    let open = parts.filter(|part| !row.answers.contains_key(&part.id));
    let recommended: Vec<String> = open
        .filter_map(|part| Some(without_marks(&part.option(part.recommended?)?.label)))
        .collect();
    if recommended.is_empty() {
        return vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_RECOMMENDED)];
    }
    if !facts.model.inbox.can_be_approved(row) {
        return show_to_approve(row);
    }
    let asked = facts.ui.sentence(app_words::TAKE_RECOMMENDED, &recommended.join(", "));
    let option = only_part(row).and_then(|part| part.recommended);
    let option = option.filter(|_| has_comments(row, drafts));
    ask_to_answer_all(row, asked, AnswerInput::Recommended, option)
}

/// Asks whether the selected question is closed without an answer.
pub(in crate::app) fn ask_to_dismiss(facts: Facts<'_>, drafts: &Drafts) -> FollowUps {
    let Some(row) = facts.model.inbox.selected() else {
        return vec![FollowUp::Notify(Tone::Plain, app_words::NO_QUESTIONS)];
    };
    let word =
        if row.is_approval() { app_words::REJECT_DECISION } else { app_words::DISMISS_QUESTION };
    let asked = facts.ui.sentence(word, &row.asker(facts.ui.lang));
    let option = only_part(row).and_then(|part| part.options.last()).map(|option| option.key);
    let option = option.filter(|_| has_comments(row, drafts));
    ask_to_answer_all(row, asked, AnswerInput::Dismiss(None), option)
}

/// The part of an approval.
fn only_part(row: &InboxRow) -> Option<&Part> {
    row.inquiry.as_ref()?.parts.first()
}

/// True if there are comments on the change that it asks to approve.
fn has_comments(row: &InboxRow, drafts: &Drafts) -> bool {
    !drafts.comments(&row.question.id).is_empty()
}

/// Asks whether all of a question is answered so; with comments, by this option, which they go with.
fn ask_to_answer_all(
    row: &InboxRow,
    asked: String,
    input: AnswerInput,
    with_comments: Option<char>,
) -> FollowUps {
    let (dialog, question) = (row.dialog.clone(), row.question.id.clone());
    let yes = if let Some(option) = with_comments {
        vec![FollowUp::Writing(ToWriting::AnswerWith(question, option))]
    } else {
        let sent = FollowUp::Model(ToModel::MarkSent(question.clone()));
        vec![sent, FollowUp::Request(Request::AnswerAll { dialog, question, input })]
    };
    vec![FollowUp::Show(NewOverlay::Question(app_words::SUBJECT_ANSWER, asked, yes))]
}

/// Answers the question whose number was pressed. Without questions, digits select panes as elsewhere.
pub(in crate::app) fn answer_number(pressed: Option<&KeySequence>, facts: Facts<'_>) -> FollowUps {
    let keys = facts.ui.keymap.keys(inbox::SCOPE, Action::Pick);
    let Some(at) = pressed.and_then(|pressed| keys.iter().position(|key| key == pressed)) else {
        return Vec::new();
    };
    let questions = facts.model.inbox.len();
    let panes = [Focus::Tree, Focus::Inbox, Focus::Dialog];
    vec![if at < questions {
        FollowUp::Writing(ToWriting::Answer(Pick::At(at)))
    } else if questions > 0 {
        FollowUp::Notify(Tone::Plain, app_words::NO_SUCH_QUESTION)
    } else {
        let nothing = FollowUp::Notify(Tone::Plain, app_words::NO_QUESTIONS);
        panes.get(at).map_or(nothing, |pane| FollowUp::Focus(*pane))
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::flow::facts::testing::Workspace;
    use crate::app::tests::fixture::questions;

    #[test]
    fn the_question_with_the_mark_is_answered_and_without_a_mark_the_oldest() {
        let mut workspace = Workspace::new();
        workspace.model.inbox.set(questions());
        let answers = |pick| FollowUp::Writing(ToWriting::Answer(pick));
        assert_eq!(answer_marked(workspace.facts()), answers(Pick::Oldest));
        workspace.model.inbox.select(1);
        let marked = answers(Pick::Question("q2".to_owned()));
        assert_eq!(answer_marked(workspace.facts()), marked);
        workspace.model.inbox.mark_sent("q2");
        assert_eq!(answer_marked(workspace.facts()), answers(Pick::Oldest), "it has its answer");
    }

    #[test]
    fn a_number_is_a_question_and_without_questions_a_pane() {
        let mut workspace = Workspace::new();
        let press = |workspace: &Workspace, key| {
            answer_number(KeySequence::parse(key).as_ref(), workspace.facts())
                .pop()
                .expect("an effect")
        };
        let notice = |word| FollowUp::Notify(Tone::Plain, word);
        assert_eq!(press(&workspace, "2"), FollowUp::Focus(Focus::Inbox));
        assert_eq!(press(&workspace, "9"), notice(app_words::NO_QUESTIONS));
        workspace.model.inbox.set(questions());
        assert_eq!(press(&workspace, "2"), FollowUp::Writing(ToWriting::Answer(Pick::At(1))));
        assert_eq!(press(&workspace, "3"), notice(app_words::NO_SUCH_QUESTION));
    }
}
