//! What each action does outside of overlays. A test checks that no binding is without effect.

use ratatui::crossterm::event::KeyEvent;

use super::{App, Effect, Focus, InFlight};
use crate::domain::{Bucket, DialogId};
use crate::protocol::Command;
use crate::ui::action::Action;
use crate::ui::cx::Intent;
use crate::ui::keymap::Chord;
use crate::ui::lang::Word;
use crate::ui::model::Tone;
use crate::ui::overlay::Handled;
use crate::ui::panes::confirm::Confirm;
use crate::ui::panes::help::Help;
use crate::ui::panes::transcript::ScrollMove;

/// More rows than any list has.
const WHOLE_LIST: isize = isize::MAX / 2;

impl App {
    /// Does what an action does outside of overlays; where one action is bound in several panes, in the
    /// one that has the focus.
    pub(super) fn act(&mut self, action: Action) -> Handled {
        match action {
            Action::AnswerOldest => self.answer_oldest(),
            Action::NextQuestion => self.next_question(),
            Action::PreviousQuestion => self.previous_question(),
            Action::NextWaiting => self.next_waiting(),
            Action::FocusNext => self.step_focus(false),
            Action::FocusPrevious => self.step_focus(true),
            Action::FocusFirst => self.set_focus(Focus::Tree),
            Action::FocusSecond => self.set_focus(Focus::Inbox),
            Action::FocusThird => self.set_focus(Focus::Dialog),
            Action::Help => self.help(),
            Action::Redraw => self.effects.push(Effect::Redraw),
            Action::Suspend => self.effects.push(Effect::Suspend),
            Action::OpenQueued => self.open_queued(),
            Action::OpenProcesses => self.open_processes(),
            Action::OpenConsent => self.open_consent(),
            Action::OpenShelf => self.request_shelf(),
            Action::Show(list) => self.show_list(list),
            Action::Compose => self.focus_composer(),
            Action::NewDialog => self.new_dialog(),
            Action::Zoom => self.zoomed = !self.zoomed,
            Action::Cancel => self.cancel(),
            Action::Quit => self.ask_to_quit_if_running(),
            Action::Up => self.move_by(-1, ScrollMove::Lines(-1)),
            Action::Down => self.move_by(1, ScrollMove::Lines(1)),
            Action::Top => self.move_by(-WHOLE_LIST, ScrollMove::Start),
            Action::Bottom => self.move_by(WHOLE_LIST, ScrollMove::End),
            Action::HalfPageUp => self.transcript.go(ScrollMove::HalfPages(-1)),
            Action::HalfPageDown => self.transcript.go(ScrollMove::HalfPages(1)),
            Action::PageUp => self.transcript.go(ScrollMove::Pages(-1)),
            Action::PageDown => self.transcript.go(ScrollMove::Pages(1)),
            Action::Fold => self.model.tree.fold(),
            Action::Unfold => self.model.tree.unfold(),
            Action::Open => self.open_selected(),
            Action::ToAsker => self.choose_asker(),
            Action::Answer => self.answer_here(),
            Action::Pick => self.pick_question(),
            Action::CallSite => self.view_call_site(),
            Action::Stop => self.stop(),
            Action::Continue => self.continue_one(),
            Action::StopAll => self.ask_to_stop_all(),
            Action::ContinueAll => self.continue_all(),
            Action::RetryNow => self.retry_now(),
            Action::KeepGoing => self.switch_keep_going(),
            Action::Refill => self.refill(),
            Action::Fork => self.ask_to_fork_here(),
            Action::MarkDone => self.put_away(Bucket::Done),
            Action::Archive => self.put_away(Bucket::Archive),
            Action::DeclareDead => self.ask_to_declare_dead(),
            Action::Delete => self.ask_to_delete(),
            Action::PreviousGeneration => self.transcript.go(ScrollMove::Generations(-1)),
            Action::NextGeneration => self.transcript.go(ScrollMove::Generations(1)),
            Action::PreviousCourse => self.other_course(-1),
            Action::NextCourse => self.other_course(1),
            Action::ToggleThinking => self.toggle_thinking(),
            Action::ToggleCall => self.toggle_call(),
            Action::OtherEnd => self.jump(),
            Action::Back => self.go_back(),
            Action::Reminders => self.open_reminders(),
            Action::Taskdoc => self.open_taskdoc(),
            Action::Send => self.send(),
            Action::NewLine => self.new_line(),
            Action::HistoryUp => self.recall(false),
            Action::HistoryDown => self.recall(true),
            Action::ClearDraft => self.clear_draft(),
            Action::Undo => self.undo(),
            Action::Leave => self.leave_composer(),
            Action::Replay => self.replay(),
            Action::Close => self.close_ending(),
            // Bound in overlays only.
            Action::Revive
            | Action::Edit
            | Action::Add
            | Action::AddPersonal
            | Action::TakeBack
            | Action::Agree
            | Action::OtherLevel
            | Action::LookOnly
            | Action::Accept
            | Action::AcceptReversible
            | Action::Refuse => return Handled::Ignored,
        }
        Handled::Done
    }

