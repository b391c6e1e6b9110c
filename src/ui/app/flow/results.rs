//! What follows from the result of a request.

use super::facts::Facts;
use crate::app::dialogs::continuing;
use crate::app::dialogs::lifecycle;
use crate::app::drawing::app_words;
use crate::domain::text::{Localized, Text};
use crate::domain::{DialogId, TeamName};
use crate::focus::Focus;
use crate::follow_up::{FollowUp, FollowUps, ToModel, ToReading, ToWriting};
use crate::model::{DraftKey, Tone};
use crate::panes::composer::Target;
use crate::protocol::{MemoriesRequest, SheetRequest, TeamsRequest, Ticket};
use crate::request::Request;

/// The driver did it; `made` is the dialog that was created.
pub(in crate::app) fn done(
    request: Request,
    made: Option<DialogId>,
    facts: Facts<'_>,
) -> FollowUps {
    match request {
        Request::Say { dialog, typed, .. } => {
            vec![FollowUp::Writing(ToWriting::Saved(DraftKey::Message(dialog), typed))]
        }
        Request::Answer { question, part, typed, .. } => {
            vec![FollowUp::Writing(ToWriting::Saved(
                DraftKey::of_answer(&question, part.as_deref()),
                typed,
            ))]
        }
        Request::ChangeSheet { draft: Some((key, text)), .. } => {
            vec![FollowUp::Writing(ToWriting::Saved(key, text))]
        }
        Request::ChangeSheet { request: SheetRequest::MarkReviewed(_), .. } => {
            vec![FollowUp::Notify(Tone::Good, app_words::REVIEWED)]
        }
        Request::Create { text, taskdoc, .. } => {
            let known = [
                FollowUp::Writing(ToWriting::Saved(DraftKey::New, text)),
                FollowUp::Model(ToModel::TaskdocUsed(taskdoc)),
            ];
            known.into_iter().chain(made.into_iter().flat_map(read_and_write)).collect()
        }
        Request::TakeBack(back) => {
            let edits = back.edit.is_some();
            let word = if edits { app_words::TAKEN_BACK_TO_EDIT } else { app_words::TAKEN_BACK };
            vec![FollowUp::Notify(Tone::Good, word)]
        }
        Request::Lifecycle { change, name } => lifecycle::changed(change, &name, facts.ui),
        Request::PutAway { root, .. } => vec![FollowUp::PutAway(root), FollowUp::BatchDone],
        Request::Title { title, .. } => {
            let word = if title.is_some() { app_words::TITLE_SET } else { app_words::TITLE_TAKEN };
            vec![FollowUp::Notify(Tone::Good, word)]
        }
        Request::SetAutonomy { level } => {
            let text = facts.ui.sentence(app_words::AUTONOMY_SET, level.name());
            vec![FollowUp::NotifyText(Tone::Good, text)]
        }
        Request::SetModel { model, .. } => vec![match model {
            Some(choice) => {
                let text = facts.ui.sentence(app_words::MODEL_SET, &choice.to_string());
                FollowUp::NotifyText(Tone::Good, text)
            }
            None => FollowUp::Notify(Tone::Good, app_words::MODEL_OF_MEMBER),
        }],
        Request::SetDialogAutonomy { level, .. } => vec![match level {
            Some(level) => {
                let text = facts.ui.sentence(app_words::AUTONOMY_SET_HERE, level.name());
                FollowUp::NotifyText(Tone::Good, text)
            }
            None => FollowUp::Notify(Tone::Good, app_words::AUTONOMY_AS_CONFIGURED),
        }],
        Request::DismissNews { .. } => vec![FollowUp::Notify(Tone::Good, app_words::NEWS_CLEARED)],
        Request::Task(TeamsRequest::Delegate { team, text, .. }) => vec![
            FollowUp::Writing(ToWriting::Saved(DraftKey::Task(team), text)),
            FollowUp::Notify(Tone::Good, app_words::DELEGATED),
        ],
        Request::Task(TeamsRequest::Cancel { .. }) => {
            vec![FollowUp::Notify(Tone::Good, app_words::TASK_CANCELLED)]
        }
        Request::Task(TeamsRequest::Retry { .. }) => {
            vec![FollowUp::Notify(Tone::Good, app_words::TASK_QUEUED_AGAIN)]
        }
        Request::Task(TeamsRequest::SwitchTrigger { on, .. }) => {
            let word = if on { app_words::TRIGGER_ENABLED } else { app_words::TRIGGER_DISABLED };
            vec![FollowUp::Notify(Tone::Good, word)]
        }
        Request::Task(TeamsRequest::TryTrigger { .. }) => {
            vec![FollowUp::Notify(Tone::Good, app_words::DELEGATED)]
        }
        Request::Task(TeamsRequest::ShutDown { .. }) => {
            vec![FollowUp::Notify(Tone::Good, app_words::TEAM_SHUT_DOWN)]
        }
        Request::Memories { request: MemoriesRequest::Delete { team, key }, .. } => {
            memory_changed(app_words::MEMORY_DELETED, (team, key), facts)
        }
        Request::Memories { request: MemoriesRequest::Restore { team, key }, .. } => {
            memory_changed(app_words::MEMORY_RESTORED, (team, key), facts)
        }
        Request::KeepGoing { dialog, .. } => continuing::keep_going_switched(&dialog, facts),
        Request::Open { .. }
        | Request::Memories {
            request:
                MemoriesRequest::List { .. }
                | MemoriesRequest::Search { .. }
                | MemoriesRequest::Chain { .. },
            ..
        }
        | Request::Vault(_)
        | Request::Task(
            TeamsRequest::Show { .. } | TeamsRequest::Spawn { .. } | TeamsRequest::Update { .. },
        )
        | Request::Sheet { .. }
        | Request::Reload { .. }
        | Request::Page { .. }
        | Request::Preview { .. }
        | Request::KeepImage { .. }
        | Request::AnswerAll { .. }
        | Request::Agree { .. }
        | Request::Continue { .. }
        | Request::ContinueAll
        | Request::Shelf
        | Request::Find(_)
        | Request::Mind { .. }
        | Request::MindAgain { .. }
        | Request::Log(_)
        | Request::StopProcess { .. }
        | Request::Prompt { .. }
        | Request::ChangeSheet { draft: None, .. } => Vec::new(),
    }
}

