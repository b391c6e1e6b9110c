//! What each action does outside of overlays. A test checks that no binding is without effect.

use std::time::Instant;

use ratatui::crossterm::event::KeyEvent;

use super::follow_up::FollowUp;
use super::pick::Pick;
use super::reading::Reading;
use super::writing::Writing;
use super::{App, Effect, Focus, Request};
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
            Action::AnswerOldest => self.answer_picked(&Pick::Oldest),
            Action::NextQuestion => self.answer_picked(&Pick::Next),
            Action::PreviousQuestion => self.answer_picked(&Pick::Previous),
            Action::NextWaiting => self.next_waiting(),
            Action::FocusNext => self.step_focus(false),
            Action::FocusPrevious => self.step_focus(true),
            Action::FocusFirst => self.set_focus(Focus::Tree),
            Action::FocusSecond => self.set_focus(Focus::Inbox),
            Action::FocusThird => self.set_focus(Focus::Dialog),
            Action::Help => self.help(),
            Action::Redraw => self.effects.push(Effect::Redraw),
            Action::Suspend => self.effects.push(Effect::Suspend),
            Action::OpenConsent => self.open_consent(),
            Action::Show(list) => self.show_list(list),
            Action::Compose => self.focus_composer(),
            Action::NewDialog => self.new_dialog(),
            Action::Zoom => self.focus.toggle_zoom(),
            Action::Cancel => self.cancel(),
            Action::Quit => self.ask_to_quit_if_running(),
            Action::Up => self.move_by(-1, ScrollMove::Lines(-1)),
            Action::Down => self.move_by(1, ScrollMove::Lines(1)),
            Action::Top => self.move_by(-WHOLE_LIST, ScrollMove::Start),
            Action::Bottom => self.move_by(WHOLE_LIST, ScrollMove::End),
            Action::HalfPageUp => self.reading.scroll(ScrollMove::HalfPages(-1)),
            Action::HalfPageDown => self.reading.scroll(ScrollMove::HalfPages(1)),
            Action::PageUp => self.reading.scroll(ScrollMove::Pages(-1)),
            Action::PageDown => self.reading.scroll(ScrollMove::Pages(1)),
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
            Action::ContinueAll => self.request(Request::ContinueAll),
            Action::RetryNow => self.retry_now(),
            Action::KeepGoing => self.switch_keep_going(),
            Action::Refill => self.refill(),
            Action::Fork => self.ask_to_fork_here(),
            Action::MarkDone => self.put_away(Bucket::Done),
            Action::Archive => self.put_away(Bucket::Archive),
            Action::DeclareDead => self.ask_to_declare_dead(),
            Action::Delete => self.ask_to_delete(),
            Action::PreviousGeneration => self.reading.scroll(ScrollMove::Generations(-1)),
            Action::NextGeneration => self.reading.scroll(ScrollMove::Generations(1)),
            Action::PreviousCourse => self.in_dialog(|reading| reading.other_course(-1)),
            Action::NextCourse => self.in_dialog(|reading| reading.other_course(1)),
            Action::ToggleThinking => self.in_dialog(Reading::toggle_thinking),
            Action::ToggleCall => self.in_dialog(Reading::toggle_call),
            Action::OtherEnd => self.jump(),
            Action::Back => self.in_dialog(Reading::go_back),
            Action::Reminders => self.open_reminders(),
            Action::Taskdoc => self.open_taskdoc(),
            Action::Send => self.send(),
            Action::NewLine => self.in_composer(Writing::new_line),
            Action::HistoryUp => self.recall(false),
            Action::HistoryDown => self.recall(true),
            Action::ClearDraft => self.clear_draft(),
            Action::Undo => self.in_composer(Writing::undo),
            Action::Leave => self.leave_composer(),
            Action::Replay => self.effects.extend(self.ending.replay()),
            Action::Close => self.ending.hide(),
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
        match self.focus.now() {
            Focus::Tree => self.model.tree.step(rows),
            Focus::Inbox => self.step_inbox(rows),
            Focus::Dialog | Focus::Composer => self.reading.scroll(scroll),
        }
    }

    /// Answers the question of the pane that has the focus.
    fn answer_here(&mut self) {
        let pick = match self.focus.now() {
            Focus::Tree => Pick::Of(self.model.tree.selected_dialog()),
            Focus::Inbox => Pick::Selected,
            Focus::Dialog | Focus::Composer => Pick::Of(self.reading.dialog().cloned()),
        };
        self.answer_picked(&pick);
    }

    fn ask_to_fork_here(&mut self) {
        if self.focus.now() == Focus::Tree {
            self.ask_to_fork_selected();
        } else {
            self.ask_to_fork_open();
        }
    }

    /// In the composer, the arrows move the caret; at the edge of the text they recall the history.
    pub(super) fn act_or_type(&mut self, action: Action, key: KeyEvent) {
        let down = action == Action::HistoryDown;
        let recalls = down || action == Action::HistoryUp;
        if recalls && !self.writing.composer().field.at_edge(down) {
            self.writing.type_key(key, self.moment);
        } else if self.act(action) == Handled::Ignored {
            self.report_unused_key(self.scope(), Chord::from(key));
        }
    }

    fn recall(&mut self, down: bool) {
        if !down && self.edit_newest_queued() {
            return;
        }
        self.in_composer(|writing, now| writing.recall(down, now));
    }

    pub(super) fn set_focus(&mut self, focus: Focus) {
        if self.focus.now() == Focus::Composer {
            self.writing.keep(self.moment);
        }
        self.focus.set(focus);
    }

    /// Cycles through tree, inbox, dialog and composer.
    fn step_focus(&mut self, back: bool) {
        let can_write = self.writing.can_write();
        let next = self.focus.neighbour(back, can_write);
        if next == Focus::Composer {
            self.focus_composer();
        } else {
            self.set_focus(next);
        }
    }

    fn cancel(&mut self) {
        if let Some(focus) = self.focus.cancel() {
            self.set_focus(focus);
        }
    }

    fn help(&mut self) {
        self.overlays.push(Help::about(self.scope()));
    }

    fn step_inbox(&mut self, rows: isize) {
        let at = self.model.inbox.selected_at().saturating_add_signed(rows);
        self.model.inbox.select(at);
    }

    /// The dialog that an action of the focused pane is about: the selected one in the tree, else the open
    /// one; notifies the user if there is none.
    pub(super) fn dialog_here(&mut self) -> Option<DialogId> {
        if self.focus.now() == Focus::Tree { self.selected_dialog() } else { self.open_dialog() }
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
        let dialog = self.reading.dialog().cloned();
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

    fn ask_to_stop_all(&mut self) {
        if !self.model.tree.any_running() {
            return self.notify(Tone::Plain, Word::NothingRuns);
        }
        let question = Confirm::new(Word::StopAllQuestion, Intent::StopAll);
        self.overlays.push(question);
    }

    fn ask_to_quit_if_running(&mut self) {
        if self.model.tree.any_running() || self.model.processes_running() > 0 {
            self.ask_to_quit();
        } else {
            self.effects.push(Effect::Quit);
        }
    }

    /// Changes the view on the open dialog.
    pub(super) fn in_dialog(&mut self, change: impl FnOnce(&mut Reading) -> Vec<FollowUp>) {
        let follow_ups = change(&mut self.reading);
        self.follow(follow_ups);
    }

    /// Changes the text in the composer.
    fn in_composer(&mut self, change: impl FnOnce(&mut Writing, Instant) -> Vec<FollowUp>) {
        let follow_ups = change(&mut self.writing, self.moment);
        self.follow(follow_ups);
    }

    fn jump(&mut self) {
        let row = self.reading.dialog().and_then(|dialog| self.model.tree.get(dialog));
        let asker = row.and_then(|row| row.asker.clone());
        self.in_dialog(|reading| reading.jump(asker.as_ref()));
    }

    fn send(&mut self) {
        let taking_back = self.awaits_take_back();
        let follow_ups = self.writing.send(&self.model.inbox, taking_back, self.moment);
        self.follow(follow_ups);
    }

    /// Clears the draft; an empty one asks to quit.
    fn clear_draft(&mut self) {
        if self.writing.is_empty() {
            return self.ask_to_quit();
        }
        let follow_ups = self.writing.clear(self.moment, &self.ui);
        self.follow(follow_ups);
    }

    fn leave_composer(&mut self) {
        let (pane, open) = (self.focus.pane(), self.reading.dialog());
        let follow_ups = self.writing.leave(pane, open, self.moment);
        self.follow(follow_ups);
    }

    /// Gives the focus to the composer; notifies the user if nobody is written to.
    pub(super) fn focus_composer(&mut self) {
        if self.writing.can_write() {
            self.focus.set(Focus::Composer);
        } else {
            self.notify(Tone::Plain, Word::NoTarget);
        }
    }

    /// Shows where the selected question was asked.
    fn view_call_site(&mut self) {
        match self.model.inbox.selected().cloned() {
            Some(row) => self.follow([FollowUp::ShowQuestion(row), FollowUp::Focus(Focus::Dialog)]),
            None => self.notify(Tone::Plain, Word::NoQuestions),
        }
    }

    fn open_selected(&mut self) {
        match self.model.tree.selected_dialog() {
            Some(dialog) => self.read_if_new(&dialog),
            None => self.model.tree.toggle(),
        }
    }

    fn read_if_new(&mut self, dialog: &DialogId) {
        self.in_dialog(|reading| reading.open_if_new(dialog));
        self.set_focus(Focus::Dialog);
    }

    fn next_waiting(&mut self) {
        let needing = self.model.tree.needing_attention();
        let current = self.reading.dialog();
        let at = current.and_then(|current| needing.iter().position(|d| d == current));
        let next = at.map_or(0, |at| at + 1);
        match needing.get(next).or_else(|| needing.first()) {
            Some(dialog) => self.read_if_new(dialog),
            None => self.notify(Tone::Plain, Word::NobodyWaits),
        }
    }

    fn choose_asker(&mut self) {
        let Some(dialog) = self.selected_dialog() else {
            return;
        };
        let asker = self.model.tree.get(&dialog).and_then(|row| row.asker.clone());
        match asker {
            Some(asker) => self.model.tree.select(&DialogId::side(&dialog.root, &asker)),
            None => self.notify(Tone::Plain, Word::NoAsker),
        }
    }

    fn ask_to_quit(&mut self) {
        if self.model.processes_running() > 0 {
            return self.ask_about_processes();
        }
        let word =
            if self.model.tree.any_running() { Word::QuitWhileRunning } else { Word::QuitQuestion };
        self.overlays.push(Confirm::new(word, Intent::Quit));
    }
}