    /// Moves in the pane that has the focus: by rows in a list, else in the open dialog.
    fn move_by(&mut self, rows: isize, scroll: ScrollMove) {
        match self.focus {
            Focus::Tree => self.model.tree.step(rows),
            Focus::Inbox => self.step_inbox(rows),
            Focus::Dialog | Focus::Composer => self.transcript.go(scroll),
        }
    }

    /// Answers the question of the pane that has the focus.
    fn answer_here(&mut self) {
        match self.focus {
            Focus::Tree => self.answer_of_selected(),
            Focus::Inbox => self.answer_selected(),
            Focus::Dialog | Focus::Composer => self.answer_of_open(),
        }
    }

    fn ask_to_fork_here(&mut self) {
        if self.focus == Focus::Tree {
            self.ask_to_fork_selected();
        } else {
            self.ask_to_fork_open();
        }
    }

    /// In the composer, the arrows move the caret; at the edge of the text they recall the history.
    pub(super) fn act_or_type(&mut self, action: Action, key: KeyEvent) {
        let down = action == Action::HistoryDown;
        let recalls = down || action == Action::HistoryUp;
        if recalls && !self.is_at_history_edge(down) {
            self.type_key(key);
        } else if self.act(action) == Handled::Ignored {
            self.report_unused_key(self.scope(), Chord::from(key));
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

    /// Cycles through tree, inbox, dialog and composer.
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

    /// The dialog that an action of the focused pane is about: the selected one in the tree, else the open
    /// one; notifies the user if there is none.
    pub(super) fn dialog_here(&mut self) -> Option<DialogId> {
        if self.focus == Focus::Tree { self.selected_dialog() } else { self.open_dialog() }
    }

    /// The selected dialog of the tree; notifies the user if there is none.
    pub(super) fn selected_dialog(&mut self) -> Option<DialogId> {
        let dialog = self.model.tree.selected_dialog();
        if dialog.is_none() {
            self.notify(Tone::Plain, Word::ChooseDialog);
        }
        dialog
    }

    /// The open dialog; notifies the user if there is none.
    fn open_dialog(&mut self) -> Option<DialogId> {
        let dialog = self.model.open.as_ref().map(|open| open.dialog.clone());
        if dialog.is_none() {
            self.notify(Tone::Plain, Word::NothingOpen);
        }
        dialog
    }

    fn stop(&mut self) {
        if let Some(dialog) = self.dialog_here() {
            let runs = self.model.tree.get(&dialog).is_some_and(|row| row.state.is_running());
            if !runs {
                self.notify(Tone::Plain, Word::NotRunning);
            }
            self.commands.push(Command::Stop { dialog });
        }
    }

    fn continue_one(&mut self) {
        if let Some(dialog) = self.dialog_here() {
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