/// The open list and the open sheet are read again.
fn memory_changed(word: Text, (team, key): (TeamName, String), facts: Facts<'_>) -> FollowUps {
    let listed = facts.model.memories.asked.clone();
    let read = listed.into_iter().chain([MemoriesRequest::Chain { team, key }]);
    let read = read.map(|request| FollowUp::Request(Request::Memories { request, opens: false }));
    std::iter::once(FollowUp::Notify(Tone::Good, word)).chain(read).collect()
}

/// Opens a new dialog to write to it, also if a question was being answered.
fn read_and_write(made: DialogId) -> [FollowUp; 3] {
    [
        FollowUp::Reading(ToReading::Read(made.clone())),
        FollowUp::Writing(ToWriting::WriteTo(Target::Dialog(made))),
        FollowUp::Focus(Focus::Composer),
    ]
}

/// Handles a refusal by the driver. The user is told at once, except for these: dialogs that are put away
/// together are reported when the last one is done, a preview in its place.
pub(in crate::app) fn refused(
    request: Request,
    ticket: Ticket,
    why: &Localized,
) -> Option<FollowUp> {
    match request {
        Request::Say { dialog, typed, .. } => {
            Some(FollowUp::Writing(ToWriting::MessageRefused(DraftKey::Message(dialog), typed)))
        }
        Request::Answer { question, part, typed, .. } => {
            let key = DraftKey::of_answer(&question, part.as_deref());
            Some(FollowUp::Writing(ToWriting::MessageRefused(key, typed)))
        }
        Request::AnswerAll { question, .. } => Some(FollowUp::Model(ToModel::UnmarkSent(question))),
        Request::ChangeSheet { draft: Some((key, text)), .. } => {
            Some(FollowUp::Writing(ToWriting::MessageRefused(key, text)))
        }
        Request::Create { text, .. } => {
            Some(FollowUp::Writing(ToWriting::MessageRefused(DraftKey::New, text)))
        }
        Request::Task(TeamsRequest::Delegate { team, text, .. }) => {
            Some(FollowUp::Writing(ToWriting::MessageRefused(DraftKey::Task(team), text)))
        }
        Request::PutAway { name, .. } => {
            let why = why.clone();
            Some(FollowUp::BatchRefused { name, why })
        }
        Request::Preview { .. } => {
            let why = why.clone();
            Some(FollowUp::Reading(ToReading::PreviewRefused { ticket, why }))
        }
        Request::KeepImage { number, .. } => {
            Some(FollowUp::Writing(ToWriting::ImageRefused(number)))
        }
        Request::Open { .. } => Some(FollowUp::Reading(ToReading::OpenRefused(ticket))),
        Request::TakeBack(back) => Some(FollowUp::Writing(ToWriting::NotTakenBack(back))),
        Request::Sheet { .. } => Some(FollowUp::SheetRefused),
        Request::Lifecycle { .. }
        | Request::Task(_)
        | Request::Memories { .. }
        | Request::Vault(_)
        | Request::Title { .. }
        | Request::KeepGoing { .. }
        | Request::SetModel { .. }
        | Request::SetDialogAutonomy { .. }
        | Request::Reload { .. }
        | Request::Page { .. }
        | Request::Agree { .. }
        | Request::Continue { .. }
        | Request::ContinueAll
        | Request::Shelf
        | Request::Find(_)
        | Request::Mind { .. }
        | Request::MindAgain { .. }
        | Request::Log(_)
        | Request::SetAutonomy { .. }
        | Request::DismissNews { .. }
        | Request::StopProcess { .. }
        | Request::Prompt { .. }
        | Request::ChangeSheet { draft: None, .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::flow::facts::testing::Workspace;
    use crate::app::tests::fixture::main_dialog;

    #[test]
    fn a_message_is_no_draft_any_more_once_it_is_on_disk_and_one_again_if_refused() {
        let (key, typed) = (DraftKey::Message(main_dialog()), "hello".to_owned());
        let (dialog, text) = (main_dialog(), typed.clone());
        let request = Request::Say { dialog, text, typed: typed.clone(), at_once: false };
        let saved = FollowUp::Writing(ToWriting::Saved(key.clone(), typed.clone()));
        assert_eq!(done(request.clone(), None, Workspace::new().facts()), [saved]);
        let why = Localized::same("no");
        assert_eq!(
            refused(request, 1, &why),
            Some(FollowUp::Writing(ToWriting::MessageRefused(key, typed)))
        );
    }

    #[test]
    fn a_new_dialog_is_read_and_written_to_and_its_taskdoc_comes_first_from_now_on() {
        let (taskdoc, text) = ("a.tsk".to_owned(), "go".to_owned());
        let request = Request::Create { agent: "dba".into(), taskdoc, text };
        let expected = [
            FollowUp::Writing(ToWriting::Saved(DraftKey::New, "go".to_owned())),
            FollowUp::Model(ToModel::TaskdocUsed("a.tsk".to_owned())),
            FollowUp::Reading(ToReading::Read(main_dialog())),
            FollowUp::Writing(ToWriting::WriteTo(Target::Dialog(main_dialog()))),
            FollowUp::Focus(Focus::Composer),
        ];
        assert_eq!(done(request, Some(main_dialog()), Workspace::new().facts()), expected);
    }

    #[test]
    fn only_the_refused_request_to_open_closes_a_dialog() {
        let request = Request::Open { dialog: main_dialog(), course: None };
        let why = Localized::same("no");
        assert_eq!(refused(request, 7, &why), Some(FollowUp::Reading(ToReading::OpenRefused(7))));
        assert_eq!(refused(Request::ContinueAll, 7, &why), None);
    }
}
