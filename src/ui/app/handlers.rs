//! What each action does. The table is complete: a test compares it with the table of actions.

use ratatui::crossterm::event::KeyEvent;

use super::{App, Effect, Focus, InFlight};
use crate::domain::{Bucket, DialogId};
use crate::protocol::Command;
use crate::ui::action::Action;
use crate::ui::cx::Intent;
use crate::ui::lang::Word;
use crate::ui::model::Tone;
use crate::ui::panes::confirm::Confirm;
use crate::ui::panes::help::Help;
use crate::ui::panes::problems::ProblemList;
use crate::ui::panes::transcript::ScrollMove;

type AppHandler = fn(&mut App);

/// Rows from one end of a list to the other.
const WHOLE_LIST: isize = isize::MAX / 2;

/// Every action outside of overlays.
pub(super) const HANDLERS: &[(Action, AppHandler)] = &[
    (Action::AnswerOldest, App::answer_oldest),
    (Action::NextQuestion, App::next_question),
    (Action::PreviousQuestion, App::previous_question),
    (Action::NextWaiting, App::next_waiting),
    (Action::FocusNext, |app| app.step_focus(false)),
    (Action::FocusPrevious, |app| app.step_focus(true)),
    (Action::FocusFirst, |app| app.set_focus(Focus::Tree)),
    (Action::FocusSecond, |app| app.set_focus(Focus::Inbox)),
    (Action::FocusThird, |app| app.set_focus(Focus::Dialog)),
    (Action::OpenQueued, App::open_queued),
    (Action::Help, App::help),
    (Action::Redraw, |app| app.effects.push(Effect::Redraw)),
    (Action::Suspend, |app| app.effects.push(Effect::Suspend)),
    (Action::FocusComposer, App::focus_composer),
    (Action::PaneHelp, App::help),
    (Action::PaneFirst, |app| app.set_focus(Focus::Tree)),
    (Action::PaneSecond, |app| app.set_focus(Focus::Inbox)),
    (Action::PaneThird, |app| app.set_focus(Focus::Dialog)),
    (Action::OpenProcesses, App::open_processes),
    (Action::OpenConsent, App::open_consent),
    (Action::Zoom, |app| app.zoomed = !app.zoomed),
    (Action::Cancel, App::cancel),
    (Action::Quit, App::ask_to_quit_if_running),
    (Action::TreeUp, |app| app.model.tree.step(-1)),
    (Action::TreeDown, |app| app.model.tree.step(1)),
    (Action::TreeFold, |app| app.model.tree.fold()),
    (Action::TreeUnfold, |app| app.model.tree.unfold()),
    (Action::TreeOpen, App::open_selected),
    (Action::TreeTop, |app| app.model.tree.step(-WHOLE_LIST)),
    (Action::TreeBottom, |app| app.model.tree.step(WHOLE_LIST)),
    (Action::TreeToAsker, App::choose_asker),
    (Action::TreeAnswer, App::answer_of_selected),
    (Action::NewDialog, App::new_dialog),
    (Action::Problems, |app| app.overlays.push(Box::new(ProblemList::default()))),
    (Action::Stop, |app| app.stop(App::selected_dialog)),
    (Action::Continue, |app| app.continue_one(App::selected_dialog)),
    (Action::RetryNow, |app| app.retry_now(App::selected_dialog)),
    (Action::KeepGoing, |app| app.switch_keep_going(App::selected_dialog)),
    (Action::Refill, |app| app.refill(App::selected_dialog)),
    (Action::StopAll, App::ask_to_stop_all),
    (Action::ContinueAll, App::continue_all),
    (Action::Fork, App::ask_to_fork_selected),
    (Action::MarkDone, |app| app.put_away(Bucket::Done)),
    (Action::Archive, |app| app.put_away(Bucket::Archive)),
    (Action::DeclareDead, App::ask_to_declare_dead),
    (Action::Delete, App::ask_to_delete),
    (Action::OpenShelf, App::request_shelf),
    (Action::InboxUp, |app| app.step_inbox(-1)),
    (Action::InboxDown, |app| app.step_inbox(1)),
    (Action::InboxTop, |app| app.step_inbox(-WHOLE_LIST)),
    (Action::InboxBottom, |app| app.step_inbox(WHOLE_LIST)),
    (Action::InboxAnswer, App::answer_selected),
    (Action::InboxPick, App::pick_question),
    (Action::InboxCallSite, App::view_call_site),
    (Action::LineUp, |app| app.transcript.go(ScrollMove::Lines(-1))),
    (Action::LineDown, |app| app.transcript.go(ScrollMove::Lines(1))),
    (Action::HalfPageUp, |app| app.transcript.go(ScrollMove::HalfPages(-1))),
    (Action::HalfPageDown, |app| app.transcript.go(ScrollMove::HalfPages(1))),
    (Action::PageUp, |app| app.transcript.go(ScrollMove::Pages(-1))),
    (Action::PageDown, |app| app.transcript.go(ScrollMove::Pages(1))),
    (Action::ToStart, |app| app.transcript.go(ScrollMove::Start)),
    (Action::ToEnd, |app| app.transcript.go(ScrollMove::End)),
    (Action::PreviousGeneration, |app| app.transcript.go(ScrollMove::Generations(-1))),
    (Action::NextGeneration, |app| app.transcript.go(ScrollMove::Generations(1))),
    (Action::PreviousCourse, |app| app.other_course(-1)),
    (Action::NextCourse, |app| app.other_course(1)),
    (Action::ToggleThinking, App::toggle_thinking),
    (Action::ToggleCall, App::toggle_call),
    (Action::EnterSideDialog, App::jump),
    (Action::Back, App::go_back),
    (Action::Reminders, App::open_reminders),
    (Action::OpenTaskdoc, App::open_taskdoc),
    (Action::DialogAnswer, App::answer_of_open),
    (Action::DialogStop, |app| app.stop(App::open_dialog)),
    (Action::DialogContinue, |app| app.continue_one(App::open_dialog)),
    (Action::DialogRetryNow, |app| app.retry_now(App::open_dialog)),
    (Action::DialogKeepGoing, |app| app.switch_keep_going(App::open_dialog)),
    (Action::DialogRefill, |app| app.refill(App::open_dialog)),
    (Action::DialogFork, App::ask_to_fork_open),
    (Action::Send, App::send),
    (Action::NewLine, App::new_line),
    (Action::HistoryUp, |app| app.recall(false)),
    (Action::HistoryDown, |app| app.recall(true)),
    (Action::ScrollUp, |app| app.transcript.go(ScrollMove::Lines(-1))),
    (Action::ScrollDown, |app| app.transcript.go(ScrollMove::Lines(1))),
    (Action::ScrollPageUp, |app| app.transcript.go(ScrollMove::Pages(-1))),
    (Action::ScrollPageDown, |app| app.transcript.go(ScrollMove::Pages(1))),
    (Action::ClearDraft, App::clear_draft),
    (Action::Undo, App::undo),
    (Action::LeaveComposer, App::leave_composer),
    (Action::Replay, App::replay),
    (Action::CloseEnding, App::close_ending),
];

