//! What follows from the intents of overlays.

use super::new_overlay::NewOverlay;
use super::sheets;
use crate::action::{Action, Scope};
use crate::app::answers::answering;
use crate::app::answers::consent;
use crate::app::dialogs::lifecycle;
use crate::app::drawing::focus::Focus;
use crate::app::flow::dismissing_news;
use crate::app::flow::effect::Effect;
use crate::app::flow::facts::Facts;
use crate::app::flow::follow_up::{FollowUp, FollowUps};
use crate::app::flow::quitting;
use crate::app::flow::requests::{PendingTakeBack, Request};
use crate::cx::Intent;
use crate::lists::tasks::Tasks;
use crate::model::{DraftKey, Tone};
use crate::panes::transcript::Towards;
use crate::programs::ProgramJob;
use crate::protocol::{Command, TeamsRequest};

pub(in crate::app) fn follow_ups(intent: Intent, facts: Facts<'_>) -> FollowUps {
    match intent {
        Intent::Quit => vec![FollowUp::Effect(Effect::Quit)],
        Intent::QuitAndStop => vec![FollowUp::QuitAndStop],
        Intent::Detach => vec![quitting::detach(facts)],
        Intent::StopProcess(pid) => vec![FollowUp::Request(Request::StopProcess { pid })],
        Intent::DismissNews(ids) => vec![dismissing_news::dismiss(ids)],
        Intent::SetAutonomy(level) => vec![FollowUp::Request(Request::SetAutonomy { level })],
        Intent::StopAll => vec![FollowUp::Command(Command::StopAll)],
        Intent::Lifecycle(change) => lifecycle::change(change, facts),
        Intent::Title(dialog, title) => {
            vec![FollowUp::Request(Request::Title { dialog, title })]
        }
        Intent::PutAwayAll(roots, to) => lifecycle::put_away_all(roots, to),
        Intent::PutOff(question, time) => vec![FollowUp::PutOff(question, time)],
        Intent::Filter(list, text) => vec![FollowUp::Filter(list, text)],
        Intent::StepIn(list, rows) => vec![FollowUp::StepIn(list, rows)],
        Intent::ChangeShelved(change, name) => {
            vec![FollowUp::Request(Request::Lifecycle { change, name })]
        }
        Intent::ShowTasks(team, shown) => {
            let tasks = Tasks::new(team, shown, facts.model);
            vec![FollowUp::Show(NewOverlay::Tasks(tasks))]
        }
        Intent::ShowTrigger(row) => vec![FollowUp::Show(NewOverlay::Trigger(row))],
        Intent::WriteTask(team) => vec![FollowUp::Show(NewOverlay::NewTask(team))],
        Intent::Delegate { team, text, priority } => vec![
            FollowUp::SaveDraft(DraftKey::Task(team.clone()), text.clone()),
            FollowUp::Request(Request::Task(TeamsRequest::Delegate { team, text, priority })),
        ],
        Intent::Task(request) => vec![FollowUp::Request(Request::Task(request))],
        Intent::RequestLog(least) => vec![FollowUp::Request(Request::Log { least })],
        Intent::RequestMind(agent) => vec![FollowUp::Request(Request::Mind { agent })],
        Intent::RequestShelf => vec![FollowUp::Request(Request::Shelf)],
        Intent::Open(dialog) => vec![FollowUp::Read(dialog)],
        Intent::Search(text) => vec![FollowUp::Search(text)],
        Intent::NextMatch => vec![FollowUp::StepSearch(Towards::End)],
        Intent::PreviousMatch => vec![FollowUp::StepSearch(Towards::Start)],
        Intent::LeaveSearch => vec![FollowUp::LeaveSearch],
        Intent::ShowParts => vec![FollowUp::ShowParts],
        Intent::Copy(to, text) => vec![FollowUp::Copy(to, text)],
        Intent::GoTo(place) => vec![FollowUp::GoToPlace(place)],
        Intent::Agree { digests, level, then } => consent::agree(digests, level, then),
        Intent::StoreDrafts => vec![FollowUp::StoreDrafts],
        Intent::SaveDraft(key, text) => vec![FollowUp::SaveDraft(key, text)],
        Intent::RunInOverlay(scope, action) => vec![FollowUp::ActInOverlay(scope, action)],
        Intent::Run(scope, action) => run(scope, action, facts.focus),
        Intent::AnswerAll { dialog, question, input } => {
            let sent = FollowUp::MarkSent(question.clone());
            vec![sent, FollowUp::Request(Request::AnswerAll { dialog, question, input })]
        }
        Intent::AnswerAlike { questions, text, typed } => {
            answering::answer_alike(questions, &text, &typed)
        }
        Intent::ShowChanges(dialog, scope) => sheets::show_changes(dialog, scope),
        Intent::ShowCall(dialog, call) => vec![FollowUp::ShowCall(dialog, call)],
        Intent::Find(request) => vec![FollowUp::Request(Request::Find(request))],
        Intent::EndFind => vec![FollowUp::EndFind],
        Intent::ShowFound(dialog, found) => vec![FollowUp::ShowFound(dialog, found)],
        Intent::ShowGeneration(dialog, course, genseq) => {
            vec![FollowUp::ShowGeneration(dialog, course, genseq)]
        }
        Intent::EditFile { path, line } => {
            vec![FollowUp::Effect(Effect::Program(ProgramJob::EditFile { path, line }))]
        }
        Intent::Sheet { dialog, request, draft } => sheets::change(dialog, request, draft),
        Intent::TakeSent(text) => vec![FollowUp::TakeSent(text)],
        Intent::EditQueued { dialog, words } => vec![FollowUp::EditQueued(dialog, words)],
        Intent::TakeBack { dialog, message } => {
            let back = PendingTakeBack { dialog, message, edit: None };
            vec![FollowUp::Request(Request::TakeBack(back))]
        }
        Intent::Confirm(question, yes) => {
            vec![FollowUp::Show(NewOverlay::Question(question, *yes))]
        }
        Intent::ConfirmPermanent(question, yes) => {
            vec![FollowUp::Show(NewOverlay::PermanentQuestion(question, *yes))]
        }
        Intent::Notify(text) => vec![FollowUp::NotifyText(Tone::Plain, text)],
        Intent::Create { agent, taskdoc, text } => vec![
            FollowUp::SaveDraft(DraftKey::New, text.clone()),
            FollowUp::Request(Request::Create { agent, taskdoc, text }),
        ],
    }
}