impl App {
    pub(super) fn act(&mut self, action: Action) {
        if let Some((_, handler)) = HANDLERS.iter().find(|(known, _)| *known == action) {
            handler(self);
        }
    }

    /// In the composer, the arrows move the caret before they reach the history.
    pub(super) fn act_or_type(&mut self, action: Action, key: KeyEvent) {
        let down = action == Action::HistoryDown;
        let recalls = down || action == Action::HistoryUp;
        if recalls && !self.is_at_history_edge(down) {
            self.type_key(key);
        } else {
            self.act(action);
        }
    }

    fn is_at_history_edge(&self, down: bool) -> bool {
        self.composer.field.at_edge(down)
    }

    fn recall(&mut self, down: bool) {
        if !down && self.edit_newest_queued() {
            return;
        }
        let changed =
            if down { self.composer.recall_later() } else { self.composer.recall_earlier() };
        if changed {
            self.keep_draft();
        }
    }

    pub(super) fn set_focus(&mut self, focus: Focus) {
        if self.focus == Focus::Composer {
            self.keep_draft();
        }
        self.focus = focus;
        if focus != Focus::Composer {
            self.pane = focus;
        }
    }

    /// Tree, inbox, dialog, composer, and round.
    fn step_focus(&mut self, back: bool) {
        let can_write = self.composer.target.key().is_some();
        let ring = [Focus::Tree, Focus::Inbox, Focus::Dialog, Focus::Composer];
        let count = if can_write { ring.len() } else { ring.len() - 1 };
        let at = ring.iter().position(|focus| *focus == self.focus).unwrap_or(0);
        let step = if back { count - 1 } else { 1 };
        let next = ring.get((at + step) % count).copied().unwrap_or(Focus::Tree);
        if next == Focus::Composer {
            self.focus_composer();
        } else {
            self.set_focus(next);
        }
    }