/// Does what an action does in this scope, which may not be where the focus is.
fn run(scope: Scope, action: Action, focus: Focus) -> FollowUps {
    // In panes this key is also for a search or a filter.
    if scope == Scope::PANES && action == Action::NewDialog {
        let leave = (focus == Focus::Composer).then_some(FollowUp::Act(Action::Leave));
        return leave.into_iter().chain([FollowUp::Show(NewOverlay::NewDialog)]).collect();
    }
    if scope == Scope::PANES && focus == Focus::Composer {
        return vec![FollowUp::Act(Action::Leave), FollowUp::Act(action)];
    }
    let focus = Focus::of(scope).filter(|known| *known != focus);
    focus.map(FollowUp::Focus).into_iter().chain([FollowUp::Act(action)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::flow::facts::testing::Workspace;

    #[test]
    fn the_text_of_a_new_dialog_is_a_draft_before_it_is_sent() {
        let (agent, taskdoc, text) = ("dba".into(), "a.tsk".to_owned(), "go".to_owned());
        let shown = follow_ups(Intent::Create { agent, taskdoc, text }, Workspace::new().facts());
        let draft = FollowUp::SaveDraft(DraftKey::New, "go".to_owned());
        assert_eq!(shown.first(), Some(&draft));
        assert!(matches!(shown.last(), Some(FollowUp::Request(Request::Create { .. }))));
    }

    #[test]
    fn a_question_is_asked_before_its_intent_is_carried_out() {
        let asks = Intent::Confirm("stop all?".to_owned(), Box::new(Intent::StopAll));
        let question = NewOverlay::Question("stop all?".to_owned(), Intent::StopAll);
        let shown = follow_ups(asks, Workspace::new().facts());
        assert_eq!(shown, [FollowUp::Show(question)]);
        let shown = follow_ups(Intent::StopAll, Workspace::new().facts());
        assert_eq!(shown, [FollowUp::Command(Command::StopAll)]);
    }
}