    fn cancel(&mut self) {
        if self.zoomed {
            self.zoomed = false;
        } else if self.focus != Focus::Tree {
            self.set_focus(Focus::Tree);
        }
    }

    fn help(&mut self) {
        self.overlays.push(Box::new(Help::about(self.scope())));
    }

    fn step_inbox(&mut self, rows: isize) {
        let at = self.model.inbox.selected_at().saturating_add_signed(rows);
        self.model.inbox.select(at);
    }

    /// The dialog chosen in the tree; says so where there is none.
    pub(super) fn selected_dialog(&mut self) -> Option<DialogId> {
        let dialog = self.model.tree.selected_dialog();
        if dialog.is_none() {
            self.notify(Tone::Plain, Word::ChooseDialog);
        }
        dialog
    }

    /// The open dialog; says so where there is none.
    pub(super) fn open_dialog(&mut self) -> Option<DialogId> {
        let dialog = self.model.open.as_ref().map(|open| open.dialog.clone());
        if dialog.is_none() {
            self.notify(Tone::Plain, Word::NothingOpen);
        }
        dialog
    }

    fn stop(&mut self, which: fn(&mut Self) -> Option<DialogId>) {
        if let Some(dialog) = which(self) {
            let runs = self.model.tree.get(&dialog).is_some_and(|row| row.state.is_running());
            if !runs {
                self.notify(Tone::Plain, Word::NotRunning);
            }
            self.commands.push(Command::Stop { dialog });
        }
    }

    fn continue_one(&mut self, which: fn(&mut Self) -> Option<DialogId>) {
        if let Some(dialog) = which(self) {
            self.continue_dialog(dialog);
        }
    }

    fn continue_all(&mut self) {
        let ticket = self.ticket(InFlight::Other);
        self.commands.push(Command::ContinueAll { ticket });
    }

    fn ask_to_stop_all(&mut self) {
        if !self.model.tree.any_running() {
            return self.notify(Tone::Plain, Word::NothingRuns);
        }
        let question = Confirm::new(Word::StopAllQuestion, Intent::StopAll);
        self.overlays.push(Box::new(question));
    }

    fn ask_to_quit_if_running(&mut self) {
        if self.model.tree.any_running() || self.processes_running() > 0 {
            self.ask_to_quit();
        } else {
            self.effects.push(Effect::Quit);
        }
    }

    pub(super) fn ask_to_quit(&mut self) {
        if self.processes_running() > 0 {
            return self.ask_about_processes();
        }
        let word =
            if self.model.tree.any_running() { Word::QuitWhileRunning } else { Word::QuitQuestion };
        self.overlays.push(Box::new(Confirm::new(word, Intent::Quit)));
    }
}
